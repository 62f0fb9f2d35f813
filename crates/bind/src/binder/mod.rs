//! The binder of one statement: what it has gathered, and where in the text it stands. The functions that bind stand in the
//! files of what they bind, and take it as their first argument. Files beside this one hold what it is made of; they
//! bind nothing.

pub(crate) mod block;
pub(crate) mod bound_query;
pub(crate) mod declared;
pub(crate) mod names;
pub(crate) mod needs;
pub(crate) mod numbered;
pub(crate) mod numbers;
pub(crate) mod option_hint;
pub(crate) mod refused;
pub(crate) mod scope;
pub(crate) mod source;
pub(crate) mod stack;
pub(crate) mod target;
pub(crate) mod written;

use std::sync::Arc;

use millpond_catalog::dialect::Dialect;
use millpond_catalog::rel::{QueryHints, SortKey};
use millpond_catalog::{ModuleDef, ObjectId, TableDef, UsedModule};
use millpond_storage::contract::DbId;
use millpond_txn::ReadHint;
use millpond_xml::xquery::Namespaces;

use crate::binder::block::Block;
use crate::binder::names::{Home, Names, Variables};
use crate::binder::needs::{Mention, Need};
use crate::binder::numbers::Numbers;
use crate::binder::option_hint::OptionHint;
use crate::binder::scope::Scope;
use crate::binder::source::{BoundTableParameter, CteBinding};
use crate::binder::stack::StackStart;
use crate::binder::target::{Aim, NewIdentity, ViewTarget};

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
    pub(crate) names: &'a dyn Names,
    /// Variables that the statement may read.
    pub variables: &'a Variables,
    /// The options that it is bound for, with ANSI_NULLS of the view that is being bound.
    pub(crate) dialect: Dialect,
    /// Tables that the statement uses, in the order of their binding numbers.
    pub tables: Vec<TableUse>,
    /// Databases of the user whose system views it reads, each with the name that it says.
    pub databases: Vec<(DbId, String)>,
    /// Views whose text became part of the statement, and functions that it calls or has taken in.
    pub views: Vec<UsedModule>,
    pub(crate) view_depth: usize,
    /// The view or inline function whose text is being bound.
    pub(crate) home: Option<Home>,
    /// Sequences that it draws from.
    pub sequences: Vec<(DbId, ObjectId)>,
    /// Where NEXT VALUE FOR stands.
    pub(crate) numbers: Numbers,
    /// The same for the select list of the query that is bound next.
    pub(crate) list_numbers: Numbers,
    /// The order of NEXT VALUE FOR … OVER (ORDER BY …) in the select list that is being bound.
    pub(crate) number_order: Vec<SortKey>,
    /// Queries around the expression.
    pub(crate) query_depth: usize,
    /// Columns of the innermost query that expressions have named so far.
    pub(crate) columns_named: usize,
    /// The query that is bound next is part of another query or of a change: its values are no result of the statement.
    pub(crate) is_inner: bool,
    /// An ORDER BY after a set operator may name items of the block that is bound.
    pub(crate) wants_origins: bool,
    /// The query that is bound next is that of an EXISTS.
    pub(crate) asks_existence: bool,
    /// Tables of the outermost query whose rows are to be found again: their bindings, in the order of FROM.
    pub located: Option<Vec<usize>>,
    /// The view that the statement changes.
    pub(crate) view_target: Option<ViewTarget>,
    /// What it changes of a view that is bound as a target next.
    pub(crate) aim: Aim,
    /// The expression is kept with a definition: functions are called as they are then.
    pub(crate) kept: bool,
    /// Columns have no place in the expression, whatever their names.
    pub(crate) refuses_columns: bool,
    /// The expression is a DEFAULT that is a call and nothing else.
    pub(crate) in_default: bool,
    /// The table that the block makes by INTO.
    pub(crate) made_table: Option<String>,
    /// Its identity column.
    pub new_identity: Option<NewIdentity>,
    /// Functions of the user are called, not only taken in.
    pub calls: bool,
    /// Table parameters of the inline function whose query is bound.
    pub(crate) table_parameters: Vec<BoundTableParameter>,
    /// Inline functions around the query.
    pub(crate) depth: u32,
    /// Mentions of views, inline functions and common table expressions whose query was bound in their place.
    pub(crate) expansions: u32,
    /// An argument is bound to see its columns alone: one with a subquery is given up, whatever the subquery says.
    pub(crate) refuses_queries: bool,
    pub(crate) stack: StackStart,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) ctes: Vec<Vec<CteBinding>>,
    /// What WITH XMLNAMESPACES declares for the XQueries of the statement.
    pub(crate) xml_namespaces: Namespaces,
    /// A column of `nodes()` may stand here.
    pub(crate) takes_nodes: bool,
    /// Name of the common table expression whose query is being bound, and whether it is one of UNION ALL.
    pub(crate) inside_cte: Option<(String, bool)>,
    /// Scopes around the innermost subquery.
    pub(crate) subquery_floor: usize,
    /// How deep recursive CTEs may go; 0 for no bound.
    pub(crate) recursion_levels: u32,
    /// What OPTION says of the plan; the order of joins is forced by the word of a join, too.
    pub hints: QueryHints,
    /// TABLE HINT of OPTION.
    pub(crate) option_hints: Vec<OptionHint>,
    /// A word of a join has forced their order, of which SQL Server warns (8625).
    pub warns_of_order: bool,
    /// Objects in FROM, with what is named of them.
    pub(crate) mentions: Vec<Mention>,
    /// What else it needs the right to.
    pub(crate) needs: Vec<Need>,
    /// The view or inline function whose text is being bound, for those who ask whether it may be read.
    pub(crate) through: Option<(DbId, ObjectId)>,
    /// Views and functions over the state of the server that it reads: those whose names begin with `dm_`.
    pub state_views: Vec<(DbId, &'static str)>,
    /// Views that are targets, the outermost first, each with the module in whose text it stands.
    pub(crate) target_views: Vec<TargetView>,
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
            databases: Vec::new(),
            views: Vec::new(),
            view_depth: 0,
            home: None,
            sequences: Vec::new(),
            numbers: Numbers::Allowed,
            list_numbers: Numbers::Allowed,
            number_order: Vec::new(),
            query_depth: 0,
            columns_named: 0,
            is_inner: false,
            wants_origins: false,
            asks_existence: false,
            located: None,
            view_target: None,
            aim: Aim::default(),
            kept: false,
            refuses_columns: false,
            in_default: false,
            made_table: None,
            new_identity: None,
            calls: false,
            table_parameters: Vec::new(),
            depth: 0,
            expansions: 0,
            refuses_queries: false,
            stack: StackStart::here(),
            scopes: Vec::new(),
            blocks: Vec::new(),
            ctes: Vec::new(),
            xml_namespaces: Namespaces::default(),
            takes_nodes: false,
            inside_cte: None,
            subquery_floor: 0,
            recursion_levels: LEVELS_DEFAULT,
            hints: QueryHints::of_session(names.dialect().forces_plan()),
            option_hints: Vec::new(),
            warns_of_order: false,
            mentions: Vec::new(),
            needs: Vec::new(),
            through: None,
            target_views: Vec::new(),
            state_views: Vec::new(),
        }
    }

    /// The same for the text of a module.
    #[must_use]
    pub fn at_home(self, home: Home) -> Binder<'a> {
        let dialect = self.dialect.with_collation(self.names.collation_of(home.database));
        Binder { home: Some(home), dialect, ..self }
    }

    /// What the text of a module is bound for: ANSI_NULLS as it was made with, and the collation of its database.
    pub(crate) fn dialect_of(&self, module: &ModuleDef, database: DbId) -> Dialect {
        self.dialect.with_ansi_nulls(module.ansi_nulls).with_collation(self.names.collation_of(database))
    }

    /// Binding number of a stored table: a new one per mention, so that each scan counts for itself.
    pub(crate) fn use_table(&mut self, name: &str, def: &Arc<TableDef>, hint: ReadHint) -> usize {
        let uses = def.uses();
        self.calls |= !uses.functions.is_empty();
        self.sequences.extend(uses.sequences.into_iter().map(|(place, _)| place));
        self.tables.push(TableUse { name: name.to_owned(), def: Arc::clone(def), hint });
        self.tables.len() - 1
    }
}

/// A view that is a target, and the module in whose text it stands.
pub(crate) type TargetView = (DbId, ObjectId, Option<(DbId, ObjectId)>);

/// Levels when OPTION (MAXRECURSION) says nothing.
const LEVELS_DEFAULT: u32 = 100;
