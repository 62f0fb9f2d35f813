//! MERGE: rows of a source meet those of the target, and one WHEN clause decides for each.
//!
//! ```text
//!   find ─▶ lock, read as it is now, ask ON again ─▶ choose the clause ─▶ TOP ─▶ new rows ─▶ apply ─▶ references, OUTPUT
//!    ▲                        │
//!    └──── a pair is none any more: everything is looked for again, what is locked stays so
//! ```
//! What always holds:
//! - M1: nothing is changed before every row has its clause, so that no clause meets the statement's own changes.
//! - M2: a row of the target is changed or removed once at most (8672, but where all that meets it is DELETE).
//! - M3: rows leave their places before any takes a new one, so a key that one row gives up another may take.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::{ROW_BYTES_MAX, Rid};
use millpond_bind::{BoundMerge, Change, MergeDo};
use millpond_builtin::eval::{Rows, eval, is_true};
use millpond_catalog::TableStorage;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::large::OldValues;
use millpond_catalog::rel::{JoinHint, QueryHints, Rel, RelJoin};
use millpond_catalog::run::Run;
use millpond_code::code::{MergeCode, MergeWay};
use millpond_code::code_key::CodeKey;
use millpond_direct::runner::Runner;
use millpond_direct::{Direct, percent_of, top_count};
use millpond_engine::context::RunContext;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_rows::changes::{ChangedRow, Event, moves};
use millpond_rows::new_row::{RowChanger, read_from_row, set_and_read, take_planned};
use millpond_rows::new_values::NewValues;
use millpond_rows::row::{Asked, RowMaker, Verb, check_change, check_stored_row};
use millpond_rows::unread::Unread;
use millpond_rows::write::Writer;
use millpond_rows::{changes, heap_row};
use millpond_tsql::ast::{Merge, MergeWhen, Statement};
use millpond_txn::heap_rows;
use millpond_types::Value;

use crate::exec::batch::account::statistics;
use crate::exec::batch::{BatchRun, COMMAND_MERGE, scalar, scope, transaction};
use crate::exec::dml::output::OutputRows;
use crate::exec::dml::{change, output, references, store, views};
use crate::exec::routine::trigger::fire;

/// Times that pairs are looked for again because others changed them in between.
const FINDS_MAX: u32 = 16;

/// A row with its clause.
struct Chosen {
    branch: usize,
    /// The input row and what the plan computed after it.
    input: Vec<Value>,
    /// The target's row; empty when there is none.
    old: Vec<Value>,
    locator: Locator,
    /// What it becomes; empty when it goes.
    new: Vec<Value>,
    /// Values of variables that the clause assigns.
    assigned: Vec<Value>,
}

/// Where a row of the target is.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Locator {
    None,
    Heap(u64),
    Tree(Vec<u8>),
}

impl Locator {
    fn of(value: &Value) -> Locator {
        match value {
            Value::BigInt(rid) => Locator::Heap(*rid as u64),
            Value::Binary(key) => Locator::Tree(key.to_vec()),
            _ => Locator::None,
        }
    }
}

pub(in crate::exec) fn merge(run: &mut BatchRun<'_>, statement: &Statement, merge: &Merge) -> SqlResult<()> {
    let code = code_of_merge(run, statement, merge)?;
    if let Some(rows) = run_merge(run, &code)? {
        run.done_rows(rows, COMMAND_MERGE);
    }
    Ok(())
}

/// The count of rows; none when the batch has ended in a trigger.
pub(in crate::exec) fn run_merge(run: &mut BatchRun<'_>, code: &MergeCode) -> SqlResult<Option<u64>> {
    run.ctx_mut().begin_statement();
    transaction::implicit_begin(run);
    let watch = statistics::watch(run);
    let bound = &code.bound;
    let mut output = OutputRows::new(&bound.output);
    let (events, columns) = fired_by(bound);
    let (output_of, instead) = (&bound.output[..], bound.instead.is_some());
    let fired = fire::Change { def: &bound.def, events: &events, columns: &columns, output: output_of, instead };
    let merged = fire::with_triggers(run, &fired, |run| {
        let merged = merged_rows(run, code, &mut output)?;
        // Before its triggers, which leave values of their own.
        if events.contains(&changes::Event::Insert) && !instead {
            store::remember_identity(run, &bound.def, merged.1);
        }
        Ok(merged)
    })?;
    let Some((rows, _)) = merged else { return Ok(None) };
    output::send_output(run, &output)?;
    for row in rows.iter().filter(|row| !row.assigned.is_empty()) {
        if let MergeDo::Change(change) = &bound.branches[row.branch].action {
            change::assign_changed(run, change, row.assigned.clone())?;
        }
    }
    statistics::send_statistics(run, watch);
    Ok(Some(output.taken().unwrap_or(rows.len() as u64)))
}

pub(in crate::exec) fn code_of_merge(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    merge: &Merge,
) -> SqlResult<Arc<MergeCode>> {
    run.bound(statement, CodeKey::of(statement), |binder, ctx| merge_code(binder.merge(merge)?, ctx, &binder.hints))
}

/// Finds, changes and outputs the rows, all or none.
fn merged_rows(
    run: &mut BatchRun<'_>,
    code: &MergeCode,
    output: &mut OutputRows<'_>,
) -> SqlResult<(Vec<Chosen>, Option<i64>)> {
    let bound = &code.bound;
    scope::changing(run, &bound.def, |run| {
        let ctx = Arc::clone(&run.ctx);
        let mut chosen = choose_rows(run, &ctx, code)?;
        limit(&mut chosen, bound, &ctx, scalar::row_limit(run))?;
        changed_once(&mut chosen, bound)?;
        let last = make_rows(&mut chosen, bound, &ctx)?;
        match bound.def.storage {
            // Triggers take the rows.
            _ if bound.instead.is_some() => {}
            TableStorage::TempHeap => apply_to_heap(run, &ctx, bound, &chosen)?,
            TableStorage::Trees => apply_to_trees(run, &ctx, bound, &chosen)?,
        }
        for row in &mut chosen {
            row.input.truncate(bound.width());
            row.input.push(action(bound, row));
            output.add(&ctx, &row.new, &row.old, &row.input)?;
        }
        output::output_into(run, &ctx, output)?;
        keep_merged(run, &chosen);
        Ok((chosen, last))
    })
}

/// Keeps the rows for triggers.
fn keep_merged(run: &mut BatchRun<'_>, chosen: &[Chosen]) {
    let Some(changes) = &mut run.changes else { return };
    for row in chosen {
        match row.locator == Locator::None {
            true => changes.inserted.push(row.new.clone()),
            false => changes.add(vec![ChangedRow { old: row.old.clone(), new: row.new.clone() }]),
        }
    }
}

/// Rows with their clauses, each row of the target under its lock and as it is now.
fn choose_rows(run: &mut BatchRun<'_>, ctx: &Arc<RunContext>, code: &MergeCode) -> SqlResult<Vec<Chosen>> {
    for _ in 0..FINDS_MAX {
        let found = find(ctx, code)?;
        if let Some(chosen) = choose_from(run, ctx, &code.bound, found)? {
            return Ok(chosen);
        }
    }
    Err(message::schema_changed(&code.bound.def.name))
}

/// None when a pair that was found is none any more.
fn choose_from(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    bound: &BoundMerge,
    found: Vec<Vec<Value>>,
) -> SqlResult<Option<Vec<Chosen>>> {
    let mut chosen = Vec::new();
    let mut kept: HashSet<Vec<u8>> = HashSet::new();
    // A row that several source rows match is locked once.
    let mut read: HashMap<Vec<u8>, Vec<Value>> = HashMap::new();
    let (of_pair, of_target) = bound.asked_again();
    let ask = ctx.ask(bound.target);
    for mut input in found {
        ctx.heed_cancel()?;
        let locator = Locator::of(&input[bound.locator()]);
        let when = when(bound, &input);
        let own = bound.first..bound.locator();
        if let Locator::Tree(key) = &locator {
            let trees = Arc::clone(ctx.tables[bound.target].rows.trees());
            let mut writer =
                Writer::new(&mut run.session.work, ctx, ask, &bound.def, &trees, ctx.ask_lob(bound.target));
            writer.no_wait = ctx.tables[bound.target].hint.no_wait;
            let old = match read.get(key) {
                Some(old) => old.clone(),
                None => {
                    let mut old = Vec::with_capacity(own.len());
                    if !writer.lock(key, &mut old)? {
                        return Ok(None);
                    }
                    read.insert(key.clone(), old.clone());
                    old
                }
            };
            input[own.clone()].clone_from_slice(&old);
            let of_pair = if when == MergeWhen::Matched { &of_pair[..] } else { &[] };
            for predicate in of_pair.iter().chain(&of_target) {
                if !is_true(predicate, &**ctx, Rows::of(&input))? {
                    return Ok(None);
                }
            }
        }
        match branch(bound, when, ctx, &input)? {
            None => continue,
            Some(branch) => {
                if let Locator::Tree(key) = &locator {
                    kept.insert(key.clone());
                }
                let old = if locator == Locator::None { Vec::new() } else { input[own].to_vec() };
                let (new, assigned) = (Vec::new(), Vec::new());
                chosen.push(Chosen { branch, input, old, locator, new, assigned });
            }
        }
    }
    for key in read.keys().filter(|key| !kept.contains(*key)) {
        let trees = Arc::clone(ctx.tables[bound.target].rows.trees());
        // What a stricter level has read stays as it was.
        if !crate::exec::dml::found::holds_reads(ctx, bound.target) {
            Writer::new(&mut run.session.work, ctx, ask, &bound.def, &trees, ctx.ask_lob(bound.target)).release(key);
        }
    }
    Ok(Some(chosen))
}

fn apply_to_heap(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    bound: &BoundMerge,
    chosen: &[Chosen],
) -> SqlResult<()> {
    let def = &bound.def;
    let ask = ctx.ask(bound.target);
    let heap = ctx.tables[bound.target].rows.heap();
    let place = Place { schema: "", object: &def.name, database: "tempdb" };
    let of_txn = |error| message::of_txn(error, place);
    let work = &mut run.session.work;
    let large = heap_row::large_of(def, heap, ctx.ask_lob(bound.target), ctx.watch());
    let mut record = Vec::new();
    let watched = NewValues::of_rows(def, &ctx.tables[bound.target].rows);
    for row in chosen {
        let mut before = match &row.locator {
            Locator::Heap(rid) => heap_row::old_values(&ask, heap, &large, Rid::from_u64(*rid), &row.old)?,
            _ => OldValues::new(&row.old, Vec::new()),
        };
        if !row.new.is_empty() {
            record.clear();
            large.append_record(work, &row.new, Some(&mut before), ROW_BYTES_MAX, &mut record)?;
        }
        match (&row.locator, row.new.is_empty()) {
            (Locator::Heap(rid), true) => heap_rows::delete(work, &ask, heap, Rid::from_u64(*rid)).map_err(of_txn)?,
            (Locator::Heap(rid), false) => {
                heap_rows::update(work, &ask, heap, Rid::from_u64(*rid), &record).map_err(of_txn)?;
                watched.count(&row.old, &row.new);
            }
            _ => {
                let copy = |to: &mut [u8]| to.copy_from_slice(&record);
                heap_rows::insert(work, &ask, heap, record.len(), copy).map_err(of_txn)?;
            }
        }
        large.let_go(work, &before.pointers)?;
    }
    Ok(())
}

fn apply_to_trees(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    bound: &BoundMerge,
    chosen: &[Chosen],
) -> SqlResult<()> {
    let def = &bound.def;
    let ask = ctx.ask(bound.target);
    let trees = Arc::clone(ctx.tables[bound.target].rows.trees());
    let mut writer = Writer::new(&mut run.session.work, ctx, ask, def, &trees, ctx.ask_lob(bound.target));
    let moving: Vec<bool> = bound.branches.iter().map(|branch| moves_rows(bound, &branch.action)).collect();
    for row in chosen.iter() {
        if let Locator::Tree(key) = &row.locator
            && (row.new.is_empty() || moving[row.branch])
        {
            writer.delete(key, &row.old)?;
        }
    }
    for row in chosen.iter() {
        if let Locator::Tree(key) = &row.locator
            && !row.new.is_empty()
            && !moving[row.branch]
        {
            writer.update(key, &row.old, &row.new, &Unread::default())?;
        }
    }
    for row in chosen.iter() {
        if !row.new.is_empty() && (row.locator == Locator::None || moving[row.branch]) {
            writer.insert(&row.new)?;
        }
    }
    for row in chosen.iter().filter(|row| !row.new.is_empty()) {
        let asked = match &bound.branches[row.branch].action {
            MergeDo::Insert(..) => Asked::All,
            MergeDo::Change(change) => Asked::of(change),
        };
        check_stored_row(def, &row.new, asked, ctx, Verb::MERGE_UPDATE)?;
    }
    views::follow(run, ctx, def, chosen.iter().map(|row| (&row.old[..], &row.new[..])))?;
    merged_references(run, ctx, bound, chosen)
}

fn merged_references(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    bound: &BoundMerge,
    chosen: &[Chosen],
) -> SqlResult<()> {
    if !references::has_references(run, &bound.def)? {
        return Ok(());
    }
    let (inserted, changed): (Vec<&Chosen>, Vec<&Chosen>) = chosen.iter().partition(|row| row.locator == Locator::None);
    let inserted: Vec<Vec<Value>> = inserted.into_iter().map(|row| row.new.clone()).collect();
    references::check_references(run, ctx, &bound.def, &inserted, "MERGE")?;
    let changed: Vec<ChangedRow> =
        changed.into_iter().map(|row| ChangedRow { old: row.old.clone(), new: row.new.clone() }).collect();
    references::keep_all(run, ctx, &bound.def, &changed, "MERGE")
}

/// What the clauses do, and the columns that they set.
pub(in crate::exec) fn fired_by(bound: &BoundMerge) -> (Vec<Event>, Vec<usize>) {
    let (mut events, mut all) = (Vec::new(), Vec::new());
    for branch in &bound.branches {
        let event = match &branch.action {
            MergeDo::Insert(..) => Event::Insert,
            MergeDo::Change(Change::Delete) => Event::Delete,
            MergeDo::Change(Change::Update { columns, .. }) => {
                all.extend_from_slice(columns);
                Event::Update
            }
        };
        if !events.contains(&event) {
            events.push(event);
        }
    }
    (events, all)
}

/// Which clauses an input row is for.
fn when(bound: &BoundMerge, input: &[Value]) -> MergeWhen {
    match (input[bound.marker()].is_null(), input[bound.locator()].is_null()) {
        (false, false) => MergeWhen::Matched,
        (false, true) => MergeWhen::NotMatchedByTarget,
        (true, _) => MergeWhen::NotMatchedBySource,
    }
}

/// The first clause that takes the row.
fn branch(bound: &BoundMerge, when: MergeWhen, ctx: &RunContext, input: &[Value]) -> SqlResult<Option<usize>> {
    for (position, branch) in bound.branches.iter().enumerate().filter(|(_, branch)| branch.when == when) {
        let takes = match &branch.condition {
            None => true,
            Some(condition) => is_true(condition, ctx, Rows::of(input))?,
        };
        if takes {
            return Ok(Some(position));
        }
    }
    Ok(None)
}

/// `$action`
fn action(bound: &BoundMerge, row: &Chosen) -> Value {
    Value::str(match &bound.branches[row.branch].action {
        MergeDo::Insert(..) => "INSERT",
        MergeDo::Change(Change::Delete) => "DELETE",
        MergeDo::Change(Change::Update { .. }) => "UPDATE",
    })
}

fn moves_rows(bound: &BoundMerge, action: &MergeDo) -> bool {
    match action {
        MergeDo::Change(Change::Update { columns, .. }) => moves(&bound.def, columns),
        _ => false,
    }
}

/// The input rows of all pairs, and of rows alone where a clause is for them.
fn find(ctx: &Arc<RunContext>, code: &MergeCode) -> SqlResult<Vec<Vec<Value>>> {
    let bound = &code.bound;
    let mut found = Vec::new();
    let (source, step) = match &code.way {
        MergeWay::Join(runner) => {
            runner.run(ctx, &mut |row| {
                found.push(row.to_vec());
                Ok(ControlFlow::Continue(()))
            })?;
            return Ok(found);
        }
        MergeWay::Lookup { source, step } => (source, step),
    };
    let mut sources: Vec<Vec<Value>> = Vec::new();
    source.run(ctx, &mut |row| {
        sources.push(row.to_vec());
        Ok(ControlFlow::Continue(()))
    })?;
    let (with_pairs, alone) = (bound.has(MergeWhen::Matched), bound.has(MergeWhen::NotMatchedByTarget));
    for mut row in sources {
        row.resize(bound.locator() + 1, Value::Null);
        let mut is_alone = true;
        let _ = step.visit(ctx, &mut row, &mut |row| {
            is_alone = false;
            if !with_pairs {
                return Ok(ControlFlow::Break(()));
            }
            found.push(row.clone());
            Ok(ControlFlow::Continue(()))
        })?;
        if is_alone && alone {
            row[bound.first..].fill(Value::Null);
            found.push(row);
        }
    }
    Ok(found)
}

/// TOP and SET ROWCOUNT: so many changes.
fn limit(chosen: &mut Vec<Chosen>, bound: &BoundMerge, ctx: &RunContext, most: u64) -> SqlResult<()> {
    let mut most = usize::try_from(most).unwrap_or(usize::MAX);
    if let Some((count, percent)) = &bound.top {
        let value = eval(count, ctx, Rows::NONE)?;
        let top = match percent {
            false => usize::try_from(top_count(&value)?).unwrap_or(usize::MAX),
            true => percent_of(&value, chosen.len())?,
        };
        most = most.min(top);
    }
    chosen.truncate(most);
    Ok(())
}

/// M2: a row that several rows of the source delete is deleted once; two UPDATEs of a row, or an UPDATE and a DELETE, are an
/// error ("MERGE (Transact-SQL)": a row cannot be updated more than once, or updated and deleted).
fn changed_once(chosen: &mut Vec<Chosen>, bound: &BoundMerge) -> SqlResult<()> {
    let mut seen: HashMap<Locator, bool> = HashMap::new();
    let mut failed = false;
    chosen.retain(|row| {
        let MergeDo::Change(change) = &bound.branches[row.branch].action else { return true };
        let deletes = matches!(change, Change::Delete);
        match seen.insert(row.locator.clone(), deletes) {
            None => true,
            Some(deleted) => {
                failed |= !(deletes && deleted);
                false
            }
        }
    });
    if failed { Err(SqlError::of(8672, 1, &[])) } else { Ok(()) }
}

/// What the rows become; says the last identity value.
fn make_rows(chosen: &mut [Chosen], bound: &BoundMerge, ctx: &RunContext) -> SqlResult<Option<i64>> {
    let mut makers: Vec<Option<RowMaker<'_>>> =
        bound.branches.iter().map(|branch| maker(&branch.action, ctx)).collect();
    let mut changer = RowChanger::new(&bound.def, ctx, Verb::MERGE_UPDATE, changes(bound));
    for row in chosen.iter_mut() {
        match &bound.branches[row.branch].action {
            MergeDo::Change(change) => {
                let made = changer.row(ctx, change, &row.input, &row.old, &mut Unread::default())?;
                if let Some((new, _)) = &made {
                    check_change(bound.check.as_ref(), bound.first, new, &row.input, ctx)?;
                }
                (row.new, row.assigned) = made.unwrap_or_default();
            }
            MergeDo::Insert(_, values) => {
                let maker = makers[row.branch].as_mut().expect("made for each INSERT");
                let input = &row.input;
                maker.make(|at| Ok((eval(&values[at], ctx, Rows::of(input))?, &values[at].ty.sql)), &mut row.new)?;
            }
        }
    }
    Ok(makers.iter().flatten().filter_map(|maker| maker.last_identity).next_back())
}

fn maker<'a>(action: &'a MergeDo, ctx: &'a RunContext) -> Option<RowMaker<'a>> {
    match action {
        MergeDo::Insert(target, _) => Some(RowMaker::new(ctx, target).named(Verb::MERGE_INSERT)),
        MergeDo::Change(_) => None,
    }
}

/// The UPDATEs and DELETEs of the clauses.
fn changes(bound: &BoundMerge) -> impl Iterator<Item = &Change> + Clone {
    bound.branches.iter().filter_map(|branch| match &branch.action {
        MergeDo::Change(change) => Some(change),
        MergeDo::Insert(..) => None,
    })
}

pub(in crate::exec) fn merge_code(
    mut bound: BoundMerge,
    ctx: &RunContext,
    hints: &QueryHints,
) -> SqlResult<Arc<MergeCode>> {
    let slots = set_and_read(changes(&bound));
    let computed = planned_values(&mut bound, &slots)?;
    let width = bound.width() + computed.len();
    for branch in &mut bound.branches {
        if let MergeDo::Change(change) = &mut branch.action {
            read_from_row(change, &slots, width);
        }
    }
    let allow_direct = ctx.engine.direct_statements() && !hints.are_of_joins();
    if allow_direct
        && computed.is_empty()
        && bound.view.is_none()
        && !bound.has(MergeWhen::NotMatchedBySource)
        && let Some(step) = Direct::lookup(bound.target, &bound.def, bound.first, &bound.on)
    {
        let (source, step) = (Runner::new(bound.source.clone(), ctx), Box::new(step));
        return Ok(Arc::new(MergeCode { bound, way: MergeWay::Lookup { source, step } }));
    }
    let kind = match (bound.has(MergeWhen::NotMatchedByTarget), bound.has(MergeWhen::NotMatchedBySource)) {
        (true, true) => RelJoin::Full,
        (true, false) => RelJoin::Left,
        (false, true) => RelJoin::Right,
        (false, false) => RelJoin::Inner,
    };
    let (left, right) = (Box::new(bound.source.clone()), Box::new(bound.table.clone()));
    let join = Rel::Join { kind, hint: JoinHint::default(), left, right, on: Some(bound.on.clone()) };
    let types = join.types();
    // A row in trees is read under its lock: NULL stands in its place till then.
    let unread = match bound.def.storage {
        TableStorage::Trees => bound.first..bound.locator(),
        TableStorage::TempHeap => 0..0,
    };
    let column = |(index, ty)| match unread.contains(&index) {
        true => BoundExpr { kind: Kind::Literal(Value::Null), ty },
        false => BoundExpr::column(index, ty),
    };
    let exprs = types.into_iter().enumerate().map(column).chain(computed).collect();
    let runner = Runner::new(Rel::Project { input: Box::new(join), exprs }, ctx);
    let sets = |change: &Change| matches!(change, Change::Update { assign, .. } if !assign.is_empty());
    // Which row comes after which is settled by one thread.
    let hints = hints.on_one_thread(changes(&bound).any(sets));
    let way = MergeWay::Join(runner.with_hints(&hints));
    Ok(Arc::new(MergeCode { bound, way }))
}

/// Conditions and values with subqueries are computed where the rows are found; columns after the input row's take
/// their places.
fn planned_values(bound: &mut BoundMerge, slots: &[usize]) -> SqlResult<Vec<BoundExpr>> {
    let width = bound.width();
    let mut computed = Vec::new();
    for branch in &mut bound.branches {
        if let Some(condition) = &mut branch.condition {
            take_planned(condition, &[], width, &mut computed)?;
        }
        match &mut branch.action {
            MergeDo::Change(Change::Update { values, assign, .. }) => {
                for value in values.iter_mut().chain(assign.iter_mut().map(|item| &mut item.value)) {
                    take_planned(value, slots, width, &mut computed)?;
                }
            }
            MergeDo::Insert(_, values) => {
                for value in values {
                    take_planned(value, &[], width, &mut computed)?;
                }
            }
            MergeDo::Change(Change::Delete) => {}
        }
    }
    Ok(computed)
}
