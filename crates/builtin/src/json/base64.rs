//! Bytes as texts of Base64 (RFC 4648), with their padding.

use std::fmt::Write;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes of a text that is written in one piece: a multiple of 3.
pub const PIECE: usize = 3 << 14;

/// Appends the text of bytes. Pieces of a multiple of three bytes may be appended one after the other.
pub fn encode(bytes: &[u8], out: &mut impl Write) -> std::fmt::Result {
    for group in bytes.chunks(3) {
        let at = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            out.write_char(if place > group.len() { '=' } else { char::from(letter) })?;
        }
    }
    Ok(())
}

/// The bytes of a text; none where it is no Base64. Blanks are passed over.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count, mut padding) = (0u32, 0, 0);
    for byte in text.bytes().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if count >= 2 => {
                padding += 1;
                0
            }
            _ => return None,
        };
        if padding > 0 && byte != b'=' || padding > 2 {
            return None;
        }
        bits = bits << 6 | u32::from(value);
        count += 1;
        if count == 4 {
            let whole = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
            bytes.extend_from_slice(&whole[..3 - padding]);
            (bits, count) = (0, 0);
        }
    }
    (count == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_rfc_has_it() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut out = String::new();
            encode(bytes.as_bytes(), &mut out).unwrap();
            assert_eq!(out, text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        for text in ["x", "=", "Zg=", "Zg=a", "Zg===", "Z===", "Zm9vZg==Zm9v", "Z\u{e9}=="] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
