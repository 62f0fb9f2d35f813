//! SET SHOWPLAN_TEXT and SHOWPLAN_ALL: statements are bound, planned and answered with their plans, and not run.
//!
//! What always holds: the plan shown is made of the code that a run would take. Both branches of IF, the body of WHILE
//! and both blocks of TRY are shown once; a procedure that the batch calls is shown, those that it calls are not. What
//! has no plan (DDL, PRINT, SET of a constant) is shown by its text. USE and SET SHOWPLAN are run, and table variables
//! are made, so that what names them has a plan.

use millpond_catalog::run::facts::Showplan;
use millpond_code::code::Code;
use millpond_code::plan_rows::{COLUMNS, operator_row, shortened, shown, statement_row};
use millpond_engine::system_call::closed;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Column;
use millpond_plan::showplan::{Operator, Scope};
use millpond_tsql::ast::{Execute, Expr, Statement, StatementKind};
use millpond_types::{SqlType, Value};

use crate::exec::batch::{BatchRun, COMMAND_SELECT, Flow, compile_only, scalar, scope, set, settings};
use crate::exec::ddl;
use crate::exec::routine::{call, called};
use millpond_rights::needs;

/// What was shown of a text.
#[derive(Default)]
struct Shown {
    statements: u32,
    /// Rows of plans, with those of the statements.
    nodes: u32,
}

/// The whole text. Gives the error that a TRY of a caller waits for.
pub(in crate::exec) fn show_whole(run: &mut BatchRun<'_>, statements: &[Statement]) -> Option<SqlError> {
    let mut shown = Shown::default();
    show_list(run, statements, &mut shown).err()
}

/// Shows statements; `shown` counts those that were.
fn show_list(run: &mut BatchRun<'_>, statements: &[Statement], shown: &mut Shown) -> SqlResult<Flow> {
    for statement in statements {
        let flow = match show_statement(run, statement, shown) {
            Ok(flow) => flow,
            Err(error) => run.failed(error, statement)?,
        };
        if flow != Flow::Next || run.ends_batch {
            return Ok(Flow::Abort);
        }
    }
    Ok(Flow::Next)
}

fn show_statement(run: &mut BatchRun<'_>, statement: &Statement, shown: &mut Shown) -> SqlResult<Flow> {
    use StatementKind as S;
    if !matches!(statement.kind, S::SetOption(_) | S::Use(_)) {
        needs::in_database(&run.ctx, run.ctx.facts.database, "SHOWPLAN")?;
    }
    match &statement.kind {
        S::Block(statements) => return show_list(run, statements, shown),
        S::If { condition, then, otherwise } => {
            show_condition(run, statement, condition, then, shown)?;
            let branches = std::iter::once(then).chain(otherwise);
            for branch in branches {
                if show_list(run, std::slice::from_ref(branch), shown)? != Flow::Next {
                    return Ok(Flow::Abort);
                }
            }
            return Ok(Flow::Next);
        }
        S::While { condition, body } => {
            show_condition(run, statement, condition, body, shown)?;
            return show_list(run, std::slice::from_ref(body), shown);
        }
        S::TryCatch { body, handler } => {
            return match show_list(run, body, shown)? {
                Flow::Next => show_list(run, handler, shown),
                ended => Ok(ended),
            };
        }
        S::Label(_) => return Ok(Flow::Next),
        S::SetOption(option) if option.names.iter().any(|name| name.starts_with("SHOWPLAN")) => {
            settings::apply_set(run, statement, option)?;
            return Ok(Flow::Next);
        }
        S::Use(name) => {
            settings::use_database(run, name)?;
            return Ok(Flow::Next);
        }
        _ => {}
    }
    let plan = plan_of(run, statement)?;
    let text = source(run, statement.span.start, statement.span.end);
    let kind = statement.kind.title();
    send_plan(run, &text, &kind, plan, shown)?;
    match &statement.kind {
        S::Execute(execute) => show_called(run, statement, execute)?,
        // Plans of later statements are of these tables.
        S::DeclareTable { name, definition } => ddl::declare_table(run, statement, name, definition)?,
        S::Declare(list) if list.iter().all(|declaration| declaration.value.is_none()) => {
            set::declare(run, statement, list)?;
        }
        _ => {}
    }
    Ok(Flow::Next)
}

/// A part of the text.
pub(in crate::exec) fn source(run: &BatchRun<'_>, start: u32, end: u32) -> String {
    let text = &run.parsed.text;
    text.get(start as usize..end as usize).unwrap_or_default().trim().to_owned()
}

/// `IF condition`, `WHILE condition`
fn show_condition(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    condition: &Expr,
    body: &Statement,
    shown: &mut Shown,
) -> SqlResult<()> {
    let code = scalar::condition_code(run, statement, condition)?;
    let plan = operator(run, &code.into())?;
    let text = source(run, statement.span.start, body.span.start);
    send_plan(run, &text, "COND", plan, shown)
}

/// The statements of a procedure that the batch itself calls.
fn show_called(run: &mut BatchRun<'_>, statement: &Statement, execute: &Execute) -> SqlResult<()> {
    if run.frame.object != 0 || execute.return_into.is_some() {
        return Ok(());
    }
    match called::find_procedure(run.session, &execute.procedure, &run.ctx.facts)? {
        Some(_) => call::execute(run, statement, execute),
        None => Ok(()),
    }
}

/// The plan of a statement that has one.
fn plan_of(run: &mut BatchRun<'_>, statement: &Statement) -> SqlResult<Option<Operator>> {
    match compile_only::code_of(run, statement)? {
        Some(code) => operator(run, &code),
        None => Ok(None),
    }
}

fn operator(run: &mut BatchRun<'_>, code: &Code) -> SqlResult<Option<Operator>> {
    run.ctx_mut().begin_statement();
    let scope = Scope::new(run.variables.names());
    scope::reading(run, |run| shown(&run.ctx, &scope, code))
}

fn send_plan(
    run: &mut BatchRun<'_>,
    text: &str,
    kind: &str,
    plan: Option<Operator>,
    shown: &mut Shown,
) -> SqlResult<()> {
    let node = shown.nodes + 1;
    let rows = plan.as_ref().map_or_else(Vec::new, |plan| plan.rows(node + 1, node));
    shown.statements += 1;
    shown.nodes = node + rows.len() as u32;
    match run.ctx.facts.settings.showplan {
        Showplan::All => {
            let mut all = vec![statement_row(text, kind, shown.statements, node)];
            all.extend(rows.iter().map(|row| operator_row(row, shown.statements)));
            send_table(run, &COLUMNS, &all)
        }
        _ => {
            send_table(run, &COLUMNS[..1], &[vec![shortened(text)]])?;
            let lines: Vec<Vec<Value>> = rows.iter().map(|row| vec![shortened(&row.text)]).collect();
            if lines.is_empty() { Ok(()) } else { send_table(run, &COLUMNS[..1], &lines) }
        }
    }
}

fn send_table(run: &mut BatchRun<'_>, columns: &[(&str, SqlType)], rows: &[Vec<Value>]) -> SqlResult<()> {
    let column = |(name, sql): &(&str, SqlType)| Column::new(*name, *sql);
    run.sink.columns(&columns.iter().map(column).collect::<Vec<Column>>()).map_err(closed)?;
    for row in rows {
        run.sink.row(row).map_err(closed)?;
    }
    run.done_rows(rows.len() as u64, COMMAND_SELECT);
    Ok(())
}
