//! `millpond sql`: batches from the command line, files, stdin or a prompt, to the engine in this process or a server.
//!
//! ```text
//!  args ─▶ Target (embedded | remote) ─┐
//!  lines ─▶ script ─▶ shell ─▶ variables ┴▶ run ─▶ printer ─▶ stdout, stderr
//!  prompt ─┘            └▶ command                 └▶ screen, on a terminal
//! ```

mod address;
mod args;
mod column;
mod command;
mod embedded;
mod files;
mod gathered;
mod inside;
mod interrupt;
mod login;
mod observer;
mod output;
mod printer;
mod profile;
mod prompt;
mod remote;
mod roots;
mod scan;
mod screen;
mod script;
mod secret;
mod shell;
pub mod sqlcmd;
mod statistics;
mod target;
mod variables;
mod watch;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

pub use args::SqlArgs;
pub use embedded::Embedded;
pub use files::{decode, read_text};
pub use inside::run_inside;
pub use login::Login;
pub use remote::Remote;
pub use screen::terminal::columns as terminal_width;
pub use target::{Listener, Target};

use column::TextLimits;
use output::Encoding;
use printer::{Controls, Format, Printer, ToStderr};
use screen::{Screen, terminal};
use script::Dialect;
use shell::{Ended, Policy, Shell};
use variables::Variables;

/// While scripts of a container's first start run: the address of the server that they are for.
pub const INITIALIZATION: &str = "MILLPOND_INITIALIZATION";
/// Begins what `millpond sql` itself has to say.
const PROGRAM: &str = "millpond";

/// Runs the command; what cannot begin is reported in one line.
pub fn run(args: &SqlArgs) -> ExitCode {
    run_as(args, PROGRAM)
}

fn run_as(args: &SqlArgs, program: &'static str) -> ExitCode {
    match start(args, program) {
        Ok(code) => ExitCode::from(code),
        Err(text) => {
            eprintln!("{program}: {text}");
            ExitCode::FAILURE
        }
    }
}

fn start(args: &SqlArgs, program: &'static str) -> Result<u8, String> {
    args.check()?;
    let is_alone = args.disabled_commands.is_some();
    let variables = Variables::of_options(&args.variables, &own_variables(args), args.no_substitution, is_alone)?;
    // Files are read before anything runs: a wrong name must not leave half of the work done.
    let scripts = args.input.iter().map(|path| files::read_text(path)).collect::<Result<Vec<String>, String>>()?;
    let interactive = is_interactive(args);
    let screen = screen_of(args, program);
    let is_on_screen = screen.is_some();
    let printer = Printer::new(format_of(args, &variables), output(args)?, program).on_screen(screen);
    let target = connect(args, &variables)?;
    if args.only_new_password.is_some() {
        return Ok(0);
    }
    let policy = Policy {
        exit_on_error: args.exit_on_error,
        severity_level: args.severity_level,
        echo: args.echo,
        interactive,
        dialect: match (program == PROGRAM, interactive && is_on_screen) {
            (false, _) => Dialect::Sqlcmd,
            (true, false) => Dialect::Millpond,
            (true, true) => Dialect::Prompt,
        },
        disabled: args.disabled_commands.map(|level| level > 0),
        statistics: args.statistics.map(|how| how > 0),
        encoding: encoding(args),
        terminator: args.terminator.clone(),
        program,
    };
    let first_file = variables.text("SQLCMDINI").to_owned();
    let mut shell = Shell::new(target, printer, variables.clone(), policy);
    if args.server.is_some() {
        let again = variables;
        shell.connect_by(args.clone(), Box::new(move |args| connect(args, &again)));
    }
    if is_on_screen {
        shell.observe();
    }
    let mut ended = Ok(());
    if !is_alone && !first_file.is_empty() {
        let text = files::read_text(Path::new(&first_file))?;
        ended = shell.file(Path::new(&first_file), &text);
    }
    let ended = ended.and_then(|()| everything(args, &mut shell, &scripts, interactive));
    Ok(shell.finish(ended))
}

fn everything(args: &SqlArgs, shell: &mut Shell, scripts: &[String], interactive: bool) -> Result<(), Ended> {
    if let Some(text) = &args.query {
        return shell.script(text);
    }
    if !scripts.is_empty() {
        return args.input.iter().zip(scripts).try_for_each(|(path, text)| shell.file(path, text));
    }
    shell.script(args.first_query.as_deref().unwrap_or_default())?;
    if interactive {
        return prompt::run(shell, args);
    }
    match files::read_stdin() {
        Ok(text) => shell.script(&text),
        Err(why) => {
            eprintln!("{PROGRAM}: {why}");
            Err(Ended::Failed)
        }
    }
}

/// Results are for a person: on a terminal, where nothing says how they are to look.
fn screen_of(args: &SqlArgs, program: &str) -> Option<Screen> {
    let is_for_a_person = program == PROGRAM && terminal::is_there() && !args.has_layout();
    is_for_a_person.then(|| Screen::new(terminal::takes_colors(args.no_color)))
}

fn is_interactive(args: &SqlArgs) -> bool {
    args.query.is_none() && args.input.is_empty() && io::stdin().is_terminal()
}

fn connect(args: &SqlArgs, variables: &Variables) -> Result<Box<dyn Target>, String> {
    let database = Some(variables.text("SQLCMDDBNAME")).filter(|name| !name.is_empty());
    let limit = u64::try_from(variables.number("SQLCMDLOGINTIMEOUT")).ok().and_then(seconds);
    let connected: Result<Box<dyn Target>, target::TargetError> = match &args.server {
        None => Embedded::open(args.data.as_deref(), args.database.as_deref()).map(|target| Box::new(target) as _),
        Some(server) => {
            let args = SqlArgs { database: args.database.clone().or(database.map(str::to_owned)), ..args.clone() };
            Remote::connect(server, &args, limit).map(|target| Box::new(target) as _)
        }
    };
    connected.map_err(|error| error.to_string())
}

/// What options say of sqlcmd's own variables.
fn own_variables(args: &SqlArgs) -> Vec<(&'static str, Option<String>)> {
    let text = |number: Option<usize>| number.map(|number| number.to_string());
    vec![
        ("SQLCMDUSER", args.login.clone()),
        ("SQLCMDSERVER", args.server.clone()),
        ("SQLCMDWORKSTATION", Some(args.workstation.clone().unwrap_or_else(remote::this_machine))),
        ("SQLCMDDBNAME", args.database.clone()),
        ("SQLCMDLOGINTIMEOUT", args.login_timeout_s.map(|seconds| seconds.to_string())),
        ("SQLCMDSTATTIMEOUT", args.query_timeout_s.map(|seconds| seconds.to_string())),
        ("SQLCMDHEADERS", args.headings.map(|rows| rows.to_string())),
        ("SQLCMDCOLSEP", args.separator.clone()),
        ("SQLCMDCOLWIDTH", text(args.width)),
        ("SQLCMDPACKETSIZE", args.packet_bytes.map(|bytes| bytes.to_string())),
        ("SQLCMDERRORLEVEL", args.error_level.map(|level| level.to_string())),
        ("SQLCMDMAXVARTYPEWIDTH", text(args.max_type_width)),
        ("SQLCMDMAXFIXEDTYPEWIDTH", text(args.text_width)),
    ]
}

fn format_of(args: &SqlArgs, variables: &Variables) -> Format {
    let mut format = Format {
        headings: 0,
        trim: args.trim,
        separator: String::new(),
        width: 0,
        limits: TextLimits { max_types: 0, others: 0 },
        error_level: 0,
        to_stderr: match args.to_stderr {
            None => ToStderr::Nothing,
            Some(0) => ToStderr::Errors,
            Some(_) => ToStderr::Messages,
        },
        controls: match args.control_characters {
            None => Controls::Kept,
            Some(1) => Controls::Blanks,
            Some(_) => Controls::OneBlank,
        },
        xml: false,
    };
    apply(variables, &mut format);
    format
}

/// How results look by sqlcmd's own variables.
fn apply(variables: &Variables, format: &mut Format) {
    let size = |name| usize::try_from(variables.number(name)).unwrap_or(0);
    format.headings = variables.number("SQLCMDHEADERS");
    format.separator = variables.text("SQLCMDCOLSEP").to_owned();
    format.width = size("SQLCMDCOLWIDTH");
    format.limits = TextLimits { max_types: size("SQLCMDMAXVARTYPEWIDTH"), others: size("SQLCMDMAXFIXEDTYPEWIDTH") };
    format.error_level = i32::try_from(variables.number("SQLCMDERRORLEVEL")).unwrap_or(0);
}

fn encoding(args: &SqlArgs) -> Encoding {
    if args.unicode_output { Encoding::Utf16 } else { Encoding::Utf8 }
}

fn output(args: &SqlArgs) -> Result<Box<dyn Write>, String> {
    match &args.output {
        // Who watches sees each line when it comes, as RAISERROR WITH NOWAIT wants it.
        None if io::stdout().is_terminal() => Ok(Box::new(io::stdout())),
        None => Ok(Box::new(BufWriter::new(io::stdout()))),
        Some(path) => output::file(path, encoding(args)),
    }
}

/// 0 = no limit.
fn seconds(count: u64) -> Option<Duration> {
    (count > 0).then(|| Duration::from_secs(count))
}
