//! The order of inner joins: tables that a condition connects are joined before a cross join is made.
//!
//! `FROM a, b, c WHERE a.x = c.x AND c.y = b.y` arrives as (a × b) ⋈ c; it becomes (a ⋈ c) ⋈ b. The order as written is
//! kept as far as the conditions allow; `cluster` chooses by the tables' sizes.
//!
//! A join with one given row, such as the row that a recursive member is for, is none: the row's values are put into the
//! other side's conditions, where indexes may lead by them.

use std::collections::BTreeSet;

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{JoinHint, Rel, RelJoin};

use crate::terms::{all, columns, conjuncts, is_cheap, is_volatile, moved, substitute};

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
pub fn reorder(left: Rel, right: Rel, condition: Vec<BoundExpr>) -> Rel {
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
            // A condition that cannot move (with a subquery) keeps its join together, and so does a hint.
            Rel::Join { kind: RelJoin::Inner, hint, left, right, on }
                if !hint.in_order && on.as_ref().is_none_or(is_movable) =>
            {
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

    /// The inputs that a condition speaks of, each once.
    fn inputs_of(&self, condition: &BoundExpr) -> Vec<usize> {
        let mut inputs: Vec<usize> = columns(condition).into_iter().map(|column| self.input_of(column)).collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// Next comes the first input that an equality connects with those before it, else the first of all.
    fn order(&self) -> Vec<usize> {
        // For each equality the inputs that are not yet in the order.
        let mut missing: Vec<Vec<usize>> = self
            .conditions
            .iter()
            .filter(|condition| matches!(condition.kind, Kind::Compare(CompareOp::Eq, ..)))
            .map(|condition| self.inputs_of(condition))
            .filter(|inputs| inputs.len() > 1)
            .collect();
        let mut of_input: Vec<Vec<usize>> = vec![Vec::new(); self.inputs.len()];
        for (equality, inputs) in missing.iter().enumerate() {
            inputs.iter().for_each(|input| of_input[*input].push(equality));
        }
        let mut rest: BTreeSet<usize> = (0..self.inputs.len()).collect();
        let mut connected: BTreeSet<usize> = BTreeSet::new();
        let mut order = Vec::with_capacity(rest.len());
        while let Some(next) = connected.pop_first().or_else(|| rest.first().copied()) {
            rest.remove(&next);
            order.push(next);
            for &equality in &of_input[next] {
                missing[equality].retain(|input| *input != next);
                if let [last] = missing[equality][..] {
                    connected.insert(last);
                }
            }
            connected.remove(&next);
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
        let mut turn = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, input)| turn[*input] = at);
        let steps: Vec<usize> = self.conditions.iter().map(|condition| self.step(condition, &turn)).collect();
        let mut conditions: Vec<Vec<BoundExpr>> = vec![Vec::new(); order.len()];
        for (condition, step) in self.conditions.into_iter().zip(steps) {
            conditions[step].push(moved(condition, &|column| place[column]));
        }
        let mut inputs: Vec<Option<Rel>> = self.inputs.into_iter().map(|input| Some(input.rel)).collect();
        let joined =
            order.iter().zip(conditions).filter_map(|(&index, on)| inputs[index].take().map(|rel| (rel, on))).reduce(
                |(left, _), (right, on)| {
                    let (kind, hint) = (RelJoin::Inner, JoinHint::default());
                    let join = Rel::Join { kind, hint, left: Box::new(left), right: Box::new(right), on: all(on) };
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

    /// The first join, by its right input's turn, that has all columns of a condition.
    fn step(&self, condition: &BoundExpr, turn: &[usize]) -> usize {
        self.inputs_of(condition).into_iter().map(|input| turn[input]).max().unwrap_or(0).max(1)
    }
}

fn is_movable(condition: &BoundExpr) -> bool {
    !eval::needs_plan(condition) && !is_volatile(condition)
}

/// A row and what is asked of it.
struct Given {
    cells: Vec<BoundExpr>,
    /// Over the row.
    predicates: Vec<BoundExpr>,
}

/// An inner join with one given row, as the other side alone: its rows for which the predicates are true, projected.
pub struct WithoutJoin {
    /// The other side.
    pub rel: Rel,
    /// What its rows have to meet, over its columns.
    pub predicates: Vec<BoundExpr>,
    /// The columns of the join.
    pub columns: Vec<BoundExpr>,
}

/// The inner join as the other side's rows alone, or its parts when neither side is one given row. The conditions have
/// no subqueries.
pub fn without_join(left: Rel, right: Rel, on: Vec<BoundExpr>) -> Result<WithoutJoin, Box<(Rel, Rel, Vec<BoundExpr>)>> {
    let (given, other, is_left) = match (given(&left), given(&right)) {
        (_, Some(given)) => (given, left, false),
        (Some(given), None) => (given, right, true),
        (None, None) => return Err(Box::new((left, right, on))),
    };
    let own: Vec<BoundExpr> =
        other.types().into_iter().enumerate().map(|(index, ty)| BoundExpr::column(index, ty)).collect();
    let predicates = given.predicates.into_iter().map(|predicate| substitute(predicate, &given.cells));
    let columns: Vec<BoundExpr> = if is_left {
        given.cells.iter().cloned().chain(own).collect()
    } else {
        own.into_iter().chain(given.cells.iter().cloned()).collect()
    };
    // What asks the given row alone decides fastest.
    let predicates: Vec<BoundExpr> = predicates.chain(on.into_iter().map(|on| substitute(on, &columns))).collect();
    Ok(WithoutJoin { rel: other, predicates, columns })
}

fn given(rel: &Rel) -> Option<Given> {
    match rel {
        Rel::Values { rows, .. } => match &rows[..] {
            [cells] if cells.iter().all(is_cheap) => Some(Given { cells: cells.clone(), predicates: Vec::new() }),
            _ => None,
        },
        Rel::Filter { input, predicate } => {
            let Given { cells, mut predicates } = given(input)?;
            predicates.extend(conjuncts(predicate.clone()));
            let movable = predicates.iter().all(|predicate| !eval::needs_plan(predicate) && !is_volatile(predicate));
            movable.then_some(Given { cells, predicates })
        }
        Rel::Project { input, exprs } if exprs.iter().all(is_cheap) => {
            let Given { cells, predicates } = given(input)?;
            let cells = exprs.iter().map(|expr| substitute(expr.clone(), &cells)).collect();
            // Predicates are over the row below.
            predicates.is_empty().then_some(Given { cells, predicates })
        }
        _ => None,
    }
}
