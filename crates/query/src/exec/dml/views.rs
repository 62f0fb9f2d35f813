//! Indexed views follow the tables below them: called by whatever has changed rows of one, before another table changes.

use std::sync::Arc;

use millpond_catalog::TableDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_rows::changes::ChangedRow;
use millpond_rows::indexed_view::Upkeep;
use millpond_types::Value;

use crate::exec::batch::BatchRun;

/// Rows of a table before and after; one side is empty where a row went or came.
pub(in crate::exec) fn follow<'r>(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    def: &TableDef,
    changed: impl Iterator<Item = (&'r [Value], &'r [Value])>,
) -> SqlResult<()> {
    if def.views.is_empty() {
        return Ok(());
    }
    Upkeep { work: &mut run.session.work, ctx, open: &mut run.also_open }.follow(def, changed)
}

/// [`follow`] of rows that were there.
pub(in crate::exec) fn follow_rows(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    def: &TableDef,
    changed: &[ChangedRow],
) -> SqlResult<()> {
    follow(run, ctx, def, changed.iter().map(|row| (&row.old[..], &row.new[..])))
}
