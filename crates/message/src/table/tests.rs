//! The table against itself and against the source: each number that the source makes has a row, each row is made somewhere,
//! and the arguments are as many as the text has places.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::*;
use crate::class::SEVERITY_FATAL;
use crate::template::places;

/// What makes an error or a message of a number, up to the number.
const MAKERS: [&str; 4] = ["SqlError::of(", "Message::of(", ".inform(", ".complain_softly("];
/// What makes an error in a procedure that is written in T-SQL.
const MAKER_OF_TEXTS: &str = "RAISERROR(";
/// What makes messages that inform.
const INFORMS: [&str; 2] = ["Message::of(", ".inform("];
/// Files whose errors have their numbers elsewhere in the file: errors of crates below, and numbers that are chosen.
const CHOSEN: [&str; 9] = [
    "bind/src/definition/indexed_view.rs",
    "message/src/lib.rs",
    "procedures/src/texts/agent/tables.sql",
    "query/src/exec/admin/check.rs",
    "query/src/exec/batch/account/notes.rs",
    "rows/src/indexed_view.rs",
    "tsql/src/error.rs",
    "types/src/error.rs",
    "types/src/type_name.rs",
];

/// A place in the source that makes a number.
struct Made {
    maker: &'static str,
    number: i32,
    /// Where the arguments are written out.
    args: Option<usize>,
    file: String,
}

#[test]
fn the_table_is_sorted_and_has_no_doubles() {
    let numbers: Vec<i32> = rows().map(|row| row.number).collect();
    for pair in numbers.windows(2) {
        assert!(pair[0] < pair[1], "{} stands before {}", pair[0], pair[1]);
    }
    assert!(numbers.len() > 700, "{} rows", numbers.len());
    assert!(numbers.iter().all(|number| row(*number).is_some_and(|row| row.number == *number)), "each is found");
    assert_eq!(row(208).map(|row| (row.severity, row.text)), Some((16, "Invalid object name '%.*ls'.")));
    assert!(rows().all(|row| row.number < 50_000), "numbers of users have no rows");
}

#[test]
fn fatal_severities_end_the_connection() {
    for row in rows() {
        assert_eq!(row.severity >= SEVERITY_FATAL, row.ends == Ends::Connection, "{}", row.number);
    }
}

#[test]
fn each_sign_in_a_text_is_a_place_or_doubled() {
    for row in rows() {
        let signs = row.text.replace("%%", "").matches('%').count();
        assert_eq!(signs, places(row.text), "{}: {}", row.number, row.text);
    }
}

#[test]
fn what_the_source_makes_fits_the_table() {
    let made = made();
    assert!(made.len() > 700, "the source is read: {} places", made.len());
    let misfit = |made: &Made| {
        let Some(row) = row(made.number) else { return Some("there is no row") };
        if made.args.is_some_and(|args| args != places(row.text)) {
            return Some("another count of arguments than the text has places");
        }
        let informs = INFORMS.contains(&made.maker);
        (informs && row.severity > 10).then_some("it informs, by a number of another severity than 10")
    };
    let report = |made: &Made| Some(format!("{}: {} {}: {}", made.file, made.maker, made.number, misfit(made)?));
    let misfits: Vec<String> = made.iter().filter_map(report).collect();
    assert!(misfits.is_empty(), "{misfits:#?}");
}

#[test]
fn each_row_is_made_somewhere() {
    let mut used: BTreeSet<i32> = made().iter().map(|made| made.number).collect();
    for name in CHOSEN {
        used.extend(literals(&code(&crates().join(name))));
    }
    let unused: Vec<i32> = rows().map(|row| row.number).filter(|number| !used.contains(number)).collect();
    assert!(unused.is_empty(), "rows that nothing makes: {unused:?}");
}

#[test]
fn nothing_else_makes_errors_of_the_servers_numbers() {
    for file in files() {
        let text = code(&file);
        for maker in ["SqlError::raised(", "LogLine { local_us, number: "] {
            for (at, _) in text.match_indices(maker) {
                let number = number_at(&text[at + maker.len()..]);
                assert!(number.is_none_or(|number| number == 0), "{}: {maker}{number:?}", file.display());
            }
        }
    }
}

#[test]
fn errors_of_the_parser_have_the_severities_of_their_rows() {
    let text = code(&crates().join("tsql/src/error.rs"));
    let calls: Vec<&str> = text.match_indices(" error(").map(|(at, call)| &text[at + call.len()..]).collect();
    let mut count = 0;
    for call in calls {
        let Some(number) = number_at(call) else { continue };
        let severity = call.split(',').nth(1).and_then(|part| part.trim().parse().ok());
        assert_eq!(row(number).map(|row| row.severity), severity, "{number}");
        count += 1;
    }
    assert!(count > 40, "the source is read: {count} errors");
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The crates that make numbered errors.
const LAYERS: [&str; 16] = [
    "message",
    "catalog",
    "builtin",
    "bind",
    "engine",
    "names",
    "plan",
    "direct",
    "rows",
    "code",
    "cursors",
    "rights",
    "query",
    "views",
    "procedures",
    "server",
];

/// Their source files.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for layer in LAYERS {
        read_folder(&crates().join(layer).join("src"), &mut files);
    }
    files
}

fn read_folder(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            read_folder(&path, files);
        } else if name.ends_with(".sql")
            || name.ends_with(".rs") && name != "tests.rs" && !path.to_string_lossy().contains("message/src/table")
        {
            files.push(path);
        }
    }
}

/// The text of a file without comments and tests.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<&str>>().join("\n")
}

fn made() -> Vec<Made> {
    let mut made = Vec::new();
    for file in files() {
        let text = code(&file);
        let is_text = file.extension().is_some_and(|extension| extension == "sql");
        let makers = if is_text { &[MAKER_OF_TEXTS][..] } else { &MAKERS };
        for &maker in makers {
            for (at, _) in text.match_indices(maker) {
                let call = &text[at + maker.len()..];
                let Some(number) = number_at(call) else { continue };
                made.push(Made { maker, number, args: args_of(call), file: file.display().to_string() });
            }
        }
    }
    made
}

/// The number that a call begins with.
fn number_at(call: &str) -> Option<i32> {
    let call = call.trim_start();
    let end = call.find(|c: char| !c.is_ascii_digit() && c != '_')?;
    call[..end].replace('_', "").parse().ok()
}

/// How many arguments stand in the `&[…]` of a call, if it has one.
fn args_of(call: &str) -> Option<usize> {
    let (mut depth, mut args, mut is_empty) = (0, None, true);
    let mut rest = call.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            '"' => {
                while let Some((_, c)) = rest.next().filter(|(_, c)| *c != '"') {
                    if c == '\\' {
                        rest.next();
                    }
                }
            }
            '[' if args.is_none() && depth == 0 && call[..at].ends_with('&') => (args, depth) = (Some(0), 1),
            '(' | '[' | '{' => depth += 1,
            ']' if depth == 1 && args.is_some() => return args.map(|args| args + usize::from(!is_empty)),
            ')' if depth == 0 => return None,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 1 && args.is_some() => {
                args = args.map(|args| args + usize::from(!is_empty));
                is_empty = true;
                continue;
            }
            c if c.is_whitespace() => continue,
            _ => {}
        }
        if args.is_some() && !(depth == 1 && c == '[') {
            is_empty = false;
        }
    }
    None
}

/// All numbers of three digits and more in a text.
fn literals(text: &str) -> Vec<i32> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words = words.map(|word| word.replace('_', "")).filter(|word| word.len() > 2);
    words.filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn arguments_of_a_call_are_counted() {
    assert_eq!(args_of("208, 1, &[])"), Some(0));
    assert_eq!(args_of("208, 1, &[&name])"), Some(1));
    assert_eq!(args_of("208, 1, &[\n    &a.join(\", ]\"),\n    &(1 + 2),\n])"), Some(2));
    assert_eq!(args_of("208, state(1, 2), &[&[1, 2][0], &f(&[3])])"), Some(2));
    assert_eq!(args_of("208, 1, args)"), None);
    assert_eq!(number_at("10_757, 1"), Some(10_757));
    assert_eq!(number_at("number, 1"), None);
}
