//! `<?xml version="1.0" encoding="…" standalone="…"?>` and the encoding that it names.

use crate::chars::is_space;
use crate::fault::{Fault, ParseError};
use crate::parse::{Origin, encoding};

/// Checks a declaration whose parts stand between two places.
pub(super) fn check(text: &str, (start, end): (usize, usize), origin: Origin) -> Result<(), ParseError> {
    let fail = |fault, at| Err(ParseError::at(fault, text, at));
    let Ok(parts) = parts(text, start, end) else { return fail(Fault::DeclarationSyntax, end) };
    let mut expected = ["version", "encoding", "standalone"].into_iter();
    for (place, (name, value, at)) in parts.iter().enumerate() {
        if !expected.any(|known| known == *name) || place == 0 && *name != "version" {
            return fail(Fault::DeclarationSyntax, *at);
        }
        match *name {
            "version" if *value != "1.0" => return fail(Fault::DeclarationSyntax, *at),
            "standalone" if !matches!(*value, "yes" | "no") => return fail(Fault::DeclarationSyntax, *at),
            "encoding" => {
                if let Some(fault) = encoding::conflict(value, origin) {
                    // It is noticed when the declaration is read.
                    return fail(fault, end + 1);
                }
            }
            _ => {}
        }
    }
    if parts.is_empty() { fail(Fault::DeclarationSyntax, end) } else { Ok(()) }
}

/// The encoding that the declaration at the beginning of a text names.
#[must_use]
pub fn named_encoding(text: &str) -> Option<&str> {
    let end = text.starts_with("<?xml").then(|| text.find("?>"))??;
    let parts = parts(text, "<?xml".len(), end).ok()?;
    parts.into_iter().find(|(name, ..)| *name == "encoding").map(|(_, value, _)| value)
}

/// A part: name, value, and where it ends.
type Part<'t> = (&'t str, &'t str, usize);

/// The parts; an error for what is none.
fn parts(text: &str, start: usize, end: usize) -> Result<Vec<Part<'_>>, ()> {
    let mut parts = Vec::new();
    let mut rest = &text[start..end];
    loop {
        let trimmed = rest.trim_start_matches(is_space);
        if trimmed.is_empty() {
            return Ok(parts);
        }
        if trimmed.len() == rest.len() {
            return Err(());
        }
        let (name, after) = trimmed.split_once('=').ok_or(())?;
        let after = after.trim_start_matches(is_space);
        let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\'')).ok_or(())?;
        let (value, after) = after[1..].split_once(quote).ok_or(())?;
        parts.push((name.trim_end_matches(is_space), value, end - after.len() - 1));
        rest = after;
    }
}
