//! Names and values as forms and addresses have them: `a=1&b=two+words%21`.
//!
//! What always holds: any text is read without failing; what is no UTF-8 after decoding has U+FFFD in its place.

/// The value of the first pair of a name.
pub fn value(text: &str, name: &str) -> Option<String> {
    let pairs = text.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs
        .map(|(key, value)| (decoded(key, true), value))
        .find(|(key, _)| key == name)
        .map(|(_, value)| decoded(value, true))
}

/// `%41` is `A`; in forms `+` is a blank.
pub fn decoded(text: &str, is_form: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        let code = pair.filter(|_| *byte == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (byte, code) {
            (_, Some(code)) => {
                out.push(code);
                at += 2;
            }
            (b'+', None) if is_form => out.push(b' '),
            (byte, None) => out.push(*byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The text for a place in HTML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            sign => out.push(sign),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded() {
        let text = "name=O%27Neil+%26+Co&password=a%2Bb%3D%c3%a9&empty=&flag&name=second";
        assert_eq!(value(text, "name").as_deref(), Some("O'Neil & Co"));
        assert_eq!(value(text, "password").as_deref(), Some("a+b=é"));
        assert_eq!((value(text, "empty").as_deref(), value(text, "flag").as_deref()), (Some(""), Some("")));
        assert_eq!(value(text, "other"), None);
        for (text, expected) in
            [("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%ff", "\u{fffd}"), ("a+b", "a+b"), ("%é", "%é")]
        {
            assert_eq!(decoded(text, false), expected);
        }
    }

    #[test]
    fn html_has_entities() {
        assert_eq!(escaped("<script>\"'&"), "&lt;script&gt;&quot;&#39;&amp;");
    }
}
