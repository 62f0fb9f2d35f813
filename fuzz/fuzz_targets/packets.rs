//! Bytes of a client, as they come from the socket: packets to messages, messages to what they ask for.
//!
//! What must hold: nothing panics; a message is never longer than the reader's bound; and it does not matter in which
//! pieces the bytes arrive.

#![no_main]

use libfuzzer_sys::fuzz_target;
use millpond_tds::ClientMessage;
use millpond_tds::packet::{Message, MessageReader};

/// Small, so that the fuzzer reaches it.
const BOUND_BYTES: usize = 2048;

/// The messages in `bytes` when they arrive in pieces of `piece_bytes`, and whether the stream ended in an error.
fn messages(bytes: &[u8], piece_bytes: usize) -> (Vec<Message>, bool) {
    let mut reader = MessageReader::new(BOUND_BYTES);
    let mut found = Vec::new();
    for piece in bytes.chunks(piece_bytes) {
        let mut input = piece;
        while !input.is_empty() {
            match reader.read(&mut input) {
                Ok(Some(message)) => found.push(message),
                Ok(None) => assert!(input.is_empty(), "input left without a message"),
                Err(_) => return (found, true),
            }
        }
    }
    (found, false)
}

fn decode(message: Message) {
    let Ok(decoded) = ClientMessage::decode(message.packet_type, message.payload) else {
        return;
    };
    if let ClientMessage::Rpc(rpc) = decoded {
        let mut calls = rpc.calls();
        while let Some(call) = calls.next() {
            let _ = calls.has_more();
            let _ = call.map(|call| call.procedure.id());
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, bytes)) = bytes.split_first() else {
        return;
    };
    let whole = messages(bytes, usize::MAX >> 1);
    let pieces = messages(bytes, usize::from(first % 32) + 1);
    assert_eq!(whole, pieces, "the pieces changed the messages");
    for message in whole.0 {
        assert!(message.payload.len() <= BOUND_BYTES, "longer than the bound");
        decode(message);
    }
});
