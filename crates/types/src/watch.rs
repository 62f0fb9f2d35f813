//! Whether an answer that is being worked on is still wanted, and whether there is memory for it.
//!
//! Code that goes through a long text asks a [`Watch`] from piece to piece, or a [`Ticker`] from step to step; both
//! cost nothing beside the work itself, and what is short is never cut. The flag belongs to the code that may cancel.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::long::{LONG_BYTES, Memory};

/// Bytes of a text between two looks at the flag: a millisecond of the slowest work.
pub const PIECE_BYTES: usize = 256 << 10;
/// Steps between two looks: about as long.
const STEPS: u32 = 16 << 10;

/// The answer is not wanted any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Sees a flag that is raised when an answer is not wanted any more, and the memory that the answer may take.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    flag: Option<&'a AtomicBool>,
    memory: Option<&'a dyn Memory>,
}

impl<'a> Watch<'a> {
    /// Nothing can stop it, and there is memory enough.
    pub const NONE: Watch<'static> = Watch { flag: None, memory: None };

    /// Stops when the flag is raised.
    #[must_use]
    pub const fn new(flag: &'a AtomicBool) -> Watch<'a> {
        Watch { flag: Some(flag), memory: None }
    }

    /// The same, and long values are made of this memory.
    #[must_use]
    pub const fn within(self, memory: &'a dyn Memory) -> Watch<'a> {
        Watch { memory: Some(memory), ..self }
    }

    /// Whether there is memory for so many bytes more: to be asked before a long value is made. Short ones always fit.
    #[must_use]
    pub fn has_room(self, bytes: usize) -> bool {
        bytes < LONG_BYTES || self.memory.is_none_or(|memory| memory.has_room(bytes))
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// [`Stopped`] when the flag is raised.
    #[inline]
    pub fn check(self) -> Result<(), Stopped> {
        match self.flag {
            Some(flag) if flag.load(Relaxed) => Err(Stopped),
            _ => Ok(()),
        }
    }

    /// The text in pieces of whole characters, about [`PIECE_BYTES`] each; the flag is asked before each one. An empty
    /// text has none.
    pub fn pieces(self, text: &str) -> impl Iterator<Item = Result<&str, Stopped>> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let (piece, after) = rest.split_at(rest.ceil_char_boundary(PIECE_BYTES.min(rest.len())));
            rest = after;
            (!piece.is_empty()).then(|| self.check().map(|()| piece))
        })
    }

    /// The same pieces from the text's end on.
    pub fn pieces_from_end(self, text: &str) -> impl Iterator<Item = Result<&str, Stopped>> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let (before, piece) = rest.split_at(rest.floor_char_boundary(rest.len().saturating_sub(PIECE_BYTES)));
            rest = before;
            (!piece.is_empty()).then(|| self.check().map(|()| piece))
        })
    }

    /// Counts steps.
    #[must_use]
    pub fn ticker(self) -> Ticker<'a> {
        Ticker { watch: self, left: STEPS }
    }
}

/// Asks a [`Watch`] every so many steps.
#[derive(Clone, Debug)]
pub struct Ticker<'a> {
    watch: Watch<'a>,
    left: u32,
}

impl Ticker<'_> {
    /// One step more.
    ///
    /// # Errors
    /// [`Stopped`], now and then, when the flag is raised.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Stopped> {
        self.left -= 1;
        if self.left == 0 {
            return self.look();
        }
        Ok(())
    }

    #[cold]
    fn look(&mut self) -> Result<(), Stopped> {
        self.left = STEPS;
        self.watch.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_text_from_either_side() {
        for text in [String::new(), "a".to_owned(), "äb".repeat(PIECE_BYTES), "x".repeat(PIECE_BYTES)] {
            let pieces: Vec<&str> = Watch::NONE.pieces(&text).map(Result::unwrap).collect();
            assert_eq!(pieces.concat(), text);
            assert!(pieces.iter().all(|piece| !piece.is_empty() && piece.len() < PIECE_BYTES + 4));
            let mut pieces: Vec<&str> = Watch::NONE.pieces_from_end(&text).map(Result::unwrap).collect();
            pieces.reverse();
            assert_eq!(pieces.concat(), text);
        }
    }

    #[test]
    fn a_raised_flag_stops_pieces_and_steps() {
        let flag = AtomicBool::new(false);
        let watch = Watch::new(&flag);
        let text = "x".repeat(3 * PIECE_BYTES);
        let mut pieces = watch.pieces(&text);
        assert!(pieces.next().unwrap().is_ok());
        let mut ticker = watch.ticker();
        assert!((0..2 * STEPS).all(|_| ticker.tick().is_ok()));
        flag.store(true, Relaxed);
        assert_eq!(pieces.next(), Some(Err(Stopped)));
        assert_eq!(watch.check(), Err(Stopped));
        assert!((0..STEPS).any(|_| ticker.tick().is_err()));
    }
}
