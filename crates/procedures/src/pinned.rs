//! What clients of earlier versions know of the server's own objects: the number of each, and the names, types and NULLs of the
//! columns of views and functions, in order. They are in `pinned.txt`, and what stands there does not change.
//!
//! An object that is new is not there until `MILLPOND_BLESS=1` adds it; nothing that is there goes or changes by that.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use millpond_catalog::SystemColumn;

use crate::procedure::PROCEDURES;
use crate::system_objects::objects;
use millpond_views::catalog::base_objects::BASE_OBJECTS;
use millpond_views::catalog::spt_values::SPT_VALUES;
use millpond_views::catalog::system::{columns_of, view_of};
use millpond_views::{FUNCTIONS, VIEWS};

const PINNED: &str = include_str!("pinned.txt");

/// An object and its columns: lines that begin with its number.
fn described(id: i32, kind: &str, schema: &str, name: &str, columns: &[SystemColumn]) -> String {
    let mut lines = format!("{id} {kind} {schema}.{name}\n");
    for column in columns {
        let null = if column.nullable { "null" } else { "not null" };
        writeln!(lines, "{id}   {} {} {null}", column.name, column.sql).expect("a String takes all");
    }
    lines
}

/// All objects that have a number, and the view of `master`, which has none.
fn present() -> Vec<String> {
    let schema_of = |id: i32, schema_id: i32| match view_of(id) {
        Some(view) => view.schema,
        None if schema_id == 1 => "dbo",
        None => "sys",
    };
    let shipped = objects();
    let shipped = shipped.iter().map(|object| {
        let columns = columns_of(object.id).unwrap_or_default();
        described(object.id, object.kind, schema_of(object.id, object.schema_id), object.name, columns)
    });
    let base = BASE_OBJECTS.iter().map(|object| {
        described(object.id, object.kind, schema_of(object.id, object.schema_id), object.name, object.columns)
    });
    let own = described(0, "V", SPT_VALUES.schema, SPT_VALUES.name, SPT_VALUES.columns);
    shipped.chain(base).chain([own]).collect()
}

/// Lines by the number that they begin with.
fn by_number(lines: &str) -> BTreeMap<i32, String> {
    let mut objects: BTreeMap<i32, String> = BTreeMap::new();
    for line in lines.lines() {
        let number =
            line.split(' ').next().and_then(|number| number.parse().ok()).expect("a line begins with a number");
        let lines = objects.entry(number).or_default();
        lines.push_str(line);
        lines.push('\n');
    }
    objects
}

#[test]
fn numbers_and_columns_of_earlier_versions_stay() {
    let present = present();
    if std::env::var_os("MILLPOND_BLESS").is_some() {
        let known = by_number(PINNED);
        let is_new = |lines: &&String| by_number(lines).keys().all(|number| !known.contains_key(number));
        let added: String = present.iter().filter(is_new).map(String::as_str).collect();
        // Columns that were added at the end follow those of their object.
        let present = by_number(&present.concat());
        let mut kept = String::new();
        for (at, line) in PINNED.lines().enumerate() {
            kept.push_str(line);
            kept.push('\n');
            let number = |line: &str| line.split(' ').next().and_then(|number| number.parse().ok());
            let own: i32 = number(line).expect("a line begins with a number");
            if PINNED.lines().nth(at + 1).and_then(number) != Some(own) {
                kept.push_str(present.get(&own).and_then(|now| now.strip_prefix(known[&own].as_str())).unwrap_or(""));
            }
        }
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/pinned.txt");
        std::fs::write(file, format!("{kept}{added}")).expect("the source is written");
        return;
    }
    let (present, pinned) = (by_number(&present.concat()), by_number(PINNED));
    for (number, lines) in &pinned {
        assert_eq!(present.get(number), Some(lines), "the object {number} is not what it was");
    }
    let new: Vec<_> = present.keys().filter(|number| !pinned.contains_key(*number)).collect();
    assert!(new.is_empty(), "objects that are not pinned yet (MILLPOND_BLESS=1 adds them): {new:?}");
}

#[test]
fn numbers_lie_in_their_ranges_and_those_of_views_and_functions_fall() {
    let views: Vec<i32> = VIEWS.iter().map(|(id, _)| *id).collect();
    let functions: Vec<i32> = FUNCTIONS.iter().map(|(id, _)| *id).collect();
    let procedures: Vec<i32> = PROCEDURES.iter().map(|(id, _)| *id).collect();
    for (ids, range) in [(&views, -2999..=-1000), (&procedures, -4999..=-3000), (&functions, -6999..=-5000)] {
        assert!(ids.iter().all(|id| range.contains(id)), "{ids:?} in {range:?}");
    }
    // `view_of` and `columns_of` look by halves.
    for ids in [&views, &functions] {
        assert!(ids.is_sorted_by(|above, below| above > below), "{ids:?} fall");
    }
    for (id, view) in VIEWS {
        assert_eq!(view_of(*id).map(|found| found.name), Some(view.name));
    }
}

#[test]
fn no_number_and_no_name_is_given_twice() {
    let shipped = objects();
    let numbers = shipped.iter().map(|object| object.id).chain(BASE_OBJECTS.iter().map(|object| object.id));
    let mut seen = BTreeSet::new();
    for number in numbers {
        assert!(seen.insert(number), "{number} is given twice");
    }
    let mut seen = BTreeSet::new();
    for object in &shipped {
        assert!(seen.insert((object.schema_id, object.name.to_lowercase())), "{} is there twice", object.name);
    }
    assert!(by_number(PINNED).len() > 370, "the file has the objects of the first day");
}
