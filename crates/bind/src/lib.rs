//! Binding: names become tables, columns and variables, every type is decided, every implicit conversion is written
//! out. The result (`rel`, `expr`) says all that the text meant; nobody below looks at the text again.
//!
//! ```text
//!   ast::Query ──from──▶ Rel + Scope ──filter──▶ group ──▶ project ──▶ order, top ──▶ BoundQuery
//! ```

pub(crate) mod change;
pub(crate) mod definition;
mod expression;
mod from;
mod query;
mod scope;
mod sequence;
mod stack;

use std::collections::HashMap;
use std::sync::Arc;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::dialect::Dialect;
use millpond_catalog::expr::{BoundExpr, UserFunction};
use millpond_catalog::rel::{Aggregate, SortKey, UserTableFunction};
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{ModuleDef, ObjectId, SchemaId, SequenceDef, TableDef, UsedModule, UserTypeDef};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ObjectName;
use millpond_txn::ReadHint;
use millpond_types::{SqlType, Watch};

pub use change::changes::BoundChanges;
pub use change::dml::{
    Assign, BoundChange, BoundInsert, BoundOutput, Change, InsertColumn, InsertTarget, SetVariables, TakenRows,
};
pub use change::merge::{BoundMerge, MergeBranch, MergeDo};
pub use change::new_identity::NewIdentity;
pub use change::row_predicates::row_predicates;
pub use change::rows::{GATHERED, GatheredRows};
pub use change::view_target::{ViewCheck, ViewTarget};
pub use definition::index::{
    changed_index_options, check_options as check_index_options, heap as heap_index, not_the_constraint,
    remade as remade_index,
};
pub use definition::stored::{StoredBinder, StoredNames, stored_condition, stored_scalar, stored_value};
pub use definition::table::check_column_count;
pub use definition::table::{NewTable, declared_type};
pub use expression::computed::is_of_reader;
pub use expression::operator::no_implicit;
pub use from::Given;
pub use query::BoundQuery;
pub use query::ordering::ORDER_MEANS_NOTHING;
pub use query::origin::{origin_of, source_of};

use expression::numbered::Numbered;
use scope::Scope;
use sequence::Numbers;
use stack::StackStart;

/// What a name in FROM is.
pub enum Named {
    /// A stored table.
    Table(Arc<TableDef>),
    /// A system view.
    View(&'static ViewDef, DbId),
    /// A view of the user's in a database.
    UserView(Arc<ModuleDef>, DbId),
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
    /// Whether whoever binds was cancelled.
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

/// A stored table that a bound statement uses: resolved again by name before each run.
#[derive(Clone, Debug)]
pub struct TableUse {
    /// Name as the statement wrote it, last part.
    pub name: String,
    /// Definition at bind time; a table of another definition asks for a new binding.
    pub def: Arc<TableDef>,
    /// How its rows are read.
    pub hint: ReadHint,
}

/// Binds one statement.
pub struct Binder<'a> {
    names: &'a dyn Names,
    variables: &'a Variables,
    /// The options that it is bound for, with ANSI_NULLS of the view that is being bound.
    dialect: Dialect,
    /// Tables that the statement uses, in the order of their binding numbers.
    pub tables: Vec<TableUse>,
    /// Views whose text became part of the statement, and functions that it calls or has taken in.
    pub views: Vec<UsedModule>,
    view_depth: usize,
    /// The view or inline function whose text is being bound.
    home: Option<Home>,
    /// Sequences that it draws from.
    pub sequences: Vec<(DbId, ObjectId)>,
    /// Where NEXT VALUE FOR stands.
    numbers: Numbers,
    /// The same for the select list of the query that is bound next.
    list_numbers: Numbers,
    /// The order of NEXT VALUE FOR … OVER (ORDER BY …) in the select list that is being bound.
    number_order: Vec<SortKey>,
    /// Queries around the expression.
    query_depth: usize,
    /// An ORDER BY behind a set operator may name items of the block that is bound.
    wants_origins: bool,
    /// The query that is bound next is that of an EXISTS.
    asks_existence: bool,
    /// Tables of the outermost query whose rows are to be found again: their bindings, in the order of FROM.
    pub located: Option<Vec<usize>>,
    /// The view that the statement changes.
    view_target: Option<ViewTarget>,
    /// What it changes of a view that is bound as a target next.
    aim: change::aim::Aim,
    /// The expression is kept with a definition: functions are called as they are then.
    kept: bool,
    /// Columns have no place in the expression, whatever their names.
    refuses_columns: bool,
    /// The expression is a DEFAULT that is a call and nothing else.
    in_default: bool,
    /// The table that the block makes by INTO.
    made_table: Option<String>,
    /// Its identity column.
    pub new_identity: Option<NewIdentity>,
    /// Functions of the user are called, not only taken in.
    pub calls: bool,
    /// Table parameters of the inline function whose query is bound.
    lent: Vec<expression::function::Lent>,
    /// Inline functions around the query.
    depth: u32,
    /// Mentions of views, inline functions and common table expressions whose query was bound in their place.
    expansions: u32,
    /// An argument is bound to see its columns alone: one with a subquery is given up, whatever the subquery says.
    refuses_queries: bool,
    stack: StackStart,
    scopes: Vec<Scope>,
    blocks: Vec<Block>,
    ctes: Vec<Vec<from::CteBinding>>,
    /// Name of the common table expression whose query is being bound, and whether it is one of UNION ALL.
    inside_cte: Option<(String, bool)>,
    /// Scopes around the innermost subquery.
    subquery_floor: usize,
    /// How deep recursive CTEs may go; 0 for no bound.
    recursion_levels: u32,
}

/// Aggregates of the query block that is being bound; `None` where an aggregate is not allowed.
#[derive(Default)]
struct Block {
    aggregates: Option<Numbered<Aggregate>>,
    /// Inside an aggregate's argument: another aggregate there is 130.
    in_aggregate: bool,
    /// What GROUP BY says.
    groups: expression::grouping::Groups,
    /// Calls with OVER; `None` where they are not allowed.
    windows: Option<Numbered<expression::window::BoundWindow>>,
    /// EXISTS asks for its rows alone.
    is_existence: bool,
    /// Places of the items that stand for `*` and `table.*`.
    stars: Vec<usize>,
    /// Windows that have names.
    named_windows: Vec<(String, millpond_tsql::ast::Over)>,
    /// Inside of one: another one there is 4109.
    in_window: bool,
}

impl<'a> Binder<'a> {
    /// A binder over the names that a statement sees.
    #[must_use]
    pub fn new(names: &'a dyn Names, variables: &'a Variables) -> Binder<'a> {
        Binder {
            names,
            variables,
            dialect: names.dialect(),
            tables: Vec::new(),
            views: Vec::new(),
            view_depth: 0,
            home: None,
            sequences: Vec::new(),
            numbers: Numbers::Allowed,
            list_numbers: Numbers::Allowed,
            number_order: Vec::new(),
            query_depth: 0,
            wants_origins: false,
            asks_existence: false,
            located: None,
            view_target: None,
            aim: change::aim::Aim::default(),
            kept: false,
            refuses_columns: false,
            in_default: false,
            made_table: None,
            new_identity: None,
            calls: false,
            lent: Vec::new(),
            depth: 0,
            expansions: 0,
            refuses_queries: false,
            stack: StackStart::here(),
            scopes: Vec::new(),
            blocks: Vec::new(),
            ctes: Vec::new(),
            inside_cte: None,
            subquery_floor: 0,
            recursion_levels: query::recursive::LEVELS_DEFAULT,
        }
    }

    /// The same for the text of a module.
    #[must_use]
    pub fn at_home(self, home: Home) -> Binder<'a> {
        Binder { home: Some(home), ..self }
    }

    /// `expr` as a value of `target`, implicitly.
    ///
    /// # Errors
    /// 206 and 257 for types that do not convert.
    pub fn converted(&self, expr: BoundExpr, target: SqlType) -> SqlResult<BoundExpr> {
        expression::operator::convert(expr, target)
    }

    /// Binding number of a stored table: a new one per mention, so that each scan counts for itself.
    fn use_table(&mut self, name: &str, def: &Arc<TableDef>, hint: ReadHint) -> usize {
        let uses = def.uses();
        self.calls |= !uses.functions.is_empty();
        self.sequences.extend(uses.sequences.into_iter().map(|(place, _)| place));
        self.tables.push(TableUse { name: name.to_owned(), def: Arc::clone(def), hint });
        self.tables.len() - 1
    }
}
