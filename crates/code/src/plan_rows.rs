//! The operators of a statement as rows of SHOWPLAN_ALL and STATISTICS PROFILE: those of the plan below, and the change above it.

use millpond_bind::{Change, InsertColumn, InsertTarget, MergeDo};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::{TableDef, TableStorage};
use millpond_direct::TableStep;
use millpond_direct::runner::Runner;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_showplan::{Operator, PlanRow, Scope, column_name, object_name, table_columns};
use millpond_types::{MaxLen, SqlType, Value};

use crate::code::{ChangeCode, Code, InsertCode, MergeCode, MergeWay};

/// The operators of a way to rows.
type Show<'a> = &'a dyn Fn(&Runner) -> SqlResult<Operator>;

/// Columns of SHOWPLAN_ALL.
pub const COLUMNS: [(&str, SqlType); 18] = [
    ("StmtText", TEXT),
    ("StmtId", SqlType::Int),
    ("NodeId", SqlType::Int),
    ("Parent", SqlType::Int),
    ("PhysicalOp", WORD),
    ("LogicalOp", WORD),
    ("Argument", TEXT),
    ("DefinedValues", TEXT),
    ("EstimateRows", SqlType::Real),
    ("EstimateIO", SqlType::Real),
    ("EstimateCPU", SqlType::Real),
    ("AvgRowSize", SqlType::Int),
    ("TotalSubtreeCost", SqlType::Real),
    ("OutputList", TEXT),
    ("Warnings", TEXT),
    ("Type", SqlType::NVarChar { len: MaxLen::Limited(64) }),
    ("Parallel", SqlType::Bit),
    ("EstimateExecutions", SqlType::Real),
];

/// What was shown of a text so far.
#[derive(Default)]
pub struct Shown {
    /// Statements.
    pub statements: u32,
    /// Rows of plans, with those of the statements.
    pub nodes: u32,
    /// Elements of statements, where plans are XML.
    pub xml: String,
}

/// Place of `Parallel` in [`COLUMNS`].
pub const PARALLEL: usize = 16;
/// Place of `EstimateExecutions` in [`COLUMNS`].
const EXECUTIONS: usize = 17;

/// What runs, or what ran, of code that has a plan.
///
/// # Errors
/// What the making of a plan says.
pub fn shown(ctx: &RunContext, scope: &Scope, code: &Code) -> SqlResult<Option<Operator>> {
    shown_by(&|runner| runner.show(ctx, scope), scope, code)
}

/// What runs of code that another session keeps; none while a plan of it was not made.
#[must_use]
pub fn shown_as_kept(scope: &Scope, code: &Code) -> Option<Operator> {
    let kept = |runner: &Runner| runner.show_kept(scope).ok_or_else(millpond_message::cancelled);
    shown_by(&kept, scope, code).ok().flatten()
}

fn shown_by(show: Show<'_>, scope: &Scope, code: &Code) -> SqlResult<Option<Operator>> {
    Ok(match code {
        Code::Scalar(scalar) => scalar.runner.as_ref().map(show).transpose()?,
        Code::Query(query) => {
            let rows = show(&query.runner)?;
            Some(match &query.into {
                Some(def) => {
                    Operator::new("Table Insert").logical("Insert").argument(object_name(def, None)).over(rows)
                }
                None => rows,
            })
        }
        Code::Insert(insert) => Some(show_insert(show, scope, insert)?),
        Code::Change(change) => Some(show_change(show, scope, change)?),
        Code::Merge(merge) => Some(show_merge(show, scope, merge)?),
        _ => None,
    })
}

/// A text, cut to what a column of these rows holds.
pub fn shortened(text: &str) -> Value {
    Value::Str(text.chars().take(TEXT_MAX).collect::<String>().into())
}

/// A word of ours, which is short.
pub fn word(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { shortened(text) }
}

/// The row of the statement itself, above those of its operators, the first of which may say what it costs.
pub fn statement_row(text: &str, kind: &str, id: u32, node: u32, first: Option<&PlanRow<'_>>) -> Vec<Value> {
    let mut row = vec![Value::Null; COLUMNS.len()];
    row[0] = shortened(text);
    row[1] = Value::Int(id as i32);
    row[2] = Value::Int(node as i32);
    row[3] = Value::Int(0);
    row[15] = word(kind);
    if let Some(first) = first {
        row[8] = first.operator.expected_rows().map_or(Value::Null, |rows| Value::Real(rows as f32));
        row[12] = first.cost.map_or(Value::Null, |cost| Value::Real(cost.subtree as f32));
    }
    row
}

/// The row of an operator.
pub fn operator_row(line: &PlanRow<'_>, id: u32) -> Vec<Value> {
    let operator = line.operator;
    let mut row = vec![Value::Null; COLUMNS.len()];
    row[0] = shortened(&line.text);
    row[1] = Value::Int(id as i32);
    row[2] = Value::Int(line.node as i32);
    row[3] = Value::Int(line.parent as i32);
    row[4] = word(&operator.physical);
    row[5] = word(&operator.logical);
    row[6] = word(&operator.argument);
    row[7] = word(&operator.defined.join(", "));
    row[8] = operator.expected_rows().map_or(Value::Null, |rows| Value::Real(rows as f32));
    if let Some(cost) = line.cost {
        row[9] = Value::Real(cost.io as f32);
        row[10] = Value::Real(cost.cpu as f32);
        row[11] = Value::Int(cost.row_bytes.min(i32::MAX as u32) as i32);
        row[12] = Value::Real(cost.subtree as f32);
        row[EXECUTIONS] = Value::Real(cost.executions as f32);
    }
    row[13] = word(&operator.output.join(", "));
    row[15] = word("PLAN_ROW");
    // Which of them have several threads is settled when they run.
    row[PARALLEL] = Value::Bit(false);
    row
}

/// `Clustered Index Insert`, `Table Update`: the operator that changes a table.
fn change_operator(def: &TableDef, verb: &str) -> Operator {
    let rows = def.indexes.first();
    let is_clustered = def.storage == TableStorage::Trees && rows.is_some_and(|rows| rows.is_clustered());
    let kind = if is_clustered { "Clustered Index" } else { "Table" };
    Operator::new(&format!("{kind} {verb}")).logical(verb)
}

/// The objects that are changed: the rows, then `others` of the indexes beside them.
pub fn objects(def: &TableDef, is_changed: impl Fn(usize) -> bool) -> String {
    let beside = def.indexes.iter().enumerate().skip(1).filter(|(index, _)| is_changed(*index));
    let all = std::iter::once(object_name(def, def.indexes.first()));
    all.chain(beside.map(|(_, index)| object_name(def, Some(index)))).collect::<Vec<String>>().join(", ")
}

fn set_list(parts: &[String]) -> String {
    if parts.is_empty() { String::new() } else { format!(", SET:({})", parts.join(",")) }
}

/// What an inserted row is made of; `source` are the texts of the source's columns.
pub fn inserted(scope: &Scope, target: &InsertTarget, source: &[String]) -> Vec<String> {
    let one = |(column, from): (usize, &InsertColumn)| {
        let value = match from {
            InsertColumn::Source(index) => source.get(*index).cloned()?,
            InsertColumn::Default(expr) => scope.text(expr, &[]),
            InsertColumn::Identity => "getidentity".to_owned(),
            InsertColumn::RowVersion => "gettimestamp".to_owned(),
            InsertColumn::Computed => {
                let computed = target.def.columns[column].computed.as_ref()?;
                scope.text(&computed.expr, &table_columns(&target.def))
            }
        };
        Some(format!("{} = {value}", column_name(&target.def, column)))
    };
    target.columns.iter().enumerate().filter_map(one).collect()
}

fn show_insert(show: Show<'_>, scope: &Scope, insert: &InsertCode) -> SqlResult<Operator> {
    let target = &insert.bound.into;
    let operator = change_operator(&target.def, "Insert");
    let objects = objects(&target.def, |_| true);
    if let Some(cells) = insert.runner.direct().and_then(|direct| direct.single_row()) {
        let cells: Vec<String> = cells.iter().map(|cell| scope.text(cell, &[])).collect();
        return Ok(operator.argument(objects + &set_list(&inserted(scope, target, &cells))));
    }
    let source = show(&insert.runner)?;
    let set = set_list(&inserted(scope, target, &source.output));
    Ok(operator.argument(objects + &set).over(source))
}

/// The columns that a change sets, and the indexes that have them.
pub fn updated(scope: &Scope, def: &TableDef, change: &Change, input: &[String]) -> (String, String) {
    let Change::Update { columns, values, .. } = change else { return (objects(def, |_| true), String::new()) };
    let touches = |index: usize| def.indexes[index].stored.iter().any(|column| columns.contains(column));
    let one =
        |(column, value): (&usize, &BoundExpr)| format!("{} = {}", column_name(def, *column), scope.text(value, input));
    let set: Vec<String> = columns.iter().zip(values).map(one).collect();
    (objects(def, touches), set_list(&set))
}

fn show_change(show: Show<'_>, scope: &Scope, code: &ChangeCode) -> SqlResult<Operator> {
    let bound = &code.bound;
    let def = &bound.def;
    let verb = if matches!(bound.change, Change::Delete) { "Delete" } else { "Update" };
    let mut input: Vec<String> = vec![String::new(); code.width];
    input[bound.first..bound.first + def.columns.len()].clone_from_slice(&table_columns(def));
    // The row of one key is looked for by the change alone.
    if let Some(step) = code.runner.direct().and_then(|direct| direct.single_table())
        && step.def.indexes[step.access.index].holds_rows()
        && step.access.single
    {
        let (objects, set) = updated(scope, def, &bound.change, &input);
        let condition = scope.conjunction(&code.predicates, &input);
        return Ok(change_operator(def, verb).argument(format!("{objects}{set}, WHERE:({condition})")));
    }
    let source = show(&code.runner)?;
    name_others(scope, code, &mut input);
    if let Change::Update { set: Some(set), .. } = &bound.change {
        let name = |slot: &usize| {
            let null = BoundExpr::literal(Value::Null, SqlType::Int);
            scope.text(&BoundExpr { kind: Kind::Variable(*slot), ..null }, &[])
        };
        input.extend(set.slots.iter().map(name));
    }
    let (objects, set) = updated(scope, def, &bound.change, &input);
    Ok(change_operator(def, verb).argument(objects + &set).over(source))
}

/// Names for the columns of the input row that are not the target's, by the tables of FROM.
fn name_others(scope: &Scope, code: &ChangeCode, input: &mut [String]) {
    let mut place = 0;
    name_tables(&code.bound.input, &mut place, input);
    for name in input.iter_mut().filter(|name| name.is_empty()) {
        *name = scope.computed();
    }
}

fn name_tables(rel: &Rel, place: &mut usize, input: &mut [String]) {
    match rel {
        Rel::Table { def, .. } => {
            for (offset, name) in table_columns(def).into_iter().enumerate() {
                input[*place + offset] = name;
            }
            *place += rel.types().len();
        }
        Rel::Filter { input: below, .. } | Rel::Top { input: below, .. } | Rel::Sort { input: below, .. } => {
            name_tables(below, place, input);
        }
        Rel::Window { input: below, calls, .. } => {
            name_tables(below, place, input);
            *place += calls.len();
        }
        Rel::Join { left, right, .. } => {
            name_tables(left, place, input);
            name_tables(right, place, input);
        }
        other => *place += other.types().len(),
    }
}

fn show_merge(show: Show<'_>, scope: &Scope, code: &MergeCode) -> SqlResult<Operator> {
    let bound = &code.bound;
    let source = match &code.way {
        MergeWay::Join(runner) => show(runner)?,
        MergeWay::Lookup { source, step } => show_lookup(scope, show(source)?, step),
    };
    let mut verbs: Vec<&str> = Vec::new();
    for branch in &bound.branches {
        let verb = match &branch.action {
            MergeDo::Insert(..) => "Insert",
            MergeDo::Change(Change::Delete) => "Delete",
            MergeDo::Change(Change::Update { .. }) => "Update",
        };
        if !verbs.contains(&verb) {
            verbs.push(verb);
        }
    }
    let argument = format!("{}, SET:({})", objects(&bound.def, |_| true), verbs.join(", "));
    Ok(change_operator(&bound.def, "Merge").argument(argument).over(source))
}

/// The target's rows for each row of the source, by an index.
fn show_lookup(scope: &Scope, source: Operator, step: &TableStep) -> Operator {
    let mut columns = source.output.clone();
    columns.resize_with(step.first, || scope.computed());
    columns.resize(step.first + step.def.columns.len() + 1, String::new());
    step.name_columns(scope, &mut columns);
    let target = step.show(scope, &columns);
    Operator::nested_loops("Left Outer Join", &step.references(&columns), "", [source, target])
}

/// Characters of a text that a column shows.
const TEXT_MAX: usize = 4000;

/// The type of columns with texts.
pub const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Limited(TEXT_MAX as u16) };

const WORD: SqlType = SqlType::NVarChar { len: MaxLen::Limited(128) };
