//! Identities as text: 32 digits in the order of their bytes.

/// Sixteen bytes as 32 digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The inverse of [`hex`]; `None` for anything but 32 digits.
#[must_use]
pub fn bytes_of_hex(text: &str) -> Option<[u8; 16]> {
    let digits = text.as_bytes();
    let pair = |at: usize| u8::from_str_radix(std::str::from_utf8(digits.get(2 * at..2 * at + 2)?).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..16).map(pair).collect();
    bytes.filter(|_| digits.len() == 32)?.try_into().ok()
}
