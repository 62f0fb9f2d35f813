//! Functions that return facts of the session, the server and the catalog: what `trait Run` knows.

pub(crate) mod app_lock;
pub(crate) mod metadata;
pub(crate) mod property;
pub(crate) mod session;
pub mod system_type;
pub(crate) mod table_property;
