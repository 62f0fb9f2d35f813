//! Random steps of keys, types, and modules that read and change tables.

use millpond_device::chance::Dice;

use super::definition::{Action, COLUMNS, Column, Foreign, Kind, Table, Trigger, schema_of};
use super::draw::{KINDS, ids, name, nothing, pick_key, value};
use super::model::Model;
use super::read::{By, Look, Read};
use super::step::{Ids, Module, Step};
use crate::schema::pick;

const ACTIONS: [Action; 5] = [Action::Refuse, Action::Cascade, Action::Cascade, Action::Null, Action::Default];

/// Keys are looked for so often that all rows would stand.
const KEY_TRIES: u64 = 6;

/// Ids are moved by so many: nothing else makes ids there.
const MOVED_BY: i64 = 40;

fn some_key(dice: &mut Dice, view: &Model, table: &str, of: &Table) -> Option<Step> {
    let column = key_column(dice, of)?;
    let target = pick_key(dice, &view.tables)?.clone();
    let is_own = target == table;
    let action = |dice: &mut Dice| if is_own { Action::Refuse } else { *pick(dice, &ACTIONS) };
    let (on_delete, on_update, is_trusted) = (action(dice), action(dice), dice.chance(75));
    let foreign = Foreign { column, target, on_delete, on_update, is_disabled: false, is_trusted };
    Some(Step::AddForeign { table: table.into(), name: name(dice, "k", 16), foreign })
}

/// A column that may lead to an `id`.
pub(super) fn key_column(dice: &mut Dice, of: &Table) -> Option<String> {
    let is_fit = |column: &&Column| column.kind == Kind::Int && column.alias.is_none();
    let fit: Vec<&Column> = of.columns.iter().filter(is_fit).collect();
    (!fit.is_empty()).then(|| pick(dice, &fit).name.clone())
}

/// A step about FOREIGN KEYs, or one that they follow.
pub(super) fn of_keys(dice: &mut Dice, view: &Model, table: &str) -> Option<Step> {
    let targets: Vec<(&String, &String, &Foreign)> = view
        .tables
        .iter()
        .flat_map(|(of, table)| table.foreign.iter().map(move |(name, key)| (of, name, key)))
        .collect();
    let key = (!targets.is_empty()).then(|| *pick(dice, &targets));
    match (dice.below(10), key) {
        (0 | 1, Some((of, name, key))) => {
            let disabled = !key.is_disabled && dice.chance(60);
            let is_checked = !disabled && dice.chance(50);
            Some(Step::ToggleForeign { table: of.clone(), name: name.clone(), disabled, is_checked })
        }
        (2, Some((of, name, _))) => Some(Step::DropConstraint { table: of.clone(), name: name.clone() }),
        (3..6, Some((_, _, key))) => {
            let Ids(from, _) = ids(dice, true);
            let (table, ids) = (key.target.clone(), Ids(from, from + dice.below(6) as i64));
            if dice.chance(55) {
                return Some(Step::Delete { table, ids });
            }
            let (ids, by) =
                if dice.chance(40) { (Ids(ids.0 + MOVED_BY, ids.1 + MOVED_BY), -MOVED_BY) } else { (ids, MOVED_BY) };
            Some(Step::MoveIds { table, ids, by })
        }
        (6 | 7, Some((of, _, key))) => {
            let parents = view.tables.get(&key.target)?;
            let place = if parents.rows.is_empty() { 0 } else { dice.below(parents.rows.len() as u64) as usize };
            let to = parents.rows.keys().nth(place)?.to_string();
            let (table, column) = (of.clone(), key.column.clone());
            Some(Step::Update { table, column, value: Some(to), ids: ids(dice, false) })
        }
        _ => {
            let of = view.tables.get(table)?;
            let mut step = some_key(dice, view, table, of)?;
            for _ in 0..KEY_TRIES {
                if view.clone().apply(&step).is_ok() {
                    break;
                }
                step = some_key(dice, view, table, of)?;
            }
            Some(step)
        }
    }
}

/// A step about types.
pub(super) fn of_types(dice: &mut Dice) -> Step {
    match dice.below(4) {
        0 => Step::CreateType { name: name(dice, "dbo.y", 2), kind: *pick(dice, &KINDS) },
        1 => {
            let kinds = (0..1 + dice.below(COLUMNS.len() as u64)).map(|_| *pick(dice, &KINDS)).collect();
            Step::CreateTableType { name: name(dice, "dbo.w", 2), kinds }
        }
        2 => Step::DropType(name(dice, "dbo.y", 2)),
        _ => Step::DropType(name(dice, "dbo.w", 2)),
    }
}

fn some_read(dice: &mut Dice, view: &Model, table: &str) -> Option<Read> {
    let of = view.tables.get(table)?;
    let column = if of.columns.is_empty() { return None } else { pick(dice, &of.columns).name.clone() };
    let table = table.to_owned();
    Some(match dice.below(4) {
        0 | 1 => {
            let Ids(from, to) = if dice.chance(70) { Ids(0, 5000) } else { ids(dice, false) };
            Read::Rows { table, column, from, to }
        }
        2 => Read::Count { table, column },
        _ => Read::Joined { table, column, other: pick_key(dice, &view.tables)?.clone() },
    })
}

fn type_read(dice: &mut Dice) -> Read {
    if dice.chance(50) { Read::AliasType(name(dice, "dbo.y", 2)) } else { Read::TableType(name(dice, "dbo.w", 2)) }
}

/// A query, a call, or a value of a sequence.
pub(super) fn of_reads(dice: &mut Dice, view: &Model, table: &str) -> Step {
    if let Some(name) = pick_key(dice, &view.sequences).filter(|_| dice.chance(12)) {
        return Step::Next { name: name.clone(), given: None };
    }
    let fit: Vec<(&String, &Module)> =
        view.modules.iter().filter(|(_, module)| module.read.is_some() || module.change.is_some()).collect();
    if fit.is_empty() || dice.chance(25) {
        let read = if dice.chance(20) { Some(type_read(dice)) } else { some_read(dice, view, table) };
        return match read {
            Some(read) => Step::Look(Look::new(By::Text(read))),
            None => nothing(dice, table),
        };
    }
    let (name, module) = *pick(dice, &fit);
    let name = name.clone();
    match module.kind {
        _ if module.change.is_some() => Step::Call { name },
        "V" => Step::Look(Look::new(By::View(name))),
        "IF" => {
            let Ids(from, to) = if dice.chance(50) { Ids(0, 5000) } else { ids(dice, false) };
            Step::Look(Look::new(By::Inline(name, (from, to))))
        }
        _ => Step::Look(Look::new(By::Procedure(name))),
    }
}

/// A view, a procedure or a function that reads nothing.
pub(super) fn new_module(dice: &mut Dice) -> (String, Module) {
    let (number, what) = (dice.below(2), dice.below(50));
    let (kind, name, text) = match dice.below(3) {
        0 => ("V", format!("dbo.v{number}"), format!("CREATE view dbo.v{number} as select {what} as a")),
        1 => ("P", format!("dbo.p{number}"), format!("CREATE procedure dbo.p{number} as select {what} as a")),
        _ => {
            let name = format!("dbo.f{number}");
            let text = format!("CREATE function {name} (@x int) returns int as begin return @x + {what} end");
            ("FN", name, text)
        }
    };
    (name, Module { kind, text, read: None, change: None })
}

/// A module that reads or changes a table, or asks for a type.
fn reading_module(dice: &mut Dice, view: &Model, table: &str) -> Option<(String, Module)> {
    let number = 2 + dice.below(2);
    let read = some_read(dice, view, table)?;
    let module = |kind, text, read, change| Module { kind, text, read, change };
    Some(match dice.below(6) {
        0 | 1 => {
            let name = format!("dbo.v{number}");
            let text = format!("CREATE view {name} as {}", read.sql());
            (name, module("V", text, Some(read), None))
        }
        2 => {
            let name = format!("dbo.h{number}");
            let text =
                format!("CREATE function {name} (@from int, @to int) returns table as return ({})", read.inline_sql());
            (name, module("IF", text, Some(read), None))
        }
        3 | 4 => {
            let name = format!("dbo.p{number}");
            let read = if dice.chance(35) { type_read(dice) } else { read };
            let text = format!("CREATE procedure {name} as {}", read.sql());
            (name, module("P", text, Some(read), None))
        }
        _ => {
            let name = format!("dbo.p{number}");
            let of = view.tables.get(table)?;
            let column = pick(dice, &of.columns).clone();
            let (table, ids) = (table.to_owned(), ids(dice, false));
            let change = if dice.chance(70) {
                Step::Update { table, value: value(dice, column.kind), column: column.name, ids }
            } else {
                Step::Delete { table, ids }
            };
            let text = format!("CREATE procedure {name} as {}", change.sql());
            (name, module("P", text, None, Some(Box::new(change))))
        }
    })
}

/// A module that reads or changes a table, made, altered or dropped; or a trigger that deletes rows elsewhere.
pub(super) fn of_reading_modules(dice: &mut Dice, view: &Model, table: &str) -> Step {
    if dice.chance(20)
        && let Some(target) = pick_key(dice, &view.tables).cloned()
    {
        let (name, schema) = (name(dice, "g", 3), schema_of(table));
        let text = format!(
            "create trigger {schema}.{name} on {table} after insert, update as set nocount on \
             delete {target} with (holdlock) where id in (select id from inserted)"
        );
        let trigger = Trigger { text, disabled: false, deletes: Some(target) };
        return Step::CreateTrigger { name, trigger, table: table.into() };
    }
    let Some((name, module)) = reading_module(dice, view, table) else { return nothing(dice, table) };
    match (view.modules.contains_key(&name), dice.chance(35)) {
        (true, true) => Step::DropModule { name, kind: module.kind },
        (true, false) => Step::AlterModule { name, module },
        _ => Step::CreateModule { name, module },
    }
}
