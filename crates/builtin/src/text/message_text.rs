//! Texts with places for values, as RAISERROR and FORMATMESSAGE take them; FORMATMESSAGE.
//!
//! ```text
//! place     = "%" { flag } [ width ] [ "." precision ] [ "h" | "l" | "I64" ] type | "%%"
//! flag      = "-" | "+" | "0" | "#" | " "
//! width     = digits | "*"       "*" takes an argument, which is an integer
//! precision = digits | "*"
//! type      = "d" | "i" | "u" | "o" | "x" | "X" | "s"
//! ```
//! A value without an argument, or NULL, is `(null)`.

use millpond_catalog::run::Run;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{MaxLen, SqlType, Value, Watch};

use crate::FunctionDef;
use crate::Signature;
use crate::args::{nullable, nvarchar};
use crate::define::fixed;

/// Longest text, in UTF-16 units.
const UNITS_MAX: u16 = 2047;
/// What stands for the rest of a text that is too long.
const ELLIPSIS: &str = "...";
/// Widths and precisions beyond it are cut to it.
const WIDTH_MAX: usize = UNITS_MAX as usize;

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] =
    &[fixed("FORMATMESSAGE", (1, 21), bind, |run, args, _, _| formatted(run, args))];

/// A text, or that of a message by its number; NULL for a number that no message has, or one of an error that RAISERROR does
/// not take.
fn formatted(run: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let text = match &args[0] {
        Value::Str(text) => text.as_str(),
        number => {
            let number = number.as_i64().and_then(|number| i32::try_from(number).ok());
            let Some(number) = number else { return Ok(Value::Null) };
            match millpond_message::numbered(number) {
                Some(row) => row.text,
                None => {
                    let language = run.facts().settings.language.facts().message_lcid;
                    let Some((message, english)) = run.catalog().user_message(number, language) else {
                        return Ok(Value::Null);
                    };
                    let text = in_language(run.watch(), &message.text, &english, &args[1..])?;
                    return Ok(Value::str(&text));
                }
            }
        }
    };
    Ok(Value::str(&format_message(run.watch(), text, &args[1..])?))
}

fn bind(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let params = types.iter().map(|ty| ty.unwrap_or(SqlType::NVarChar { len: MaxLen::Limited(1) })).collect();
    nullable(params, nvarchar(UNITS_MAX + 1))
}

/// The text of a message with its values: `%1!` is the first place of the English text with its value, whatever stands between.
///
/// # Errors
/// Those of [`format_message`].
pub fn in_language(watch: Watch<'_>, text: &str, english: &str, args: &[Value]) -> SqlResult<String> {
    let numbered = |rest: &str| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..digits].parse::<usize>().ok().filter(|number| *number > 0);
        number.filter(|_| rest[digits..].starts_with('!')).map(|number| (number, digits + 1))
    };
    let has_numbers = text.match_indices('%').any(|(at, _)| numbered(&text[at + 1..]).is_some());
    if !has_numbers {
        return format_message(watch, text, args);
    }
    let places = places(english);
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
        } else if let Some((number, length)) = numbered(rest) {
            let place = places.get(number - 1).copied().unwrap_or("%s");
            let value = args.get(number - 1).map(std::slice::from_ref).unwrap_or_default();
            out.push_str(&format_message(watch, place, value)?);
            rest = &rest[length..];
        } else {
            out.push('%');
        }
    }
    out.push_str(rest);
    Ok(shortened(out))
}

/// The places of a text, each as it is written.
fn places(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('%') {
        rest = &rest[at..];
        let length = if rest[1..].starts_with('%') {
            2
        } else {
            let end = rest[1..].find(|c: char| "diuoxXs".contains(c)).map_or(rest.len(), |end| end + 2);
            found.push(&rest[..end]);
            end
        };
        rest = &rest[length..];
    }
    found
}

/// A text that is too long ends with an ellipsis; a character of two units is not split.
fn shortened(text: String) -> String {
    let most = usize::from(UNITS_MAX);
    if text.encode_utf16().nth(most).is_none() {
        return text;
    }
    let mut units = 0;
    let kept = text.chars().take_while(|c| {
        units += c.len_utf16();
        units + ELLIPSIS.len() <= most
    });
    kept.chain(ELLIPSIS.chars()).collect()
}

/// A text with its values, as RAISERROR sends it: not longer than a message may be.
///
/// # Errors
/// 2786, 2787 for an argument that does not fit its place, or for what is no place, and the cancellation.
pub fn format_message(watch: Watch<'_>, format: &str, args: &[Value]) -> SqlResult<String> {
    let mut arguments = Arguments { values: args, taken: 0 };
    let mut out = String::with_capacity(format.len());
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        watch.check()?;
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let (place, after) = Placeholder::read(rest, &mut arguments)?;
        out.push_str(&place.filled(&mut arguments)?);
        rest = after;
    }
    out.push_str(rest);
    Ok(shortened(out))
}

/// The values that are left.
struct Arguments<'a> {
    values: &'a [Value],
    taken: usize,
}

impl Arguments<'_> {
    fn next(&mut self) -> &Value {
        self.taken += 1;
        self.values.get(self.taken - 1).unwrap_or(&Value::Null)
    }

    /// 2786 for the argument that was taken last.
    fn mismatch(&self) -> SqlError {
        SqlError::of(2786, 1, &[&self.taken])
    }

    /// A width or precision that a `*` stands for.
    fn number(&mut self) -> SqlResult<i64> {
        let number = self.next().as_i64();
        number.ok_or_else(|| self.mismatch())
    }
}

/// Bits of the integer that a place shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Short,
    Int,
    Big,
}

/// A place for a value.
struct Placeholder {
    left: bool,
    plus: bool,
    zero: bool,
    hash: bool,
    blank: bool,
    width: usize,
    precision: Option<usize>,
    size: Size,
    kind: char,
}

impl Placeholder {
    /// Reads what follows a `%`, and gives what follows it.
    fn read<'f>(format: &'f str, arguments: &mut Arguments<'_>) -> SqlResult<(Placeholder, &'f str)> {
        let mut place = Placeholder {
            left: false,
            plus: false,
            zero: false,
            hash: false,
            blank: false,
            width: 0,
            precision: None,
            size: Size::Int,
            kind: ' ',
        };
        let mut rest = format;
        while let Some(flag) = rest.chars().next().filter(|flag| "-+0# ".contains(*flag)) {
            match flag {
                '-' => place.left = true,
                '+' => place.plus = true,
                '0' => place.zero = true,
                '#' => place.hash = true,
                _ => place.blank = true,
            }
            rest = &rest[1..];
        }
        let (width, after) = number(rest, arguments)?;
        // A negative width is a flag and a width.
        place.left |= width.is_some_and(|width| width < 0);
        place.width = bounded(width.unwrap_or(0).unsigned_abs());
        rest = after;
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = number(after, arguments)?;
            // A negative precision is none.
            place.precision = u64::try_from(precision.unwrap_or(0)).ok().map(bounded);
            rest = after;
        }
        for (prefix, size) in [("I64", Size::Big), ("h", Size::Short), ("l", Size::Int)] {
            if let Some(after) = rest.strip_prefix(prefix) {
                (place.size, rest) = (size, after);
                break;
            }
        }
        match rest.chars().next().filter(|kind| "diuoxXs".contains(*kind)) {
            Some(kind) => place.kind = kind,
            None => {
                let end = format.len() - rest.len() + rest.chars().next().map_or(0, char::len_utf8);
                return Err(SqlError::of(2787, 1, &[&format_args!("%{}", &format[..end])]));
            }
        }
        Ok((place, &rest[1..]))
    }

    /// The next argument in this place.
    fn filled(&self, arguments: &mut Arguments<'_>) -> SqlResult<String> {
        let (sign, digits) = match (arguments.next(), self.kind) {
            (Value::Null, _) => return Ok(self.padded("", self.cut("(null)"), false)),
            (Value::Str(text), 's') => return Ok(self.padded("", self.cut(text), false)),
            (value, kind) => match integer_of(value) {
                Some(number) if kind != 's' && self.holds(number) => self.digits(number),
                _ => return Err(arguments.mismatch()),
            },
        };
        let least = self.precision.unwrap_or(1);
        let digits = format!("{digits:0>least$}");
        Ok(self.padded(sign, digits, self.zero && self.precision.is_none()))
    }

    /// Whether a number is one that the place shows without loss: only `I64` shows more than 32 bits.
    fn holds(&self, number: i64) -> bool {
        self.size == Size::Big
            || i32::try_from(number).is_ok()
            || u32::try_from(number).is_ok() && !matches!(self.kind, 'd' | 'i')
    }

    fn cut(&self, text: &str) -> String {
        text.chars().take(self.precision.unwrap_or(usize::MAX)).collect()
    }

    /// What stands before the digits of a number, and they.
    fn digits(&self, number: i64) -> (&'static str, String) {
        let signed = match self.size {
            Size::Short => i64::from(number as i16),
            Size::Int => i64::from(number as i32),
            Size::Big => number,
        };
        let unsigned = match self.size {
            Size::Short => u64::from(number as u16),
            Size::Int => u64::from(number as u32),
            Size::Big => number.cast_unsigned(),
        };
        let marked = self.hash && unsigned != 0;
        match self.kind {
            'd' | 'i' => {
                let sign = match signed {
                    ..0 => "-",
                    _ if self.plus => "+",
                    _ if self.blank => " ",
                    _ => "",
                };
                (sign, signed.unsigned_abs().to_string())
            }
            'o' => (if marked { "0" } else { "" }, format!("{unsigned:o}")),
            'x' => (if marked { "0x" } else { "" }, format!("{unsigned:x}")),
            'X' => (if marked { "0X" } else { "" }, format!("{unsigned:X}")),
            _ => ("", unsigned.to_string()),
        }
    }

    fn padded(&self, sign: &str, body: String, with_zeros: bool) -> String {
        let missing = self.width.saturating_sub(sign.len() + body.chars().count());
        match (self.left, with_zeros) {
            (true, _) => format!("{sign}{body}{:missing$}", ""),
            (false, true) => format!("{sign}{:0>missing$}{body}", ""),
            (false, false) => format!("{:missing$}{sign}{body}", ""),
        }
    }
}

/// Digits, or the argument that a `*` stands for; none where there is neither.
fn number<'f>(format: &'f str, arguments: &mut Arguments<'_>) -> SqlResult<(Option<i64>, &'f str)> {
    if let Some(after) = format.strip_prefix('*') {
        return Ok((Some(arguments.number()?), after));
    }
    let len = format.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, after) = format.split_at(len);
    let number = if digits.is_empty() { None } else { Some(digits.parse().unwrap_or(i64::MAX)) };
    Ok((number, after))
}

/// An integer, also one that is written with more digits than `int` has.
fn integer_of(value: &Value) -> Option<i64> {
    match value {
        Value::Decimal(decimal) if decimal.scale == 0 => i64::try_from(decimal.unscaled).ok(),
        value => value.as_i64(),
    }
}

fn bounded(number: u64) -> usize {
    usize::try_from(number).unwrap_or(WIDTH_MAX).min(WIDTH_MAX)
}
