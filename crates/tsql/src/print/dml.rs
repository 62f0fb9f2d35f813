//! INSERT, UPDATE, DELETE.

use crate::ast::{
    AssignOp, BulkInsert, ChangedRows, CursorName, Delete, Insert, InsertBulk, InsertSource, Merge, MergeAction,
    MergeBranch, MergeWhen, NestedChange, Output, Update, UpdateSet,
};
use crate::print::query::assign_sign;
use crate::print::{Printer, definition, execute, module, option, query};

// INSERT, UPDATE, DELETE.

pub(super) fn insert(printer: &mut Printer, insert: &Insert) {
    query::ctes(printer, &insert.ctes);
    if let InsertSource::Query(query) = &insert.source {
        query::ctes(printer, &query.ctes);
    }
    printer.text("INSERT ");
    query::top(printer, insert.top.as_ref());
    printer.text("INTO ");
    printer.name(&insert.table);
    query::with_hints(printer, &insert.hints);
    if !insert.columns.is_empty() {
        printer.text(" ");
        printer.idents(&insert.columns);
    }
    output(printer, &insert.output);
    printer.text(" ");
    match &insert.source {
        InsertSource::Values(rows) => query::values(printer, rows),
        InsertSource::Query(query) => query::query_without_ctes(printer, query),
        InsertSource::DefaultValues => printer.text("DEFAULT VALUES"),
        InsertSource::Execute(execute) => execute::procedure(printer, execute),
        InsertSource::ExecuteText(execute) => execute::text(printer, execute),
        InsertSource::Changes(changed) => changed_rows(printer, changed),
    }
    query::query_options(printer, &insert.options);
}

fn changed_rows(printer: &mut Printer, changed: &ChangedRows) {
    printer.text("SELECT ");
    printer.list(&changed.items, ", ", query::select_item);
    printer.text(" FROM (");
    match &changed.change {
        NestedChange::Insert(change) => insert(printer, change),
        NestedChange::Update(change) => update(printer, change),
        NestedChange::Delete(change) => delete(printer, change),
        NestedChange::Merge(change) => merge(printer, change),
    }
    printer.text(") AS ");
    printer.ident(&changed.alias);
    if !changed.columns.is_empty() {
        printer.text(" ");
        printer.idents(&changed.columns);
    }
    printer.keyed_expr(" WHERE ", changed.filter.as_ref());
}

fn output(printer: &mut Printer, outputs: &[Output]) {
    printer.list(outputs, "", output_clause);
}

fn output_clause(printer: &mut Printer, output: &Output) {
    printer.text(" OUTPUT ");
    printer.list(&output.items, ", ", query::select_item);
    if let Some((table, columns)) = &output.into {
        printer.text(" INTO ");
        printer.name(table);
        if !columns.is_empty() {
            printer.text(" ");
            printer.idents(columns);
        }
    }
}

pub(super) fn update(printer: &mut Printer, update: &Update) {
    query::ctes(printer, &update.ctes);
    printer.text("UPDATE ");
    query::top(printer, update.top.as_ref());
    printer.name(&update.table);
    query::with_hints(printer, &update.hints);
    printer.text(" SET ");
    printer.list(&update.set, ", ", update_set);
    output(printer, &update.output);
    query::from(printer, &update.from);
    printer.keyed_expr(" WHERE ", update.filter.as_ref());
    current_of(printer, update.current_of.as_ref());
    query::query_options(printer, &update.options);
}

fn update_set(printer: &mut Printer, set: &UpdateSet) {
    if let Some(variable) = &set.variable {
        printer.text(variable);
        printer.text(if set.column.is_some() { " = " } else { " " });
    }
    if let (Some(column), Some(write)) = (&set.column, &set.write) {
        printer.column_name(column);
        printer.keyed_expr(".WRITE(", Some(&set.value));
        printer.keyed_expr(", ", Some(&write.offset));
        printer.keyed_expr(", ", Some(&write.length));
        printer.text(")");
        return;
    }
    if let (Some(column), AssignOp::Modify) = (&set.column, set.op) {
        printer.column_name(column);
        printer.keyed_expr(".modify(", Some(&set.value));
        printer.text(")");
        return;
    }
    if let Some(column) = &set.column {
        printer.column_name(column);
        printer.text(" ");
    }
    printer.text(assign_sign(set.op));
    printer.keyed_expr(" ", Some(&set.value));
}

fn current_of(printer: &mut Printer, cursor: Option<&CursorName>) {
    if let Some(cursor) = cursor {
        module::cursor_name(printer, " WHERE CURRENT OF", cursor);
    }
}

pub(super) fn delete(printer: &mut Printer, delete: &Delete) {
    query::ctes(printer, &delete.ctes);
    printer.text("DELETE ");
    query::top(printer, delete.top.as_ref());
    printer.text("FROM ");
    printer.name(&delete.table);
    query::with_hints(printer, &delete.hints);
    output(printer, &delete.output);
    query::from(printer, &delete.from);
    printer.keyed_expr(" WHERE ", delete.filter.as_ref());
    current_of(printer, delete.current_of.as_ref());
    query::query_options(printer, &delete.options);
}

// MERGE and BULK INSERT.

/// With its semicolon.
pub(super) fn merge(printer: &mut Printer, merge: &Merge) {
    query::ctes(printer, &merge.ctes);
    printer.text("MERGE ");
    query::top(printer, merge.top.as_ref());
    printer.text("INTO ");
    printer.name(&merge.table);
    query::with_hints(printer, &merge.hints);
    query::as_alias(printer, merge.alias.as_deref(), &[]);
    printer.text(" USING ");
    query::table_ref(printer, &merge.source);
    printer.keyed_expr(" ON ", Some(&merge.on));
    printer.list(&merge.branches, "", merge_branch);
    output(printer, &merge.output);
    query::query_options(printer, &merge.options);
}

fn merge_branch(printer: &mut Printer, branch: &MergeBranch) {
    printer.text(match branch.when {
        MergeWhen::Matched => " WHEN MATCHED",
        MergeWhen::NotMatchedByTarget => " WHEN NOT MATCHED",
        MergeWhen::NotMatchedBySource => " WHEN NOT MATCHED BY SOURCE",
    });
    printer.keyed_expr(" AND ", branch.condition.as_ref());
    match &branch.action {
        MergeAction::Update(set) => {
            printer.text(" THEN UPDATE SET ");
            printer.list(set, ", ", update_set);
        }
        MergeAction::Delete => printer.text(" THEN DELETE"),
        MergeAction::Insert { columns, values } => {
            printer.text(" THEN INSERT");
            if !columns.is_empty() {
                printer.text(" ");
                printer.idents(columns);
            }
            match values {
                None => printer.text(" DEFAULT VALUES"),
                Some(values) => {
                    printer.text(" VALUES (");
                    printer.exprs(values);
                    printer.text(")");
                }
            }
        }
    }
}

pub(super) fn insert_bulk(printer: &mut Printer, insert: &InsertBulk) {
    printer.text("INSERT BULK ");
    printer.name(&insert.table);
    printer.text(" (");
    printer.list(&insert.columns, ", ", |printer, (name, data_type)| {
        printer.ident(name);
        printer.text(" ");
        definition::type_name(printer, data_type);
    });
    printer.text(")");
    option::with_options(printer, &insert.options);
}

pub(super) fn bulk_insert(printer: &mut Printer, insert: &BulkInsert) {
    printer.text("BULK INSERT ");
    printer.name(&insert.table);
    printer.text(" FROM ");
    printer.string(&insert.file);
    option::with_options(printer, &insert.options);
}
