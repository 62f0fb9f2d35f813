//! Parts of a relation that occur more than once in it: a common table expression, a view or a derived table that is named twice.
//!
//! ```text
//!   WITH y AS (SELECT k, SUM(v) AS s FROM t GROUP BY k)            Join ─┬─ y ─ Aggregate ─ t      one class, two uses
//!   SELECT … FROM y AS a JOIN y AS b ON a.k = b.k + 1                    └─ y ─ Aggregate ─ t
//! ```
//! What always holds: relations of one class have the same rows in one run, so they may be computed once. Those whose every evaluation
//! is new (NEWID), that call functions of the user, or of which this file knows too little, have no class.
//!
//! It does not know what computing a relation costs.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{Rel, SortKey};
use millpond_types::{SqlType, Value};

use crate::normal::normalise;
use crate::outer::reads_beyond;
use crate::terms::{all, conjuncts, expressions, inner_queries, is_volatile};

/// Relations with the same rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class(usize);

/// The classes of a statement's relations.
#[derive(Debug)]
pub struct Classes {
    /// For each of the statement's tables the first one that is the same, read in the same way.
    alike: Vec<usize>,
    /// By what their relations are made of.
    known: HashMap<String, Class>,
}

/// A relation that occurs more than once.
#[derive(Debug)]
pub struct Repeated {
    /// Its class.
    pub class: Class,
    /// One of them, in normal form.
    pub rel: Rel,
    /// How often it occurs, each relation around it counted once.
    pub uses: usize,
}

impl Classes {
    /// Of a statement with these tables: for each the first one that is the same, read in the same way.
    #[must_use]
    pub fn new(alike: &[usize]) -> Classes {
        Classes { alike: alike.to_vec(), known: HashMap::new() }
    }

    /// The class of a relation in normal form.
    pub fn class(&mut self, rel: &Rel) -> Option<Class> {
        let inputs = rel.inputs().into_iter().map(|input| self.class(input)).collect();
        self.class_over(rel, inputs)
    }

    /// The class of a relation whose inputs have these.
    fn class_over(&mut self, rel: &Rel, inputs: Option<Vec<Class>>) -> Option<Class> {
        if !inner_queries(rel).is_empty() {
            return None;
        }
        let mut text = format!("{:?} ", inputs?);
        self.describe(rel, &mut text)?;
        let next = Class(self.known.len());
        Some(*self.known.entry(text).or_insert(next))
    }

    /// What a relation is but for its inputs.
    fn describe(&mut self, rel: &Rel, text: &mut String) -> Option<()> {
        match rel {
            Rel::Table { binding, with_rid: false, forced, .. } => {
                write!(text, "table {} {forced:?}", self.alike.get(*binding)?).ok()?;
            }
            Rel::Filter { .. } => text.push_str("filter"),
            Rel::Project { .. } => text.push_str("project"),
            Rel::Join { kind, hint, on, .. } => write!(text, "join {kind:?} {hint:?} {}", on.is_some()).ok()?,
            Rel::Aggregate { groups, aggregates, .. } => {
                write!(text, "aggregate {}", groups.len()).ok()?;
                for one in aggregates {
                    write!(text, " {:?} {} {:?} {}", one.function, one.distinct, one.ty, one.arg.is_some()).ok()?;
                    if let Some(joining) = &one.joining {
                        let order = directions(&joining.order);
                        write!(text, " {order:?}").ok()?;
                    }
                }
            }
            Rel::Window { partition, order, calls, .. } => {
                let order = directions(order);
                write!(text, "window {} {order:?}", partition.len()).ok()?;
                for call in calls {
                    write!(text, " {:?} {:?} {:?} {}", call.function, call.frame, call.ty, call.args.len()).ok()?;
                }
            }
            Rel::Expand { sets, .. } => write!(text, "expand {sets:?}").ok()?,
            Rel::Distinct(_) => text.push_str("distinct"),
            Rel::Set { op, all, .. } => write!(text, "set {op:?} {all}").ok()?,
            Rel::Sort { keys, .. } => {
                let order = directions(keys);
                write!(text, "sort {order:?}").ok()?;
            }
            Rel::Top { count, percent, ties, offset, .. } => {
                let order = directions(ties);
                write!(text, "top {} {percent} {order:?} {}", count.is_some(), offset.is_some()).ok()?;
            }
            Rel::Values { rows, types } => write!(text, "values {} {types:?}", rows.len()).ok()?,
            _ => return None,
        }
        for expr in expressions(rel) {
            let expr = self.without_queries(expr.clone())?;
            write!(text, "; {expr:?}").ok()?;
        }
        Some(())
    }

    /// The expression with the class of each of its queries in the query's place.
    fn without_queries(&mut self, expr: BoundExpr) -> Option<BoundExpr> {
        if is_volatile(&expr) {
            return None;
        }
        let mut is_known = true;
        let made = expr.rewrite(&mut |node| {
            let rel = match &node.kind {
                Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) => rel,
                // It is known by its name, which more than one may have.
                Kind::Call(..) => {
                    is_known = false;
                    return Ok(node);
                }
                _ => return Err(node),
            };
            let Some(Class(class)) = self.class(&normalise(Rel::clone(rel))) else {
                is_known = false;
                return Ok(node);
            };
            let class = BoundExpr::literal(Value::BigInt(class as i64), SqlType::BigInt);
            let instead = Arc::new(Rel::Values { rows: vec![vec![class]], types: Vec::new() });
            let kind = match node.kind {
                Kind::ScalarQuery(_) => Kind::ScalarQuery(instead),
                Kind::Exists(_) => Kind::Exists(instead),
                Kind::InQuery(operand, _, collation) => match self.without_queries(*operand) {
                    Some(operand) => Kind::InQuery(Box::new(operand), instead, collation),
                    None => {
                        is_known = false;
                        Kind::Exists(instead)
                    }
                },
                other => other,
            };
            Ok(BoundExpr { kind, ty: node.ty })
        });
        is_known.then_some(made)
    }

    /// The relations that occur more than once in one, itself in normal form, and in the queries of its expressions.
    pub fn repeated(&mut self, rel: &Rel) -> Vec<Repeated> {
        let mut found = Vec::new();
        let noted = self.noted(rel);
        self.count(&noted, false, &mut found);
        found.retain(|one: &Repeated| one.uses > 1);
        found
    }

    fn noted<'r>(&mut self, rel: &'r Rel) -> Noted<'r> {
        let inputs: Vec<Noted<'r>> = rel.inputs().into_iter().map(|input| self.noted(input)).collect();
        let class = self.class_over(rel, inputs.iter().map(|input| input.class).collect());
        Noted { rel, class, inputs }
    }

    /// Below a relation that was met before nothing is counted again. A join in another join is part of that one, whose order is chosen
    /// as a whole.
    fn count(&mut self, noted: &Noted<'_>, is_joined: bool, found: &mut Vec<Repeated>) {
        let rel = noted.rel;
        let is_part = is_joined && matches!(rel, Rel::Join { .. });
        if let Some(class) = noted.class.filter(|_| !is_part && may_be_kept(rel)) {
            if let Some(known) = found.iter_mut().find(|known| known.class == class) {
                known.uses += 1;
                return;
            }
            found.push(Repeated { class, rel: rel.clone(), uses: 1 });
        }
        for expr in expressions(rel).into_iter().filter(|expr| needs_plan(expr)) {
            expr.visit(&mut |node| {
                if let Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) = &node.kind {
                    let inner = normalise(without_ties(Rel::clone(rel)));
                    let noted = self.noted(&inner);
                    self.count(&noted, false, found);
                }
            });
        }
        let is_joined = matches!(rel, Rel::Join { .. }) || is_joined && matches!(rel, Rel::Project { .. });
        noted.inputs.iter().for_each(|input| self.count(input, is_joined, found));
        for inner in inner_queries(rel) {
            let noted = self.noted(inner);
            self.count(&noted, false, found);
        }
    }
}

/// A relation with its class.
struct Noted<'r> {
    rel: &'r Rel,
    class: Option<Class>,
    inputs: Vec<Noted<'r>>,
}

/// Which of the keys are descending.
fn directions(keys: &[SortKey]) -> Vec<bool> {
    keys.iter().map(|key| key.descending).collect()
}

/// An inner query without the conditions that tie it to the outer row: where it is joined, they are the join's.
fn without_ties(rel: Rel) -> Rel {
    let below = |input: Box<Rel>| Box::new(without_ties(*input));
    match rel {
        Rel::Filter { input, predicate } => {
            let is_own = |conjunct: &BoundExpr| {
                let mut is_own = true;
                conjunct.visit(&mut |node| is_own &= !matches!(node.kind, Kind::Outer { .. }));
                is_own
            };
            let input = below(input);
            match all(conjuncts(predicate).into_iter().filter(is_own).collect()) {
                Some(predicate) => Rel::Filter { input, predicate },
                None => *input,
            }
        }
        Rel::Project { input, exprs } => Rel::Project { input: below(input), exprs },
        Rel::Aggregate { input, groups, aggregates } if groups.is_empty() => {
            Rel::Aggregate { input: below(input), groups, aggregates }
        }
        Rel::Distinct(input) => Rel::Distinct(below(input)),
        Rel::Sort { input, keys } => Rel::Sort { input: below(input), keys },
        rel => rel,
    }
}

/// Whether a relation is more than rows of a table that pass conditions, and reads no enclosing query.
#[must_use]
pub fn may_be_kept(rel: &Rel) -> bool {
    let is_made = matches!(
        rel,
        Rel::Aggregate { .. } | Rel::Distinct(_) | Rel::Window { .. } | Rel::Join { .. } | Rel::Set { all: false, .. }
    );
    is_made && !reads_beyond(rel, 1)
}
