//! What the terminal is: how wide, and whether it takes colours.
//!
//! What always holds: the size is asked for each time, so that a terminal of another size counts from the next result on.

use std::io::IsTerminal;

use rustix::termios::tcgetwinsize;

/// Where the system does not say how wide it is.
const COLUMNS: usize = 80;

/// Columns of the terminal that results go to.
pub fn columns() -> usize {
    match tcgetwinsize(std::io::stdout()) {
        Ok(size) if size.ws_col > 0 => size.ws_col.into(),
        _ => COLUMNS,
    }
}

/// Results go to a terminal.
pub fn is_there() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether colours are wanted: no `--no-color`, no NO_COLOR with a value, and a terminal that knows them.
pub fn takes_colors(no_color: bool) -> bool {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !no_color && !is_refused && std::env::var_os("TERM").is_some_and(|term| term != "dumb")
}
