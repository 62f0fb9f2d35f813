//! Groups by columns of a table whose rows a key determines: rows are grouped by the key first, and what is left of them by the
//! columns, which are read of the table once more.
//!
//! ```text
//!   Aggregate c.name, d.year: SUM(v)             Aggregate c.name, year: SUM(s)
//!   └─ sales ⋈ dates d ⋈ customers c      ──▶    └─ … ⋈ customers c     on k = c.id
//!                                                   └─ Aggregate c.id AS k, d.year: SUM(v) AS s
//!                                                      └─ sales ⋈ dates d ⋈ customers c
//! ```
//! Where the key is among the groups already, what else is read of its table needs no hash: the first of its values is the only one.
//!
//! K1: the rows below are those of the relation as written, with the same joins and filters, so nothing is evaluated that would not be.
//! K2: a key is of one unique index, without NULL and without texts: what is equal is the same.

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{Aggregate, JoinHint, Rel, RelJoin};
use millpond_catalog::{IndexDef, TableDef};
use millpond_types::SqlType;

use crate::parts::{Parts, Sums, after_groups};
use crate::terms::{all, columns, equal, is_volatile, moved, plain, substitute};

/// Columns of a key at most.
const KEY_MAX: usize = 3;

/// Says whether to group a relation by these keys of these tables is worth it.
pub type Pays<'a> = dyn Fn(&Rel, &[BoundExpr], &[&Rel]) -> bool + 'a;

/// Says of a relation whether it is to stay as it is written.
pub type IsFixed<'a> = dyn Fn(&Rel) -> bool + 'a;

/// The second grouping.
#[derive(Debug)]
pub struct Keyed {
    /// The first one's groups with the tables' columns.
    pub input: Rel,
    /// Groups over it.
    pub groups: Vec<BoundExpr>,
    /// Aggregates over it.
    pub aggregates: Vec<Aggregate>,
    /// The groups and aggregates that were asked for, over `groups` and `aggregates`.
    pub results: Vec<BoundExpr>,
}

/// Groups by keys first, if that is how they may be made and pays.
#[must_use]
pub fn by_keys(
    input: &Rel,
    groups: &[BoundExpr],
    aggregates: &[Aggregate],
    (is_fixed, pays): (&IsFixed<'_>, &Pays<'_>),
) -> Option<Keyed> {
    let args = aggregates.iter().filter_map(|aggregate| aggregate.arg.as_ref());
    if !groups.iter().chain(args).all(is_plain) {
        return None;
    }
    let flat = Flat::of(input, is_fixed);
    let over: Vec<BoundExpr> = groups.iter().map(|group| substitute(group.clone(), &flat.outputs)).collect();
    let tables: Vec<Keys<'_>> = flat.tables.iter().filter_map(|table| Keys::of(table, &over)).collect();
    if tables.is_empty() {
        return None;
    }
    let table_of = |column: usize| tables.iter().position(|keys| keys.table.has(column));

    let mut first = Firsts::default();
    for Keys { table, key } in &tables {
        for &column in key {
            first.add(BoundExpr::column(table.first + column, table.def.columns[column].ty));
        }
    }
    let mut is_exact = true;
    for group in &over {
        let read = columns(group);
        if read.iter().all(|&column| table_of(column).is_none()) {
            first.add(group.clone());
            continue;
        }
        group.visit(&mut |node| {
            if let Kind::Column(column) = node.kind
                && table_of(column).is_none()
            {
                is_exact &= is_exact_type(&node.ty.sql);
                first.add(node.clone());
            }
        });
    }
    // Of texts that are equal an expression may make values that are not.
    if !is_exact {
        return None;
    }
    let rels: Vec<&Rel> = tables.iter().map(|keys| keys.table.rel).collect();
    if !pays(&flat.rel, &first.groups, &rels) {
        return None;
    }

    let over_rows = |aggregate: &Aggregate| {
        let arg = aggregate.arg.clone().map(|arg| substitute(arg, &flat.outputs));
        Aggregate { arg, ..aggregate.clone() }
    };
    let aggregates: Vec<Aggregate> = aggregates.iter().map(over_rows).collect();
    let Parts { made, joined, results } = Parts::of(&aggregates, first.groups.len(), Sums::OfParts)?;

    // Where each table's columns stand when it is read once more.
    let mut width = first.groups.len() + made.len();
    let mut places = Vec::with_capacity(tables.len());
    let mut again = Rel::Aggregate { input: Box::new(flat.rel), groups: first.groups.clone(), aggregates: made };
    for Keys { table, key } in &tables {
        let pair = |&column: &usize| {
            let ty = table.def.columns[column].ty;
            let known = first.place(&BoundExpr::column(table.first + column, ty))?;
            Some(equal(BoundExpr::column(known, ty), BoundExpr::column(width + column, ty), ty.collation))
        };
        let on = all(key.iter().map(pair).collect::<Option<Vec<_>>>()?);
        let right = Box::new(table.rel.clone());
        let (kind, hint) = (RelJoin::Inner, JoinHint::default());
        again = Rel::Join { kind, hint, left: Box::new(again), right, on };
        places.push(width);
        width += table.def.columns.len();
    }
    let placed = |group: BoundExpr| match first.place(&group) {
        Some(place) => BoundExpr::column(place, group.ty),
        None => group.rewrite(&mut |node| match node.kind {
            Kind::Column(column) => Ok(match table_of(column) {
                Some(at) => BoundExpr::column(places[at] + column - tables[at].table.first, node.ty),
                None => BoundExpr::column(first.place(&node).unwrap_or(column), node.ty),
            }),
            _ => Err(node),
        }),
    };
    let groups: Vec<BoundExpr> = over.into_iter().map(placed).collect();
    let results = after_groups(&groups, results);
    Some(Keyed { input: again, groups, aggregates: joined, results })
}

/// Which groups of a relation others determine: what is read of a table alone whose key is among the groups has one value for each key.
#[must_use]
pub fn determined(input: &Rel, groups: &[BoundExpr], is_fixed: &IsFixed<'_>) -> Vec<bool> {
    let flat = Flat::of(input, is_fixed);
    let over: Vec<BoundExpr> = groups.iter().map(|group| substitute(group.clone(), &flat.outputs)).collect();
    let grouped: Vec<usize> = over.iter().filter_map(plain).collect();
    let is_whole =
        |table: &Table<'_>, key: &[usize]| key.iter().all(|column| grouped.contains(&(table.first + column)));
    let keys = flat.tables.iter().filter_map(|table| {
        let mut keys = table.def.indexes.iter().filter_map(|index| key(table.def, index));
        Some((table, keys.find(|key| is_whole(table, key))?))
    });
    let keys: Vec<(&Table<'_>, Vec<usize>)> = keys.collect();
    let is_key = |column: usize| keys.iter().any(|(table, key)| key.iter().any(|own| table.first + own == column));
    let is_determined = |group: &BoundExpr| {
        let read = columns(group);
        let is_known = |column: &usize| keys.iter().any(|(table, _)| table.has(*column));
        !plain(group).is_some_and(is_key) && !read.is_empty() && read.iter().all(is_known) && !is_volatile(group)
    };
    over.iter().map(is_determined).collect()
}

/// What rows are grouped by first, each once.
#[derive(Default)]
struct Firsts {
    groups: Vec<BoundExpr>,
}

impl Firsts {
    fn place(&self, expr: &BoundExpr) -> Option<usize> {
        self.groups.iter().position(|group| group.same_as(expr))
    }

    fn add(&mut self, expr: BoundExpr) {
        if self.place(&expr).is_none() {
            self.groups.push(expr);
        }
    }
}

/// A relation with all columns of its tables.
struct Flat<'r> {
    rel: Rel,
    /// The columns of the relation as written.
    outputs: Vec<BoundExpr>,
    /// The tables none of whose rows came with NULL in their place.
    tables: Vec<Table<'r>>,
}

/// A table in a relation.
struct Table<'r> {
    rel: &'r Rel,
    def: &'r TableDef,
    /// Where its columns begin.
    first: usize,
}

impl Table<'_> {
    fn has(&self, column: usize) -> bool {
        (self.first..self.first + self.def.columns.len()).contains(&column)
    }
}

impl<'r> Flat<'r> {
    fn of(rel: &'r Rel, is_fixed: &IsFixed<'_>) -> Flat<'r> {
        match rel {
            _ if is_fixed(rel) => Flat::as_written(rel),
            Rel::Project { input, exprs } if exprs.iter().all(is_plain) => {
                let below = Flat::of(input, is_fixed);
                let outputs = exprs.iter().map(|expr| substitute(expr.clone(), &below.outputs)).collect();
                Flat { outputs, ..below }
            }
            Rel::Filter { input, predicate } if is_plain(predicate) => {
                let below = Flat::of(input, is_fixed);
                let predicate = substitute(predicate.clone(), &below.outputs);
                Flat { rel: Rel::Filter { input: Box::new(below.rel), predicate }, ..below }
            }
            // Where words say how joins are run there is none beside them.
            Rel::Join { kind: kind @ (RelJoin::Inner | RelJoin::Left), hint, left, right, on }
                if *hint == JoinHint::default() && on.iter().all(is_plain) =>
            {
                let left = Flat::of(left, is_fixed);
                // What the other side of an outer join computes is NULL where it has no row.
                let right = if *kind == RelJoin::Inner { Flat::of(right, is_fixed) } else { Flat::as_written(right) };
                left.joined(*kind, right, on.as_ref())
            }
            Rel::Table { def, with_rid: false, .. } => {
                Flat { tables: vec![Table { rel, def, first: 0 }], ..Flat::as_written(rel) }
            }
            _ => Flat::as_written(rel),
        }
    }

    fn as_written(rel: &Rel) -> Flat<'r> {
        let types = rel.types();
        let outputs = types.into_iter().enumerate().map(|(column, ty)| BoundExpr::column(column, ty)).collect();
        Flat { rel: rel.clone(), outputs, tables: Vec::new() }
    }

    fn joined(mut self, kind: RelJoin, right: Flat<'r>, on: Option<&BoundExpr>) -> Flat<'r> {
        let width = self.rel.width();
        self.outputs.extend(right.outputs.into_iter().map(|output| moved(output, &|column| column + width)));
        self.tables.extend(right.tables.into_iter().map(|table| Table { first: table.first + width, ..table }));
        let on = on.map(|on| substitute(on.clone(), &self.outputs));
        let (left, right) = (Box::new(self.rel), Box::new(right.rel));
        let rel = Rel::Join { kind, hint: JoinHint::default(), left, right, on };
        Flat { rel, ..self }
    }
}

/// A table whose columns are better read once more than grouped by, and the key by which.
struct Keys<'f> {
    table: &'f Table<'f>,
    /// Columns of the table.
    key: Vec<usize>,
}

impl<'f> Keys<'f> {
    fn of(table: &'f Table<'f>, groups: &[BoundExpr]) -> Option<Keys<'f>> {
        let mut used: Vec<usize> = groups.iter().flat_map(columns).filter(|column| table.has(*column)).collect();
        used.sort_unstable();
        used.dedup();
        let has_text = used.iter().any(|column| table.def.columns[column - table.first].ty.sql.is_string());
        if !has_text {
            return None;
        }
        let keys = table.def.indexes.iter().filter_map(|index| key(table.def, index));
        Some(Keys { table, key: keys.min_by_key(Vec::len)? })
    }
}

/// Whether an expression may stand elsewhere, and more than once.
fn is_plain(expr: &BoundExpr) -> bool {
    !needs_plan(expr) && !is_volatile(expr)
}

/// Whether values that are equal are the same.
fn is_exact_type(sql: &SqlType) -> bool {
    use SqlType::{BigInt, Bit, Date, Decimal, Int, Money, SmallInt, TinyInt, UniqueIdentifier};
    matches!(sql, Bit | TinyInt | SmallInt | Int | BigInt | Money | Decimal { .. } | Date | UniqueIdentifier)
}

/// The key of an index, if it is one (K2).
fn key(def: &TableDef, index: &IndexDef) -> Option<Vec<usize>> {
    let is_key = |column: &usize| {
        let ty = def.columns[*column].ty;
        is_exact_type(&ty.sql) && !ty.nullable
    };
    let columns: Vec<usize> = index.key.iter().map(|key| key.column).collect();
    (index.is_key() && columns.len() <= KEY_MAX && columns.iter().all(is_key)).then_some(columns)
}
