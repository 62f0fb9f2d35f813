//! Every statement that HammerDB's TPROC-C sends parses and prints as text that parses to it.
//!
//! HammerDB is not part of this repository. `HAMMERDB=/path/to/HammerDB cargo test -p millpond-tsql hammerdb` reads
//! the statements out of its Tcl sources: `set sql(n) {…}`, `evaldirect "…"`, `allrows {…}` and their kind.

use std::path::Path;

use millpond_tsql::{ParseOptions, parse_batch, print};

/// Tcl commands whose next word is a statement.
const COMMANDS: [&str; 4] = ["evaldirect", "allrows", "prepare", "-as lists"];

/// The word in braces or quotes at the start of `tcl`, without them.
fn tcl_word(tcl: &str) -> Option<&str> {
    let open = tcl.chars().next()?;
    let mut depth = 0;
    let mut chars = tcl.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '"' if open == '"' && at > 0 => return Some(&tcl[1..at]),
            '{' if open == '{' => depth += 1,
            '}' if open == '{' => {
                depth -= 1;
                if depth == 0 {
                    return Some(&tcl[1..at]);
                }
            }
            _ => {}
        }
    }
    None
}

/// What `set sql(n)` and the commands that send text are given.
fn statements(tcl: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in tcl.match_indices("set sql(") {
        let rest = &tcl[at..];
        let value = rest.find(')').map(|end| rest[end + 1..].trim_start());
        let value = value.map(|value| value.trim_start_matches(['[', ' ']).trim_start_matches("subst -nocommands"));
        found.extend(value.map(str::trim_start).filter(|value| value.starts_with(['{', '"'])).and_then(tcl_word));
    }
    for command in COMMANDS {
        for (at, _) in tcl.match_indices(command) {
            let value = tcl[at + command.len()..].trim_start();
            found.extend(Some(value).filter(|value| value.starts_with(['{', '"'])).and_then(tcl_word));
        }
    }
    found
}

/// Tcl's variables as a name or a row, ODBC's parameters as variables, escapes as what they stand for.
fn substituted(statement: &str) -> String {
    let mut out = String::new();
    let mut rest = statement;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let name_len = rest.len() - rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let name = &rest[..name_len];
        match c {
            '$' if name.ends_with("_list") => out.push_str("(1, 'x')"),
            '$' if name_len > 0 => out.push_str("name1"),
            ':' if name_len > 0 && !out.ends_with(':') => out.push_str("@p1"),
            '\\' => continue,
            other => {
                out.push(other);
                continue;
            }
        }
        rest = &rest[name_len..];
    }
    out
}

fn is_statement(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or("").to_lowercase();
    let known = [
        "alter",
        "begin",
        "checkpoint",
        "create",
        "delete",
        "drop",
        "exec",
        "if",
        "insert",
        "select",
        "set",
        "update",
        "use",
        "with",
    ];
    known.contains(&word.as_str())
}

fn check(text: &str) -> Result<bool, String> {
    let options = ParseOptions { quoted_identifier: true };
    let tree = parse_batch(text, options).map_err(|error| format!("{error}\n{text}"))?;
    let printed = print::batch(&tree);
    if printed.contains("/* unsupported") {
        return Err(format!("{printed}\n{text}"));
    }
    let again = parse_batch(&printed, options).map_err(|error| format!("{error}\n{printed}"))?;
    assert_eq!(print::batch(&again), printed);
    Ok(printed.starts_with("CREATE PROCEDURE") || printed.starts_with("CREATE OR ALTER PROCEDURE"))
}

#[test]
fn all_statements_of_hammerdb_parse() {
    let Some(home) = std::env::var_os("HAMMERDB") else {
        return eprintln!("HAMMERDB does not name HammerDB's folder: nothing was parsed");
    };
    let path = Path::new(&home).join("src/mssqlserver/mssqlsoltp.tcl");
    let tcl = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut wrong, mut count, mut procedures) = (Vec::new(), 0, 0);
    for text in statements(&tcl).into_iter().map(substituted).filter(|text| is_statement(text)) {
        count += 1;
        match check(&text) {
            Ok(is_procedure) => procedures += usize::from(is_procedure),
            Err(error) => wrong.push(error),
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n----\n"));
    assert!(count > 120, "only {count} statements found");
    assert!(procedures >= 11, "only {procedures} procedures found");
}
