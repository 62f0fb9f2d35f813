//! PRELOGIN: the first message in both directions, and what follows from its ENCRYPTION option.
//!
//! ```text
//!  0     1         3         5                       offset
//!  ├ id  ┼ offset  ┼ length  ┼ … more options … 0xFF ┼ data …
//!          big-endian, offset from the start of the message
//! ```
//!
//! | client \ server | unavailable | optional      | required         |
//! |-----------------|-------------|---------------|------------------|
//! | OFF             | NOT_SUP     | OFF, login    | REQ, full        |
//! | ON, REQ         | NOT_SUP     | ON, full      | ON, full         |
//! | NOT_SUP         | NOT_SUP     | NOT_SUP       | REQ, then closed |
//!
//! *login*: TLS covers the first packet of LOGIN7 only; *full*: it covers the session. A client that wants TLS and
//! reads NOT_SUP goes away on its own.

use crate::TdsError;
use crate::wire::Reader;

/// The value of the ENCRYPTION option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// Available, but not wanted beyond the login.
    Off,
    /// Wanted for the session.
    On,
    /// Not available.
    NotSupported,
    /// A condition.
    Required,
}

impl Encryption {
    fn from_byte(byte: u8) -> Result<Self, TdsError> {
        // The high bit announces a client certificate, which changes nothing here.
        match byte & 0x7F {
            0 => Ok(Self::Off),
            // 4 is what a client sends inside TLS that came first (strict): there is nothing left to negotiate.
            1 | 4 => Ok(Self::On),
            2 => Ok(Self::NotSupported),
            3 => Ok(Self::Required),
            _ => Err(TdsError::malformed("ENCRYPTION option")),
        }
    }

    fn to_byte(self) -> u8 {
        match self {
            Self::Off => 0,
            Self::On => 1,
            Self::NotSupported => 2,
            Self::Required => 3,
        }
    }
}

/// What a server is willing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncryptionPolicy {
    /// There is no certificate.
    Unavailable,
    /// The client decides.
    Optional,
    /// No session without TLS.
    Required,
}

/// Which part of the stream TLS covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsUse {
    /// Nothing.
    None,
    /// The first packet of LOGIN7.
    LoginOnly,
    /// Everything after the handshake.
    Full,
}

/// The server's side of the negotiation: its answer, and what follows; `None` when it closes after answering.
pub fn negotiate(client: Encryption, policy: EncryptionPolicy) -> (Encryption, Option<TlsUse>) {
    use Encryption::*;
    match (policy, client) {
        (EncryptionPolicy::Unavailable, _) | (EncryptionPolicy::Optional, NotSupported) => {
            (NotSupported, Some(TlsUse::None))
        }
        (_, On | Required) => (On, Some(TlsUse::Full)),
        (EncryptionPolicy::Optional, Off) => (Off, Some(TlsUse::LoginOnly)),
        (EncryptionPolicy::Required, Off) => (Required, Some(TlsUse::Full)),
        (EncryptionPolicy::Required, NotSupported) => (Required, None),
    }
}

/// The client's side: what follows from what it asked and what the server answered; `None` when it has to go away.
pub fn agree(asked: Encryption, answered: Encryption) -> Option<TlsUse> {
    use Encryption::*;
    match (asked, answered) {
        (NotSupported, NotSupported | Off) | (Off, NotSupported) => Some(TlsUse::None),
        (NotSupported, On | Required) | (On | Required, NotSupported) => None,
        (Off, Off) => Some(TlsUse::LoginOnly),
        (Off, On | Required) => Some(TlsUse::Full),
        // A server that only offers the login's protection to a client that asked for the session's breaks the
        // protocol.
        (On | Required, Off) => None,
        (On | Required, On | Required) => Some(TlsUse::Full),
    }
}

/// The options of a PRELOGIN message; those that are absent are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prelogin {
    /// Major, minor, build (big-endian), sub-build (little-endian).
    pub version: Option<[u8; 6]>,
    /// See the table above.
    pub encryption: Option<Encryption>,
    /// Of the client: the instance it looks for. Of the server: one byte, 0 when that is this one.
    pub instance: Option<Vec<u8>>,
    /// Thread of the client; the server's is empty.
    pub thread_id: Option<Vec<u8>>,
    /// Several requests at once on one connection.
    pub mars: Option<bool>,
    /// Connection id, activity id and its sequence number.
    pub trace_id: Option<Vec<u8>>,
    /// Federated authentication: whether the client could, whether the server wants.
    pub fed_auth_required: Option<u8>,
    /// Challenge of federated authentication.
    pub nonce: Option<Vec<u8>>,
}

const VERSION: u8 = 0;
const ENCRYPTION: u8 = 1;
const INSTANCE: u8 = 2;
const THREAD_ID: u8 = 3;
const MARS: u8 = 4;
const TRACE_ID: u8 = 5;
const FED_AUTH_REQUIRED: u8 = 6;
const NONCE: u8 = 7;
const TERMINATOR: u8 = 0xFF;

impl Prelogin {
    /// Reads the options; unknown ones are skipped.
    pub fn decode(payload: &[u8]) -> Result<Self, TdsError> {
        let mut prelogin = Self::default();
        let mut reader = Reader::new(payload);
        loop {
            let option = reader.u8("PRELOGIN option")?;
            if option == TERMINATOR {
                return Ok(prelogin);
            }
            let offset = usize::from(reader.u16_be("PRELOGIN option")?);
            let length = usize::from(reader.u16_be("PRELOGIN option")?);
            let data = payload.get(offset..offset + length).ok_or(TdsError::malformed("PRELOGIN offset"))?;
            prelogin.set(option, data)?;
        }
    }

    fn set(&mut self, option: u8, data: &[u8]) -> Result<(), TdsError> {
        match option {
            VERSION => {
                self.version = Some(data.try_into().map_err(|_| TdsError::malformed("PRELOGIN version"))?);
            }
            ENCRYPTION => {
                let byte = data.first().ok_or(TdsError::malformed("ENCRYPTION option"))?;
                self.encryption = Some(Encryption::from_byte(*byte)?);
            }
            INSTANCE => self.instance = Some(data.to_vec()),
            THREAD_ID => self.thread_id = Some(data.to_vec()),
            MARS => self.mars = Some(data.first().is_some_and(|byte| *byte == 1)),
            TRACE_ID => self.trace_id = Some(data.to_vec()),
            FED_AUTH_REQUIRED => self.fed_auth_required = data.first().copied(),
            NONCE => self.nonce = Some(data.to_vec()),
            _ => {}
        }
        Ok(())
    }

    /// Writes the options that are set, in the order of their numbers.
    pub fn encode(&self) -> Vec<u8> {
        let encryption = self.encryption.map(|encryption| [encryption.to_byte()]);
        let mars = self.mars.map(|mars| [u8::from(mars)]);
        let fed_auth = self.fed_auth_required.map(|byte| [byte]);
        let options: [(u8, Option<&[u8]>); 8] = [
            (VERSION, self.version.as_ref().map(|bytes| &bytes[..])),
            (ENCRYPTION, encryption.as_ref().map(|byte| &byte[..])),
            (INSTANCE, self.instance.as_deref()),
            (THREAD_ID, self.thread_id.as_deref()),
            (MARS, mars.as_ref().map(|byte| &byte[..])),
            (TRACE_ID, self.trace_id.as_deref()),
            (FED_AUTH_REQUIRED, fed_auth.as_ref().map(|byte| &byte[..])),
            (NONCE, self.nonce.as_deref()),
        ];
        let count = options.iter().filter(|(_, data)| data.is_some()).count();
        let mut heads = Vec::new();
        let mut tail = Vec::new();
        for (option, data) in options {
            let Some(data) = data else { continue };
            let data = &data[..data.len().min(1024)];
            let offset = u16::try_from(5 * count + 1 + tail.len()).expect("eight options of at most 1 KiB");
            heads.push(option);
            heads.extend_from_slice(&offset.to_be_bytes());
            heads.extend_from_slice(&u16::try_from(data.len()).expect("at most 1 KiB").to_be_bytes());
            tail.extend_from_slice(data);
        }
        heads.push(TERMINATOR);
        heads.extend_from_slice(&tail);
        heads
    }

    /// The server's answer: its version, the negotiated encryption, MARS as the client asked for it; federated authentication is
    /// declined when the client asked.
    pub fn answer(&self, version: [u8; 6], encryption: Encryption) -> Self {
        Self {
            version: Some(version),
            encryption: Some(encryption),
            instance: Some(vec![0]),
            thread_id: Some(Vec::new()),
            mars: Some(self.mars == Some(true)),
            trace_id: None,
            fed_auth_required: self.fed_auth_required.map(|_| 0),
            nonce: None,
        }
    }

    /// The encryption that the client asks for; one that sends no option has none.
    pub fn wanted_encryption(&self) -> Encryption {
        self.encryption.unwrap_or(Encryption::NotSupported)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// MS-TDS 4.1, without the packet header.
    const DOCUMENTED: [u8; 39] = [
        0x00, 0x00, 0x1A, 0x00, 0x06, 0x01, 0x00, 0x20, 0x00, 0x01, 0x02, 0x00, 0x21, 0x00, 0x01, 0x03, 0x00, 0x22,
        0x00, 0x04, 0x04, 0x00, 0x26, 0x00, 0x01, 0xFF, 0x09, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0xB8, 0x0D,
        0x00, 0x00, 0x01,
    ];

    #[test]
    fn the_documented_example_round_trips() {
        let prelogin = Prelogin::decode(&DOCUMENTED).unwrap();
        assert_eq!(prelogin.version, Some([9, 0, 0, 0, 0, 0]));
        assert_eq!(prelogin.encryption, Some(Encryption::On));
        assert_eq!(prelogin.instance, Some(vec![0]));
        assert_eq!(prelogin.thread_id, Some(vec![0xB8, 0x0D, 0, 0]));
        assert_eq!(prelogin.mars, Some(true));
        assert_eq!(prelogin.encode(), DOCUMENTED);
    }

    #[test]
    fn all_options_round_trip() {
        let prelogin = Prelogin {
            version: Some([16, 0, 3, 0xE8, 0, 0]),
            encryption: Some(Encryption::Required),
            instance: Some(b"MSSQLServer\0".to_vec()),
            thread_id: Some(vec![1, 2, 3, 4]),
            mars: Some(false),
            trace_id: Some(vec![7; 36]),
            fed_auth_required: Some(1),
            nonce: Some(vec![9; 32]),
        };
        assert_eq!(Prelogin::decode(&prelogin.encode()).unwrap(), prelogin);
    }

    #[test]
    fn options_outside_the_message_are_refused() {
        assert!(Prelogin::decode(&[0, 0xFF, 0xFF, 0, 6, 0xFF]).is_err());
        assert!(Prelogin::decode(&[]).is_err());
        assert!(Prelogin::decode(&[1, 0, 6, 0, 0, 0xFF]).is_err());
    }

    #[test]
    fn both_sides_of_the_table_agree() {
        use Encryption::*;
        for policy in [EncryptionPolicy::Unavailable, EncryptionPolicy::Optional, EncryptionPolicy::Required] {
            for client in [Off, On, NotSupported, Required] {
                let (answer, server_does) = negotiate(client, policy);
                let wants = matches!(client, On | Required);
                let client_does = agree(client, answer);
                if policy == EncryptionPolicy::Unavailable && wants {
                    assert_eq!((answer, client_does), (NotSupported, None));
                } else {
                    assert_eq!(client_does, server_does, "{client:?} {policy:?}");
                }
            }
        }
        assert_eq!(negotiate(Off, EncryptionPolicy::Optional), (Off, Some(TlsUse::LoginOnly)));
        assert_eq!(negotiate(Off, EncryptionPolicy::Required), (Required, Some(TlsUse::Full)));
        assert_eq!(negotiate(NotSupported, EncryptionPolicy::Required), (Required, None));
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Prelogin::decode(&bytes);
        }
    }
}
