//! Relations that a statement names more than once are computed once, where that costs less: common table expressions, views and
//! equal subqueries.
//!
//! ```text
//!   y … y … y   ──▶   Spools ─┬─ Spool … Spool … Spool      each reads
//!                             └─ y                          runs once
//! ```
//! A plan that runs for each row of another one shares nothing of its own, since what it reads may be another row's. Parts of it that read
//! no outer row are computed once by the plan around it, where that costs less than to compute them for each row:
//! ```text
//!   Spools ─┬─ t WHERE v > (SELECT MAX(s) FROM Spool WHERE n < t.k)
//!           └─ what groups, numbers or joins the rows of the inner query
//! ```

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};
use millpond_catalog::rel::Rel;
use millpond_message::error::SqlResult;
use millpond_rewrite::outer::reads_beyond;
use millpond_rewrite::repeated::{Class, Classes, Repeated, may_be_kept};

use crate::lower::{size, table};
use crate::lowering::node::{Operation, with_fields};
use crate::lowering::shared::{Shared, Spooled};
use crate::lowering::{Lowered, Lowering};
use crate::operator::spool::Kept;
use crate::run::failure::planned;

/// What is computed once of a relation in normal form.
pub(crate) fn of(lowering: &Lowering<'_>, rel: &Rel) -> Shared {
    let alike = &lowering.options.alike;
    let is_repeated = |(binding, first): (usize, &usize)| *first != binding && lowering.options.is_large(binding);
    if !alike.iter().enumerate().any(is_repeated) {
        return Shared::default();
    }
    let mut classes = Classes::new(alike);
    let repeated = classes.repeated(rel);
    let wanted = repeated.into_iter().filter(|one| pays(lowering, one)).map(|one| one.class).collect();
    Shared::new(classes, wanted)
}

/// What a row of a join costs that is kept or read, in rows of tables that are scanned: it is wide, and computed while it is read, where
/// those of groups are there before the first is.
const JOINED_ROW: f64 = 3.0;

/// Whether it costs less to keep a relation's rows and read them than to compute them each time.
fn pays(lowering: &Lowering<'_>, repeated: &Repeated) -> bool {
    let scanned = scanned_rows(lowering, &repeated.rel);
    let kept = size::estimate(lowering, &repeated.rel).unwrap_or(scanned);
    let row = match repeated.rel {
        Rel::Join { .. } => JOINED_ROW,
        // Its duplicates are in the estimate.
        Rel::Set { .. } => size::GROUPS,
        _ => 1.0,
    };
    let uses = repeated.uses as f64;
    (uses - 1.0) * scanned > (uses + 1.0) * row * kept
}

/// About how many rows of tables a relation is made of.
fn scanned_rows(lowering: &Lowering<'_>, rel: &Rel) -> f64 {
    let own = match rel {
        Rel::Table { binding, .. } => lowering.options.table_rows.get(*binding).map_or(0.0, |&rows| rows as f64),
        _ => 0.0,
    };
    own + rel.inputs().into_iter().map(|input| scanned_rows(lowering, input)).sum::<f64>()
}

/// The plan of a relation: it reads its spool, where it has one, or is what `computes` it.
pub(crate) fn lowered(
    lowering: &Lowering<'_>,
    rel: &Rel,
    computes: fn(&Lowering<'_>, &Rel) -> SqlResult<Lowered>,
) -> SqlResult<Lowered> {
    let Some(class) = kept_class(lowering, rel) else { return computes(lowering, rel) };
    let keeper = lowering.around.unwrap_or(lowering);
    let known = keeper.shared.spools.borrow().iter().position(|spooled| spooled.class == Some(class));
    let place = match known {
        Some(place) => place,
        None => add(keeper, Some(class), computes(keeper, rel)?)?,
    };
    read_of(lowering, keeper, place)
}

/// The class of a relation whose rows are kept, by this plan or the one around it; none of one that is computed where it stands.
pub(crate) fn kept_class(lowering: &Lowering<'_>, rel: &Rel) -> Option<Class> {
    match lowering.around {
        Some(around) => kept_around(around, rel),
        None => lowering.shared.class(rel),
    }
}

/// The class of a part of a plan that runs for each row of a plan around it, where that one is to keep its rows: it is a work that is
/// done as a whole before the first row comes, and leaves no more rows than it reads.
fn kept_around(around: &Lowering<'_>, rel: &Rel) -> Option<Class> {
    let is_closed_top = matches!(rel, Rel::Top { .. }) && !reads_beyond(rel, 1);
    if !may_be_kept(rel) && !is_closed_top {
        return None;
    }
    let pays = match rel {
        Rel::Join { .. } => {
            let scanned = scanned_rows(around, rel);
            size::estimate(around, rel).is_some_and(|kept| kept * JOINED_ROW <= scanned)
        }
        _ => true,
    };
    if pays { around.shared.class_of(rel, &around.options.alike) } else { None }
}

/// Rows that are read more than once, by [`reader`] of the place that is returned.
pub(crate) fn keep(lowering: &Lowering<'_>, rows: Lowered) -> SqlResult<usize> {
    add(lowering, None, rows)
}

fn add(lowering: &Lowering<'_>, class: Option<Class>, rows: Lowered) -> SqlResult<usize> {
    let plan = lowering.exactly(rows)?;
    let mut spools = lowering.shared.spools.borrow_mut();
    spools.push(Spooled { class, plan, kept: Arc::default() });
    Ok(spools.len() - 1)
}

/// A reader of the spool at that place.
pub(crate) fn reader(lowering: &Lowering<'_>, place: usize) -> SqlResult<Lowered> {
    read_of(lowering, lowering, place)
}

/// A reader of the spool that the keeper has at that place.
fn read_of(lowering: &Lowering<'_>, keeper: &Lowering<'_>, place: usize) -> SqlResult<Lowered> {
    let (kept, columns): (Arc<Kept>, Vec<(String, DataType)>) = {
        let spooled = &keeper.shared.spools.borrow()[place];
        let fields = spooled.plan.schema().fields().iter();
        let columns = fields.map(|field| (lowering.next_name(), field.data_type().clone()));
        (Arc::clone(&spooled.kept), columns.collect())
    };
    let schema = planned(with_fields(&Arc::new(DFSchema::empty()), &columns))?;
    let plan = lowering.node(Operation::Spool { kept, schema }, Vec::new(), vec![table::one_row(lowering)?.plan])?;
    let columns = columns.into_iter().map(|(name, _)| Column::new_unqualified(name)).collect();
    Ok(Lowered { plan, columns })
}

/// The plan under what opens the spools that it reads, which keep the columns that are used; `pruned` drops those of a plan that are
/// not.
pub(crate) fn with_spools(
    lowering: &Lowering<'_>,
    plan: LogicalPlan,
    pruned: &dyn Fn(LogicalPlan) -> SqlResult<LogicalPlan>,
) -> SqlResult<LogicalPlan> {
    let spools = lowering.shared.spools.take();
    if spools.is_empty() {
        return Ok(plan);
    }
    let mut inputs = vec![pruned(plan)?];
    let mut all = Vec::new();
    // A spool that another one reads was made before that one.
    for Spooled { plan, kept, .. } in spools.into_iter().rev() {
        let columns = plan.schema().columns();
        let used = kept.settle().iter().map(|&column| Expr::Column(columns[column].clone())).collect();
        let plan = LogicalPlan::Projection(planned(Projection::try_new(used, Arc::new(plan)))?);
        inputs.push(pruned(plan)?);
        all.push(kept);
    }
    lowering.node(Operation::Spools(all), Vec::new(), inputs)
}
