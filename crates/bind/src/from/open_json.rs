//! OPENJSON: what its columns are, and where their values lie.

use std::sync::Arc;

use millpond_builtin::json::functions::TEXT_MAX;
use millpond_builtin::json::open::{Column, OpenJson, null_path};
use millpond_builtin::json::path::Path;
use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{DataType, Expr, Ident, JsonColumn};
use millpond_types::SqlType;
use millpond_types::collation::Collation;
use millpond_types::sql_type::MaxLen;

use crate::binder::Binder;
use crate::binder::declared;
use crate::binder::source::Source;
use crate::definition::table::column_type;
use crate::expression::operator::{check_page, convert, is_null_literal};
use crate::from::columns::{renamed, scope_of};
use crate::from::unfold::{apart, unfolded};

/// The collation of keys.
const KEY_COLLATION: &str = "Latin1_General_BIN2";

/// `OPENJSON (text [, path]) [WITH (…)]` in FROM.
pub(crate) fn open_json(
    binder: &mut Binder<'_>,
    args: &[Expr],
    schema: Option<&[JsonColumn]>,
    alias: &str,
    names: &[Ident],
) -> SqlResult<Source> {
    if args.len() > 2 {
        return Err(SqlError::of(8144, 3, &[&"OPENJSON"]));
    }
    let args = apart(binder, args)?;
    if args.get(1).is_some_and(is_null_literal) {
        return Err(null_path());
    }
    let document = &args[0].ty;
    let collation = if document.sql.is_string() { document.collation } else { binder.dialect.collation() };
    let args = args.into_iter().map(text).collect::<SqlResult<Vec<BoundExpr>>>()?;
    let (by, columns) = match schema {
        None => (OpenJson { columns: None }, default_columns(collation)?),
        Some(schema) => {
            let columns =
                schema.iter().map(|column| of_schema(binder, column, collation).map_err(|error| error.at(column.line)));
            let (made, columns): (Vec<Column>, Vec<(String, ExprType)>) =
                columns.collect::<SqlResult<Vec<_>>>()?.into_iter().unzip();
            (OpenJson { columns: Some(made) }, columns)
        }
    };
    let types: Vec<ExprType> = columns.iter().map(|(_, ty)| *ty).collect();
    let names = renamed(columns.into_iter().map(|(name, _)| name).collect(), names, alias)?;
    let scope = scope_of(alias, names.into_iter().zip(types.iter().copied()));
    Ok(Source { rel: unfolded(Arc::new(by), args, types), scope })
}

/// An argument as a text.
fn text(arg: BoundExpr) -> SqlResult<BoundExpr> {
    if arg.ty.sql.is_string() { Ok(arg) } else { convert(arg, TEXT_MAX) }
}

/// Key, value and type.
fn default_columns(collation: Collation) -> SqlResult<Vec<(String, ExprType)>> {
    let key = SqlType::NVarChar { len: MaxLen::Limited(4000) };
    Ok(vec![
        ("key".to_owned(), ExprType::declared(key, false, declared::collation(KEY_COLLATION, Collation::default())?)),
        ("value".to_owned(), ExprType::declared(TEXT_MAX, true, collation)),
        ("type".to_owned(), ExprType::plain(SqlType::TinyInt, false)),
    ])
}

/// A column of WITH.
fn of_schema(
    binder: &Binder<'_>,
    column: &JsonColumn,
    collation: Collation,
) -> SqlResult<(Column, (String, ExprType))> {
    let sql = schema_type(binder, &column.data_type)?;
    let collation = match &column.collation {
        None => collation,
        Some(name) => {
            let collation = declared::collation(name, binder.dialect.collation())?;
            if !sql.is_string() {
                return Err(SqlError::of(447, 1, &[&sql.name()]));
            }
            collation
        }
    };
    check_page(&sql, collation)?;
    if column.as_json && sql != TEXT_MAX {
        return Err(SqlError::of(13_618, 1, &[]));
    }
    let path = match &column.path {
        None => Path::of_column(&column.name),
        Some(path) => Path::parse(path, false)?,
    };
    let ty = ExprType::declared(sql, true, collation);
    Ok((Column { sql: ty.sql, path, is_json: column.as_json }, (column.name.clone(), ty)))
}

/// The type of a column of WITH.
///
/// # Errors
/// 13614, 13616, 13617 for those that it has not.
fn schema_type(binder: &Binder<'_>, data_type: &DataType) -> SqlResult<SqlType> {
    const CLR_TYPES: [&str; 3] = ["geography", "geometry", "hierarchyid"];
    if let DataType::Named(name) = data_type
        && CLR_TYPES.iter().any(|known| name.last().eq_ignore_ascii_case(known))
    {
        return Err(SqlError::of(13_616, 1, &[]));
    }
    let (sql, _) = column_type(binder, data_type).map_err(|error| match error.number {
        350 => SqlError::of(13_617, 1, &[]),
        _ => error,
    })?;
    // The old types without a bound are those whose `(max)` is not written.
    let is_old = matches!(data_type, DataType::Scalar { explicit_length: false, .. }) && sql.is_max();
    if is_old && sql != SqlType::Xml || sql == SqlType::Variant {
        return Err(SqlError::of(13_614, 1, &[]));
    }
    Ok(sql)
}
