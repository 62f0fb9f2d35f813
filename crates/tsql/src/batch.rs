//! A script to batches, as sqlcmd does it: `GO [count]` alone on a line ends a batch, `$(name)` is a variable.
//!
//! What always holds: a `GO` inside a string, a delimited name or a block comment is text, not an end; the batches'
//! texts together with the `GO` lines are the whole script. Nothing here knows T-SQL's grammar.

use thiserror::Error;

/// A `GO` line that is not `GO [count]`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("Incorrect syntax was encountered while parsing {text} (line {line}).")]
pub struct GoError {
    /// The line as written, without surrounding blanks.
    pub text: String,
    /// Its number in the script, from 1.
    pub line: u32,
}

/// A `$(name)` whose name has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{name}' scripting variable not defined.")]
pub struct MissingVariable {
    /// Name between the parentheses.
    pub name: String,
    /// Line in the text, from 1.
    pub line: u32,
}

/// The text up to a `GO` line or the script's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptBatch {
    /// Text to send; blank when only `count` is an error.
    pub text: String,
    /// The script's line on which `text` begins, from 1: line `n` of the batch is line `first_line + n - 1`.
    pub first_line: u32,
    /// How often to send it: 1, or `GO`'s count. An error stands for a `GO` line that makes no sense; sqlcmd does not
    /// run such a batch.
    pub count: Result<u32, GoError>,
    /// Line of the `GO` that ends the batch; `None` when the script ends first.
    pub go_line: Option<u32>,
}

/// Splits a script at its `GO` lines. Batches of blanks alone are left out.
pub fn split_script(text: &str) -> Vec<ScriptBatch> {
    let mut batches = Vec::new();
    let mut scanner = Scanner::default();
    let mut current = String::new();
    let mut first_line = 1;
    let mut line_no = 0;
    for line in text.split_inclusive('\n') {
        line_no += 1;
        let go = if scanner.is_plain() { go_count(line, line_no) } else { None };
        match go {
            Some(count) => {
                let text = std::mem::take(&mut current);
                push_batch(&mut batches, ScriptBatch { text, first_line, count, go_line: Some(line_no) });
                first_line = line_no + 1;
            }
            None => {
                scanner.pass(line);
                current.push_str(line);
            }
        }
    }
    push_batch(&mut batches, ScriptBatch { text: current, first_line, count: Ok(1), go_line: None });
    batches
}

fn push_batch(batches: &mut Vec<ScriptBatch>, batch: ScriptBatch) {
    if batch.count.is_err() || !batch.text.trim().is_empty() {
        batches.push(batch);
    }
}

/// `None`: the line is not a `GO` line. `GO` must be a word of its own, so `GOTO x` and `go_on` are text.
fn go_count(line: &str, line_no: u32) -> Option<Result<u32, GoError>> {
    let line = line.trim();
    let word = line.get(..2)?;
    if !word.eq_ignore_ascii_case("go") {
        return None;
    }
    let rest = &line[2..];
    let ends_word = rest.is_empty()
        || rest.starts_with(char::is_whitespace)
        || rest.starts_with(';')
        || rest.starts_with("--")
        || rest.starts_with("/*");
    if !ends_word {
        return None;
    }
    let error = || GoError { text: line.to_owned(), line: line_no };
    let rest = rest.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, tail) = rest.split_at(digits);
    let count = if number.is_empty() { Ok(1) } else { number.parse::<u32>().map_err(|_| error()) };
    Some(if is_comment(tail.trim_start()) { count } else { Err(error()) })
}

/// Nothing, `-- …`, or one `/* … */` up to the end of the line.
fn is_comment(tail: &str) -> bool {
    if tail.is_empty() || tail.starts_with("--") {
        return true;
    }
    let Some(inner) = tail.strip_prefix("/*") else {
        return false;
    };
    matches!(inner.find("*/"), Some(end) if inner[end + 2..].trim().is_empty())
}

/// Replaces each `$(name)` by its value. Inside comments a name without a value stays as it is.
///
/// # Errors
/// The first name outside a comment that `value_of` does not know.
pub fn substitute(text: &str, value_of: &dyn Fn(&str) -> Option<String>) -> Result<String, MissingVariable> {
    let mut out = String::with_capacity(text.len());
    let mut scanner = Scanner::default();
    let mut line = 1;
    let mut rest = text;
    while !rest.is_empty() {
        if let Some((name, after)) = variable_reference(rest) {
            match value_of(name) {
                Some(value) => out.push_str(&value),
                None if scanner.is_comment() => out.push_str(&rest[..rest.len() - after.len()]),
                None => {
                    return Err(MissingVariable { name: name.to_owned(), line });
                }
            }
            rest = after;
            continue;
        }
        let step = scanner.step(rest);
        line += rest[..step].matches('\n').count() as u32;
        out.push_str(&rest[..step]);
        rest = &rest[step..];
    }
    Ok(out)
}

/// `$(name)` at the start of `rest`: the name and what follows. A name has no blanks, quotes or parentheses.
fn variable_reference(rest: &str) -> Option<(&str, &str)> {
    let inner = rest.strip_prefix("$(")?;
    let end = inner.find(|c: char| c == ')' || c == '(' || c == '"' || c == '\'' || c.is_whitespace())?;
    (end > 0 && inner[end..].starts_with(')')).then(|| (&inner[..end], &inner[end + 1..]))
}

/// Knows whether the place reached lies in a string, a delimited name or a comment.
#[derive(Default)]
struct Scanner {
    state: State,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    LineComment,
    /// Nesting depth.
    BlockComment(u32),
    /// Its closing character; a doubled quote closes and opens again, which comes to the same.
    Quoted(char),
}

impl Scanner {
    fn is_plain(&self) -> bool {
        self.state == State::Plain
    }

    fn is_comment(&self) -> bool {
        matches!(self.state, State::LineComment | State::BlockComment(_))
    }

    fn pass(&mut self, mut text: &str) {
        while !text.is_empty() {
            text = &text[self.step(text)..];
        }
    }

    /// Takes one character, or a two-character comment mark; returns how many bytes. `rest` is not empty.
    fn step(&mut self, rest: &str) -> usize {
        let Some(first) = rest.chars().next() else {
            return 0;
        };
        let (state, taken) = match self.state {
            State::Plain => plain_step(first, rest),
            State::LineComment if first == '\n' => (State::Plain, 1),
            State::BlockComment(depth) if rest.starts_with("/*") => (State::BlockComment(depth + 1), 2),
            State::BlockComment(1) if rest.starts_with("*/") => (State::Plain, 2),
            State::BlockComment(depth) if rest.starts_with("*/") => (State::BlockComment(depth - 1), 2),
            State::Quoted(']') if rest.starts_with("]]") => (self.state, 2),
            State::Quoted(close) if first == close => (State::Plain, 1),
            same => (same, first.len_utf8()),
        };
        self.state = state;
        taken
    }
}

fn plain_step(first: char, rest: &str) -> (State, usize) {
    match first {
        '\'' | '"' => (State::Quoted(first), 1),
        '[' => (State::Quoted(']'), 1),
        '-' if rest.starts_with("--") => (State::LineComment, 2),
        '/' if rest.starts_with("/*") => (State::BlockComment(1), 2),
        _ => (State::Plain, first.len_utf8()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(script: &str) -> Vec<(String, u32, Result<u32, String>)> {
        split_script(script).into_iter().map(|b| (b.text, b.first_line, b.count.map_err(|e| e.text))).collect()
    }

    #[test]
    fn go_ends_a_batch_and_counts() {
        let script = "select 1\r\nGO\r\n\r\nselect 2\n  go 5 -- five times\nselect 3";
        assert_eq!(
            texts(script),
            [
                ("select 1\r\n".to_owned(), 1, Ok(1)),
                ("\r\nselect 2\n".to_owned(), 3, Ok(5)),
                ("select 3".to_owned(), 6, Ok(1)),
            ]
        );
    }

    #[test]
    fn go_inside_text_is_text() {
        for script in
            ["select '\ngo\n'", "/* /* */\ngo\n*/ select 1", "select [a\ngo\n]", "select \"\ngo\n\"", "goto x\ngo_on\n"]
        {
            assert_eq!(texts(script), [(script.to_owned(), 1, Ok(1))]);
        }
    }

    #[test]
    fn a_comment_mark_in_a_string_opens_nothing() {
        let parts = texts("select '/*'\ngo\nselect '--' -- it's\ngo\nselect 'it''s'\ngo\n");
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[2], ("select 'it''s'\n".to_owned(), 5, Ok(1)));
    }

    #[test]
    fn wrong_go_lines_are_values() {
        for line in ["GO x", "GO;", "go 1 2", "GO 99999999999", "go /* a", "go /* a */ b"] {
            assert_eq!(texts(&format!("select 1\n{line}\n")), [("select 1\n".to_owned(), 1, Err(line.to_owned()))]);
        }
        assert_eq!(texts("select 1\nGO/* a */\n")[0].2, Ok(1));
        assert_eq!(texts("go\ngo\n\ngo\n"), []);
    }

    #[test]
    fn the_line_of_go_is_known() {
        let batches = split_script("select 1\nselect 2\ngo 3\nselect 4\n");
        assert_eq!(batches[0].go_line, Some(3));
        assert_eq!((batches[1].first_line, batches[1].go_line), (4, None));
    }

    #[test]
    fn variables_are_replaced() {
        let value = |name: &str| (name == "db").then(|| "tempdb".to_owned());
        assert_eq!(
            substitute("use [$(db)] -- $(none)\n/*$(x)*/", &value).unwrap(),
            "use [tempdb] -- $(none)\n/*$(x)*/"
        );
        assert_eq!(substitute("select '$(db)', $(, $(a b), $()", &value).unwrap(), "select 'tempdb', $(, $(a b), $()");
        let missing = substitute("select 1\nfrom $(t)", &value).unwrap_err();
        assert_eq!((missing.name.as_str(), missing.line), ("t", 2));
        assert_eq!(missing.to_string(), "'t' scripting variable not defined.");
    }
}
