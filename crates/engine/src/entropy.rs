//! Bits for what needs variety and no secrecy: where RAND begins, identifiers of connections. What must not be guessed asks
//! [`random_bytes`](crate::security::random_bytes), which fails where this goes on.

/// Bits that are others each time; of the process alone where the operating system gives none.
pub(crate) fn entropy() -> u64 {
    let mut bytes = [0; 8];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        Err(_) => u64::from(std::process::id()).wrapping_mul(0x9E37_79B9_7F4A_7C15),
    }
}
