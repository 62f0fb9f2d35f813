//! Names and texts inside of statements, as QUOTENAME writes them.
//!
//! What always holds: whatever a name has in it, the result is one token of T-SQL.

/// `[name]`, with `]` doubled.
#[must_use]
pub fn name(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// `N'text'`, with `'` doubled.
#[must_use]
pub fn text(text: &str) -> String {
    format!("N'{}'", text.replace('\'', "''"))
}

/// The names of a list as `[a], [b]]c]`; what is no such list gives the names that come before the fault.
#[must_use]
pub fn names_of(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = list.chars().peekable();
    while rest.by_ref().any(|char| char == '[') {
        let mut name = String::new();
        while let Some(char) = rest.next() {
            if char != ']' {
                name.push(char);
            } else if rest.next_if_eq(&']').is_some() {
                name.push(']');
            } else {
                names.push(std::mem::take(&mut name));
                break;
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_stay_one_token() {
        assert_eq!(name("a]; drop table t--"), "[a]]; drop table t--]");
        assert_eq!(text("O'Neil"), "N'O''Neil'");
    }

    #[test]
    fn lists_are_read_back() {
        assert_eq!(names_of("[a], [b]]c], [d,e]"), ["a", "b]c", "d,e"]);
        assert_eq!(names_of("[a], [b"), ["a"]);
        assert!(names_of("").is_empty());
    }
}
