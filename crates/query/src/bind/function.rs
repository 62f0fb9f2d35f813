//! Calls of user-defined scalar functions: arguments meet parameters; a function that is one expression becomes part of
//! its caller.

use std::sync::Arc;

use millpond_tsql::ast::{Expr, ExprKind, FunctionCall};
use millpond_types::Value;

use super::Binder;
use super::operator::convert;
use crate::error::{SqlError, SqlResult};
use crate::expr::{BoundExpr, ExprType, Kind};
use crate::function::{FunctionParameter, UserFunction};

impl Binder<'_> {
    /// A call of a scalar function.
    pub(super) fn user_function(&mut self, function: Arc<UserFunction>, call: &FunctionCall) -> SqlResult<BoundExpr> {
        let args = self.function_args(&function.name, &function.parameters, &call.args)?;
        let function = if self.kept { Arc::new(function.late()) } else { function };
        self.views.extend(function.uses.iter().cloned());
        if let Some(body) = &function.inline
            && may_replace(body, &args)
        {
            body.visit(&mut |node| self.calls |= matches!(node.kind, Kind::Call(..)));
            return Ok(with_args(body.clone(), &args));
        }
        self.calls = true;
        let ty = ExprType::plain(function.returns, true);
        Ok(BoundExpr { kind: Kind::Call(function, args), ty })
    }

    /// Arguments in the types of their parameters.
    ///
    /// # Errors
    /// 313 and 8144 for counts.
    pub(super) fn function_args(
        &mut self,
        name: &str,
        parameters: &[FunctionParameter],
        args: &[Expr],
    ) -> SqlResult<Vec<BoundExpr>> {
        if args.len() > parameters.len() {
            let text = format!("Procedure or function {name} has too many arguments specified.");
            return Err(SqlError::new(8144, 16, 2, text));
        }
        if args.len() < parameters.len() {
            let text =
                format!("An insufficient number of arguments were supplied for the procedure or function {name}.");
            return Err(SqlError::new(313, 16, 2, text));
        }
        let bind = |(parameter, arg): (&FunctionParameter, &Expr)| match (&arg.kind, &parameter.default) {
            (ExprKind::Default, Some(default)) => Ok(default.clone()),
            (ExprKind::Default, None) => Ok(BoundExpr::literal(Value::Null, parameter.sql)),
            _ => convert(self.expression(arg)?, parameter.sql),
        };
        parameters.iter().zip(args).map(bind).collect()
    }
}

/// Whether arguments may stand where the body has its parameters: none is computed twice that costs or may differ.
fn may_replace(body: &BoundExpr, args: &[BoundExpr]) -> bool {
    let mut uses = vec![0usize; args.len()];
    body.visit(&mut |node| {
        if let Kind::Variable(slot) = node.kind {
            uses[slot] += 1;
        }
    });
    let cheap = |arg: &BoundExpr| match &arg.kind {
        Kind::Cast { expr, .. } => is_leaf(expr),
        _ => is_leaf(arg),
    };
    uses.iter().zip(args).all(|(uses, arg)| *uses <= 1 || cheap(arg))
}

fn is_leaf(expr: &BoundExpr) -> bool {
    matches!(expr.kind, Kind::Literal(_) | Kind::Variable(_) | Kind::Column(_) | Kind::Outer { .. })
}

/// The body with arguments for its parameters.
pub(super) fn with_args(body: BoundExpr, args: &[BoundExpr]) -> BoundExpr {
    body.rewrite(&mut |node| match node.kind {
        Kind::Variable(slot) => Ok(args[slot].clone()),
        _ => Err(node),
    })
}
