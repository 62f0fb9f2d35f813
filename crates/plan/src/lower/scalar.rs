//! Aggregates over an inner query that equalities tie to the outer row: `(SELECT SUM(x) FROM t WHERE t.k = outer.k)`.
//! They are computed for all keys at once and joined, instead of once per outer row.
//!
//! An outer row without inner rows finds no group: its aggregates are NULL, its counts 0.
//!
//! EXISTS and IN that are no conjunct, as under OR, are joined in the same way: they are true where there is a group.

use datafusion::common::JoinType;
use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, JoinHint, Rel};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value};

use crate::lower::hash_join::JoinRows;
use crate::lower::seek_join::Outer;
use crate::lower::{hash_join, seek_join, size};
use crate::lowering::{Lowered, Lowering};

use millpond_rewrite::terms::{Side, conjuncts};
use millpond_rewrite::{normal, outer, terms};

/// An aggregate, or a condition, that can be joined.
struct Grouped {
    /// Reads no enclosing query.
    base: Rel,
    aggregates: Vec<Aggregate>,
    keys: Vec<Key>,
    /// The query's column over the aggregates; none of a condition, which is true where there is a group.
    output: Option<BoundExpr>,
}

/// `outer = inner`
pub(crate) struct Key {
    /// Over the outer row.
    pub(crate) outer: BoundExpr,
    /// Over the base.
    pub(crate) inner: BoundExpr,
    pub(crate) collation: Collation,
}

/// Joins what can be joined of the correlated aggregates in `exprs`, which then read columns after the columns of `input`, whose rows
/// are about those `of` a relation.
pub(crate) fn scalar_joins(
    lowering: &Lowering<'_>,
    input: Lowered,
    of: &Rel,
    exprs: Vec<BoundExpr>,
) -> SqlResult<(Lowered, Vec<BoundExpr>)> {
    if !exprs.iter().any(eval::needs_plan) {
        return Ok((input, exprs));
    }
    let rows = size::estimate(lowering, of);
    let mut joins = Joins { lowering, input: Some(input), rows, is_guarded: false, failed: None };
    let exprs = exprs.into_iter().map(|expr| expr.rewrite(&mut |node| joins.replace(node))).collect();
    match (joins.input, joins.failed) {
        (Some(input), None) => Ok((input, exprs)),
        (_, failed) => Err(failed.unwrap_or_else(|| crate::run::failure::internal("a join lost its input"))),
    }
}

struct Joins<'a, 'l> {
    lowering: &'a Lowering<'l>,
    input: Option<Lowered>,
    /// About so many the input has.
    rows: Option<f64>,
    /// What is at hand is not computed for each row.
    is_guarded: bool,
    failed: Option<SqlError>,
}

impl Joins<'_, '_> {
    fn within(&mut self, expr: BoundExpr) -> BoundExpr {
        expr.rewrite(&mut |node| self.replace(node))
    }

    fn guarded(&mut self, expr: BoundExpr) -> BoundExpr {
        let before = std::mem::replace(&mut self.is_guarded, true);
        let expr = self.within(expr);
        self.is_guarded = before;
        expr
    }

    fn replace(&mut self, node: BoundExpr) -> Result<BoundExpr, BoundExpr> {
        let Some(width) = self.input.as_ref().map(|input| input.columns.len()) else { return Ok(node) };
        let grouped = match &node.kind {
            // What comes first is computed for each row, the rest for those that it leaves open.
            Kind::And(..) | Kind::Or(..) | Kind::Case { .. } => return Ok(self.replace_first(node)),
            Kind::ScalarQuery(rel) => grouped(rel, width),
            Kind::Exists(_) | Kind::InQuery(..) => marked(&node, width),
            _ => return Err(node),
        };
        let may_join = |grouped: &Grouped| {
            let can_fail = self.is_guarded && grouped.keys.iter().any(|key| terms::can_fail(&key.outer));
            !can_fail && !self.is_sought(grouped, width)
        };
        let Some(grouped) = grouped.filter(may_join) else { return Ok(node) };
        let Some(input) = self.input.take() else { return Ok(node) };
        match self.join(input, grouped) {
            Ok((joined, value)) => {
                self.input = Some(joined);
                Ok(value)
            }
            Err(error) => {
                self.failed.get_or_insert(error);
                Ok(node)
            }
        }
    }

    fn replace_first(&mut self, node: BoundExpr) -> BoundExpr {
        let kind = match node.kind {
            Kind::And(left, right) => Kind::And(Box::new(self.within(*left)), Box::new(self.guarded(*right))),
            Kind::Or(left, right) => Kind::Or(Box::new(self.within(*left)), Box::new(self.guarded(*right))),
            Kind::Case { branches, otherwise } => {
                let mut first = true;
                let one = |(condition, value)| {
                    let condition =
                        if std::mem::take(&mut first) { self.within(condition) } else { self.guarded(condition) };
                    (condition, self.guarded(value))
                };
                let branches = branches.into_iter().map(one).collect();
                Kind::Case { branches, otherwise: otherwise.map(|value| Box::new(self.guarded(*value))) }
            }
            kind => kind,
        };
        BoundExpr { kind, ty: node.ty }
    }

    /// Whether an index leads from each of few outer rows to its inner ones, so that the query is better run for each.
    fn is_sought(&self, grouped: &Grouped, width: usize) -> bool {
        let run_rows = if grouped.output.is_some() { seek_join::AGGREGATE_ROWS } else { seek_join::CONDITION_ROWS };
        let inner = |key: &Key| terms::moved(key.inner.clone(), &|column| width + column);
        let on: Vec<BoundExpr> =
            grouped.keys.iter().map(|key| terms::equal(key.outer.clone(), inner(key), key.collation)).collect();
        let few = Outer { width, rows: self.rows, run_rows, methods: self.lowering.options.joins, may_hash: false };
        seek_join::sought(self.lowering, few, &grouped.base, &on, &|column| column.checked_sub(width)).is_some()
    }

    fn join(&self, input: Lowered, grouped: Grouped) -> SqlResult<(Lowered, BoundExpr)> {
        let width = input.columns.len();
        let Grouped { base, aggregates, keys, output } = grouped;
        let counts: Vec<bool> = aggregates.iter().map(is_count).collect();
        let groups: Vec<BoundExpr> = keys.iter().map(|key| key.inner.clone()).collect();
        let on = keys
            .into_iter()
            .enumerate()
            .map(|(index, key)| {
                let inner = BoundExpr::column(width + index, key.inner.ty);
                terms::equal(key.outer, inner, key.collation)
            })
            .collect();
        let after = width + groups.len();
        let has_group = BoundExpr::column(width, ExprType { nullable: true, ..groups[0].ty });
        let right = match output {
            Some(_) => Rel::Aggregate { input: Box::new(base), groups, aggregates },
            None => Rel::Distinct(Box::new(Rel::Project { input: Box::new(base), exprs: groups })),
        };
        let right = normal::normalise(right);
        let sizes = JoinRows { left: self.rows, right: size::estimate(self.lowering, &right), joined: self.rows };
        let right = self.lowering.rel(&right)?;
        let kind = (JoinType::Left, JoinHint::default());
        let joined = hash_join::joined(self.lowering, kind, input, right, on, sizes)?;
        let Some(output) = output else {
            let is_missing = BoundExpr::predicate(Kind::IsNull(Box::new(has_group)));
            return Ok((joined, BoundExpr::predicate(Kind::Not(Box::new(is_missing)))));
        };
        let value = output.rewrite(&mut |node| match node.kind {
            Kind::Column(index) => {
                let column = BoundExpr::column(after + index, node.ty);
                Ok(if counts[index] { or_zero(column) } else { column })
            }
            _ => Err(node),
        });
        Ok((joined, value))
    }
}

fn is_count(aggregate: &Aggregate) -> bool {
    matches!(aggregate.function, AggregateFunction::Count | AggregateFunction::CountBig)
}

/// A count, which is NULL only where no group was found.
fn or_zero(count: BoundExpr) -> BoundExpr {
    let ty = count.ty;
    let zero = if ty.sql == SqlType::BigInt { Value::BigInt(0) } else { Value::Int(0) };
    let missing = BoundExpr::predicate(Kind::IsNull(Box::new(count.clone())));
    let branches = vec![(missing, BoundExpr::literal(zero, ty.sql))];
    BoundExpr { kind: Kind::Case { branches, otherwise: Some(Box::new(count)) }, ty }
}

/// The query as aggregates by key; none when it is something else, or reads no outer row.
fn grouped(rel: &Rel, width: usize) -> Option<Grouped> {
    if !outer::reads_beyond(rel, 1) || outer::reads_beyond(rel, 2) {
        return None;
    }
    let (rel, output) = match rel {
        Rel::Project { input, exprs } => (&**input, exprs.first()?.clone()),
        rel => (rel, BoundExpr::column(0, *rel.types().first()?)),
    };
    let Rel::Aggregate { input, groups, aggregates } = rel else { return None };
    let args = aggregates.iter().flat_map(Aggregate::exprs);
    if !groups.is_empty() || args.chain([&output]).any(|expr| eval::needs_plan(expr) || reads_outer(expr)) {
        return None;
    }
    let (base, keys) = keyed(input, width)?;
    Some(Grouped { base, aggregates: aggregates.clone(), keys, output: Some(output) })
}

/// A correlated EXISTS or IN as keys that rows have in common with the outer one; none when it asks for more, or may be unknown.
fn marked(condition: &BoundExpr, width: usize) -> Option<Grouped> {
    let rel = match &condition.kind {
        Kind::Exists(rel) => rel,
        Kind::InQuery(operand, rel, _) if !operand.ty.nullable && !rel.types().first()?.nullable => rel,
        _ => return None,
    };
    // Without reference to the outer row it is run once.
    if !outer::reads_beyond(rel, 1) {
        return None;
    }
    let (base, keys) = members(condition, width)?;
    Some(Grouped { base, aggregates: Vec::new(), keys, output: None })
}

/// The relation in which EXISTS or IN looks for a row, and the keys that this has in common with the outer one, of so many columns;
/// none when it asks for more than these.
pub(crate) fn members(condition: &BoundExpr, width: usize) -> Option<(Rel, Vec<Key>)> {
    let (rel, member) = match &condition.kind {
        Kind::Exists(rel) => (rel, None),
        Kind::InQuery(operand, rel, collation) => (rel, Some((&**operand, *collation))),
        _ => return None,
    };
    let outer::Joinable { base, mut on, output } = outer::joinable(rel, width)?;
    if let (Some((operand, collation)), Some(output)) = (member, output) {
        if eval::needs_plan(operand) {
            return None;
        }
        on.push(terms::equal(operand.clone(), output, collation));
    }
    if on.is_empty() || on.iter().any(terms::is_volatile) {
        return None;
    }
    let keys = on.into_iter().map(|conjunct| key(conjunct, width)).collect::<Option<Vec<Key>>>()?;
    Some((base, keys))
}

/// A relation without its topmost filters that read the outer row, which are its keys.
fn keyed(rel: &Rel, width: usize) -> Option<(Rel, Vec<Key>)> {
    let (mut keys, mut local) = (Vec::new(), Vec::new());
    let mut base = rel;
    while let Rel::Filter { input, predicate } = base {
        for conjunct in terms::factored(conjuncts(predicate.clone())) {
            if eval::needs_plan(&conjunct) {
                return None;
            }
            if reads_outer(&conjunct) {
                keys.push(key(outer::joined(conjunct, width), width)?);
            } else {
                local.push(conjunct);
            }
        }
        base = input;
    }
    if outer::reads_beyond(base, 1) || keys.is_empty() {
        return None;
    }
    let base = match terms::all(local) {
        Some(predicate) => Rel::Filter { input: Box::new(base.clone()), predicate },
        None => base.clone(),
    };
    Some((base, keys))
}

/// An equality between the outer row, of so many columns, and the inner one after it. Texts that are one key to the inner
/// column's groups are one to the comparison.
fn key(conjunct: BoundExpr, width: usize) -> Option<Key> {
    let Kind::Compare(CompareOp::Eq, a, b, collation) = conjunct.kind else { return None };
    let (outer, inner) = match (terms::side(&a, width), terms::side(&b, width)) {
        (Side::Left, Side::Right) => (*a, *b),
        (Side::Right, Side::Left) => (*b, *a),
        _ => return None,
    };
    let is_one = !inner.ty.sql.is_string() || inner.ty.collation == collation;
    is_one.then(|| Key { outer, inner: terms::shifted(inner, width), collation })
}

fn reads_outer(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |node| found |= matches!(node.kind, Kind::Outer { .. }));
    found
}
