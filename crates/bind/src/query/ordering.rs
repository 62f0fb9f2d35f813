//! ORDER BY that is not a block's own: behind set operators, and where it means nothing.

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::names_equal;
use millpond_catalog::rel::{Rel, SortKey};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ExprKind, Literal, OrderItem, Query, QueryBody};

use crate::query::{Body, position, sorted};
use crate::scope::{Role, Scope, ScopeColumn};
use crate::{Binder, Block, BoundQuery};

/// The table and the name of the column that an item is.
type Origin = Option<(String, String)>;

impl Binder<'_> {
    /// ORDER BY, OFFSET and FETCH over a result that is no single block: by name or position only.
    pub(crate) fn ordered_result(&mut self, body: Body, query: &Query) -> SqlResult<BoundQuery> {
        let Body { rel, names, origins } = body;
        let types = rel.types();
        let columns = names.iter().zip(&types).map(|(name, ty)| ScopeColumn {
            table: String::new(),
            place: None,
            name: name.clone(),
            ty: *ty,
            hidden: false,
            role: Role::Plain,
            computed: None,
        });
        self.scopes.push(Scope { columns: columns.collect(), ..Scope::default() });
        self.blocks.push(Block::default());
        let rel = self.ordered_rows(rel, (&types, &names, &origins), query);
        self.blocks.pop();
        self.scopes.pop();
        Ok(BoundQuery { rel: rel?, names, into: None, assign: Vec::new(), origins })
    }

    /// The rows in their order, as far as they are wanted; the result's columns are the scope on top.
    fn ordered_rows(
        &mut self,
        rel: Rel,
        (types, names, origins): (&[ExprType], &[String], &[Origin]),
        query: &Query,
    ) -> SqlResult<Rel> {
        let keys =
            query.order_by.iter().map(|item| self.result_key(item, types, origins)).collect::<SqlResult<Vec<_>>>()?;
        check_keys(&query.order_by, &keys, names)?;
        self.limited(sorted(rel, keys), None, &[], query)
    }

    /// A key is a column of the result: by position, by its name, or as the first block's item was written.
    fn result_key(&mut self, item: &OrderItem, types: &[ExprType], origins: &[Origin]) -> SqlResult<SortKey> {
        let descending = item.descending;
        if let Some(index) = position(&item.expr, types.len())? {
            return Ok(SortKey { expr: BoundExpr::column(index, types[index]), descending });
        }
        let plain = match &item.expr.kind {
            ExprKind::Collate(expr, _) => &expr.kind,
            kind => kind,
        };
        let ExprKind::Column(name) = plain else { return Err(not_an_item().at(item.expr.line)) };
        if let [.., table, column] = &name.parts[..] {
            let is_it = |origin: &Origin| {
                origin.as_ref().is_some_and(|(of, known)| names_equal(of, table) && names_equal(known, column))
            };
            if let (Some(index), ExprKind::Column(_)) = (origins.iter().position(is_it), &item.expr.kind) {
                return Ok(SortKey { expr: BoundExpr::column(index, types[index]), descending });
            }
        }
        Ok(SortKey { expr: self.expression(&item.expr)?, descending })
    }
}

/// What a key of ORDER BY names.
#[derive(PartialEq, Eq)]
enum Named {
    /// An item of the select list, by its position.
    Item(usize),
    /// A column of FROM.
    Column,
    /// Nothing: it is computed.
    Nothing,
}

fn named(item: &OrderItem, names: &[String]) -> Named {
    match &item.expr.kind {
        ExprKind::Literal(Literal::Integer(digits)) => {
            digits.parse::<usize>().ok().and_then(|place| place.checked_sub(1)).map_or(Named::Nothing, Named::Item)
        }
        ExprKind::Column(name) => match &name.parts[..] {
            [name] => names.iter().position(|known| names_equal(known, name)).map_or(Named::Column, Named::Item),
            _ => Named::Column,
        },
        _ => Named::Nothing,
    }
}

/// The keys of ORDER BY beside each other.
///
/// # Errors
/// 169 for a column that stands there twice, 408 for a constant that is no position, 1008 for what variables alone say.
pub(crate) fn check_keys(items: &[OrderItem], keys: &[SortKey], names: &[String]) -> SqlResult<()> {
    let mut seen: Vec<(Named, &BoundExpr)> = Vec::with_capacity(keys.len());
    for (place, (item, key)) in items.iter().zip(keys).enumerate() {
        let named = named(item, names);
        if named == Named::Nothing {
            check_constant(&key.expr, place + 1).map_err(|error| error.at(item.expr.line))?;
            continue;
        }
        let twice = |(known, expr): &(Named, &BoundExpr)| match (known, &named) {
            (Named::Item(known), Named::Item(named)) => known == named,
            _ => expr.same_as(&key.expr),
        };
        if seen.iter().any(twice) {
            return Err(SqlError::of(169, 1, &[]).at(item.expr.line));
        }
        seen.push((named, &key.expr));
    }
    Ok(())
}

/// A key that is computed, of constants or variables alone.
fn check_constant(expr: &BoundExpr, place: usize) -> SqlResult<()> {
    if matches!(expr.kind, Kind::Literal(_)) {
        return Err(SqlError::of(408, 1, &[&place]));
    }
    let (mut variables, mut others) = (false, false);
    expr.visit(&mut |node| match &node.kind {
        Kind::Variable(_) => variables = true,
        Kind::Literal(_) | Kind::Arith(..) | Kind::Negate(_) | Kind::Cast { .. } => {}
        _ => others = true,
    });
    if !variables || others {
        return Ok(());
    }
    Err(SqlError::of(1008, 1, &[&place]))
}

/// Number of the error that says that ORDER BY has no meaning in a query.
pub const ORDER_MEANS_NOTHING: i32 = 1033;

/// A query whose rows have no order of their own: ORDER BY there chooses rows for TOP or OFFSET, or orders FOR XML.
///
/// # Errors
/// 1033
pub(crate) fn unordered(query: &Query) -> SqlResult<()> {
    let has_top = matches!(&query.body, QueryBody::Select(select) if select.top.is_some());
    match query.order_by.first() {
        Some(item) if !has_top && query.offset.is_none() && query.for_clause.is_none() => {
            Err(SqlError::of(1033, 1, &[]).at(item.expr.line))
        }
        _ => Ok(()),
    }
}

/// 104
fn not_an_item() -> SqlError {
    SqlError::of(104, 1, &[])
}
