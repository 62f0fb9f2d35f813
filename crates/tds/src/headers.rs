//! ALL_HEADERS: what precedes the text of a batch, a call and a transaction request since TDS 7.2.
//!
//! ```text
//!  0              4               8      10
//!  ├ total length ┼ header length ┼ type ┼ data … more headers
//!    both count themselves
//! ```

use crate::TdsError;
use crate::wire::{Reader, put_u16, put_u32, put_u64};

const TRANSACTION_DESCRIPTOR: u16 = 2;

/// What the headers say; query notifications and trace activities are skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllHeaders {
    /// The transaction that the client believes to be in; 0 is none.
    pub transaction: u64,
    /// Requests that the client has open, 1 without MARS.
    pub outstanding_requests: u32,
}

impl AllHeaders {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TdsError> {
        let total = usize::try_from(reader.u32("ALL_HEADERS")?).unwrap_or(usize::MAX);
        let inner = total.checked_sub(4).ok_or(TdsError::malformed("ALL_HEADERS length"))?;
        let mut headers = reader.sub(inner, "ALL_HEADERS")?;
        let mut all = Self::default();
        while !headers.is_empty() {
            let length = usize::try_from(headers.u32("header")?).unwrap_or(usize::MAX);
            let inner = length.checked_sub(4).ok_or(TdsError::malformed("header length"))?;
            let mut header = headers.sub(inner, "header")?;
            if header.u16("header type")? == TRANSACTION_DESCRIPTOR {
                all.transaction = header.u64("transaction descriptor")?;
                all.outstanding_requests = header.u32("transaction descriptor")?;
            }
        }
        Ok(all)
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_u32(out, 22);
        put_u32(out, 18);
        put_u16(out, TRANSACTION_DESCRIPTOR);
        put_u64(out, self.transaction);
        put_u32(out, self.outstanding_requests);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_round_trip_and_others_are_skipped() {
        let all = AllHeaders { transaction: 77, outstanding_requests: 1 };
        let mut bytes = Vec::new();
        all.write(&mut bytes);
        // A trace activity of 26 bytes goes in front.
        let mut longer = (22_u32 + 26).to_le_bytes().to_vec();
        longer.extend_from_slice(&26_u32.to_le_bytes());
        longer.extend_from_slice(&[3, 0]);
        longer.extend_from_slice(&[5; 20]);
        longer.extend_from_slice(&bytes[4..]);
        for form in [bytes, longer] {
            let mut reader = Reader::new(&form);
            assert_eq!(AllHeaders::read(&mut reader), Ok(all));
            assert!(reader.is_empty());
        }
    }

    #[test]
    fn lengths_that_do_not_fit_are_refused() {
        for bytes in
            [&[3, 0, 0, 0][..], &[255, 255, 255, 255], &[8, 0, 0, 0, 0, 0, 0, 0], &[10, 0, 0, 0, 9, 0, 0, 0, 2, 0]]
        {
            assert!(AllHeaders::read(&mut Reader::new(bytes)).is_err(), "{bytes:?}");
        }
    }
}
