//! Where the columns of a cursor are from: the tables and columns by which clients write changes.

use millpond_bind::declared_in;
use millpond_catalog::TableDef;
use millpond_code::code::{Bound, QueryCode};
use millpond_code::cursor_model::key_of;
use millpond_message::sink::{ColumnOrigin, Origins};

use crate::host::Host;

/// The tables and columns of a cursor's query; the last column is that of the row's status.
pub fn origins(host: &dyn Host, bound: &Bound, query: &QueryCode) -> Origins {
    let mut tables: Vec<(&TableDef, Vec<String>)> = Vec::new();
    // In the order of FROM, as what has no name of its own in a call means the first.
    for table in bound.tables.iter() {
        if !tables.iter().any(|(known, _)| is_same(known, &table.def)) {
            tables.push((&table.def, name_of(host, &table.def)));
        }
    }
    let one = |(index, column): (usize, &millpond_message::sink::Column)| {
        let expression = ColumnOrigin { is_expression: true, ..ColumnOrigin::default() };
        let Some((def, found)) = declared_in(query.runner.rel(), index) else { return expression };
        let Some(table) = tables.iter().position(|(known, _)| is_same(known, def)) else { return expression };
        let place = def.columns.iter().position(|known| std::ptr::eq(known, found));
        let is_key = key_of(def).is_some_and(|key| place.is_some_and(|place| key.contains(&place)));
        ColumnOrigin {
            table: u8::try_from(table + 1).unwrap_or(0),
            is_expression: found.computed.is_some(),
            is_key,
            is_hidden: false,
            name: (*found.name != column.name).then(|| found.name.to_string()),
        }
    };
    let mut columns: Vec<ColumnOrigin> = query.columns.iter().enumerate().map(one).collect();
    columns.push(status_column());
    Origins { tables: tables.into_iter().map(|(_, name)| name).collect(), columns }
}

/// The column of the row's status.
#[must_use]
pub fn status_column() -> ColumnOrigin {
    ColumnOrigin { is_expression: true, is_hidden: true, ..ColumnOrigin::default() }
}

fn is_same(one: &TableDef, other: &TableDef) -> bool {
    (one.database, one.id) == (other.database, other.id) && one.name == other.name
}

/// A table's name for this session: with its schema, and its database where that is another one.
#[must_use]
pub fn name_of(host: &dyn Host, def: &TableDef) -> Vec<String> {
    let name = def.name.to_string();
    if def.is_temporary() {
        return vec![name];
    }
    let mut parts = vec![def.schema.name.to_string(), name];
    if !host.is_current(&def.database_name) {
        parts.insert(0, def.database_name.to_string());
    }
    parts
}
