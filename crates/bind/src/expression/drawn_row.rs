//! Rows of constants with a value that is new for each row (NEWID), beside other rows: `CROSS JOIN (VALUES (NEWID()))`,
//! `(SELECT NEWID())`.
//!
//! What always holds: such a row has no plan of its own. It belongs to the row beside it, and draws its values with it, as SQL
//! Server computes a constant scan with the row that it is joined to. It knows nothing of rows that are read: a query over a
//! table runs once, whatever it draws.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;

/// A row of constants that draws a value, taken apart; `None` where the relation is none. `levels`: how many queries further
/// outside its expressions are evaluated then.
pub(crate) fn taken_apart(rel: &Rel, levels: usize) -> Option<Vec<BoundExpr>> {
    let row = the_row(rel)?;
    if !row.iter().any(BoundExpr::is_volatile) || row.iter().any(|expr| !can_move(expr, levels)) {
        return None;
    }
    Some(row.into_iter().map(|expr| outward(expr, levels)).collect())
}

/// The expressions of a relation that is one row without any table.
fn the_row(rel: &Rel) -> Option<Vec<BoundExpr>> {
    match rel {
        Rel::Values { rows, types } => {
            let [row] = &rows[..] else { return None };
            let typed = row.iter().zip(types).map(|(expr, ty)| BoundExpr { ty: *ty, ..expr.clone() });
            row.iter().zip(types).all(|(expr, ty)| expr.ty.sql == ty.sql).then(|| typed.collect())
        }
        Rel::Project { input, exprs } => {
            let row = the_row(input)?;
            if row.is_empty() {
                return Some(exprs.clone());
            }
            // What is drawn once stays one value: it may be handed on, and is not written down twice.
            let mut taken = vec![false; row.len()];
            let mut handed_on = |expr: &BoundExpr| match expr.kind {
                Kind::Column(column) if !std::mem::replace(&mut taken[column], true) => Some(row[column].clone()),
                _ => None,
            };
            exprs.iter().map(&mut handed_on).collect()
        }
        _ => None,
    }
}

/// Whether an expression means the same so many queries further outside: it reads no row that it would leave behind.
fn can_move(expr: &BoundExpr, levels: usize) -> bool {
    let mut can = true;
    expr.visit(&mut |node| {
        can &= match &node.kind {
            Kind::Column(_) | Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..) => false,
            Kind::Outer { level, .. } => *level >= levels,
            _ => true,
        };
    });
    can
}

fn outward(expr: BoundExpr, levels: usize) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Outer { level, column } if level == levels => Ok(BoundExpr { kind: Kind::Column(column), ty: node.ty }),
        Kind::Outer { level, column } => {
            Ok(BoundExpr { kind: Kind::Outer { level: level - levels, column }, ty: node.ty })
        }
        _ => Err(node),
    })
}

/// The rows of `left` with such a row after each.
pub(crate) fn beside(left: Rel, row: Vec<BoundExpr>) -> Rel {
    let columns = left.types().into_iter().enumerate().map(|(index, ty)| BoundExpr::column(index, ty));
    let exprs = columns.chain(row).collect();
    Rel::Project { input: Box::new(left), exprs }
}
