//! A text in the user's editor.
//!
//! What always holds: the file is readable by its owner alone, and gone afterwards; a text that the editor leaves by an error is not run.

use std::io::Write;
use std::process::Command;

use tempfile::Builder;

use super::super::files;

/// Where nothing is said.
const EDITOR: &str = "vi";

/// The text as the user leaves it; `named` is the editor of SQLCMDEDITOR, if any.
///
/// # Errors
/// Why there is no editor, no file or no text.
pub fn edited(text: &str, named: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("':edit': {error}");
    let mut file = Builder::new().prefix("millpond").suffix(".sql").tempfile().map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(failed)?;
    let of = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let named = Some(named.to_owned()).filter(|editor| !editor.trim().is_empty());
    let editor = named.or_else(|| of("VISUAL")).or_else(|| of("EDITOR")).unwrap_or_else(|| EDITOR.into());
    // An editor may have options; the file's name is a word of its own, whatever is in it.
    let status = Command::new("/bin/sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file.path()).status();
    let status = status.map_err(|error| format!("':edit': {editor}: {error}"))?;
    if !status.success() {
        return Err(format!("':edit': {editor}: {status}"));
    }
    // Editors that write a new file and rename it leave another one in its place.
    files::read_text(file.path())
}
