//! Scalar functions of the schema `sys`, which are called by two names: `sys.fn_varbintohexstr (0x01)`, and with `master` before it
//! from wherever. No database captures changes here, so those of change data capture answer as SQL Server does of a database that
//! does not: log sequence numbers are counted, instances are not there.

use millpond_message::error::SqlResult;
use millpond_tsql::ast::ObjectName;
use millpond_types::sql_type::MaxLen;
use millpond_types::watch::PIECE_BYTES;
use millpond_types::{SqlType, Value, Watch};

use crate::args::{SYSNAME, any_null, int, nullable, nvarchar};
use crate::define::{fixed, pure};
use crate::{FunctionDef, Signature};

/// A log sequence number.
const LSN: SqlType = SqlType::Binary { len: LSN_BYTES };
const LSN_BYTES: u16 = 10;
const MASK: SqlType = SqlType::VarBinary { len: MaxLen::Limited(128) };
const BYTES: SqlType = SqlType::VarBinary { len: MaxLen::Max };
const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Max };

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    pure(
        "FN_VARBINTOHEXSTR",
        (1, 1),
        |_| nullable(vec![BYTES], TEXT),
        |ctx, args, _, _| hex(ctx.watch(), &args[0], true),
    ),
    pure(
        "FN_VARBINTOHEXSUBSTRING",
        (4, 4),
        |_| nullable(vec![SqlType::Bit, BYTES, SqlType::Int, SqlType::Int], TEXT),
        |ctx, args, _, _| part_as_hex(ctx.watch(), args),
    ),
    pure("FN_CDC_INCREMENT_LSN", (1, 1), bind_lsn, |_, args, _, _| {
        Ok(moved(&args[0], 0xFF, 0, |byte| byte.wrapping_add(1)))
    }),
    pure("FN_CDC_DECREMENT_LSN", (1, 1), bind_lsn, |_, args, _, _| {
        Ok(moved(&args[0], 0, 0xFF, |byte| byte.wrapping_sub(1)))
    }),
    pure(
        "FN_CDC_IS_BIT_SET",
        (2, 2),
        |_| nullable(vec![SqlType::Int, MASK], SqlType::Bit),
        |_, args, _, _| Ok(Value::Bit(has_bit(&args[0], &args[1]))),
    ),
    fixed("FN_CDC_GET_MAX_LSN", (0, 0), |_| nullable(Vec::new(), LSN), |_, _, _, _| Ok(Value::Null)),
    fixed(
        "FN_CDC_GET_MIN_LSN",
        (1, 1),
        |_| nullable(vec![SYSNAME], LSN),
        |_, _, _, _| Ok(Value::binary(&[0; LSN_BYTES as usize])),
    ),
    fixed("FN_CDC_MAP_LSN_TO_TIME", (1, 1), |_| nullable(vec![LSN], SqlType::DateTime), |_, _, _, _| Ok(Value::Null)),
    fixed(
        "FN_CDC_MAP_TIME_TO_LSN",
        (2, 2),
        |_| nullable(vec![nvarchar(30), SqlType::DateTime], LSN),
        |_, _, _, _| Ok(Value::Null),
    ),
    fixed(
        "FN_CDC_GET_COLUMN_ORDINAL",
        (2, 2),
        |_| nullable(vec![SYSNAME, SYSNAME], SqlType::Int),
        |_, _, _, _| Ok(Value::Null),
    ),
    fixed(
        "FN_CDC_HAS_COLUMN_CHANGED",
        (3, 3),
        |_| nullable(vec![SYSNAME, SYSNAME, MASK], SqlType::Bit),
        |_, _, _, _| Ok(Value::Bit(false)),
    ),
];

/// The function of a name with several parts. User-defined functions cannot have such a name: `sys` takes no user objects.
#[must_use]
pub fn find_of_sys(name: &ObjectName) -> Option<&'static FunctionDef> {
    let is = |part: &str, word: &str| part.eq_ignore_ascii_case(word);
    let last = match &name.parts[..] {
        [schema, last] if is(schema, "sys") => last,
        [_, schema, last] if is(schema, "sys") => last,
        // So it was written when `dbo` of master was where they stood.
        [database, schema, last] if is(database, "master") && (is(schema, "dbo") || schema.is_empty()) => last,
        _ => return None,
    };
    FUNCTIONS.iter().find(|def| def.name.eq_ignore_ascii_case(last))
}

fn bind_lsn(_: &[Option<SqlType>]) -> SqlResult<Signature> {
    nullable(vec![LSN], LSN)
}

/// Bytes as digits, behind `0x` where that is asked for.
fn hex(watch: Watch<'_>, bytes: &Value, has_prefix: bool) -> SqlResult<Value> {
    let Value::Binary(bytes) = bytes else { return Ok(Value::Null) };
    let mut text = String::with_capacity(2 * bytes.len() + 2);
    if has_prefix {
        text.push_str("0x");
    }
    for piece in bytes.chunks(PIECE_BYTES) {
        watch.check()?;
        let digits = millpond_types::format::hex(piece).to_ascii_lowercase();
        text.push_str(digits.strip_prefix("0x").unwrap_or(&digits));
    }
    Ok(Value::from(text))
}

/// Bytes from a place (from 1 on), as many as are asked for; with a count of 0 or less, all that follow.
fn part_as_hex(watch: Watch<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let Value::Binary(bytes) = &args[1] else { return Ok(Value::Null) };
    let from = usize::try_from(int(&args[2]).max(1) - 1).unwrap_or(usize::MAX).min(bytes.len());
    let rest = &bytes[from..];
    let count = usize::try_from(int(&args[3]))
        .ok()
        .filter(|count| *count > 0)
        .map_or(rest.len(), |count| count.min(rest.len()));
    hex(watch, &Value::binary(&rest[..count]), matches!(args[0], Value::Bit(true)))
}

/// A number of ten bytes, one further: the last byte that is not at its end moves, those behind it begin anew.
fn moved(lsn: &Value, at_end: u8, begins: u8, step: fn(u8) -> u8) -> Value {
    let Value::Binary(bytes) = lsn else { return Value::Null };
    let mut bytes = bytes.to_vec();
    for byte in bytes.iter_mut().rev() {
        if *byte == at_end {
            *byte = begins;
        } else {
            *byte = step(*byte);
            break;
        }
    }
    Value::binary(&bytes)
}

/// Whether a mask of changed columns has a column, counted from 1: the last byte has the first eight.
fn has_bit(position: &Value, mask: &Value) -> bool {
    let (Some(position), Value::Binary(mask)) = (position.as_i64(), mask) else { return false };
    let Some(bit) = position.checked_sub(1).and_then(|bit| usize::try_from(bit).ok()) else { return false };
    mask.iter().rev().nth(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}
