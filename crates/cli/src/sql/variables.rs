//! Scripting variables: `$(name)` is what `:setvar` or `-v` said, else what the environment says.

use std::collections::BTreeMap;

use millpond_tsql::batch::{MissingVariable, substitute};

/// Names, compared without regard to case, and their values.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    values: BTreeMap<String, String>,
    /// `-x`: nothing is replaced.
    is_off: bool,
}

impl Variables {
    /// The variables of `-v name=value`.
    ///
    /// # Errors
    /// What is not `name=value`.
    pub fn of_options(options: &[String], is_off: bool) -> Result<Variables, String> {
        let mut variables = Variables { values: BTreeMap::new(), is_off };
        for option in options {
            let (name, value) = option.split_once('=').ok_or_else(|| format!("-v takes name=value, not '{option}'"))?;
            if !is_name(name) {
                return Err(format!("-v: '{name}' is not a name"));
            }
            variables.set(name, Some(value.to_owned()));
        }
        Ok(variables)
    }

    /// Sets a variable, or removes it.
    pub fn set(&mut self, name: &str, value: Option<String>) {
        let key = name.to_lowercase();
        match value {
            Some(value) => self.values.insert(key, value),
            None => self.values.remove(&key),
        };
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

    /// `name = "value"`, in order of names.
    pub fn lines(&self) -> Vec<String> {
        self.values.iter().map(|(name, value)| format!("{name} = \"{value}\"")).collect()
    }

    fn value(&self, name: &str) -> Option<String> {
        self.values.get(&name.to_lowercase()).cloned().or_else(|| std::env::var(name).ok())
    }
}

/// What `$(…)` can refer to.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "()\"'$".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_replaced_without_regard_to_case() {
        let mut variables = Variables::of_options(&["Db=x=y".into()], false).unwrap();
        assert_eq!(variables.replace("$(dB)").unwrap(), "x=y");
        variables.set("DB", None);
        assert_eq!(variables.replace("$(dB)").unwrap_err().name, "dB");
        assert!(variables.lines().is_empty());
        assert_eq!(Variables::of_options(&[], true).unwrap().replace("$(a)").unwrap(), "$(a)");
    }

    #[test]
    fn wrong_options_are_reported() {
        for option in ["a", "=1", "a b=1", "$(a)=1"] {
            assert!(Variables::of_options(&[option.into()], false).is_err(), "{option}");
        }
    }
}
