//! A view as the target of a change: which of its columns are set, where the table below stands in its rows, what OUTPUT
//! and WITH CHECK OPTION see of them. It does not know how the view is bound (`change::view_target`).

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::{TableDef, names_equal};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::SqlType;

use crate::binder::needs::NamedColumns;
use crate::binder::refused::TargetName;
use crate::binder::scope::{ReadAs, Role, Scope, ScopeColumn};

/// What a statement changes of a view.
#[derive(Clone, Debug, Default)]
pub(crate) enum Aim {
    /// Rows of the only table.
    #[default]
    OnlyTable,
    /// These columns.
    Columns(Vec<String>),
    /// All columns.
    All,
}

/// A view that a statement changes.
#[derive(Clone, Debug)]
pub struct ViewTarget {
    /// Its name.
    pub(crate) name: TargetName,
    /// A view that the statement names, and no common table expression or derived table.
    pub(crate) is_view: bool,
    /// Its columns over the row below.
    pub columns: Vec<(String, BoundExpr)>,
    /// Place of the table's first column in the row below.
    pub(crate) own: usize,
    /// Columns of the table.
    pub(crate) width: usize,
    /// Columns of the row below.
    pub(crate) below: usize,
    /// Which rows it shows; over the row below.
    pub(crate) predicates: Vec<BoundExpr>,
    /// WITH CHECK OPTION: what a row must be after a change; over the row below.
    pub(crate) check: Vec<BoundExpr>,
}

/// WITH CHECK OPTION as one condition.
#[derive(Clone, Debug)]
pub struct ViewCheck {
    /// Over the table's new row; over the input row with the table's new columns where it reads other tables too.
    pub condition: BoundExpr,
    /// It reads other tables.
    pub reads_others: bool,
}

impl ViewTarget {
    /// The table's column that a column of the view is.
    ///
    /// # Errors
    /// 207 for a column that there is not, 4406 for one that is computed.
    pub(crate) fn base_column(&self, name: &str) -> SqlResult<usize> {
        let found = self.columns.iter().find(|(known, _)| names_equal(known, name));
        match found.ok_or_else(|| message::invalid_column(name))?.1.kind {
            Kind::Column(column) if self.is_own(column) => Ok(column - self.own),
            _ => Err(self.name.derived()),
        }
    }

    /// Where a column of the view stands in an input row in which the table's columns begin at `first`.
    pub(crate) fn place_in_input(&self, name: &str, first: usize) -> Option<usize> {
        let place = self.columns.iter().position(|(known, _)| names_equal(known, name))?;
        Some(first - self.own + self.below + place)
    }

    /// The numbers of the view's columns with these names; none of a query in the place of a table.
    pub(crate) fn numbers(&self, names: &[&str]) -> Vec<i32> {
        if !self.is_view {
            return Vec::new();
        }
        let is_named = |known: &str| names.iter().any(|name| names_equal(known, name));
        (1..).zip(&self.columns).filter(|(_, (known, _))| is_named(known)).map(|(number, _)| number).collect()
    }

    /// Whether what a column of the view is made of is what a column of the table is computed of.
    pub(crate) fn is_computed(&self, def: &TableDef, expr: &BoundExpr) -> bool {
        let computed = def.columns.iter().filter_map(|column| column.computed.as_ref());
        computed.into_iter().any(|computed| moved(&computed.expr, self.own).is_same_value(expr))
    }

    fn is_own(&self, column: usize) -> bool {
        (self.own..self.own + self.width).contains(&column)
    }

    /// Which rows the view shows, over an input row where the table's columns begin at `first`.
    pub fn predicates(&self, first: usize) -> impl Iterator<Item = BoundExpr> {
        let by = first - self.own;
        self.predicates.iter().map(move |predicate| moved(predicate, by))
    }

    /// `inserted` and `deleted` as the view shows them, after `inserted` ++ `deleted` ++ the input row, in which the table's
    /// columns begin at `first`; an INSERT has none. What a column computes is computed of the row as it was or will be; of
    /// MERGE, whose rows may be missing, only columns of the table are shown. Gives the places with the names of columns
    /// that OUTPUT must not read.
    pub(crate) fn add_output(
        &self,
        (def, named): (&TableDef, Option<&NamedColumns>),
        scope: &mut Scope,
        first: Option<usize>,
        shown: Shown,
    ) -> Vec<(usize, String)> {
        let mut refused = Vec::new();
        let input = first.map(|first| 2 * self.width + first - self.own);
        let tables = [("inserted", 0, shown.inserted), ("deleted", self.width, shown.deleted)];
        for (table, start, _) in tables.into_iter().filter(|(.., visible)| *visible) {
            for (number, (place, (name, expr))) in (1..).zip(self.columns.iter().enumerate()) {
                let found = input.map(|input| input + self.below + place);
                let is_plain = matches!(expr.kind, Kind::Column(column) if self.is_own(column));
                let is_refused = needs_plan(expr) || calls_functions(expr);
                let read = match found {
                    _ if shown.nullable && !is_plain => continue,
                    Some(found) if is_refused || expr.is_volatile() => BoundExpr::column(found, expr.ty),
                    None if is_refused || expr.is_volatile() || self.reads_others(expr) => continue,
                    _ => expr.clone().rewrite(&mut |node| match node.kind {
                        Kind::Column(column) if self.is_own(column) => {
                            Ok(BoundExpr::column(start + column - self.own, node.ty))
                        }
                        Kind::Column(column) => {
                            Ok(BoundExpr::column(input.map_or(column, |input| input + column), node.ty))
                        }
                        _ => Err(node),
                    }),
                };
                if let Some(found) = found.filter(|_| is_refused) {
                    refused.push((found, format!("{table}.{name}")));
                }
                scope.columns.push(ScopeColumn {
                    table: table.to_owned(),
                    place: None,
                    name: name.clone(),
                    ty: ExprType { nullable: expr.ty.nullable || shown.nullable, ..expr.ty },
                    hidden: name.is_empty(),
                    role: match expr.kind {
                        Kind::Column(column) if is_plain => Role::of(&def.columns[column - self.own]),
                        _ => Role::Plain,
                    },
                    computed: Some(ReadAs { ordinal: scope.columns.len(), expr: Arc::new(read) }),
                    mention: named.map(|named| (named.clone(), number)),
                });
            }
        }
        refused
    }

    /// An expression over the input row, `shift` places further on, with the view's columns computed of the row below; the
    /// table's columns begin at `first` in the input row. What a query or a new value for each row makes of the row below
    /// stays as it was found.
    #[must_use]
    pub fn over_base(&self, expr: BoundExpr, first: usize, shift: usize) -> BoundExpr {
        let base = shift + first - self.own;
        let start = base + self.below;
        expr.rewrite(&mut |node| match node.kind {
            Kind::Column(column) if (start..start + self.columns.len()).contains(&column) => {
                let own = &self.columns[column - start].1;
                if needs_plan(own) || own.is_volatile() { Err(node) } else { Ok(moved(own, base)) }
            }
            _ => Err(node),
        })
    }

    /// WITH CHECK OPTION for a change of rows that are there: `first` as in [`ViewTarget::over_base`].
    ///
    /// # Errors
    /// 40517 for a subquery.
    pub(crate) fn check_of_change(&self, first: usize) -> SqlResult<Option<ViewCheck>> {
        let reads_others = self.check.iter().any(|check| self.reads_others(check));
        let by = first - self.own;
        let condition = self.condition(|column| if reads_others { column + by } else { column - self.own })?;
        Ok(condition.map(|condition| ViewCheck { condition, reads_others }))
    }

    /// WITH CHECK OPTION for new rows, over the table's row.
    ///
    /// # Errors
    /// 40517 for a subquery, and for a condition that reads other tables.
    pub(crate) fn check_of_insert(&self) -> SqlResult<Option<BoundExpr>> {
        if self.check.iter().any(|check| self.reads_others(check)) {
            return Err(message::missing("INSERT into a view of several tables WITH CHECK OPTION"));
        }
        self.condition(|column| column - self.own)
    }

    fn condition(&self, place: impl Fn(usize) -> usize) -> SqlResult<Option<BoundExpr>> {
        if self.check.iter().any(needs_plan) {
            return Err(message::missing("WITH CHECK OPTION over a subquery"));
        }
        let placed = |check: &BoundExpr| {
            check.clone().rewrite(&mut |node| match node.kind {
                Kind::Column(column) => Ok(BoundExpr::column(place(column), node.ty)),
                _ => Err(node),
            })
        };
        let and = |left: BoundExpr, right: BoundExpr| BoundExpr::predicate(Kind::And(Box::new(left), Box::new(right)));
        Ok(self.check.iter().map(placed).reduce(and))
    }

    fn reads_others(&self, expr: &BoundExpr) -> bool {
        let mut others = false;
        expr.visit(&mut |node| others |= matches!(node.kind, Kind::Column(column) if !self.is_own(column)));
        others
    }

    /// The same over a row in which the row below begins at `by`.
    pub(crate) fn moved(mut self, by: usize) -> ViewTarget {
        self.own += by;
        let all = self.columns.iter_mut().map(|(_, expr)| expr).chain(&mut self.predicates).chain(&mut self.check);
        all.for_each(|expr| *expr = moved(expr, by));
        self
    }
}

/// Which rows OUTPUT sees.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    pub inserted: bool,
    pub deleted: bool,
    /// Each may be missing.
    pub nullable: bool,
}

impl Shown {
    pub const INSERTED: Shown = Shown { inserted: true, deleted: false, nullable: false };
    pub const DELETED: Shown = Shown { inserted: false, deleted: true, nullable: false };
    pub const BOTH: Shown = Shown { inserted: true, deleted: true, nullable: false };
    pub const EITHER: Shown = Shown { inserted: true, deleted: true, nullable: true };
}

/// The identity column that a query makes.
#[derive(Clone, Copy, Debug)]
pub struct NewIdentity {
    /// Its place in the select list.
    pub place: usize,
    pub(crate) sql: SqlType,
    /// Seed and increment.
    pub numbers: (i64, i64),
}

/// The expression with its columns `by` places further on.
pub(crate) fn moved(expr: &BoundExpr, by: usize) -> BoundExpr {
    expr.clone().rewrite(&mut |node| match node.kind {
        Kind::Column(column) => Ok(BoundExpr::column(by + column, node.ty)),
        _ => Err(node),
    })
}

pub(crate) fn calls_functions(expr: &BoundExpr) -> bool {
    let mut calls = false;
    expr.visit(&mut |node| calls |= matches!(node.kind, Kind::Call(..)));
    calls
}
