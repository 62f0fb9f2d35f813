//! Views of the catalog that are asked for some objects by number or name: the same rows as the whole view gives for the
//! same predicate, made of those objects alone.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{engine, run, session};

const SCHEMA: [&str; 12] = [
    "CREATE DATABASE shop",
    "USE shop",
    "CREATE SCHEMA other",
    "CREATE TABLE customer (id int IDENTITY CONSTRAINT customer_key PRIMARY KEY, name varchar(20) NULL DEFAULT 'x',
        born date CONSTRAINT born_check CHECK (born > '1900'), twice AS id * 2)",
    "CREATE TABLE orders (id int PRIMARY KEY, customer int CONSTRAINT of_customer REFERENCES customer (id))",
    "CREATE INDEX by_customer ON orders (customer) INCLUDE (id)",
    "CREATE TABLE other.customer (id int NOT NULL UNIQUE)",
    "CREATE VIEW shown AS SELECT id, name FROM customer",
    "CREATE PROCEDURE told @a int, @b varchar(10) OUTPUT AS RETURN",
    "CREATE TRIGGER after_orders ON orders AFTER INSERT AS RETURN",
    "CREATE SEQUENCE numbers START WITH 1",
    "CREATE SYNONYM alias FOR customer",
];

/// Views with the columns by which they are asked: those of numbers, then those of names.
const VIEWS: &[(&str, &[&str], &[&str])] = &[
    ("sys.objects", &["object_id", "parent_object_id"], &["name"]),
    ("sys.all_objects", &["object_id", "parent_object_id"], &["name"]),
    ("sys.tables", &["object_id"], &["name"]),
    ("sys.views", &["object_id"], &["name"]),
    ("sys.all_views", &["object_id"], &["name"]),
    ("sys.procedures", &["object_id"], &["name"]),
    ("sys.sequences", &["object_id"], &["name"]),
    ("sys.synonyms", &["object_id"], &["name"]),
    ("sys.columns", &["object_id"], &[]),
    ("sys.all_columns", &["object_id"], &[]),
    ("sys.identity_columns", &["object_id"], &[]),
    ("sys.computed_columns", &["object_id"], &[]),
    ("sys.indexes", &["object_id"], &["name"]),
    ("sys.index_columns", &["object_id"], &[]),
    ("sys.partitions", &["object_id"], &[]),
    ("sys.dm_db_partition_stats", &["object_id"], &[]),
    ("sys.stats", &["object_id"], &["name"]),
    ("sys.stats_columns", &["object_id"], &[]),
    ("sys.key_constraints", &["object_id", "parent_object_id"], &["name"]),
    ("sys.foreign_keys", &["object_id", "parent_object_id", "referenced_object_id"], &["name"]),
    ("sys.check_constraints", &["object_id", "parent_object_id"], &["name"]),
    ("sys.default_constraints", &["object_id", "parent_object_id"], &["name"]),
    ("sys.foreign_key_columns", &["constraint_object_id", "parent_object_id", "referenced_object_id"], &[]),
    ("sys.sql_modules", &["object_id"], &[]),
    ("sys.parameters", &["object_id"], &["name"]),
    ("sys.triggers", &["object_id", "parent_id"], &["name"]),
    ("sysobjects", &["id", "parent_obj"], &["name"]),
    ("syscolumns", &["id"], &["name"]),
    ("sysindexes", &["id"], &["name"]),
    ("INFORMATION_SCHEMA.TABLES", &[], &["TABLE_NAME", "TABLE_SCHEMA"]),
    ("INFORMATION_SCHEMA.COLUMNS", &[], &["TABLE_NAME", "COLUMN_NAME"]),
    ("INFORMATION_SCHEMA.VIEWS", &[], &["TABLE_NAME"]),
    ("INFORMATION_SCHEMA.ROUTINES", &[], &["ROUTINE_NAME", "SPECIFIC_NAME"]),
    ("INFORMATION_SCHEMA.PARAMETERS", &[], &["SPECIFIC_NAME"]),
    ("INFORMATION_SCHEMA.SEQUENCES", &[], &["SEQUENCE_NAME"]),
    ("INFORMATION_SCHEMA.TABLE_CONSTRAINTS", &[], &["TABLE_NAME", "CONSTRAINT_NAME"]),
    ("INFORMATION_SCHEMA.CHECK_CONSTRAINTS", &[], &["CONSTRAINT_NAME"]),
    ("INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS", &[], &["CONSTRAINT_NAME"]),
    ("INFORMATION_SCHEMA.KEY_COLUMN_USAGE", &[], &["TABLE_NAME", "CONSTRAINT_NAME"]),
    ("INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE", &[], &["TABLE_NAME", "CONSTRAINT_NAME"]),
    ("INFORMATION_SCHEMA.CONSTRAINT_TABLE_USAGE", &[], &["TABLE_NAME", "CONSTRAINT_NAME"]),
];

const NAMES: [&str; 15] = [
    "'customer'",
    "'CUSTOMER  '",
    "N'orders'",
    "'customer_key'",
    "'OF_CUSTOMER'",
    "'shown'",
    "'told'",
    "'alias'",
    "'after_orders'",
    "'numbers'",
    "'nobody'",
    "'objects'",
    "'SysSchObjs '",
    "N'fn_helpcollations'",
    "NULL",
];

fn shop() -> (Arc<Engine>, Session) {
    let engine = engine();
    let mut session = session(&engine);
    for text in SCHEMA {
        let told = run(&mut session, text);
        assert!(!told.contains("Msg"), "{text}: {told}");
    }
    (engine, session)
}

/// The rows of two predicates on a view are the same, in any order.
fn assert_same(session: &mut Session, view: &str, by_lookup: &str, of_all: &str) -> usize {
    let declared = "DECLARE @name nvarchar(128) = N'Orders', @id bigint = OBJECT_ID('orders')";
    let mut rows = [by_lookup, of_all].map(|predicate| {
        let told = run(session, &format!("{declared} SELECT * FROM {view} WHERE {predicate}"));
        assert!(!told.contains("Msg"), "{view} WHERE {predicate}: {told}");
        let mut rows: Vec<String> = told.lines().map(str::to_owned).collect();
        rows.sort();
        rows
    });
    let found = rows[0].len();
    assert_eq!(std::mem::take(&mut rows[0]), rows[1], "{view} WHERE {by_lookup}");
    found
}

#[test]
fn lookups_in_views_give_the_rows_that_all_of_the_view_gives() {
    let (_engine, mut session) = shop();
    let mut found = 0;
    for (view, numbers, names) in VIEWS {
        for column in *names {
            for name in NAMES.into_iter().chain(["@name"]) {
                let (lookup, all) = (format!("{column} = {name}"), format!("{column} + N'' = {name}"));
                found += assert_same(&mut session, view, &lookup, &all);
            }
            let list = "(N'customer', 'shown', 'customer_key', NULL)";
            found +=
                assert_same(&mut session, view, &format!("{column} IN {list}"), &format!("{column} + N'' IN {list}"));
        }
        for column in *numbers {
            for name in NAMES {
                let number = format!("OBJECT_ID({name})");
                found += assert_same(
                    &mut session,
                    view,
                    &format!("{column} = {number}"),
                    &format!("{column} + 0 = {number}"),
                );
            }
            for number in [
                "@id",
                "CAST(OBJECT_ID('customer') AS decimal(12, 0))",
                "OBJECT_ID('customer') + 0.5",
                "3000000000",
                "34",
                "OBJECT_ID('sys.schemas')",
                "0",
            ] {
                found += assert_same(
                    &mut session,
                    view,
                    &format!("{number} = {column}"),
                    &format!("{column} + 0 = {number}"),
                );
            }
            let list =
                "(OBJECT_ID('customer'), OBJECT_ID('told'), OBJECT_ID('of_customer'), OBJECT_ID('orders'), NULL)";
            found +=
                assert_same(&mut session, view, &format!("{column} IN {list}"), &format!("{column} + 0 IN {list}"));
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn temporary_tables_are_found_in_tempdb_by_number_and_name() {
    let (engine, mut session) = shop();
    let mut other = crate::harness::session(&engine);
    run(&mut other, "CREATE TABLE #mine (a int, b int)");
    run(&mut session, "CREATE TABLE #mine (a int); CREATE TABLE #more (a int PRIMARY KEY)");
    let counts = "DECLARE @id int = OBJECT_ID('tempdb..#mine'), @name sysname
        SELECT @name = name FROM tempdb.sys.objects WHERE object_id = @id
        SELECT COUNT(*) AS n FROM tempdb.sys.columns WHERE object_id = @id
        SELECT COUNT(*) AS n FROM tempdb.sys.objects WHERE name = @name
        SELECT COUNT(*) AS n FROM tempdb.sys.objects WHERE name IN (@name, '#more')
        SELECT COUNT(*) AS n FROM tempdb.sys.tables t JOIN tempdb.sys.columns c ON c.object_id = t.object_id WHERE t.name = @name
        SELECT COUNT(*) AS n FROM sys.columns WHERE object_id = @id";
    let told = run(&mut session, counts);
    let numbers: Vec<&str> = told.lines().filter(|line| !line.starts_with(['[', '('])).collect();
    assert_eq!(numbers, ["1", "1", "1", "1", "0"], "{told}");
}

/// How many objects a text lists.
fn listed(engine: &Engine, session: &mut Session, text: &str) -> u64 {
    let before = engine.counters.listed_objects.load(Relaxed);
    let told = run(session, text);
    assert!(!told.contains("Msg"), "{text}: {told}");
    engine.counters.listed_objects.load(Relaxed) - before
}

/// The shop among 200 other tables.
fn large_shop() -> (Arc<Engine>, Session) {
    let (engine, mut session) = shop();
    run(
        &mut session,
        "DECLARE @i int = 0 WHILE @i < 200 BEGIN
           EXEC ('CREATE TABLE t' + @i + ' (id int PRIMARY KEY, a int DEFAULT 1)') SET @i += 1 END",
    );
    (engine, session)
}

#[test]
fn a_lookup_lists_no_more_objects_however_many_there_are() {
    let (engine, mut session) = large_shop();
    assert!(listed(&engine, &mut session, "SELECT COUNT(*) FROM sys.objects") > 200);
    let lookups = [
        "SELECT OBJECT_NAME(OBJECT_ID('t77')), OBJECTPROPERTY(OBJECT_ID('t77'), 'IsTable'), COL_NAME(OBJECT_ID('t77'), 1),
            OBJECT_SCHEMA_NAME(OBJECT_ID('t77')), COLUMNPROPERTY(OBJECT_ID('t77'), 'a', 'AllowsNull'), COL_LENGTH('t77', 'a')",
        "SELECT name FROM sys.objects WHERE object_id = OBJECT_ID('t77')",
        "SELECT object_id FROM sys.tables WHERE name = 't77'",
        "SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('t77') ORDER BY column_id",
        "SELECT i.name, COUNT(*) FROM sys.indexes i WHERE i.object_id = OBJECT_ID('t77') GROUP BY i.name",
        "IF EXISTS (SELECT * FROM sysobjects WHERE id = OBJECT_ID('t77') AND type = 'U') PRINT 'there'",
        "SELECT definition FROM sys.default_constraints WHERE parent_object_id = OBJECT_ID('t77')",
        "SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'dbo' AND TABLE_NAME = 't77'",
    ];
    for text in lookups {
        let objects = listed(&engine, &mut session, text);
        assert!(objects <= 8, "{objects}: {text}");
    }
}

/// Joins of views; `{k}` is put behind a key so that it leads nowhere.
const JOINS: [&str; 6] = [
    "SELECT t.name, c.name FROM sys.tables t JOIN sys.columns c ON c.object_id{k} = t.object_id WHERE t.name = 'customer'",
    "SELECT t.name, c.name, y.name FROM sys.columns c JOIN sys.tables t ON t.object_id{k} = c.object_id
       JOIN sys.types y ON y.user_type_id = c.user_type_id WHERE t.name IN ('orders', 'customer')",
    "SELECT t.name, i.name, ic.key_ordinal, c.name FROM sys.tables t JOIN sys.indexes i ON i.object_id{k} = t.object_id
       JOIN sys.index_columns ic ON ic.object_id{k} = i.object_id AND ic.index_id = i.index_id
       JOIN sys.columns c ON c.object_id{k} = ic.object_id AND c.column_id = ic.column_id WHERE t.object_id = OBJECT_ID('orders')",
    "SELECT c.name, d.definition FROM sys.columns c LEFT JOIN sys.default_constraints d
       ON d.parent_object_id{k} = c.object_id AND d.parent_column_id = c.column_id WHERE c.object_id = OBJECT_ID('customer')",
    "SELECT o.name, p.name FROM sys.objects o LEFT JOIN sys.objects p ON p.object_id{k} = o.parent_object_id WHERE o.name = 'of_customer'",
    "SELECT f.name, r.name FROM sys.foreign_keys f JOIN sys.tables r ON r.object_id{k} = f.referenced_object_id
       WHERE f.parent_object_id = OBJECT_ID('orders')",
];

#[test]
fn joins_of_views_give_the_same_rows_by_lookups() {
    let (engine, mut session) = large_shop();
    for join in JOINS {
        let mut rows = [" ", " + 0"].map(|key| {
            let told = run(&mut session, &join.replace("{k}", key));
            assert!(!told.contains("Msg"), "{join}: {told}");
            let mut rows: Vec<String> = told.lines().map(str::to_owned).collect();
            rows.sort();
            rows
        });
        assert!(rows[0].len() > 2, "{join}: {:?}", rows[0]);
        assert_eq!(std::mem::take(&mut rows[0]), rows[1], "{join}");
        let [objects, all] = ["", " + 0"].map(|key| listed(&engine, &mut session, &join.replace("{k}", key)));
        assert!(objects < 150 || join.contains("index_columns") && objects < all, "{objects} of {all}: {join}");
    }
}
