//! The tree as T-SQL again, in one spelling: names in brackets, every operation in parentheses, one statement on a line.
//! What is printed parses to the same tree; [`StatementKind::Unsupported`], which keeps no tree, prints as a comment.
//! For tests, logs and people; not for clients.

mod database;
mod definition;
mod dml;
mod expression;
mod module;
mod query;
mod statement;

use std::fmt::Write;

use crate::ast::{Batch, Expr, Ident, ObjectName, OptionValue};

#[cfg(doc)]
use crate::ast::StatementKind;

/// A batch, one statement on a line, the statements inside another one indented.
pub fn batch(batch: &Batch) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, lines: false };
    printer.statements(&batch.statements);
    printer.out
}

/// The same with each statement's line number before it.
pub fn batch_with_lines(batch: &Batch) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, lines: true };
    printer.statements(&batch.statements);
    printer.out
}

/// One expression.
pub fn expression(expr: &Expr) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, lines: false };
    printer.expr(expr);
    printer.out
}

/// A string as a literal. A backslash before a line end would join the lines; a second one, joined to nothing, keeps it.
fn quoted(text: &str) -> String {
    let text = text.replace('\'', "''");
    format!("'{}'", text.replace("\\\n", "\\\\\n\n").replace("\\\r\n", "\\\\\n\r\n"))
}

struct Printer {
    out: String,
    indent: usize,
    lines: bool,
}

/// Building blocks.
impl Printer {
    pub(super) fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// A name that is no variable, whatever it begins with.
    pub(super) fn ident(&mut self, name: &str) {
        self.out.push('[');
        self.text(&name.replace(']', "]]"));
        self.out.push(']');
    }

    /// A name, or a variable in its place; a quoted name may begin like a variable without being one.
    pub(super) fn ident_or_variable(&mut self, name: &str) {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '@' | '#' | '$' | '_');
        if name.starts_with('@') && name.chars().all(is_plain) { self.text(name) } else { self.ident(name) }
    }

    /// The name of a column.
    pub(super) fn column_name(&mut self, name: &ObjectName) {
        self.list(&name.parts, ".", |printer, part| {
            if !part.is_empty() {
                printer.ident(part);
            }
        });
    }

    /// The name of an object, whose first part may be a variable.
    pub(super) fn name(&mut self, name: &ObjectName) {
        let mut first = true;
        self.list(&name.parts, ".", |printer, part| {
            let is_first = std::mem::take(&mut first);
            match part.is_empty() {
                true => {}
                false if is_first => printer.ident_or_variable(part),
                false => printer.ident(part),
            }
        });
    }

    pub(super) fn string(&mut self, text: &str) {
        self.out.push_str(&quoted(text));
    }

    pub(super) fn list<T>(&mut self, items: &[T], separator: &str, mut print: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.text(separator);
            }
            print(self, item);
        }
    }

    pub(super) fn idents(&mut self, names: &[Ident]) {
        self.text("(");
        self.list(names, ", ", |printer, name| printer.ident(name));
        self.text(")");
    }

    pub(super) fn exprs(&mut self, exprs: &[Expr]) {
        self.list(exprs, ", ", Self::expr);
    }

    pub(super) fn option_value(&mut self, value: &OptionValue) {
        match value {
            OptionValue::None => {}
            OptionValue::On => self.text(" = ON"),
            OptionValue::Off => self.text(" = OFF"),
            OptionValue::Words(words) => {
                let _ = write!(self.out, " = {words}");
            }
            OptionValue::Name(name) => {
                self.text(" = ");
                self.name(name);
            }
            OptionValue::Constant(value) => self.keyed_expr(" = ", Some(value)),
            OptionValue::Quantity { amount, unit } => {
                self.keyed_expr(" = ", Some(amount));
                let _ = write!(self.out, " {unit}");
            }
        }
    }

    pub(super) fn keyed_expr(&mut self, keyword: &str, expr: Option<&Expr>) {
        if let Some(expr) = expr {
            self.text(keyword);
            self.expr(expr);
        }
    }
}
