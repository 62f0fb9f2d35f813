//! The digests of HASHBYTES: MD5, SHA-1, SHA-256, SHA-512, as RFC 1321 and FIPS 180-4 define them. Here because the
//! only user is one function; passwords and TLS use libraries made for secrets.

use millpond_types::{Stopped, Watch};

/// A message with its padding: a one bit, zeros, and the length in bits.
fn padded(message: &[u8], block_bytes: usize, length: &[u8]) -> Vec<u8> {
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    while !(bytes.len() + length.len()).is_multiple_of(block_bytes) {
        bytes.push(0);
    }
    bytes.extend_from_slice(length);
    bytes
}

fn bits(message: &[u8]) -> u64 {
    message.len() as u64 * 8
}

/// The 16 words of a block of 64 bytes.
fn words(block: &[u8], read: fn([u8; 4]) -> u32) -> [u32; 16] {
    std::array::from_fn(|i| read(block[4 * i..4 * i + 4].try_into().expect("four bytes")))
}

const MD5_SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// MD5.
pub(crate) fn md5(watch: Watch<'_>, message: &[u8]) -> Result<[u8; 16], Stopped> {
    let mut state = [0x6745_2301u32, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476];
    // floor(2^32 × |sin(i + 1)|), by the definition.
    let constants: [u32; 64] = std::array::from_fn(|i| ((i as f64 + 1.0).sin().abs() * 4_294_967_296.0) as u32);
    for block in padded(message, 64, &bits(message).to_le_bytes()).chunks_exact(64) {
        watch.check()?;
        let input = words(block, u32::from_le_bytes);
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64 {
            let (mix, word) = match i / 16 {
                0 => (b & c | !b & d, i),
                1 => (d & b | !d & c, (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), 7 * i % 16),
            };
            let sum = a.wrapping_add(mix).wrapping_add(constants[i]).wrapping_add(input[word]);
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(MD5_SHIFTS[i / 16][i % 4]));
        }
        add_to(&mut state, [a, b, c, d]);
    }
    let mut digest = [0; 16];
    for (out, word) in digest.chunks_exact_mut(4).zip(state) {
        out.copy_from_slice(&word.to_le_bytes());
    }
    Ok(digest)
}

fn add_to<const N: usize>(state: &mut [u32; N], round: [u32; N]) {
    for (word, add) in state.iter_mut().zip(round) {
        *word = word.wrapping_add(add);
    }
}

/// SHA-1.
pub(crate) fn sha1(watch: Watch<'_>, message: &[u8]) -> Result<[u8; 20], Stopped> {
    let mut state = [0x6745_2301u32, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0];
    for block in padded(message, 64, &bits(message).to_be_bytes()).chunks_exact(64) {
        watch.check()?;
        let mut schedule = [0; 80];
        schedule[..16].copy_from_slice(&words(block, u32::from_be_bytes));
        for i in 16..80 {
            schedule[i] = (schedule[i - 3] ^ schedule[i - 8] ^ schedule[i - 14] ^ schedule[i - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (i, word) in schedule.into_iter().enumerate() {
            let (mix, constant) = match i / 20 {
                0 => (b & c | !b & d, 0x5A82_7999),
                1 => (b ^ c ^ d, 0x6ED9_EBA1),
                2 => (b & c | b & d | c & d, 0x8F1B_BCDC),
                _ => (b ^ c ^ d, 0xCA62_C1D6u32),
            };
            let sum = a.rotate_left(5).wrapping_add(mix).wrapping_add(e).wrapping_add(constant).wrapping_add(word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
        }
        add_to(&mut state, [a, b, c, d, e]);
    }
    let mut digest = [0; 20];
    for (out, word) in digest.chunks_exact_mut(4).zip(state) {
        out.copy_from_slice(&word.to_be_bytes());
    }
    Ok(digest)
}

/// The first bits of the fractions of the cube roots of the first 80 primes; SHA-256 takes the upper halves of 64.
#[rustfmt::skip]
const ROUND_CONSTANTS: [u64; 80] = [
    0x428A_2F98_D728_AE22, 0x7137_4491_23EF_65CD, 0xB5C0_FBCF_EC4D_3B2F, 0xE9B5_DBA5_8189_DBBC,
    0x3956_C25B_F348_B538, 0x59F1_11F1_B605_D019, 0x923F_82A4_AF19_4F9B, 0xAB1C_5ED5_DA6D_8118,
    0xD807_AA98_A303_0242, 0x1283_5B01_4570_6FBE, 0x2431_85BE_4EE4_B28C, 0x550C_7DC3_D5FF_B4E2,
    0x72BE_5D74_F27B_896F, 0x80DE_B1FE_3B16_96B1, 0x9BDC_06A7_25C7_1235, 0xC19B_F174_CF69_2694,
    0xE49B_69C1_9EF1_4AD2, 0xEFBE_4786_384F_25E3, 0x0FC1_9DC6_8B8C_D5B5, 0x240C_A1CC_77AC_9C65,
    0x2DE9_2C6F_592B_0275, 0x4A74_84AA_6EA6_E483, 0x5CB0_A9DC_BD41_FBD4, 0x76F9_88DA_8311_53B5,
    0x983E_5152_EE66_DFAB, 0xA831_C66D_2DB4_3210, 0xB003_27C8_98FB_213F, 0xBF59_7FC7_BEEF_0EE4,
    0xC6E0_0BF3_3DA8_8FC2, 0xD5A7_9147_930A_A725, 0x06CA_6351_E003_826F, 0x1429_2967_0A0E_6E70,
    0x27B7_0A85_46D2_2FFC, 0x2E1B_2138_5C26_C926, 0x4D2C_6DFC_5AC4_2AED, 0x5338_0D13_9D95_B3DF,
    0x650A_7354_8BAF_63DE, 0x766A_0ABB_3C77_B2A8, 0x81C2_C92E_47ED_AEE6, 0x9272_2C85_1482_353B,
    0xA2BF_E8A1_4CF1_0364, 0xA81A_664B_BC42_3001, 0xC24B_8B70_D0F8_9791, 0xC76C_51A3_0654_BE30,
    0xD192_E819_D6EF_5218, 0xD699_0624_5565_A910, 0xF40E_3585_5771_202A, 0x106A_A070_32BB_D1B8,
    0x19A4_C116_B8D2_D0C8, 0x1E37_6C08_5141_AB53, 0x2748_774C_DF8E_EB99, 0x34B0_BCB5_E19B_48A8,
    0x391C_0CB3_C5C9_5A63, 0x4ED8_AA4A_E341_8ACB, 0x5B9C_CA4F_7763_E373, 0x682E_6FF3_D6B2_B8A3,
    0x748F_82EE_5DEF_B2FC, 0x78A5_636F_4317_2F60, 0x84C8_7814_A1F0_AB72, 0x8CC7_0208_1A64_39EC,
    0x90BE_FFFA_2363_1E28, 0xA450_6CEB_DE82_BDE9, 0xBEF9_A3F7_B2C6_7915, 0xC671_78F2_E372_532B,
    0xCA27_3ECE_EA26_619C, 0xD186_B8C7_21C0_C207, 0xEADA_7DD6_CDE0_EB1E, 0xF57D_4F7F_EE6E_D178,
    0x06F0_67AA_7217_6FBA, 0x0A63_7DC5_A2C8_98A6, 0x113F_9804_BEF9_0DAE, 0x1B71_0B35_131C_471B,
    0x28DB_77F5_2304_7D84, 0x32CA_AB7B_40C7_2493, 0x3C9E_BE0A_15C9_BEBC, 0x431D_67C4_9C10_0D4C,
    0x4CC5_D4BE_CB3E_42B6, 0x597F_299C_FC65_7E2A, 0x5FCB_6FAB_3AD6_FAEC, 0x6C44_198C_4A47_5817,
];

/// The same of the square roots of the first eight primes.
#[rustfmt::skip]
const START: [u64; 8] = [
    0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
    0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
];

/// SHA-256.
pub(crate) fn sha256(watch: Watch<'_>, message: &[u8]) -> Result<[u8; 32], Stopped> {
    let mut state = START.map(|word| (word >> 32) as u32);
    for block in padded(message, 64, &bits(message).to_be_bytes()).chunks_exact(64) {
        watch.check()?;
        let mut schedule = [0u32; 64];
        schedule[..16].copy_from_slice(&words(block, u32::from_be_bytes));
        for i in 16..64 {
            let (x, y) = (schedule[i - 15], schedule[i - 2]);
            let small = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
            let large = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
            schedule[i] = schedule[i - 16].wrapping_add(small).wrapping_add(schedule[i - 7]).wrapping_add(large);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, constant) in schedule.into_iter().zip(ROUND_CONSTANTS) {
            let large = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = e & f ^ !e & g;
            let first = h.wrapping_add(large).wrapping_add(choice);
            let first = first.wrapping_add((constant >> 32) as u32).wrapping_add(word);
            let small = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let second = small.wrapping_add(a & b ^ a & c ^ b & c);
            (h, g, f, e) = (g, f, e, d.wrapping_add(first));
            (d, c, b, a) = (c, b, a, first.wrapping_add(second));
        }
        add_to(&mut state, [a, b, c, d, e, f, g, h]);
    }
    let mut digest = [0; 32];
    for (out, word) in digest.chunks_exact_mut(4).zip(state) {
        out.copy_from_slice(&word.to_be_bytes());
    }
    Ok(digest)
}

/// SHA-512.
pub(crate) fn sha512(watch: Watch<'_>, message: &[u8]) -> Result<[u8; 64], Stopped> {
    let mut state = START;
    for block in padded(message, 128, &u128::from(bits(message)).to_be_bytes()).chunks_exact(128) {
        watch.check()?;
        let mut schedule = [0u64; 80];
        for (word, bytes) in schedule.iter_mut().zip(block.chunks_exact(8)) {
            *word = u64::from_be_bytes(bytes.try_into().expect("eight bytes"));
        }
        for i in 16..80 {
            let (x, y) = (schedule[i - 15], schedule[i - 2]);
            let small = x.rotate_right(1) ^ x.rotate_right(8) ^ x >> 7;
            let large = y.rotate_right(19) ^ y.rotate_right(61) ^ y >> 6;
            schedule[i] = schedule[i - 16].wrapping_add(small).wrapping_add(schedule[i - 7]).wrapping_add(large);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, constant) in schedule.into_iter().zip(ROUND_CONSTANTS) {
            let large = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
            let choice = e & f ^ !e & g;
            let first = h.wrapping_add(large).wrapping_add(choice).wrapping_add(constant).wrapping_add(word);
            let small = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
            let second = small.wrapping_add(a & b ^ a & c ^ b & c);
            (h, g, f, e) = (g, f, e, d.wrapping_add(first));
            (d, c, b, a) = (c, b, a, first.wrapping_add(second));
        }
        for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(add);
        }
    }
    let mut digest = [0; 64];
    for (out, word) in digest.chunks_exact_mut(8).zip(state) {
        out.copy_from_slice(&word.to_be_bytes());
    }
    Ok(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The digests of "abc" in RFC 1321 and FIPS 180-4, and of 200 letters over several blocks.
    #[test]
    fn digests_are_the_published_ones() {
        assert_eq!(hex(&md5(Watch::NONE, b"abc").unwrap()), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(hex(&md5(Watch::NONE, b"").unwrap()), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(&sha1(Watch::NONE, b"abc").unwrap()), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            hex(&sha256(Watch::NONE, b"abc").unwrap()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            hex(&sha512(Watch::NONE, b"abc").unwrap()),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        );
        let long = [b'a'; 200];
        assert_eq!(hex(&md5(Watch::NONE, &long).unwrap()), "887f30b43b2867f4a9accceee7d16e6c");
        assert_eq!(hex(&sha1(Watch::NONE, &long).unwrap()), "e61cfffe0d9195a525fc6cf06ca2d77119c24a40");
        assert_eq!(
            hex(&sha256(Watch::NONE, &long).unwrap()),
            "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5"
        );
        assert_eq!(
            hex(&sha512(Watch::NONE, &long).unwrap()),
            "4b11459c33f52a22ee8236782714c150a3b2c60994e9acee17fe68947a3e6789f31e7668394592da7bef827cddca88c4e6f86e4df7ed1ae6cba71f3e98faee9f"
        );
    }
}
