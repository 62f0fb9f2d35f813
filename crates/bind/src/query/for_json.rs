//! FOR JSON: what the rows of a query look like as a text, by the names of its columns or by its tables.

use std::sync::Arc;

use millpond_builtin::json::functions::TEXT_MAX;
use millpond_builtin::json::shape::{Column, Key, Level, Shape, add};
use millpond_catalog::expr::ExprType;
use millpond_catalog::rel::Rel;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ForClause, Query, QueryBody, TableRef};

use crate::binder::Binder;
use crate::binder::bound_query::BoundQuery;

/// The name of the only column.
const COLUMN: &str = "JSON_F52E2B61-18A1-11d1-B105-00805F49916B";

/// What stands behind FOR JSON.
#[derive(Default)]
struct Options {
    is_auto: bool,
    /// ROOT, with its name if it has one.
    root: Option<Option<String>>,
    keeps_null: bool,
    without_wrapper: bool,
}

/// Binds a query with FOR JSON; `bind` binds it without.
///
/// # Errors
/// 102 for options that are none; 13600, 13601, 13603, 13605, 13620; 13602 and 6819 where its rows go into a table or
/// variables.
pub(crate) fn for_json(
    binder: &mut Binder<'_>,
    query: &Query,
    clause: &ForClause,
    bind: impl FnOnce(&mut Binder<'_>, &Query) -> SqlResult<BoundQuery>,
) -> SqlResult<BoundQuery> {
    let options = Options::of(clause)?;
    if options.root.is_some() && options.without_wrapper {
        return Err(SqlError::of(13_620, 1, &[]));
    }
    let tables = if options.is_auto { tables_of(&query.body)? } else { Vec::new() };
    let before = std::mem::replace(&mut binder.wants_origins, options.is_auto);
    let bound = bind(binder, query);
    binder.wants_origins = before;
    let BoundQuery { rel, names, into, assign, origins } = bound?;
    if into.is_some() {
        return Err(SqlError::of(13_602, 1, &[&"SELECT INTO"]));
    }
    if !assign.is_empty() {
        return Err(SqlError::of(6819, 3, &[&"ASSIGNMENT"]));
    }
    let types = rel.types();
    let levels = match options.is_auto {
        true => levels_of_tables(&names, &types, &origins, &tables)?,
        false => vec![level_of_names(&names, &types)?],
    };
    let first = tables.first().map_or("root", |table| table.written.as_str());
    let root = options.root.map(|name| name.unwrap_or_else(|| if options.is_auto { first } else { "root" }.to_owned()));
    let shape = Shape { levels, keeps_null: options.keeps_null, root, in_array: !options.without_wrapper };
    let ty = ExprType { is_json: !options.without_wrapper, ..ExprType::plain(TEXT_MAX, true) };
    let rel = Rel::Text { input: Box::new(rel), by: Arc::new(shape), in_pieces: false, ty };
    Ok(BoundQuery { rel, names: vec![COLUMN.to_owned()], into: None, assign: Vec::new(), origins: Vec::new() })
}

impl Options {
    fn of(clause: &ForClause) -> SqlResult<Options> {
        let wrong = || message::syntax_near("JSON");
        let mut options = Options::default();
        for (place, text) in clause.options.iter().enumerate() {
            let (word, name) = match text.split_once('(') {
                Some((word, rest)) => (word.trim(), Some(literal(rest).ok_or_else(wrong)?)),
                None => (text.trim(), None),
            };
            let is_again = match (word.to_ascii_uppercase().as_str(), name) {
                ("PATH", None) if place == 0 => false,
                ("AUTO", None) if place == 0 => std::mem::replace(&mut options.is_auto, true),
                _ if place == 0 => return Err(wrong()),
                ("ROOT", name) => options.root.replace(name).is_some(),
                ("INCLUDE_NULL_VALUES", None) => std::mem::replace(&mut options.keeps_null, true),
                ("WITHOUT_ARRAY_WRAPPER", None) => std::mem::replace(&mut options.without_wrapper, true),
                _ => true,
            };
            if is_again {
                return Err(wrong());
            }
        }
        Ok(options)
    }
}

/// The text of a string before the last `)`.
fn literal(rest: &str) -> Option<String> {
    let inner = rest.trim_end().strip_suffix(')')?.trim();
    let inner = inner.strip_prefix(['N', 'n']).unwrap_or(inner);
    Some(inner.strip_prefix('\'')?.strip_suffix('\'')?.replace("''", "'"))
}

/// All columns, by the points in their names.
fn level_of_names(names: &[String], types: &[ExprType]) -> SqlResult<Level> {
    let mut level = Level::default();
    for (place, (name, ty)) in names.iter().zip(types).enumerate() {
        add(&mut level.members, name, column(place, ty), true)?;
    }
    Ok(level)
}

fn column(place: usize, ty: &ExprType) -> Column {
    Column { place, sql: ty.sql, is_json: ty.is_json }
}

/// A table of FROM.
struct Table {
    /// The name by which columns know it.
    shown: String,
    /// The name that its objects have.
    written: String,
    /// A function's rows are no objects of their own.
    is_function: bool,
}

/// The tables of a query; of several queries, those of the first.
///
/// # Errors
/// 13600 where there are none.
fn tables_of(body: &QueryBody) -> SqlResult<Vec<Table>> {
    let mut tables = Vec::new();
    let mut body = body;
    loop {
        match body {
            QueryBody::Select(select) => {
                select.from.iter().for_each(|table| collect(table, &mut tables));
                break;
            }
            QueryBody::Nested(query) => body = &query.body,
            QueryBody::SetOperation { left, .. } => body = left,
            QueryBody::Values(_) => break,
        }
    }
    if tables.iter().all(|table| table.is_function) {
        return Err(SqlError::of(13_600, 1, &[]));
    }
    Ok(tables)
}

fn collect(table: &TableRef, tables: &mut Vec<Table>) {
    let mut add = |shown: &str, written: &str, is_function| {
        tables.push(Table { shown: shown.to_owned(), written: written.to_owned(), is_function });
    };
    match table {
        TableRef::Named { name, alias: None, .. } => add(name.last(), &name.shown(), false),
        TableRef::Named { alias: Some(alias), .. } => add(alias, alias, false),
        TableRef::Derived { alias, .. } => {
            let alias = alias.as_deref().unwrap_or_default();
            add(alias, alias, false);
        }
        TableRef::Function { name, alias, .. } => add(alias.as_deref().unwrap_or(name.last()), name.last(), true),
        TableRef::OpenXml { alias, .. } => add(alias.as_deref().unwrap_or("OPENXML"), "", true),
        TableRef::OpenJson { alias, .. } => add(alias.as_deref().unwrap_or("OPENJSON"), "", true),
        TableRef::Pivot { alias, .. } | TableRef::Unpivot { alias, .. } => add(alias, alias, false),
        TableRef::Sample { table, .. } => collect(table, tables),
        TableRef::Join { left, right, .. } => {
            collect(left, tables);
            collect(right, tables);
        }
    }
}

/// A level for each table that a column is of, in the order of their first columns. What is no column belongs to the table of
/// the column before it, or to the first one.
fn levels_of_tables(
    names: &[String],
    types: &[ExprType],
    origins: &[Option<(String, String)>],
    tables: &[Table],
) -> SqlResult<Vec<Level>> {
    let table_of = |place: usize| {
        let (shown, _) = origins.get(place)?.as_ref()?;
        tables.iter().position(|table| table.shown == *shown && !table.is_function)
    };
    let (mut order, mut levels) = (Vec::new(), Vec::<Level>::new());
    let mut present = 0;
    for (place, (name, ty)) in names.iter().zip(types).enumerate() {
        let table = table_of(place);
        if let Some(table) = table {
            present = order.iter().position(|known| *known == table).unwrap_or_else(|| {
                order.push(table);
                order.len() - 1
            });
        }
        if levels.len() <= present {
            levels.resize_with(present + 1, Level::default);
        }
        add(&mut levels[present].members, name, column(place, ty), false)?;
        if table.is_some() {
            let compares = ty.sql.is_comparable();
            levels[present].keys.push(Key { column: place, collation: ty.collation, compares });
        }
    }
    for (level, table) in levels.iter_mut().zip(&order) {
        level.name = Shape::level_name(&tables[*table].written);
    }
    Ok(levels)
}
