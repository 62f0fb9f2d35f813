//! What functions in FROM share whose rows are made one after the other: arguments bound apart, and queries among them.

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::unfold::Unfold;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::Expr;

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::scope::Scope;
use crate::expression::inward::deeper;

/// Arguments as a query of its own has them (see [`bound_apart`]).
pub(crate) fn apart(binder: &mut Binder<'_>, args: &[Expr]) -> SqlResult<Vec<BoundExpr>> {
    bound_apart(binder, |binder| args.iter().map(|arg| binder.expression(arg)).collect())
}

/// Binds as in a query of its own, so that columns around the call are those of an enclosing one.
pub(crate) fn bound_apart<T>(binder: &mut Binder<'_>, bind: impl FnOnce(&mut Binder<'_>) -> T) -> T {
    binder.scopes.push(Scope::default());
    binder.blocks.push(Block::default());
    let bound = bind(binder);
    binder.blocks.pop();
    binder.scopes.pop();
    bound
}

/// The rows. Queries among the arguments are a row that is asked before.
pub(crate) fn unfolded(by: Arc<dyn Unfold>, args: Vec<BoundExpr>, types: Vec<ExprType>) -> Rel {
    let (asked, args) = Asked::of(args);
    asked.before(Rel::Unfold { by, args, types })
}

/// Queries among the arguments of a function in FROM: a row that is asked before its rows are made.
///
/// ```text
///   f((SELECT …), 2)   ──▶   (SELECT (SELECT …)) AS asked (a) CROSS APPLY f(asked.a, 2), without the column a
/// ```
pub(crate) struct Asked(Vec<BoundExpr>);

impl Asked {
    /// The arguments, and as the function reads them.
    pub(crate) fn of(mut args: Vec<BoundExpr>) -> (Asked, Vec<BoundExpr>) {
        let mut asked = Vec::new();
        if args.iter().any(needs_plan) {
            for arg in &mut args {
                let read = BoundExpr { kind: Kind::Outer { level: 1, column: asked.len() }, ty: arg.ty };
                if needs_plan(arg) {
                    asked.push(std::mem::replace(arg, read));
                } else {
                    *arg = deeper(arg.clone(), 1);
                }
            }
        }
        (Asked(asked), args)
    }

    /// The rows of the function, without the row.
    pub(crate) fn before(self, rows: Rel) -> Rel {
        let Asked(asked) = self;
        if asked.is_empty() {
            return rows;
        }
        let columns = (asked.len()..).zip(rows.types());
        let exprs = columns.map(|(column, ty)| BoundExpr::column(column, ty)).collect();
        let left = Box::new(Rel::Project { input: Box::new(Rel::one_row()), exprs: asked });
        Rel::Project { input: Box::new(Rel::Apply { left, right: Box::new(rows), keeps_left: false }), exprs }
    }
}
