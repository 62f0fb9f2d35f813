//! The system tables: ordinary tables with a layout that is fixed for a version of the format.
//!
//! Their numbers are below those of users' objects. The roots of `sysindexes` are in the boot page, those of all others,
//! of the system tables too, are rows of it.

use std::sync::{Arc, LazyLock};

use millpond_storage::contract::DbId;
use millpond_types::{MaxLen, SqlType};

use crate::expr_type::ExprType;
use crate::{ColumnDef, IndexDef, IndexKind, KeyColumn, ObjectId, Schema, SchemaId, TableDef, TableName};

/// A system table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i32)]
pub enum SystemTable {
    /// Indexes and their roots.
    Indexes = 1,
    /// Tables, modules, sequences, synonyms.
    Objects = 2,
    /// Columns of tables.
    Columns = 3,
    /// Columns of indexes.
    IndexColumns = 4,
    /// CHECK and FOREIGN KEY.
    Constraints = 5,
    /// Columns of foreign keys.
    KeyColumns = 6,
    /// Texts of modules, in parts.
    Modules = 7,
    /// Schemas.
    Schemas = 8,
    /// User types.
    Types = 9,
    /// Sequences with their present value.
    Sequences = 10,
    /// High-water marks of identity columns.
    Identities = 11,
    /// What CREATE STATISTICS made; of the rows nothing.
    Statistics = 12,
    /// Logins and roles of the server (in master), users and roles of the database.
    Principals = 13,
    /// Who is a member of which role.
    Members = 14,
    /// What was granted and denied.
    Permissions = 15,
    /// Who owns what, where that does not follow from the rest.
    Owners = 16,
    /// Extended properties.
    Properties = 17,
}

impl SystemTable {
    /// All of them, in order of their numbers.
    pub const ALL: [SystemTable; 17] = [
        SystemTable::Indexes,
        SystemTable::Objects,
        SystemTable::Columns,
        SystemTable::IndexColumns,
        SystemTable::Constraints,
        SystemTable::KeyColumns,
        SystemTable::Modules,
        SystemTable::Schemas,
        SystemTable::Types,
        SystemTable::Sequences,
        SystemTable::Identities,
        SystemTable::Statistics,
        SystemTable::Principals,
        SystemTable::Members,
        SystemTable::Permissions,
        SystemTable::Owners,
        SystemTable::Properties,
    ];

    /// Object number.
    #[must_use]
    pub fn id(self) -> ObjectId {
        ObjectId(self as i32)
    }

    /// The definition; the same for all databases, so its database is master's number and says nothing.
    #[must_use]
    pub fn def(self) -> &'static Arc<TableDef> {
        static DEFS: LazyLock<Vec<Arc<TableDef>>> =
            LazyLock::new(|| SystemTable::ALL.into_iter().map(|table| Arc::new(definition(table))).collect());
        &DEFS[self as usize - 1]
    }
}

const NAME: SqlType = SqlType::NVarChar { len: MaxLen::Limited(128) };
const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Limited(3800) };
/// The two letters of an object's type, as in `sys.objects`.
const KIND: SqlType = SqlType::varchar(2);
/// Two to four letters of a permission.
const LETTERS: SqlType = SqlType::varchar(4);
/// A security identifier.
const SID: SqlType = SqlType::VarBinary { len: MaxLen::Limited(85) };
/// The value of an extended property, of at most 7,500 bytes, as a stored `sql_variant`.
const PROPERTY: SqlType = SqlType::VarBinary { len: MaxLen::Limited(7540) };
/// UTF-16 units of a part of a text: a row of [`SystemTable::Modules`] fits a page.
pub(super) const TEXT_PART_UNITS: usize = 3800;

type Columns = &'static [(&'static str, SqlType)];

fn layout(table: SystemTable) -> (&'static str, usize, Columns) {
    use SqlType::{BigInt, Bit, Int, TinyInt};
    match table {
        SystemTable::Indexes => (
            "sysindexes",
            2,
            &[
                ("object", Int),
                ("id", Int),
                ("name", NAME),
                ("kind", TinyInt),
                ("constraint", Int),
                ("is_unique", Bit),
                ("fill_factor", TinyInt),
                ("flags", Int),
                ("filter", TEXT),
                ("root", BigInt),
                ("iam", BigInt),
            ],
        ),
        SystemTable::Objects => (
            "sysobjects",
            1,
            &[
                ("id", Int),
                ("schema_id", Int),
                ("name", NAME),
                ("kind", KIND),
                ("flags", Int),
                ("created_us", BigInt),
                ("modified_us", BigInt),
            ],
        ),
        SystemTable::Columns => (
            "syscolumns",
            2,
            &[
                ("object", Int),
                ("position", Int),
                ("id", Int),
                ("name", NAME),
                ("type", NAME),
                ("is_nullable", Bit),
                ("collation", NAME),
                ("seed", BigInt),
                ("increment", BigInt),
                ("default_id", Int),
                ("default_name", NAME),
                ("default_text", SqlType::NVarChar { len: MaxLen::Limited(1500) }),
                ("computed_text", SqlType::NVarChar { len: MaxLen::Limited(1500) }),
                ("is_persisted", Bit),
                ("user_type", SqlType::NVarChar { len: MaxLen::Limited(257) }),
            ],
        ),
        SystemTable::IndexColumns => (
            "sysindexcolumns",
            3,
            &[
                ("object", Int),
                ("index", Int),
                ("position", Int),
                ("column", Int),
                ("is_descending", Bit),
                ("is_included", Bit),
            ],
        ),
        SystemTable::Constraints => (
            "sysconstraints",
            2,
            &[
                ("object", Int),
                ("id", Int),
                ("name", NAME),
                ("kind", KIND),
                ("text", TEXT),
                ("referenced", Int),
                ("on_delete", TinyInt),
                ("on_update", TinyInt),
                ("is_disabled", Bit),
                ("is_not_trusted", Bit),
                ("is_not_for_replication", Bit),
            ],
        ),
        SystemTable::KeyColumns => (
            "syskeycolumns",
            3,
            &[("object", Int), ("constraint", Int), ("position", Int), ("column", Int), ("referenced_column", Int)],
        ),
        SystemTable::Modules => ("sysmodules", 2, &[("object", Int), ("part", Int), ("text", TEXT)]),
        SystemTable::Schemas => ("sysschemas", 1, &[("id", Int), ("name", NAME)]),
        SystemTable::Types => {
            // The last two are what is bound to an alias type; 0, or NULL in rows of earlier programs, where nothing is.
            (
                "systypes",
                1,
                &[
                    ("id", Int),
                    ("schema_id", Int),
                    ("name", NAME),
                    ("base", NAME),
                    ("is_nullable", Bit),
                    ("default", Int),
                    ("rule", Int),
                ],
            )
        }
        SystemTable::Sequences => (
            "syssequences",
            1,
            &[
                ("object", Int),
                ("type", NAME),
                ("start", BigInt),
                ("increment", BigInt),
                ("min", BigInt),
                ("max", BigInt),
                ("is_cycling", Bit),
                ("cache", Int),
                ("counter", Int),
                ("first", BigInt),
                ("is_given", Bit),
            ],
        ),
        SystemTable::Identities => ("sysidentities", 1, &[("object", Int), ("reserved", BigInt)]),
        SystemTable::Statistics => (
            "sysstatistics",
            2,
            &[
                ("object", Int),
                ("id", Int),
                ("name", NAME),
                // Numbers of columns, with commas between them.
                ("columns", SqlType::NVarChar { len: MaxLen::Limited(1000) }),
                ("is_fixed", Bit),
            ],
        ),
        SystemTable::Principals => (
            "sysprincipals",
            2,
            &[
                ("scope", Int),
                ("id", Int),
                ("name", NAME),
                ("kind", KIND),
                ("sid", SID),
                // DEFAULT_SCHEMA of users, DEFAULT_DATABASE of logins.
                ("default", NAME),
                ("language", NAME),
                ("owner", Int),
                ("authentication", Int),
                ("password_hash", SqlType::NVarChar { len: MaxLen::Limited(400) }),
                ("flags", Int),
                ("password_set_us", BigInt),
                ("created_us", BigInt),
                ("modified_us", BigInt),
            ],
        ),
        SystemTable::Members => ("sysmembers", 3, &[("scope", Int), ("role", Int), ("member", Int)]),
        SystemTable::Permissions => (
            "syspermissions",
            6,
            &[
                ("class", Int),
                ("major", Int),
                ("minor", Int),
                ("grantee", Int),
                ("grantor", Int),
                ("permission", LETTERS),
                ("state", KIND),
            ],
        ),
        SystemTable::Owners => ("sysowners", 2, &[("class", Int), ("major", Int), ("owner", Int), ("sid", SID)]),
        SystemTable::Properties => (
            "sysproperties",
            4,
            // The number distinguishes the properties of one thing, whose names are compared as names are.
            &[("class", Int), ("major", Int), ("minor", Int), ("number", Int), ("name", NAME), ("value", PROPERTY)],
        ),
    }
}

fn definition(table: SystemTable) -> TableDef {
    let (name, key_columns, columns) = layout(table);
    let columns: Vec<ColumnDef> = columns
        .iter()
        .enumerate()
        .map(|(index, (name, sql))| {
            let ty = ExprType::plain(*sql, index >= key_columns);
            ColumnDef::new(index as i32 + 1, *name, ty)
        })
        .collect();
    let key = (0..key_columns).map(|column| KeyColumn { column, descending: false }).collect();
    let index = IndexDef::new(1, "clst".to_owned(), IndexKind::Index, true, key, &columns);
    let name = TableName {
        database: DbId::MASTER,
        database_name: Arc::from("master"),
        schema: Schema { id: SchemaId(4), name: Arc::from("sys") },
        name: name.to_owned(),
    };
    TableDef::assemble(table.id(), name, columns, Vec::new(), Vec::new(), vec![index])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_table_has_its_number_and_a_row_that_fits_a_page() {
        for table in SystemTable::ALL {
            let def = table.def();
            assert_eq!(def.id, table.id());
            let most: usize = def.columns.iter().map(|column| column.ty.sql.max_bytes().unwrap() as usize + 2).sum();
            assert!(most + 40 <= millpond_types::row::MAX_RECORD_BYTES, "{}: {most}", def.name);
        }
    }
}
