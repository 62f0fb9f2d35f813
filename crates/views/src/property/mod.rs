//! Extended properties: what the levels of their procedures mean, and the view and the function that list them.
//!
//! ```text
//!   levels (type and name, three of them) ──target──▶ class, number, number of the part ──▶ dictionary (rows)
//! ```
//! What always holds: what a session may not see has no properties for it, and cannot get any by it.

pub(crate) mod listed;
pub(crate) mod target;
