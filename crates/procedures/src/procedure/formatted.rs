//! `xp_sprintf` and `xp_sscanf`: texts made by a format, and read by one, of which `%s` alone is known.

use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use super::named::varchar;

/// A text that C's functions take.
const TEXT: SqlType = varchar(8000);

/// Both procedures' parameters: what follows the format has no names that anybody says.
macro_rules! parameters {
    ($($number:literal)*) => {
        &[("@string", TEXT), ("@format", TEXT), $((concat!("@argument", $number), TEXT)),*]
    };
}

const PARAMETERS: &[(&str, SqlType)] = parameters!(
    1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50
);

/// `xp_sprintf @text OUTPUT, 'format' [, 'argument' …]`
pub static XP_SPRINTF: ProcedureDef = ProcedureDef { name: "xp_sprintf", params: PARAMETERS, run: print };

/// `xp_sscanf 'text', 'format' [, @argument OUTPUT …]`
pub static XP_SSCANF: ProcedureDef = ProcedureDef { name: "xp_sscanf", params: PARAMETERS, run: scan };

fn print(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let Some(format) = text_at(call, 1) else { return Ok(invalid(call)) };
    let mut given = (2..call.args.len()).map(|index| text_at(call, index).unwrap_or_default());
    let (mut made, mut rest) = (String::new(), format.as_str());
    while let Some((before, after)) = rest.split_once('%') {
        made.push_str(before);
        rest = match after.strip_prefix('s') {
            Some(after) => {
                made.push_str(&given.next().unwrap_or_default());
                after
            }
            // A sign after it stands for itself.
            None => {
                let sign = after.chars().next().unwrap_or('%');
                made.push(sign);
                after.strip_prefix(sign).unwrap_or_default()
            }
        };
    }
    made.push_str(rest);
    put(call, 0, &made)?;
    Ok(0)
}

fn scan(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let (Some(format), Some(text)) = (text_at(call, 1), text_at(call, 0)) else { return Ok(invalid(call)) };
    for (index, found) in (2..call.args.len()).zip(scanned(&text, &format)) {
        put(call, index, found)?;
    }
    Ok(0)
}

/// The words that stand where the format has `%s`, up to the first place that differs: blanks of the format are any number of
/// blanks, and a word ends at a blank.
fn scanned<'a>(text: &'a str, format: &str) -> Vec<&'a str> {
    let (mut found, mut left) = (Vec::new(), text);
    let mut signs = format.chars().peekable();
    while let Some(sign) = signs.next() {
        if sign.is_ascii_whitespace() {
            left = left.trim_ascii_start();
        } else if sign == '%' && signs.peek() == Some(&'s') {
            signs.next();
            left = left.trim_ascii_start();
            let end = left.find(|sign: char| sign.is_ascii_whitespace()).unwrap_or(left.len());
            if end == 0 {
                break;
            }
            found.push(&left[..end]);
            left = &left[end..];
        } else {
            let sign = if sign == '%' { signs.next().unwrap_or('%') } else { sign };
            match left.strip_prefix(sign) {
                Some(after) => left = after,
                None => break,
            }
        }
    }
    found
}

fn text_at(call: &SystemCall<'_>, index: usize) -> Option<String> {
    match call.positional(index)? {
        Value::Str(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Gives a text to an OUTPUT argument; one without OUTPUT stays as it is.
fn put(call: &mut SystemCall<'_>, index: usize, text: &str) -> SqlResult<()> {
    call.give(index, &Value::str(text), &TEXT)
}

/// The status of a call that is wrong, after its message.
fn invalid(call: &mut SystemCall<'_>) -> i32 {
    call.inform_text("Error executing extended stored procedure: Invalid Parameter");
    1
}

#[cfg(test)]
mod tests {
    use super::scanned;

    #[test]
    fn words_stand_where_the_format_says() {
        let found = scanned("sync -b -fproducts10.tmp -rrandom", "sync -b -f%s -r%s");
        assert_eq!(found, ["products10.tmp", "random"]);
        assert_eq!(scanned("a   b c", "%s %s"), ["a", "b"]);
        assert_eq!(scanned("x=1", "y=%s"), [""; 0]);
        assert_eq!(scanned("50% off", "50%% %s"), ["off"]);
        assert_eq!(scanned("one", "%s %s"), ["one"]);
    }
}
