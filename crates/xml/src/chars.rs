//! The characters of XML 1.0: which may stand in a document, which in names.

/// White space of XML.
#[must_use]
pub const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// Whether a text is white space alone; an empty one is.
#[must_use]
pub fn is_all_space(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// Whether a character may stand in a document.
#[must_use]
pub const fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Whether a name without colon may begin with a character.
#[must_use]
pub const fn is_name_start(c: char) -> bool {
    matches!(c,
        'A'..='Z' | 'a'..='z' | '_' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

/// Whether a character may stand in a name without colon.
#[must_use]
pub const fn is_name_char(c: char) -> bool {
    is_name_start(c) || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Whether a text is a name without colon.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_name_start) && chars.all(is_name_char)
}

/// Bytes of the name without colon that a text begins with.
#[must_use]
pub fn name_len(text: &str) -> usize {
    if !text.starts_with(is_name_start) {
        return 0;
    }
    text.find(|c| !is_name_char(c)).unwrap_or(text.len())
}

/// Where the first character stands that no document may have.
#[must_use]
pub fn illegal_char(text: &str) -> Option<usize> {
    let suspicious = |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r') || byte == 0xEF;
    if !text.bytes().any(suspicious) {
        return None;
    }
    text.char_indices().find(|(_, c)| !is_xml_char(*c)).map(|(at, _)| at)
}
