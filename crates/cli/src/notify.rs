//! Reports readiness and shutdown to the service manager, as `sd_notify` does: a datagram to the socket that NOTIFY_SOCKET names.
//!
//! What always holds: without NOTIFY_SOCKET nothing is sent; a failure to send is logged and changes nothing else.

use std::io;
use std::os::unix::net::UnixDatagram;

/// Names the socket: a path, or a name of Linux's abstract ones after `@`.
const VARIABLE: &str = "NOTIFY_SOCKET";

/// The server accepts clients.
pub const READY: &str = "READY=1";
/// The server shuts down.
pub const STOPPING: &str = "STOPPING=1";

/// Sends a state to the service manager, if there is one.
pub fn notify(state: &str) {
    let Some(socket) = std::env::var(VARIABLE).ok().filter(|socket| !socket.is_empty()) else { return };
    if let Err(error) = send(&socket, state) {
        tracing::warn!("{state} was not sent to the service manager at {socket}: {error}");
    }
}

fn send(socket: &str, state: &str) -> io::Result<()> {
    let from = UnixDatagram::unbound()?;
    let sent = match socket.strip_prefix('@') {
        Some(name) => send_to_name(&from, name, state),
        None => from.send_to(state.as_bytes(), socket),
    }?;
    if sent == state.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

#[cfg(target_os = "linux")]
fn send_to_name(from: &UnixDatagram, name: &str, state: &str) -> io::Result<usize> {
    use std::os::linux::net::SocketAddrExt;

    let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
    from.send_to_addr(state.as_bytes(), &address)
}

#[cfg(not(target_os = "linux"))]
fn send_to_name(_from: &UnixDatagram, _name: &str, _state: &str) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn both_kinds_of_sockets_are_told() {
        use std::os::linux::net::SocketAddrExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let name = format!("millpond-test-{}", std::process::id());
        let abstract_name = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
        let listening = [UnixDatagram::bind(&path).unwrap(), UnixDatagram::bind_addr(&abstract_name).unwrap()];
        for (socket, listener) in [path.to_str().unwrap().to_owned(), format!("@{name}")].iter().zip(listening) {
            send(socket, READY).unwrap();
            let mut bytes = [0; 64];
            let count = listener.recv(&mut bytes).unwrap();
            assert_eq!(&bytes[..count], READY.as_bytes());
        }
        assert!(send(folder.path().join("absent").to_str().unwrap(), READY).is_err());
    }
}
