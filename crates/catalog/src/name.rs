//! Names of objects: which are the same, under the default collation.

use millpond_types::collation::Collation;

/// Whether two identifiers are the same name under the default collation.
#[must_use]
pub fn names_equal(a: &str, b: &str) -> bool {
    plainly_equal(a.as_bytes(), b.as_bytes())
        .unwrap_or_else(|| millpond_types::collation::compare(a, b, Collation::LATIN1_CI_AS).is_eq())
}

/// Whether two names are the same as far as ASCII letters, digits and underscores say, which are never equal to anything but
/// themselves in the other case; `None` where something else decides.
fn plainly_equal(a: &[u8], b: &[u8]) -> Option<bool> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    for (one, other) in a.iter().zip(b) {
        match (is_plain(*one), is_plain(*other)) {
            (true, true) if one.eq_ignore_ascii_case(other) => {}
            (true, true) => return Some(false),
            _ if one == other && one.is_ascii() => {}
            _ => return None,
        }
    }
    let longer = if a.len() > b.len() { a } else { b };
    match longer.get(a.len().min(b.len())) {
        None => Some(true),
        Some(next) if is_plain(*next) => Some(false),
        Some(_) => None,
    }
}

/// Whether a name is that of a temporary object of one session: `#t`.
#[must_use]
pub fn is_local_temporary(name: &str) -> bool {
    name.starts_with('#') && !is_global_temporary(name)
}

/// Whether a name is that of a temporary object that all sessions see: `##t`. Whatever database and schema are said with it,
/// it is in tempdb, in dbo.
#[must_use]
pub fn is_global_temporary(name: &str) -> bool {
    name.starts_with("##")
}

/// The form of a name under which maps keep it: equal names have equal forms.
#[must_use]
pub fn name_key(name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(name.len() * 2);
    millpond_types::collation::sort_key(name, Collation::LATIN1_CI_AS, &mut key);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_equal_as_the_collation_says() {
        let names = [
            "", " ", "a", "A", "a ", "a  ", " a", "b", "ab", "aB", "a_b", "a-b", "a b", "a b ", "a'b", "a\u{1}b",
            "a\u{1}", "ä", "Ä", "aä", "AÄ", "ß", "ss", "sS", "æ", "ae", "é", "e\u{301}", "e", "#t", "#T", "@v", "@V",
            "[", "_", "__", "1", "01", "a.b", "A.B", "ab-", "ab'", "İ", "i", "I", "ı", "K", "k", "\u{212a}", "ａ",
            "x\u{301}", "x",
        ];
        for a in names {
            for b in names {
                let by_collation = millpond_types::collation::compare(a, b, Collation::LATIN1_CI_AS).is_eq();
                assert_eq!(names_equal(a, b), by_collation, "{a:?} {b:?}");
                assert_eq!(name_key(a) == name_key(b), by_collation, "{a:?} {b:?}, keys");
            }
        }
    }
}
