//! How entries of a page become rows of a scan: as they are now, or as a snapshot sees them, without the transaction's own
//! ghosts. All of it runs under the latch of the page.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::NodeDamage;
use millpond_access::tree::{Direction, Leaf, LeafCopy, LeafRow, RowTag, TakeEntries, Tree};
use millpond_storage::ask::Ask;
use millpond_storage::check;

use crate::error::TxnError;
use crate::lock::RowPlace;
use crate::read::reader::Reader;
use crate::read::row;
use crate::version::ghost_runs::{After, GhostRuns, RUN_MIN, Walk};
use crate::version::snapshot::Snapshot;

/// What takes rows, under the latch of their page.
pub(super) trait TakeRows {
    /// Takes all entries of a page where those that have a tag are seen; false, and nothing is taken, where they are to come
    /// row by row.
    fn take_page(&mut self, _leaf: &Leaf<'_>, _sees: impl Fn(RowTag) -> bool) -> Result<bool, NodeDamage> {
        Ok(false)
    }

    fn take(&mut self, key: &[u8], payload: &[u8]) -> ControlFlow<()>;
}

impl TakeRows for dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + '_ {
    #[inline]
    fn take(&mut self, key: &[u8], payload: &[u8]) -> ControlFlow<()> {
        self(key, payload)
    }
}

impl TakeRows for LeafCopy {
    fn take_page(&mut self, leaf: &Leaf<'_>, sees: impl Fn(RowTag) -> bool) -> Result<bool, NodeDamage> {
        LeafCopy::take(self, leaf, sees)
    }

    fn take(&mut self, key: &[u8], payload: &[u8]) -> ControlFlow<()> {
        self.push(key, payload);
        ControlFlow::Continue(())
    }
}

/// Gives rows as they are now.
pub(super) struct Newest<'r, R: ?Sized>(pub(super) &'r mut R);

impl<R: TakeRows + ?Sized> TakeEntries for Newest<'_, R> {
    fn take_page(&mut self, leaf: &Leaf<'_>) -> Result<bool, NodeDamage> {
        self.0.take_page(leaf, |_| true)
    }

    #[inline]
    fn take(&mut self, row: LeafRow<'_>) -> ControlFlow<()> {
        match row.is_ghost {
            true => ControlFlow::Continue(()),
            false => self.0.take(row.key, row.payload),
        }
    }
}

/// Gives rows as a snapshot sees them.
pub(super) struct Versions<'v, R: ?Sized> {
    pub(super) reader: &'v Reader,
    pub(super) ask: &'v Ask<'v>,
    pub(super) tree: &'v Arc<Tree>,
    pub(super) snapshot: &'v Snapshot,
    /// Bytes of an older version.
    pub(super) older: Vec<u8>,
    pub(super) failed: Option<TxnError>,
    pub(super) rows: &'v mut R,
}

impl<R: TakeRows + ?Sized> TakeEntries for Versions<'_, R> {
    fn take_page(&mut self, leaf: &Leaf<'_>) -> Result<bool, NodeDamage> {
        let (reader, snapshot) = (self.reader, self.snapshot);
        self.rows.take_page(leaf, |tag| reader.sees(snapshot, Some(tag)))
    }

    #[inline]
    fn take(&mut self, row: LeafRow<'_>) -> ControlFlow<()> {
        let Some(tag) = row.tag.filter(|_| !self.reader.sees(self.snapshot, row.tag)) else {
            return if row.is_ghost { ControlFlow::Continue(()) } else { self.rows.take(row.key, row.payload) };
        };
        match row::older(self.reader, self.ask, self.tree, self.snapshot, tag, &mut self.older) {
            Ok(true) => self.rows.take(row.key, &self.older),
            Ok(false) => ControlFlow::Continue(()),
            Err(cause) => {
                self.failed = Some(cause);
                ControlFlow::Break(())
            }
        }
    }
}

/// Hands on entries but for the transaction's own ghosts.
pub(super) struct Passing<'p, E: ?Sized> {
    pub(super) reader: &'p Reader,
    pub(super) place: RowPlace,
    pub(super) direction: Direction,
    pub(super) passed: &'p mut Passed,
    pub(super) met: Met,
    /// Where the scan goes on.
    pub(super) jump: Option<Vec<u8>>,
    pub(super) entries: &'p mut E,
}

impl<E: TakeEntries + ?Sized> TakeEntries for Passing<'_, E> {
    fn take_page(&mut self, leaf: &Leaf<'_>) -> Result<bool, NodeDamage> {
        check!(self.jump.is_none(), "a page is taken although the scan goes on elsewhere");
        let taken = self.entries.take_page(leaf)?;
        if taken {
            self.passed.end();
        }
        Ok(taken)
    }

    #[inline]
    fn take(&mut self, row: LeafRow<'_>) -> ControlFlow<()> {
        if is_own_ghost(self.reader, &row) {
            self.jump = self.passed.pass(self.reader, self.place, row.key, self.direction);
            return if self.jump.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        }
        self.passed.end();
        self.met.look(self.reader, self.place, &row);
        self.entries.take(row)
    }
}

/// The transaction's own ghosts that a scan passes by.
#[derive(Debug, Default)]
pub(super) struct Passed {
    /// In a row, before the entry that comes.
    ghosts: u32,
    /// Once there are so many that they are remembered, or were before.
    remembered: Option<Box<Remembered>>,
}

#[derive(Debug)]
struct Remembered {
    runs: Arc<GhostRuns>,
    walk: Option<Walk>,
}

impl Passed {
    /// Another entry than an own ghost.
    #[inline]
    pub(super) fn end(&mut self) {
        if self.ghosts != 0 {
            self.ghosts = 0;
            if let Some(remembered) = &mut self.remembered {
                remembered.walk = None;
            }
        }
    }

    /// An own ghost; where the scan goes on, if not with the next entry.
    pub(super) fn pass(
        &mut self,
        reader: &Reader,
        place: RowPlace,
        key: &[u8],
        direction: Direction,
    ) -> Option<Vec<u8>> {
        if self.remembered.is_none() {
            let known = if self.ghosts == 0 { reader.shared.ghost_runs(place) } else { None };
            let is_worth_it = self.ghosts + 1 >= RUN_MIN;
            let runs = known.or_else(|| is_worth_it.then(|| reader.shared.remember_ghosts(place)));
            self.remembered = runs.map(|runs| Box::new(Remembered { runs, walk: None }));
        }
        self.ghosts += 1;
        let Remembered { runs, walk } = self.remembered.as_deref_mut()?;
        match runs.pass(key, direction, walk) {
            After::Next => None,
            After::Jump(key) => Some(key),
            After::Over => {
                *self = Passed::default();
                None
            }
        }
    }
}

/// Keys of ghosts of a time before the database was opened that are met in a page: they are in no list of the cleaner's.
#[derive(Default)]
pub(super) struct Met(Vec<Box<[u8]>>);

impl Met {
    /// Any entry but a ghost of the transaction's own.
    #[inline]
    pub(super) fn look(&mut self, reader: &Reader, place: RowPlace, row: &LeafRow<'_>) {
        if row.is_ghost {
            self.note(reader, place, row);
        }
    }

    #[cold]
    pub(super) fn note(&mut self, reader: &Reader, place: RowPlace, row: &LeafRow<'_>) {
        let databases = reader.shared.manager.databases();
        if row.tag.is_some_and(|tag| databases.forgets_ghosts_of(place.db, tag.xsn)) {
            self.0.push(row.key.into());
        }
    }

    /// Hands them to the cleaner, when no page is latched.
    #[inline]
    pub(super) fn tell(self, reader: &Reader, tree: &Arc<Tree>) {
        if !self.0.is_empty() {
            reader.shared.manager.cleaner().add_met(tree, self.0.into_iter());
        }
    }
}

#[inline]
pub(super) fn is_own_ghost(reader: &Reader, row: &LeafRow<'_>) -> bool {
    row.is_ghost && row.tag.is_some_and(|tag| reader.shared.own(tag.xsn))
}
