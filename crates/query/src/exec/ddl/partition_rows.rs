//! Rows of partitions that go, or go to another table: TRUNCATE TABLE … WITH (PARTITIONS (…)) and ALTER TABLE … SWITCH.
//!
//! A partitioned table is one tree like any other, so what goes is found by its column, and the trees of each table are built anew
//! of the rows that it has from then on.
//! What always holds: both tables are locked against everybody before a row is read, and either both change or none.

use std::sync::Arc;

use millpond_catalog::data_space::PartitionFunction;
use millpond_catalog::{IndexDef, TableDef};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rows::build::{OldTable, trees_of_rows};
use millpond_tsql::ast::{Expr, ObjectName, PartitionRange, Statement};
use millpond_types::Value;

use crate::exec::batch::{BatchRun, scalar, scope, transaction};
use crate::exec::ddl::objects::{self, Open};
use crate::exec::ddl::table;
use millpond_catalog::is_local_temporary;

/// What divides the rows of a table.
struct Division {
    function: PartitionFunction,
    /// Position of the column.
    column: usize,
}

impl Division {
    fn of(open: &Open) -> Option<Division> {
        let objects = open.dictionary.catalog().objects();
        let (function, id) = objects.data_spaces().dividing(open.def.id, open.def.indexes[0].id)?;
        let column = open.def.columns.iter().position(|column| column.id == id)?;
        Some(Division { function: function.clone(), column })
    }

    /// The number of a row's partition, from 1.
    fn partition_of(&self, row: &[Value]) -> usize {
        self.function.partition_of(&row[self.column])
    }
}

/// How many partitions an index has.
pub(in crate::exec) fn partitions(open: &Open, index: u16) -> usize {
    let objects = open.dictionary.catalog().objects();
    objects.data_spaces().dividing(open.def.id, index).map_or(1, |(function, _)| function.partitions())
}

/// `TRUNCATE TABLE name WITH (PARTITIONS (n, n TO n, …))`
///
/// # Errors
/// Those of TRUNCATE TABLE; 7729 for a table that is not partitioned, 3756 for an index that is divided otherwise, 7722 and 7728
/// for numbers that are none, 4957 for what is no number.
pub(in crate::exec) fn truncate(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    name: &ObjectName,
    ranges: &[PartitionRange],
) -> SqlResult<()> {
    let mut said = Vec::with_capacity(ranges.len());
    for (at, range) in ranges.iter().enumerate() {
        let part = u16::try_from(2 * at).map_err(|_| message::syntax_near("PARTITIONS"))?;
        let first = number(run, statement, part, &range.first, ("TRUNCATE TABLE", name))?;
        let last = match &range.last {
            Some(last) => number(run, statement, part + 1, last, ("TRUNCATE TABLE", name))?,
            None => first,
        };
        said.push((first, last));
    }
    let not_partitioned = || SqlError::of(7729, 1, &[&"truncate", &"table", &"table", &name.shown()]);
    if is_local_temporary(name.last()) {
        return Err(not_partitioned());
    }
    transaction::implicit_begin(run);
    scope::forget_tables(run);
    scope::atomically(run, name.last(), |run| {
        let open = objects::find_table(run, name)?.ok_or_else(|| message::cannot_truncate(&name.shown()))?;
        table::check_truncated(&open, name)?;
        let division = Division::of(&open).ok_or_else(not_partitioned)?;
        if let Some(index) = unaligned(&open, &division) {
            return Err(SqlError::of(3756, 1, &[&index.name, &open.def.name, &division.function.name]));
        }
        let partitions = division.function.partitions();
        let mut goes = vec![false; partitions];
        for (first, last) in said {
            let place = |number: i64| {
                let found = usize::try_from(number).ok().filter(|number| (1..=partitions).contains(number));
                found.ok_or_else(|| SqlError::of(7722, 2, &[&number, &"table", &name.shown(), &partitions]))
            };
            let (first, last) = (place(first)?, place(last)?);
            if first > last {
                return Err(SqlError::of(7728, 1, &[&first, &last]));
            }
            goes[first - 1..last].fill(true);
        }
        let stays = &mut |row: &[Value]| Ok((!goes[division.partition_of(row) - 1]).then(|| row.to_vec()));
        let old = OldTable { def: &open.def, trees: &open.trees };
        let rows: Vec<(OldTable<'_>, millpond_rows::build::ChooseRow<'_>)> = vec![(old, stays)];
        put_rows(run, &open, rows)
    })?;
    run.done_without_count();
    Ok(())
}

/// `ALTER TABLE source SWITCH [PARTITION n] TO target [PARTITION n]`
///
/// # Errors
/// 4902 and 4948 to 4955 for tables and partitions that are none, 1713 in a trigger of one of them, 4904, 4905 for a target that has
/// rows, 4942 to 4947 and their kin for tables that differ (an alias type is what it is made of), 4972, 4973 and 4982 for rows that have no place in the target.
pub(in crate::exec) fn switch(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    (source, from): (&ObjectName, Option<&Expr>),
    (target, to): (&ObjectName, Option<&Expr>),
) -> SqlResult<()> {
    let mut said = |part, expr: Option<&Expr>, of| {
        expr.map(|expr| number(run, statement, part, expr, ("ALTER TABLE SWITCH", of))).transpose()
    };
    let (from, to) = (said(0, from, source)?, said(1, to, target)?);
    scope::check_versioned(run, source)?;
    transaction::implicit_begin(run);
    scope::forget_tables(run);
    scope::atomically(run, source.last(), |run| {
        let source = open_user_table(run, source)?;
        let target = open_user_table(run, target)?;
        [&source, &target].into_iter().try_for_each(|open| check_not_firing(run, &open.def))?;
        check_tables(&source.def, &target.def)?;
        check_unreferenced(&source)?;
        let source_part = Part::of(run, &source, from)?;
        let target_part = Part::of(run, &target, to)?;
        check_columns(&source.def, &target.def)?;
        check_indexes(&source, &target)?;
        check_constraints(&source.def, &target.def)?;
        check_places((&source, &source_part), (&target, &target_part))?;
        move_rows(run, (&source, &source_part), (&target, &target_part))
    })?;
    run.done_without_count();
    Ok(())
}

/// Rows of a table: one partition, or all where it is not divided.
struct Part {
    division: Option<Division>,
    /// From 1.
    number: usize,
}

impl Part {
    /// # Errors
    /// 4911 for a partitioned table without a number, 4950 for a number that is none.
    fn of(run: &mut BatchRun<'_>, open: &Open, number: Option<i64>) -> SqlResult<Part> {
        let name = &open.def.name;
        let (division, number) = match (Division::of(open), number) {
            (None, None) => (None, 1),
            (None, Some(number)) => {
                run.inform(4903, &[&number, name]);
                (None, 1)
            }
            (Some(_), None) => return Err(SqlError::of(4911, 2, &[name])),
            (Some(division), Some(number)) => {
                let partitions = division.function.partitions();
                let found = usize::try_from(number).ok().filter(|number| (1..=partitions).contains(number));
                (Some(division), found.ok_or_else(|| SqlError::of(4950, 1, &[&number, name]))?)
            }
        };
        Ok(Part { division, number })
    }

    fn has(&self, row: &[Value]) -> bool {
        self.division.as_ref().is_none_or(|division| division.partition_of(row) == self.number)
    }
}

/// A partition's number.
///
/// # Errors
/// 4957 for what is no whole number.
fn number(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    part: u16,
    expr: &Expr,
    (words, of): (&str, &ObjectName),
) -> SqlResult<i64> {
    let value = scalar::scalar(run, statement, part, expr, None)?;
    value.as_i64().ok_or_else(|| SqlError::of(4957, 1, &[&words, &"table", &of.shown()]))
}

/// A table of the user; the rows of a temporary one are nobody's to give.
///
/// # Errors
/// 4902, 4949
fn open_user_table(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<Open> {
    if is_local_temporary(name.last()) {
        return Err(message::missing("ALTER TABLE … SWITCH of temporary tables"));
    }
    objects::open_table(run, name).map_err(|error| {
        let is_view = millpond_engine::settled::find_object(&run.ctx, name).is_ok_and(|found| found.is_some());
        if error.number == 4902 && is_view { SqlError::of(4949, 1, &[&name.shown()]) } else { error }
    })
}

/// 1713: a trigger that runs would go on with rows of another table.
fn check_not_firing(run: &BatchRun<'_>, def: &TableDef) -> SqlResult<()> {
    let mut running = run.ctx.facts.trigger.iter().flat_map(|trigger| trigger.stack());
    match running.any(|trigger| (trigger.database, trigger.target) == (def.database, Some(def.id))) {
        true => Err(SqlError::of(1713, 1, &[&"ALTER TABLE SWITCH", &def.name])),
        false => Ok(()),
    }
}

fn check_tables(source: &TableDef, target: &TableDef) -> SqlResult<()> {
    if source.database != target.database {
        let names: [&dyn std::fmt::Display; 4] =
            [&source.name, &source.database_name, &target.name, &target.database_name];
        return Err(SqlError::of(4948, 1, &names));
    }
    if source.id == target.id {
        return Err(SqlError::of(4955, 1, &[&source.name, &target.name]));
    }
    if !source.views.is_empty() || !target.views.is_empty() {
        return Err(message::missing("ALTER TABLE … SWITCH of a table with indexed views"));
    }
    if source.options.large_out_of_row != target.options.large_out_of_row {
        return Err(SqlError::of(4993, 1, &[&source.name, &target.name]));
    }
    let (source_limit, target_limit) = (source.options.text_in_row, target.options.text_in_row);
    if source_limit != target_limit {
        return Err(SqlError::of(4954, 1, &[&source.name, &source_limit, &target.name, &target_limit]));
    }
    Ok(())
}

/// 4967: keys of other tables refer to the rows that would go.
fn check_unreferenced(source: &Open) -> SqlResult<()> {
    let objects = source.dictionary.catalog().objects();
    let mut keys = objects.referring_to(source.def.id).flat_map(|table| &table.foreign_keys);
    match keys.find(|key| key.referenced == source.def.id) {
        Some(key) => Err(SqlError::of(4967, 1, &[&source.def.name, &key.name])),
        None => Ok(()),
    }
}

/// The columns are the same, one by one.
fn check_columns(source: &TableDef, target: &TableDef) -> SqlResult<()> {
    let (from, to) = (&source.name, &target.name);
    if source.columns.len() != target.columns.len() {
        return Err(SqlError::of(4943, 1, &[from, &source.columns.len(), to, &target.columns.len()]));
    }
    for (at, (one, other)) in source.columns.iter().zip(&target.columns).enumerate() {
        let name = &one.name;
        if !millpond_catalog::names_equal(name, &other.name) {
            return Err(SqlError::of(4942, 1, &[name, &(at + 1), from, &other.name, to]));
        }
        if one.ty.sql != other.ty.sql {
            return Err(SqlError::of(
                4944,
                1,
                &[name, &one.ty.sql.declaration(), from, &other.ty.sql.declaration(), to],
            ));
        }
        if one.is_sparse != other.is_sparse {
            return Err(SqlError::of(11_412, 1, &[name, from, to]));
        }
        if one.is_row_guid != other.is_row_guid {
            return Err(SqlError::of(4958, 1, &[name, from, to]));
        }
        let mask_of = |column: &millpond_catalog::ColumnDef| column.mask.as_ref().map(|mask| Arc::clone(&mask.text));
        if mask_of(one) != mask_of(other) {
            return Err(message::missing("ALTER TABLE … SWITCH of a column to one with another mask"));
        }
        if one.ty.collation != other.ty.collation {
            return Err(SqlError::of(4945, 1, &[name, from, to]));
        }
        match (&one.computed, &other.computed) {
            (None, None) => {}
            (Some(computed), Some(same)) => {
                if computed.persisted != same.persisted {
                    return Err(SqlError::of(4946, 1, &[name, from, to]));
                }
                if !computed.expr.same_as(&same.expr) {
                    return Err(SqlError::of(4966, 1, &[name, &computed.text, from, to, &same.text]));
                }
            }
            (Some(_), None) => return Err(SqlError::of(4965, 1, &[name, from, to])),
            (None, Some(_)) => return Err(SqlError::of(4965, 1, &[name, to, from])),
        }
        if one.ty.nullable != other.ty.nullable {
            return Err(SqlError::of(4985, 1, &[name, from, to]));
        }
    }
    Ok(())
}

/// Each index of the target has one like it in the source, and indexes are divided as their tables are.
fn check_indexes(source: &Open, target: &Open) -> SqlResult<()> {
    let (from, to) = (&source.def, &target.def);
    for (one, other) in [(from, to), (to, from)] {
        if one.is_clustered() && !other.is_clustered() {
            return Err(SqlError::of(4913, 1, &[&one.name, &one.indexes[0].name, &other.name]));
        }
    }
    for index in to.indexes.iter().filter(|index| !index.key.is_empty()) {
        if !from.indexes.iter().any(|own| is_like(own, index)) {
            return Err(SqlError::of(4947, 1, &[&from.name, &index.name, &to.name]));
        }
    }
    for open in [source, target] {
        let objects = open.dictionary.catalog().objects();
        let spaces = objects.data_spaces();
        let divided = |index: &IndexDef| spaces.dividing(open.def.id, index.id).map(|(function, _)| function.id);
        let of_table = divided(&open.def.indexes[0]);
        if let Some(index) = open.def.indexes.iter().find(|index| divided(index) != of_table) {
            let (table, index) = (&open.def.name, &index.name);
            return Err(match of_table {
                Some(_) => SqlError::of(7733, 4, &[&"ALTER TABLE SWITCH", &"table", table, &"index", index]),
                None => SqlError::of(7733, 4, &[&"ALTER TABLE SWITCH", &"index", index, &"table", table]),
            });
        }
    }
    Ok(())
}

fn is_like(one: &IndexDef, other: &IndexDef) -> bool {
    let filter = match (&one.filter, &other.filter) {
        (None, None) => true,
        (Some((_, one)), Some((_, other))) => one.same_as(other),
        _ => false,
    };
    let key = |index: &IndexDef| index.key.iter().map(|part| (part.column, part.descending)).collect::<Vec<_>>();
    let sorted = |columns: &[usize]| {
        let mut columns = columns.to_vec();
        columns.sort_unstable();
        columns
    };
    filter
        && one.kind == other.kind
        && one.unique == other.unique
        && one.disabled == other.disabled
        && one.holds_rows() == other.holds_rows()
        && key(one) == key(other)
        && sorted(&one.included) == sorted(&other.included)
}

/// What the target checks of its rows, the source has checked.
fn check_constraints(source: &TableDef, target: &TableDef) -> SqlResult<()> {
    let (from, to) = (&source.name, &target.name);
    for table in [source, target] {
        if let Some(rule) = table.checks.iter().find(|check| !check.is_constraint()) {
            return Err(SqlError::of(4964, 1, &[&table.name, &rule.name]));
        }
    }
    for check in target.checks.iter().filter(|check| !check.disabled) {
        let Some(own) = source.checks.iter().find(|own| own.expr.same_as(&check.expr)) else {
            return Err(match check.column() {
                Some(_) => SqlError::of(4971, 1, &[to, &check.name, from]),
                None => SqlError::of(4970, 1, &[to, &check.name, from]),
            });
        };
        if own.disabled || own.not_trusted && !check.not_trusted {
            return Err(SqlError::of(4960, 1, &[&own.name, from, &check.name, to]));
        }
    }
    for key in &target.foreign_keys {
        let is_like = |own: &&millpond_catalog::ForeignKeyDef| {
            own.columns == key.columns
                && own.referenced == key.referenced
                && own.referenced_columns == key.referenced_columns
                && (own.on_delete, own.on_update) == (key.on_delete, key.on_update)
        };
        let Some(own) = source.foreign_keys.iter().find(is_like) else {
            return Err(SqlError::of(4968, 1, &[to, &key.name, from]));
        };
        if own.disabled && !key.disabled {
            return Err(SqlError::of(4969, 1, &[&own.name, from, &key.name, to]));
        }
        if own.not_trusted && !key.not_trusted {
            return Err(SqlError::of(4974, 1, &[&own.name, from, &key.name, to]));
        }
    }
    Ok(())
}

/// 4938 to 4940: the rows lie in one filegroup before and after.
fn check_places((source, from): (&Open, &Part), (target, to): (&Open, &Part)) -> SqlResult<()> {
    let group_of = |open: &Open, part: &Part| {
        let objects = open.dictionary.catalog().objects();
        let spaces = objects.data_spaces();
        let space = spaces.placement(open.def.id, open.def.indexes[0].id).space;
        let scheme = spaces.scheme_of(space).filter(|_| part.division.is_some());
        let group = scheme.and_then(|scheme| scheme.groups.get(part.number - 1).copied()).unwrap_or(space);
        (group, spaces.group(group).map(|group| group.name.clone()).unwrap_or_default())
    };
    let ((one, one_name), (other, other_name)) = (group_of(source, from), group_of(target, to));
    if one == other {
        return Ok(());
    }
    let (source, target, table) = (&source.def.name, &target.def.name, "table");
    Err(match (&from.division, &to.division) {
        (Some(_), Some(_)) => {
            SqlError::of(4938, 1, &[&from.number, &table, source, &one_name, &to.number, &table, target, &other_name])
        }
        (None, None) => SqlError::of(4940, 1, &[&table, source, &one_name, &table, target, &other_name]),
        (None, Some(_)) => SqlError::of(4939, 1, &[&table, source, &one_name, &to.number, &table, target, &other_name]),
        (Some(_), None) => {
            SqlError::of(4939, 1, &[&table, target, &other_name, &from.number, &table, source, &one_name])
        }
    })
}

/// Builds the target of its rows and those that come, then the source of those that stay.
fn move_rows(run: &mut BatchRun<'_>, (source, from): (&Open, &Part), (target, to): (&Open, &Part)) -> SqlResult<()> {
    let (source_name, target_name) = (&source.def.name, &target.def.name);
    let own = &mut |row: &[Value]| match (to.has(row), &to.division) {
        (false, _) => Ok(Some(row.to_vec())),
        (true, Some(_)) => Err(SqlError::of(4904, 1, &[&to.number, target_name])),
        (true, None) => Err(SqlError::of(4905, 1, &[target_name])),
    };
    let comes = &mut |row: &[Value]| match (from.has(row), to.has(row), &from.division) {
        (false, ..) => Ok(None),
        (true, true, _) => Ok(Some(row.to_vec())),
        (true, false, Some(_)) => Err(SqlError::of(4973, 1, &[&from.number, source_name, &to.number, target_name])),
        (true, false, None) => Err(SqlError::of(4982, 1, &[source_name, &to.number, target_name])),
    };
    let old = |open: &'_ Open| (Arc::clone(&open.def), Arc::clone(&open.trees));
    let ((source_def, source_trees), (target_def, target_trees)) = (old(source), old(target));
    let of_source = OldTable { def: &source_def, trees: &source_trees };
    let of_target = OldTable { def: &target_def, trees: &target_trees };
    put_rows(run, target, vec![(of_target, own), (of_source, comes)])?;
    let stays = &mut |row: &[Value]| Ok((!from.has(row)).then(|| row.to_vec()));
    put_rows(run, source, vec![(of_source, stays)])
}

/// Gives a table other rows.
fn put_rows(
    run: &mut BatchRun<'_>,
    open: &Open,
    rows: Vec<(OldTable<'_>, millpond_rows::build::ChooseRow<'_>)>,
) -> SqlResult<()> {
    let old = OldTable { def: &open.def, trees: &open.trees };
    let trees = trees_of_rows(&run.ctx, &mut run.session.work, &open.dictionary, &old, rows)?;
    objects::put_table(run, &open.dictionary, &open.def, Arc::new(trees))
}

/// An index that is not divided as the rows are.
fn unaligned<'o>(open: &'o Open, division: &Division) -> Option<&'o IndexDef> {
    let objects = open.dictionary.catalog().objects();
    let spaces = objects.data_spaces();
    let is_divided_so = |index: &IndexDef| {
        spaces.dividing(open.def.id, index.id).is_some_and(|(function, _)| {
            function.boundaries == division.function.boundaries && function.is_right == division.function.is_right
        })
    };
    open.def.indexes.iter().find(|index| !is_divided_so(index))
}
