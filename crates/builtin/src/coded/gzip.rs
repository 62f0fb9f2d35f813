//! COMPRESS and DECOMPRESS: values as gzip (RFC 1952), with the header that SQL Server writes.
//!
//! What always holds: a value is taken in pieces, between which a cancellation is heeded and memory is asked for, so a few bytes
//! that would become many end in error 701 before they are. What is no gzip, or ends too early, gives NULL.

use std::io::{Read, Write};

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};
use millpond_message::error::SqlResult;
use millpond_types::{MaxLen, SqlType, Value, Watch};

use crate::args::{invalid_argument, nullable};
use crate::conversion::bytes_of;
use crate::define::{pure, watched_eval};
use crate::text::string::check_size;
use crate::{FunctionDef, Signature};

const BYTES: SqlType = SqlType::VarBinary { len: MaxLen::Max };
/// Bytes that are taken between two looks at the watch.
const PIECE_BYTES: usize = 64 << 10;
/// The system of the header: 0 is FAT.
const SYSTEM: u8 = 0;

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    pure("COMPRESS", (1, 1), bind_compress, watched_eval!(compress)),
    pure("DECOMPRESS", (1, 1), bind_decompress, watched_eval!(decompress)),
];

fn bind_compress(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    match types[0] {
        Some(sql) if (sql.is_string() || sql.is_binary()) && sql != SqlType::Xml => nullable(vec![sql], BYTES),
        other => Err(invalid_argument(other, 1, "Compress")),
    }
}

fn bind_decompress(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    match types[0] {
        Some(sql) if sql.is_binary() => nullable(vec![sql], BYTES),
        other => Err(invalid_argument(other, 1, "Decompress")),
    }
}

fn compress(watch: Watch<'_>, args: &[Value], params: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let bytes = bytes_of(watch, &args[0], &params[0])?;
    let mut encoder = GzBuilder::new().operating_system(SYSTEM).write(Vec::new(), Compression::fast());
    for piece in bytes.chunks(PIECE_BYTES) {
        watch.check()?;
        // Writing into memory cannot fail.
        if encoder.write_all(piece).is_err() {
            return Ok(Value::Null);
        }
        check_size(watch, encoder.get_ref().len())?;
    }
    Ok(encoder.finish().map_or(Value::Null, Value::from))
}

fn decompress(watch: Watch<'_>, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let mut decoder = MultiGzDecoder::new(args[0].as_bytes().unwrap_or_default());
    let (mut bytes, mut piece) = (Vec::new(), vec![0; PIECE_BYTES]);
    loop {
        watch.check()?;
        match decoder.read(&mut piece) {
            Ok(0) => return Ok(Value::from(bytes)),
            Ok(count) => {
                check_size(watch, bytes.len() + count)?;
                bytes.extend_from_slice(&piece[..count]);
            }
            Err(_) => return Ok(Value::Null),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(of: fn(Watch<'_>, &[Value], &[SqlType], &SqlType) -> SqlResult<Value>, value: Value, sql: SqlType) -> Value {
        of(Watch::NONE, &[value], &[sql], &BYTES).expect("there is memory")
    }

    #[test]
    fn what_was_compressed_comes_back() {
        for text in ["", "abc", "αβγ", &"x".repeat(1_000_000)] {
            let value = run(compress, Value::str(text), SqlType::NVarChar { len: MaxLen::Max });
            let bytes = value.as_bytes().expect("bytes");
            assert_eq!(&bytes[..10], [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 4, 0], "{text:.10}");
            let back = run(decompress, value, BYTES);
            let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(back.as_bytes(), Some(&units[..]), "{text:.10}");
        }
    }

    #[test]
    fn what_is_no_gzip_is_null() {
        let whole = run(compress, Value::str("abc"), SqlType::varchar(3));
        let whole = whole.as_bytes().expect("bytes");
        let mut wrong = whole.to_vec();
        wrong[14] ^= 0xFF;
        for bytes in [&[0u8][..], b"plain", &whole[..12], &whole[..whole.len() - 1], &wrong] {
            assert_eq!(run(decompress, Value::binary(bytes), BYTES), Value::Null, "{bytes:?}");
        }
    }
}
