//! The procedures of API cursors: their arguments, which go by position, and what goes back.
//!
//! What always holds: a call has a status and its OUTPUT values also where it fails; clients read a handle of 0 as no cursor.

use std::sync::Arc;

use millpond_code::prepared_calls::Prepared;
use millpond_engine::system_call::CallArg;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{MaxLen, SqlType, Value};

use crate::answer::{Answer, Failure, Procedure, number, told, wanted};
use crate::buffer::Place;
use crate::fetch::{CLOSED, Fetch, ROWS_DEFAULT};
use crate::fetched::fetch_rows;
use crate::host::{Host, Outputs};
use crate::open::{Opened, Request, open};
use crate::option::{close, invalid_handle, sp_cursorclose, sp_cursoroption};
use crate::options::{Asked, CONCURRENCIES, KINDS, invalid};
use crate::positioned::sp_cursor;

/// "Could not create an acceptable cursor."
const UNACCEPTABLE: i32 = 16_955;

/// Calls one of the procedures.
pub fn call(host: &mut dyn Host, procedure: Procedure, args: &[CallArg]) -> Answer {
    let mut outputs = Vec::new();
    let done = check_count(procedure, args).map_err(|error| Failure { status: 1, ..error.into() });
    let done = done.and_then(|()| match procedure {
        Procedure::Cursor => sp_cursor(host, args),
        Procedure::Open => sp_cursoropen(host, args, &mut outputs),
        Procedure::Prepare => sp_cursorprepare(host, args, &mut outputs),
        Procedure::Execute => sp_cursorexecute(host, args, &mut outputs),
        Procedure::PrepareExecute => sp_cursorprepexec(host, args, &mut outputs),
        Procedure::Unprepare => Ok(host.forget_text(wanted(procedure, args, 0, "handle")?).map(|()| 0)?),
        Procedure::Fetch => sp_cursorfetch(host, args, &mut outputs),
        Procedure::Option => sp_cursoroption(host, args, &mut outputs),
        Procedure::Close => sp_cursorclose(host, args),
    });
    outputs.retain(|(place, ..)| args.get(*place).is_some_and(|arg| arg.output));
    match done {
        Ok(status) => Answer { status, outputs, error: None },
        Err(Failure { error, status }) => {
            let error = error.map(|error| error.inside(Some(&Arc::from(procedure.name()))));
            Answer { status, outputs, error }
        }
    }
}

fn check_count(procedure: Procedure, args: &[CallArg]) -> SqlResult<()> {
    let (fewest, most) = procedure.counts();
    if args.len() < fewest {
        return Err(SqlError::of(16_903, 1, &[&procedure.name()]));
    }
    match most {
        Some(most) if args.len() > most => Err(SqlError::of(16_914, 1, &[&procedure.name()])),
        _ => Ok(()),
    }
}

/// What an opening gives back, at the places of handle, scrollopt, ccopt and rowcount.
struct Places {
    handle: usize,
    options: usize,
}

impl Places {
    /// Opens; whatever becomes of it goes back.
    fn open(
        &self,
        host: &mut dyn Host,
        procedure: Procedure,
        args: &[CallArg],
        text: impl FnOnce(&mut dyn Host, Asked) -> Result<(Prepared, usize), Failure>,
        outputs: &mut Outputs,
    ) -> Result<i32, Failure> {
        let (scroll, cc) =
            (number(procedure, args, self.options, "scrollopt")?, number(procedure, args, self.options + 1, "ccopt")?);
        let rows = number(procedure, args, self.options + 2, "rowcount")?;
        let echo = |outputs: &mut Outputs, rows: Option<i32>| {
            let options = self.options..;
            outputs.push(told(self.handle, Some(0)));
            outputs.extend(options.zip([scroll, cc, rows]).map(|(place, number)| told(place, number)));
        };
        let opened = Asked::of(procedure.name(), scroll, cc).map_err(|error| {
            echo(outputs, None);
            Failure { status: 1, ..error.into() }
        });
        let asked = opened?;
        let (prepared, first) = text(host, asked).inspect_err(|_| echo(outputs, rows))?;
        let args = args.get(first..).unwrap_or_default();
        let request = Request { procedure: procedure.name(), prepared, args, asked, rows };
        let opened = open(host, &request).inspect_err(|failure| {
            echo(outputs, Some(0));
            // What is no kind goes where the text is at fault.
            if failure.status != UNACCEPTABLE {
                let place = outputs.len() - 3;
                outputs[place] = told(self.options, scroll.map(|scroll| scroll & KINDS));
                outputs[place + 1] = told(self.options + 1, cc.map(|cc| cc & CONCURRENCIES));
            }
        })?;
        let Opened { handle, scroll, concurrency, rows, status, outputs: of_text } = opened;
        outputs.push(told(self.handle, Some(handle)));
        let options = (self.options..).zip([scroll, concurrency, rows]);
        outputs.extend(options.map(|(place, number)| told(place, Some(number))));
        outputs.extend(of_text.into_iter().map(|(place, value, sql)| (place + first, value, sql)));
        Ok(status)
    }
}

/// `sp_cursoropen cursor OUTPUT, stmt, scrollopt, ccopt, rowcount, paramdef, values`
fn sp_cursoropen(host: &mut dyn Host, args: &[CallArg], outputs: &mut Outputs) -> Result<i32, Failure> {
    let refused = |name, state| Failure { status: 1, ..invalid("sp_cursoropen", name, state).into() };
    Places { handle: 0, options: 2 }.open(
        host,
        Procedure::Open,
        args,
        |host, asked| {
            if asked.is_parameterized() && args.len() < 6 {
                return Err(refused("scrollopt", 22));
            }
            if !asked.is_parameterized() && args.len() > 5 {
                return Err(refused("paramdef", 21));
            }
            let text = &text_of(&args[1]).ok_or_else(|| refused("stmt", 1))?;
            Ok((host.prepared(text, args.get(5))?, 6))
        },
        outputs,
    )
}

/// The text as one of Unicode, which a client may send in any type of strings.
fn text_of(arg: &CallArg) -> Option<CallArg> {
    let text = arg.value.as_ref().and_then(Value::as_str)?;
    let sql = SqlType::NVarChar { len: MaxLen::Max };
    Some(CallArg {
        value: Some(Value::str(text)),
        sql,
        name: None,
        output: false,
        table: None,
        sent: None,
        cursor: None,
    })
}

/// `sp_cursorprepare handle OUTPUT, params, stmt, options, scrollopt, ccopt`
fn sp_cursorprepare(host: &mut dyn Host, args: &[CallArg], outputs: &mut Outputs) -> Result<i32, Failure> {
    let (scroll, cc) =
        (number(Procedure::Prepare, args, 4, "scrollopt")?, number(Procedure::Prepare, args, 5, "ccopt")?);
    outputs.extend([told(0, Some(0)), told(4, scroll), told(5, cc)]);
    Asked::of(Procedure::Prepare.name(), scroll, cc).map_err(|error| Failure { status: 1, ..error.into() })?;
    let prepared = host.prepared(&args[2], args.get(1))?;
    let wants_columns = number(Procedure::Prepare, args, 3, "options")?.is_some_and(|options| options & 1 != 0);
    host.compile(&prepared, wants_columns)?;
    outputs[0] = told(0, Some(host.keep(prepared)?));
    Ok(0)
}

/// `sp_cursorexecute handle, cursor OUTPUT, scrollopt, ccopt, rowcount, values`
fn sp_cursorexecute(host: &mut dyn Host, args: &[CallArg], outputs: &mut Outputs) -> Result<i32, Failure> {
    let kept = |host: &mut dyn Host, _| Ok((host.kept_text(wanted(Procedure::Execute, args, 0, "handle")?)?, 5));
    Places { handle: 1, options: 2 }.open(host, Procedure::Execute, args, kept, outputs)
}

/// `sp_cursorprepexec handle OUTPUT, cursor OUTPUT, params, stmt, scrollopt, ccopt, rowcount, values`
fn sp_cursorprepexec(host: &mut dyn Host, args: &[CallArg], outputs: &mut Outputs) -> Result<i32, Failure> {
    // A handle that comes is that of a text which is prepared anew.
    if let Some(old) = number(Procedure::PrepareExecute, args, 0, "handle")?.filter(|old| *old != 0) {
        // It may be gone: what was wanted is that it goes.
        let _ = host.forget_text(old);
    }
    let mut handle = 0;
    let keep = |host: &mut dyn Host, asked: Asked| {
        let declares = text_of(&args[2]).is_some_and(|text| {
            text.value.as_ref().and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
        });
        if declares && !asked.is_parameterized() {
            return Err(Failure { status: 1, ..invalid("sp_cursorprepexec", "paramdef", 21).into() });
        }
        let prepared = host.prepared(&args[3], args.get(2))?;
        handle = host.keep(prepared.clone())?;
        Ok((prepared, 7))
    };
    let mut of_cursor = Vec::new();
    let done = Places { handle: 1, options: 4 }.open(host, Procedure::PrepareExecute, args, keep, &mut of_cursor);
    // Drivers take the first value that comes back for the handle of the text.
    outputs.push(told(0, Some(handle)));
    outputs.append(&mut of_cursor);
    done
}

/// `sp_cursorfetch cursor, fetchtype, rownum, nrows`
fn sp_cursorfetch(host: &mut dyn Host, args: &[CallArg], outputs: &mut Outputs) -> Result<i32, Failure> {
    let procedure = Procedure::Fetch;
    let refused = |name| Failure { status: 1, ..invalid(procedure.name(), name, 1).into() };
    let failed = |error: SqlError| Failure { status: 1, ..error.into() };
    let handle = wanted(procedure, args, 0, "cursor")?;
    let fetch_type = number(procedure, args, 1, "fetchtype")?.unwrap_or(0x2);
    let row = number(procedure, args, 2, "rownum")?;
    let rows = number(procedure, args, 3, "nrows")?;
    outputs.extend([told(2, row), told(3, rows)]);
    let Some(cursor) = host.kept().get(handle) else { return Err(invalid_handle(procedure.name(), handle)) };
    let fetch = Fetch::of(fetch_type, i64::from(row.unwrap_or(0))).map_err(failed)?;
    if fetch == Fetch::Info {
        let count = cursor.cursor.lock().open.as_ref().map_or(0, |open| open.rows.len());
        let (position, rows) = match (cursor.given.counts_rows(), cursor.buffer.place) {
            (counts, Place::Before) => (0, if counts { count as i64 } else { -1 }),
            (true, Place::After) => (-1, count as i64),
            (false, Place::After) => (-1, -1),
            (true, Place::Rows) => (cursor.buffer.first_number, count as i64),
            (false, Place::Rows) => (1, -1),
        };
        let shown = |number: i64| Some(i32::try_from(number).unwrap_or(i32::MAX));
        *outputs = vec![told(2, shown(position)), told(3, shown(rows))];
        return Ok(0);
    }
    // What is fetched is no output.
    for (place, name) in [(2, "rownum"), (3, "nrows")] {
        if args.get(place).is_some_and(|arg| arg.output) {
            return Err(refused(name));
        }
    }
    let rows = rows.unwrap_or(ROWS_DEFAULT);
    fetch.check(cursor.given, rows).map_err(failed)?;
    let closes = cursor.closes;
    let (status, fetched) = fetch_rows(host, handle, Some((fetch, rows)))?;
    if closes && (fetched as i64) < i64::from(rows) {
        close(host, handle);
        return Ok(CLOSED);
    }
    Ok(status)
}
