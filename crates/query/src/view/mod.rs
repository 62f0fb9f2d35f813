//! System views: one small file each, a struct of columns and one function that turns a report into rows.

use millpond_types::Value;

use crate::catalog::SystemColumn;
use crate::context::RunContext;
use crate::error::SqlResult;

/// A system view.
#[derive(Debug)]
pub struct ViewDef {
    /// `sys` or `INFORMATION_SCHEMA`.
    pub schema: &'static str,
    /// Name.
    pub name: &'static str,
    /// Columns in order.
    pub columns: &'static [SystemColumn],
    /// Present rows, in the columns' order and types.
    pub rows: fn(&RunContext) -> SqlResult<Vec<Vec<Value>>>,
}

/// All views.
pub static VIEWS: &[&ViewDef] = &[];

/// The view of that name; an empty schema finds the old `dbo`/`sys` compatibility views too (`sysprocesses`).
#[must_use]
pub fn find(schema: &str, name: &str) -> Option<&'static ViewDef> {
    VIEWS
        .iter()
        .copied()
        .find(|view| view.name.eq_ignore_ascii_case(name) && (schema.is_empty() || view.schema.eq_ignore_ascii_case(schema)))
}
