//! What a batch says, as sqlcmd prints it.
//!
//! ```text
//!  name        n            heading, unless -h -1
//!  ----------- -----------
//!  a                     1  rows: texts left, numbers right
//!
//!  (1 rows affected)        unless NOCOUNT
//! ```
//!
//! A person at a terminal sees the same by a [`Screen`], which decides how it looks there.
//!
//! What always holds: when the reader of the output is gone, nothing is written any more and statements stop.

use std::io::{self, Write};

use millpond_message::sink::{Column, Message, SinkClosed};
use millpond_types::Value;
use millpond_types::format::to_display;

use super::column::{Heading, TextLimits};
use super::profile::ProfileTable;
use super::screen::Screen;
use super::screen::status::Status;
use super::target::Listener;

/// Which messages go to stderr: `-r`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToStderr {
    /// None.
    Nothing,
    /// Severity above 10.
    Errors,
    /// All messages.
    Messages,
}

/// How results look.
#[derive(Clone, Debug)]
pub struct Format {
    /// Headings again after so many rows; 0 = once, -1 = never.
    pub headings: i64,
    /// Without filling blanks.
    pub trim: bool,
    /// Between columns.
    pub separator: String,
    /// Characters of a line; 0 = no bound.
    pub width: usize,
    /// Characters of texts.
    pub limits: TextLimits,
    /// Least severity of errors shown; -1 = headers for all messages.
    pub error_level: i32,
    /// Messages to stderr.
    pub to_stderr: ToStderr,
    /// What control characters in texts become.
    pub controls: Controls,
    /// First columns alone, one after the other, as a document in pieces comes.
    pub xml: bool,
}

/// `-k`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controls {
    /// As they are.
    Kept,
    /// A blank each.
    Blanks,
    /// A blank for several beside each other.
    OneBlank,
}

/// Writes results and messages.
pub struct Printer {
    format: Format,
    out: Box<dyn Write>,
    headings: Vec<Heading>,
    /// A profile of SET STATISTICS PROFILE, which is a table of its own.
    profile: Option<ProfileTable>,
    row_count: i64,
    /// Highest severity since it was last asked for.
    severity: u8,
    /// The first error since it was last asked for.
    first_error: Option<Message>,
    /// Number of a message of state 127.
    quits_with: Option<i32>,
    /// First column of the last row of a batch.
    last_value: Option<String>,
    /// Of `:error`.
    errors: Option<Box<dyn Write>>,
    failed: bool,
    program: &'static str,
    /// How results look on a terminal.
    screen: Option<Screen>,
    /// The line of the batch that runs there.
    status: Option<Status>,
    /// Results go elsewhere now: `:out`.
    is_redirected: bool,
}

/// A message of this state ends the run.
const STATE_QUITS: u8 = 127;

impl Printer {
    /// A printer to `out`.
    pub fn new(format: Format, out: Box<dyn Write>, program: &'static str) -> Printer {
        Printer {
            format,
            out,
            headings: Vec::new(),
            profile: None,
            row_count: 0,
            severity: 0,
            first_error: None,
            quits_with: None,
            last_value: None,
            errors: None,
            failed: false,
            program,
            screen: None,
            status: None,
            is_redirected: false,
        }
    }

    /// Results go to a terminal, and look as there.
    pub fn on_screen(mut self, screen: Option<Screen>) -> Printer {
        self.screen = screen;
        self
    }

    /// The screen, where there is one.
    pub fn screen(&mut self) -> Option<&mut Screen> {
        self.screen.as_mut()
    }

    /// The screen, where results go there.
    fn shown(&mut self) -> Option<&mut Screen> {
        let is_plain = self.is_redirected || self.format.xml;
        self.screen.as_mut().filter(|_| !is_plain)
    }

    /// A batch begins, with a line of its own on the terminal.
    pub fn begin(&mut self, batch: &str, status: Option<Status>) {
        self.status = status;
        if let Some(screen) = &mut self.screen {
            screen.begin(batch);
        }
    }

    /// The batch has ended.
    pub fn end(&mut self) {
        if let Some(status) = self.status.take() {
            status.end();
        }
        if let Some(screen) = self.shown() {
            let text = screen.end();
            let _ = self.write(&text);
        } else if let Some(screen) = &mut self.screen {
            screen.is_vertical_once = false;
        }
    }

    /// How results look from here on.
    pub fn format(&mut self) -> &mut Format {
        &mut self.format
    }

    /// Results go there from here on.
    pub fn write_to(&mut self, out: Box<dyn Write>, is_stdout: bool) {
        self.flush();
        self.is_redirected = !is_stdout;
        self.out = out;
    }

    /// Errors go there from here on.
    pub fn write_errors_to(&mut self, out: Box<dyn Write>) {
        self.flush();
        self.errors = Some(out);
    }

    /// The first error since the last call.
    pub fn take_first_error(&mut self) -> Option<Message> {
        self.first_error.take()
    }

    /// The number of a message whose state ends the run.
    pub fn quits_with(&self) -> Option<i32> {
        self.quits_with
    }

    /// The first column of the last row since the last call.
    pub fn take_last_value(&mut self) -> Option<String> {
        self.last_value.take()
    }

    /// The highest severity since the last call.
    pub fn take_severity(&mut self) -> u8 {
        std::mem::take(&mut self.severity)
    }

    /// The reader of the output is gone, or the disk is full.
    pub fn is_failed(&self) -> bool {
        self.failed
    }

    /// Writes a line of the shell itself.
    pub fn line(&mut self, text: &str) {
        let _ = self.write(&format!("{text}\n"));
    }

    /// Hands over what is gathered.
    pub fn flush(&mut self) {
        let flushed = self.out.flush();
        self.note(flushed);
        if let Some(errors) = &mut self.errors {
            // Where standard error cannot be written, the exit code is all that reports the error.
            let _ = errors.flush();
        }
    }

    fn write(&mut self, text: &str) -> Result<(), SinkClosed> {
        if self.failed {
            return Err(SinkClosed);
        }
        if text.is_empty() {
            return Ok(());
        }
        if let Some(status) = &self.status {
            status.hide();
        }
        let written = self.out.write_all(text.as_bytes());
        self.note(written);
        if self.failed { Err(SinkClosed) } else { Ok(()) }
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result
            && !self.failed
        {
            self.failed = true;
            if error.kind() != io::ErrorKind::BrokenPipe {
                eprintln!("{}: cannot write the output: {error}", self.program);
            }
        }
    }

    fn write_line(&mut self, line: &str) -> Result<(), SinkClosed> {
        let mut text = wrapped(line, self.format.width);
        text.push('\n');
        self.write(&text)
    }

    fn write_headings(&mut self) -> Result<(), SinkClosed> {
        let names =
            self.joined(
                |heading, trim| {
                    if trim { heading.name.clone() } else { format!("{:<1$}", heading.name, heading.fill()) }
                },
            );
        let dashes = self.joined(|heading, trim| {
            let count = if trim { heading.name.chars().count().max(1) } else { heading.fill() };
            "-".repeat(count)
        });
        self.write_line(&names)?;
        self.write_line(&dashes)
    }

    fn joined(&self, cell: impl Fn(&Heading, bool) -> String) -> String {
        let cells: Vec<String> = self.headings.iter().map(|heading| cell(heading, self.format.trim)).collect();
        cells.join(&self.format.separator)
    }

    fn show(&mut self, text: &str, is_error: bool) {
        let text = format!("{}\n", wrapped(text, self.format.width));
        if let Some(errors) = self.errors.as_mut().filter(|_| is_error) {
            let _ = errors.write_all(text.as_bytes());
            return;
        }
        let to_stderr = match self.format.to_stderr {
            ToStderr::Nothing => false,
            ToStderr::Errors => is_error,
            ToStderr::Messages => true,
        };
        if to_stderr {
            // What stands before it on stdout is to be read before it.
            self.flush();
            eprint!("{text}");
        } else {
            let _ = self.write(&text);
        }
    }
}

impl Listener for Printer {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.profile = ProfileTable::of(columns);
        if self.profile.is_some() {
            let before = self.shown().map(|screen| screen.columns(&[]));
            return self.write(&before.unwrap_or_default());
        }
        let limits = self.format.limits;
        self.headings = columns.iter().map(|column| Heading::new(column, limits)).collect();
        self.row_count = 0;
        if let Some(screen) = self.shown() {
            let text = screen.columns(columns);
            return self.write(&text);
        }
        if self.format.headings < 0 || self.headings.is_empty() || self.format.xml || self.format.limits.max_types == 0
        {
            return Ok(());
        }
        self.write_headings()
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        if let Some(profile) = &mut self.profile {
            profile.add(values);
            return Ok(());
        }
        if let Some(status) = &self.status {
            status.count();
        }
        if let (Some(value), Some(heading)) = (values.first(), self.headings.first()) {
            let text = to_display(value, &heading.sql_type);
            if self.format.xml {
                self.write(&text)?;
            }
            self.last_value = Some(text);
        }
        if let Some(screen) = self.shown() {
            let text = screen.row(values);
            return self.write(&text);
        }
        if self.format.xml {
            return Ok(());
        }
        let again = if self.format.limits.max_types == 0 { 0 } else { self.format.headings };
        if again > 0 && self.row_count > 0 && self.row_count % again == 0 {
            self.write("\n")?;
            self.write_headings()?;
        }
        self.row_count += 1;
        let mut line = String::new();
        for (index, (value, heading)) in values.iter().zip(&self.headings).enumerate() {
            if index > 0 {
                line.push_str(&self.format.separator);
            }
            push_cell(&mut line, value, heading, &self.format);
        }
        self.write_line(&line)
    }

    fn message(&mut self, message: &Message, server: &str) {
        let is_error = message.severity > 10;
        if message.state == STATE_QUITS {
            self.quits_with = self.quits_with.or(Some(message.number));
        }
        if is_error {
            self.severity = self.severity.max(message.severity);
            self.first_error.get_or_insert_with(|| message.clone());
            if i32::from(message.severity) < self.format.error_level {
                return;
            }
        }
        let goes_elsewhere = self.format.to_stderr != ToStderr::Nothing || is_error && self.errors.is_some();
        if let Some(screen) = self.shown().filter(|_| !goes_elsewhere) {
            let text = screen.message(message);
            let _ = self.write(&text);
            return;
        }
        if is_error || self.format.error_level < 0 {
            self.show(&format!("{}\n{}", header(message, server), message.text), is_error);
        } else if !self.format.xml {
            self.show(&message.text, false);
        }
    }

    fn done(&mut self, row_count: Option<u64>) {
        if let Some(profile) = self.profile.take() {
            let lines = profile.lines();
            let _ = self.write("\n").and_then(|()| lines.iter().try_for_each(|line| self.write_line(line)));
            return;
        }
        if let Some(screen) = self.shown() {
            let text = screen.done(row_count);
            let _ = self.write(&text);
            return;
        }
        if self.format.xml {
            if row_count.is_some() {
                let _ = self.write("\n");
            }
            return;
        }
        if let Some(rows) = row_count {
            let _ = self.write(&format!("\n({rows} rows affected)\n"));
        }
    }
}

/// `Msg 208, Level 16, State 1, Server X, Line 1`
fn header(message: &Message, server: &str) -> String {
    let Message { number, severity, state, line, procedure, .. } = message;
    let place = if procedure.is_empty() { String::new() } else { format!(" Procedure {procedure},") };
    format!("Msg {number}, Level {severity}, State {state}, Server {server},{place} Line {line}")
}

/// A value in its column: cut at the column's width, but for NULL, which is no text that could be mistaken.
fn push_cell(line: &mut String, value: &Value, heading: &Heading, format: &Format) {
    let text = without_controls(to_display(value, &heading.sql_type), format.controls);
    let shown = match text.char_indices().nth(heading.width) {
        Some((end, _)) if !value.is_null() => &text[..end],
        _ => &text,
    };
    if format.trim {
        line.push_str(shown.trim_end());
        return;
    }
    if format.limits.max_types == 0 && heading.is_large {
        line.push_str(shown);
        return;
    }
    let blanks = heading.fill().saturating_sub(shown.chars().count());
    if heading.right {
        line.extend(std::iter::repeat_n(' ', blanks));
        line.push_str(shown);
    } else {
        line.push_str(shown);
        line.extend(std::iter::repeat_n(' ', blanks));
    }
}

fn without_controls(text: String, controls: Controls) -> String {
    if controls == Controls::Kept || !text.contains(|c: char| c.is_ascii_control()) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut was_control = false;
    for c in text.chars() {
        let is_control = c.is_ascii_control();
        if !is_control {
            out.push(c);
        } else if controls == Controls::Blanks || !was_control {
            out.push(' ');
        }
        was_control = is_control;
    }
    out
}

/// The text with a line end after every `width` characters of a line.
fn wrapped(text: &str, width: usize) -> String {
    if width == 0 || text.chars().count() <= width {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + text.len() / width);
    let mut column = 0;
    for c in text.chars() {
        if c == '\n' {
            column = 0;
        } else {
            if column == width {
                out.push('\n');
                column = 0;
            }
            column += 1;
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_the_width() {
        assert_eq!(wrapped("abcdef", 0), "abcdef");
        assert_eq!(wrapped("abcdef", 6), "abcdef");
        assert_eq!(wrapped("abcdefg", 3), "abc\ndef\ng");
        assert_eq!(wrapped("abc\ndefg", 3), "abc\ndef\ng");
        assert_eq!(wrapped("äöüß", 2), "äö\nüß");
    }

    #[test]
    fn control_characters_become_blanks() {
        let of = |controls| without_controls("a\t\nb\u{7f}".into(), controls);
        assert_eq!(of(Controls::Kept), "a\t\nb\u{7f}");
        assert_eq!(of(Controls::Blanks), "a  b ");
        assert_eq!(of(Controls::OneBlank), "a b ");
    }

    #[test]
    fn a_header_names_the_procedure() {
        let mut message =
            Message { number: 208, severity: 16, state: 1, line: 3, procedure: String::new(), text: String::new() };
        assert_eq!(header(&message, "X"), "Msg 208, Level 16, State 1, Server X, Line 3");
        message.procedure = "p".into();
        assert_eq!(header(&message, "X"), "Msg 208, Level 16, State 1, Server X, Procedure p, Line 3");
    }
}
