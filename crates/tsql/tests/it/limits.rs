//! Bounds: deep and long texts end in an error or a tree, in little stack and in linear time.

use millpond_tsql::{ParseOptions, SyntaxError, ast::Batch, parse_batch};

/// The parser and a walk over the highest tree must leave most of a thread's stack to their caller.
const STACK_BYTES: usize = millpond_tsql::STACK_BYTES / 4;

fn parse(text: String) -> Result<Batch, SyntaxError> {
    let parse = move || parse_batch(&text, ParseOptions { quoted_identifier: true });
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(parse).expect("a thread");
    thread.join().expect("no panic")
}

fn number(text: String) -> i32 {
    parse(text).map_or_else(|error| error.number, |_| 0)
}

fn nest(open: &str, inner: &str, close: &str, count: usize) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

/// Each form nested so deep that the parser gives up, and less deep so that it does not.
#[test]
fn nesting_ends_in_191() {
    let forms = [
        ("select ", "(", "1", ")"),
        ("select * from ", "(", "t", ")"),
        ("select ", "(select ", "1", ")"),
        ("select ", "f(", "1", ")"),
        ("select ", "- ", "1", ""),
        ("select ", "~", "1", ""),
        ("if ", "not ", "1=1", " print 1"),
        ("if ", "(", "1=1", ") print 1"),
        ("select ", "case when 1=1 then ", "1", " end"),
        ("select ", "case ", "1", " when 1 then 1 end"),
        ("select ", "cast(", "1", " as int)"),
        ("select ", "convert(int, ", "1", ")"),
        ("select ", "iif(1=1, ", "1", ", 2)"),
        ("select 1 where ", "1 in (select 1 where ", "1=1", ")"),
        ("select 1 where ", "exists (select 1 where ", "1=1", ")"),
        ("select 1 from ", "(select * from ", "t", ") x"),
        ("", "begin ", "select 1", " end"),
        ("", "begin try ", "select 1", " end try begin catch end catch"),
        ("", "while 1=1 ", "break", ""),
        ("", "if 1=1 ", "select 1", ""),
        ("select * from a ", "join b ", "", " on 1=1"),
        ("alter table t set ", "(a ", "(b)", ")"),
        ("select 1 group by ", "grouping sets (", "a", ")"),
    ];
    for (before, open, inner, close) in forms {
        let one_close = close.trim_start_matches(')');
        let closes = if close.starts_with(") print") { ")" } else { close };
        let tail = if closes == close { "" } else { one_close };
        let text = |count| match close {
            " print 1" => format!("{before}{}{inner}{close}", open.repeat(count)),
            _ => format!("{before}{}{tail}", nest(open, inner, closes, count)),
        };
        assert_eq!(number(text(if open.contains("select") { 32 } else { 100 })), 0, "{}", text(2));
        for count in [500, 5_000] {
            assert_eq!(number(text(count)), 191, "{open} × {count}");
        }
    }
}

/// What is opened and never closed is no reason to recurse without bound either.
#[test]
fn unclosed_nesting_is_an_error() {
    for open in ["select (", "(", "f(", "case when ", "in (", "begin ", "{fn ", "with a as (", "exists (", "over ("] {
        for count in [1, 10, 200, 5_000] {
            for before in ["", "select ", "select * from ", "insert t values "] {
                assert_ne!(number(format!("{before}{}", open.repeat(count))), 0, "{before}{open} × {count}");
            }
        }
    }
}

/// The trees of loops: as high as they are long, or balanced.
#[test]
fn long_chains() {
    let chain = |item: &str, joint: &str, count: usize| format!("{item}{}", format!("{joint}{item}").repeat(count));
    assert_eq!(number(format!("select {}", chain("1", "+", 2_000))), 0);
    assert_eq!(number(format!("select {}", chain("1", "+", 5_000))), 191);
    assert_eq!(number(format!("select {}", chain("1", "*", 5_000))), 191);
    assert_eq!(number(format!("if {} print 1", chain("@a=1", " or ", 5_000))), 0);
    assert_eq!(number(format!("if {} print 1", chain("@a=1", " and ", 5_000))), 0);
    assert_eq!(number(format!("select 1{}", " collate x".repeat(5_000))), 191);
    assert_eq!(number(format!("select f(1){}", ".m(1)".repeat(5_000))), 191);
    assert_eq!(number(format!("select * from t {}", "unpivot (a for b in (c)) as u ".repeat(5_000))), 191);
    assert_eq!(number(chain("select 1", " union all ", 5_000)), 0);
    assert_eq!(number(chain("select 1", " union ", 5_000)), 0);
    assert_eq!(number(chain("select 1", " intersect ", 5_000)), 191);
    assert_eq!(number(format!("select * from t {}", "cross join t ".repeat(5_000))), 191);
    assert_eq!(number(format!("select * from t join t {} on 1=1", "cross join t ".repeat(5_000))), 191);
    assert_eq!(number(format!("{} select 1", "if 1=1 select 1 else ".repeat(1_000))), 0);
    assert_eq!(number(format!("{} select 1", "if 1=1 select 1 else ".repeat(5_000))), 191);
    assert_eq!(number(format!("select 1 where 1 in ({})", chain("1", ",", 5_000))), 0);
    assert_eq!(number("select 1 ".repeat(5_000)), 0);
    assert_eq!(number(format!("insert t values {}", chain("(1)", ",", 999))), 0);
    assert_eq!(number(format!("insert t values {}", chain("(1)", ",", 1000))), 10738);
}

/// Nested chains may not multiply: each alone is short enough, together they are not.
#[test]
fn chains_inside_chains() {
    let mut expr = "1".to_owned();
    for _ in 0..40 {
        expr = format!("({expr}{})", "+1".repeat(100));
    }
    assert_eq!(number(format!("select {expr}")), 191);
}

/// The tree's own height: a walk over the highest tree that is let through fits into a small stack.
#[test]
fn the_highest_tree_can_be_dropped_and_printed() {
    let text = format!("select 1{}", "+1".repeat(2_490));
    let tree = parse(text).expect("a tree");
    let walk = move || millpond_tsql::print::batch(&tree).len();
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(walk).expect("a thread");
    assert!(thread.join().expect("no panic") > 2_490);
}

/// A name may be written as a string; it is no longer for that. Found by the fuzzer: the print of such an alias was a
/// bracketed name, which was refused.
#[test]
fn a_name_written_as_a_string_has_the_bounds_of_a_name() {
    let options = ParseOptions { quoted_identifier: true };
    let alias = |units: usize| parse_batch(&format!("select 1 as '{}'", "a".repeat(units)), options);
    assert!(alias(128).is_ok());
    assert_eq!(alias(129).unwrap_err().number, 103);
}

/// Found by the fuzzer: the name was printed without its marks and read back as a variable with an argument.
#[test]
fn a_quoted_name_that_begins_like_a_variable_prints_as_a_name() {
    let options = ParseOptions { quoted_identifier: true };
    let print = |text: &str| millpond_tsql::print::batch(&parse_batch(text, options).expect("a call"));
    let printed = print("\"@n\u{6}a \"");
    assert_eq!(printed, "EXEC [@n\u{6}a ];\n");
    assert_eq!(print(&printed), printed);
}
