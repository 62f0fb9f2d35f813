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
  :out FILE           results go there; 'stdout' and 'stderr' are words for those, as for :error FILE
  :connect HOST       leaves the server for another one: -U, -P, -l, -N as above
  :xml on|off         first columns as they are, one after the other
  !! COMMAND          runs a command of this machine
  :describe NAME      columns, types, keys and indexes of a table
  :plan STATEMENT     how it would run; 'on' and 'off' for all that comes
  :export FILE [STATEMENT]   its result, or the last one, as .csv, .json, .md or .parquet
  :edit :list :reset :listvar :help
  exit, quit          leave; exit(QUERY) with its last row's first number as exit code

On a terminal, and without -h, -W, -s, -w, -y, -Y, -k, -m, -p and -o, results stand in boxes that fit, names are completed by Tab,
and \\G ends a statement whose rows are to stand one below the other. Elsewhere results are as sqlcmd prints them.

Exit codes: 0; 1 when the run cannot begin or go on, and with -b after an error of severity above 10;
2 for wrong options; with -V the severity of the error; the number of an error of state 127.
Called as 'sqlcmd' the program is this command, on the server of -S, SQLCMDSERVER or this machine.";

/// Runs T-SQL: in this process, or on a server
///
/// Runs T-SQL as sqlcmd does: a text, files, what comes in on stdin, or a prompt with editing and history.
#[derive(Args, Clone, Debug)]
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
    /// Seconds that the login may take, 0 = no limit [env: SQLCMDLOGINTIMEOUT] [default: 8]
    #[arg(short = 'l', value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=65534), help_heading = "Server")]
    pub login_timeout_s: Option<u64>,
    /// Name of this machine for the server
    #[arg(short = 'H', value_name = "NAME", requires = "server", help_heading = "Server")]
    pub workstation: Option<String>,
    /// Bytes of a packet
    #[arg(short = 'a', value_name = "BYTES", value_parser = clap::value_parser!(u16).range(512..=32767), help_heading = "Server")]
    pub packet_bytes: Option<u16>,
    /// Name in the server's certificate, where it is not that of -S
    #[arg(short = 'F', value_name = "HOST", requires = "server", help_heading = "Server")]
    pub certificate_name: Option<String>,
    /// Gives the login another password and goes on
    #[arg(
        short = 'z',
        value_name = "PASSWORD",
        requires = "server",
        allow_hyphen_values = true,
        help_heading = "Server"
    )]
    pub new_password: Option<String>,
    /// Gives the login another password and leaves
    #[arg(
        short = 'Z',
        value_name = "PASSWORD",
        requires = "server",
        allow_hyphen_values = true,
        help_heading = "Server"
    )]
    pub only_new_password: Option<String>,

    /// Ends with exit code 1 at the first error of severity above 10
    #[arg(short = 'b', help_heading = "Running")]
    pub exit_on_error: bool,
    /// Errors of this severity and above set the exit code
    #[arg(short = 'V', value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=25), help_heading = "Running")]
    pub severity_level: Option<u8>,
    /// Seconds that a batch may take, 0 = no limit [env: SQLCMDSTATTIMEOUT]
    #[arg(short = 't', value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=65534), help_heading = "Running")]
    pub query_timeout_s: Option<u64>,
    /// What stands where GO stands elsewhere
    #[arg(short = 'c', value_name = "WORD", help_heading = "Running")]
    pub terminator: Option<String>,
    /// Refuses !!, variables of the environment and SQLCMDINI; 1: and ends at them
    #[arg(short = 'X', value_name = "0|1", num_args = 0..=1, default_missing_value = "0", value_parser = clap::value_parser!(u8).range(0..=1), help_heading = "Running")]
    pub disabled_commands: Option<u8>,
    /// Sets variables for $(name)
    #[arg(short = 'v', value_name = "NAME=VALUE", num_args = 1.., help_heading = "Running")]
    pub variables: Vec<String>,
    /// Leaves $(name) as it stands
    #[arg(short = 'x', help_heading = "Running")]
    pub no_substitution: bool,
    /// Quoted identifiers; always on, for scripts written for sqlcmd
    #[arg(short = 'I', hide = true)]
    pub quoted_identifiers: bool,

    /// Column headings again after N rows; 0 = once, -1 = never [env: SQLCMDHEADERS]
    #[arg(short = 'h', value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(-1..), help_heading = "Output")]
    pub headings: Option<i64>,
    /// Without the blanks that fill columns
    #[arg(short = 'W', conflicts_with_all = ["max_type_width", "text_width"], help_heading = "Output")]
    pub trim: bool,
    /// What separates columns [env: SQLCMDCOLSEP] [default: a blank]
    #[arg(short = 's', value_name = "SEP", allow_hyphen_values = true, help_heading = "Output")]
    pub separator: Option<String>,
    /// Breaks lines at WIDTH characters, 0 = never [env: SQLCMDCOLWIDTH]
    #[arg(short = 'w', value_name = "WIDTH", help_heading = "Output")]
    pub width: Option<usize>,
    /// Most characters shown of (max) types, 0 = all, without headings [env: SQLCMDMAXVARTYPEWIDTH] [default: 256]
    #[arg(short = 'y', value_name = "N", help_heading = "Output")]
    pub max_type_width: Option<usize>,
    /// Most characters shown of other texts, 0 = all [env: SQLCMDMAXFIXEDTYPEWIDTH]
    #[arg(short = 'Y', value_name = "N", help_heading = "Output")]
    pub text_width: Option<usize>,
    /// Control characters in texts are blanks; 2: several beside each other are one
    #[arg(short = 'k', value_name = "1|2", num_args = 0..=1, default_missing_value = "1", value_parser = clap::value_parser!(u8).range(1..=2), help_heading = "Output")]
    pub control_characters: Option<u8>,
    /// What is written into the file of -o is UTF-16
    #[arg(short = 'u', help_heading = "Output")]
    pub unicode_output: bool,
    /// Code page of files: 65001, which is UTF-8
    #[arg(short = 'f', value_name = "PAGE", help_heading = "Output")]
    pub code_page: Option<String>,
    /// Time of each batch; 1: with colons between
    #[arg(short = 'p', value_name = "0|1", num_args = 0..=1, default_missing_value = "0", value_parser = clap::value_parser!(u8).range(0..=1), help_heading = "Output")]
    pub statistics: Option<u8>,
    /// Writes into FILE instead of stdout
    #[arg(short = 'o', value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Shows each batch before it runs
    #[arg(short = 'e', help_heading = "Output")]
    pub echo: bool,
    /// Shows errors of this severity and above; -1 = with the header for all messages [env: SQLCMDERRORLEVEL]
    #[arg(short = 'm', value_name = "LEVEL", allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(-1..=25), help_heading = "Output")]
    pub error_level: Option<i32>,
    /// Errors to stderr; 1: all messages
    #[arg(short = 'r', value_name = "0|1", num_args = 0..=1, default_missing_value = "0", value_parser = clap::value_parser!(u8).range(0..=1), help_heading = "Output")]
    pub to_stderr: Option<u8>,

    /// What others need and this does not, for scripts written for sqlcmd: read-only intent, several subnets, regional settings
    #[arg(short = 'K', value_name = "INTENT", hide = true)]
    pub intent: Option<String>,
    #[arg(short = 'M', hide = true)]
    pub subnets: bool,
    #[arg(short = 'R', hide = true)]
    pub regional: bool,
    #[arg(short = 'j', hide = true)]
    pub raw_errors: bool,
    /// What there is not
    #[arg(short = 'E', hide = true)]
    pub windows_login: bool,
    #[arg(short = 'G', hide = true)]
    pub entra_login: bool,
    #[arg(short = 'A', hide = true)]
    pub admin_connection: bool,
    #[arg(short = 'D', hide = true)]
    pub data_source_name: bool,
    #[arg(short = 'g', hide = true)]
    pub encrypted_columns: bool,
    #[arg(short = 'L', value_name = "c", num_args = 0..=1, default_missing_value = "", hide = true)]
    pub list_servers: Option<String>,

    /// Without colours, as with NO_COLOR
    #[arg(long, help_heading = "Output")]
    pub no_color: bool,

    /// Shows this help
    #[arg(long, action = ArgAction::HelpShort)]
    pub help: Option<bool>,
}

impl SqlArgs {
    /// Whether somebody can be asked: a terminal, which is not what the script comes from.
    pub fn prompts(&self) -> bool {
        std::io::IsTerminal::is_terminal(&std::io::stdin())
    }

    /// Whether options say how results look: then they look so on a terminal too.
    pub fn has_layout(&self) -> bool {
        let sizes = [self.width, self.max_type_width, self.text_width];
        let others = [self.headings.is_some(), self.separator.is_some(), self.control_characters.is_some(), self.trim];
        sizes.iter().any(Option::is_some)
            || others.contains(&true)
            || self.output.is_some()
            || self.statistics.is_some()
            || self.error_level.is_some()
    }

    /// The options of `:connect`, and these for all that they do not say.
    pub fn connected_as(self, other: &SqlArgs) -> SqlArgs {
        SqlArgs {
            server: other.server.clone(),
            // Who gives a login has its password too.
            password: if other.login.is_some() { other.password.clone() } else { self.password },
            login: other.login.clone().or(self.login),
            database: other.database.clone(),
            login_timeout_s: other.login_timeout_s.or(self.login_timeout_s),
            encryption: other.encryption.or(self.encryption),
            trust_certificate: self.trust_certificate || other.trust_certificate,
            certificate_name: other.certificate_name.clone(),
            new_password: None,
            ..self
        }
    }

    /// What is asked for and is not there.
    ///
    /// # Errors
    /// The option, and the way that there is.
    pub fn check(&self) -> Result<(), String> {
        let missing = [
            (self.windows_login, "-E: there is no Windows authentication; give -U and -P"),
            (self.entra_login, "-G: there is no Microsoft Entra authentication; give -U and -P"),
            (self.admin_connection, "-A: there is no dedicated administrator connection; any connection of sa will do"),
            (self.data_source_name, "-D: there are no data source names; give -S host,port"),
            (self.encrypted_columns, "-g: there are no encrypted columns"),
            (self.list_servers.is_some(), "-L: servers are not listed; give -S host,port"),
        ];
        if let Some((_, why)) = missing.iter().find(|(is_asked, _)| *is_asked) {
            return Err((*why).to_owned());
        }
        let pages = self.code_page.iter().flat_map(|pages| pages.split(','));
        match pages.map(|page| page.trim_start_matches(['i', 'o', ':'])).find(|page| *page != "65001") {
            Some(page) => Err(format!("-f {page}: files are UTF-8 (65001), or UTF-16 with a byte order mark")),
            None => Ok(()),
        }
    }
}

/// How much the connection is to be protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EncryptionChoice {
    /// No TLS
    Disable,
    /// The login at least, more when the server wants it
    #[value(aliases = ["o", "no", "false", "f", "0"])]
    Optional,
    /// The whole session
    #[value(aliases = ["m", "true", "yes", "t", "1"])]
    Mandatory,
    /// TDS 8.0: TLS before everything
    #[value(alias = "s")]
    Strict,
}
