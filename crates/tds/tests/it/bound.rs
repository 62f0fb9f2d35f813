//! Decoders hold no more than a small multiple of the bytes they were given, however the bytes lie.
//!
//! The worst honest ratio is that of UTF-16 text (three bytes of UTF-8 for two of the wire, and a vector's growth
//! doubles it) and of empty parameters and values, whose structs are larger than their bytes; these are bounded by
//! number. `SLACK_BYTES` covers the latter.

use millpond_tds::packet::{MessageReader, PacketType};
use millpond_tds::{ClientDecoder, ClientMessage};
use proptest::prelude::*;

use crate::alloc::peak_bytes;

const SLACK_BYTES: usize = 64 * 1024;

fn bound(length: usize) -> usize {
    6 * length + SLACK_BYTES
}

/// Bytes that look like protocol: small numbers, lengths at their bounds, tokens, types.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        Just(vec![0xFF, 0xFF]),
        Just(vec![0xFF, 0xFF, 0xFF, 0x7F]),
        Just(vec![0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        Just(vec![0; 4]),
        Just(vec![0x81, 0xFE, 0xFF]),
        Just(vec![0x81, 1, 0, 0, 0, 0, 0, 0, 0, 0xE7, 0xFF, 0xFF, 9, 4, 0xD0, 0, 0x34, 0, 0xD1]),
        Just(vec![0xA7, 0xFF, 0xFF, 9, 4, 0xD0, 0, 0x34]),
        Just(vec![0x62, 0xFF, 0xFF, 0xFF, 0xFF]),
        Just(vec![0x16, 0, 0, 0, 0x12, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]),
        Just(vec![0xFF, 0xFF, 10, 0, 0, 0]),
        Just(vec![0, 0, 0x26, 4, 0]),
    ];
    prop::collection::vec(piece, 0..200).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn messages_of_clients(payload in bytes(), with_headers in any::<bool>(), kind in 0_usize..7) {
        let packet_type = [
            PacketType::PreLogin,
            PacketType::Login7,
            PacketType::SqlBatch,
            PacketType::Rpc,
            PacketType::TransactionManager,
            PacketType::BulkLoad,
            PacketType::Attention,
        ][kind];
        let mut message = Vec::new();
        if with_headers {
            message.extend_from_slice(&[4, 0, 0, 0]);
        }
        message.extend_from_slice(&payload);
        let length = message.len();
        let ((), peak) = peak_bytes(|| {
            if let Ok(ClientMessage::Rpc(rpc)) = ClientMessage::decode(packet_type, message) {
                for call in rpc.calls() {
                    drop(call);
                }
            }
        });
        prop_assert!(peak <= bound(length), "{peak} bytes for {length}");
    }

    #[test]
    fn messages_of_servers(payload in bytes(), piece in 1_usize..100) {
        let mut packet = vec![4, 1];
        packet.extend_from_slice(&u16::try_from(payload.len() + 8).unwrap().to_be_bytes());
        packet.extend_from_slice(&[0, 0, 1, 0]);
        packet.extend_from_slice(&payload);
        let ((), peak) = peak_bytes(|| {
            let mut decoder = ClientDecoder::new();
            for mut input in packet.chunks(piece) {
                if decoder.feed(&mut input).is_err() {
                    return;
                }
                while let Ok(Some(event)) = decoder.next_event() {
                    drop(event);
                }
            }
        });
        // A column costs some hundred bytes of structs for eight of the wire, twice while it is copied.
        prop_assert!(peak <= 40 * packet.len() + SLACK_BYTES, "{peak} bytes for {}", packet.len());
    }

    #[test]
    fn packets(bytes in bytes(), piece in 1_usize..100) {
        let ((), peak) = peak_bytes(|| {
            let mut reader = MessageReader::new(1000);
            for mut input in bytes.chunks(piece) {
                loop {
                    match reader.read(&mut input) {
                        Ok(Some(message)) => drop(message),
                        Ok(None) => break,
                        Err(_) => return,
                    }
                }
            }
        });
        prop_assert!(peak <= 4096, "{peak}");
    }
}

#[test]
fn a_flood_of_tiny_calls_is_never_held_at_once() {
    // A million calls without parameters: 7 bytes each.
    let mut message = vec![4, 0, 0, 0];
    for _ in 0..1_000_000 {
        message.extend_from_slice(&[0xFF, 0xFF, 10, 0, 0, 0, 0xFF]);
    }
    let (count, peak) = peak_bytes(|| {
        let Ok(ClientMessage::Rpc(rpc)) = ClientMessage::decode(PacketType::Rpc, message) else { panic!() };
        rpc.calls().filter(|call| call.is_ok()).count()
    });
    assert_eq!(count, 1_000_000);
    assert!(peak < SLACK_BYTES, "{peak}");
}

#[test]
fn a_long_value_in_small_chunks_is_read_in_linear_memory() {
    let mut payload = vec![0x81, 1, 0, 0, 0, 0, 0, 0, 0, 0xE7, 0xFF, 0xFF, 9, 4, 0xD0, 0, 0x34, 0, 0xD1];
    payload.extend_from_slice(&[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
    for _ in 0..20_000 {
        payload.extend_from_slice(&[100, 0, 0, 0]);
        payload.extend_from_slice(&[b'x', 0].repeat(50));
    }
    payload.extend_from_slice(&[0, 0, 0, 0]);
    let mut packets = Vec::new();
    millpond_tds::packet::write_message(&mut packets, PacketType::TabularResult, &payload, 4096, Default::default());
    let (rows, peak) = peak_bytes(|| {
        let mut decoder = ClientDecoder::new();
        let mut rows = 0;
        for mut input in packets.chunks(4096) {
            decoder.feed(&mut input).unwrap();
            while let Some(event) = decoder.next_event().unwrap() {
                rows += usize::from(matches!(event, millpond_tds::Event::Row(_)));
            }
        }
        assert!(decoder.is_complete());
        rows
    });
    assert_eq!(rows, 1);
    assert!(peak <= bound(payload.len()), "{peak} bytes for {}", payload.len());
}
