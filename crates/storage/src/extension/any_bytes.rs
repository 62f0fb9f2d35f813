//! The decoders of the extension's file over bytes of any origin: what fuzz targets look in at. No part of the server.
//!
//! What must hold: nothing panics; what is believed is written as something that reads as the same again.

use crate::extension::format::{BLOCK_BYTES, Marks, decode_block, encode_block};

/// `bytes` as a block of the directory and as marks, with checksums set right.
///
/// # Panics
/// What must hold does not.
pub fn read(bytes: &[u8]) {
    let mut block = vec![0; BLOCK_BYTES];
    let len = bytes.len().min(BLOCK_BYTES);
    block[..len].copy_from_slice(&bytes[..len]);
    let checksum = crc32c::crc32c(&block[4..]);
    block[..4].copy_from_slice(&checksum.to_le_bytes());
    let word = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().expect("4 bytes"));
    let (number, epoch) = (word(4) % 0x10_0000, u64::from(word(8)) | u64::from(word(12)) << 32);
    let found = decode_block(number, epoch, &block);
    let of_slot = |slot| found.iter().find(|(at, _)| *at == slot).map(|(_, record)| *record);
    let again = decode_block(number, epoch, &encode_block(number, epoch, of_slot));
    assert_eq!(found, again, "a block of the directory reads as it was written");
    if let Some(marks) = Marks::decode(&block) {
        assert!(marks.are_of(&marks.marks), "marks are of their own databases");
    }
}
