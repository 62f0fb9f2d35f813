//! A disjunction whose parts each have an index: `WHERE a = 7 OR b = 8`.
//!
//! ```text
//!   t WHERE a = 7 OR b = 8   ──▶   (t WHERE a = 7) UNION ALL (t WHERE b = 8 AND NOT a = 7)
//! ```
//! What always holds: a row comes by the first part that is true for it, so none comes twice. Only where the seeks read clearly
//! less than the table has.

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_message::error::SqlResult;
use millpond_rewrite::terms::{can_fail, conjuncts, disjuncts, is_volatile, not_true};

use crate::lower::seek_join::LARGE_ROWS;
use crate::lower::table;
use crate::lowering::{Lowered, Lowering};

/// More parts are tested on each row.
const PARTS_MAX: usize = 16;
/// More predicates are not weighed.
const CHOICES_MAX: usize = 16;
/// Seeks must cost less than this part of a scan: figures are estimates.
const CLEARLY: f64 = 0.5;

/// What is asked by each of the seeks.
pub(crate) struct Alternatives(Vec<Vec<BoundExpr>>);

/// The seeks for each part of one of a table's predicates, if these are better than a scan.
pub(crate) fn alternatives(lowering: &Lowering<'_>, rel: &Rel, predicates: &[BoundExpr]) -> Option<Alternatives> {
    let Rel::Table { binding, forced, .. } = rel else { return None };
    // FORCESEEK does not ask what it costs.
    let must = forced.seek_columns().is_some();
    let is_choice = |conjunct: &BoundExpr| matches!(conjunct.kind, Kind::Or(..)) && is_plain(conjunct);
    let rows = lowering.options.table_rows.get(*binding).copied().unwrap_or(0);
    if !must && rows < LARGE_ROWS || !predicates.iter().any(is_choice) || table::seeks(lowering, rel, predicates) {
        return None;
    }
    // The other predicates lead nowhere, so each part must by itself. What is weighed with all others costs as much as these are many.
    let leads =
        |parts: &Vec<BoundExpr>| parts.iter().all(|part| must || table::seeks(lowering, rel, &conjuncts(part.clone())));
    let choices = (0..predicates.len()).filter(|place| is_choice(&predicates[*place]));
    let choices = choices.map(|place| (place, disjuncts(predicates[place].clone())));
    let choices = choices.filter(|(_, parts)| parts.len() <= PARTS_MAX && leads(parts));
    choices.take(CHOICES_MAX).find_map(|(place, parts)| {
        let others = predicates[..place].iter().chain(&predicates[place + 1..]);
        let with_others =
            |part: &BoundExpr| conjuncts(part.clone()).into_iter().chain(others.clone().cloned()).collect();
        let mut ways: Vec<Vec<BoundExpr>> = parts.iter().map(with_others).collect();
        let is_cheap = |cost: f64| cost <= rows as f64 * CLEARLY;
        let may = match must {
            true => ways.iter().all(|way| table::obeys(lowering, rel, way)),
            false => is_cheap(ways.iter().map(|way| table::seek_cost(lowering, rel, way)).sum::<Option<f64>>()?),
        };
        if !may {
            return None;
        }
        for (number, way) in ways.iter_mut().enumerate() {
            way.extend(parts[..number].iter().map(|earlier| not_true(earlier.clone())));
        }
        Some(Alternatives(ways))
    })
}

/// Whether a relation that is no more than a table with a condition has such seeks.
pub(crate) fn are_better(lowering: &Lowering<'_>, rel: &Rel) -> bool {
    match rel {
        Rel::Project { input, .. } | Rel::Top { input, .. } | Rel::Sort { input, .. } => are_better(lowering, input),
        Rel::Filter { input, predicate } => alternatives(lowering, input, &conjuncts(predicate.clone())).is_some(),
        _ => false,
    }
}

/// Their rows.
pub(crate) fn of_seeks(lowering: &Lowering<'_>, rel: &Rel, Alternatives(ways): Alternatives) -> SqlResult<Lowered> {
    if let Rel::Table { def, .. } = rel {
        lowering.options.guide.serve(def);
    }
    let rows_of = |way: Vec<BoundExpr>| table::scan(lowering, table::leaf_of(lowering, rel, &way)?, &way);
    lowering.concat(ways.into_iter().map(rows_of).collect::<SqlResult<Vec<Lowered>>>()?)
}

fn is_plain(conjunct: &BoundExpr) -> bool {
    !eval::needs_plan(conjunct) && !is_volatile(conjunct) && !can_fail(conjunct)
}
