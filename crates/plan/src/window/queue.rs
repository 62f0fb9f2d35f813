//! The state of a moving frame.
//!
//! ```text
//!        leaves ◀─ front ──────┬─ middle ─────────────┬─ back ◀─ comes
//!   from each row to the end   │ from each block to   │ all of it
//!   of its block: a stack      │ the end: two stacks  │
//! ```
//! Q1: nothing is ever taken out of a state (W3): the oldest block becomes the front, as states from each of its rows on,
//! when the front is used up.
//! Q2: beside its states it holds a block of rows where rows come and one where they leave; a frame of `n` rows has
//! [`BLOCK_ROWS`] + `n` / [`BLOCK_ROWS`] states.

use std::ops::Range;

use millpond_catalog::rel::{FrameEdge, WindowFrame};
use millpond_message::error::SqlResult;

use crate::window::args::Args;
use crate::window::chunk::Chunk;
use crate::window::evaluate::Fold;

/// Rows of a block of states. Tests see all that blocks do with a few rows.
const BLOCK_ROWS: usize = if cfg!(test) { 4 } else { 1 << 14 };

/// Rows that come at one end and leave at the other, with the state of all of them.
pub(crate) struct Queue<F: Fold> {
    fold: F,
    /// Rows never leave but when a partition ends.
    only_grows: bool,
    rows: Range<usize>,
    /// States from each row to the end of the first block, the first row's on top.
    front: Vec<F::State>,
    middle: Middle<F::State>,
    /// State of the rows from `back_first` on.
    back: F::State,
    back_first: usize,
    coming: Option<Read<F>>,
    leaving: Option<Read<F>>,
}

/// Blocks of rows between the front and the back, each with its first row.
struct Middle<S> {
    /// States from each block to the last of these, the first one's on top.
    older: Vec<(usize, S)>,
    /// States of each block by itself.
    newer: Vec<(usize, S)>,
    /// State of all the newer ones.
    newest: Option<S>,
}

/// A block of arguments as the aggregate reads them.
struct Read<F: Fold> {
    rows: Range<usize>,
    column: F::Column,
}

impl<F: Fold> Read<F> {
    /// What is read already, if it has the row, else the block that has it.
    fn of<'r>(known: &'r mut Option<Read<F>>, fold: &F, args: &Args<'_>, row: usize) -> SqlResult<&'r Read<F>> {
        let read = match known.take().filter(|read| read.rows.contains(&row)) {
            Some(read) => read,
            None => {
                let block = args.at(row)?;
                Read { rows: block.first..block.end(), column: fold.column(&block)? }
            }
        };
        Ok(known.insert(read))
    }

    fn add(&self, fold: &F, state: &mut F::State, row: usize) -> SqlResult<()> {
        fold.add(state, &self.column, row - self.rows.start)
    }
}

impl<F: Fold> Queue<F> {
    pub(crate) fn new(fold: F, frame: WindowFrame) -> Queue<F> {
        Queue {
            back: fold.empty(),
            only_grows: frame.start == FrameEdge::Partition,
            fold,
            rows: 0..0,
            front: Vec::new(),
            middle: Middle { older: Vec::new(), newer: Vec::new(), newest: None },
            back_first: 0,
            coming: None,
            leaving: None,
        }
    }

    pub(crate) fn fold(&self) -> &F {
        &self.fold
    }

    /// Goes on to the rows of `frame`, which begins and ends no earlier than the last one, or in a later partition.
    pub(crate) fn go_to(&mut self, chunk: &Chunk, args: &Args<'_>, frame: &Range<usize>) -> SqlResult<()> {
        if frame.start >= self.rows.end || (self.only_grows && frame.start != self.rows.start) {
            self.restart(frame.start);
        }
        while self.rows.end < frame.end {
            self.come(chunk, args, frame.end)?;
        }
        while self.rows.start < frame.start {
            if self.front.is_empty() {
                self.turn(args)?;
            }
            self.front.pop();
            self.rows.start += 1;
        }
        Ok(())
    }

    /// A chunk has been evaluated: its arguments are let go, unless more of the same partition are spilled.
    pub(crate) fn end_chunk(&mut self, args: &Args<'_>) {
        if args.spilled.is_none() {
            (self.coming, self.leaving) = (None, None);
        }
    }

    fn restart(&mut self, row: usize) {
        self.front.clear();
        self.middle = Middle { older: Vec::new(), newer: Vec::new(), newest: None };
        (self.back, self.back_first) = (self.fold.empty(), row);
        self.rows = row..row;
    }

    /// Adds rows up to `end`, as far as a block goes.
    fn come(&mut self, chunk: &Chunk, args: &Args<'_>, end: usize) -> SqlResult<()> {
        let first = self.rows.end;
        let coming = Read::of(&mut self.coming, &self.fold, args, first)?;
        let block_end = if self.only_grows { usize::MAX } else { self.back_first + BLOCK_ROWS };
        let end = end.min(coming.rows.end).min(block_end);
        for row in first..end {
            chunk.watch(row)?;
            coming.add(&self.fold, &mut self.back, row)?;
        }
        self.rows.end = end;
        if end == block_end {
            let block = std::mem::replace(&mut self.back, self.fold.empty());
            self.middle.push(&self.fold, self.back_first, block)?;
            self.back_first = end;
        }
        Ok(())
    }

    /// Makes the oldest block the front.
    fn turn(&mut self, args: &Args<'_>) -> SqlResult<()> {
        let end = if self.middle.pop(&self.fold)? {
            self.middle.first().unwrap_or(self.back_first)
        } else {
            (self.back, self.back_first) = (self.fold.empty(), self.rows.end);
            self.rows.end
        };
        for row in (self.rows.start..end).rev() {
            let mut state = self.fold.empty();
            let read = match &self.coming {
                Some(coming) if coming.rows.contains(&row) => coming,
                _ => Read::of(&mut self.leaving, &self.fold, args, row)?,
            };
            read.add(&self.fold, &mut state, row)?;
            if let Some(later) = self.front.last() {
                self.fold.merge(&mut state, later)?;
            }
            self.front.push(state);
        }
        Ok(())
    }

    /// The state of the frame's rows.
    pub(crate) fn state(&self) -> SqlResult<F::State> {
        let middle = [self.middle.older.last().map(|(_, state)| state), self.middle.newest.as_ref()];
        let back = (self.back_first < self.rows.end).then_some(&self.back);
        let mut parts = self.front.last().into_iter().chain(middle.into_iter().flatten()).chain(back);
        let mut state = parts.next().map_or_else(|| self.fold.empty(), F::State::clone);
        for part in parts {
            self.fold.merge(&mut state, part)?;
        }
        Ok(state)
    }
}

impl<S: Clone> Middle<S> {
    fn push<F: Fold<State = S>>(&mut self, fold: &F, first: usize, state: S) -> SqlResult<()> {
        match &mut self.newest {
            Some(newest) => fold.merge(newest, &state)?,
            None => self.newest = Some(state.clone()),
        }
        self.newer.push((first, state));
        Ok(())
    }

    /// Takes the oldest block out; false: there is none.
    fn pop<F: Fold<State = S>>(&mut self, fold: &F) -> SqlResult<bool> {
        if self.older.is_empty() {
            self.newest = None;
            while let Some((first, mut state)) = self.newer.pop() {
                if let Some((_, later)) = self.older.last() {
                    fold.merge(&mut state, later)?;
                }
                self.older.push((first, state));
            }
        }
        Ok(self.older.pop().is_some())
    }

    /// First row of the oldest block.
    fn first(&self) -> Option<usize> {
        self.older.last().or(self.newer.first()).map(|(first, _)| *first)
    }
}
