//! Tables, indexes, statistics, types.

use std::fmt::Write;

use millpond_types::{MaxLen, SqlType};

use crate::ast::{
    AlterColumn, AlterIndex, AlterIndexAction, AlterTable, AlterTableAction, Clustering, ColumnDefinition,
    ColumnProperty, ConstraintKind, CreateIndex, CreateStatistics, DataSpace, DataType, DropIndex, ForeignKey, Ident,
    IndexColumn, IndexDefinition, IndexStructure, KeyConstraint, NamedOption, ReferentialAction, TableConstraint,
    TableDefinition, TableDrop, TableDropKind, TableOptions, UpdateStatistics,
};
use crate::print::{Printer, option};

// Tables.

/// Columns and constraints in parentheses.
pub(super) fn table_definition(printer: &mut Printer, definition: &TableDefinition) {
    printer.text("(");
    table_elements(printer, definition);
    printer.text(")");
    table_options(printer, &definition.options);
}

fn table_elements(printer: &mut Printer, definition: &TableDefinition) {
    printer.list(&definition.columns, ", ", column);
    for (i, constraint) in definition.constraints.iter().enumerate() {
        printer.text(if i == 0 && definition.columns.is_empty() { "" } else { ", " });
        table_constraint(printer, constraint);
    }
}

fn table_options(printer: &mut Printer, options: &TableOptions) {
    data_space(printer, " ON ", options.on.as_ref());
    data_space(printer, " TEXTIMAGE_ON ", options.textimage_on.as_ref());
    data_space(printer, " FILESTREAM_ON ", options.filestream_on.as_ref());
    option::with_options(printer, &options.with);
}

fn data_space(printer: &mut Printer, words: &str, space: Option<&DataSpace>) {
    let Some(space) = space else { return };
    printer.text(words);
    printer.ident(&space.name);
    if let Some(column) = &space.column {
        printer.idents(std::slice::from_ref(column));
    }
}

fn column(printer: &mut Printer, column: &ColumnDefinition) {
    printer.ident(&column.name);
    if let Some(data_type) = &column.data_type {
        printer.text(" ");
        type_name(printer, data_type);
    }
    printer.keyed_expr(" AS ", column.computed.as_ref());
    printer.text(if column.persisted { " PERSISTED" } else { "" });
    collation(printer, column.collation.as_deref());
    printer.text(if column.sparse { " SPARSE" } else { "" });
    mask(printer, column.mask.as_deref());
    if let Some((seed, increment)) = column.identity {
        let _ = write!(printer.out, " IDENTITY({seed}, {increment})");
        printer.text(if column.not_for_replication { " NOT FOR REPLICATION" } else { "" });
    }
    nullability(printer, column.nullable);
    printer.text(if column.rowguidcol { " ROWGUIDCOL" } else { "" });
    if let Some(name) = &column.default_name {
        printer.worded(" CONSTRAINT", name);
    }
    printer.keyed_expr(" DEFAULT ", column.default.as_ref());
    printer.text(if column.with_values { " WITH VALUES" } else { "" });
    for constraint in &column.constraints {
        printer.text(" ");
        table_constraint(printer, constraint);
    }
}

pub(super) fn collation(printer: &mut Printer, collation: Option<&str>) {
    if let Some(collation) = collation {
        let _ = write!(printer.out, " COLLATE {collation}");
    }
}

pub(super) fn nullability(printer: &mut Printer, nullable: Option<bool>) {
    printer.text(match nullable {
        Some(true) => " NULL",
        Some(false) => " NOT NULL",
        None => "",
    });
}

fn table_constraint(printer: &mut Printer, constraint: &TableConstraint) {
    if let Some(name) = &constraint.name {
        printer.worded("CONSTRAINT", name);
        printer.text(" ");
    }
    match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => key_constraint(printer, "PRIMARY KEY", key),
        ConstraintKind::Unique(key) => key_constraint(printer, "UNIQUE", key),
        ConstraintKind::Check { condition, not_for_replication } => {
            printer.text(if *not_for_replication { "CHECK NOT FOR REPLICATION (" } else { "CHECK (" });
            printer.expr(condition);
            printer.text(")");
        }
        ConstraintKind::ForeignKey(key) => foreign_key(printer, key),
        ConstraintKind::Default { value, column, with_values } => {
            printer.keyed_expr("DEFAULT ", Some(value));
            printer.worded(" FOR", column);
            printer.text(if *with_values { " WITH VALUES" } else { "" });
        }
        ConstraintKind::Index(index) => {
            printer.worded("INDEX", &index.name);
            printer.text(if index.unique { " UNIQUE" } else { "" });
            clustering(printer, index.clustering);
            printer.text(match index.structure {
                IndexStructure::Tree => "",
                IndexStructure::Hash => " HASH",
                IndexStructure::ColumnStore => " COLUMNSTORE",
            });
            index_tail(printer, index);
        }
    }
}

fn key_constraint(printer: &mut Printer, words: &str, key: &KeyConstraint) {
    printer.text(words);
    clustering(printer, key.clustering);
    printer.text(if key.hash { " HASH" } else { "" });
    index_columns(printer, &key.columns);
    option::with_options(printer, &key.options);
    data_space(printer, " ON ", key.on.as_ref());
}

fn clustering(printer: &mut Printer, clustering: Option<Clustering>) {
    printer.text(match clustering {
        None => "",
        Some(Clustering::Clustered) => " CLUSTERED",
        Some(Clustering::NonClustered) => " NONCLUSTERED",
    });
}

fn index_columns(printer: &mut Printer, columns: &[IndexColumn]) {
    if columns.is_empty() {
        return;
    }
    printer.text(" (");
    printer.list(columns, ", ", |printer, column| {
        printer.ident(&column.name);
        printer.text(if column.descending { " DESC" } else { "" });
    });
    printer.text(")");
}

fn index_tail(printer: &mut Printer, index: &IndexDefinition) {
    index_columns(printer, &index.columns);
    if !index.include.is_empty() {
        printer.text(" INCLUDE ");
        printer.idents(&index.include);
    }
    printer.keyed_expr(" WHERE ", index.filter.as_ref());
    option::with_options(printer, &index.options);
    data_space(printer, " ON ", index.on.as_ref());
}

fn foreign_key(printer: &mut Printer, key: &ForeignKey) {
    if !key.columns.is_empty() {
        printer.text("FOREIGN KEY ");
        printer.idents(&key.columns);
        printer.text(" ");
    }
    printer.text("REFERENCES ");
    printer.name(&key.table);
    if !key.referenced.is_empty() {
        printer.text(" ");
        printer.idents(&key.referenced);
    }
    referential_action(printer, " ON DELETE", key.on_delete);
    referential_action(printer, " ON UPDATE", key.on_update);
    printer.text(if key.not_for_replication { " NOT FOR REPLICATION" } else { "" });
}

fn referential_action(printer: &mut Printer, words: &str, action: ReferentialAction) {
    let action = match action {
        ReferentialAction::NoAction => return,
        ReferentialAction::Cascade => " CASCADE",
        ReferentialAction::SetNull => " SET NULL",
        ReferentialAction::SetDefault => " SET DEFAULT",
    };
    printer.text(words);
    printer.text(action);
}

// ALTER TABLE.

pub(super) fn alter_table(printer: &mut Printer, alter: &AlterTable) {
    printer.text("ALTER TABLE ");
    printer.name(&alter.table);
    match &alter.action {
        AlterTableAction::Add { definition, with_check } => {
            check_clause(printer, *with_check);
            printer.text(" ADD ");
            table_elements(printer, definition);
        }
        AlterTableAction::Drop(drops) => {
            printer.text(" DROP ");
            printer.list(drops, ", ", table_drop);
        }
        AlterTableAction::AlterColumn(column) => alter_column(printer, column),
        AlterTableAction::ColumnProperty { column, add, property } => {
            printer.worded(" ALTER COLUMN", column);
            printer.text(if *add { " ADD " } else { " DROP " });
            printer.text(match property {
                ColumnProperty::RowGuidCol => "ROWGUIDCOL",
                ColumnProperty::Persisted => "PERSISTED",
                ColumnProperty::NotForReplication => "NOT FOR REPLICATION",
                ColumnProperty::Sparse => "SPARSE",
            });
        }
        AlterTableAction::ColumnMask { column, mask: text } => {
            printer.worded(" ALTER COLUMN", column);
            printer.text(if text.is_some() { " ADD" } else { " DROP MASKED" });
            mask(printer, text.as_deref());
        }
        AlterTableAction::Check { enable, with_check, constraints } => {
            check_clause(printer, *with_check);
            printer.text(if *enable { " CHECK CONSTRAINT " } else { " NOCHECK CONSTRAINT " });
            all_or_names(printer, constraints.as_deref());
        }
        AlterTableAction::Trigger { enable, triggers } => {
            printer.text(if *enable { " ENABLE TRIGGER " } else { " DISABLE TRIGGER " });
            all_or_names(printer, triggers.as_deref());
        }
        AlterTableAction::Set(options) => option::enclosed_options(printer, " SET ", options),
        AlterTableAction::Rebuild { partition, options } => {
            printer.text(" REBUILD");
            partition_clause(printer, *partition);
            option::with_options(printer, options);
        }
        AlterTableAction::Switch { from, target, to, options } => {
            printer.text(" SWITCH");
            printer.keyed_expr(" PARTITION ", from.as_ref());
            printer.text(" TO ");
            printer.name(target);
            printer.keyed_expr(" PARTITION ", to.as_ref());
            index_action(printer, "", None, options);
        }
        AlterTableAction::ChangeTracking { enable, options } => {
            printer.text(if *enable { " ENABLE CHANGE_TRACKING" } else { " DISABLE CHANGE_TRACKING" });
            option::with_options(printer, options);
        }
        AlterTableAction::AlterIndex { index, options } => {
            printer.worded(" ALTER INDEX", index);
            printer.text(" REBUILD");
            option::with_options(printer, options);
        }
    }
}

fn check_clause(printer: &mut Printer, with_check: Option<bool>) {
    printer.text(match with_check {
        None => "",
        Some(true) => " WITH CHECK",
        Some(false) => " WITH NOCHECK",
    });
}

fn all_or_names(printer: &mut Printer, names: Option<&[Ident]>) {
    match names {
        None => printer.text("ALL"),
        Some(names) => printer.list(names, ", ", |printer, name| printer.ident(name)),
    }
}

fn table_drop(printer: &mut Printer, drop: &TableDrop) {
    printer.text(match drop.kind {
        TableDropKind::Column => "COLUMN ",
        TableDropKind::Constraint => "CONSTRAINT ",
        TableDropKind::Index => "INDEX ",
    });
    printer.text(if drop.if_exists { "IF EXISTS " } else { "" });
    printer.ident(&drop.name);
    option::with_options(printer, &drop.options);
}

fn mask(printer: &mut Printer, text: Option<&str>) {
    if let Some(text) = text {
        printer.text(" MASKED WITH (FUNCTION = ");
        printer.string(text);
        printer.text(")");
    }
}

fn alter_column(printer: &mut Printer, column: &AlterColumn) {
    printer.worded(" ALTER COLUMN", &column.name);
    printer.text(" ");
    type_name(printer, &column.data_type);
    collation(printer, column.collation.as_deref());
    mask(printer, column.mask.as_deref());
    nullability(printer, column.nullable);
    printer.text(if column.sparse { " SPARSE" } else { "" });
    option::with_options(printer, &column.options);
}

fn partition_clause(printer: &mut Printer, partition: Option<u32>) {
    if let Some(partition) = partition {
        let _ = write!(printer.out, " PARTITION = {partition}");
    }
}

// Indexes and statistics.

pub(super) fn create_index(printer: &mut Printer, create: &CreateIndex) {
    let index = &create.index;
    printer.text(if index.unique { "CREATE UNIQUE" } else { "CREATE" });
    clustering(printer, index.clustering);
    printer.text(if index.structure == IndexStructure::ColumnStore { " COLUMNSTORE" } else { "" });
    printer.worded(" INDEX", &index.name);
    printer.text(" ON ");
    printer.name(&create.table);
    index_tail(printer, index);
}

pub(super) fn alter_index(printer: &mut Printer, alter: &AlterIndex) {
    match &alter.index {
        Some(index) => printer.worded("ALTER INDEX", index),
        None => printer.text("ALTER INDEX ALL"),
    }
    printer.text(" ON ");
    printer.name(&alter.table);
    match &alter.action {
        AlterIndexAction::Rebuild { partition, options } => index_action(printer, " REBUILD", *partition, options),
        AlterIndexAction::Reorganize { partition, options } => {
            index_action(printer, " REORGANIZE", *partition, options);
        }
        AlterIndexAction::Disable => printer.text(" DISABLE"),
        AlterIndexAction::Set(options) => option::enclosed_options(printer, " SET ", options),
        AlterIndexAction::Resumable { word, options } => index_action(printer, &format!(" {word}"), None, options),
    }
}

fn index_action(printer: &mut Printer, words: &str, partition: Option<u32>, options: &[NamedOption]) {
    printer.text(words);
    partition_clause(printer, partition);
    option::with_options(printer, options);
}

pub(super) fn drop_index(printer: &mut Printer, index: &DropIndex) {
    printer.ident(&index.index);
    printer.text(" ON ");
    printer.name(&index.table);
    option::with_options(printer, &index.options);
}

pub(super) fn create_statistics(printer: &mut Printer, create: &CreateStatistics) {
    printer.worded("CREATE STATISTICS", &create.name);
    printer.text(" ON ");
    printer.name(&create.table);
    printer.text(" ");
    printer.idents(&create.columns);
    printer.keyed_expr(" WHERE ", create.filter.as_ref());
    option::open_options(printer, " WITH ", &create.options);
}

pub(super) fn update_statistics(printer: &mut Printer, update: &UpdateStatistics) {
    printer.text("UPDATE STATISTICS ");
    printer.name(&update.table);
    if !update.names.is_empty() {
        printer.text(" ");
        printer.idents(&update.names);
    }
    option::open_options(printer, " WITH ", &update.options);
}

// Types.

pub(super) fn type_name(printer: &mut Printer, data_type: &DataType) {
    match data_type {
        DataType::Scalar { sql_type, explicit_length } => {
            let written = if *explicit_length { sql_type.declaration() } else { short_name(*sql_type) };
            printer.text(&written);
        }
        DataType::Named(name) => printer.name(name),
        DataType::SysName => printer.text("sysname"),
        DataType::Cursor => printer.text("CURSOR"),
    }
}

/// The name that gives the same type when no length is written.
fn short_name(sql_type: SqlType) -> String {
    match sql_type {
        SqlType::VarChar { len: MaxLen::Max, .. } => "text".to_owned(),
        SqlType::NVarChar { len: MaxLen::Max } => "ntext".to_owned(),
        SqlType::VarBinary { len: MaxLen::Max } => "image".to_owned(),
        other => other.name().to_owned(),
    }
}
