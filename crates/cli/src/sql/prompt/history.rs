//! What is remembered of what was typed: `~/.millpond_history`, readable by its owner alone.
//!
//! What always holds: a batch that sets or takes a password is not remembered, nor a command with one; at most [`ENTRIES_MAX`] entries
//! of at most [`ENTRY_BYTES_MAX`] are.

use std::path::PathBuf;

use millpond_tsql::secret::may_have_secret;

/// Entries.
pub const ENTRIES_MAX: usize = 5_000;
/// What is longer was pasted, and is in a file.
const ENTRY_BYTES_MAX: usize = 64 << 10;

/// Where it is, if there is a home.
pub fn path() -> Option<PathBuf> {
    std::env::home_dir().map(|home| home.join(".millpond_history"))
}

/// Whether an entry is remembered.
pub fn is_kept(entry: &str) -> bool {
    let text = entry.trim();
    !text.is_empty() && text.len() <= ENTRY_BYTES_MAX && !may_have_secret(text) && !names_password(text)
}

/// A word for a password before a text, whatever stands between them; `:connect … -P x`.
fn names_password(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_word = ["password", "passphrase"].iter().any(|word| lower.contains(word));
    let has_option = text.starts_with(':') && text.split_whitespace().any(|word| word.starts_with("-P"));
    is_word && lower.contains('\'') || has_option
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_forgotten() {
        for kept in ["select 1\ngo", "select password from t", ":connect db -U sa", "print 'x'"] {
            assert!(is_kept(kept), "{kept}");
        }
        for forgotten in [
            "",
            "  ",
            "create login ann with password = 'x'",
            "CREATE LOGIN ann WITH\nPASSWORD\n=\nN'x'",
            "alter login ann with PASSWORD='x'",
            "exec sp_addlogin 'ann', 'x'",
            "create master key encryption by password 'x'",
            ":connect db -U sa -P x",
            ":connect db -U sa -Px",
        ] {
            assert!(!is_kept(forgotten), "{forgotten}");
        }
        assert!(!is_kept(&"x".repeat(ENTRY_BYTES_MAX + 1)));
    }
}
