//! The options of FOR JSON and FOR XML as they were written: words, and a name in parentheses after some.

/// An option.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ForOption {
    /// Its words in capitals, with one blank between two.
    pub words: String,
    /// `('name')`
    pub name: Option<String>,
}

impl ForOption {
    /// Of a text; none where what stands in the parentheses is no string.
    pub(super) fn of(text: &str) -> Option<ForOption> {
        let (words, name) = match text.split_once('(') {
            Some((words, rest)) => (words, Some(literal(rest)?)),
            None => (text, None),
        };
        Some(ForOption { words: words.trim().to_ascii_uppercase(), name })
    }
}

/// The text of a string before the last `)`.
fn literal(rest: &str) -> Option<String> {
    let inner = rest.trim_end().strip_suffix(')')?.trim();
    let inner = inner.strip_prefix(['N', 'n']).unwrap_or(inner);
    let inner = inner.strip_prefix('\'')?.strip_suffix('\'')?;
    let is_one = inner.split("''").all(|part| !part.contains('\''));
    is_one.then(|| inner.replace("''", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_names() {
        let of = |text| ForOption::of(text).map(|option| (option.words, option.name));
        assert_eq!(of("elements xsinil"), Some(("ELEMENTS XSINIL".into(), None)));
        assert_eq!(of("Path ( N'a''b(' )"), Some(("PATH".into(), Some("a'b(".into()))));
        assert_eq!(of("path ( '' )"), Some(("PATH".into(), Some(String::new()))));
        for text in ["path ( a )", "path ( 1 )", "path ( 'a' + 'b' )", "path ( )", "path ( ' )", "path ('a'"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
