//! Bytes whose order is the order of what they stand for: the parts of which keys are made.
//!
//! Every function here appends a part that never begins with another part of the same kind. Knows no `Value`.

/// Bytes of a `uniqueidentifier` from the most to the least significant, as SQL Server orders it.
const GUID_SIGNIFICANCE: [usize; 16] = [10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3];

/// The bytes of a `uniqueidentifier` in the order in which they count.
pub(crate) fn significant(guid: &[u8; 16]) -> [u8; 16] {
    GUID_SIGNIFICANCE.map(|i| guid[i])
}

/// Zero bytes at the end do not count, as blanks at the end of a text.
pub(crate) fn trim_zeros(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}

/// Positive floats above negative ones, larger negative ones below; NaN below all, as `compare` has it.
pub(crate) fn float_bits(x: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    if x.is_nan() {
        return 0;
    }
    // Adding 0 turns -0 into 0.
    let bits = (x + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The same of a `real`, in its four bytes.
pub(crate) fn real_bits(x: f32) -> u32 {
    const SIGN: u32 = 1 << 31;
    if x.is_nan() {
        return 0;
    }
    let bits = (x + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The last `N` bytes of a number that has no more, big-endian.
pub(crate) fn append_number<const N: usize>(number: u64, key: &mut Vec<u8>) {
    debug_assert!(number >> (8 * N) == 0, "{number} has more than {N} bytes");
    key.extend_from_slice(&number.to_be_bytes()[8 - N..]);
}

/// 00 becomes 00 FF, and 00 00 ends the part.
pub(crate) fn append_bytes(bytes: &[u8], key: &mut Vec<u8>) {
    for &byte in bytes {
        key.push(byte);
        if byte == 0 {
            key.push(0xFF);
        }
    }
    key.extend([0, 0]);
}
