//! INSERT, UPDATE, DELETE.

use super::Printer;
use super::query::assign_sign;
use crate::ast::{
    BulkInsert, ChangedRows, CursorName, Delete, Insert, InsertBulk, InsertSource, Merge, MergeAction, MergeBranch,
    MergeWhen, NestedChange, Output, Update, UpdateSet,
};

/// INSERT, UPDATE, DELETE.
impl Printer {
    pub(super) fn insert(&mut self, insert: &Insert) {
        self.ctes(&insert.ctes);
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
        self.output(&insert.output);
        self.text(" ");
        match &insert.source {
            InsertSource::Values(rows) => self.values(rows),
            InsertSource::Query(query) => self.query_without_ctes(query),
            InsertSource::DefaultValues => self.text("DEFAULT VALUES"),
            InsertSource::Execute(execute) => self.execute(execute),
            InsertSource::ExecuteText(execute) => self.execute_text(execute),
            InsertSource::Changes(changed) => self.changed_rows(changed),
        }
        self.query_options(&insert.options);
    }

    fn changed_rows(&mut self, changed: &ChangedRows) {
        self.text("SELECT ");
        self.list(&changed.items, ", ", Self::select_item);
        self.text(" FROM (");
        match &changed.change {
            NestedChange::Insert(insert) => self.insert(insert),
            NestedChange::Update(update) => self.update(update),
            NestedChange::Delete(delete) => self.delete(delete),
            NestedChange::Merge(merge) => self.merge(merge),
        }
        self.text(") AS ");
        self.ident(&changed.alias);
        if !changed.columns.is_empty() {
            self.text(" ");
            self.idents(&changed.columns);
        }
        self.keyed_expr(" WHERE ", changed.filter.as_ref());
    }

    pub(super) fn output(&mut self, outputs: &[Output]) {
        self.list(outputs, "", Self::output_clause);
    }

    fn output_clause(&mut self, output: &Output) {
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
        self.ctes(&update.ctes);
        self.text("UPDATE ");
        self.top(update.top.as_ref());
        self.name(&update.table);
        self.hints(&update.hints);
        self.text(" SET ");
        self.list(&update.set, ", ", Self::update_set);
        self.output(&update.output);
        self.from(&update.from);
        self.keyed_expr(" WHERE ", update.filter.as_ref());
        self.current_of(update.current_of.as_ref());
        self.query_options(&update.options);
    }

    fn update_set(&mut self, set: &UpdateSet) {
        if let Some(variable) = &set.variable {
            self.text(variable);
            self.text(if set.column.is_some() { " = " } else { " " });
        }
        if let (Some(column), Some(write)) = (&set.column, &set.write) {
            self.column_name(column);
            self.keyed_expr(".WRITE(", Some(&set.value));
            self.keyed_expr(", ", Some(&write.offset));
            self.keyed_expr(", ", Some(&write.length));
            self.text(")");
            return;
        }
        if let Some(column) = &set.column {
            self.column_name(column);
            self.text(" ");
        }
        self.text(assign_sign(set.op));
        self.keyed_expr(" ", Some(&set.value));
    }

    fn current_of(&mut self, cursor: Option<&CursorName>) {
        if let Some(cursor) = cursor {
            self.cursor_name(" WHERE CURRENT OF", cursor);
        }
    }

    pub(super) fn delete(&mut self, delete: &Delete) {
        self.ctes(&delete.ctes);
        self.text("DELETE ");
        self.top(delete.top.as_ref());
        self.text("FROM ");
        self.name(&delete.table);
        self.hints(&delete.hints);
        self.output(&delete.output);
        self.from(&delete.from);
        self.keyed_expr(" WHERE ", delete.filter.as_ref());
        self.current_of(delete.current_of.as_ref());
        self.query_options(&delete.options);
    }
}

/// MERGE and BULK INSERT.
impl Printer {
    /// With its semicolon.
    pub(super) fn merge(&mut self, merge: &Merge) {
        self.ctes(&merge.ctes);
        self.text("MERGE ");
        self.top(merge.top.as_ref());
        self.text("INTO ");
        self.name(&merge.table);
        self.hints(&merge.hints);
        self.alias(merge.alias.as_deref(), &[]);
        self.text(" USING ");
        self.table(&merge.source);
        self.keyed_expr(" ON ", Some(&merge.on));
        self.list(&merge.branches, "", Self::merge_branch);
        self.output(&merge.output);
        self.query_options(&merge.options);
    }

    fn merge_branch(&mut self, branch: &MergeBranch) {
        self.text(match branch.when {
            MergeWhen::Matched => " WHEN MATCHED",
            MergeWhen::NotMatchedByTarget => " WHEN NOT MATCHED",
            MergeWhen::NotMatchedBySource => " WHEN NOT MATCHED BY SOURCE",
        });
        self.keyed_expr(" AND ", branch.condition.as_ref());
        match &branch.action {
            MergeAction::Update(set) => {
                self.text(" THEN UPDATE SET ");
                self.list(set, ", ", Self::update_set);
            }
            MergeAction::Delete => self.text(" THEN DELETE"),
            MergeAction::Insert { columns, values } => {
                self.text(" THEN INSERT");
                if !columns.is_empty() {
                    self.text(" ");
                    self.idents(columns);
                }
                match values {
                    None => self.text(" DEFAULT VALUES"),
                    Some(values) => {
                        self.text(" VALUES (");
                        self.exprs(values);
                        self.text(")");
                    }
                }
            }
        }
    }

    pub(super) fn insert_bulk(&mut self, insert: &InsertBulk) {
        self.text("INSERT BULK ");
        self.name(&insert.table);
        self.text(" (");
        self.list(&insert.columns, ", ", |printer, (name, data_type)| {
            printer.ident(name);
            printer.text(" ");
            printer.data_type(data_type);
        });
        self.text(")");
        self.with_options(&insert.options);
    }

    pub(super) fn bulk_insert(&mut self, insert: &BulkInsert) {
        self.text("BULK INSERT ");
        self.name(&insert.table);
        self.text(" FROM ");
        self.string(&insert.file);
        self.with_options(&insert.options);
    }
}
