//! Direct statements as plans are shown.

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{Aggregate, SortKey};
use millpond_engine::account::profile::{Figures, OperatorAccount};
use millpond_showplan::{Operator, Scope, TableAccess, access_operator, table_columns};

use crate::stage::Stage;
use crate::steps::{Join, TableStep};
use crate::{Direct, Source};

impl Direct {
    /// What runs.
    pub fn show(&self, scope: &Scope) -> Operator {
        let accounts = scope.profiled().map_or(&[][..], |(profile, instance)| match instance {
            Some(_) => profile.direct(self.parts()),
            None => profile.begun(),
        });
        self.show_with(scope, accounts).0
    }

    /// The same with the accounts of its parts, or none; and the names of its columns.
    fn show_with(&self, scope: &Scope, accounts: &[OperatorAccount]) -> (Operator, Vec<String>) {
        let (sources, stages) = accounts.split_at(self.source.parts().min(accounts.len()));
        let (mut operator, mut columns) = match &self.source {
            Source::Values(rows, width) => show_values(scope, rows, *width),
            Source::Join(join) => join.show(scope, sources),
        };
        if matches!(self.source, Source::Values(..)) {
            operator = operator.measured(sources.first().map(OperatorAccount::counts));
        }
        for (index, stage) in self.stages.iter().enumerate() {
            (operator, columns) = stage.show(scope, operator, columns);
            operator = operator.measured(stages.get(index).map(OperatorAccount::counts));
        }
        (operator, columns)
    }
}

fn show_values(scope: &Scope, rows: &[Vec<BoundExpr>], width: usize) -> (Operator, Vec<String>) {
    let columns: Vec<String> = (0..width).map(|_| scope.computed()).collect();
    let one = |row: &Vec<BoundExpr>| {
        let cells: Vec<String> = row.iter().map(|cell| scope.text(cell, &[])).collect();
        format!("({})", cells.join(", "))
    };
    let operator = Operator::new("Constant Scan").output(columns.clone()).defined(columns.clone());
    let operator = operator.expecting(Some(rows.len().max(1) as f64));
    let argument = match rows {
        [] => String::new(),
        [row] if row.is_empty() => String::new(),
        rows => format!("VALUES:({})", rows.iter().map(one).collect::<Vec<String>>().join(",")),
    };
    (operator.argument(argument), columns)
}

impl Join {
    fn show(&self, scope: &Scope, accounts: &[OperatorAccount]) -> (Operator, Vec<String>) {
        let mut columns = vec![String::new(); self.width];
        let mut all: Option<Operator> = None;
        let mut accounts = accounts;
        for given in &self.given {
            let (its, others) = accounts.split_at(given.query.parts().min(accounts.len()));
            accounts = others;
            let (operator, names) = given.query.show_with(scope, its);
            columns[given.place] = names.into_iter().next().unwrap_or_default();
            all = Some(match all {
                None => operator,
                Some(outer) => Operator::nested_loops("Inner Join", &[], "", [outer, operator]),
            });
        }
        for (index, step) in self.steps.iter().enumerate() {
            step.name_columns(scope, &mut columns);
            let figures = accounts.get(index).map(OperatorAccount::counts);
            let operator = step.show(scope, &columns).measured(figures);
            all = Some(match all {
                None => operator,
                // Its rows are those that the inner side finds.
                Some(outer) => Operator::nested_loops("Inner Join", &step.references(&columns), "", [outer, operator])
                    .measured(figures.map(|inner| Figures { executions: 1, ..inner })),
            });
        }
        let mut operator = all.expect("a join has tables");
        if !self.constants.is_empty() {
            let condition = scope.conjunction(&self.constants, &columns);
            operator = Operator::new("Filter").argument(format!("WHERE:(STARTUP EXPR({condition}))")).over(operator);
        }
        (operator, columns)
    }
}

impl TableStep {
    /// Puts the names of the table's columns into their places.
    pub fn name_columns(&self, scope: &Scope, columns: &mut [String]) {
        let own = table_columns(&self.def);
        let count = own.len();
        columns[self.first..self.first + count].clone_from_slice(&own);
        if self.with_locator {
            columns[self.first + count] = scope.bookmark();
        }
        for facet in &self.facets {
            columns[facet.place] = scope.text(&facet.expr, &[columns[facet.of].clone()]);
        }
    }

    /// How the table is read.
    pub fn show(&self, scope: &Scope, columns: &[String]) -> Operator {
        let (first, count) = (self.first, self.def.columns.len());
        let read = self.places.iter().map(|(_, place)| *place).chain(self.facets.iter().map(|facet| facet.of));
        let read = read.filter_map(|place| place.checked_sub(first)).filter(|own| *own < count);
        let table = TableAccess {
            def: &self.def,
            access: Some(&self.access),
            first,
            columns,
            filters: &self.filters,
            read: read.collect(),
            with_locator: self.with_locator,
        };
        access_operator(scope, &table)
    }

    /// Columns of the tables before that lead to this one's rows.
    pub fn references(&self, columns: &[String]) -> Vec<String> {
        let own = self.first..self.first + self.def.columns.len() + 1;
        let mut references: Vec<String> = Vec::new();
        let mut add = |expr: &BoundExpr| {
            expr.visit(&mut |node| {
                if let Kind::Column(place) = node.kind
                    && !own.contains(&place)
                    && !self.facets.iter().any(|facet| facet.place == place)
                    && !references.contains(&columns[place])
                {
                    references.push(columns[place].clone());
                }
            });
        };
        let access = &self.access;
        access.prefix.iter().chain(&access.list).for_each(|probe| add(&probe.expr));
        access.low.iter().chain(&access.high).for_each(|bound| add(&bound.probe.expr));
        self.filters.iter().for_each(&mut add);
        references
    }
}

impl Stage {
    fn show(&self, scope: &Scope, input: Operator, columns: Vec<String>) -> (Operator, Vec<String>) {
        match self {
            Stage::Filter(predicate) => {
                let condition = scope.text(predicate, &columns);
                (Operator::new("Filter").argument(format!("WHERE:({condition})")).over(input), columns)
            }
            Stage::Project(exprs) => show_projection(scope, input, exprs, &columns),
            Stage::Top { count, percent, offset, ties } => {
                let mut argument = show_bounds(scope, count.as_ref(), *percent, offset.as_ref());
                if !ties.is_empty() {
                    let keys: Vec<String> = ties.iter().map(|key| scope.text(&key.expr, &columns)).collect();
                    argument.push_str(&format!(", TIE COLUMNS:({})", keys.join(", ")));
                }
                (Operator::new("Top").argument(argument).over(input), columns)
            }
            Stage::Sort(keys) => (show_sort(scope, input, keys, &columns), columns),
            Stage::Aggregate(aggregation) => {
                show_aggregate(scope, input, &aggregation.groups, &aggregation.aggregates, &columns)
            }
        }
    }
}

/// New columns; a column that is not read is a NULL and is not shown.
fn show_projection(scope: &Scope, input: Operator, exprs: &[BoundExpr], columns: &[String]) -> (Operator, Vec<String>) {
    let (mut computed, mut names) = (Vec::new(), Vec::new());
    for expr in exprs {
        names.push(match &expr.kind {
            Kind::Column(index) => columns[*index].clone(),
            Kind::Literal(millpond_types::Value::Null) => String::new(),
            _ => {
                let name = scope.computed();
                computed.push((name.clone(), scope.text(expr, columns)));
                name
            }
        });
    }
    let output = names.iter().filter(|name| !name.is_empty()).cloned().collect();
    (Operator::compute(input, &computed, output), names)
}

fn show_bounds(scope: &Scope, count: Option<&BoundExpr>, percent: bool, offset: Option<&BoundExpr>) -> String {
    let mut parts = Vec::new();
    if let Some(offset) = offset {
        parts.push(format!("OFFSET EXPRESSION:({})", scope.text(offset, &[])));
    }
    if let Some(count) = count {
        let percent = if percent { " PERCENT" } else { "" };
        parts.push(format!("TOP EXPRESSION:({}){percent}", scope.text(count, &[])));
    }
    parts.join(", ")
}

fn show_sort(scope: &Scope, input: Operator, keys: &[SortKey], columns: &[String]) -> Operator {
    let one =
        |key: &SortKey| format!("{} {}", scope.text(&key.expr, columns), if key.descending { "DESC" } else { "ASC" });
    let keys: Vec<String> = keys.iter().map(one).collect();
    Operator::new("Sort").argument(format!("ORDER BY:({})", keys.join(", "))).over(input)
}

/// One row of aggregates is streamed; groups are gathered by their keys.
fn show_aggregate(
    scope: &Scope,
    input: Operator,
    groups: &[BoundExpr],
    aggregates: &[Aggregate],
    columns: &[String],
) -> (Operator, Vec<String>) {
    let keys: Vec<String> = groups.iter().map(|group| scope.text(group, columns)).collect();
    let mut names: Vec<String> = keys.clone();
    let mut defined = Vec::new();
    for aggregate in aggregates {
        let name = scope.computed();
        let of = aggregate.arg.as_ref().map_or_else(|| "*".to_owned(), |arg| scope.text(arg, columns));
        let distinct = if aggregate.distinct { "DISTINCT " } else { "" };
        let function = format!("{:?}", aggregate.function).to_uppercase();
        defined.push(format!("{name}={function}({distinct}{of})"));
        names.push(name);
    }
    let define = if defined.is_empty() { String::new() } else { format!("DEFINE:({})", defined.join(", ")) };
    let operator = if keys.is_empty() {
        Operator::new("Stream Aggregate").logical("Aggregate").argument(define)
    } else {
        let mut parts = vec![format!("HASH:({})", keys.join(", "))];
        parts.extend(Some(define).filter(|define| !define.is_empty()));
        Operator::new("Hash Match").logical("Aggregate").argument(parts.join(", "))
    };
    (operator.defined(defined).output(names.clone()).over(input), names)
}
