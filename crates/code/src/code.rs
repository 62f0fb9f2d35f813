//! Bound statements and where they are kept: per session, per text, per statement of the text (`code_key`).

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use millpond_bind::{Binder, BoundChange, BoundInsert, BoundMerge, GatheredRows, Need, TableUse, Variables};
use millpond_catalog::dialect::Dialect;
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::QueryHints;
use millpond_catalog::security::SecurityContext;
use millpond_catalog::{ObjectId, TableDef, UsedModule};
use millpond_direct::TableStep;
use millpond_direct::runner::Runner;
use millpond_direct::walk::Walk;
use millpond_engine::account::query_store::place::CapturedPlace;
use millpond_engine::account::statement_stats::StatementStats;
use millpond_engine::context::{RunContext, TableBinding};
use millpond_engine::engine::Engine;
use millpond_engine::memory::plans::PlanCharge;
use millpond_engine::module::Signature;
use millpond_message::error::SqlError;
use millpond_message::sink::Column;
use millpond_storage::contract::DbId;
use millpond_storage::number_map::NumberMap;
use parking_lot::Mutex;

use crate::code_key::KeptCode;
use crate::cursor_model::{self, Model};
use crate::int_formula::{IntFormula, IntTest};

/// Texts whose statements a session keeps.
const TEXTS_MAX: usize = 256;
/// What a bound statement takes, about, and what its plan takes beside it; bytes.
const BOUND_BYTES: usize = 6 << 10;
const PLAN_BYTES: usize = 48 << 10;

/// What a bound statement does.
#[derive(Clone)]
pub enum Code {
    /// Value of a SET, PRINT or DECLARE, or the condition of IF and WHILE.
    Scalar(Arc<Scalar>),
    /// SELECT.
    Query(Arc<QueryCode>),
    /// INSERT.
    Insert(Arc<InsertCode>),
    /// UPDATE or DELETE.
    Change(Arc<ChangeCode>),
    /// MERGE.
    Merge(Arc<MergeCode>),
    /// CREATE TABLE, DECLARE @t TABLE.
    Table(Arc<TableDef>),
    /// What INSERT … EXEC gathers.
    Rows(Arc<GatheredRows>),
}

/// One kind of [`Code`], or several that a statement may have: bound as it and found as it. What is kept and is of another
/// kind is not found.
pub trait CodeKind: Clone + Into<Code> {
    /// The code, where it is of this kind.
    fn of(code: &Code) -> Option<Self>;
}

macro_rules! kinds {
    ($($kind:ident($of:ty),)+) => {$(
        impl From<Arc<$of>> for Code {
            #[inline]
            fn from(code: Arc<$of>) -> Code {
                Code::$kind(code)
            }
        }

        impl CodeKind for Arc<$of> {
            #[inline]
            fn of(code: &Code) -> Option<Arc<$of>> {
                match code {
                    Code::$kind(code) => Some(Arc::clone(code)),
                    _ => None,
                }
            }
        }
    )+};
}

kinds! {
    Scalar(Scalar),
    Query(QueryCode),
    Insert(InsertCode),
    Change(ChangeCode),
    Merge(MergeCode),
    Table(TableDef),
    Rows(GatheredRows),
}

/// What an INSERT does: it adds rows, and those of `INSERT … FROM (UPDATE … OUTPUT …)` come from a change.
#[derive(Clone)]
pub enum Inserted {
    /// An INSERT.
    Rows(Arc<InsertCode>),
    /// An UPDATE or a DELETE.
    Change(Arc<ChangeCode>),
    /// A MERGE.
    Merge(Arc<MergeCode>),
}

impl From<Inserted> for Code {
    fn from(code: Inserted) -> Code {
        match code {
            Inserted::Rows(code) => Code::Insert(code),
            Inserted::Change(code) => Code::Change(code),
            Inserted::Merge(code) => Code::Merge(code),
        }
    }
}

impl CodeKind for Inserted {
    #[inline]
    fn of(code: &Code) -> Option<Inserted> {
        match code {
            Code::Insert(code) => Some(Inserted::Rows(Arc::clone(code))),
            Code::Change(code) => Some(Inserted::Change(Arc::clone(code))),
            Code::Merge(code) => Some(Inserted::Merge(Arc::clone(code))),
            _ => None,
        }
    }
}

impl Code {
    /// How many plans it has made.
    fn plans(&self) -> usize {
        let of = Runner::plans;
        match self {
            Code::Query(query) => of(&query.runner) + query.then.iter().map(|(_, one)| of(one)).sum::<usize>(),
            Code::Insert(insert) => of(&insert.runner),
            Code::Change(change) => of(&change.runner),
            Code::Merge(merge) => match &merge.way {
                MergeWay::Lookup { source, .. } => of(source),
                MergeWay::Join(join) => of(join),
            },
            Code::Scalar(scalar) => scalar.runner.as_ref().map_or(0, of),
            Code::Table(_) | Code::Rows(_) => 0,
        }
    }

    /// Whether it is a value of SET, PRINT or DECLARE, or the condition of IF and WHILE.
    #[inline]
    pub fn is_scalar(&self) -> bool {
        matches!(self, Code::Scalar(_))
    }

    /// Whether the figures that it relies on are old: it is to be bound again.
    #[inline]
    pub fn is_stale(&self) -> bool {
        match self {
            Code::Query(query) => query.runner.is_stale() || query.then.iter().any(|(_, one)| one.is_stale()),
            Code::Insert(insert) => insert.runner.is_stale(),
            Code::Change(change) => change.runner.is_stale(),
            Code::Merge(merge) => match &merge.way {
                MergeWay::Lookup { source, .. } => source.is_stale(),
                MergeWay::Join(join) => join.is_stale(),
            },
            Code::Scalar(_) | Code::Table(_) | Code::Rows(_) => false,
        }
    }
}

/// One value.
pub struct Scalar {
    /// What is computed.
    pub expr: BoundExpr,
    /// The variable that it is for.
    pub slot: usize,
    /// For an expression with a subquery: the plan of one row with this value.
    pub runner: Option<Runner>,
    /// It takes no time that is worth counting.
    pub is_short: bool,
    /// For a variable of type `int`: the value as a formula, where it is one.
    pub formula: Option<IntFormula>,
    /// For a condition that compares two formulas: the same.
    pub test: Option<IntTest>,
    /// For one that appends something to the variable itself: what that is.
    pub appended: Vec<BoundExpr>,
}

/// A SELECT.
pub struct QueryCode {
    /// The columns of the result.
    pub columns: Vec<Column>,
    /// The way to its rows.
    pub runner: Runner,
    /// `SELECT @v = …` over the runner's rows.
    pub assign: Vec<(usize, BoundExpr)>,
    /// Assignments after these, each a plan of one value.
    pub then: Vec<(usize, Runner)>,
    /// `SELECT … INTO`: the table to make.
    pub into: Option<Arc<TableDef>>,
    /// The place of its identity column, when that is taken over from the query's table.
    pub inherited: Option<usize>,
    /// The places, among the statement's tables, of those whose locators stand after the columns: the rows of a cursor
    /// that may change them.
    pub located: Vec<usize>,
    /// What a cursor over it sees of later changes.
    pub model: Model,
    /// How a cursor finds its rows again.
    pub again: Option<Again>,
    /// How it goes from row to row without keeping any.
    pub walk: Option<Walk>,
    /// Its whole name.
    pub into_name: Option<millpond_tsql::ast::ObjectName>,
}

impl QueryCode {
    /// The same for a cursor that asks to see so much of later changes; the variables from `first` on are for keys of its rows.
    #[must_use]
    pub fn of_cursor(mut self, asked: Model, first: usize, hints: &QueryHints, ctx: &RunContext) -> QueryCode {
        let (is_of_tables, walks) = (!self.located.is_empty(), Walk::of(self.runner.rel(), ctx).is_some());
        self.model = asked.over(self.runner.rel(), is_of_tables, walks);
        if self.model == Model::Keyset && asked != Model::Scroll && !cursor_model::has_unique_indexes(self.runner.rel())
        {
            self.model = Model::Static;
            self.located.clear();
        }
        if matches!(self.model, Model::Keyset | Model::Dynamic)
            && let Some((rel, keys)) = cursor_model::with_keys(self.runner.rel())
        {
            let keys_at = rel.types().len() - keys;
            let again = cursor_model::one_row(&rel, first, self.model == Model::Dynamic);
            self.again = again.map(|again| Again { runner: Runner::new(again, ctx), first, keys_at });
            self.runner = Runner::new(rel, ctx).with_hints(hints);
        }
        if matches!(self.model, Model::Dynamic | Model::FastForward) {
            self.walk = Walk::of(self.runner.rel(), ctx);
        }
        self
    }
}

/// The rows of a cursor, found again one by one.
pub struct Again {
    /// The query of one row.
    pub runner: Runner,
    /// The first of the variables that are its keys.
    pub first: usize,
    /// Where the keys stand in a row of the cursor.
    pub keys_at: usize,
}

/// An INSERT.
pub struct InsertCode {
    /// The statement with its names bound.
    pub bound: BoundInsert,
    /// The way to its rows.
    pub runner: Runner,
}

/// An UPDATE or DELETE.
pub struct ChangeCode {
    /// The statement with its names bound.
    pub bound: BoundChange,
    /// Finds the rows: the input row, of which only what is asked for is filled.
    pub runner: Runner,
    /// What must hold for a row as it is under its lock; over the input row.
    pub predicates: Vec<BoundExpr>,
    /// The finding asks of rows what has a new value each time (NEWID): a row of a known key is looked at too.
    pub is_random: bool,
    /// Columns of the input row.
    pub width: usize,
    /// Nothing but the target's row is read.
    pub is_alone: bool,
    /// Columns of the target whose old values are read; none for all.
    pub reads: Option<Box<[bool]>>,
}

/// A MERGE.
pub struct MergeCode {
    /// The statement with its names bound.
    pub bound: BoundMerge,
    /// How source and target meet.
    pub way: MergeWay,
}

/// How the rows of a MERGE are found.
pub enum MergeWay {
    /// Source rows first, the target's for each by an index.
    Lookup {
        /// The way to the source's rows.
        source: Runner,
        /// From one of them to the target's.
        step: Box<TableStep>,
    },
    /// One join; the input row goes on with the values that only a plan computes.
    Join(Runner),
}

/// A bound statement with its tables as of one version of the session's names.
#[derive(Clone)]
pub struct Bound {
    /// Of the session's names and of all definitions.
    pub version: (u64, u64),
    /// What it is bound for.
    pub dialect: Dialect,
    /// The tables that are named, and what is done with each.
    pub uses: Vec<TableUse>,
    /// Databases whose system views are read, each with the name that the text says.
    pub databases: Vec<(DbId, String)>,
    /// Views that are part of the code, and functions that it calls or has taken in.
    pub views: Vec<UsedModule>,
    /// The tables as they are bound for a run.
    pub tables: Arc<[TableBinding]>,
    /// Sequences that it draws from.
    pub sequences: Arc<[(DbId, ObjectId)]>,
    /// It calls functions of the user.
    pub calls: bool,
    /// A name in it led through a stand-in: a synonym, or a view that gives way to a table.
    pub by_stand_in: bool,
    /// It was bound inside of an INSTEAD OF trigger that else would take the change: it holds for one run.
    pub within_trigger: bool,
    /// What it needs the right to.
    pub needs: Arc<Needs>,
    /// What it has cost; of statements over rows.
    pub stats: Option<Arc<StatementStats>>,
    /// Which plan of a Query Store it is.
    pub captured: Arc<CapturedPlace>,
    /// What is run.
    pub code: Code,
}

impl Drop for Bound {
    fn drop(&mut self) {
        // Without another holder of the counters no session can find the plan.
        let Some(stats) = self.stats.as_ref().filter(|stats| Arc::strong_count(stats) > 1) else { return };
        // Several are dropped together: a second panic in how a plan is shown would abort the process. The hook has reported the first.
        let _ = panic::catch_unwind(AssertUnwindSafe(|| stats.leave(self)));
    }
}

impl Bound {
    /// The same with these tables, as they are at that version.
    #[must_use]
    pub fn at(mut self, version: (u64, u64), tables: Arc<[TableBinding]>) -> Bound {
        (self.version, self.tables) = (version, tables);
        self
    }

    /// The same with these counters.
    #[must_use]
    pub fn counted_in(mut self, stats: Option<Arc<StatementStats>>) -> Bound {
        self.stats = stats;
        self
    }

    /// Whether it means the same whatever is defined.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        let names_none = self.uses.is_empty() && self.views.is_empty() && self.databases.is_empty();
        names_none && self.sequences.is_empty() && !self.by_stand_in
    }
}

/// What a statement needs the right to, and who was last found to have all of it.
pub struct Needs {
    /// What is needed of objects.
    pub objects: Vec<Need>,
    /// Views over the state of the server, with the database that they are asked in.
    pub state: Vec<(DbId, &'static str)>,
    /// Whose rights, at which version of all definitions, in which module.
    pub allowed: Mutex<Option<(Arc<SecurityContext>, u64, i32)>>,
}

impl Needs {
    /// Those that a binder has gathered.
    pub fn of(binder: &mut Binder<'_>) -> Arc<Needs> {
        let (objects, state) = (binder.take_needs(), std::mem::take(&mut binder.state_views));
        Arc::new(Needs { objects, state, allowed: Mutex::default() })
    }
}

/// The version of code that was bound ahead of its run: no names have it.
pub const AHEAD: (u64, u64) = (u64::MAX, u64::MAX);

/// A `#name` and the table that it meant.
pub type Seen = (String, Option<Arc<TableDef>>);

/// What a text was compiled for (see `exec::batch::compile`).
pub struct Compiled {
    /// Of the session's names and of all definitions.
    pub version: (u64, u64),
    /// The temporary tables that were seen.
    pub temporary: Vec<Seen>,
}

/// What is known while a text is compiled.
#[derive(Default)]
pub struct Ahead {
    /// Table variables that are declared so far.
    pub tables: Vec<(String, Arc<TableDef>)>,
    /// `#names` that the text has made so far, where those of its caller do not count.
    pub made: Vec<String>,
    /// `#names` that the text has made so far.
    pub created: Vec<String>,
    /// The temporary tables that were seen.
    pub temporary: RefCell<Vec<Seen>>,
    /// What was refused.
    pub errors: Vec<SqlError>,
    /// The text has a USE.
    pub moves: bool,
}

/// Bound statements of one text.
#[derive(Default)]
pub struct TextPlans {
    /// The variables that the code was bound with.
    pub variables: Option<Arc<Variables>>,
    /// What the text was compiled for; none: it is to be compiled.
    pub compiled: Option<Compiled>,
    /// By their places in the text.
    pub statements: KeptCode<Arc<Bound>>,
    /// Their memory while they are kept.
    pub charge: Option<PlanCharge>,
    /// For how many statements `charge` is.
    pub charged: usize,
}

impl TextPlans {
    /// What they take, about.
    fn bytes(&self) -> usize {
        self.statements.all().map(|bound| BOUND_BYTES + bound.code.plans() * PLAN_BYTES).sum()
    }

    /// Charges them to the server's memory for as long as they are kept; where they have no room the sessions that do
    /// nothing lose theirs, and if that is not enough these are not kept.
    pub fn charged_to(mut self, engine: &Engine) -> Option<TextPlans> {
        let count = self.statements.count();
        if self.charged != count {
            self.charge = None;
            let bytes = self.bytes();
            let charge = engine.plan_memory().charge(bytes).or_else(|| {
                engine.forget_plans();
                engine.plan_memory().charge(bytes)
            });
            self.charge = Some(charge?);
            self.charged = count;
        }
        Some(self)
    }
}

/// What statements of a text are bound for: the text's number, the parameters that it is run with, and the database that
/// is current when it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextKey {
    /// A hash of the text.
    pub text: u64,
    /// The parameters that were declared.
    pub signature: Arc<Signature>,
    /// The current database.
    pub database: DbId,
}

impl std::hash::Hash for TextKey {
    /// Few texts are run with more than one signature, or in more than one database.
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.text);
    }
}

/// Bound statements of a session.
#[derive(Default)]
pub struct PlanCache {
    texts: NumberMap<TextKey, TextPlans>,
}

impl PlanCache {
    /// Takes the plans of a text out for a run.
    pub fn take(&mut self, text: &TextKey) -> TextPlans {
        self.texts.remove(text).unwrap_or_default()
    }

    /// When too many texts are kept all go: what is in use comes back at its next run. What had to go for it.
    pub fn put(&mut self, text: TextKey, plans: TextPlans) -> PlanCache {
        let gone = if self.texts.len() >= TEXTS_MAX { std::mem::take(self) } else { PlanCache::default() };
        self.texts.insert(text, plans);
        gone
    }
}
