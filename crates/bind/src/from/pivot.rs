//! PIVOT and UNPIVOT.
//!
//! ```text
//!   s PIVOT (SUM(v) FOR k IN ([a], [b])) AS p    ──▶  SELECT g…, SUM(CASE WHEN k = 'a' THEN v END) AS a, … GROUP BY g…
//!   s UNPIVOT (v FOR n IN (a, b)) AS u           ──▶  s CROSS APPLY (SELECT … FROM (VALUES (a, 'a'), …) WHERE v IS NOT NULL)
//! ```
//! PIVOT groups by every column of its input that is neither aggregated nor turned; without one it has one row always.

use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::names_equal;
use millpond_catalog::rel::{Aggregate, Rel};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ExprKind, FunctionCall, Ident, ObjectName, TableRef};
use millpond_types::temporal::DateOrder;
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast};

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::scope::Scope;
use crate::binder::source::Source;
use crate::expression::{aggregate, operator};
use crate::from;
use crate::from::columns::scope_of;

/// Type of UNPIVOT's column of names.
const NAME_TYPE: SqlType = SqlType::NVarChar { len: MaxLen::Limited(128) };

/// `table PIVOT (aggregate FOR column IN (values)) AS alias`
///
/// # Errors
/// 207 and 4104 for columns, 195 and 102 for the aggregate, 473 for a value that the column cannot have, 265 and 8156
/// for columns of one name, 488 for a column that cannot be grouped by.
pub(crate) fn pivot(
    binder: &mut Binder<'_>,
    table: &TableRef,
    call: &FunctionCall,
    column: &ObjectName,
    values: &[Ident],
    alias: &str,
) -> SqlResult<Source> {
    let Source { rel, scope } = turned(binder, table)?;
    let turned = column_of(&scope, column)?;
    let (aggregate, argument) = pivot_aggregate(binder, call, &scope)?;
    let grouped = |index: &usize| *index != turned && *index != argument && !scope.columns[*index].hidden;
    let groups: Vec<usize> = (0..scope.columns.len()).filter(grouped).collect();
    groups.iter().try_for_each(|group| check_grouped(&scope, *group))?;
    if let Some(taken) =
        values.iter().find(|value| groups.iter().any(|group| names_equal(&scope.columns[*group].name, value)))
    {
        return Err(name_taken(taken, "PIVOT"));
    }
    // All of them say which rows there are.
    groups.iter().chain([&turned]).for_each(|column| scope.note_read(*column));
    let key = BoundExpr::column(turned, scope.columns[turned].ty);
    let aggregates = values.iter().map(|value| only_where(&aggregate, &key, value)).collect::<SqlResult<Vec<_>>>()?;
    let names = groups.iter().map(|group| scope.columns[*group].name.clone()).chain(values.iter().cloned());
    let names: Vec<String> = names.collect();
    let groups = groups.iter().map(|group| BoundExpr::column(*group, scope.columns[*group].ty)).collect();
    named(Rel::Aggregate { input: Box::new(rel), groups, aggregates }, names, alias)
}

/// `table UNPIVOT (value FOR name IN (columns)) AS alias`
///
/// # Errors
/// 207 and 4104 for columns, 277 for one listed twice, 8167 for columns of different types, 265 and 8156 for columns of
/// one name.
pub(crate) fn unpivot(
    binder: &mut Binder<'_>,
    table: &TableRef,
    value: &Ident,
    name: &Ident,
    columns: &[ObjectName],
    alias: &str,
) -> SqlResult<Source> {
    let Source { rel, scope } = turned(binder, table)?;
    let listed = listed_columns(&scope, columns)?;
    let kept: Vec<usize> =
        (0..scope.columns.len()).filter(|index| !scope.columns[*index].hidden && !listed.contains(index)).collect();
    for new in [value, name] {
        if kept.iter().any(|index| names_equal(&scope.columns[*index].name, new)) {
            return Err(name_taken(new, "UNPIVOT"));
        }
    }
    listed.iter().for_each(|column| scope.note_read(*column));
    let right = unpivoted(&scope, &listed);
    let width = scope.columns.len();
    let value_type = ExprType { nullable: false, ..scope.columns[listed[0]].ty };
    let name_type = ExprType { nullable: false, ..right.types()[1] };
    let apply = Rel::Apply { left: Box::new(rel), right: Box::new(right), keeps_left: false };
    let mut exprs: Vec<BoundExpr> =
        kept.iter().map(|index| BoundExpr::column(*index, scope.columns[*index].ty)).collect();
    exprs.push(BoundExpr::column(width, value_type));
    exprs.push(BoundExpr::column(width + 1, name_type));
    let names = kept.iter().map(|index| scope.columns[*index].name.clone());
    let names = names.chain([value.clone(), name.clone()]).collect();
    let mut source = named(Rel::Project { input: Box::new(apply), exprs }, names, alias)?;
    for (shown, column) in source.scope.columns.iter_mut().zip(&kept) {
        shown.mention.clone_from(&scope.columns[*column].mention);
    }
    Ok(source)
}

/// The operator's input: a query of its own, whose rows are not found again.
fn turned(binder: &mut Binder<'_>, table: &TableRef) -> SqlResult<Source> {
    binder.query_depth += 1;
    let source = from::table_ref(binder, table);
    binder.query_depth -= 1;
    source
}

/// The aggregate of PIVOT over the input, and the column that it reads.
fn pivot_aggregate(binder: &mut Binder<'_>, call: &FunctionCall, scope: &Scope) -> SqlResult<(Aggregate, usize)> {
    let name = call.name.last();
    let function = aggregate::function(&name.to_ascii_uppercase()).filter(|_| call.name.parts.len() == 1);
    let Some(function) = function else {
        return Err(SqlError::of(195, 1, &[&name, &"aggregate function"]));
    };
    if call.star || call.distinct {
        return Err(message::syntax_near(if call.star { "*" } else { "DISTINCT" }));
    }
    let [ExprKind::Column(argument)] = call.args.iter().map(|arg| &arg.kind).collect::<Vec<_>>()[..] else {
        return Err(message::syntax_near("("));
    };
    let argument = column_of(scope, argument)?;
    binder.scopes.push(scope.clone());
    binder.blocks.push(Block::collecting());
    let bound = aggregate::aggregate(binder, function, call);
    let block = binder.blocks.pop().expect("pushed above");
    binder.scopes.pop();
    bound?;
    let aggregate = block.aggregates.and_then(|aggregates| aggregates.into_vec().pop());
    Ok((aggregate.expect("an aggregate was bound"), argument))
}

/// The aggregate over those rows whose column is `value`.
fn only_where(aggregate: &Aggregate, key: &BoundExpr, value: &str) -> SqlResult<Aggregate> {
    let is_value = operator::comparison(CompareOp::Eq, key.clone(), value_of(key, value)?)?;
    let arg = aggregate.arg.clone().map(|arg| {
        let ty = ExprType { nullable: true, ..arg.ty };
        BoundExpr { kind: Kind::Case { branches: vec![(is_value, arg)], otherwise: None }, ty }
    });
    Ok(Aggregate { arg, ..aggregate.clone() })
}

/// A value of PIVOT's list in the type of the column; texts are compared as they are.
fn value_of(key: &BoundExpr, value: &str) -> SqlResult<BoundExpr> {
    let units = u16::try_from(value.encode_utf16().count().max(1)).unwrap_or(u16::MAX);
    let from = SqlType::NVarChar { len: MaxLen::Limited(units) };
    if key.ty.sql.is_string() {
        return Ok(BoundExpr::literal(Value::str(value), from));
    }
    let wrong = || SqlError::of(473, 1, &[&value]);
    let read = |date_order| {
        cast::cast(&Value::str(value), &from, &key.ty.sql, None, CastRules { date_order, ..CastRules::DEFAULT })
    };
    if key.ty.sql.is_temporal() {
        // Which date it is, the session says that runs the plan.
        return match DateOrder::ALL.into_iter().any(|order| read(order).is_ok()) {
            true => Ok(operator::cast_to(BoundExpr::literal(Value::str(value), from), key.ty.sql, None, false)),
            false => Err(wrong()),
        };
    }
    let converted = read(DateOrder::default()).map_err(|_| wrong())?;
    Ok(BoundExpr::literal(converted, key.ty.sql))
}

/// A column of the input by name.
fn column_of(scope: &Scope, name: &ObjectName) -> SqlResult<usize> {
    let (column, before) = name.parts.split_last().expect("a name has parts");
    let table = before.last().map(String::as_str);
    if let Some(index) = scope.find(None, table, column)? {
        return Ok(index);
    }
    match table {
        Some(table) if !scope.has_table(table) => Err(message::unbound_identifier(&name.shown())),
        _ => Err(message::invalid_column(column)),
    }
}

fn check_grouped(scope: &Scope, column: usize) -> SqlResult<()> {
    let column = &scope.columns[column];
    if column.ty.sql.is_comparable() {
        return Ok(());
    }
    Err(SqlError::of(488, 1, &[&column.name, &column.ty.sql.name()]))
}

/// The columns that UNPIVOT turns into rows: different ones of one type.
fn listed_columns(scope: &Scope, columns: &[ObjectName]) -> SqlResult<Vec<usize>> {
    let mut listed: Vec<usize> = Vec::with_capacity(columns.len());
    for name in columns {
        let index = column_of(scope, name)?;
        let column = &scope.columns[index];
        if listed.contains(&index) {
            return Err(SqlError::of(277, 1, &[&column.name]));
        }
        let first = listed.first().map_or(column.ty, |first| scope.columns[*first].ty);
        if (first.sql, first.collation) != (column.ty.sql, column.ty.collation) {
            return Err(SqlError::of(8167, 1, &[&column.name]));
        }
        listed.push(index);
    }
    Ok(listed)
}

/// What one row of the input becomes: a row of value and name for each listed column that is not NULL.
fn unpivoted(scope: &Scope, listed: &[usize]) -> Rel {
    let value_type = ExprType { nullable: true, ..scope.columns[listed[0]].ty };
    let rows = listed.iter().map(|index| {
        let column = &scope.columns[*index];
        let value = BoundExpr { kind: Kind::Outer { level: 1, column: *index }, ty: column.ty };
        vec![value, BoundExpr::literal(Value::str(&column.name), NAME_TYPE)]
    });
    let name_type = BoundExpr::literal(Value::str(""), NAME_TYPE).ty;
    let rows = Rel::Values { rows: rows.collect(), types: vec![value_type, name_type] };
    let missing = BoundExpr::predicate(Kind::IsNull(Box::new(BoundExpr::column(0, value_type))));
    Rel::Filter { input: Box::new(rows), predicate: BoundExpr::predicate(Kind::Not(Box::new(missing))) }
}

/// The result under its alias.
fn named(rel: Rel, names: Vec<String>, alias: &str) -> SqlResult<Source> {
    let twice = |(index, name): (usize, &String)| names[..index].iter().any(|before| names_equal(before, name));
    if let Some(index) = names.iter().enumerate().position(twice) {
        return Err(SqlError::of(8156, 1, &[&names[index], &alias]));
    }
    let types = rel.types();
    Ok(Source { rel, scope: scope_of(alias, names.into_iter().zip(types)) })
}

/// 265
fn name_taken(name: &str, operator: &str) -> SqlError {
    SqlError::of(265, 1, &[&name, &operator, &operator])
}
