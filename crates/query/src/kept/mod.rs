//! What a session keeps between its statements: bound code by its text, cursors, prepared calls, the load that a client
//! sends. It knows what it keeps, not how that is run.

pub(crate) mod bulk_state;
pub(crate) mod code;
pub(crate) mod code_key;
pub(crate) mod cursor_code;
pub(crate) mod cursors;
pub(crate) mod int_formula;
pub(crate) mod prepared_calls;
