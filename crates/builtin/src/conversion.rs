//! Functions that look at values of any type: ISNUMERIC, CHECKSUM, BINARY_CHECKSUM, HASHBYTES, NEWID.
//!
//! Checksums of texts are ours, not SQL Server's numbers: its tables of weights are not public. What holds for both:
//! equal values have equal checksums (for CHECKSUM under the collation), and one `int` is its own checksum.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use md2::Md2;
use md4::Md4;
use md5::Md5;
use millpond_catalog::run::Run;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::text::{encode, encode_utf16, trim_end_blanks};
use millpond_types::{MaxLen, SqlType, Stopped, Value, Watch};
use sha1::Sha1;
use sha2::{Sha256, Sha512};

use super::args::{any_null, invalid_argument, nullable, strict, text, text_type, varchar};
use super::define::{per_row, pure, watched_eval};
use crate::text::hash;
use crate::text::letter_case::small_letter;
use crate::text::string::{without_end, without_start};
use crate::{FunctionDef, Signature};

/// What CHECKSUM gives for NULL.
const CHECKSUM_OF_NULL: i32 = i32::MAX;

/// The functions.
pub(super) static FUNCTIONS: &[FunctionDef] = &[
    pure("ISNUMERIC", (1, 1), bind_isnumeric, |ctx, args, params, _| isnumeric(ctx.watch(), &args[0], &params[0])),
    pure("CHECKSUM", (1, 254), bind_any, |ctx, args, params, _| checksum(ctx.watch(), args, params, true)),
    pure("BINARY_CHECKSUM", (1, 254), bind_any, |ctx, args, params, _| checksum(ctx.watch(), args, params, false)),
    pure("HASHBYTES", (2, 2), bind_hashbytes, HASHBYTES),
    per_row("NEWID", (0, 0), |_| strict(vec![], SqlType::UniqueIdentifier), |_, _, _, _| newid()),
    per_row("CRYPT_GEN_RANDOM", (1, 2), bind_random_bytes, random_bytes),
    per_row(NEWSEQUENTIALID, (0, 0), |_| strict(vec![], SqlType::UniqueIdentifier), |_, _, _, _| newsequentialid()),
];

/// All arguments as they are; the result is an `int` and never NULL.
fn bind_any(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    strict(types.iter().map(|ty| ty.unwrap_or(SqlType::Int)).collect(), SqlType::Int)
}

fn bind_isnumeric(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    // An untyped NULL must not count as a number for its type's sake.
    strict(vec![types[0].unwrap_or(varchar(1))], SqlType::Int)
}

fn isnumeric(watch: Watch<'_>, value: &Value, of: &SqlType) -> SqlResult<Value> {
    let is_number = match value {
        Value::Null => false,
        Value::Str(text) => is_number_text(watch, text)?,
        _ => of.is_numeric(),
    };
    Ok(Value::Int(i32::from(is_number)))
}

/// Whether the text reads as an integer, a decimal, a float or an amount of money. Single signs count, as they do in
/// SQL Server: ISNUMERIC('$') is 1.
fn is_number_text(watch: Watch<'_>, text: &str) -> Result<bool, Stopped> {
    let text = without_end(watch, without_start(watch, text, |c| c == ' ')?, |c| c == ' ')?;
    // White space other than blanks stands in front only, and alone counts too.
    let is_space = |c| matches!(c, '\t' | '\n' | '\x0b' | '\x0c' | '\r' | '\u{a0}' | ' ');
    let unspaced = without_start(watch, text, is_space)?;
    if unspaced.is_empty() {
        return Ok(!text.is_empty());
    }
    let text = unspaced;
    // At most one sign and one currency, in either order.
    let prefix =
        || text.chars().take(3).take_while(|c| matches!(c, '+' | '-' | '$' | '€' | '£' | '¥' | '¢' | '¤' | '\\'));
    let signs = prefix().filter(|c| matches!(c, '+' | '-')).count();
    let currencies = prefix().count() - signs;
    if text.is_empty() || signs > 1 || currencies > 1 {
        return Ok(false);
    }
    let unsigned = &text[prefix().map(char::len_utf8).sum()..];
    let mut ticker = watch.ticker();
    let (mut digits, mut point, mut commas) = (false, false, false);
    for (at, c) in unsigned.char_indices() {
        ticker.tick()?;
        match c {
            '0'..='9' => digits = true,
            ',' => commas = true,
            '.' if !point => point = true,
            'e' | 'E' | 'd' | 'D' if !digits || commas || currencies > 0 => return Ok(false),
            'e' | 'E' | 'd' | 'D' => {
                let exponent = &unsigned[at + 1..];
                let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
                return Ok(!exponent.is_empty() && without_start(watch, exponent, |c| c.is_ascii_digit())?.is_empty());
            }
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn checksum(watch: Watch<'_>, args: &[Value], params: &[SqlType], folded: bool) -> SqlResult<Value> {
    if any_null(args) && args.len() == 1 {
        return Ok(Value::Int(CHECKSUM_OF_NULL));
    }
    let mut all = 0u32;
    for (value, of) in args.iter().zip(params) {
        all = all.rotate_left(4) ^ checksum_of(watch, value, of, folded)?.cast_unsigned();
    }
    Ok(Value::Int(all.cast_signed()))
}

fn checksum_of(watch: Watch<'_>, value: &Value, of: &SqlType, folded: bool) -> SqlResult<i32> {
    let words = |bits: u64| (bits as u32 ^ (bits >> 32) as u32).cast_signed();
    Ok(match value {
        Value::Null => CHECKSUM_OF_NULL,
        Value::Real(x) => x.to_bits().cast_signed(),
        Value::Float(x) => words(x.to_bits()),
        Value::Decimal(decimal) => words(decimal.unscaled as u64 ^ (decimal.unscaled >> 64) as u64),
        Value::Money(amount) => words(amount.cast_unsigned()),
        Value::Date(date) => date.days,
        Value::Time(time) => words(time.ticks),
        Value::SmallDateTime(at) => i32::from(at.days) << 11 ^ i32::from(at.minutes),
        Value::DateTime(at) => at.days ^ at.ticks.cast_signed(),
        Value::DateTime2(at) => at.date.days ^ words(at.time.ticks),
        Value::DateTimeOffset(at) => words(at.ticks.cast_unsigned()),
        Value::Variant(variant) => checksum_of(watch, &variant.value, &variant.base, folded)?,
        Value::Str(text) => {
            let mut sum = 0;
            for piece in watch.pieces(if folded { trim_end_blanks(text) } else { text }) {
                sum = mixed(sum, &text_bytes(&comparable(piece?, folded), of));
            }
            sum.cast_signed()
        }
        Value::Binary(bytes) => mixed(0, bytes).cast_signed(),
        Value::Guid(bytes) => mixed(0, bytes).cast_signed(),
        integer => match integer.as_i64() {
            Some(n) if i32::try_from(n).is_ok() => n as i32,
            Some(n) => words(n.cast_unsigned()),
            None => unreachable!("all other values are matched above"),
        },
    })
}

/// The text so that texts equal under the collation are equal in bytes; as it is for BINARY_CHECKSUM.
fn comparable(text: &str, folded: bool) -> String {
    if folded { text.chars().map(small_letter).collect() } else { text.to_owned() }
}

/// The sum of what came before and these bytes.
fn mixed(sum: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(sum, |sum, byte| sum.rotate_left(4) ^ u32::from(*byte))
}

/// The bytes of a text as its type stores them.
fn text_bytes(text: &str, of: &SqlType) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    if of.is_unicode() {
        encode_utf16(text, &mut bytes);
    } else {
        encode(text, of.page(), &mut bytes);
    }
    bytes
}

/// The bytes of a text as its type stores them, or of what is bytes.
///
/// # Errors
/// Of a cancellation.
pub(crate) fn bytes_of(watch: Watch<'_>, value: &Value, sql: &SqlType) -> Result<Vec<u8>, Stopped> {
    let Value::Str(text) = value else { return Ok(value.as_bytes().unwrap_or_default().to_vec()) };
    let mut bytes = Vec::with_capacity(text.len());
    for piece in watch.pieces(text) {
        bytes.extend(text_bytes(piece?, sql));
    }
    Ok(bytes)
}

fn bind_hashbytes(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let input = match types[1] {
        Some(input) if input.is_string() || input.is_binary() => input,
        other => return Err(invalid_argument(other, 2, "hashbytes")),
    };
    let result = SqlType::VarBinary { len: millpond_types::MaxLen::Limited(8000) };
    nullable(vec![text_type(types[0]), input], result)
}

const HASHBYTES: millpond_catalog::function_def::Eval = watched_eval!(|watch, args, params, _| {
    let input = bytes_of(watch, &args[1], &params[1])?;
    Ok(match text(&args[0]).to_ascii_uppercase().as_str() {
        "MD2" => hash::digest::<Md2>(watch, &input)?,
        "MD4" => hash::digest::<Md4>(watch, &input)?,
        "MD5" => hash::digest::<Md5>(watch, &input)?,
        "SHA" | "SHA1" => hash::digest::<Sha1>(watch, &input)?,
        "SHA2_256" => hash::digest::<Sha256>(watch, &input)?,
        "SHA2_512" => hash::digest::<Sha512>(watch, &input)?,
        _ => Value::Null,
    })
});

/// The name of the function that only a DEFAULT may call.
pub const NEWSEQUENTIALID: &str = "NEWSEQUENTIALID";

/// An identifier above all that this process has given: a count from the time of its start on, in the order of the bytes by
/// which identifiers compare, after digits of the process.
fn newsequentialid() -> SqlResult<Value> {
    static START: OnceLock<[u8; 16]> = OnceLock::new();
    static GIVEN: AtomicU64 = AtomicU64::new(0);
    let start = match START.get() {
        Some(start) => *start,
        None => {
            let Value::Guid(mut random) = newid()? else { unreachable!("an identifier") };
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            // Ten million a second from one start to the next.
            let first = u64::try_from(since.as_nanos() / 100).unwrap_or(u64::MAX);
            random[..8].copy_from_slice(&first.to_be_bytes());
            *START.get_or_init(|| random)
        }
    };
    let first = u64::from_be_bytes(start[..8].try_into().expect("eight bytes"));
    let count = first.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed)).to_be_bytes();
    let mut bytes = start;
    bytes[6..8].copy_from_slice(&count[..2]);
    bytes[4..6].copy_from_slice(&count[2..4]);
    bytes[..4].copy_from_slice(&count[4..]);
    Ok(Value::Guid(bytes))
}

fn bind_random_bytes(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let bytes = SqlType::VarBinary { len: MaxLen::Limited(8000) };
    let params = [SqlType::Int, bytes][..types.len()].to_vec();
    nullable(params, bytes)
}

/// CRYPT_GEN_RANDOM(length [, seed]): the operating system's source is seeded already. NULL for lengths out of range.
fn random_bytes(_: &dyn Run, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let Value::Int(length @ 1..=8000) = args[0] else { return Ok(Value::Null) };
    let mut bytes = vec![0; length.unsigned_abs() as usize];
    getrandom::fill(&mut bytes).map_err(|cause| no_random_bytes("CRYPT_GEN_RANDOM", cause))?;
    Ok(Value::from(bytes))
}

pub(crate) fn no_random_bytes(function: &str, cause: getrandom::Error) -> SqlError {
    SqlError::of(8630, 1, &[&format_args!("{function} has no random bytes from the operating system: {cause}")])
}

/// A random identifier of version 4.
fn newid() -> SqlResult<Value> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|cause| no_random_bytes("NEWID", cause))?;
    // Wire order: the third group is little-endian, so the version's digit is in its second byte.
    bytes[7] = bytes[7] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    Ok(Value::Guid(bytes))
}
