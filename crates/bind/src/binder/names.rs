//! What a statement can see: names of tables, functions and types, which the session resolves, and its variables.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::data_space::PartitionFunction;
use millpond_catalog::dialect::Dialect;
use millpond_catalog::expr::UserFunction;
use millpond_catalog::rel::UserTableFunction;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{ModuleDef, ObjectId, SchemaId, SequenceDef, TableDef, UserTypeDef};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ObjectName;
use millpond_types::collation::Collation;
use millpond_types::{SqlType, Watch};

/// What a name in FROM is.
pub enum Named {
    /// A stored table.
    Table(Arc<TableDef>),
    /// A system view.
    View(&'static ViewDef, DbId),
    /// A view of the user's in a database.
    UserView(Arc<ModuleDef>, DbId),
}

/// The rows of a view with an index.
pub enum KeptRows {
    /// The view has none, or the statement may not read them.
    Absent,
    /// They are in this table.
    There(Arc<TableDef>),
    /// A table of the view has masked columns: what they hide only the view's query says.
    Masked,
}

/// Where a name without a schema is looked for before `dbo`: beside the module whose text it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// The module's database.
    pub database: DbId,
    /// The module's schema.
    pub schema: SchemaId,
    /// The module; 0 for none.
    pub module: ObjectId,
}

impl Home {
    /// Of the names in a module's text.
    #[must_use]
    pub fn of(database: DbId, module: &ModuleDef) -> Home {
        Home { database, schema: module.schema.id, module: module.id }
    }
}

/// Which changes of a table or view its INSTEAD OF triggers take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InsteadOf {
    /// INSERT
    pub insert: bool,
    /// UPDATE
    pub update: bool,
    /// DELETE
    pub delete: bool,
}

/// The names that a statement can see; the session implements it. `home` is of the view or inline function whose text
/// the name stands in; without one the name stands in the statement itself.
pub trait Names {
    /// The table or view of that name; `None` when there is none.
    ///
    /// # Errors
    /// 911 for an unknown database, 40517 for a kind of table that is not there yet.
    fn relation(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Named>>;
    /// The database that a name is in; `None` when there is none of that name.
    ///
    /// # Errors
    /// 7202 for a name that is another server's.
    fn database(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<DbId>>;
    /// The table-valued function of that name.
    fn table_function(&self, name: &ObjectName) -> Option<&'static TableFunctionDef>;
    /// The user's scalar function of that name.
    ///
    /// # Errors
    /// 911 for an unknown database.
    fn scalar_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserFunction>>>;
    /// The partition function of that name in a database, the current one where none is said.
    ///
    /// # Errors
    /// 911 for an unknown database.
    fn partition_function(
        &self,
        _database: Option<&str>,
        _name: &str,
        _home: Option<Home>,
    ) -> SqlResult<Option<PartitionFunction>> {
        Ok(None)
    }
    /// The sequence of that name, with its database.
    ///
    /// # Errors
    /// 911 for an unknown database.
    fn sequence(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<(DbId, Arc<SequenceDef>)>>;
    /// The user's table-valued function of that name.
    ///
    /// # Errors
    /// 911 for an unknown database.
    fn user_table_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserTableFunction>>>;
    /// Whether the session that binds was cancelled.
    fn watch(&self) -> Watch<'_> {
        Watch::NONE
    }
    /// Whether it is a statement of a function of the user.
    fn in_function(&self) -> bool;
    /// The user type of that name.
    ///
    /// # Errors
    /// 911 for an unknown database.
    fn user_type(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserTypeDef>>>;
    /// Whether SET IDENTITY_INSERT is on for a table.
    fn identity_insert(&self, def: &TableDef) -> bool;
    /// Which changes of a table or view INSTEAD OF triggers take where the statement stands: a trigger does not take those of
    /// its own body.
    ///
    /// # Errors
    /// Of a database that cannot be read.
    fn instead_of(&self, _database: DbId, _object: ObjectId) -> SqlResult<InsteadOf> {
        Ok(InsteadOf::default())
    }
    /// The rows of a view, where it has an index and the statement may read them; `asked`: NOEXPAND says so.
    ///
    /// # Errors
    /// 1934 where they are asked for under other options than indexed views want.
    fn view_rows(&self, _view: &ModuleDef, _database: DbId, _asked: bool) -> SqlResult<KeptRows> {
        Ok(KeptRows::Absent)
    }
    /// The name of a database, for messages.
    fn database_name(&self, _database: DbId) -> Arc<str> {
        Arc::default()
    }
    /// The collation of a database.
    fn collation_of(&self, _database: DbId) -> Collation {
        Collation::default()
    }
    /// Whether `*` in a select list is refused: in what is bound to the objects that it uses.
    fn refuses_star(&self) -> bool {
        false
    }
    /// Whether a NULL column is meant when neither NULL nor NOT NULL is written.
    fn null_by_default(&self) -> bool;
    /// The options that the statement is bound for; those of definitions are the default ones.
    fn dialect(&self) -> Dialect {
        Dialect::default()
    }
}

/// The scalar variables of a batch: name in lower case → slot and type.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    by_name: HashMap<String, usize>,
    types: Vec<SqlType>,
}

impl Variables {
    /// Adds a variable and returns its slot, or `None` if the name is taken.
    pub fn declare(&mut self, name: &str, sql_type: SqlType) -> Option<usize> {
        let slot = self.types.len();
        match self.by_name.entry(name.to_lowercase()) {
            std::collections::hash_map::Entry::Occupied(_) => None,
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(slot);
                self.types.push(sql_type);
                Some(slot)
            }
        }
    }

    /// Slot and type of a variable.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(usize, SqlType)> {
        let slot = self.by_name.get(name).or_else(|| self.by_name.get(&name.to_lowercase()))?;
        Some((*slot, self.types[*slot]))
    }

    /// Names by slot, in lower case.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names = vec![String::new(); self.types.len()];
        for (name, slot) in &self.by_name {
            names[*slot].clone_from(name);
        }
        names
    }

    /// Type of a slot.
    #[must_use]
    pub fn type_of(&self, slot: usize) -> SqlType {
        self.types[slot]
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }
}
