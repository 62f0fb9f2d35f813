//! Aggregates over an inner query that equalities tie to the outer row: `(SELECT SUM(x) FROM t WHERE t.k = outer.k)`.
//! They are computed for all keys at once and joined, instead of once per outer row.
//!
//! An outer row without inner rows finds no group: its aggregates are NULL, its counts 0.
//!
//! What the query computes of its aggregates may read the outer row: `x > ALL (SELECT v …)` is a CASE over the greatest value and the
//! number of rows of its key. Where nothing but that ties it, all rows stand beside one row of aggregates.
//!
//! EXISTS and IN that are no conjunct, as under OR, are joined in the same way: they are true where there is a group, or, where they
//! ask for more than keys in common, where a mark join found a row.

use datafusion::common::JoinType;
use datafusion::logical_expr::Expr;
use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, JoinHint, Rel};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

use crate::lower::guard::Guard;
use crate::lower::hash_join::{JoinRows, is_equality};
use crate::lower::seek_join::Outer;
use crate::lower::single::{Single, is_run_for_each, is_table, single};
use crate::lower::tie::{self, Key, key, met};
use crate::lower::{hash_join, seek_join, size};
use crate::lowering::{Lowered, Lowering};

use millpond_rewrite::fails::{fails, query_fails};
use millpond_rewrite::terms::conjuncts;
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

/// What can be joined.
enum Found {
    /// By keys alone.
    Grouped(Grouped),
    /// The value of the one row that has these keys.
    Single(Single),
    /// A condition that is true where `base`, which reads no enclosing query, has a row that meets these over outer ++ base.
    Met { base: Rel, on: Vec<BoundExpr> },
}

/// What becomes of an expression that is not true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// It is as good as false: rows are dropped by it.
    Drops,
    /// It is another value than false.
    Differs,
}

/// Which rows come to the expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// All that there are: what an inner query computes of its rows is computed whether an outer row has their key or not.
    All,
    /// Those that other conditions left, which may be there so that it is not.
    Left,
}

/// Joins what can be joined of the correlated aggregates in `exprs`, which then read columns after the columns of `input`, whose rows
/// are about those `of` a relation.
pub(crate) fn scalar_joins(
    lowering: &Lowering<'_>,
    input: Lowered,
    of: &Rel,
    exprs: Vec<BoundExpr>,
    (unknown, asks): (Unknown, Asks),
) -> SqlResult<(Lowered, Vec<BoundExpr>)> {
    if !exprs.iter().any(eval::needs_plan) {
        return Ok((input, exprs));
    }
    let rows = size::estimate(lowering, of);
    let mut joins = Joins { lowering, input: Some(input), rows, guard: Guard::Always, unknown, failed: None, asks };
    let exprs = exprs.into_iter().map(|expr| expr.rewrite(&mut |node| joins.replace(node))).collect();
    match (joins.input, joins.failed) {
        (Some(input), None) => Ok((input, exprs)),
        (_, failed) => Err(failed.unwrap_or_else(|| crate::run::failure::internal("a join lost its input"))),
    }
}

/// So many columns joins of one part of a condition may add before they become one.
const COLUMNS_CARRIED_MAX: usize = 24;

struct Joins<'a, 'l> {
    lowering: &'a Lowering<'l>,
    input: Option<Lowered>,
    /// About so many the input has.
    rows: Option<f64>,
    guard: Guard,
    /// Of what is at hand.
    unknown: Unknown,
    asks: Asks,
    failed: Option<SqlError>,
}

impl Joins<'_, '_> {
    fn within(&mut self, expr: BoundExpr) -> BoundExpr {
        expr.rewrite(&mut |node| self.replace(node))
    }

    fn guarded(&mut self, expr: BoundExpr, guard: Guard) -> BoundExpr {
        let before = std::mem::replace(&mut self.guard, guard);
        let expr = self.within(expr);
        self.guard = before;
        expr
    }

    fn replace(&mut self, node: BoundExpr) -> Result<BoundExpr, BoundExpr> {
        let Some(width) = self.input.as_ref().map(|input| input.columns.len()) else { return Ok(node) };
        let is_dropping = self.unknown == Unknown::Drops;
        if let Kind::Not(operand) = &node.kind
            && is_dropping
            && let Some(found) = met_or_unknown(operand, width)
        {
            let is_missing = |mark| BoundExpr::predicate(Kind::Not(Box::new(mark)));
            return Ok(self.joined(found, width).map_or(node, is_missing));
        }
        let is_junction = matches!(node.kind, Kind::And(..) | Kind::Or(..));
        let is_query = matches!(node.kind, Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..));
        if !is_junction && !is_query && is_dropping {
            self.unknown = Unknown::Differs;
            let node = self.within(node);
            self.unknown = Unknown::Drops;
            return Ok(node);
        }
        let found = match &node.kind {
            // What comes first is computed for each row, the rest for those that it leaves open.
            Kind::And(..) | Kind::Or(..) | Kind::Case { .. } => return Ok(self.replace_first(node)),
            Kind::ScalarQuery(rel) => {
                let grouped = grouped(rel, width).map(Found::Grouped);
                grouped.or_else(|| single(rel, width).map(Found::Single))
            }
            Kind::Exists(_) | Kind::InQuery(..) => marked(&node, width, self.unknown),
            _ => return Err(node),
        };
        Ok(found.and_then(|found| self.joined(found, width)).unwrap_or(node))
    }

    /// Joins what was found, unless it is better run for each row, and gives its value.
    fn joined(&mut self, found: Found, width: usize) -> Option<BoundExpr> {
        if !self.may_join(&found, width) {
            return None;
        }
        let found = self.asked(found, width)?;
        let input = self.input.take()?;
        let joined = match found {
            Found::Grouped(grouped) => self.join(input, grouped),
            Found::Single(single) => self.join_single(input, single),
            Found::Met { base, on } => self.join_met(input, base, on),
        };
        match joined {
            Ok((joined, value)) => {
                self.input = Some(joined);
                Some(value)
            }
            Err(error) => {
                self.failed.get_or_insert(error);
                None
            }
        }
    }

    fn replace_first(&mut self, node: BoundExpr) -> BoundExpr {
        let before = self.input.as_ref().map_or(0, |input| input.columns.len());
        let mut both = |left: BoundExpr, right: BoundExpr, settles: bool| {
            let left = self.within(left);
            let left = self.settled(left, before);
            if !eval::needs_plan(&right) {
                return (Box::new(left), Box::new(right));
            }
            let guard = self.guard.after(&left, settles);
            (Box::new(left), Box::new(self.guarded(right, guard)))
        };
        let kind = match node.kind {
            Kind::And(left, right) => {
                let (left, right) = both(*left, *right, false);
                Kind::And(left, right)
            }
            Kind::Or(left, right) => {
                let (left, right) = both(*left, *right, true);
                Kind::Or(left, right)
            }
            Kind::Case { branches, otherwise } => {
                let mut first = true;
                let one = |(condition, value)| {
                    let condition = if std::mem::take(&mut first) {
                        self.within(condition)
                    } else {
                        self.guarded(condition, Guard::Sometimes)
                    };
                    (condition, self.guarded(value, Guard::Sometimes))
                };
                let branches = branches.into_iter().map(one).collect();
                Kind::Case {
                    branches,
                    otherwise: otherwise.map(|value| Box::new(self.guarded(*value, Guard::Sometimes))),
                }
            }
            kind => kind,
        };
        BoundExpr { kind, ty: node.ty }
    }

    /// A part of a condition whose joins have added many columns after the first so many, as one column instead of these: none but
    /// this part reads them. So a join in a long disjunction does not carry the columns of all before it.
    fn settled(&mut self, part: BoundExpr, before: usize) -> BoundExpr {
        let is_long = self.input.as_ref().is_some_and(|input| input.columns.len() > before + COLUMNS_CARRIED_MAX);
        if !is_long || eval::needs_plan(&part) || terms::can_fail(&part) || terms::is_volatile(&part) {
            return part;
        }
        let Some(input) = self.input.take() else { return part };
        match self.with_column(input, before, &part) {
            Ok(input) => {
                self.input = Some(input);
                BoundExpr::column(before, part.ty)
            }
            Err(error) => {
                self.failed.get_or_insert(error);
                part
            }
        }
    }

    /// The first so many columns of the rows, and an expression over all of them.
    fn with_column(&self, input: Lowered, count: usize, expr: &BoundExpr) -> SqlResult<Lowered> {
        let value = self.lowering.expr(expr, &input.columns)?;
        let columns = input.columns.into_iter().take(count).map(Expr::Column);
        self.lowering.projected(input.plan, columns.chain([value]).collect())
    }

    fn may_join(&self, found: &Found, width: usize) -> bool {
        let over_both = |keys: &[Key]| keys.iter().map(|key| key.over_both(width)).collect::<Vec<BoundExpr>>();
        let (base, run_rows, on) = match found {
            Found::Grouped(Grouped { base, keys, output, .. }) => {
                let run_rows = if output.is_some() { seek_join::AGGREGATE_ROWS } else { seek_join::CONDITION_ROWS };
                (base, run_rows, over_both(keys))
            }
            Found::Single(Single { base, keys, .. }) => (base, seek_join::AGGREGATE_ROWS, over_both(keys)),
            Found::Met { base, on } => (base, seek_join::CONDITION_ROWS, on.clone()),
        };
        if on.is_empty() {
            // One row beside all is a loop, which hints may refuse.
            return self.lowering.options.joins.loops;
        }
        if self.is_sought(base, run_rows, &on, width) {
            return false;
        }
        if is_table(base) {
            return true;
        }
        // Of groups, too, few may be wanted, to whose rows an index leads.
        let few = Outer { width, rows: self.rows, run_rows, methods: self.lowering.options.joins, may_hash: false };
        let are_keys = on.iter().all(|part| key(part.clone(), width).is_some());
        !are_keys || !is_run_for_each(self.lowering, few, base, &on)
    }

    /// What is found as it may be joined for all rows, though some alone ask for it: what may fail of the outer row is computed for those
    /// rows, and a key of others is NULL, which meets none. None where it is not known which rows ask, and where the inner side may
    /// fail, which is computed for its own rows, wherever it is asked.
    fn asked(&self, found: Found, width: usize) -> Option<Found> {
        let guard = &self.guard;
        if matches!(guard, Guard::Always) && self.asks == Asks::All {
            return Some(found);
        }
        let key = |key: Key| Some(Key { outer: guard.value(key.outer)?, ..key });
        let keys = |keys: Vec<Key>| keys.into_iter().map(key).collect::<Option<Vec<Key>>>();
        let inner_fails = |base: &Rel, keys: &[Key]| query_fails(base) || keys.iter().any(|key| fails(&key.inner));
        Some(match found {
            Found::Grouped(grouped) => {
                let fails = grouped.aggregates.iter().flat_map(Aggregate::exprs).any(fails);
                if fails || inner_fails(&grouped.base, &grouped.keys) {
                    return None;
                }
                Found::Grouped(Grouped { keys: keys(grouped.keys)?, ..grouped })
            }
            Found::Single(single) => {
                if inner_fails(&single.base, &single.keys) {
                    return None;
                }
                Found::Single(Single { keys: keys(single.keys)?, ..single })
            }
            Found::Met { base, on } => {
                if query_fails(&base) {
                    return None;
                }
                let on = on.into_iter().map(|part| guard.condition(part, width)).collect::<Option<Vec<BoundExpr>>>()?;
                Found::Met { base, on }
            }
        })
    }

    /// Whether an index leads from each of few outer rows to its inner ones, so that the query is better run for each.
    fn is_sought(&self, base: &Rel, run_rows: f64, on: &[BoundExpr], width: usize) -> bool {
        let few = Outer { width, rows: self.rows, run_rows, methods: self.lowering.options.joins, may_hash: false };
        seek_join::sought(self.lowering, few, base, on, &|column| column.checked_sub(width)).is_some()
    }

    /// About so many rows the sides of a join with a relation have, each row of the input coming once.
    fn sizes(&self, right: &Rel) -> JoinRows {
        JoinRows { left: self.rows, right: size::estimate(self.lowering, right), joined: self.rows }
    }

    /// The rows, each beside the row of a relation that has its keys, or NULLs: that begins with the inner sides of these.
    fn left_join(&self, input: Lowered, keys: Vec<Key>, right: Rel) -> SqlResult<Lowered> {
        let (width, keyless) = (input.columns.len(), keys.is_empty());
        let on = keys.into_iter().enumerate().map(|(index, key)| {
            let inner = BoundExpr::column(width + index, key.inner.ty);
            terms::equal(key.outer, inner, key.collation)
        });
        let on: Vec<BoundExpr> = on.collect();
        let right = normal::normalise(right);
        let sizes = self.sizes(&right);
        let right = self.lowering.rel(&right)?;
        if keyless {
            // One row, which is the side that is kept.
            let (sizes, kind) = (JoinRows { left: sizes.right, right: sizes.left, ..sizes }, JoinType::Inner);
            let ones = right.columns.len();
            let Lowered { plan, mut columns } =
                hash_join::joined(self.lowering, (kind, JoinHint::default()), right, input, on, sizes)?;
            columns.rotate_left(ones);
            return Ok(Lowered { plan, columns });
        }
        let kind = (JoinType::Left, JoinHint::default());
        hash_join::joined(self.lowering, kind, input, right, on, sizes)
    }

    /// The rows with the value of the one row that has the keys of each, or NULL.
    fn join_single(&self, input: Lowered, single: Single) -> SqlResult<(Lowered, BoundExpr)> {
        let Single { base, keys, output } = single;
        let value = BoundExpr::column(input.columns.len() + keys.len(), ExprType { nullable: true, ..output.ty });
        let exprs = keys.iter().map(|key| key.inner.clone()).chain([output]).collect();
        Ok((self.left_join(input, keys, Rel::Project { input: Box::new(base), exprs })?, value))
    }

    /// The rows with a mark: whether the relation has a row that meets the conditions.
    fn join_met(&self, input: Lowered, base: Rel, on: Vec<BoundExpr>) -> SqlResult<(Lowered, BoundExpr)> {
        let width = input.columns.len();
        let base = normal::normalise(base);
        let sizes = self.sizes(&base);
        let Lowered { plan, columns } = self.lowering.rel(&base)?;
        // The mark has the qualifier of the first column beside it, which may be pruned: none has one.
        let right = self.lowering.projected(plan, columns.into_iter().map(Expr::Column).collect())?;
        let kind = (JoinType::LeftMark, JoinHint::default());
        let joined = hash_join::joined(self.lowering, kind, input, right, on, sizes)?;
        Ok((joined, BoundExpr::predicate(Kind::Column(width))))
    }

    fn join(&self, input: Lowered, grouped: Grouped) -> SqlResult<(Lowered, BoundExpr)> {
        let width = input.columns.len();
        let Grouped { base, aggregates, keys, output } = grouped;
        let counts: Vec<bool> = aggregates.iter().map(is_count).collect();
        let groups: Vec<BoundExpr> = keys.iter().map(|key| key.inner.clone()).collect();
        let after = width + groups.len();
        let has_group = groups.first().map(|group| BoundExpr::column(width, ExprType { nullable: true, ..group.ty }));
        let right = match output {
            Some(_) => Rel::Aggregate { input: Box::new(base), groups, aggregates },
            None => Rel::Distinct(Box::new(Rel::Project { input: Box::new(base), exprs: groups })),
        };
        let joined = self.left_join(input, keys, right)?;
        let Some(output) = output else {
            let has_group = has_group.ok_or_else(|| crate::run::failure::internal("a condition without keys"))?;
            let is_missing = BoundExpr::predicate(Kind::IsNull(Box::new(has_group)));
            return Ok((joined, BoundExpr::predicate(Kind::Not(Box::new(is_missing)))));
        };
        let value = output.rewrite(&mut |node| match node.kind {
            Kind::Outer { level: 1, column } => Ok(BoundExpr::column(column, node.ty)),
            Kind::Column(index) => {
                let column = BoundExpr::column(after + index, node.ty);
                Ok(if counts[index] { or_zero(column) } else { column })
            }
            _ => Err(node),
        });
        Ok((joined, value))
    }
}

pub(crate) fn is_count(aggregate: &Aggregate) -> bool {
    matches!(aggregate.function, AggregateFunction::Count | AggregateFunction::CountBig)
}

/// A count, which is NULL only where no group was found.
pub(crate) fn or_zero(count: BoundExpr) -> BoundExpr {
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
    let mut args = aggregates.iter().flat_map(Aggregate::exprs);
    if !groups.is_empty() || eval::needs_plan(&output) || args.any(|expr| eval::needs_plan(expr) || reads_outer(expr)) {
        return None;
    }
    // What is new at each evaluation (NEWID) is so for each row that the query is asked for.
    if terms::is_volatile(&output) && reads_outer(&output) {
        return None;
    }
    let (base, keys) = keyed(input, width)?;
    Some(Grouped { base, aggregates: aggregates.clone(), keys, output: Some(output) })
}

/// A correlated EXISTS or IN as what rows have in common with the outer one; none without an equality, or where it may be unknown
/// and that makes a difference.
fn marked(condition: &BoundExpr, width: usize, unknown: Unknown) -> Option<Found> {
    let rel = match &condition.kind {
        Kind::Exists(rel) => rel,
        Kind::InQuery(operand, rel, _) => {
            let is_known = !operand.ty.nullable && !rel.types().first()?.nullable;
            if !is_known && unknown == Unknown::Differs {
                return None;
            }
            rel
        }
        _ => return None,
    };
    // Without reference to the outer row it is run once.
    if !outer::reads_beyond(rel, 1) {
        return None;
    }
    let (base, on) = met(condition, width, false)?;
    let keys = on.iter().map(|conjunct| key(conjunct.clone(), width)).collect::<Option<Vec<Key>>>();
    match keys {
        Some(keys) => Some(Found::Grouped(Grouped { base, aggregates: Vec::new(), keys, output: None })),
        None if on.iter().any(|conjunct| is_equality(conjunct, width)) => Some(Found::Met { base, on }),
        None => None,
    }
}

/// A correlated IN as what makes it true or unknown: where no row is met, NOT IN is true.
fn met_or_unknown(condition: &BoundExpr, width: usize) -> Option<Found> {
    let Kind::InQuery(_, rel, _) = &condition.kind else { return None };
    let (base, on) = outer::reads_beyond(rel, 1).then(|| met(condition, width, true))??;
    on.iter().any(|conjunct| is_equality(conjunct, width)).then_some(Found::Met { base, on })
}

/// A relation without its filters that read the outer row, which are its keys; none of a relation that reads no outer row.
fn keyed(rel: &Rel, width: usize) -> Option<(Rel, Vec<Key>)> {
    by_topmost_filters(rel, width).or_else(|| tie::pulled(rel))
}

fn by_topmost_filters(rel: &Rel, width: usize) -> Option<(Rel, Vec<Key>)> {
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
    if outer::reads_beyond(base, 1) {
        return None;
    }
    let base = match terms::all(local) {
        Some(predicate) => Rel::Filter { input: Box::new(base.clone()), predicate },
        None => base.clone(),
    };
    Some((base, keys))
}

pub(crate) fn reads_outer(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |node| found |= matches!(node.kind, Kind::Outer { .. }));
    found
}
