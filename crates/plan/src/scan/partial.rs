//! Records with values beyond them, met by a scan: put off until their page is let go, then made whole one at a time, the
//! columns of the predicate first.

use std::collections::VecDeque;

use millpond_access::Rid;
use millpond_catalog::large::Large;
use millpond_catalog::run::Run;
use millpond_engine::context::RunContext;
use millpond_engine::rows::TableRows;
use millpond_engine::stored::place_of;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_txn::ValueHome;

use crate::scan::filter::{RecordFilter, RecordRow};
use crate::scan::record::Locator;

/// What identifies a row, kept.
enum Kept {
    Rid(Rid),
    Key(Vec<u8>),
}

/// Rows of a page that wait. Once one does, all after it on its page do, so that they keep their order.
#[derive(Default)]
pub(crate) struct Pending {
    rows: VecDeque<(Kept, Vec<u8>)>,
    space: Vec<u8>,
}

/// The table of a scan, for its values beyond the records.
pub(crate) fn large_of(context: &RunContext, binding: usize) -> Large<'_> {
    let table = &context.tables[binding];
    let home = match &table.rows {
        TableRows::Heap(heap) => ValueHome::Heap(heap),
        TableRows::Trees(trees) => trees.value_home(0),
    };
    Large {
        layout: &table.def.layout,
        home,
        ask: context.ask_lob(binding),
        place: place_of(&table.def),
        watch: context.watch(),
    }
}

/// Takes a row with where it is and its record.
type TakeRow<'a> = dyn FnMut(&mut RecordRow, Locator<'_>, &[u8]) -> SqlResult<()> + 'a;

impl Pending {
    /// Puts a record off that is not whole, or comes after one that is not.
    #[inline]
    pub(crate) fn puts_off(
        &mut self,
        layout: &millpond_types::RowLayout,
        locator: Locator<'_>,
        record: &[u8],
    ) -> SqlResult<bool> {
        if !layout.may_overflow() || self.rows.is_empty() && !layout.is_partial(record).map_err(message::of_row)? {
            return Ok(false);
        }
        let kept = match locator {
            Locator::Rid(rid) => Kept::Rid(rid),
            Locator::Key(key) => Kept::Key(key.to_vec()),
        };
        self.rows.push_back((kept, record.to_vec()));
        Ok(true)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Hands the next row that passes to `take`, whole in the columns that are wanted; false when it does not pass.
    pub(crate) fn take_next(
        &mut self,
        context: &RunContext,
        large: &Large<'_>,
        filter: Option<&RecordFilter>,
        row: &mut RecordRow,
        wanted: &dyn Fn(usize) -> bool,
        take: &mut TakeRow<'_>,
    ) -> SqlResult<bool> {
        let Some((kept, record)) = self.rows.pop_front() else { return Ok(false) };
        let locator = match &kept {
            Kept::Rid(rid) => Locator::Rid(*rid),
            Kept::Key(key) => Locator::Key(key),
        };
        if let Some(filter) = filter {
            let record = large.whole(&record, &|column| filter.reads(column), &mut self.space)?;
            if !filter.passes(context, large.layout, locator, record, row)? {
                return Ok(false);
            }
        }
        let record = large.whole(&record, wanted, &mut self.space)?;
        take(row, locator, record)?;
        Ok(true)
    }
}
