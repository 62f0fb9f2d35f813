//! SQLBatch: [`AllHeaders`] and the text in UTF-16.

use crate::TdsError;
use crate::headers::AllHeaders;
use crate::wire::{Reader, put_utf16, utf16_string};

/// A batch of statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SqlBatch {
    /// What precedes the text.
    pub headers: AllHeaders,
    /// The statements.
    pub text: String,
}

impl SqlBatch {
    /// Reads a batch.
    pub fn decode(payload: &[u8]) -> Result<Self, TdsError> {
        let mut reader = Reader::new(payload);
        let headers = AllHeaders::read(&mut reader)?;
        if !reader.remaining().is_multiple_of(2) {
            return Err(TdsError::malformed("batch text of an odd length"));
        }
        Ok(Self { headers, text: utf16_string(reader.rest()) })
    }

    /// Writes a batch.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(22 + self.text.len() * 2);
        self.headers.write(&mut out);
        put_utf16(&mut out, &self.text);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_form_round_trips() {
        let mut bytes = vec![0x16, 0, 0, 0, 0x12, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0];
        assert!(SqlBatch::decode(&bytes).is_ok());
        bytes[17..22].copy_from_slice(&[0, 1, 0, 0, 0]);
        bytes.extend("select 'é𝄞'".encode_utf16().flat_map(u16::to_le_bytes));
        let batch = SqlBatch::decode(&bytes).unwrap();
        assert_eq!(batch.text, "select 'é𝄞'");
        assert_eq!(batch.headers, AllHeaders { transaction: 0, outstanding_requests: 1 });
        assert_eq!(batch.encode(), bytes);
        assert!(SqlBatch::decode(&bytes[..bytes.len() - 1]).is_err());
    }
}
