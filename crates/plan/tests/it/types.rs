//! Every type groups, joins, sorts, counts, compares and converts as its values say.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction as Function, Rel, RelJoin, RelSet};
use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value, compare as values_compare};

use crate::rig::*;
use crate::samples::samples;

/// A table of a type's samples, each twice, and NULL twice; and the samples in their order.
fn table_of(rig: &mut Rig, sql: SqlType, values: &[Value]) -> (Rel, Vec<Value>) {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| values_compare::compare(a, b, Collation::LATIN1_CI_AS));
    let rows =
        values.iter().chain([&Value::Null]).flat_map(|value| [vec![value.clone()], vec![value.clone()]]).collect();
    (values_table(rig, sql, rows), sorted)
}

/// Values that a record cannot hold in full (lengths above the declared) stay given rows.
fn values_table(rig: &mut Rig, sql: SqlType, rows: Vec<Vec<Value>>) -> Rel {
    let fits = |sql: &SqlType| !matches!(sql, SqlType::Char { .. } | SqlType::NChar { .. } | SqlType::Binary { .. });
    let ascii = rows.iter().flatten().all(|value| value.as_str().is_none_or(str::is_ascii));
    if fits(&sql) && ascii { rig.table(&[sql], rows) } else { values(&[sql], rows) }
}

fn column(rows: Vec<Vec<Value>>) -> Vec<Value> {
    rows.into_iter().map(|mut row| row.remove(0)).collect()
}

#[test]
fn every_type_sorts() {
    for (sql, samples) in samples() {
        let mut rig = Rig::default();
        let (table, sorted) = table_of(&mut rig, sql, &samples);
        let ascending: Vec<Value> =
            [Value::Null].iter().chain(&sorted).flat_map(|value| [value.clone(), value.clone()]).collect();
        assert_eq!(column(rig.rows(&sort(table.clone(), &[0]))), ascending, "{sql}");
        let descending: Vec<Value> = ascending.into_iter().rev().collect();
        assert_eq!(column(rig.rows(&sort(table, &[-1]))), descending, "{sql}");
    }
}

#[test]
fn every_type_groups_and_counts() {
    for (sql, samples) in samples() {
        let mut rig = Rig::default();
        let (table, sorted) = table_of(&mut rig, sql, &samples);
        let count = |distinct| Aggregate {
            function: Function::Count,
            arg: Some(col(&table, 0)),
            distinct,
            ty: nullable(INT),
            joining: None,
        };
        let rows =
            Aggregate { function: Function::Count, arg: None, distinct: false, ty: nullable(INT), joining: None };
        let groups = vec![col(&table, 0)];
        let grouped = Rel::Aggregate { input: Box::new(table.clone()), groups, aggregates: vec![count(false), rows] };
        let expected: Vec<Vec<Value>> =
            [row![Value::Null, 0, 2]].into_iter().chain(sorted.iter().map(|value| row![value.clone(), 2, 2])).collect();
        assert_eq!(rig.rows(&sort(grouped, &[0])), expected, "{sql}");
        let global = Rel::Aggregate {
            input: Box::new(table.clone()),
            groups: vec![],
            aggregates: vec![count(true), count(false)],
        };
        let n = samples.len() as i32;
        assert_eq!(rig.rows(&global), [row![n, 2 * n]], "{sql}");
        assert_eq!(rig.rows(&Rel::Distinct(Box::new(table))).len(), samples.len() + 1, "{sql}");
    }
}

#[test]
fn every_type_has_a_least_and_a_greatest() {
    for (sql, samples) in samples().into_iter().filter(|(sql, _)| *sql != SqlType::Bit) {
        let mut rig = Rig::default();
        let (table, sorted) = table_of(&mut rig, sql, &samples);
        let extreme = |function| Aggregate {
            function,
            arg: Some(col(&table, 0)),
            distinct: false,
            ty: nullable(sql),
            joining: None,
        };
        let aggregates = vec![extreme(Function::Min), extreme(Function::Max)];
        let both = Rel::Aggregate { input: Box::new(table.clone()), groups: vec![], aggregates };
        let expected = vec![sorted[0].clone(), sorted[sorted.len() - 1].clone()];
        assert_eq!(rig.rows(&both), [expected], "{sql}");
    }
}

#[test]
fn every_type_joins_and_is_found_in_lists_and_queries() {
    for (sql, samples) in samples() {
        let mut rig = Rig::default();
        let (table, _) = table_of(&mut rig, sql, &samples);
        let n = samples.len();
        let joined = join(RelJoin::Inner, table.clone(), table.clone(), |j| Some(eq(col(j, 0), col(j, 1))));
        assert_eq!(rig.rows(&joined).len(), 4 * n, "{sql}");
        let outer = join(RelJoin::Full, table.clone(), table.clone(), |j| Some(eq(col(j, 0), col(j, 1))));
        assert_eq!(rig.rows(&outer).len(), 4 * n + 4, "{sql}");
        let item = BoundExpr::literal(samples[0].clone(), sql);
        let in_list = Kind::InList(Box::new(col(&table, 0)), vec![item], Collation::LATIN1_CI_AS);
        assert_eq!(rig.rows(&filter(table.clone(), BoundExpr::predicate(in_list))).len(), 2, "{sql}");
        let one = values(&[sql], vec![vec![samples[0].clone()], vec![Value::Null]]);
        let in_query =
            Kind::InQuery(Box::new(col(&table, 0)), std::sync::Arc::new(one.clone()), Collation::LATIN1_CI_AS);
        let found = BoundExpr::predicate(in_query);
        assert_eq!(rig.rows(&filter(table.clone(), found.clone())).len(), 2, "{sql}");
        let shown = column(rig.rows(&project(table.clone(), vec![found])));
        assert_eq!(shown.iter().filter(|truth| truth.is_null()).count(), 2 * n, "{sql}");
        let rest = Rel::Set { op: RelSet::Except, all: false, left: Box::new(table), right: Box::new(one) };
        assert_eq!(rig.rows(&rest).len(), n - 1, "{sql}");
    }
}

#[test]
fn every_type_passes_through_variables_and_case() {
    for (sql, samples) in samples() {
        let mut rig = Rig::default();
        rig.variables = vec![samples[0].clone(), Value::Null];
        let input = sort(values(&[INT], vec![row![1], row![2], row![3]]), &[0]);
        let case = Kind::Case {
            branches: vec![
                (eq(col(&input, 0), int(1)), variable(0, sql)),
                (eq(col(&input, 0), int(2)), variable(1, sql)),
            ],
            otherwise: Some(Box::new(BoundExpr::literal(samples[samples.len() - 1].clone(), sql))),
        };
        let rel = project(input, vec![BoundExpr { kind: case, ty: nullable(sql) }]);
        let expected = vec![samples[0].clone(), Value::Null, samples[samples.len() - 1].clone()];
        assert_eq!(column(rig.rows(&rel)), expected, "{sql}");
    }
}
