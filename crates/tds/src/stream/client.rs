//! Client side: packets are fed, events are taken.
//!
//! ```text
//!  feed ─▶ header ─▶ payload ─▶ buffer ─▶ next_event ─▶ Columns, Row, Row, Done …
//! ```
//!
//! What always holds: an event is handed out as soon as its last byte is there, but for tokens above 64 KiB, which may
//! wait for an eighth of their length more; the buffer holds no more than what was fed since the last call and one
//! incomplete token; a token longer than its bound is refused.

use millpond_types::Value;

use crate::TdsError;
use crate::column::ColumnMeta;
use crate::packet::{HEADER_BYTES, PacketHeader, PacketStatus, PacketType};
use crate::token::colmetadata::ResultColumns;
use crate::token::{
    Done, DoneKind, EnvChange, FeatureAck, LoginAck, ReturnValue, SKIPPED_LONG, SKIPPED_SHORT, ServerMessage,
    colmetadata, envchange, featureextack, loginack, message, order, returnstatus, returnvalue, row,
};
use crate::wire::Reader;

/// Longest token, which is a row: two (max) values fit.
const TOKEN_BOUND_BYTES: usize = 4 << 30;
/// A token of this length is not tried again for every packet.
const LONG_TOKEN_BYTES: usize = 64 * 1024;

/// What a server sends.
#[derive(Clone, Debug)]
pub enum Event {
    /// A result begins; empty when it has no columns.
    Columns(Vec<ColumnMeta>),
    /// Sort order of the rows to come, columns numbered from 1.
    Order(Vec<u16>),
    /// A row of the last columns.
    Row(Vec<Value>),
    /// The end of something.
    Done(Done),
    /// Severity up to 10.
    Info(ServerMessage),
    /// Severity above 10.
    Error(ServerMessage),
    /// A change of the session.
    EnvChange(EnvChange),
    /// What a procedure returned.
    ReturnStatus(i32),
    /// An output parameter.
    ReturnValue(ReturnValue),
    /// The login succeeded.
    LoginAck(LoginAck),
    /// Features granted.
    FeatureExtAck(Vec<FeatureAck>),
}

/// Reads the messages of a server, one after the other.
#[derive(Debug, Default)]
pub struct ClientDecoder {
    header: [u8; HEADER_BYTES],
    header_filled: usize,
    /// Of the current packet.
    missing_bytes: usize,
    in_packet: bool,
    last_packet: bool,
    /// The message's last byte has been fed.
    is_ended: bool,
    buffer: Vec<u8>,
    /// Consumed front of the buffer.
    consumed: usize,
    /// Buffered bytes below which the next token is certainly incomplete.
    needed_bytes: usize,
    columns: ResultColumns,
}

impl ClientDecoder {
    /// A decoder before the first packet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Consumes packets from `input` up to the end of the message; the rest belongs to the next one.
    ///
    /// After an error the connection is lost.
    pub fn feed(&mut self, input: &mut &[u8]) -> Result<(), TdsError> {
        while !self.is_ended && !(input.is_empty() && (self.missing_bytes > 0 || !self.in_packet)) {
            if !self.in_packet {
                self.feed_header(input)?;
                continue;
            }
            let count = self.missing_bytes.min(input.len());
            let (taken, rest) = input.split_at(count);
            self.buffer.extend_from_slice(taken);
            *input = rest;
            self.missing_bytes -= count;
            if self.missing_bytes == 0 {
                self.in_packet = false;
                self.is_ended = self.last_packet;
            }
        }
        Ok(())
    }

    fn feed_header(&mut self, input: &mut &[u8]) -> Result<(), TdsError> {
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
        if header.packet_type != PacketType::TabularResult {
            return Err(TdsError::malformed("packet type of a server"));
        }
        self.in_packet = true;
        self.missing_bytes = usize::from(header.length_bytes) - HEADER_BYTES;
        self.last_packet = header.status.contains(PacketStatus::END_OF_MESSAGE);
        if self.buffer.len() - self.consumed > TOKEN_BOUND_BYTES {
            return Err(TdsError::TooLarge { what: "token", bound_bytes: TOKEN_BOUND_BYTES });
        }
        Ok(())
    }

    /// The next event, or `None` when more bytes are needed or the message is complete.
    pub fn next_event(&mut self) -> Result<Option<Event>, TdsError> {
        loop {
            let available = self.buffer.len() - self.consumed;
            if available == 0 || (available < self.needed_bytes && !self.is_ended) {
                self.compact();
                return Ok(None);
            }
            let mut reader = Reader::new(&self.buffer[self.consumed..]);
            match read_token(&mut reader, &mut self.columns) {
                Ok(event) => {
                    self.consumed += reader.position();
                    self.needed_bytes = 0;
                    if event.is_some() {
                        return Ok(event);
                    }
                }
                Err(TdsError::Truncated { missing_bytes, .. }) if !self.is_ended => {
                    self.needed_bytes = needed(available, missing_bytes);
                    self.compact();
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether the message has ended and all its events are taken.
    pub fn is_complete(&self) -> bool {
        self.is_ended && self.buffer.len() == self.consumed
    }

    /// Gets ready for the next message, whatever is left of this one.
    pub fn begin(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        *self = Self { buffer, ..Self::default() };
        self.buffer.clear();
    }

    fn compact(&mut self) {
        if self.consumed > 0 {
            self.buffer.drain(..self.consumed);
            self.consumed = 0;
        }
    }
}

/// How many bytes make another try worth while. A long token is read from its start at each try, so tries are spaced
/// by its length; a short one is tried as soon as it can be complete.
fn needed(available: usize, missing_bytes: usize) -> usize {
    let exact = available.saturating_add(missing_bytes);
    if available < LONG_TOKEN_BYTES { exact } else { exact.max(available + available / 8) }
}

/// Reads one token; `None` for those that say nothing to us.
fn read_token(reader: &mut Reader<'_>, columns: &mut ResultColumns) -> Result<Option<Event>, TdsError> {
    let token = reader.u8("token")?;
    if let Some(kind) = DoneKind::from_token(token) {
        return Ok(Some(Event::Done(Done::read(reader, kind)?)));
    }
    let event = match token {
        row::TOKEN => Event::Row(row::read(reader, with_columns(columns)?)?),
        row::NULL_BITMAP_TOKEN => Event::Row(row::read_null_bitmap(reader, with_columns(columns)?)?),
        colmetadata::TOKEN => {
            *columns = colmetadata::read(reader)?;
            Event::Columns(columns.columns.clone())
        }
        order::TOKEN => Event::Order(order::read(reader)?),
        message::ERROR_TOKEN => Event::Error(ServerMessage::read(reader)?),
        message::INFO_TOKEN => Event::Info(ServerMessage::read(reader)?),
        envchange::TOKEN => Event::EnvChange(EnvChange::read(reader)?),
        returnstatus::TOKEN => Event::ReturnStatus(returnstatus::read(reader)?),
        returnvalue::TOKEN => Event::ReturnValue(ReturnValue::read(reader)?),
        loginack::TOKEN => Event::LoginAck(LoginAck::read(reader)?),
        featureextack::TOKEN => Event::FeatureExtAck(featureextack::read(reader)?),
        _ => return skip(reader, token).map(|()| None),
    };
    Ok(Some(event))
}

/// A row without columns is wrong: it has no length, so it could be repeated for ever.
fn with_columns(columns: &ResultColumns) -> Result<&ResultColumns, TdsError> {
    if columns.infos.is_empty() {
        return Err(TdsError::malformed("row without columns"));
    }
    Ok(columns)
}

fn skip(reader: &mut Reader<'_>, token: u8) -> Result<(), TdsError> {
    let length = if SKIPPED_SHORT.contains(&token) {
        usize::from(reader.u16("token")?)
    } else if SKIPPED_LONG.contains(&token) {
        usize::try_from(reader.u32("token")?).unwrap_or(usize::MAX)
    } else {
        return Err(TdsError::UnknownToken(token));
    };
    reader.bytes(length, "token").map(|_| ())
}

#[cfg(test)]
mod tests {
    use millpond_types::SqlType;
    use proptest::prelude::*;

    use super::*;
    use crate::packet::write_message;
    use crate::stream::ServerEncoder;
    use crate::token::DoneStatus;
    use crate::version::TdsVersion;

    fn drain(decoder: &mut ClientDecoder) -> Result<Vec<Event>, TdsError> {
        let mut events = Vec::new();
        while let Some(event) = decoder.next_event()? {
            events.push(event);
        }
        Ok(events)
    }

    fn feed_all(bytes: &[u8], piece: usize) -> Result<Vec<Event>, TdsError> {
        let mut decoder = ClientDecoder::new();
        let mut events = Vec::new();
        for mut input in bytes.chunks(piece) {
            decoder.feed(&mut input)?;
            events.extend(drain(&mut decoder)?);
        }
        Ok(events)
    }

    fn message(payload: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        write_message(&mut out, PacketType::TabularResult, payload, 4096, PacketStatus::default());
        out
    }

    #[test]
    fn events_do_not_depend_on_how_bytes_are_cut() {
        let columns = [ColumnMeta::new("t", SqlType::VARCHAR_MAX), ColumnMeta::new("i", SqlType::Int)];
        let mut encoder = ServerEncoder::new(TdsVersion::V7_4, 600);
        encoder.columns(&columns);
        encoder.order(&[1]);
        for index in 0..20 {
            encoder.row(&columns, &[Value::Str("x".repeat(index * 150).into()), Value::Int(1)]).unwrap();
        }
        encoder.return_status(3);
        encoder.done(Done::new(DoneKind::Done, DoneStatus::FINAL));
        let mut out = Vec::new();
        encoder.finish(&mut out);
        let whole = format!("{:?}", feed_all(&out, out.len()).unwrap());
        for piece in [1, 7, 600, 1000] {
            assert_eq!(format!("{:?}", feed_all(&out, piece).unwrap()), whole);
        }
    }

    #[test]
    fn tokens_without_meaning_are_skipped() {
        let mut payload = vec![0xA4, 2, 0, 9, 9, 0xE4, 3, 0, 0, 0, 9, 9, 9];
        Done::attention().put(&mut payload);
        let events = feed_all(&message(&payload), 5).unwrap();
        assert!(matches!(events[..], [Event::Done(done)] if done == Done::attention()));
    }

    #[test]
    fn the_next_message_is_left_alone() {
        let mut payload = Vec::new();
        Done::new(DoneKind::Done, DoneStatus::FINAL).put(&mut payload);
        let one = message(&payload);
        let two = [&one[..], &one[..]].concat();
        let mut decoder = ClientDecoder::new();
        let mut input = &two[..];
        decoder.feed(&mut input).unwrap();
        assert_eq!(input, one);
        assert_eq!(drain(&mut decoder).unwrap().len(), 1);
        assert!(decoder.is_complete());
        decoder.begin();
        assert!(!decoder.is_complete());
        decoder.feed(&mut input).unwrap();
        assert_eq!(drain(&mut decoder).unwrap().len(), 1);
    }

    #[test]
    fn what_is_cut_off_by_the_end_is_an_error() {
        assert!(matches!(feed_all(&message(&[0xFD, 0]), 100), Err(TdsError::Truncated { .. })));
        assert_eq!(feed_all(&message(&[0x00]), 100).unwrap_err(), TdsError::UnknownToken(0));
        assert!(feed_all(&message(&[0xD1]), 100).is_err());
        assert!(feed_all(&[1, 1, 0, 8, 0, 0, 1, 0], 100).is_err());
    }

    #[test]
    fn a_long_value_is_not_read_again_for_every_packet() {
        assert_eq!(needed(10, 5), 15);
        assert_eq!(needed(LONG_TOKEN_BYTES, 1), LONG_TOKEN_BYTES + LONG_TOKEN_BYTES / 8);
        assert_eq!(needed(LONG_TOKEN_BYTES, 1 << 30), LONG_TOKEN_BYTES + (1 << 30));
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(payload in prop::collection::vec(any::<u8>(), 0..300), piece in 1_usize..50) {
            let _ = feed_all(&message(&payload), piece);
            let _ = feed_all(&payload, piece);
        }
    }
}
