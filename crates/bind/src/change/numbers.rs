//! NEXT VALUE FOR in an INSERT: a row has one number of a sequence, in its values and in the defaults of columns that are left
//! out.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_message::error::{SqlError, SqlResult};

use crate::sequence::number_columns;

/// The place of a default among the values of a row that draws of the same sequence: it becomes one of them.
///
/// # Errors
/// 11731 for several rows of VALUES.
pub(crate) fn shared(source: &mut Rel, default: &BoundExpr) -> SqlResult<Option<usize>> {
    match source {
        Rel::Values { rows, types } if rows.iter().flatten().any(|cell| draws_of(cell, default)) => {
            let [row] = &mut rows[..] else { return Err(SqlError::of(11_731, 1, &[])) };
            types.push(default.ty);
            row.push(default.clone());
            Ok(Some(row.len() - 1))
        }
        Rel::Project { input, exprs } => {
            let Rel::Project { exprs: drawn, .. } = &**input else { return Ok(None) };
            if !drawn.iter().any(|number| draws_of(number, default)) {
                return Ok(None);
            }
            let mut all = drawn.clone();
            let value = number_columns(default.clone(), 0, &mut all);
            // It draws of another one too, which the rows do not.
            if all.len() > drawn.len() {
                return Ok(None);
            }
            exprs.push(value);
            Ok(Some(exprs.len() - 1))
        }
        _ => Ok(None),
    }
}

/// Whether both draw of one sequence.
fn draws_of(one: &BoundExpr, other: &BoundExpr) -> bool {
    let sequences = |expr: &BoundExpr| {
        let mut found = Vec::new();
        expr.visit(&mut |node| {
            if let Kind::NextValue(sequence) = &node.kind {
                found.push((sequence.database, sequence.id));
            }
        });
        found
    };
    let of_one = sequences(one);
    !of_one.is_empty() && sequences(other).iter().any(|sequence| of_one.contains(sequence))
}
