//! What random steps are made of: names, values, rows, new columns and new tables. Names are few, so that steps meet.

use std::collections::BTreeMap;

use millpond_device::chance::Dice;

use super::definition::{COLUMNS, Column, Kind, Table};
use super::model::Model;
use super::step::{Ids, Step};
use crate::schema::pick;

pub(super) const TABLES: [&str; 7] = ["dbo.t0", "dbo.t1", "dbo.t2", "dbo.t3", "s0.t0", "s1.t1", "s1.t2"];
pub(super) const SCHEMAS: [&str; 3] = ["s0", "s1", "s2"];
pub(super) const KINDS: [Kind; 4] = [Kind::Int, Kind::Int, Kind::Bigint, Kind::Varchar(20)];

pub(super) fn name(dice: &mut Dice, stem: &str, count: u64) -> String {
    format!("{stem}{}", dice.below(count))
}

pub(super) fn pick_key<'a, V>(dice: &mut Dice, map: &'a BTreeMap<String, V>) -> Option<&'a String> {
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
pub(super) const MANY_FROM: i64 = 1000;

pub(super) fn ids(dice: &mut Dice, is_one: bool) -> Ids {
    if !is_one && dice.chance(8) {
        let from = MANY_FROM * (dice.below(4) as i64);
        return Ids(from, from + 200 * (1 + dice.below(40) as i64));
    }
    let from = 1 + dice.below(24) as i64;
    Ids(from, if is_one || dice.chance(60) { from } else { from + dice.below(6) as i64 })
}

pub(super) fn new_column(dice: &mut Dice, view: &Model) -> Column {
    if let Some(alias) = pick_key(dice, &view.types).filter(|_| dice.chance(20)).cloned() {
        let (name, kind) = ((*pick(dice, &COLUMNS)).into(), view.types[&alias]);
        return Column { name, kind, alias: Some(alias), nullable: true, default: None };
    }
    let kind = *pick(dice, &KINDS);
    let default = dice.chance(35).then(|| (name(dice, "k", 16), value(dice, kind).unwrap_or_else(|| "5".into())));
    let nullable = default.is_none() || dice.chance(50);
    Column { name: (*pick(dice, &COLUMNS)).into(), kind, alias: None, nullable, default }
}

pub(super) fn new_table(dice: &mut Dice, view: &Model) -> Table {
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
