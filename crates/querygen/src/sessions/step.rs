//! Statements that change a database, as values, and their text.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::definition::{Action, COLUMNS, Column, Foreign, Index, Kind, Table, Trigger, bare, schema_of};
use super::read::{Look, Read};

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

/// A view, procedure or function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its type in sys.objects.
    pub kind: &'static str,
    /// Its definition.
    pub text: String,
    /// What it reads.
    pub read: Option<Read>,
    /// What it changes.
    pub change: Option<Box<Step>>,
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
                let identity = if id.is_none() { " select cast(scope_identity() as bigint) as id" } else { "" };
                format!("insert {table} {rows}{identity}")
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

    /// Its text, with OUTPUT where it changes rows of a table without triggers: so its rows are sent while it runs.
    #[must_use]
    pub fn sql_with_output(&self, tables: &BTreeMap<String, Arc<Table>>) -> String {
        let changed = match self {
            Step::Update { table, .. } | Step::Delete { table, .. } => tables.get(table),
            _ => None,
        };
        if changed.is_none_or(|table| !table.triggers.is_empty()) {
            return self.sql();
        }
        let kind = if matches!(self, Step::Update { .. }) { "inserted" } else { "deleted" };
        self.sql().replacen(" where ", &format!(" output {kind}.id where "), 1)
    }
}
