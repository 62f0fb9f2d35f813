//! Options of commands that connect to a server as `sqlcmd` does.
//!
//! What always holds: what is not given is taken from sqlcmd's variables. Nothing connects here.

use clap::Args;

use crate::sql::Login;

/// Which server, and as whom.
#[derive(Args, Debug)]
pub struct ServerArgs {
    /// Server to connect to: host, host,port or tcp:host,port [env: SQLCMDSERVER] [default: localhost]
    #[arg(short = 'S', long, value_name = "HOST[,PORT]", help_heading = "Server")]
    server: Option<String>,
    /// Login [env: SQLCMDUSER] [default: sa]
    #[arg(short = 'U', value_name = "LOGIN", help_heading = "Server")]
    login: Option<String>,
    /// Password [env: SQLCMDPASSWORD, for sa also MSSQL_SA_PASSWORD]
    #[arg(short = 'P', value_name = "PASSWORD", allow_hyphen_values = true, help_heading = "Server")]
    password: Option<String>,
    /// Database to begin in
    #[arg(short = 'd', value_name = "DB", help_heading = "Server")]
    database: Option<String>,
    /// Trusts the server's certificate without checking its signature (on loopback it always is)
    #[arg(short = 'C', help_heading = "Server")]
    trust_certificate: bool,
    /// Encryption: disable, optional, mandatory, strict
    #[arg(short = 'N', value_name = "HOW", help_heading = "Server")]
    encryption: Option<String>,
    /// Name in the server's certificate, where it is not that of -S
    #[arg(short = 'F', value_name = "HOST", help_heading = "Server")]
    certificate_name: Option<String>,
    /// Seconds that a login may take, 0 = no limit
    #[arg(short = 'l', value_name = "SECONDS", default_value_t = Login::LIMIT_S, help_heading = "Server")]
    login_timeout_s: u16,
}

impl ServerArgs {
    /// The server, where one was named.
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// The database, where one was named.
    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// How to connect.
    ///
    /// # Errors
    /// What an option does not mean.
    pub fn login(&self) -> Result<Login, String> {
        let variable = std::env::var("SQLCMDSERVER").ok().filter(|server| !server.is_empty());
        let server = self.server.clone().or(variable).unwrap_or_else(|| "localhost".to_owned());
        let mut options = vec!["-S".to_owned(), server, "-l".to_owned(), self.login_timeout_s.to_string()];
        let given = [
            ("-U", &self.login),
            ("-P", &self.password),
            ("-d", &self.database),
            ("-N", &self.encryption),
            ("-F", &self.certificate_name),
        ];
        for (option, value) in given {
            if let Some(value) = value {
                options.extend([option.to_owned(), value.clone()]);
            }
        }
        options.extend(self.trust_certificate.then(|| "-C".to_owned()));
        Login::of(&options)
    }
}
