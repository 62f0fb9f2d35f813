//! DBCC TRACEON, TRACEOFF and TRACESTATUS. Flags are kept and shown; 1117 and 1118 change nothing, as in SQL Server
//! since 2016, because what they asked for is the rule. 3505, set for all, suspends automatic checkpoints.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

/// `DBCC TRACEON (1118, -1)`
pub static TRACEON: DbccDef = DbccDef {
    name: "TRACEON",
    syntax: "( trace# [ , ...n ] [ , -1 ] ) [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 0..=usize::MAX, options: &["NO_INFOMSGS"] },
    run: |call| switch(call, true),
};

/// `DBCC TRACEOFF (1118, -1)`
pub static TRACEOFF: DbccDef = DbccDef {
    name: "TRACEOFF",
    syntax: "( trace# [ , ...n ] [ , -1 ] ) [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 0..=usize::MAX, options: &["NO_INFOMSGS"] },
    run: |call| switch(call, false),
};

/// `DBCC TRACESTATUS (-1)`
pub static TRACESTATUS: DbccDef = DbccDef {
    name: "TRACESTATUS",
    syntax: "( [ [ trace# [ , ...n ] ] [ , ] [ -1 ] ] ) [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 0..=usize::MAX, options: &["NO_INFOMSGS"] },
    run: status,
};

/// Numbers that a flag may have.
const FLAGS: RangeInclusive<i32> = 1..=32_766;

/// The flags given, and whether -1 (global) was among them.
fn flags(call: &SystemCall<'_>) -> SqlResult<(Vec<i32>, bool)> {
    let mut flags = Vec::new();
    for (index, arg) in call.args.iter().enumerate() {
        let flag = arg.value.as_ref().and_then(Value::as_i64).and_then(|flag| i32::try_from(flag).ok());
        let flag = flag.filter(|flag| *flag == -1 || FLAGS.contains(flag));
        flags.push(flag.ok_or_else(|| SqlError::of(2560, 9, &[&(index + 1)]))?);
    }
    let global = flags.contains(&-1);
    flags.retain(|flag| *flag != -1);
    Ok((flags, global))
}

fn switch(call: &mut SystemCall<'_>, on: bool) -> SqlResult<()> {
    let (flags, global) = flags(call)?;
    for flag in flags {
        if global {
            call.ctx().engine.set_trace_flag(flag, on);
            continue;
        }
        let mut own = call.ctx().session.trace_flags.lock();
        if on {
            own.insert(flag)
        } else {
            own.remove(&flag)
        };
    }
    Ok(())
}

fn status(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let (wanted, _) = flags(call)?;
    let global: BTreeSet<i32> = call.ctx().engine.trace_flags().into_iter().collect();
    let own = call.ctx().session.trace_flags.lock().clone();
    let shown: BTreeSet<i32> =
        if wanted.is_empty() { global.union(&own).copied().collect() } else { wanted.into_iter().collect() };
    let flag = |set: &BTreeSet<i32>, number: i32| Value::SmallInt(i16::from(set.contains(&number)));
    let rows = shown
        .into_iter()
        .map(|number| {
            let on = global.contains(&number) || own.contains(&number);
            vec![
                Value::SmallInt(i16::try_from(number).unwrap_or(i16::MAX)),
                Value::SmallInt(i16::from(on)),
                flag(&global, number),
                flag(&own, number),
            ]
        })
        .collect();
    let sql = SqlType::SmallInt;
    call.result(&[("TraceFlag", sql), ("Status", sql), ("Global", sql), ("Session", sql)], rows)
}
