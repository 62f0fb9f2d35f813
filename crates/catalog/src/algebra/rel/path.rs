//! What the hints of a table leave of the access paths to its rows: INDEX, FORCESEEK and FORCESCAN.

/// The access paths that are left. Without hints all are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForcedPath {
    /// The index that is named: its position in the definition's indexes.
    pub index: Option<usize>,
    /// How it, or any, is to be read.
    pub operation: Option<ForcedOperation>,
}

/// How an index is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForcedOperation {
    /// FORCESEEK: at least so many of its first key columns are looked for.
    Seek(usize),
    /// FORCESCAN: none is looked for.
    Scan,
}

impl ForcedPath {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self == ForcedPath::default()
    }

    /// The key columns that must be looked for; none where a scan is as good.
    #[must_use]
    pub fn seek_columns(&self) -> Option<usize> {
        match self.operation {
            Some(ForcedOperation::Seek(columns)) => Some(columns),
            _ => None,
        }
    }

    /// Whether nothing may be looked for.
    #[must_use]
    pub fn is_scan(&self) -> bool {
        self.operation == Some(ForcedOperation::Scan)
    }
}
