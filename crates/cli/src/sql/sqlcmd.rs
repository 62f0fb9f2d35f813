//! The binary called as `sqlcmd`: `millpond sql` on a server, with sqlcmd's words and exit codes.
//!
//! What always holds: the server is that of `-S`, of SQLCMDSERVER, or this machine's; a wrong option is one line that begins
//! with "Sqlcmd:" and exit code 1, as scripts know it.

use std::io::Write;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Command, FromArgMatches};

use super::args::SqlArgs;

/// Begins what it has to say.
pub const PROGRAM: &str = "Sqlcmd";

/// Runs the program; `arguments` without its name.
pub fn run(arguments: Vec<String>) -> ExitCode {
    if arguments.iter().any(|argument| argument == "-?" || argument == "--help") {
        // Who has read enough of it closes the pipe.
        let _ = write!(std::io::stdout(), "{}", command().render_help());
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| argument == "--version") {
        println!("sqlcmd of Millpond\n\nVersion: {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    // `/opt/mssql-tools*/bin/sqlcmd` in a shell is both of a container's names: the second one is no argument.
    let arguments = arguments.into_iter().skip_while(|argument| argument.ends_with("/bin/sqlcmd"));
    let server = std::env::var("SQLCMDSERVER").ok().filter(|server| !server.is_empty());
    let server = server.unwrap_or_else(|| "localhost".to_owned());
    // The first -S; one that is given comes after it and wins.
    let given = [PROGRAM.to_owned(), "-S".to_owned(), server].into_iter().chain(arguments).collect();
    match parsed(given) {
        Ok(args) => super::run_as(&args, PROGRAM),
        Err(why) => {
            eprintln!("{PROGRAM}: {why}");
            ExitCode::FAILURE
        }
    }
}

fn command() -> Command {
    SqlArgs::augment_args(Command::new("sqlcmd"))
        .version(env!("CARGO_PKG_VERSION"))
        .disable_version_flag(true)
        .args_override_self(true)
}

/// The options, or what is wrong with them in sqlcmd's words.
///
/// # Errors
/// The option.
pub fn parsed(given: Vec<String>) -> Result<SqlArgs, String> {
    let matches = command().try_get_matches_from(given).map_err(|error| said(&error))?;
    let args = SqlArgs::from_arg_matches(&matches).map_err(|error| said(&error))?;
    check_ranges(&args)?;
    Ok(args)
}

/// Options that are numbers of a range, in sqlcmd's words.
const RANGES: [(&str, &str); 7] = [
    ("-w", "value must be greater than 8 and less than 65536."),
    ("-y", "value must be greater than or equal to 0 and less than or equal to 8000."),
    ("-Y", "value must be greater than or equal to 0 and less than or equal to 8000."),
    ("-t", "value must be greater than or equal to 0 and less than or equal to 65534."),
    ("-l", "value must be greater than or equal to 0 and less than or equal to 65534."),
    ("-h", "header value must be either -1 or a value between 1 and 2147483647"),
    ("-a", "Packet size has to be a number between 512 and 32767."),
];
/// Those that are one of some words.
const WORDS: [(&str, &str); 5] = [
    ("-r", "[0 1]"),
    ("-k", "[1 2]"),
    ("-X", "[0 1]"),
    ("-p", "[0 1]"),
    ("-N", "[m[andatory] yes 1 t[rue] disable o[ptional] no 0 f[alse] s[trict]]"),
];
const TEXT_WIDTH_MAX: usize = 8000;

fn check_ranges(args: &SqlArgs) -> Result<(), String> {
    let is_screen = |width: &usize| (9..=65_535).contains(width);
    let is_text = |width: &usize| *width <= TEXT_WIDTH_MAX;
    let wrong = [
        args.width.filter(|width| !is_screen(width)).map(|width| ("-w", width)),
        args.max_type_width.filter(|width| !is_text(width)).map(|width| ("-y", width)),
        args.text_width.filter(|width| !is_text(width)).map(|width| ("-Y", width)),
    ];
    match wrong.into_iter().flatten().next() {
        Some((option, width)) => Err(unexpected(option, &width.to_string())),
        None => Ok(()),
    }
}

fn unexpected(option: &str, value: &str) -> String {
    let of = |table: &[(&str, &'static str)]| table.iter().find(|(other, _)| *other == option).map(|(_, words)| *words);
    match (of(&RANGES), of(&WORDS)) {
        (Some(range), _) => format!("'{option} {value}': {range}"),
        (_, Some(words)) => {
            format!("'{option} {value}': Unexpected argument. Argument value has to be one of {words}.")
        }
        _ => format!("'{option} {value}': Unexpected argument. Enter '-?' for help."),
    }
}

fn said(error: &clap::Error) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    // "-l <SECONDS>" is the option -l.
    let option = |kind| text(kind).split(' ').next().unwrap_or_default().to_owned();
    match error.kind() {
        ErrorKind::UnknownArgument => {
            format!("'{}': Unknown Option. Enter '-?' for help.", text(ContextKind::InvalidArg))
        }
        ErrorKind::InvalidValue if text(ContextKind::InvalidValue).is_empty() => {
            format!("'{}': Missing argument. Enter '-?' for help.", option(ContextKind::InvalidArg))
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            unexpected(&option(ContextKind::InvalidArg), &text(ContextKind::InvalidValue))
        }
        ErrorKind::ArgumentConflict => {
            let both = [option(ContextKind::InvalidArg), option(ContextKind::PriorArg)];
            let has = |letter: &str| both.iter().any(|other| other == letter);
            let pair = match () {
                () if has("-i") => ["-i", "-Q/-q"],
                () if has("-W") => ["-W", "-y/-Y"],
                () => [both[0].as_str(), both[1].as_str()],
            };
            format!("The {} and the {} options are mutually exclusive.", pair[0], pair[1])
        }
        _ => error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Result<SqlArgs, String> {
        parsed(["Sqlcmd", "-S", "localhost"].iter().chain(words).map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn options_may_stand_beside_their_values() {
        let args =
            of(&["-Usa", "-PPass-1", "-h-1", "-m-1", "-r1", "-No", "-C", "-b", "-W", "-s,", "-dmaster", "-l60", "-t5"]);
        let args = args.unwrap();
        assert_eq!((args.login.as_deref(), args.password.as_deref()), (Some("sa"), Some("Pass-1")));
        assert_eq!((args.headings, args.error_level, args.to_stderr), (Some(-1), Some(-1), Some(1)));
        assert_eq!((args.login_timeout_s, args.query_timeout_s), (Some(60), Some(5)));
        assert_eq!((args.separator.as_deref(), args.database.as_deref()), (Some(","), Some("master")));
        assert!(args.trust_certificate && args.exit_on_error && args.trim && args.encryption.is_some());
    }

    #[test]
    fn options_of_scripts_for_testcontainers_and_health_checks_are_read() {
        let args = of(&["-S", "127.0.0.1,1500", "-U", "sa", "-P", "x", "-No", "-Q", "SELECT 1;"]).unwrap();
        assert_eq!((args.server.as_deref(), args.query.as_deref()), (Some("127.0.0.1,1500"), Some("SELECT 1;")));
        let args = of(&["-N", "-C", "-I", "-i", "a.sql", "-i", "b.sql", "-v", "a=1", "b=2", "-e", "-x"]).unwrap();
        assert_eq!((args.input.len(), args.variables.len()), (2, 2));
        assert_eq!(of(&["-k", "-p", "-X", "-Q", "x"]).unwrap().query.as_deref(), Some("x"));
    }

    #[test]
    fn wrong_options_are_said_as_sqlcmd_says_them() {
        for (words, expected) in [
            (&["-B"][..], "'-B': Unknown Option. Enter '-?' for help."),
            (&["-U"], "'-U': Missing argument. Enter '-?' for help."),
            (&["-h", "x"], "'-h x': header value must be either -1 or a value between 1 and 2147483647"),
            (&["-W", "-y", "5"], "The -W and the -y/-Y options are mutually exclusive."),
            (&["-i", "a", "-Q", "b"], "The -i and the -Q/-q options are mutually exclusive."),
            // As go-sqlcmd's tests have them.
            (&["-r", "5"], "'-r 5': Unexpected argument. Argument value has to be one of [0 1]."),
            (&["-w", "x"], "'-w x': value must be greater than 8 and less than 65536."),
            (&["-w", "8"], "'-w 8': value must be greater than 8 and less than 65536."),
            (
                &["-y", "111111"],
                "'-y 111111': value must be greater than or equal to 0 and less than or equal to 8000.",
            ),
            (&["-t", "70000"], "'-t 70000': value must be greater than or equal to 0 and less than or equal to 65534."),
            (&["-P"], "'-P': Missing argument. Enter '-?' for help."),
        ] {
            assert_eq!(of(words).unwrap_err(), expected);
        }
        for words in [&["-E"][..], &["-G"], &["-g"], &["-A"], &["-D"], &["-L"], &["-f", "1252"]] {
            assert!(of(words).unwrap().check().unwrap_err().starts_with(words[0]), "{words:?}");
        }
        assert!(of(&["-f", "i:65001,o:65001"]).unwrap().check().is_ok());
    }
}
