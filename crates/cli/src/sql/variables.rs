//! Scripting variables: `$(name)` is what `:setvar`, `-v` or an option said, else what the environment says.
//!
//! What always holds: sqlcmd's own variables have a value from the start, an option's or the environment's or the default, and
//! one that controls the output (a width, a number of rows) holds a valid number, from whichever of them it is.

use std::collections::BTreeMap;

use millpond_tsql::batch::{MissingVariable, substitute};

/// sqlcmd's own, and their defaults.
const OWN: [(&str, &str); 15] = [
    ("SQLCMDUSER", ""),
    ("SQLCMDSERVER", ""),
    ("SQLCMDWORKSTATION", ""),
    ("SQLCMDDBNAME", ""),
    ("SQLCMDLOGINTIMEOUT", "8"),
    ("SQLCMDSTATTIMEOUT", "0"),
    ("SQLCMDHEADERS", "0"),
    ("SQLCMDCOLSEP", " "),
    ("SQLCMDCOLWIDTH", "0"),
    ("SQLCMDPACKETSIZE", "4096"),
    ("SQLCMDERRORLEVEL", "0"),
    ("SQLCMDMAXVARTYPEWIDTH", "256"),
    ("SQLCMDMAXFIXEDTYPEWIDTH", "0"),
    ("SQLCMDEDITOR", ""),
    ("SQLCMDINI", ""),
];
/// What belongs to the connection is not changed by `:setvar`.
const READ_ONLY: [&str; 6] =
    ["SQLCMDUSER", "SQLCMDSERVER", "SQLCMDWORKSTATION", "SQLCMDDBNAME", "SQLCMDPACKETSIZE", "SQLCMDINI"];
/// Numbers, from the least on.
const NUMBERS: [(&str, i64); 7] = [
    ("SQLCMDLOGINTIMEOUT", 0),
    ("SQLCMDSTATTIMEOUT", 0),
    ("SQLCMDHEADERS", -1),
    ("SQLCMDCOLWIDTH", 0),
    ("SQLCMDERRORLEVEL", -1),
    ("SQLCMDMAXVARTYPEWIDTH", 0),
    ("SQLCMDMAXFIXEDTYPEWIDTH", 0),
];

/// Names, compared without regard to case, and their values.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    values: BTreeMap<String, String>,
    /// `-x`: nothing is replaced.
    is_off: bool,
    /// `-X`: the environment has no say.
    is_alone: bool,
}

impl Variables {
    /// sqlcmd's own with the values of options, the environment's else; then those of `-v name=value`.
    ///
    /// # Errors
    /// What is not `name=value`, and a value of sqlcmd's own that makes no sense.
    pub fn of_options(
        options: &[String],
        own: &[(&str, Option<String>)],
        is_off: bool,
        is_alone: bool,
    ) -> Result<Variables, String> {
        let mut variables = Variables { values: BTreeMap::new(), is_off, is_alone };
        for (name, default) in OWN {
            let option = own.iter().find(|(other, _)| *other == name).and_then(|(_, value)| value.clone());
            let environment = || std::env::var(name).ok().filter(|value| !is_alone && !value.is_empty());
            let value = option.or_else(environment).unwrap_or_else(|| default.to_owned());
            check_number(name, &value)?;
            variables.put(name, value);
        }
        for option in options {
            let (name, value) = option.split_once('=').ok_or_else(|| format!("-v takes name=value, not '{option}'"))?;
            if !is_name(name) {
                return Err(format!("-v: '{name}' is not a name"));
            }
            variables.put(name, value.to_owned());
        }
        Ok(variables)
    }

    /// `:setvar`: sets a variable, or removes it.
    ///
    /// # Errors
    /// It is one that cannot be changed, or cannot have this value.
    pub fn set(&mut self, name: &str, value: Option<String>) -> Result<(), String> {
        let upper = name.to_uppercase();
        if READ_ONLY.contains(&upper.as_str()) {
            return Err(format!("The scripting variable: '{upper}' is read-only"));
        }
        let own = OWN.iter().find(|(own, _)| *own == upper);
        match (value, own) {
            (Some(value), _) => {
                check_number(&upper, &value)?;
                self.put(name, value);
            }
            (None, Some((_, default))) => self.put(name, (*default).to_owned()),
            (None, None) => {
                self.values.remove(&name.to_lowercase());
            }
        }
        Ok(())
    }

    /// Sets one, whatever it is.
    pub fn put(&mut self, name: &str, value: String) {
        self.values.insert(name.to_lowercase(), value);
    }

    /// The text with all variables replaced.
    ///
    /// # Errors
    /// The first that has no value.
    pub fn replace(&self, text: &str) -> Result<String, MissingVariable> {
        if self.is_off || !text.contains("$(") {
            return Ok(text.to_owned());
        }
        substitute(text, &|name| self.value(name))
    }

    /// One of sqlcmd's own that is a number.
    pub fn number(&self, name: &str) -> i64 {
        self.values.get(&name.to_lowercase()).and_then(|value| value.trim().parse().ok()).unwrap_or(0)
    }

    /// One of sqlcmd's own that is a text.
    pub fn text(&self, name: &str) -> &str {
        self.values.get(&name.to_lowercase()).map_or("", String::as_str)
    }

    /// `name = "value"`: sqlcmd's own, then others in order of names.
    pub fn lines(&self) -> Vec<String> {
        let is_own = |key: &str| OWN.iter().any(|(own, _)| own.eq_ignore_ascii_case(key));
        let own = OWN.iter().map(|(name, _)| format!("{name} = \"{}\"", self.text(name)));
        let others = self.values.iter().filter(|(key, _)| !is_own(key));
        own.chain(others.map(|(name, value)| format!("{name} = \"{value}\""))).collect()
    }

    fn value(&self, name: &str) -> Option<String> {
        let environment = || std::env::var(name).ok().filter(|_| !self.is_alone);
        self.values.get(&name.to_lowercase()).cloned().or_else(environment)
    }
}

fn check_number(name: &str, value: &str) -> Result<(), String> {
    let Some((_, least)) = NUMBERS.iter().find(|(number, _)| *number == name) else { return Ok(()) };
    match value.trim().parse::<i64>() {
        Ok(number) if number >= *least => Ok(()),
        _ => Err(format!("The environment variable: '{name}' has invalid value: '{value}'.")),
    }
}

/// What `$(…)` can refer to.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "()\"'$".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(options: &[&str]) -> Result<Variables, String> {
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        Variables::of_options(&options, &[("SQLCMDHEADERS", Some("-1".into()))], false, false)
    }

    #[test]
    fn values_are_replaced_without_regard_to_case() {
        let mut variables = of(&["Db=x=y"]).unwrap();
        assert_eq!(variables.replace("$(dB)").unwrap(), "x=y");
        variables.set("DB", None).unwrap();
        assert_eq!(variables.replace("$(dB)").unwrap_err().name, "dB");
        assert_eq!(variables.lines().len(), OWN.len());
        assert_eq!(Variables::of_options(&[], &[], true, false).unwrap().replace("$(a)").unwrap(), "$(a)");
    }

    #[test]
    fn wrong_options_are_reported() {
        for option in ["a", "=1", "a b=1", "$(a)=1"] {
            assert!(of(&[option]).is_err(), "{option}");
        }
    }

    #[test]
    fn own_variables_have_values_that_make_sense() {
        let mut variables = of(&[]).unwrap();
        assert_eq!((variables.number("SQLCMDHEADERS"), variables.number("SQLCMDMAXVARTYPEWIDTH")), (-1, 256));
        variables.set("sqlcmdheaders", Some("5".into())).unwrap();
        assert_eq!(variables.number("SQLCMDHEADERS"), 5);
        variables.set("SQLCMDHEADERS", None).unwrap();
        assert_eq!(variables.number("SQLCMDHEADERS"), 0);
        let wrong = variables.set("SQLCMDCOLWIDTH", Some("wide".into())).unwrap_err();
        assert_eq!(wrong, "The environment variable: 'SQLCMDCOLWIDTH' has invalid value: 'wide'.");
        assert_eq!(
            variables.set("SqlCmdServer", Some("x".into())).unwrap_err(),
            "The scripting variable: 'SQLCMDSERVER' is read-only"
        );
    }
}
