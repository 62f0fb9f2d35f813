//! SMP: several sessions, each a stream of packets, over one connection (MC-SMP), as MARS has them.
//!
//! ```text
//!  0      1       2     4        8        12       16
//!  ├ 0x53 ┼ flags ┼ sid ┼ length ┼ seqnum ┼ window ┼ one packet of TDS, in DATA alone
//!                         little-endian, counts the header too
//! ```
//!
//! Each side numbers its DATA from 1 on and sends none with a number beyond the window that the other side has advertised last: so a
//! session that is not read keeps no other one from going on. What always holds ([`Flow`]): the advertised window never shrinks.
//! It knows neither sockets nor what the packets say.

use crate::TdsError;

/// Length of a frame's header.
pub const HEADER_BYTES: usize = 16;
/// Packets that a side takes before it has read any of them.
pub const WINDOW_PACKETS: u32 = 4;
/// So many packets are read before a new window is advertised.
const ADVERTISED_AFTER_PACKETS: u32 = 2;

const SMID: u8 = 0x53;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Begins a session.
    Syn = 1,
    /// Advertises a window.
    Ack = 2,
    /// Ends a session.
    Fin = 4,
    /// Has a packet.
    Data = 8,
}

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it is.
    pub kind: Kind,
    /// The session's number, which the client chooses.
    pub session: u16,
    /// With the header.
    pub length_bytes: u32,
    /// Of DATA its own number, else that of the last DATA before it.
    pub number: u32,
    /// Number of the last DATA that its sender takes.
    pub window: u32,
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// What is no frame: another mark, none or several flags, a length shorter than the header, or longer where there is nothing to
    /// carry.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> Result<Header, TdsError> {
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let kind = match (bytes[0], bytes[1]) {
            (SMID, 1) => Kind::Syn,
            (SMID, 2) => Kind::Ack,
            (SMID, 4) => Kind::Fin,
            (SMID, 8) => Kind::Data,
            _ => return Err(TdsError::malformed("SMP header")),
        };
        let session = u16::from_le_bytes([bytes[2], bytes[3]]);
        let header = Header { kind, session, length_bytes: number(4), number: number(8), window: number(12) };
        let is_empty = header.length_bytes == HEADER_BYTES as u32;
        if (kind == Kind::Data) == is_empty || header.length_bytes < HEADER_BYTES as u32 {
            return Err(TdsError::malformed("SMP length"));
        }
        Ok(header)
    }

    /// The header's bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        (bytes[0], bytes[1]) = (SMID, self.kind as u8);
        bytes[2..4].copy_from_slice(&self.session.to_le_bytes());
        for (at, number) in [(4, self.length_bytes), (8, self.number), (12, self.window)] {
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }
}

/// The numbers of one session, at one of its ends.
#[derive(Debug)]
pub struct Flow {
    session: u16,
    /// The last DATA that was sent.
    sent: u32,
    /// The last one that the other side takes.
    may_send: u32,
    /// The last one that came.
    received: u32,
    /// The last one that may come.
    window: u32,
    /// The window as it was advertised last.
    advertised: u32,
}

impl Flow {
    /// A session that the other side has begun with this header.
    #[must_use]
    pub fn begun(syn: &Header) -> Flow {
        let window = WINDOW_PACKETS;
        Flow { session: syn.session, sent: 0, may_send: syn.window, received: 0, window, advertised: window }
    }

    /// Takes what a header says of the numbers.
    ///
    /// # Errors
    /// A number out of order or beyond the window, a window that has shrunk.
    pub fn receive(&mut self, header: &Header) -> Result<(), TdsError> {
        let expected = self.received.wrapping_add(u32::from(header.kind == Kind::Data));
        if header.number != expected || ahead(header.number, self.advertised) > 0 {
            return Err(TdsError::malformed("SMP sequence number"));
        }
        if ahead(header.window, self.may_send) < 0 {
            return Err(TdsError::malformed("SMP window"));
        }
        (self.received, self.may_send) = (header.number, header.window);
        Ok(())
    }

    /// So many packets more may come.
    pub fn open(&mut self, packets: u32) {
        self.window = self.window.wrapping_add(packets);
    }

    /// Whether the other side takes one more packet.
    #[must_use]
    pub fn may_send(&self) -> bool {
        ahead(self.may_send, self.sent) > 0
    }

    /// The frame of a packet; only when [`Flow::may_send`].
    pub fn send(&mut self, packet: &[u8], out: &mut Vec<u8>) {
        self.sent = self.sent.wrapping_add(1);
        out.extend_from_slice(&self.header(Kind::Data, packet.len()).encode());
        out.extend_from_slice(packet);
    }

    /// Advertises the window, when it has grown since the last frame by enough to be worth one.
    pub fn acknowledge(&mut self, out: &mut Vec<u8>) {
        if ahead(self.window, self.advertised) >= ADVERTISED_AFTER_PACKETS as i32 {
            out.extend_from_slice(&self.header(Kind::Ack, 0).encode());
        }
    }

    /// Ends the session.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header(Kind::Fin, 0).encode());
    }

    fn header(&mut self, kind: Kind, payload_bytes: usize) -> Header {
        self.advertised = self.window;
        let length_bytes = u32::try_from(HEADER_BYTES + payload_bytes).expect("a packet has at most 32,767 bytes");
        Header { kind, session: self.session, length_bytes, number: self.sent, window: self.window }
    }
}

/// By how much one number is ahead of another; numbers go round.
fn ahead(one: u32, other: u32) -> i32 {
    one.wrapping_sub(other).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn syn(session: u16) -> Header {
        Header { kind: Kind::Syn, session, length_bytes: 16, number: 0, window: 4 }
    }

    fn headers(mut frames: &[u8]) -> Vec<Header> {
        let mut found = Vec::new();
        while let Some(bytes) = frames.first_chunk() {
            let header = Header::decode(bytes).expect("a frame");
            frames = &frames[header.length_bytes as usize..];
            found.push(header);
        }
        found
    }

    /// MC-SMP 4.1 and 4.4: a SYN of session 0, a DATA of session 5 with 160 bytes.
    #[test]
    fn headers_are_as_documented() {
        let bytes = [0x53, 1, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0];
        assert_eq!(Header::decode(&bytes).expect("a SYN"), syn(0));
        assert_eq!(syn(0).encode(), bytes);
        let bytes = [0x53, 8, 5, 0, 0xB0, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0];
        let data = Header { kind: Kind::Data, session: 5, length_bytes: 176, number: 1, window: 4 };
        assert_eq!(Header::decode(&bytes).expect("a DATA"), data);
        assert_eq!(data.encode(), bytes);
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        let good = syn(0).encode();
        for (at, byte) in [(0, 0x54), (1, 0), (1, 3), (1, 16), (4, 15), (4, 17), (7, 1)] {
            let mut bytes = good;
            bytes[at] = byte;
            assert!(Header::decode(&bytes).is_err(), "{at} {byte}");
        }
        let empty = Header { kind: Kind::Data, ..syn(0) };
        assert!(Header::decode(&empty.encode()).is_err(), "DATA without a packet");
    }

    #[test]
    fn a_window_is_advertised_and_kept() {
        let mut flow = Flow::begun(&syn(3));
        let mut out = Vec::new();
        let data = |number, window| Header { kind: Kind::Data, session: 3, length_bytes: 20, number, window };
        for number in 1..=4 {
            flow.receive(&data(number, 4)).expect("within the window");
        }
        assert!(flow.receive(&data(5, 4)).is_err(), "beyond it");
        flow.open(1);
        flow.acknowledge(&mut out);
        assert!(out.is_empty(), "not worth a frame");
        flow.open(3);
        flow.acknowledge(&mut out);
        flow.acknowledge(&mut out);
        assert_eq!(headers(&out), [Header { kind: Kind::Ack, number: 0, window: 8, ..syn(3) }]);
        assert!(flow.receive(&data(6, 4)).is_err(), "out of order");
        assert!(flow.receive(&data(5, 3)).is_err(), "a window that shrinks");
        flow.receive(&data(5, 4)).expect("the next one");
    }

    #[test]
    fn no_packet_goes_beyond_the_other_sides_window() {
        let mut flow = Flow::begun(&syn(0));
        let mut out = Vec::new();
        let mut sent = 0;
        while flow.may_send() {
            flow.send(b"packet", &mut out);
            sent += 1;
        }
        assert_eq!(sent, 4);
        flow.receive(&Header { kind: Kind::Ack, window: 6, ..syn(0) }).expect("no DATA came");
        flow.send(b"packet", &mut out);
        flow.finish(&mut out);
        let numbers: Vec<(Kind, u32)> = headers(&out).iter().map(|header| (header.kind, header.number)).collect();
        let data = (1..=5).map(|number| (Kind::Data, number));
        assert_eq!(numbers, data.chain([(Kind::Fin, 5)]).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_go_round() {
        let mut flow = Flow {
            sent: u32::MAX,
            may_send: 1,
            received: u32::MAX - 1,
            window: 2,
            advertised: 2,
            ..Flow::begun(&syn(0))
        };
        assert!(flow.may_send());
        let data = |number| Header { kind: Kind::Data, session: 0, length_bytes: 20, number, window: 1 };
        flow.receive(&data(u32::MAX)).expect("the last number");
        flow.receive(&data(0)).expect("the first one again");
        let mut out = Vec::new();
        flow.send(b"x", &mut out);
        assert_eq!(headers(&out)[0].number, 0);
    }
}
