//! `IDENTITY(type, seed, increment)` in the select list of SELECT INTO: the new table's identity column. Its rows are
//! numbered in the order of the query.

use millpond_catalog::expr::{ArithOp, BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Rel, SortKey, WindowCall, WindowFrame, WindowFunction};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, ExprKind, FunctionCall};
use millpond_types::{SqlType, Value, parse_type_name};

use crate::binder::Binder;
use crate::binder::target::NewIdentity;
use crate::definition::table::{check_identity, check_identity_numbers};

const BIGINT: ExprType = ExprType::plain(SqlType::BigInt, false);

/// Takes note of an item that is the new table's identity column, and gives what stands for it until the rows are
/// numbered; `None` for any other item.
///
/// # Errors
/// 177 where no table is made, 8109 for a second one, 2749 for its type, 1038 without a name.
pub(crate) fn identity_item(
    binder: &mut Binder<'_>,
    expr: &Expr,
    name: Option<&str>,
    place: usize,
) -> SqlResult<Option<BoundExpr>> {
    let ExprKind::Function(call) = &expr.kind else { return Ok(None) };
    if !matches!(&call.name.parts[..], [only] if only.eq_ignore_ascii_case("IDENTITY")) {
        return Ok(None);
    }
    let Some(table) = binder.made_table.clone() else {
        return Err(SqlError::of(177, 1, &[]));
    };
    let Some(name) = name else {
        return Err(SqlError::of(1038, 5, &[]));
    };
    if binder.new_identity.is_some() {
        return Err(SqlError::of(8109, 1, &[&table]));
    }
    let (sql, numbers) = arguments(call)?;
    check_identity(&table, name, sql, false)?;
    check_identity_numbers(name, sql, numbers)?;
    binder.new_identity = Some(NewIdentity { place, sql, numbers });
    Ok(Some(BoundExpr { kind: Kind::Literal(Value::Null), ty: ExprType::plain(sql, false) }))
}

/// The rows with their numbers, and the items that read them.
///
/// # Errors
/// 8108 when another column of the new table is an identity column of its only table.
pub(crate) fn with_new_identity(
    binder: &mut Binder<'_>,
    rel: Rel,
    mut items: Vec<BoundExpr>,
    keys: &[SortKey],
    names: &[String],
) -> SqlResult<(Rel, Vec<BoundExpr>)> {
    let (Some(new), Some(table)) = (binder.new_identity, &binder.made_table) else { return Ok((rel, items)) };
    if let Some(other) = items.iter().position(|item| is_identity(&rel, &item.kind)) {
        return Err(SqlError::of(8108, 1, &[&table, &names[other]]));
    }
    let width = rel.width();
    let function = WindowFunction::RowNumber;
    let call = WindowCall { function, args: Vec::new(), frame: WindowFrame::RUNNING, ty: BIGINT };
    let rel = Rel::Window { input: Box::new(rel), partition: Vec::new(), order: keys.to_vec(), calls: vec![call] };
    let literal = |number: i64| Box::new(BoundExpr { kind: Kind::Literal(Value::BigInt(number)), ty: BIGINT });
    let arith = |op, left, right| Box::new(BoundExpr { kind: Kind::Arith(op, left, right), ty: BIGINT });
    let (seed, increment) = new.numbers;
    let before = arith(ArithOp::Sub, Box::new(BoundExpr::column(width, BIGINT)), literal(1));
    let expr = arith(ArithOp::Add, literal(seed), arith(ArithOp::Mul, before, literal(increment)));
    let kind = Kind::Cast { expr, style: None, try_: false };
    items[new.place] = BoundExpr { kind, ty: ExprType::plain(new.sql, false) };
    Ok((rel, items))
}

/// Whether a column of a relation's row is the identity column of its only table.
fn is_identity(rel: &Rel, kind: &Kind) -> bool {
    let Kind::Column(column) = kind else { return false };
    match rel {
        Rel::Table { def, .. } => def.columns.get(*column).is_some_and(|column| column.identity.is_some()),
        Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Top { input, .. } | Rel::Window { input, .. } => {
            is_identity(input, kind)
        }
        Rel::Project { input, exprs } => exprs.get(*column).is_some_and(|expr| is_identity(input, &expr.kind)),
        _ => false,
    }
}

/// Type, seed and increment.
fn arguments(call: &FunctionCall) -> SqlResult<(SqlType, (i64, i64))> {
    let number = |expr: &Expr| millpond_tsql::print::expression(expr).parse::<i64>().ok();
    let wrong = || message::syntax_near("IDENTITY");
    let (ty, numbers) = match &call.args[..] {
        [ty] => (ty, (1, 1)),
        [ty, seed, increment] => (ty, number(seed).zip(number(increment)).ok_or_else(wrong)?),
        _ => return Err(wrong()),
    };
    let (name, args) = match &ty.kind {
        ExprKind::Column(name) => (name, Vec::new()),
        ExprKind::Function(call) => {
            let args = call.args.iter().map(|arg| number(arg).and_then(|arg| u32::try_from(arg).ok()));
            (&call.name, args.collect::<Option<Vec<u32>>>().ok_or_else(wrong)?)
        }
        _ => return Err(wrong()),
    };
    let last = name.last();
    let sql = parse_type_name(last, &args).map_err(|_| SqlError::of(243, 1, &[&name.shown()]))?;
    Ok((sql, numbers))
}
