//! Statements other than queries and changes of data.

use std::fmt::Write;

use super::Printer;
use crate::ast::{Execute, Expr, SetOption, SetValue, Statement, StatementKind};

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
            StatementKind::BeginTransaction(name) => self.transaction("BEGIN TRANSACTION", name.as_deref()),
            StatementKind::Commit => self.text("COMMIT"),
            StatementKind::Rollback(name) => self.transaction("ROLLBACK TRANSACTION", name.as_deref()),
            StatementKind::Save(name) => self.transaction("SAVE TRANSACTION", Some(name)),
            StatementKind::Execute(execute) => self.execute(execute),
            StatementKind::ExecuteText(parts) => {
                self.text("EXEC (");
                self.list(parts, " + ", Self::expr);
                self.text(")");
            }
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
            StatementKind::AlterDatabase { database, action } => self.alter_database(database, action),
            StatementKind::Reconfigure { with_override } => {
                self.text(if *with_override { "RECONFIGURE WITH OVERRIDE" } else { "RECONFIGURE" });
            }
            StatementKind::Shutdown { nowait } => self.text(if *nowait { "SHUTDOWN WITH NOWAIT" } else { "SHUTDOWN" }),
            StatementKind::Kill(session) => self.keyed_expr("KILL ", Some(session)),
            _ => {}
        }
    }

    pub(super) fn transaction(&mut self, words: &str, name: Option<&str>) {
        match name {
            Some(name) => self.worded(words, name),
            None => self.text(words),
        }
    }

    pub(super) fn execute(&mut self, execute: &Execute) {
        self.text("EXEC ");
        if let Some(variable) = &execute.return_into {
            let _ = write!(self.out, "{variable} = ");
        }
        self.name(&execute.procedure);
        self.text(if execute.args.is_empty() { "" } else { " " });
        self.list(&execute.args, ", ", |printer, arg| {
            if let Some(name) = &arg.name {
                let _ = write!(printer.out, "{name} = ");
            }
            printer.expr(&arg.value);
            printer.text(if arg.output { " OUTPUT" } else { "" });
        });
    }
}
