//! What ODBC's and OLE DB's drivers ask of the catalog: tables, columns, keys, procedures and types as their interfaces have them.

pub(super) mod drivers;
pub(super) mod modules;
mod odbc_type;
pub(super) mod tables;
