//! The walk through SQL Server's system views: which of them are there, with which columns, in their order.
//!
//! `walk/views.txt` has their names, `walk/views_missing.txt` what is not there yet, which `MILLPOND_BLESS=1` writes: the walk fails
//! where something of the one is missing that the other does not name, and where a name of the other is there by now.

use std::collections::HashMap;
use std::fmt::Write;

use crate::harness::{engine, run, session};

const VIEWS: &str = include_str!("walk/views.txt");
const MISSING: &str = include_str!("walk/views_missing.txt");

/// The columns of all views and table-valued functions of the server, and of msdb's tables, by lower-case names.
fn present() -> HashMap<String, Vec<String>> {
    let engine = engine();
    let mut session = session(&engine);
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    let query = "set nocount on select lower(s.name + '.' + o.name), lower(c.name) from sys.all_objects as o
        join sys.schemas as s on s.schema_id = o.schema_id join sys.all_columns as c on c.object_id = o.object_id
        where o.is_ms_shipped = 1 order by o.object_id, c.column_id";
    let said = run(&mut session, query);
    for line in said.lines() {
        if let Some((view, column)) = line.split_once(" | ") {
            found.entry(view.to_owned()).or_default().push(column.to_owned());
        }
    }
    for view in VIEWS.lines().filter_map(|line| line.split(' ').next()).filter(|view| view.starts_with("msdb.")) {
        let query = format!(
            "set nocount on select lower(name), 0 from sys.dm_exec_describe_first_result_set(N'select * from {view}', null, 0)
            where name is not null order by column_ordinal"
        );
        let said = run(&mut session, &query);
        let columns = said.lines().filter_map(|line| line.split_once(" | ")).map(|(column, _)| column.to_owned());
        let columns: Vec<String> = columns.collect();
        if !columns.is_empty() {
            found.insert(view.to_owned(), columns);
        }
    }
    found
}

/// What is missing of the list, a line each: a view, or a view and a column; whole views, and columns that are there.
fn walked() -> (String, usize, usize) {
    let present = present();
    let (mut missing, mut whole, mut columns) = (String::new(), 0, 0);
    for line in VIEWS.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let view = words.next().expect("a name");
        let Some(own) = present.get(&view.to_lowercase()) else {
            let _ = writeln!(missing, "{view}");
            continue;
        };
        let (mut at, mut is_whole) = (0, true);
        for column in words {
            match own.iter().skip(at).position(|known| known == column) {
                Some(place) => {
                    at += place + 1;
                    columns += 1;
                }
                None => {
                    is_whole = false;
                    let why = if own.iter().any(|known| known == column) { " (elsewhere)" } else { "" };
                    let _ = writeln!(missing, "{view} {column}{why}");
                }
            }
        }
        whole += usize::from(is_whole);
    }
    (missing, whole, columns)
}

#[test]
fn views_of_the_list_are_there_but_for_those_that_are_named_missing() {
    let (missing, whole, columns) = walked();
    println!("{whole} views are whole, with {columns} columns in all");
    if std::env::var_os("MILLPOND_BLESS").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/walk/views_missing.txt");
        std::fs::write(file, missing).expect("the source is written");
        return;
    }
    let new: Vec<&str> = missing.lines().filter(|line| !MISSING.lines().any(|known| known == *line)).collect();
    assert!(new.is_empty(), "not there any more: {new:#?}");
    let there: Vec<&str> = MISSING.lines().filter(|line| !missing.lines().any(|known| known == *line)).collect();
    assert!(there.is_empty(), "there by now, so not missing: {there:#?}");
    assert!(whole >= 300, "{whole} of the views are whole");
}
