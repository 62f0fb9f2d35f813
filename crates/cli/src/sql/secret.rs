//! `Password:` at a terminal, without showing what is typed.

use std::io::{self, BufRead, Write};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Asks.
///
/// # Errors
/// There is no terminal, or nothing comes from it.
pub fn ask() -> io::Result<String> {
    let stdin = io::stdin();
    eprint!("Password: ");
    io::stderr().flush()?;
    let shown = tcgetattr(&stdin)?;
    let mut hidden = shown.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &hidden)?;
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line);
    tcsetattr(&stdin, OptionalActions::Flush, &shown)?;
    eprintln!();
    read?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
