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
//! C4: a left outer join whose right side no inner condition speaks of is one of the cluster's joins, a right one turned round: its
//! right side is an input ([`Padding`]) that is joined by its own condition, when all that this speaks of are there. Other outer
//! joins are inputs as a whole.

mod conditions;
mod gather;

use datafusion::common::JoinType;
use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::rel::{JoinHint, Rel};
use millpond_message::error::SqlResult;
use millpond_rewrite::input_set::InputSet;
use millpond_rewrite::join_tree::{By, Edge, Graph, Link, Padded, Shape, Tree};
use millpond_types::Collation;

use crate::lower::hash_join::{JoinRows, is_equality, joined};
use crate::lower::size::Side;
use crate::lower::{apply, seek_join, size};
use crate::lowering::{Lowered, Lowering};
use crate::run::failure;

use conditions::Equalities;
pub(crate) use gather::is_movable;

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
    padding: Option<Padding>,
}

/// What makes an input the right side of a left outer join (C4).
struct Padding {
    /// The join's condition, over the cluster's columns.
    on: Vec<BoundExpr>,
    /// The inputs that it speaks of beside this one.
    after: InputSet,
    /// The join as it is written.
    join: *const Rel,
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
    let (mut cluster, outputs) = Cluster::of(lowering, hint, (left, right), on);
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
    let padded = cluster.inputs.iter().enumerate().map(|(index, input)| {
        let padding = input.padding.as_ref()?;
        let pairs = cluster.pairs_of(index, padding);
        let mut share = if pairs.is_empty() { 1.0 } else { f64::INFINITY };
        for (other, pairs) in &pairs {
            share = share.min(size::share_of_keys((&sides[*other], &sides[index]), pairs));
        }
        let matches = (sizes[index].unwrap_or(1.0) * share).max(1.0);
        Some(Padded { after: padding.after.clone(), matches, is_keyed: !pairs.is_empty() })
    });
    let padded = padded.collect();
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
    Graph { sizes, near, padded, by }
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
    let padded = cluster.padded(right);
    for (outer, inner) in [(left, right), (right, left)].into_iter().take(if padded { 1 } else { turns }) {
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
    let kind = if padded { JoinType::Left } else { JoinType::Inner };
    let rows = joined(lowering, (kind, cluster.hint), left_part.rows, right_part.rows, on, rows)?;
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
    let rows = apply::apply_to(lowering, part.rows, &types, &sought, cluster.padded(inner))?;
    Ok(Some(JoinedInputs { rows, places }))
}

impl Cluster {
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
}
