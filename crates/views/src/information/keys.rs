//! `INFORMATION_SCHEMA` of constraints: TABLE_CONSTRAINTS, CHECK_CONSTRAINTS, REFERENTIAL_CONSTRAINTS,
//! KEY_COLUMN_USAGE, CONSTRAINT_COLUMN_USAGE, CONSTRAINT_TABLE_USAGE.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::system_view::Lead;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{CatalogObject, DatabaseObjects, ForeignKeyDef, IndexDef, SchemaId, TableDef, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;

use crate::catalog::constraints::action;
use crate::columns::{NVarChar, Sysname, VarChar, maybe, text};
use crate::information::tables::{SCHEMA, catalog_name};
use crate::row::{RowPart, Rows, ViewRows, led_view, row};

row! {
    /// The name of a constraint.
    struct ConstraintName {
        CONSTRAINT_CATALOG: Option<Sysname>,
        CONSTRAINT_SCHEMA: Option<Sysname>,
        CONSTRAINT_NAME: Sysname,
    }
}

row! {
    /// That of its table.
    struct TableName {
        TABLE_CATALOG: Option<Sysname>,
        TABLE_SCHEMA: Option<Sysname>,
        TABLE_NAME: Sysname,
    }
}

row! {
    /// A row of `INFORMATION_SCHEMA.TABLE_CONSTRAINTS`.
    struct TableConstraints {
        constraint: ConstraintName,
        table: TableName,
        CONSTRAINT_TYPE: Option<VarChar<11>>,
        IS_DEFERRABLE: VarChar<2>,
        INITIALLY_DEFERRED: VarChar<2>,
    }
}

/// `INFORMATION_SCHEMA.TABLE_CONSTRAINTS`
pub static TABLE_CONSTRAINTS: ViewDef = led_view(
    SCHEMA,
    "TABLE_CONSTRAINTS",
    &[("TABLE_NAME", Lead::Name), ("CONSTRAINT_NAME", Lead::Name)],
    &ViewRows(table_constraints),
);

row! {
    /// A row of `INFORMATION_SCHEMA.CHECK_CONSTRAINTS`.
    struct CheckConstraints {
        constraint: ConstraintName,
        CHECK_CLAUSE: Option<NVarChar<4000>>,
    }
}

/// `INFORMATION_SCHEMA.CHECK_CONSTRAINTS`
pub static CHECK_CONSTRAINTS: ViewDef =
    led_view(SCHEMA, "CHECK_CONSTRAINTS", &[("CONSTRAINT_NAME", Lead::Name)], &ViewRows(check_constraints));

row! {
    /// A row of `INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS`.
    struct ReferentialConstraints {
        constraint: ConstraintName,
        UNIQUE_CONSTRAINT_CATALOG: Option<Sysname>,
        UNIQUE_CONSTRAINT_SCHEMA: Option<Sysname>,
        UNIQUE_CONSTRAINT_NAME: Option<Sysname>,
        MATCH_OPTION: Option<VarChar<7>>,
        UPDATE_RULE: Option<VarChar<11>>,
        DELETE_RULE: Option<VarChar<11>>,
    }
}

/// `INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS`
pub static REFERENTIAL_CONSTRAINTS: ViewDef =
    led_view(SCHEMA, "REFERENTIAL_CONSTRAINTS", &[("CONSTRAINT_NAME", Lead::Name)], &ViewRows(referential_constraints));

row! {
    /// A row of `INFORMATION_SCHEMA.KEY_COLUMN_USAGE`.
    struct KeyColumnUsage {
        constraint: ConstraintName,
        table: TableName,
        COLUMN_NAME: Option<Sysname>,
        ORDINAL_POSITION: i32,
    }
}

/// `INFORMATION_SCHEMA.KEY_COLUMN_USAGE`
pub static KEY_COLUMN_USAGE: ViewDef = led_view(
    SCHEMA,
    "KEY_COLUMN_USAGE",
    &[("TABLE_NAME", Lead::Name), ("CONSTRAINT_NAME", Lead::Name)],
    &ViewRows(key_column_usage),
);

row! {
    /// A row of `INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE`.
    struct ConstraintColumnUsage {
        table: TableName,
        COLUMN_NAME: Option<Sysname>,
        constraint: ConstraintName,
    }
}

/// `INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE`
pub static CONSTRAINT_COLUMN_USAGE: ViewDef = led_view(
    SCHEMA,
    "CONSTRAINT_COLUMN_USAGE",
    &[("TABLE_NAME", Lead::Name), ("CONSTRAINT_NAME", Lead::Name)],
    &ViewRows(constraint_column_usage),
);

row! {
    /// A row of `INFORMATION_SCHEMA.CONSTRAINT_TABLE_USAGE`.
    struct ConstraintTableUsage {
        table: TableName,
        constraint: ConstraintName,
    }
}

/// `INFORMATION_SCHEMA.CONSTRAINT_TABLE_USAGE`
pub static CONSTRAINT_TABLE_USAGE: ViewDef = led_view(
    SCHEMA,
    "CONSTRAINT_TABLE_USAGE",
    &[("TABLE_NAME", Lead::Name), ("CONSTRAINT_NAME", Lead::Name)],
    &ViewRows(|ctx, database| {
        each_table(ctx, database, |name, def, _, rows| {
            rows.extend(named_constraints(def).into_iter().map(|(constraint, _)| ConstraintTableUsage {
                table: table_name(name, def),
                constraint: constraint_name(name, def, constraint),
            }));
        })
    }),
);

/// The rows of every table; the closure gets the name of the database, and adds those of one table.
fn each_table<R: RowPart>(
    ctx: &RunContext,
    database: Within<'_>,
    rows_of: impl Fn(&Option<Sysname>, &TableDef, &DatabaseObjects, &mut Rows<R>),
) -> SqlResult<Rows<R>> {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Rows::new();
    for object in inventory::among(ctx, database, &objects) {
        match object {
            CatalogObject::Table(def, _) if def.schema.id != SchemaId(4) => rows_of(&name, def, &objects, &mut rows),
            _ => {}
        }
    }
    Ok(rows)
}

/// The name of a constraint of a table: it is in the table's schema.
fn constraint_name(database: &Option<Sysname>, def: &TableDef, name: &str) -> ConstraintName {
    ConstraintName {
        CONSTRAINT_CATALOG: database.clone(),
        CONSTRAINT_SCHEMA: Some(text(&def.schema.name)),
        CONSTRAINT_NAME: text(name),
    }
}

fn table_name(database: &Option<Sysname>, def: &TableDef) -> TableName {
    TableName {
        TABLE_CATALOG: database.clone(),
        TABLE_SCHEMA: Some(text(&def.schema.name)),
        TABLE_NAME: text(&def.name),
    }
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

fn table_constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<TableConstraints>> {
    each_table(ctx, database, |name, def, _, rows| {
        rows.extend(named_constraints(def).into_iter().map(|(constraint, kind)| TableConstraints {
            constraint: constraint_name(name, def, constraint),
            table: table_name(name, def),
            CONSTRAINT_TYPE: Some(text(kind)),
            IS_DEFERRABLE: text("NO"),
            INITIALLY_DEFERRED: text("NO"),
        }));
    })
}

fn check_constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<CheckConstraints>> {
    each_table(ctx, database, |name, def, _, rows| {
        rows.extend(def.checks.iter().filter(|check| check.is_constraint()).map(|check| CheckConstraints {
            constraint: constraint_name(name, def, &check.name),
            CHECK_CLAUSE: Some(text(&inventory::shown_expression(&check.text))),
        }));
    })
}

/// The table and the unique index that a foreign key relies on.
fn relied_on<'a>(objects: &'a DatabaseObjects, key: &ForeignKeyDef) -> Option<(&'a TableDef, &'a IndexDef)> {
    let (referenced, _) = objects.table(key.referenced)?;
    Some((referenced, inventory::referenced_index(referenced, key)?))
}

fn referential_constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ReferentialConstraints>> {
    each_table(ctx, database, |name, def, objects, rows| {
        let rule = |which| Some(text(&action(which).1.replace('_', " ")));
        rows.extend(def.foreign_keys.iter().map(|key| {
            let unique = relied_on(objects, key);
            ReferentialConstraints {
                constraint: constraint_name(name, def, &key.name),
                UNIQUE_CONSTRAINT_CATALOG: name.clone(),
                UNIQUE_CONSTRAINT_SCHEMA: maybe(unique.map(|(table, _)| &*table.schema.name)),
                UNIQUE_CONSTRAINT_NAME: maybe(unique.map(|(_, index)| index.name.as_str())),
                MATCH_OPTION: Some(text("SIMPLE")),
                UPDATE_RULE: rule(key.on_update),
                DELETE_RULE: rule(key.on_delete),
            }
        }));
    })
}

/// Names and key columns of primary, unique and foreign keys.
fn keys(def: &TableDef) -> Vec<(&str, Vec<usize>)> {
    let constraints = def.indexes.iter().filter(|index| index.constraint.0 != 0);
    let own = constraints.map(|index| (index.name.as_str(), index.key.iter().map(|key| key.column).collect()));
    let foreign = def.foreign_keys.iter().map(|key| (key.name.as_str(), key.columns.clone()));
    own.chain(foreign).collect()
}

fn key_column_usage(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<KeyColumnUsage>> {
    each_table(ctx, database, |name, def, _, rows| {
        for (constraint, columns) in keys(def) {
            rows.extend(columns.into_iter().zip(1..).map(|(column, ordinal)| KeyColumnUsage {
                constraint: constraint_name(name, def, constraint),
                table: table_name(name, def),
                COLUMN_NAME: Some(text(&def.columns[column].name)),
                ORDINAL_POSITION: ordinal,
            }));
        }
    })
}

fn constraint_column_usage(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ConstraintColumnUsage>> {
    each_table(ctx, database, |name, def, _, rows| {
        let of_checks = def.checks.iter().filter(|check| check.is_constraint());
        let of_checks = of_checks.map(|check| (check.name.as_str(), columns_of(&check.expr)));
        for (constraint, columns) in keys(def).into_iter().chain(of_checks) {
            rows.extend(columns.into_iter().map(|column| ConstraintColumnUsage {
                table: table_name(name, def),
                COLUMN_NAME: Some(text(&def.columns[column].name)),
                constraint: constraint_name(name, def, constraint),
            }));
        }
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
