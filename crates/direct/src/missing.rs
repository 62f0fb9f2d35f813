//! Indexes that a plan would have used, had they been there: noted when the plan is made, counted when it runs.
//!
//! What always holds: nothing is read, measured or locked for them but the sizes of tables that were to be read as wholes by a condition;
//! small tables, temporary ones and those in memory have none. What such an index would save is estimated by rule, not by statistics.

use std::sync::Arc;

use millpond_catalog::TableDef;
use millpond_catalog::rel::Rel;
use millpond_engine::account::missing_indexes::{ColumnUsage, MissingUse, StatementPlace};
use millpond_engine::context::RunContext;
use millpond_engine::metadata::is_wanted_index;
use millpond_plan::{self as plan, CompileOptions, Compiled};
use millpond_seek::{Guide, SEEK_ROWS};
use millpond_showplan::{ScannedTable, Scope};

/// Rows from which on a table is worth an index.
const ROWS_MIN: u64 = 1000;
/// Percent of a plan's cost from which on an index is worth a note.
const IMPACT_MIN: f64 = 5.0;
/// Part of the rows that a comparison with one value, and one with a range, lets pass.
const EQUAL: f64 = 0.1;
const BETWEEN: f64 = 0.3;

/// What the plan of a relation misses.
pub(crate) fn noted(ctx: &RunContext, rel: &Rel, plan: &Compiled, guide: &Guide) -> Vec<Arc<MissingUse>> {
    let unserved = guide.take_unserved();
    if unserved.is_empty() {
        return Vec::new();
    }
    let rows: Vec<u64> =
        ctx.tables.iter().map(|table| if unserved.has(&table.def) { guide.rows(&table.def) } else { 0 }).collect();
    if rows.iter().all(|rows| *rows < ROWS_MIN) {
        return Vec::new();
    }
    let scope = Scope::new(Vec::new()).noting_scans();
    let _ = plan.show(&scope);
    let workspace = Arc::clone(ctx.engine.workspace());
    let pages = ctx.page_estimates(&rows);
    let options =
        CompileOptions { table_rows: rows.clone(), table_pages: pages.clone(), ..CompileOptions::new(workspace) };
    let total = plan::cost(rel, &options);
    let mut noted: Vec<Arc<MissingUse>> = Vec::new();
    for mut scanned in scope.take_scans() {
        let is_it = |def: &TableDef| (def.database, def.id) == (scanned.database, scanned.table);
        let Some(at) = ctx.tables.iter().position(|table| is_it(&table.def)).filter(|at| rows[*at] >= ROWS_MIN) else {
            continue;
        };
        let def = &ctx.tables[at].def;
        for column in unserved.joined(def).filter(|column| !scanned.equality.contains(column)).collect::<Vec<_>>() {
            scanned.equality.push(column);
        }
        include_large(def, &mut scanned);
        if scanned.equality.is_empty() && scanned.inequality.is_empty() || !may_have_one(def) {
            continue;
        }
        let scan = plan::scan_cost(pages[at], rows[at]);
        let total = total.max(scan);
        let impact = 100.0 * scan * saved(&scanned, rows[at] as f64) / total;
        if impact < IMPACT_MIN {
            continue;
        }
        let wanted = |index: &_| is_wanted_index(&ctx.engine, index);
        let missing = &ctx.engine.statements().missing_indexes;
        let found = missing.note(def, &columns(def, scanned), (total, impact), place(ctx), &wanted);
        noted.extend(found.filter(|found| !noted.iter().any(|known| Arc::ptr_eq(known, found))));
    }
    noted
}

/// A table of the user, which has rows on pages. Those of an indexed view are a table that no name means.
fn may_have_one(def: &TableDef) -> bool {
    !def.is_temporary() && !def.is_global_temporary() && !def.in_memory && def.id.0 > 0 && !def.schema.id.is_hidden()
}

/// Large values are no keys: an index includes them where they are compared.
fn include_large(def: &TableDef, scanned: &mut ScannedTable) {
    let is_large = |column: &usize| def.columns[*column].ty.sql.is_unbounded();
    let ScannedTable { equality, inequality, read, .. } = scanned;
    read.extend(equality.iter().chain(inequality.iter()).copied().filter(is_large));
    equality.retain(|column| !is_large(column));
    inequality.retain(|column| !is_large(column));
}

/// The part of a scan that the index would save.
fn saved(scanned: &ScannedTable, rows: f64) -> f64 {
    let equal = EQUAL.powi(i32::try_from(scanned.equality.len()).unwrap_or(i32::MAX));
    let share = if scanned.inequality.is_empty() { equal } else { equal * BETWEEN };
    1.0 - ((SEEK_ROWS + (rows * share).max(1.0)) / rows).min(1.0)
}

/// Each column once, in the order of the table within each usage.
fn columns(def: &TableDef, scanned: ScannedTable) -> Vec<(ColumnUsage, usize)> {
    let ScannedTable { equality, inequality, read, .. } = scanned;
    let in_order = |keep: &dyn Fn(&usize) -> bool| (0..def.columns.len()).filter(keep).collect::<Vec<usize>>();
    let equal = in_order(&|column| equality.contains(column));
    let unequal = in_order(&|column| inequality.contains(column) && !equality.contains(column));
    let included = in_order(&|column| read.contains(column) && !equal.contains(column) && !unequal.contains(column));
    [(ColumnUsage::Equality, equal), (ColumnUsage::Inequality, unequal), (ColumnUsage::Include, included)]
        .into_iter()
        .flat_map(|(usage, columns)| columns.into_iter().map(move |column| (usage, column)))
        .collect()
}

/// The statement that the session runs now.
fn place(ctx: &RunContext) -> StatementPlace {
    ctx.session.statement.now().map_or_else(StatementPlace::default, |(text, start, end)| StatementPlace {
        text: text.id,
        start,
        hash: ctx.session.statement.query_hash(&text, start, end),
        offsets: text.offsets(start, end),
    })
}
