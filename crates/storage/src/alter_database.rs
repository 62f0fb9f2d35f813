//! ALTER DATABASE … SET and MODIFY NAME.
//!
//! What always holds: a change is durable before its success is told. Options lie in the boot page, names in the list of
//! databases.

use std::sync::Arc;

use crate::alter_error::AlterDatabaseError;
use crate::ask::Ask;
use crate::contract::DbId;
use crate::database::Database;
use crate::database_options::DatabaseOptions;
use crate::database_plan::{is_name, same_name};
use crate::instance::Instance;

impl Instance {
    /// ALTER DATABASE … MODIFY NAME.
    ///
    /// # Errors
    /// [`AlterDatabaseError`].
    pub fn rename_database(&self, db: DbId, name: &str) -> Result<(), AlterDatabaseError> {
        let _altering = self.altering.lock();
        let database = self.user_database(db)?;
        if !is_name(name) {
            return Err(AlterDatabaseError::BadName { name: name.into() });
        }
        let others = self.all_databases().into_iter().filter(|other| other.id() != db);
        if others.into_iter().any(|other| same_name(&other.name(), name)) {
            return Err(AlterDatabaseError::NameInUse { name: name.into() });
        }
        self.settings.change_databases(|list| {
            list.iter_mut().filter(|entry| entry.id() == db).for_each(|entry| entry.name = name.to_owned());
        })?;
        database.set_name(name);
        Ok(())
    }

    /// ALTER DATABASE … SET: `change` gets the options as they are and says what they become. Whether other sessions
    /// stand in the way is the caller's business.
    ///
    /// # Errors
    /// [`AlterDatabaseError`]; options of tempdb cannot be changed.
    pub fn set_database_options(
        &self,
        ask: &Ask<'_>,
        db: DbId,
        change: impl FnOnce(&mut DatabaseOptions),
    ) -> Result<Arc<Database>, AlterDatabaseError> {
        let _altering = self.altering.lock();
        if db == DbId::TEMPDB {
            return Err(AlterDatabaseError::OfTheSystem { db });
        }
        let database = self.database(db).ok_or(AlterDatabaseError::NoDatabase { db })?;
        let mut options = database.options();
        change(&mut options);
        database.set_options(ask, options)?;
        Ok(database)
    }
}
