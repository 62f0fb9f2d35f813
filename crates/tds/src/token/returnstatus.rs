//! RETURNSTATUS: what a procedure returns.
//!
//! ```text
//!  79 ┼ value (4)
//! ```

use crate::TdsError;
use crate::wire::Reader;

pub(crate) const TOKEN: u8 = 0x79;

/// Appends the token.
pub fn put(out: &mut Vec<u8>, status: i32) {
    out.push(TOKEN);
    out.extend_from_slice(&status.to_le_bytes());
}

/// Reads the token after its first byte.
pub(crate) fn read(reader: &mut Reader<'_>) -> Result<i32, TdsError> {
    reader.i32("RETURNSTATUS")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bytes_and_back() {
        let mut out = Vec::new();
        put(&mut out, -6);
        assert_eq!(out, [0x79, 0xFA, 0xFF, 0xFF, 0xFF]);
        assert_eq!(read(&mut Reader::new(&out[1..])), Ok(-6));
    }
}
