//! What a database says of itself and what the model says of it, as the same lines.

use std::collections::HashSet;

use millpond_query::session::Session;

use super::definition::{bare, schema_of};
use super::model::Model;
use crate::seat::ask;

/// Queries whose rows are lines that begin with the letter.
const QUERIES: [(&str, &str); 13] = [
    ("S", "select name from sys.schemas where schema_id between 5 and 16000"),
    ("O", "select s.name + '.' + o.name from sys.objects o join sys.schemas s on s.schema_id = o.schema_id where o.is_ms_shipped = 0 and o.type <> 'TT'"),
    (
        "C",
        "select s.name + '.' + t.name, row_number() over (partition by t.object_id order by c.column_id), c.name, ty.name,
         c.max_length, cast(c.is_nullable as int), cast(c.is_identity as int), isnull(d.name, '')
         from sys.tables t join sys.schemas s on s.schema_id = t.schema_id join sys.columns c on c.object_id = t.object_id
         join sys.types ty on ty.user_type_id = c.user_type_id left join sys.default_constraints d on d.object_id = c.default_object_id",
    ),
    (
        "I",
        "select s.name + '.' + t.name, i.name, i.type_desc, cast(i.is_unique as int), cast(i.is_primary_key as int)
         from sys.indexes i join sys.tables t on t.object_id = i.object_id join sys.schemas s on s.schema_id = t.schema_id
         where i.index_id > 0",
    ),
    (
        "IC",
        "select s.name + '.' + t.name, i.name, c.name, ic.key_ordinal, cast(ic.is_included_column as int)
         from sys.index_columns ic join sys.indexes i on i.object_id = ic.object_id and i.index_id = ic.index_id
         join sys.tables t on t.object_id = i.object_id join sys.schemas s on s.schema_id = t.schema_id
         join sys.columns c on c.object_id = ic.object_id and c.column_id = ic.column_id",
    ),
    (
        "K",
        "select s.name + '.' + t.name, k.name, cast(k.is_disabled as int) from sys.check_constraints k
         join sys.tables t on t.object_id = k.parent_object_id join sys.schemas s on s.schema_id = t.schema_id",
    ),
    (
        "F",
        "select s.name + '.' + t.name, f.name, c.name, rs.name + '.' + r.name, f.delete_referential_action,
         f.update_referential_action, cast(f.is_disabled as int), cast(f.is_not_trusted as int) from sys.foreign_keys f
         join sys.foreign_key_columns fc on fc.constraint_object_id = f.object_id
         join sys.columns c on c.object_id = f.parent_object_id and c.column_id = fc.parent_column_id
         join sys.tables t on t.object_id = f.parent_object_id join sys.schemas s on s.schema_id = t.schema_id
         join sys.tables r on r.object_id = f.referenced_object_id join sys.schemas rs on rs.schema_id = r.schema_id",
    ),
    (
        "M",
        "select s.name + '.' + o.name, rtrim(o.type), m.definition from sys.sql_modules m
         join sys.objects o on o.object_id = m.object_id join sys.schemas s on s.schema_id = o.schema_id",
    ),
    (
        "G",
        "select s.name + '.' + t.name, g.name, cast(g.is_disabled as int) from sys.triggers g
         join sys.tables t on t.object_id = g.parent_id join sys.schemas s on s.schema_id = t.schema_id",
    ),
    ("Q", "select 'dbo.' + name, cast(start_value as int), cast(increment as int) from sys.sequences"),
    ("Y", "select 'dbo.' + name, type_name(system_type_id), max_length from sys.types where is_user_defined = 1 and is_table_type = 0"),
    ("W", "select 'dbo.' + name from sys.table_types"),
    ("N", "select 'dbo.' + name, replace(replace(base_object_name, '[', ''), ']', '') from sys.synonyms"),
];

/// What the database says, in order. A refused query is a line, too.
pub fn answered(session: &mut Session, model: &Model) -> Vec<String> {
    let mut lines = Vec::new();
    let mut note = |letter: &str, text: &str| {
        let answer = ask(session, text, None);
        lines.extend(answer.sets.iter().flatten().map(|row| format!("{letter}|{}", row.join("|"))));
        if !answer.errors.is_empty() || answer.panicked || answer.late {
            lines.push(format!("{letter}|refused: {}", answer.said()));
        }
    };
    for (letter, text) in QUERIES {
        note(letter, text);
    }
    for (name, table) in &model.tables {
        note(&format!("R|{name}"), &format!("select * from {name}"));
        for index in table.indexes.keys() {
            note(&format!("RI|{name}|{index}"), &format!("select id from {name} with (index ({index}))"));
        }
    }
    lines.sort();
    lines
}

/// What the model says, in the same order.
#[must_use]
pub fn expected(model: &Model) -> Vec<String> {
    let mut lines: Vec<String> = model.schemas.iter().map(|name| format!("S|{name}")).collect();
    lines.extend(model.objects().iter().map(|name| format!("O|{name}")));
    for (name, table) in &model.tables {
        lines.push(format!("C|{name}|1|id|int|4|0|{}|", u8::from(table.identity)));
        for (column, at) in table.columns.iter().zip(2..) {
            let default = column.default.as_ref().map_or("", |(name, _)| name);
            let nullable = u8::from(column.nullable);
            let mut kind = column.kind.described();
            if let (Some(alias), Some((_, bytes))) = (&column.alias, kind.split_once('|')) {
                kind = format!("{}|{bytes}", bare(alias));
            }
            lines.push(format!("C|{name}|{at}|{}|{kind}|{nullable}|0|{default}", column.name));
        }
        let key = &table.key;
        lines.push(format!("I|{name}|{key}|{}|1|1", if table.clustered { "CLUSTERED" } else { "NONCLUSTERED" }));
        lines.push(format!("IC|{name}|{key}|id|1|0"));
        for (index, of) in &table.indexes {
            lines.push(format!("I|{name}|{index}|NONCLUSTERED|{}|0", u8::from(of.unique)));
            lines.extend(of.keys.iter().zip(1..).map(|(key, at)| format!("IC|{name}|{index}|{key}|{at}|0")));
            lines.extend(of.included.iter().map(|column| format!("IC|{name}|{index}|{column}|0|1")));
            lines.extend(table.rows.keys().map(|id| format!("RI|{name}|{index}|{id}")));
        }
        lines.extend(table.checks.iter().map(|(check, disabled)| format!("K|{name}|{check}|{}", u8::from(*disabled))));
        lines.extend(table.foreign.iter().map(|(key, of)| {
            let (on_delete, on_update) = (of.on_delete as u8, of.on_update as u8);
            let (disabled, untrusted) = (u8::from(of.is_disabled), u8::from(!of.is_trusted));
            format!("F|{name}|{key}|{}|{}|{on_delete}|{on_update}|{disabled}|{untrusted}", of.column, of.target)
        }));
        for (trigger, of) in &table.triggers {
            lines.push(format!("G|{name}|{trigger}|{}", u8::from(of.disabled)));
            lines.push(format!("M|{}.{trigger}|TR|{}", schema_of(name), of.text));
        }
        for (id, row) in &table.rows {
            let cells: String = row.iter().map(|value| format!("|{}", value.as_deref().unwrap_or("NULL"))).collect();
            lines.push(format!("R|{name}|{id}{cells}"));
        }
    }
    lines.extend(model.modules.iter().map(|(name, of)| format!("M|{name}|{}|{}", of.kind, of.text)));
    lines.extend(model.sequences.iter().map(|(name, (start, by))| format!("Q|{name}|{start}|{by}")));
    lines.extend(model.types.iter().map(|(name, kind)| format!("Y|dbo.{}|{}", bare(name), kind.described())));
    lines.extend(model.table_types.keys().map(|name| format!("W|{name}")));
    lines.extend(model.synonyms.iter().map(|(name, target)| format!("N|{name}|{target}")));
    lines.sort();
    lines
}

/// Lines that only one of the two has.
#[must_use]
pub fn difference(expected: &[String], answered: &[String]) -> Vec<String> {
    let (all_expected, all_answered): (HashSet<&String>, HashSet<&String>) =
        (expected.iter().collect(), answered.iter().collect());
    let missing = expected.iter().filter(|line| !all_answered.contains(line)).map(|line| format!("missing {line}"));
    let extra = answered.iter().filter(|line| !all_expected.contains(line)).map(|line| format!("too much {line}"));
    let mut all: Vec<String> = missing.chain(extra).collect();
    if all.is_empty() && expected.len() != answered.len() {
        all.push(format!("{} lines and {}", expected.len(), answered.len()));
    }
    all
}
