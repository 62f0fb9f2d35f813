//! Running statements: the batch interpreter, the short cut for direct statements, and the hand-over to plans.
//!
//! ```text
//!   Session::run_batch ─▶ BatchRun ─▶ control (IF, WHILE, TRY) ─▶ statement
//!                                       │ first time: bind ─▶ Code, kept under the statement's number in the text
//!                                       └ every time: bind tables by name, run Code
//! ```
//! X1: a statement is bound once per definition of its tables; a loop runs the code.
//! X2: every statement that touches rows is atomic: `txn` ends or aborts it.
//! X3: nothing of a plan holds the run's context after the run, so the batch changes its variables in place.

mod admin;
mod batch;
mod ddl;
pub(crate) mod dml;
mod logon;
mod request;
pub(crate) mod routine;
pub(crate) mod security;

pub use admin::REMOVE_PATIENCE_US;
pub use logon::log_on;
pub use millpond_code::bulk_state::{BulkError, BulkRows, BulkState};
pub use millpond_code::prepared_calls::PreparedCalls;
pub use millpond_engine::arguments::RpcParam;
pub use millpond_engine::system_call::SentTable;
pub use request::TransactionRequest;
pub use routine::call::Rpc;
pub use routine::function::{call_function, scalar_body, table_body};
