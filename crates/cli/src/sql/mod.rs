//! `millpond sql`: batches from the command line, files, stdin or a prompt, to the engine in this process or a server.
//!
//! ```text
//!  args ─▶ Target (embedded | remote) ─┐
//!  lines ─▶ script ─▶ shell ─▶ variables ┴▶ run ─▶ printer ─▶ stdout, stderr
//! ```

mod address;
mod args;
mod column;
mod embedded;
mod files;
mod interrupt;
mod printer;
mod profile;
mod prompt;
mod remote;
mod roots;
mod script;
mod shell;
mod target;
mod variables;
mod watch;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

pub use args::SqlArgs;

use column::TextLimits;
use embedded::Embedded;
use printer::{Format, Printer, ToStderr};
use remote::Remote;
use shell::{Policy, Shell};
use target::Target;
use variables::Variables;

/// Runs the command; what cannot begin is reported in one line.
pub fn run(args: &SqlArgs) -> ExitCode {
    match start(args) {
        Ok(code) => ExitCode::from(code),
        Err(text) => {
            eprintln!("millpond: {text}");
            ExitCode::FAILURE
        }
    }
}

fn start(args: &SqlArgs) -> Result<u8, String> {
    let variables = Variables::of_options(&args.variables, args.no_substitution)?;
    // Files are read before anything runs: a wrong name must not leave half of the work done.
    let scripts = args.input.iter().map(|path| files::read_text(path)).collect::<Result<Vec<String>, String>>()?;
    let printer = Printer::new(format_of(args), output(args)?);
    let interactive = is_interactive(args);
    let target = connect(args).map_err(|error| error.to_string())?;
    let policy = Policy {
        exit_on_error: args.exit_on_error,
        severity_level: args.severity_level,
        echo: args.echo,
        timeout: seconds(args.query_timeout_s),
        interactive,
    };
    let mut shell = Shell::new(target, printer, variables, policy);
    let ended = if let Some(text) = &args.query {
        shell.script(text)
    } else if !scripts.is_empty() {
        scripts.iter().try_for_each(|text| shell.script(text))
    } else {
        let first = args.first_query.as_deref().unwrap_or_default();
        match shell.script(first) {
            Err(ended) => Err(ended),
            Ok(()) if interactive => prompt::run(&mut shell),
            Ok(()) => files::read_stdin().map(|text| shell.script(&text))?,
        }
    };
    Ok(shell.finish(ended))
}

fn is_interactive(args: &SqlArgs) -> bool {
    args.query.is_none() && args.input.is_empty() && io::stdin().is_terminal()
}

fn connect(args: &SqlArgs) -> Result<Box<dyn Target>, target::TargetError> {
    let database = args.database.as_deref();
    Ok(match &args.server {
        None => Box::new(Embedded::open(args.data.as_deref(), database)?),
        Some(server) => Box::new(Remote::connect(server, args)?),
    })
}

fn format_of(args: &SqlArgs) -> Format {
    Format {
        headings: args.headings,
        trim: args.trim,
        separator: args.separator.clone(),
        width: args.width,
        limits: TextLimits { max_types: args.max_type_width, others: args.text_width },
        error_level: args.error_level,
        to_stderr: match args.to_stderr {
            None => ToStderr::Nothing,
            Some(0) => ToStderr::Errors,
            Some(_) => ToStderr::Messages,
        },
    }
}

fn output(args: &SqlArgs) -> Result<Box<dyn Write>, String> {
    Ok(match &args.output {
        None => Box::new(BufWriter::new(io::stdout())),
        Some(path) => {
            let file = File::create(path).map_err(|error| format!("cannot write '{}': {error}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
    })
}

/// 0 = no limit.
fn seconds(count: u64) -> Option<Duration> {
    (count > 0).then(|| Duration::from_secs(count))
}
