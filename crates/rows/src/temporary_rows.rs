//! The rows of a temporary table, page by page, for statements that put a table of another definition in its place.
//!
//! What always holds: no more than a page of rows is in memory at a time, and no latch is held between two pages, so what
//! comes of a page may be written before the next one is read.

use std::ops::ControlFlow;

use millpond_access::HeapScan;
use millpond_access::heap;
use millpond_access::tree::{Direction, KeyRange};
use millpond_catalog::large::{Large, all};
use millpond_catalog::run::Run;
use millpond_engine::context::RunContext;
use millpond_engine::stored::{Entries, IndexScan};
use millpond_engine::temp::TempTable;
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_txn::ReadHint;
use millpond_txn::{SessionWork, read};
use millpond_types::Value;

enum Pages {
    Heap(HeapScan),
    Tree(Box<IndexScan>, Entries),
}

/// A scan of a temporary table's rows.
pub struct TemporaryRows<'t> {
    table: &'t TempTable,
    pages: Pages,
}

/// All rows of a temporary table.
pub fn temporary_rows<'t>(work: &mut SessionWork, table: &'t TempTable) -> TemporaryRows<'t> {
    let pages = match &table.trees {
        None => Pages::Heap(heap::scan::open(&table.heap)),
        Some(trees) => {
            let reader = work.reader();
            let scan =
                read::scan::open(&reader, &trees.trees[0], KeyRange::all(), Direction::Forward, ReadHint::no_lock());
            Pages::Tree(Box::new(IndexScan::Tree(scan)), Entries::default())
        }
    };
    TemporaryRows { table, pages }
}

/// Whether a temporary table has a row.
///
/// # Errors
/// Of the read.
pub fn has_temporary_rows(ctx: &RunContext, work: &mut SessionWork, table: &TempTable) -> SqlResult<bool> {
    let mut rows = temporary_rows(work, table);
    let mut page = Vec::new();
    while rows.next_page(ctx, &mut page)? {
        if !page.is_empty() {
            return Ok(true);
        }
    }
    Ok(!page.is_empty())
}

impl TemporaryRows<'_> {
    /// The rows of the next page, in the place of those that were in `rows`; false when there is none after it.
    ///
    /// # Errors
    /// Of the read.
    pub fn next_page(&mut self, ctx: &RunContext, rows: &mut Vec<Vec<Value>>) -> SqlResult<bool> {
        rows.clear();
        let (table, ask) = (self.table, ctx.ask_other());
        let place = Place { schema: "", object: &table.def.name, database: "tempdb" };
        let large = Large { layout: &table.def.layout, home: table.value_home(), ask, place, watch: ctx.watch() };
        let mut space = Vec::new();
        let mut decoded = |record: &[u8]| {
            let mut row = Vec::new();
            let record = large.whole(record, &all, &mut space)?;
            table.def.layout.decode(record, &mut row).map_err(message::of_row)?;
            rows.push(row);
            Ok(())
        };
        match &mut self.pages {
            Pages::Heap(scan) => {
                let mut failed = None;
                let mut take = |record: &[u8]| match decoded(record) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                };
                let more = scan.next_page(&ask, &mut |_, record| take(record));
                let more = more.map_err(|error| message::of_access(error, place))?;
                failed.map_or(Ok(more), Err)
            }
            Pages::Tree(scan, entries) => {
                let more = entries.fill(scan, &ask, usize::MAX).map_err(|error| message::of_txn(error, place))?;
                entries.iter().try_for_each(|entry| decoded(entry.payload))?;
                Ok(more)
            }
        }
    }
}
