//! INSERT, UPDATE, DELETE.

use super::Printer;
use super::query::assign_sign;
use crate::ast::{Delete, Insert, InsertSource, Output, Update};

/// INSERT, UPDATE, DELETE.
impl Printer {
    pub(super) fn insert(&mut self, insert: &Insert) {
        if let InsertSource::Query(query) = &insert.source {
            self.ctes(&query.ctes);
        }
        self.text("INSERT ");
        self.top(insert.top.as_ref());
        self.text("INTO ");
        self.name(&insert.table);
        self.hints(&insert.hints);
        if !insert.columns.is_empty() {
            self.text(" ");
            self.idents(&insert.columns);
        }
        self.output(insert.output.as_ref());
        self.text(" ");
        match &insert.source {
            InsertSource::Values(rows) => self.values(rows),
            InsertSource::Query(query) => self.query_without_ctes(query),
            InsertSource::DefaultValues => self.text("DEFAULT VALUES"),
            InsertSource::Execute(statement) => self.statement_kind(&statement.kind),
        }
    }

    pub(super) fn output(&mut self, output: Option<&Output>) {
        let Some(output) = output else { return };
        self.text(" OUTPUT ");
        self.list(&output.items, ", ", Self::select_item);
        if let Some((table, columns)) = &output.into {
            self.text(" INTO ");
            self.name(table);
            if !columns.is_empty() {
                self.text(" ");
                self.idents(columns);
            }
        }
    }

    pub(super) fn update(&mut self, update: &Update) {
        self.text("UPDATE ");
        self.top(update.top.as_ref());
        self.name(&update.table);
        self.hints(&update.hints);
        self.text(" SET ");
        self.list(&update.set, ", ", |printer, set| {
            if let Some(variable) = &set.variable {
                printer.text(variable);
                printer.text(if set.column.is_some() { " = " } else { " " });
            }
            if let Some(column) = &set.column {
                printer.name(column);
                printer.text(" ");
            }
            printer.text(assign_sign(set.op));
            printer.keyed_expr(" ", Some(&set.value));
        });
        self.output(update.output.as_ref());
        self.from(&update.from);
        self.keyed_expr(" WHERE ", update.filter.as_ref());
    }

    pub(super) fn delete(&mut self, delete: &Delete) {
        self.text("DELETE ");
        self.top(delete.top.as_ref());
        self.text("FROM ");
        self.name(&delete.table);
        self.hints(&delete.hints);
        self.output(delete.output.as_ref());
        self.from(&delete.from);
        self.keyed_expr(" WHERE ", delete.filter.as_ref());
    }
}
