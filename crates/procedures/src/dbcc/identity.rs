//! DBCC CHECKIDENT: the identity value of a table is shown, or set.

use std::ops::ControlFlow;

use millpond_access::tree;
use millpond_access::tree::{Direction, KeyRange};
use millpond_catalog::TableDef;
use millpond_catalog::trees::TableTrees;
use millpond_engine::arguments::named_table;
use millpond_engine::stored::place_of;
use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{CastRules, Decimal, SqlType, Value, cast};

/// `DBCC CHECKIDENT (table [, NORESEED | RESEED [, value]])`
pub static CHECKIDENT: DbccDef = DbccDef {
    name: "CHECKIDENT",
    syntax: "( 'table_name' [ , NORESEED | RESEED [ , new_reseed_value ] ] )
    [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 1..=3, options: &["NO_INFOMSGS"] },
    run,
};

fn run(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let (dictionary, def, trees) = named_table(call.ctx(), call.positional(0))?;
    let Some(column) = def.identity_column() else {
        return Err(SqlError::of(7997, 1, &[&def.name]));
    };
    let word = call.positional(1).and_then(Value::as_str).unwrap_or_default().to_ascii_uppercase();
    let given = call.positional(2);
    let wanted = given.and_then(|value| {
        let whole = |number: Decimal| i64::try_from(number.unscaled).ok().filter(|_| number.scale == 0);
        value.as_i64().or_else(|| value.as_decimal().and_then(whole))
    });
    let is_right = wanted.map_or(given.is_none(), |wanted| fits(wanted, &def.columns[column].ty.sql));
    if word == "RESEED" && !is_right {
        return Err(SqlError::of(2560, 9, &[&3]));
    }
    let (_, increment) = def.columns[column].identity.expect("it is the identity column");
    let highest = column_value(call, &def, &trees, column, increment > 0)?;
    let mut counter = trees.counters.identity.lock();
    let text = |value: Option<i64>| value.map_or_else(|| "NULL".to_owned(), |value| value.to_string());
    let current = text(counter.last);
    let after = |last: Option<i64>| match (last, highest) {
        (Some(last), Some(highest)) => {
            if increment > 0 {
                highest > last
            } else {
                highest < last
            }
        }
        (None, highest) => highest.is_some(),
        (_, None) => false,
    };
    let target = match (word.as_str(), wanted) {
        ("NORESEED", _) => None,
        // A table that never had a value begins with the one that is given.
        ("RESEED", Some(value)) if counter.last.is_none() => value.checked_sub(increment),
        ("RESEED", Some(value)) => Some(value),
        ("RESEED" | "", _) if after(counter.last) => highest,
        ("RESEED" | "", _) => None,
        _ => return Err(message::syntax_near(&word)),
    };
    if let Some(target) = target {
        let databases = call.ctx().engine.databases();
        databases.on_own_account(|io| dictionary.reserve_identity(io, def.id, target))?;
        counter.last = Some(target);
        counter.reserved = Some(target);
    }
    drop(counter);
    if call.option("NO_INFOMSGS") {
        return Ok(());
    }
    match wanted.filter(|_| word == "RESEED") {
        Some(_) => call.inform(7998, &[&current, &""]),
        None => call.inform(7998, &[&current, &format_args!(", current column value '{}'", text(highest))]),
    }
    Ok(())
}

/// Whether a column of the type takes a value.
fn fits(value: i64, sql: &SqlType) -> bool {
    cast::cast(&Value::BigInt(value), &SqlType::BigInt, sql, None, CastRules::DEFAULT).is_ok()
}

/// The greatest (or least) value in the column, of all rows that are there.
fn column_value(
    call: &SystemCall<'_>,
    def: &TableDef,
    trees: &TableTrees,
    column: usize,
    ascending: bool,
) -> SqlResult<Option<i64>> {
    let (mut best, mut failed) = (None::<i64>, None);
    let mut cursor = tree::cursor::open(&trees.trees[0], KeyRange::all(), Direction::Forward);
    let ask = call.ctx().ask_other();
    loop {
        let more = cursor.next_page(&ask, &mut |entry| {
            if entry.is_ghost {
                return ControlFlow::Continue(());
            }
            let found = match def.layout.column(entry.payload, column) {
                Ok(value) => value,
                Err(error) => {
                    failed = Some(message::of_row(error));
                    return ControlFlow::Break(());
                }
            };
            let value =
                found.as_i64().or_else(|| found.as_decimal().and_then(|number| i64::try_from(number.unscaled).ok()));
            best = match (best, value) {
                (Some(best), Some(value)) => Some(if ascending { best.max(value) } else { best.min(value) }),
                (best, value) => best.or(value),
            };
            ControlFlow::Continue(())
        });
        let more = more.map_err(|cause| message::of_access(cause, place_of(def)))?;
        if let Some(error) = failed.take() {
            return Err(error);
        }
        if !more {
            return Ok(best);
        }
    }
}
