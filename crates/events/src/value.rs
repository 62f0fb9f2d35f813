//! The value of a field or an action, and how it stands in XML.
//!
//! What always holds: a text that holds a part of another one is cut out of it when a record is kept ([`Value::kept`]), so that a
//! record does not keep a batch of megabytes for a statement of it; what XML cannot hold is left out of texts.

use std::fmt::Write;
use std::sync::Arc;

use millpond_xml::chars::is_xml_char;
use millpond_xml::write::escape_text;

/// Characters of a text that a record keeps.
pub const TEXT_CHARS_MAX: usize = 256 << 10;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// It is not known, or was not asked for.
    Null,
    /// A whole number.
    Int(i64),
    /// One without a sign.
    UInt(u64),
    /// A truth value.
    Bool(bool),
    /// A key of a map, and what it means there.
    Map(u32, &'static str),
    /// A text.
    Text(Arc<str>),
    /// The bytes `from..to` of a text.
    Part(Arc<str>, usize, usize),
    /// A place in a text, which is shown as bytes of UTF-16: counted only where it is asked for.
    Offset(Arc<str>, usize),
    /// Bytes.
    Binary(Box<[u8]>),
    /// A piece of XML.
    Xml(Arc<str>),
    /// Microseconds of UTC since 1970.
    Time(i64),
}

impl Value {
    /// A text.
    #[must_use]
    pub fn text(text: &str) -> Value {
        Value::Text(Arc::from(text))
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Xml(text) => Some(text),
            Value::Part(text, from, to) => text.get(*from..*to),
            _ => None,
        }
    }

    /// The number, if it is one; a truth value and a key of a map are.
    #[must_use]
    pub fn as_number(&self) -> Option<i128> {
        match self {
            Value::Int(number) => Some(i128::from(*number)),
            Value::UInt(number) => Some(i128::from(*number)),
            Value::Bool(truth) => Some(i128::from(*truth)),
            Value::Map(key, _) => Some(i128::from(*key)),
            Value::Time(us) => Some(i128::from(*us)),
            Value::Offset(text, at) => {
                let units = text.get(..*at).map_or(0, |text| text.encode_utf16().count());
                i128::try_from(units * 2).ok()
            }
            _ => None,
        }
    }

    /// The same without anything that it does not need.
    #[must_use]
    pub fn kept(self) -> Value {
        let text = match &self {
            Value::Offset(..) => {
                let number = self.as_number().and_then(|number| i64::try_from(number).ok());
                return Value::Int(number.unwrap_or(0));
            }
            Value::Part(..) => self.as_str().unwrap_or_default(),
            Value::Text(text) if text.len() > TEXT_CHARS_MAX => text,
            _ => return self,
        };
        Value::text(&text[..text.floor_char_boundary(TEXT_CHARS_MAX)])
    }

    /// About how much memory it takes beside itself.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Value::Binary(bytes) => bytes.len(),
            other => other.as_str().map_or(0, str::len),
        }
    }

    /// Writes it as the content of `<value>`, and of `<text>` where it has one.
    pub(crate) fn write(&self, out: &mut String) {
        out.push_str("<value>");
        let _ = match self {
            Value::Null => Ok(()),
            Value::Offset(..) => write!(out, "{}", self.as_number().unwrap_or(0)),
            Value::Int(number) => write!(out, "{number}"),
            Value::UInt(number) => write!(out, "{number}"),
            Value::Bool(truth) => write!(out, "{truth}"),
            Value::Map(key, _) => write!(out, "{key}"),
            Value::Xml(xml) => out.write_str(xml),
            Value::Text(_) | Value::Part(..) => {
                write_text(self.as_str().unwrap_or_default(), out);
                Ok(())
            }
            Value::Binary(bytes) => bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}")),
            Value::Time(us) => out.write_str(&iso_time(*us)),
        };
        out.push_str("</value>");
        if let Value::Map(_, text) = self {
            out.push_str("<text>");
            write_text(text, out);
            out.push_str("</text>");
        }
    }

    /// As histograms show it.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Value::Text(_) | Value::Part(..) | Value::Xml(_) => self.as_str().unwrap_or_default().to_owned(),
            Value::Binary(bytes) => bytes.iter().fold(String::new(), |mut shown, byte| {
                let _ = write!(shown, "{byte:02x}");
                shown
            }),
            other => other.as_number().map_or_else(String::new, |number| number.to_string()),
        }
    }
}

/// Writes a text as the content of an element, without what XML cannot hold.
pub(crate) fn write_text(text: &str, out: &mut String) {
    match text.chars().all(is_xml_char) {
        true => escape_text(text, out),
        false => escape_text(&text.chars().filter(|c| is_xml_char(*c)).collect::<String>(), out),
    }
}

/// Microseconds of UTC since 1970 as `2026-12-01T01:02:03.456Z`.
#[must_use]
pub fn iso_time(utc_us: i64) -> String {
    let ms = utc_us.div_euclid(1000);
    let (days, ms) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    // Days to a date of the Gregorian calendar, by eras of 400 years that begin in March.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_of_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_of_march + 2) / 5 + 1;
    let month = if month_of_march < 10 { month_of_march + 3 } else { month_of_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(iso_time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso_time(951_782_399_999_999), "2000-02-28T23:59:59.999Z");
        assert_eq!(iso_time(951_868_800_000_000), "2000-03-01T00:00:00.000Z");
        assert_eq!(iso_time(-1), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn texts_with_signs_of_xml_and_characters_that_it_has_not_stay_well_formed() {
        let mut out = String::new();
        Value::text("a<b>&\"'\u{0}\u{1}\u{fffe}]]>").write(&mut out);
        let document = millpond_xml::parse::parse(
            &out,
            millpond_xml::parse::Options::default(),
            &mut millpond_xml::budget::Unbounded,
        );
        assert!(document.is_ok(), "{out}");
        assert!(out.starts_with("<value>a&lt;b&gt;&amp;"), "{out}");
    }

    #[test]
    fn a_part_is_cut_out_of_its_text() {
        let whole: Arc<str> = Arc::from("select 1; select 2");
        let part = Value::Part(Arc::clone(&whole), 10, 18);
        assert_eq!((part.as_str(), part.clone().kept()), (Some("select 2"), Value::text("select 2")));
        assert_eq!(Value::Part(Arc::clone(&whole), 10, 99).as_str(), None);
        assert_eq!(Value::Offset(whole, 10).kept(), Value::Int(20));
    }
}
