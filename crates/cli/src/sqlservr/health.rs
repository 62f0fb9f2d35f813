//! `sqlservr --healthcheck`: whether the server of this environment accepts connections. It does not log in, so that a
//! changed password makes no container unhealthy, and no failed login is reported in the server's log.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use millpond_tds::packet::{PacketStatus, PacketType, write_message};
use millpond_tds::prelogin::{Encryption, Prelogin};

use super::settings::Settings;

const PATIENCE: Duration = Duration::from_secs(5);
const PACKET_BYTES: u16 = 4096;
/// The type of each packet of an answer.
const ANSWER: u8 = 4;

/// Runs the check.
pub fn run(environment: &BTreeMap<String, String>) -> ExitCode {
    let base = PathBuf::from(environment.get("MILLPOND_MSSQL_DIR").map_or("/var/opt/mssql", String::as_str));
    let checked = Settings::read(environment, &base).map_err(|error| error.to_string()).and_then(|settings| {
        let address = match settings.listen.ip() {
            ip if ip.is_unspecified() => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), settings.listen.port()),
            _ => settings.listen,
        };
        ask(address).map_err(|error| format!("{address}: {error}"))
    });
    match checked {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("not ready: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Sends what every client sends first.
fn ask(address: SocketAddr) -> std::io::Result<()> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let hello = Prelogin { version: Some([0; 6]), encryption: Some(Encryption::Off), ..Prelogin::default() };
    let mut bytes = Vec::new();
    write_message(&mut bytes, PacketType::PreLogin, &hello.encode(), PACKET_BYTES, PacketStatus::default());
    stream.write_all(&bytes)?;
    let mut first = [0];
    stream.read_exact(&mut first)?;
    if first[0] == ANSWER { Ok(()) } else { Err(std::io::Error::other("the answer is none of TDS")) }
}
