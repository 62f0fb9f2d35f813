//! Few members of a set that lead into a large table: `DELETE large WHERE k IN (SELECT k FROM few)`.
//!
//! ```text
//!   large WHERE k IN (few)   ──▶   distinct few APPLY (rows of large where k = the present member)
//! ```
//! Members are distinct, and each row of the table has the keys of one of them: so no row comes twice. Only where seeks read
//! less than the table has (K1 in `seek_join`).

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::Rel;
use millpond_message::error::SqlResult;
use millpond_rewrite::terms::{all, is_volatile};
use millpond_rewrite::{normal, outer};

use crate::lower::scalar::{Key, key};
use crate::lower::{apply, seek_join, size};
use crate::lowering::{Lowered, Lowering};

/// The rows of a table for which `own` and one of `others` are true, where that one asks for members of a set and seeks by
/// them are better than to read the table; `others` loses it.
pub(crate) fn led_by_members(
    lowering: &Lowering<'_>,
    table: &Rel,
    own: &[BoundExpr],
    others: &mut Vec<BoundExpr>,
) -> SqlResult<Option<Lowered>> {
    for place in 0..others.len() {
        let Some((members, keys)) = members(&others[place], table.width()) else { continue };
        let types = members.types();
        let of_table = |column: usize| column.checked_sub(types.len());
        let on: Vec<BoundExpr> = keys
            .into_iter()
            .enumerate()
            .map(|(member, Key { outer, collation, .. })| {
                let member = BoundExpr::column(member, types[member]);
                let column = outer.rewrite(&mut |node| match node.kind {
                    Kind::Column(column) => Ok(BoundExpr::column(types.len() + column, node.ty)),
                    _ => Err(node),
                });
                BoundExpr::predicate(Kind::Compare(CompareOp::Eq, Box::new(column), Box::new(member), collation))
            })
            .collect();
        let inner = match all(own.to_vec()) {
            Some(predicate) => Rel::Filter { input: Box::new(table.clone()), predicate },
            None => table.clone(),
        };
        let rows = (types.len(), size::estimate(lowering, &members));
        let Some(sought) = seek_join::sought(lowering, rows, &inner, &on, &of_table) else { continue };
        let members = lowering.rel(&members)?;
        let mut rows = apply::apply_to(lowering, members, &types, &sought, false)?;
        rows.columns.drain(..types.len());
        others.remove(place);
        return Ok(Some(rows));
    }
    Ok(None)
}

/// The members of the set that a condition asks for, each once, and the keys that a row has in common with one of them; none
/// where the condition asks for more than equality.
fn members(condition: &BoundExpr, width: usize) -> Option<(Rel, Vec<Key>)> {
    let (rel, mut keys) = match &condition.kind {
        Kind::Exists(rel) if outer::reads_beyond(rel, 1) => (rel, Vec::new()),
        Kind::InQuery(operand, rel, collation) if !eval::needs_plan(operand) && !is_volatile(operand) => {
            let inner = BoundExpr::column(0, *rel.types().first()?);
            let is_one = !inner.ty.sql.is_string() || inner.ty.collation == *collation;
            if !is_one {
                return None;
            }
            (rel, vec![((**operand).clone(), *collation)])
        }
        _ => return None,
    };
    let outer::Joinable { base, on, output } = outer::joinable(rel, width)?;
    let mut found = Vec::new();
    if let Some((operand, collation)) = keys.pop() {
        let inner = own_columns(output?, width)?;
        found.push(Key { outer: operand, inner, collation });
    }
    for conjunct in on {
        found.push(key(conjunct, width)?);
    }
    if found.is_empty() || found.iter().any(|key| eval::needs_plan(&key.inner) || is_volatile(&key.inner)) {
        return None;
    }
    let exprs = found.iter().map(|key| key.inner.clone()).collect();
    let members = Rel::Distinct(Box::new(Rel::Project { input: Box::new(base), exprs }));
    Some((normal::normalise(members), found))
}

/// An expression over outer ++ inner that reads the inner row alone, over that.
fn own_columns(expr: BoundExpr, width: usize) -> Option<BoundExpr> {
    let is_own = millpond_rewrite::terms::columns(&expr).into_iter().all(|column| column >= width);
    is_own.then(|| millpond_rewrite::terms::shifted(expr, width))
}
