//! Cursors of a crowd, held open over everything that their own and other sessions do.
//!
//! What always holds: a change WHERE CURRENT OF is one of the row on which the cursor stands, in the table over which it
//! was opened, or an error that changes nothing. A static cursor, and one over a set of keys, goes through the rows that
//! were there when it was opened.

use super::super::model::Kind;
use super::super::play::Finding;
use super::super::step::{Step, pick_key, value};
use super::Actor;
use crate::schema::pick;
use crate::sessions::crowd::looks;

/// Options of cursors, and whether their members are fixed when they are opened.
const KINDS: [(&str, bool); 11] = [
    ("", false),
    ("static", true),
    ("keyset", true),
    ("keyset", true),
    ("dynamic", false),
    ("dynamic", false),
    ("forward_only", false),
    ("fast_forward", false),
    ("forward_only keyset", true),
    ("scroll dynamic scroll_locks", false),
    ("keyset optimistic", true),
];

/// A cursor, `c` in its session.
pub(super) struct Held {
    table: String,
    column: String,
    kind: Kind,
    /// Which table it was; `None` when it was changed in that moment.
    birth: Option<u64>,
    /// The row on which it stands.
    at: Option<i64>,
    /// The rows that it had when it was opened, where they are known and fixed.
    members: Option<Vec<i64>>,
    /// So many of them were fetched.
    fetched: usize,
}

/// A cursor is opened, moved, used or closed.
pub(super) fn use_cursor(actor: &mut Actor<'_>) -> Result<(), Finding> {
    let Some(held) = &actor.held else { return open_cursor(actor) };
    if held.at.is_none() && actor.dice.chance(85) {
        return fetch(actor);
    }
    match actor.dice.below(20) {
        0..9 => fetch(actor),
        9..19 => change_current(actor),
        _ => drop_cursor(actor),
    }
}

fn drop_cursor(actor: &mut Actor<'_>) -> Result<(), Finding> {
    actor.held = None;
    actor.run("if cursor_status('global', 'c') > -3 deallocate c", None).map(|_| ())
}

fn open_cursor(actor: &mut Actor<'_>) -> Result<(), Finding> {
    let view = actor.view();
    let Some(table) = pick_key(&mut actor.dice, &view.tables).cloned() else { return Ok(()) };
    let of = &view.tables[&table];
    if of.columns.is_empty() {
        return Ok(());
    }
    let column = pick(&mut actor.dice, &of.columns).clone();
    let (options, is_fixed) = *pick(&mut actor.dice, &KINDS);
    let is_known = is_fixed && actor.client.is_open && !actor.client.is_snapshot;
    let level = actor.client.level;
    let before = if is_known { "set transaction isolation level serializable " } else { "" };
    let after = if is_known {
        format!(" select id from {table} order by id set transaction isolation level {level}")
    } else {
        String::new()
    };
    let order = if is_fixed || actor.dice.chance(50) { " order by id" } else { "" };
    let text = format!(
        "if cursor_status('global', 'c') > -3 deallocate c \
             declare c cursor global {options} for select id, {} from {table}{order} {before}open c{after} select 'whole' as whole",
        column.name
    );
    let begin = looks::version(actor);
    let said = actor.run(&text, None)?;
    let is_whole = said.sets.last().and_then(|set| set.first()?.first()).is_some_and(|cell| cell == "whole");
    if !said.errors.is_empty() || !is_whole {
        actor.after_error()?;
        return drop_cursor(actor);
    }
    let births: Vec<Option<u64>> =
        looks::views_since(actor, begin).iter().map(|view| view.tables.get(&table).map(|table| table.birth)).collect();
    let first = births.first().copied().flatten();
    let birth = first.filter(|_| births.iter().all(|birth| *birth == first));
    let members = is_known.then(|| {
        let ids = said.sets.first().into_iter().flatten();
        ids.filter_map(|row| row.first()?.parse().ok()).collect()
    });
    actor.held = Some(Held { table, column: column.name, kind: column.kind, birth, at: None, members, fetched: 0 });
    Ok(())
}

/// The next row.
pub(super) fn fetch(actor: &mut Actor<'_>) -> Result<(), Finding> {
    if actor.held.is_none() {
        return Ok(());
    }
    let text = "declare @i int, @w varchar(250) fetch next from c into @i, @w \
                    select @@fetch_status as status, @i as id select 'whole' as whole";
    let said = actor.run(text, None)?;
    let cells = || {
        let [.., row, whole] = said.sets.as_slice() else { return None };
        let [status, id] = row.first()?.as_slice() else { return None };
        (whole.first()?.first()? == "whole").then(|| (status.clone(), id.parse::<i64>().ok()))
    };
    let (Some((status, id)), true) = (cells(), said.errors.is_empty()) else {
        actor.after_error()?;
        return drop_cursor(actor);
    };
    let Some(held) = &mut actor.held else { return Ok(()) };
    held.at = id.filter(|_| status == "0");
    let due = held.members.as_ref().map(|members| members.get(held.fetched).copied());
    held.fetched += 1;
    let is_right = match (status.as_str(), due) {
        ("0", None) => held.at.is_some(),
        ("0", Some(due)) => held.at == due && due.is_some(),
        ("-1", Some(due)) => due.is_none(),
        ("-2", Some(due)) => due.is_some(),
        _ => true,
    };
    if !is_right {
        let words = format!("status {status}, row {id:?} of {}, not {due:?}", held.table);
        return Err(Finding::new("a cursor gave another row", words));
    }
    if status == "-1" { drop_cursor(actor) } else { Ok(()) }
}

/// A change WHERE CURRENT OF.
fn change_current(actor: &mut Actor<'_>) -> Result<(), Finding> {
    let Some(held) = &actor.held else { return Ok(()) };
    if !actor.client.is_open || actor.client.is_snapshot {
        return Ok(());
    }
    let change = actor.dice.chance(70).then(|| (held.column.clone(), value(&mut actor.dice, held.kind)));
    let (table, birth, at) = (held.table.clone(), held.birth, held.at);
    let text = match &change {
        Some((column, value)) => {
            let value = value.as_ref().map_or_else(|| "null".into(), |value| format!("'{value}'"));
            format!("update {table} set {column} = {value} where current of c")
        }
        None => format!("delete {table} where current of c"),
    };
    let said = actor.run(&format!("{text} select @@rowcount as n select 'whole' as whole"), None)?;
    let count = || {
        let [.., count, whole] = said.sets.as_slice() else { return None };
        (whole.first()?.first()? == "whole").then(|| count.first()?.first()?.parse::<u64>().ok())?
    };
    let (Some(count), true) = (count(), said.errors.is_empty()) else { return actor.after_error() };
    let Some(id) = at.filter(|_| count == 1) else {
        return Err(Finding::new(
            "a cursor changed what it does not stand on",
            format!("{count} rows, {at:?}\n{text}"),
        ));
    };
    actor.client.own.push(Step::Current { table, birth, id, change });
    Ok(())
}
