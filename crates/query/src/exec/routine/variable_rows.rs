//! The rows that a function of the user has put into the table variable that it returns.

use std::ops::ControlFlow;

use millpond_access::heap;
use millpond_catalog::large::{Large, all};
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_storage::ask::{Ask, IoCount};
use millpond_txn::read;
use millpond_types::{Value, Watch};

use crate::session::Session;

/// Rows of a function that its caller takes at once.
const ROWS_MAX: usize = 4 << 20;

/// All rows of a table variable.
pub(in crate::exec) fn rows_of_variable(session: &mut Session, name: &str) -> SqlResult<Vec<Vec<Value>>> {
    let table = session.shared.temp.read().find(name, session.facts.nest_level).cloned();
    let table = table.ok_or_else(|| message::undeclared_table_variable(name))?;
    let io = IoCount::default();
    let ask = Ask::new(&session.shared.task, &io);
    let place = Place { schema: "", object: name, database: "tempdb" };
    let (layout, width) = (&table.def.layout, table.def.columns.len());
    let mut rows: Vec<Vec<Value>> = Vec::new();
    let mut failed = None;
    debug_assert!(!table.def.in_memory, "RETURNS @t TABLE is never memory-optimized");
    let large = Large {
        layout,
        home: table.value_home(),
        ask,
        place,
        watch: Watch::NONE.within(&**session.engine.workspace()),
    };
    let mut space = Vec::new();
    if let Some(trees) = &table.trees {
        let reader = session.work.reader();
        let range = millpond_access::tree::KeyRange::all();
        let hint = millpond_txn::ReadHint::no_lock();
        let read = read::scan::for_each(&reader, &ask, &trees.trees[0], range, hint, &mut |_, record| {
            let mut row = Vec::new();
            let decoded = large
                .whole(record, &all, &mut space)
                .and_then(|record| layout.decode(record, &mut row).map_err(message::of_row));
            match decoded {
                Ok(()) if rows.len() < ROWS_MAX => rows.push(row),
                Ok(()) => failed = Some(message::out_of_memory()),
                Err(error) => failed = Some(error),
            }
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        read.map_err(|error| message::of_txn(error, place))?;
        return failed.map_or(Ok(rows), Err);
    }
    let mut scan = heap::scan::open(&table.heap);
    loop {
        let more = scan.next_page(&ask, &mut |_, record| {
            let row = large.whole(record, &all, &mut space).and_then(|record| {
                let columns = (0..width).map(|column| layout.column(record, column));
                columns.collect::<Result<Vec<Value>, _>>().map_err(message::of_row)
            });
            match row {
                Ok(row) if rows.len() < ROWS_MAX => rows.push(row),
                Ok(_) => failed = Some(message::out_of_memory()),
                Err(error) => failed = Some(error),
            }
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let more = more.map_err(|error| message::of_access(error, place))?;
        match failed.take() {
            Some(error) => return Err(error),
            None if more => {}
            None => return Ok(rows),
        }
    }
}
