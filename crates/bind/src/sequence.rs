//! NEXT VALUE FOR: where it may stand, and the numbers of a select list, which all of a row share.

use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Rel, SortKey};
use millpond_catalog::sequence::SequenceUse;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ObjectName, Over, Top};

use super::Binder;

/// Whether NEXT VALUE FOR may stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    Allowed,
    /// Inside of a definition, a subquery and the like: 11719.
    NotHere,
    /// In a clause other than the select list: 11720.
    NotInClause,
    /// With DISTINCT or a set operation: 11721.
    NotDistinct,
    /// With ORDER BY, unless OVER says another order: 11723.
    NotOrdered,
    /// With TOP, OFFSET or SET ROWCOUNT: 11739.
    NotFirst,
    /// Inside of CASE and its like: 11741.
    NotInCase,
}

impl Numbers {
    fn check(self, over: bool) -> SqlResult<()> {
        let refused = match self {
            Numbers::Allowed => return Ok(()),
            Numbers::NotOrdered if over => return Ok(()),
            Numbers::NotHere => SqlError::of(11_719, 1, &[]),
            Numbers::NotInClause => SqlError::of(11_720, 1, &[]),
            Numbers::NotDistinct => SqlError::of(11_721, 1, &[]),
            Numbers::NotOrdered => SqlError::of(11_723, 1, &[]),
            Numbers::NotFirst => SqlError::of(11_739, 1, &[]),
            Numbers::NotInCase => SqlError::of(11_741, 1, &[]),
        };
        Err(refused)
    }
}

impl Binder<'_> {
    /// Binds something where NEXT VALUE FOR may stand or not; a place that refuses it refuses it inside too.
    pub(super) fn with_numbers<T>(
        &mut self,
        numbers: Numbers,
        bind: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let before = std::mem::replace(&mut self.numbers, numbers);
        let bound = bind(self);
        self.numbers = before;
        bound
    }

    /// The same for something inside of an expression: it allows no more than the expression does.
    pub(super) fn without_numbers<T>(
        &mut self,
        numbers: Numbers,
        bind: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let numbers = if self.numbers == Numbers::Allowed { numbers } else { self.numbers };
        self.with_numbers(numbers, bind)
    }

    /// What holds for the select list of a block.
    pub(super) fn numbers_of_list(&self, distinct: bool, top: Option<&Top>, offset: bool, ordered: bool) -> Numbers {
        match self.list_numbers {
            Numbers::Allowed if distinct => Numbers::NotDistinct,
            Numbers::Allowed if top.is_some() || offset => Numbers::NotFirst,
            Numbers::Allowed if ordered => Numbers::NotOrdered,
            numbers => numbers,
        }
    }

    pub(super) fn next_value(&mut self, name: &ObjectName, over: Option<&Over>) -> SqlResult<BoundExpr> {
        if self.names.in_function() {
            Numbers::NotHere.check(false)?;
        }
        self.numbers.check(over.is_some_and(|over| !over.order_by.is_empty()))?;
        let shown = name.shown();
        let (database, def) = self.names.sequence(name, self.home)?.ok_or_else(|| message::invalid_object(&shown))?;
        if let Some(base) = over.and_then(|over| over.base.as_ref()) {
            return Err(message::missing(&format!("NEXT VALUE FOR … OVER {base}")));
        }
        if let Some(over) = over {
            let key = |binder: &mut Self, item: &millpond_tsql::ast::OrderItem| {
                Ok(SortKey { expr: binder.expression(&item.expr)?, descending: item.descending })
            };
            let keys = self.with_numbers(Numbers::NotInClause, |binder| {
                over.order_by.iter().map(|item| key(binder, item)).collect::<SqlResult<Vec<_>>>()
            })?;
            self.number_order = keys;
        }
        self.sequences.push((database, def.id));
        let ty = ExprType::plain(def.sql, false);
        let sequence = SequenceUse { database, id: def.id, name: shown, each: false };
        Ok(BoundExpr { kind: Kind::NextValue(Arc::new(sequence)), ty })
    }

    /// The select list's sequences are drawn from once for each row of the input, in the order that OVER asks for; the
    /// items see the numbers as columns behind the input's.
    pub(super) fn numbered(&mut self, input: Rel, items: Vec<BoundExpr>) -> (Rel, Vec<BoundExpr>) {
        let types = input.types();
        let mut drawn: Vec<BoundExpr> = Vec::new();
        let items = items.into_iter().map(|item| number_columns(item, types.len(), &mut drawn)).collect();
        let order = std::mem::take(&mut self.number_order);
        if drawn.is_empty() {
            return (input, items);
        }
        let input = if order.is_empty() { input } else { Rel::Sort { input: Box::new(input), keys: order } };
        let columns = types.into_iter().enumerate().map(|(index, ty)| BoundExpr::column(index, ty));
        let exprs = columns.chain(drawn).collect();
        (Rel::Project { input: Box::new(input), exprs }, items)
    }
}

/// The item with columns from `first` on in the place of NEXT VALUE FOR; one for each sequence.
fn number_columns(item: BoundExpr, first: usize, drawn: &mut Vec<BoundExpr>) -> BoundExpr {
    item.rewrite(&mut |node| {
        let Kind::NextValue(sequence) = &node.kind else { return Err(node) };
        let ty = node.ty;
        let same = |known: &BoundExpr| {
            matches!(&known.kind, Kind::NextValue(known) if (known.database, known.id) == (sequence.database, sequence.id))
        };
        let position = drawn.iter().position(same).unwrap_or_else(|| {
            let each = SequenceUse { each: true, ..(**sequence).clone() };
            drawn.push(BoundExpr { kind: Kind::NextValue(Arc::new(each)), ty });
            drawn.len() - 1
        });
        Ok(BoundExpr::column(first + position, ty))
    })
}
