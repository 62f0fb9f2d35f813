//! Makes relations and runs them in every way that must not matter: with batches of 1, 3 and 4096 rows, with and without
//! row plans, each plan twice.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{ForcedPath, JoinHint, Rel, RelJoin, SortKey};
use millpond_catalog::run::facts::{Login, SessionFacts, Settings};
use millpond_catalog::{ColumnDef, TableDef};
use millpond_device::clock::SystemClock;
use millpond_engine::context::{RunContext, TableBinding};
use millpond_engine::engine::Engine;
use millpond_engine::memory::Workspace;
use millpond_engine::rows::TableRows;
use millpond_engine::session_shared::{Kept, SessionShared};
use millpond_engine::system_call::Registry;
use millpond_message::error::SqlResult;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::{HeapKind, SessionWork, TxnManager};
use millpond_types::{SqlType, Value};

use millpond_plan::{CompileOptions, Compiled, compile};
use millpond_txn::heap_rows;
use millpond_txn::heaps;

/// A row of values: `row![1, "a", Value::Null]`.
macro_rules! row {
    ($($value:expr),* $(,)?) => { vec![$(Value::from($value)),*] };
}
pub(crate) use row;

pub(crate) const INT: SqlType = SqlType::Int;
pub(crate) const VARCHAR: SqlType = SqlType::varchar(50);

pub(crate) fn nullable(sql: SqlType) -> ExprType {
    ExprType::plain(sql, true)
}

/// Given rows.
pub(crate) fn values(types: &[SqlType], rows: Vec<Vec<Value>>) -> Rel {
    let literal = |(value, sql): (Value, &SqlType)| BoundExpr::literal(value, *sql);
    let rows = rows.into_iter().map(|row| row.into_iter().zip(types).map(literal).collect()).collect();
    Rel::Values { rows, types: types.iter().copied().map(nullable).collect() }
}

pub(crate) fn col(rel: &Rel, index: usize) -> BoundExpr {
    BoundExpr::column(index, rel.types()[index])
}

pub(crate) fn int(n: i32) -> BoundExpr {
    BoundExpr::literal(Value::Int(n), INT)
}

pub(crate) fn text(text: &str) -> BoundExpr {
    BoundExpr::literal(Value::str(text), VARCHAR)
}

pub(crate) fn variable(slot: usize, sql: SqlType) -> BoundExpr {
    BoundExpr { kind: Kind::Variable(slot), ty: nullable(sql) }
}

pub(crate) fn compare(op: CompareOp, left: BoundExpr, right: BoundExpr) -> BoundExpr {
    let collation = left.ty.collation;
    BoundExpr::predicate(Kind::Compare(op, Box::new(left), Box::new(right), collation))
}

pub(crate) fn eq(left: BoundExpr, right: BoundExpr) -> BoundExpr {
    compare(CompareOp::Eq, left, right)
}

pub(crate) fn and(left: BoundExpr, right: BoundExpr) -> BoundExpr {
    BoundExpr::predicate(Kind::And(Box::new(left), Box::new(right)))
}

pub(crate) fn or(left: BoundExpr, right: BoundExpr) -> BoundExpr {
    BoundExpr::predicate(Kind::Or(Box::new(left), Box::new(right)))
}

pub(crate) fn not(operand: BoundExpr) -> BoundExpr {
    BoundExpr::predicate(Kind::Not(Box::new(operand)))
}

pub(crate) fn is_null(operand: BoundExpr) -> BoundExpr {
    BoundExpr::predicate(Kind::IsNull(Box::new(operand)))
}

pub(crate) fn arith(op: millpond_catalog::expr::ArithOp, left: BoundExpr, right: BoundExpr) -> BoundExpr {
    let sql =
        millpond_types::coerce::arithmetic_type(op, &left.ty.sql, &right.ty.sql).expect("operands that go together");
    BoundExpr { kind: Kind::Arith(op, Box::new(left), Box::new(right)), ty: nullable(sql) }
}

pub(crate) fn cast(operand: BoundExpr, to: SqlType) -> BoundExpr {
    BoundExpr { kind: Kind::Cast { expr: Box::new(operand), style: None, try_: false }, ty: nullable(to) }
}

pub(crate) fn filter(input: Rel, predicate: BoundExpr) -> Rel {
    Rel::Filter { input: Box::new(input), predicate }
}

pub(crate) fn project(input: Rel, exprs: Vec<BoundExpr>) -> Rel {
    Rel::Project { input: Box::new(input), exprs }
}

/// Input columns by position.
pub(crate) fn pick(input: Rel, columns: &[usize]) -> Rel {
    let exprs = columns.iter().map(|&column| col(&input, column)).collect();
    project(input, exprs)
}

/// Sorted by columns; negative numbers (from -1 for column 0) descend.
pub(crate) fn sort(input: Rel, columns: &[isize]) -> Rel {
    let keys = columns
        .iter()
        .map(|&column| {
            let descending = column < 0;
            let index = if descending { column.unsigned_abs() - 1 } else { column.unsigned_abs() };
            SortKey { expr: col(&input, index), descending }
        })
        .collect();
    Rel::Sort { input: Box::new(input), keys }
}

pub(crate) fn join(kind: RelJoin, left: Rel, right: Rel, on: impl FnOnce(&Rel) -> Option<BoundExpr>) -> Rel {
    let hint = JoinHint::default();
    let shape = Rel::Join { kind, hint, left: Box::new(left.clone()), right: Box::new(right.clone()), on: None };
    let on = on(&shape);
    Rel::Join { kind, hint, left: Box::new(left), right: Box::new(right), on }
}

/// Tables and variables of a test, in a session of its own.
pub(crate) struct Rig {
    shared: Arc<SessionShared>,
    work: SessionWork,
    pub(crate) tables: Vec<TableBinding>,
    pub(crate) variables: Vec<Value>,
}

/// A session that keeps no plans.
struct KeepsNothing;

impl Kept for KeepsNothing {
    fn forget_plans(&self) {}

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A server that offers nothing by name.
static NOTHING: Registry = Registry {
    view: |_, _, _| None,
    table_function: |_, _| None,
    procedure: |_| None,
    text_procedure: |_, _| None,
    shipped: |_| Vec::new(),
    dbcc: |_| None,
    system_objects: Vec::new,
    base_object: |_| None,
    system_numbers: |_| Vec::new(),
    view_of: |_| None,
    module_columns: |_, _, _| Ok(Vec::new()),
    call_function: |_, _, _, _| unreachable!("no test calls a function of the user"),
    scalar_body: |_, _, _| unreachable!("no test calls a function of the user"),
    table_body: |_, _, _| unreachable!("no test calls a function of the user"),
};

/// An engine in memory for all tests.
fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let open = || {
        let clock = Arc::new(SystemClock::new());
        let config = InstanceConfig { max_memory_bytes: Some(128 << 20), ..InstanceConfig::new(None, clock) };
        Engine::new(TxnManager::new(Instance::open(config).expect("in memory")), &NOTHING)
    };
    Arc::clone(ENGINE.get_or_init(open))
}

impl Default for Rig {
    fn default() -> Rig {
        let shared = engine().admit(Login::default(), Box::new(KeepsNothing)).expect("numbers are free");
        let work = engine().txns().open_session(shared.id, Arc::clone(&shared.task));
        Rig { shared, work, tables: Vec::new(), variables: Vec::new() }
    }
}

impl Rig {
    /// A stored table.
    pub(crate) fn table(&mut self, types: &[SqlType], rows: Vec<Vec<Value>>) -> Rel {
        let columns = types
            .iter()
            .enumerate()
            .map(|(index, sql)| ColumnDef::new(index as i32 + 1, format!("c{index}"), nullable(*sql)))
            .collect();
        let def = Arc::new(TableDef::new("#t".to_owned(), columns, Vec::new()));
        let io = Arc::new(IoCount::default());
        let task = Arc::clone(&self.shared.task);
        let ask = Ask::new(&task, &io);
        let work = &mut self.work;
        let heap = heaps::create_heap(work, &ask, HeapKind::Table).expect("room for a table");
        for row in rows {
            let record = def.layout.encode(&row).expect("a row that fits");
            heap_rows::insert(work, &ask, &heap, record.len(), |place| place.copy_from_slice(&record))
                .expect("room for a row");
        }
        let binding = self.tables.len();
        self.tables.push(TableBinding {
            def: Arc::clone(&def),
            rows: TableRows::Heap(heap),
            epoch: 0,
            hint: Default::default(),
            io: Arc::default(),
        });
        Rel::Table { binding, def, with_rid: false, forced: ForcedPath::default() }
    }

    /// The context of a run, with a task that is not cancelled.
    pub(crate) fn context(&self) -> Arc<RunContext> {
        let facts = SessionFacts::new(
            self.shared.id,
            Arc::clone(&self.shared.login),
            millpond_catalog::security::SecurityContext::sa(),
            Settings::default(),
        );
        let (variables, tables) = (self.variables.clone().into(), Arc::from(self.tables.clone()));
        let locks = self.work.catalog_locks();
        let mut context = RunContext::new(&engine(), &self.shared, facts, locks, variables, tables, Arc::default());
        context.task = Arc::new(Task::new(self.shared.id));
        Arc::new(context)
    }

    /// The rows, equal in every way of running.
    pub(crate) fn try_rows(&self, rel: &Rel) -> SqlResult<Vec<Vec<Value>>> {
        let workspace = Workspace::new(64 << 20);
        let mut first: Option<SqlResult<Vec<Vec<Value>>>> = None;
        for (batch_rows, row_plans) in [(4096, true), (4096, false), (1, false), (3, false)] {
            let options = CompileOptions { batch_rows, row_plans, ..CompileOptions::new(Arc::clone(&workspace)) };
            let plan = compile(rel, &options)?;
            for _ in 0..2 {
                let rows = run(&plan, self.context());
                assert_eq!(workspace.used_bytes(), 0, "memory is given back\n{}", plan.describe());
                match &first {
                    None => first = Some(rows),
                    Some(first) => {
                        assert_eq!(sorted(first), sorted(&rows), "batches of {batch_rows}\n{}", plan.describe())
                    }
                }
            }
        }
        first.expect("it ran")
    }

    pub fn rows(&self, rel: &Rel) -> Vec<Vec<Value>> {
        self.try_rows(rel).expect("no error")
    }

    /// The rows in an order that does not depend on the plan.
    pub(crate) fn set(&self, rel: &Rel) -> Vec<Vec<Value>> {
        sorted(&self.try_rows(rel)).expect("no error")
    }

    pub(crate) fn error(&self, rel: &Rel) -> i32 {
        self.try_rows(rel).expect_err("an error").number
    }
}

/// All rows of a plan.
pub(crate) fn run(plan: &Compiled, context: Arc<RunContext>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    plan.run(context, &mut |row| {
        rows.push(row.to_vec());
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

fn sorted(rows: &SqlResult<Vec<Vec<Value>>>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = rows.clone()?;
    rows.sort_by_cached_key(|row| format!("{row:?}"));
    Ok(rows)
}

/// The rows in the order of [`Rig::set`].
pub(crate) fn as_set(mut rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    rows.sort_by_cached_key(|row| format!("{row:?}"));
    rows
}
