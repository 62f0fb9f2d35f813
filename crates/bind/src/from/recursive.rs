//! Recursive common table expressions.
//!
//! ```text
//!   WITH c AS (anchors UNION ALL members) … FROM c   ──▶   Rel::Recursive { anchor, members }
//! ```
//! A member is a query for one row of the expression: its reference to itself is that row, which it reads as the row of
//! the next enclosing query.

use std::rc::Rc;

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::names_equal;
use millpond_catalog::rel::{Rel, RelJoin};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{QueryBody, SetOperator};
use millpond_types::Value;

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::bound_query::Body;
use crate::binder::scope::{Role, Scope, ScopeColumn};
use crate::binder::source::{CteBinding, Source, Working};
use crate::binder::written::{mentions_in, unordered};
use crate::expression::operator::is_null_literal;
use crate::from::columns::{distinct_names, renamed, scope_of};

/// Highest MAXRECURSION.
pub(crate) const LEVELS_MAX: u32 = 32_767;

/// The expression's rows; `place` is its level and position among the expressions in sight.
///
/// # Errors
/// 246, 247, 252 and 253 for its shape, 460 to 467 for what a member must not have, 240 for types, and what binding
/// its parts gives.
pub(crate) fn recursive(
    binder: &mut Binder<'_>,
    place: (usize, usize),
    cte: &CteBinding,
    shown: &str,
) -> SqlResult<Source> {
    unordered(&cte.query)?;
    let (anchors, members) = parts(cte)?;
    let anchor = anchors.into_iter().cloned().reduce(|left, right| QueryBody::SetOperation {
        op: SetOperator::Union,
        all: true,
        left: Box::new(left),
        right: Box::new(right),
    });
    let anchor = anchor.ok_or_else(|| without_anchor(&cte.name))?;
    let Body { rel: anchor, names, .. } = binder.body(&anchor)?;
    let names = renamed(names, &cte.columns, &cte.name)?;
    distinct_names(&names, &cte.name)?;
    let types: Vec<ExprType> = anchor.types().into_iter().map(|ty| ExprType { nullable: true, ..ty }).collect();
    let mut bound = Vec::with_capacity(members.len());
    for member in members {
        bound.push(recursive_member(binder, place, cte, member, &names, &types)?);
    }
    let name = cte.name.clone();
    let levels = binder.recursion_levels;
    let rel = Rel::Recursive { name, anchor: Box::new(anchor), members: bound, types: types.clone(), levels };
    Ok(Source { rel, scope: scope_of(shown, names.into_iter().zip(types)) })
}

fn recursive_member(
    binder: &mut Binder<'_>,
    (depth, index): (usize, usize),
    cte: &CteBinding,
    member: &QueryBody,
    names: &[String],
    types: &[ExprType],
) -> SqlResult<Rel> {
    let working = Working {
        names: names.to_vec(),
        types: types.to_vec(),
        scope: binder.scopes.len(),
        is_mentioned: Rc::default(),
    };
    // Columns of the present row are known by their positions only.
    let nameless = |ty: &ExprType| ScopeColumn {
        table: String::new(),
        place: None,
        name: String::new(),
        ty: *ty,
        hidden: true,
        role: Role::Plain,
        computed: None,
        mention: None,
    };
    binder.scopes.push(Scope { columns: types.iter().map(nameless).collect(), ..Scope::default() });
    binder.blocks.push(Block::default());
    debug_assert_eq!(binder.ctes[depth].len(), index);
    binder.ctes[depth].push(CteBinding { working: Some(working), ..cte.clone() });
    let bound = binder.body(member);
    binder.ctes[depth].truncate(index);
    binder.blocks.pop();
    binder.scopes.pop();
    let Body { rel, .. } = bound?;
    check(&rel, 1, &cte.name)?;
    in_types(rel, types, names, &cte.name)
}

/// What a subquery of a common table expression means by the expression's own name.
///
/// # Errors
/// 252 and 465
pub(crate) fn not_inside(binder: &Binder<'_>, name: &str) -> SqlResult<()> {
    match &binder.inside_cte {
        Some((inside, true)) if names_equal(inside, name) => Err(in_subquery()),
        Some((inside, false)) if names_equal(inside, name) => Err(without_union_all(inside)),
        _ => Ok(()),
    }
}

/// The present row as a table.
pub(crate) fn working_row(binder: &Binder<'_>, name: &str, working: &Working, shown: &str) -> SqlResult<Source> {
    if binder.subquery_floor > working.scope {
        return Err(in_subquery());
    }
    if working.is_mentioned.replace(true) {
        return Err(SqlError::of(253, 1, &[&name]));
    }
    let level = binder.scopes.len() - working.scope;
    let cell = |(column, ty): (usize, &ExprType)| BoundExpr { kind: Kind::Outer { level, column }, ty: *ty };
    let row = working.types.iter().enumerate().map(cell).collect();
    let rel = Rel::Values { rows: vec![row], types: working.types.clone() };
    let columns = working.names.iter().cloned().zip(working.types.iter().copied());
    Ok(Source { rel, scope: scope_of(shown, columns) })
}

/// The anchors and the members of a recursive expression.
fn parts(cte: &CteBinding) -> SqlResult<(Vec<&QueryBody>, Vec<&QueryBody>)> {
    let name = &cte.name;
    let mut parts = Vec::new();
    flatten(&cte.query.body, &mut parts);
    if parts.len() == 1 {
        return Err(without_union_all(name));
    }
    let first = parts.iter().position(|part| mentions_in(part, name)).unwrap_or(parts.len());
    let members = parts.split_off(first);
    if parts.is_empty() {
        return Err(without_anchor(name));
    }
    if members.iter().any(|member| !mentions_in(member, name)) {
        return Err(SqlError::of(247, 1, &[&name]));
    }
    Ok((parts, members))
}

/// Whether a query has UNION ALL at its top.
pub(crate) fn is_union_all(body: &QueryBody) -> bool {
    let mut parts = Vec::new();
    flatten(body, &mut parts);
    parts.len() > 1
}

/// 252
fn without_union_all(name: &str) -> SqlError {
    SqlError::of(252, 1, &[&name])
}

/// 465
fn in_subquery() -> SqlError {
    SqlError::of(465, 1, &[])
}

/// 246
fn without_anchor(name: &str) -> SqlError {
    SqlError::of(246, 1, &[&name])
}

/// What UNION ALL joins, from left to right.
fn flatten<'q>(body: &'q QueryBody, parts: &mut Vec<&'q QueryBody>) {
    match body {
        QueryBody::SetOperation { op: SetOperator::Union, all: true, left, right } => {
            flatten(left, parts);
            flatten(right, parts);
        }
        QueryBody::Nested(query) if query.order_by.is_empty() && query.ctes.is_empty() => flatten(&query.body, parts),
        part => parts.push(part),
    }
}

/// Whether a relation reads the present row, `depth` queries around it; an operator over it must be one that works row
/// by row.
fn check(rel: &Rel, depth: usize, name: &str) -> SqlResult<bool> {
    Ok(match rel {
        Rel::Values { rows, .. } => {
            rows.iter().flatten().any(|cell| matches!(cell.kind, Kind::Outer { level, .. } if level == depth))
        }
        Rel::Filter { input, .. }
        | Rel::Project { input, .. }
        | Rel::Sort { input, .. }
        | Rel::Window { input, .. } => check(input, depth, name)?,
        Rel::Apply { left, right, keeps_left } => {
            let reads = check(left, depth, name)? | check(right, depth + 1, name)?;
            if reads && *keeps_left {
                return Err(SqlError::of(462, 1, &[&name]));
            }
            reads
        }
        Rel::Join { kind, left, right, .. } => {
            let reads = check(left, depth, name)? | check(right, depth, name)?;
            if reads && *kind != RelJoin::Inner {
                return Err(SqlError::of(462, 1, &[&name]));
            }
            reads
        }
        Rel::Aggregate { input, .. } | Rel::Expand { input, .. } | Rel::OrElse { input, .. }
            if check(input, depth, name)? =>
        {
            return Err(SqlError::of(467, 1, &[&name]));
        }
        Rel::Top { input, .. } if check(input, depth, name)? => {
            return Err(SqlError::of(461, 1, &[&name]));
        }
        Rel::Distinct(input) if check(input, depth, name)? => return Err(SqlError::of(460, 1, &[&name])),
        Rel::Set { op, all, left, right } if check(left, depth, name)? | check(right, depth, name)? => {
            let what = match (op, all) {
                (millpond_catalog::rel::RelSet::Union, _) => "UNION",
                (millpond_catalog::rel::RelSet::Except, _) => "EXCEPT",
                (millpond_catalog::rel::RelSet::Intersect, _) => "INTERSECT",
            };
            return Err(SqlError::of(466, 1, &[&what, &name]));
        }
        _ => false,
    })
}

/// The member's rows, whose types must be those of the anchor; a literal NULL is one of any type.
fn in_types(rel: Rel, types: &[ExprType], names: &[String], name: &str) -> SqlResult<Rel> {
    let own = rel.types();
    if own.len() != types.len() {
        return Err(SqlError::of(205, 1, &[]));
    }
    let rel = match rel {
        Rel::Project { input, exprs } => {
            let typed = |(expr, ty): (BoundExpr, &ExprType)| {
                if is_null_literal(&expr) { BoundExpr { kind: Kind::Literal(Value::Null), ty: *ty } } else { expr }
            };
            Rel::Project { input, exprs: exprs.into_iter().zip(types).map(typed).collect() }
        }
        rel => rel,
    };
    let differs = |(own, ty): (&ExprType, &ExprType)| (own.sql, own.collation) != (ty.sql, ty.collation);
    match rel.types().iter().zip(types).position(differs) {
        None => Ok(rel),
        Some(column) => Err(SqlError::of(240, 1, &[&names[column], &name])),
    }
}

/// 4150: a hint on the present row.
pub(crate) fn hinted(name: &str) -> SqlError {
    SqlError::of(4150, 1, &[&name])
}
