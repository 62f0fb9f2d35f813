//! LOGIN7: the login, the client, and what it wants.
//!
//! ```text
//!   0 length (4)          4 TDS version (4)    8 packet size (4)   12 client version (4)
//!  16 client process (4) 20 connection (4)    24 flags 1, 2, type, 3
//!  28 time zone (4)      32 locale (4)
//!  36 host   40 user   44 password   48 application   52 server   56 extension   60 library   64 language   68 database
//!           each: offset (2), length in UTF-16 units (2)
//!  72 client id (6)      78 SSPI   82 database file   86 new password   90 long SSPI length (4)
//!  94 data
//!  extension: offset of  ├ feature (1) ┼ length (4) ┼ data … FF
//! ```
//!
//! All numbers little-endian. Passwords are disguised: nibbles swapped, then XOR A5. The server grants UTF8_SUPPORT and
//! ignores the other extensions, as their definitions allow.

use std::fmt;

use crate::TdsError;
use crate::packet::{DEFAULT_PACKET_BYTES, PACKET_BYTES_MAX, PACKET_BYTES_MIN};
use crate::token::FeatureAck;
use crate::version::TdsVersion;
use crate::wire::{Reader, put_u32, put_utf16, utf16_prefix, utf16_string};

/// Numbers of feature extensions.
pub mod feature {
    /// Reconnect without the client's notice.
    pub const SESSION_RECOVERY: u8 = 1;
    /// Federated authentication.
    pub const FED_AUTH: u8 = 2;
    /// Always Encrypted.
    pub const COLUMN_ENCRYPTION: u8 = 4;
    /// Distributed transactions of Azure.
    pub const GLOBAL_TRANSACTIONS: u8 = 5;
    /// Azure's own.
    pub const AZURE_SQL_SUPPORT: u8 = 8;
    /// Sensitivity labels in results.
    pub const DATA_CLASSIFICATION: u8 = 9;
    /// `varchar` in UTF-8 collations.
    pub const UTF8_SUPPORT: u8 = 10;
    /// Azure's own.
    pub const AZURE_SQL_DNS_CACHING: u8 = 11;
}

/// A password that does not show itself in logs.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Password(pub String);

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Password(…)")
    }
}

/// The option bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoginFlags {
    /// Byte 24.
    pub option_1: u8,
    /// Byte 25.
    pub option_2: u8,
    /// Byte 26.
    pub type_flags: u8,
    /// Byte 27.
    pub option_3: u8,
}

impl LoginFlags {
    const DATABASE_IS_FATAL: u8 = 0x40;
    const EXTENSION: u8 = 0x10;
    const CHANGE_PASSWORD: u8 = 0x01;

    /// Fail when the database cannot be opened, rather than stay in the default one.
    pub fn database_is_fatal(self) -> bool {
        self.option_1 & Self::DATABASE_IS_FATAL != 0
    }

    pub(crate) fn with_fatal_database(self, is_fatal: bool) -> Self {
        let others = self.option_1 & !Self::DATABASE_IS_FATAL;
        Self { option_1: if is_fatal { others | Self::DATABASE_IS_FATAL } else { others }, ..self }
    }

    /// An ODBC client: ANSI settings are on.
    pub fn is_odbc(self) -> bool {
        self.option_2 & 0x02 != 0
    }

    /// Windows authentication.
    pub fn integrated_security(self) -> bool {
        self.option_2 & 0x80 != 0
    }

    /// The client will only read.
    pub fn read_only_intent(self) -> bool {
        self.type_flags & 0x20 != 0
    }

    /// The password shall be changed.
    pub fn change_password(self) -> bool {
        self.option_3 & Self::CHANGE_PASSWORD != 0
    }

    /// These, and the password shall be changed.
    #[must_use]
    pub fn with_new_password(self) -> LoginFlags {
        LoginFlags { option_3: self.option_3 | Self::CHANGE_PASSWORD, ..self }
    }

    fn has_extension(self) -> bool {
        self.option_3 & Self::EXTENSION != 0
    }
}

/// A feature that the client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// See [`feature`].
    pub feature: u8,
    /// Its data.
    pub data: Vec<u8>,
}

/// The login of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login7 {
    /// The newest that the client speaks.
    pub version: TdsVersion,
    /// As asked; 0 leaves it to the server. See [`Login7::packet_bytes`].
    pub wanted_packet_bytes: u32,
    /// Of the client library.
    pub client_version: u32,
    /// Operating system's number.
    pub client_process: u32,
    /// Of the connection that this one follows.
    pub connection: u32,
    /// Options.
    pub flags: LoginFlags,
    /// Minutes, meaning nothing.
    pub time_zone_minutes: i32,
    /// Locale.
    pub locale: u32,
    /// Name of the client's machine.
    pub host: String,
    /// Login name.
    pub user: String,
    /// In the clear.
    pub password: Password,
    /// Name of the program.
    pub application: String,
    /// The server as the client calls it.
    pub server: String,
    /// Name of the client library.
    pub library: String,
    /// Wanted language, or empty.
    pub language: String,
    /// Wanted database, or empty.
    pub database: String,
    /// Mostly an address of the network card.
    pub client_id: [u8; 6],
    /// Token of integrated security.
    pub sspi: Vec<u8>,
    /// File to attach.
    pub database_file: String,
    /// Only with [`LoginFlags::change_password`].
    pub new_password: Password,
    /// Feature extensions.
    pub features: Vec<Feature>,
}

impl Default for Login7 {
    fn default() -> Self {
        Self {
            version: TdsVersion::V7_4,
            wanted_packet_bytes: DEFAULT_PACKET_BYTES.into(),
            client_version: 0,
            client_process: 0,
            connection: 0,
            // Database and language are announced and fatal; ODBC settings; unknown collations are understood.
            flags: LoginFlags { option_1: 0xE0, option_2: 0x03, type_flags: 0, option_3: 0x08 },
            time_zone_minutes: 0,
            locale: 0x0409,
            host: String::new(),
            user: String::new(),
            password: Password::default(),
            application: String::new(),
            server: String::new(),
            library: String::new(),
            language: String::new(),
            database: String::new(),
            client_id: [0; 6],
            sspi: Vec::new(),
            database_file: String::new(),
            new_password: Password::default(),
            features: Vec::new(),
        }
    }
}

/// Where the data begins.
const FIXED_BYTES: usize = 94;
/// Longest name, in UTF-16 units.
const NAME_UNITS_MAX: usize = 128;
/// Longest path of a file to attach.
const FILE_UNITS_MAX: usize = 260;

/// Offset and length pairs of the strings.
mod field {
    pub(super) const HOST: usize = 36;
    pub(super) const USER: usize = 40;
    pub(super) const PASSWORD: usize = 44;
    pub(super) const APPLICATION: usize = 48;
    pub(super) const SERVER: usize = 52;
    pub(super) const EXTENSION: usize = 56;
    pub(super) const LIBRARY: usize = 60;
    pub(super) const LANGUAGE: usize = 64;
    pub(super) const DATABASE: usize = 68;
    pub(super) const SSPI: usize = 78;
    pub(super) const DATABASE_FILE: usize = 82;
    pub(super) const NEW_PASSWORD: usize = 86;
}

impl Login7 {
    /// Reads a login.
    pub fn decode(payload: &[u8]) -> Result<Self, TdsError> {
        let mut reader = Reader::new(payload);
        let length = usize::try_from(reader.u32("LOGIN7")?).unwrap_or(usize::MAX);
        let login = payload.get(..length).ok_or(TdsError::malformed("LOGIN7 length"))?;
        if login.len() < FIXED_BYTES {
            return Err(TdsError::malformed("LOGIN7 length"));
        }
        let version = TdsVersion::from_login(reader.u32("LOGIN7")?)?;
        let wanted_packet_bytes = reader.u32("LOGIN7")?;
        let client_version = reader.u32("LOGIN7")?;
        let client_process = reader.u32("LOGIN7")?;
        let connection = reader.u32("LOGIN7")?;
        let [option_1, option_2, type_flags, option_3] = reader.array("LOGIN7")?;
        let flags = LoginFlags { option_1, option_2, type_flags, option_3 };
        Ok(Self {
            version,
            wanted_packet_bytes,
            client_version,
            client_process,
            connection,
            flags,
            time_zone_minutes: reader.i32("LOGIN7")?,
            locale: reader.u32("LOGIN7")?,
            host: name(login, field::HOST, NAME_UNITS_MAX)?,
            user: name(login, field::USER, NAME_UNITS_MAX)?,
            password: password(login, field::PASSWORD)?,
            application: name(login, field::APPLICATION, NAME_UNITS_MAX)?,
            server: name(login, field::SERVER, NAME_UNITS_MAX)?,
            library: name(login, field::LIBRARY, NAME_UNITS_MAX)?,
            language: name(login, field::LANGUAGE, NAME_UNITS_MAX)?,
            database: name(login, field::DATABASE, NAME_UNITS_MAX)?,
            client_id: login[72..78].try_into().expect("six bytes"),
            sspi: sspi(login)?,
            database_file: name(login, field::DATABASE_FILE, FILE_UNITS_MAX)?,
            new_password: password(login, field::NEW_PASSWORD)?,
            features: features(login, flags)?,
        })
    }

    /// The packet size to settle on: as asked, within the bounds; the default for a client that leaves it to us.
    pub fn packet_bytes(&self) -> u16 {
        match self.wanted_packet_bytes {
            0 => DEFAULT_PACKET_BYTES,
            wanted => u16::try_from(wanted).unwrap_or(PACKET_BYTES_MAX).clamp(PACKET_BYTES_MIN, PACKET_BYTES_MAX),
        }
    }

    /// Whether the client reads `varchar` in UTF-8: it asked for the feature.
    pub fn has_utf8(&self) -> bool {
        self.version.has_features() && self.features.iter().any(|asked| asked.feature == feature::UTF8_SUPPORT)
    }

    /// What the server grants of the features; `None` when the client asked for none, so that no token is due.
    pub fn feature_acks(&self) -> Option<Vec<FeatureAck>> {
        if self.features.is_empty() || !self.version.has_features() {
            return None;
        }
        let grants = self.features.iter().filter(|asked| asked.feature == feature::UTF8_SUPPORT);
        Some(grants.take(1).map(|asked| FeatureAck { feature: asked.feature, data: vec![1] }).collect())
    }

    /// Writes a login; names are cut at their bounds.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        put_u32(&mut out, 0);
        put_u32(&mut out, self.version.number());
        put_u32(&mut out, self.wanted_packet_bytes);
        put_u32(&mut out, self.client_version);
        put_u32(&mut out, self.client_process);
        put_u32(&mut out, self.connection);
        let mut flags = self.flags;
        flags.option_3 &= !LoginFlags::EXTENSION;
        if !self.features.is_empty() {
            flags.option_3 |= LoginFlags::EXTENSION;
        }
        out.extend_from_slice(&[flags.option_1, flags.option_2, flags.type_flags, flags.option_3]);
        out.extend_from_slice(&self.time_zone_minutes.to_le_bytes());
        put_u32(&mut out, self.locale);
        out.resize(FIXED_BYTES, 0);
        out[72..78].copy_from_slice(&self.client_id);
        self.encode_data(&mut out);
        let length = u32::try_from(out.len()).expect("names, one token and features");
        out[..4].copy_from_slice(&length.to_le_bytes());
        out
    }

    fn encode_data(&self, out: &mut Vec<u8>) {
        put_name(out, field::HOST, &self.host, NAME_UNITS_MAX);
        put_name(out, field::USER, &self.user, NAME_UNITS_MAX);
        put_password(out, field::PASSWORD, &self.password);
        put_name(out, field::APPLICATION, &self.application, NAME_UNITS_MAX);
        put_name(out, field::SERVER, &self.server, NAME_UNITS_MAX);
        put_name(out, field::LIBRARY, &self.library, NAME_UNITS_MAX);
        put_name(out, field::LANGUAGE, &self.language, NAME_UNITS_MAX);
        put_name(out, field::DATABASE, &self.database, NAME_UNITS_MAX);
        put_name(out, field::DATABASE_FILE, &self.database_file, FILE_UNITS_MAX);
        put_password(out, field::NEW_PASSWORD, &self.new_password);
        let at = out.len();
        let sspi = &self.sspi[..self.sspi.len().min(usize::from(u16::MAX) - 1)];
        out.extend_from_slice(sspi);
        put_place(out, field::SSPI, at, sspi.len());
        if !self.features.is_empty() {
            self.encode_features(out);
        }
    }

    fn encode_features(&self, out: &mut Vec<u8>) {
        let at = out.len();
        put_place(out, field::EXTENSION, at, 4);
        put_u32(out, u32::try_from(at + 4).expect("below 64 KiB"));
        for asked in &self.features {
            out.push(asked.feature);
            put_u32(out, u32::try_from(asked.data.len()).expect("a few bytes"));
            out.extend_from_slice(&asked.data);
        }
        out.push(0xFF);
    }
}

/// Offset and length of a field.
fn place(login: &[u8], at: usize) -> (usize, usize) {
    let number = |at: usize| usize::from(u16::from_le_bytes([login[at], login[at + 1]]));
    (number(at), number(at + 2))
}

fn units(login: &[u8], at: usize, units_max: usize) -> Result<&[u8], TdsError> {
    let (offset, length) = place(login, at);
    if length > units_max {
        return Err(TdsError::TooLarge { what: "LOGIN7 name", bound_bytes: units_max * 2 });
    }
    if length == 0 {
        // Clients leave any offset in an empty field.
        return Ok(&[]);
    }
    login.get(offset..offset + length * 2).ok_or(TdsError::malformed("LOGIN7 offset"))
}

fn name(login: &[u8], at: usize, units_max: usize) -> Result<String, TdsError> {
    Ok(utf16_string(units(login, at, units_max)?))
}

fn password(login: &[u8], at: usize) -> Result<Password, TdsError> {
    let plain: Vec<u8> = units(login, at, NAME_UNITS_MAX)?.iter().map(|byte| (byte ^ 0xA5).rotate_left(4)).collect();
    Ok(Password(utf16_string(&plain)))
}

fn sspi(login: &[u8]) -> Result<Vec<u8>, TdsError> {
    let (offset, short_length) = place(login, field::SSPI);
    let long_length = u32::from_le_bytes(login[90..94].try_into().expect("four bytes"));
    let length = match short_length {
        0xFFFF if long_length > 0 => usize::try_from(long_length).unwrap_or(usize::MAX),
        length => length,
    };
    if length == 0 {
        return Ok(Vec::new());
    }
    let end = offset.checked_add(length).ok_or(TdsError::malformed("LOGIN7 offset"))?;
    Ok(login.get(offset..end).ok_or(TdsError::malformed("LOGIN7 offset"))?.to_vec())
}

fn features(login: &[u8], flags: LoginFlags) -> Result<Vec<Feature>, TdsError> {
    let mut features = Vec::new();
    if !flags.has_extension() {
        return Ok(features);
    }
    let wrong = || TdsError::malformed("LOGIN7 extension");
    let (offset, _) = place(login, field::EXTENSION);
    let pointer: [u8; 4] = login.get(offset..offset + 4).ok_or_else(wrong)?.try_into().expect("four bytes");
    let start = usize::try_from(u32::from_le_bytes(pointer)).map_err(|_| wrong())?;
    let mut reader = Reader::new(login.get(start..).ok_or_else(wrong)?);
    loop {
        let feature = reader.u8("feature")?;
        if feature == 0xFF {
            return Ok(features);
        }
        let length = usize::try_from(reader.u32("feature")?).map_err(|_| wrong())?;
        features.push(Feature { feature, data: reader.bytes(length, "feature")?.to_vec() });
    }
}

fn put_place(out: &mut [u8], field: usize, offset: usize, length: usize) {
    let offset = u16::try_from(offset).expect("ten names of at most 260 units");
    let length = u16::try_from(length).expect("checked by the caller");
    out[field..field + 2].copy_from_slice(&offset.to_le_bytes());
    out[field + 2..field + 4].copy_from_slice(&length.to_le_bytes());
}

fn put_name(out: &mut Vec<u8>, field: usize, name: &str, units_max: usize) {
    let at = out.len();
    put_utf16(out, utf16_prefix(name, units_max));
    let units = (out.len() - at) / 2;
    put_place(out, field, at, units);
}

fn put_password(out: &mut Vec<u8>, field: usize, password: &Password) {
    let at = out.len();
    put_name(out, field, &password.0, NAME_UNITS_MAX);
    for byte in &mut out[at..] {
        *byte = byte.rotate_left(4) ^ 0xA5;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// MS-TDS 4.2, without the packet header.
    #[rustfmt::skip]
    const DOCUMENTED: [u8; 136] = [
        0x88, 0x00, 0x00, 0x00, 0x02, 0x00, 0x09, 0x72, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xE0, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x09, 0x04, 0x00, 0x00, 0x5E, 0x00, 0x08, 0x00, 0x6E, 0x00, 0x02, 0x00, 0x72, 0x00, 0x00, 0x00,
        0x72, 0x00, 0x07, 0x00, 0x80, 0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x80, 0x00, 0x04, 0x00,
        0x88, 0x00, 0x00, 0x00, 0x88, 0x00, 0x00, 0x00, 0x00, 0x50, 0x8B, 0xE2, 0xB7, 0x8F, 0x88, 0x00,
        0x00, 0x00, 0x88, 0x00, 0x00, 0x00, 0x88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x73, 0x00,
        0x6B, 0x00, 0x6F, 0x00, 0x73, 0x00, 0x74, 0x00, 0x6F, 0x00, 0x76, 0x00, 0x31, 0x00, 0x73, 0x00,
        0x61, 0x00, 0x4F, 0x00, 0x53, 0x00, 0x51, 0x00, 0x4C, 0x00, 0x2D, 0x00, 0x33, 0x00, 0x32, 0x00,
        0x4F, 0x00, 0x44, 0x00, 0x42, 0x00, 0x43, 0x00,
    ];

    #[test]
    fn the_documented_example() {
        let login = Login7::decode(&DOCUMENTED).unwrap();
        assert_eq!(login.version, TdsVersion::V7_2);
        assert_eq!(login.packet_bytes(), 4096);
        assert_eq!(login.host, "skostov1");
        assert_eq!(login.user, "sa");
        assert_eq!(login.password, Password(String::new()));
        assert_eq!(login.application, "OSQL-32");
        assert_eq!(login.library, "ODBC");
        assert_eq!(login.client_id, [0x00, 0x50, 0x8B, 0xE2, 0xB7, 0x8F]);
        assert!(login.flags.is_odbc());
        assert!(login.flags.database_is_fatal());
        assert_eq!((login.feature_acks(), login.has_utf8()), (None, false));
    }

    fn as_jdbc_sends() -> Login7 {
        let feature = |feature, data: &[u8]| Feature { feature, data: data.to_vec() };
        Login7 {
            wanted_packet_bytes: 8000,
            client_version: 0x0D02_0100,
            host: "vm".into(),
            user: "sa".into(),
            password: Password("Pässw0rd!".into()),
            application: "Microsoft JDBC Driver for SQL Server".into(),
            server: "127.0.0.1".into(),
            library: "Microsoft JDBC Driver 13.2".into(),
            database: "master".into(),
            sspi: vec![1, 2, 3],
            flags: LoginFlags { option_1: 0xE0, option_2: 0x03, type_flags: 0x20, option_3: 0x18 },
            features: vec![
                feature(feature::COLUMN_ENCRYPTION, &[1]),
                feature(feature::DATA_CLASSIFICATION, &[2]),
                feature(feature::UTF8_SUPPORT, &[]),
                feature(feature::SESSION_RECOVERY, &[]),
            ],
            ..Login7::default()
        }
    }

    #[test]
    fn a_login_with_everything_round_trips() {
        let login = as_jdbc_sends();
        let bytes = login.encode();
        assert_eq!(Login7::decode(&bytes).unwrap(), login);
        assert!(login.flags.read_only_intent());
        assert_eq!(login.packet_bytes(), 8000);
        assert!(login.has_utf8());
        assert_eq!(login.feature_acks(), Some(vec![FeatureAck { feature: 10, data: vec![1] }]));
        let in_the_clear: Vec<u8> = "Pässw0rd!".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(!bytes.windows(in_the_clear.len()).any(|window| window == in_the_clear));
        assert!(!format!("{login:?}").contains("w0rd"));
    }

    #[test]
    fn the_disguise_is_the_known_one() {
        let login = Login7 { password: Password("a".into()), ..Login7::default() };
        let bytes = login.encode();
        let (offset, length) = place(&bytes, field::PASSWORD);
        assert_eq!((length, &bytes[offset..offset + 2]), (1, &[0xB3, 0xA5][..]));
    }

    #[test]
    fn packet_sizes_are_bounded() {
        for (wanted, settled) in [(0, 4096), (1, 512), (4096, 4096), (8000, 8000), (65536, 32767), (u32::MAX, 32767)] {
            assert_eq!(Login7 { wanted_packet_bytes: wanted, ..Login7::default() }.packet_bytes(), settled);
        }
    }

    #[test]
    fn fields_outside_the_login_are_refused() {
        for at in [field::HOST, field::USER, field::SSPI, field::EXTENSION, field::NEW_PASSWORD] {
            let mut bytes = as_jdbc_sends().encode();
            bytes[at..at + 4].copy_from_slice(&[0xF0, 0xFF, 0x10, 0x00]);
            assert!(Login7::decode(&bytes).is_err(), "{at}");
        }
        let mut bytes = as_jdbc_sends().encode();
        bytes[field::HOST + 2] = 129;
        assert!(matches!(Login7::decode(&bytes), Err(TdsError::TooLarge { .. })));
        let short = &as_jdbc_sends().encode()[..100];
        assert!(Login7::decode(short).is_err());
        let mut old = DOCUMENTED;
        old[4..8].copy_from_slice(&0x7100_0001_u32.to_le_bytes());
        assert_eq!(Login7::decode(&old), Err(TdsError::OldVersion(0x7100_0001)));
    }

    proptest! {
        #[test]
        fn changed_bytes_never_panic(changes in prop::collection::vec((0_usize..400, any::<u8>()), 0..20), cut in 0_usize..400) {
            let mut bytes = as_jdbc_sends().encode();
            for (at, byte) in changes {
                let length = bytes.len();
                bytes[at % length] = byte;
            }
            let _ = Login7::decode(&bytes);
            let _ = Login7::decode(&bytes[..cut.min(bytes.len())]);
        }
    }
}
