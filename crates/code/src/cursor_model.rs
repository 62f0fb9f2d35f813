//! What a cursor sees of later changes: by what its declaration asks for and what its query allows.
//!
//! ```text
//!   STATIC          the rows as they were at OPEN
//!   KEYSET, SCROLL  the rows of OPEN, each as it is now; one that is gone, or has another key, is missed (-2)
//!   DYNAMIC, none   the rows that are there when they are fetched, in the order of an index (`millpond_direct::walk`); of joins and
//!                   what else cannot be read row by row those of OPEN that are still there and still asked for, each as it is now
//!   FAST_FORWARD    as DYNAMIC where rows are read one by one, else as STATIC
//! ```
//! What always holds: a row is found again by the values that a unique key of each of its tables had at OPEN; where a table has
//! no such key, or the query is more than rows of tables, rows stay as they were.

use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{Rel, RelJoin, SortKey};
use millpond_catalog::{IndexDef, TableDef};
use millpond_message::sink::Column;
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast};

/// What is asked for, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Rows stay as they were.
    Static,
    /// Rows are those of OPEN, as they are now.
    Keyset,
    /// The same where SCROLL is all that is said: it may be changed through without a unique index, too.
    Scroll,
    /// Rows are those that are there now.
    Dynamic,
    /// Forward only: rows that are there now where these are read one by one, else those of OPEN.
    FastForward,
}

impl Model {
    /// What the words of a declaration ask for.
    #[must_use]
    pub fn asked(options: &[String]) -> Model {
        let has = |word: &str| options.iter().any(|option| option == word);
        if has("STATIC") || has("INSENSITIVE") {
            Model::Static
        } else if has("FAST_FORWARD") {
            Model::FastForward
        } else if has("KEYSET") {
            Model::Keyset
        } else if has("DYNAMIC") || !has("SCROLL") {
            Model::Dynamic
        } else {
            Model::Scroll
        }
    }

    /// What it is over a query: an order that no index has, and a number of rows, make a set of rows of it. `walks`: its rows can be
    /// read one by one.
    #[must_use]
    pub fn over(self, rel: &Rel, is_of_tables: bool, walks: bool) -> Model {
        match self {
            Model::Static => Model::Static,
            _ if !is_of_tables => Model::Static,
            Model::Dynamic if !walks && !is_in_place(rel) => Model::Keyset,
            Model::Scroll => Model::Keyset,
            model => model,
        }
    }
}

/// Whether each table of a query has a unique index. A keyset over one without is a copy of its rows, which only reads.
#[must_use]
pub fn has_unique_indexes(rel: &Rel) -> bool {
    match rel {
        Rel::Project { input, .. } | Rel::Sort { input, .. } | Rel::Top { input, .. } | Rel::Filter { input, .. } => {
            has_unique_indexes(input)
        }
        Rel::Join { left, right, .. } => has_unique_indexes(left) && has_unique_indexes(right),
        Rel::Table { def, .. } => def.indexes.iter().any(IndexDef::is_key),
        _ => true,
    }
}

/// The columns of a key by which a row is found again: of the clustered index, or else of the first that is unique. None of them is
/// NULL ever, none is computed.
#[must_use]
pub fn key_of(def: &TableDef) -> Option<Vec<usize>> {
    let is_plain = |column: usize| {
        let column = &def.columns[column];
        !column.ty.nullable && column.computed.is_none()
    };
    let fits = |index: &&IndexDef| {
        index.unique
            && index.filter.is_none()
            && !index.disabled
            && !index.key.is_empty()
            && index.key.iter().all(|key| is_plain(key.column))
    };
    let index = def.indexes.iter().find(fits)?;
    Some(index.key.iter().map(|key| key.column).collect())
}

/// Whether rows come in the order of a table or an index, all of them.
fn is_in_place(rel: &Rel) -> bool {
    match rel {
        Rel::Project { input, .. } => is_in_place(input),
        Rel::Sort { input, keys } => table_of(input).is_some_and(|def| is_order_of(def, keys)),
        Rel::Top { .. } => false,
        _ => true,
    }
}

/// The only table below filters.
fn table_of(rel: &Rel) -> Option<&Arc<TableDef>> {
    match rel {
        Rel::Filter { input, .. } => table_of(input),
        Rel::Table { def, .. } => Some(def),
        _ => None,
    }
}

fn is_order_of(def: &TableDef, keys: &[SortKey]) -> bool {
    let columns = keys.iter().map(|key| match key.expr.kind {
        // Under another collation the rows have another order.
        Kind::Column(column) if key.expr.ty.collation == def.columns.get(column)?.ty.collation => {
            Some((column, key.descending))
        }
        _ => None,
    });
    let Some(columns) = columns.collect::<Option<Vec<_>>>() else { return false };
    def.indexes.iter().filter(|index| !index.disabled && index.filter.is_none()).any(|index| {
        columns.len() <= index.key.len()
            && [false, true].iter().any(|turned| {
                let same = |((column, descending), key): (&(usize, bool), &millpond_catalog::KeyColumn)| {
                    *column == key.column && (*descending != key.descending) == *turned
                };
                columns.iter().zip(&index.key).all(same)
            })
    })
}

/// The query of one row again, by the keys of its tables, which are the variables from `first` on in the order of FROM. `asks_again`:
/// the row must still be one of the query's.
#[must_use]
pub fn one_row(rel: &Rel, first: usize, asks_again: bool) -> Option<Rel> {
    let mut next = first;
    by_keys(rel, &mut next, asks_again)
}

fn by_keys(rel: &Rel, next: &mut usize, asks_again: bool) -> Option<Rel> {
    match rel {
        Rel::Project { input, exprs } => {
            let input = Box::new(by_keys(input, next, asks_again)?);
            Some(Rel::Project { input, exprs: exprs.clone() })
        }
        Rel::Sort { input, .. } | Rel::Top { input, .. } => by_keys(input, next, asks_again),
        Rel::Filter { input, predicate } => {
            let found = by_keys(input, next, asks_again)?;
            Some(match found {
                found if !asks_again => found,
                Rel::Filter { input, predicate: of_key } => {
                    Rel::Filter { input, predicate: and(of_key, predicate.clone()) }
                }
                input => Rel::Filter { input: Box::new(input), predicate: predicate.clone() },
            })
        }
        Rel::Join { kind: RelJoin::Inner, hint, left, right, on } => {
            let left = Box::new(by_keys(left, next, asks_again)?);
            let right = Box::new(by_keys(right, next, asks_again)?);
            let on = on.clone().filter(|_| asks_again);
            Some(Rel::Join { kind: RelJoin::Inner, hint: *hint, left, right, on })
        }
        Rel::Table { def, with_rid: true, .. } => {
            let mut predicate: Option<BoundExpr> = None;
            for column in key_of(def)? {
                let ty = def.columns[column].ty;
                let value = BoundExpr { kind: Kind::Variable(*next), ty: ExprType { nullable: true, ..ty } };
                let column = BoundExpr::column(column, ty);
                let kind = Kind::Compare(CompareOp::Eq, Box::new(column), Box::new(value), ty.collation);
                let equal = BoundExpr::predicate(kind);
                predicate = Some(match predicate {
                    None => equal,
                    Some(before) => and(before, equal),
                });
                *next += 1;
            }
            Some(Rel::Filter { input: Box::new(rel.clone()), predicate: predicate? })
        }
        _ => None,
    }
}

fn and(left: BoundExpr, right: BoundExpr) -> BoundExpr {
    BoundExpr::predicate(Kind::And(Box::new(left), Box::new(right)))
}

/// The relation with the keys of its tables as columns at the end, in the order of FROM; how many they are.
#[must_use]
pub fn with_keys(rel: &Rel) -> Option<(Rel, usize)> {
    let Rel::Project { input, exprs } = rel else { return None };
    let (mut exprs, before) = (exprs.clone(), exprs.len());
    key_columns(input, 0, &mut exprs)?;
    let count = exprs.len() - before;
    Some((Rel::Project { input: input.clone(), exprs }, count))
}

/// Adds the key columns of the tables of a row that begins at `at`; its width.
fn key_columns(rel: &Rel, at: usize, to: &mut Vec<BoundExpr>) -> Option<usize> {
    match rel {
        Rel::Sort { input, .. } | Rel::Top { input, .. } | Rel::Filter { input, .. } => key_columns(input, at, to),
        Rel::Join { kind: RelJoin::Inner, left, right, .. } => {
            let width = key_columns(left, at, to)?;
            Some(width + key_columns(right, at + width, to)?)
        }
        Rel::Table { def, with_rid: true, .. } => {
            to.extend(key_of(def)?.into_iter().map(|column| BoundExpr::column(at + column, def.columns[column].ty)));
            Some(def.columns.len() + 1)
        }
        _ => None,
    }
}

/// What FETCH gives of a row that is gone: to a client something in each column, to variables NULL.
#[must_use]
pub fn missed(columns: &[Column], is_for_client: bool) -> Vec<Value> {
    let one = |column: &Column| nothing_of(&column.sql_type, !is_for_client || column.nullable);
    columns.iter().map(one).collect()
}

/// What FETCH gives to a client of a row that is gone: NULL, or what fills a column that has none.
fn nothing_of(sql: &SqlType, may_be_null: bool) -> Value {
    if may_be_null {
        return Value::Null;
    }
    let (value, from) = match sql.max_len() {
        Some(MaxLen::Limited(len)) if sql.is_string() => {
            (Value::from(" ".repeat(usize::from(len))), SqlType::varchar(8000))
        }
        _ if sql.is_string() || sql.is_binary() => (Value::str(""), SqlType::varchar(1)),
        _ => (Value::Int(0), SqlType::Int),
    };
    cast::cast(&value, &from, sql, None, CastRules::DEFAULT).unwrap_or(Value::Null)
}
