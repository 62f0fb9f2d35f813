//! What statements are kept as once they are bound: code by its text, cursors, prepared calls, the load that a client
//! sends, and the operators of a statement as rows of SHOWPLAN and as XML.
//!
//! ```text
//!   text ──CodeKey──▶ KeptCode ──▶ Code: a relation with its steps or plan, a change, a formula over variables
//! ```
//! It knows what is kept, not how that is run, and no session.

pub mod bulk_state;
pub mod code;
pub mod code_key;
pub mod cursor_code;
pub mod cursor_model;
pub mod cursors;
pub mod int_formula;
pub mod kept;
pub mod module_calls;
pub mod plan_rows;
pub mod prepared_calls;
pub mod profile_rows;
pub mod showplan_xml;
pub mod text_variables;
