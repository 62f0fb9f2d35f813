//! Branches that become one: UNION, EXCEPT, INTERSECT, and rows that are given. Each column meets in one type and collation.

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Rel, RelSet};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, QueryBody, SelectItem, SetOperator};
use millpond_types::SqlType;

use crate::binder::Binder;
use crate::binder::bound_query::Body;
use crate::binder::numbers::Numbers;
use crate::expression::operator::{self, convert, is_null_literal};
use crate::expression::{collate, is_written};

pub(crate) fn set_operation(
    binder: &mut Binder<'_>,
    op: SetOperator,
    all: bool,
    left: &QueryBody,
    right: &QueryBody,
) -> SqlResult<Body> {
    if binder.list_numbers == Numbers::Allowed {
        binder.list_numbers = Numbers::NotDistinct;
    }
    let (of_left, of_right) = (written_columns(left), written_columns(right));
    let Body { rel: left, names, origins } = binder.body(left)?;
    let Body { rel: right, .. } = binder.body(right)?;
    let (left_types, right_types) = (left.types(), right.types());
    if left_types.len() != right_types.len() {
        return Err(SqlError::of(205, 1, &[]));
    }
    let op = match op {
        SetOperator::Union => RelSet::Union,
        SetOperator::Except => RelSet::Except,
        SetOperator::Intersect => RelSet::Intersect,
    };
    let name = match op {
        RelSet::Union if all => None,
        RelSet::Union => Some("UNION"),
        RelSet::Except => Some("EXCEPT"),
        RelSet::Intersect => Some("INTERSECT"),
    };
    let targets = columns_of(&left, &left_types)
        .iter()
        .zip(&columns_of(&right, &right_types))
        .enumerate()
        .map(|(column, (left, right))| {
            let is_written = |written: &[bool]| written.get(column).copied().unwrap_or(false);
            let both = [(left, is_written(&of_left)), (right, is_written(&of_right))];
            let sql = operator::common_type_as_written(&both)?.unwrap_or(SqlType::Int);
            if name.is_some() && !sql.is_comparable() {
                return Err(SqlError::of(5335, 1, &[&sql.name()]));
            }
            let held = match name {
                Some(name) => collate::compared([left, right], name)?,
                None => collate::joint([left, right], "UNION ALL")?,
            };
            let is_json = (left.ty.is_json || right.ty.is_json) && !sql.is_max();
            Ok(ExprType { is_json, ..held.by(ExprType::of(sql, true, held.collation)) })
        })
        .collect::<SqlResult<Vec<ExprType>>>()?;
    collate::returned(&targets)?;
    let left = Box::new(converted(left, &left_types, &targets)?);
    let right = Box::new(converted(right, &right_types, &targets)?);
    Ok(Body { rel: Rel::Set { op, all, left, right }, names, origins })
}

/// Which columns of a branch are numbers as they stand.
fn written_columns(body: &QueryBody) -> Vec<bool> {
    match body {
        QueryBody::Select(select) => {
            let is_number = |item: &SelectItem| match item {
                SelectItem::Expr { expr, .. } => Some(is_written(expr)),
                _ => None,
            };
            // After a wildcard no column is found by its place in the text.
            select.items.iter().map_while(is_number).collect()
        }
        _ => Vec::new(),
    }
}

/// Which cells of given rows are numbers as they stand.
pub(crate) fn written_of(rows: &[Vec<Expr>]) -> Vec<Vec<bool>> {
    rows.iter().map(|row| row.iter().map(is_written).collect()).collect()
}

/// Given rows of one width, each column in the type that its cells meet in; `written` are those of [`written_of`], `untyped`
/// the types of columns that are NULL in all rows, `int` where there is none.
pub(crate) fn in_common_types(rows: Vec<Vec<BoundExpr>>, written: &[Vec<bool>], untyped: &[SqlType]) -> SqlResult<Rel> {
    let width = rows.first().map_or(0, Vec::len);
    let untyped = |column: usize| untyped.get(column).copied().unwrap_or(SqlType::Int);
    let type_of = |column| column_type(&rows, written, column, untyped(column));
    let types = (0..width).map(type_of).collect::<SqlResult<Vec<ExprType>>>()?;
    let rows = rows
        .into_iter()
        .map(|row| row.into_iter().zip(&types).map(|(cell, ty)| convert(cell, ty.sql)).collect())
        .collect::<SqlResult<Vec<Vec<BoundExpr>>>>()?;
    Ok(Rel::Values { rows, types })
}

fn column_type(rows: &[Vec<BoundExpr>], written: &[Vec<bool>], column: usize, untyped: SqlType) -> SqlResult<ExprType> {
    let cells = rows.iter().map(|row| &row[column]);
    let as_written: Vec<(&BoundExpr, bool)> = cells.clone().zip(written.iter().map(|row| row[column])).collect();
    let sql = operator::common_type_as_written(&as_written)?.unwrap_or(untyped);
    let nullable = cells.clone().any(|cell| cell.ty.nullable);
    let held = collate::joint(cells, "VALUES")?;
    Ok(held.by(ExprType::of(sql, nullable, held.collation)))
}

/// A relation's columns as expressions; a column that is the untyped NULL in all rows is that, so that it has no say in a
/// common type: `SELECT NULL UNION ALL SELECT NULL UNION ALL SELECT 'a'` is a text.
fn columns_of(rel: &Rel, types: &[ExprType]) -> Vec<BoundExpr> {
    match rel {
        Rel::Project { input, exprs } => {
            let below = match **input {
                Rel::Distinct(_) | Rel::Sort { .. } | Rel::Top { .. } | Rel::Filter { .. } => {
                    columns_of(input, &input.types())
                }
                _ => Vec::new(),
            };
            let one = |expr: &BoundExpr| match expr.kind {
                Kind::Column(index) if below.get(index).is_some_and(is_null_literal) => below[index].clone(),
                _ => expr.clone(),
            };
            exprs.iter().map(one).collect()
        }
        Rel::Set { left, right, .. } => {
            let sides = columns_of(left, &left.types()).into_iter().zip(columns_of(right, &right.types()));
            let one = |(index, (left, right)): (usize, (BoundExpr, BoundExpr))| {
                let is_null = is_null_literal(&left) && is_null_literal(&right);
                if is_null { left } else { BoundExpr::column(index, types[index]) }
            };
            sides.enumerate().map(one).collect()
        }
        Rel::Distinct(input) | Rel::Sort { input, .. } | Rel::Top { input, .. } | Rel::Filter { input, .. } => {
            let below = columns_of(input, types);
            let one = |(index, ty): (usize, &ExprType)| match below.get(index) {
                Some(null) if is_null_literal(null) => null.clone(),
                _ => BoundExpr::column(index, *ty),
            };
            types.iter().enumerate().map(one).collect()
        }
        _ => types.iter().enumerate().map(|(index, ty)| BoundExpr::column(index, *ty)).collect(),
    }
}

/// A relation with its columns in the types and collations of others.
fn converted(rel: Rel, types: &[ExprType], targets: &[ExprType]) -> SqlResult<Rel> {
    if types
        .iter()
        .zip(targets)
        .all(|(ty, target)| (ty.sql, ty.collation, ty.is_json) == (target.sql, target.collation, target.is_json))
    {
        return Ok(rel);
    }
    let one = |(index, (found, target)): (usize, (BoundExpr, &ExprType))| {
        let found = if is_null_literal(&found) { found } else { BoundExpr::column(index, types[index]) };
        let mut column = convert(found, target.sql)?;
        column.ty = ExprType { nullable: column.ty.nullable, ..*target };
        Ok(column)
    };
    let found = columns_of(&rel, types).into_iter().zip(targets).enumerate();
    let exprs = found.map(one).collect::<SqlResult<Vec<_>>>()?;
    Ok(Rel::Project { input: Box::new(rel), exprs })
}
