//! Atomic values: what nodes become where values are needed, and what functions compute.

use std::cmp::Ordering;

use crate::chars::is_space;
use crate::xquery::decimal::Decimal;
use crate::xquery::moment::Moment;

pub use crate::xquery::moment::MomentKind;

/// The type of an atomic value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomKind {
    /// `xs:string`
    String,
    /// `xdt:untypedAtomic`: what a node's text is.
    Untyped,
    /// `xs:integer`, and the smaller ones by the bounds of their values.
    Integer(IntegerKind),
    /// `xs:decimal`
    Decimal,
    /// `xs:double`
    Double,
    /// `xs:float`
    Float,
    /// `xs:boolean`
    Boolean,
    /// `xs:date`, `xs:dateTime`, `xs:time`
    Moment(MomentKind),
    /// `xs:hexBinary`
    Hex,
    /// `xs:base64Binary`
    Base64,
    /// A value of SQL's type `xml`: only `insert` takes it.
    Xml,
}

/// The types of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerKind {
    /// `xs:integer`
    Any,
    /// `xs:long`
    Long,
    /// `xs:int`
    Int,
    /// `xs:short`
    Short,
    /// `xs:byte`
    Byte,
    /// `xs:unsignedLong`
    UnsignedLong,
    /// `xs:unsignedInt`
    UnsignedInt,
    /// `xs:unsignedShort`
    UnsignedShort,
    /// `xs:unsignedByte`
    UnsignedByte,
    /// `xs:nonNegativeInteger`
    NonNegative,
    /// `xs:positiveInteger`
    Positive,
}

const INTEGERS: [(&str, IntegerKind, i128, i128); 11] = [
    ("integer", IntegerKind::Any, i128::MIN, i128::MAX),
    ("long", IntegerKind::Long, i64::MIN as i128, i64::MAX as i128),
    ("int", IntegerKind::Int, i32::MIN as i128, i32::MAX as i128),
    ("short", IntegerKind::Short, i16::MIN as i128, i16::MAX as i128),
    ("byte", IntegerKind::Byte, i8::MIN as i128, i8::MAX as i128),
    ("unsignedLong", IntegerKind::UnsignedLong, 0, u64::MAX as i128),
    ("unsignedInt", IntegerKind::UnsignedInt, 0, u32::MAX as i128),
    ("unsignedShort", IntegerKind::UnsignedShort, 0, u16::MAX as i128),
    ("unsignedByte", IntegerKind::UnsignedByte, 0, u8::MAX as i128),
    ("nonNegativeInteger", IntegerKind::NonNegative, 0, i128::MAX),
    ("positiveInteger", IntegerKind::Positive, 1, i128::MAX),
];

const OTHERS: [(&str, AtomKind); 10] = [
    ("string", AtomKind::String),
    ("decimal", AtomKind::Decimal),
    ("double", AtomKind::Double),
    ("float", AtomKind::Float),
    ("boolean", AtomKind::Boolean),
    ("date", AtomKind::Moment(MomentKind::Date)),
    ("dateTime", AtomKind::Moment(MomentKind::DateTime)),
    ("time", AtomKind::Moment(MomentKind::Time)),
    ("hexBinary", AtomKind::Hex),
    ("base64Binary", AtomKind::Base64),
];

impl AtomKind {
    /// The type of a local name of XML Schema.
    #[must_use]
    pub fn by_name(local: &str) -> Option<AtomKind> {
        let integer = INTEGERS.iter().find(|(name, ..)| *name == local).map(|(_, kind, ..)| AtomKind::Integer(*kind));
        integer.or_else(|| OTHERS.iter().find(|(name, _)| *name == local).map(|(_, kind)| *kind))
    }

    /// The type's name as messages have it.
    #[must_use]
    pub fn name(self) -> String {
        let local = match self {
            AtomKind::Untyped => return "xdt:untypedAtomic".to_owned(),
            AtomKind::Xml => return "xml".to_owned(),
            AtomKind::Integer(kind) => INTEGERS.iter().find(|(_, known, ..)| *known == kind).map(|(name, ..)| *name),
            other => OTHERS.iter().find(|(_, known)| *known == other).map(|(name, _)| *name),
        };
        format!("xs:{}", local.unwrap_or_default())
    }

    /// Whether it is a type of numbers.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        matches!(self, AtomKind::Integer(_) | AtomKind::Decimal | AtomKind::Double | AtomKind::Float)
    }
}

/// An atomic value.
#[derive(Clone, Debug)]
pub enum Atom {
    /// A string.
    String(String),
    /// A node's text.
    Untyped(String),
    /// A whole number.
    Integer(Decimal),
    /// A number with a point.
    Decimal(Decimal),
    /// A float.
    Double(f64),
    /// A truth.
    Boolean(bool),
    /// A date or time.
    Moment(Moment),
    /// Bytes; whether their text is hexadecimal, else base 64.
    Binary(Vec<u8>, bool),
}

impl Atom {
    /// A whole number.
    #[must_use]
    pub fn integer(number: i64) -> Atom {
        Decimal::new(i128::from(number), 0).map_or(Atom::Double(number as f64), Atom::Integer)
    }

    /// The value's text.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Atom::String(text) | Atom::Untyped(text) => text.clone(),
            Atom::Integer(number) | Atom::Decimal(number) => number.to_string(),
            Atom::Double(number) => double_text(*number),
            Atom::Boolean(truth) => truth.to_string(),
            Atom::Moment(moment) => moment.text.clone(),
            Atom::Binary(bytes, true) => bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
            Atom::Binary(bytes, false) => base64(bytes),
        }
    }

    /// The value as a float; none of what is no number.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Atom::String(text) | Atom::Untyped(text) => parse_double(text),
            Atom::Integer(number) | Atom::Decimal(number) => Some(number.to_f64()),
            Atom::Double(number) => Some(*number),
            Atom::Boolean(truth) => Some(f64::from(u8::from(*truth))),
            Atom::Moment(_) | Atom::Binary(..) => None,
        }
    }

    /// The value as one of another type; none where it is not.
    #[must_use]
    pub fn cast(&self, to: AtomKind) -> Option<Atom> {
        let text = || self.text().trim_matches(is_space).to_owned();
        Some(match (to, self) {
            (AtomKind::String, _) => Atom::String(self.text()),
            (AtomKind::Untyped, _) => Atom::Untyped(self.text()),
            (AtomKind::Double, _) => Atom::Double(self.number()?),
            (AtomKind::Float, _) => Atom::Double(f64::from(self.number()? as f32)),
            (AtomKind::Boolean, Atom::Integer(_) | Atom::Decimal(_) | Atom::Double(_)) => {
                Atom::Boolean(self.number().is_some_and(|number| number != 0.0 && !number.is_nan()))
            }
            (AtomKind::Boolean, _) => match &*text() {
                "true" | "1" => Atom::Boolean(true),
                "false" | "0" => Atom::Boolean(false),
                _ => return None,
            },
            (AtomKind::Decimal, Atom::Double(number)) => Atom::Decimal(Decimal::parse(&format!("{number}"))?),
            (AtomKind::Decimal, Atom::Boolean(truth)) => Atom::Decimal(Decimal::new(i128::from(*truth), 0)?),
            (AtomKind::Decimal, _) => Atom::Decimal(Decimal::parse(&text())?),
            (AtomKind::Integer(kind), _) => {
                let number = match self {
                    Atom::Integer(number) | Atom::Decimal(number) => number.trunc(),
                    Atom::Double(number) => Decimal::parse(&format!("{}", number.trunc()))?.trunc(),
                    Atom::Boolean(truth) => i128::from(*truth),
                    _ => Decimal::parse(&text()).filter(|_| !text().contains('.'))?.trunc(),
                };
                let (.., least, most) = INTEGERS.iter().find(|(_, known, ..)| *known == kind)?;
                (*least..=*most).contains(&number).then(|| Decimal::new(number, 0))?.map(Atom::Integer)?
            }
            (AtomKind::Moment(kind), Atom::Moment(moment)) if moment.kind == MomentKind::DateTime => {
                let (date, time) = moment.text.split_once('T')?;
                let part = if kind == MomentKind::Date { date } else { time };
                let part = if kind == MomentKind::DateTime { &moment.text } else { part };
                Atom::Moment(Moment::parse(kind, part)?)
            }
            (AtomKind::Moment(MomentKind::DateTime), Atom::Moment(moment)) if moment.kind == MomentKind::Date => {
                Atom::Moment(Moment::parse(MomentKind::DateTime, &format!("{}T00:00:00", moment.text.get(..10)?))?)
            }
            (AtomKind::Moment(kind), _) => Atom::Moment(Moment::parse(kind, &text())?),
            (AtomKind::Hex, Atom::Binary(bytes, _)) => Atom::Binary(bytes.clone(), true),
            (AtomKind::Base64, Atom::Binary(bytes, _)) => Atom::Binary(bytes.clone(), false),
            (AtomKind::Hex, _) => Atom::Binary(parse_hex(&text())?, true),
            (AtomKind::Base64, _) => Atom::Binary(parse_base64(&text())?, false),
            (AtomKind::Xml, _) => return None,
        })
    }

    /// The order of two values; none where one is not what the other is compared as, and of NaN. What is untyped is a string
    /// beside a string, and a value of the other's type beside any other.
    #[must_use]
    pub fn order(&self, other: &Atom) -> Option<Ordering> {
        use Atom::{Binary, Boolean, Decimal, Double, Integer, Moment, String, Untyped};
        match (self, other) {
            (String(left) | Untyped(left), String(right) | Untyped(right)) => Some(left.cmp(right)),
            (Untyped(_), other) => self.cast(other.compared_as())?.order(other),
            (_, Untyped(_)) => self.order(&other.cast(self.compared_as())?),
            (Integer(left) | Decimal(left), Integer(right) | Decimal(right)) => Some(left.order(*right)),
            (Integer(_) | Decimal(_) | Double(_), Integer(_) | Decimal(_) | Double(_)) => {
                self.number()?.partial_cmp(&other.number()?)
            }
            (Boolean(left), Boolean(right)) => Some(left.cmp(right)),
            (Moment(left), Moment(right)) if left.kind == right.kind => Some(left.ticks.cmp(&right.ticks)),
            (Binary(left, _), Binary(right, _)) => Some(left.cmp(right)),
            _ => None,
        }
    }

    fn compared_as(&self) -> AtomKind {
        match self {
            Atom::String(_) | Atom::Untyped(_) => AtomKind::String,
            Atom::Integer(_) | Atom::Decimal(_) | Atom::Double(_) => AtomKind::Double,
            Atom::Boolean(_) => AtomKind::Boolean,
            Atom::Moment(moment) => AtomKind::Moment(moment.kind),
            Atom::Binary(_, is_hex) => {
                if *is_hex {
                    AtomKind::Hex
                } else {
                    AtomKind::Base64
                }
            }
        }
    }
}

/// A float as XPath writes it: with an exponent from a million on and below a millionth.
fn double_text(number: f64) -> String {
    let size = number.abs();
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    if number == 0.0 || (1e-6..1e6).contains(&size) {
        return format!("{number}");
    }
    let text = format!("{number:E}");
    let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    format!("{mantissa}{point}E{exponent}")
}

fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim_matches(is_space);
    match text {
        "INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        // Rust reads words too.
        _ if text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) => {
            text.parse().ok()
        }
        _ => None,
    }
}

fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let sign = BASE64[(word >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    text
}

fn parse_base64(text: &str) -> Option<Vec<u8>> {
    let signs: Vec<u8> = text.bytes().filter(|byte| !is_space(char::from(*byte))).collect();
    let body = signs.strip_suffix(b"==").or_else(|| signs.strip_suffix(b"=")).unwrap_or(&signs);
    if !signs.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(signs.len() / 4 * 3);
    for chunk in body.chunks(4) {
        let mut word = 0u32;
        for sign in chunk {
            let place = BASE64.iter().position(|known| known == sign)?;
            word = word << 6 | u32::try_from(place).ok()?;
        }
        word <<= 6 * (4 - chunk.len());
        bytes.extend(word.to_be_bytes()[1..].iter().take(chunk.len() - 1));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_exponents_far_from_one() {
        for (number, text) in [
            (0.0, "0"),
            (6.0, "6"),
            (-1.5, "-1.5"),
            (999_999.0, "999999"),
            (1e6, "1.0E6"),
            (1.25e-7, "1.25E-7"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-INF"),
        ] {
            assert_eq!(Atom::Double(number).text(), text);
        }
    }

    #[test]
    fn bytes_have_two_texts() {
        for (bytes, hex, base) in
            [(&b""[..], "", ""), (b"a", "61", "YQ=="), (b"ab", "6162", "YWI="), (b"\xFF\0\x01", "FF0001", "/wAB")]
        {
            assert_eq!(Atom::Binary(bytes.to_vec(), true).text(), hex);
            assert_eq!(Atom::Binary(bytes.to_vec(), false).text(), base);
            assert_eq!(parse_base64(base).as_deref(), Some(bytes));
            assert_eq!(parse_hex(hex).as_deref(), Some(bytes));
        }
        assert!(parse_hex("6").is_none() && parse_hex("6g").is_none());
        assert!(parse_base64("YQ=").is_none() && parse_base64("Y===").is_none() && parse_base64("é===").is_none());
    }

    #[test]
    fn casts_are_values_or_nothing() {
        let cast = |text: &str, kind| Atom::Untyped(text.to_owned()).cast(kind).map(|atom| atom.text());
        assert_eq!(cast(" 12 ", AtomKind::Integer(IntegerKind::Int)).as_deref(), Some("12"));
        assert_eq!(cast("1.5", AtomKind::Integer(IntegerKind::Int)), None);
        assert_eq!(cast("2147483648", AtomKind::Integer(IntegerKind::Int)), None);
        assert_eq!(cast("-1", AtomKind::Integer(IntegerKind::UnsignedByte)), None);
        assert_eq!(cast("x", AtomKind::Double), None);
        assert_eq!(cast("true", AtomKind::Boolean).as_deref(), Some("true"));
        assert_eq!(cast("yes", AtomKind::Boolean), None);
        assert_eq!(cast("2001-05-20", AtomKind::Moment(MomentKind::Date)).as_deref(), Some("2001-05-20"));
    }
}
