//! `mssql.conf`: sections and keys, as SQL Server's `mssql-conf` writes them.
//!
//! What always holds: names are compared without regard to case; a line that is neither a section, a key nor a comment is
//! an error with its number.

use std::collections::BTreeMap;

/// `section.key` in lower case, and the value.
pub type Conf = BTreeMap<String, String>;

/// Reads the text of the file.
///
/// # Errors
/// The number of the line that is none, from 1.
pub fn parse(text: &str) -> Result<Conf, usize> {
    let mut found = Conf::new();
    let mut section = String::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.trim().to_lowercase();
        } else {
            let (key, value) = line.split_once('=').ok_or(at + 1)?;
            found.insert(format!("{section}.{}", key.trim().to_lowercase()), value.trim().to_owned());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_keys_are_read() {
        let conf = parse("# a comment\n[Network]\ntcpport = 1500\n\n[memory]\n memorylimitmb=2048\n").unwrap();
        assert_eq!(conf["network.tcpport"], "1500");
        assert_eq!(conf["memory.memorylimitmb"], "2048");
        assert_eq!(parse("[network]\ntcpport 1500"), Err(2));
    }
}
