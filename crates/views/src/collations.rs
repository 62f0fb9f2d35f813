//! `fn_helpcollations()`: the collations that columns may have.

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{Collation, Value};

use crate::columns::{NVarChar, Sysname, text};
use crate::row::{Rows, row, table_function};

row! {
    /// A row of `fn_helpcollations`.
    struct FnHelpcollations {
        name: Sysname,
        description: Option<NVarChar<1000>>,
    }
}

/// `sys.fn_helpcollations()`
pub static FN_HELPCOLLATIONS: TableFunctionDef =
    table_function!("", "fn_helpcollations", [], optional 0, FnHelpcollations, collations);

fn collations(_: &RunContext, _: &[Value]) -> SqlResult<Rows<FnHelpcollations>> {
    let row = |collation: &Collation| FnHelpcollations {
        name: text(collation.name()),
        description: Some(text(&collation.description())),
    };
    Ok(Collation::all().iter().map(row).collect())
}
