//! Aggregates without groups over rows of one relation, each over others of them, computed in one scan.
//!
//! ```text
//!   (SELECT COUNT(*) FROM t WHERE p AND q < 9)          SELECT COUNT(CASE WHEN q < 9 THEN 1 END), AVG(CASE WHEN q = 10 THEN v END)
//!   (SELECT AVG(v) FROM t WHERE p AND q = 10)    ──▶      FROM t WHERE p AND (q < 9 OR q = 10)
//! ```
//! What always holds: no aggregate counts NULLs, so what is no row of one total is nothing to it. The argument of an aggregate is
//! computed for the rows of its total alone.
//!
//! It does not know whether an index leads to the rows of one of them.

use std::ptr;

use millpond_builtin::{NOTE_NULL, eval};
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction as Function, JoinHint, Rel, RelJoin};
use millpond_types::{SqlType, Value};

use crate::outer::reads_beyond;
use crate::repeated::Class;
use crate::terms::{all, balanced, can_fail, columns, conjuncts, expressions, factored, is_volatile, substitute};

/// Decimals of more digits may overflow their sum before a table is at its end.
const DIGITS_OF_SAFE_SUMS: u8 = 28;

/// One row of aggregates over those rows of tables that fulfil some conditions.
#[derive(Clone, Debug)]
pub struct Total {
    /// A table, or inner joins of tables.
    pub base: Rel,
    /// Over the base.
    pub conditions: Vec<BoundExpr>,
    aggregates: Vec<Aggregate>,
    /// Over the aggregates.
    outputs: Vec<BoundExpr>,
}

/// Some totals as one relation of one row.
#[derive(Debug)]
pub struct Together {
    /// Its columns are those of the totals, one after the other; after all of these, where they are `noted` each,
    /// how many NULLs its aggregates left out.
    pub rel: Rel,
    /// For each total the column that counts these NULLs; none where there cannot be any.
    pub nulls: Vec<Option<usize>>,
}

/// Queries of one value that one scan computes.
#[derive(Debug)]
pub struct Family {
    /// Each once.
    pub members: Vec<Member>,
    /// Their values in this order.
    pub together: Together,
}

/// A query of a family.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The class of the query in normal form.
    pub class: Class,
    /// The type of its value.
    pub result: SqlType,
}

impl Total {
    /// The relation as a total; none when it is another one, or reads an enclosing query.
    #[must_use]
    pub fn of(rel: &Rel) -> Option<Total> {
        // Most relations are none, and types take time to tell.
        if !matches!(rel, Rel::Project { .. } | Rel::Aggregate { .. }) {
            return None;
        }
        let mut outputs = columns_of(&rel.types());
        let mut below = rel;
        while let Rel::Project { input, exprs } = below {
            if exprs.iter().any(|expr| !is_plain(expr)) {
                return None;
            }
            outputs = outputs.into_iter().map(|output| substitute(output, exprs)).collect();
            below = input;
        }
        let Rel::Aggregate { input, groups, aggregates } = below else { return None };
        let is_simple = |aggregate: &Aggregate| {
            !aggregate.distinct && aggregate.joining.is_none() && aggregate.arg.iter().all(is_plain)
        };
        if !groups.is_empty() || aggregates.is_empty() || !aggregates.iter().all(is_simple) {
            return None;
        }
        let mut conditions = Vec::new();
        let mut base = &**input;
        while let Rel::Filter { input, predicate } = base {
            // The inner predicate comes first: an outer one may rely on it.
            conditions.splice(0..0, factored(conjuncts(predicate.clone())));
            base = input;
        }
        if !conditions.iter().all(is_plain) || tables(base).is_none() || reads_beyond(rel, 1) {
            return None;
        }
        Some(Total { base: base.clone(), conditions, aggregates: aggregates.clone(), outputs })
    }

    /// Whether it may be computed where nobody asks for it: it does not end in an error.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        let args = self.aggregates.iter().filter_map(|aggregate| aggregate.arg.as_ref()).map(without_note);
        !self.conditions.iter().chain(args).chain(&self.outputs).any(can_fail) && self.aggregates.iter().all(is_safe)
    }
}

/// The totals, all over the same base, as one relation; none when they are better computed one by one. Where they are `noted` each,
/// their aggregates note no NULLs themselves.
#[must_use]
pub fn together(totals: &[&Total], noted: bool) -> Option<Together> {
    let (first, others) = totals.split_first()?;
    let has = |total: &Total, wanted: &BoundExpr| total.conditions.iter().any(|own| own.same_as(wanted));
    let is_common = |condition: &BoundExpr| totals.iter().all(|total| has(total, condition));
    let mut conditions: Vec<BoundExpr> =
        first.conditions.iter().filter(|condition| is_common(condition)).cloned().collect();
    let rest = |total: &&Total| total.conditions.iter().filter(|own| !is_common(own)).cloned().collect();
    let rests: Vec<Vec<BoundExpr>> = totals.iter().map(rest).collect();
    if others.is_empty() || !speak_of_one_table(&first.base, &rests) {
        return None;
    }
    let rests: Vec<Option<BoundExpr>> = rests.into_iter().map(all).collect();
    // A total of all rows wants all of them.
    if let Some(rests) = rests.iter().cloned().collect::<Option<Vec<BoundExpr>>>() {
        let either = |left, right| BoundExpr::predicate(Kind::Or(Box::new(left), Box::new(right)));
        conditions.extend(balanced(rests, either));
    }
    let mut aggregates = Aggregates(Vec::new());
    let (mut outputs, mut counts, mut nulls) = (Vec::new(), Vec::new(), Vec::new());
    for (total, rest) in totals.iter().zip(&rests) {
        let one = |aggregate: &Aggregate| aggregates.add(of_rows(aggregate, rest.as_ref(), noted));
        let own: Vec<BoundExpr> = total.aggregates.iter().map(one).collect();
        outputs.extend(total.outputs.iter().map(|output| substitute(output.clone(), &own)));
        let left_out = if noted { null_args(&total.aggregates) } else { None };
        nulls.push(left_out.map(|is_null| {
            counts.push(aggregates.add(count_of(rest.clone().into_iter().chain([is_null]).collect())));
            counts.len() - 1
        }));
    }
    let width = outputs.len();
    let nulls = nulls.into_iter().map(|count| count.map(|place| width + place)).collect();
    outputs.extend(counts);
    let base = first.base.clone();
    let input = Box::new(match all(conditions) {
        Some(predicate) => Rel::Filter { input: Box::new(base), predicate },
        None => base,
    });
    let input = Box::new(Rel::Aggregate { input, groups: Vec::new(), aggregates: aggregates.0 });
    Some(Together { rel: Rel::Project { input, exprs: outputs }, nulls })
}

/// Says whether a relation is a total that may share a scan, and the class of its base.
pub type Shareable<'a> = &'a dyn Fn(&Rel) -> Option<(Total, Class)>;

/// The relation, not yet in normal form, with the totals that it joins as they are in one, where they are shareable and over bases of one
/// class.
#[must_use]
pub fn cross_joined(mut rel: Rel, shareable: Shareable<'_>) -> Rel {
    if is_cross_join(&rel)
        && let Some(made) = inputs_together(&rel, shareable)
    {
        rel = made;
    }
    for part in rel.relations_mut() {
        *part = cross_joined(std::mem::replace(part, Rel::one_row()), shareable);
    }
    rel
}

fn is_cross_join(rel: &Rel) -> bool {
    matches!(rel, Rel::Join { kind: RelJoin::Inner, hint, on: None, .. } if *hint == JoinHint::default())
}

/// The inputs of cross joins, in order.
fn inputs_of<'r>(rel: &'r Rel, found: &mut Vec<&'r Rel>) {
    match rel {
        Rel::Join { left, right, .. } if is_cross_join(rel) => {
            inputs_of(left, found);
            inputs_of(right, found);
        }
        rel => found.push(rel),
    }
}

fn inputs_together(rel: &Rel, shareable: Shareable<'_>) -> Option<Rel> {
    let mut inputs = Vec::new();
    inputs_of(rel, &mut inputs);
    let totals: Vec<Option<(Total, Class)>> = inputs.iter().map(|input| shareable(input)).collect();
    let class = |input: usize| totals[input].as_ref().map(|(_, class)| *class);
    // For each input that is together with others: the number of these.
    let mut together_as: Vec<Option<usize>> = vec![None; inputs.len()];
    let mut made: Vec<Rel> = Vec::new();
    for first in 0..inputs.len() {
        if together_as[first].is_some() || class(first).is_none() {
            continue;
        }
        let members: Vec<usize> = (first..inputs.len()).filter(|&other| class(other) == class(first)).collect();
        let all: Vec<&Total> = members.iter().filter_map(|&member| Some(&totals[member].as_ref()?.0)).collect();
        if let Some(Together { rel, .. }) = together(&all, false) {
            members.into_iter().for_each(|member| together_as[member] = Some(made.len()));
            made.push(rel);
        }
    }
    if made.is_empty() {
        return None;
    }
    let (mut parts, mut width, mut exprs): (Vec<Rel>, usize, Vec<BoundExpr>) = (Vec::new(), 0, Vec::new());
    let mut next_of: Vec<Option<usize>> = vec![None; made.len()];
    for (input, number) in inputs.into_iter().zip(together_as) {
        let first = match number {
            None => {
                parts.push(input.clone());
                width
            }
            Some(number) => *next_of[number].get_or_insert_with(|| {
                parts.push(made[number].clone());
                width
            }),
        };
        let types = input.types();
        exprs.extend(types.iter().enumerate().map(|(place, ty)| BoundExpr::column(first + place, *ty)));
        if let Some(number) = number {
            next_of[number] = Some(first + types.len());
        }
        width = parts.iter().map(Rel::width).sum();
    }
    let cross = |left, right| Rel::Join {
        kind: RelJoin::Inner,
        hint: JoinHint::default(),
        left: Box::new(left),
        right: Box::new(right),
        on: None,
    };
    let input = Box::new(parts.into_iter().reduce(cross)?);
    Some(Rel::Project { input, exprs })
}

/// The queries of one value in the expressions of a relation that are together over one base, as `shareable` says; `class` is that of a
/// query.
pub fn queries_together(rel: &Rel, shareable: Shareable<'_>, class: &dyn Fn(&Rel) -> Option<Class>) -> Vec<Family> {
    let mut found: Vec<(Class, Vec<Member>, Vec<Total>)> = Vec::new();
    each_query(rel, &mut |query, result| {
        // The class is that of the normal form, which is made for totals alone.
        let Some((total, base)) = shareable(query) else { return };
        let Some(class) = class(query) else { return };
        if found.iter().flat_map(|(_, members, _)| members).any(|known| known.class == class) {
            return;
        }
        let place = found.iter().position(|(other, ..)| *other == base).unwrap_or_else(|| {
            found.push((base, Vec::new(), Vec::new()));
            found.len() - 1
        });
        found[place].1.push(Member { class, result });
        found[place].2.push(total);
    });
    let family = |(_, members, totals): (Class, Vec<Member>, Vec<Total>)| {
        let together = together(&totals.iter().collect::<Vec<&Total>>(), true)?;
        Some(Family { members, together })
    };
    found.into_iter().filter_map(family).collect()
}

/// Calls `found` with each query of one value in the expressions of a relation that reads no outer row, and its type.
fn each_query(rel: &Rel, found: &mut dyn FnMut(&Rel, SqlType)) {
    for expr in expressions(rel) {
        expr.visit(&mut |node| match &node.kind {
            Kind::ScalarQuery(query) if !reads_beyond(query, 1) => found(query, node.ty.sql),
            _ => {}
        });
    }
    rel.inputs().into_iter().for_each(|input| each_query(input, found));
}

/// The tables of inner joins with the first column of each; none of other relations.
#[must_use]
pub fn tables(base: &Rel) -> Option<Vec<(usize, &Rel)>> {
    fn add<'r>(rel: &'r Rel, first: usize, found: &mut Vec<(usize, &'r Rel)>) -> bool {
        match rel {
            Rel::Table { with_rid: false, forced, .. } if forced.is_open() => {
                found.push((first, rel));
                true
            }
            Rel::Join { kind: RelJoin::Inner, hint, left, right, on } if *hint == JoinHint::default() => {
                on.iter().all(is_plain) && add(left, first, found) && add(right, first + left.width(), found)
            }
            _ => false,
        }
    }
    let mut found = Vec::new();
    add(base, 0, &mut found).then_some(found)
}

/// Whether what totals do not have in common are conditions of one table: those of several would make a join of each row of one with
/// many of another.
fn speak_of_one_table(base: &Rel, rests: &[Vec<BoundExpr>]) -> bool {
    let Some(tables) = tables(base) else { return false };
    let table_of = |column: usize| tables.iter().rposition(|(first, _)| *first <= column);
    let mut spoken = rests.iter().flatten().flat_map(columns).map(table_of);
    let first = spoken.next();
    first.is_none_or(|first| spoken.all(|table| table == first))
}

/// Aggregates, each once.
struct Aggregates(Vec<Aggregate>);

impl Aggregates {
    /// The column of an aggregate.
    fn add(&mut self, wanted: Aggregate) -> BoundExpr {
        let is_same = |known: &Aggregate| {
            let args = match (&known.arg, &wanted.arg) {
                (Some(known), Some(wanted)) => known.same_as(wanted),
                (known, wanted) => known.is_none() && wanted.is_none(),
            };
            args && known.function == wanted.function && known.ty == wanted.ty
        };
        let place = self.0.iter().position(is_same);
        let ty = wanted.ty;
        BoundExpr::column(
            place.unwrap_or_else(|| {
                self.0.push(wanted);
                self.0.len() - 1
            }),
            ty,
        )
    }
}

/// The aggregate over the rows alone that fulfil a condition.
fn of_rows(aggregate: &Aggregate, condition: Option<&BoundExpr>, noted: bool) -> Aggregate {
    let arg = aggregate.arg.as_ref().map(|arg| if noted { without_note(arg).clone() } else { arg.clone() });
    let arg = match condition {
        Some(condition) => Some(only(condition.clone(), arg.unwrap_or_else(one))),
        None => arg,
    };
    Aggregate { arg, ..aggregate.clone() }
}

/// How many rows fulfil all of the conditions.
fn count_of(conditions: Vec<BoundExpr>) -> Aggregate {
    Aggregate {
        function: Function::CountBig,
        arg: all(conditions).map(|condition| only(condition, one())),
        distinct: false,
        ty: ExprType::plain(SqlType::BigInt, false),
        joining: None,
    }
}

/// Whether a row has a NULL that an aggregate notes; none where none does.
fn null_args(aggregates: &[Aggregate]) -> Option<BoundExpr> {
    let noted = aggregates.iter().filter_map(|aggregate| aggregate.arg.as_ref()).filter(|arg| is_note(arg));
    let is_null = |arg: &BoundExpr| BoundExpr::predicate(Kind::IsNull(Box::new(without_note(arg).clone())));
    balanced(noted.map(is_null).collect(), |left, right| {
        BoundExpr::predicate(Kind::Or(Box::new(left), Box::new(right)))
    })
}

fn only(condition: BoundExpr, value: BoundExpr) -> BoundExpr {
    let ty = ExprType { nullable: true, ..value.ty };
    BoundExpr { kind: Kind::Case { branches: vec![(condition, value)], otherwise: None }, ty }
}

fn one() -> BoundExpr {
    BoundExpr::literal(Value::Int(1), SqlType::Int)
}

fn is_note(arg: &BoundExpr) -> bool {
    matches!(&arg.kind, Kind::Function(def, _) if ptr::eq(*def, &raw const NOTE_NULL))
}

fn without_note(arg: &BoundExpr) -> &BoundExpr {
    match &arg.kind {
        Kind::Function(_, args) if is_note(arg) => &args[0],
        _ => arg,
    }
}

/// Whether an aggregate over any rows has a value.
fn is_safe(aggregate: &Aggregate) -> bool {
    let Some(arg) = &aggregate.arg else { return true };
    let is_small = match arg.ty.sql {
        SqlType::Decimal { precision, .. } => precision <= DIGITS_OF_SAFE_SUMS,
        _ => false,
    };
    let is_whole = matches!(arg.ty.sql, SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt);
    match aggregate.function {
        Function::Count | Function::CountBig | Function::Min | Function::Max => true,
        Function::Sum => is_small,
        Function::Avg => is_small || is_whole,
        _ => false,
    }
}

fn is_plain(expr: &BoundExpr) -> bool {
    let expr = without_note(expr);
    !eval::needs_plan(expr) && !is_volatile(expr)
}

fn columns_of(types: &[ExprType]) -> Vec<BoundExpr> {
    types.iter().enumerate().map(|(place, ty)| BoundExpr::column(place, *ty)).collect()
}
