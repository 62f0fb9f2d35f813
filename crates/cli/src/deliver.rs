//! Texts that commands make, to a file or to stdout.
//!
//! What always holds: a file is there whole or not at all: it is written beside its place and moved there.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Writes a text to the place that was asked for, where `-` is stdout; else to a file of the name, or to stdout without one.
///
/// # Errors
/// Why it is not written, with the file's name.
pub fn deliver(text: &str, asked: Option<&Path>, name: Option<&str>) -> Result<(), String> {
    match asked.or(name.map(Path::new)) {
        Some(path) if path != Path::new("-") => {
            replace(path, text.as_bytes()).map_err(|why| format!("{}: {why}", path.display()))?;
            // A script that redirects stderr wants nothing but what it has asked for.
            if io::stderr().is_terminal() || asked.is_none() {
                eprintln!("millpond: {} is written", path.display());
            }
            Ok(())
        }
        _ => match io::stdout().write_all(text.as_bytes()) {
            // A reader that has read enough closes the pipe.
            Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(why.to_string()),
            _ => Ok(()),
        },
    }
}

/// Writes a file beside its place, and moves it there.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A device or a pipe is written to, and no file is put in its place.
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        return std::fs::write(path, bytes);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(name);
    let written = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // It may not have been made.
        let _ = std::fs::remove_file(&beside);
    }
    written
}
