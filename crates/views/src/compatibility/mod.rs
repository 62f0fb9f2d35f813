//! Views under their names of SQL Server 2000. They are found without a schema, under `dbo` and under `sys`.

pub(crate) mod keys;
pub(crate) mod objects;
pub(crate) mod server;
pub(crate) mod state;
pub(crate) mod texts;
