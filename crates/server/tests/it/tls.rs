//! TLS off, for the login, for the session, and strict.

use millpond_server::config::TlsMode;
use millpond_tds::client::{ClientEncryption, ClientError, ConnectOptions};

use crate::client::{connect_with, options, row, server_with_tls};

fn wanting(encryption: ClientEncryption) -> ConnectOptions {
    ConnectOptions { encryption, ..options() }
}

#[test]
fn the_client_decides_when_it_is_offered() {
    let server = server_with_tls(TlsMode::Offered);
    for (encryption, is_protected) in [
        (ClientEncryption::Disabled, false),
        (ClientEncryption::Optional, false),
        (ClientEncryption::Mandatory, true),
        (ClientEncryption::Strict, true),
    ] {
        let (mut client, _) = connect_with(&server, &wanting(encryption)).unwrap();
        assert_eq!(row(&mut client, "select replicate('x', 7000)").len(), 7000);
        assert_eq!(client.tls_description().is_some(), is_protected, "{encryption:?}");
        let shown = row(&mut client, "select encrypt_option from sys.dm_exec_connections where session_id = @@spid");
        assert_eq!(shown, if is_protected { "TRUE" } else { "FALSE" }, "{encryption:?}");
    }
}

#[test]
fn no_client_gets_past_required() {
    let server = server_with_tls(TlsMode::Required);
    let refused = connect_with(&server, &wanting(ClientEncryption::Disabled));
    assert!(matches!(refused, Err(ClientError::Encryption(_))), "{refused:?}");
    for encryption in [ClientEncryption::Optional, ClientEncryption::Mandatory, ClientEncryption::Strict] {
        let (mut client, _) = connect_with(&server, &wanting(encryption)).unwrap();
        assert_eq!(row(&mut client, "select 1"), "1");
        assert!(client.tls_description().is_some());
    }
}

#[test]
fn off_is_off() {
    let server = server_with_tls(TlsMode::Off);
    let (mut client, _) = connect_with(&server, &wanting(ClientEncryption::Optional)).unwrap();
    assert_eq!(row(&mut client, "select 1"), "1");
    let refused = connect_with(&server, &wanting(ClientEncryption::Mandatory));
    assert!(matches!(refused, Err(ClientError::Encryption(_))), "{refused:?}");
    assert!(connect_with(&server, &wanting(ClientEncryption::Strict)).is_err());
    assert_eq!(row(&mut client, "select 2"), "2");
}
