//! The handshake's frame: TLS records in packets of type PRELOGIN.
//!
//! ```text
//!  ├ packet header (8) ┼ part of the TLS handshake ┼ packet header (8) ┼ …
//!    12 01 length 00 00 00 00
//! ```

use crate::TdsError;
use crate::packet::{DEFAULT_PACKET_BYTES, HEADER_BYTES, PacketHeader, PacketType, PacketWriter};

/// Appends handshake bytes in packets; nothing for nothing.
pub fn wrap(out: &mut Vec<u8>, handshake: &[u8]) {
    if !handshake.is_empty() {
        PacketWriter::new(PacketType::PreLogin, DEFAULT_PACKET_BYTES).write_last(out, handshake);
    }
}

/// Takes handshake bytes out of packets, fed in pieces of any size. It holds one header and nothing else.
#[derive(Debug, Default)]
pub struct Unwrapper {
    header: [u8; HEADER_BYTES],
    header_filled: usize,
    missing_bytes: usize,
}

impl Unwrapper {
    /// The next handshake bytes, or `None` when the input is used up.
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Option<&'a [u8]>, TdsError> {
        while self.missing_bytes == 0 {
            if input.is_empty() {
                return Ok(None);
            }
            self.read_header(input)?;
        }
        if input.is_empty() {
            return Ok(None);
        }
        let (taken, rest) = input.split_at(self.missing_bytes.min(input.len()));
        *input = rest;
        self.missing_bytes -= taken.len();
        Ok(Some(taken))
    }

    fn read_header(&mut self, input: &mut &[u8]) -> Result<(), TdsError> {
        let count = (HEADER_BYTES - self.header_filled).min(input.len());
        let (taken, rest) = input.split_at(count);
        self.header[self.header_filled..self.header_filled + count].copy_from_slice(taken);
        *input = rest;
        self.header_filled += count;
        if self.header_filled < HEADER_BYTES {
            return Ok(());
        }
        self.header_filled = 0;
        let header = PacketHeader::decode(self.header)?;
        // Some servers answer in packets of results.
        if !matches!(header.packet_type, PacketType::PreLogin | PacketType::TabularResult) {
            return Err(TdsError::malformed("packet type inside the TLS handshake"));
        }
        self.missing_bytes = usize::from(header.length_bytes) - HEADER_BYTES;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_known_frame() {
        let mut out = Vec::new();
        wrap(&mut out, &[0x16, 3, 1]);
        assert_eq!(out, [0x12, 1, 0, 11, 0, 0, 1, 0, 0x16, 3, 1]);
        wrap(&mut out, &[]);
        assert_eq!(out.len(), 11);
    }

    proptest! {
        #[test]
        fn any_handshake_survives_any_cut(
            handshake in prop::collection::vec(any::<u8>(), 0..10_000), piece in 1_usize..5000,
        ) {
            let mut out = Vec::new();
            wrap(&mut out, &handshake);
            let mut unwrapper = Unwrapper::default();
            let mut back = Vec::new();
            for mut input in out.chunks(piece) {
                while let Some(bytes) = unwrapper.next(&mut input).unwrap() {
                    back.extend_from_slice(bytes);
                }
            }
            prop_assert_eq!(back, handshake);
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut unwrapper = Unwrapper::default();
            let mut input = &bytes[..];
            while let Ok(Some(_)) = unwrapper.next(&mut input) {}
        }
    }
}
