//! The resource governor and the server's configuration.

use super::name::{Ident, ObjectName};
use super::option::NamedOption;
use super::query::Expr;

/// `CREATE|ALTER WORKLOAD GROUP name [WITH (…)] [USING pool]`
#[derive(Clone, Debug)]
pub struct WorkloadGroup {
    /// ALTER
    pub alter: bool,
    /// Name; `default` too.
    pub name: Ident,
    /// `GROUP_MAX_TEMPDB_DATA_MB = 100`, `IMPORTANCE = LOW`, …
    pub options: Vec<NamedOption>,
    /// USING
    pub pool: Option<Ident>,
    /// `USING …, EXTERNAL pool`
    pub external_pool: Option<Ident>,
}

/// `CREATE|ALTER [EXTERNAL] RESOURCE POOL name [WITH (…)]`
#[derive(Clone, Debug)]
pub struct ResourcePool {
    /// ALTER
    pub alter: bool,
    /// EXTERNAL
    pub external: bool,
    /// Name; `default` too.
    pub name: Ident,
    /// `MAX_MEMORY_PERCENT = 50`, …
    pub options: Vec<NamedOption>,
}

/// What `KILL` ends.
#[derive(Clone, Debug)]
pub enum Kill {
    /// A session by its number, or a distributed transaction by the text of its unit of work.
    Work {
        /// Which.
        what: Expr,
        /// WITH
        option: Option<KillOption>,
    },
    /// `STATS JOB n`
    StatsJob(Expr),
    /// `QUERY NOTIFICATION SUBSCRIPTION n`; none is ALL.
    Subscription(Option<Expr>),
}

/// `KILL … WITH …`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillOption {
    /// STATUSONLY
    StatusOnly,
    /// COMMIT
    Commit,
    /// ROLLBACK
    Rollback,
}

/// `ALTER RESOURCE GOVERNOR …`
#[derive(Clone, Debug)]
pub enum ResourceGovernor {
    /// RECONFIGURE
    Reconfigure,
    /// DISABLE
    Disable,
    /// RESET STATISTICS
    ResetStatistics,
    /// `WITH (CLASSIFIER_FUNCTION = name)`; `None` for NULL.
    ClassifierFunction(Option<ObjectName>),
    /// `WITH (MAX_OUTSTANDING_IO_PER_VOLUME = n)` and others
    With(Vec<NamedOption>),
}

/// `ALTER SERVER CONFIGURATION SET …`
#[derive(Clone, Debug)]
pub enum ServerConfiguration {
    /// `BUFFER POOL EXTENSION ON (…)`; `None` for OFF.
    BufferPoolExtension(Option<BufferPoolExtension>),
    /// Anything else: the words after SET as written.
    Other(String),
}

/// `(FILENAME = 'path', SIZE = n [KB|MB|GB])`
#[derive(Clone, Debug)]
pub struct BufferPoolExtension {
    /// FILENAME
    pub filename: String,
    /// SIZE; a bare number counts KB.
    pub size_kb: u64,
}
