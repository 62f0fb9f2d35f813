//! GENERATE_SERIES: arguments of one type, which is that of the numbers.

use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::Rel;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, Ident};
use millpond_types::{SqlType, Value};

use crate::binder::Binder;
use crate::binder::source::Source;
use crate::expression::operator::{self, convert, is_null_literal};
use crate::from::columns::{renamed, scope_of};
use crate::from::unfold::{Asked, apart};

/// `GENERATE_SERIES (start, stop [, step])` in FROM.
pub(crate) fn series(binder: &mut Binder<'_>, args: &[Expr], alias: &str, columns: &[Ident]) -> SqlResult<Source> {
    if args.len() < 2 {
        return Err(SqlError::of(313, 3, &[&"generate_series"]));
    }
    if args.len() > 3 {
        return Err(SqlError::of(8144, 3, &[&"generate_series"]));
    }
    let (asked, bound) = Asked::of(apart(binder, args)?);
    let sql = common_type(&bound)?;
    let step_sql = if sql.is_integer() { SqlType::BigInt } else { sql };
    let mut args = Vec::with_capacity(3);
    for (index, arg) in bound.into_iter().enumerate() {
        args.push(convert(arg, if index < 2 { sql } else { step_sql })?);
    }
    if args.len() == 2 {
        args.push(default_step(&args[0], &args[1], step_sql)?);
    }
    let ty = ExprType::plain(sql, false);
    let names = renamed(vec!["value".to_owned()], columns, alias)?;
    let scope = scope_of(alias, names.into_iter().map(|name| (name, ty)));
    Ok(Source { rel: asked.before(Rel::Series { args, ty }), scope })
}

/// The one type of all arguments but NULL; decimals may differ in their digits.
fn common_type(args: &[BoundExpr]) -> SqlResult<SqlType> {
    let typed: Vec<&BoundExpr> = args.iter().filter(|arg| !is_null_literal(arg)).collect();
    let family = |sql: &SqlType| match sql {
        SqlType::TinyInt => Some(0),
        SqlType::SmallInt => Some(1),
        SqlType::Int => Some(2),
        SqlType::BigInt => Some(3),
        SqlType::Decimal { .. } => Some(4),
        _ => None,
    };
    let families: Vec<Option<i32>> = typed.iter().map(|arg| family(&arg.ty.sql)).collect();
    if families.iter().any(|own| own.is_none() || *own != families[0]) {
        return Err(SqlError::of(5373, 1, &[]));
    }
    Ok(operator::common_type(typed)?.unwrap_or(SqlType::Int))
}

/// 1, or -1 when the series goes down.
fn default_step(start: &BoundExpr, stop: &BoundExpr, sql: SqlType) -> SqlResult<BoundExpr> {
    let one = |n: i32| operator::convert(BoundExpr::literal(Value::Int(n), SqlType::Int), sql);
    let falls = operator::comparison(CompareOp::Gt, start.clone(), stop.clone())?;
    let (down, up) = (one(-1)?, one(1)?);
    let ty = up.ty;
    Ok(BoundExpr { kind: Kind::Case { branches: vec![(falls, down)], otherwise: Some(Box::new(up)) }, ty })
}
