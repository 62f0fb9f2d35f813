//! Which relations run as direct statements, and the steps and stages that they become.

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{ForcedPath, JoinHint, Rel, RelJoin, SortKey};
use millpond_catalog::{TableDef, TableStorage};
use millpond_rewrite::extremes::ends_of_indexes;
use millpond_rewrite::terms::{listed, plain, plain_conjuncts};
use millpond_seek::{Access, Guide, SEEK_ROWS, TableRequest, choose, cost, obeys, order_of, rows_found};
use millpond_types::{SqlType, Value};

use crate::aggregate::Aggregation;
use crate::facets::{Facet, take_facets};
use crate::given::{Given, may_be_given, take_given};
use crate::stage::Stage;
use crate::steps::{Join, TableStep};
use crate::{Direct, Source};

/// A table of a join.
struct Table {
    binding: usize,
    def: Arc<TableDef>,
    first: usize,
    with_locator: bool,
    forced: ForcedPath,
}

/// Tables and predicates of a relation that is a join of tables alone.
#[derive(Default)]
struct Block {
    tables: Vec<Table>,
    conjuncts: Vec<BoundExpr>,
    width: usize,
    /// Their places are after the tables' columns; the width has them too.
    facets: Vec<Facet>,
    /// The same of queries that are asked before.
    given: Vec<Given>,
}

/// See [`Direct::of`].
pub(crate) fn direct(rel: &Rel, guide: &Guide) -> Option<Direct> {
    for_first_rows(rel, guide, None)
}

/// The same where the first rows are to come early: about so many.
pub(crate) fn for_first_rows(rel: &Rel, guide: &Guide, rows: Option<u64>) -> Option<Direct> {
    let mut stages = Vec::new();
    let ends = with_ends(rel);
    let base = peel(ends.as_ref().unwrap_or(rel), &mut stages)?;
    stages.reverse();
    if let Rel::Values { rows, types } = base {
        if rows.iter().flatten().any(needs_plan) {
            return None;
        }
        return Some(Direct { source: Source::Values(rows.clone(), types.len()), stages });
    }
    let mut block = Block::default();
    block.width = block.add(base, 0)?;
    block.facets = take_facets(&mut block.conjuncts, &mut stages, block.width);
    block.width += block.facets.len();
    if block.conjuncts.iter().any(needs_plan) {
        block.given = take_given(&mut block.conjuncts, block.width, &|rel| direct(rel, guide))?;
        block.width += block.given.len();
        // The places after the tables' columns must not show in the result.
        let is_row_itself = |stage: &Stage| !matches!(stage, Stage::Project(_) | Stage::Aggregate(_));
        if stages.iter().all(is_row_itself) {
            return None;
        }
    }
    let join = match rows.filter(|_| are_streamed(&stages)) {
        None => block.join(&mut stages, guide)?,
        Some(rows) => block.join_for_first(rows, &mut stages, guide)?,
    };
    Some(Direct { source: Source::Join(join), stages })
}

/// Whether no stage but a sort at the beginning waits for all rows.
fn are_streamed(stages: &[Stage]) -> bool {
    let is_sorted = matches!(stages.first(), Some(Stage::Sort(_)));
    stages[usize::from(is_sorted)..].iter().all(|stage| matches!(stage, Stage::Project(_) | Stage::Filter(_)))
}

/// The way of a walk ([`crate::walk`]): one table, and what becomes of its rows one by one.
pub(crate) fn walk(rel: &Rel, guide: &Guide) -> Option<(Join, Vec<Stage>)> {
    let mut stages = Vec::new();
    let base = peel(rel, &mut stages)?;
    stages.reverse();
    if !are_streamed(&stages) {
        return None;
    }
    let mut block = Block::default();
    block.width = block.add(base, 0)?;
    if block.tables.len() != 1 || block.conjuncts.iter().any(needs_plan) {
        return None;
    }
    // As if one row were wanted: an index that gives the order is read from where the walk stands.
    let join = block.join_for_first(1, &mut stages, guide)?;
    if matches!(stages.first(), Some(Stage::Sort(_))) {
        return None;
    }
    Some((join, stages))
}

/// The query of MIN or MAX with an index's end instead of all rows, where that is one.
fn with_ends(rel: &Rel) -> Option<Rel> {
    match rel {
        Rel::Project { input, exprs } => {
            with_ends(input).map(|input| Rel::Project { input: Box::new(input), exprs: exprs.clone() })
        }
        Rel::Aggregate { input, groups, aggregates } if groups.is_empty() && aggregates.len() == 1 => {
            ends_of_indexes(input, aggregates)
        }
        _ => None,
    }
}

/// Takes the stages off, the last first.
fn peel<'r>(rel: &'r Rel, stages: &mut Vec<Stage>) -> Option<&'r Rel> {
    let simple = |exprs: &[BoundExpr]| !exprs.iter().any(needs_plan);
    match rel {
        Rel::Project { input, exprs } if simple(exprs) => {
            stages.push(Stage::Project(exprs.clone()));
            peel(input, stages)
        }
        Rel::Top { input, count, percent, ties, offset } if ties.is_empty() || !percent => {
            if count.iter().chain(offset).chain(ties.iter().map(|key| &key.expr)).any(needs_plan) {
                return None;
            }
            let (count, offset, ties) = (count.clone(), offset.clone(), ties.clone());
            stages.push(Stage::Top { count, percent: *percent, offset, ties });
            peel(input, stages)
        }
        Rel::Sort { input, keys } => {
            if keys.iter().any(|key| needs_plan(&key.expr)) {
                return None;
            }
            stages.push(Stage::Sort(keys.clone()));
            peel(input, stages)
        }
        Rel::Aggregate { input, groups, aggregates } => {
            let args = aggregates.iter().filter_map(|aggregate| aggregate.arg.as_ref());
            if !Aggregation::is_simple(aggregates) || groups.iter().chain(args).any(needs_plan) {
                return None;
            }
            stages.push(Stage::Aggregate(Aggregation { groups: groups.clone(), aggregates: aggregates.clone() }));
            peel(input, stages)
        }
        Rel::Distinct(input) => {
            let groups =
                input.types().into_iter().enumerate().map(|(index, ty)| BoundExpr::column(index, ty)).collect();
            stages.push(Stage::Aggregate(Aggregation { groups, aggregates: Vec::new() }));
            peel(input, stages)
        }
        Rel::Filter { input, predicate } if !matches!(**input, Rel::Table { .. } | Rel::Join { .. }) => {
            if needs_plan(predicate) {
                return None;
            }
            stages.push(Stage::Filter(predicate.clone()));
            peel(input, stages)
        }
        base => Some(base),
    }
}

/// The way to a table's rows that match a row whose first `first` columns are known: by an index, if one narrows them.
/// The row goes on with the table's columns and its locator.
pub(crate) fn lookup(binding: usize, def: &Arc<TableDef>, first: usize, on: &BoundExpr) -> Option<TableStep> {
    if def.storage != TableStorage::Trees || needs_plan(on) {
        return None;
    }
    let width = first + def.columns.len() + 1;
    let mut conjuncts = millpond_catalog::expr::conjuncts(on.clone());
    let needed: Vec<usize> = (0..def.columns.len()).collect();
    let request = TableRequest {
        def,
        first,
        is_known: &|column| column < first,
        conjuncts: &conjuncts,
        needed: &needed,
        order: &[],
        goal: None,
        forced: ForcedPath::default(),
        guide: &Guide::none(),
    };
    let access = choose(&request);
    if !access.narrows() {
        return None;
    }
    let table = Table { binding, def: Arc::clone(def), first, with_locator: true, forced: ForcedPath::default() };
    let step = step(&table, access, (&vec![true; width], &[]), &mut conjuncts, &vec![true; width]);
    // What names no column at all is asked of each row too.
    let filters = step.filters.into_iter().chain(conjuncts).collect();
    Some(TableStep { filters, ..step })
}

impl Block {
    /// Adds a relation whose first column is `first`; the place after its last.
    fn add(&mut self, rel: &Rel, first: usize) -> Option<usize> {
        match rel {
            Rel::Table { binding, def, with_rid, forced } => {
                if def.storage != TableStorage::Trees {
                    return None;
                }
                self.tables.push(Table {
                    binding: *binding,
                    def: Arc::clone(def),
                    first,
                    with_locator: *with_rid,
                    forced: *forced,
                });
                Some(first + def.columns.len() + usize::from(*with_rid))
            }
            Rel::Filter { input, predicate } => {
                let end = self.add(input, first)?;
                self.add_predicate(predicate, first)?;
                Some(end)
            }
            // Of the order and the ways of the joins here nothing can be asked.
            Rel::Join { kind: RelJoin::Inner, hint, left, right, on } if *hint == JoinHint::default() => {
                let middle = self.add(left, first)?;
                let end = self.add(right, middle)?;
                if let Some(on) = on {
                    self.add_predicate(on, first)?;
                }
                Some(end)
            }
            _ => None,
        }
    }

    fn add_predicate(&mut self, predicate: &BoundExpr, first: usize) -> Option<()> {
        let moved = predicate.clone().rewrite(&mut |node| match node.kind {
            Kind::Column(column) => Ok(BoundExpr::column(first + column, node.ty)),
            _ => Err(node),
        });
        let conjuncts: Vec<BoundExpr> = plain_conjuncts(moved).into_iter().map(listed).collect();
        if conjuncts.iter().any(|conjunct| needs_plan(conjunct) && !may_be_given(conjunct)) {
            return None;
        }
        self.conjuncts.extend(conjuncts);
        Some(())
    }

    /// The same as if so many rows alone were wanted, of stages of which none but a sort at the beginning waits for all rows.
    fn join_for_first(self, rows: u64, stages: &mut Vec<Stage>, guide: &Guide) -> Option<Join> {
        let rows = BoundExpr::literal(Value::BigInt(rows.try_into().unwrap_or(i64::MAX)), SqlType::BigInt);
        let top = Stage::Top { count: Some(rows), percent: false, offset: None, ties: Vec::new() };
        stages.insert(usize::from(matches!(stages.first(), Some(Stage::Sort(_)))), top);
        let join = self.join(stages, guide)?;
        // The join may have dropped the sort.
        stages.remove(usize::from(matches!(stages.first(), Some(Stage::Sort(_)))));
        Some(join)
    }

    /// The tables in the order in which indexes lead from one to the next. None when one has no way that narrows it.
    fn join(self, stages: &mut Vec<Stage>, guide: &Guide) -> Option<Join> {
        let read = self.columns_read(stages);
        let order: Vec<SortKey> = match stages.first() {
            // Rows for several values of a query come value by value.
            Some(Stage::Sort(keys)) if self.given.iter().all(Given::is_single) => keys.clone(),
            _ => Vec::new(),
        };
        // An index whose order is asked for may be read from its end for the first rows.
        let goal = stages.get(usize::from(!order.is_empty())).and_then(Stage::goal);
        let mut known = vec![false; self.width];
        self.given.iter().for_each(|given| known[given.place] = true);
        let mut remaining: Vec<&Table> = self.tables.iter().collect();
        let mut steps: Vec<TableStep> = Vec::new();
        let mut unused = self.conjuncts.clone();
        let mut effort = Effort::of(&self.given);
        while !remaining.is_empty() {
            let first_step = steps.is_empty();
            let wanted = if first_step { (&order[..], goal) } else { (&[][..], None) };
            let (index, access) = best(&remaining, &known, &self.conjuncts, (&read, &self.facets), wanted, guide)?;
            let table = remaining.remove(index);
            effort.add(&table.def, &access, guide, !remaining.is_empty());
            let end = table.first + table.def.columns.len() + usize::from(table.with_locator);
            known[table.first..end].fill(true);
            for facet in self.facets.iter().filter(|facet| (table.first..end).contains(&facet.of)) {
                known[facet.place] = true;
            }
            let narrows = access.narrows();
            let step = step(table, access, (&read, &self.facets), &mut unused, &known);
            if first_step && !order.is_empty() {
                self.use_order(&step, &order, stages);
            }
            let ordered_top = first_step && goal.is_some() && !matches!(stages.first(), Some(Stage::Sort(_)));
            if !narrows && !ordered_top {
                return None;
            }
            let backward = self.is_backward(&step, &order);
            let stops = stages.iter().take_while(|stage| !stage.is_blocking());
            let stops = stops.into_iter().any(|stage| matches!(stage, Stage::Top { .. }));
            let first_rows = if stops { 1 } else { usize::MAX };
            steps.push(TableStep {
                access: Access { backward: first_step && backward, ..step.access },
                first_rows,
                ..step
            });
        }
        // TOP may end it long before.
        let stops =
            stages.iter().take_while(|stage| !stage.is_blocking()).any(|stage| matches!(stage, Stage::Top { .. }));
        if !stops && effort.is_too_much() {
            return None;
        }
        Some(Join { width: self.width, given: self.given, constants: unused, steps })
    }

    /// Drops the sort when the first table's index gives its order.
    fn use_order(&self, step: &TableStep, order: &[SortKey], stages: &mut Vec<Stage>) {
        if self.given_order(step, order).is_some() {
            stages.remove(0);
        }
    }

    fn is_backward(&self, step: &TableStep, order: &[SortKey]) -> bool {
        !order.is_empty() && self.given_order(step, order).unwrap_or(false)
    }

    fn given_order(&self, step: &TableStep, order: &[SortKey]) -> Option<bool> {
        let request = TableRequest {
            def: &step.def,
            first: step.first,
            is_known: &|_| false,
            conjuncts: &[],
            needed: &[],
            order,
            goal: None,
            forced: ForcedPath::default(),
            guide: &Guide::none(),
        };
        order_of(&request, &step.access)
    }

    /// Columns of the row that a stage reads. A column that a projection only passes on, and no stage above uses, is not read.
    fn columns_read(&self, stages: &[Stage]) -> Vec<bool> {
        // Of the row that the stages looked at so far are given, the last one first; none: all.
        let mut wanted: Option<Vec<usize>> = None;
        for stage in stages.iter().rev() {
            let exprs: Vec<&BoundExpr> = match stage {
                Stage::Filter(predicate) => vec![predicate],
                Stage::Sort(keys) => keys.iter().map(|key| &key.expr).collect(),
                Stage::Top { ties, .. } => ties.iter().map(|key| &key.expr).collect(),
                Stage::Project(exprs) => {
                    let above = wanted.replace(Vec::new());
                    let is_wanted = |(place, expr): &(usize, &BoundExpr)| {
                        !matches!(expr.kind, Kind::Column(_))
                            || above.as_ref().is_none_or(|above| above.contains(place))
                    };
                    exprs.iter().enumerate().filter(is_wanted).map(|(_, expr)| expr).collect()
                }
                Stage::Aggregate(Aggregation { groups, aggregates }) => {
                    wanted = Some(Vec::new());
                    groups.iter().chain(aggregates.iter().filter_map(|aggregate| aggregate.arg.as_ref())).collect()
                }
            };
            if let Some(wanted) = &mut wanted {
                exprs.into_iter().for_each(|expr| expr.visit(&mut |node| wanted.extend(plain(node))));
            }
        }
        let Some(wanted) = wanted else { return vec![true; self.width] };
        let mut read = vec![false; self.width];
        wanted.into_iter().for_each(|column| read[column] = true);
        for conjunct in &self.conjuncts {
            conjunct.visit(&mut |node| plain(node).into_iter().for_each(|column| read[column] = true));
        }
        read
    }
}

/// What a join costs that goes from row to row, and what reading all but the first of its tables as wholes does.
struct Effort {
    /// Rows of the tables so far; none when that is not known of one of them.
    rows: Option<f64>,
    by_seeks: f64,
    as_wholes: f64,
}

/// Rows that are joined one by one in any case.
const FEW_ROWS: f64 = 2000.0;
/// A plan has to be better by this: it is made and begun for the statement.
const PLAN_ADVANTAGE: f64 = 3.0;

impl Effort {
    fn of(given: &[Given]) -> Effort {
        Effort { rows: given.iter().map(Given::estimate).product(), by_seeks: 0.0, as_wholes: 0.0 }
    }

    /// Another table; `goes_on`: there are more.
    fn add(&mut self, def: &TableDef, access: &Access, guide: &Guide, goes_on: bool) {
        let Some(before) = self.rows else { return };
        if access.single {
            self.by_seeks += before * SEEK_ROWS;
        }
        // One row each: nothing to weigh.
        if (access.single || !goes_on) && before <= 1.0 {
            return;
        }
        self.rows = None;
        let Some(figures) = guide.figures(def) else { return };
        let mut alone = figures.rows;
        if !access.single {
            let Some(cost) = cost(def, &figures, access) else { return };
            self.by_seeks += before * cost;
            if self.as_wholes == 0.0 {
                // The first table is read by its index in a plan too.
                alone = alone.min(cost);
            }
        }
        self.as_wholes += alone;
        self.rows = rows_found(def, &figures, access).map(|found| before * found);
    }

    fn is_too_much(&self) -> bool {
        self.rows.is_some_and(|rows| rows > FEW_ROWS) && self.by_seeks > self.as_wholes * PLAN_ADVANTAGE
    }
}

/// The remaining table with the best way to it.
fn best(
    remaining: &[&Table],
    known: &[bool],
    conjuncts: &[BoundExpr],
    (read, facets): (&[bool], &[Facet]),
    (order, goal): (&[SortKey], Option<f64>),
    guide: &Guide,
) -> Option<(usize, Access)> {
    let ways = remaining.iter().enumerate().map(|(position, table)| {
        let is_asked = |place: usize| read[place] || facets.iter().any(|facet| facet.of == place);
        let needed: Vec<usize> = (0..table.def.columns.len()).filter(|column| is_asked(table.first + column)).collect();
        let request = TableRequest {
            def: &table.def,
            first: table.first,
            is_known: &|column| known[column],
            conjuncts,
            needed: &needed,
            order,
            goal,
            forced: table.forced,
            guide,
        };
        let access = choose(&request);
        obeys(&request, &access).then_some((position, access))
    });
    let ways: Vec<(usize, Access)> = ways.flatten().collect();
    // Among several that are narrowed the one with the fewest rows, where that is known of all.
    let narrowed: Vec<&(usize, Access)> = ways.iter().filter(|(_, access)| access.narrows()).collect();
    if narrowed.len() > 1 && !narrowed.iter().any(|(_, access)| access.single) {
        let found = |(position, access): &&(usize, Access)| {
            let def = &remaining[*position].def;
            guide.figures(def).and_then(|figures| rows_found(def, &figures, access))
        };
        let counts: Option<Vec<f64>> = narrowed.iter().map(found).collect();
        let counted = counts.into_iter().flatten().zip(&narrowed);
        if let Some((_, (position, access))) = counted.min_by(|(a, _), (b, _)| a.total_cmp(b)) {
            return Some((*position, access.clone()));
        }
    }
    // The first of equals: the order as written.
    ways.into_iter().max_by_key(|(position, access)| {
        (access.single, access.prefix.len(), access.narrows(), std::cmp::Reverse(*position))
    })
}

fn step(
    table: &Table,
    access: Access,
    (read, facets): (&[bool], &[Facet]),
    unused: &mut Vec<BoundExpr>,
    known: &[bool],
) -> TableStep {
    let def = &table.def;
    let stored = &def.indexes[access.index].stored;
    let position_of = |column: usize| match access.covers {
        true => stored.iter().position(|stored| *stored == column).expect("a covering index has all columns read"),
        false => column,
    };
    let columns = table.first..table.first + def.columns.len();
    let places = columns.clone().filter(|place| read[*place]).map(|place| (position_of(place - table.first), place));
    let places = places.collect();
    let own = facets.iter().filter(|facet| columns.contains(&facet.of));
    let facets = own.map(|facet| facet.at(position_of(facet.of - table.first))).collect();
    let is_ready = |expr: &BoundExpr| {
        let (mut ready, mut any) = (true, false);
        expr.visit(&mut |node| {
            if let Kind::Column(column) = node.kind {
                ready &= known[column];
                any = true;
            }
        });
        ready && any
    };
    let (filters, rest) = std::mem::take(unused).into_iter().partition(is_ready);
    *unused = rest;
    TableStep {
        binding: table.binding,
        def: Arc::clone(def),
        first: table.first,
        with_locator: table.with_locator,
        access,
        first_rows: usize::MAX,
        places,
        facets,
        filters,
    }
}
