//! Scripts as text: UTF-8, or UTF-16 as SQL Server Management Studio saves it.

use std::io::Read;
use std::path::Path;

/// The text of a file.
///
/// # Errors
/// Why it cannot be read, with its name.
pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read '{}': {error}", path.display()))?;
    decode(bytes).map_err(|why| format!("cannot read '{}': {why}", path.display()))
}

/// All of stdin.
///
/// # Errors
/// Why it cannot be read.
pub fn read_stdin() -> Result<String, String> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| format!("cannot read stdin: {error}"))?;
    decode(bytes).map_err(|why| format!("cannot read stdin: {why}"))
}

/// The text of bytes, by their byte order mark.
///
/// # Errors
/// Where they are none.
pub fn decode(bytes: Vec<u8>) -> Result<String, String> {
    match bytes[..] {
        [0xFF, 0xFE, ref rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, ref rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, ref rest @ ..] => utf8(rest.to_vec()),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| format!("byte {} is no UTF-8", error.utf8_error().valid_up_to()))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err("half a UTF-16 character at its end".into());
    }
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .collect::<Result<String, _>>()
        .map_err(|_| "it is no UTF-16".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_encodings_of_scripts_are_read() {
        let text = |bytes: &[u8]| decode(bytes.to_vec());
        assert_eq!(text(b"a\xC3\xA4").unwrap(), "aä");
        assert_eq!(text(b"\xEF\xBB\xBFa").unwrap(), "a");
        assert_eq!(text(b"\xFF\xFEa\0\xE4\0").unwrap(), "aä");
        assert_eq!(text(b"\xFE\xFF\0a").unwrap(), "a");
        assert_eq!(text(b"").unwrap(), "");
        for wrong in [&b"ab\xE4"[..], b"\xFF\xFEa", b"\xFF\xFE\0\xD8"] {
            assert!(text(wrong).is_err(), "{wrong:?}");
        }
    }
}
