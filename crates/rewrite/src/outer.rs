//! References from inner queries to enclosing ones, and inner queries that can be joined instead of run per outer row.

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{JoinHint, Rel, RelJoin};

use crate::keyed::{Keyed, keyed, ties};
use crate::terms::expr_reads_beyond;
pub use crate::terms::reads_beyond;
use crate::terms::{all, conjuncts, factored, is_volatile, substitute};

/// An inner query as the right side of a join with its outer query.
pub struct Joinable {
    /// Reads no enclosing query.
    pub base: Rel,
    /// Over outer ++ base.
    pub on: Vec<BoundExpr>,
    /// The inner query's first column, over outer ++ base.
    pub output: Option<BoundExpr>,
    /// The base is of all outer rows what the query computes of the rows of one ([`crate::keyed`]).
    pub is_keyed: bool,
}

/// The inner query of EXISTS or IN as a join, when its topmost filters and its columns read the next outer row, and nothing else but
/// equalities does.
/// `width` is the number of the outer row's columns.
pub fn joinable(rel: &Rel, width: usize) -> Option<Joinable> {
    if reads_beyond(rel, 2) {
        return None;
    }
    // Order and duplicates do not matter to EXISTS and IN.
    let mut rel = rel;
    while let Rel::Distinct(input) | Rel::Sort { input, .. } = rel {
        rel = input;
    }
    let mut output = BoundExpr::column(0, *rel.types().first()?);
    // The columns of the query as written, and above them their conversion to what they are compared as.
    while let Rel::Project { input, exprs } = rel {
        output = substitute(output, exprs);
        if eval::needs_plan(&output) || is_volatile(&output) {
            return None;
        }
        rel = input;
        while let Rel::Distinct(input) | Rel::Sort { input, .. } = rel {
            rel = input;
        }
    }
    let (mut on, mut local) = (Vec::new(), Vec::new());
    while let Rel::Filter { input, predicate } = rel {
        for conjunct in factored(conjuncts(predicate.clone())) {
            if !expr_reads_beyond(&conjunct, 1) {
                local.push(conjunct);
            } else if eval::needs_plan(&conjunct) {
                return None;
            } else {
                on.push(joined(conjunct, width));
            }
        }
        rel = input;
    }
    let is_keyed = reads_beyond(rel, 1);
    let below = if is_keyed {
        let Keyed { rel: keyed, keys } = keyed(rel)?;
        let first = width + rel.width();
        on.extend(ties(keys, first));
        keyed
    } else {
        rel.clone()
    };
    let base = match all(local) {
        Some(predicate) => Rel::Filter { input: Box::new(below), predicate },
        None => below,
    };
    Some(Joinable { base, on, output: Some(joined(output, width)), is_keyed })
}

/// An expression of the inner query over outer ++ inner.
pub fn joined(expr: BoundExpr, width: usize) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Column(column) => Ok(BoundExpr::column(width + column, node.ty)),
        Kind::Outer { level: 1, column } => Ok(BoundExpr::column(column, node.ty)),
        _ => Err(node),
    })
}

/// The APPLY as a join, when only the topmost filters and columns of its right side read the left row (P1).
pub fn as_join(left: Rel, right: Rel, keeps_left: bool) -> std::result::Result<Rel, Box<(Rel, Rel)>> {
    if reads_beyond(&right, 2) {
        return Err(Box::new((left, right)));
    }
    let left_types = left.types();
    let width = left_types.len();
    let (mut rel, exprs) = match &right {
        Rel::Project { input, exprs } => (&**input, exprs.clone()),
        rel => (rel, columns_from(0, &rel.types())),
    };
    // Of a left row without partner only plain columns are NULL.
    let plain = |expr: &BoundExpr| match expr.kind {
        Kind::Column(_) => true,
        _ => !keeps_left && !eval::needs_plan(expr),
    };
    if !exprs.iter().all(plain) {
        return Err(Box::new((left, right)));
    }
    let mut on = Vec::new();
    while let Rel::Filter { input, predicate } = rel {
        on.extend(factored(conjuncts(predicate.clone())));
        rel = input;
    }
    if reads_beyond(rel, 1) || on.iter().any(eval::needs_plan) {
        return Err(Box::new((left, right)));
    }
    let on = all(on.into_iter().map(|predicate| joined(predicate, width)).collect());
    let (kind, hint) = (if keeps_left { RelJoin::Left } else { RelJoin::Inner }, JoinHint::default());
    let right = Box::new(rel.clone());
    let mut columns = columns_from(0, &left_types);
    columns.extend(exprs.into_iter().map(|expr| joined(expr, width)));
    Ok(Rel::Project { input: Box::new(Rel::Join { kind, hint, left: Box::new(left), right, on }), exprs: columns })
}

fn columns_from(first: usize, types: &[ExprType]) -> Vec<BoundExpr> {
    types.iter().enumerate().map(|(index, ty)| BoundExpr::column(first + index, *ty)).collect()
}
