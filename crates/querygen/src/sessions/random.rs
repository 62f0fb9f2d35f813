//! What sessions do next, at random: an act of one of them, or a step of any kind.

use millpond_device::chance::Dice;

use super::act::{Act, Road};
use super::definition::{Action, COLUMNS, Column, Foreign, Index, Kind, Trigger, schema_of};
use super::draw::{KINDS, MANY_FROM, SCHEMAS, TABLES, ids, name, new_column, new_table, nothing, pick_key, value};
use super::make::{key_column, new_module, of_keys, of_reading_modules, of_reads, of_types};
use super::model::Model;
use super::play::Stage;
use super::step::{Ids, Step};
use crate::schema::pick;
use crate::seat::Fuse;

const ROADS: [Road; 7] =
    [Road::Rollback, Road::Error, Road::Lost, Road::Reset, Road::Kill, Road::Panic, Road::Attention];

const LEVELS: [&str; 5] = ["read uncommitted", "read committed", "repeatable read", "snapshot", "serializable"];

/// What one of the sessions may do now.
pub fn random_act(dice: &mut Dice, stage: &Stage, sessions: usize) -> Act {
    let who = dice.below(sessions as u64) as usize;
    let client = stage.client(who);
    let step = |dice: &mut Dice, is_snapshot| random_step(dice, &stage.view(who), is_snapshot);
    if dice.below(250) == 0 {
        return Act::Restart { clean: dice.chance(40) };
    }
    if !client.is_open {
        return match dice.below(10) {
            0..4 => Act::Do { who, step: step(dice, false) },
            4 => Act::Leave { who, road: *pick(dice, &ROADS) },
            _ => Act::Begin { who, level: pick::<&str>(dice, &LEVELS) },
        };
    }
    match dice.below(20) {
        0 => Act::Save { who },
        1 if client.is_saved() => Act::Back { who },
        2..6 => Act::Commit { who },
        6 => Act::Leave { who, road: *pick(dice, &ROADS) },
        7 if !client.is_snapshot => {
            let steps = (0..1 + dice.below(3)).map(|_| step(dice, false)).collect();
            let fuse = *pick(dice, &[Fuse::Cancel, Fuse::Kill, Fuse::Panic]);
            Act::Broken { who, steps, at: dice.below(4), fuse, road: *pick(dice, &ROADS) }
        }
        _ => Act::Do { who, step: step(dice, client.is_snapshot) },
    }
}

/// A step that is probably possible. Under SNAPSHOT (`is_snapshot`) it changes single rows only.
pub fn random_step(dice: &mut Dice, view: &Model, is_snapshot: bool) -> Step {
    let table = pick_key(dice, &view.tables).cloned();
    let Some(table) = table else { return make_table(dice, view) };
    let roll = if is_snapshot { dice.below(45) } else { dice.below(150) };
    if dice.chance(15) {
        return of_reads(dice, view, &table);
    }
    match roll {
        0..44 => of_rows(dice, view, &table, is_snapshot),
        44 => nothing(dice, &table),
        45..62 => of_tables(dice, view, &table),
        62..78 => of_columns(dice, view, &table).unwrap_or_else(|| nothing(dice, &table)),
        78..84 => of_constraints(dice, view, &table).unwrap_or_else(|| nothing(dice, &table)),
        84..92 => of_indexes(dice, view, &table),
        92..100 => of_modules(dice, view, &table),
        100..112 => of_others(dice, &table),
        112..130 => of_keys(dice, view, &table).unwrap_or_else(|| nothing(dice, &table)),
        130..140 => of_types(dice),
        _ => of_reading_modules(dice, view, &table),
    }
}

fn make_table(dice: &mut Dice, view: &Model) -> Step {
    Step::CreateTable { name: (*pick(dice, &TABLES)).into(), table: new_table(dice, view) }
}

pub(super) fn of_rows(dice: &mut Dice, view: &Model, name: &str, is_one: bool) -> Step {
    let table = name.to_owned();
    let Some(of) = view.tables.get(name) else { return nothing(dice, name) };
    // Under SNAPSHOT a trigger would not find rows that others have added since.
    let mut triggers = view.tables.values().flat_map(|table| table.triggers.values());
    if is_one && triggers.any(|trigger| trigger.deletes.is_some()) {
        return nothing(dice, name);
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
        0..4 => make_table(dice, view),
        4..6 => Step::DropTable(table.into()),
        6..8 => {
            let new = format!("{}.{}", schema_of(table), name(dice, "t", 5));
            if new == table { nothing(dice, table) } else { Step::RenameTable { old: table.into(), new } }
        }
        8..10 => Step::Truncate(table.into()),
        _ => {
            let to = (*pick(dice, &TABLES)).to_owned();
            let is_free = to != table && view.tables.contains_key(table);
            let (key, birth) = (name(dice, "k", 16), 1 + dice.below(u64::MAX - 1));
            if is_free { Step::SelectInto { from: table.into(), to, key, birth } } else { Step::Rebuild(table.into()) }
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
            let column = key_column(dice, of)?;
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
    let Some(of) = view.tables.get(table) else { return nothing(dice, table) };
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
        let (name, module) = new_module(dice);
        return match (view.modules.contains_key(&name), dice.chance(50)) {
            (true, true) => Step::DropModule { name, kind: module.kind },
            (true, false) => Step::AlterModule { name, module },
            _ => Step::CreateModule { name, module },
        };
    }
    let triggers = view.tables.get(table).map(|of| &of.triggers);
    let at = triggers.and_then(|triggers| pick_key(dice, triggers).map(|name| (name.clone(), triggers[name].disabled)));
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
