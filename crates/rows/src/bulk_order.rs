//! The ORDER hint of INSERT BULK: rows that are said to be sorted as the clustered index is must be.
//!
//! What always holds: the hint counts where it names the leading key columns of the clustered index in their order and
//! directions, and the source has them in the table's own types: what is converted may be sorted in another way. Any other
//! hint promises nothing that a load relies on, and is passed over.

use std::cmp::Ordering;

use millpond_catalog::{TableDef, names_equal};
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_message::sink::Sink;
use millpond_tsql::ast::{InsertBulk, NamedOption, OptionValue};
use millpond_types::format::to_display;
use millpond_types::{Collation, SqlType, Value, compare};

use crate::incoming::Incoming;

/// A key column of the source.
struct Key {
    column: usize,
    descending: bool,
    collation: Collation,
    /// Type of the table's column.
    target: SqlType,
}

/// Rows that are said to be sorted.
pub struct Sorted<'a> {
    rows: &'a mut dyn Incoming,
    keys: Vec<Key>,
    /// Types of the source's columns.
    types: Vec<SqlType>,
    /// The keys of the row before.
    last: Option<Vec<Value>>,
}

impl<'a> Sorted<'a> {
    /// Rows for a table; without a hint that counts they come as they are.
    pub fn new(rows: &'a mut dyn Incoming, bulk: &InsertBulk, def: &TableDef) -> Sorted<'a> {
        Sorted { rows, keys: keys_of(bulk, def).unwrap_or_default(), types: Vec::new(), last: None }
    }

    fn check(&mut self, row: &[Value]) -> SqlResult<()> {
        let now: Vec<Value> = self.keys.iter().map(|key| row[key.column].clone()).collect();
        if let Some(before) = &self.last
            && order(&self.keys, before, &now) == Ordering::Greater
        {
            return Err(message::bulk::not_sorted(&self.shown(before), &self.shown(&now)));
        }
        self.last = Some(now);
        Ok(())
    }

    fn shown(&self, values: &[Value]) -> String {
        let one = |(key, value): (&Key, &Value)| match (value, self.types.get(key.column)) {
            (Value::Null, _) | (_, None) => "<NULL>".to_owned(),
            (value, Some(sql)) => to_display(value, sql),
        };
        self.keys.iter().zip(values).map(one).collect::<Vec<String>>().join(", ")
    }
}

impl Incoming for Sorted<'_> {
    fn types(&mut self, ctx: &RunContext) -> SqlResult<Vec<SqlType>> {
        self.types = self.rows.types(ctx)?;
        if self.keys.iter().any(|key| self.types.get(key.column) != Some(&key.target)) {
            self.keys.clear();
        }
        Ok(self.types.clone())
    }

    fn next_row(&mut self, ctx: &RunContext, sink: &mut dyn Sink, row: &mut Vec<Value>) -> SqlResult<bool> {
        let came = self.rows.next_row(ctx, sink, row)?;
        if came && !self.keys.is_empty() {
            self.check(row)?;
        }
        Ok(came)
    }
}

fn keys_of(bulk: &InsertBulk, def: &TableDef) -> Option<Vec<Key>> {
    let hint = bulk.options.iter().find(|option| option.name.eq_ignore_ascii_case("ORDER"))?;
    let index = def.indexes.first().filter(|index| index.is_clustered())?;
    if hint.details.len() > index.key.len() {
        return None;
    }
    let key = |(said, key): (&NamedOption, &millpond_catalog::KeyColumn)| {
        let descending = matches!(&said.value, OptionValue::Words(word) if word.eq_ignore_ascii_case("DESC"));
        let name = said.name.trim_start_matches(['[', '"']).trim_end_matches([']', '"']);
        let column = &def.columns[key.column];
        if descending != key.descending || !names_equal(name, &column.name) {
            return None;
        }
        let column_at = bulk.columns.iter().position(|(known, _)| names_equal(known, name))?;
        Some(Key { column: column_at, descending, collation: column.ty.collation, target: column.ty.sql })
    };
    hint.details.iter().zip(&index.key).map(key).collect()
}

fn order(keys: &[Key], a: &[Value], b: &[Value]) -> Ordering {
    let one = |(key, (a, b)): (&Key, (&Value, &Value))| {
        // NULL is less than all values.
        let order = match (a.is_null(), b.is_null()) {
            (false, false) => compare::compare(a, b, key.collation),
            (a, b) => b.cmp(&a),
        };
        if key.descending { order.reverse() } else { order }
    };
    let mut orders = keys.iter().zip(a.iter().zip(b)).map(one);
    orders.find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
}
