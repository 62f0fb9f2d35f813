//! The tree as T-SQL again, in one spelling: names in brackets, every operation in parentheses, one statement on a line.
//! What is printed parses to the same tree; [`StatementKind::Unsupported`], which keeps no tree, prints as a comment.
//! For tests, logs and people; not for clients.

mod catalog_form;
mod database;
mod definition;
mod dml;
mod event_session;
mod execute;
mod expression;
mod module;
mod option;
mod partition;
mod query;
mod statement;

pub use catalog_form::{CatalogForm, catalog_form};

use crate::ast::{Batch, EventPredicate, EventSession, Expr, Ident, ObjectName, Query, Statement};

#[cfg(doc)]
use crate::ast::StatementKind;

/// A batch, one statement on a line, the statements inside another one indented.
pub fn batch(batch: &Batch) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, lines: false };
    statement::statements(&mut printer, &batch.statements);
    printer.out
}

/// The same with each statement's line number before it.
pub fn batch_with_lines(batch: &Batch) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, lines: true };
    statement::statements(&mut printer, &batch.statements);
    printer.out
}

/// One expression.
pub fn expression(expr: &Expr) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, lines: false };
    expression::expr(&mut printer, expr);
    printer.out
}

/// A statement about a session of extended events.
#[must_use]
pub fn event_session(session: &EventSession) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, lines: false };
    event_session::event_session(&mut printer, session);
    printer.out
}

/// The predicate of an event.
#[must_use]
pub fn event_predicate(predicate: &EventPredicate) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, lines: false };
    event_session::predicate(&mut printer, predicate);
    printer.out
}

/// A name in brackets: `[a]]b]`.
#[must_use]
pub fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// A string as a literal of Unicode: `N'it''s'`.
#[must_use]
pub fn unicode_literal(text: &str) -> String {
    format!("N{}", quoted(text))
}

/// A string as a literal. A backslash before a line end would join the lines; a second one, joined to nothing, keeps it.
fn quoted(text: &str) -> String {
    let text = text.replace('\'', "''");
    format!("'{}'", text.replace("\\\n", "\\\\\n\n").replace("\\\r\n", "\\\\\n\r\n"))
}

/// What is printed so far. What prints a form of the tree is a function of the file of that form.
struct Printer {
    out: String,
    /// Blocks around the current place.
    indent: usize,
    /// Each statement has its line number before it.
    lines: bool,
}

/// Building blocks.
impl Printer {
    /// Text as it is.
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// A name that is no variable, whatever it begins with.
    fn ident(&mut self, name: &str) {
        self.text(&bracketed(name));
    }

    /// A name, or a variable in its place; a quoted name may begin like a variable without being one.
    fn ident_or_variable(&mut self, name: &str) {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '@' | '#' | '$' | '_');
        if name.starts_with('@') && name.chars().all(is_plain) { self.text(name) } else { self.ident(name) }
    }

    /// The name of a column.
    fn column_name(&mut self, name: &ObjectName) {
        self.list(&name.parts, ".", |printer, part| {
            if !part.is_empty() {
                printer.ident(part);
            }
        });
    }

    /// The name of an object, whose first part may be a variable.
    fn name(&mut self, name: &ObjectName) {
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

    /// A string as a literal.
    pub(super) fn string(&mut self, text: &str) {
        self.out.push_str(&quoted(text));
    }

    /// Items with a separator between two of them.
    fn list<T>(&mut self, items: &[T], separator: &str, mut print: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.text(separator);
            }
            print(self, item);
        }
    }

    /// Words and a name.
    fn worded(&mut self, words: &str, name: &str) {
        self.text(words);
        self.text(" ");
        self.ident(name);
    }

    /// The same where a variable may stand for the name.
    fn worded_variable(&mut self, words: &str, name: &str) {
        self.text(words);
        self.text(" ");
        self.ident_or_variable(name);
    }

    /// The beginning of another line of a statement: END, ELSE.
    fn line(&mut self, text: &str) {
        if self.lines {
            self.text("-: ");
        }
        for _ in 0..self.indent {
            self.text("  ");
        }
        self.text(text);
    }

    /// `(a, b)`
    fn idents(&mut self, names: &[Ident]) {
        self.text("(");
        self.list(names, ", ", |printer, name| printer.ident(name));
        self.text(")");
    }

    /// Expressions with commas between.
    fn exprs(&mut self, exprs: &[Expr]) {
        self.list(exprs, ", ", Self::expr);
    }

    /// A keyword and the expression after it, if there is one.
    fn keyed_expr(&mut self, keyword: &str, expr: Option<&Expr>) {
        if let Some(expr) = expr {
            self.text(keyword);
            self.expr(expr);
        }
    }
}

/// Where the tree enters itself: expressions hold queries and queries hold expressions, statements hold statements.
impl Printer {
    /// The statements inside of another.
    fn indented(&mut self, statements: &[Statement]) {
        self.text("\n");
        self.indent += 1;
        statement::statements(self, statements);
        self.indent -= 1;
    }

    /// An expression.
    fn expr(&mut self, expr: &Expr) {
        expression::expr(self, expr)
    }

    /// A query with its common table expressions.
    fn query(&mut self, query: &Query) {
        query::query(self, query)
    }
}
