//! `fn_helpcollations()`: the collations that columns may have.

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{Collation, MaxLen, SqlType, Value};

use super::columns::{SYSNAME, col, null, text};

/// `sys.fn_helpcollations()`
pub static FN_HELPCOLLATIONS: TableFunctionDef = TableFunctionDef {
    schema: "",
    name: "fn_helpcollations",
    params: &[],
    optional: 0,
    columns: &[col("name", SYSNAME), null("description", SqlType::NVarChar { len: MaxLen::Limited(1000) })],
    rows: |run, args| collations(RunContext::of(run), args),
};

fn collations(_: &RunContext, _: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
    let row = |collation: &Collation| vec![text(collation.name()), text(&collation.description())];
    Ok(Collation::all().iter().map(row).collect())
}
