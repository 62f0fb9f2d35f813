//! Options of `millpond sql`: sqlcmd's letters with sqlcmd's meaning.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

const EXAMPLES: &str = "\
Without -S the engine runs in this process: in memory, or in --data DIR.

Examples:
  millpond sql -Q \"select name from sys.databases\" -W
  millpond sql -i setup.sql -i load.sql -v rows=1000 -b
  echo \"select 1\" | millpond sql -h -1
  millpond sql --data ./data -d tempdb
  SQLCMDPASSWORD=... millpond sql -S db.example,1433 -U sa -C -Q \"select @@version\"

In scripts and at the prompt:
  GO [n]              runs what stands before it, n times
  $(name)             value of a variable: -v, :setvar, environment
  :setvar name value  sets a variable; without value: removes it
  :r FILE             reads a file as if its lines stood here
  :on error exit      stops at the first error; 'ignore' goes on
  :list :reset :listvar :help
  exit, quit          leave

Exit codes: 0; 1 when the run cannot begin or go on, and with -b after an error of severity above 10;
2 for wrong options; with -V the severity of the error.";

/// Runs T-SQL: in this process, or on a server
///
/// Runs T-SQL as sqlcmd does: a text, files, what comes in on stdin, or a prompt with editing and history.
#[derive(Args, Debug)]
#[command(disable_help_flag = true, after_help = EXAMPLES)]
pub struct SqlArgs {
    /// Runs TEXT and leaves
    #[arg(short = 'Q', value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["first_query", "input"])]
    pub query: Option<String>,
    /// Runs TEXT and goes on with the prompt
    #[arg(short = 'q', value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "input")]
    pub first_query: Option<String>,
    /// Runs the script in FILE; may be repeated
    #[arg(short = 'i', value_name = "FILE", value_delimiter = ',')]
    pub input: Vec<PathBuf>,
    /// Database to begin in
    #[arg(short = 'd', value_name = "DB")]
    pub database: Option<String>,
    /// Directory of the databases of the engine in this process; made when missing
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub data: Option<PathBuf>,

    /// Server to connect to: host, host,port or tcp:host,port
    #[arg(short = 'S', value_name = "HOST[,PORT]", help_heading = "Server")]
    pub server: Option<String>,
    /// Login [env: SQLCMDUSER] [default: sa]
    #[arg(short = 'U', value_name = "LOGIN", requires = "server", help_heading = "Server")]
    pub login: Option<String>,
    /// Password [env: SQLCMDPASSWORD, for sa also MSSQL_SA_PASSWORD]
    #[arg(
        short = 'P',
        value_name = "PASSWORD",
        requires = "server",
        allow_hyphen_values = true,
        help_heading = "Server"
    )]
    pub password: Option<String>,
    /// Trusts the server's certificate without checking its signature (on loopback it always is)
    #[arg(short = 'C', requires = "server", help_heading = "Server")]
    pub trust_certificate: bool,
    /// Encryption: without -N as the server wants it; -N alone is mandatory
    #[arg(short = 'N', value_name = "HOW", requires = "server", num_args = 0..=1, default_missing_value = "mandatory", help_heading = "Server")]
    pub encryption: Option<EncryptionChoice>,
    /// Seconds that the login may take, 0 = no limit
    #[arg(short = 'l', value_name = "SECONDS", default_value_t = 8, help_heading = "Server")]
    pub login_timeout_s: u64,

    /// Ends with exit code 1 at the first error of severity above 10
    #[arg(short = 'b', help_heading = "Running")]
    pub exit_on_error: bool,
    /// Errors of this severity and above set the exit code
    #[arg(short = 'V', value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=25), help_heading = "Running")]
    pub severity_level: Option<u8>,
    /// Seconds that a batch may take, 0 = no limit
    #[arg(short = 't', value_name = "SECONDS", default_value_t = 0, help_heading = "Running")]
    pub query_timeout_s: u64,
    /// Sets variables for $(name)
    #[arg(short = 'v', value_name = "NAME=VALUE", num_args = 1.., help_heading = "Running")]
    pub variables: Vec<String>,
    /// Leaves $(name) as it stands
    #[arg(short = 'x', help_heading = "Running")]
    pub no_substitution: bool,
    /// Quoted identifiers; always on, for scripts written for sqlcmd
    #[arg(short = 'I', hide = true)]
    pub quoted_identifiers: bool,

    /// Column headings again after N rows; 0 = once, -1 = never
    #[arg(short = 'h', value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(-1..), help_heading = "Output")]
    pub headings: i64,
    /// Without the blanks that fill columns
    #[arg(short = 'W', help_heading = "Output")]
    pub trim: bool,
    /// What separates columns
    #[arg(short = 's', value_name = "SEP", default_value = " ", allow_hyphen_values = true, help_heading = "Output")]
    pub separator: String,
    /// Breaks lines at WIDTH characters, 0 = never
    #[arg(short = 'w', value_name = "WIDTH", default_value_t = 0, help_heading = "Output")]
    pub width: usize,
    /// Most characters shown of (max) types, 0 = all
    #[arg(short = 'y', value_name = "N", default_value_t = 256, help_heading = "Output")]
    pub max_type_width: usize,
    /// Most characters shown of other texts, 0 = all
    #[arg(short = 'Y', value_name = "N", default_value_t = 0, help_heading = "Output")]
    pub text_width: usize,
    /// Writes into FILE instead of stdout
    #[arg(short = 'o', value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Shows each batch before it runs
    #[arg(short = 'e', help_heading = "Output")]
    pub echo: bool,
    /// Shows errors of this severity and above; -1 = with the header for all messages
    #[arg(short = 'm', value_name = "LEVEL", default_value_t = 0, allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(-1..=25), help_heading = "Output")]
    pub error_level: i32,
    /// Errors to stderr; 1: all messages
    #[arg(short = 'r', value_name = "0|1", num_args = 0..=1, default_missing_value = "0", value_parser = clap::value_parser!(u8).range(0..=1), help_heading = "Output")]
    pub to_stderr: Option<u8>,

    /// Shows this help
    #[arg(long, action = ArgAction::HelpShort)]
    pub help: Option<bool>,
}

/// How much the connection is to be protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EncryptionChoice {
    /// No TLS
    #[value(alias = "no")]
    Disable,
    /// The login at least, more when the server wants it
    #[value(aliases = ["o", "false"])]
    Optional,
    /// The whole session
    #[value(aliases = ["m", "true", "yes"])]
    Mandatory,
    /// TDS 8.0: TLS before everything
    #[value(alias = "s")]
    Strict,
}
