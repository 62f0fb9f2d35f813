//! Rows of a table in trees, page by page, by the way that was chosen when the plan was made.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_catalog::KeyBounds;
use millpond_engine::context::RunContext;
use millpond_engine::stored::{Entries, Found, IndexScan, StoredTable, place_of, split_payload};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::Value;
use parking_lot::Mutex;

use millpond_seek::{Access, KeyRanges, Keys};

use crate::scan::Page;
use crate::scan::bitmap::BitmapTests;
use crate::scan::record::Locator;

/// Ranges that a scan is divided into, for each of its parts: more, so that a slow part leaves the others something to do.
const RANGES_PER_PART: usize = 16;

/// A scan of one table in progress.
pub(crate) struct TreeRows {
    binding: usize,
    access: Access,
    key: Option<Vec<u8>>,
    /// Ranges that no part of the scan has taken yet, shared among the parts.
    ranges: Arc<Mutex<VecDeque<KeyBounds>>>,
    /// What is to be read of the range that was taken last.
    pieces: VecDeque<KeyBounds>,
    /// Where the keys of a bitmap lie.
    key_ranges: Option<KeyRanges>,
    scan: Option<IndexScan>,
    entries: Entries,
    found: Found,
    /// Entries that are read and locked next, at most; a whole page where all rows are wanted.
    most: usize,
}

/// The receiver of a row: locator and record.
pub(crate) type TakeRow<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> SqlResult<ControlFlow<()>>;

impl TreeRows {
    /// Begins; `row` has what is known of the row before the table is read.
    pub(crate) fn open(context: &RunContext, binding: usize, access: &Access, row: &[Value]) -> SqlResult<TreeRows> {
        let (mut key, mut ranges) = (None, VecDeque::new());
        match access.keys(&context.tables[binding].def, context, row)? {
            Keys::None => {}
            Keys::Key(single) => key = Some(single),
            Keys::Ranges(all) => ranges = all.into(),
        }
        if access.backward {
            ranges = ranges.into_iter().rev().collect();
        }
        Ok(TreeRows::of(binding, access, key, Arc::new(Mutex::new(ranges))))
    }

    fn of(binding: usize, access: &Access, key: Option<Vec<u8>>, ranges: Arc<Mutex<VecDeque<KeyBounds>>>) -> TreeRows {
        let (entries, found) = (Entries::default(), Found::default());
        TreeRows {
            binding,
            access: access.clone(),
            key,
            ranges,
            pieces: VecDeque::new(),
            key_ranges: None,
            scan: None,
            entries,
            found,
            most: usize::MAX,
        }
    }

    /// Reads, and locks, one entry at first and each time twice as many: a statement that wants the first rows alone may stop at once.
    pub(crate) fn begin_with_few(&mut self) {
        self.most = 1;
    }

    /// This scan and others, for `parts` threads, that together read what it would: its ranges are divided, and a part
    /// that has read one takes the next. Where rows are locked as they are read there is this scan alone.
    pub(crate) fn divided(self, context: &RunContext, parts: usize) -> SqlResult<Vec<TreeRows>> {
        let table = StoredTable::open(context, self.binding);
        if parts < 2 || self.key.is_some() || !table.may_divide(self.access.index)? {
            return Ok(vec![self]);
        }
        let mut ranges = VecDeque::new();
        for range in self.ranges.lock().drain(..) {
            ranges.extend(table.divided(self.access.index, range, parts * RANGES_PER_PART)?);
        }
        *self.ranges.lock() = ranges;
        let other = |_| TreeRows::of(self.binding, &self.access, None, Arc::clone(&self.ranges));
        let others: Vec<TreeRows> = (1..parts).map(other).collect();
        Ok(std::iter::once(self).chain(others).collect())
    }

    /// Adds the rows of the next page to a batch; false when there are no more. What is read through an index comes row by
    /// row.
    pub(crate) fn next_rows(&mut self, context: &RunContext, page: &mut Page<'_>) -> SqlResult<bool> {
        let holds_rows = context.tables[self.binding].def.indexes[self.access.index].holds_rows();
        if !self.access.covers || self.key.is_some() {
            return self.next_page(context, &mut |key, record| {
                page.add([(Locator::Key(key), record)].into_iter()).map(|()| ControlFlow::Continue(()))
            });
        }
        if !self.read_page(context, Some(page.bitmaps))? {
            return Ok(false);
        }
        if holds_rows {
            page.add(self.entries.iter().map(|entry| (Locator::Key(entry.key), entry.payload)))?;
        } else {
            let mut rows = Vec::with_capacity(self.entries.iter().len());
            for entry in self.entries.iter() {
                let (key, record) = split_payload(entry.payload)?;
                rows.push((Locator::Key(key), record));
            }
            page.add(rows.into_iter())?;
        }
        Ok(self.has_more())
    }

    /// Hands on the rows of the next page; false when there are no more. A `Break` ends the scan.
    pub(crate) fn next_page(&mut self, context: &RunContext, take: TakeRow<'_>) -> SqlResult<bool> {
        let table = StoredTable::open(context, self.binding);
        let Access { index, covers, .. } = self.access;
        if let Some(key) = self.key.take() {
            if table.get(index, covers, &key, &mut self.found)? {
                let _ = take(&self.found.locator, &self.found.record)?;
            }
            return Ok(false);
        }
        if !self.read_page(context, None)? {
            return Ok(false);
        }
        for entry in self.entries.iter() {
            if table.found(index, covers, entry, &mut self.found)?
                && take(&self.found.locator, &self.found.record)?.is_break()
            {
                return Ok(false);
            }
        }
        Ok(self.has_more())
    }

    fn has_more(&self) -> bool {
        self.scan.is_some() || !self.pieces.is_empty() || !self.ranges.lock().is_empty()
    }

    /// What is read next; none at the end. Of a range whose rows bitmaps will drop, that alone which they may keep.
    fn next_range(&mut self, context: &RunContext, bitmaps: Option<&BitmapTests>) -> SqlResult<Option<KeyBounds>> {
        loop {
            let piece = self.pieces.pop_front();
            if piece.is_some() {
                return Ok(piece);
            }
            let Some(range) = self.ranges.lock().pop_front() else { return Ok(None) };
            if self.key_ranges.is_none() {
                self.key_ranges = bitmaps.map(|bitmaps| self.find_key_ranges(context, bitmaps)).transpose()?.flatten();
            }
            let Some(key_ranges) = &self.key_ranges else { return Ok(Some(range)) };
            self.pieces = key_ranges.within(&range);
            if self.access.backward {
                self.pieces.make_contiguous().reverse();
            }
        }
    }

    /// Where the keys of a bitmap lie in the index that is read; none where it begins with none of their columns, and where rows
    /// are locked as they are read: those that are dropped are locked too.
    fn find_key_ranges(&self, context: &RunContext, bitmaps: &BitmapTests) -> SqlResult<Option<KeyRanges>> {
        let (index, def) = (self.access.index, &context.tables[self.binding].def);
        let Some(keys) = def.indexes[index].key.first().and_then(|key| bitmaps.keys_of(key.column)) else {
            return Ok(None);
        };
        let table = StoredTable::open(context, self.binding);
        if !table.may_divide(index)? {
            return Ok(None);
        }
        Ok(Some(KeyRanges::of(|most| keys.runs(most), def, index, table.entry_estimate(index)?)))
    }

    /// Makes `entries` those of the next page, which may be none; false when there are no more pages.
    fn read_page(&mut self, context: &RunContext, bitmaps: Option<&BitmapTests>) -> SqlResult<bool> {
        let Access { index, backward, .. } = self.access;
        if self.scan.is_none() {
            let Some(range) = self.next_range(context, bitmaps)? else { return Ok(false) };
            self.scan = Some(StoredTable::open(context, self.binding).scan(index, range, backward));
        }
        let scan = self.scan.as_mut().expect("opened above");
        let more = self.entries.fill(scan, &context.ask(self.binding), self.most);
        self.most = self.most.saturating_mul(2);
        let place = place_of(&context.tables[self.binding].def);
        if !more.map_err(|error| message::of_txn(error, place))? {
            self.scan = None;
        }
        Ok(true)
    }
}
