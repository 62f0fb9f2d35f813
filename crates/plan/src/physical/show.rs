//! Plans as SQL Server shows them: each operator under its name there, columns under the names of their tables.
//!
//! ```text
//!   ExecutionPlan ──▶ Operator and the names of its columns, by position      subquery in an expression ──▶ Nested Loops
//! ```
//! An operator that only watches for cancellation is not shown. Constants of an operator's expressions are shown as the
//! plan has them: a date there is a number.

use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use datafusion::arrow::compute::SortOptions;
use datafusion::common::{JoinSide, JoinType, ScalarValue};
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, CastExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, Literal, NotExpr,
};
use datafusion::physical_expr::{LexOrdering, PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode, AggregateMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties, Partitioning};
use millpond_catalog::expr::Kind;
use millpond_catalog::rel::{AggregateFunction, WindowFunction};
use millpond_engine::account::profile::Figures;
use millpond_spill::FirstOfEachExec;
use millpond_spill::{SpillAggregateExec, SpillCrossJoinExec, SpillJoinExec, SpillNestedLoopExec, SpillSortExec};
use millpond_tsql::print::bracketed;

use crate::aggregate::expand::{ExpandExec, OrElseExec};
use crate::expression::function::{Function, Shown};
use crate::lower::aggregate::key_names;
use crate::lower::apply;
use crate::operator::build::BuildExec;
use crate::operator::correlate::ApplyExec;
use crate::operator::flow::{ConcatExec, WatchExec};
use crate::operator::recursive::{RecurseExec, Wanted};
use crate::operator::series::SeriesExec;
use crate::operator::spool::{Kept, SpoolExec, SpoolsExec};
use crate::operator::text::TextExec;
use crate::operator::top::TopExec;
use crate::physical::merge;
use crate::physical::plan::{Runnable, StreamPlan};
use crate::run::bitmap::Bitmap;
use crate::run::cell::RunCell;
use crate::run::measure::MeasuredExec;
use crate::scan::encode::EncodeExec;
use crate::scan::leaf::{Leaf, LeafExec, Origin};
use crate::scan::rowwise::RowPlan;
use crate::window::WindowExec;
use millpond_showplan::{Operator, Scope, TableAccess, access_operator, table_columns};

/// An operator with the names of its columns.
type Shape = (Operator, Vec<String>);

impl Runnable {
    /// What runs; `outer` are the names of the outer row's values.
    pub(crate) fn show(&self, scope: &Scope, outer: &[String]) -> Operator {
        match self {
            Runnable::Rows(plan) => plan.show(scope, outer),
            Runnable::Stream(plan) => plan.show(scope, outer),
        }
    }
}

impl StreamPlan {
    fn show(&self, scope: &Scope, outer: &[String]) -> Operator {
        let plan = scope.profiled().and_then(|(profile, instance)| self.measured(profile, instance));
        let plan = plan.map_or_else(|| self.current(), |measured| Arc::clone(measured.plan()));
        // Of plans inside of it the last run alone would be known.
        let counts = scope.take_counting() && self.counts_runs();
        let (operator, names) = Shower { scope, outer, counts, cell: &self.cell }.plan(&plan);
        Operator { output: named(&names), ..operator }
    }
}

impl RowPlan {
    fn show(&self, scope: &Scope, outer: &[String]) -> Operator {
        let mut read: Vec<usize> =
            self.passed_on.iter().flatten().copied().chain(self.columns.iter().copied()).collect();
        read.sort_unstable();
        read.dedup();
        let (mut operator, mut names) = show_leaf(scope, &self.leaf, &read, outer);
        if let Some(top) = &self.top {
            let argument = format!("TOP EXPRESSION:({})", scope.text(top, outer));
            operator = Operator::new("Top").argument(argument).over(operator);
        }
        names.extend_from_slice(outer);
        let (mut computed, mut output) = (Vec::new(), Vec::new());
        for expr in &self.exprs {
            match &expr.kind {
                Kind::Column(column) => output.push(names[*column].clone()),
                Kind::Literal(millpond_types::Value::Null) => {}
                _ => {
                    let name = scope.computed();
                    computed.push((name.clone(), scope.text(expr, &names)));
                    output.push(name);
                }
            }
        }
        let account = scope.profiled().and_then(|(profile, instance)| match instance {
            Some(_) => self.measured.of(profile, || Ok(Arc::default())).ok(),
            None => self.measured.known(profile),
        });
        Operator::compute(operator, &computed, output).measured(account.map(|account| account.figures()))
    }
}

fn named(names: &[String]) -> Vec<String> {
    names.iter().filter(|name| !name.is_empty()).cloned().collect()
}

/// A leaf, with the names of all its columns; `read` are those that the plan uses.
fn show_leaf(scope: &Scope, leaf: &Leaf, read: &[usize], outer: &[String]) -> Shape {
    let own: Vec<String> = match &leaf.origin {
        Origin::Table { def, .. } => {
            let mut own = table_columns(def);
            own.resize_with(leaf.types.len(), || scope.bookmark());
            own
        }
        Origin::View(view, ..) => {
            let name = format!("{}.{}", bracketed(view.schema), bracketed(view.name));
            view.columns.iter().map(|column| format!("{name}.{}", bracketed(column.name))).collect()
        }
        Origin::Function(function, _) => function
            .columns
            .iter()
            .map(|column| format!("{}.{}", bracketed(function.name), bracketed(column.name)))
            .collect(),
        Origin::Call(..) | Origin::Values(_) | Origin::Unfold(..) => {
            leaf.types.iter().map(|_| scope.computed()).collect()
        }
    };
    let columns: Vec<String> = own.iter().chain(outer).cloned().collect();
    if let Origin::Table { def, .. } = &leaf.origin {
        let with_locator = leaf.types.len() > def.columns.len();
        let read = read.iter().copied().filter(|column| *column < def.columns.len()).collect();
        let access = leaf.access.as_ref();
        let table = TableAccess { def, access, first: 0, columns: &columns, filters: &leaf.shown, read, with_locator };
        return (access_operator(scope, &table).expecting(leaf.expected), own);
    }
    let object = |schema: &str, name: &str| match schema {
        "" => format!("OBJECT:({})", bracketed(name)),
        schema => format!("OBJECT:({}.{})", bracketed(schema), bracketed(name)),
    };
    let output = named(&read.iter().filter_map(|column| own.get(*column).cloned()).collect::<Vec<String>>());
    let source = match &leaf.origin {
        Origin::View(view, ..) => Operator::new("Table-valued function").argument(object(view.schema, view.name)),
        Origin::Function(function, _) => {
            Operator::new("Table-valued function").argument(object(function.schema, function.name))
        }
        Origin::Call(function, _) => {
            let (schema, name) = function.name.split_once('.').unwrap_or(("", &function.name));
            Operator::new("Table-valued function").argument(object(schema, name))
        }
        Origin::Unfold(by, _) => Operator::new("Table-valued function").argument(object("", by.name())),
        Origin::Values(rows) => {
            let one = |row: &Vec<millpond_catalog::expr::BoundExpr>| {
                let cells: Vec<String> = row.iter().map(|cell| scope.text(cell, outer)).collect();
                format!("({})", cells.join(", "))
            };
            let argument = match &rows[..] {
                [row] if row.is_empty() => String::new(),
                rows => format!("VALUES:({})", rows.iter().map(one).collect::<Vec<String>>().join(",")),
            };
            Operator::new("Constant Scan").argument(argument).expecting(Some(rows.len().max(1) as f64))
        }
        Origin::Table { .. } => unreachable!("shown above"),
    };
    let source = source.defined(output.clone()).output(output);
    if leaf.shown.is_empty() {
        return (source, own);
    }
    let condition = scope.conjunction(&leaf.shown, &columns);
    (Operator::new("Filter").argument(format!("WHERE:({condition})")).over(source), own)
}

fn bitmap_name(bitmap: &Bitmap) -> String {
    format!("[Bitmap{}]", bitmap.number)
}

/// The scan that asks bitmaps, too; `names` are those of its table's columns.
fn probing(mut scan: Operator, names: &[String], bitmaps: &[(usize, Arc<Bitmap>)]) -> Operator {
    let probe = |(column, bitmap): &(usize, Arc<Bitmap>)| format!("PROBE({},{})", bitmap_name(bitmap), names[*column]);
    let probes = bitmaps.iter().map(probe).collect::<Vec<String>>().join(" AND ");
    if probes.is_empty() || !scan.inputs.is_empty() {
        return scan;
    }
    scan.argument = match scan.argument.split_once("WHERE:(") {
        Some((before, condition)) => format!("{before}WHERE:({probes} AND {condition}"),
        None => format!("{}, WHERE:({probes})", scan.argument),
    };
    scan
}

/// Shows one plan.
struct Shower<'a> {
    scope: &'a Scope,
    outer: &'a [String],
    /// What operators count by themselves is shown.
    counts: bool,
    /// What is expected of operators.
    cell: &'a RunCell,
}

/// What a spool keeps: it is shown below the first of its readers, who may be in a plan inside of this one.
struct ShownSpool {
    kept: Arc<Kept>,
    plan: Arc<dyn ExecutionPlan>,
    /// Known once it was shown.
    names: OnceCell<Vec<String>>,
}

/// The rows that an operator has given by its own count, where it keeps one.
fn counted(plan: &Arc<dyn ExecutionPlan>) -> Option<Figures> {
    let any: &dyn Any = plan.as_ref();
    let rows = match any.downcast_ref::<LeafExec>() {
        Some(leaf) => leaf.leaf.given.load(Relaxed),
        None => plan.metrics()?.output_rows()? as u64,
    };
    Some(Figures { rows, executions: 1, ..Figures::default() })
}

/// Expressions over an operator's input; subqueries in them become joins below the operator.
struct Texts<'a, 's> {
    shower: &'a Shower<'s>,
    columns: &'a [String],
    /// Inner queries, each with the columns that it reads and its value's name.
    queries: RefCell<Vec<(Operator, Vec<String>)>>,
}

impl Shower<'_> {
    fn plan(&self, plan: &Arc<dyn ExecutionPlan>) -> Shape {
        let (operator, names) = self.operator(plan);
        let own = if self.counts && operator.figures.is_none() { counted(plan) } else { None };
        (operator.measured(own), names)
    }

    fn operator(&self, plan: &Arc<dyn ExecutionPlan>) -> Shape {
        let any: &dyn Any = plan.as_ref();
        if let Some(measured) = any.downcast_ref::<MeasuredExec>() {
            let (operator, names) = self.plan(measured.inner());
            return (operator.measured(Some(measured.figures())), names);
        }
        if let Some(watch) = any.downcast_ref::<WatchExec>() {
            let (operator, names) = self.plan(plan.children()[0]);
            return (operator.expecting(watch.rows), names);
        }
        if any.is::<EncodeExec>() {
            return self.plan(plan.children()[0]);
        }
        if let Some(leaf) = any.downcast_ref::<LeafExec>() {
            let (operator, names) = show_leaf(self.scope, &leaf.leaf, &leaf.projection, self.outer);
            return (probing(operator, &names, &leaf.bitmaps), picked(&names, Some(&leaf.projection)));
        }
        if let Some(build) = any.downcast_ref::<BuildExec>() {
            let (input, names) = self.plan(build.input());
            let input = input.expecting(Some(build.rows).filter(|rows| rows.is_finite()));
            if build.bitmaps.is_empty() {
                return (input, names);
            }
            let keys: Vec<&str> = build.bitmaps.iter().map(|(column, _)| names[*column].as_str()).collect();
            let defined: Vec<String> = build.bitmaps.iter().map(|(_, bitmap)| bitmap_name(bitmap)).collect();
            let argument = format!("HASH:({}), DEFINE:({})", keys.join(", "), defined.join(", "));
            return (Operator::new("Bitmap").logical("Bitmap Create").argument(argument).over(input), names);
        }
        if let Some(filter) = any.downcast_ref::<FilterExec>() {
            let (input, names) = self.plan(filter.input());
            let (text, input) = self.texts(&names, input, |texts| texts.text(filter.predicate()));
            let operator = Operator::new("Filter").argument(format!("WHERE:({text})")).over(input);
            return (operator, picked(&names, filter.projection().as_deref()));
        }
        if let Some(projection) = any.downcast_ref::<ProjectionExec>() {
            return self.projection(projection);
        }
        if let Some(sort) = any.downcast_ref::<SortExec>() {
            return self.sort(sort);
        }
        if let Some(spilling) = any.downcast_ref::<SpillSortExec>() {
            return self.sort(spilling.of());
        }
        if let Some(aggregate) = any.downcast_ref::<AggregateExec>() {
            return self.aggregate(aggregate);
        }
        if let Some(spilling) = any.downcast_ref::<SpillAggregateExec>() {
            return self.aggregate(spilling.of());
        }
        if let Some(top) = any.downcast_ref::<TopExec>() {
            return self.top(top);
        }
        if let Some(apply) = any.downcast_ref::<ApplyExec>() {
            return self.apply(apply);
        }
        if let Some(recurse) = any.downcast_ref::<RecurseExec>() {
            return self.recurse(recurse);
        }
        if let Some(first) = any.downcast_ref::<FirstOfEachExec>() {
            return self.first_of_each(first);
        }
        if let Some(window) = any.downcast_ref::<WindowExec>() {
            return self.window(window);
        }
        if let Some(expand) = any.downcast_ref::<ExpandExec>() {
            return self.expand(expand);
        }
        if let Some(spools) = any.downcast_ref::<SpoolsExec>() {
            for (kept, plan) in spools.kept() {
                let (kept, plan) = (Arc::clone(kept), Arc::clone(plan));
                self.scope.keep(Rc::new(ShownSpool { kept, plan, names: OnceCell::new() }));
            }
            return self.plan(spools.reading());
        }
        if let Some(read) = any.downcast_ref::<SpoolExec>() {
            return self.spool(&read.kept, read.schema().fields().len());
        }
        if any.is::<SeriesExec>() {
            let names = vec![self.scope.computed()];
            let operator = Operator::new("Table-valued function").argument("OBJECT:([GENERATE_SERIES])");
            return (operator.defined(names.clone()).output(names.clone()), names);
        }
        if let Some(text) = any.downcast_ref::<TextExec>() {
            let (input, _) = self.plan(plan.children()[0]);
            let names = vec![self.scope.computed()];
            let operator = Operator::new("UDX").argument(text.form.by.name().to_owned());
            return (operator.defined(names.clone()).output(names.clone()).over(input), names);
        }
        if any.is::<OrElseExec>() {
            let (input, names) = self.plan(plan.children()[0]);
            return (Operator::new("Concatenation").logical("Or Else").over(input), names);
        }
        self.exchange(plan).or_else(|| self.join(plan)).unwrap_or_else(|| self.other(plan))
    }

    /// A reader of a spool, which has so many columns.
    fn spool(&self, kept: &Arc<Kept>, width: usize) -> Shape {
        let operator = Operator::new("Table Spool").logical("Eager Spool");
        let shown = self.scope.kept(|shown: &ShownSpool| Arc::ptr_eq(&shown.kept, kept));
        let shown = shown.expect("a spool is kept at the top of the plan that reads it, or of one around it");
        let mut input = None;
        let names = match shown.names.get() {
            Some(names) => names,
            None => {
                let (operator, names) = self.plan(&shown.plan);
                input = Some(operator);
                shown.names.get_or_init(|| names)
            }
        };
        let operator = operator.output(named(names));
        let name = |place: Option<usize>| place.map_or_else(String::new, |place| names[place].clone());
        let columns = kept.places(width).into_iter().map(name).collect();
        (input.into_iter().fold(operator, Operator::over), columns)
    }

    /// Where rows go from thread to thread.
    fn exchange(&self, plan: &Arc<dyn ExecutionPlan>) -> Option<Shape> {
        let any: &dyn Any = plan.as_ref();
        let is_gathering = any.is::<CoalescePartitionsExec>() || any.is::<SortPreservingMergeExec>();
        if !is_gathering && !any.is::<RepartitionExec>() {
            return None;
        }
        let (input, names) = self.plan(plan.children()[0]);
        let ((logical, argument), input) = self.texts(&names, input, |texts| {
            if let Some(merge) = any.downcast_ref::<SortPreservingMergeExec>() {
                return ("Gather Streams", texts.order(merge.expr()));
            }
            let Some(exchange) = any.downcast_ref::<RepartitionExec>() else {
                return ("Gather Streams", String::new());
            };
            let logical = match exchange.input().output_partitioning().partition_count() {
                1 => "Distribute Streams",
                _ => "Repartition Streams",
            };
            let Partitioning::Hash(keys, _) = exchange.partitioning() else { return (logical, String::new()) };
            let keys: Vec<String> = keys.iter().map(|key| texts.text(key)).collect();
            (logical, format!("Hash Partitioning, PARTITION COLUMNS:({})", keys.join(", ")))
        });
        let operator = Operator::new("Parallelism").logical(logical).argument(argument);
        Some((operator.output(named(&names)).over(input), names))
    }

    /// Texts over an input, and the input joined with the subqueries that the texts speak of.
    fn texts<T>(&self, columns: &[String], input: Operator, make: impl FnOnce(&Texts<'_, '_>) -> T) -> (T, Operator) {
        let texts = Texts { shower: self, columns, queries: RefCell::default() };
        let made = make(&texts);
        let joined = texts.queries.into_inner().into_iter().fold(input, |input, (inner, references)| {
            Operator::nested_loops("Left Outer Join", &references, "", [input, inner])
        });
        (made, joined)
    }

    fn projection(&self, projection: &ProjectionExec) -> Shape {
        let (input, names) = self.plan(projection.input());
        let ((computed, output), input) = self.texts(&names, input, |texts| {
            let (mut computed, mut output) = (Vec::new(), Vec::new());
            for part in projection.expr() {
                if let Some(same) = texts.passes_on(&part.expr) {
                    output.push(same);
                    continue;
                }
                // Columns that are not read.
                if is_null(&part.expr) {
                    output.push(String::new());
                    continue;
                }
                let name = self.scope.computed();
                computed.push((name.clone(), texts.text(&part.expr)));
                output.push(name);
            }
            (computed, output)
        });
        (Operator::compute(input, &computed, named(&output)), output)
    }

    fn sort(&self, sort: &SortExec) -> Shape {
        let (input, names) = self.plan(sort.input());
        let (order, input) = self.texts(&names, input, |texts| texts.order(sort.expr()));
        let operator = match sort.fetch() {
            Some(rows) => Operator::new("Sort").logical("TopN Sort").argument(format!("TOP {rows}, {order}")),
            None => Operator::new("Sort").argument(order),
        };
        (operator.over(input), names)
    }

    fn aggregate(&self, aggregate: &AggregateExec) -> Shape {
        let (input, names) = self.plan(aggregate.input());
        let is_whole = aggregate.mode().input_mode() == AggregateInputMode::Raw;
        let group_count = aggregate.group_expr().expr().len();
        let ((keys, calls), input) = self.texts(&names, input, |texts| {
            let keys = aggregate.group_expr().expr().iter().map(|(key, _)| texts.text(key)).collect::<Vec<String>>();
            let one = |(index, call): (usize, &Arc<datafusion::physical_expr::aggregate::AggregateFunctionExpr>)| {
                let args: Vec<String> = match is_whole {
                    true => call.expressions().iter().map(|arg| texts.text(arg)).collect(),
                    // What the partial aggregate has made of its rows.
                    false => names.get(group_count + index).cloned().into_iter().collect(),
                };
                aggregate_text(call.fun().name(), call.is_distinct(), &args.join(", "))
            };
            (keys, aggregate.aggr_expr().iter().enumerate().map(one).collect::<Vec<String>>())
        });
        let mut output = keys.clone();
        let mut defined = Vec::new();
        for call in calls {
            let name = self.scope.computed();
            defined.push(format!("{name}={call}"));
            output.push(name);
        }
        let mut parts = Vec::new();
        if !keys.is_empty() {
            parts.push(format!("HASH:({})", keys.join(", ")));
        }
        if !defined.is_empty() {
            parts.push(format!("DEFINE:({})", defined.join(", ")));
        }
        let physical = if keys.is_empty() { "Stream Aggregate" } else { "Hash Match" };
        let logical = match aggregate.mode() {
            AggregateMode::Partial => "Partial Aggregate",
            _ => "Aggregate",
        };
        let operator = Operator::new(physical).logical(logical).argument(parts.join(", "));
        let expected = if logical == "Aggregate" { self.groups(aggregate) } else { None };
        (operator.expecting(expected).defined(defined).output(output.clone()).over(input), output)
    }

    /// About how many groups an aggregate gives.
    fn groups(&self, aggregate: &AggregateExec) -> Option<f64> {
        let keys = aggregate.group_expr().expr().iter().map(|(key, _)| {
            let any: &dyn Any = key.as_ref();
            any.downcast_ref::<Column>().map(Column::name)
        });
        self.cell.expected(&key_names(keys.collect::<Option<Vec<&str>>>()?.into_iter()))
    }

    fn top(&self, top: &TopExec) -> Shape {
        let (input, names) = self.plan(top.children()[0]);
        let (argument, input) = self.texts(&names, input, |texts| {
            let mut parts = Vec::new();
            parts.extend(top.offset.iter().map(|offset| format!("OFFSET EXPRESSION:({})", texts.text(offset))));
            let percent = if top.percent { " PERCENT" } else { "" };
            parts.extend(top.count.iter().map(|count| format!("TOP EXPRESSION:({}){percent}", texts.text(count))));
            if !top.ties.is_empty() {
                let keys: Vec<String> = top.ties.iter().map(|key| texts.text(key)).collect();
                parts.push(format!("TIE COLUMNS:({})", keys.join(", ")));
            }
            parts.join(", ")
        });
        (Operator::new("Top").argument(argument).over(input), names)
    }

    fn first_of_each(&self, first: &FirstOfEachExec) -> Shape {
        let (input, names) = self.plan(first.children()[0]);
        let (argument, input) = self.texts(&names, input, |texts| {
            let partition: Vec<String> = first.partition().iter().map(|key| texts.text(key)).collect();
            let direction = |options: &SortOptions| if options.descending { "DESC" } else { "ASC" };
            let order =
                first.order().iter().map(|(key, options)| format!("{} {}", texts.text(key), direction(options)));
            let order = order.collect::<Vec<_>>().join(", ");
            let ties = if first.first().by_key { " TIES" } else { "" };
            let top = format!("TOP EXPRESSION:(({})){ties}", first.first().rows);
            format!("{top}, PARTITION COLUMNS:({}), ORDER BY:({order})", partition.join(", "))
        });
        (Operator::new("Top").logical("Top N Per Partition").argument(argument).over(input), names)
    }

    fn window(&self, window: &WindowExec) -> Shape {
        let (input, mut names) = self.plan(window.children()[0]);
        let (exprs, input) = self
            .texts(&names, input, |texts| window.exprs.iter().map(|expr| texts.text(expr)).collect::<Vec<String>>());
        let spec = &window.spec;
        let (partition, rest) = exprs.split_at(spec.partition);
        let (order, mut args) = rest.split_at(spec.order.len());
        let mut defined = Vec::with_capacity(spec.calls.len());
        for call in &spec.calls {
            let (own, others) = args.split_at(call.args.len());
            args = others;
            let name = self.scope.computed();
            defined.push(format!("{name}={}", window_text(call.function, own)));
            names.push(name);
        }
        let mut parts = vec![format!("DEFINE:({})", defined.join(", "))];
        if !partition.is_empty() {
            parts.push(format!("PARTITION COLUMNS:({})", partition.join(", ")));
        }
        if !order.is_empty() {
            parts.push(order_text(order.iter().cloned().zip(spec.order.iter().copied())));
        }
        let operator = Operator::new("Window Aggregate").argument(parts.join(", "));
        (operator.defined(defined).output(named(&names)).over(input), names)
    }

    fn expand(&self, expand: &ExpandExec) -> Shape {
        let (input, mut names) = self.plan(expand.children()[0]);
        let (groups, input) = self
            .texts(&names, input, |texts| expand.groups.iter().map(|group| texts.text(group)).collect::<Vec<String>>());
        let set = |set: &i64| {
            let members = groups.iter().enumerate().filter(|(index, _)| set >> index & 1 == 0);
            format!("({})", members.map(|(_, group)| group.as_str()).collect::<Vec<&str>>().join(", "))
        };
        let sets: Vec<String> = expand.sets.iter().map(set).collect();
        let number = self.scope.computed();
        names.extend(groups);
        names.push(number.clone());
        let operator = Operator::new("Expand").argument(format!("GROUPING SETS:({})", sets.join(", ")));
        (operator.defined(vec![number]).output(named(&names)).over(input), names)
    }

    fn apply(&self, apply: &ApplyExec) -> Shape {
        let (outer, mut names) = self.plan(apply.children()[0]);
        let references: Vec<String> = apply.inner.wanted.iter().map(|(column, _)| names[*column].clone()).collect();
        let inner = apply.inner.plan.show(self.scope, &references);
        let mut found = inner.output.clone();
        found.resize_with(apply.inner.types.len(), String::new);
        names.extend(found);
        let logical = if apply.inner.keeps_left { "Left Outer Join" } else { "Inner Join" };
        let mut references = references;
        references.sort_unstable();
        references.dedup();
        let schema = apply.schema();
        let last = schema.fields().last().map(|field| field.name().as_str());
        let expected = self.cell.expected(&apply::key_name(last));
        (Operator::nested_loops(logical, &references, "", [outer, inner]).expecting(expected), names)
    }

    fn recurse(&self, recurse: &RecurseExec) -> Shape {
        let (anchor, names) = self.plan(recurse.children()[0]);
        let spool = Operator::new("Table Spool");
        let shown = recurse.recursion.members.iter().map(|member| {
            let reference = |wanted: &Wanted| match wanted {
                Wanted::Row(column) => names[*column].clone(),
                Wanted::Outer(index) => self.outer[*index].clone(),
            };
            let references: Vec<String> = member.wanted.iter().map(reference).collect();
            let inner = member.plan.show(self.scope, &references);
            Operator::nested_loops("Inner Join", &references, "", [spool.clone(), inner])
        });
        let all = shown.fold(Operator::new("Concatenation").over(anchor), Operator::over);
        (Operator::new("Index Spool").over(all), names)
    }

    fn join(&self, plan: &Arc<dyn ExecutionPlan>) -> Option<Shape> {
        let any: &dyn Any = plan.as_ref();
        let spilling = any.downcast_ref::<SpillJoinExec>().map(|join| &**join.of());
        if let Some(join) = spilling.or_else(|| any.downcast_ref::<HashJoinExec>()) {
            return Some(self.hash_join(join));
        }
        if let Some(join) = any.downcast_ref::<SortMergeJoinExec>() {
            return Some(self.merge_join(join));
        }
        let spilling = any.downcast_ref::<SpillNestedLoopExec>().map(|join| &**join.of());
        if let Some(join) = spilling.or_else(|| any.downcast_ref::<NestedLoopJoinExec>()) {
            return Some(self.nested_loop(join));
        }
        let spilling = any.downcast_ref::<SpillCrossJoinExec>().map(|join| &**join.of());
        let join = spilling.or_else(|| any.downcast_ref::<CrossJoinExec>())?;
        let ((left, left_names), (right, right_names)) = (self.plan(join.left()), self.plan(join.right()));
        let operator = Operator::nested_loops("Inner Join", &[], "", [left, right]);
        Some((operator, joined_names(JoinType::Inner, left_names, right_names)))
    }

    fn nested_loop(&self, join: &NestedLoopJoinExec) -> Shape {
        let ((left, left_names), (right, right_names)) = (self.plan(join.left()), self.plan(join.right()));
        let condition = join.filter().map_or_else(String::new, |filter| {
            let columns = filter_columns(filter, &left_names, &right_names);
            self.texts(&columns, Operator::new(""), |texts| texts.text(filter.expression())).0
        });
        let names = joined_names(*join.join_type(), left_names, right_names);
        let names = picked(&names, join.projection().as_deref());
        let operator = Operator::nested_loops(logical_join(*join.join_type()), &[], &condition, [left, right]);
        (Operator { output: named(&names), ..operator }, names)
    }

    /// The left side is the one that the table of hashes is built of.
    fn hash_join(&self, join: &HashJoinExec) -> Shape {
        let by = KeyJoin { word: "HASH", kind: *join.join_type(), on: join.on(), filter: join.filter() };
        let (operator, names) = self.key_join("Hash Match", &by, (join.left(), join.right()));
        let names = picked(&names, join.projection.as_deref());
        (operator.output(named(&names)), names)
    }

    /// Rows of one key that are many on both sides are kept.
    fn merge_join(&self, join: &SortMergeJoinExec) -> Shape {
        let (lefts, rights): (Vec<_>, Vec<_>) = join.on().iter().cloned().unzip();
        let is_unique = |plan, keys: &[Arc<dyn PhysicalExpr>]| {
            let column = |key: &Arc<dyn PhysicalExpr>| {
                let key: &dyn Any = key.as_ref();
                key.downcast_ref::<Column>().map(Column::index)
            };
            keys.iter().map(column).collect::<Option<Vec<usize>>>().is_some_and(|keys| merge::is_unique(plan, &keys))
        };
        let is_one = is_unique(join.left(), &lefts) || is_unique(join.right(), &rights);
        let word = if is_one { "MERGE" } else { "MANY-TO-MANY MERGE" };
        let by = KeyJoin { word, kind: join.join_type(), on: join.on(), filter: join.filter().as_ref() };
        let (operator, names) = self.key_join("Merge Join", &by, (join.left(), join.right()));
        (operator.output(named(&names)), names)
    }

    fn key_join(
        &self,
        name: &'static str,
        join: &KeyJoin<'_>,
        (left, right): (&Arc<dyn ExecutionPlan>, &Arc<dyn ExecutionPlan>),
    ) -> Shape {
        let ((left, left_names), (right, right_names)) = (self.plan(left), self.plan(right));
        let (mut left_keys, mut right_keys) = (Vec::new(), Vec::new());
        let (_, left) = self.texts(&left_names, left, |texts| {
            left_keys.extend(join.on.iter().map(|(key, _)| texts.text(key)));
        });
        let (_, right) = self.texts(&right_names, right, |texts| {
            right_keys.extend(join.on.iter().map(|(_, key)| texts.text(key)));
        });
        let mut argument = format!("{}:({})=({})", join.word, left_keys.join(", "), right_keys.join(", "));
        if let Some(filter) = join.filter {
            let columns = filter_columns(filter, &left_names, &right_names);
            let (text, _) = self.texts(&columns, Operator::new(""), |texts| texts.text(filter.expression()));
            argument.push_str(&format!(", RESIDUAL:({text})"));
        }
        let names = joined_names(join.kind, left_names, right_names);
        (Operator::new(name).logical(logical_join(join.kind)).argument(argument).over(left).over(right), names)
    }

    /// Inputs one after the other, and what has no name of SQL Server's.
    fn other(&self, plan: &Arc<dyn ExecutionPlan>) -> Shape {
        let any: &dyn Any = plan.as_ref();
        let is_concatenation = any.is::<ConcatExec>() || plan.name() == "UnionExec";
        let name = if is_concatenation { "Concatenation" } else { plan.name().trim_end_matches("Exec") };
        let mut operator = Operator::new(name);
        let mut names: Option<Vec<String>> = None;
        for input in plan.children() {
            let (input, own) = self.plan(input);
            names.get_or_insert(own);
            operator = operator.over(input);
        }
        let width = plan.schema().fields().len();
        let names = names.filter(|names| names.len() == width);
        (operator, names.unwrap_or_else(|| (0..width).map(|_| self.scope.computed()).collect()))
    }
}

/// A join by keys, as it is shown.
struct KeyJoin<'a> {
    /// What its keys are used for.
    word: &'static str,
    kind: JoinType,
    on: &'a [(PhysicalExprRef, PhysicalExprRef)],
    filter: Option<&'a JoinFilter>,
}

/// `ORDER BY:(a DESC, b ASC)`: texts of keys, and whether they are descending.
fn order_text(keys: impl Iterator<Item = (String, bool)>) -> String {
    let one = |(key, descending): (String, bool)| format!("{key} {}", if descending { "DESC" } else { "ASC" });
    format!("ORDER BY:({})", keys.map(one).collect::<Vec<String>>().join(", "))
}

impl Texts<'_, '_> {
    fn order(&self, keys: &LexOrdering) -> String {
        order_text(keys.iter().map(|key| (self.text(&key.expr), key.options.descending)))
    }

    /// The name of a column that an expression is, or whose key it is.
    fn passes_on(&self, expr: &Arc<dyn PhysicalExpr>) -> Option<String> {
        let any: &dyn Any = expr.as_ref();
        if let Some(column) = any.downcast_ref::<Column>() {
            return self.columns.get(column.index()).cloned();
        }
        let call = any.downcast_ref::<ScalarFunctionExpr>()?;
        if is_transparent(call.name()) { self.passes_on(&call.args()[0]) } else { None }
    }

    fn text(&self, expr: &Arc<dyn PhysicalExpr>) -> String {
        let any: &dyn Any = expr.as_ref();
        let text = |expr: &Arc<dyn PhysicalExpr>| self.text(expr);
        if let Some(column) = any.downcast_ref::<Column>() {
            return self.columns.get(column.index()).cloned().unwrap_or_else(|| "[?]".to_owned());
        }
        if let Some(literal) = any.downcast_ref::<Literal>() {
            return scalar_text(literal.value());
        }
        if let Some(binary) = any.downcast_ref::<BinaryExpr>() {
            let op = binary.op().to_string();
            let op = match op.as_str() {
                "AND" | "OR" => format!(" {op} "),
                "!=" => "<>".to_owned(),
                _ => op,
            };
            return format!("{}{op}{}", self.operand(binary.left()), self.operand(binary.right()));
        }
        if let Some(not) = any.downcast_ref::<NotExpr>() {
            return format!("NOT {}", self.operand(not.arg()));
        }
        if let Some(is_null) = any.downcast_ref::<IsNullExpr>() {
            return format!("{} IS NULL", text(is_null.arg()));
        }
        if let Some(is_not_null) = any.downcast_ref::<IsNotNullExpr>() {
            return format!("{} IS NOT NULL", text(is_not_null.arg()));
        }
        if let Some(cast) = any.downcast_ref::<CastExpr>() {
            // To an array of another kind; the value is the same.
            return text(cast.expr());
        }
        if let Some(list) = any.downcast_ref::<InListExpr>() {
            let operand = text(list.expr());
            let one = |item: &Arc<dyn PhysicalExpr>| format!("{operand}={}", text(item));
            return list.list().iter().map(one).collect::<Vec<String>>().join(" OR ");
        }
        if let Some(case) = any.downcast_ref::<CaseExpr>() {
            return self.case(case);
        }
        match any.downcast_ref::<ScalarFunctionExpr>() {
            Some(call) => self.call(call),
            None => expr.to_string(),
        }
    }

    fn operand(&self, expr: &Arc<dyn PhysicalExpr>) -> String {
        let any: &dyn Any = expr.as_ref();
        let is_or = any
            .downcast_ref::<BinaryExpr>()
            .is_some_and(|binary| *binary.op() == datafusion::logical_expr::Operator::Or);
        if is_or || any.is::<InListExpr>() { format!("({})", self.text(expr)) } else { self.text(expr) }
    }

    fn case(&self, case: &CaseExpr) -> String {
        let mut text = "CASE".to_owned();
        for (condition, value) in case.when_then_expr() {
            text.push_str(&format!(" WHEN {} THEN {}", self.text(condition), self.text(value)));
        }
        let otherwise = case.else_expr().map_or_else(|| "NULL".to_owned(), |value| self.text(value));
        format!("{text} ELSE {otherwise} END")
    }

    fn call(&self, call: &ScalarFunctionExpr) -> String {
        let args: Vec<String> = call.args().iter().map(|arg| self.text(arg)).collect();
        let inner: &dyn Any = call.fun().inner().as_ref();
        let shown = inner.downcast_ref::<Function>().map(|function| &function.shown);
        match (shown, call.name()) {
            (Some(Shown::Expr(expr)), _) => self.shower.scope.text(expr, &args),
            (Some(Shown::Outer(index)), _) => {
                self.shower.outer.get(*index).cloned().unwrap_or_else(|| "[?]".to_owned())
            }
            (Some(Shown::Query(query)), _) => {
                let operator = query.show(self.shower.scope, &args);
                let value = operator.output.first().cloned();
                let text = query.text(value.as_deref().unwrap_or("[?]"), &args);
                let mut references = args;
                references.sort_unstable();
                references.dedup();
                self.queries.borrow_mut().push((operator, references));
                text
            }
            (_, name) if is_transparent(name) => args.into_iter().next().unwrap_or_default(),
            (_, "count_as_int") => format!("CONVERT_IMPLICIT(int,{},0)", args.join(",")),
            (_, "like") => args.join(" like "),
            (_, "string_agg_item") => args[..args.len().min(2)].join(","),
            (_, sign @ ("=" | "<>" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^")) => {
                args.join(sign)
            }
            (_, name) => format!("{name}({})", args.join(",")),
        }
    }
}

fn is_null(expr: &Arc<dyn PhysicalExpr>) -> bool {
    let any: &dyn Any = expr.as_ref();
    any.downcast_ref::<Literal>().is_some_and(|literal| literal.value().is_null())
}

/// Functions that are not T-SQL's: a value's key, and the eye on cancellation.
fn is_transparent(function: &str) -> bool {
    matches!(function, "binary_key" | "stored_key" | "collation_key" | "watch")
}

fn scalar_text(value: &ScalarValue) -> String {
    match value {
        value if value.is_null() => "NULL".to_owned(),
        ScalarValue::Utf8(Some(text)) => format!("'{}'", text.replace('\'', "''")),
        ScalarValue::Boolean(Some(bit)) => format!("({})", i32::from(*bit)),
        value => format!("({value})"),
    }
}

/// MIN and MAX may have a key after their argument, which is not shown.
fn window_text(function: WindowFunction, args: &[String]) -> String {
    match function {
        WindowFunction::Aggregate(AggregateFunction::Count | AggregateFunction::CountBig) if args.is_empty() => {
            format!("{}(*)", function.name())
        }
        WindowFunction::Aggregate(_) => {
            format!("{}({})", function.name(), args.first().map(String::as_str).unwrap_or_default())
        }
        _ if args.is_empty() => function.name().to_owned(),
        _ => format!("{}({})", function.name(), args.join(",")),
    }
}

/// `SUM DISTINCT` is how a sum that looks at each value once is called.
fn aggregate_text(name: &str, distinct: bool, args: &str) -> String {
    let (name, own) = name.split_once(' ').unwrap_or((name, ""));
    let distinct = if distinct || !own.is_empty() { "DISTINCT " } else { "" };
    let args = if name == "count" && args == "(1)" { "*" } else { args };
    format!("{}({distinct}{args})", name.to_uppercase())
}

fn logical_join(kind: JoinType) -> &'static str {
    match kind {
        JoinType::Inner => "Inner Join",
        JoinType::Left => "Left Outer Join",
        JoinType::Right => "Right Outer Join",
        JoinType::Full => "Full Outer Join",
        JoinType::LeftSemi | JoinType::LeftMark => "Left Semi Join",
        JoinType::LeftAnti => "Left Anti Semi Join",
        JoinType::RightSemi | JoinType::RightMark => "Right Semi Join",
        JoinType::RightAnti => "Right Anti Semi Join",
    }
}

fn joined_names(kind: JoinType, left: Vec<String>, right: Vec<String>) -> Vec<String> {
    match kind {
        JoinType::LeftSemi | JoinType::LeftAnti => left,
        JoinType::RightSemi | JoinType::RightAnti => right,
        _ => left.into_iter().chain(right).collect(),
    }
}

fn filter_columns(filter: &JoinFilter, left: &[String], right: &[String]) -> Vec<String> {
    let one = |column: &datafusion::physical_plan::joins::utils::ColumnIndex| match column.side {
        JoinSide::Left => left.get(column.index).cloned(),
        _ => right.get(column.index).cloned(),
    };
    filter.column_indices().iter().map(|column| one(column).unwrap_or_default()).collect()
}

fn picked(names: &[String], projection: Option<&[usize]>) -> Vec<String> {
    match projection {
        Some(projection) => projection.iter().map(|index| names[*index].clone()).collect(),
        None => names.to_vec(),
    }
}
