//! Any text as a script: batches, variables, tokens, tree.
//!
//! What must hold: nothing panics and no text takes more than its share of the stack; a syntax error names a line of
//! the text; batches lie in the script in order; a tree prints as text that parses to it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use millpond_tsql::batch::{split_script, substitute};
use millpond_tsql::{ParseOptions, parse_batch, parse_parameters, print};

/// What we print is T-SQL again under the same setting, and prints the same. Statements without a tree print as a comment
/// that says so; some keep words as they were written, where a `"` means what it meant.
fn parse_printed(printed: &str, quoted_identifier: bool) {
    if printed.contains("/* unsupported") || printed.contains("/* twice or unknown") {
        return;
    }
    let again = parse_batch(printed, ParseOptions { quoted_identifier }).expect("printed by us");
    assert_eq!(print::batch(&again), printed);
}

fn parse(text: &str, quoted_identifier: bool) {
    let options = ParseOptions { quoted_identifier };
    let line_count = text.split('\n').count();
    match parse_batch(text, options) {
        Ok(tree) => parse_printed(&print::batch(&tree), quoted_identifier),
        Err(error) => {
            assert!(error.number > 0);
            assert!((1..=line_count).contains(&(error.line as usize)), "line {} of {line_count}", error.line);
        }
    }
    let _ = parse_parameters(text, options);
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    parse(text, true);
    parse(text, false);
    let _ = substitute(text, &|name| Some(name.to_owned()));
    let mut line_before = 0;
    for batch in split_script(text) {
        assert!(batch.first_line > line_before, "batches overlap");
        line_before = batch.go_line.unwrap_or(batch.first_line);
        parse(&batch.text, true);
    }
});
