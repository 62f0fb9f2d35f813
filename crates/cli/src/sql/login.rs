//! A login that is made again and again, for commands other than `millpond sql` that keep a connection.
//!
//! What always holds: the password is asked for once, before anything else is done.

use super::args::SqlArgs;
use super::remote::{Remote, password, user};
use super::sqlcmd;
use super::target::TargetError;

/// Where to, and as whom.
#[derive(Clone, Debug)]
pub struct Login {
    server: String,
    args: SqlArgs,
}

impl Login {
    /// Seconds that a login may take where nothing else is said.
    pub const LIMIT_S: u16 = 8;

    /// Of options as `millpond sql` has them, `-S` among them; a password that is missing is asked for.
    ///
    /// # Errors
    /// What is wrong with the options, or that there is no password.
    pub fn of(options: &[String]) -> Result<Login, String> {
        let given = [sqlcmd::PROGRAM.to_owned()].into_iter().chain(options.iter().cloned()).collect();
        let mut args = sqlcmd::parsed(given)?;
        args.check()?;
        let user = user(&args);
        args.password = password(&args, &user);
        if args.password.is_none() {
            return Err(format!("no password for '{user}': give -P, or set SQLCMDPASSWORD"));
        }
        Ok(Login { server: args.server.clone().unwrap_or_else(|| "localhost".into()), args })
    }

    /// Connects.
    ///
    /// # Errors
    /// Why there is no session, with the server's name.
    pub fn connect(&self) -> Result<Remote, TargetError> {
        let limit_s = self.args.login_timeout_s.unwrap_or(Self::LIMIT_S.into());
        Remote::connect(&self.server, &self.args, super::seconds(limit_s))
    }
}
