//! Inner joins by size: all inner joins that follow each other are taken together, and the order and the sides are
//! chosen by what is estimated, whatever the text's order.
//!
//! ```text
//!   ((a ⋈ b) ⋈ c) ⋈ d  ──▶  inputs a b c d, conditions  ──▶  the tree of least cost  ──▶  plan
//! ```
//! C1: a condition stands at the first join that has all its columns. One that speaks of a single input, as a column that is
//! a constant makes it, filters that input, or stands at the input's join when it can fail. The order is `join_tree`'s.

use std::collections::BTreeMap;

use datafusion::common::JoinType;
use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{Rel, RelJoin};
use millpond_message::error::SqlResult;

use crate::lower::hash_join::joined;
use crate::lower::{apply, seek_join, size};
use crate::lowering::{Lowered, Lowering};
use crate::run::failure;
use millpond_rewrite::input_set::InputSet;
use millpond_rewrite::join_tree::{Graph, Shape, Tree};
use millpond_rewrite::normal::push_movable;
use millpond_rewrite::terms;
use millpond_rewrite::terms::{all, can_fail, columns, conjuncts, disjuncts, is_cheap, is_volatile, substitute};

/// Inner joins that follow each other.
struct Cluster {
    inputs: Vec<Input>,
    /// Over the columns of all inputs, one after the other.
    conditions: Vec<Condition>,
    width: usize,
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
    left: &Rel,
    right: &Rel,
    on: Option<&BoundExpr>,
) -> SqlResult<Lowered> {
    let mut cluster = Cluster { inputs: Vec::new(), conditions: Vec::new(), width: 0 };
    let mut outputs = cluster.add(left);
    outputs.extend(cluster.add(right));
    cluster.add_conditions(on, &outputs);
    cluster.place_conditions();
    cluster.filter_inputs();
    cluster.add_implied();
    let tree = graph(lowering, &cluster).tree();
    let part = part(lowering, &cluster, &tree)?;
    let mut by_place = vec![None; cluster.width];
    for (column, place) in part.rows.columns.into_iter().zip(&part.places) {
        by_place[*place] = Some(column);
    }
    let columns = by_place.into_iter().flatten().collect();
    lowering.project(Lowered { plan: part.rows.plan, columns }, &outputs)
}

/// What is estimated of the inputs and of the conditions between them.
fn graph(lowering: &Lowering<'_>, cluster: &Cluster) -> Graph {
    let sizes = cluster.inputs.iter().map(|input| size::estimate(lowering, &input.rel)).collect();
    let mut near = vec![Vec::new(); cluster.inputs.len()];
    for ((one, other), pairs) in cluster.equalities() {
        let share = size::share_of_keys(lowering, &cluster.inputs[one].rel, &cluster.inputs[other].rel, &pairs);
        near[one].push((other, share));
        near[other].push((one, share));
    }
    Graph { sizes, near }
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
    for (outer, inner) in [(left, right), (right, left)] {
        if let Some(part) = sought_part(lowering, cluster, outer, inner)? {
            return Ok(part);
        }
    }
    let (left_part, right_part) = (part(lowering, cluster, left)?, part(lowering, cluster, right)?);
    let places: Vec<usize> = left_part.places.into_iter().chain(right_part.places).collect();
    let on = cluster.conditions_at(&left.inputs, &right.inputs, &places);
    let rows = joined(lowering, JoinType::Inner, left_part.rows, right_part.rows, on, (left.rows, right.rows))?;
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
    let input = &cluster.inputs[index];
    // The rows that are sought, where the outer side's columns stand at those places.
    let sought = |outer_places: &[usize]| {
        let width = outer_places.len();
        let places: Vec<usize> =
            outer_places.iter().copied().chain(input.first..input.first + input.types.len()).collect();
        let on = cluster.conditions_at(&outer.inputs, &inner.inputs, &places);
        let own = |column: usize| column.checked_sub(width);
        let sought = seek_join::sought(
            lowering,
            seek_join::Outer { width, rows: outer.rows, run_rows: 0.0 },
            &input.rel,
            &on,
            &own,
        );
        sought.map(|sought| (sought, places))
    };
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
            Rel::Join { kind: RelJoin::Inner, left, right, on } if on.as_ref().is_none_or(is_movable) => {
                let mut outputs = self.add(left);
                outputs.extend(self.add(right));
                self.add_conditions(on.as_ref(), &outputs);
                outputs
            }
            Rel::Project { input, exprs } if exprs.iter().all(is_cheap) && is_join(input) => {
                let inner = self.add(input);
                exprs.iter().map(|expr| substitute(expr.clone(), &inner)).collect()
            }
            rel => {
                let (types, first) = (rel.types(), self.width);
                let outputs =
                    types.iter().enumerate().map(|(index, ty)| BoundExpr::column(first + index, *ty)).collect();
                self.width += types.len();
                self.inputs.push(Input { rel: rel.clone(), types, first });
                outputs
            }
        }
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

    /// For each two inputs, the lower number first, the columns that conditions say are equal.
    fn equalities(&self) -> BTreeMap<(usize, usize), Vec<(usize, usize)>> {
        let own = |column: usize| {
            let input = self.input_of(column);
            (input, column - self.inputs[input].first)
        };
        let mut found: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for condition in &self.conditions {
            let Kind::Compare(CompareOp::Eq, a, b, _) = &condition.expr.kind else { continue };
            let (Kind::Column(a), Kind::Column(b)) = (&a.kind, &b.kind) else { continue };
            let ((one, one_column), (other, other_column)) = (own(*a.min(b)), own(*a.max(b)));
            if one != other {
                found.entry((one, other)).or_default().push((one_column, other_column));
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
        self.conditions.iter().filter(here).map(moved).collect()
    }
}

fn is_join(rel: &Rel) -> bool {
    match rel {
        Rel::Join { kind: RelJoin::Inner, on, .. } => on.as_ref().is_none_or(is_movable),
        Rel::Project { input, exprs } => exprs.iter().all(is_cheap) && is_join(input),
        _ => false,
    }
}

/// Whether a condition may be asked at another join.
pub(crate) fn is_movable(condition: &BoundExpr) -> bool {
    !eval::needs_plan(condition) && !is_volatile(condition)
}
