//! ENCRYPTBYPASSPHRASE and DECRYPTBYPASSPHRASE.
//!
//! ```text
//!   result   = version (4 bytes: 2) IV (16) CBC (AES-256, key) of message, padded as PKCS #7 has it
//!   key      = SHA-256 of the passphrase in UTF-16
//!   message  = 0xBAADF00D (4) length of authenticator (2) length of text (2) authenticator text
//! ```
//! Numbers are little-endian. Version 1, as SQL Server 2016 and older wrote it, is read: triple DES in CBC with an IV of 8
//! bytes, of 16 bytes of SHA-1. The authenticator is the SHA-1 of what the caller gives. What cannot be read is NULL, whatever the
//! reason.

use aes::Aes256;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockDecryptMut, BlockEncryptMut, KeyIvInit};
use cbc::{Decryptor, Encryptor};
use des::TdesEde2;
use millpond_catalog::run::Run;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::text::encode_utf16;
use millpond_types::{MaxLen, SqlType, Value};
use sha1::Sha1;
use sha2::{Digest, Sha256};

use crate::args::{int, invalid_argument, nullable, nvarchar, text};
use crate::conversion::{bytes_of, no_random_bytes};
use crate::define::{per_row, pure};
use crate::{FunctionDef, Signature};

/// Longest cleartext and result.
const BYTES_MAX: u16 = 8000;
const BYTES: SqlType = SqlType::VarBinary { len: MaxLen::Limited(BYTES_MAX) };
const MAGIC: [u8; 4] = 0xBAAD_F00D_u32.to_le_bytes();
/// What stands before the authenticator of a message.
const HEAD_BYTES: usize = 8;
const VERSION_AES: [u8; 4] = [2, 0, 0, 0];
const VERSION_DES: [u8; 4] = [1, 0, 0, 0];

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    per_row("ENCRYPTBYPASSPHRASE", (2, 4), bind_encrypt, |ctx, args, params, _| encrypted(ctx, args, params)),
    pure("DECRYPTBYPASSPHRASE", (2, 4), bind_decrypt, |ctx, args, params, _| decrypted(ctx, args, params)),
];

fn bind_encrypt(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    bind(types, "EncryptByPassPhrase", |sql| sql.is_string() || sql.is_binary())
}

fn bind_decrypt(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    bind(types, "DecryptByPassPhrase", |sql| sql.is_binary())
}

/// 8116 for arguments that are neither text nor bytes, 174 for an authenticator that is announced and not there.
fn bind(types: &[Option<SqlType>], function: &str, takes: fn(SqlType) -> bool) -> SqlResult<Signature> {
    if types.len() == 3 {
        return Err(SqlError::of(174, 1, &[&function, &4]));
    }
    let is_secret = |sql: SqlType| sql.is_string() || sql.is_binary();
    let passphrase = types[0].unwrap_or(nvarchar(1));
    let message = types[1].unwrap_or(BYTES);
    if !is_secret(passphrase) {
        return Err(invalid_argument(types[0], 1, function));
    }
    if !takes(message) || message.is_max() {
        return Err(invalid_argument(types[1], 2, function));
    }
    let params = [passphrase, message, SqlType::Int, nvarchar(128)][..types.len()].to_vec();
    nullable(params, BYTES)
}

/// The passphrase in UTF-16; bytes are themselves.
fn secret(value: &Value) -> Vec<u8> {
    match value.as_str() {
        Some(text) => utf16(text),
        None => value.as_bytes().unwrap_or_default().to_vec(),
    }
}

fn utf16(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * text.len());
    encode_utf16(text, &mut bytes);
    bytes
}

/// The authenticator's digest, or nothing where none is asked for; none for one that is NULL.
fn authenticator(args: &[Value]) -> Option<Vec<u8>> {
    let (Some(wanted), Some(given)) = (args.get(2), args.get(3)) else { return Some(Vec::new()) };
    if wanted.is_null() || int(wanted) != 1 {
        return Some(Vec::new());
    }
    let given = (!given.is_null()).then(|| text(given))?;
    Some(Sha1::digest(utf16(given)).to_vec())
}

fn encrypted(ctx: &dyn Run, args: &[Value], params: &[SqlType]) -> SqlResult<Value> {
    let Some(authenticator) = authenticator(args) else { return Ok(Value::Null) };
    if args[0].is_null() || args[1].is_null() {
        return Ok(Value::Null);
    }
    let cleartext = bytes_of(ctx.watch(), &args[1], &params[1])?;
    let mut iv = [0; 16];
    getrandom::fill(&mut iv).map_err(|cause| no_random_bytes("ENCRYPTBYPASSPHRASE", cause))?;
    let sealed = sealed(&secret(&args[0]), &iv, &message(&authenticator, &cleartext));
    match sealed.len() <= usize::from(BYTES_MAX) {
        true => Ok(Value::from(sealed)),
        false => Err(SqlError::of(8152, 10, &[])),
    }
}

fn message(authenticator: &[u8], cleartext: &[u8]) -> Vec<u8> {
    // Both are below 64 KB: a digest, and a text of at most 8,000 bytes.
    let length = |bytes: &[u8]| u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_le_bytes();
    [&MAGIC[..], &length(authenticator), &length(cleartext), authenticator, cleartext].concat()
}

fn sealed(secret: &[u8], iv: &[u8; 16], message: &[u8]) -> Vec<u8> {
    let key = Sha256::digest(secret);
    let body = Encryptor::<Aes256>::new(&key, iv.into()).encrypt_padded_vec_mut::<Pkcs7>(message);
    [&VERSION_AES[..], iv, &body].concat()
}

fn decrypted(_: &dyn Run, args: &[Value], _: &[SqlType]) -> SqlResult<Value> {
    let Some(authenticator) = authenticator(args) else { return Ok(Value::Null) };
    let Some(sealed) = args[1].as_bytes().filter(|_| !args[0].is_null()) else { return Ok(Value::Null) };
    let message = opened(&secret(&args[0]), sealed);
    let cleartext = message.as_deref().and_then(|message| cleartext_of(message, &authenticator));
    Ok(cleartext.map_or(Value::Null, Value::binary))
}

fn opened(secret: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    let (version, rest) = sealed.split_first_chunk::<4>()?;
    if *version == VERSION_AES {
        let (iv, body) = rest.split_first_chunk::<16>()?;
        let key = Sha256::digest(secret);
        return Decryptor::<Aes256>::new(&key, iv.into()).decrypt_padded_vec_mut::<Pkcs7>(body).ok();
    }
    if *version == VERSION_DES {
        let (iv, body) = rest.split_first_chunk::<8>()?;
        let digest = Sha1::digest(secret);
        let key: [u8; 16] = digest[..16].try_into().ok()?;
        return Decryptor::<TdesEde2>::new(&key.into(), iv.into()).decrypt_padded_vec_mut::<Pkcs7>(body).ok();
    }
    None
}

fn cleartext_of<'m>(message: &'m [u8], authenticator: &[u8]) -> Option<&'m [u8]> {
    let (head, rest) = message.split_first_chunk::<HEAD_BYTES>()?;
    let length = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
    let (of_authenticator, of_text) = (length(4), length(6));
    let is_whole = head[..4] == MAGIC && rest.len() == of_authenticator + of_text;
    (is_whole && &rest[..of_authenticator] == authenticator).then(|| &rest[of_authenticator..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_is_opened_by_the_same_passphrase_alone() {
        for cleartext in [&b""[..], b"x", &[7; 7900]] {
            let sealed = sealed(b"p", &[9; 16], &message(b"a", cleartext));
            assert_eq!(sealed[..4], VERSION_AES);
            let message = opened(b"p", &sealed).expect("the same passphrase");
            assert_eq!(cleartext_of(&message, b"a"), Some(cleartext));
            assert_eq!(cleartext_of(&message, b""), None);
            let other = opened(b"q", &sealed);
            assert_eq!(other.as_deref().and_then(|message| cleartext_of(message, b"a")), None);
        }
    }

    #[test]
    fn no_bytes_panic() {
        for bytes in [
            &[][..],
            &[2, 0, 0, 0],
            &[2, 0, 0, 0, 1],
            &[1; 40],
            &[2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
        ] {
            assert_eq!(opened(b"p", bytes), None);
        }
        let mut old = vec![1, 0, 0, 0];
        old.extend([5; 24]);
        let opened = opened(b"p", &old);
        assert_eq!(opened.as_deref().and_then(|message| cleartext_of(message, b"")), None);
    }

    #[test]
    fn messages_of_wrong_lengths_are_none() {
        let whole = message(b"", b"abc");
        for (at, byte) in [(0, 0), (4, 1), (6, 4), (6, 2), (7, 1)] {
            let mut wrong = whole.clone();
            wrong[at] = byte;
            assert_eq!(cleartext_of(&wrong, b""), None, "{at}");
        }
        assert_eq!(cleartext_of(&whole, b""), Some(&b"abc"[..]));
        assert_eq!(cleartext_of(&whole[..5], b""), None);
    }
}
