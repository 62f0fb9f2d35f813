//! Golden files: `tests/golden/*.txt` hold T-SQL and what it parses to.
//!
//! A case is its text, a line `----`, the expected result, and a line `====`. The result is the tree as
//! `print::batch_with_lines` prints it, or `Msg number, Level severity, State state, Line line: message`. A file whose
//! name begins with `off_` is read with QUOTED_IDENTIFIER OFF. With `UPDATE_GOLDEN=1` the files are rewritten; read the
//! difference before it is committed.

use std::fs;
use std::path::{Path, PathBuf};

use millpond_tsql::{ParseOptions, SyntaxError, ast::Batch, parse_batch, print};

const RESULT: &str = "----\n";
const END: &str = "====\n";

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = fs::read_dir(folder).expect("the folder of golden files");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn options_of(file: &Path) -> ParseOptions {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    ParseOptions { quoted_identifier: !name.starts_with("off_") }
}

/// Text and expected result of each case.
fn cases(content: &str) -> Vec<(&str, &str)> {
    content
        .split_inclusive(END)
        .filter(|case| !case.trim().is_empty())
        .map(|case| {
            let case = case.strip_suffix(END).unwrap_or(case);
            case.split_once(RESULT).unwrap_or((case, ""))
        })
        .collect()
}

/// The texts of all cases that are read with QUOTED_IDENTIFIER ON.
pub(super) fn texts() -> Vec<String> {
    let files = files().into_iter().filter(|file| options_of(file).quoted_identifier);
    files
        .flat_map(|file| {
            let content = fs::read_to_string(&file).expect("a golden file");
            cases(&content).into_iter().map(|(text, _)| text.to_owned()).collect::<Vec<_>>()
        })
        .collect()
}

fn render(result: &Result<Batch, SyntaxError>) -> String {
    match result {
        Ok(batch) => print::batch_with_lines(batch),
        Err(error) => format!("{error}\n"),
    }
}

#[test]
fn texts_parse_as_their_golden_files_say() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for file in files() {
        let content = fs::read_to_string(&file).expect("a golden file");
        let options = options_of(&file);
        let mut rewritten = String::new();
        for (text, expected) in cases(&content) {
            let actual = render(&parse_batch(text, options));
            if actual != expected {
                wrong.push(format!("{}\n{text}expected:\n{expected}actual:\n{actual}", file.display()));
            }
            rewritten.push_str(&[text, RESULT, &actual, END].concat());
        }
        if update {
            fs::write(&file, rewritten).expect("a golden file");
        }
    }
    assert!(update || wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The printed tree parses to a tree that prints the same, so nothing is lost or regrouped on the way.
#[test]
fn printed_trees_parse_to_themselves() {
    let on = ParseOptions { quoted_identifier: true };
    let mut count = 0;
    for file in files() {
        let content = fs::read_to_string(&file).expect("a golden file");
        for (text, _) in cases(&content) {
            let Ok(tree) = parse_batch(text, options_of(&file)) else {
                continue;
            };
            let printed = print::batch(&tree);
            if printed.contains("/* unsupported") || printed.contains("/* twice or unknown") {
                continue;
            }
            let again = parse_batch(&printed, on).unwrap_or_else(|e| panic!("{e:?}\n{text}\n{printed}"));
            assert_eq!(print::batch(&again), printed, "{text}");
            count += 1;
        }
    }
    assert!(count > 100, "only {count} cases printed");
}
