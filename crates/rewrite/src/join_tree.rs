//! In which order the inputs of a cluster of joins are joined.
//!
//! O1: the cost of a tree is the rows of all its joins and those that its hash tables hold. O2: of up to
//! `INPUTS_MAX` inputs the tree is the cheapest there is; of more it is the cheaper of the order as written and of the
//! one that always joins what gives the fewest rows, in time of the third power of their number. O3: where sizes are
//! not known, or nothing is large, the order stays. O4: where hints leave keys alone, a join without condition is made only if
//! there is no other way; where they leave loops alone, one input is joined at a time, and what counts is whether an index leads to
//! it from one before it. O5: the right side of a left outer join is joined with rows that have all inputs its condition speaks of,
//! alone, and gives each of them once at least. Where that is, among the inner joins that do not speak of its columns, is chosen as
//! for any other input: (a ⟕ b) ⋈ c is (a ⋈ c) ⟕ b.

use crate::input_set::InputSet;

/// Fewer rows than this are read and joined in any order.
pub const LARGE_ROWS: f64 = 1000.0;
/// All trees over more inputs than this are too many.
const INPUTS_MAX: usize = 10;
/// More inputs than this stay in their order.
const GREEDY_MAX: usize = 512;
/// What a row of a join without condition costs, in rows of others.
const CROSS: f64 = 4.0;

/// The same where it should not be at all.
const KEYLESS: f64 = 1e30;
/// What a seek costs, in rows of others.
const SEEK: f64 = 4.0;

/// How the joins may be run, as far as it matters to their order (O4).
pub enum By {
    /// As it is best.
    Any,
    /// By keys alone.
    Keys,
    /// By loops alone. For each input those from which an index leads to it.
    Loops(Vec<InputSet>),
}

/// What is estimated of the inputs of a cluster.
pub struct Graph {
    /// Rows of each input; none where there is no estimate.
    pub sizes: Vec<Option<f64>>,
    /// For each input those that conditions connect it with.
    pub near: Vec<Vec<Edge>>,
    /// For each input what is known of it as the right side of a left outer join, if it is one (O5). Nothing is near to these.
    pub padded: Vec<Option<Padded>>,
    /// How they may be joined.
    pub by: By,
}

/// The right side of a left outer join.
#[derive(Clone)]
pub struct Padded {
    /// The inputs that the join's condition speaks of beside it; not empty.
    pub after: InputSet,
    /// Rows of it that a row of the other side meets, about; 1 where it meets none.
    pub matches: f64,
    /// The condition has an equality.
    pub is_keyed: bool,
}

/// What connects an input with another one.
#[derive(Clone)]
pub struct Edge {
    /// The other one.
    pub to: usize,
    /// By which conditions.
    pub link: Link,
}

/// What is estimated of the conditions between two inputs, or where two sets of inputs meet.
#[derive(Clone)]
pub struct Link {
    /// Which part of the pairs of rows they let pass.
    pub share: f64,
    /// Numbers of the conditions: of those that are the same for several inputs, as columns that are all equal, one counts where
    /// two sets of inputs meet.
    pub classes: InputSet,
}

impl Link {
    /// That of several; none of none. What is known of conditions together comes before what is known of each of them: of the two
    /// columns of a key that other inputs have one by one.
    fn of(parts: impl Iterator<Item = Link>) -> Option<Link> {
        let mut parts: Vec<Link> = parts.collect();
        parts.sort_by_key(|link| std::cmp::Reverse(link.classes.len()));
        parts.into_iter().reduce(|one, other| {
            let share =
                if one.classes.meets(&other.classes) { one.share.min(other.share) } else { one.share * other.share };
            Link { share, classes: one.classes.union(&other.classes) }
        })
    }
}

/// A join or an input.
#[derive(Clone)]
pub struct Tree {
    /// The inputs below it.
    pub inputs: InputSet,
    /// Estimated rows.
    pub rows: Option<f64>,
    /// What it is.
    pub shape: Shape,
}

/// What a tree is.
#[derive(Clone)]
pub enum Shape {
    /// The input of that number.
    Input(usize),
    /// The join of two trees.
    Join(Box<Tree>, Box<Tree>),
}

/// The best way to join a set of inputs.
struct Best {
    rows: f64,
    cost: f64,
    /// The left side of its last join; 0 for a single input.
    left: usize,
}

impl Graph {
    /// The tree for the inputs (O2, O3).
    pub fn tree(&self) -> Tree {
        let count = self.sizes.len();
        let Some(sizes) = self.sizes.iter().copied().collect::<Option<Vec<f64>>>() else { return self.as_written() };
        if count <= INPUTS_MAX {
            let is_small = sizes.iter().all(|rows| *rows < LARGE_ROWS) && matches!(self.by, By::Any);
            return if is_small { self.as_written() } else { self.cheapest_tree(&sizes) };
        }
        let written = self.as_written();
        let written_cost = self.cost(&written);
        if written_cost < LARGE_ROWS || count > GREEDY_MAX {
            return written;
        }
        let greedy = self.greedy(&sizes);
        if self.cost(&greedy) < written_cost { greedy } else { written }
    }

    fn input(&self, input: usize) -> Tree {
        Tree { inputs: InputSet::one(input), rows: self.sizes[input], shape: Shape::Input(input) }
    }

    fn join(&self, left: Tree, right: Tree) -> Tree {
        // A left outer join has its right side on the right.
        let (left, right) = if self.padded(&left).is_some() { (right, left) } else { (left, right) };
        let rows = match self.padded(&right) {
            Some(padded) => left.rows.map(|rows| rows * padded.matches),
            None => left.rows.zip(right.rows).map(|(left_rows, right_rows)| {
                (left_rows * right_rows * self.share(&left.inputs, &right.inputs).unwrap_or(1.0)).max(1.0)
            }),
        };
        let inputs = left.inputs.union(&right.inputs);
        Tree { inputs, rows, shape: Shape::Join(Box::new(left), Box::new(right)) }
    }

    /// What is known of a tree as the right side of a left outer join.
    fn padded(&self, tree: &Tree) -> Option<&Padded> {
        match tree.shape {
            Shape::Input(input) => self.padded[input].as_ref(),
            Shape::Join(..) => None,
        }
    }

    /// Whether two trees may be joined (O5).
    fn may_join(&self, left: &Tree, right: &Tree) -> bool {
        match (self.padded(left), self.padded(right)) {
            (None, None) => true,
            (Some(_), Some(_)) => false,
            (Some(padded), None) => padded.after.is_within(&right.inputs, &right.inputs),
            (None, Some(padded)) => padded.after.is_within(&left.inputs, &left.inputs),
        }
    }

    /// Whether a condition connects two trees.
    fn is_connected(&self, left: &Tree, right: &Tree) -> bool {
        match self.padded(left).or(self.padded(right)) {
            Some(padded) => padded.is_keyed,
            None => self.share(&left.inputs, &right.inputs).is_some(),
        }
    }

    /// Which part of the pairs of rows of two sets of inputs the conditions let pass; none without condition.
    fn share(&self, left: &InputSet, right: &InputSet) -> Option<f64> {
        let near = left.iter().flat_map(|input| self.near[input].iter());
        Link::of(near.filter(|edge| right.contains(edge.to)).map(|edge| edge.link.clone())).map(|link| link.share)
    }

    /// The tree in the order as written.
    pub fn as_written(&self) -> Tree {
        (1..self.sizes.len()).map(|input| self.input(input)).fold(self.input(0), |left, right| self.join(left, right))
    }

    /// The cost of a tree (O1).
    fn cost(&self, tree: &Tree) -> f64 {
        let Shape::Join(left, right) = &tree.shape else { return 0.0 };
        let rows = |tree: &Tree| tree.rows.unwrap_or(1.0);
        let is_connected = self.is_connected(left, right);
        let own = rows(left).min(rows(right)) + rows(tree) * if is_connected { 1.0 } else { CROSS };
        self.cost(left) + self.cost(right) + own
    }

    /// Joins the two trees that give the fewest rows, again and again; pairs without condition come last.
    fn greedy(&self, sizes: &[f64]) -> Tree {
        let count = sizes.len();
        let mut rows = sizes.to_vec();
        let mut trees: Vec<Option<Tree>> = (0..count).map(|input| Some(self.input(input))).collect();
        let mut links: Vec<Vec<Option<Link>>> = (0..count).map(|_| (0..count).map(|_| None).collect()).collect();
        for (input, near) in self.near.iter().enumerate() {
            near.iter().for_each(|edge| links[input][edge.to] = Some(edge.link.clone()));
        }
        // The places that still have trees; a join takes the place of its first side.
        let mut open: Vec<usize> = (0..count).collect();
        while open.len() > 1 {
            let joined = |first: usize, second: usize| {
                let (one, other) = (trees[first].as_ref()?, trees[second].as_ref()?);
                let link = links[first][second].as_ref();
                match (self.padded(one), self.padded(other)) {
                    (None, None) => {
                        let share = link.map_or(1.0, |link| link.share);
                        Some((link.is_some(), (rows[first] * rows[second] * share).max(1.0)))
                    }
                    _ if !self.may_join(one, other) => None,
                    (Some(padded), _) => Some((padded.is_keyed, rows[second] * padded.matches)),
                    (_, Some(padded)) => Some((padded.is_keyed, rows[first] * padded.matches)),
                }
            };
            let Some((first, second, joined_rows)) = fewest(&open, &joined) else { break };
            let (left, right) = if rows[first] <= rows[second] { (first, second) } else { (second, first) };
            let (Some(left), Some(right)) = (trees[left].take(), trees[right].take()) else { break };
            rows[first] = joined_rows;
            trees[first] = Some(self.join(left, right));
            open.retain(|place| *place != second);
            for &other in &open {
                let both = [links[first][other].take(), links[second][other].take()];
                let both = Link::of(both.into_iter().flatten());
                links[other][first] = both.clone();
                links[first][other] = both;
            }
        }
        trees.into_iter().flatten().next().unwrap_or_else(|| self.as_written())
    }

    /// The cheapest of all trees.
    fn cheapest_tree(&self, sizes: &[f64]) -> Tree {
        let count = sizes.len();
        // The inputs that conditions connect with each, a bit each.
        let bit = |all: usize, input: usize| all | 1 << input;
        let mut reach: Vec<usize> = self.near.iter().map(|near| near.iter().map(|edge| edge.to).fold(0, bit)).collect();
        let bits = |set: &InputSet| set.iter().fold(0, bit);
        // By inputs that are joined after others: these, a bit each; 0 for all that are not.
        let after: Vec<usize> = self.padded.iter().map(|it| it.as_ref().map_or(0, |it| bits(&it.after))).collect();
        for (input, padded) in self.padded.iter().enumerate() {
            if padded.as_ref().is_some_and(|padded| padded.is_keyed) {
                reach[input] = after[input];
            }
        }
        // By sets of inputs, a bit each.
        let mut best: Vec<Best> = Vec::with_capacity(1 << count);
        best.push(Best { rows: 0.0, cost: 0.0, left: 0 });
        for set in 1usize..1 << count {
            let lowest = set.trailing_zeros() as usize;
            let rest = set & (set - 1);
            let padded = (0..count).find(|input| set >> input & 1 == 1 && after[*input] != 0);
            let found = if rest == 0 {
                Best { rows: sizes[lowest], cost: 0.0, left: 0 }
            } else {
                let rows = match padded.and_then(|input| Some((input, self.padded[input].as_ref()?))) {
                    Some((input, padded)) => best[set & !(1 << input)].rows * padded.matches,
                    None => {
                        let among = self.near[lowest].iter().filter(|edge| rest >> edge.to & 1 == 1);
                        let share = Link::of(among.map(|edge| edge.link.clone())).map_or(1.0, |link| link.share);
                        (best[1 << lowest].rows * best[rest].rows * share).max(1.0)
                    }
                };
                match &self.by {
                    By::Any => cheapest(&best, (&reach, &after, CROSS), set, rows),
                    By::Keys => cheapest(&best, (&reach, &after, KEYLESS), set, rows),
                    By::Loops(led_from) => cheapest_loops(&best, (led_from, &after), set, rows),
                }
            };
            best.push(found);
        }
        self.tree_of(&best, (1 << count) - 1)
    }

    fn tree_of(&self, best: &[Best], set: usize) -> Tree {
        match best[set].left {
            0 => self.input(set.trailing_zeros() as usize),
            left => self.join(self.tree_of(best, left), self.tree_of(best, set & !left)),
        }
    }
}

/// The two of the open places whose join has the fewest rows, and how many; those with a condition first. `joined`: whether the join of
/// two has a condition, and its rows; none where it may not be.
fn fewest(open: &[usize], joined: &dyn Fn(usize, usize) -> Option<(bool, f64)>) -> Option<(usize, usize, f64)> {
    let mut found: Option<(bool, f64, (usize, usize))> = None;
    for (index, &first) in open.iter().enumerate() {
        for &second in &open[index + 1..] {
            let Some((is_connected, rows)) = joined(first, second) else { continue };
            if found.is_none_or(|(lacks, least, _)| (!is_connected, rows) < (lacks, least)) {
                found = Some((!is_connected, rows, (first, second)));
            }
        }
    }
    found.map(|(_, rows, (first, second))| (first, second, rows))
}

/// Whether two sets may be joined (O5).
fn may_join(after: &[usize], left: usize, right: usize) -> bool {
    let goes_after = |one: usize, other: usize| {
        one & (one - 1) != 0 || {
            let after = after[one.trailing_zeros() as usize];
            after == 0 || after & !other == 0
        }
    };
    goes_after(left, right) && goes_after(right, left)
}

/// The cheapest last join of a set of inputs whose join has that many rows (O1, O5); the smaller side is kept in memory. `cross`: what
/// a row of one without condition costs.
fn cheapest(best: &[Best], (reach, after, cross): (&[usize], &[usize], f64), set: usize, rows: f64) -> Best {
    let mut found = Best { rows, cost: f64::INFINITY, left: 0 };
    let mut left = (set - 1) & set;
    while left != 0 {
        let right = set & !left;
        if best[left].rows <= best[right].rows && may_join(after, left, right) {
            let connects =
                |from: usize, to: usize| (0..reach.len()).any(|one| from >> one & 1 == 1 && reach[one] & to != 0);
            let is_padded = |side: usize| side & (side - 1) == 0 && after[side.trailing_zeros() as usize] != 0;
            let is_connected = if is_padded(right) { connects(right, left) } else { connects(left, right) };
            let own = best[left].rows + rows * if is_connected { 1.0 } else { cross };
            let cost = best[left].cost + best[right].cost + own;
            if cost < found.cost {
                found = Best { rows, cost, left };
            }
        }
        left = (left - 1) & set;
    }
    found
}

/// The cheapest last loop of a set of inputs: from the rows of all but one into that one (O4, O5).
fn cheapest_loops(best: &[Best], (led_from, after): (&[InputSet], &[usize]), set: usize, rows: f64) -> Best {
    let mut found = Best { rows, cost: f64::INFINITY, left: 0 };
    for inner in (0..led_from.len()).filter(|inner| set >> inner & 1 == 1) {
        let outer = set & !(1 << inner);
        if !may_join(after, outer, 1 << inner) {
            continue;
        }
        let is_led = led_from[inner].iter().any(|from| outer >> from & 1 == 1);
        let each = if is_led { SEEK } else { best[1 << inner].rows.max(SEEK) };
        let cost = best[outer].cost + best[outer].rows * each + rows;
        if cost < found.cost {
            found = Best { rows, cost, left: outer };
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{By, Edge, Link, Padded};
    use crate::input_set::InputSet;
    use crate::join_tree::Graph;
    use crate::join_tree::Shape;
    use crate::join_tree::Tree;

    /// A chain: each input is connected with the next one, in the order that `places` says.
    fn chain(sizes: &[f64], places: &[usize]) -> Graph {
        let mut near = vec![Vec::new(); sizes.len()];
        for (number, pair) in places.windows(2).enumerate() {
            let share = 1.0 / sizes[pair[0]].max(sizes[pair[1]]);
            let link = Link { share, classes: InputSet::one(number) };
            near[pair[0]].push(Edge { to: pair[1], link: link.clone() });
            near[pair[1]].push(Edge { to: pair[0], link });
        }
        Graph { sizes: sizes.iter().copied().map(Some).collect(), near, padded: vec![None; sizes.len()], by: By::Any }
    }

    fn joins_without_condition(graph: &Graph, tree: &Tree) -> usize {
        let Shape::Join(left, right) = &tree.shape else { return 0 };
        let own = usize::from(graph.share(&left.inputs, &right.inputs).is_none());
        own + joins_without_condition(graph, left) + joins_without_condition(graph, right)
    }

    #[test]
    fn each_input_is_joined_once_at_every_count() {
        for count in [2usize, 10, 11, 63, 64, 65, 100, 256] {
            // Every second one first, so that the order as written has joins without condition.
            let places: Vec<usize> = (0..count).step_by(2).chain((1..count).step_by(2)).collect();
            let graph = chain(&vec![2000.0; count], &places);
            let tree = graph.tree();
            assert_eq!(tree.inputs.iter().collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
            assert_eq!(joins_without_condition(&graph, &tree), 0, "{count} inputs");
        }
    }

    #[test]
    fn many_small_inputs_are_not_multiplied() {
        let count = 20;
        let places: Vec<usize> = (0..count / 2).flat_map(|low| [low, low + count / 2]).collect();
        let graph = chain(&vec![100.0; count], &places);
        assert!(joins_without_condition(&graph, &graph.as_written()) > 0);
        assert_eq!(joins_without_condition(&graph, &graph.tree()), 0);
    }

    #[test]
    fn a_key_of_two_columns_counts_once_where_others_have_its_columns_one_by_one() {
        // lineitem; part, supplier: a column each; partsupp: both.
        let link = |share: f64, classes: &[usize]| {
            let classes = classes.iter().fold(InputSet::default(), |all, class| all.union(&InputSet::one(*class)));
            Link { share, classes }
        };
        let parts = [link(1.0 / 2e5, &[0]), link(1.0 / 1e4, &[1]), link(1.0 / 8e5, &[0, 1])];
        for order in [[0, 1, 2], [2, 1, 0], [0, 2, 1]] {
            let link = Link::of(order.into_iter().map(|place: usize| parts[place].clone())).expect("three");
            assert_eq!(link.share, 1.0 / 8e5);
        }
    }

    #[test]
    fn an_unknown_size_keeps_the_order() {
        let mut graph = chain(&[5000.0; 12], &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
        graph.sizes[3] = None;
        let mut tree = &graph.tree();
        for last in (1..12).rev() {
            let Shape::Join(left, right) = &tree.shape else { panic!("a join of {} inputs", last + 1) };
            assert!(matches!(right.shape, Shape::Input(input) if input == last));
            tree = left;
        }
    }

    /// How many joins of a tree have the right side of an outer join where it may not be.
    fn misplaced(graph: &Graph, tree: &Tree) -> usize {
        let Shape::Join(left, right) = &tree.shape else { return 0 };
        let own = usize::from(!graph.may_join(left, right) || graph.padded(left).is_some());
        own + misplaced(graph, left) + misplaced(graph, right)
    }

    /// Whether all outer joins of a tree are made when that input is there.
    fn are_after(graph: &Graph, tree: &Tree, input: usize) -> bool {
        let Shape::Join(left, right) = &tree.shape else { return true };
        let own = graph.padded(right).is_none() || left.inputs.contains(input);
        own && are_after(graph, left, input) && are_after(graph, right, input)
    }

    #[test]
    fn right_sides_of_outer_joins_come_when_all_they_need_is_there() {
        for count in [3usize, 6, 10, 11, 40] {
            // A chain of large ones, each padded one after the one before it, the last one small.
            let mut graph = chain(&vec![1e5; count], &(0..count).collect::<Vec<_>>());
            graph.sizes[count - 1] = Some(2.0);
            let padded = |after| Some(Padded { after: InputSet::one(after), matches: 1.0, is_keyed: true });
            for input in (1..count - 1).step_by(2) {
                graph.near.iter_mut().for_each(|near| near.retain(|edge| edge.to != input));
                graph.near[input].clear();
                graph.padded[input] = padded(input - 1);
            }
            let link = |share, number| Link { share, classes: InputSet::one(number) };
            // Inner ones are connected with the first, and all that are left are few.
            for input in (2..count).step_by(2).chain([count - 1]) {
                graph.near[0].push(Edge { to: input, link: link(1e-5, input) });
                graph.near[input].push(Edge { to: 0, link: link(1e-5, input) });
            }
            for by in [By::Any, By::Keys] {
                graph.by = by;
                let tree = graph.tree();
                assert_eq!(tree.inputs.iter().collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
                assert_eq!(misplaced(&graph, &tree), 0, "{count} inputs");
                assert!(are_after(&graph, &tree, count - 1), "{count} inputs");
            }
            assert_eq!(misplaced(&graph, &graph.as_written()), 0);
        }
    }

    /// The inputs from the first join on, where one is joined at a time.
    fn one_by_one(mut tree: &Tree) -> Option<Vec<usize>> {
        let mut last = Vec::new();
        while let Shape::Join(left, right) = &tree.shape {
            let Shape::Input(input) = right.shape else { return None };
            last.push(input);
            tree = left;
        }
        let Shape::Input(first) = tree.shape else { return None };
        Some(std::iter::once(first).chain(last.into_iter().rev()).collect())
    }

    #[test]
    fn keys_alone_are_joined_across_only_if_there_is_no_other_way() {
        // The two small ones, each connected with the large one, are cheaper across.
        let mut graph = chain(&[3.0, 1e6, 3.0], &[0, 1, 2]);
        graph.near.iter_mut().flatten().for_each(|edge| edge.link.share = 1.0 / 3.0);
        assert_eq!(joins_without_condition(&graph, &graph.tree()), 1);
        graph.by = By::Keys;
        assert_eq!(joins_without_condition(&graph, &graph.tree()), 0);
        graph.near.iter_mut().for_each(Vec::clear);
        assert_eq!(joins_without_condition(&graph, &graph.tree()), 2);
    }

    #[test]
    fn loops_go_where_indexes_lead() {
        let mut graph = chain(&[1e5, 1e3, 2e3, 1e4], &[0, 1, 2, 3]);
        // Only from each to the one before it.
        graph.by = By::Loops([1, 2, 3].map(InputSet::one).into_iter().chain([InputSet::default()]).collect());
        assert_eq!(one_by_one(&graph.tree()), Some(vec![3, 2, 1, 0]));
        // And only to the one after it.
        graph.by = By::Loops(std::iter::once(InputSet::default()).chain([0, 1, 2].map(InputSet::one)).collect());
        assert_eq!(one_by_one(&graph.tree()), Some(vec![0, 1, 2, 3]));
    }
}
