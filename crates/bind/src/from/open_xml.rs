//! OPENXML: what its columns are, and where their values lie.

use std::sync::Arc;

use millpond_builtin::xml::edge::{self, EdgeTable};
use millpond_builtin::xml::open_xml::{Column, OpenXml};
use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::unfold::Unfold;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, Ident, JsonColumn, ObjectName, OpenXmlSchema};
use millpond_types::{MaxLen, SqlType, Value};

use crate::binder::Binder;
use crate::binder::names::Named;
use crate::binder::source::Source;
use crate::definition::table::column_type;
use crate::expression::operator::convert;
use crate::from::columns::{distinct_names, renamed, scope_of};
use crate::from::unfold::{bound_apart, unfolded};

/// A column and its type.
type Typed = (Column, ExprType);

/// `OPENXML (handle, pattern [, flags]) WITH (…)` in FROM.
///
/// # Errors
/// What is wrong with the columns.
pub(crate) fn open_xml(
    binder: &mut Binder<'_>,
    args: &[Expr],
    schema: Option<&OpenXmlSchema>,
    alias: &str,
    names: &[Ident],
) -> SqlResult<Source> {
    if !(2..=3).contains(&args.len()) {
        return Err(SqlError::of(189, 1, &[&"openxml", &2, &3]));
    }
    let typed = match schema {
        None => edge::COLUMNS.iter().map(|column| of_edge(binder, column)).collect(),
        Some(OpenXmlSchema::Columns(columns)) => {
            columns.iter().map(|column| of_schema(binder, column)).collect::<SqlResult<Vec<Typed>>>()?
        }
        Some(OpenXmlSchema::Table(name)) => of_table(binder, name)?,
    };
    let args = bound_apart(binder, |binder| arguments(binder, args))?;
    let (columns, types): (Vec<Column>, Vec<ExprType>) = typed.into_iter().unzip();
    let own: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    distinct_names(&own, alias)?;
    let names = renamed(own, names, alias)?;
    let scope = scope_of(alias, names.into_iter().zip(types.iter().copied()));
    let opened: Arc<dyn Unfold> = if schema.is_some() { Arc::new(OpenXml { columns }) } else { Arc::new(EdgeTable) };
    Ok(Source { rel: unfolded(opened, args, types), scope })
}

fn arguments(binder: &mut Binder<'_>, args: &[Expr]) -> SqlResult<Vec<BoundExpr>> {
    let wanted = [SqlType::Int, SqlType::NVarChar { len: MaxLen::Max }, SqlType::Int];
    let mut bound = Vec::with_capacity(wanted.len());
    for (place, sql) in wanted.into_iter().enumerate() {
        bound.push(match args.get(place) {
            Some(arg) => convert(binder.expression(arg)?, sql)?,
            None => BoundExpr::literal(Value::Int(0), sql),
        });
    }
    Ok(bound)
}

/// A column of the edge table.
fn of_edge(binder: &Binder<'_>, (name, sql): &(&str, SqlType)) -> Typed {
    let ty = ExprType::declared(*sql, true, binder.dialect.collation());
    (Column { name: (*name).to_owned(), sql: ty.sql, path: None }, ty)
}

fn of_schema(binder: &Binder<'_>, column: &JsonColumn) -> SqlResult<Typed> {
    let (sql, _) = column_type(binder, &column.data_type).map_err(|error| error.at(column.line))?;
    if column.as_json || column.collation.is_some() {
        return Err(message::syntax_near(&column.name).at(column.line));
    }
    let ty = ExprType::declared(sql, true, binder.dialect.collation());
    Ok((Column { name: column.name.clone(), sql: ty.sql, path: column.path.clone() }, ty))
}

/// The columns of a table.
fn of_table(binder: &Binder<'_>, name: &ObjectName) -> SqlResult<Vec<Typed>> {
    let Some(Named::Table(def)) = binder.names.relation(name, binder.home)? else {
        return Err(message::invalid_object(&name.shown()));
    };
    let one = |column: &millpond_catalog::ColumnDef| {
        let ty = ExprType { nullable: true, ..column.ty };
        (Column { name: column.name.clone(), sql: ty.sql, path: None }, ty)
    };
    Ok(def.columns.iter().map(one).collect())
}
