//! `-S`: which host and port.

/// Port of SQL Server.
const DEFAULT_PORT: u16 = 1433;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Name or IP address.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl Address {
    /// Reads `host`, `host,port`, `tcp:host,port`, and `host:port` as `--listen` has it; `.` and `(local)` are this machine.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Address, String> {
        let rest = strip_tcp(text.trim());
        if rest.contains('\\') {
            return Err(format!("-S '{text}': named instances are not known; give the port: host,port"));
        }
        let (host, port) = match rest.split_once(',') {
            Some((host, port)) => (host.trim(), port_of(text, port.trim())?),
            None => match rest.rsplit_once(':') {
                // More colons are an IPv6 address, unless that stands in brackets.
                Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, port_of(text, port)?),
                _ => (rest, DEFAULT_PORT),
            },
        };
        let host = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host);
        let host = match host {
            "" => return Err(format!("-S '{text}': there is no host name in it")),
            "." | "(local)" => "localhost",
            host => host,
        };
        Ok(Address { host: host.to_owned(), port })
    }

    /// Whether it is this machine, at the port that is SQL Server's or that the environment gives to it.
    pub fn is_this_server(&self) -> bool {
        let own = std::env::var("MSSQL_TCP_PORT").ok().and_then(|port| port.parse().ok());
        self.is_loopback() && (self.port == DEFAULT_PORT || Some(self.port) == own)
    }

    /// Whether it is this machine itself.
    pub fn is_loopback(&self) -> bool {
        let is_loopback_ip = self.host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        is_loopback_ip || self.host.eq_ignore_ascii_case("localhost")
    }
}

fn strip_tcp(text: &str) -> &str {
    match text.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("tcp:") => &text[4..],
        _ => text,
    }
}

fn port_of(text: &str, port: &str) -> Result<u16, String> {
    match port.parse() {
        Ok(port) if port > 0 => Ok(port),
        _ => Err(format!("-S '{text}': '{port}' is not a port")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let address = |text| Address::parse(text).map(|address| (address.host, address.port));
        assert_eq!(address("db"), Ok(("db".into(), 1433)));
        assert_eq!(address("tcp:db , 99"), Ok(("db".into(), 99)));
        assert_eq!(address("."), Ok(("localhost".into(), 1433)));
        assert_eq!(address("[::1],5"), Ok(("::1".into(), 5)));
        assert_eq!(address("::1"), Ok(("::1".into(), 1433)));
        assert_eq!(address("db:99"), Ok(("db".into(), 99)));
        assert_eq!(address("[::1]:5"), Ok(("::1".into(), 5)));
        assert_eq!(address("[::1]"), Ok(("::1".into(), 1433)));
        for wrong in ["", ",1", "db,", "db,0", "db,x", "db,70000", "db:", "db:x", ":5", "db\\sqlexpress"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
        for (host, expected) in
            [("LOCALHOST", true), ("127.1.2.3", true), ("::1", true), ("10.0.0.1", false), ("db", false)]
        {
            assert_eq!(Address::parse(host).unwrap().is_loopback(), expected, "{host}");
        }
    }
}
