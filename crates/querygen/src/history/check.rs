//! The dependencies of a history, and the circles in them.
//!
//! What always holds: an edge leads from the transaction that must come first; a circle is reported as the mildest anomaly
//! that its edges make.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Anomaly, Op, Transaction};

/// Why one transaction comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    /// The other wrote over what it wrote.
    WriteWrite,
    /// The other read what it wrote.
    WriteRead,
    /// The other wrote over what it read.
    ReadWrite,
    /// The other wrote into a range that it read.
    RangeWrite,
}

/// What was found: an anomaly, and the transactions and keys of the first of its kind.
pub type Found = BTreeMap<Anomaly, String>;

#[derive(Default)]
struct Graph {
    edges: Vec<BTreeSet<(usize, Edge)>>,
}

impl Graph {
    fn add(&mut self, from: usize, to: usize, edge: Edge) {
        if from != to {
            self.edges[from].insert((to, edge));
        }
    }

    /// Components in which every transaction leads to every other, by the edges that count. Tarjan's way, without recursion.
    fn components(&self, counts: &dyn Fn(Edge) -> bool) -> Vec<usize> {
        let size = self.edges.len();
        let next: Vec<Vec<usize>> = self
            .edges
            .iter()
            .map(|edges| edges.iter().filter(|(_, edge)| counts(*edge)).map(|(to, _)| *to).collect())
            .collect();
        let (mut index, mut low, mut part) = (vec![usize::MAX; size], vec![0; size], vec![usize::MAX; size]);
        let (mut stack, mut clock, mut parts) = (Vec::new(), 0, 0);
        for root in 0..size {
            if index[root] != usize::MAX {
                continue;
            }
            let mut work = vec![(root, 0)];
            while let Some((node, at)) = work.pop() {
                if at == 0 {
                    (index[node], low[node]) = (clock, clock);
                    clock += 1;
                    stack.push(node);
                }
                if let Some(&to) = next[node].get(at) {
                    work.push((node, at + 1));
                    if index[to] == usize::MAX {
                        work.push((to, 0));
                    } else if part[to] == usize::MAX {
                        low[node] = low[node].min(index[to]);
                    }
                    continue;
                }
                if low[node] == index[node] {
                    while let Some(top) = stack.pop() {
                        part[top] = parts;
                        if top == node {
                            break;
                        }
                    }
                    parts += 1;
                }
                if let Some((above, _)) = work.last() {
                    low[*above] = low[*above].min(low[node]);
                }
            }
        }
        part
    }

    /// The shortest way from one to another by the edges that count.
    fn way(&self, from: usize, to: usize, counts: &dyn Fn(Edge) -> bool) -> Option<Vec<usize>> {
        let mut before: HashMap<usize, usize> = HashMap::new();
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for &(next, edge) in &self.edges[node] {
                if !counts(edge) || before.contains_key(&next) {
                    continue;
                }
                before.insert(next, node);
                if next == to {
                    let mut way = vec![to];
                    let mut at = node;
                    while at != from {
                        way.push(at);
                        at = before[&at];
                    }
                    way.push(from);
                    way.reverse();
                    return Some(way);
                }
                queue.push_back(next);
            }
        }
        None
    }

    /// A circle of an edge of one kind and a way of others.
    fn circle(&self, first: &dyn Fn(Edge) -> bool, rest: &dyn Fn(Edge) -> bool) -> Option<Vec<usize>> {
        let part = self.components(&|edge| first(edge) || rest(edge));
        for (from, edges) in self.edges.iter().enumerate() {
            for &(to, edge) in edges {
                if first(edge)
                    && part[from] == part[to]
                    && let Some(way) = self.way(to, from, rest)
                {
                    return Some(way);
                }
            }
        }
        None
    }
}

/// The writes of a history by value, and the lists as they became.
struct Known<'h> {
    history: &'h [Transaction],
    /// Which transaction wrote a value, and whether it wrote over it later, by key and value.
    writers: HashMap<(u64, u64), (usize, bool)>,
    /// The longest list of each key that was read.
    lists: BTreeMap<u64, Vec<u64>>,
    found: Found,
}

/// The last value that a transaction wrote under each key.
fn last_writes(transaction: &Transaction) -> BTreeMap<u64, u64> {
    let writes = transaction.ops.iter().filter_map(|op| match op {
        Op::Append(key, value) | Op::Write(key, value, _) => Some((*key, *value)),
        _ => None,
    });
    writes.collect()
}

impl<'h> Known<'h> {
    fn new(history: &'h [Transaction]) -> Known<'h> {
        let mut known = Known { history, writers: HashMap::new(), lists: BTreeMap::new(), found: Found::new() };
        for (who, transaction) in history.iter().enumerate() {
            let last = last_writes(transaction);
            for op in &transaction.ops {
                if let Op::Append(key, value) | Op::Write(key, value, _) = op {
                    known.writers.insert((*key, *value), (who, last[key] != *value));
                }
            }
        }
        for (who, key, list) in reads(history) {
            if history[who].is_committed && known.lists.get(&key).is_none_or(|longest| longest.len() < list.len()) {
                known.lists.insert(key, list.to_vec());
            }
        }
        known
    }

    fn note(&mut self, anomaly: Anomaly, words: String) {
        self.found.entry(anomaly).or_insert(words);
    }

    /// What shows without the graph: values of transactions that were undone, or of the midst of one, and lists that
    /// contradict each other.
    fn look_at_reads(&mut self) {
        for (who, key, list) in reads(self.history) {
            if !self.history[who].is_committed {
                continue;
            }
            for (at, value) in list.iter().enumerate() {
                match self.writers.get(&(key, *value)).copied() {
                    None => self.note(
                        Anomaly::Incompatible,
                        format!("{who} read {value} of {key}, which no transaction wrote"),
                    ),
                    Some((writer, _)) if writer != who && !self.history[writer].is_committed => {
                        self.note(Anomaly::G1a, format!("{who} read {value} of {key}, which {writer} took back"));
                    }
                    Some((writer, true)) if writer != who && at + 1 == list.len() => {
                        self.note(Anomaly::G1b, format!("{who} read {value} of {key}, which {writer} wrote over"));
                    }
                    Some(_) => {}
                }
            }
            if self.lists.get(&key).is_some_and(|longest| !longest.starts_with(list)) {
                self.note(
                    Anomaly::Incompatible,
                    format!("{who} read {list:?} of {key}, others {:?}", self.lists[&key]),
                );
            }
        }
        self.look_at_registers();
        self.look_at_own();
    }

    fn look_at_registers(&mut self) {
        for (who, transaction) in self.history.iter().enumerate().filter(|(_, transaction)| transaction.is_committed) {
            for op in &transaction.ops {
                let (Op::Look(key, value) | Op::Write(key, _, Some(value))) = op else { continue };
                match self.writers.get(&(*key, *value)).copied() {
                    Some((writer, _)) if writer != who && !self.history[writer].is_committed => {
                        self.note(Anomaly::G1a, format!("{who} read {value} of {key}, which {writer} took back"));
                    }
                    Some((writer, true)) if writer != who => {
                        self.note(Anomaly::G1b, format!("{who} read {value} of {key}, which {writer} wrote over"));
                    }
                    None if *value != 0 => {
                        self.note(
                            Anomaly::Incompatible,
                            format!("{who} read {value} of {key}, which no transaction wrote"),
                        );
                    }
                    _ => {}
                }
            }
        }
    }

    /// A transaction sees what it wrote itself.
    fn look_at_own(&mut self) {
        for (who, transaction) in self.history.iter().enumerate().filter(|(_, transaction)| transaction.is_committed) {
            let mut own: HashMap<u64, u64> = HashMap::new();
            for op in &transaction.ops {
                match op {
                    Op::Append(key, value) | Op::Write(key, value, _) => {
                        own.insert(*key, *value);
                    }
                    Op::Read(key, list) if own.get(key).is_some_and(|value| list.last() != Some(value)) => {
                        self.note(
                            Anomaly::Incompatible,
                            format!("{who} read {list:?} of {key} after its own {}", own[key]),
                        );
                    }
                    Op::Look(key, value) if own.get(key).is_some_and(|own| own != value) => {
                        self.note(
                            Anomaly::Incompatible,
                            format!("{who} read {value} of {key} after its own {}", own[key]),
                        );
                    }
                    _ => {}
                }
            }
        }
    }

    fn writer(&self, key: u64, value: u64) -> Option<usize> {
        self.writers.get(&(key, value)).map(|(who, _)| *who).filter(|who| self.history[*who].is_committed)
    }

    fn graph(&self) -> Graph {
        let mut graph = Graph { edges: vec![BTreeSet::new(); self.history.len()] };
        // What comes after a value of a register: its writer had seen the other.
        let mut after: HashMap<(u64, u64), usize> = HashMap::new();
        for (who, transaction) in self.history.iter().enumerate().filter(|(_, transaction)| transaction.is_committed) {
            for op in &transaction.ops {
                if let Op::Write(key, _, Some(seen)) = op {
                    after.insert((*key, *seen), who);
                    if let Some(writer) = self.writer(*key, *seen) {
                        graph.add(writer, who, Edge::WriteWrite);
                    }
                }
            }
        }
        for (key, list) in &self.lists {
            let writers: Vec<usize> = list.iter().filter_map(|value| self.writer(*key, *value)).collect();
            for pair in writers.windows(2) {
                graph.add(pair[0], pair[1], Edge::WriteWrite);
            }
        }
        for (who, transaction) in self.history.iter().enumerate().filter(|(_, transaction)| transaction.is_committed) {
            for op in &transaction.ops {
                match op {
                    Op::Read(key, list) => self.read(&mut graph, (who, *key, list), Edge::ReadWrite),
                    Op::Look(key, value) => {
                        if let Some(writer) = self.writer(*key, *value) {
                            graph.add(writer, who, Edge::WriteRead);
                        }
                        if let Some(next) = after.get(&(*key, *value)) {
                            graph.add(who, *next, Edge::ReadWrite);
                        }
                    }
                    Op::Scan(from, to, rows) => {
                        for key in *from..=*to {
                            let row = rows.iter().find(|(there, _)| *there == key);
                            let list = row.map_or(&[][..], |(_, list)| list);
                            let edge = if row.is_some() { Edge::ReadWrite } else { Edge::RangeWrite };
                            self.read(&mut graph, (who, key, list), edge);
                        }
                    }
                    Op::Append(..) | Op::Write(..) => {}
                }
            }
        }
        graph
    }

    fn read(&self, graph: &mut Graph, (who, key, list): (usize, u64, &[u64]), edge: Edge) {
        if let Some(writer) = list.last().and_then(|value| self.writer(key, *value)) {
            graph.add(writer, who, Edge::WriteRead);
        }
        let longest = self.lists.get(&key).map_or(&[][..], Vec::as_slice);
        // A reader's own values after what was there are no other's.
        let next =
            longest.iter().skip(list.len()).filter_map(|value| self.writer(key, *value)).find(|next| *next != who);
        if let Some(next) = next.filter(|_| longest.starts_with(list)) {
            graph.add(who, next, edge);
        }
    }
}

/// All lists that were read: the reader, the key.
fn reads(history: &[Transaction]) -> impl Iterator<Item = (usize, u64, &[u64])> {
    history.iter().enumerate().flat_map(|(who, transaction)| {
        transaction.ops.iter().flat_map(move |op| {
            let lists: Vec<(usize, u64, &[u64])> = match op {
                Op::Read(key, list) => vec![(who, *key, list)],
                Op::Scan(_, _, rows) => rows.iter().map(|(key, list)| (who, *key, list.as_slice())).collect(),
                _ => Vec::new(),
            };
            lists
        })
    })
}

/// The anomalies of a history, each with its first example.
#[must_use]
pub fn check(history: &[Transaction]) -> Found {
    let mut known = Known::new(history);
    known.look_at_reads();
    let graph = known.graph();
    let writes = |edge| edge == Edge::WriteWrite;
    let reads = |edge| edge == Edge::WriteRead;
    let over = |edge| edge == Edge::ReadWrite;
    let ranges = |edge| edge == Edge::RangeWrite;
    let circles: [(Anomaly, Option<Vec<usize>>); 5] = [
        (Anomaly::G0, graph.circle(&writes, &writes)),
        (Anomaly::G1c, graph.circle(&reads, &|edge| writes(edge) || reads(edge))),
        (Anomaly::GSingle, graph.circle(&over, &|edge| writes(edge) || reads(edge))),
        (Anomaly::G2Item, graph.circle(&over, &|edge| !ranges(edge))),
        (Anomaly::G2, graph.circle(&ranges, &|_| true)),
    ];
    let is_single = circles[2].1.is_some();
    for (anomaly, way) in circles {
        // A circle of one such edge is a circle of at least one: it is reported once.
        if let Some(way) = way.filter(|_| anomaly != Anomaly::G2Item || !is_single) {
            let steps: Vec<String> = way.iter().map(|who| format!("{who}: {:?}", history[*who].ops)).collect();
            known.note(anomaly, steps.join("\n  "));
        }
    }
    known.found
}
