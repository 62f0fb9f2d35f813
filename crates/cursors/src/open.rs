//! sp_cursoropen, sp_cursorexecute and sp_cursorprepexec: a cursor over a query or over the rows of a procedure, or, where a text
//! makes none, its direct execution.

use std::sync::Arc;

use millpond_code::cursors::CursorRef;
use millpond_code::prepared_calls::Prepared;
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::SqlError;
use millpond_message::sink::{Column, ColumnSource, Message, Origins};
use millpond_types::{SqlType, Value};

use crate::answer::Failure;
use crate::buffer::Buffer;
use crate::fetch::{CLOSED, Fetch, ROWS_DEFAULT};
use crate::fetched::fetch_rows;
use crate::host::{Host, Outputs, Ran, Results, Taken};
use crate::kept::{ApiCursor, Room};
use crate::option::close;
use crate::options::{Asked, Given, READ_ONLY, STATIC};
use crate::origins::{origins, status_column};
use crate::texts::{self, Shape};

/// What is to be opened.
pub struct Request<'a> {
    /// The procedure that is called.
    pub procedure: &'static str,
    /// The text.
    pub prepared: Prepared,
    /// Its arguments.
    pub args: &'a [CallArg],
    /// Its options.
    pub asked: Asked,
    /// Rows that come with the cursor, where some are to.
    pub rows: Option<i32>,
}

/// What a client is told.
#[derive(Debug, Default)]
pub struct Opened {
    /// 0 where there is no cursor.
    pub handle: i32,
    /// `scrollopt`
    pub scroll: i32,
    /// `ccopt`
    pub concurrency: i32,
    /// -1 where it is not known.
    pub rows: i32,
    /// Of the call.
    pub status: i32,
    /// Values of the text's OUTPUT parameters.
    pub outputs: Outputs,
}

/// Opens a cursor, or runs a text that makes none.
///
/// # Errors
/// The text's own with 16945 after it; 16937 for one that makes no cursor, 16955 for a cursor of a kind that the client does not
/// take, 16960 for one too many.
pub fn open(host: &mut dyn Host, request: &Request<'_>) -> Result<Opened, Failure> {
    let opened = match texts::shape(host, request.asked, &request.prepared.text) {
        Ok(Shape::Query) => over_query(host, request).map(|cursor| cursor.map(|cursor| (cursor, Outputs::new()))),
        Ok(Shape::Procedure) => over_procedure(host, request),
        Ok(Shape::Other) if request.asked.allows_direct() => return direct(host, request),
        Ok(Shape::Other) => Err(SqlError::of(16_937, 1, &[]).into()),
        Err(error) => Err(error.into()),
    };
    match opened.map_err(|failure| not_declared(request.procedure, failure))? {
        Some((cursor, outputs)) => announce(host, request, cursor, outputs),
        // Under SET options that run nothing.
        None => Ok(Opened::default()),
    }
}

/// 16945 follows what went wrong.
fn not_declared(procedure: &str, failure: Failure) -> Failure {
    let last = SqlError::of(16_945, 2, &[]);
    let error = match failure.error {
        Some(cancelled) if cancelled.number == message::CANCELLED => cancelled,
        Some(error) => last.after(error).inside(Some(&Arc::from(procedure))),
        None => last,
    };
    Failure { error: Some(error), ..failure }
}

/// What is left of a text that has failed: its error is sent.
fn failed(ran: &Ran) -> Failure {
    if ran.error == 0 {
        return Failure::from(message::cancelled());
    }
    Failure { error: None, status: ran.error }
}

fn over_query(host: &mut dyn Host, request: &Request<'_>) -> Result<Option<ApiCursor>, Failure> {
    host.kept().check_count()?;
    let Prepared { text, declared } = &request.prepared;
    let text = Arc::from(texts::declare(request.asked, text));
    let declaration = Prepared { text, declared: Arc::clone(declared) };
    host.named().remove(&texts::key());
    let ran = host.run(&declaration, request.args, Results::Sent)?;
    let Some(cursor) = declared_cursor(host, ran)? else { return Ok(None) };
    let (bound, query) = {
        let cursor = cursor.lock();
        (Arc::clone(&cursor.code.bound), Arc::clone(&cursor.code.code))
    };
    let given = request.asked.given(&query);
    if !request.asked.accepts(given) {
        return Err(SqlError::of(16_955, 2, &[]).into());
    }
    run_as(host, &cursor, &texts::open())?;
    if cursor.lock().open.is_none() {
        return Ok(None);
    }
    let mut columns = query.columns.clone();
    columns.push(status());
    let origins = origins(host, &bound, &query);
    let room = room_of(host, &cursor)?;
    let closes = request.asked.closes();
    Ok(Some(ApiCursor { cursor, given, closes, columns, origins, buffer: Buffer::default(), name: None, room }))
}

/// The cursor that a declaration has left.
fn declared_cursor(host: &mut dyn Host, ran: Ran) -> Result<Option<CursorRef>, Failure> {
    let cursor = host.named().remove(&texts::key()).flatten();
    if ran.is_well() { Ok(cursor) } else { Err(failed(&ran)) }
}

/// Runs a text in which a cursor has the name of all.
///
/// # Errors
/// What the text has raised.
pub fn run_as(host: &mut dyn Host, cursor: &CursorRef, prepared: &Prepared) -> Result<(), Failure> {
    run_with(host, cursor, prepared, &[])
}

/// The same with arguments.
///
/// # Errors
/// Likewise.
pub fn run_with(host: &mut dyn Host, cursor: &CursorRef, prepared: &Prepared, args: &[CallArg]) -> Result<(), Failure> {
    host.named().insert(texts::key(), Some(Arc::clone(cursor)));
    let ran = host.run(prepared, args, Results::Sent);
    host.named().remove(&texts::key());
    let ran = ran?;
    if ran.is_well() { Ok(()) } else { Err(failed(&ran)) }
}

/// The rows of a procedure of one query, as they were when it ran.
fn over_procedure(host: &mut dyn Host, request: &Request<'_>) -> Result<Option<(ApiCursor, Outputs)>, Failure> {
    host.kept().check_count()?;
    let given = request.asked.of_given_rows();
    if !request.asked.accepts(given) {
        return Err(SqlError::of(16_955, 2, &[]).into());
    }
    let mut taken = Taken::default();
    let ran = host.run(&request.prepared, request.args, Results::Taken(&mut taken))?;
    if !ran.is_well() {
        return Err(failed(&ran));
    }
    let outputs = ran.outputs;
    // What is a cursor in all but its rows.
    let of_nothing = Asked { scroll: STATIC, concurrency: READ_ONLY };
    let ran = host.run(&texts::plain(&texts::declare(of_nothing, "SELECT 1 WHERE 1 = 0")), &[], Results::Sent)?;
    let Some(cursor) = declared_cursor(host, ran)? else { return Ok(None) };
    run_as(host, &cursor, &texts::open())?;
    let mut columns = taken.columns;
    columns.push(status());
    if let Some(open) = &mut cursor.lock().open {
        open.rows = taken.rows;
    }
    let room = room_of(host, &cursor)?;
    let columns_of = columns.iter().map(|_| status_column());
    let mut origins = Origins { tables: Vec::new(), columns: columns_of.collect() };
    let shown = columns.len() - 1;
    origins.columns[..shown].iter_mut().for_each(|column| column.is_hidden = false);
    let closes = request.asked.closes();
    let buffer = Buffer::default();
    Ok(Some((ApiCursor { cursor, given, closes, columns, origins, buffer, name: None, room }, outputs)))
}

/// Memory for the rows that a cursor keeps while it is open.
fn room_of(host: &mut dyn Host, cursor: &CursorRef) -> Result<Option<Room>, Failure> {
    let bytes: usize = {
        let cursor = cursor.lock();
        let rows = cursor.open.as_ref().map_or(&[][..], |open| &open.rows[..]);
        rows.iter().map(|row| size_of::<Vec<Value>>() + row.len() * size_of::<Value>()).sum()
    };
    if bytes == 0 { Ok(None) } else { Ok(Some(host.room(bytes)?)) }
}

/// The hidden column of the row's status.
fn status() -> Column {
    Column { nullable: false, source: ColumnSource::RowStatus, ..Column::new("ROWSTAT", SqlType::Int) }
}

/// Sends the columns, and the first rows where these are to come with the cursor.
fn announce(
    host: &mut dyn Host,
    request: &Request<'_>,
    cursor: ApiCursor,
    outputs: Outputs,
) -> Result<Opened, Failure> {
    let (closes, Given { scroll, concurrency }) = (cursor.closes, cursor.given);
    let counted = cursor.given.counts_rows().then(|| {
        let held = cursor.cursor.lock();
        held.open.as_ref().map_or(0, |open| i32::try_from(open.rows.len()).unwrap_or(i32::MAX))
    });
    let handle = host.kept().add(cursor);
    let fetches = request.asked.fetches();
    let rows = request.rows.filter(|rows| *rows > 0).unwrap_or(ROWS_DEFAULT);
    let what = fetches.then_some((Fetch::Next, if fetches { rows } else { 0 }));
    let fetched = fetch_rows(host, handle, what);
    let (mut status, mut rows) = (0, counted.unwrap_or(-1));
    match fetched {
        Ok((_, fetched)) if fetches => {
            rows = i32::try_from(fetched).unwrap_or(i32::MAX);
            let is_over = i64::from(rows) < i64::from(request.rows.filter(|rows| *rows > 0).unwrap_or(ROWS_DEFAULT));
            if closes && is_over {
                close(host, handle);
                status = CLOSED;
            }
        }
        Ok(_) => {}
        Err(failure) => {
            close(host, handle);
            return Err(failure);
        }
    }
    let handle = if status == CLOSED { 0 } else { handle };
    Ok(Opened { handle, scroll, concurrency, rows, status, outputs })
}

/// Runs a text that makes no cursor.
fn direct(host: &mut dyn Host, request: &Request<'_>) -> Result<Opened, Failure> {
    let executed = Message::of(16_954, &[]);
    host.sink().message(&Message { procedure: request.procedure.to_owned(), line: 1, ..executed });
    let ran = host.run(&request.prepared, request.args, Results::Sent)?;
    Ok(Opened { status: ran.error, outputs: ran.outputs, ..Opened::default() })
}
