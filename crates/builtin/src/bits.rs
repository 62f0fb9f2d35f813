//! Bits of integers and binaries: LEFT_SHIFT and RIGHT_SHIFT (also `<<` and `>>`), BIT_COUNT, GET_BIT, SET_BIT.
//!
//! Bits are counted from 0, the lowest; of a binary that is the lowest bit of its last byte. Shifts are logical: zeros
//! come in, on either side.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

use super::args::{int, invalid_argument, nullable, strict};
use super::define::{pure, strict_eval};
use super::{FunctionDef, Signature};

/// The functions.
pub(super) static FUNCTIONS: &[FunctionDef] = &[
    pure(
        "LEFT_SHIFT",
        (2, 2),
        |types| shift_signature(types, "left_shift"),
        strict_eval!(|args, _, _| Ok(shifted(&args[0], i128::from(int(&args[1]))))),
    ),
    pure(
        "RIGHT_SHIFT",
        (2, 2),
        |types| shift_signature(types, "right_shift"),
        strict_eval!(|args, _, _| Ok(shifted(&args[0], -i128::from(int(&args[1]))))),
    ),
    pure(
        "BIT_COUNT",
        (1, 1),
        |types| match types[0] {
            None => Err(invalid_argument(None, 1, "bit_count")),
            given => strict(vec![bits_type(given, "bit_count")?], SqlType::BigInt),
        },
        strict_eval!(|args, _, _| {
            let ones: u32 = bytes_of(&args[0]).iter().map(|byte| byte.count_ones()).sum();
            Ok(Value::BigInt(i64::from(ones)))
        }),
    ),
    pure(
        "GET_BIT",
        (2, 2),
        |types| match types[1] {
            Some(at) if at.is_integer() => {
                nullable(vec![bits_type(types[0], "get_bit")?, SqlType::BigInt], SqlType::Bit)
            }
            other => Err(invalid_argument(other, 2, "get_bit")),
        },
        strict_eval!(|args, _, _| {
            let bytes = bytes_of(&args[0]);
            let (byte, mask) = place(&bytes, &args[1], "get_bit")?;
            Ok(Value::Bit(bytes[byte] & mask != 0))
        }),
    ),
    pure("SET_BIT", (2, 3), set_bit_signature, strict_eval!(|args, _, _| set_bit(args))),
];

/// What a shift or a bit function takes: integers, and binaries of a limit.
fn bits_type(given: Option<SqlType>, function: &str) -> SqlResult<SqlType> {
    match given {
        None => Ok(SqlType::Int),
        Some(ty @ (SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt | SqlType::Binary { .. })) => {
            Ok(ty)
        }
        Some(ty @ SqlType::VarBinary { .. }) if !super::args::is_max(ty) => Ok(ty),
        other => Err(invalid_argument(other, 1, function)),
    }
}

fn shift_signature(types: &[Option<SqlType>], function: &str) -> SqlResult<Signature> {
    let ty = bits_type(types[0], function)?;
    strict(vec![ty, SqlType::BigInt], ty)
}

fn set_bit_signature(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let ty = bits_type(types[0], "set_bit")?;
    strict([ty, SqlType::BigInt, SqlType::Bit][..types.len()].to_vec(), ty)
}

/// The highest byte first.
fn bytes_of(value: &Value) -> Vec<u8> {
    match value {
        Value::TinyInt(n) => vec![*n],
        Value::SmallInt(n) => n.to_be_bytes().to_vec(),
        Value::Int(n) => n.to_be_bytes().to_vec(),
        Value::BigInt(n) => n.to_be_bytes().to_vec(),
        other => other.as_bytes().unwrap_or_default().to_vec(),
    }
}

/// The value of the same type that has these bytes.
fn of_bytes(like: &Value, bytes: &[u8]) -> Value {
    let number = || bytes.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    match like {
        Value::TinyInt(_) => Value::TinyInt(number() as u8),
        Value::SmallInt(_) => Value::SmallInt((number() as u16).cast_signed()),
        Value::Int(_) => Value::Int((number() as u32).cast_signed()),
        Value::BigInt(_) => Value::BigInt(number().cast_signed()),
        _ => Value::binary(bytes),
    }
}

/// Moved so many places to the left, to the right where the count is negative.
fn shifted(value: &Value, places: i128) -> Value {
    let bytes = bytes_of(value);
    let bit = |at: i128| {
        let at = usize::try_from(at).ok().filter(|at| *at < bytes.len() * 8);
        at.is_some_and(|at| bytes[bytes.len() - 1 - at / 8] >> (at % 8) & 1 == 1)
    };
    let mut moved = vec![0u8; bytes.len()];
    let size = moved.len();
    for at in 0..size * 8 {
        if bit(at as i128 - places) {
            moved[size - 1 - at / 8] |= 1 << (at % 8);
        }
    }
    of_bytes(value, &moved)
}

/// The byte and the mask of a bit.
///
/// # Errors
/// 4199 for a place that the value does not have.
fn place(bytes: &[u8], at: &Value, function: &str) -> SqlResult<(usize, u8)> {
    let at = int(at);
    let found = usize::try_from(at).ok().filter(|at| *at < bytes.len() * 8);
    let found = found.ok_or_else(|| SqlError::of(4199, 1, &[&at, &2, &function]))?;
    Ok((bytes.len() - 1 - found / 8, 1 << (found % 8)))
}

fn set_bit(args: &[Value]) -> SqlResult<Value> {
    let mut bytes = bytes_of(&args[0]);
    let (byte, mask) = place(&bytes, &args[1], "set_bit")?;
    match args.get(2) {
        Some(Value::Bit(false)) => bytes[byte] &= !mask,
        _ => bytes[byte] |= mask,
    }
    Ok(of_bytes(&args[0], &bytes))
}
