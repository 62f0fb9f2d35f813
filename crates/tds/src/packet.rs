//! Packets: the frame of everything, and messages made of them.
//!
//! ```text
//!  0      1        2        4       6           7        8
//!  ├ type ┼ status ┼ length ┼ spid  ┼ packet id ┼ window ┼ payload …
//!           EOM 01   big-endian, counts the header too
//! ```
//!
//! A message is the payload of packets of one type up to the one with EOM. [`MessageReader`] copies payload bytes
//! straight from the caller's buffer into the message, holds at most one message and no more than its bound, and is
//! fed in pieces of any size. Before the login a longer message is an error; afterwards its payload is dropped, the frame
//! is followed to its end, and the message says so ([`Cut`]). Rows of INSERT BULK, which have no bound, come in parts. An attention may cut off a message that its sender has not finished.

use crate::TdsError;

/// Length of a packet's header.
pub const HEADER_BYTES: usize = 8;
/// Packet size until the login has settled another.
pub const DEFAULT_PACKET_BYTES: u16 = 4096;
/// Smallest packet size that a login may ask for.
pub const PACKET_BYTES_MIN: u16 = 512;
/// Largest packet size that a login may ask for.
pub const PACKET_BYTES_MAX: u16 = 32767;
/// Bound of a message before the peer has logged in.
pub const PRELOGIN_BOUND_BYTES: usize = 128 * 1024;
/// Length at which a part of a bulk load is handed out.
pub const PART_BYTES: usize = 32 * 1024;
/// Bound of a message that a client reads, and of a row of a bulk load.
pub const DEFAULT_BOUND_BYTES: usize = 64 * 1024 * 1024;
/// A message of a client has at most so many packets of the size that its login settled.
pub const PACKETS_MAX: usize = 65_536;

/// What a message is, by the first byte of its packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PacketType {
    /// Text of a batch.
    SqlBatch = 0x01,
    /// The login of TDS 4.2–5.
    OldLogin = 0x02,
    /// Procedure calls.
    Rpc = 0x03,
    /// Everything that a server sends.
    TabularResult = 0x04,
    /// Cancel what runs.
    Attention = 0x06,
    /// Rows of INSERT BULK.
    BulkLoad = 0x07,
    /// A token of federated authentication.
    FedAuthToken = 0x08,
    /// Begin, commit, roll back, save.
    TransactionManager = 0x0E,
    /// The login of TDS 7.
    Login7 = 0x10,
    /// A message of integrated security.
    Sspi = 0x11,
    /// The first exchange; also carries the TLS handshake.
    PreLogin = 0x12,
}

impl PacketType {
    /// The type with this number.
    pub fn from_byte(byte: u8) -> Result<Self, TdsError> {
        Ok(match byte {
            0x01 => Self::SqlBatch,
            0x02 => Self::OldLogin,
            0x03 => Self::Rpc,
            0x04 => Self::TabularResult,
            0x06 => Self::Attention,
            0x07 => Self::BulkLoad,
            0x08 => Self::FedAuthToken,
            0x0E => Self::TransactionManager,
            0x10 => Self::Login7,
            0x11 => Self::Sspi,
            0x12 => Self::PreLogin,
            _ => return Err(TdsError::UnknownPacketType(byte)),
        })
    }
}

/// The status bits of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketStatus(pub u8);

impl PacketStatus {
    /// Last packet of its message.
    pub const END_OF_MESSAGE: Self = Self(0x01);
    /// The sender gave up the message; only together with EOM.
    pub const IGNORE: Self = Self(0x02);
    /// Reset the session before the message is run.
    pub const RESET: Self = Self(0x08);
    /// The same, but keep the transaction.
    pub const RESET_KEEP_TRANSACTION: Self = Self(0x10);

    /// Whether all bits of `other` are set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The header of one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketHeader {
    /// What message it is part of.
    pub packet_type: PacketType,
    /// Status bits.
    pub status: PacketStatus,
    /// With the header.
    pub length_bytes: u16,
    /// Session that sends it; 0 from clients.
    pub spid: u16,
    /// Counts the packets, modulo 256.
    pub packet_id: u8,
}

impl PacketHeader {
    /// Reads a header.
    pub fn decode(bytes: [u8; HEADER_BYTES]) -> Result<Self, TdsError> {
        let packet_type = PacketType::from_byte(bytes[0])?;
        let length_bytes = u16::from_be_bytes([bytes[2], bytes[3]]);
        if usize::from(length_bytes) < HEADER_BYTES {
            return Err(TdsError::malformed("packet length"));
        }
        Ok(Self {
            packet_type,
            status: PacketStatus(bytes[1]),
            length_bytes,
            spid: u16::from_be_bytes([bytes[4], bytes[5]]),
            packet_id: bytes[6],
        })
    }

    /// Writes a header.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let [length_high, length_low] = self.length_bytes.to_be_bytes();
        let [spid_high, spid_low] = self.spid.to_be_bytes();
        [self.packet_type as u8, self.status.0, length_high, length_low, spid_high, spid_low, self.packet_id, 0]
    }

    fn payload_bytes(&self) -> usize {
        usize::from(self.length_bytes) - HEADER_BYTES
    }
}

/// What the session shall forget before a message is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reset {
    /// Nothing.
    #[default]
    None,
    /// Everything, an open transaction is rolled back.
    Session,
    /// Everything but the transaction.
    SessionButTransaction,
}

/// Why the payload of a message is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It is longer than a message may be.
    TooLong,
    /// There was no memory for it.
    NoMemory,
}

/// A whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is.
    pub packet_type: PacketType,
    /// Asked for by the status bits of its first packet.
    pub reset: Reset,
    /// The sender gave it up; the payload is not complete and the answer is one DONE with the error bit.
    pub ignored: bool,
    /// It is a part of a message, and more of it follows: only of [`PacketType::BulkLoad`].
    pub has_more: bool,
    /// What its packets carry.
    pub payload: Vec<u8>,
    /// Nothing of the payload was kept.
    pub cut: Option<Cut>,
}

/// How many packets these bytes are, which begin with a packet's header.
#[must_use]
pub fn count_packets(bytes: &[u8]) -> u64 {
    let (mut rest, mut count) = (bytes, 0);
    while let [_, _, high, low, ..] = rest {
        let length = usize::from(u16::from_be_bytes([*high, *low])).max(HEADER_BYTES);
        rest = rest.get(length..).unwrap_or_default();
        count += 1;
    }
    count
}

/// Puts messages together from bytes.
#[derive(Debug)]
pub struct MessageReader {
    bound_bytes: usize,
    /// What is beyond the bound is cut; before the login it is an error.
    cuts: bool,
    header: [u8; HEADER_BYTES],
    header_filled: usize,
    /// The packet whose payload is being read.
    packet: Option<PacketHeader>,
    missing_bytes: usize,
    /// The message that the packets so far belong to.
    message: Option<Message>,
    /// Packets whose header was read.
    packets: u64,
}

impl MessageReader {
    /// A reader whose messages have at most `bound_bytes`.
    pub fn new(bound_bytes: usize) -> Self {
        Self {
            bound_bytes,
            cuts: false,
            header: [0; HEADER_BYTES],
            header_filled: 0,
            packet: None,
            missing_bytes: 0,
            message: None,
            packets: 0,
        }
    }

    /// Packets that came since it was asked last.
    pub fn take_packets(&mut self) -> u64 {
        std::mem::take(&mut self.packets)
    }

    /// From now on messages have at most `bound_bytes`, and longer ones come without their payload.
    pub fn cut_beyond(&mut self, bound_bytes: usize) {
        (self.bound_bytes, self.cuts) = (bound_bytes, true);
    }

    /// What the message that is being read holds of memory, in bytes.
    pub fn held_bytes(&self) -> usize {
        self.message.as_ref().map_or(0, |message| message.payload.capacity())
    }

    /// There is no memory for the message that is being read: what came of it goes, and the rest will not be kept.
    pub fn drop_message(&mut self) {
        self.cut(Cut::NoMemory);
    }

    fn cut(&mut self, why: Cut) {
        if let Some(message) = &mut self.message {
            message.payload = Vec::new();
            message.cut.get_or_insert(why);
        }
    }

    /// Changes the bound, as a login does.
    pub fn set_bound(&mut self, bound_bytes: usize) {
        self.bound_bytes = bound_bytes;
    }

    /// Whether a part of a message has arrived.
    pub fn is_inside_message(&self) -> bool {
        self.message.is_some() || self.header_filled > 0 || self.packet.is_some()
    }

    /// Consumes from `input` until a message is whole; `None` when the input is used up before.
    ///
    /// After an error the frame is lost: close the connection.
    pub fn read(&mut self, input: &mut &[u8]) -> Result<Option<Message>, TdsError> {
        loop {
            let packet = match self.packet {
                Some(packet) => packet,
                None => match self.read_header(input)? {
                    Some(packet) => packet,
                    None => return Ok(None),
                },
            };
            self.read_payload(input);
            if self.missing_bytes > 0 {
                return Ok(None);
            }
            self.packet = None;
            if packet.status.contains(PacketStatus::END_OF_MESSAGE) {
                let mut message = self.message.take().expect("opened with its first header");
                message.ignored = packet.status.contains(PacketStatus::IGNORE);
                return Ok(Some(message));
            }
            if let Some(part) = self.take_part() {
                return Ok(Some(part));
            }
        }
    }

    /// What has come of a bulk load, when it is enough for a part.
    fn take_part(&mut self) -> Option<Message> {
        let message = self.message.as_mut()?;
        if message.packet_type != PacketType::BulkLoad || message.payload.len() < PART_BYTES {
            return None;
        }
        let payload = std::mem::take(&mut message.payload);
        let reset = std::mem::take(&mut message.reset);
        Some(Message { packet_type: message.packet_type, reset, ignored: false, has_more: true, payload, cut: None })
    }

    fn read_header(&mut self, input: &mut &[u8]) -> Result<Option<PacketHeader>, TdsError> {
        let count = (HEADER_BYTES - self.header_filled).min(input.len());
        let (taken, rest) = input.split_at(count);
        self.header[self.header_filled..self.header_filled + count].copy_from_slice(taken);
        *input = rest;
        self.header_filled += count;
        if self.header_filled < HEADER_BYTES {
            if self.header_filled > 0 {
                // Garbage is known by its first byte; do not wait for seven more.
                PacketType::from_byte(self.header[0])?;
            }
            return Ok(None);
        }
        self.header_filled = 0;
        let packet = PacketHeader::decode(self.header)?;
        self.open_packet(packet)?;
        self.packets += 1;
        Ok(Some(packet))
    }

    fn open_packet(&mut self, packet: PacketHeader) -> Result<(), TdsError> {
        let of_another = self.message.as_ref().is_some_and(|message| message.packet_type != packet.packet_type);
        if of_another {
            if packet.packet_type != PacketType::Attention {
                return Err(TdsError::malformed("packet type inside a message"));
            }
            self.message = None;
        }
        let message = self.message.get_or_insert_with(|| Message {
            packet_type: packet.packet_type,
            reset: reset_of(packet.status),
            ignored: false,
            has_more: false,
            payload: Vec::new(),
            cut: None,
        });
        if message.payload.len() + packet.payload_bytes() > self.bound_bytes {
            if !self.cuts {
                return Err(TdsError::TooLarge { what: "message", bound_bytes: self.bound_bytes });
            }
            self.cut(Cut::TooLong);
        }
        self.missing_bytes = packet.payload_bytes();
        self.packet = Some(packet);
        Ok(())
    }

    fn read_payload(&mut self, input: &mut &[u8]) {
        let count = self.missing_bytes.min(input.len());
        let (taken, rest) = input.split_at(count);
        let message = self.message.as_mut().expect("opened with its first header");
        if message.cut.is_none() {
            message.payload.extend_from_slice(taken);
        }
        *input = rest;
        self.missing_bytes -= count;
    }
}

fn reset_of(status: PacketStatus) -> Reset {
    if status.contains(PacketStatus::RESET_KEEP_TRANSACTION) {
        Reset::SessionButTransaction
    } else if status.contains(PacketStatus::RESET) {
        Reset::Session
    } else {
        Reset::None
    }
}

/// Cuts payload into packets.
#[derive(Debug)]
pub struct PacketWriter {
    packet_type: PacketType,
    packet_bytes: u16,
    spid: u16,
    next_id: u8,
}

impl PacketWriter {
    /// A writer of packets of at most `packet_bytes` each.
    pub fn new(packet_type: PacketType, packet_bytes: u16) -> Self {
        let packet_bytes = packet_bytes.clamp(PACKET_BYTES_MIN, PACKET_BYTES_MAX);
        Self { packet_type, packet_bytes, spid: 0, next_id: 1 }
    }

    /// Names the session in the headers that follow.
    pub fn set_spid(&mut self, spid: u16) {
        self.spid = spid;
    }

    /// Changes the size of the packets that follow.
    pub fn set_packet_bytes(&mut self, packet_bytes: u16) {
        self.packet_bytes = packet_bytes.clamp(PACKET_BYTES_MIN, PACKET_BYTES_MAX);
    }

    /// Payload that fits in a packet.
    pub fn payload_bytes(&self) -> usize {
        usize::from(self.packet_bytes) - HEADER_BYTES
    }

    /// Writes those packets of `payload` that are full and certainly not the last, and returns the bytes consumed.
    pub fn write_full(&mut self, out: &mut Vec<u8>, payload: &[u8]) -> usize {
        let each = self.payload_bytes();
        let mut consumed = 0;
        // More than a packet's worth must be left, or the packet could be the last, which carries EOM.
        while payload.len() - consumed > each {
            self.write_packet(out, &payload[consumed..consumed + each], PacketStatus::default());
            consumed += each;
        }
        consumed
    }

    /// Writes `payload` as the end of a message, and starts counting packets anew.
    pub fn write_last(&mut self, out: &mut Vec<u8>, payload: &[u8]) {
        let consumed = self.write_full(out, payload);
        self.write_packet(out, &payload[consumed..], PacketStatus::END_OF_MESSAGE);
        self.next_id = 1;
    }

    /// Writes all of `payload` now, the last packet being short; the message goes on.
    pub fn write_all(&mut self, out: &mut Vec<u8>, payload: &[u8]) {
        for piece in payload.chunks(self.payload_bytes()) {
            self.write_packet(out, piece, PacketStatus::default());
        }
    }

    fn write_packet(&mut self, out: &mut Vec<u8>, payload: &[u8], status: PacketStatus) {
        let header = PacketHeader {
            packet_type: self.packet_type,
            status,
            length_bytes: u16::try_from(payload.len() + HEADER_BYTES).expect("at most the packet size"),
            spid: self.spid,
            packet_id: self.next_id,
        };
        self.next_id = self.next_id.wrapping_add(1);
        out.extend_from_slice(&header.encode());
        out.extend_from_slice(payload);
    }
}

/// Appends one whole message; `first` holds more status bits for its first packet.
pub fn write_message(
    out: &mut Vec<u8>,
    packet_type: PacketType,
    payload: &[u8],
    packet_bytes: u16,
    first: PacketStatus,
) {
    let at = out.len();
    PacketWriter::new(packet_type, packet_bytes).write_last(out, payload);
    out[at + 1] |= first.0;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_all(reader: &mut MessageReader, bytes: &[u8], piece: usize) -> Result<Vec<Message>, TdsError> {
        let mut messages = Vec::new();
        for mut input in bytes.chunks(piece.max(1)) {
            while let Some(message) = reader.read(&mut input)? {
                messages.push(message);
            }
            assert!(input.is_empty());
        }
        Ok(messages)
    }

    #[test]
    fn header_of_the_documented_example() {
        let header = PacketHeader::decode([0x04, 0x01, 0x00, 0x33, 0x00, 0x00, 0x01, 0x00]).unwrap();
        assert_eq!(header.packet_type, PacketType::TabularResult);
        assert_eq!(header.length_bytes, 0x33);
        assert!(header.status.contains(PacketStatus::END_OF_MESSAGE));
        assert_eq!(header.encode(), [0x04, 0x01, 0x00, 0x33, 0x00, 0x00, 0x01, 0x00]);
    }

    #[test]
    fn packet_ids_count_and_only_the_last_ends_the_message() {
        let mut out = Vec::new();
        write_message(&mut out, PacketType::SqlBatch, &[7; 1008], 512, PacketStatus::RESET);
        assert_eq!(out.len(), 1008 + 2 * HEADER_BYTES);
        assert_eq!(out[..8], [1, 0x08, 2, 0, 0, 0, 1, 0]);
        assert_eq!(out[512..520], [1, 0x01, 2, 0, 0, 0, 2, 0]);
    }

    #[test]
    fn reset_and_ignore_flags_reach_the_message() {
        let mut out = Vec::new();
        write_message(&mut out, PacketType::Rpc, b"x", 512, PacketStatus::RESET_KEEP_TRANSACTION);
        write_message(&mut out, PacketType::Rpc, b"", 512, PacketStatus::IGNORE.with(PacketStatus::RESET));
        let messages = read_all(&mut MessageReader::new(100), &out, 3).unwrap();
        assert_eq!(messages[0].reset, Reset::SessionButTransaction);
        assert!(!messages[0].ignored);
        assert_eq!(messages[1].reset, Reset::Session);
        assert!(messages[1].ignored);
    }

    #[test]
    fn an_attention_cuts_off_an_unfinished_message() {
        let mut out = vec![3, 0, 0, 9, 0, 0, 1, 0, 42];
        out.extend_from_slice(&[6, 1, 0, 8, 0, 0, 1, 0]);
        let messages = read_all(&mut MessageReader::new(100), &out, 1).unwrap();
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0].packet_type, PacketType::Attention);
    }

    #[test]
    fn another_type_inside_a_message_is_refused() {
        let out = [3, 0, 0, 9, 0, 0, 1, 0, 42, 1, 1, 0, 8, 0, 0, 1, 0];
        assert!(read_all(&mut MessageReader::new(100), &out, 50).is_err());
    }

    #[test]
    fn the_bound_is_checked_before_the_bytes_arrive() {
        let mut reader = MessageReader::new(1000);
        let mut input: &[u8] = &[1, 1, 0xFF, 0xFF, 0, 0, 1, 0];
        assert_eq!(reader.read(&mut input), Err(TdsError::TooLarge { what: "message", bound_bytes: 1000 }));
    }

    #[test]
    fn after_the_login_a_message_beyond_the_bound_comes_without_its_payload() {
        for len in [500, 1000, 1001, 5000] {
            let mut reader = MessageReader::new(10);
            reader.cut_beyond(1000);
            let mut sent = Vec::new();
            write_message(&mut sent, PacketType::SqlBatch, &vec![7; len], 512, PacketStatus::default());
            write_message(&mut sent, PacketType::SqlBatch, &[8; 20], 512, PacketStatus::default());
            let messages = read_all(&mut reader, &sent, 100).unwrap();
            let kept = if len > 1000 { 0 } else { len };
            assert_eq!(messages[0].payload, vec![7; kept]);
            assert_eq!(messages[0].cut, (len > 1000).then_some(Cut::TooLong));
            assert_eq!((messages[1].payload.len(), messages[1].cut), (20, None));
        }
    }

    #[test]
    fn a_message_without_memory_is_followed_to_its_end() {
        let mut reader = MessageReader::new(100_000);
        let mut sent = Vec::new();
        write_message(&mut sent, PacketType::Rpc, &[7; 5000], 512, PacketStatus::default());
        let (mut first, mut rest) = sent.split_at(3000);
        assert_eq!(reader.read(&mut first), Ok(None));
        assert!(reader.held_bytes() >= 2900);
        reader.drop_message();
        assert_eq!(reader.held_bytes(), 0);
        let message = reader.read(&mut rest).unwrap().unwrap();
        assert_eq!((message.payload.len(), message.cut), (0, Some(Cut::NoMemory)));
        assert!(!reader.is_inside_message());
    }

    #[test]
    fn garbage_is_known_by_its_first_byte() {
        let mut input: &[u8] = b"G";
        assert_eq!(MessageReader::new(10).read(&mut input), Err(TdsError::UnknownPacketType(b'G')));
    }

    proptest! {
        #[test]
        fn messages_survive_any_cut(
            payload in prop::collection::vec(any::<u8>(), 0..3000), size in 512_u16..1500, piece in 1_usize..700,
        ) {
            let mut out = Vec::new();
            write_message(&mut out, PacketType::SqlBatch, &payload, size, PacketStatus::default());
            write_message(&mut out, PacketType::Attention, &[], size, PacketStatus::default());
            let messages = read_all(&mut MessageReader::new(3000), &out, piece).unwrap();
            prop_assert_eq!(messages.len(), 2);
            prop_assert_eq!(&messages[0].payload, &payload);
            prop_assert_eq!(messages[1].packet_type, PacketType::Attention);
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), piece in 1_usize..40) {
            let mut reader = MessageReader::new(1000);
            for mut input in bytes.chunks(piece) {
                while let Ok(Some(message)) = reader.read(&mut input) {
                    prop_assert!(message.payload.len() <= 1000);
                }
            }
        }
    }

    #[test]
    fn a_bulk_load_comes_in_parts() {
        let payload: Vec<u8> = (0..200_000_u32).map(|number| number as u8).collect();
        let mut out = Vec::new();
        let mut writer = PacketWriter::new(PacketType::BulkLoad, 4096);
        writer.write_last(&mut out, &payload);
        let parts = read_all(&mut MessageReader::new(100_000), &out, 1000).unwrap();
        assert!(parts.len() > 3 && parts.iter().all(|part| part.payload.len() < PART_BYTES + 4096));
        assert!(
            parts.split_last().is_some_and(|(last, parts)| !last.has_more && parts.iter().all(|part| part.has_more))
        );
        assert_eq!(parts.into_iter().flat_map(|part| part.payload).collect::<Vec<u8>>(), payload);
    }
}
