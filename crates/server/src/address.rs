//! Where a server listens, as people write it.
//!
//! ```text
//!   127.0.0.1:1433   [::1]:1433   localhost:1433      as it is written
//!   127.0.0.1        ::1          localhost           the port that clients know
//!   1433             :1433                            this machine alone
//!   *:1433           *                                all networks (of IPv4)
//! ```
//! What always holds: what names no network means this machine alone. It does not know whether somebody listens there already.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};

/// The port that clients ask where they are told none.
pub const DEFAULT_PORT: u16 = 1433;
/// The port of the page in a browser.
pub const PAGE_PORT: u16 = 8433;

/// Why a text is no address.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum AddressError {
    /// A port is a number from 0 to 65535.
    #[error("'{0}' is no port: a number from 0 (any that is free) to 65535")]
    Port(String),
    /// A name that no address is known of, and why.
    #[error("'{0}' is no address: ADDRESS:PORT, ADDRESS or PORT, as 127.0.0.1:1433 ({1})")]
    Name(String, String),
}

/// The address that a text means where clients are served.
///
/// # Errors
/// It means none. Names are looked up, which may take as long as the resolver lets it.
pub fn parse(text: &str) -> Result<SocketAddr, AddressError> {
    parsed(text, DEFAULT_PORT)
}

/// The same of the page in a browser.
///
/// # Errors
/// As [`parse`].
pub fn parse_page(text: &str) -> Result<SocketAddr, AddressError> {
    parsed(text, PAGE_PORT)
}

fn parsed(text: &str, default_port: u16) -> Result<SocketAddr, AddressError> {
    let text = text.trim();
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if let Ok(ip) = bare.parse() {
        return Ok(SocketAddr::new(ip, default_port));
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return port(text).map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, number)) => (host, port(number)?),
        None => (text, default_port),
    };
    match host {
        "" if text.is_empty() => Err(AddressError::Name(text.to_owned(), "it is empty".to_owned())),
        "" => Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)),
        "*" => Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), port)),
        // Whatever a resolver makes of it.
        host if host.eq_ignore_ascii_case("localhost") => Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)),
        host => named(host, port).map_err(|why| AddressError::Name(text.to_owned(), why)),
    }
}

fn port(text: &str) -> Result<u16, AddressError> {
    text.parse().map_err(|_| AddressError::Port(text.to_owned()))
}

/// The address of a machine's name, of IPv4 if it has one.
fn named(host: &str, port: u16) -> Result<SocketAddr, String> {
    let found: Vec<SocketAddr> = (host, port).to_socket_addrs().map_err(|error| error.to_string())?.collect();
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| "it has none".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_no_network_means_this_machine() {
        let shown = |text: &str| parse(text).map(|address| address.to_string()).map_err(|error| error.to_string());
        for (text, address) in [
            ("127.0.0.1:14330", "127.0.0.1:14330"),
            ("[::1]:14330", "[::1]:14330"),
            ("0.0.0.0", "0.0.0.0:1433"),
            ("::1", "[::1]:1433"),
            ("[::1]", "[::1]:1433"),
            ("14330", "127.0.0.1:14330"),
            (":14330", "127.0.0.1:14330"),
            ("0", "127.0.0.1:0"),
            ("*", "0.0.0.0:1433"),
            ("*:14330", "0.0.0.0:14330"),
            ("localhost", "127.0.0.1:1433"),
            (" LocalHost:14330 ", "127.0.0.1:14330"),
        ] {
            assert_eq!(shown(text), Ok(address.to_owned()), "{text}");
        }
        assert_eq!(parse_page("localhost").map(|address| address.port()), Ok(PAGE_PORT));
        for text in ["65536", ":65536", "127.0.0.1:65536", "localhost:", "localhost:tds", ":"] {
            let error = shown(text).unwrap_err();
            assert!(error.contains("is no port: a number from 0 (any that is free) to 65535"), "{text}: {error}");
        }
        for text in ["", "a host with blanks", "no-such-name.invalid"] {
            let error = shown(text).unwrap_err();
            assert!(error.starts_with(&format!("'{text}' is no address: ADDRESS:PORT")), "{text}: {error}");
        }
    }
}
