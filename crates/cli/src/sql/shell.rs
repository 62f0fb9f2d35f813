//! Runs scripts: lines to batches, batches to the target, and when to stop.
//!
//! What always holds: `Err(Ended)` means that nothing runs any more, for whatever reason; the exit code is settled in
//! one place, [`Shell::finish`].

use std::path::Path;
use std::process::Command as Program;
use std::time::{Duration, Instant};

use millpond_message::sink::Message;

use super::args::SqlArgs;
use super::command::Beside;
use super::files;
use super::interrupt::Interrupts;
use super::output::{self, Encoding};
use super::printer::Printer;
use super::script::{BatchReader, Command, Dialect, ParsedLine};
use super::target::Target;
use super::variables::Variables;
use super::watch::Watch;
use super::{sqlcmd, statistics};

/// Files that read files that read files.
const READ_DEPTH_MAX: usize = 32;
/// Exit code after Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;
/// What `exit(…)` gives back when an error came before its value, when there was no row, and when it was no number.
const NO_VALUE_FOR_AN_ERROR: i32 = -100;
const NO_ROW: i32 = -101;
const NO_NUMBER: i32 = -102;

/// When to stop and what to show.
#[derive(Clone, Debug)]
pub struct Policy {
    /// `-b`, `:on error exit`
    pub exit_on_error: bool,
    /// `-V`
    pub severity_level: Option<u8>,
    /// `-e`
    pub echo: bool,
    /// There is a prompt.
    pub interactive: bool,
    /// What lines may be.
    pub dialect: Dialect,
    /// `-X`: no commands of the machine; whether one ends the run.
    pub disabled: Option<bool>,
    /// `-p`: whether with colons.
    pub statistics: Option<bool>,
    /// What files of `:out` and `:error` are written in.
    pub encoding: Encoding,
    /// `-c`
    pub terminator: Option<String>,
    /// Begins what the shell itself has to say.
    pub program: &'static str,
}

/// Nothing runs any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// `exit`, or a request such as SHUTDOWN.
    Left,
    /// The same, with an exit code.
    With(u8),
    /// An error of T-SQL, of which `-b` says that it ends the run.
    ByError,
    /// The shell itself cannot go on; it has said why.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

/// Where a line stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// File; empty: what was typed, or came on stdin.
    pub file: String,
    /// From 1.
    pub line: usize,
}

/// What connects to another server, or says why not.
pub type Connector = Box<dyn Fn(&SqlArgs) -> Result<Box<dyn Target>, String>>;

/// A session at work.
pub struct Shell {
    // Dropped in this order: the second session before the engine closes.
    pub(super) beside: Option<Beside>,
    pub(super) target: Box<dyn Target>,
    connector: Option<(SqlArgs, Connector)>,
    pub(super) printer: Printer,
    pub(super) variables: Variables,
    pub(super) policy: Policy,
    pub(super) reader: BatchReader,
    /// The last one that ran.
    pub(super) last_batch: String,
    /// Batches are shown as plans and do not run.
    pub(super) shows_plans: bool,
    pub(super) interrupts: Interrupts,
    read_depth: usize,
    /// Highest severity that counts for the exit code.
    severity: u8,
    /// The line that is read, and the one on which the batch began.
    place: Place,
    batch_place: Place,
    /// What ended the run.
    failure: Option<(Place, String)>,
}

impl Shell {
    /// A shell over a target.
    pub fn new(target: Box<dyn Target>, printer: Printer, variables: Variables, policy: Policy) -> Shell {
        let interrupts = Interrupts::listen(target.canceller());
        Shell::with(target, printer, variables, policy, interrupts)
    }

    /// A shell of a process that has others for its signals.
    pub fn without_signals(target: Box<dyn Target>, printer: Printer, variables: Variables, policy: Policy) -> Shell {
        let interrupts = Interrupts::none(target.canceller());
        Shell::with(target, printer, variables, policy, interrupts)
    }

    fn with(
        target: Box<dyn Target>,
        printer: Printer,
        variables: Variables,
        policy: Policy,
        interrupts: Interrupts,
    ) -> Shell {
        Shell {
            beside: None,
            target,
            connector: None,
            printer,
            variables,
            reader: BatchReader::ended_by(policy.terminator.clone(), policy.dialect),
            last_batch: String::new(),
            shows_plans: false,
            policy,
            interrupts,
            read_depth: 0,
            severity: 0,
            place: Place::default(),
            batch_place: Place::default(),
            failure: None,
        }
    }

    /// Whoever waits at a terminal sees how far a statement is, and a second session is asked for it.
    pub fn observe(&mut self) {
        self.beside = None;
        self.beside = Beside::of(self.target.as_mut());
    }

    /// `:connect` goes by this.
    pub fn connect_by(&mut self, args: SqlArgs, connector: Connector) {
        self.connector = Some((args, connector));
    }

    /// Runs a script to its end; what stands after its last `GO` runs too.
    pub fn script(&mut self, text: &str) -> Result<(), Ended> {
        self.lines(text)?;
        let rest = self.reader.take();
        self.batch(&rest, 1)
    }

    /// The same of a file, whose name errors have.
    pub fn file(&mut self, name: &Path, text: &str) -> Result<(), Ended> {
        self.place = Place { file: name.display().to_string(), line: 0 };
        self.script(text)
    }

    /// Takes what was entered at the prompt: a line, or several that were pasted at once.
    pub fn typed(&mut self, text: &str) -> Result<(), Ended> {
        // A line end at the end of what was pasted ends its last line; an empty line is one too.
        text.strip_suffix('\n').unwrap_or(text).split('\n').try_for_each(|line| self.line(line))
    }

    fn line(&mut self, line: &str) -> Result<(), Ended> {
        self.place.line += 1;
        if self.reader.text().is_empty() {
            self.batch_place.clone_from(&self.place);
        }
        match self.reader.line(&self.with_count(line)) {
            ParsedLine::More => Ok(()),
            ParsedLine::Batch { text, count } => self.batch(&text, count),
            ParsedLine::Ended { text, is_vertical } => {
                if let Some(screen) = self.printer.screen() {
                    screen.is_vertical_once = is_vertical;
                }
                self.batch(&text, 1)
            }
            ParsedLine::Command(command) => self.command(command),
            ParsedLine::Wrong(text) if self.policy.program == sqlcmd::PROGRAM => {
                let word = line.split_whitespace().next().unwrap_or_default().to_uppercase();
                self.complain(&format!("Syntax error at line {} near command '{word}'. {text}", self.place.line))
            }
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

    /// Where the run ended by an error, and which.
    pub fn failure(&self) -> Option<&(Place, String)> {
        self.failure.as_ref()
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
            Err(Ended::With(code)) => code,
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
            Command::LeaveWith(query) => return self.leave_with(&query),
            Command::Read(name) => return self.read(&name),
            Command::SetVariable(name, value) => {
                if let Err(why) = self.variables.set(&name, value) {
                    return self.complain(&why);
                }
                super::apply(&self.variables, self.printer.format());
            }
            Command::OnError { exit } => self.policy.exit_on_error = exit,
            Command::Out(name) => match self.opened(&name) {
                Ok(out) => self.printer.write_to(out, name.eq_ignore_ascii_case("stdout")),
                Err(why) => return self.complain(&why),
            },
            Command::Error(name) => match self.opened(&name) {
                Ok(out) => self.printer.write_errors_to(out),
                Err(why) => return self.complain(&why),
            },
            Command::Connect(words) => return self.connect(&words),
            Command::System(text) => return self.system(&text),
            Command::Xml(is_on) => self.printer.format().xml = is_on,
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
            Command::Help => self.help(),
            Command::Edit => return self.edit(),
            Command::Describe(name) => return self.describe(&name),
            Command::Plan(statement) => return self.plan(&statement),
            Command::Plans(is_on) => return self.plans(is_on),
            Command::Timing(is_on) => return self.screen_option(|screen| screen.timing = is_on),
            Command::Vertical(how) => return self.screen_option(|screen| screen.vertical = how),
            Command::Export { file, statement } => return self.export(&file, &statement),
        }
        self.printer.flush();
        Ok(())
    }

    fn opened(&self, name: &str) -> Result<Box<dyn std::io::Write>, String> {
        let name = self.variables.replace(name).map_err(|missing| missing.to_string())?;
        output::open(&name, self.policy.encoding)
    }

    /// What was read and the query are one batch; the first column of the last row is the exit code.
    fn leave_with(&mut self, query: &str) -> Result<(), Ended> {
        let text = format!("{}{query}", self.reader.take());
        self.printer.take_last_value();
        self.printer.take_first_error();
        match self.batch(&text, 1) {
            Ok(()) | Err(Ended::ByError) => {}
            other => return other.and(Err(Ended::Left)),
        }
        if query.is_empty() {
            return Err(Ended::Left);
        }
        let number = match (self.printer.take_last_value(), self.failure.is_some()) {
            (_, true) => NO_VALUE_FOR_AN_ERROR,
            (None, false) => NO_ROW,
            (Some(text), false) => text.trim().parse().unwrap_or(NO_NUMBER),
        };
        Err(Ended::With(low_byte(number)))
    }

    fn connect(&mut self, words: &str) -> Result<(), Ended> {
        let words = match self.variables.replace(words) {
            Ok(words) => words,
            Err(missing) => return self.complain(&missing.to_string()),
        };
        let Some((args, connector)) = &self.connector else {
            return self.complain("':connect' needs a server to begin with: start with -S");
        };
        let mut given = vec!["sqlcmd".to_owned(), "-S".to_owned()];
        given.extend(words.split_whitespace().map(|word| word.trim_matches('"').to_owned()));
        let connected = sqlcmd::parsed(given).and_then(|other| {
            let args = args.clone().connected_as(&other);
            Ok((connector(&args)?, args))
        });
        match connected {
            Ok((target, args)) => {
                self.interrupts.cancel_by(target.canceller());
                let is_observed = self.beside.take().is_some();
                self.target = target;
                self.shows_plans = false;
                if is_observed {
                    self.observe();
                }
                self.variables.put("SQLCMDSERVER", args.server.clone().unwrap_or_default());
                if let Some((kept, _)) = &mut self.connector {
                    *kept = args;
                }
                Ok(())
            }
            // As sqlcmd, the script ends: its statements are for another server.
            Err(why) => self.complain(&why),
        }
    }

    fn system(&mut self, text: &str) -> Result<(), Ended> {
        if let Some(disabled) = self.disabled() {
            return disabled;
        }
        let text = match self.variables.replace(text) {
            Ok(text) => text,
            Err(missing) => return self.complain(&missing.to_string()),
        };
        self.printer.flush();
        match Program::new("/bin/sh").arg("-c").arg(&text).status() {
            // Its exit code means nothing to sqlcmd.
            Ok(_) => Ok(()),
            Err(error) => self.complain(&format!("'!! {text}': {error}")),
        }
    }

    /// `-X`: what a command of this machine comes to.
    pub(super) fn disabled(&mut self) -> Option<Result<(), Ended>> {
        let ends = self.policy.disabled?;
        self.printer.flush();
        eprintln!(
            "{}: ED and !!<command> commands, startup script, and environment variables are disabled",
            self.policy.program
        );
        Some(if ends { Err(Ended::Failed) } else { Ok(()) })
    }

    fn read(&mut self, name: &str) -> Result<(), Ended> {
        let name = self.variables.replace(name).map_err(|missing| missing.to_string());
        let text = name.and_then(|name| Ok((files::read_text(Path::new(&name))?, name)));
        let (text, name) = match text {
            Ok(text) => text,
            Err(why) => return self.complain(&why),
        };
        if self.read_depth == READ_DEPTH_MAX {
            return self.complain(&format!("':r {name}': {READ_DEPTH_MAX} files are open already"));
        }
        self.read_depth += 1;
        let outer = std::mem::replace(&mut self.place, Place { file: name, line: 0 });
        let result = self.lines(&text);
        self.place = outer;
        self.read_depth -= 1;
        result
    }

    fn batch(&mut self, text: &str, count: u32) -> Result<(), Ended> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let text = match self.variables.replace(text) {
            Ok(text) => text,
            Err(missing) => return self.complain(&missing.to_string()),
        };
        if self.policy.echo {
            self.printer.line(text.trim_end());
        }
        self.last_batch.clone_from(&text);
        (0..count).try_for_each(|_| self.run(&text))
    }

    pub(super) fn run(&mut self, text: &str) -> Result<(), Ended> {
        self.interrupts.begin();
        let limit = u64::try_from(self.variables.number("SQLCMDSTATTIMEOUT")).ok().and_then(super::seconds);
        let watch = Watch::start(limit, self.target.canceller());
        let begun = Instant::now();
        self.printer.begin(text, self.beside.as_ref().map(Beside::status));
        let result = self.target.run(text, &mut self.printer);
        self.printer.end();
        let took = begun.elapsed();
        let timed_out = watch.stop();
        let interrupted = self.interrupts.end();
        self.printer.flush();
        if let Err(error) = result {
            eprintln!("{}: {error}", self.policy.program);
            return Err(Ended::Failed);
        }
        self.show_statistics(took);
        let mut severity = self.printer.take_severity();
        if timed_out {
            match self.policy.program {
                sqlcmd::PROGRAM => eprintln!("Timeout expired"),
                program => eprintln!("{program}: the batch was cancelled: it took longer than -t allows"),
            }
            severity = severity.max(11);
        }
        self.severity = self.severity.max(severity);
        let first = self.printer.take_first_error();
        if let Some(number) = self.printer.quits_with() {
            return Err(Ended::With(low_byte(number)));
        }
        if interrupted {
            eprintln!("{}: the batch was cancelled", self.policy.program);
            if !self.policy.interactive {
                return Err(Ended::Interrupted);
            }
        }
        let counts = self.policy.severity_level.is_none_or(|level| severity >= level);
        if severity > 10 {
            self.failure = first.map(|message| self.located(&message));
        }
        if severity > 10 && counts && self.policy.exit_on_error {
            return Err(Ended::ByError);
        }
        if self.printer.is_failed() || self.target.is_ended() {
            return Err(Ended::Left);
        }
        Ok(())
    }

    fn show_statistics(&mut self, took: Duration) {
        if let Some(with_colons) = self.policy.statistics {
            let packet_bytes = self.variables.number("SQLCMDPACKETSIZE");
            self.printer.line(&statistics::of_batch(packet_bytes, took, with_colons));
        }
    }

    /// The place in its file of a message, whose line is one of the batch, or of a procedure.
    fn located(&self, message: &Message) -> (Place, String) {
        let Message { number, severity, state, line, procedure, text } = message;
        let inside = if procedure.is_empty() { usize::try_from(*line).unwrap_or(1).saturating_sub(1) } else { 0 };
        let place = Place { file: self.batch_place.file.clone(), line: self.batch_place.line + inside };
        let of = if procedure.is_empty() { String::new() } else { format!(", Procedure {procedure}, Line {line}") };
        (place, format!("Msg {number}, Level {severity}, State {state}{of}: {text}"))
    }

    /// What the shell cannot do ends a script; at the prompt it is said.
    pub(super) fn complain(&mut self, text: &str) -> Result<(), Ended> {
        self.printer.flush();
        match self.policy.program {
            sqlcmd::PROGRAM => eprintln!("{}: Error: {text}", sqlcmd::PROGRAM),
            program => eprintln!("{program}: {text}"),
        }
        if self.policy.interactive {
            return Ok(());
        }
        self.failure = Some((self.place.clone(), text.to_owned()));
        Err(Ended::Failed)
    }
}

/// What a process can give back of a number.
fn low_byte(number: i32) -> u8 {
    number.to_le_bytes()[0]
}
