//! What ALTER DATABASE … SET changes, and how the boot page holds it.
//!
//! ```text
//!  0 flags u64 │ 8 recovery u8 │ 9 access u8 │ 10 delayed durability u8 │ 11 page verify u8 │ 12 compatibility u8 │ 13 0 (3)
//! 16 target recovery time in seconds u32 │ 20 0 (4)                                                                      24
//! ```
//!
//! What always holds: a number that no program wrote reads as the default. This file knows what options are called, not
//! what they do.

use crate::check;

/// Bytes of the encoded options.
pub const OPTIONS_BYTES: usize = 24;
/// TARGET_RECOVERY_TIME of a new database: one minute, as since SQL Server 2016.
pub const TARGET_RECOVERY_DEFAULT_S: u32 = 60;
/// The compatibility level of a new database.
pub const COMPATIBILITY_DEFAULT: u8 = 160;

/// SET RECOVERY; the numbers are those of `sys.databases.recovery_model`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum RecoveryModel {
    /// The log is kept until it is backed up.
    Full = 1,
    /// As [`RecoveryModel::Full`]; bulk operations are logged fully here.
    BulkLogged = 2,
    /// The log is reused after a checkpoint.
    Simple = 3,
}

/// SET MULTI_USER …; the numbers are those of `sys.databases.user_access`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum UserAccess {
    /// All sessions.
    Multi = 0,
    /// One session at a time.
    Single = 1,
    /// Owners and administrators.
    Restricted = 2,
}

/// SET DELAYED_DURABILITY; the numbers are those of `sys.databases.delayed_durability`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DelayedDurability {
    /// Each commit waits for the log.
    Disabled = 0,
    /// A commit may say that it does not wait.
    Allowed = 1,
    /// No commit waits.
    Forced = 2,
}

/// SET PAGE_VERIFY; the numbers are those of `sys.databases.page_verify_option`. Pages have checksums in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PageVerify {
    /// NONE
    None = 0,
    /// TORN_PAGE_DETECTION
    TornPageDetection = 1,
    /// CHECKSUM
    Checksum = 2,
}

/// An option that is on or off; the number is its bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum DatabaseFlag {
    ReadOnly = 0,
    ReadCommittedSnapshot = 1,
    AllowSnapshotIsolation = 2,
    AutoClose = 3,
    AutoShrink = 4,
    AutoCreateStatistics = 5,
    AutoUpdateStatistics = 6,
    AutoUpdateStatisticsAsync = 7,
    AnsiNullDefault = 8,
    AnsiNulls = 9,
    AnsiPadding = 10,
    AnsiWarnings = 11,
    ArithAbort = 12,
    ConcatNullYieldsNull = 13,
    NumericRoundAbort = 14,
    QuotedIdentifier = 15,
    RecursiveTriggers = 16,
    CursorCloseOnCommit = 17,
    CursorDefaultLocal = 18,
    ParameterizationForced = 19,
    Trustworthy = 20,
    DbChaining = 21,
    BrokerEnabled = 22,
    HonorBrokerPriority = 23,
    DateCorrelationOptimization = 24,
    MixedPageAllocation = 25,
    MemoryOptimizedElevateToSnapshot = 26,
    QueryStore = 27,
    AcceleratedDatabaseRecovery = 28,
    AutoCreateStatisticsIncremental = 29,
    NestedTriggers = 30,
    TransformNoiseWords = 31,
    /// TEMPORAL_HISTORY_RETENTION OFF: databases of before the option have it on.
    TemporalHistoryKept = 32,
    /// DBCC CLONEDATABASE made it.
    Clone = 33,
    /// The same WITH VERIFY_CLONEDB.
    VerifiedClone = 34,
    /// CONTAINMENT = PARTIAL
    PartiallyContained = 35,
}

const fn bit(flag: DatabaseFlag) -> u64 {
    1 << flag as u8
}

/// All options of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// One bit per [`DatabaseFlag`].
    flags: u64,
    /// RECOVERY.
    pub recovery: RecoveryModel,
    /// SINGLE_USER, RESTRICTED_USER, MULTI_USER.
    pub access: UserAccess,
    /// DELAYED_DURABILITY.
    pub delayed_durability: DelayedDurability,
    /// PAGE_VERIFY.
    pub page_verify: PageVerify,
    /// COMPATIBILITY_LEVEL.
    pub compatibility_level: u8,
    /// TARGET_RECOVERY_TIME in seconds; 0: checkpoints by `recovery interval`.
    pub target_recovery_s: u32,
}

impl Default for DatabaseOptions {
    /// Those of model: full recovery, statement snapshots on, statistics kept.
    fn default() -> DatabaseOptions {
        let on = [
            DatabaseFlag::ReadCommittedSnapshot,
            DatabaseFlag::AutoCreateStatistics,
            DatabaseFlag::AutoUpdateStatistics,
            DatabaseFlag::NestedTriggers,
        ];
        DatabaseOptions {
            flags: on.into_iter().fold(0, |flags, flag| flags | bit(flag)),
            recovery: RecoveryModel::Full,
            access: UserAccess::Multi,
            delayed_durability: DelayedDurability::Disabled,
            page_verify: PageVerify::Checksum,
            compatibility_level: COMPATIBILITY_DEFAULT,
            target_recovery_s: TARGET_RECOVERY_DEFAULT_S,
        }
    }
}

impl DatabaseOptions {
    /// Those of tempdb, which cannot be changed: simple recovery, no statement snapshots.
    #[must_use]
    pub fn of_tempdb() -> DatabaseOptions {
        let mut options = DatabaseOptions { recovery: RecoveryModel::Simple, ..DatabaseOptions::default() };
        options.set(DatabaseFlag::ReadCommittedSnapshot, false);
        options
    }

    /// Those that master and msdb begin with: simple recovery.
    #[must_use]
    pub fn of_system() -> DatabaseOptions {
        let mut options = DatabaseOptions { recovery: RecoveryModel::Simple, ..DatabaseOptions::default() };
        options.set(DatabaseFlag::AllowSnapshotIsolation, true);
        options.set(DatabaseFlag::MixedPageAllocation, true);
        options
    }

    /// Whether a flag is on.
    #[must_use]
    pub fn is_on(&self, flag: DatabaseFlag) -> bool {
        self.flags & bit(flag) != 0
    }

    /// Sets a flag.
    pub fn set(&mut self, flag: DatabaseFlag, on: bool) {
        if on {
            self.flags |= bit(flag);
        } else {
            self.flags &= !bit(flag);
        }
    }

    /// The options as the boot page holds them.
    #[must_use]
    pub fn encode(&self) -> [u8; OPTIONS_BYTES] {
        let mut bytes = [0; OPTIONS_BYTES];
        bytes[0..8].copy_from_slice(&self.flags.to_le_bytes());
        bytes[8] = self.recovery as u8;
        bytes[9] = self.access as u8;
        bytes[10] = self.delayed_durability as u8;
        bytes[11] = self.page_verify as u8;
        bytes[12] = self.compatibility_level;
        bytes[16..20].copy_from_slice(&self.target_recovery_s.to_le_bytes());
        check!(DatabaseOptions::decode(&bytes) == *self, "options become others in the boot page");
        bytes
    }

    /// The inverse of [`DatabaseOptions::encode`].
    #[must_use]
    pub fn decode(bytes: &[u8; OPTIONS_BYTES]) -> DatabaseOptions {
        let default = DatabaseOptions::default();
        DatabaseOptions {
            flags: u64::from_le_bytes(bytes[0..8].try_into().expect("eight bytes")),
            recovery: match bytes[8] {
                2 => RecoveryModel::BulkLogged,
                3 => RecoveryModel::Simple,
                _ => RecoveryModel::Full,
            },
            access: match bytes[9] {
                1 => UserAccess::Single,
                2 => UserAccess::Restricted,
                _ => UserAccess::Multi,
            },
            delayed_durability: match bytes[10] {
                1 => DelayedDurability::Allowed,
                2 => DelayedDurability::Forced,
                _ => DelayedDurability::Disabled,
            },
            page_verify: match bytes[11] {
                0 => PageVerify::None,
                1 => PageVerify::TornPageDetection,
                _ => PageVerify::Checksum,
            },
            compatibility_level: if bytes[12] == 0 { default.compatibility_level } else { bytes[12] },
            target_recovery_s: u32::from_le_bytes(bytes[16..20].try_into().expect("four bytes")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_back() {
        let mut options = DatabaseOptions {
            recovery: RecoveryModel::BulkLogged,
            access: UserAccess::Restricted,
            delayed_durability: DelayedDurability::Forced,
            page_verify: PageVerify::None,
            compatibility_level: 110,
            target_recovery_s: 7,
            ..DatabaseOptions::of_system()
        };
        options.set(DatabaseFlag::ReadOnly, true);
        options.set(DatabaseFlag::ReadCommittedSnapshot, false);
        assert_eq!(DatabaseOptions::decode(&options.encode()), options);
        assert!(options.is_on(DatabaseFlag::ReadOnly) && !options.is_on(DatabaseFlag::ReadCommittedSnapshot));
        assert_eq!(DatabaseOptions::decode(&DatabaseOptions::default().encode()), DatabaseOptions::default());
    }

    #[test]
    fn numbers_that_were_not_written_are_defaults() {
        let mut bytes = DatabaseOptions::default().encode();
        bytes[8..13].copy_from_slice(&[99, 99, 99, 99, 0]);
        assert_eq!(DatabaseOptions::decode(&bytes), DatabaseOptions::default());
    }
}
