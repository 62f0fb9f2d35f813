//! Rows of a table in trees, page by page, by the way that was chosen when the plan was made.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use millpond_types::Value;

use crate::context::RunContext;
use crate::error::SqlResult;
use crate::message;
use crate::seek::{Access, KeyBounds, Keys};
use crate::stored::{Entries, Found, IndexScan, StoredTable, place_of};

/// A scan of one table in progress.
pub(super) struct TreeRows {
    binding: usize,
    access: Access,
    key: Option<Vec<u8>>,
    ranges: VecDeque<KeyBounds>,
    scan: Option<IndexScan>,
    entries: Entries,
    found: Found,
}

/// The receiver of a row: locator and record.
pub(super) type TakeRow<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> SqlResult<ControlFlow<()>>;

impl TreeRows {
    /// Begins; `row` has what is known of the row before the table is read.
    pub(super) fn open(context: &RunContext, binding: usize, access: &Access, row: &[Value]) -> SqlResult<TreeRows> {
        let (mut key, mut ranges) = (None, VecDeque::new());
        match access.keys(&context.tables[binding].def, context, row)? {
            Keys::None => {}
            Keys::Key(single) => key = Some(single),
            Keys::Ranges(all) => ranges = all.into(),
        }
        if access.backward {
            ranges = ranges.into_iter().rev().collect();
        }
        let (entries, found) = (Entries::default(), Found::default());
        Ok(TreeRows { binding, access: access.clone(), key, ranges, scan: None, entries, found })
    }

    /// Hands on the rows of the next page; false when there are no more. A `Break` ends the scan.
    pub(super) fn next_page(&mut self, context: &RunContext, take: TakeRow<'_>) -> SqlResult<bool> {
        let table = StoredTable::open(context, self.binding);
        let Access { index, covers, backward, .. } = self.access;
        if let Some(key) = self.key.take() {
            if table.get(index, covers, &key, &mut self.found)? {
                let _ = take(&self.found.locator, &self.found.record)?;
            }
            return Ok(false);
        }
        if self.scan.is_none() {
            let Some(range) = self.ranges.pop_front() else { return Ok(false) };
            self.scan = Some(table.scan(index, range, backward));
        }
        let scan = self.scan.as_mut().expect("opened above");
        let more = self.entries.fill(scan, &context.ask(self.binding), usize::MAX);
        let place = place_of(&context.tables[self.binding].def);
        if !more.map_err(|error| message::of_txn(error, place))? {
            self.scan = None;
        }
        for entry in self.entries.iter() {
            if table.found(index, covers, entry, &mut self.found)?
                && take(&self.found.locator, &self.found.record)?.is_break()
            {
                return Ok(false);
            }
        }
        Ok(self.scan.is_some() || !self.ranges.is_empty())
    }
}
