//! Lines to batches and commands, one line at a time, for files and for the prompt.
//!
//! What always holds: a `GO`, `:command`, `exit` or `quit` inside a string, a delimited name or a comment is text of the
//! batch. Line ends of a batch are `\n`. Knows no variables and runs nothing.

use std::borrow::Cow;

use millpond_tsql::batch::{GoError, split_script};

use super::scan::{Open, scan};
use super::screen::Vertical;

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
    /// `:ed`, `:edit`
    Edit,
    /// `:describe NAME`
    Describe(String),
    /// `:plan STATEMENT`
    Plan(String),
    /// `:plan on|off`
    Plans(bool),
    /// `:timing on|off`
    Timing(bool),
    /// `:vertical on|off|auto`
    Vertical(Vertical),
    /// `:export FILE [STATEMENT]`
    Export {
        /// Name of the file; its end says the format.
        file: String,
        /// Empty: the last result.
        statement: String,
    },
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
    /// `\g` or `\G` at the end of a line: the batch is complete.
    Ended {
        /// Its text; may be blank.
        text: String,
        /// `\G`
        is_vertical: bool,
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
    dialect: Dialect,
}

/// What lines mean beside what sqlcmd knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Nothing.
    Sqlcmd,
    /// Commands of Millpond's own.
    #[default]
    Millpond,
    /// The same, and `\g` and `\G`: at a prompt.
    Prompt,
}

impl BatchReader {
    /// A reader for which `terminator` is GO.
    pub fn ended_by(terminator: Option<String>, dialect: Dialect) -> BatchReader {
        BatchReader { terminator, dialect, ..BatchReader::default() }
    }

    /// Takes a line, without its line end.
    pub fn line(&mut self, line: &str) -> ParsedLine {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(line) = self.as_go(line)
            && let Some(step) = self.go(&line)
        {
            return step;
        }
        if let Some(command) = command_of(line, self.dialect)
            && self.is_plain()
        {
            return command.map_or_else(ParsedLine::Wrong, ParsedLine::Command);
        }
        if let Some(ended) = self.ended(line) {
            return ended;
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

    /// `select 1\G`, where the backslash is no part of a string, a name or a comment.
    fn ended(&mut self, line: &str) -> Option<ParsedLine> {
        let (last, is_vertical) = match line.trim_end().strip_suffix("\\G") {
            Some(last) => (last, true),
            None => (line.trim_end().strip_suffix("\\g")?, false),
        };
        let whole = format!("{}{last}", self.text);
        let (pieces, open) = scan(&whole, Open::Nothing);
        let is_in_comment = pieces.last().is_some_and(|piece| whole[piece.start..].starts_with("--"));
        if self.dialect != Dialect::Prompt || open != Open::Nothing || is_in_comment {
            return None;
        }
        self.text = whole;
        Some(ParsedLine::Ended { text: self.take(), is_vertical })
    }

    fn is_plain(&self) -> bool {
        self.text.is_empty() || self.go_count("GO").is_some()
    }
}

fn is_go_candidate(line: &str) -> bool {
    line.trim_start().get(..2).is_some_and(|word| word.eq_ignore_ascii_case("go"))
}

/// `None`: the line does not look like a command.
fn command_of(line: &str, dialect: Dialect) -> Option<Result<Command, String>> {
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
    let word = word.to_ascii_lowercase();
    if dialect != Dialect::Sqlcmd
        && let Some(command) = own_command(&word, argument.trim())
    {
        return Some(command);
    }
    Some(colon_command(&word, without_comment(argument).trim()))
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

/// Commands that sqlcmd has not.
fn own_command(word: &str, argument: &str) -> Option<Result<Command, String>> {
    let bare = without_comment(argument).trim();
    let switch = || match bare.to_ascii_lowercase().as_str() {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("':{word}' takes 'on' or 'off'")),
    };
    Some(match word {
        "ed" | "edit" => Ok(Command::Edit),
        "describe" | "d" if bare.is_empty() => Err(format!("':{word}' needs a name")),
        "describe" | "d" => Ok(Command::Describe(bare.to_owned())),
        "timing" => switch().map(Command::Timing),
        "plan" => match (switch(), argument.is_empty()) {
            (_, true) => Err("':plan' takes a statement, 'on' or 'off'".into()),
            (Ok(is_on), _) => Ok(Command::Plans(is_on)),
            (Err(_), _) => Ok(Command::Plan(argument.to_owned())),
        },
        "vertical" => match bare.to_ascii_lowercase().as_str() {
            "on" => Ok(Command::Vertical(Vertical::On)),
            "off" => Ok(Command::Vertical(Vertical::Off)),
            "auto" => Ok(Command::Vertical(Vertical::Auto)),
            _ => Err("':vertical' takes 'on', 'off' or 'auto'".into()),
        },
        "export" => export(argument),
        _ => return None,
    })
}

/// `FILE [STATEMENT]`; a name with blanks stands between quotes.
fn export(argument: &str) -> Result<Command, String> {
    let (file, statement) = match argument.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some(parts) => parts,
        None => argument.split_once(char::is_whitespace).unwrap_or((argument, "")),
    };
    if file.is_empty() {
        return Err("':export' needs a file name".into());
    }
    Ok(Command::Export { file: file.to_owned(), statement: statement.trim().to_owned() })
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
    fn own_commands_are_none_of_sqlcmds() {
        for (line, expected) in [
            (":edit", Command::Edit),
            (":ed", Command::Edit),
            (":describe [a b].c -- x", Command::Describe("[a b].c".into())),
            (":plan select 1 -- x", Command::Plan("select 1 -- x".into())),
            (":PLAN on", Command::Plans(true)),
            (":timing OFF", Command::Timing(false)),
            (":vertical auto", Command::Vertical(Vertical::Auto)),
            (":export a.csv", Command::Export { file: "a.csv".into(), statement: String::new() }),
            (":export \"a b.md\" select 1", Command::Export { file: "a b.md".into(), statement: "select 1".into() }),
        ] {
            assert_eq!(steps(line), [ParsedLine::Command(expected)], "{line}");
            let mut sqlcmd = BatchReader::ended_by(None, Dialect::Sqlcmd);
            assert!(matches!(sqlcmd.line(line), ParsedLine::Wrong(_)), "{line}");
        }
    }

    #[test]
    fn a_backslash_ends_a_batch_at_a_prompt() {
        let at_prompt = |lines: &[&str]| {
            let mut reader = BatchReader::ended_by(None, Dialect::Prompt);
            lines.iter().fold(ParsedLine::More, |_, line| reader.line(line))
        };
        let ended = |text: &str, is_vertical| ParsedLine::Ended { text: text.into(), is_vertical };
        assert_eq!(at_prompt(&["select 1\\G "]), ended("select 1", true));
        assert_eq!(at_prompt(&["select 1,", "2 \\g"]), ended("select 1,\n2 ", false));
        assert_eq!(at_prompt(&["\\G"]), ended("", true));
        for text in [&["select 'a\\G"][..], &["-- a\\G"], &["/*", "a\\G"], &["select 1 as [a\\G"]] {
            assert_eq!(at_prompt(text), ParsedLine::More, "{text:?}");
        }
        assert_eq!(BatchReader::default().line("select 1\\G"), ParsedLine::More);
    }

    #[test]
    fn another_word_may_end_a_batch() {
        let mut reader = BatchReader::ended_by(Some("run".into()), Dialect::Sqlcmd);
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
        for line in [
            ":r",
            ":setvar",
            ":on",
            ":on fire",
            ":out",
            "!!",
            ":perftrace x",
            ":serverlist",
            ":describe",
            ":plan",
            ":timing",
            ":timing maybe",
            ":vertical",
            ":export",
        ] {
            assert!(matches!(steps(line)[..], [ParsedLine::Wrong(_)]), "{line}");
        }
    }
}
