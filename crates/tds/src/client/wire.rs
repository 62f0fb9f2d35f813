//! The client's end of the stream: packets out, bytes in, TLS between when there is.
//!
//! What always holds: bytes received and not consumed stay for the next reader.

use std::io::{ErrorKind, Read, Write};

use super::ClientError;
use crate::TdsError;
use crate::packet::{PacketStatus, PacketType, write_message};
use crate::tls::TlsChannel;

/// Bytes asked for in one read.
const READ_BYTES: usize = 32 * 1024;

/// Result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// The read timed out.
    Nothing,
    /// There is something to consume.
    Bytes,
}

#[derive(Debug)]
pub(super) struct Wire<S> {
    stream: S,
    tls: Option<TlsChannel>,
    packet_bytes: u16,
    /// Bytes of TDS not consumed.
    input: Vec<u8>,
    /// What one read fills.
    buffer: Box<[u8]>,
}

impl<S: Read + Write> Wire<S> {
    pub(super) fn new(stream: S, packet_bytes: u16) -> Self {
        Self { stream, tls: None, packet_bytes, input: Vec::new(), buffer: vec![0; READ_BYTES].into() }
    }

    pub(super) fn stream(&self) -> &S {
        &self.stream
    }

    pub(super) fn tls_description(&self) -> Option<String> {
        self.tls.as_ref().filter(|tls| !tls.is_clear()).and_then(TlsChannel::description)
    }

    pub(super) fn set_packet_bytes(&mut self, packet_bytes: u16) {
        self.packet_bytes = packet_bytes;
    }

    pub(super) fn packet_bytes(&self) -> u16 {
        self.packet_bytes
    }

    /// Runs the handshake.
    pub(super) fn start_tls(&mut self, channel: TlsChannel) -> Result<(), ClientError> {
        self.tls = Some(channel);
        self.flush_tls()?;
        while self.tls.as_ref().is_some_and(TlsChannel::is_handshaking) {
            self.receive()?;
        }
        Ok(())
    }

    pub(super) fn end_login_protection(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.end_login_protection();
        }
    }

    pub(super) fn send_message(
        &mut self,
        packet_type: PacketType,
        payload: &[u8],
        status: PacketStatus,
    ) -> Result<(), ClientError> {
        let mut packets = Vec::with_capacity(payload.len() + 64);
        write_message(&mut packets, packet_type, payload, self.packet_bytes, status);
        self.send_bytes(&packets)
    }

    pub(super) fn send_bytes(&mut self, tds: &[u8]) -> Result<(), ClientError> {
        match &mut self.tls {
            None => write_all(&mut self.stream, tds),
            Some(tls) => {
                tls.send(tds)?;
                self.flush_tls()
            }
        }
    }

    fn flush_tls(&mut self) -> Result<(), ClientError> {
        let mut bytes = Vec::new();
        if let Some(tls) = &mut self.tls {
            tls.take_output(&mut bytes);
        }
        write_all(&mut self.stream, &bytes)
    }

    /// Reads once, unless something is left to consume.
    pub(super) fn receive(&mut self) -> Result<Received, ClientError> {
        if !self.input.is_empty() {
            return Ok(Received::Bytes);
        }
        let count = match self.stream.read(&mut self.buffer) {
            Ok(0) => return Err(ClientError::Closed),
            Ok(count) => count,
            Err(error) if is_timeout(error.kind()) => return Ok(Received::Nothing),
            Err(error) => return Err(error.into()),
        };
        let received = match &mut self.tls {
            None => {
                self.input.extend_from_slice(&self.buffer[..count]);
                Ok(())
            }
            Some(tls) => tls.receive(&self.buffer[..count], &mut self.input),
        };
        // After an error this sends the alert that says why.
        let flushed = self.flush_tls();
        received?;
        flushed?;
        Ok(if self.input.is_empty() { Received::Nothing } else { Received::Bytes })
    }

    /// Lets a decoder consume what has been received.
    pub(super) fn consume<T>(
        &mut self,
        decoder: impl FnOnce(&mut &[u8]) -> Result<T, TdsError>,
    ) -> Result<T, TdsError> {
        let mut rest = &self.input[..];
        let result = decoder(&mut rest);
        let consumed = self.input.len() - rest.len();
        self.input.drain(..consumed);
        result
    }
}

fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn write_all(stream: &mut impl Write, bytes: &[u8]) -> Result<(), ClientError> {
    stream.write_all(bytes)?;
    stream.flush()?;
    Ok(())
}
