//! Masked columns: what a statement gives out of them is behind their masks, for who has not UNMASK on them.
//!
//! ```text
//!   rows of tables ──masks of columns──▶ what each relation makes of them ──▶ result: CASE sees the column? value : masked value
//! ```
//! What always holds:
//! - M1: predicates, orders and groups see values as they are; masks are of results alone: rows for clients, rows of INSERT and
//!   SELECT INTO, values of variables, of OUTPUT and of columns that have no mask of their own.
//! - M2: a value that is computed of masked ones is behind `default()`, and is seen by who sees all of them.
//! - M3: who sees is asked when the statement runs, in the context that it has then: code is the same for all.
//! - M4: a statement over tables without masks is bound as if there were none.

use std::collections::BTreeSet;
use std::sync::Arc;

use millpond_builtin::mask::{MASKED, MASKED_BY_CHANCE, SEES_COLUMN};
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::mask::{Mask, MaskFunction};
use millpond_catalog::rel::{AggregateFunction, Rel};
use millpond_catalog::{ObjectId, TableDef, has_masks, mask_sources};
use millpond_storage::contract::DbId;
use millpond_types::{Collation, MaxLen, SqlType, Value};

use crate::binder::Binder;
use crate::binder::bound_query::BoundQuery;

/// The mask of computed values.
const DEFAULT: &str = "default()";

/// Numbers of the database, the object and the column.
type ColumnNumbers = (i32, i32, i32);

/// A column whose value is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Source {
    column: ColumnNumbers,
    /// The statement's table whose row the value is of; none for a value of several rows.
    table: Option<usize>,
}

/// What is behind a mask.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Masked {
    /// The columns that its value is of.
    sources: Vec<Source>,
    /// The text of the mask; `default()` of computed values.
    text: Arc<str>,
    by_chance: bool,
}

impl Masked {
    fn computed(parts: impl IntoIterator<Item = Masked>) -> Option<Masked> {
        let mut sources: Vec<Source> = parts.into_iter().flat_map(|part| part.sources).collect();
        sources.sort_unstable();
        sources.dedup();
        let text = Arc::from(DEFAULT);
        (!sources.is_empty()).then_some(Masked { sources, text, by_chance: false })
    }

    /// The same as a value of rows of that table, or of several rows.
    fn of_rows_of(mut self, table: Option<usize>) -> Masked {
        self.sources.iter_mut().for_each(|source| source.table = table);
        self
    }

    /// The columns, each once.
    fn columns(&self) -> BTreeSet<ColumnNumbers> {
        self.sources.iter().map(|source| source.column).collect()
    }

    /// As the definition of a column keeps it.
    fn kept(&self) -> Option<Mask> {
        let of =
            |(database, id, number): ColumnNumbers| (DbId(u16::try_from(database).unwrap_or(0)), ObjectId(id), number);
        // The text was read once before.
        Mask::read(&self.text, "").ok().map(|mask| Mask { of: self.columns().into_iter().map(of).collect(), ..mask })
    }

    /// A value, or its mask for who does not see it.
    fn hide(&self, expr: BoundExpr) -> BoundExpr {
        let ty = expr.ty;
        let number = |number: i32| BoundExpr::literal(Value::Int(number), SqlType::Int);
        let sees = |(database, id, column): ColumnNumbers| {
            let numbers = vec![number(database), number(id), number(column)];
            let one = number(1);
            let call = BoundExpr { kind: Kind::Function(&SEES_COLUMN, numbers), ty: one.ty };
            let kind = Kind::Compare(CompareOp::Eq, Box::new(call), Box::new(one), Collation::default());
            BoundExpr::predicate(kind)
        };
        let all = self.columns().into_iter().map(sees);
        let all = all.reduce(|a, b| BoundExpr::predicate(Kind::And(Box::new(a), Box::new(b))));
        let Some(all) = all else { return expr };
        let text = BoundExpr::literal(Value::str(&self.text), SqlType::NVarChar { len: MaxLen::Limited(4000) });
        let function = if self.by_chance { &MASKED_BY_CHANCE } else { &MASKED };
        let hidden = BoundExpr { kind: Kind::Function(function, vec![expr.clone(), text]), ty };
        let kind = Kind::Case { branches: vec![(all, expr)], otherwise: Some(Box::new(hidden)) };
        BoundExpr { kind, ty }
    }
}

type Masks = Vec<Option<Masked>>;

/// What the columns of a table hide. Temporary tables are their owner's, but what a trigger sees is another table's.
fn of_table(def: &TableDef) -> Masks {
    if !has_masks(def) {
        return vec![None; def.columns.len()];
    }
    let plain: Masks = def
        .columns
        .iter()
        .map(|column| {
            let mask = column.mask.as_ref()?;
            let of = mask_sources(def, column.id, mask);
            let sources: Vec<Source> = of
                .map(|(database, id, number)| Source { column: (i32::from(database.0), id.0, number), table: None })
                .collect();
            (!sources.is_empty()).then(|| Masked {
                sources,
                text: Arc::clone(&mask.text),
                by_chance: matches!(mask.function, MaskFunction::Random(..)),
            })
        })
        .collect();
    let computed = def.columns.iter().zip(&plain).map(|(column, mask)| {
        let of_others =
            || column.computed.as_ref().and_then(|computed| of_expr(&computed.expr, &plain, &mut Vec::new()));
        mask.clone().or_else(of_others)
    });
    computed.collect()
}

/// The masks of a table's columns, with those of what is computed of masked ones, for rows that are shown elsewhere.
#[must_use]
pub fn column_masks(def: &TableDef) -> Vec<Option<Mask>> {
    of_table(def).into_iter().map(|masked| masked.and_then(|masked| masked.kept())).collect()
}

/// The same of a relation.
pub(crate) fn relation_masks(rel: &Rel) -> Vec<Option<Mask>> {
    of_rel(rel, &mut Vec::new()).into_iter().map(|masked| masked.and_then(|masked| masked.kept())).collect()
}

/// What the columns of a relation hide; `outer`: those of the rows of the queries around it, the next one last.
fn of_rel(rel: &Rel, outer: &mut Vec<Masks>) -> Masks {
    match rel {
        Rel::Table { binding, def, with_rid, .. } => {
            let masks = of_table(def).into_iter();
            let mut masks: Masks = masks.map(|mask| mask.map(|mask| mask.of_rows_of(Some(*binding)))).collect();
            masks.extend(with_rid.then_some(None));
            masks
        }
        Rel::View { .. } => vec![None; rel.width()],
        Rel::Function(_, args) | Rel::Call(_, args) | Rel::Unfold { args, .. } | Rel::Series { args, .. } => {
            let hidden = Masked::computed(args.iter().filter_map(|arg| of_expr(arg, &[], outer)));
            vec![hidden; rel.width()]
        }
        Rel::Values { rows, types } => {
            let column = |at: usize, outer: &mut Vec<Masks>| {
                let cells = rows.iter().filter_map(|row| row.get(at));
                Masked::computed(cells.filter_map(|cell| of_expr(cell, &[], outer)).collect::<Vec<_>>())
            };
            (0..types.len()).map(|at| column(at, outer)).collect()
        }
        Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Top { input, .. } | Rel::Distinct(input) => {
            of_rel(input, outer)
        }
        Rel::OrElse { input, .. } => of_rel(input, outer),
        Rel::Project { input, exprs } => {
            let masks = of_rel(input, outer);
            exprs.iter().map(|expr| of_expr(expr, &masks, outer)).collect()
        }
        Rel::Join { left, right, .. } => {
            let mut masks = of_rel(left, outer);
            masks.extend(of_rel(right, outer));
            masks
        }
        Rel::Apply { left, right, .. } => {
            let mut masks = of_rel(left, outer);
            outer.push(masks.clone());
            let right = of_rel(right, outer);
            outer.pop();
            masks.extend(right);
            masks
        }
        Rel::Aggregate { input, groups, aggregates } => {
            let masks = of_rel(input, outer);
            let mut made: Masks = groups.iter().map(|group| of_expr(group, &masks, outer)).collect();
            made.extend(aggregates.iter().map(|aggregate| match aggregate.function {
                AggregateFunction::Count | AggregateFunction::CountBig | AggregateFunction::ApproxCountDistinct => None,
                _ => Masked::computed(
                    aggregate.exprs().filter_map(|expr| of_expr(expr, &masks, outer)).collect::<Vec<_>>(),
                ),
            }));
            made
        }
        Rel::Expand { input, groups, .. } => {
            let mut masks = of_rel(input, outer);
            let grouped: Masks = groups.iter().map(|group| of_expr(group, &masks, outer)).collect();
            masks.extend(grouped);
            masks.push(None);
            masks
        }
        Rel::Window { input, calls, .. } => {
            let mut masks = of_rel(input, outer);
            let made: Masks = calls
                .iter()
                .map(|call| {
                    Masked::computed(call.args.iter().filter_map(|arg| of_expr(arg, &masks, outer)).collect::<Vec<_>>())
                        .map(|mask| mask.of_rows_of(None))
                })
                .collect();
            masks.extend(made);
            masks
        }
        Rel::Text { input, .. } => vec![Masked::computed(of_rel(input, outer).into_iter().flatten())],
        Rel::Recursive { anchor, members, .. } => {
            let mut masks = of_rel(anchor, outer);
            // A member reads the row before as the next enclosing query's; what one hides may go round through all columns.
            loop {
                let before = masks.clone();
                for member in members {
                    outer.push(masks.clone());
                    let made = of_rel(member, outer);
                    outer.pop();
                    masks = merged(masks, made);
                }
                if masks == before {
                    break masks;
                }
            }
        }
        Rel::Set { left, right, .. } => merged(of_rel(left, outer), of_rel(right, outer)),
    }
}

/// Of rows that come from both.
fn merged(left: Masks, right: Masks) -> Masks {
    let both = |(left, right): (Option<Masked>, Option<Masked>)| match (left, right) {
        (Some(left), Some(right)) if left.text == right.text => {
            let computed = Masked::computed([left.clone(), right])?;
            Some(Masked { sources: computed.sources, ..left })
        }
        (left, right) => Masked::computed(left.into_iter().chain(right)),
    };
    left.into_iter().zip(right).map(both).collect()
}

/// What an expression over rows hides.
fn of_expr(expr: &BoundExpr, input: &[Option<Masked>], outer: &mut Vec<Masks>) -> Option<Masked> {
    match &expr.kind {
        Kind::Column(column) => input.get(*column).cloned().flatten(),
        Kind::Outer { level, column } => {
            let around = outer.len().checked_sub(*level).and_then(|at| outer.get(at));
            around.and_then(|masks| masks.get(*column).cloned().flatten())
        }
        Kind::ScalarQuery(rel) => of_query(rel, input, outer).into_iter().next().flatten(),
        // Whether there are rows is no value of theirs.
        Kind::Exists(_) => None,
        Kind::InQuery(value, rel, _) => {
            let inside = of_query(rel, input, outer).into_iter().flatten();
            Masked::computed(of_expr(value, input, outer).into_iter().chain(inside))
        }
        Kind::Call(function, args) => {
            let mut parts: Vec<Masked> = args.iter().filter_map(|arg| of_expr(arg, input, outer)).collect();
            parts.extend(function.inline.as_ref().and_then(|body| of_expr(body, &[], &mut Vec::new())));
            Masked::computed(parts)
        }
        _ => Masked::computed(
            expr.children().into_iter().filter_map(|child| of_expr(child, input, outer)).collect::<Vec<_>>(),
        ),
    }
}

/// What the columns of a query in an expression hide.
fn of_query(rel: &Rel, input: &[Option<Masked>], outer: &mut Vec<Masks>) -> Masks {
    outer.push(input.to_vec());
    let masks = of_rel(rel, outer);
    outer.pop();
    masks
}

/// Hides what a relation gives out; a text of rows hides what is in it, value by value.
fn hide(rel: Rel) -> Rel {
    if let Rel::Text { input, by, in_pieces, ty } = rel {
        return Rel::Text { input: Box::new(hide(*input)), by, in_pieces, ty };
    }
    let masks = of_rel(&rel, &mut Vec::new());
    if masks.iter().all(Option::is_none) {
        return rel;
    }
    let columns = rel.types().into_iter().enumerate().map(|(at, ty)| BoundExpr::column(at, ty));
    let exprs = columns.zip(masks).map(|(column, mask)| hidden(column, mask)).collect();
    Rel::Project { input: Box::new(rel), exprs }
}

fn hidden(expr: BoundExpr, mask: Option<Masked>) -> BoundExpr {
    match mask {
        Some(mask) => mask.hide(expr),
        None => expr,
    }
}

/// Whether any table of the statement has masks.
fn is_concerned(binder: &Binder<'_>) -> bool {
    binder.tables.iter().any(|used| has_masks(&used.def))
}

/// Binds what holds queries whose values are no result of the statement.
pub(crate) fn inside<T>(binder: &mut Binder<'_>, bind: impl FnOnce(&mut Binder<'_>) -> T) -> T {
    let before = std::mem::replace(&mut binder.is_inner, true);
    let bound = bind(binder);
    binder.is_inner = before;
    bound
}

/// M1 for the outermost query of a statement.
pub(crate) fn result(binder: &Binder<'_>, bound: BoundQuery) -> BoundQuery {
    if !is_concerned(binder) {
        return bound;
    }
    if bound.assign.is_empty() {
        return BoundQuery { rel: hide(bound.rel), ..bound };
    }
    let masks = of_rel(&bound.rel, &mut Vec::new());
    let values = bound.assign.into_iter().map(|(slot, value)| {
        let mask = of_expr(&value, &masks, &mut Vec::new());
        (slot, hidden(value, mask))
    });
    BoundQuery { assign: values.collect(), ..bound }
}

/// M1 for what UPDATE sets: a column with a mask takes what is computed of itself in the same row alone as it is. `target` is the
/// table of the statement that it is of.
pub(crate) fn set_values<'v>(
    binder: &Binder<'_>,
    def: &TableDef,
    (input, target): (&[&Rel], Option<usize>),
    values: impl Iterator<Item = (usize, &'v mut BoundExpr)>,
) {
    if !is_concerned(binder) {
        return;
    }
    let (masks, own) = (of_rows(input), of_table(def));
    for (column, value) in values {
        let Some(mask) = of_expr(value, &masks, &mut Vec::new()) else { continue };
        let columns = own[column].as_ref().map(Masked::columns).unwrap_or_default();
        let is_own =
            |source: &Source| source.table.is_some() && source.table == target && columns.contains(&source.column);
        if !mask.sources.iter().all(is_own) {
            *value = mask.hide(value.clone());
        }
    }
}

/// M1 for a number of rows, which is a value. The masks of enclosing queries' rows are not known yet: any of their columns may be of
/// any column that the statement hides.
pub(crate) fn count(binder: &Binder<'_>, value: BoundExpr) -> BoundExpr {
    if !is_concerned(binder) {
        return value;
    }
    let hidden = Masked::computed(binder.tables.iter().flat_map(|used| of_table(&used.def)).flatten());
    let around = &binder.scopes[..binder.scopes.len().saturating_sub(1)];
    let width = around.iter().map(|scope| scope.columns.len()).max().unwrap_or(0);
    let mut outer = vec![vec![hidden; width]; around.len()];
    match of_expr(&value, &[], &mut outer) {
        Some(mask) => mask.hide(value),
        None => value,
    }
}

/// M1 for values that a change makes of rows of these relations, side by side.
pub(crate) fn values<'v>(binder: &Binder<'_>, input: &[&Rel], values: impl Iterator<Item = &'v mut BoundExpr>) {
    if is_concerned(binder) {
        let masks = of_rows(input);
        values.for_each(|value| conceal(value, &masks));
    }
}

/// M1 for what is read of the new row of a table, of the old one, and of the rows beside them.
pub(crate) fn changed_rows<'v>(
    binder: &Binder<'_>,
    def: &TableDef,
    input: &[&Rel],
    values: impl Iterator<Item = &'v mut BoundExpr>,
) {
    if is_concerned(binder) {
        let own = of_table(def);
        let masks: Masks = own.iter().chain(&own).cloned().chain(of_rows(input)).collect();
        values.for_each(|value| conceal(value, &masks));
    }
}

fn of_rows(input: &[&Rel]) -> Masks {
    input.iter().flat_map(|rel| of_rel(rel, &mut Vec::new())).collect()
}

fn conceal(value: &mut BoundExpr, masks: &[Option<Masked>]) {
    if let Some(mask) = of_expr(value, masks, &mut Vec::new()) {
        *value = mask.hide(value.clone());
    }
}
