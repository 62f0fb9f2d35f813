//! The values of a database's boot page that belong to its definitions.

use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::ask::Ask;
use millpond_storage::database::Database;

/// Root of `sysindexes`; 0 in a database whose system tables are not made yet.
pub(super) const ROOT_VALUE: usize = 0;
/// First IAM page of `sysindexes`.
pub(super) const IAM_VALUE: usize = 1;
/// The mark of the rowversion values: those up to it may have been given.
pub(super) const ROW_VERSION_VALUE: usize = 2;

/// When DBCC CHECKDB last found nothing wrong, in microseconds since 1970 UTC; 0 for never.
pub(super) const CHECKED_VALUE: usize = 3;

/// Sets one of them, in the log.
pub(super) fn set_boot_value(database: &Database, ask: &Ask<'_>, number: usize, value: u64) -> SqlResult<()> {
    database.set_boot_value(ask, number, value).map_err(|cause| {
        SqlError::of(
            5069,
            1,
            &[&format_args!(": the boot page of '{}' could not be changed: {cause}", database.name())],
        )
    })
}
