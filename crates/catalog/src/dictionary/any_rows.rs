//! Rows of the system tables with damage that arbitrary bytes choose: for a fuzz target and a test. No part of
//! the server.
//!
//! What must hold: reading them gives a definition or says that they are damaged (824), and never stops the process.

use std::sync::Arc;

use millpond_access::tree::TreeRoot;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::{SqlType, Value};

use super::codec::{ModuleParts, TableRows, module_of, object_of, page_of, sequence_of, table_rows};
use crate::algebra::expr::BoundExpr;
use crate::dictionary::tables::SystemTable;
use crate::dictionary::texts::BindText;
use crate::expr_type::ExprType;
use crate::{
    CheckDef, ColumnDef, DefaultDef, ForeignKeyDef, IndexDef, IndexKind, KeyColumn, ModuleKind, ObjectId,
    ReferentialAction, Schema, StatisticsDef, TableDef, TableName,
};

/// Damages of one definition at most.
const DAMAGES_MAX: usize = 16;

/// Texts that are types, or nearly so.
const TEXTS: [&str; 14] = [
    "",
    "int",
    "varchar(",
    "decimal(99, 4)",
    "decimal(4, 99)",
    "varchar(0)",
    "char(999999999)",
    "time(77)",
    "max(max)",
    "\u{0}",
    "U ",
    "1,2,x",
    "Latin1_General_BIN2",
    "nvarchar(max) trimmed",
];

/// Texts of expressions stay texts.
struct AsText;

fn bound(text: &str) -> SqlResult<BoundExpr> {
    Ok(BoundExpr::literal(Value::str(text), SqlType::varchar(100)))
}

impl BindText for AsText {
    fn default(&self, text: &str, _: ExprType) -> SqlResult<BoundExpr> {
        bound(text)
    }

    fn computed(&self, text: &str, _: &str, _: &[ColumnDef]) -> SqlResult<BoundExpr> {
        bound(text)
    }

    fn condition(&self, text: &str, _: &str, _: &[ColumnDef]) -> SqlResult<BoundExpr> {
        bound(text)
    }
}

fn name() -> TableName {
    TableName { database: DbId(5), database_name: "d".into(), schema: Schema::dbo(), name: "t".into() }
}

/// A table with something of everything.
fn table() -> TableDef {
    let column = |id, name: &str, sql| ColumnDef::new(id, name, ExprType::of(sql, id > 1, Default::default()));
    let mut columns = vec![
        column(1, "id", SqlType::Int),
        column(2, "text", SqlType::varchar(40)),
        column(3, "price", millpond_types::parse_type_name("decimal", &[9, 2]).expect("a type")),
        column(4, "long", SqlType::NVarChar { len: millpond_types::MaxLen::Max }),
    ];
    columns[0].identity = Some((1, 1));
    let expr = || BoundExpr::literal(Value::Int(1), SqlType::Int);
    columns[1].default = Some(DefaultDef { id: ObjectId(9), name: "df".into(), text: "'a'".into(), expr: expr() });
    let key = |column| KeyColumn { column, descending: column == 2 };
    let rows = IndexDef::new(1, "pk".into(), IndexKind::PrimaryKey, true, vec![key(0)], &columns);
    let mut beside = IndexDef::new(2, "ix".into(), IndexKind::Index, false, vec![key(2), key(1)], &columns);
    beside = beside.beside_rows(vec![3], &rows.key, &columns);
    beside.filter = Some(("price > 1".into(), expr()));
    let check = CheckDef {
        rule: ObjectId(0),
        id: ObjectId(10),
        name: "ck".into(),
        text: "price > 0".into(),
        expr: expr(),
        disabled: false,
        not_trusted: true,
        not_for_replication: true,
    };
    let foreign = ForeignKeyDef {
        id: ObjectId(11),
        name: "fk".into(),
        columns: vec![0],
        referenced: ObjectId(77),
        referenced_columns: vec![1],
        on_delete: ReferentialAction::Cascade,
        on_update: ReferentialAction::NoAction,
        disabled: false,
        not_trusted: false,
        not_for_replication: true,
    };
    let mut def = TableDef::assemble(ObjectId(7), name(), columns, vec![check], vec![foreign], vec![rows, beside]);
    let filter = Some(Arc::new(("price > 2".to_owned(), expr())));
    def.statistics = vec![StatisticsDef { id: 3, name: "st".into(), columns: vec![1, 2], no_recompute: false, filter }];
    def
}

fn sound() -> Vec<(SystemTable, Vec<Value>)> {
    let root = |page| TreeRoot { root: page_of(DbId(5), page), iam: page_of(DbId(5), page + 1) };
    table_rows(&table(), &[root(1 << 32 | 8), root(1 << 32 | 16)], (0, 0))
}

fn read(rows: &[(SystemTable, Vec<Value>)]) -> SqlResult<TableDef> {
    let of = |table: SystemTable| -> Vec<Vec<Value>> {
        rows.iter().filter(|(of, _)| *of as u32 == table as u32).map(|(_, row)| row.clone()).collect()
    };
    for row in of(SystemTable::Objects) {
        let object = object_of(&row)?;
        if let Some(kind) = ModuleKind::of_code(object.kind.trim_end()) {
            let (columns, text) = (vec!["a".to_owned()], "select 1".to_owned());
            let parts = ModuleParts { parent: ObjectId(8), runs_as: None, columns, text, order: Vec::new() };
            module_of(&object, kind, Schema::dbo(), parts);
        }
        // A sequence has other columns: damage, and no more than that.
        let _ = sequence_of(&object, Schema::dbo(), &row);
    }
    let rows = TableRows {
        columns: of(SystemTable::Columns),
        indexes: of(SystemTable::Indexes),
        index_columns: of(SystemTable::IndexColumns),
        constraints: of(SystemTable::Constraints),
        key_columns: of(SystemTable::KeyColumns),
        statistics: of(SystemTable::Statistics),
    };
    let parts = rows.read(DbId(5), "t", &AsText)?;
    Ok(TableDef::assemble(ObjectId(7), name(), parts.columns, parts.checks, parts.foreign_keys, parts.indexes))
}

/// What is left of the bytes that choose.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    /// The next byte, while there are some.
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number below `count`, which is not 0.
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte().unwrap_or(0)) % count
    }

    fn number(&mut self) -> i64 {
        (0..8).fold(0, |number, _| number << 8 | i64::from(self.byte().unwrap_or(0)))
    }

    fn text(&mut self) -> String {
        let len = self.below(40).min(self.0.len());
        let (text, rest) = self.0.split_at(len);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    fn value(&mut self) -> Value {
        match self.below(10) {
            0 => Value::Null,
            1 => Value::Int([0, -1, i32::MAX, i32::MIN, 3][self.below(5)]),
            2 => Value::Int(self.number() as i32),
            3 => Value::BigInt([0, -1, i64::MAX, i64::MIN][self.below(4)]),
            4 => Value::BigInt(self.number()),
            5 => Value::TinyInt(self.byte().unwrap_or(0)),
            6 => Value::Bit(self.below(2) == 1),
            7 => Value::str(&self.text()),
            _ => Value::str(TEXTS[self.below(TEXTS.len())]),
        }
    }
}

fn damage(rows: &mut Vec<(SystemTable, Vec<Value>)>, choices: &mut Choices<'_>) {
    let (what, at) = (choices.below(6), choices.below(rows.len()));
    match what {
        0 if rows.len() > 1 => drop(rows.remove(at)),
        1 => rows.push(rows[at].clone()),
        2 => {
            let to = choices.below(rows.len());
            rows.swap(at, to);
        }
        3 => {
            let len = rows[at].1.len();
            rows[at].1.truncate(choices.below(len + 1));
        }
        _ if rows[at].1.is_empty() => {}
        _ => {
            let column = choices.below(rows[at].1.len());
            rows[at].1[column] = choices.value();
        }
    }
}

/// Reads the rows of a table's definition after the damages that the bytes choose; whether it is still one.
///
/// # Panics
/// What must hold does not.
#[must_use]
pub fn is_definition(bytes: &[u8]) -> bool {
    let (mut rows, mut choices) = (sound(), Choices(bytes));
    for _ in 0..DAMAGES_MAX {
        if choices.0.is_empty() {
            break;
        }
        damage(&mut rows, &mut choices);
    }
    match read(&rows) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.number, 824, "{}", error.text);
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use millpond_device::chance::Dice;

    use super::*;

    /// Damaged definitions that the test reads; the same seeds in each run.
    const CASES: u64 = 20_000;

    #[test]
    fn damaged_definitions_are_said_to_be() {
        assert!(is_definition(&[]));
        let (mut refused, mut dice) = (0, Dice::new(1));
        for _ in 0..CASES {
            let bytes: Vec<u8> = (0..4 + dice.below(16)).map(|_| dice.below(256) as u8).collect();
            refused += u64::from(!is_definition(&bytes));
        }
        assert!(refused > CASES / 10, "{refused} of {CASES} were refused: the damage does not hit");
    }

    /// What a module is beside its text comes back from its rows, each part as what it is.
    #[test]
    fn a_module_comes_back_with_its_table_its_user_and_its_columns() {
        use crate::ModuleDef;
        use crate::dictionary::codec::{module_rows, parts_of};
        use crate::security::PrincipalId;

        let def = ModuleDef {
            id: ObjectId(9),
            schema: Schema::dbo(),
            name: "m".to_owned(),
            kind: ModuleKind::Trigger,
            text: "create trigger m".into(),
            columns: vec!["a".to_owned(), "b".to_owned()].into(),
            parent: ObjectId(8),
            order: std::sync::Arc::default(),
            quoted_identifier: true,
            ansi_nulls: false,
            is_disabled: false,
            is_system: false,
            runs_as: Some(PrincipalId(16_390)),
            created_us: 1,
            modified_us: 2,
        };
        let rows = module_rows(&def);
        let mut parts: Vec<Vec<Value>> = rows.into_iter().skip(1).map(|(_, row)| row).collect();
        parts.sort_by_key(|row| row[1].as_i64());
        let read = parts_of(&parts).unwrap();
        assert_eq!((read.parent, read.runs_as), (ObjectId(8), Some(PrincipalId(16_390))));
        assert_eq!((read.columns.as_slice(), read.text.as_str()), (&def.columns[..], "create trigger m"));
        parts.iter_mut().filter(|row| row[1] == Value::Int(-2)).for_each(|row| row[2] = Value::str("bob"));
        assert!(parts_of(&parts).is_err(), "a user that is no number is damage");
    }
}
