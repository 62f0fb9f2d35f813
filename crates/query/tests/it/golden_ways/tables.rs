//! The tables of a script become others: with a clustered index, with two indexes beside the rows, temporary, variables.
//! What a statement says may not hang on where its rows lie.

use std::collections::BTreeMap;

use super::lexer::{Kind, Piece, pieces};

/// What is known of a whole script.
pub struct Script {
    /// Lower-case text.
    text: String,
    /// Tables that it creates by plain names, and in how many batches each is mentioned.
    plain: BTreeMap<String, usize>,
    /// Temporary tables likewise.
    temporary: BTreeMap<String, usize>,
}

impl Script {
    /// Of a script with its answers.
    pub fn new(script: &str) -> Script {
        let code: Vec<&str> = script.lines().filter(|line| !line.starts_with("-->")).collect();
        let text = code.join("\n").to_ascii_lowercase();
        let mut known = Script { text, plain: BTreeMap::new(), temporary: BTreeMap::new() };
        let text = known.text.clone();
        let batches: Vec<&str> = text.split("\ngo").collect();
        for created in batches.iter().flat_map(|batch| created(batch)) {
            let mentions = |name: &str| batches.iter().filter(|batch| mentions(batch, name)).count();
            let count = mentions(&created.name);
            let tables = if created.name.starts_with('#') { &mut known.temporary } else { &mut known.plain };
            tables.insert(created.name, count);
        }
        known
    }
}

/// A CREATE TABLE of a batch.
struct Created {
    name: String,
    /// Piece of the word CREATE.
    first: usize,
    /// Piece of the name.
    name_at: usize,
    /// Its definition, with the parentheses.
    definition: std::ops::Range<usize>,
    /// The columns that can be keys of an index.
    columns: Vec<String>,
}

fn mentions(batch: &str, name: &str) -> bool {
    pieces(batch).iter().any(|piece| piece.kind == Kind::Word && batch[piece.range.clone()].eq_ignore_ascii_case(name))
}

/// The tables that a batch creates by a name of one part, but for those of a CREATE SCHEMA: no other statement may stand
/// among its elements.
fn created(batch: &str) -> Vec<Created> {
    let pieces = pieces(batch);
    let word = |index: usize| {
        pieces.get(index).map_or(String::new(), |piece: &Piece| batch[piece.range.clone()].to_ascii_lowercase())
    };
    let mut found = Vec::new();
    if word(0) == "create" && word(1) == "schema" {
        return found;
    }
    for first in 0..pieces.len() {
        let is_create = word(first) == "create" && word(first + 1) == "table" && word(first + 3) == "(";
        if !is_create || pieces[first + 2].kind != Kind::Word || word(first + 2).starts_with(['[', '"']) {
            continue;
        }
        let (mut depth, mut end, mut columns) = (0, first + 3, Vec::new());
        for (index, piece) in pieces.iter().enumerate().skip(first + 3) {
            match word(index).as_str() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => (),
            }
            if depth == 1
                && [",", "("].contains(&word(index).as_str())
                && can_be_key(&word(index + 2), &word(index + 4))
            {
                columns.push(word(index + 1));
            }
            end = piece.range.end;
            if depth == 0 {
                break;
            }
        }
        let definition = pieces[first + 3].range.start..end;
        found.push(Created { name: word(first + 2), first, name_at: first + 2, definition, columns });
    }
    found
}

/// Whether a column of this type can be a key; `argument` is the first word in the type's parentheses.
fn can_be_key(sql_type: &str, argument: &str) -> bool {
    let types = [
        "int",
        "bigint",
        "smallint",
        "tinyint",
        "bit",
        "varchar",
        "nvarchar",
        "char",
        "nchar",
        "date",
        "datetime",
        "datetime2",
        "decimal",
        "numeric",
        "money",
        "float",
        "real",
        "uniqueidentifier",
        "time",
        "varbinary",
        "binary",
    ];
    types.contains(&sql_type) && argument.parse::<u32>().map_or(argument != "max", |length| length < 400)
}

/// The batch with something after each table that it creates.
fn after_each(batch: &str, text: impl Fn(&Created, &str) -> Option<String>) -> String {
    let mut out = batch.to_owned();
    for created in created(batch).iter().rev() {
        if let Some(more) = text(created, &batch[created.definition.clone()].to_ascii_lowercase()) {
            out.insert_str(created.definition.end, &more);
        }
    }
    out
}

/// Heaps get a clustered index.
pub fn clustered(_: &Script, batch: &str) -> String {
    after_each(batch, |table, definition| {
        let is_heap = !definition.contains("clustered") && !definition.contains("primary");
        let column = table.columns.first().filter(|_| is_heap)?;
        Some(format!(" create clustered index way on {}({column})", table.name))
    })
}

/// All tables get two indexes beside their rows.
pub fn secondary(_: &Script, batch: &str) -> String {
    after_each(batch, |table, _| {
        let (first, last) = (table.columns.first()?, table.columns.last()?);
        let both = if first == last { first.clone() } else { format!("{last}, {first}") };
        let name = &table.name;
        Some(format!(" create index way1 on {name}({first} desc) create index way2 on {name}({both})"))
    })
}

/// Tables with plain names get a `#` in front. Scripts that ask the catalog by names are left as they are.
pub fn temporary(script: &Script, batch: &str) -> String {
    let asks = [
        "object_id",
        "sys.",
        "sp_",
        "information_schema",
        "references ",
        "trigger",
        " view ",
        " function ",
        "dbo.",
        "alter table",
    ];
    if asks.iter().any(|word| script.text.contains(word)) {
        return batch.to_owned();
    }
    renamed(batch, |name| script.plain.contains_key(name).then(|| format!("#{name}")))
}

/// Temporary tables that live in one batch become table variables.
pub fn variables(script: &Script, batch: &str) -> String {
    let lower = batch.to_ascii_lowercase();
    let others = [
        "alter table",
        "truncate",
        "drop table",
        "create index",
        "create clustered",
        "create unique",
        "identity_insert",
        "statistics",
        "create function",
        "into #",
        "exec",
        "object_id",
    ];
    if others.iter().any(|word| lower.contains(word)) {
        return batch.to_owned();
    }
    let fits = |table: &&Created| {
        script.temporary.get(&table.name) == Some(&1)
            && !lower.contains(&format!("{}.", table.name))
            && !lower[table.definition.clone()].contains("constraint")
    };
    let tables: Vec<Created> = created(batch).into_iter().filter(|table| fits(&table)).collect();
    let all = pieces(batch);
    let mut out = batch.to_owned();
    for (index, piece) in all.iter().enumerate().rev() {
        let word = &lower[piece.range.clone()];
        if let Some(table) = tables.iter().find(|table| table.first == index) {
            let name = &table.name[1..];
            out.replace_range(
                piece.range.start..all[table.name_at].range.end,
                &format!("declare @table_{name} table "),
            );
        } else if tables
            .iter()
            .any(|table| table.name == word && (table.first + 1..=table.name_at).all(|at| at != index))
        {
            out.replace_range(piece.range.clone(), &format!("@table_{}", &word[1..]));
        }
    }
    out
}

/// The batch with other names for tables.
fn renamed(batch: &str, name_of: impl Fn(&str) -> Option<String>) -> String {
    let mut out = batch.to_owned();
    for piece in pieces(batch).iter().rev().filter(|piece| piece.kind == Kind::Word) {
        if let Some(name) = name_of(&batch[piece.range.clone()].to_ascii_lowercase()) {
            out.replace_range(piece.range.clone(), &name);
        }
    }
    out
}
