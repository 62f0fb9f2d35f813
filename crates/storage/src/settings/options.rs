//! The server's options, as `sp_configure` and `sys.configurations` show them.
//!
//! ```text
//!   sp_configure ──▶ configured value ──RECONFIGURE──▶ run value      dynamic options
//!                                     ──next start──▶ run value       the others
//! ```
//!
//! What always holds: both values lie within the option's range. A run value is one relaxed load, so that hot paths may
//! ask for it each time. Names, numbers and ranges are SQL Server's; ours have numbers from 90001. This file knows what
//! options are called, not what they do.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// An option that the program itself asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
#[allow(missing_docs)]
pub enum OptionId {
    RecoveryIntervalMin,
    AllowUpdates,
    UserConnections,
    Locks,
    OpenObjects,
    FillFactor,
    NestedTriggers,
    RemoteAccess,
    DefaultLanguage,
    MaxWorkerThreads,
    NetworkPacketSize,
    ShowAdvanced,
    TwoDigitYearCutoff,
    IndexCreateMemoryKb,
    PriorityBoost,
    UserOptions,
    CostThresholdForParallelism,
    MaxDegreeOfParallelism,
    MinMemoryPerQueryKb,
    QueryWaitS,
    MinServerMemoryMb,
    MaxServerMemoryMb,
    LightweightPooling,
    ClrEnabled,
    BlockedProcessThresholdS,
    RemoteAdminConnections,
    BackupCompressionDefault,
    OptimizeForAdHoc,
    TempdbMetadataMemoryOptimized,
    ContainedDatabaseAuthentication,
    TempdbForwardOnlySearch,
    TempdbEagerWrites,
    DirectStatements,
    TempdbSessionLimitMb,
    MemoryOptimizedPercent,
    AutomaticCheckpoints,
    BufferPoolExtensionMode,
}

/// What an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// Which.
    pub id: OptionId,
    /// `configuration_id`.
    pub configuration_id: i32,
    /// Name.
    pub name: &'static str,
    /// Lowest value; 0 means "the server decides" where the default is 0.
    pub minimum: i64,
    /// Highest value.
    pub maximum: i64,
    /// Value of a new server.
    pub default: i64,
    /// RECONFIGURE installs it.
    pub is_dynamic: bool,
    /// Shown only with `show advanced options`.
    pub is_advanced: bool,
    /// Description.
    pub description: &'static str,
}

const DYNAMIC: u8 = 1;
const ADVANCED: u8 = 2;
const INT_MAX: i64 = i32::MAX as i64;

const fn option(
    id: OptionId,
    configuration_id: i32,
    name: &'static str,
    (minimum, maximum, default): (i64, i64, i64),
    flags: u8,
    description: &'static str,
) -> OptionInfo {
    let (is_dynamic, is_advanced) = (flags & DYNAMIC != 0, flags & ADVANCED != 0);
    OptionInfo { id, configuration_id, name, minimum, maximum, default, is_dynamic, is_advanced, description }
}

use OptionId as O;

/// All options, in order of [`OptionId`] and of their number.
pub const OPTIONS: [OptionInfo; 37] = [
    option(
        O::RecoveryIntervalMin,
        101,
        "recovery interval (min)",
        (0, 32767, 0),
        DYNAMIC | ADVANCED,
        "Maximum recovery interval in minutes",
    ),
    option(O::AllowUpdates, 102, "allow updates", (0, 1, 0), DYNAMIC, "Allow updates to system tables"),
    option(O::UserConnections, 103, "user connections", (0, 32767, 0), ADVANCED, "Number of user connections allowed"),
    option(O::Locks, 106, "locks", (5000, INT_MAX, 0), ADVANCED, "Number of locks for all users"),
    option(O::OpenObjects, 107, "open objects", (0, INT_MAX, 0), ADVANCED, "Number of open database objects"),
    option(O::FillFactor, 109, "fill factor (%)", (0, 100, 0), ADVANCED, "Default fill factor percentage"),
    option(
        O::NestedTriggers,
        115,
        "nested triggers",
        (0, 1, 1),
        DYNAMIC,
        "Allow triggers to be invoked within triggers",
    ),
    option(O::RemoteAccess, 117, "remote access", (0, 1, 1), 0, "Allow remote access"),
    option(O::DefaultLanguage, 124, "default language", (0, 9999, 0), DYNAMIC, "default language"),
    option(
        O::MaxWorkerThreads,
        503,
        "max worker threads",
        (128, 65535, 0),
        DYNAMIC | ADVANCED,
        "Maximum worker threads",
    ),
    option(
        O::NetworkPacketSize,
        505,
        "network packet size (B)",
        (512, 32767, 4096),
        DYNAMIC | ADVANCED,
        "Network packet size",
    ),
    option(O::ShowAdvanced, 518, "show advanced options", (0, 1, 0), DYNAMIC, "show advanced options"),
    option(
        O::TwoDigitYearCutoff,
        1127,
        "two digit year cutoff",
        (1753, 9999, 2049),
        DYNAMIC | ADVANCED,
        "two digit year cutoff",
    ),
    option(
        O::IndexCreateMemoryKb,
        1505,
        "index create memory (KB)",
        (704, INT_MAX, 0),
        DYNAMIC | ADVANCED,
        "Memory for index create sorts (kBytes)",
    ),
    option(O::PriorityBoost, 1517, "priority boost", (0, 1, 0), ADVANCED, "Priority boost"),
    option(O::UserOptions, 1534, "user options", (0, 32767, 0), DYNAMIC, "user options"),
    option(
        O::CostThresholdForParallelism,
        1538,
        "cost threshold for parallelism",
        (0, 32767, 5),
        DYNAMIC | ADVANCED,
        "cost threshold for parallelism",
    ),
    option(
        O::MaxDegreeOfParallelism,
        1539,
        "max degree of parallelism",
        (0, 32767, 0),
        DYNAMIC | ADVANCED,
        "maximum degree of parallelism",
    ),
    option(
        O::MinMemoryPerQueryKb,
        1540,
        "min memory per query (KB)",
        (512, INT_MAX, 1024),
        DYNAMIC | ADVANCED,
        "minimum memory per query (kBytes)",
    ),
    option(
        O::QueryWaitS,
        1541,
        "query wait (s)",
        (-1, INT_MAX, -1),
        DYNAMIC | ADVANCED,
        "maximum time to wait for query memory (s)",
    ),
    option(
        O::MinServerMemoryMb,
        1543,
        "min server memory (MB)",
        (0, INT_MAX, 0),
        DYNAMIC | ADVANCED,
        "Minimum size of server memory (MB)",
    ),
    option(
        O::MaxServerMemoryMb,
        1544,
        "max server memory (MB)",
        (128, INT_MAX, INT_MAX),
        DYNAMIC | ADVANCED,
        "Maximum size of server memory (MB)",
    ),
    option(
        O::LightweightPooling,
        1546,
        "lightweight pooling",
        (0, 1, 0),
        ADVANCED,
        "User mode scheduler uses lightweight pooling",
    ),
    option(O::ClrEnabled, 1562, "clr enabled", (0, 1, 0), DYNAMIC, "CLR user code execution enabled in the server"),
    option(
        O::BlockedProcessThresholdS,
        1569,
        "blocked process threshold (s)",
        (0, 86400, 0),
        DYNAMIC | ADVANCED,
        "Blocked process reporting threshold",
    ),
    option(
        O::RemoteAdminConnections,
        1576,
        "remote admin connections",
        (0, 1, 0),
        DYNAMIC,
        "Dedicated Admin Connections are allowed from remote clients",
    ),
    option(
        O::BackupCompressionDefault,
        1579,
        "backup compression default",
        (0, 1, 0),
        DYNAMIC,
        "Enable compression of backups by default",
    ),
    option(
        O::OptimizeForAdHoc,
        1581,
        "optimize for ad hoc workloads",
        (0, 1, 0),
        DYNAMIC | ADVANCED,
        "When this option is set, plan cache size is further reduced for a single-use adhoc OLTP workload.",
    ),
    option(
        O::TempdbMetadataMemoryOptimized,
        1589,
        "tempdb metadata memory-optimized",
        (0, 1, 0),
        ADVANCED,
        "Tempdb metadata memory-optimized is disabled by default.",
    ),
    option(
        O::ContainedDatabaseAuthentication,
        16393,
        "contained database authentication",
        (0, 1, 0),
        DYNAMIC,
        "Enables contained databases and contained authentication",
    ),
    option(
        O::TempdbForwardOnlySearch,
        90001,
        "tempdb forward-only extent search",
        (0, 1, 0),
        DYNAMIC,
        "Freed extents of tempdb are reused only after the search has gone through the whole file",
    ),
    option(
        O::TempdbEagerWrites,
        90002,
        "tempdb eager writes",
        (0, 1, 0),
        DYNAMIC,
        "Bulk operations in tempdb write their pages at once",
    ),
    option(
        O::DirectStatements,
        90003,
        "direct statements",
        (0, 1, 1),
        DYNAMIC,
        "Simple statements run without a query plan",
    ),
    option(
        O::TempdbSessionLimitMb,
        90004,
        "tempdb session limit (MB)",
        (0, 2_147_483_647, 0),
        DYNAMIC,
        "Most data space of tempdb that one session may have; 0 is no bound",
    ),
    option(
        O::MemoryOptimizedPercent,
        90005,
        "memory-optimized data (%)",
        (1, 80, 25),
        DYNAMIC,
        "Most memory that memory-optimized table variables may have together, in percent of max server memory",
    ),
    option(
        O::AutomaticCheckpoints,
        90006,
        "automatic checkpoints",
        (0, 1, 1),
        DYNAMIC | ADVANCED,
        "The server takes checkpoints by itself; without them a log that fills ends statements with 9002",
    ),
    option(
        O::BufferPoolExtensionMode,
        90007,
        "buffer pool extension mode",
        (0, 1, 1),
        DYNAMIC | ADVANCED,
        "What enters the buffer pool extension: 0 clean pages only, 1 dirty pages too",
    ),
];

const _: () = {
    let mut at = 0;
    while at < OPTIONS.len() {
        let option = &OPTIONS[at];
        assert!(option.id as usize == at, "options are in the order of their names in the program");
        assert!(at == 0 || OPTIONS[at - 1].configuration_id < option.configuration_id, "and of their numbers");
        assert!(option.minimum <= option.maximum, "an option has a value");
        at += 1;
    }
};
impl OptionId {
    /// What it is.
    #[must_use]
    pub fn info(self) -> &'static OptionInfo {
        &OPTIONS[self as usize]
    }
}

impl OptionInfo {
    /// Whether the option may have `value`. 0 is allowed where it means "the server decides".
    #[must_use]
    pub fn allows(&self, value: i64) -> bool {
        (self.minimum..=self.maximum).contains(&value) || value == self.default
    }
}

/// An option and its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionReport {
    /// What it is.
    pub info: &'static OptionInfo,
    /// `config_value`, `value`.
    pub configured: i64,
    /// `run_value`, `value_in_use`.
    pub running: i64,
}

/// A value that was changed; RECONFIGURE installs it (message 15457).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionChange {
    /// What it is.
    pub info: &'static OptionInfo,
    /// Configured value before.
    pub old: i64,
    /// Configured value now.
    pub new: i64,
}

/// Why an option was not found or not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// No such option, or an advanced one that is not shown (15123).
    #[error("The configuration option '{name}' does not exist, or it may be an advanced option.")]
    Unknown {
        /// As it was asked for.
        name: String,
    },
    /// More than one option has the words in its name (15124).
    #[error("The configuration option '{name}' is not unique.")]
    Ambiguous {
        /// As it was asked for.
        name: String,
        /// The options that match.
        matches: Vec<&'static str>,
    },
    /// The value is outside the range (15129).
    #[error("'{value}' is not a valid value for configuration option '{name}'.")]
    OutOfRange {
        /// Name.
        name: &'static str,
        /// Value.
        value: i64,
    },
    /// RECONFIGURE without OVERRIDE does not take the value (5807).
    #[error(
        "Recovery intervals above 60 minutes not recommended. Use the RECONFIGURE WITH OVERRIDE statement to force this configuration."
    )]
    NotRecommended {
        /// Name.
        name: &'static str,
        /// Value.
        value: i64,
    },
}

/// RECONFIGURE wants OVERRIDE for longer recovery intervals.
const RECOVERY_INTERVAL_MIN_RECOMMENDED: i64 = 60;

#[derive(Debug)]
struct Values {
    configured: AtomicI64,
    running: AtomicI64,
}

/// The values of all options.
#[derive(Debug)]
pub struct Options {
    values: [Values; OPTIONS.len()],
}

impl Default for Options {
    fn default() -> Self {
        let value = |at: usize| AtomicI64::new(OPTIONS[at].default);
        Options { values: std::array::from_fn(|at| Values { configured: value(at), running: value(at) }) }
    }
}

impl Options {
    /// Values of a server that starts: the configured ones run. Unknown names and values out of range are left out.
    pub fn starting_with<'a>(stored: impl IntoIterator<Item = (&'a str, i64)>) -> Options {
        let options = Options::default();
        for (name, value) in stored {
            if let Some(info) = OPTIONS.iter().find(|info| info.name == name && info.allows(value)) {
                options.of(info.id).configured.store(value, Relaxed);
                options.of(info.id).running.store(value, Relaxed);
            }
        }
        options
    }

    fn of(&self, id: OptionId) -> &Values {
        &self.values[id as usize]
    }

    /// The value in force.
    #[must_use]
    pub fn running(&self, id: OptionId) -> i64 {
        self.of(id).running.load(Relaxed)
    }

    /// Whether a 0/1 option is on.
    #[must_use]
    pub fn is_on(&self, id: OptionId) -> bool {
        self.running(id) != 0
    }

    /// The configured value.
    #[must_use]
    pub fn configured(&self, id: OptionId) -> i64 {
        self.of(id).configured.load(Relaxed)
    }

    /// All options with their values, in order of their number.
    #[must_use]
    pub fn report(&self) -> Vec<OptionReport> {
        let one = |info: &'static OptionInfo| OptionReport {
            info,
            configured: self.configured(info.id),
            running: self.running(info.id),
        };
        OPTIONS.iter().map(one).collect()
    }

    /// Options that differ from their defaults, for storing.
    #[must_use]
    pub fn changed(&self) -> Vec<(&'static str, i64)> {
        let all = OPTIONS.iter().map(|info| (info, self.configured(info.id)));
        all.filter(|(info, value)| *value != info.default).map(|(info, value)| (info.name, value)).collect()
    }

    /// Finds an option by its name or any part of it that no other has, in any case. Advanced ones are found only when
    /// they are shown.
    ///
    /// # Errors
    /// [`OptionError::Unknown`], [`OptionError::Ambiguous`].
    pub fn find(&self, name: &str) -> Result<&'static OptionInfo, OptionError> {
        let words = name.trim().to_lowercase();
        let is_shown = |info: &&OptionInfo| !info.is_advanced || self.is_on(OptionId::ShowAdvanced);
        let shown: Vec<&'static OptionInfo> = OPTIONS.iter().filter(is_shown).collect();
        if let Some(info) = shown.iter().find(|info| info.name.to_lowercase() == words) {
            return Ok(info);
        }
        let matching: Vec<_> = shown.into_iter().filter(|info| info.name.to_lowercase().contains(&words)).collect();
        match matching[..] {
            [] => Err(OptionError::Unknown { name: name.into() }),
            [info] => Ok(info),
            _ => {
                let matches = matching.iter().map(|info| info.name).collect();
                Err(OptionError::Ambiguous { name: name.into(), matches })
            }
        }
    }

    /// Changes a configured value.
    ///
    /// # Errors
    /// [`OptionError`]; nothing is changed then.
    pub fn set(&self, name: &str, value: i64) -> Result<OptionChange, OptionError> {
        let info = self.find(name)?;
        if !info.allows(value) {
            return Err(OptionError::OutOfRange { name: info.name, value });
        }
        let old = self.of(info.id).configured.swap(value, Relaxed);
        Ok(OptionChange { info, old, new: value })
    }

    /// RECONFIGURE: configured values of dynamic options run from now on.
    ///
    /// # Errors
    /// [`OptionError::NotRecommended`] without `with_override`; nothing is changed then.
    pub fn reconfigure(&self, with_override: bool) -> Result<(), OptionError> {
        let id = OptionId::RecoveryIntervalMin;
        let value = self.configured(id);
        if value > RECOVERY_INTERVAL_MIN_RECOMMENDED && value != self.running(id) && !with_override {
            return Err(OptionError::NotRecommended { name: id.info().name, value });
        }
        for info in OPTIONS.iter().filter(|info| info.is_dynamic) {
            let value = self.configured(info.id);
            assert!(info.allows(value), "'{}' is configured to {value}, which it cannot be", info.name);
            self.of(info.id).running.store(value, Relaxed);
        }
        Ok(())
    }
}
