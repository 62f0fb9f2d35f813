//! `INFORMATION_SCHEMA` of constraints: TABLE_CONSTRAINTS, CHECK_CONSTRAINTS, REFERENTIAL_CONSTRAINTS,
//! KEY_COLUMN_USAGE, CONSTRAINT_COLUMN_USAGE, CONSTRAINT_TABLE_USAGE.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::system_view::Lead;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{CatalogObject, DatabaseObjects, ForeignKeyDef, IndexDef, SchemaId, TableDef, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::view::LedViewRows;
use crate::view::catalog::constraints::action;
use crate::view::catalog::information_tables::{SCHEMA, catalog_name};
use crate::view::columns::{INT, SYSNAME, col, int, maybe, null, nvarchar, text, varchar};

type Rows = SqlResult<Vec<Vec<Value>>>;

/// `INFORMATION_SCHEMA.TABLE_CONSTRAINTS`
pub static TABLE_CONSTRAINTS: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "TABLE_CONSTRAINTS",
    columns: &[
        null("CONSTRAINT_CATALOG", SYSNAME),
        null("CONSTRAINT_SCHEMA", SYSNAME),
        col("CONSTRAINT_NAME", SYSNAME),
        null("TABLE_CATALOG", SYSNAME),
        null("TABLE_SCHEMA", SYSNAME),
        col("TABLE_NAME", SYSNAME),
        null("CONSTRAINT_TYPE", varchar(11)),
        col("IS_DEFERRABLE", varchar(2)),
        col("INITIALLY_DEFERRED", varchar(2)),
    ],
    rows: &LedViewRows(&[("TABLE_NAME", Lead::Name), ("CONSTRAINT_NAME", Lead::Name)], table_constraints),
};

/// `INFORMATION_SCHEMA.CHECK_CONSTRAINTS`
pub static CHECK_CONSTRAINTS: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "CHECK_CONSTRAINTS",
    columns: &[
        null("CONSTRAINT_CATALOG", SYSNAME),
        null("CONSTRAINT_SCHEMA", SYSNAME),
        col("CONSTRAINT_NAME", SYSNAME),
        null("CHECK_CLAUSE", nvarchar(4000)),
    ],
    rows: &LedViewRows(&[("CONSTRAINT_NAME", Lead::Name)], check_constraints),
};

/// `INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS`
pub static REFERENTIAL_CONSTRAINTS: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "REFERENTIAL_CONSTRAINTS",
    columns: &[
        null("CONSTRAINT_CATALOG", SYSNAME),
        null("CONSTRAINT_SCHEMA", SYSNAME),
        col("CONSTRAINT_NAME", SYSNAME),
        null("UNIQUE_CONSTRAINT_CATALOG", SYSNAME),
        null("UNIQUE_CONSTRAINT_SCHEMA", SYSNAME),
        null("UNIQUE_CONSTRAINT_NAME", SYSNAME),
        null("MATCH_OPTION", varchar(7)),
        null("UPDATE_RULE", varchar(11)),
        null("DELETE_RULE", varchar(11)),
    ],
    rows: &LedViewRows(&[("CONSTRAINT_NAME", Lead::Name)], referential_constraints),
};

/// `INFORMATION_SCHEMA.KEY_COLUMN_USAGE`
pub static KEY_COLUMN_USAGE: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "KEY_COLUMN_USAGE",
    columns: &[
        null("CONSTRAINT_CATALOG", SYSNAME),
        null("CONSTRAINT_SCHEMA", SYSNAME),
        col("CONSTRAINT_NAME", SYSNAME),
        null("TABLE_CATALOG", SYSNAME),
        null("TABLE_SCHEMA", SYSNAME),
        col("TABLE_NAME", SYSNAME),
        null("COLUMN_NAME", SYSNAME),
        col("ORDINAL_POSITION", INT),
    ],
    rows: &LedViewRows(&[("TABLE_NAME", Lead::Name), ("CONSTRAINT_NAME", Lead::Name)], key_column_usage),
};

/// `INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE`
pub static CONSTRAINT_COLUMN_USAGE: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "CONSTRAINT_COLUMN_USAGE",
    columns: &[
        null("TABLE_CATALOG", SYSNAME),
        null("TABLE_SCHEMA", SYSNAME),
        col("TABLE_NAME", SYSNAME),
        null("COLUMN_NAME", SYSNAME),
        null("CONSTRAINT_CATALOG", SYSNAME),
        null("CONSTRAINT_SCHEMA", SYSNAME),
        col("CONSTRAINT_NAME", SYSNAME),
    ],
    rows: &LedViewRows(&[("TABLE_NAME", Lead::Name), ("CONSTRAINT_NAME", Lead::Name)], constraint_column_usage),
};

/// `INFORMATION_SCHEMA.CONSTRAINT_TABLE_USAGE`
pub static CONSTRAINT_TABLE_USAGE: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "CONSTRAINT_TABLE_USAGE",
    columns: &[
        null("TABLE_CATALOG", SYSNAME),
        null("TABLE_SCHEMA", SYSNAME),
        col("TABLE_NAME", SYSNAME),
        null("CONSTRAINT_CATALOG", SYSNAME),
        null("CONSTRAINT_SCHEMA", SYSNAME),
        col("CONSTRAINT_NAME", SYSNAME),
    ],
    rows: &LedViewRows(&[("TABLE_NAME", Lead::Name), ("CONSTRAINT_NAME", Lead::Name)], |ctx, database| {
        each_table(ctx, database, |name, def, _| {
            let constraints = named_constraints(def).into_iter();
            constraints
                .map(|(constraint, _)| {
                    let mut row = place(name, def, &def.name);
                    row.extend(place(name, def, constraint));
                    row
                })
                .collect()
        })
    }),
};

/// The rows of every table; the closure gets the name of the database.
fn each_table(
    ctx: &RunContext,
    database: Within<'_>,
    rows_of: impl Fn(&Value, &TableDef, &DatabaseObjects) -> Vec<Vec<Value>>,
) -> Rows {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, database)?;
    let tables = inventory::among(ctx, database, &objects).into_iter().filter_map(|object| match object {
        CatalogObject::Table(def, _) if def.schema.id != SchemaId(4) => Some(def),
        _ => None,
    });
    Ok(tables.flat_map(|def| rows_of(&name, def, &objects)).collect())
}

/// Database, schema and a name in it.
fn place(database: &Value, def: &TableDef, name: &str) -> Vec<Value> {
    vec![database.clone(), text(&def.schema.name), text(name)]
}

/// Names of the constraints that the standard knows, with their kind; defaults are none of them.
fn named_constraints(def: &TableDef) -> Vec<(&str, &'static str)> {
    let constraints = inventory::constraints(def).into_iter();
    constraints
        .filter_map(|(_, name, kind)| {
            let kind = match kind {
                "PK" => "PRIMARY KEY",
                "UQ" => "UNIQUE",
                "F" => "FOREIGN KEY",
                "C" => "CHECK",
                _ => return None,
            };
            Some((name, kind))
        })
        .collect()
}

fn table_constraints(ctx: &RunContext, database: Within<'_>) -> Rows {
    each_table(ctx, database, |name, def, _| {
        let constraints = named_constraints(def).into_iter();
        constraints
            .map(|(constraint, kind)| {
                let mut row = place(name, def, constraint);
                row.extend(place(name, def, &def.name));
                row.extend([text(kind), text("NO"), text("NO")]);
                row
            })
            .collect()
    })
}

fn check_constraints(ctx: &RunContext, database: Within<'_>) -> Rows {
    each_table(ctx, database, |name, def, _| {
        let checks = def.checks.iter();
        checks
            .map(|check| {
                let mut row = place(name, def, &check.name);
                row.push(text(&inventory::shown_expression(&check.text)));
                row
            })
            .collect()
    })
}

/// The table and the unique index that a foreign key relies on.
fn relied_on<'a>(objects: &'a DatabaseObjects, key: &ForeignKeyDef) -> Option<(&'a TableDef, &'a IndexDef)> {
    let (referenced, _) = objects.table(key.referenced)?;
    Some((referenced, inventory::referenced_index(referenced, key)?))
}

fn referential_constraints(ctx: &RunContext, database: Within<'_>) -> Rows {
    each_table(ctx, database, |name, def, objects| {
        let rule = |which| text(&action(which).1.replace('_', " "));
        let keys = def.foreign_keys.iter();
        keys.map(|key| {
            let mut row = place(name, def, &key.name);
            let unique = relied_on(objects, key);
            row.push(name.clone());
            row.push(maybe(unique.map(|(table, _)| &*table.schema.name)));
            row.push(maybe(unique.map(|(_, index)| index.name.as_str())));
            row.extend([text("SIMPLE"), rule(key.on_update), rule(key.on_delete)]);
            row
        })
        .collect()
    })
}

/// Names and key columns of primary, unique and foreign keys.
fn keys(def: &TableDef) -> Vec<(&str, Vec<usize>)> {
    let constraints = def.indexes.iter().filter(|index| index.constraint.0 != 0);
    let own = constraints.map(|index| (index.name.as_str(), index.key.iter().map(|key| key.column).collect()));
    let foreign = def.foreign_keys.iter().map(|key| (key.name.as_str(), key.columns.clone()));
    own.chain(foreign).collect()
}

fn key_column_usage(ctx: &RunContext, database: Within<'_>) -> Rows {
    each_table(ctx, database, |name, def, _| {
        let mut rows = Vec::new();
        for (constraint, columns) in keys(def) {
            for (column, ordinal) in columns.into_iter().zip(1i32..) {
                let mut row = place(name, def, constraint);
                row.extend(place(name, def, &def.name));
                row.extend([text(&def.columns[column].name), int(ordinal)]);
                rows.push(row);
            }
        }
        rows
    })
}

fn constraint_column_usage(ctx: &RunContext, database: Within<'_>) -> Rows {
    each_table(ctx, database, |name, def, _| {
        let mut used: Vec<(&str, Vec<usize>)> = keys(def);
        let of_checks = def.checks.iter().map(|check| (check.name.as_str(), columns_of(&check.expr)));
        used.extend(of_checks);
        let mut rows = Vec::new();
        for (constraint, columns) in used {
            for column in columns {
                let mut row = place(name, def, &def.name);
                row.push(text(&def.columns[column].name));
                row.extend(place(name, def, constraint));
                rows.push(row);
            }
        }
        rows
    })
}

/// The columns that a condition reads, in order.
fn columns_of(condition: &BoundExpr) -> Vec<usize> {
    let mut columns = std::collections::BTreeSet::new();
    condition.visit(&mut |expr| {
        if let Kind::Column(column) = expr.kind {
            columns.insert(column);
        }
    });
    columns.into_iter().collect()
}
