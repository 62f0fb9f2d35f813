//! INFO and ERROR: messages of the server for people.
//!
//! ```text
//!  AA ERROR, AB INFO ┼ length (2) ┼ number (4) ┼ state ┼ severity ┼ text (US_VARCHAR)
//!                    ┼ server (B_VARCHAR) ┼ procedure (B_VARCHAR) ┼ line (4)
//! ```

use crate::TdsError;
use crate::wire::{Reader, put_b_varchar, put_u32, put_us_varchar, put_with_length};

pub(crate) const ERROR_TOKEN: u8 = 0xAA;
pub(crate) const INFO_TOKEN: u8 = 0xAB;
/// The token's length must fit in two bytes: 65535 − 14 (fixed fields) − 2 × 510 (names) is room for 32250 units.
const TEXT_UNITS_MAX: u16 = 32_000;

/// A message; severity above 10 makes it an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerMessage {
    /// As in `sys.messages`.
    pub number: i32,
    /// Where it was raised.
    pub state: u8,
    /// 0–10 information, 11–16 the user's, 17–19 resources, 20–25 end the connection.
    pub severity: u8,
    /// The text; cut at 32,000 UTF-16 units.
    pub message: String,
    /// Name of the server.
    pub server: String,
    /// Name of the procedure, or empty.
    pub procedure: String,
    /// In the batch or procedure, from 1.
    pub line: u32,
}

impl ServerMessage {
    /// Appends an ERROR or, for severity up to 10, an INFO token.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.push(if self.severity > 10 { ERROR_TOKEN } else { INFO_TOKEN });
        put_with_length(out, |out| {
            out.extend_from_slice(&self.number.to_le_bytes());
            out.extend_from_slice(&[self.state, self.severity]);
            put_us_varchar(out, &self.message, TEXT_UNITS_MAX);
            put_b_varchar(out, &self.server);
            put_b_varchar(out, &self.procedure);
            put_u32(out, self.line);
        });
    }

    /// Reads the token after its first byte.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TdsError> {
        let length = reader.u16("message")?;
        let mut body = reader.sub(length.into(), "message")?;
        Self::read_body(&mut body).map_err(|_| TdsError::malformed("message"))
    }

    fn read_body(body: &mut Reader<'_>) -> Result<Self, TdsError> {
        let what = "message";
        Ok(Self {
            number: body.i32(what)?,
            state: body.u8(what)?,
            severity: body.u8(what)?,
            message: body.us_varchar(what)?,
            server: body.b_varchar(what)?,
            procedure: body.b_varchar(what)?,
            line: body.u32(what)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bytes_and_back() {
        let message = ServerMessage {
            number: 208,
            state: 1,
            severity: 16,
            message: "Hi".into(),
            server: "S".into(),
            procedure: String::new(),
            line: 3,
        };
        let mut out = Vec::new();
        message.put(&mut out);
        let expected = [0xAA, 0x14, 0, 208, 0, 0, 0, 1, 16, 2, 0, b'H', 0, b'i', 0, 1, b'S', 0, 0, 3, 0, 0, 0];
        assert_eq!(out[..], expected);
        assert_eq!(ServerMessage::read(&mut Reader::new(&out[1..])), Ok(message));
    }

    #[test]
    fn the_longest_message_still_fits() {
        let name = "n".repeat(300);
        let message = ServerMessage {
            message: "é".repeat(100_000),
            server: name.clone(),
            procedure: name,
            ..ServerMessage::default()
        };
        let mut out = Vec::new();
        message.put(&mut out);
        assert_eq!(out[0], 0xAB);
        let back = ServerMessage::read(&mut Reader::new(&out[1..])).unwrap();
        assert_eq!(back.message.chars().count(), 32_000);
        assert_eq!(back.server.len(), 255);
    }
}
