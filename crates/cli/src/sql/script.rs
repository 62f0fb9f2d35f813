//! Lines to batches and commands, one line at a time, for files and for the prompt.
//!
//! What always holds: a `GO`, `:command`, `exit` or `quit` inside a string, a delimited name or a comment is text of the
//! batch. Line ends of a batch are `\n`. Knows no variables and runs nothing.

use std::borrow::Cow;

use millpond_tsql::batch::{GoError, split_script};

/// A line that is for the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `exit`, `quit`, with or without a colon.
    Leave,
    /// `exit(…)`: what was read and what stands between the parentheses runs first.
    LeaveWith(String),
    /// `:out`
    Out(String),
    /// `:error`
    Error(String),
    /// `:connect`, with what follows.
    Connect(String),
    /// `!!`
    System(String),
    /// `:xml on|off`
    Xml(bool),
    /// `:r FILE`
    Read(String),
    /// `:setvar name [value]`
    SetVariable(String, Option<String>),
    /// `:on error exit|ignore`
    OnError {
        /// `exit`
        exit: bool,
    },
    /// `:list`
    List,
    /// `:listvar`
    ListVariables,
    /// `:reset`
    Reset,
    /// `:help`
    Help,
}

/// What a line comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParsedLine {
    /// It belongs to the batch.
    More,
    /// `GO`: the batch is complete.
    Batch {
        /// Its text; may be blank.
        text: String,
        /// How often it runs.
        count: u32,
    },
    /// It is for the shell.
    Command(Command),
    /// It is for the shell, which cannot understand it.
    Wrong(String),
}

/// The batch that is being read.
#[derive(Debug, Default)]
pub struct BatchReader {
    text: String,
    line_count: usize,
    /// In the place of GO.
    terminator: Option<String>,
}

impl BatchReader {
    /// A reader for which `terminator` is GO.
    pub fn ended_by(terminator: Option<String>) -> BatchReader {
        BatchReader { terminator, ..BatchReader::default() }
    }

    /// Takes a line, without its line end.
    pub fn line(&mut self, line: &str) -> ParsedLine {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(line) = self.as_go(line)
            && let Some(step) = self.go(&line)
        {
            return step;
        }
        if let Some(command) = command_of(line)
            && self.is_plain()
        {
            return command.map_or_else(ParsedLine::Wrong, ParsedLine::Command);
        }
        self.text.push_str(line);
        self.text.push('\n');
        self.line_count += 1;
        ParsedLine::More
    }

    /// What was read since the last `GO`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its lines.
    pub fn line_count(&self) -> usize {
        self.line_count
    }

    /// Takes what was read since the last `GO`; empty when there are only blanks.
    pub fn take(&mut self) -> String {
        self.line_count = 0;
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() { String::new() } else { text }
    }

    /// The line, if it may be a `GO` line; one of another word, with GO in its place.
    fn as_go<'a>(&self, line: &'a str) -> Option<Cow<'a, str>> {
        let Some(word) = &self.terminator else { return is_go_candidate(line).then_some(Cow::Borrowed(line)) };
        let rest = line.trim_start();
        let (first, rest) = (rest.get(..word.len())?, &rest[word.len()..]);
        first.eq_ignore_ascii_case(word).then(|| Cow::Owned(format!("GO{rest}")))
    }

    /// `None` when the line is text after all.
    fn go(&mut self, line: &str) -> Option<ParsedLine> {
        let count = self.go_count(line)?;
        let text = self.take();
        Some(match count {
            Ok(count) => ParsedLine::Batch { text, count },
            Err(error) => ParsedLine::Wrong(format!("Incorrect syntax was encountered while parsing {}.", error.text)),
        })
    }

    /// The count of a `GO` line after the text read so far.
    fn go_count(&self, line: &str) -> Option<Result<u32, GoError>> {
        // A batch of blanks is no batch to the splitter; a statement makes it one and changes no quotes.
        let script = format!("{}\n;\n{line}\n", self.text);
        let last = split_script(&script).pop()?;
        last.go_line.map(|_| last.count)
    }

    fn is_plain(&self) -> bool {
        self.text.is_empty() || self.go_count("GO").is_some()
    }
}

fn is_go_candidate(line: &str) -> bool {
    line.trim_start().get(..2).is_some_and(|word| word.eq_ignore_ascii_case("go"))
}

/// `None`: the line does not look like a command.
fn command_of(line: &str) -> Option<Result<Command, String>> {
    let line = line.trim();
    if ["exit", "quit"].iter().any(|word| line.eq_ignore_ascii_case(word)) {
        return Some(Ok(Command::Leave));
    }
    if line.eq_ignore_ascii_case("reset") {
        return Some(Ok(Command::Reset));
    }
    if let Some(command) = system_command(line) {
        return Some(command);
    }
    if let Some(query) = exit_query(line.strip_prefix(':').unwrap_or(line)) {
        return Some(Ok(Command::LeaveWith(query.to_owned())));
    }
    let rest = line.strip_prefix(':')?;
    if let Some(command) = system_command(rest) {
        return Some(command);
    }
    // `::fn_virtualfilestats` at the start of a line is T-SQL.
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some(colon_command(&word.to_ascii_lowercase(), without_comment(argument).trim()))
}

/// `-- …` after a blank ends an argument, but between quotes.
fn without_comment(argument: &str) -> &str {
    let (mut is_quoted, mut before) = (false, ' ');
    for (at, c) in argument.char_indices() {
        if c == '"' {
            is_quoted = !is_quoted;
        } else if c == '-' && !is_quoted && before.is_whitespace() && argument[at..].starts_with("--") {
            return &argument[..at];
        }
        before = c;
    }
    argument
}

/// `!! command`
fn system_command(line: &str) -> Option<Result<Command, String>> {
    let command = line.strip_prefix("!!")?.trim();
    Some(if command.is_empty() { Err("'!!' needs a command".into()) } else { Ok(Command::System(command.to_owned())) })
}

/// What stands between the parentheses of `exit(…)`.
fn exit_query(line: &str) -> Option<&str> {
    let rest = line.get(..4).filter(|word| word.eq_ignore_ascii_case("exit")).map(|_| line[4..].trim())?;
    Some(rest.strip_prefix('(')?.strip_suffix(')')?.trim())
}

fn colon_command(word: &str, argument: &str) -> Result<Command, String> {
    match word {
        "exit" | "quit" => Ok(Command::Leave),
        "reset" => Ok(Command::Reset),
        "list" => Ok(Command::List),
        "listvar" => Ok(Command::ListVariables),
        "help" => Ok(Command::Help),
        "out" | "error" | "connect" if argument.is_empty() => Err(format!("':{word}' needs a name")),
        "out" => Ok(Command::Out(unquoted(argument).into())),
        "error" => Ok(Command::Error(unquoted(argument).into())),
        "connect" => Ok(Command::Connect(argument.into())),
        "xml" => Ok(Command::Xml(argument.eq_ignore_ascii_case("on"))),
        "ed" | "serverlist" | "perftrace" => Err(format!("':{word}' is not supported")),
        "r" if argument.is_empty() => Err("':r' needs a file name".into()),
        "r" => Ok(Command::Read(unquoted(argument).into())),
        "setvar" => set_variable(argument),
        "on" => on_error(argument),
        _ => Err(format!("':{word}' is not a command that is known; :help lists them")),
    }
}

fn set_variable(argument: &str) -> Result<Command, String> {
    let (name, value) =
        argument.split_once(char::is_whitespace).map_or((argument, None), |(name, value)| (name, Some(value.trim())));
    if name.is_empty() {
        return Err("':setvar' needs a name".into());
    }
    let value = value.map(|value| unquoted(value).replace("\"\"", "\""));
    Ok(Command::SetVariable(name.to_owned(), value))
}

fn on_error(argument: &str) -> Result<Command, String> {
    let words: Vec<String> = argument.split_whitespace().map(str::to_ascii_lowercase).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["error", "exit"] => Ok(Command::OnError { exit: true }),
        ["error", "ignore"] => Ok(Command::OnError { exit: false }),
        _ => Err("':on' takes 'error exit' or 'error ignore'".into()),
    }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(script: &str) -> Vec<ParsedLine> {
        let mut reader = BatchReader::default();
        script.lines().map(|line| reader.line(line)).filter(|step| *step != ParsedLine::More).collect()
    }

    fn batch(text: &str, count: u32) -> ParsedLine {
        ParsedLine::Batch { text: text.into(), count }
    }

    #[test]
    fn go_ends_a_batch() {
        assert_eq!(steps("select 1\r\nGO\nselect 2\ngo 3 -- thrice"), [batch("select 1\n", 1), batch("select 2\n", 3)]);
        assert_eq!(steps("go\n \ngo"), [batch("", 1), batch("", 1)]);
        assert_eq!(steps("select '\ngo\n'\ngo"), [batch("select '\ngo\n'\n", 1)]);
        assert_eq!(steps("-- it's\ngo"), [batch("-- it's\n", 1)]);
        assert!(matches!(&steps("select 1\ngo x")[..], [ParsedLine::Wrong(text)] if text.contains("go x")));
    }

    #[test]
    fn commands_are_lines_of_their_own() {
        let command = |line: &str| match &steps(line)[..] {
            [ParsedLine::Command(command)] => command.clone(),
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(command("exit"), Command::Leave);
        assert_eq!(command(" :QUIT "), Command::Leave);
        assert_eq!(command(":r \"a b.sql\""), Command::Read("a b.sql".into()));
        assert_eq!(command(":setvar a \"x \"\"y\"\" z\""), Command::SetVariable("a".into(), Some("x \"y\" z".into())));
        assert_eq!(command(":setvar a"), Command::SetVariable("a".into(), None));
        assert_eq!(command(":On Error Exit"), Command::OnError { exit: true });
        assert_eq!(command(":setvar a 1 -- one"), Command::SetVariable("a".into(), Some("1".into())));
        assert_eq!(command(":setvar a \"1 -- one\" --"), Command::SetVariable("a".into(), Some("1 -- one".into())));
        assert_eq!(command(":r a--b.sql"), Command::Read("a--b.sql".into()));
        assert_eq!(command("!! ls -l"), Command::System("ls -l".into()));
        assert_eq!(command(":!!ls"), Command::System("ls".into()));
        assert_eq!(command(":XML ON"), Command::Xml(true));
        assert_eq!(command(":connect db,99 -U sa"), Command::Connect("db,99 -U sa".into()));
        assert_eq!(command("EXIT(select 1)"), Command::LeaveWith("select 1".into()));
        assert_eq!(command(":exit ( )"), Command::LeaveWith(String::new()));
    }

    #[test]
    fn another_word_may_end_a_batch() {
        let mut reader = BatchReader::ended_by(Some("run".into()));
        assert_eq!(reader.line("select 1"), ParsedLine::More);
        assert_eq!(reader.line("go"), ParsedLine::More);
        assert_eq!(reader.line("running"), ParsedLine::More);
        assert_eq!(reader.line("RUN 2"), batch("select 1\ngo\nrunning\n", 2));
    }

    #[test]
    fn what_looks_like_a_command_may_be_text() {
        assert_eq!(steps("select * from\n::fn_virtualfilestats(2, 1)"), []);
        assert_eq!(steps("/*\n:r nothing\nexit\n*/"), []);
        assert_eq!(steps("select '\nquit\n'"), []);
    }

    #[test]
    fn wrong_commands_are_reported() {
        for line in [":r", ":setvar", ":on", ":on fire", ":out", "!!", ":ed", ":perftrace x", ":serverlist"] {
            assert!(matches!(steps(line)[..], [ParsedLine::Wrong(_)]), "{line}");
        }
    }
}
