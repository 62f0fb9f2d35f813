//! Few members of a set that lead into a large table: `DELETE large WHERE k IN (SELECT k FROM few)`.
//!
//! ```text
//!   large WHERE k IN (few)   ──▶   distinct few APPLY (rows of large where k = the present member)
//! ```
//! Members are distinct, and each row of the table has the keys of one of them: so no row comes twice. Only where seeks read
//! less than the table has (K1 in `seek_join`).

use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::Rel;
use millpond_message::error::SqlResult;
use millpond_rewrite::normal;
use millpond_rewrite::terms::{all, equal, moved};

use crate::lower::tie::{Key, members};
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
        let Some((base, keys)) = members(&others[place], table.width()) else { continue };
        let exprs = keys.iter().map(|key| key.inner.clone()).collect();
        let members = Rel::Distinct(Box::new(Rel::Project { input: Box::new(base), exprs }));
        let members = normal::normalise(members);
        let types = members.types();
        let of_table = |column: usize| column.checked_sub(types.len());
        let on: Vec<BoundExpr> = keys
            .into_iter()
            .enumerate()
            .map(|(member, Key { outer, collation, .. })| {
                let column = moved(outer, &|column| types.len() + column);
                equal(column, BoundExpr::column(member, types[member]), collation)
            })
            .collect();
        let inner = match all(own.to_vec()) {
            Some(predicate) => Rel::Filter { input: Box::new(table.clone()), predicate },
            None => table.clone(),
        };
        let rows = size::estimate(lowering, &members);
        let few = seek_join::Outer {
            width: types.len(),
            rows,
            run_rows: 0.0,
            methods: lowering.options.joins,
            may_hash: false,
        };
        let Some(sought) = seek_join::sought(lowering, few, &inner, &on, &of_table) else { continue };
        let members = lowering.rel(&members)?;
        let mut rows = apply::apply_to(lowering, members, &types, &sought, false)?;
        rows.columns.drain(..types.len());
        others.remove(place);
        return Ok(Some(rows));
    }
    Ok(None)
}
