//! ASCII bytes as text without a second look.
//!
//! Proof of the `unsafe`: every byte below 0x80 is a complete UTF-8 sequence of one byte, so a slice whose bytes all are
//! below 0x80 is valid UTF-8. `is_ascii` is true exactly for such slices, and the slice cannot change between the check
//! and the cast, because it is borrowed. Checking UTF-8 again takes as long as all the rest of reading a `char(8000)`.

#![allow(unsafe_code)]

/// The bytes as text when all of them are ASCII.
pub(crate) fn text(bytes: &[u8]) -> Option<&str> {
    if !bytes.is_ascii() {
        return None;
    }
    // SAFETY: all bytes are ASCII, as the file's head explains.
    Some(unsafe { std::str::from_utf8_unchecked(bytes) })
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn only_ascii_is_text() {
        assert_eq!(text(b"a~\0\x7f"), Some("a~\0\x7f"));
        assert_eq!(text(b""), Some(""));
        for high in 0x80..=0xFF {
            assert_eq!(text(&[b'a', high]), None);
        }
    }
}
