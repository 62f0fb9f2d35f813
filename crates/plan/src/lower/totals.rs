//! Aggregates over rows of one relation that a statement asks for side by side, `(SELECT COUNT(*) FROM t WHERE …)`: one scan computes
//! all of them, as [`millpond_rewrite::totals`] has it, where none of them has an index.
//!
//! ```text
//!   FROM (SELECT COUNT(*) …) AS a, (SELECT COUNT(*) …) AS b      a cross join's inputs become one
//!   CASE WHEN (SELECT COUNT(*) …) > 9 THEN (SELECT AVG(v) …)     queries become columns of one that is asked once
//! ```
//! What always holds: of queries only those share a scan that cannot fail, since CASE may not come to them. How they are asked is
//! `total_query`'s.

use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::Rel;
use millpond_rewrite::normal;
use millpond_rewrite::repeated::Class;
use millpond_rewrite::terms::{columns, shifted};
use millpond_rewrite::totals::{Family, Total, cross_joined, queries_together, tables};

use crate::lower::table;
use crate::lowering::Lowering;

/// The relation, not yet in normal form, with the totals that it joins as they are in one.
pub(crate) fn joined(lowering: &Lowering<'_>, rel: Rel) -> Rel {
    cross_joined(rel, &|input| shareable(lowering, input))
}

/// The totals among the queries of a relation's expressions that share a scan.
pub(crate) fn families(lowering: &Lowering<'_>, rel: &Rel) -> Vec<Family> {
    let shareable = |query: &Rel| shareable(lowering, query).filter(|(total, _)| total.is_safe());
    let class = |query: &Rel| lowering.closed.class(&normal::normalise(query.clone()), &lowering.options.alike);
    queries_together(rel, &shareable, &class)
}

/// The total that a relation is, over a large relation and without an index of its own, and the class of what it is over.
fn shareable(lowering: &Lowering<'_>, rel: &Rel) -> Option<(Total, Class)> {
    let total = Total::of(rel)?;
    let options = lowering.options;
    let tables = tables(&total.base)?;
    let is_large =
        |(_, table): &(usize, &Rel)| matches!(table, Rel::Table { binding, .. } if options.is_large(*binding));
    let is_sought = |(first, table): &(usize, &Rel)| {
        let own = *first..*first + table.width();
        let is_own = |condition: &&BoundExpr| {
            let read = columns(condition);
            !read.is_empty() && read.iter().all(|column| own.contains(column))
        };
        let conditions: Vec<BoundExpr> =
            total.conditions.iter().filter(is_own).map(|condition| shifted(condition.clone(), *first)).collect();
        table::seeks(lowering, table, &conditions)
    };
    if !tables.iter().any(is_large) || tables.iter().any(is_sought) {
        return None;
    }
    let class = lowering.closed.class(&total.base, &options.alike)?;
    Some((total, class))
}
