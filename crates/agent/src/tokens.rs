//! Tokens in the commands of job steps: `$(ESCAPE_SQUOTE(JOBID))` and its kin.

/// What tokens stand for in a run of a step.
pub(crate) struct Tokens<'t> {
    /// Name of each, in upper case, and its value.
    pub values: &'t [(&'t str, String)],
}

impl Tokens<'_> {
    /// The command with its tokens replaced; what is no token that is known stays as it is.
    pub(crate) fn replaced(&self, command: &str) -> String {
        let mut replaced = String::with_capacity(command.len());
        let mut rest = command;
        while let Some(at) = rest.find("$(") {
            replaced.push_str(&rest[..at]);
            let token = &rest[at..];
            match self.value(token) {
                Some((value, len)) => {
                    replaced.push_str(&value);
                    rest = &token[len..];
                }
                None => {
                    replaced.push_str("$(");
                    rest = &token[2..];
                }
            }
        }
        replaced.push_str(rest);
        replaced
    }

    /// The value of the token that a text begins with, and how long it is there.
    fn value(&self, text: &str) -> Option<(String, usize)> {
        let inner = &text[2..];
        let end = inner.find(')')?;
        let of = |name: &str| {
            let known = self.values.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
            known.map(|(_, value)| value.clone())
        };
        let Some((escape, name)) = inner[..end].split_once('(') else {
            // What an error says may be anybody's: it stands in a command only as that says it is to be escaped.
            if inner.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("A-")) {
                return None;
            }
            return Some((of(&inner[..end])?, 2 + end + 1));
        };
        let doubled = match escape.trim().to_ascii_uppercase().as_str() {
            "ESCAPE_SQUOTE" => Some('\''),
            "ESCAPE_DQUOTE" => Some('"'),
            "ESCAPE_RBRACKET" => Some(']'),
            "ESCAPE_NONE" => None,
            _ => return None,
        };
        if !inner[end + 1..].starts_with(')') {
            return None;
        }
        let value = of(name)?;
        let value = doubled.map_or(value.clone(), |sign| value.replace(sign, &format!("{sign}{sign}")));
        Some((value, 2 + end + 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_replaced_and_all_else_stays() {
        let values = [("JOBNAME", "o'clock".to_owned()), ("STEPID", "2".to_owned()), ("A-MSG", "it's".to_owned())];
        let tokens = Tokens { values: &values };
        let cases = [
            ("SELECT '$(ESCAPE_SQUOTE(JOBNAME))', $(stepid)", "SELECT 'o''clock', 2"),
            ("$(ESCAPE_NONE(JOBNAME))$(ESCAPE_RBRACKET(StepId))", "o'clock2"),
            (
                "$(unknown) $( $(ESCAPE_OTHER(JOBNAME)) $(ESCAPE_NONE(JOBNAME",
                "$(unknown) $( $(ESCAPE_OTHER(JOBNAME)) $(ESCAPE_NONE(JOBNAME",
            ),
            ("$(A-MSG) $(a-msg) $(ESCAPE_SQUOTE(A-MSG))", "$(A-MSG) $(a-msg) it''s"),
            ("costs $(5) or $", "costs $(5) or $"),
        ];
        for (command, expected) in cases {
            assert_eq!(tokens.replaced(command), expected);
        }
    }
}
