//! Keys of an order within an expression: those of OVER and of WITHIN GROUP.

use millpond_builtin::{FunctionDef, Volatility};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::SortKey;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::OrderItem;
use millpond_types::SqlType;

use crate::binder::Binder;
use crate::expression::operator;

pub(crate) fn window_key(binder: &mut Binder<'_>, item: &OrderItem) -> SqlResult<SortKey> {
    // What is left of COALESCE(2, a) is a constant, and none by what is written.
    let named = binder.columns_named;
    let expr = binder.expression(&item.expr)?;
    operator::comparable(&expr)?;
    if is_constant(&expr) && binder.columns_named == named {
        return Err(constant_key(expr.ty.sql == SqlType::Int && !operator::is_null_literal(&expr)));
    }
    Ok(SortKey { expr, descending: item.descending })
}

/// 5308 for what may be meant as a position, 5309 for other constants.
fn constant_key(is_index: bool) -> SqlError {
    if is_index { SqlError::of(5308, 1, &[]) } else { SqlError::of(5309, 1, &[]) }
}

/// Whether an expression is made of literals alone.
fn is_constant(expr: &BoundExpr) -> bool {
    is_made_of_literals(expr, &|_| false)
}

/// Whether it is made of literals and of functions that give the same for the same: it can be computed when it is bound.
pub(crate) fn is_folded(expr: &BoundExpr) -> bool {
    is_made_of_literals(expr, &|def| def.volatility == Volatility::Pure)
}

fn is_made_of_literals(expr: &BoundExpr, may_be: &dyn Fn(&FunctionDef) -> bool) -> bool {
    let mut constant = true;
    expr.visit(&mut |node| {
        constant &= match &node.kind {
            Kind::Literal(_) => true,
            Kind::Function(def, _) => may_be(def),
            Kind::Column(_)
            | Kind::Variable(_)
            | Kind::Outer { .. }
            | Kind::Call(..)
            | Kind::NextValue(_)
            | Kind::ScalarQuery(_)
            | Kind::Exists(_)
            | Kind::InQuery(..) => false,
            _ => true,
        };
    });
    constant
}
