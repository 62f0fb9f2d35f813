//! `fn_helpcollations()`: the collations that columns may have.

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{CodePage, Collation, MaxLen, SqlType, Value};

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
    let mut all = Collation::ALL;
    all.sort_by_key(|collation| collation.name());
    Ok(all.into_iter().map(|collation| vec![text(collation.name()), text(&description(collation))]).collect())
}

/// As SQL Server describes its own.
fn description(collation: Collation) -> String {
    let base = match (collation.version(), collation.sort_id()) {
        (2, _) => "Latin1-General-100",
        _ => "Latin1-General",
    };
    let utf8 = if collation.page() == CodePage::Utf8 { ", UTF8" } else { "" };
    if collation.is_binary() {
        return format!("{base}, binary code point comparison sort{utf8}");
    }
    let case = if collation.is_case_sensitive() { "case-sensitive" } else { "case-insensitive" };
    let accent = if collation.is_accent_sensitive() { "accent-sensitive" } else { "accent-insensitive" };
    let rules = format!("{base}, {case}, {accent}, kanatype-insensitive, width-insensitive");
    match collation.sort_id() {
        0 if collation.is_supplementary() => format!("{rules}, supplementary characters{utf8}"),
        0 => rules,
        sort => {
            format!("{rules} for Unicode Data, SQL Server Sort Order {sort} on Code Page 1252 for non-Unicode Data")
        }
    }
}
