//! `sp_updatestats`: statistics whose tables have changed are made anew; `sp_helpstats` lists those of a table.

use millpond_catalog::StatisticsObject;
use millpond_engine::inventory::{self, ListedTable};
use millpond_engine::rows::TableRows;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_seek::{Sample, changes_since, make};
use millpond_types::{SqlType, Value};

use super::help::of_table;
use super::named::{nvarchar, text_arg};

/// `sp_updatestats ['resample']`
pub static SP_UPDATESTATS: ProcedureDef =
    ProcedureDef { name: "sp_updatestats", params: &[("@resample", SqlType::char(8))], run: update_statistics };

/// `sp_helpstats table [, 'STATS' | 'ALL']`
pub static SP_HELPSTATS: ProcedureDef = ProcedureDef {
    name: "sp_helpstats",
    params: &[("@objname", nvarchar(776)), ("@results", nvarchar(5))],
    run: help_statistics,
};

fn help_statistics(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let all = text_arg(call, &SP_HELPSTATS, 1).is_some_and(|wanted| wanted.eq_ignore_ascii_case("ALL"));
    of_table(call, &SP_HELPSTATS, |call, table| {
        let objects = table.statistics().into_iter().filter(|object| all || object.index.is_none());
        let row = |object: StatisticsObject| {
            let columns = object.columns[..object.named].iter().map(|column| table.def.columns[*column].name.as_str());
            vec![Value::str(&object.name), Value::str(&columns.collect::<Vec<_>>().join(", "))]
        };
        let rows: Vec<_> = objects.map(row).collect();
        match (rows.is_empty(), all) {
            (true, false) => call.inform(15574, &[]),
            (true, true) => call.inform(15575, &[]),
            (false, _) => {
                return call.result(&[("statistics_name", nvarchar(128)), ("statistics_keys", nvarchar(2126))], rows);
            }
        }
        Ok(())
    })
}

fn update_statistics(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    for table in inventory::indexed(call.ctx(), call.ctx().facts.database)? {
        call.inform(15650, &[&table.def.schema.name, &table.name]);
        let (mut updated, mut fresh) = (0, 0);
        for object in table.statistics() {
            if update_one(call, &table, &object)? {
                call.inform(15652, &[&object.name]);
                updated += 1;
            } else {
                call.inform(15653, &[&object.name]);
                fresh += 1;
            }
        }
        call.inform(15651, &[&updated, &fresh]);
        call.inform_text(" ");
    }
    call.inform(15005, &[]);
    Ok(0)
}

/// Whether there was something to do.
fn update_one(call: &SystemCall<'_>, table: &ListedTable, object: &StatisticsObject) -> SqlResult<bool> {
    // The heap of another session is that one's to read.
    let is_other = || call.ctx().session.temp.read().by_id(table.id.cast_unsigned()).is_none();
    if matches!(table.rows, TableRows::Heap(_)) && is_other()
        || table.rows.are_in_memory()
        || table.def.name.starts_with('@')
        || object.index.is_some_and(|position| table.def.indexes[position].disabled)
    {
        return Ok(false);
    }
    let statistics = &table.rows.counters().statistics;
    let known = statistics.get(object.id, &object.column_ids(&table.def));
    let changed = match &known {
        Some(known) => changes_since((&table.def, &table.rows), object, known) > 0,
        None => table.rows.known_count() != Some(0),
    };
    if changed {
        let (persisted_percent, no_recompute) =
            known.map_or((None, false), |known| (known.persisted_percent, known.no_recompute));
        let sample = persisted_percent.map_or(Sample::Usual, Sample::Percent);
        let object = StatisticsObject { no_recompute, ..object.clone() };
        make(call.ctx(), (&table.def, &table.rows), &object, sample, persisted_percent)?;
    }
    Ok(changed)
}
