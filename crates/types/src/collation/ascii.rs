//! ASCII under the rules of a locale, without ICU4X: the same order and the same bytes of keys.
//!
//! What always holds: for each ASCII text [`Ascii::write_key`] writes what ICU4X would, and [`Ascii::compare`] is the
//! order of those keys with the marks after them. [`Ascii::new`] makes its table by asking for the keys of single
//! characters, and gives none where keys of pairs of letters are not made of those.

use std::cmp::Ordering;

use super::extra;

/// What counts beside letters.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    pub(super) case: bool,
    pub(super) accents: bool,
}

/// A character in the order of the collation.
#[derive(Clone, Copy, Default)]
struct Letter {
    bytes: [u8; 2],
    len: u8,
}

pub(super) struct Ascii {
    counts: Counts,
    letters: [Letter; 128],
    /// Those of one byte; [`NOTHING`] for others.
    singles: [u8; 128],
    /// Place in the order; the same for a letter in both cases.
    ranks: [u8; 128],
}

/// Of characters that do not count at all.
const NOTHING: u8 = 0;
/// Of marks, which count last.
const MARK: u8 = 1;
/// The least of others.
const FIRST: u8 = 2;

impl Ascii {
    /// The table of a locale whose keys are made by `key`.
    pub(super) fn new(counts: Counts, key: &dyn Fn(&str) -> Vec<u8>) -> Option<Ascii> {
        let mut letters = [Letter::default(); 128];
        let is_mark = |byte: u8| extra::mark(char::from(byte)).is_some();
        for byte in (0..128).filter(|byte| !is_mark(*byte)) {
            let key = key(&char::from(byte).to_string());
            let primary = key.split(|byte| *byte == extra::LEVEL).next().unwrap_or_default();
            let letter = &mut letters[usize::from(byte)];
            letter.bytes.get_mut(..primary.len())?.copy_from_slice(primary);
            letter.len = primary.len() as u8;
        }
        let mut order: Vec<[u8; 2]> =
            letters.iter().filter(|letter| letter.len > 0).map(|letter| letter.bytes).collect();
        order.sort_unstable();
        order.dedup();
        let mut ranks = [NOTHING; 128];
        for (byte, rank) in (0u8..).zip(&mut ranks) {
            let letter = letters[usize::from(byte)];
            *rank = match order.binary_search(&letter.bytes) {
                _ if is_mark(byte) => MARK,
                Ok(at) if letter.len > 0 => FIRST + at as u8,
                _ => NOTHING,
            };
        }
        let singles = letters.map(|letter| if letter.len == 1 { letter.bytes[0] } else { NOTHING });
        let ascii = Ascii { counts, letters, singles, ranks };
        let alphabet = || (b'0'..=b'9').chain(b'A'..=b'Z').chain(b'a'..=b'z').chain([b' ', b'.', 1]);
        let is_made_of_singles = |a: u8, b: u8| {
            let mut own = Vec::with_capacity(16);
            ascii.write_key(&[a, b], &mut own);
            own == key(&String::from_iter([char::from(a), char::from(b)]))
        };
        let folds = (b'a'..=b'z')
            .all(|letter| ascii.ranks[usize::from(letter)] == ascii.ranks[usize::from(letter.to_ascii_uppercase())]);
        let pairs = alphabet().all(|a| alphabet().all(|b| is_made_of_singles(a, b)));
        (folds && pairs).then_some(ascii)
    }

    /// How two texts compare.
    #[inline]
    pub(super) fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        // What both begin with counts on no level.
        const BLOCK: usize = 16;
        let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
        let start = BLOCK * blocks.take_while(|(a, b)| a == b).count();
        let (a, b) = (&a[start..], &b[start..]);
        let mut case = Ordering::Equal;
        let common = a.len().min(b.len());
        for at in 0..common {
            let (x, y) = (a[at], b[at]);
            let p = self.ranks[usize::from(x & 0x7F)];
            if x == y && p > MARK {
                continue;
            }
            let q = self.ranks[usize::from(y & 0x7F)];
            if p <= MARK || q <= MARK {
                return self.compare_rest(&a[at..], &b[at..], case);
            }
            if p != q {
                return p.cmp(&q);
            }
            // Lower case first, which has the larger byte.
            case = case.then(y.cmp(&x));
        }
        if a.len() == b.len() {
            return if self.counts.case { case } else { Ordering::Equal };
        }
        self.compare_rest(&a[common..], &b[common..], case)
    }

    /// The general case; `case` is what the texts before these differ in, which had no marks.
    fn compare_rest(&self, a: &[u8], b: &[u8], mut case: Ordering) -> Ordering {
        let (mut left, mut right) = (a.iter(), b.iter());
        let mut has_marks = false;
        loop {
            let (x, y) = (self.next(&mut left, &mut has_marks), self.next(&mut right, &mut has_marks));
            if x.0 != y.0 {
                return x.0.cmp(&y.0);
            }
            if x.0 == NOTHING {
                break;
            }
            case = case.then(y.1.cmp(&x.1));
        }
        if self.counts.case && case.is_ne() {
            return case;
        }
        if !has_marks {
            return Ordering::Equal;
        }
        let marks = |text| {
            let mut marks = Vec::new();
            self.write_marks(text, &mut marks);
            marks
        };
        marks(a).cmp(&marks(b))
    }

    /// The next character that counts, by rank and byte; [`NOTHING`] at the end.
    #[inline]
    fn next(&self, rest: &mut std::slice::Iter<'_, u8>, has_marks: &mut bool) -> (u8, u8) {
        for &byte in rest {
            match self.ranks[usize::from(byte & 0x7F)] {
                NOTHING => {}
                MARK => *has_marks = true,
                rank => return (rank, byte),
            }
        }
        (NOTHING, 0)
    }

    /// Whether two texts are equal.
    pub(super) fn equal(&self, a: &str, b: &str) -> bool {
        if if self.counts.case { a == b } else { a.eq_ignore_ascii_case(b) } {
            return true;
        }
        // Whatever counts differs where the texts differ first; only what does not count can hide that.
        let (left, right) = (a.as_bytes(), b.as_bytes());
        let counts = |byte: u8| self.ranks[usize::from(byte & 0x7F)] != NOTHING;
        let mut at = 0;
        while let Some(same) = left[at..].iter().zip(&right[at..]).position(|(x, y)| x != y) {
            let (x, y) = (left[at + same], right[at + same]);
            if self.counts.case || !x.eq_ignore_ascii_case(&y) {
                return !(counts(x) && counts(y)) && self.compare(left, right).is_eq();
            }
            at += same + 1;
        }
        self.compare(left, right).is_eq()
    }

    /// Appends the levels that ICU4X writes; whether there are marks.
    pub(super) fn write_key(&self, text: &[u8], out: &mut Vec<u8>) -> bool {
        let single = |byte: &u8| self.singles[usize::from(byte & 0x7F)];
        // Hot: a word is the bytes of its letters.
        let is_word = text.iter().all(|byte| single(byte) != NOTHING);
        let count = if is_word {
            out.extend(text.iter().map(single));
            text.len()
        } else {
            self.write_letters(text, out)
        };
        if self.counts.accents {
            out.push(extra::LEVEL);
            write_common(count, out);
        }
        if self.counts.case {
            out.push(extra::LEVEL);
            // Lower case alone is nothing.
            if text.iter().any(u8::is_ascii_uppercase) {
                self.write_cases(text, out);
            }
        }
        !is_word && text.iter().any(|byte| self.ranks[usize::from(byte & 0x7F)] == MARK)
    }

    /// Appends the letters of any text; how many there are.
    fn write_letters(&self, text: &[u8], out: &mut Vec<u8>) -> usize {
        let mut count = 0;
        for &byte in text {
            let letter = self.letters[usize::from(byte & 0x7F)];
            match letter.len {
                0 => continue,
                1 => out.push(letter.bytes[0]),
                _ => out.extend(letter.bytes),
            }
            count += 1;
        }
        count
    }

    /// The level of cases, two to a byte: upper case is 15, and how many lower ones come before it says a number that is
    /// less the more there are.
    fn write_cases(&self, text: &[u8], out: &mut Vec<u8>) {
        let mut nibbles = Nibbles { out, half: None };
        let (mut lower, mut is_empty) = (0u32, true);
        for &byte in text {
            if self.letters[usize::from(byte & 0x7F)].len == 0 {
                continue;
            }
            if !byte.is_ascii_uppercase() {
                lower += 1;
                continue;
            }
            if lower > 0 {
                let rest = nibbles.put_many(lower - 1);
                nibbles.put(13 - rest);
            }
            nibbles.put(15);
            (lower, is_empty) = (0, false);
        }
        if lower > 0 && !is_empty {
            let rest = nibbles.put_many(lower - 1);
            nibbles.put(1 + rest);
        }
        nibbles.end();
    }

    /// Appends the level of marks.
    pub(super) fn write_marks(&self, text: &[u8], out: &mut Vec<u8>) {
        let mut marks = extra::Marks::new(out);
        let mut len = 0;
        for &byte in text {
            match extra::mark(char::from(byte)) {
                Some(mark) => {
                    marks.put(len, mark);
                    len = 0;
                }
                None => len += usize::from(self.letters[usize::from(byte & 0x7F)].len),
            }
        }
    }
}

/// The level of accents of so many characters without any.
fn write_common(count: usize, out: &mut Vec<u8>) {
    const MOST: usize = 33;
    const LOW: u8 = 5;
    const FULL: u8 = 0x25;
    let Some(mut rest) = count.checked_sub(1) else { return };
    while rest >= MOST {
        out.push(FULL);
        rest -= MOST;
    }
    out.push(LOW + rest as u8);
}

/// Half bytes, the higher one first.
struct Nibbles<'o> {
    out: &'o mut Vec<u8>,
    half: Option<u8>,
}

impl Nibbles<'_> {
    fn put(&mut self, nibble: u8) {
        match self.half.take() {
            Some(high) => self.out.push(high << 4 | nibble),
            None => self.half = Some(nibble),
        }
    }

    /// A 7 for each 7 of them; what is left over.
    fn put_many(&mut self, mut count: u32) -> u8 {
        while count >= 7 {
            self.put(7);
            count -= 7;
        }
        count as u8
    }

    fn end(self) {
        if let Some(high) = self.half {
            self.out.push(high << 4);
        }
    }
}
