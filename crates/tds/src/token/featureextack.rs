//! FEATUREEXTACK: which of the login's feature extensions the server grants.
//!
//! ```text
//!  AE ┼ feature (1) ┼ length (4) ┼ data … more features … FF
//! ```

use crate::TdsError;
use crate::wire::{Reader, put_u32};

pub(crate) const TOKEN: u8 = 0xAE;
const TERMINATOR: u8 = 0xFF;

/// One feature granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureAck {
    /// Its number, see [`crate::login::feature`].
    pub feature: u8,
    /// Its data.
    pub data: Vec<u8>,
}

/// Appends the token.
pub fn put(out: &mut Vec<u8>, features: &[FeatureAck]) {
    out.push(TOKEN);
    for ack in features {
        out.push(ack.feature);
        put_u32(out, u32::try_from(ack.data.len()).expect("a few bytes"));
        out.extend_from_slice(&ack.data);
    }
    out.push(TERMINATOR);
}

/// Reads the token after its first byte.
pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Vec<FeatureAck>, TdsError> {
    let mut features = Vec::new();
    loop {
        let feature = reader.u8("FEATUREEXTACK")?;
        if feature == TERMINATOR {
            return Ok(features);
        }
        let length = usize::try_from(reader.u32("FEATUREEXTACK")?).unwrap_or(usize::MAX);
        features.push(FeatureAck { feature, data: reader.bytes(length, "FEATUREEXTACK")?.to_vec() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bytes_and_back() {
        let features = vec![FeatureAck { feature: 10, data: vec![1] }, FeatureAck { feature: 4, data: vec![] }];
        let mut out = Vec::new();
        put(&mut out, &features);
        assert_eq!(out, [0xAE, 10, 1, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0xFF]);
        assert_eq!(read(&mut Reader::new(&out[1..])), Ok(features));
    }
}
