//! Statements that change a database, as values: their text, and random ones.

use std::ops::RangeInclusive;

use millpond_device::chance::Dice;

use super::model::{Action, Column, Foreign, Index, Kind, Model, Module, Table, Trigger, bare, schema_of};
use super::read::Look;
use crate::schema::pick;

/// Rows by their `id`, from and to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids(pub i64, pub i64);

impl Ids {
    /// As a range.
    #[must_use]
    pub fn range(self) -> RangeInclusive<i64> {
        self.0..=self.1
    }
}

/// A statement, or several that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "fields are named as the parts of the statement")]
pub enum Step {
    /// A text that changes nothing of the database: temporary tables, queries.
    Nothing(String),
    CreateSchema(String),
    DropSchema(String),
    CreateTable {
        name: String,
        table: Table,
    },
    DropTable(String),
    RenameTable {
        old: String,
        new: String,
    },
    Truncate(String),
    SelectInto {
        from: String,
        to: String,
        key: String,
        birth: u64,
    },
    AddColumn {
        table: String,
        column: Column,
    },
    DropColumn {
        table: String,
        column: String,
    },
    AlterColumn {
        table: String,
        column: String,
        kind: Kind,
    },
    RenameColumn {
        table: String,
        old: String,
        new: String,
    },
    AddDefault {
        table: String,
        column: String,
        name: String,
        value: String,
    },
    AddCheck {
        table: String,
        name: String,
    },
    AddForeign {
        table: String,
        name: String,
        foreign: Foreign,
    },
    DropConstraint {
        table: String,
        name: String,
    },
    ToggleCheck {
        table: String,
        name: String,
        disabled: bool,
    },
    /// NOCHECK CONSTRAINT, CHECK CONSTRAINT, or WITH CHECK CHECK CONSTRAINT where it is checked.
    ToggleForeign {
        table: String,
        name: String,
        disabled: bool,
        is_checked: bool,
    },
    CreateIndex {
        table: String,
        name: String,
        index: Index,
    },
    DropIndex {
        table: String,
        name: String,
    },
    RenameIndex {
        table: String,
        old: String,
        new: String,
    },
    Rebuild(String),
    CreateModule {
        name: String,
        module: Module,
    },
    AlterModule {
        name: String,
        module: Module,
    },
    DropModule {
        name: String,
        kind: &'static str,
    },
    CreateTrigger {
        table: String,
        name: String,
        trigger: Trigger,
    },
    DropTrigger {
        table: String,
        name: String,
    },
    ToggleTrigger {
        table: String,
        name: String,
        disabled: bool,
    },
    CreateSequence {
        name: String,
        start: i64,
        increment: i64,
    },
    DropSequence(String),
    CreateType {
        name: String,
        kind: Kind,
    },
    CreateTableType {
        name: String,
        kinds: Vec<Kind>,
    },
    DropType(String),
    CreateSynonym {
        name: String,
        target: String,
    },
    DropSynonym(String),
    /// Without `id` the table counts; what it gave is put here when the step has run.
    Insert {
        table: String,
        id: Option<i64>,
        values: Vec<(String, Option<String>)>,
    },
    /// Rows with ids from and to, of which nothing else is given.
    InsertMany {
        table: String,
        ids: Ids,
    },
    Update {
        table: String,
        column: String,
        value: Option<String>,
        ids: Ids,
    },
    Delete {
        table: String,
        ids: Ids,
    },
    /// Rows get other ids.
    MoveIds {
        table: String,
        ids: Ids,
        by: i64,
    },
    /// The row on which a cursor stands gets a value, or is deleted. It is no statement of its own: see `cursor`.
    Current {
        table: String,
        birth: Option<u64>,
        id: i64,
        change: Option<(String, Option<String>)>,
    },
    /// A procedure that changes rows.
    Call {
        name: String,
    },
    /// A query; what it answered is put here when it has run.
    Look(Look),
    /// The next value of a sequence; what it gave is put here, with the number of the sequence.
    Next {
        name: String,
        given: Option<(i64, i64)>,
    },
    Merge {
        table: String,
        column: String,
        value: String,
        id: i64,
    },
}

/// A column's type as the statement that changes its value needs it: a text fits all of them.
fn value_sql(value: Option<&String>) -> String {
    value.map_or_else(|| "null".into(), |value| format!("'{value}'"))
}

fn column_sql(column: &Column) -> String {
    let null = if column.nullable { "null" } else { "not null" };
    let default = column.default.as_ref().map_or_else(String::new, |(name, value)| {
        format!(" constraint {name} default ({})", column.kind.literal(value))
    });
    let kind = column.alias.clone().unwrap_or_else(|| column.kind.sql());
    format!("{} {kind} {null}{default}", column.name)
}

fn table_sql(name: &str, table: &Table) -> String {
    let columns: String = table.columns.iter().map(|column| format!(", {}", column_sql(column))).collect();
    let clustered = if table.clustered { "clustered" } else { "nonclustered" };
    let identity = if table.identity { " identity" } else { "" };
    let key = if table.key.is_empty() { String::new() } else { format!(" constraint {}", table.key) };
    format!("create table {name} (id int{identity} not null{key} primary key {clustered}{columns})")
}

fn module_word(kind: &str) -> &'static str {
    match kind {
        "V" => "view",
        "P" => "procedure",
        _ => "function",
    }
}

fn action_sql(action: Action) -> &'static str {
    match action {
        Action::Refuse => "no action",
        Action::Cascade => "cascade",
        Action::Null => "set null",
        Action::Default => "set default",
    }
}

fn quoted(text: &str) -> String {
    format!("exec ('{}')", text.replace('\'', "''"))
}

impl Step {
    /// Its text. Rows are found under key-range locks, so that transactions have the order in which they commit.
    #[must_use]
    pub fn sql(&self) -> String {
        match self {
            Step::Nothing(text) => text.clone(),
            Step::Insert { table, id, values } => {
                let mut columns: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
                let mut given: Vec<String> = values.iter().map(|(_, value)| value_sql(value.as_ref())).collect();
                if let Some(id) = id {
                    columns.insert(0, "id");
                    given.insert(0, id.to_string());
                }
                let rows = if columns.is_empty() {
                    "default values".to_owned()
                } else {
                    format!("({}) values ({})", columns.join(", "), given.join(", "))
                };
                let told = if id.is_none() { " select cast(scope_identity() as bigint) as id" } else { "" };
                format!("insert {table} {rows}{told}")
            }
            Step::InsertMany { table, ids } => {
                format!("insert {table} (id) select value from generate_series({}, {})", ids.0, ids.1)
            }
            Step::Update { table, column, value, ids } => {
                let value = value_sql(value.as_ref());
                format!(
                    "update {table} with (holdlock) set {column} = {value} where id between {} and {}",
                    ids.0, ids.1
                )
            }
            Step::Delete { table, ids } => {
                format!("delete {table} with (holdlock) where id between {} and {}", ids.0, ids.1)
            }
            Step::MoveIds { table, ids, by } => {
                format!("update {table} with (holdlock) set id = id + ({by}) where id between {} and {}", ids.0, ids.1)
            }
            Step::Current { .. } => String::new(),
            Step::Call { name } => format!("exec {name}"),
            Step::Look(look) => look.sql(),
            Step::Next { name, .. } => format!("select object_id('{name}') as number, next value for {name} as value"),
            Step::Merge { table, column, value, id } => format!(
                "merge {table} with (holdlock) as t using (values ({id}, '{value}')) as s (id, v) on t.id = s.id \
                 when matched then update set {column} = s.v when not matched then insert (id, {column}) values (s.id, s.v);"
            ),
            Step::CreateTable { .. }
            | Step::DropTable(_)
            | Step::RenameTable { .. }
            | Step::Truncate(_)
            | Step::SelectInto { .. }
            | Step::CreateIndex { .. }
            | Step::DropIndex { .. }
            | Step::RenameIndex { .. }
            | Step::Rebuild(_) => self.tables_sql(),
            Step::CreateModule { .. }
            | Step::AlterModule { .. }
            | Step::DropModule { .. }
            | Step::CreateTrigger { .. }
            | Step::DropTrigger { .. }
            | Step::ToggleTrigger { .. } => self.modules_sql(),
            _ => self.others_sql(),
        }
    }

    fn tables_sql(&self) -> String {
        match self {
            Step::CreateTable { name, table } => table_sql(name, table),
            Step::DropTable(name) => format!("drop table {name}"),
            Step::RenameTable { old, new } => format!("exec sp_rename '{old}', '{}'", bare(new)),
            Step::Truncate(name) => format!("truncate table {name}"),
            Step::SelectInto { from, to, key, .. } => format!(
                "select * into {to} from {from} with (holdlock) alter table {to} add constraint {key} primary key (id)"
            ),
            Step::CreateIndex { table, name, index } => {
                let unique = if index.unique { "unique " } else { "" };
                let keys = index.keys.join(", ");
                let include = if index.included.is_empty() {
                    String::new()
                } else {
                    format!(" include ({})", index.included.join(", "))
                };
                format!("create {unique}index {name} on {table} ({keys}){include}")
            }
            Step::DropIndex { table, name } => format!("drop index {name} on {table}"),
            Step::RenameIndex { table, old, new } => format!("exec sp_rename '{table}.{old}', '{new}', 'INDEX'"),
            Step::Rebuild(table) => format!("alter index all on {table} rebuild"),
            _ => String::new(),
        }
    }

    fn modules_sql(&self) -> String {
        match self {
            Step::CreateModule { module, .. } => quoted(&module.text),
            Step::AlterModule { module, .. } => quoted(&module.text.replacen("CREATE", "alter", 1)),
            Step::DropModule { name, kind } => format!("drop {} {name}", module_word(kind)),
            Step::CreateTrigger { trigger, .. } => quoted(&trigger.text),
            Step::DropTrigger { table, name } => format!("drop trigger {}.{name}", schema_of(table)),
            Step::ToggleTrigger { table, name, disabled } => {
                let verb = if *disabled { "disable" } else { "enable" };
                format!("{verb} trigger {}.{name} on {table}", schema_of(table))
            }
            _ => String::new(),
        }
    }

    fn others_sql(&self) -> String {
        match self {
            Step::AddColumn { table, column } => format!("alter table {table} add {}", column_sql(column)),
            Step::DropColumn { table, column } => format!("alter table {table} drop column {column}"),
            Step::AlterColumn { table, column, kind } => {
                format!("alter table {table} alter column {column} {} null", kind.sql())
            }
            Step::RenameColumn { table, old, new } => format!("exec sp_rename '{table}.{old}', '{new}', 'COLUMN'"),
            Step::AddDefault { table, column, name, value } => {
                format!("alter table {table} add constraint {name} default ('{value}') for {column}")
            }
            Step::AddCheck { table, name } => format!("alter table {table} add constraint {name} check (id > -1000)"),
            Step::AddForeign { table, name, foreign } => format!(
                "alter table {table} with {} add constraint {name} foreign key ({}) references {} (id) on delete {} on update {}",
                if foreign.is_trusted { "check" } else { "nocheck" },
                foreign.column,
                foreign.target,
                action_sql(foreign.on_delete),
                action_sql(foreign.on_update)
            ),
            Step::ToggleForeign { table, name, disabled, is_checked } => {
                let with = if *is_checked { "with check " } else { "" };
                let verb = if *disabled { "nocheck" } else { "check" };
                format!("alter table {table} {with}{verb} constraint {name}")
            }
            Step::DropConstraint { table, name } => format!("alter table {table} drop constraint {name}"),
            Step::ToggleCheck { table, name, disabled } => {
                let verb = if *disabled { "nocheck" } else { "check" };
                format!("alter table {table} {verb} constraint {name}")
            }
            Step::CreateSchema(name) => quoted(&format!("create schema {name}")),
            Step::DropSchema(name) => format!("drop schema {name}"),
            Step::CreateSequence { name, start, increment } => {
                format!("create sequence {name} as int start with {start} increment by {increment}")
            }
            Step::DropSequence(name) => format!("drop sequence {name}"),
            Step::CreateType { name, kind } => format!("create type {name} from {}", kind.sql()),
            Step::CreateTableType { name, kinds } => {
                let columns: Vec<String> =
                    COLUMNS.iter().zip(kinds).map(|(column, kind)| format!("{column} {}", kind.sql())).collect();
                format!("create type {name} as table ({})", columns.join(", "))
            }
            Step::DropType(name) => format!("drop type {name}"),
            Step::CreateSynonym { name, target } => format!("create synonym {name} for {target}"),
            Step::DropSynonym(name) => format!("drop synonym {name}"),
            _ => String::new(),
        }
    }

    /// Whether its rows are told while it runs, when its text is asked for by [`Step::telling_sql`].
    #[must_use]
    pub fn telling_sql(&self, view: &Model) -> String {
        let told = match self {
            Step::Update { table, .. } | Step::Delete { table, .. } => view.tables.get(table),
            _ => None,
        };
        if told.is_none_or(|table| !table.triggers.is_empty()) {
            return self.sql();
        }
        let kind = if matches!(self, Step::Update { .. }) { "inserted" } else { "deleted" };
        self.sql().replacen(" where ", &format!(" output {kind}.id where "), 1)
    }
}

pub(super) const TABLES: [&str; 7] = ["dbo.t0", "dbo.t1", "dbo.t2", "dbo.t3", "s0.t0", "s1.t1", "s1.t2"];
const SCHEMAS: [&str; 3] = ["s0", "s1", "s2"];
pub(super) const COLUMNS: [&str; 5] = ["a", "b", "c", "d", "e"];
pub(super) const KINDS: [Kind; 4] = [Kind::Int, Kind::Int, Kind::Bigint, Kind::Varchar(20)];

pub(super) fn name(dice: &mut Dice, stem: &str, count: u64) -> String {
    format!("{stem}{}", dice.below(count))
}

pub(super) fn pick_key<'a, V>(dice: &mut Dice, map: &'a std::collections::BTreeMap<String, V>) -> Option<&'a String> {
    if map.is_empty() { None } else { map.keys().nth(dice.below(map.len() as u64) as usize) }
}

pub(super) fn value(dice: &mut Dice, kind: Kind) -> Option<String> {
    if dice.chance(12) {
        return None;
    }
    let number = dice.below(30).to_string();
    Some(if matches!(kind, Kind::Varchar(_)) { format!("v{number}") } else { number })
}

/// Rows that begin here come in thousands: locks escalate, pages split, and changes become plans.
const MANY_FROM: i64 = 1000;

pub(super) fn ids(dice: &mut Dice, is_one: bool) -> Ids {
    if !is_one && dice.chance(8) {
        let from = MANY_FROM * (dice.below(4) as i64);
        return Ids(from, from + 200 * (1 + dice.below(40) as i64));
    }
    let from = 1 + dice.below(24) as i64;
    Ids(from, if is_one || dice.chance(60) { from } else { from + dice.below(6) as i64 })
}

fn new_column(dice: &mut Dice, view: &Model) -> Column {
    if let Some(alias) = pick_key(dice, &view.types).filter(|_| dice.chance(20)).cloned() {
        let (name, kind) = ((*pick(dice, &COLUMNS)).into(), view.types[&alias]);
        return Column { name, kind, alias: Some(alias), nullable: true, default: None };
    }
    let kind = *pick(dice, &KINDS);
    let default = dice.chance(35).then(|| (name(dice, "k", 16), value(dice, kind).unwrap_or_else(|| "5".into())));
    let nullable = default.is_none() || dice.chance(50);
    Column { name: (*pick(dice, &COLUMNS)).into(), kind, alias: None, nullable, default }
}

fn new_table(dice: &mut Dice, view: &Model) -> Table {
    let (key, birth) = (name(dice, "k", 16), 1 + dice.below(u64::MAX - 1));
    let mut table = Table { key, birth, clustered: dice.chance(75), identity: dice.chance(25), ..Table::default() };
    for _ in 0..1 + dice.below(3) {
        let mut column = new_column(dice, view);
        column.default = None;
        column.nullable = true;
        if table.place(&column.name).is_none() {
            table.columns.push(column);
        }
    }
    table
}

impl Step {
    /// A step that is probably possible. Under SNAPSHOT (`is_snapshot`) it changes single rows only.
    pub fn random(dice: &mut Dice, view: &Model, is_snapshot: bool) -> Step {
        let table = pick_key(dice, &view.tables).cloned();
        let Some(table) = table else { return Step::make_table(dice, view) };
        let roll = if is_snapshot { dice.below(45) } else { dice.below(150) };
        if dice.chance(15) {
            return Step::of_reads(dice, view, &table);
        }
        match roll {
            0..44 => Step::of_rows(dice, view, &table, is_snapshot),
            44 => Step::nothing(dice, &table),
            45..62 => Step::of_tables(dice, view, &table),
            62..78 => Step::of_columns(dice, view, &table).unwrap_or_else(|| Step::nothing(dice, &table)),
            78..84 => Step::of_constraints(dice, view, &table).unwrap_or_else(|| Step::nothing(dice, &table)),
            84..92 => Step::of_indexes(dice, view, &table),
            92..100 => Step::of_modules(dice, view, &table),
            100..112 => Step::of_others(dice, &table),
            112..130 => Step::of_keys(dice, view, &table).unwrap_or_else(|| Step::nothing(dice, &table)),
            130..140 => Step::of_types(dice),
            _ => Step::of_reading_modules(dice, view, &table),
        }
    }

    pub(super) fn random_table(dice: &mut Dice, view: &Model) -> Table {
        new_table(dice, view)
    }

    pub(super) fn random_column(dice: &mut Dice, view: &Model) -> Column {
        new_column(dice, view)
    }

    fn make_table(dice: &mut Dice, view: &Model) -> Step {
        Step::CreateTable { name: (*pick(dice, &TABLES)).into(), table: new_table(dice, view) }
    }

    pub(super) fn nothing(dice: &mut Dice, table: &str) -> Step {
        let text = match dice.below(5) {
            0 => "if object_id('tempdb..#w') is null create table #w (a int primary key, b varchar(20)) insert #w \
                  select isnull(max(a), 0) + 1, 'x' from #w update #w set b = 'y' where a > 2"
                .into(),
            1 => "drop table if exists #v select 1 as a into #v create index i on #v (a)".into(),
            2 => "declare @t table (a int) insert @t values (1), (2) select a from @t".into(),
            3 => "select count(*) as n from sys.objects o join sys.columns c on c.object_id = o.object_id".into(),
            _ => format!("select count(*) as n from sys.indexes where object_id = object_id('{table}')"),
        };
        Step::Nothing(text)
    }

    pub(super) fn of_rows(dice: &mut Dice, view: &Model, name: &str, is_one: bool) -> Step {
        let table = name.to_owned();
        let Some(of) = view.tables.get(name) else { return Step::nothing(dice, name) };
        // Under SNAPSHOT a trigger would not find rows that others have added since.
        let mut triggers = view.tables.values().flat_map(|table| table.triggers.values());
        if is_one && triggers.any(|trigger| trigger.deletes.is_some()) {
            return Step::nothing(dice, name);
        }
        let column = (!of.columns.is_empty()).then(|| pick(dice, &of.columns).clone());
        match (dice.below(10), column) {
            (5..7, Some(column)) => {
                Step::Update { table, value: value(dice, column.kind), column: column.name, ids: ids(dice, is_one) }
            }
            (7, _) => {
                // For each row that goes, all rows that may lead to it are looked at: few rows go where there are keys.
                let mut keys = view.tables.values().flat_map(|table| table.foreign.values());
                let is_referenced = keys.any(|key| key.target == name);
                Step::Delete { table, ids: ids(dice, is_one || is_referenced) }
            }
            (8, Some(column)) if !of.identity => {
                let value = value(dice, column.kind).unwrap_or_else(|| "3".into());
                Step::Merge { table, column: column.name, value, id: ids(dice, true).0 }
            }
            (9, _) if !of.identity && !is_one && dice.chance(20) => {
                let from = MANY_FROM * (1 + dice.below(3) as i64);
                Step::InsertMany { table, ids: Ids(from, from + 200 * dice.below(15) as i64) }
            }
            _ => {
                let id = (!of.identity).then(|| ids(dice, true).0);
                let mut values = Vec::new();
                for column in &of.columns {
                    if dice.chance(75) {
                        values.push((column.name.clone(), value(dice, column.kind)));
                    }
                }
                Step::Insert { table, id, values }
            }
        }
    }

    fn of_tables(dice: &mut Dice, view: &Model, table: &str) -> Step {
        match dice.below(12) {
            0..4 => Step::make_table(dice, view),
            4..6 => Step::DropTable(table.into()),
            6..8 => {
                let new = format!("{}.{}", schema_of(table), name(dice, "t", 5));
                if new == table { Step::nothing(dice, table) } else { Step::RenameTable { old: table.into(), new } }
            }
            8..10 => Step::Truncate(table.into()),
            _ => {
                let to = (*pick(dice, &TABLES)).to_owned();
                let is_free = to != table && view.tables.contains_key(table);
                let (key, birth) = (name(dice, "k", 16), 1 + dice.below(u64::MAX - 1));
                if is_free {
                    Step::SelectInto { from: table.into(), to, key, birth }
                } else {
                    Step::Rebuild(table.into())
                }
            }
        }
    }

    fn of_columns(dice: &mut Dice, view: &Model, table: &str) -> Option<Step> {
        let of = view.tables.get(table)?;
        let table = table.to_owned();
        if of.columns.is_empty() || dice.chance(35) {
            return Some(Step::AddColumn { table, column: new_column(dice, view) });
        }
        let column = pick(dice, &of.columns).clone();
        let is_foreign = of.foreign.values().any(|foreign| foreign.column == column.name);
        match dice.below(3) {
            0 => Some(Step::DropColumn { table, column: column.name }),
            1 if !is_foreign => {
                let new = (*pick(dice, &COLUMNS)).to_owned();
                (new != column.name).then_some(Step::RenameColumn { table, old: column.name, new })
            }
            _ if !of.is_bound(&column.name) && column.nullable => {
                let kind = match column.kind {
                    Kind::Int => *pick(dice, &[Kind::Bigint, Kind::Varchar(20)]),
                    Kind::Bigint => Kind::Varchar(30),
                    Kind::Varchar(bytes) if bytes < 200 => Kind::Varchar(bytes + 10),
                    Kind::Varchar(_) => return None,
                };
                Some(Step::AlterColumn { table, column: column.name, kind })
            }
            _ => None,
        }
    }

    fn of_constraints(dice: &mut Dice, view: &Model, table: &str) -> Option<Step> {
        let of = view.tables.get(table)?;
        let named = name(dice, "k", 16);
        let table = table.to_owned();
        match dice.below(7) {
            0 => Some(Step::AddCheck { table, name: named }),
            1 => {
                let open: Vec<&Column> = of.columns.iter().filter(|column| column.default.is_none()).collect();
                let column = (!open.is_empty()).then(|| *pick(dice, &open))?;
                let value = value(dice, column.kind).unwrap_or_else(|| "4".into());
                Some(Step::AddDefault { table, column: column.name.clone(), name: named, value })
            }
            2 | 3 => {
                let target = pick_key(dice, &view.tables).filter(|target| **target != table)?.clone();
                let column = Step::key_column(dice, of)?;
                let (on_delete, on_update) = (Action::Refuse, Action::Refuse);
                let foreign = Foreign { column, target, on_delete, on_update, is_disabled: false, is_trusted: true };
                Some(Step::AddForeign { table, name: named, foreign })
            }
            4 => {
                let (check, disabled) = of.checks.first_key_value()?;
                Some(Step::ToggleCheck { table, name: check.clone(), disabled: !disabled })
            }
            _ => {
                let defaults = of.columns.iter().filter_map(|column| column.default.as_ref()).map(|(name, _)| name);
                let all: Vec<&String> = of.checks.keys().chain(of.foreign.keys()).chain(defaults).collect();
                let name = (!all.is_empty()).then(|| (*pick(dice, &all)).clone())?;
                Some(Step::DropConstraint { table, name })
            }
        }
    }

    pub(super) fn of_indexes(dice: &mut Dice, view: &Model, table: &str) -> Step {
        let Some(of) = view.tables.get(table) else { return Step::nothing(dice, table) };
        let named = name(dice, "i", 3);
        let table = table.to_owned();
        match (dice.below(8), pick_key(dice, &of.indexes).cloned()) {
            (5, Some(name)) => Step::DropIndex { table, name },
            (6, Some(old)) if old != named => Step::RenameIndex { table, old, new: named },
            (7, _) => Step::Rebuild(table),
            _ => {
                let mut columns: Vec<String> = of.columns.iter().map(|column| column.name.clone()).collect();
                let mut keys = Vec::new();
                for _ in 0..1 + dice.below(2) {
                    if !columns.is_empty() {
                        keys.push(columns.swap_remove(dice.below(columns.len() as u64) as usize));
                    }
                }
                if keys.is_empty() {
                    keys.push("id".into());
                }
                columns.retain(|_| dice.chance(30));
                let index = Index { keys, included: columns, unique: dice.chance(20) };
                Step::CreateIndex { table, name: named, index }
            }
        }
    }

    fn of_modules(dice: &mut Dice, view: &Model, table: &str) -> Step {
        if dice.chance(55) {
            let (name, module) = Step::new_module(dice);
            return match (view.modules.contains_key(&name), dice.chance(50)) {
                (true, true) => Step::DropModule { name, kind: module.kind },
                (true, false) => Step::AlterModule { name, module },
                _ => Step::CreateModule { name, module },
            };
        }
        let triggers = view.tables.get(table).map(|of| &of.triggers);
        let at =
            triggers.and_then(|triggers| pick_key(dice, triggers).map(|name| (name.clone(), triggers[name].disabled)));
        let table = table.to_owned();
        match at {
            Some((name, _)) if dice.chance(40) => Step::DropTrigger { table, name },
            Some((name, disabled)) => Step::ToggleTrigger { table, name, disabled: !disabled },
            None => {
                let (name, schema) = (name(dice, "g", 3), schema_of(&table));
                let text = format!(
                    "create trigger {schema}.{name} on {table} after insert, update as print 'fired {}'",
                    dice.below(9)
                );
                Step::CreateTrigger { name, trigger: Trigger { text, disabled: false, deletes: None }, table }
            }
        }
    }

    fn of_others(dice: &mut Dice, table: &str) -> Step {
        match dice.below(10) {
            0..3 => Step::CreateSchema((*pick(dice, &SCHEMAS)).into()),
            3 => Step::DropSchema((*pick(dice, &SCHEMAS)).into()),
            4 => {
                let (start, increment) = (dice.below(9) as i64, 1 + dice.below(3) as i64);
                Step::CreateSequence { name: name(dice, "dbo.q", 2), start, increment }
            }
            5 => Step::DropSequence(name(dice, "dbo.q", 2)),
            6 => Step::CreateType { name: name(dice, "dbo.y", 2), kind: *pick(dice, &KINDS) },
            7 => Step::DropType(name(dice, "dbo.y", 2)),
            8 => Step::CreateSynonym { name: name(dice, "dbo.n", 2), target: table.into() },
            _ => Step::DropSynonym(name(dice, "dbo.n", 2)),
        }
    }
}
