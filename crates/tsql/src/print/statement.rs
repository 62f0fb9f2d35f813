//! Statements other than queries and changes of data.

use std::fmt::Write;

use super::Printer;
use crate::ast::{
    Execute, ExecuteArg, ExecuteText, Expr, ResultColumn, ResultSets, ServerConfiguration, SetOption, SetValue,
    Statement, StatementKind,
};

/// Statements.
impl Printer {
    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        if self.lines {
            let _ = write!(self.out, "{}: ", statement.span.line);
        }
        for _ in 0..self.indent {
            self.text("  ");
        }
        self.statement_kind(&statement.kind);
        if !self.out.ends_with('\n') {
            self.text(";\n");
        }
    }

    pub(super) fn indented(&mut self, statements: &[Statement]) {
        self.text("\n");
        self.indent += 1;
        self.statements(statements);
        self.indent -= 1;
    }

    pub(super) fn line(&mut self, text: &str) {
        if self.lines {
            self.text("-: ");
        }
        for _ in 0..self.indent {
            self.text("  ");
        }
        self.text(text);
    }

    pub(super) fn statement_kind(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Block(body) => {
                self.text("BEGIN");
                self.indented(body);
                self.line("END;\n");
            }
            StatementKind::If { condition, then, otherwise } => self.if_(condition, then, otherwise.as_deref()),
            StatementKind::While { condition, body } => {
                self.text("WHILE ");
                self.expr(condition);
                self.indented(std::slice::from_ref(body));
            }
            StatementKind::TryCatch { body, handler } => {
                self.text("BEGIN TRY");
                self.indented(body);
                self.line("END TRY BEGIN CATCH");
                self.indented(handler);
                self.line("END CATCH;\n");
            }
            StatementKind::Break => self.text("BREAK"),
            StatementKind::Continue => self.text("CONTINUE"),
            StatementKind::Return(value) => {
                self.text("RETURN");
                self.keyed_expr(" ", value.as_ref());
            }
            StatementKind::Goto(label) => self.worded("GOTO", label),
            StatementKind::Label(label) => {
                let _ = writeln!(self.out, "{label}:");
            }
            StatementKind::Select(select) => self.query(&select.query),
            StatementKind::Insert(insert) => self.insert(insert),
            StatementKind::Update(update) => self.update(update),
            StatementKind::Delete(delete) => self.delete(delete),
            StatementKind::Merge(merge) => self.merge(merge),
            StatementKind::Module(module) => self.module(module),
            StatementKind::Atomic { options, body } => {
                self.enclosed_options("BEGIN ATOMIC WITH ", options);
                self.indented(body);
                self.line("END;\n");
            }
            StatementKind::Unsupported(words) => {
                let _ = writeln!(self.out, "/* unsupported: {words} */");
            }
            other => self.flat_statement(other),
        }
    }

    pub(super) fn worded(&mut self, words: &str, name: &str) {
        self.text(words);
        self.text(" ");
        self.ident(name);
    }

    /// The same where a variable may stand for the name.
    pub(super) fn worded_variable(&mut self, words: &str, name: &str) {
        self.text(words);
        self.text(" ");
        self.ident_or_variable(name);
    }

    /// `ELSE` follows its branch's semicolon.
    pub(super) fn if_(&mut self, condition: &Expr, then: &Statement, otherwise: Option<&Statement>) {
        self.text("IF ");
        self.expr(condition);
        self.indented(std::slice::from_ref(then));
        if let Some(otherwise) = otherwise {
            self.line("ELSE");
            self.indented(std::slice::from_ref(otherwise));
        }
    }

    pub(super) fn flat_statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::WaitForDelay(value) => self.keyed_expr("WAITFOR DELAY ", Some(value)),
            StatementKind::WaitForTime(value) => self.keyed_expr("WAITFOR TIME ", Some(value)),
            StatementKind::Print(value) => self.keyed_expr("PRINT ", Some(value)),
            StatementKind::RaiseError { message, severity, state, args, options } => {
                self.text("RAISERROR (");
                self.list(&[message, severity, state], ", ", |printer, expr| printer.expr(expr));
                args.iter().for_each(|arg| self.keyed_expr(", ", Some(arg)));
                self.text(")");
                self.with_words(options);
            }
            StatementKind::Throw(None) => self.text("THROW"),
            StatementKind::Throw(Some((number, message, state))) => {
                self.text("THROW ");
                self.list(&[number, message, state], ", ", |printer, expr| printer.expr(expr));
            }
            StatementKind::Declare(variables) => {
                self.text("DECLARE ");
                self.list(variables, ", ", |printer, variable| {
                    printer.text(&variable.name);
                    printer.text(" ");
                    printer.data_type(&variable.data_type);
                    printer.keyed_expr(" = ", variable.value.as_ref());
                });
            }
            StatementKind::DeclareTable { name, definition } => {
                let _ = write!(self.out, "DECLARE {name} TABLE ");
                self.table_definition(definition);
            }
            StatementKind::SetVariable(assignment) => {
                self.text("SET ");
                self.assignment(assignment);
            }
            StatementKind::SetOption(option) => self.set_option(option),
            other => self.server_statement(other),
        }
    }

    pub(super) fn with_words(&mut self, words: &[String]) {
        if !words.is_empty() {
            let _ = write!(self.out, " WITH {}", words.join(", "));
        }
    }

    pub(super) fn set_option(&mut self, option: &SetOption) {
        self.text("SET ");
        let names: Vec<&str> = option.names.iter().map(String::as_str).collect();
        let first = names.first().and_then(|name| name.strip_prefix("STATISTICS "));
        match first {
            Some(first) => {
                let rest = names[1..].iter().map(|name| name.trim_start_matches("STATISTICS "));
                let list: Vec<&str> = std::iter::once(first).chain(rest).collect();
                let _ = write!(self.out, "STATISTICS {}", list.join(", "));
            }
            None => self.text(&names.join(", ")),
        }
        match &option.value {
            SetValue::On => self.text(" ON"),
            SetValue::Off => self.text(" OFF"),
            SetValue::Words(words) => {
                let _ = write!(self.out, " {words}");
            }
            SetValue::Expr(value) => self.keyed_expr(" ", Some(value)),
        }
    }

    pub(super) fn server_statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Truncate(name) => {
                self.text("TRUNCATE TABLE ");
                self.name(name);
            }
            StatementKind::CreateTable { name, definition } => {
                self.text("CREATE TABLE ");
                self.name(name);
                self.text(" ");
                self.table_definition(definition);
            }
            StatementKind::DropTable { names, if_exists } => {
                self.text(if *if_exists { "DROP TABLE IF EXISTS " } else { "DROP TABLE " });
                self.list(names, ", ", Self::name);
            }
            StatementKind::Use(name) => self.worded("USE", name),
            StatementKind::BeginTransaction { name, mark } => {
                self.transaction("BEGIN TRANSACTION", name.as_deref());
                if let Some(mark) = mark {
                    self.text(" WITH MARK ");
                    self.string(mark);
                }
            }
            StatementKind::Commit { name, delayed_durability } => {
                self.transaction(if name.is_some() { "COMMIT TRANSACTION" } else { "COMMIT" }, name.as_deref());
                self.text(match delayed_durability {
                    None => "",
                    Some(true) => " WITH (DELAYED_DURABILITY = ON)",
                    Some(false) => " WITH (DELAYED_DURABILITY = OFF)",
                });
            }
            StatementKind::Rollback(name) => self.transaction("ROLLBACK TRANSACTION", name.as_deref()),
            StatementKind::Save(name) => self.transaction("SAVE TRANSACTION", Some(name)),
            StatementKind::Execute(execute) => self.execute(execute),
            StatementKind::ExecuteText(execute) => self.execute_text(execute),
            StatementKind::Dbcc { command, args, options } => {
                let _ = write!(self.out, "DBCC {command}");
                if !args.is_empty() {
                    self.text(" (");
                    self.exprs(args);
                    self.text(")");
                }
                self.with_words(options);
            }
            StatementKind::Checkpoint(duration) => {
                self.text("CHECKPOINT");
                self.keyed_expr(" ", duration.as_ref());
            }
            StatementKind::Reconfigure { with_override } => {
                self.text(if *with_override { "RECONFIGURE WITH OVERRIDE" } else { "RECONFIGURE" });
            }
            StatementKind::Shutdown { nowait } => self.text(if *nowait { "SHUTDOWN WITH NOWAIT" } else { "SHUTDOWN" }),
            StatementKind::Kill(session) => self.keyed_expr("KILL ", Some(session)),
            other => self.definition(other),
        }
    }

    fn definition(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::AlterTable(alter) => self.alter_table(alter),
            StatementKind::CreateIndex(create) => self.create_index(create),
            StatementKind::AlterIndex(alter) => self.alter_index(alter),
            StatementKind::DropIndex { indexes, if_exists } => {
                self.text(if *if_exists { "DROP INDEX IF EXISTS " } else { "DROP INDEX " });
                self.list(indexes, ", ", Self::drop_index);
            }
            StatementKind::CreateStatistics(create) => self.create_statistics(create),
            StatementKind::UpdateStatistics(update) => self.update_statistics(update),
            StatementKind::CreateSchema { name, owner } => {
                self.text("CREATE SCHEMA");
                for (words, name) in [("", name), (" AUTHORIZATION", owner)] {
                    if let Some(name) = name {
                        self.worded(words, name);
                    }
                }
            }
            StatementKind::AlterSchema { name, class, object } => {
                self.worded("ALTER SCHEMA", name);
                self.text(" TRANSFER ");
                self.class(class.as_deref());
                self.name(object);
            }
            StatementKind::AlterAuthorization { class, object, owner } => {
                self.text("ALTER AUTHORIZATION ON ");
                self.class(class.as_deref());
                self.name(object);
                match owner {
                    Some(owner) => self.worded(" TO", owner),
                    None => self.text(" TO SCHEMA OWNER"),
                }
            }
            StatementKind::Sequence(sequence) => self.sequence(sequence),
            StatementKind::CreateType(create) => self.create_type(create),
            StatementKind::CreateSynonym { name, object } => {
                self.text("CREATE SYNONYM ");
                self.name(name);
                self.text(" FOR ");
                self.name(object);
            }
            StatementKind::Drop(drop) => self.drop_objects(drop),
            StatementKind::TriggerSwitch(switch) => self.trigger_switch(switch),
            StatementKind::Principal(principal) => self.principal(principal),
            StatementKind::Permission(permission) => self.permission(permission),
            other => self.rest(other),
        }
    }

    fn rest(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::InsertBulk(insert) => self.insert_bulk(insert),
            StatementKind::BulkInsert(insert) => self.bulk_insert(insert),
            StatementKind::ExecuteAs(execute) => self.execute_as(execute),
            StatementKind::Revert(revert) => {
                self.text("REVERT");
                self.keyed_expr(" WITH COOKIE = ", revert.cookie.as_ref());
            }
            StatementKind::DeclareCursor(declare) => {
                self.worded("DECLARE", &declare.name);
                self.text(" ");
                self.cursor_definition(&declare.cursor);
            }
            StatementKind::SetCursor { variable, cursor } => {
                let _ = write!(self.out, "SET {variable} = ");
                self.cursor_definition(cursor);
            }
            StatementKind::OpenCursor(cursor) => self.cursor_name("OPEN", cursor),
            StatementKind::Fetch(fetch) => self.fetch(fetch),
            StatementKind::CloseCursor(cursor) => self.cursor_name("CLOSE", cursor),
            StatementKind::DeallocateCursor(cursor) => self.cursor_name("DEALLOCATE", cursor),
            StatementKind::CreateDatabase(create) => self.create_database(create),
            StatementKind::AlterDatabase { database, action } => self.alter_database(database, action),
            StatementKind::ScopedConfiguration(configuration) => self.scoped_configuration(configuration),
            StatementKind::Backup(backup) => self.backup(backup),
            StatementKind::Restore(restore) => self.restore(restore),
            StatementKind::WorkloadGroup(group) => self.workload_group(group),
            StatementKind::ResourcePool(pool) => self.resource_pool(pool),
            StatementKind::ResourceGovernor(action) => self.resource_governor(action),
            StatementKind::ServerConfiguration(configuration) => self.server_configuration(configuration),
            _ => {}
        }
    }

    fn server_configuration(&mut self, configuration: &ServerConfiguration) {
        self.out.push_str("ALTER SERVER CONFIGURATION SET ");
        match configuration {
            ServerConfiguration::Other(words) => self.out.push_str(words),
            ServerConfiguration::BufferPoolExtension(None) => self.out.push_str("BUFFER POOL EXTENSION OFF"),
            ServerConfiguration::BufferPoolExtension(Some(extension)) => {
                let filename = extension.filename.replace('\'', "''");
                let size_kb = extension.size_kb;
                let _ = write!(self.out, "BUFFER POOL EXTENSION ON (FILENAME = '{filename}', SIZE = {size_kb} KB)");
            }
        }
    }

    pub(super) fn transaction(&mut self, words: &str, name: Option<&str>) {
        match name {
            Some(name) => self.worded_variable(words, name),
            None => self.text(words),
        }
    }

    pub(super) fn execute(&mut self, execute: &Execute) {
        self.text("EXEC ");
        if let Some(variable) = &execute.return_into {
            let _ = write!(self.out, "{variable} = ");
        }
        self.name(&execute.procedure);
        if let Some(number) = execute.number {
            let _ = write!(self.out, ";{number}");
        }
        self.text(if execute.args.is_empty() { "" } else { " " });
        self.list(&execute.args, ", ", Self::execute_argument);
        self.text(if execute.recompile { " WITH RECOMPILE" } else { "" });
        self.result_sets(&execute.result_sets, execute.recompile);
        if let Some(server) = &execute.at {
            self.worded(" AT", server);
        }
    }

    fn execute_argument(&mut self, arg: &ExecuteArg) {
        if let Some(name) = &arg.name {
            let _ = write!(self.out, "{name} = ");
        }
        self.expr(&arg.value);
        self.text(if arg.output { " OUTPUT" } else { "" });
    }

    fn result_sets(&mut self, sets: &ResultSets, again: bool) {
        let words = if again { ", RESULT SETS " } else { " WITH RESULT SETS " };
        match sets {
            ResultSets::Undefined => {}
            ResultSets::None => {
                let _ = write!(self.out, "{words}NONE");
            }
            ResultSets::Sets(sets) => {
                self.text(words);
                self.text("(");
                self.list(sets, ", ", |printer, set| {
                    printer.text("(");
                    printer.list(set, ", ", Self::result_column);
                    printer.text(")");
                });
                self.text(")");
            }
        }
    }

    fn result_column(&mut self, column: &ResultColumn) {
        self.ident(&column.name);
        self.text(" ");
        self.data_type(&column.data_type);
        self.collation(column.collation.as_deref());
        self.nullability(column.nullable);
    }

    pub(super) fn execute_text(&mut self, execute: &ExecuteText) {
        self.text("EXEC (");
        self.list(&execute.parts, " + ", Self::expr);
        for arg in &execute.args {
            self.text(", ");
            self.execute_argument(arg);
        }
        self.text(")");
        if let Some(context) = &execute.as_principal {
            self.text(" AS ");
            self.context(context);
        }
        if let Some(server) = &execute.at {
            self.worded(" AT", server);
        }
    }
}
