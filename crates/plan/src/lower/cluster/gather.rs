//! Which relations and conditions a cluster has: joins taken apart, inputs filtered by what speaks of them alone (C1, C4).

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{JoinHint, Rel, RelJoin};
use millpond_rewrite::input_set::InputSet;
use millpond_rewrite::normal::push_movable;
use millpond_rewrite::terms::{self, all, can_fail, conjuncts, disjuncts, is_cheap, is_volatile, substitute};

use super::{Cluster, Condition, Input, Padding};
use crate::lowering::Lowering;

impl Cluster {
    /// The cluster of a join, and what the join's columns are of its own.
    pub(super) fn of(
        lowering: &Lowering<'_>,
        hint: JoinHint,
        sides: (&Rel, &Rel),
        on: Option<&BoundExpr>,
    ) -> (Cluster, Vec<BoundExpr>) {
        let mut whole: Vec<*const Rel> = Vec::new();
        let is_shared = |rel: &Rel| lowering.shared.class(rel).is_some();
        loop {
            let (inputs, conditions, classes) = (Vec::new(), Vec::new(), Vec::new());
            let mut cluster = Cluster { inputs, conditions, classes, width: 0, hint };
            let mut outputs = Vec::new();
            for side in [sides.0, sides.1] {
                outputs.extend(if hint.in_order {
                    cluster.add_input(side)
                } else {
                    cluster.add(side, &|rel| whole.contains(&std::ptr::from_ref(rel)) || is_shared(rel))
                });
            }
            cluster.add_conditions(on, &outputs);
            cluster.place_conditions();
            let stay = cluster.stay_whole();
            if stay.is_empty() {
                return (cluster, outputs);
            }
            whole.extend(stay);
        }
    }

    /// Outer joins that are none of the cluster's (C4). All of them, where a condition stands at whatever join an input has first: that
    /// may not be an outer one.
    pub(super) fn stay_whole(&self) -> Vec<*const Rel> {
        let is_of_few = |condition: &Condition| {
            condition.inputs.is_empty() || condition.inputs.len() == 1 && can_fail(&condition.expr)
        };
        let all = self.conditions.iter().any(is_of_few);
        let is_spoken_of = |input| self.conditions.iter().any(|condition| condition.inputs.contains(input));
        let padded = self.inputs.iter().enumerate().filter_map(|(index, input)| Some((index, input.padding.as_ref()?)));
        let stay = padded.filter(|(index, padding)| all || padding.after.is_empty() || is_spoken_of(*index));
        stay.map(|(_, padding)| padding.join).collect()
    }

    /// Adds a relation; its columns over those of the cluster. `stays_whole`: which outer joins are inputs.
    pub(super) fn add(&mut self, rel: &Rel, stays_whole: &dyn Fn(&Rel) -> bool) -> Vec<BoundExpr> {
        match rel {
            rel if is_outer_join(rel) && stays_whole(rel) => self.add_input(rel),
            Rel::Join { kind: kind @ (RelJoin::Left | RelJoin::Right), hint, left, right, on: Some(on) }
                if !hint.in_order && is_movable(on) =>
            {
                let (kept, padded) = if *kind == RelJoin::Left { (left, right) } else { (right, left) };
                let kept = self.add(kept, stays_whole);
                let index = self.inputs.len();
                let padded = self.add_input(padded);
                let outputs: Vec<BoundExpr> =
                    if *kind == RelJoin::Left { [kept, padded].concat() } else { [padded, kept].concat() };
                let on = conjuncts(on.clone()).into_iter().map(|part| substitute(part, &outputs)).collect();
                let padding = Padding { on, after: InputSet::default(), join: rel };
                self.inputs[index].padding = Some(padding);
                outputs
            }
            Rel::Join { kind: RelJoin::Inner, hint, left, right, on }
                if !hint.in_order && on.as_ref().is_none_or(is_movable) =>
            {
                let mut outputs = self.add(left, stays_whole);
                outputs.extend(self.add(right, stays_whole));
                self.add_conditions(on.as_ref(), &outputs);
                outputs
            }
            Rel::Project { input, exprs } if exprs.iter().all(is_cheap) && is_join(input) => {
                let inner = self.add(input, stays_whole);
                exprs.iter().map(|expr| substitute(expr.clone(), &inner)).collect()
            }
            rel => self.add_input(rel),
        }
    }

    /// Adds a relation as an input; its columns over those of the cluster.
    pub(super) fn add_input(&mut self, rel: &Rel) -> Vec<BoundExpr> {
        let (types, first) = (rel.types(), self.width);
        let outputs = types.iter().enumerate().map(|(index, ty)| BoundExpr::column(first + index, *ty)).collect();
        self.width += types.len();
        self.inputs.push(Input { rel: rel.clone(), types, first, padding: None });
        outputs
    }

    pub(super) fn add_conditions(&mut self, on: Option<&BoundExpr>, outputs: &[BoundExpr]) {
        let on = on.map(|on| conjuncts(on.clone())).unwrap_or_default();
        let moved = on.into_iter().map(|condition| substitute(condition, outputs));
        self.conditions.extend(moved.map(|expr| Condition { expr, inputs: InputSet::default() }));
    }

    /// Finds out which inputs each condition speaks of.
    pub(super) fn place_conditions(&mut self) {
        let sets: Vec<InputSet> = self.conditions.iter().map(|condition| self.inputs_of(&condition.expr)).collect();
        self.conditions.iter_mut().zip(sets).for_each(|(condition, inputs)| condition.inputs = inputs);
        for index in 0..self.inputs.len() {
            let Some(padding) = &self.inputs[index].padding else { continue };
            let mut after = padding.on.iter().fold(InputSet::default(), |all, on| all.union(&self.inputs_of(on)));
            after.remove(index);
            if let Some(padding) = &mut self.inputs[index].padding {
                padding.after = after;
            }
        }
    }

    /// Filters each input by the conditions that speak of it alone.
    pub(super) fn filter_inputs(&mut self) {
        let is_of_one = |condition: &Condition| condition.inputs.len() == 1 && !can_fail(&condition.expr);
        let (of_one, others) = std::mem::take(&mut self.conditions).into_iter().partition(is_of_one);
        self.conditions = others;
        for Condition { expr, inputs } in of_one {
            inputs.iter().for_each(|index| self.filter(index, expr.clone()));
        }
    }

    /// Filters an input by a condition over the cluster's columns.
    pub(super) fn filter(&mut self, index: usize, condition: BoundExpr) {
        let input = &mut self.inputs[index];
        let condition = terms::shifted(condition, input.first);
        let rel = std::mem::replace(&mut input.rel, Rel::Values { rows: Vec::new(), types: Vec::new() });
        input.rel = push_movable(rel, vec![condition]);
    }

    /// Filters each input by what a disjunction over several inputs says of it: of `(a.x = 1 AND b.y = 2) OR (a.x = 3 AND
    /// b.y = 4)` that `a.x = 1 OR a.x = 3`.
    pub(super) fn add_implied(&mut self) {
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
}

fn is_join(rel: &Rel) -> bool {
    match rel {
        Rel::Join { kind: RelJoin::Left | RelJoin::Right, hint, on: Some(on), .. } => !hint.in_order && is_movable(on),
        Rel::Join { kind: RelJoin::Inner, hint, on, .. } => !hint.in_order && on.as_ref().is_none_or(is_movable),
        Rel::Project { input, exprs } => exprs.iter().all(is_cheap) && is_join(input),
        _ => false,
    }
}

/// Whether an outer join makes the relation's rows.
fn is_outer_join(rel: &Rel) -> bool {
    match rel {
        Rel::Join { kind: RelJoin::Left | RelJoin::Right, .. } => true,
        Rel::Project { input, .. } => is_outer_join(input),
        _ => false,
    }
}

/// Whether a condition may be asked at another join.
pub(crate) fn is_movable(condition: &BoundExpr) -> bool {
    !eval::needs_plan(condition) && !is_volatile(condition)
}
