//! What is called: procedures, functions, triggers, texts with parameters, cursors.

pub(in crate::exec) mod api_cursor;
pub(crate) mod call;
pub(crate) mod called;
pub(crate) mod cursor;
pub(crate) mod function;
pub(crate) mod module;
pub(crate) mod prepared;
pub(crate) mod prepared_call;
pub(crate) mod renewed_cursor;
pub(in crate::exec) mod system_steps;
pub(crate) mod temp_procedure;
pub(crate) mod trigger;
pub(crate) mod variable_rows;
