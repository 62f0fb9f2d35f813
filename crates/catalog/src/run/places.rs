//! Where the characters of a long text are: made once for a value that is looked at again and again, as a loop does that
//! walks along a variable (`CHARINDEX(x, @v, @at + 1)`, `SUBSTRING(@v, @at, n)`). Without it each call counts from the
//! text's beginning, and a walk costs the square of the text's length.

use millpond_types::text::{char_len, utf16_len};
use millpond_types::{Stopped, Value, Watch};

/// Bytes between two places whose positions are known: what one look counts at most.
const BLOCK_BYTES: usize = 1024;

/// A text shorter than this is counted each time.
const LONG_BYTES: usize = 4 * BLOCK_BYTES;

/// What positions and lengths count.
pub trait Count {
    /// Length of the text.
    ///
    /// # Errors
    /// The stop that the watch sees.
    fn len(watch: Watch<'_>, text: &str) -> Result<usize, Stopped>;
    /// `len` of it from position `start`, counted from 0.
    ///
    /// # Errors
    /// The stop that the watch sees.
    fn part(watch: Watch<'_>, text: &str, start: usize, len: usize) -> Result<Value, Stopped>;
    /// The position of a place.
    fn of(before: Before) -> usize;
    /// What one character counts.
    fn of_char(c: char) -> usize;
}

/// What stands before a place of the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Before {
    /// UTF-16 units.
    pub units: u32,
    /// Characters.
    pub chars: u32,
}

/// The places of one text; its keeper gives the same text again.
#[derive(Clone, Debug)]
pub struct Places {
    /// By block of [`BLOCK_BYTES`], and at the end; none where all bytes are characters.
    before: Vec<Before>,
}

impl Places {
    /// Whether a text is one whose places are worth to be kept.
    #[inline]
    pub fn is_long(text: &str) -> bool {
        text.len() >= LONG_BYTES
    }

    /// Of a value that is a long text.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn of(watch: Watch<'_>, value: &Value) -> Result<Option<Places>, Stopped> {
        let Some(text) = value.as_str().filter(|text| Places::is_long(text)) else { return Ok(None) };
        for piece in watch.pieces(text) {
            if !piece?.is_ascii() {
                return Places::counted(watch, text).map(Some);
            }
        }
        Ok(Some(Places { before: Vec::new() }))
    }

    fn counted(watch: Watch<'_>, text: &str) -> Result<Places, Stopped> {
        let mut before = Vec::with_capacity(text.len() / BLOCK_BYTES + 2);
        let (mut last, mut begin) = (Before::default(), 0);
        let mut ticker = watch.ticker();
        while begin < text.len() {
            ticker.tick()?;
            before.push(last);
            let end = begin_of(text, before.len());
            let block = &text[begin..end];
            last = Before { units: last.units + utf16_len(block) as u32, chars: last.chars + char_len(block) as u32 };
            begin = end;
        }
        before.push(last);
        Ok(Places { before })
    }

    /// What is counted as `position` (from 0), or the place before it that is known: byte, and what stands before it.
    fn known<C: Count>(&self, text: &str, position: usize) -> (usize, usize) {
        let after = self.before.partition_point(|before| C::of(*before) <= position);
        let block = after.saturating_sub(1);
        (begin_of(text, block), self.before.get(block).map_or(0, |before| C::of(*before)))
    }

    /// The byte where what is counted as `position` (from 0) begins, or what follows where that is half a character; the
    /// length if there are not so many.
    pub fn byte_of<C: Count>(&self, text: &str, position: usize) -> usize {
        if self.before.is_empty() {
            return position.min(text.len());
        }
        let (byte, mut seen) = self.known::<C>(text, position);
        for (offset, c) in text[byte..].char_indices() {
            if seen >= position {
                return byte + offset;
            }
            seen += C::of_char(c);
        }
        text.len()
    }

    /// What is counted before a byte where a character begins.
    pub fn before<C: Count>(&self, text: &str, byte: usize) -> usize {
        if self.before.is_empty() {
            return byte;
        }
        let mut block = byte / BLOCK_BYTES;
        if begin_of(text, block) > byte {
            block -= 1;
        }
        let rest = &text[begin_of(text, block)..byte];
        C::of(self.before[block]) + rest.chars().map(C::of_char).sum::<usize>()
    }

    /// A part of the text that has what is counted from `start` (from 0) on, so much of it, and where in it that begins.
    pub fn around<'t, C: Count>(&self, text: &'t str, start: usize, len: usize) -> (&'t str, usize) {
        let end = self.byte_of::<C>(text, start.saturating_add(len));
        if self.before.is_empty() {
            return (&text[start.min(end)..end], 0);
        }
        let (byte, seen) = self.known::<C>(text, start);
        (&text[byte.min(end)..end], start - seen)
    }
}

/// Where a block begins: at the first character after its first byte.
fn begin_of(text: &str, block: usize) -> usize {
    text.ceil_char_boundary((block * BLOCK_BYTES).min(text.len()))
}
