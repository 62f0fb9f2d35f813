//! Executions of statements on their way into the accounts of them, and what is done to a Query Store from outside.
//!
//! What always holds: accounts know no engine and no run; what they have of both is handed to them here.

pub mod administer;
pub mod capturing;
pub mod execution;
