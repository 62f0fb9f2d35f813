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
const CHECKED_VALUE: usize = 3;

/// When DBCC CHECKDB last found nothing wrong in a database, in microseconds since 1970 UTC; 0 for never.
#[must_use]
pub fn last_good_check_utc_us(database: &Database) -> i64 {
    database.boot_value(CHECKED_VALUE).cast_signed()
}

/// DBCC CHECKDB has found nothing wrong in a database at that time.
///
/// # Errors
/// What changing the boot page gives.
pub fn note_good_check(database: &Database, ask: &Ask<'_>, utc_us: i64) -> SqlResult<()> {
    set_boot_value(database, ask, CHECKED_VALUE, utc_us.cast_unsigned())
}

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
