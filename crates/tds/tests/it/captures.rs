//! Logins with the fields that real clients sent (seen on the wire, one line per client), built byte by byte here and
//! not by our encoder.

use millpond_tds::TdsVersion;
use millpond_tds::login::{Login7, feature};
use millpond_tds::prelogin::{Encryption, EncryptionPolicy, Prelogin, TlsUse, negotiate};

/// What a client sends, as the capture shows it.
struct Seen {
    packet_bytes: u32,
    /// Options 1, 2, type flags, options 3.
    flags: [u8; 4],
    /// Host, user, application, server, library, language, database.
    names: [&'static str; 7],
    features: &'static [(u8, &'static [u8])],
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Lays the fields out as drivers do: in the order of the header, the password disguised, features at the end.
fn login7(seen: &Seen) -> Vec<u8> {
    let [host, user, application, server, library, language, database] = seen.names.map(utf16);
    let password: Vec<u8> = utf16("Secret1!").iter().map(|byte| byte.rotate_left(4) ^ 0xA5).collect();
    let mut out = vec![0; 94];
    out[4..8].copy_from_slice(&0x7400_0004_u32.to_le_bytes());
    out[8..12].copy_from_slice(&seen.packet_bytes.to_le_bytes());
    out[24..28].copy_from_slice(&seen.flags);
    for (at, bytes) in [
        (36, &host),
        (40, &user),
        (44, &password),
        (48, &application),
        (52, &server),
        (60, &library),
        (64, &language),
        (68, &database),
    ] {
        let offset = u16::try_from(out.len()).unwrap();
        let units = u16::try_from(bytes.len() / 2).unwrap();
        out[at..at + 2].copy_from_slice(&offset.to_le_bytes());
        out[at + 2..at + 4].copy_from_slice(&units.to_le_bytes());
        out.extend_from_slice(bytes);
    }
    if !seen.features.is_empty() {
        let pointer = out.len();
        out[56..58].copy_from_slice(&u16::try_from(pointer).unwrap().to_le_bytes());
        out[58] = 4;
        out.extend_from_slice(&u32::try_from(pointer + 4).unwrap().to_le_bytes());
        for (id, data) in seen.features {
            out.push(*id);
            out.extend_from_slice(&u32::try_from(data.len()).unwrap().to_le_bytes());
            out.extend_from_slice(data);
        }
        out.push(0xFF);
    }
    let length = u32::try_from(out.len()).unwrap();
    out[..4].copy_from_slice(&length.to_le_bytes());
    out
}

#[test]
fn logins_of_seven_clients() {
    const UTF8: &[(u8, &[u8])] = &[(10, &[1])];
    let clients = [
        Seen {
            packet_bytes: 4096,
            flags: [0xE0, 0x03, 0, 0x18],
            names: ["vm", "sa", "TSQL", "127.0.0.1", "TDS-Library", "us_english", ""],
            features: UTF8,
        },
        Seen {
            packet_bytes: 4096,
            flags: [0xE0, 0x01, 0, 0x18],
            names: ["vm", "sa", "pymssql=2.4.6", "127.0.0.1", "DB-Library", "us_english", "master"],
            features: UTF8,
        },
        Seen {
            packet_bytes: 4096,
            flags: [0xE0, 0x02, 0, 0x08],
            names: ["vm", "sa", "pytds", "127.0.0.1", "Python TDS Library", "", "master"],
            features: &[],
        },
        Seen {
            packet_bytes: 0,
            flags: [0xE0, 0x03, 0, 0x10],
            names: ["vm", "sa", "MSSQL-Python", "127.0.0.1,14332", "ODBC", "", "master"],
            features: &[(16, &[0x31, 0, 0x7C, 0]), (1, &[]), (9, &[1]), (10, &[1]), (11, &[])],
        },
        Seen {
            packet_bytes: 4096,
            flags: [0xE0, 0x00, 0, 0x18],
            names: ["vm", "sa", "Tedious", "127.0.0.1", "Tedious", "us_english", "master"],
            features: UTF8,
        },
        Seen {
            packet_bytes: 4096,
            flags: [0xA0, 0x02, 0, 0x00],
            names: ["vm", "sa", "sqlcmd", "127.0.0.1", "go-mssqldb", "", ""],
            features: &[],
        },
        Seen {
            packet_bytes: 8000,
            flags: [0xE0, 0x03, 0, 0x18],
            names: [
                "vm",
                "sa",
                "Microsoft JDBC Driver for SQL Server",
                "127.0.0.1",
                "Microsoft JDBC Driver 13.2",
                "",
                "master",
            ],
            features: &[(4, &[1]), (9, &[2]), (10, &[]), (11, &[]), (14, &[1]), (13, &[1]), (1, &[])],
        },
    ];
    for seen in clients {
        let login = Login7::decode(&login7(&seen)).unwrap();
        let names = [
            &login.host,
            &login.user,
            &login.application,
            &login.server,
            &login.library,
            &login.language,
            &login.database,
        ];
        assert_eq!(names, seen.names);
        assert_eq!(login.password.0, "Secret1!");
        assert_eq!(login.version, TdsVersion::V7_4);
        assert_eq!(login.packet_bytes(), if seen.packet_bytes == 8000 { 8000 } else { 4096 });
        assert!(!login.flags.integrated_security());
        assert_eq!(login.features.len(), seen.features.len());
        let granted: Option<Vec<u8>> = login.feature_acks().map(|acks| acks.iter().map(|ack| ack.feature).collect());
        let expected = if seen.features.is_empty() { None } else { Some(vec![feature::UTF8_SUPPORT]) };
        assert_eq!(granted, expected, "{}", login.application);
    }
}

#[test]
fn prelogins_of_five_clients() {
    // Version, encryption, instance, and what a server with optional TLS makes of it.
    for (encryption, instance, expected) in [
        (0, Some(&b"MSSQLServer\0"[..]), TlsUse::LoginOnly),
        (2, Some(b"MSSQLServer\0"), TlsUse::None),
        (1, Some(b"\0"), TlsUse::Full),
        (1, None, TlsUse::Full),
        (3, None, TlsUse::Full),
    ] {
        let mut options: Vec<(u8, &[u8])> = vec![(0, &[9, 0, 0, 0, 0, 0])];
        let byte = [encryption];
        options.push((1, &byte));
        if let Some(instance) = instance {
            options.push((2, instance));
        }
        options.push((5, &[7; 36]));
        let mut payload = Vec::new();
        let mut offset = 5 * options.len() + 1;
        for (id, data) in &options {
            payload.push(*id);
            payload.extend_from_slice(&u16::try_from(offset).unwrap().to_be_bytes());
            payload.extend_from_slice(&u16::try_from(data.len()).unwrap().to_be_bytes());
            offset += data.len();
        }
        payload.push(0xFF);
        payload.extend(options.iter().flat_map(|(_, data)| data.iter().copied()));
        let prelogin = Prelogin::decode(&payload).unwrap();
        assert_eq!(prelogin.instance.as_deref(), instance);
        assert_eq!(prelogin.trace_id.as_ref().map(Vec::len), Some(36));
        let (answer, tls_use) = negotiate(prelogin.wanted_encryption(), EncryptionPolicy::Optional);
        assert_eq!(tls_use, Some(expected));
        let reply = prelogin.answer([16, 0, 3, 0xE8, 0, 0], answer);
        assert_eq!(Prelogin::decode(&reply.encode()).unwrap(), reply);
        assert_eq!(reply.encryption == Some(Encryption::NotSupported), expected == TlsUse::None);
    }
}
