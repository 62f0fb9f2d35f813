//! Which objects of a database are meant.

use millpond_storage::contract::DbId;

use crate::schema::ObjectId;

/// All objects of a database, or some.
#[derive(Clone, Copy, Debug)]
pub struct Within<'a> {
    /// The database.
    pub database: DbId,
    /// Only the objects of these numbers, in their order and each once; all where there are none. A constraint goes with
    /// its table.
    pub only: Option<&'a [ObjectId]>,
}

impl From<DbId> for Within<'static> {
    fn from(database: DbId) -> Within<'static> {
        Within { database, only: None }
    }
}

impl Within<'_> {
    /// Whether an object of this number is wanted.
    #[must_use]
    pub fn has(&self, id: i32) -> bool {
        self.only.is_none_or(|only| only.contains(&ObjectId(id)))
    }
}
