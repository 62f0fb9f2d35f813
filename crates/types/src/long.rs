//! Texts and bytes of values. Short ones are owned; long ones are shared, so that a copy costs nothing, and remember whose
//! memory they are.
//!
//! What always holds: [`Text::is_long`] and [`Bytes::is_long`] say which of both it is, by the length alone. What a value was
//! charged with is given back when the last copy of it goes. How much there is to be had, and what answers for it, is
//! known to the code that charges.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use compact_str::CompactString;

/// Values from this length on are shared and can be charged, in bytes: what is shorter is not worth a count.
pub const LONG_BYTES: usize = 64 << 10;

/// A part of a [`Memory`]; dropping it gives it back.
pub trait Charge: fmt::Debug + Send + Sync {}

/// A memory with a bound, which values are charged to.
pub trait Memory: fmt::Debug + Sync {
    /// Whether so many bytes more could be had now. It promises nothing.
    fn has_room(&self, bytes: usize) -> bool;
}

#[derive(Debug)]
struct Long<T> {
    value: T,
    charge: OnceLock<Box<dyn Charge>>,
}

impl<T> Long<T> {
    fn share(value: T) -> Arc<Long<T>> {
        Arc::new(Long { value, charge: OnceLock::new() })
    }

    /// For a holder that is alone with it and makes it grow: it is charged with so many bytes from now on.
    fn charge_anew<E>(&mut self, bytes: usize, take: impl Fn(usize) -> Result<Box<dyn Charge>, E>) -> Result<(), E> {
        self.charge = OnceLock::from(take(bytes)?);
        Ok(())
    }

    fn charge<E>(&self, bytes: usize, take: impl FnOnce(usize) -> Result<Box<dyn Charge>, E>) -> Result<(), E> {
        if self.charge.get().is_none() {
            // The second one gives back what it took.
            drop(self.charge.set(take(bytes)?));
        }
        Ok(())
    }
}

/// Bytes that what has `capacity` and is to hold `needed` gets room for: half as many again as it had, so that what grows bit
/// by bit is copied few times.
fn grown(capacity: usize, needed: usize) -> usize {
    needed.max(capacity + capacity / 2)
}

/// The text of a value.
#[derive(Clone)]
pub struct Text(TextKind);

#[derive(Clone)]
enum TextKind {
    Short(CompactString),
    Long(Arc<Long<CompactString>>),
}

// The tag of a text lies in the spare values of a CompactString's last byte.
const _: () = assert!(size_of::<Text>() == size_of::<CompactString>());

impl Text {
    /// A copy of the text.
    #[must_use]
    #[inline]
    pub fn new(text: &str) -> Text {
        Text::from(CompactString::new(text))
    }

    /// The text.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            TextKind::Short(text) => text,
            TextKind::Long(long) => &long.value,
        }
    }

    /// Whether copies of it are shared.
    #[must_use]
    #[inline]
    pub fn is_long(&self) -> bool {
        matches!(self.0, TextKind::Long(_))
    }

    /// The text on its own; that of a long one that has copies is copied.
    #[must_use]
    pub fn into_string(self) -> String {
        match self.0 {
            TextKind::Short(text) => text.into_string(),
            TextKind::Long(long) => {
                Arc::try_unwrap(long).map_or_else(|shared| shared.value.to_string(), |own| own.value.into_string())
            }
        }
    }

    /// Charges a long text, unless it was charged already, with what `take` gives for so many bytes.
    ///
    /// # Errors
    /// Those of `take`.
    #[inline]
    pub fn charge<E>(&self, take: impl FnOnce(usize) -> Result<Box<dyn Charge>, E>) -> Result<(), E> {
        match &self.0 {
            TextKind::Short(_) => Ok(()),
            TextKind::Long(long) => long.charge(long.value.capacity(), take),
        }
    }
}

impl Text {
    /// Adds a text after it where it is; false when it has copies, and nothing was done. A long one is charged as with
    /// [`Text::charge`].
    ///
    /// # Errors
    /// Those of `take`; nothing was done then.
    pub fn append<E>(&mut self, more: &str, take: impl Fn(usize) -> Result<Box<dyn Charge>, E>) -> Result<bool, E> {
        match &mut self.0 {
            TextKind::Short(text) if text.len() + more.len() < LONG_BYTES => text.push_str(more),
            TextKind::Short(text) => {
                let mut long = Long { value: std::mem::take(text), charge: OnceLock::new() };
                let done = append_long(&mut long, more, take);
                self.0 = match done {
                    Ok(()) => TextKind::Long(Arc::new(long)),
                    Err(_) => TextKind::Short(long.value),
                };
                return done.map(|()| true);
            }
            TextKind::Long(long) => {
                let Some(long) = Arc::get_mut(long) else { return Ok(false) };
                append_long(long, more, take)?;
            }
        }
        Ok(true)
    }
}

fn append_long<E>(
    long: &mut Long<CompactString>,
    more: &str,
    take: impl Fn(usize) -> Result<Box<dyn Charge>, E>,
) -> Result<(), E> {
    let (capacity, needed) = (long.value.capacity(), long.value.len() + more.len());
    if needed > capacity || long.charge.get().is_none() {
        let room = if needed > capacity { grown(capacity, needed) } else { capacity };
        let room = match long.charge_anew(room, &take) {
            Ok(()) => room,
            Err(_) => long.charge_anew(needed, &take).map(|()| needed)?,
        };
        long.value.reserve(room.saturating_sub(long.value.len()));
    }
    long.value.push_str(more);
    Ok(())
}

impl Default for Text {
    fn default() -> Text {
        Text(TextKind::Short(CompactString::default()))
    }
}

impl Deref for Text {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        match (&self.0, &other.0) {
            (TextKind::Long(one), TextKind::Long(other)) if Arc::ptr_eq(one, other) => true,
            _ => self.as_str() == other.as_str(),
        }
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl Eq for Text {}

impl From<CompactString> for Text {
    #[inline]
    fn from(text: CompactString) -> Text {
        Text(if text.len() < LONG_BYTES { TextKind::Short(text) } else { TextKind::Long(Long::share(text)) })
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::from(CompactString::from(text))
    }
}

impl From<Cow<'_, str>> for Text {
    fn from(text: Cow<'_, str>) -> Text {
        match text {
            Cow::Borrowed(text) => Text::new(text),
            Cow::Owned(text) => Text::from(text),
        }
    }
}

impl From<&str> for Text {
    #[inline]
    fn from(text: &str) -> Text {
        Text::new(text)
    }
}

impl From<Text> for String {
    fn from(text: Text) -> String {
        text.into_string()
    }
}

/// The bytes of a value.
#[derive(Clone)]
pub struct Bytes(BytesKind);

#[derive(Clone)]
enum BytesKind {
    Short(Box<[u8]>),
    Long(Arc<Long<Vec<u8>>>),
}

const _: () = assert!(size_of::<Bytes>() == size_of::<Box<[u8]>>());

impl Bytes {
    /// The bytes.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            BytesKind::Short(bytes) => bytes,
            BytesKind::Long(long) => &long.value,
        }
    }

    /// Whether copies of them are shared.
    #[must_use]
    #[inline]
    pub fn is_long(&self) -> bool {
        matches!(self.0, BytesKind::Long(_))
    }

    /// Charges long bytes, unless they were charged already, with what `take` gives for their number.
    ///
    /// # Errors
    /// Those of `take`.
    #[inline]
    pub fn charge<E>(&self, take: impl FnOnce(usize) -> Result<Box<dyn Charge>, E>) -> Result<(), E> {
        match &self.0 {
            BytesKind::Short(_) => Ok(()),
            BytesKind::Long(long) => long.charge(long.value.capacity(), take),
        }
    }

    /// As [`Text::append`].
    ///
    /// # Errors
    /// Those of `take`; nothing was done then.
    pub fn append<E>(&mut self, more: &[u8], take: impl Fn(usize) -> Result<Box<dyn Charge>, E>) -> Result<bool, E> {
        match &mut self.0 {
            BytesKind::Short(bytes) => {
                let mut joined = Vec::with_capacity(bytes.len() + more.len());
                joined.extend_from_slice(bytes);
                joined.extend_from_slice(more);
                let joined = Bytes::from(joined);
                joined.charge(take)?;
                *self = joined;
            }
            BytesKind::Long(long) => {
                let Some(long) = Arc::get_mut(long) else { return Ok(false) };
                let (capacity, needed) = (long.value.capacity(), long.value.len() + more.len());
                if needed > capacity || long.charge.get().is_none() {
                    let room = if needed > capacity { grown(capacity, needed) } else { capacity };
                    let room = match long.charge_anew(room, &take) {
                        Ok(()) => room,
                        Err(_) => long.charge_anew(needed, &take).map(|()| needed)?,
                    };
                    long.value.reserve_exact(room.saturating_sub(long.value.len()));
                }
                long.value.extend_from_slice(more);
            }
        }
        Ok(true)
    }
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes(BytesKind::Short(Box::default()))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_slice(), f)
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Bytes {}

impl From<Box<[u8]>> for Bytes {
    #[inline]
    fn from(bytes: Box<[u8]>) -> Bytes {
        Bytes(if bytes.len() < LONG_BYTES {
            BytesKind::Short(bytes)
        } else {
            BytesKind::Long(Long::share(bytes.into_vec()))
        })
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes::from(bytes.into_boxed_slice())
    }
}

impl From<&[u8]> for Bytes {
    #[inline]
    fn from(bytes: &[u8]) -> Bytes {
        Bytes::from(Box::<[u8]>::from(bytes))
    }
}

impl<const N: usize> From<[u8; N]> for Bytes {
    fn from(bytes: [u8; N]) -> Bytes {
        Bytes::from(Box::<[u8]>::from(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;
    use crate::value::Value;

    #[derive(Debug)]
    struct Taken(Arc<AtomicUsize>, usize);

    impl Charge for Taken {}

    impl Drop for Taken {
        fn drop(&mut self) {
            self.0.fetch_sub(self.1, Relaxed);
        }
    }

    fn values(len: usize) -> [Value; 2] {
        [Value::from("x".repeat(len)), Value::from(vec![7; len])]
    }

    #[test]
    fn the_length_decides_what_is_shared() {
        for len in [0, 24, LONG_BYTES - 1, LONG_BYTES, 3 * LONG_BYTES] {
            for value in values(len) {
                let copy = value.clone();
                assert_eq!(copy, value);
                let address = |value: &Value| value.as_str().map(str::as_ptr).or(value.as_bytes().map(<[u8]>::as_ptr));
                assert_eq!(value.is_long(), len >= LONG_BYTES);
                assert_eq!(address(&copy) == address(&value) && len > 0, len >= LONG_BYTES);
            }
        }
    }

    #[test]
    fn what_grows_bit_by_bit_is_copied_few_times_and_stays_charged() {
        let (used, takes) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
        let take = |bytes: usize| {
            takes.fetch_add(1, Relaxed);
            used.fetch_add(bytes, Relaxed);
            Ok::<_, ()>(Box::new(Taken(Arc::clone(&used), bytes)) as Box<dyn Charge>)
        };
        for (mut value, more) in
            [(Value::str(""), Value::str("0123456789")), (Value::from(vec![7; 0]), Value::from(vec![7; 10]))]
        {
            takes.store(0, Relaxed);
            for _ in 0..100_000 {
                assert_eq!(value.append(&more, take), Ok(true));
            }
            let len = value.as_str().map(str::len).or(value.as_bytes().map(<[u8]>::len));
            assert_eq!(len, Some(1_000_000));
            assert!(takes.load(Relaxed) < 12, "{takes:?} copies");
            assert!((1_000_000..1_500_000).contains(&used.load(Relaxed)), "{used:?}");
            // A copy stays what it is.
            let copy = value.clone();
            assert_eq!(value.append(&more, take), Ok(false));
            assert_eq!(value, copy);
            drop((value, copy));
            assert_eq!(used.load(Relaxed), 0);
        }
    }

    #[test]
    fn without_room_nothing_is_added() {
        let full = |_: usize| Err::<Box<dyn Charge>, _>("full");
        for (mut value, more) in [
            (Value::str("ab"), Value::from("x".repeat(LONG_BYTES))),
            (Value::from(vec![1]), Value::from(vec![7; LONG_BYTES])),
        ] {
            let before = value.clone();
            assert_eq!(value.append(&more, full), Err("full"));
            assert_eq!(value, before);
        }
    }

    #[test]
    fn a_charge_is_taken_once_and_given_back_with_the_last_copy() {
        let used = Arc::new(AtomicUsize::new(0));
        let take = |bytes: usize| {
            if used.load(Relaxed) + bytes > 3 * LONG_BYTES {
                return Err(bytes);
            }
            used.fetch_add(bytes, Relaxed);
            Ok(Box::new(Taken(Arc::clone(&used), bytes)) as Box<dyn Charge>)
        };
        for value in values(2 * LONG_BYTES) {
            value.charge(take).unwrap();
            value.clone().charge(take).unwrap();
            let copy = value.clone();
            drop(value);
            assert_eq!(used.load(Relaxed), 2 * LONG_BYTES);
            assert_eq!(values(2 * LONG_BYTES).map(|other| other.charge(take)), [Err(2 * LONG_BYTES); 2]);
            drop(copy);
            assert_eq!(used.load(Relaxed), 0);
        }
        for value in values(LONG_BYTES - 1) {
            value.charge(take).unwrap();
            assert_eq!(used.load(Relaxed), 0);
        }
    }
}
