//! LOGINACK: the login succeeded.
//!
//! ```text
//!  AD ┼ length (2) ┼ interface (1: T-SQL) ┼ TDS version (4, big-endian) ┼ program (B_VARCHAR) ┼ its version (4)
//! ```

use crate::TdsError;
use crate::version::TdsVersion;
use crate::wire::{Reader, put_b_varchar, put_with_length};

pub(crate) const TOKEN: u8 = 0xAD;
const INTERFACE_TSQL: u8 = 1;

/// The token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginAck {
    /// Spoken from here on.
    pub version: TdsVersion,
    /// Drivers distinguish servers by it; SQL Server's is "Microsoft SQL Server".
    pub program: String,
    /// Major, minor, build (big-endian).
    pub program_version: [u8; 4],
}

impl LoginAck {
    /// Appends the token.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.push(TOKEN);
        put_with_length(out, |out| {
            out.push(INTERFACE_TSQL);
            out.extend_from_slice(&self.version.number().to_be_bytes());
            put_b_varchar(out, &self.program);
            out.extend_from_slice(&self.program_version);
        });
    }

    /// Reads the token after its first byte.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TdsError> {
        let length = reader.u16("LOGINACK")?;
        let mut body = reader.sub(length.into(), "LOGINACK")?;
        Self::read_body(&mut body).map_err(|error| match error {
            TdsError::Truncated { what, .. } => TdsError::malformed(what),
            other => other,
        })
    }

    fn read_body(body: &mut Reader<'_>) -> Result<Self, TdsError> {
        body.u8("LOGINACK")?;
        Ok(Self {
            version: TdsVersion::from_login(u32::from_be_bytes(body.array("LOGINACK")?))?,
            program: body.b_varchar("LOGINACK")?,
            program_version: body.array("LOGINACK")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bytes_and_back() {
        let ack = LoginAck { version: TdsVersion::V7_4, program: "ab".into(), program_version: [16, 0, 3, 0xE8] };
        let mut out = Vec::new();
        ack.put(&mut out);
        assert_eq!(out, [0xAD, 14, 0, 1, 0x74, 0, 0, 4, 2, b'a', 0, b'b', 0, 16, 0, 3, 0xE8]);
        assert_eq!(LoginAck::read(&mut Reader::new(&out[1..])), Ok(ack));
    }
}
