//! The tree that T-SQL text becomes. It is a plain value: names are not resolved, nothing is typed but literals and
//! declared types.

mod backup;
mod cursor;
mod database;
mod dml;
mod event_session;
mod name;
mod object;
mod operator;
mod option;
mod partition;
mod query;
mod security;
mod server;
mod statement;
mod table;
mod title;

pub use backup::*;
pub use cursor::*;
pub use database::*;
pub use dml::*;
pub use event_session::*;
pub use name::*;
pub use object::*;
pub use operator::*;
pub use option::*;
pub use partition::*;
pub use query::*;
pub use security::*;
pub use server::*;
pub use statement::*;
pub use table::*;
