//! Inner joins by size: all inner joins that follow each other are taken together, and the order and the sides are
//! chosen by what is estimated, whatever the text's order.
//!
//! ```text
//!   ((a ⋈ b) ⋈ c) ⋈ d  ──▶  inputs a b c d, conditions  ──▶  the tree of least cost  ──▶  plan
//! ```
//! C1: a condition stands at the first join that has all its columns. C2: the cost of a tree is the rows of all its joins
//! and those that its hash tables hold. C3: where sizes are not known, or all are small, the order stays.

use datafusion::common::JoinType;

use super::lower::{Lowered, Lowering};
use super::normal::push_movable;
use super::terms::{self, all, can_fail, columns, conjuncts, disjuncts, is_cheap, is_volatile, substitute};
use crate::error::SqlResult;
use crate::eval;
use crate::expr::{BoundExpr, CompareOp, ExprType, Kind};
use crate::rel::{Rel, RelJoin};

/// Tables below this are read in any order.
const LARGE_ROWS: f64 = 1000.0;
/// All trees over more inputs than this are too many.
const INPUTS_MAX: usize = 10;
/// What a row of a join without condition costs, in rows of others.
const CROSS: f64 = 4.0;

/// Inner joins that follow each other.
struct Cluster {
    inputs: Vec<Input>,
    /// Over the columns of all inputs, one after the other.
    conditions: Vec<BoundExpr>,
    width: usize,
}

struct Input {
    rel: Rel,
    types: Vec<ExprType>,
    first: usize,
}

/// In which order inputs are joined.
#[derive(Clone)]
enum Tree {
    Input(usize),
    Join(Box<Tree>, Box<Tree>),
}

/// The best way to join a set of inputs.
struct Best {
    rows: f64,
    cost: f64,
    /// The left side of its last join; 0 for a single input.
    left: usize,
}

/// A part of the joins as a plan.
struct Part {
    rows: Lowered,
    /// Columns of the cluster, in the order of the plan's.
    places: Vec<usize>,
    /// Inputs, a bit each.
    inputs: usize,
    estimate: Option<f64>,
}

impl Lowering<'_> {
    /// The inner join of two relations; the condition has no subqueries.
    pub(super) fn inner_join(&self, left: &Rel, right: &Rel, on: Option<&BoundExpr>) -> SqlResult<Lowered> {
        let mut cluster = Cluster { inputs: Vec::new(), conditions: Vec::new(), width: 0 };
        let mut outputs = cluster.add(left);
        outputs.extend(cluster.add(right));
        cluster.add_conditions(on, &outputs);
        cluster.add_implied();
        let sizes: Vec<Option<f64>> = cluster.inputs.iter().map(|input| self.estimate(&input.rel)).collect();
        let tree = self.best_tree(&cluster, &sizes).unwrap_or_else(|| as_written(cluster.inputs.len()));
        let part = self.part(&cluster, &tree, &sizes)?;
        let mut by_place = vec![None; cluster.width];
        for (column, place) in part.rows.columns.into_iter().zip(&part.places) {
            by_place[*place] = Some(column);
        }
        let columns = by_place.into_iter().flatten().collect();
        self.project(Lowered { plan: part.rows.plan, columns }, &outputs)
    }

    /// The tree of least cost; none where the order stays (C3).
    fn best_tree(&self, cluster: &Cluster, sizes: &[Option<f64>]) -> Option<Tree> {
        let count = sizes.len();
        let sizes: Vec<f64> = sizes.iter().copied().collect::<Option<_>>()?;
        if count > INPUTS_MAX || sizes.iter().all(|rows| *rows < LARGE_ROWS) {
            return None;
        }
        let shares = self.shares(cluster);
        // The inputs that conditions connect with each, a bit each.
        let reach: Vec<usize> = (0..count)
            .map(|one| (0..count).filter(|other| shares[one * count + other].is_some()).map(|other| 1 << other).sum())
            .collect();
        // By sets of inputs, a bit each.
        let mut best: Vec<Best> = Vec::with_capacity(1 << count);
        best.push(Best { rows: 0.0, cost: 0.0, left: 0 });
        for set in 1usize..1 << count {
            let lowest = set.trailing_zeros() as usize;
            let rest = set & (set - 1);
            let found = if rest == 0 {
                Best { rows: sizes[lowest], cost: 0.0, left: 0 }
            } else {
                let among = (0..count).filter(|index| rest >> index & 1 == 1);
                let share: f64 = among.filter_map(|index| shares[lowest * count + index]).product();
                let rows = (best[1 << lowest].rows * best[rest].rows * share).max(1.0);
                cheapest(&best, &reach, set, rows)
            };
            best.push(found);
        }
        Some(tree_of(&best, (1 << count) - 1))
    }

    /// Which part of the pairs of rows of two inputs their conditions let pass; none without condition.
    fn shares(&self, cluster: &Cluster) -> Vec<Option<f64>> {
        let count = cluster.inputs.len();
        let mut shares = vec![None; count * count];
        for one in 0..count {
            for other in 0..one {
                let pairs = cluster.equalities(other, one);
                if !pairs.is_empty() {
                    let share = self.key_share(&cluster.inputs[other].rel, &cluster.inputs[one].rel, &pairs);
                    shares[one * count + other] = Some(share);
                    shares[other * count + one] = Some(share);
                }
            }
        }
        shares
    }

    fn part(&self, cluster: &Cluster, tree: &Tree, sizes: &[Option<f64>]) -> SqlResult<Part> {
        let (left, right) = match tree {
            Tree::Input(index) => {
                let input = &cluster.inputs[*index];
                return Ok(Part {
                    rows: self.rel(&input.rel)?,
                    places: (input.first..input.first + input.types.len()).collect(),
                    inputs: 1 << index,
                    estimate: sizes[*index],
                });
            }
            Tree::Join(left, right) => (&**left, &**right),
        };
        // Either side may be the table that an index of it leads into.
        for (outer, inner) in [(left, right), (right, left)] {
            if let Some(part) = self.sought_part(cluster, outer, inner, sizes)? {
                return Ok(part);
            }
        }
        let (left, right) = (self.part(cluster, left, sizes)?, self.part(cluster, right, sizes)?);
        let (inputs, estimate) = self.both(cluster, (left.inputs, left.estimate), (right.inputs, right.estimate));
        let places: Vec<usize> = left.places.into_iter().chain(right.places).collect();
        let on = cluster.conditions_at(left.inputs, right.inputs, &places);
        let is_larger = larger(left.estimate, right.estimate);
        let rows = self.joined(JoinType::Inner, left.rows, right.rows, on, is_larger)?;
        Ok(Part { rows, places, inputs, estimate })
    }

    /// The join by seeks into `inner`, if that is a table and seeks are better.
    fn sought_part(
        &self,
        cluster: &Cluster,
        outer: &Tree,
        inner: &Tree,
        sizes: &[Option<f64>],
    ) -> SqlResult<Option<Part>> {
        let Tree::Input(index) = inner else { return Ok(None) };
        let input = &cluster.inputs[*index];
        let (outer_inputs, outer_rows) = self.size(cluster, outer, sizes);
        let places = cluster.places(outer);
        let (width, own_width) = (places.len(), input.types.len());
        let all_places: Vec<usize> = places.iter().copied().chain(input.first..input.first + own_width).collect();
        let on = cluster.conditions_at(outer_inputs, 1 << index, &all_places);
        let own = |column: usize| column.checked_sub(width);
        let Some(sought) = self.sought((width, outer_rows), &input.rel, &on, &own) else { return Ok(None) };
        let part = self.part(cluster, outer, sizes)?;
        let types: Vec<ExprType> = part.places.iter().map(|place| cluster.type_of(*place)).collect();
        debug_assert_eq!(part.places, places);
        let rows = self.apply_to(part.rows, &types, &sought, false)?;
        let (inputs, estimate) = self.both(cluster, (outer_inputs, outer_rows), (1 << index, sizes[*index]));
        Ok(Some(Part { rows, places: all_places, inputs, estimate }))
    }

    /// Inputs and rows of a tree.
    fn size(&self, cluster: &Cluster, tree: &Tree, sizes: &[Option<f64>]) -> (usize, Option<f64>) {
        match tree {
            Tree::Input(index) => (1 << index, sizes[*index]),
            Tree::Join(left, right) => {
                self.both(cluster, self.size(cluster, left, sizes), self.size(cluster, right, sizes))
            }
        }
    }

    /// Inputs and rows of a join.
    fn both(
        &self,
        cluster: &Cluster,
        (left, left_rows): (usize, Option<f64>),
        (right, right_rows): (usize, Option<f64>),
    ) -> (usize, Option<f64>) {
        let count = cluster.inputs.len();
        let mut share = 1.0;
        for one in (0..count).filter(|index| left >> index & 1 == 1) {
            for other in (0..count).filter(|index| right >> index & 1 == 1) {
                let pairs = cluster.equalities(one, other);
                share *= self.key_share(&cluster.inputs[one].rel, &cluster.inputs[other].rel, &pairs);
            }
        }
        let rows = left_rows.zip(right_rows).map(|(left, right)| (left * right * share).max(1.0));
        (left | right, rows)
    }
}

/// Whether a hash table of the right side is the better one: of the left side it would be much larger.
pub(super) fn larger(left: Option<f64>, right: Option<f64>) -> bool {
    left.zip(right).is_some_and(|(left, right)| left > LARGE_ROWS && left > 1.25 * right)
}

fn as_written(count: usize) -> Tree {
    let join = |left, right| Tree::Join(Box::new(left), Box::new(right));
    (1..count).map(Tree::Input).fold(Tree::Input(0), join)
}

/// The cheapest last join of a set of inputs whose join has that many rows (C2); the smaller side is kept in memory.
fn cheapest(best: &[Best], reach: &[usize], set: usize, rows: f64) -> Best {
    let mut found = Best { rows, cost: f64::INFINITY, left: 0 };
    let mut left = (set - 1) & set;
    while left != 0 {
        let right = set & !left;
        if best[left].rows <= best[right].rows {
            let is_connected = (0..reach.len()).any(|one| left >> one & 1 == 1 && reach[one] & right != 0);
            let own = best[left].rows + rows * if is_connected { 1.0 } else { CROSS };
            let cost = best[left].cost + best[right].cost + own;
            if cost < found.cost {
                found = Best { rows, cost, left };
            }
        }
        left = (left - 1) & set;
    }
    found
}

fn tree_of(best: &[Best], set: usize) -> Tree {
    match best[set].left {
        0 => Tree::Input(set.trailing_zeros() as usize),
        left => Tree::Join(Box::new(tree_of(best, left)), Box::new(tree_of(best, set & !left))),
    }
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
        self.conditions.extend(on.into_iter().map(|condition| substitute(condition, outputs)));
    }

    /// Filters each input by what a disjunction over several inputs says of it: of `(a.x = 1 AND b.y = 2) OR (a.x = 3 AND
    /// b.y = 4)` that `a.x = 1 OR a.x = 3`.
    fn add_implied(&mut self) {
        for condition in self.conditions.clone() {
            if self.inputs_of(&condition).count_ones() < 2 || can_fail(&condition) {
                continue;
            }
            let parts: Vec<Vec<BoundExpr>> = disjuncts(condition).into_iter().map(conjuncts).collect();
            if parts.len() < 2 {
                continue;
            }
            for index in 0..self.inputs.len() {
                let own = |part: &Vec<BoundExpr>| {
                    all(part.iter().filter(|conjunct| self.inputs_of(conjunct) == 1 << index).cloned().collect())
                };
                let Some(own) = parts.iter().map(own).collect::<Option<Vec<BoundExpr>>>() else { continue };
                let either = |a, b| BoundExpr::predicate(Kind::Or(Box::new(a), Box::new(b)));
                let Some(implied) = own.into_iter().reduce(either) else { continue };
                let input = &mut self.inputs[index];
                let implied = terms::shifted(implied, input.first);
                let rel = std::mem::replace(&mut input.rel, Rel::Values { rows: Vec::new(), types: Vec::new() });
                input.rel = push_movable(rel, vec![implied]);
            }
        }
    }

    fn input_of(&self, column: usize) -> usize {
        self.inputs.partition_point(|input| input.first <= column) - 1
    }

    /// The inputs that an expression speaks of, a bit each.
    fn inputs_of(&self, expr: &BoundExpr) -> usize {
        columns(expr).into_iter().fold(0, |set, column| set | 1 << self.input_of(column))
    }

    fn type_of(&self, column: usize) -> ExprType {
        let input = &self.inputs[self.input_of(column)];
        input.types[column - input.first]
    }

    /// The columns of two inputs that conditions say are equal.
    fn equalities(&self, one: usize, other: usize) -> Vec<(usize, usize)> {
        let own = |column: usize| (self.input_of(column), column - self.inputs[self.input_of(column)].first);
        let pair = |condition: &BoundExpr| {
            let Kind::Compare(CompareOp::Eq, a, b, _) = &condition.kind else { return None };
            let (Kind::Column(a), Kind::Column(b)) = (&a.kind, &b.kind) else { return None };
            match (own(*a), own(*b)) {
                ((i, a), (j, b)) if (i, j) == (one, other) => Some((a, b)),
                ((j, b), (i, a)) if (i, j) == (one, other) => Some((a, b)),
                _ => None,
            }
        };
        self.conditions.iter().filter_map(pair).collect()
    }

    /// The cluster's columns in the order of a tree's.
    fn places(&self, tree: &Tree) -> Vec<usize> {
        match tree {
            Tree::Input(index) => {
                let input = &self.inputs[*index];
                (input.first..input.first + input.types.len()).collect()
            }
            Tree::Join(left, right) => self.places(left).into_iter().chain(self.places(right)).collect(),
        }
    }

    /// The conditions of the join of two sets of inputs (C1), over the columns at `places`.
    fn conditions_at(&self, left: usize, right: usize, places: &[usize]) -> Vec<BoundExpr> {
        let whole = (1 << self.inputs.len()) - 1;
        let here = |condition: &&BoundExpr| {
            let set = self.inputs_of(condition);
            // What speaks of no column is asked at the end.
            if set == 0 {
                left | right == whole
            } else {
                set & !(left | right) == 0 && set & !left != 0 && set & !right != 0
            }
        };
        let place = |column: usize| places.iter().position(|place| *place == column).expect("the join has the column");
        let moved = |condition: &BoundExpr| {
            condition.clone().rewrite(&mut |node| match node.kind {
                Kind::Column(column) => Ok(BoundExpr::column(place(column), node.ty)),
                _ => Err(node),
            })
        };
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
pub(super) fn is_movable(condition: &BoundExpr) -> bool {
    !eval::needs_plan(condition) && !is_volatile(condition)
}
