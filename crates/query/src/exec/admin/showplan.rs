//! SET SHOWPLAN_TEXT and SHOWPLAN_ALL: statements are bound, planned and answered with their plans, and not run.
//!
//! What always holds: the plan shown is made of the code that a run would take. Both branches of IF, the body of WHILE
//! and both blocks of TRY are shown once; a procedure that the batch calls is shown, those that it calls are not. What
//! has no plan (DDL, PRINT, SET of a constant) is shown by its text. USE and SET SHOWPLAN are run, and table variables
//! are made, so that what names them has a plan.

use std::sync::Arc;

use millpond_bind::{Change, InsertColumn, InsertTarget, MergeDo};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::run::facts::Showplan;
use millpond_catalog::{TableDef, TableStorage};
use millpond_engine::context::RunContext;
use millpond_engine::system_call::closed;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Column;
use millpond_plan::showplan::{Operator, PlanRow, Scope, column_name, object_name, table_columns};
use millpond_tsql::ast::{Execute, Expr, Statement, StatementKind};
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::batch::code::{ChangeCode, Code, InsertCode, MergeCode, MergeWay, Scalar};
use crate::exec::batch::control::scalar_of;
use crate::exec::batch::{BatchRun, COMMAND_SELECT, Flow};
use crate::exec::direct::Step;

/// Characters of a text that a column shows.
const TEXT_MAX: usize = 4000;
const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Limited(TEXT_MAX as u16) };
const WORD: SqlType = SqlType::NVarChar { len: MaxLen::Limited(128) };

/// Columns of SHOWPLAN_ALL.
pub(in crate::exec) const COLUMNS: [(&str, SqlType); 18] = [
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

/// Place of `Parallel` in [`COLUMNS`].
pub(in crate::exec) const PARALLEL: usize = 16;

/// What was shown of a text.
#[derive(Default)]
struct Shown {
    statements: u32,
    /// Rows of plans, with those of the statements.
    nodes: u32,
}

impl BatchRun<'_> {
    /// The whole text. Gives the error that a TRY of a caller waits for.
    pub(in crate::exec) fn show_whole(&mut self, statements: &[Statement]) -> Option<SqlError> {
        let mut shown = Shown::default();
        self.show_list(statements, &mut shown).err()
    }

    /// Shows statements; `shown` counts those that were.
    fn show_list(&mut self, statements: &[Statement], shown: &mut Shown) -> SqlResult<Flow> {
        for statement in statements {
            let flow = match self.show_statement(statement, shown) {
                Ok(flow) => flow,
                Err(error) => self.failed(error, statement)?,
            };
            if flow != Flow::Next || self.ends_batch {
                return Ok(Flow::Abort);
            }
        }
        Ok(Flow::Next)
    }

    fn show_statement(&mut self, statement: &Statement, shown: &mut Shown) -> SqlResult<Flow> {
        use StatementKind as S;
        match &statement.kind {
            S::Block(statements) => return self.show_list(statements, shown),
            S::If { condition, then, otherwise } => {
                self.show_condition(statement, condition, then, shown)?;
                let branches = std::iter::once(then).chain(otherwise);
                for branch in branches {
                    if self.show_list(std::slice::from_ref(branch), shown)? != Flow::Next {
                        return Ok(Flow::Abort);
                    }
                }
                return Ok(Flow::Next);
            }
            S::While { condition, body } => {
                self.show_condition(statement, condition, body, shown)?;
                return self.show_list(std::slice::from_ref(body), shown);
            }
            S::TryCatch { body, handler } => {
                return match self.show_list(body, shown)? {
                    Flow::Next => self.show_list(handler, shown),
                    ended => Ok(ended),
                };
            }
            S::Label(_) => return Ok(Flow::Next),
            S::SetOption(option) if option.names.iter().any(|name| name.starts_with("SHOWPLAN")) => {
                self.set_option(statement, option)?;
                return Ok(Flow::Next);
            }
            S::Use(name) => {
                self.use_database(name)?;
                return Ok(Flow::Next);
            }
            _ => {}
        }
        let plan = self.plan_of(statement)?;
        let text = self.source(statement.span.start, statement.span.end);
        let kind = statement.kind.title();
        self.send_plan(&text, &kind, plan, shown)?;
        match &statement.kind {
            S::Execute(execute) => self.show_called(statement, execute)?,
            // Plans of later statements are of these tables.
            S::DeclareTable { name, definition } => self.declare_table(statement, name, definition)?,
            S::Declare(list) if list.iter().all(|declaration| declaration.value.is_none()) => {
                self.declare(statement, list)?;
            }
            _ => {}
        }
        Ok(Flow::Next)
    }

    /// A part of the text.
    fn source(&self, start: u32, end: u32) -> String {
        let text = &self.parsed.text;
        text.get(start as usize..end as usize).unwrap_or_default().trim().to_owned()
    }

    /// `IF condition`, `WHILE condition`
    fn show_condition(
        &mut self,
        statement: &Statement,
        condition: &Expr,
        body: &Statement,
        shown: &mut Shown,
    ) -> SqlResult<()> {
        let code = self.bound(statement, 0, |binder, _| {
            let expr = binder.condition(condition)?;
            Ok(Code::Scalar(scalar_of(expr, 0)))
        })?;
        let plan = self.operator(&code)?;
        let text = self.source(statement.span.start, body.span.start);
        self.send_plan(&text, "COND", plan, shown)
    }

    /// The statements of a procedure that the batch itself calls.
    fn show_called(&mut self, statement: &Statement, execute: &Execute) -> SqlResult<()> {
        if self.frame.object != 0 || execute.return_into.is_some() {
            return Ok(());
        }
        match self.session.find_procedure(&execute.procedure, &self.ctx.facts)? {
            Some(_) => self.execute(statement, execute),
            None => Ok(()),
        }
    }

    /// The plan of a statement that has one.
    fn plan_of(&mut self, statement: &Statement) -> SqlResult<Option<Operator>> {
        match self.code_of(statement)? {
            Some(code) => self.operator(&code),
            None => Ok(None),
        }
    }

    fn operator(&mut self, code: &Arc<Code>) -> SqlResult<Option<Operator>> {
        self.ctx_mut().begin_statement();
        let scope = Scope::new(self.variables.names());
        self.reading(|run| shown(&run.ctx, &scope, code))
    }

    fn send_plan(&mut self, text: &str, kind: &str, plan: Option<Operator>, shown: &mut Shown) -> SqlResult<()> {
        let node = shown.nodes + 1;
        let rows = plan.as_ref().map_or_else(Vec::new, |plan| plan.rows(node + 1, node));
        shown.statements += 1;
        shown.nodes = node + rows.len() as u32;
        match self.ctx.facts.settings.showplan {
            Showplan::All => {
                let mut all = vec![statement_row(text, kind, shown.statements, node)];
                all.extend(rows.iter().map(|row| operator_row(row, shown.statements)));
                self.send_table(&COLUMNS, &all)
            }
            _ => {
                self.send_table(&COLUMNS[..1], &[vec![shortened(text)]])?;
                let lines: Vec<Vec<Value>> = rows.iter().map(|row| vec![shortened(&row.text)]).collect();
                if lines.is_empty() { Ok(()) } else { self.send_table(&COLUMNS[..1], &lines) }
            }
        }
    }

    fn send_table(&mut self, columns: &[(&str, SqlType)], rows: &[Vec<Value>]) -> SqlResult<()> {
        let column = |(name, sql): &(&str, SqlType)| Column::new(*name, *sql);
        self.sink.columns(&columns.iter().map(column).collect::<Vec<Column>>()).map_err(closed)?;
        for row in rows {
            self.sink.row(row).map_err(closed)?;
        }
        self.done_rows(rows.len() as u64, COMMAND_SELECT);
        Ok(())
    }
}

/// What runs, or what ran, of code that has a plan.
///
/// # Errors
/// What the making of a plan says.
pub(in crate::exec) fn shown(ctx: &RunContext, scope: &Scope, code: &Code) -> SqlResult<Option<Operator>> {
    Ok(match code {
        Code::Scalar(Scalar { runner: Some(runner), .. }) => Some(runner.show(ctx, scope)?),
        Code::Query(query) => {
            let rows = query.runner.show(ctx, scope)?;
            Some(match &query.into {
                Some(def) => {
                    Operator::new("Table Insert").logical("Insert").argument(object_name(def, None)).over(rows)
                }
                None => rows,
            })
        }
        Code::Insert(insert) => Some(show_insert(ctx, scope, insert)?),
        Code::Change(change) => Some(show_change(ctx, scope, change)?),
        Code::Merge(merge) => Some(show_merge(ctx, scope, merge)?),
        _ => None,
    })
}

fn shortened(text: &str) -> Value {
    Value::Str(text.chars().take(TEXT_MAX).collect::<String>().into())
}

fn word(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { shortened(text) }
}

pub(in crate::exec) fn statement_row(text: &str, kind: &str, id: u32, node: u32) -> Vec<Value> {
    let mut row = vec![Value::Null; COLUMNS.len()];
    row[0] = shortened(text);
    row[1] = Value::Int(id as i32);
    row[2] = Value::Int(node as i32);
    row[3] = Value::Int(0);
    row[15] = word(kind);
    row
}

pub(in crate::exec) fn operator_row(line: &PlanRow<'_>, id: u32) -> Vec<Value> {
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
fn objects(def: &TableDef, is_changed: impl Fn(usize) -> bool) -> String {
    let beside = def.indexes.iter().enumerate().skip(1).filter(|(index, _)| is_changed(*index));
    let all = std::iter::once(object_name(def, def.indexes.first()));
    all.chain(beside.map(|(_, index)| object_name(def, Some(index)))).collect::<Vec<String>>().join(", ")
}

fn set_list(parts: &[String]) -> String {
    if parts.is_empty() { String::new() } else { format!(", SET:({})", parts.join(",")) }
}

/// What an inserted row is made of; `source` are the texts of the source's columns.
fn inserted(scope: &Scope, target: &InsertTarget, source: &[String]) -> Vec<String> {
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

fn show_insert(ctx: &RunContext, scope: &Scope, insert: &InsertCode) -> SqlResult<Operator> {
    let target = &insert.bound.into;
    let operator = change_operator(&target.def, "Insert");
    let objects = objects(&target.def, |_| true);
    if let Some(cells) = insert.runner.direct().and_then(|direct| direct.single_row()) {
        let cells: Vec<String> = cells.iter().map(|cell| scope.text(cell, &[])).collect();
        return Ok(operator.argument(objects + &set_list(&inserted(scope, target, &cells))));
    }
    let source = insert.runner.show(ctx, scope)?;
    let set = set_list(&inserted(scope, target, &source.output));
    Ok(operator.argument(objects + &set).over(source))
}

/// The columns that a change sets, and the indexes that have them.
fn updated(scope: &Scope, def: &TableDef, change: &Change, input: &[String]) -> (String, String) {
    let Change::Update { columns, values, .. } = change else { return (objects(def, |_| true), String::new()) };
    let touches = |index: usize| def.indexes[index].stored.iter().any(|column| columns.contains(column));
    let one =
        |(column, value): (&usize, &BoundExpr)| format!("{} = {}", column_name(def, *column), scope.text(value, input));
    let set: Vec<String> = columns.iter().zip(values).map(one).collect();
    (objects(def, touches), set_list(&set))
}

fn show_change(ctx: &RunContext, scope: &Scope, code: &ChangeCode) -> SqlResult<Operator> {
    let bound = &code.bound;
    let def = &bound.def;
    let verb = if matches!(bound.change, Change::Delete) { "Delete" } else { "Update" };
    let mut input: Vec<String> = vec![String::new(); code.width];
    input[bound.first..bound.first + def.columns.len()].clone_from_slice(&table_columns(def));
    // The row of one key is looked for by nobody but the change itself.
    if let Some(step) = code.runner.direct().and_then(|direct| direct.single_table())
        && step.def.indexes[step.access.index].holds_rows()
        && step.access.single
    {
        let (objects, set) = updated(scope, def, &bound.change, &input);
        let condition = scope.conjunction(&code.predicates, &input);
        return Ok(change_operator(def, verb).argument(format!("{objects}{set}, WHERE:({condition})")));
    }
    let source = code.runner.show(ctx, scope)?;
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

fn show_merge(ctx: &RunContext, scope: &Scope, code: &MergeCode) -> SqlResult<Operator> {
    let bound = &code.bound;
    let source = match &code.way {
        MergeWay::Join(runner) => runner.show(ctx, scope)?,
        MergeWay::Lookup { source, step } => show_lookup(scope, source.show(ctx, scope)?, step),
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
fn show_lookup(scope: &Scope, source: Operator, step: &Step) -> Operator {
    let mut columns = source.output.clone();
    columns.resize_with(step.first, || scope.computed());
    columns.resize(step.first + step.def.columns.len() + 1, String::new());
    step.name_columns(scope, &mut columns);
    let target = step.show(scope, &columns);
    Operator::nested_loops("Left Outer Join", &step.references(&columns), "", [source, target])
}
