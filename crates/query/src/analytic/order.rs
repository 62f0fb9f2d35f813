//! The order of inner joins: tables that a condition connects are joined before a cross join is made.
//!
//! `FROM a, b, c WHERE a.x = c.x AND c.y = b.y` arrives as (a × b) ⋈ c; it becomes (a ⋈ c) ⋈ b. The order as written is
//! kept as far as the conditions allow, since nothing is known of the tables' sizes when a plan is made.

use crate::eval;
use crate::expr::{BoundExpr, CompareOp, ExprType, Kind};
use crate::rel::{Rel, RelJoin};

use super::expression::is_volatile;
use super::normal::{all, columns, conjuncts};

/// The inner joins at the top of a relation, as a list.
struct Flat {
    inputs: Vec<Input>,
    /// Over the columns of all inputs as written.
    conditions: Vec<BoundExpr>,
}

struct Input {
    rel: Rel,
    types: Vec<ExprType>,
    /// Position of its first column as written.
    first: usize,
}

/// An inner join with its inputs in a better order and its conditions where they first can be checked.
pub(super) fn reorder(left: Rel, right: Rel, condition: Vec<BoundExpr>) -> Rel {
    let mut flat = Flat { inputs: Vec::new(), conditions: Vec::new() };
    let width = flat.add(left);
    flat.add_at(right, width);
    flat.conditions.extend(condition);
    let order = flat.order();
    flat.join(&order)
}

impl Flat {
    fn add(&mut self, rel: Rel) -> usize {
        self.add_at(rel, 0)
    }

    /// Adds a relation whose first column is `first`, and says where the next relation's is.
    fn add_at(&mut self, rel: Rel, first: usize) -> usize {
        match rel {
            // A condition that cannot move (with a subquery) keeps its join together.
            Rel::Join { kind: RelJoin::Inner, left, right, on } if on.as_ref().is_none_or(is_movable) => {
                let middle = self.add_at(*left, first);
                let end = self.add_at(*right, middle);
                let on = on.map(conjuncts).unwrap_or_default();
                self.conditions.extend(on.into_iter().map(|condition| moved(condition, &|column| first + column)));
                end
            }
            rel => {
                let types = rel.types();
                let end = first + types.len();
                self.inputs.push(Input { rel, types, first });
                end
            }
        }
    }

    /// Which input has a column.
    fn input_of(&self, column: usize) -> usize {
        self.inputs.partition_point(|input| input.first <= column) - 1
    }

    /// The inputs that a condition speaks of.
    fn inputs_of(&self, condition: &BoundExpr) -> Vec<usize> {
        columns(condition).into_iter().map(|column| self.input_of(column)).collect()
    }

    fn order(&self) -> Vec<usize> {
        let equalities: Vec<Vec<usize>> = self
            .conditions
            .iter()
            .filter(|condition| matches!(condition.kind, Kind::Compare(CompareOp::Eq, ..)))
            .map(|condition| self.inputs_of(condition))
            .collect();
        let mut rest: Vec<usize> = (0..self.inputs.len()).collect();
        let mut order = Vec::with_capacity(rest.len());
        while !rest.is_empty() {
            let connected = |candidate: usize| {
                equalities.iter().any(|inputs| {
                    inputs.contains(&candidate)
                        && inputs.iter().any(|input| order.contains(input))
                        && inputs.iter().all(|input| *input == candidate || order.contains(input))
                })
            };
            let next = rest.iter().position(|&candidate| connected(candidate)).unwrap_or(0);
            order.push(rest.remove(next));
        }
        order
    }

    /// Joins the inputs in the given order; the result's columns are in the order as written.
    fn join(self, order: &[usize]) -> Rel {
        let mut place = vec![0; self.inputs.iter().map(|input| input.types.len()).sum()];
        let mut width = 0;
        for &index in order {
            let input = &self.inputs[index];
            for offset in 0..input.types.len() {
                place[input.first + offset] = width + offset;
            }
            width += input.types.len();
        }
        let types: Vec<ExprType> = self.inputs.iter().flat_map(|input| input.types.iter().copied()).collect();
        let steps: Vec<usize> = self.conditions.iter().map(|condition| self.step(condition, order)).collect();
        let mut conditions: Vec<Vec<BoundExpr>> = vec![Vec::new(); order.len()];
        for (condition, step) in self.conditions.into_iter().zip(steps) {
            conditions[step].push(moved(condition, &|column| place[column]));
        }
        let mut inputs: Vec<Option<Rel>> = self.inputs.into_iter().map(|input| Some(input.rel)).collect();
        let joined =
            order.iter().zip(conditions).filter_map(|(&index, on)| inputs[index].take().map(|rel| (rel, on))).reduce(
                |(left, _), (right, on)| {
                    let join =
                        Rel::Join { kind: RelJoin::Inner, left: Box::new(left), right: Box::new(right), on: all(on) };
                    (join, Vec::new())
                },
            );
        // There are two inputs at least.
        let (joined, _) = joined.expect("a join has inputs");
        if order.is_sorted() {
            return joined;
        }
        let exprs = place.into_iter().zip(types).map(|(column, ty)| BoundExpr::column(column, ty)).collect();
        Rel::Project { input: Box::new(joined), exprs }
    }

    /// The first join, by the place of its right input in the order, that has all columns of a condition.
    fn step(&self, condition: &BoundExpr, order: &[usize]) -> usize {
        let place = |input: usize| order.iter().position(|&index| index == input).unwrap_or(0);
        self.inputs_of(condition).into_iter().map(place).max().unwrap_or(0).max(1)
    }
}

fn is_movable(condition: &BoundExpr) -> bool {
    !eval::needs_plan(condition) && !is_volatile(condition)
}

/// The expression with its columns elsewhere. It has no subqueries.
fn moved(expr: BoundExpr, to: &dyn Fn(usize) -> usize) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Column(column) => Ok(BoundExpr::column(to(column), node.ty)),
        _ => Err(node),
    })
}
