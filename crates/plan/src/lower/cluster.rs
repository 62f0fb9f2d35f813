//! Inner joins by size: all inner joins that follow each other are taken together, and the order and the sides are
//! chosen by what is estimated, whatever the text's order.
//!
//! ```text
//!   ((a ⋈ b) ⋈ c) ⋈ d  ──▶  inputs a b c d, conditions  ──▶  the tree of least cost  ──▶  plan
//! ```
//! C1: a condition stands at the first join that has all its columns. One that speaks of a single input, as a column that is
//! a constant makes it, filters that input, or stands at the input's join when it can fail. The order is `join_tree`'s.
//! C2: columns that are equal, also through others, are one class. Those of one input are compared by its filter, and where two sides
//! that have some meet, one of each is compared: so all of a class that are joined are equal, whichever join came first.
//! C3: a join in the order as written is a cluster of its own, of two inputs that stay where they are.

use std::collections::BTreeMap;

use datafusion::common::JoinType;
use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{JoinHint, Rel, RelJoin};
use millpond_message::error::SqlResult;
use millpond_types::{Collation, SqlType};

use crate::lower::hash_join::{JoinRows, is_equality, joined};
use crate::lower::size::Side;
use crate::lower::{apply, seek_join, size};
use crate::lowering::{Lowered, Lowering};
use crate::run::failure;
use millpond_rewrite::input_set::InputSet;
use millpond_rewrite::join_tree::{By, Edge, Graph, Link, Shape, Tree};
use millpond_rewrite::normal::push_movable;
use millpond_rewrite::terms;
use millpond_rewrite::terms::{all, can_fail, columns, conjuncts, disjuncts, is_cheap, is_volatile, substitute};

/// The values of more inputs than this are not compared with each other's.
const MET_INPUTS_MAX: usize = 24;

/// Inner joins that follow each other.
struct Cluster {
    inputs: Vec<Input>,
    /// Over the columns of all inputs, one after the other.
    conditions: Vec<Condition>,
    /// What other conditions there were (C2).
    classes: Vec<EqualColumns>,
    width: usize,
    /// What is said of the join that stands above all others.
    hint: JoinHint,
}

/// Columns of a cluster that are equal.
struct EqualColumns {
    columns: Vec<usize>,
    collation: Collation,
}

struct Input {
    rel: Rel,
    types: Vec<ExprType>,
    first: usize,
}

struct Condition {
    expr: BoundExpr,
    /// The inputs that it speaks of; known once all inputs are.
    inputs: InputSet,
}

/// A part of the joins as a plan.
struct JoinedInputs {
    rows: Lowered,
    /// Columns of the cluster, in the order of the plan's.
    places: Vec<usize>,
}

/// The inner join of two relations; the condition has no subqueries.
pub(crate) fn inner_join(
    lowering: &Lowering<'_>,
    hint: JoinHint,
    left: &Rel,
    right: &Rel,
    on: Option<&BoundExpr>,
) -> SqlResult<Lowered> {
    let mut cluster = Cluster { inputs: Vec::new(), conditions: Vec::new(), classes: Vec::new(), width: 0, hint };
    let mut outputs = Vec::new();
    for side in [left, right] {
        outputs.extend(if hint.in_order { cluster.add_input(side) } else { cluster.add(side) });
    }
    cluster.add_conditions(on, &outputs);
    cluster.place_conditions();
    cluster.filter_inputs();
    cluster.add_implied();
    cluster.find_classes();
    let tree = tree(lowering, &cluster);
    let part = part(lowering, &cluster, &tree)?;
    let mut by_place = vec![None; cluster.width];
    for (column, place) in part.rows.columns.into_iter().zip(&part.places) {
        by_place[*place] = Some(column);
    }
    let columns = by_place.into_iter().flatten().collect();
    lowering.project(Lowered { plan: part.rows.plan, columns }, &outputs)
}

/// The order of the joins.
fn tree(lowering: &Lowering<'_>, cluster: &Cluster) -> Tree {
    let graph = graph(lowering, cluster);
    if cluster.hint.in_order {
        return graph.as_written();
    }
    let tree = graph.tree();
    let is_possible = lowering.methods(cluster.hint).loops || cluster.is_keyed(&tree);
    if is_possible { tree } else { graph.as_written() }
}

/// What is estimated of the inputs and of the conditions between them.
fn graph(lowering: &Lowering<'_>, cluster: &Cluster) -> Graph {
    let is_large = cluster.inputs.len() > MET_INPUTS_MAX;
    let side = |input| if is_large { Side::of(lowering, input).of_many() } else { Side::of(lowering, input) };
    let sides: Vec<Side<'_>> = cluster.inputs.iter().map(|input| side(&input.rel)).collect();
    let sizes: Vec<Option<f64>> = sides.iter().map(|side| side.rows).collect();
    let mut near = vec![Vec::new(); cluster.inputs.len()];
    for ((one, other), Equalities { pairs, classes }) in cluster.equalities() {
        let share = size::share_of_keys((&sides[one], &sides[other]), &pairs);
        let link = Link { share, classes };
        near[one].push(Edge { to: other, link: link.clone() });
        near[other].push(Edge { to: one, link });
    }
    let methods = lowering.methods(cluster.hint);
    let by = if methods.are_loops() {
        By::Loops((0..cluster.inputs.len()).map(|inner| cluster.led_from(lowering, inner, &sizes)).collect())
    } else if methods.loops {
        By::Any
    } else {
        By::Keys
    };
    Graph { sizes, near, by }
}

fn part(lowering: &Lowering<'_>, cluster: &Cluster, tree: &Tree) -> SqlResult<JoinedInputs> {
    let (left, right) = match &tree.shape {
        Shape::Input(index) => {
            let rows = lowering.rel(&cluster.inputs[*index].rel)?;
            return Ok(JoinedInputs { rows, places: cluster.places(tree) });
        }
        Shape::Join(left, right) => (&**left, &**right),
    };
    // Either side may be the table that an index of it leads into.
    let turns = if cluster.hint.in_order { 1 } else { 2 };
    for (outer, inner) in [(left, right), (right, left)].into_iter().take(turns) {
        if let Some(part) = sought_part(lowering, cluster, outer, inner)? {
            let last = part.rows.columns.last().map(|column| column.name.as_str());
            lowering.cell.expect(apply::key_name(last), tree.rows);
            return Ok(part);
        }
    }
    let (left_part, right_part) = (part(lowering, cluster, left)?, part(lowering, cluster, right)?);
    let places: Vec<usize> = left_part.places.into_iter().chain(right_part.places).collect();
    let on = cluster.conditions_at(&left.inputs, &right.inputs, &places);
    let rows = JoinRows { left: left.rows, right: right.rows, joined: tree.rows };
    let rows = joined(lowering, (JoinType::Inner, cluster.hint), left_part.rows, right_part.rows, on, rows)?;
    Ok(JoinedInputs { rows, places })
}

/// The join by seeks into `inner`, if that is a table and seeks are better.
fn sought_part(
    lowering: &Lowering<'_>,
    cluster: &Cluster,
    outer: &Tree,
    inner: &Tree,
) -> SqlResult<Option<JoinedInputs>> {
    let Shape::Input(index) = inner.shape else { return Ok(None) };
    let sought =
        |outer_places: &[usize]| cluster.sought(lowering, (&outer.inputs, outer_places), (outer.rows, true), index);
    let planned = cluster.places(outer);
    let Some(first) = sought(&planned) else { return Ok(None) };
    let part = part(lowering, cluster, outer)?;
    // Inside of it seeks may have led from its right side into its left one.
    let found = if part.places == planned { Some(first) } else { sought(&part.places) };
    let Some((sought, places)) = found else { return Err(failure::internal("seeks were lost")) };
    let types: Vec<ExprType> = part.places.iter().map(|place| cluster.type_of(*place)).collect();
    let rows = apply::apply_to(lowering, part.rows, &types, &sought, false)?;
    Ok(Some(JoinedInputs { rows, places }))
}

impl Cluster {
    /// Adds a relation; its columns over those of the cluster.
    fn add(&mut self, rel: &Rel) -> Vec<BoundExpr> {
        match rel {
            Rel::Join { kind: RelJoin::Inner, hint, left, right, on }
                if !hint.in_order && on.as_ref().is_none_or(is_movable) =>
            {
                let mut outputs = self.add(left);
                outputs.extend(self.add(right));
                self.add_conditions(on.as_ref(), &outputs);
                outputs
            }
            Rel::Project { input, exprs } if exprs.iter().all(is_cheap) && is_join(input) => {
                let inner = self.add(input);
                exprs.iter().map(|expr| substitute(expr.clone(), &inner)).collect()
            }
            rel => self.add_input(rel),
        }
    }

    /// Adds a relation as an input; its columns over those of the cluster.
    fn add_input(&mut self, rel: &Rel) -> Vec<BoundExpr> {
        let (types, first) = (rel.types(), self.width);
        let outputs = types.iter().enumerate().map(|(index, ty)| BoundExpr::column(first + index, *ty)).collect();
        self.width += types.len();
        self.inputs.push(Input { rel: rel.clone(), types, first });
        outputs
    }

    /// The rows of an input that are sought from a row of others, whose columns stand at those places and which are about so many,
    /// and where the columns of both stand; none where seeks are not better. See [`seek_join::Outer::may_hash`].
    fn sought(
        &self,
        lowering: &Lowering<'_>,
        (outer, outer_places): (&InputSet, &[usize]),
        (rows, may_hash): (Option<f64>, bool),
        inner: usize,
    ) -> Option<(Rel, Vec<usize>)> {
        let (input, width) = (&self.inputs[inner], outer_places.len());
        let places: Vec<usize> =
            outer_places.iter().copied().chain(input.first..input.first + input.types.len()).collect();
        let on = self.conditions_at(outer, &InputSet::one(inner), &places);
        let methods = lowering.methods(self.hint);
        let outer = seek_join::Outer { width, rows, run_rows: seek_join::JOIN_ROWS, methods, may_hash };
        let sought = seek_join::sought(lowering, outer, &input.rel, &on, &|column| column.checked_sub(width))?;
        Some((sought, places))
    }

    /// The inputs from each of which alone seeks lead to this one.
    fn led_from(&self, lowering: &Lowering<'_>, inner: usize, sizes: &[Option<f64>]) -> InputSet {
        let mut from = InputSet::default();
        for (other, input) in self.inputs.iter().enumerate().filter(|(other, _)| *other != inner) {
            let places: Vec<usize> = (input.first..input.first + input.types.len()).collect();
            if self.sought(lowering, (&InputSet::one(other), &places), (sizes[other], false), inner).is_some() {
                from.insert(other);
            }
        }
        from
    }

    /// Whether each join of a tree has an equality.
    fn is_keyed(&self, tree: &Tree) -> bool {
        let Shape::Join(left, right) = &tree.shape else { return true };
        let (mut places, right_places) = (self.places(left), self.places(right));
        let width = places.len();
        places.extend(right_places);
        let on = self.conditions_at(&left.inputs, &right.inputs, &places);
        on.iter().any(|condition| is_equality(condition, width)) && self.is_keyed(left) && self.is_keyed(right)
    }

    fn add_conditions(&mut self, on: Option<&BoundExpr>, outputs: &[BoundExpr]) {
        let on = on.map(|on| conjuncts(on.clone())).unwrap_or_default();
        let moved = on.into_iter().map(|condition| substitute(condition, outputs));
        self.conditions.extend(moved.map(|expr| Condition { expr, inputs: InputSet::default() }));
    }

    /// Finds out which inputs each condition speaks of.
    fn place_conditions(&mut self) {
        let sets: Vec<InputSet> = self.conditions.iter().map(|condition| self.inputs_of(&condition.expr)).collect();
        self.conditions.iter_mut().zip(sets).for_each(|(condition, inputs)| condition.inputs = inputs);
    }

    /// Filters each input by the conditions that speak of it alone.
    fn filter_inputs(&mut self) {
        let is_of_one = |condition: &Condition| condition.inputs.len() == 1 && !can_fail(&condition.expr);
        let (of_one, others) = std::mem::take(&mut self.conditions).into_iter().partition(is_of_one);
        self.conditions = others;
        for Condition { expr, inputs } in of_one {
            inputs.iter().for_each(|index| self.filter(index, expr.clone()));
        }
    }

    /// Filters an input by a condition over the cluster's columns.
    fn filter(&mut self, index: usize, condition: BoundExpr) {
        let input = &mut self.inputs[index];
        let condition = terms::shifted(condition, input.first);
        let rel = std::mem::replace(&mut input.rel, Rel::Values { rows: Vec::new(), types: Vec::new() });
        input.rel = push_movable(rel, vec![condition]);
    }

    /// Filters each input by what a disjunction over several inputs says of it: of `(a.x = 1 AND b.y = 2) OR (a.x = 3 AND
    /// b.y = 4)` that `a.x = 1 OR a.x = 3`.
    fn add_implied(&mut self) {
        let mut found: Vec<(usize, BoundExpr)> = Vec::new();
        for Condition { expr, inputs } in &self.conditions {
            if inputs.len() < 2 || !matches!(expr.kind, Kind::Or(..)) || can_fail(expr) {
                continue;
            }
            let parts: Vec<Vec<BoundExpr>> = disjuncts(expr.clone()).into_iter().map(conjuncts).collect();
            for index in inputs.iter() {
                let only = InputSet::one(index);
                let own = |part: &Vec<BoundExpr>| {
                    all(part.iter().filter(|conjunct| self.inputs_of(conjunct) == only).cloned().collect())
                };
                let Some(own) = parts.iter().map(own).collect::<Option<Vec<BoundExpr>>>() else { continue };
                let either = |a, b| BoundExpr::predicate(Kind::Or(Box::new(a), Box::new(b)));
                found.extend(terms::balanced(own, either).map(|implied| (index, implied)));
            }
        }
        for (index, implied) in found {
            self.filter(index, implied);
        }
    }

    fn input_of(&self, column: usize) -> usize {
        self.inputs.partition_point(|input| input.first <= column) - 1
    }

    /// The inputs that an expression speaks of.
    fn inputs_of(&self, expr: &BoundExpr) -> InputSet {
        let mut set = InputSet::default();
        columns(expr).into_iter().for_each(|column| set.insert(self.input_of(column)));
        set
    }

    fn type_of(&self, column: usize) -> ExprType {
        let input = &self.inputs[self.input_of(column)];
        input.types[column - input.first]
    }

    /// Makes classes of the columns that conditions say are equal (C2).
    fn find_classes(&mut self) {
        for condition in std::mem::take(&mut self.conditions) {
            let Some((a, b, collation)) = equal_columns(&condition) else {
                self.conditions.push(condition);
                continue;
            };
            let is_text = self.type_of(a).sql.is_string();
            let has = |class: &EqualColumns, column| {
                class.columns.contains(&column) && (!is_text || class.collation == collation)
            };
            let (touched, mut classes): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.classes).into_iter().partition(|class| has(class, a) || has(class, b));
            let mut columns: Vec<usize> = touched.into_iter().flat_map(|class| class.columns).chain([a, b]).collect();
            columns.sort_unstable();
            columns.dedup();
            classes.push(EqualColumns { columns, collation });
            self.classes = classes;
        }
        let mut within: Vec<(usize, BoundExpr)> = Vec::new();
        for class in &self.classes {
            for pair in class.columns.windows(2) {
                let input = self.input_of(pair[0]);
                if input == self.input_of(pair[1]) {
                    within.push((input, self.equal(pair[0], pair[1], class.collation)));
                }
            }
        }
        within.into_iter().for_each(|(input, condition)| self.filter(input, condition));
    }

    fn equal(&self, one: usize, other: usize, collation: Collation) -> BoundExpr {
        let column = |place| BoundExpr::column(place, self.type_of(place));
        terms::equal(column(one), column(other), collation)
    }

    /// For each two inputs, the lower number first, what is equal of them.
    fn equalities(&self) -> BTreeMap<(usize, usize), Equalities> {
        let mut found: BTreeMap<(usize, usize), Equalities> = BTreeMap::new();
        for (number, class) in self.classes.iter().enumerate() {
            for (place, &one) in class.columns.iter().enumerate() {
                for &other in &class.columns[place + 1..] {
                    let (left, right) = (self.input_of(one), self.input_of(other));
                    if left == right {
                        continue;
                    }
                    let here = found.entry((left, right)).or_default();
                    here.pairs.push((one - self.inputs[left].first, other - self.inputs[right].first));
                    here.classes.insert(number);
                }
            }
        }
        // Of equal expressions nothing is known but that they connect their inputs.
        for (number, condition) in self.conditions.iter().enumerate() {
            if let (Kind::Compare(CompareOp::Eq, a, b, _), 2) = (&condition.expr.kind, condition.inputs.len())
                && self.inputs_of(a).len() == 1
                && self.inputs_of(b).len() == 1
                && let Some((left, right)) = condition.inputs.iter().zip(condition.inputs.iter().skip(1)).next()
            {
                let here = found.entry((left, right)).or_default();
                here.pairs.push((usize::MAX, usize::MAX));
                here.classes.insert(self.classes.len() + number);
            }
        }
        found
    }

    /// The cluster's columns in the order of a tree's.
    fn places(&self, tree: &Tree) -> Vec<usize> {
        let (mut places, mut rest) = (Vec::new(), vec![tree]);
        while let Some(tree) = rest.pop() {
            match &tree.shape {
                Shape::Input(index) => {
                    let input = &self.inputs[*index];
                    places.extend(input.first..input.first + input.types.len());
                }
                Shape::Join(left, right) => rest.extend([&**right, &**left]),
            }
        }
        places
    }

    /// The conditions of the join of two sets of inputs (C1), over the columns at `places`.
    fn conditions_at(&self, left: &InputSet, right: &InputSet, places: &[usize]) -> Vec<BoundExpr> {
        let is_whole = left.len() + right.len() == self.inputs.len();
        let here = |condition: &&Condition| {
            let Condition { inputs, .. } = condition;
            // What speaks of no column is asked at the end.
            if inputs.is_empty() {
                is_whole
            } else if inputs.len() == 1 {
                [left, right].iter().any(|side| side.len() == 1 && inputs.meets(side))
            } else {
                inputs.meets(left) && inputs.meets(right) && inputs.is_within(left, right)
            }
        };
        let mut by_place = vec![0; self.width];
        places.iter().enumerate().for_each(|(index, place)| by_place[*place] = index);
        let moved = |condition: &Condition| terms::moved(condition.expr.clone(), &|column| by_place[column]);
        let others = self.conditions.iter().filter(here).map(moved);
        let within = |side: &InputSet, class: &EqualColumns| {
            let own = class.columns.iter().copied().filter(|column| side.contains(self.input_of(*column)));
            // An index may be on any column of a single input.
            own.take(if side.len() == 1 { usize::MAX } else { 1 }).collect::<Vec<usize>>()
        };
        let mut met = Vec::new();
        for class in &self.classes {
            let (left, right) = (within(left, class), within(right, class));
            let pairs = left.iter().flat_map(|one| right.iter().map(move |other| (*one, *other)));
            met.extend(pairs.map(|(one, other)| self.equal(one, other, class.collation)));
        }
        let met = met.into_iter().map(|condition| terms::moved(condition, &|column| by_place[column]));
        met.chain(others).collect()
    }
}

/// What is equal of two inputs.
#[derive(Default)]
struct Equalities {
    /// Columns of each; beyond all where it is an expression.
    pairs: Vec<(usize, usize)>,
    /// Numbers of the classes, and after them those of conditions.
    classes: InputSet,
}

/// The columns that a condition says are equal, of one type, in which what equals the same is equal.
fn equal_columns(condition: &Condition) -> Option<(usize, usize, Collation)> {
    let Kind::Compare(CompareOp::Eq, a, b, collation) = &condition.expr.kind else { return None };
    let (Kind::Column(one), Kind::Column(other)) = (&a.kind, &b.kind) else { return None };
    (a.ty.sql == b.ty.sql && a.ty.sql != SqlType::Variant).then_some((*one, *other, *collation))
}

fn is_join(rel: &Rel) -> bool {
    match rel {
        Rel::Join { kind: RelJoin::Inner, hint, on, .. } => !hint.in_order && on.as_ref().is_none_or(is_movable),
        Rel::Project { input, exprs } => exprs.iter().all(is_cheap) && is_join(input),
        _ => false,
    }
}

/// Whether a condition may be asked at another join.
pub(crate) fn is_movable(condition: &BoundExpr) -> bool {
    !eval::needs_plan(condition) && !is_volatile(condition)
}
