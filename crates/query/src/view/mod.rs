//! System views: one small file each, a struct of columns and one function that turns a report into rows.

use millpond_storage::contract::DbId;
use millpond_types::Value;

use crate::builtin::TableFunctionDef;
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
    /// Present rows seen from that database, in the columns' order and types.
    pub rows: fn(&RunContext, DbId) -> SqlResult<Vec<Vec<Value>>>,
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

/// All table-valued functions.
pub static FUNCTIONS: &[&TableFunctionDef] = &[];

/// The table-valued function of that name; `::fn_x` has an empty schema.
#[must_use]
pub fn find_function(schema: &str, name: &str) -> Option<&'static TableFunctionDef> {
    FUNCTIONS.iter().copied().find(|function| {
        function.name.eq_ignore_ascii_case(name)
            && (schema.eq_ignore_ascii_case(function.schema) || schema.is_empty() && function.schema.is_empty()
                || function.schema.is_empty() && schema.eq_ignore_ascii_case("sys"))
    })
}
