//! ORDER: by which columns, numbered from 1, the rows are sorted.
//!
//! ```text
//!  A9 ┼ length (2) ┼ column (2) …
//! ```

use crate::TdsError;
use crate::wire::{Reader, put_u16, put_with_length};

pub(crate) const TOKEN: u8 = 0xA9;

/// Appends the token; no more columns than fit.
pub fn put(out: &mut Vec<u8>, columns: &[u16]) {
    out.push(TOKEN);
    put_with_length(out, |out| {
        for column in columns.iter().take(usize::from(u16::MAX / 2)) {
            put_u16(out, *column);
        }
    });
}

/// Reads the token after its first byte.
pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Vec<u16>, TdsError> {
    let length = reader.u16("ORDER")?;
    let bytes = reader.bytes(length.into(), "ORDER")?;
    Ok(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bytes_and_back() {
        let mut out = Vec::new();
        put(&mut out, &[2, 258]);
        assert_eq!(out, [0xA9, 4, 0, 2, 0, 2, 1]);
        assert_eq!(read(&mut Reader::new(&out[1..])), Ok(vec![2, 258]));
    }
}
