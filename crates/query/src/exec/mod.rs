//! Running statements: the batch interpreter, the short cut for direct statements, and the hand-over to plans.
//!
//! ```text
//!   Session::run_batch ─▶ BatchRun ─▶ control (IF, WHILE, TRY) ─▶ statement
//!                                       │ first time: bind ─▶ Code, kept under the statement's place in the text
//!                                       └ every time: bind tables by name, run Code
//! ```
//! X1: a statement is bound once per definition of its tables; a loop runs the code.
//! X2: every statement that touches rows is atomic: `txn` ends or aborts it.
//! X3: nothing of a plan holds the run's context after the run, so the batch changes its variables in place.

mod admin;
mod alter_database;
mod alter_table;
mod alter_temporary;
mod app_lock;
mod append;
mod backup;
mod batch;
mod build;
mod bulk;
mod bulk_file;
mod bulk_order;
mod call;
mod called;
mod cascade_paths;
mod change;
mod check;
mod code;
mod column_users;
mod compile;
mod compile_only;
mod control;
mod cursor;
mod cursor_code;
mod database;
mod ddl;
mod define;
mod describe;
mod describe_batch;
mod direct;
mod emergency;
mod extension;
mod fill;
mod flow;
mod frame;
mod function;
mod function_check;
mod gather;
mod governor;
mod heap_row;
mod index;
mod inherited;
mod insert;
mod load;
mod merge;
mod module;
mod module_check;
pub mod named_table;
mod names;
mod new_column;
mod new_row;
mod notes;
mod object;
mod output;
mod prepared;
mod prepared_call;
mod profile;
mod query;
mod references;
mod rename;
mod renewed_cursor;
mod row;
mod runner;
mod schema_binding;
mod scope;
mod sequence;
mod set;
mod settled;
mod showplan;
mod statistics;
mod system_args;
mod table;
mod table_type;
mod temp_procedure;
mod temporary_index;
mod temporary_rows;
mod text_size;
mod transaction;
mod trigger;
mod unread;
mod update_statistics;
mod variables;
mod write;

pub use admin::REMOVE_PATIENCE_US;
pub use bulk::{BulkError, BulkRows, BulkState};
pub use call::{Rpc, RpcParam};
pub(crate) use code::KeptBySession;
pub(crate) use cursor::Cursors;
pub use describe::{ShownParameter, module_columns, module_parameters, view_checks};
pub use describe_batch::{DescribedColumn, first_result_set, undeclared_parameters};
pub use function::call_function;
pub use millpond_engine::system_call::SentTable;
pub use named_table::named_table;
pub use prepared::PreparedCalls;
pub use transaction::TransactionRequest;
pub use update_statistics::no_such_statistics;
