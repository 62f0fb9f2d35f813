//! The password of sa, as SQL Server asks it to be when it sets it.

use millpond_engine::password::is_complex;

use super::Failure;
use super::report::Report;

/// The words of SQL Server before its reason.
const REFUSED: &str = "ERROR: Unable to set system administrator password: Password validation failed. The password does not \
                       meet SQL Server password policy requirements because it is";
const TOO_SHORT: &str = "too short. The password must be at least 8 characters.";
const TOO_SIMPLE: &str = "not complex enough. The password must be at least 8 characters long and contain characters from three of \
                          the following four sets: Uppercase letters, Lowercase letters, Base 10 digits, and Symbols.";
/// What SQL Server says after it.
const SETUP_FAILED: &str = "An error occurred during server setup. See previous errors for more information.";
/// There is none, and none is stored.
pub const MISSING: &str = "ERROR: Unable to set system administrator password: MSSQL_SA_PASSWORD is not set.";
const CHARS_MIN: usize = 8;

/// Refuses a password that the policy refuses, and none at a first start.
///
/// # Errors
/// SQL Server's words.
pub fn check(password: Option<&str>, is_first: bool, report: &Report) -> Result<(), Failure> {
    let reason = match password {
        None if is_first => MISSING.to_owned(),
        None => return Ok(()),
        Some(password) => match refusal(password) {
            Some(reason) => format!("{REFUSED} {reason}."),
            None => return Ok(()),
        },
    };
    report.line(&reason);
    Err(Failure::new(SETUP_FAILED))
}

fn refusal(password: &str) -> Option<&'static str> {
    if password.chars().count() < CHARS_MIN {
        return Some(TOO_SHORT);
    }
    (!is_complex(password, "sa")).then_some(TOO_SIMPLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_policy_asks_for() {
        assert_eq!(refusal("Short1!"), Some(TOO_SHORT));
        assert_eq!(refusal("password1"), Some(TOO_SIMPLE));
        for right in [
            "Password1",
            "yourStrong(!)Password",
            "<YourStrong!Passw0rd>",
            "A_Str0ng_Required_Password",
            "1Secure*Password1",
        ] {
            assert_eq!(refusal(right), None, "{right}");
        }
    }
}
