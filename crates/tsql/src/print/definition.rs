//! Tables, indexes, statistics, types.

use std::fmt::Write;

use millpond_types::{MaxLen, SqlType};

use super::Printer;
use crate::ast::{
    AlterColumn, AlterIndex, AlterIndexAction, AlterTable, AlterTableAction, Clustering, ColumnDefinition,
    ColumnProperty, ConstraintKind, CreateIndex, CreateStatistics, DataSpace, DataType, DropIndex, ForeignKey, Ident,
    IndexColumn, IndexDefinition, IndexStructure, KeyConstraint, NamedOption, ReferentialAction, TableConstraint,
    TableDefinition, TableDrop, TableDropKind, TableOptions, UpdateStatistics,
};

/// Tables.
impl Printer {
    /// Columns and constraints in parentheses.
    pub(super) fn table_definition(&mut self, definition: &TableDefinition) {
        self.text("(");
        self.table_elements(definition);
        self.text(")");
        self.table_options(&definition.options);
    }

    fn table_elements(&mut self, definition: &TableDefinition) {
        self.list(&definition.columns, ", ", Self::column);
        for (i, constraint) in definition.constraints.iter().enumerate() {
            self.text(if i == 0 && definition.columns.is_empty() { "" } else { ", " });
            self.constraint(constraint);
        }
    }

    fn table_options(&mut self, options: &TableOptions) {
        self.data_space(" ON ", options.on.as_ref());
        self.data_space(" TEXTIMAGE_ON ", options.textimage_on.as_ref());
        self.data_space(" FILESTREAM_ON ", options.filestream_on.as_ref());
        self.with_options(&options.with);
    }

    fn data_space(&mut self, words: &str, space: Option<&DataSpace>) {
        let Some(space) = space else { return };
        self.text(words);
        self.ident(&space.name);
        if let Some(column) = &space.column {
            self.idents(std::slice::from_ref(column));
        }
    }

    pub(super) fn column(&mut self, column: &ColumnDefinition) {
        self.ident(&column.name);
        if let Some(data_type) = &column.data_type {
            self.text(" ");
            self.data_type(data_type);
        }
        self.keyed_expr(" AS ", column.computed.as_ref());
        self.text(if column.persisted { " PERSISTED" } else { "" });
        self.collation(column.collation.as_deref());
        self.text(if column.sparse { " SPARSE" } else { "" });
        if let Some((seed, increment)) = column.identity {
            let _ = write!(self.out, " IDENTITY({seed}, {increment})");
            self.text(if column.not_for_replication { " NOT FOR REPLICATION" } else { "" });
        }
        self.nullability(column.nullable);
        self.text(if column.rowguidcol { " ROWGUIDCOL" } else { "" });
        if let Some(name) = &column.default_name {
            self.worded(" CONSTRAINT", name);
        }
        self.keyed_expr(" DEFAULT ", column.default.as_ref());
        self.text(if column.with_values { " WITH VALUES" } else { "" });
        for constraint in &column.constraints {
            self.text(" ");
            self.constraint(constraint);
        }
    }

    pub(super) fn collation(&mut self, collation: Option<&str>) {
        if let Some(collation) = collation {
            let _ = write!(self.out, " COLLATE {collation}");
        }
    }

    pub(super) fn nullability(&mut self, nullable: Option<bool>) {
        self.text(match nullable {
            Some(true) => " NULL",
            Some(false) => " NOT NULL",
            None => "",
        });
    }

    fn constraint(&mut self, constraint: &TableConstraint) {
        if let Some(name) = &constraint.name {
            self.worded("CONSTRAINT", name);
            self.text(" ");
        }
        match &constraint.kind {
            ConstraintKind::PrimaryKey(key) => self.key("PRIMARY KEY", key),
            ConstraintKind::Unique(key) => self.key("UNIQUE", key),
            ConstraintKind::Check { condition, not_for_replication } => {
                self.text(if *not_for_replication { "CHECK NOT FOR REPLICATION (" } else { "CHECK (" });
                self.expr(condition);
                self.text(")");
            }
            ConstraintKind::ForeignKey(key) => self.foreign_key(key),
            ConstraintKind::Default { value, column, with_values } => {
                self.keyed_expr("DEFAULT ", Some(value));
                self.worded(" FOR", column);
                self.text(if *with_values { " WITH VALUES" } else { "" });
            }
            ConstraintKind::Index(index) => {
                self.worded("INDEX", &index.name);
                self.text(if index.unique { " UNIQUE" } else { "" });
                self.clustering(index.clustering);
                self.text(match index.structure {
                    IndexStructure::Tree => "",
                    IndexStructure::Hash => " HASH",
                    IndexStructure::ColumnStore => " COLUMNSTORE",
                });
                self.index_tail(index);
            }
        }
    }

    fn key(&mut self, words: &str, key: &KeyConstraint) {
        self.text(words);
        self.clustering(key.clustering);
        self.text(if key.hash { " HASH" } else { "" });
        self.index_columns(&key.columns);
        self.with_options(&key.options);
        self.data_space(" ON ", key.on.as_ref());
    }

    fn clustering(&mut self, clustering: Option<Clustering>) {
        self.text(match clustering {
            None => "",
            Some(Clustering::Clustered) => " CLUSTERED",
            Some(Clustering::NonClustered) => " NONCLUSTERED",
        });
    }

    fn index_columns(&mut self, columns: &[IndexColumn]) {
        if columns.is_empty() {
            return;
        }
        self.text(" (");
        self.list(columns, ", ", |printer, column| {
            printer.ident(&column.name);
            printer.text(if column.descending { " DESC" } else { "" });
        });
        self.text(")");
    }

    fn index_tail(&mut self, index: &IndexDefinition) {
        self.index_columns(&index.columns);
        if !index.include.is_empty() {
            self.text(" INCLUDE ");
            self.idents(&index.include);
        }
        self.keyed_expr(" WHERE ", index.filter.as_ref());
        self.with_options(&index.options);
        self.data_space(" ON ", index.on.as_ref());
    }

    fn foreign_key(&mut self, key: &ForeignKey) {
        if !key.columns.is_empty() {
            self.text("FOREIGN KEY ");
            self.idents(&key.columns);
            self.text(" ");
        }
        self.text("REFERENCES ");
        self.name(&key.table);
        if !key.referenced.is_empty() {
            self.text(" ");
            self.idents(&key.referenced);
        }
        self.referential_action(" ON DELETE", key.on_delete);
        self.referential_action(" ON UPDATE", key.on_update);
        self.text(if key.not_for_replication { " NOT FOR REPLICATION" } else { "" });
    }

    fn referential_action(&mut self, words: &str, action: ReferentialAction) {
        let action = match action {
            ReferentialAction::NoAction => return,
            ReferentialAction::Cascade => " CASCADE",
            ReferentialAction::SetNull => " SET NULL",
            ReferentialAction::SetDefault => " SET DEFAULT",
        };
        self.text(words);
        self.text(action);
    }
}

/// ALTER TABLE.
impl Printer {
    pub(super) fn alter_table(&mut self, alter: &AlterTable) {
        self.text("ALTER TABLE ");
        self.name(&alter.table);
        match &alter.action {
            AlterTableAction::Add { definition, with_check } => {
                self.with_check(*with_check);
                self.text(" ADD ");
                self.table_elements(definition);
            }
            AlterTableAction::Drop(drops) => {
                self.text(" DROP ");
                self.list(drops, ", ", Self::table_drop);
            }
            AlterTableAction::AlterColumn(column) => self.alter_column(column),
            AlterTableAction::ColumnProperty { column, add, property } => {
                self.worded(" ALTER COLUMN", column);
                self.text(if *add { " ADD " } else { " DROP " });
                self.text(match property {
                    ColumnProperty::RowGuidCol => "ROWGUIDCOL",
                    ColumnProperty::Persisted => "PERSISTED",
                    ColumnProperty::NotForReplication => "NOT FOR REPLICATION",
                    ColumnProperty::Sparse => "SPARSE",
                });
            }
            AlterTableAction::Check { enable, with_check, constraints } => {
                self.with_check(*with_check);
                self.text(if *enable { " CHECK CONSTRAINT " } else { " NOCHECK CONSTRAINT " });
                self.all_or_names(constraints.as_deref());
            }
            AlterTableAction::Trigger { enable, triggers } => {
                self.text(if *enable { " ENABLE TRIGGER " } else { " DISABLE TRIGGER " });
                self.all_or_names(triggers.as_deref());
            }
            AlterTableAction::Set(options) => self.enclosed_options(" SET ", options),
            AlterTableAction::Rebuild { partition, options } => {
                self.text(" REBUILD");
                self.partition(*partition);
                self.with_options(options);
            }
            AlterTableAction::ChangeTracking { enable, options } => {
                self.text(if *enable { " ENABLE CHANGE_TRACKING" } else { " DISABLE CHANGE_TRACKING" });
                self.with_options(options);
            }
            AlterTableAction::AlterIndex { index, options } => {
                self.worded(" ALTER INDEX", index);
                self.text(" REBUILD");
                self.with_options(options);
            }
        }
    }

    fn with_check(&mut self, with_check: Option<bool>) {
        self.text(match with_check {
            None => "",
            Some(true) => " WITH CHECK",
            Some(false) => " WITH NOCHECK",
        });
    }

    fn all_or_names(&mut self, names: Option<&[Ident]>) {
        match names {
            None => self.text("ALL"),
            Some(names) => self.list(names, ", ", |printer, name| printer.ident(name)),
        }
    }

    fn table_drop(&mut self, drop: &TableDrop) {
        self.text(match drop.kind {
            TableDropKind::Column => "COLUMN ",
            TableDropKind::Constraint => "CONSTRAINT ",
            TableDropKind::Index => "INDEX ",
        });
        self.text(if drop.if_exists { "IF EXISTS " } else { "" });
        self.ident(&drop.name);
        self.with_options(&drop.options);
    }

    fn alter_column(&mut self, column: &AlterColumn) {
        self.worded(" ALTER COLUMN", &column.name);
        self.text(" ");
        self.data_type(&column.data_type);
        self.collation(column.collation.as_deref());
        self.nullability(column.nullable);
        self.text(if column.sparse { " SPARSE" } else { "" });
        self.with_options(&column.options);
    }

    fn partition(&mut self, partition: Option<u32>) {
        if let Some(partition) = partition {
            let _ = write!(self.out, " PARTITION = {partition}");
        }
    }
}

/// Indexes and statistics.
impl Printer {
    pub(super) fn create_index(&mut self, create: &CreateIndex) {
        let index = &create.index;
        self.text(if index.unique { "CREATE UNIQUE" } else { "CREATE" });
        self.clustering(index.clustering);
        self.text(if index.structure == IndexStructure::ColumnStore { " COLUMNSTORE" } else { "" });
        self.worded(" INDEX", &index.name);
        self.text(" ON ");
        self.name(&create.table);
        self.index_tail(index);
    }

    pub(super) fn alter_index(&mut self, alter: &AlterIndex) {
        match &alter.index {
            Some(index) => self.worded("ALTER INDEX", index),
            None => self.text("ALTER INDEX ALL"),
        }
        self.text(" ON ");
        self.name(&alter.table);
        match &alter.action {
            AlterIndexAction::Rebuild { partition, options } => self.index_action(" REBUILD", *partition, options),
            AlterIndexAction::Reorganize { partition, options } => {
                self.index_action(" REORGANIZE", *partition, options);
            }
            AlterIndexAction::Disable => self.text(" DISABLE"),
            AlterIndexAction::Set(options) => self.enclosed_options(" SET ", options),
        }
    }

    fn index_action(&mut self, words: &str, partition: Option<u32>, options: &[NamedOption]) {
        self.text(words);
        self.partition(partition);
        self.with_options(options);
    }

    pub(super) fn drop_index(&mut self, index: &DropIndex) {
        self.ident(&index.index);
        self.text(" ON ");
        self.name(&index.table);
        self.with_options(&index.options);
    }

    pub(super) fn create_statistics(&mut self, create: &CreateStatistics) {
        self.worded("CREATE STATISTICS", &create.name);
        self.text(" ON ");
        self.name(&create.table);
        self.text(" ");
        self.idents(&create.columns);
        self.keyed_expr(" WHERE ", create.filter.as_ref());
        self.open_options(" WITH ", &create.options);
    }

    pub(super) fn update_statistics(&mut self, update: &UpdateStatistics) {
        self.text("UPDATE STATISTICS ");
        self.name(&update.table);
        if !update.names.is_empty() {
            self.text(" ");
            self.idents(&update.names);
        }
        self.open_options(" WITH ", &update.options);
    }
}

/// Types.
impl Printer {
    pub(super) fn data_type(&mut self, data_type: &DataType) {
        match data_type {
            DataType::Scalar { sql_type, explicit_length } => {
                let written = if *explicit_length { sql_type.declaration() } else { short_name(*sql_type) };
                self.text(&written);
            }
            DataType::Named(name) => self.name(name),
            DataType::SysName => self.text("sysname"),
            DataType::Cursor => self.text("CURSOR"),
        }
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
