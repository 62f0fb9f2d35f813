//! ALTER DATABASE, tables and types.

use std::fmt::Write;

use millpond_types::{MaxLen, SqlType};

use super::Printer;
use crate::ast::{
    AlterDatabase, ColumnDefinition, DataType, FileGrowth, FileLimit, FileSpec, Ident, TableConstraint, TableDefinition,
};

/// ALTER DATABASE.
impl Printer {
    pub(super) fn alter_database(&mut self, database: &str, action: &AlterDatabase) {
        self.text("ALTER DATABASE ");
        if database == "CURRENT" {
            self.text(database)
        } else {
            self.ident(database)
        }
        match action {
            AlterDatabase::AddFile { files, log } => {
                self.text(if *log { " ADD LOG FILE " } else { " ADD FILE " });
                self.list(files, ", ", Self::file_spec);
            }
            AlterDatabase::ModifyFile(file) => {
                self.text(" MODIFY FILE ");
                self.file_spec(file);
            }
            AlterDatabase::RemoveFile(name) => self.worded(" REMOVE FILE", name),
            AlterDatabase::Set(words) => {
                let _ = write!(self.out, " SET {words}");
            }
            AlterDatabase::Other(words) => {
                let _ = write!(self.out, " {words}");
            }
        }
    }

    pub(super) fn file_spec(&mut self, file: &FileSpec) {
        let mut options = Vec::new();
        let bracketed = |name: &String| format!("[{}]", name.replace(']', "]]"));
        options.extend(file.name.iter().map(|name| format!("NAME = {}", bracketed(name))));
        options.extend(file.new_name.iter().map(|name| format!("NEWNAME = {}", bracketed(name))));
        options.extend(file.file_name.iter().map(|path| format!("FILENAME = '{}'", path.replace('\'', "''"))));
        options.extend(file.size_kb.map(|kb| format!("SIZE = {kb}KB")));
        options.extend(file.max_size.map(|limit| match limit {
            FileLimit::Unlimited => "MAXSIZE = UNLIMITED".to_owned(),
            FileLimit::Kb(kb) => format!("MAXSIZE = {kb}KB"),
        }));
        options.extend(file.growth.map(|growth| match growth {
            FileGrowth::Kb(kb) => format!("FILEGROWTH = {kb}KB"),
            FileGrowth::Percent(percent) => format!("FILEGROWTH = {percent}%"),
        }));
        options.extend(file.offline.then(|| "OFFLINE".to_owned()));
        options.extend(file.duplicate.iter().map(|option| format!("/* twice or unknown: {option} */")));
        let _ = write!(self.out, "({})", options.join(", "));
    }
}

/// Tables and types.
impl Printer {
    pub(super) fn table_definition(&mut self, definition: &TableDefinition) {
        self.text("(");
        self.list(&definition.columns, ", ", Self::column);
        for (i, constraint) in definition.constraints.iter().enumerate() {
            self.text(if i == 0 && definition.columns.is_empty() { "" } else { ", " });
            self.constraint(constraint);
        }
        self.text(")");
    }

    pub(super) fn column(&mut self, column: &ColumnDefinition) {
        self.ident(&column.name);
        if let Some(data_type) = &column.data_type {
            self.text(" ");
            self.data_type(data_type);
        }
        self.keyed_expr(" AS ", column.computed.as_ref());
        if let Some(collation) = &column.collation {
            let _ = write!(self.out, " COLLATE {collation}");
        }
        if let Some((seed, increment)) = column.identity {
            let _ = write!(self.out, " IDENTITY({seed}, {increment})");
        }
        match column.nullable {
            Some(true) => self.text(" NULL"),
            Some(false) => self.text(" NOT NULL"),
            None => {}
        }
        self.keyed_expr(" DEFAULT ", column.default.as_ref());
        for constraint in &column.constraints {
            self.text(" ");
            self.constraint(constraint);
        }
    }

    pub(super) fn constraint(&mut self, constraint: &TableConstraint) {
        match constraint {
            TableConstraint::PrimaryKey(columns) => self.key("PRIMARY KEY", columns),
            TableConstraint::Unique(columns) => self.key("UNIQUE", columns),
            TableConstraint::Check(condition) => {
                self.text("CHECK (");
                self.expr(condition);
                self.text(")");
            }
            TableConstraint::ForeignKey => self.text("FOREIGN KEY REFERENCES [?]"),
            TableConstraint::Index(name) => self.worded("INDEX", name),
        }
    }

    pub(super) fn key(&mut self, words: &str, columns: &[Ident]) {
        self.text(words);
        if !columns.is_empty() {
            self.text(" ");
            self.idents(columns);
        }
    }

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
        SqlType::VarChar { len: MaxLen::Max } => "text".to_owned(),
        SqlType::NVarChar { len: MaxLen::Max } => "ntext".to_owned(),
        SqlType::VarBinary { len: MaxLen::Max } => "image".to_owned(),
        other => other.name().to_owned(),
    }
}
