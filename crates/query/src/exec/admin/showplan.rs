//! SET SHOWPLAN_TEXT, SHOWPLAN_ALL and SHOWPLAN_XML: statements are bound, planned and answered with their plans, and not run.
//!
//! What always holds: the plan shown is made of the code that a run would take. Both branches of IF, the body of WHILE
//! and both blocks of TRY are shown once; a procedure that the batch calls is shown, those that it calls are not. What
//! has no plan (DDL, PRINT, SET of a constant) is shown by its text. USE and SET SHOWPLAN are run, and table variables
//! are made, so that what names them has a plan. A module that is encrypted is not shown. As XML the whole batch is one
//! document, sent at its end; a batch that an error ends sends none.

use millpond_catalog::run::facts::Showplan;
use millpond_code::code::Code;
use millpond_code::plan_rows::{COLUMNS, Shown, operator_row, shortened, shown, statement_row};
use millpond_code::showplan_xml::{self, Estimates, Heading};
use millpond_engine::account::kept_plan::document;
use millpond_message::error::{SqlError, SqlResult};
use millpond_showplan::{Operator, Scope};
use millpond_tsql::ast::{Execute, Expr, Statement, StatementKind};
use millpond_types::Value;

use crate::exec::batch::{BatchRun, Flow, compile_only, scalar, scope, send_rows, set, settings};
use crate::exec::ddl;
use crate::exec::routine::{call, called, renewed_cursor};
use millpond_rights::needs;

/// What is shown of a statement.
#[derive(Default)]
struct Plan {
    operator: Option<Operator>,
    estimates: Estimates,
    /// It makes a table of its rows.
    makes_table: bool,
}

/// The whole text. Gives the error that a TRY of a caller waits for.
pub(in crate::exec) fn show_whole(run: &mut BatchRun<'_>, statements: &[Statement]) -> Option<SqlError> {
    let calling = run.session.shown.take();
    let is_called = calling.is_some();
    let mut shown = calling.unwrap_or_default();
    let done = show_list(run, statements, &mut shown);
    if is_called {
        run.session.shown = Some(shown);
        return done.err();
    }
    match done {
        Ok(Flow::Next) if is_xml(run) && !shown.xml.is_empty() => {
            let row = vec![Value::Str(document(&shown.xml).into())];
            send_rows(run, &[showplan_xml::COLUMN], &[row]).err()
        }
        done => done.err(),
    }
}

fn is_xml(run: &BatchRun<'_>) -> bool {
    run.ctx.facts.settings.showplan == Showplan::Xml
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
            return show_condition(run, statement, condition, (then, otherwise.as_deref()), shown);
        }
        S::While { condition, body } => return show_condition(run, statement, condition, (body, None), shown),
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
            if is_xml(run) {
                shown.statements += 1;
                let text = source(run, statement.span.start, statement.span.end);
                let heading = heading(run, &text, "USE DATABASE", Estimates::default(), shown.statements);
                shown.xml.push_str(&showplan_xml::use_database(&heading, name));
            }
            return Ok(Flow::Next);
        }
        _ => {}
    }
    let plan = plan_of(run, statement)?;
    let text = source(run, statement.span.start, statement.span.end);
    match is_xml(run) {
        true => add_xml(run, statement, &text, &plan, shown)?,
        false => send_plan(run, &text, &statement.kind.title(), plan.operator, shown)?,
    }
    match &statement.kind {
        S::Execute(execute) if !is_xml(run) => {
            show_called(run, statement, execute, shown)?;
        }
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

/// `IF condition`, `WHILE condition`, and what stands below.
fn show_condition(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    condition: &Expr,
    (then, otherwise): (&Statement, Option<&Statement>),
    shown: &mut Shown,
) -> SqlResult<Flow> {
    let code = scalar::condition_code(run, statement, condition)?;
    let plan = operator(run, &code.into())?;
    let text = source(run, statement.span.start, then.span.start);
    if !is_xml(run) {
        send_plan(run, &text, "COND", plan.operator, shown)?;
        for branch in std::iter::once(then).chain(otherwise) {
            if show_list(run, std::slice::from_ref(branch), shown)? != Flow::Next {
                return Ok(Flow::Abort);
            }
        }
        return Ok(Flow::Next);
    }
    shown.statements += 1;
    let id = shown.statements;
    let mut below = Vec::new();
    for branch in std::iter::once(then).chain(otherwise) {
        let outside = std::mem::take(&mut shown.xml);
        let flow = show_list(run, std::slice::from_ref(branch), shown);
        below.push(std::mem::replace(&mut shown.xml, outside));
        if flow? != Flow::Next {
            return Ok(Flow::Abort);
        }
    }
    let kind = if plan.operator.is_some() { "COND WITH QUERY" } else { "COND" };
    let heading = heading(run, &text, kind, plan.estimates, id);
    let (then, otherwise) = (below[0].as_str(), below.get(1).map(String::as_str));
    shown.xml.push_str(&showplan_xml::condition(&heading, plan.operator.as_ref(), then, otherwise));
    Ok(Flow::Next)
}

/// The statements of a procedure that the batch itself calls; gives its name where they were shown.
fn show_called(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    execute: &Execute,
    shown: &mut Shown,
) -> SqlResult<Option<String>> {
    if run.frame.object != 0 || execute.return_into.is_some() {
        return Ok(None);
    }
    let called = called::find_procedure(run.session, &execute.procedure, &run.ctx.facts)?;
    let Some(called) = called.filter(|called| !called.module.encrypted) else { return Ok(None) };
    let name = called.module.name.to_string();
    if is_xml(run) {
        run.session.shown = Some(std::mem::take(shown));
    }
    let done = call::execute(run, statement, execute);
    if let Some(theirs) = run.session.shown.take() {
        *shown = theirs;
    }
    done.map(|()| Some(name))
}

/// A statement's element.
fn add_xml(run: &mut BatchRun<'_>, statement: &Statement, text: &str, plan: &Plan, shown: &mut Shown) -> SqlResult<()> {
    use StatementKind as S;
    shown.statements += 1;
    let id = shown.statements;
    let called = match &statement.kind {
        S::Execute(execute) => {
            let outside = std::mem::take(&mut shown.xml);
            let name = show_called(run, statement, execute, shown);
            let statements = std::mem::replace(&mut shown.xml, outside);
            name?.map(|name| (name, statements))
        }
        _ => None,
    };
    let title = statement.kind.title();
    let kind = if plan.makes_table { "SELECT INTO" } else { xml_kind(&statement.kind, &title) };
    let heading = heading(run, text, kind, plan.estimates, id);
    let cursor = match &statement.kind {
        S::DeclareCursor(declare) => Some(&declare.name),
        S::SetCursor { variable, .. } => Some(variable),
        S::OpenCursor(cursor) | S::CloseCursor(cursor) | S::DeallocateCursor(cursor) => Some(&cursor.name),
        S::Fetch(fetch) => Some(&fetch.cursor.name),
        _ => None,
    };
    shown.xml.push_str(&match cursor {
        Some(name) => showplan_xml::cursor(&heading, name, plan.operator.as_ref()),
        None => {
            let called = called.as_ref().map(|(name, statements)| (name.as_str(), statements.as_str()));
            showplan_xml::simple(&heading, plan.operator.as_ref(), None, called)
        }
    });
    Ok(())
}

/// StatementType: mostly a statement's title.
fn xml_kind<'t>(kind: &StatementKind, title: &'t str) -> &'t str {
    use StatementKind as S;
    match kind {
        S::SetVariable(_) | S::Declare(_) => "ASSIGN",
        S::Execute(_) => "EXECUTE PROC",
        S::ExecuteText(_) => "EXECUTE STRING",
        S::OpenCursor(_) => "OPEN CURSOR",
        S::Fetch(_) => "FETCH CURSOR",
        S::CloseCursor(_) => "CLOSE CURSOR",
        S::DeallocateCursor(_) => "DEALLOCATE CURSOR",
        _ => title,
    }
}

fn heading<'a>(run: &'a BatchRun<'_>, text: &'a str, kind: &'a str, estimates: Estimates, id: u32) -> Heading<'a> {
    let place = run.stats.as_ref().map(|stats| (stats.text_id, stats.start));
    Heading { text, kind, id, place, settings: Some(&run.ctx.facts.settings), estimates, is_kept: false }
}

/// The plan of a statement that has one.
fn plan_of(run: &mut BatchRun<'_>, statement: &Statement) -> SqlResult<Plan> {
    run.stats = None;
    let code = match &statement.kind {
        StatementKind::DeclareCursor(declare) if is_xml(run) => {
            Some(renewed_cursor::cursor_code(run, statement, &declare.cursor)?.into())
        }
        _ => compile_only::code_of(run, statement)?,
    };
    code.map_or_else(|| Ok(Plan::default()), |code| operator(run, &code))
}

fn operator(run: &mut BatchRun<'_>, code: &Code) -> SqlResult<Plan> {
    run.ctx_mut().begin_statement();
    let scope = Scope::new(run.variables.names());
    let is_xml = is_xml(run);
    scope::reading(run, |run| {
        let operator = shown(&run.ctx, &scope, code)?;
        let is_estimated = is_xml && operator.is_some();
        let estimates = if is_estimated { showplan_xml::estimates(&run.ctx, code) } else { Estimates::default() };
        let makes_table = matches!(code, Code::Query(query) if query.into.is_some());
        Ok(Plan { operator, estimates, makes_table })
    })
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
            let mut all = vec![statement_row(text, kind, shown.statements, node, rows.first())];
            all.extend(rows.iter().map(|row| operator_row(row, shown.statements)));
            send_rows(run, &COLUMNS, &all)
        }
        _ => {
            send_rows(run, &COLUMNS[..1], &[vec![shortened(text)]])?;
            let lines: Vec<Vec<Value>> = rows.iter().map(|row| vec![shortened(&row.text)]).collect();
            if lines.is_empty() { Ok(()) } else { send_rows(run, &COLUMNS[..1], &lines) }
        }
    }
}
