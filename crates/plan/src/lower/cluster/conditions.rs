//! Where the conditions of a cluster stand: classes of equal columns, what two inputs have in common, what is asked where two sets of
//! inputs meet (C1, C2, C4).

use std::collections::BTreeMap;

use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_rewrite::input_set::InputSet;
use millpond_rewrite::join_tree::{Shape, Tree};
use millpond_rewrite::terms::{self, columns};
use millpond_types::{Collation, SqlType};

use super::{Cluster, Condition, EqualColumns, Padding};

impl Cluster {
    /// Whether a tree is the right side of a left outer join.
    pub(super) fn padded(&self, tree: &Tree) -> bool {
        self.padding_of(&tree.inputs).is_some()
    }

    /// For each other input the columns of it and of this one, which is the right side of a left outer join, that the join's condition
    /// says are equal; beyond all where it says so of expressions.
    pub(super) fn pairs_of(&self, index: usize, padding: &Padding) -> BTreeMap<usize, Vec<(usize, usize)>> {
        let mut found: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        let own = InputSet::one(index);
        for on in &padding.on {
            let Kind::Compare(CompareOp::Eq, a, b, _) = &on.kind else { continue };
            let (a, b) = if self.inputs_of(a) == own { (b, a) } else { (a, b) };
            let others = self.inputs_of(a);
            let Some(other) = others.iter().next().filter(|_| !others.contains(index) && self.inputs_of(b) == own)
            else {
                continue;
            };
            let pair = match (&a.kind, &b.kind) {
                (Kind::Column(one), Kind::Column(own)) => {
                    (one - self.inputs[other].first, own - self.inputs[index].first)
                }
                _ => (usize::MAX, usize::MAX),
            };
            found.entry(other).or_default().push(pair);
        }
        found
    }

    pub(super) fn input_of(&self, column: usize) -> usize {
        self.inputs.partition_point(|input| input.first <= column) - 1
    }

    /// The inputs that an expression speaks of.
    pub(super) fn inputs_of(&self, expr: &BoundExpr) -> InputSet {
        let mut set = InputSet::default();
        columns(expr).into_iter().for_each(|column| set.insert(self.input_of(column)));
        set
    }

    pub(super) fn type_of(&self, column: usize) -> ExprType {
        let input = &self.inputs[self.input_of(column)];
        input.types[column - input.first]
    }

    /// Makes classes of the columns that conditions say are equal (C2).
    pub(super) fn find_classes(&mut self) {
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

    pub(super) fn equal(&self, one: usize, other: usize, collation: Collation) -> BoundExpr {
        let column = |place| BoundExpr::column(place, self.type_of(place));
        terms::equal(column(one), column(other), collation)
    }

    /// For each two inputs, the lower number first, what is equal of them.
    pub(super) fn equalities(&self) -> BTreeMap<(usize, usize), Equalities> {
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
    pub(super) fn places(&self, tree: &Tree) -> Vec<usize> {
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

    /// The conditions of the join of two sets of inputs (C1, C4), over the columns at `places`.
    pub(super) fn conditions_at(&self, left: &InputSet, right: &InputSet, places: &[usize]) -> Vec<BoundExpr> {
        if let Some((padding, other)) =
            self.padding_of(right).zip(Some(left)).or(self.padding_of(left).zip(Some(right)))
        {
            if !padding.after.is_within(other, other) {
                return Vec::new();
            }
            let by_place = self.by_place(places);
            return padding.on.iter().map(|on| terms::moved(on.clone(), &|column| by_place[column])).collect();
        }
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
        let by_place = self.by_place(places);
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

    /// Where the cluster's columns are among those at `places`.
    pub(super) fn by_place(&self, places: &[usize]) -> Vec<usize> {
        let mut by_place = vec![0; self.width];
        places.iter().enumerate().for_each(|(index, place)| by_place[*place] = index);
        by_place
    }

    /// What makes a set of one input the right side of a left outer join.
    pub(super) fn padding_of(&self, set: &InputSet) -> Option<&Padding> {
        let mut inputs = set.iter();
        let first = inputs.next().filter(|_| inputs.next().is_none())?;
        self.inputs[first].padding.as_ref()
    }
}

/// What is equal of two inputs.
#[derive(Default)]
pub(super) struct Equalities {
    /// Columns of each; beyond all where it is an expression.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Numbers of the classes, and after them those of conditions.
    pub(super) classes: InputSet,
}

/// The columns that a condition says are equal, of one type, in which what equals the same is equal.
fn equal_columns(condition: &Condition) -> Option<(usize, usize, Collation)> {
    let Kind::Compare(CompareOp::Eq, a, b, collation) = &condition.expr.kind else { return None };
    let (Kind::Column(one), Kind::Column(other)) = (&a.kind, &b.kind) else { return None };
    (a.ty.sql == b.ty.sql && a.ty.sql != SqlType::Variant).then_some((*one, *other, *collation))
}
