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
    if !args.iter().any(needs_plan) {
        return Rel::Unfold { by, args, types };
    }
    let width = args.len();
    let outer = |(column, arg): (usize, &BoundExpr)| BoundExpr { kind: Kind::Outer { level: 1, column }, ty: arg.ty };
    let read = args.iter().enumerate().map(outer).collect();
    let row = Rel::one_row();
    let left = Box::new(Rel::Project { input: Box::new(row), exprs: args });
    let right = Box::new(Rel::Unfold { by, args: read, types: types.clone() });
    let exprs = types.into_iter().enumerate().map(|(place, ty)| BoundExpr::column(width + place, ty)).collect();
    Rel::Project { input: Box::new(Rel::Apply { left, right, keeps_left: false }), exprs }
}
