//! Statements other than queries and changes of data.

use std::fmt::Write;

use crate::ast::{Expr, Kill, KillOption, ServerConfiguration, SetOption, SetValue, Statement, StatementKind};
use crate::print::{Printer, database, definition, dml, event_session, execute, module, option, partition, query};

pub(super) fn statements(printer: &mut Printer, statements: &[Statement]) {
    for statement in statements {
        statement_line(printer, statement);
    }
}

fn statement_line(printer: &mut Printer, statement: &Statement) {
    if printer.lines {
        let _ = write!(printer.out, "{}: ", statement.span.line);
    }
    for _ in 0..printer.indent {
        printer.text("  ");
    }
    statement_kind(printer, &statement.kind);
    if !printer.out.ends_with('\n') {
        printer.text(";\n");
    }
}

fn statement_kind(printer: &mut Printer, kind: &StatementKind) {
    match kind {
        StatementKind::Block(body) => {
            printer.text("BEGIN");
            printer.indented(body);
            printer.line("END;\n");
        }
        StatementKind::If { condition, then, otherwise } => {
            if_statement(printer, condition, then, otherwise.as_deref())
        }
        StatementKind::While { condition, body } => {
            printer.text("WHILE ");
            printer.expr(condition);
            printer.indented(std::slice::from_ref(body));
        }
        StatementKind::TryCatch { body, handler } => {
            printer.text("BEGIN TRY");
            printer.indented(body);
            printer.line("END TRY BEGIN CATCH");
            printer.indented(handler);
            printer.line("END CATCH;\n");
        }
        StatementKind::Break => printer.text("BREAK"),
        StatementKind::Continue => printer.text("CONTINUE"),
        StatementKind::Return(value) => {
            printer.text("RETURN");
            printer.keyed_expr(" ", value.as_ref());
        }
        StatementKind::Goto(label) => printer.worded("GOTO", label),
        StatementKind::Label(label) => {
            let _ = writeln!(printer.out, "{label}:");
        }
        StatementKind::Select(select) => printer.query(&select.query),
        StatementKind::Insert(insert) => dml::insert(printer, insert),
        StatementKind::Update(update) => dml::update(printer, update),
        StatementKind::Delete(delete) => dml::delete(printer, delete),
        StatementKind::Merge(merge) => dml::merge(printer, merge),
        StatementKind::Module(module) => module::module(printer, module),
        StatementKind::Atomic { options, body } => {
            option::enclosed_options(printer, "BEGIN ATOMIC WITH ", options);
            printer.indented(body);
            printer.line("END;\n");
        }
        StatementKind::Unsupported(words) => {
            let _ = writeln!(printer.out, "/* unsupported: {words} */");
        }
        other => flat_statement(printer, other),
    }
}

/// `ELSE` follows its branch's semicolon.
fn if_statement(printer: &mut Printer, condition: &Expr, then: &Statement, otherwise: Option<&Statement>) {
    printer.text("IF ");
    printer.expr(condition);
    printer.indented(std::slice::from_ref(then));
    if let Some(otherwise) = otherwise {
        printer.line("ELSE");
        printer.indented(std::slice::from_ref(otherwise));
    }
}

fn flat_statement(printer: &mut Printer, kind: &StatementKind) {
    match kind {
        StatementKind::WaitForDelay(value) => printer.keyed_expr("WAITFOR DELAY ", Some(value)),
        StatementKind::WaitForTime(value) => printer.keyed_expr("WAITFOR TIME ", Some(value)),
        StatementKind::Print(value) => printer.keyed_expr("PRINT ", Some(value)),
        StatementKind::RaiseError { message, severity, state, args, options } => {
            printer.text("RAISERROR (");
            printer.list(&[message, severity, state], ", ", |printer, expr| printer.expr(expr));
            args.iter().for_each(|arg| printer.keyed_expr(", ", Some(arg)));
            printer.text(")");
            with_words(printer, options);
        }
        StatementKind::Throw(None) => printer.text("THROW"),
        StatementKind::Throw(Some((number, message, state))) => {
            printer.text("THROW ");
            printer.list(&[number, message, state], ", ", |printer, expr| printer.expr(expr));
        }
        StatementKind::Declare(variables) => {
            printer.text("DECLARE ");
            printer.list(variables, ", ", |printer, variable| {
                printer.text(&variable.name);
                printer.text(" ");
                definition::type_name(printer, &variable.data_type);
                printer.keyed_expr(" = ", variable.value.as_ref());
            });
        }
        StatementKind::DeclareTable { name, definition } => {
            let _ = write!(printer.out, "DECLARE {name} TABLE ");
            definition::table_definition(printer, definition);
        }
        StatementKind::SetVariable(assignment) => {
            printer.text("SET ");
            query::assignment(printer, assignment);
        }
        StatementKind::SetOption(option) => set_option(printer, option),
        other => server_statement(printer, other),
    }
}

fn with_words(printer: &mut Printer, words: &[String]) {
    if !words.is_empty() {
        let _ = write!(printer.out, " WITH {}", words.join(", "));
    }
}

fn set_option(printer: &mut Printer, option: &SetOption) {
    printer.text("SET ");
    let names: Vec<&str> = option.names.iter().map(String::as_str).collect();
    let first = names.first().and_then(|name| name.strip_prefix("STATISTICS "));
    match first {
        Some(first) => {
            let rest = names[1..].iter().map(|name| name.trim_start_matches("STATISTICS "));
            let list: Vec<&str> = std::iter::once(first).chain(rest).collect();
            let _ = write!(printer.out, "STATISTICS {}", list.join(", "));
        }
        None => printer.text(&names.join(", ")),
    }
    match &option.value {
        SetValue::On => printer.text(" ON"),
        SetValue::Off => printer.text(" OFF"),
        SetValue::Words(words) => {
            let _ = write!(printer.out, " {words}");
        }
        SetValue::Expr(value) => printer.keyed_expr(" ", Some(value)),
    }
}

fn server_statement(printer: &mut Printer, kind: &StatementKind) {
    match kind {
        StatementKind::Truncate { table, partitions } => {
            printer.text("TRUNCATE TABLE ");
            printer.name(table);
            for (at, range) in partitions.iter().enumerate() {
                printer.keyed_expr(if at == 0 { " WITH (PARTITIONS (" } else { ", " }, Some(&range.first));
                printer.keyed_expr(" TO ", range.last.as_ref());
            }
            printer.text(if partitions.is_empty() { "" } else { "))" });
        }
        StatementKind::CreateTable { name, definition } => {
            printer.text("CREATE TABLE ");
            printer.name(name);
            printer.text(" ");
            definition::table_definition(printer, definition);
        }
        StatementKind::DropTable { names, if_exists } => {
            printer.text(if *if_exists { "DROP TABLE IF EXISTS " } else { "DROP TABLE " });
            printer.list(names, ", ", Printer::name);
        }
        StatementKind::Use(name) => printer.worded("USE", name),
        StatementKind::BeginTransaction { name, mark } => {
            transaction(printer, "BEGIN TRANSACTION", name.as_deref());
            if let Some(mark) = mark {
                printer.text(" WITH MARK ");
                printer.string(mark);
            }
        }
        StatementKind::Commit { name, delayed_durability } => {
            transaction(printer, if name.is_some() { "COMMIT TRANSACTION" } else { "COMMIT" }, name.as_deref());
            printer.text(match delayed_durability {
                None => "",
                Some(true) => " WITH (DELAYED_DURABILITY = ON)",
                Some(false) => " WITH (DELAYED_DURABILITY = OFF)",
            });
        }
        StatementKind::Rollback(name) => transaction(printer, "ROLLBACK TRANSACTION", name.as_deref()),
        StatementKind::Save(name) => transaction(printer, "SAVE TRANSACTION", Some(name)),
        StatementKind::Execute(execute) => execute::procedure(printer, execute),
        StatementKind::ExecuteText(execute) => execute::text(printer, execute),
        StatementKind::Dbcc { command, args, options } => {
            let _ = write!(printer.out, "DBCC {command}");
            if !args.is_empty() {
                printer.text(" (");
                printer.exprs(args);
                printer.text(")");
            }
            with_words(printer, options);
        }
        StatementKind::Checkpoint(duration) => {
            printer.text("CHECKPOINT");
            printer.keyed_expr(" ", duration.as_ref());
        }
        StatementKind::Reconfigure { with_override } => {
            printer.text(if *with_override { "RECONFIGURE WITH OVERRIDE" } else { "RECONFIGURE" });
        }
        StatementKind::Shutdown { nowait } => printer.text(if *nowait { "SHUTDOWN WITH NOWAIT" } else { "SHUTDOWN" }),
        StatementKind::Kill(kill) => killed(printer, kill),
        other => definition(printer, other),
    }
}

fn killed(printer: &mut Printer, kill: &Kill) {
    match kill {
        Kill::Work { what, option } => {
            printer.keyed_expr("KILL ", Some(what));
            printer.text(match option {
                None => "",
                Some(KillOption::StatusOnly) => " WITH STATUSONLY",
                Some(KillOption::Commit) => " WITH COMMIT",
                Some(KillOption::Rollback) => " WITH ROLLBACK",
            });
        }
        Kill::StatsJob(job) => printer.keyed_expr("KILL STATS JOB ", Some(job)),
        Kill::Subscription(None) => printer.text("KILL QUERY NOTIFICATION SUBSCRIPTION ALL"),
        Kill::Subscription(which) => printer.keyed_expr("KILL QUERY NOTIFICATION SUBSCRIPTION ", which.as_ref()),
    }
}

fn definition(printer: &mut Printer, kind: &StatementKind) {
    match kind {
        StatementKind::AlterTable(alter) => definition::alter_table(printer, alter),
        StatementKind::CreateIndex(create) => definition::create_index(printer, create),
        StatementKind::AlterIndex(alter) => definition::alter_index(printer, alter),
        StatementKind::DropIndex { indexes, if_exists } => {
            printer.text(if *if_exists { "DROP INDEX IF EXISTS " } else { "DROP INDEX " });
            printer.list(indexes, ", ", definition::drop_index);
        }
        StatementKind::CreateStatistics(create) => definition::create_statistics(printer, create),
        StatementKind::UpdateStatistics(update) => definition::update_statistics(printer, update),
        StatementKind::CreateSchema { name, owner, elements } => {
            printer.text("CREATE SCHEMA");
            for (words, name) in [("", name), (" AUTHORIZATION", owner)] {
                if let Some(name) = name {
                    printer.worded(words, name);
                }
            }
            for element in elements {
                printer.text(" ");
                statement_kind(printer, &element.kind);
            }
        }
        StatementKind::AlterSchema { name, class, object } => {
            printer.worded("ALTER SCHEMA", name);
            printer.text(" TRANSFER ");
            module::class(printer, class.as_deref());
            printer.name(object);
        }
        StatementKind::AlterAuthorization { class, object, owner } => {
            printer.text("ALTER AUTHORIZATION ON ");
            module::class(printer, class.as_deref());
            printer.name(object);
            match owner {
                Some(owner) => printer.worded(" TO", owner),
                None => printer.text(" TO SCHEMA OWNER"),
            }
        }
        StatementKind::Sequence(sequence) => module::sequence(printer, sequence),
        StatementKind::Partition(statement) => partition::partition(printer, statement),
        StatementKind::CreateType(create) => module::create_type(printer, create),
        StatementKind::CreateBound(create) => module::create_bound(printer, create),
        StatementKind::CreateSynonym { name, object } => {
            printer.text("CREATE SYNONYM ");
            printer.name(name);
            printer.text(" FOR ");
            printer.name(object);
        }
        StatementKind::Drop(drop) => module::drop_objects(printer, drop),
        StatementKind::TriggerSwitch(switch) => module::trigger_switch(printer, switch),
        StatementKind::Principal(principal) => module::principal(printer, principal),
        StatementKind::Permission(permission) => module::permission(printer, permission),
        other => other_statement(printer, other),
    }
}

fn other_statement(printer: &mut Printer, kind: &StatementKind) {
    match kind {
        StatementKind::InsertBulk(insert) => dml::insert_bulk(printer, insert),
        StatementKind::BulkInsert(insert) => dml::bulk_insert(printer, insert),
        StatementKind::ExecuteAs(execute) => module::execute_as(printer, execute),
        StatementKind::Revert(revert) => {
            printer.text("REVERT");
            printer.keyed_expr(" WITH COOKIE = ", revert.cookie.as_ref());
        }
        StatementKind::SetUser(set) => {
            printer.text("SETUSER");
            printer.keyed_expr(" ", set.user.as_ref());
            printer.text(if set.no_reset { " WITH NORESET" } else { "" });
        }
        StatementKind::DeclareCursor(declare) => {
            printer.worded("DECLARE", &declare.name);
            printer.text(" ");
            module::cursor_definition(printer, &declare.cursor);
        }
        StatementKind::SetCursor { variable, cursor } => {
            let _ = write!(printer.out, "SET {variable} = ");
            module::cursor_definition(printer, cursor);
        }
        StatementKind::OpenCursor(cursor) => module::cursor_name(printer, "OPEN", cursor),
        StatementKind::Fetch(fetch) => module::fetch(printer, fetch),
        StatementKind::CloseCursor(cursor) => module::cursor_name(printer, "CLOSE", cursor),
        StatementKind::DeallocateCursor(cursor) => module::cursor_name(printer, "DEALLOCATE", cursor),
        StatementKind::CreateDatabase(create) => database::create_database(printer, create),
        StatementKind::AlterDatabase { database, action } => database::alter_database(printer, database, action),
        StatementKind::ScopedConfiguration(configuration) => database::scoped_configuration(printer, configuration),
        StatementKind::Backup(backup) => database::backup(printer, backup),
        StatementKind::Restore(restore) => database::restore(printer, restore),
        StatementKind::WorkloadGroup(group) => database::workload_group(printer, group),
        StatementKind::ResourcePool(pool) => database::resource_pool(printer, pool),
        StatementKind::ResourceGovernor(action) => database::resource_governor(printer, action),
        StatementKind::EventSession(session) => event_session::event_session(printer, session),
        StatementKind::ServerConfiguration(configuration) => server_configuration(printer, configuration),
        _ => {}
    }
}

fn server_configuration(printer: &mut Printer, configuration: &ServerConfiguration) {
    printer.out.push_str("ALTER SERVER CONFIGURATION SET ");
    match configuration {
        ServerConfiguration::Other(words) => printer.out.push_str(words),
        ServerConfiguration::BufferPoolExtension(None) => printer.out.push_str("BUFFER POOL EXTENSION OFF"),
        ServerConfiguration::BufferPoolExtension(Some(extension)) => {
            let filename = extension.filename.replace('\'', "''");
            let size_kb = extension.size_kb;
            let _ = write!(printer.out, "BUFFER POOL EXTENSION ON (FILENAME = '{filename}', SIZE = {size_kb} KB)");
        }
    }
}

fn transaction(printer: &mut Printer, words: &str, name: Option<&str>) {
    match name {
        Some(name) => printer.worded_variable(words, name),
        None => printer.text(words),
    }
}
