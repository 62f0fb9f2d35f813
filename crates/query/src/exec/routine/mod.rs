//! What is called: procedures, functions, triggers, texts with parameters, cursors; and what each would give, without a run.

pub(crate) mod call;
pub(crate) mod called;
pub(crate) mod cursor;
pub(crate) mod describe;
pub(crate) mod describe_batch;
pub(crate) mod function;
pub(crate) mod module;
pub(crate) mod module_check;
pub(crate) mod prepared;
pub(crate) mod prepared_call;
pub(crate) mod renewed_cursor;
pub(in crate::exec) mod system_steps;
pub(crate) mod temp_procedure;
pub(crate) mod trigger;
pub(crate) mod variable_rows;
pub(crate) mod watch;
