//! The tables of a query, as FOR JSON AUTO and FOR XML AUTO make objects of their rows in each other.
//!
//! What always holds: tables stand in each other in the order of their first columns. What is no column belongs to the table of
//! the column before it, or to the first one. Rows of a set operator are of the first table of its first query.

use millpond_tsql::ast::{QueryBody, TableRef};

/// A table of FROM.
pub(super) struct Table {
    /// The name by which columns know it.
    shown: String,
    /// The name that its objects have.
    pub written: String,
    /// A function's rows are no objects of their own.
    pub is_function: bool,
}

/// How the columns of a query belong to its tables.
pub(super) struct Nesting {
    /// Places of the tables that have columns, from the outermost.
    pub order: Vec<usize>,
    /// Of each column: the place in `order`, and whether it is a column of that table.
    pub columns: Vec<(usize, bool)>,
}

/// The tables of a query; of several queries, those of the first.
pub(super) fn tables_of(body: &QueryBody) -> Vec<Table> {
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
    tables
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
        TableRef::OpenJson { alias, .. } => add(alias.as_deref().unwrap_or("OPENJSON"), "", true),
        TableRef::OpenXml { alias, .. } => add(alias.as_deref().unwrap_or("OPENXML"), "", true),
        TableRef::Pivot { alias, .. } | TableRef::Unpivot { alias, .. } => add(alias, alias, false),
        TableRef::Sample { table, .. } => collect(table, tables),
        TableRef::Join { left, right, .. } => {
            collect(left, tables);
            collect(right, tables);
        }
    }
}

impl Nesting {
    /// Of `count` columns; `origins` are their tables and the names that they have there.
    pub(super) fn of(
        body: &QueryBody,
        tables: &[Table],
        origins: &[Option<(String, String)>],
        count: usize,
    ) -> Nesting {
        let origins = if is_set(body) { &[] } else { origins };
        let table_of = |place: usize| {
            let (shown, _) = origins.get(place)?.as_ref()?;
            tables.iter().position(|table| table.shown == *shown && !table.is_function)
        };
        let mut nesting = Nesting { order: Vec::new(), columns: Vec::with_capacity(count) };
        let mut present = 0;
        for place in 0..count {
            let table = table_of(place);
            if let Some(table) = table {
                present = nesting.order.iter().position(|known| *known == table).unwrap_or_else(|| {
                    nesting.order.push(table);
                    nesting.order.len() - 1
                });
            }
            nesting.columns.push((present, table.is_some()));
        }
        nesting
    }
}

fn is_set(body: &QueryBody) -> bool {
    match body {
        QueryBody::SetOperation { .. } => true,
        QueryBody::Nested(query) => is_set(&query.body),
        QueryBody::Select(_) | QueryBody::Values(_) => false,
    }
}
