//! FOR JSON: what the rows of a query look like as a text, by the names of its columns or by its tables.

use std::sync::Arc;

use millpond_builtin::json::functions::TEXT_MAX;
use millpond_builtin::json::shape::{Column, Level, Shape, add};
use millpond_builtin::nesting::Key;
use millpond_catalog::expr::ExprType;
use millpond_catalog::rel::Rel;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ForClause, Query};

use crate::binder::Binder;
use crate::binder::bound_query::BoundQuery;
use crate::query::for_option::ForOption;
use crate::query::for_tables::{Nesting, Table, tables_of};

/// The name of the only column.
const COLUMN: &str = "JSON_F52E2B61-18A1-11d1-B105-00805F49916B";

/// What stands after FOR JSON.
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
    let tables = if options.is_auto { tables_of(&query.body) } else { Vec::new() };
    if options.is_auto && tables.iter().all(|table| table.is_function) {
        return Err(SqlError::of(13_600, 1, &[]));
    }
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
        true => {
            let nesting = Nesting::of(&query.body, &tables, &origins, names.len());
            levels_of_tables(&names, &types, &nesting, &tables)?
        }
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
            let option = ForOption::of(text).ok_or_else(wrong)?;
            let is_again = match (option.words.as_str(), option.name) {
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

/// A level for each table that a column is of.
fn levels_of_tables(
    names: &[String],
    types: &[ExprType],
    nesting: &Nesting,
    tables: &[Table],
) -> SqlResult<Vec<Level>> {
    let mut levels = vec![Level::default(); nesting.order.len().max(1)];
    for (place, (name, ty)) in names.iter().zip(types).enumerate() {
        let (level, is_own) = nesting.columns[place];
        add(&mut levels[level].members, name, column(place, ty), false)?;
        if is_own {
            levels[level].keys.0.push(Key { column: place, collation: ty.collation, compares: ty.sql.is_comparable() });
        }
    }
    for (level, table) in levels.iter_mut().zip(&nesting.order) {
        level.name = Shape::level_name(&tables[*table].written);
    }
    Ok(levels)
}
