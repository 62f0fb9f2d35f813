//! Versions of TDS and what they change on the wire.

use crate::TdsError;

/// A version that we speak, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TdsVersion {
    /// SQL Server 2005: no `date`, `time`, `datetime2`, `datetimeoffset`.
    V7_2,
    /// SQL Server 2008: the new date types.
    V7_3A,
    /// SQL Server 2008 R2: rows with a bitmap of their nulls.
    V7_3B,
    /// SQL Server 2012 and later: feature extensions.
    V7_4,
    /// SQL Server 2022's strict mode: TLS comes before everything, then as 7.4.
    V8_0,
}

impl TdsVersion {
    /// What a client asks for in LOGIN7. An unknown newer one is answered with the newest that we know.
    pub fn from_login(number: u32) -> Result<Self, TdsError> {
        match number {
            // Before 8.0 the major version sat in the high nibbles, so 8.0 is the smallest number of all.
            0x0800_0000 => Ok(Self::V8_0),
            0x7209_0002.. if number >= 0x7400_0000 => Ok(Self::V7_4),
            0x7209_0002.. if number >= 0x730B_0003 => Ok(Self::V7_3B),
            0x7209_0002.. if number >= 0x730A_0003 => Ok(Self::V7_3A),
            0x7209_0002.. => Ok(Self::V7_2),
            _ => Err(TdsError::OldVersion(number)),
        }
    }

    /// The number in LOGIN7 (little-endian there) and in LOGINACK (big-endian there).
    pub fn number(self) -> u32 {
        match self {
            Self::V7_2 => 0x7209_0002,
            Self::V7_3A => 0x730A_0003,
            Self::V7_3B => 0x730B_0003,
            Self::V7_4 => 0x7400_0004,
            Self::V8_0 => 0x0800_0000,
        }
    }

    /// Whether the peer knows `date`, `time` and `datetime2`.
    pub fn has_new_dates(self) -> bool {
        self >= Self::V7_3A
    }

    /// Whether the peer reads NBCROW.
    pub fn has_null_bitmap(self) -> bool {
        self >= Self::V7_3B
    }

    /// Whether the peer reads FEATUREEXTACK.
    pub fn has_features(self) -> bool {
        self >= Self::V7_4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_survives_its_number_and_old_ones_are_refused() {
        use TdsVersion::*;
        for version in [V7_2, V7_3A, V7_3B, V7_4, V8_0] {
            assert_eq!(TdsVersion::from_login(version.number()), Ok(version));
        }
        assert_eq!(TdsVersion::from_login(0x7500_0000), Ok(V7_4));
        assert_eq!(TdsVersion::from_login(0x7100_0001), Err(TdsError::OldVersion(0x7100_0001)));
    }
}
