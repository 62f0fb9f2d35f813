//! Functions that return facts of the session, the server and the catalog: what `trait Run` knows.

pub(crate) mod app_lock;
pub(crate) mod metadata;
pub(crate) mod principals;
pub(crate) mod property;
pub(crate) mod session;
pub mod system_type;
pub(crate) mod table_property;

use millpond_types::Value;

/// A property that something has or has not, as the functions of properties answer: 1 or 0.
#[must_use]
pub fn flag(holds: bool) -> Value {
    Value::Int(i32::from(holds))
}
