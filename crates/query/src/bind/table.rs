//! Declared types and the definitions of tables.

use std::sync::Arc;

use millpond_tsql::ast::{ColumnDefinition, ConstraintKind, DataType, TableConstraint, TableDefinition, find_option};
use millpond_types::collation::Collation;
use millpond_types::{MaxLen, SqlType};

use super::scope::{Scope, ScopeColumn};
use super::{Binder, Block};
use crate::catalog::{CheckDef, ColumnDef, DefaultDef, ObjectId, TableDef, names_equal};
use crate::error::{SqlError, SqlResult};
use crate::expr::ExprType;
use crate::message;

/// The type of a declaration.
///
/// # Errors
/// 2715 for a name that is no type.
pub fn declared_type(data_type: &DataType) -> SqlResult<SqlType> {
    match data_type {
        DataType::Scalar { sql_type, .. } => Ok(*sql_type),
        DataType::SysName => Ok(SqlType::NVarChar { len: MaxLen::Limited(128) }),
        DataType::Cursor => Err(message::missing("A cursor variable")),
        DataType::Named(name) => {
            let name = name.parts.join(".");
            Err(match name.to_ascii_lowercase().as_str() {
                "datetimeoffset" | "sql_variant" | "xml" | "rowversion" | "timestamp" | "text" | "ntext" | "image"
                | "hierarchyid" | "geometry" | "geography" | "json" | "vector" => {
                    message::missing(&format!("Data type {name}"))
                }
                _ => SqlError::new(
                    2715,
                    16,
                    3,
                    format!("Column, parameter, or variable #1: Cannot find data type {name}."),
                ),
            })
        }
    }
}

/// The type of CAST and CONVERT, where a missing length is 30.
pub(super) fn cast_type(data_type: &DataType) -> SqlResult<SqlType> {
    let sql = declared_type(data_type)?;
    let DataType::Scalar { explicit_length: false, .. } = data_type else {
        return Ok(sql);
    };
    Ok(match sql {
        SqlType::Char { .. } => SqlType::Char { len: 30 },
        SqlType::VarChar { .. } => SqlType::VarChar { len: MaxLen::Limited(30) },
        SqlType::NChar { .. } => SqlType::NChar { len: 30 },
        SqlType::NVarChar { .. } => SqlType::NVarChar { len: MaxLen::Limited(30) },
        SqlType::Binary { .. } => SqlType::Binary { len: 30 },
        SqlType::VarBinary { .. } => SqlType::VarBinary { len: MaxLen::Limited(30) },
        other => other,
    })
}

/// A collation by name.
pub(super) fn collation(name: &str) -> SqlResult<Collation> {
    if name.eq_ignore_ascii_case("database_default") || name.eq_ignore_ascii_case("catalog_default") {
        return Ok(Collation::default());
    }
    Collation::by_name(name).ok_or_else(|| SqlError::new(448, 16, 1, format!("Invalid collation '{name}'.")))
}

impl Binder<'_> {
    /// The definition of a table from its clauses.
    ///
    /// # Errors
    /// 2705 for a column named twice, 1701 for rows that cannot fit, 40517 for constraints that need an index.
    pub fn table_definition(&mut self, name: &str, definition: &TableDefinition) -> SqlResult<Arc<TableDef>> {
        if find_option(&definition.options.with, "MEMORY_OPTIMIZED").is_some_and(|option| option.is("ON")) {
            return Err(message::missing("A table with MEMORY_OPTIMIZED = ON"));
        }
        let mut columns: Vec<ColumnDef> = Vec::with_capacity(definition.columns.len());
        let mut checks = Vec::new();
        for column in &definition.columns {
            let id = columns.len() as i32 + 1;
            let bound = self.column_definition(name, id, column).map_err(|error| error.at(column.span.line))?;
            if columns.iter().any(|known| names_equal(&known.name, &bound.name)) {
                return Err(SqlError::new(
                    2705,
                    16,
                    3,
                    format!(
                        "Column names in each table must be unique. Column name '{}' in table '{name}' is specified more than once.",
                        bound.name
                    ),
                ));
            }
            columns.push(bound);
            checks.extend(&column.constraints);
        }
        checks.extend(&definition.constraints);
        let checks = self.checks(name, &columns, &checks)?;
        let def = TableDef::new(name.to_owned(), columns, checks);
        if def.layout.max_fixed_len() > millpond_types::row::MAX_RECORD_BYTES {
            return Err(SqlError::new(
                1701,
                16,
                1,
                format!(
                    "Creating or altering table '{name}' failed because the minimum row size would be {}, including 7 bytes of internal overhead. This exceeds the maximum allowable table row size of 8060 bytes.",
                    def.layout.max_fixed_len()
                ),
            ));
        }
        Ok(Arc::new(def))
    }

    fn column_definition(&mut self, table: &str, id: i32, column: &ColumnDefinition) -> SqlResult<ColumnDef> {
        if column.computed.is_some() {
            return Err(message::missing("A computed column"));
        }
        let data_type = column.data_type.as_ref().ok_or_else(|| message::syntax_near(&column.name))?;
        let sql = declared_type(data_type)?;
        let collation = column.collation.as_deref().map_or(Ok(Collation::default()), collation)?;
        let nullable = column.nullable.unwrap_or(column.identity.is_none() && self.names.null_by_default());
        if column.identity.is_some() {
            check_identity(table, column, sql, nullable)?;
        }
        let default = match &column.default {
            None => None,
            Some(default) => {
                let bound = self.expression(default)?;
                let expr = super::operator::convert(bound, sql)?;
                Some(DefaultDef { id: ObjectId(0), name: String::new(), text: String::new(), expr })
            }
        };
        let plain = ColumnDef::new(id, column.name.clone(), ExprType { sql, nullable, collation });
        Ok(ColumnDef { default, identity: column.identity, ..plain })
    }

    fn checks(
        &mut self,
        table: &str,
        columns: &[ColumnDef],
        constraints: &[&TableConstraint],
    ) -> SqlResult<Vec<CheckDef>> {
        let scope_columns = columns.iter().map(|column| ScopeColumn {
            table: table.to_owned(),
            name: column.name.clone(),
            ty: column.ty,
            hidden: false,
        });
        self.scopes.push(Scope { columns: scope_columns.collect(), tables: vec![table.to_owned()] });
        self.blocks.push(Block::default());
        let bound = constraints
            .iter()
            .enumerate()
            .map(|(index, constraint)| match &constraint.kind {
                ConstraintKind::Check { condition, .. } => Ok(CheckDef {
                    id: ObjectId(0),
                    name: format!("CK__{}__{index:08X}", table.trim_start_matches(['#', '@'])),
                    text: String::new(),
                    expr: self.condition(condition)?,
                    disabled: false,
                    not_trusted: false,
                }),
                ConstraintKind::PrimaryKey(_) => Err(message::missing("A PRIMARY KEY constraint")),
                ConstraintKind::Unique(_) => Err(message::missing("A UNIQUE constraint")),
                ConstraintKind::ForeignKey(_) => Err(message::missing("A FOREIGN KEY constraint")),
                ConstraintKind::Default { .. } => Err(message::syntax_near("FOR")),
                ConstraintKind::Index(_) => Err(message::missing("An INDEX clause")),
            })
            .collect();
        self.blocks.pop();
        self.scopes.pop();
        bound
    }
}

fn check_identity(table: &str, column: &ColumnDefinition, sql: SqlType, nullable: bool) -> SqlResult<()> {
    let whole = sql.is_integer() || matches!(sql, SqlType::Decimal { scale: 0, .. });
    if !whole {
        return Err(SqlError::new(
            2749,
            16,
            2,
            format!(
                "Identity column '{}' must be of data type int, bigint, smallint, tinyint, or decimal or numeric with a scale of 0, unencrypted, and constrained to be nonnullable.",
                column.name
            ),
        ));
    }
    if nullable {
        return Err(SqlError::new(
            8147,
            16,
            1,
            format!("Could not create IDENTITY attribute on nullable column '{}', table '{table}'.", column.name),
        ));
    }
    Ok(())
}
