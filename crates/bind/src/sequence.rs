//! NEXT VALUE FOR: where it may stand, and the numbers of a select list, which all of a row share.

use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Rel, SortKey};
use millpond_catalog::sequence::SequenceUse;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ObjectName, Over, Top};

use crate::binder::Binder;
use crate::binder::numbers::Numbers;

/// Binds something where NEXT VALUE FOR may stand or not; a place that refuses it refuses it inside too.
pub(crate) fn with_numbers<T>(
    binder: &mut Binder<'_>,
    numbers: Numbers,
    bind: impl FnOnce(&mut Binder<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let before = std::mem::replace(&mut binder.numbers, numbers);
    let bound = bind(binder);
    binder.numbers = before;
    bound
}

/// The same for something inside of an expression: it allows no more than the expression does.
pub(crate) fn without_numbers<T>(
    binder: &mut Binder<'_>,
    numbers: Numbers,
    bind: impl FnOnce(&mut Binder<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let numbers = if binder.numbers == Numbers::Allowed { numbers } else { binder.numbers };
    with_numbers(binder, numbers, bind)
}

/// What holds for the select list of a block.
pub(crate) fn numbers_of_list(
    binder: &Binder<'_>,
    distinct: bool,
    top: Option<&Top>,
    offset: bool,
    ordered: bool,
) -> Numbers {
    match binder.list_numbers {
        Numbers::Allowed if distinct => Numbers::NotDistinct,
        Numbers::Allowed if top.is_some() || offset => Numbers::NotFirst,
        Numbers::Allowed if ordered => Numbers::NotOrdered,
        numbers => numbers,
    }
}

pub(crate) fn next_value(binder: &mut Binder<'_>, name: &ObjectName, over: Option<&Over>) -> SqlResult<BoundExpr> {
    if binder.names.in_function() {
        Numbers::NotHere.check(false)?;
    }
    binder.numbers.check(over.is_some_and(|over| !over.order_by.is_empty()))?;
    let shown = name.shown();
    let Some((database, def)) = binder.names.sequence(name, binder.home)? else {
        let is_relation = binder.names.relation(name, binder.home)?.is_some();
        return Err(if is_relation { SqlError::of(11_726, 1, &[&shown]) } else { message::invalid_object(&shown) });
    };
    if let Some(base) = over.and_then(|over| over.base.as_ref()) {
        return Err(message::missing(&format!("NEXT VALUE FOR … OVER {base}")));
    }
    if let Some(over) = over {
        let key = |binder: &mut Binder<'_>, item: &millpond_tsql::ast::OrderItem| {
            Ok(SortKey { expr: binder.expression(&item.expr)?, descending: item.descending })
        };
        let keys = with_numbers(binder, Numbers::NotInClause, |binder| {
            over.order_by.iter().map(|item| key(binder, item)).collect::<SqlResult<Vec<_>>>()
        })?;
        binder.number_order = keys;
    }
    binder.sequences.push((database, def.id));
    let ty = ExprType::plain(def.sql, false);
    let sequence = SequenceUse { database, id: def.id, name: shown, each: false };
    Ok(BoundExpr { kind: Kind::NextValue(Arc::new(sequence)), ty })
}

/// The select list's sequences are drawn from once for each row of the input, in the order that OVER asks for; the
/// items see the numbers as columns after the input's.
pub(crate) fn numbered(binder: &mut Binder<'_>, input: Rel, items: Vec<BoundExpr>) -> (Rel, Vec<BoundExpr>) {
    let types = input.types();
    let mut drawn: Vec<BoundExpr> = Vec::new();
    let items = items.into_iter().map(|item| number_columns(item, types.len(), &mut drawn)).collect();
    let order = std::mem::take(&mut binder.number_order);
    if drawn.is_empty() {
        return (input, items);
    }
    let input = if order.is_empty() { input } else { Rel::Sort { input: Box::new(input), keys: order } };
    let columns = types.into_iter().enumerate().map(|(index, ty)| BoundExpr::column(index, ty));
    let exprs = columns.chain(drawn).collect();
    (Rel::Project { input: Box::new(input), exprs }, items)
}

/// The item with columns from `first` on in the place of NEXT VALUE FOR; one for each sequence.
pub(super) fn number_columns(item: BoundExpr, first: usize, drawn: &mut Vec<BoundExpr>) -> BoundExpr {
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
