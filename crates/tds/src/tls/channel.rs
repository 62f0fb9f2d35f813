//! The TLS machine of one connection.
//!
//! ```text
//!           ┌─ Handshaking ── receive: unwrap, rustls ──▶ Protected ──(login only)──▶ Clear
//!  strict:  └───────────────── receive: rustls ──────────▶ Protected
//! ```
//!
//! | state       | fn that leaves it                      | received bytes are      | sent bytes are            |
//! |-------------|----------------------------------------|-------------------------|---------------------------|
//! | Handshaking | `receive`, when rustls is done         | handshake, wrapped      | refused                   |
//! | Protected   | login only: server `receive`, at once; | records; login only: or | records; login only on    |
//! |             | client `end_login_protection`          | clear, which ends it    | the server: clear         |
//!
//! A TLS record begins with 14–17, a TDS packet never does, so the end of login-only protection needs no counting:
//! some drivers protect the first packet of LOGIN7 only, others all of it.
//!
//! What always holds: rustls is given one record at a time, so it never swallows bytes in the clear after it; at most
//! one incomplete record is held.
//!
//! Use it with the configurations of this module: [`super::server_config`] says why in-prelogin TLS is TLS 1.2.

use std::io::{Read, Write};

use rustls::Connection;

use super::TlsError;
use super::prelogin::{Unwrapper, wrap};

/// Type, version, length.
const RECORD_HEADER_BYTES: usize = 5;
/// 2^14 of content and 2048 for TLS 1.2's expansion.
const RECORD_BYTES_MAX: usize = RECORD_HEADER_BYTES + (1 << 14) + 2048;

/// Which part of the connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsCover {
    /// Everything, from the first byte: TDS 8.0.
    Strict,
    /// Everything after a handshake in PRELOGIN packets.
    Full,
    /// The login after a handshake in PRELOGIN packets.
    LoginOnly,
}

/// TLS of one connection. Give it what the socket reads, and write to the socket what [`TlsChannel::take_output`] gives.
#[derive(Debug)]
pub struct TlsChannel {
    connection: Connection,
    cover: TlsCover,
    unwrapper: Unwrapper,
    is_handshaking: bool,
    /// The peer has spoken in the clear; login only.
    is_clear_in: bool,
    /// We speak in the clear; login only.
    is_clear_out: bool,
    /// The beginning of a record.
    partial: Vec<u8>,
    output: Vec<u8>,
}

impl TlsChannel {
    /// Starts; a client's first flight is in the output then.
    pub fn new(mut connection: Connection, cover: TlsCover) -> Self {
        // What is written goes to the output at once, so rustls' own bound would only drop data.
        connection.set_buffer_limit(None);
        let mut channel = Self {
            connection,
            cover,
            unwrapper: Unwrapper::default(),
            is_handshaking: true,
            is_clear_in: false,
            is_clear_out: false,
            partial: Vec::new(),
            output: Vec::new(),
        };
        channel.collect_output();
        channel
    }

    /// Whether application bytes cannot flow yet.
    pub fn is_handshaking(&self) -> bool {
        self.is_handshaking
    }

    /// Whether bytes go both ways in the clear, so that the channel has no more work.
    pub fn is_clear(&self) -> bool {
        self.is_clear_in && self.is_clear_out
    }

    /// Version and cipher suite, for people.
    pub fn description(&self) -> Option<String> {
        let version = self.connection.protocol_version()?;
        let suite = self.connection.negotiated_cipher_suite()?;
        Some(format!("{version:?} {:?}", suite.suite()))
    }

    /// Whether something waits to be written to the socket.
    pub fn has_output(&self) -> bool {
        !self.output.is_empty()
    }

    /// Moves what is to be written to the socket to `out`. After an error it may be an alert, worth sending.
    pub fn take_output(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.output);
    }

    /// The client's login packet is sent; from here on it speaks in the clear, when that was agreed on.
    pub fn end_login_protection(&mut self) {
        if self.cover == TlsCover::LoginOnly {
            self.is_clear_out = true;
        }
    }

    /// Bytes of TDS to send; they are in the output afterwards.
    pub fn send(&mut self, tds: &[u8]) -> Result<(), TlsError> {
        if self.is_handshaking {
            return Err(TlsError::NotReady);
        }
        if self.is_clear_out {
            self.output.extend_from_slice(tds);
            return Ok(());
        }
        self.connection.writer().write_all(tds).expect("rustls buffers in memory");
        self.collect_output();
        Ok(())
    }

    /// Bytes from the socket; what they hold of TDS is appended to `tds`.
    pub fn receive(&mut self, mut input: &[u8], tds: &mut Vec<u8>) -> Result<(), TlsError> {
        let result = self.receive_all(&mut input, tds);
        self.collect_output();
        result
    }

    fn receive_all(&mut self, input: &mut &[u8], tds: &mut Vec<u8>) -> Result<(), TlsError> {
        while self.is_handshaking && self.cover != TlsCover::Strict {
            let Some(handshake) = self.unwrapper.next(input)? else {
                return Ok(());
            };
            self.process(handshake, tds)?;
        }
        while !input.is_empty() {
            if self.is_clear_in {
                tds.extend_from_slice(input);
                return Ok(());
            }
            if self.partial.is_empty() && !(0x14..=0x17).contains(&input[0]) {
                self.accept_clear()?;
                continue;
            }
            self.receive_record(input, tds)?;
        }
        Ok(())
    }

    fn accept_clear(&mut self) -> Result<(), TlsError> {
        if self.cover != TlsCover::LoginOnly {
            return Err(TlsError::NotEncrypted);
        }
        self.is_clear_in = true;
        Ok(())
    }

    /// Takes bytes up to the end of one record, and processes it when it is whole.
    fn receive_record(&mut self, input: &mut &[u8], tds: &mut Vec<u8>) -> Result<(), TlsError> {
        let header_missing = RECORD_HEADER_BYTES.saturating_sub(self.partial.len());
        self.take_partial(input, header_missing);
        if self.partial.len() < RECORD_HEADER_BYTES {
            return Ok(());
        }
        let length = RECORD_HEADER_BYTES + usize::from(u16::from_be_bytes([self.partial[3], self.partial[4]]));
        if length > RECORD_BYTES_MAX {
            return Err(TlsError::RecordTooLong);
        }
        self.take_partial(input, length - self.partial.len());
        if self.partial.len() < length {
            return Ok(());
        }
        let mut record = std::mem::take(&mut self.partial);
        let result = self.process(&record, tds);
        record.clear();
        self.partial = record;
        result
    }

    fn take_partial(&mut self, input: &mut &[u8], count: usize) {
        let (taken, rest) = input.split_at(count.min(input.len()));
        self.partial.extend_from_slice(taken);
        *input = rest;
    }

    /// Gives bytes to rustls and takes what it decrypted.
    fn process(&mut self, mut bytes: &[u8], tds: &mut Vec<u8>) -> Result<(), TlsError> {
        while !bytes.is_empty() {
            let taken = self.connection.read_tls(&mut bytes).map_err(|_| TlsError::RecordTooLong)?;
            let state = self.connection.process_new_packets()?;
            if state.plaintext_bytes_to_read() > 0 {
                let start = tds.len();
                tds.resize(start + state.plaintext_bytes_to_read(), 0);
                self.connection.reader().read_exact(&mut tds[start..]).expect("rustls said how much there is");
            }
            if taken == 0 {
                // The peer has closed TLS; what follows has no meaning.
                break;
            }
        }
        self.end_handshake();
        Ok(())
    }

    fn end_handshake(&mut self) {
        if !self.is_handshaking || self.connection.is_handshaking() {
            return;
        }
        // The last flight still belongs to the handshake and is wrapped like it.
        self.collect_output();
        self.is_handshaking = false;
        let is_server = matches!(self.connection, Connection::Server(_));
        self.is_clear_out = self.cover == TlsCover::LoginOnly && is_server;
    }

    fn collect_output(&mut self) {
        let mut records = Vec::new();
        while self.connection.wants_write() {
            if self.connection.write_tls(&mut records).expect("a vector takes all") == 0 {
                break;
            }
        }
        if self.is_handshaking && self.cover != TlsCover::Strict {
            wrap(&mut self.output, &records);
        } else {
            self.output.append(&mut records);
        }
    }
}
