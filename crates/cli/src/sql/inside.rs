//! Scripts in an engine that this process serves: what a container's first start runs.
//!
//! What always holds: the first error of severity above 10 ends a script; it is named with the file and its line. A request to
//! stop the engine cancels what runs.

use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Arc;

use millpond_engine::engine::Engine;

use super::column::TextLimits;
use super::embedded::Embedded;
use super::output::Encoding;
use super::printer::{Controls, Format, Printer, ToStderr};
use super::script::Dialect;
use super::shell::{Ended, Policy, Shell};
use super::target::Target;
use super::variables::Variables;

/// Runs a script as sqlcmd with -b does, in `database`; literally, without variables, where the text is no user's.
///
/// # Errors
/// File, line, number and text of what ended it.
pub fn run_inside(
    engine: &Arc<Engine>,
    database: Option<&str>,
    name: &Path,
    text: &str,
    is_literal: bool,
) -> Result<(), String> {
    let variables = Variables::of_options(&[], &[], is_literal, false)?;
    let target = Embedded::inside(engine, database).map_err(|error| error.to_string())?;
    let (stopping, cancel) = (Arc::clone(engine), target.canceller());
    // Ends with the server at the latest.
    std::thread::spawn(move || {
        stopping.stop().wait();
        cancel();
    });
    let printer = Printer::new(format(), Box::new(BufWriter::new(io::stdout())), "sqlcmd");
    let mut shell = Shell::without_signals(Box::new(target), printer, variables, policy());
    let ended = shell.file(name, text);
    let failure = shell.failure().cloned();
    let code = shell.finish(ended);
    match ended {
        Ok(()) | Err(Ended::Left) | Err(Ended::With(0)) => Ok(()),
        Err(_) => Err(match failure {
            Some((place, why)) => format!("{}, line {}: {why}", place.file, place.line),
            None => format!("{} ended with exit code {code}", name.display()),
        }),
    }
}

fn format() -> Format {
    Format {
        headings: 0,
        trim: true,
        separator: " ".into(),
        width: 0,
        limits: TextLimits { max_types: 256, others: 0 },
        error_level: 0,
        to_stderr: ToStderr::Nothing,
        controls: Controls::Kept,
        xml: false,
    }
}

fn policy() -> Policy {
    Policy {
        exit_on_error: true,
        severity_level: None,
        echo: false,
        interactive: false,
        dialect: Dialect::Sqlcmd,
        disabled: None,
        statistics: None,
        encoding: Encoding::Utf8,
        terminator: None,
        program: "sqlcmd",
    }
}
