//! Runs scripts: lines to batches, batches to the target, and when to stop.
//!
//! What always holds: `Err(Ended)` means that nothing runs any more, for whatever reason; the exit code is settled in
//! one place, [`Shell::finish`].

use std::path::Path;
use std::time::Duration;

use super::files;
use super::interrupt::Interrupts;
use super::printer::Printer;
use super::script::{BatchReader, Command, ParsedLine};
use super::target::Target;
use super::variables::Variables;
use super::watch::Watch;

/// Files that read files that read files.
const READ_DEPTH_MAX: usize = 32;
/// Exit code after Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;

const HELP: &str = "\
GO [n]              runs what stands before it, n times
:setvar name value  sets a variable for $(name); without value: removes it
:listvar            shows the variables
:r FILE             reads a file as if its lines stood here
:list               shows what is not run yet
:reset              forgets what is not run yet
:on error exit      stops at the first error; 'ignore' goes on
exit, quit          leave";

/// When to stop and what to show.
#[derive(Clone, Debug)]
pub struct Policy {
    /// `-b`, `:on error exit`
    pub exit_on_error: bool,
    /// `-V`
    pub severity_level: Option<u8>,
    /// `-e`
    pub echo: bool,
    /// `-t`
    pub timeout: Option<Duration>,
    /// There is a prompt.
    pub interactive: bool,
}

/// Nothing runs any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// `exit`, or a request such as SHUTDOWN.
    Left,
    /// An error of T-SQL, of which `-b` says that it ends the run.
    ByError,
    /// The shell itself cannot go on; it has said why.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

/// A session at work.
pub struct Shell {
    target: Box<dyn Target>,
    printer: Printer,
    variables: Variables,
    policy: Policy,
    reader: BatchReader,
    interrupts: Interrupts,
    read_depth: usize,
    /// Highest severity that counts for the exit code.
    severity: u8,
}

impl Shell {
    /// A shell over a target.
    pub fn new(target: Box<dyn Target>, printer: Printer, variables: Variables, policy: Policy) -> Shell {
        let interrupts = Interrupts::listen(target.canceller());
        Shell {
            target,
            printer,
            variables,
            policy,
            reader: BatchReader::default(),
            interrupts,
            read_depth: 0,
            severity: 0,
        }
    }

    /// Runs a script to its end; what stands after its last `GO` runs too.
    pub fn script(&mut self, text: &str) -> Result<(), Ended> {
        self.lines(text)?;
        let rest = self.reader.take();
        self.batch(&rest, 1)
    }

    /// Takes what was entered at the prompt: a line, or several that were pasted at once.
    pub fn typed(&mut self, text: &str) -> Result<(), Ended> {
        // A line end at the end of what was pasted ends its last line; an empty line is one too.
        text.strip_suffix('\n').unwrap_or(text).split('\n').try_for_each(|line| self.line(line))
    }

    fn line(&mut self, line: &str) -> Result<(), Ended> {
        match self.reader.line(&self.with_count(line)) {
            ParsedLine::More => Ok(()),
            ParsedLine::Batch { text, count } => self.batch(&text, count),
            ParsedLine::Command(command) => self.command(command),
            ParsedLine::Wrong(text) => self.complain(&text),
        }
    }

    /// The number of the line to come in its batch, from 1.
    pub fn line_no(&self) -> usize {
        self.reader.line_count() + 1
    }

    /// Forgets what was read and not run.
    pub fn reset(&mut self) {
        self.reader.take();
    }

    /// The exit code; closes the target.
    pub fn finish(mut self, ended: Result<(), Ended>) -> u8 {
        self.printer.flush();
        let by_severity = match self.policy.severity_level {
            Some(level) if self.severity >= level => self.severity,
            _ => 0,
        };
        match ended {
            Err(Ended::Failed) => 1,
            Err(Ended::Interrupted) => INTERRUPTED,
            _ if self.printer.is_failed() => 1,
            Err(Ended::ByError) if by_severity == 0 => 1,
            _ => by_severity,
        }
    }

    fn lines(&mut self, text: &str) -> Result<(), Ended> {
        text.lines().try_for_each(|line| self.line(line))
    }

    /// `GO $(n)`: the count may be a variable.
    fn with_count(&self, line: &str) -> String {
        let is_go = line.trim_start().get(..3).is_some_and(|word| word.eq_ignore_ascii_case("go "));
        let replaced = if is_go { self.variables.replace(line).ok() } else { None };
        replaced.unwrap_or_else(|| line.to_owned())
    }

    fn command(&mut self, command: Command) -> Result<(), Ended> {
        match command {
            Command::Leave => return Err(Ended::Left),
            Command::Read(name) => return self.read(&name),
            Command::SetVariable(name, value) => self.variables.set(&name, value),
            Command::OnError { exit } => self.policy.exit_on_error = exit,
            Command::List => {
                let text = self.reader.text().trim_end().to_owned();
                self.printer.line(&text);
            }
            Command::ListVariables => {
                for line in self.variables.lines() {
                    self.printer.line(&line);
                }
            }
            Command::Reset => self.reset(),
            Command::Help => self.printer.line(HELP),
        }
        self.printer.flush();
        Ok(())
    }

    fn read(&mut self, name: &str) -> Result<(), Ended> {
        let text = self
            .variables
            .replace(name)
            .map_err(|missing| missing.to_string())
            .and_then(|name| files::read_text(Path::new(&name)));
        let text = match text {
            Ok(text) => text,
            Err(why) => return self.complain(&why),
        };
        if self.read_depth == READ_DEPTH_MAX {
            return self.complain(&format!("':r {name}': {READ_DEPTH_MAX} files are open already"));
        }
        self.read_depth += 1;
        let result = self.lines(&text);
        self.read_depth -= 1;
        result
    }

    fn batch(&mut self, text: &str, count: u32) -> Result<(), Ended> {
        if text.is_empty() {
            return Ok(());
        }
        let text = match self.variables.replace(text) {
            Ok(text) => text,
            Err(missing) => return self.complain(&missing.to_string()),
        };
        if self.policy.echo {
            self.printer.line(text.trim_end());
        }
        (0..count).try_for_each(|_| self.run(&text))
    }

    fn run(&mut self, text: &str) -> Result<(), Ended> {
        self.interrupts.begin();
        let watch = Watch::start(self.policy.timeout, self.target.canceller());
        let result = self.target.run(text, &mut self.printer);
        let timed_out = watch.stop();
        let interrupted = self.interrupts.end();
        self.printer.flush();
        if let Err(error) = result {
            eprintln!("millpond: {error}");
            return Err(Ended::Failed);
        }
        let mut severity = self.printer.take_severity();
        if timed_out {
            eprintln!("millpond: the batch was cancelled: it took longer than -t allows");
            severity = severity.max(11);
        }
        self.severity = self.severity.max(severity);
        if interrupted {
            eprintln!("millpond: the batch was cancelled");
            if !self.policy.interactive {
                return Err(Ended::Interrupted);
            }
        }
        if severity > 10 && self.policy.exit_on_error {
            return Err(Ended::ByError);
        }
        if self.printer.is_failed() || self.target.is_ended() {
            return Err(Ended::Left);
        }
        Ok(())
    }

    /// What the shell cannot do ends a script; at the prompt it is said.
    fn complain(&mut self, text: &str) -> Result<(), Ended> {
        self.printer.flush();
        eprintln!("millpond: {text}");
        if self.policy.interactive { Ok(()) } else { Err(Ended::Failed) }
    }
}
