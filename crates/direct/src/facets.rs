//! What is asked of a large value without the value: its length, whether it is there, a part of it. Of a value that lies
//! beyond its record the pointer holds the first two; the third reads only the pages of that part.
//!
//! What always holds:
//! - F1: an expression over a `(max)` column stands in a place of its own after the tables' columns, and is filled with the
//!   row. That is done only where nothing reads the column as a whole: then the value is at hand anyway.
//! - F2: of a value in its record the expression is evaluated as it is written.

use millpond_builtin::eval::{Rows, eval, needs_plan};
use millpond_builtin::find;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::large::Large;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::row::{RowLayout, value_from_bytes};
use millpond_types::{LobPointer, SqlType, Value};

use crate::stage::Stage;

/// An expression over one large column.
#[derive(Clone, Debug)]
pub struct Facet {
    /// Place of the column in the row.
    pub of: usize,
    /// Position of the column in the record that its table's access gives.
    pub position: usize,
    /// Place of the expression's value in the row.
    pub place: usize,
    /// The expression over a row of that column alone.
    pub expr: BoundExpr,
    kind: FacetKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FacetKind {
    /// IS NULL
    Absence,
    /// DATALENGTH
    Bytes,
    /// LEN, which leaves blanks at the end out.
    Length,
    /// SUBSTRING
    Part,
    /// LEFT
    First,
    /// RIGHT
    Last,
}

/// Bytes that are read at once where blanks are looked for.
const TAIL_BYTES: u64 = 4096;

/// Which column an expression asks something of without its whole value.
fn asked(expr: &BoundExpr) -> Option<(usize, FacetKind)> {
    let column_of = |expr: &BoundExpr| match expr.kind {
        Kind::Column(column) if expr.ty.sql.is_unbounded() => Some((column, expr.ty.sql.is_multi_byte())),
        _ => None,
    };
    match &expr.kind {
        Kind::IsNull(of) => column_of(of).map(|(column, _)| (column, FacetKind::Absence)),
        Kind::Function(def, args) => {
            let (of, others) = args.split_first()?;
            let (column, is_multi_byte) = column_of(of)?;
            let kinds = [
                ("DATALENGTH", FacetKind::Bytes),
                ("LEN", FacetKind::Length),
                ("SUBSTRING", FacetKind::Part),
                ("LEFT", FacetKind::First),
                ("RIGHT", FacetKind::Last),
            ];
            let kind = kinds.into_iter().find(|(name, _)| find(name).is_some_and(|known| known.is(def)))?.1;
            // Characters of UTF-8 have no places that could be computed.
            let is_computed = kind == FacetKind::Bytes || !is_multi_byte;
            (is_computed && others.iter().all(is_known)).then_some((column, kind))
        }
        _ => None,
    }
}

/// Whether an expression is the same for each row.
fn is_known(expr: &BoundExpr) -> bool {
    let mut known = !needs_plan(expr) && !expr.is_volatile();
    expr.visit(&mut |node| known &= !matches!(node.kind, Kind::Column(_) | Kind::Outer { .. } | Kind::Call(..)));
    known
}

/// Takes the facets out of the expressions over a row of `width` columns: columns from there on take their places.
pub(crate) fn take_facets(conjuncts: &mut [BoundExpr], stages: &mut [Stage], width: usize) -> Vec<Facet> {
    let Some(mut exprs) = over_row(conjuncts, stages) else { return Vec::new() };
    if !exprs.iter().any(|expr| any_facet(expr)) {
        return Vec::new();
    }
    let mut whole = vec![false; width];
    exprs.iter().for_each(|expr| mark_whole(expr, &mut whole));
    let mut facets: Vec<Facet> = Vec::new();
    for expr in &mut exprs {
        let taken = std::mem::replace(&mut **expr, BoundExpr::literal(Value::Null, SqlType::Int));
        **expr = taken.rewrite(&mut |node| {
            let Some((column, kind)) = asked(&node).filter(|(column, _)| !whole[*column]) else { return Err(node) };
            let ty = node.ty;
            let expr = node.rewrite(&mut |inner| match inner.kind {
                Kind::Column(_) => Ok(BoundExpr::column(0, inner.ty)),
                _ => Err(inner),
            });
            let known = facets.iter().find(|facet| facet.of == column && facet.expr.same_as(&expr));
            let place = known.map_or(width + facets.len(), |facet| facet.place);
            if known.is_none() {
                facets.push(Facet { of: column, position: 0, place, expr, kind });
            }
            Ok(BoundExpr::column(place, ty))
        });
    }
    facets
}

/// The expressions over the joined row; none where the row itself goes on.
fn over_row<'e>(conjuncts: &'e mut [BoundExpr], stages: &'e mut [Stage]) -> Option<Vec<&'e mut BoundExpr>> {
    let mut exprs: Vec<&mut BoundExpr> = conjuncts.iter_mut().collect();
    for stage in stages {
        match stage {
            Stage::Filter(predicate) => exprs.push(predicate),
            Stage::Sort(keys) => exprs.extend(keys.iter_mut().map(|key| &mut key.expr)),
            Stage::Top { ties, .. } => exprs.extend(ties.iter_mut().map(|key| &mut key.expr)),
            Stage::Project(new) => {
                exprs.extend(new);
                return Some(exprs);
            }
            Stage::Aggregate(aggregation) => {
                exprs.extend(&mut aggregation.groups);
                exprs.extend(aggregation.aggregates.iter_mut().filter_map(|aggregate| aggregate.arg.as_mut()));
                return Some(exprs);
            }
        }
    }
    None
}

fn any_facet(expr: &BoundExpr) -> bool {
    asked(expr).is_some() || expr.children().into_iter().any(any_facet)
}

fn mark_whole(expr: &BoundExpr, whole: &mut [bool]) {
    if asked(expr).is_some() {
        return;
    }
    if let Kind::Column(column) = expr.kind {
        whole[column] = true;
    }
    expr.children().into_iter().for_each(|child| mark_whole(child, whole));
}

impl Facet {
    /// The same where the column has that position in the record.
    pub(crate) fn at(&self, position: usize) -> Facet {
        Facet { position, ..self.clone() }
    }

    /// The expression's value for a record as it lies in its page.
    pub fn value(&self, ctx: &RunContext, large: &Large<'_>, record: &[u8]) -> SqlResult<Value> {
        let layout: &RowLayout = large.layout;
        let view = layout.open(record).map_err(message::of_row)?;
        let Some(pointer) = view.lob(self.position) else {
            let value = view.column(self.position).map_err(message::of_row)?;
            return eval(&self.expr, ctx, Rows::of(&[value]));
        };
        let sql = &layout.types()[self.position];
        match self.kind {
            FacetKind::Absence => Ok(Value::Bit(false)),
            FacetKind::Bytes => Ok(self.count(pointer.len_bytes())),
            FacetKind::Length => Ok(self.count(length(large, sql, pointer)?)),
            FacetKind::Part | FacetKind::First | FacetKind::Last => self.part(ctx, large, sql, pointer),
        }
    }

    fn count(&self, count: u64) -> Value {
        match self.expr.ty.sql {
            SqlType::BigInt => Value::BigInt(i64::try_from(count).unwrap_or(i64::MAX)),
            _ => Value::Int(i32::try_from(count).unwrap_or(i32::MAX)),
        }
    }

    /// The characters that are asked for, of their pages alone.
    fn part(&self, ctx: &RunContext, large: &Large<'_>, sql: &SqlType, pointer: LobPointer) -> SqlResult<Value> {
        let Kind::Function(_, args) = &self.expr.kind else { unreachable!("a part is what a function gives") };
        // Without a length it is all that follows.
        let mut numbers = [0, i64::MAX];
        for (number, arg) in numbers.iter_mut().zip(&args[1..]) {
            match eval(arg, ctx, Rows::NONE)?.as_i64() {
                Some(given) => *number = given,
                None => return Ok(Value::Null),
            }
        }
        let unit = if sql.is_unicode() { 2 } else { 1 };
        let total = i64::try_from(pointer.len_bytes() / unit).unwrap_or(i64::MAX);
        let (start, count) = match self.kind {
            FacetKind::Part => (numbers[0], numbers[1]),
            FacetKind::First => (1, numbers[0]),
            _ => (total - numbers[0].clamp(0, total) + 1, numbers[0]),
        };
        if count < 0 {
            // What the function says of that it says of any text.
            return eval(&self.expr, ctx, Rows::of(&[empty(sql)]));
        }
        // Units before the first one count as part of the length.
        let end = start.saturating_add(count).clamp(1, total + 1);
        let start = start.clamp(1, end);
        let mut stored = vec![0; (end - start) as usize * unit as usize];
        large.read_at(pointer, (start - 1) as u64 * unit, &mut stored)?;
        value_from_bytes(sql, &stored).map_err(message::of_row)
    }
}

fn empty(sql: &SqlType) -> Value {
    if sql.is_string() { Value::str("") } else { Value::binary(&[]) }
}

/// Units up to the last that is no blank: read from the end on.
fn length(large: &Large<'_>, sql: &SqlType, pointer: LobPointer) -> SqlResult<u64> {
    let unit: u64 = if sql.is_unicode() { 2 } else { 1 };
    let mut end = pointer.len_bytes() / unit * unit;
    while end > 0 {
        let begin = end.saturating_sub(TAIL_BYTES);
        let mut tail = vec![0; (end - begin) as usize];
        large.read_at(pointer, begin, &mut tail)?;
        let is_blank = |bytes: &[u8]| bytes[0] == b' ' && bytes[1..].iter().all(|byte| *byte == 0);
        if let Some(last) = tail.chunks_exact(unit as usize).rposition(|bytes| !is_blank(bytes)) {
            return Ok(begin / unit + last as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}
