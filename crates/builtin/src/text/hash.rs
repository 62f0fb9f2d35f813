//! The digests of HASHBYTES: MD2, MD4, MD5, SHA-1, SHA-256, SHA-512 of values that may be long, which heed a cancellation.

use md5::Digest;
use millpond_types::{Stopped, Value, Watch};

/// So many bytes are taken between two looks at the watch.
const CHUNK_BYTES: usize = 64 << 10;

/// The digest of a message.
///
/// # Errors
/// [`Stopped`]
pub(crate) fn digest<D: Digest>(watch: Watch<'_>, message: &[u8]) -> Result<Value, Stopped> {
    let mut state = D::new();
    for chunk in message.chunks(CHUNK_BYTES) {
        watch.check()?;
        state.update(chunk);
    }
    Ok(Value::binary(&state.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use md5::Md5;
    use sha1::Sha1;
    use sha2::{Sha256, Sha512};

    fn hex(digest: &Value) -> String {
        digest.as_bytes().unwrap().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The digests of "abc" in RFC 1319, 1320, 1321 and FIPS 180-4, and of 200 letters over several blocks.
    #[test]
    fn digests_are_the_published_ones() {
        assert_eq!(hex(&digest::<md2::Md2>(Watch::NONE, b"abc").unwrap()), "da853b0d3f88d99b30283a69e6ded6bb");
        assert_eq!(hex(&digest::<md4::Md4>(Watch::NONE, b"abc").unwrap()), "a448017aaf21d8525fc10ae87aa6729d");
        assert_eq!(hex(&digest::<Md5>(Watch::NONE, b"abc").unwrap()), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(hex(&digest::<Md5>(Watch::NONE, b"").unwrap()), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(&digest::<Sha1>(Watch::NONE, b"abc").unwrap()), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            hex(&digest::<Sha256>(Watch::NONE, b"abc").unwrap()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            hex(&digest::<Sha512>(Watch::NONE, b"abc").unwrap()),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        );
        let long = [b'a'; 200];
        assert_eq!(hex(&digest::<Md5>(Watch::NONE, &long).unwrap()), "887f30b43b2867f4a9accceee7d16e6c");
        assert_eq!(hex(&digest::<Sha1>(Watch::NONE, &long).unwrap()), "e61cfffe0d9195a525fc6cf06ca2d77119c24a40");
        assert_eq!(
            hex(&digest::<Sha256>(Watch::NONE, &long).unwrap()),
            "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5"
        );
        assert_eq!(
            hex(&digest::<Sha512>(Watch::NONE, &long).unwrap()),
            "4b11459c33f52a22ee8236782714c150a3b2c60994e9acee17fe68947a3e6789f31e7668394592da7bef827cddca88c4e6f86e4df7ed1ae6cba71f3e98faee9f"
        );
    }
}
