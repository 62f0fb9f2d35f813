//! ORDER BY that is not a block's own: behind set operators, and where it means nothing.

use millpond_tsql::ast::{ExprKind, OrderItem, Query, QueryBody};

use super::query::{Body, position, sorted};
use super::scope::{Scope, ScopeColumn};
use super::{Binder, Block, BoundQuery};
use crate::catalog::names_equal;
use crate::error::{SqlError, SqlResult};
use crate::expr::{BoundExpr, ExprType};
use crate::rel::SortKey;

impl Binder<'_> {
    /// ORDER BY, OFFSET and FETCH over a result that is no single block: by name or position only.
    pub(super) fn ordered_result(&mut self, body: Body, query: &Query) -> SqlResult<BoundQuery> {
        let Body { rel, names, origins } = body;
        let types = rel.types();
        let columns = names.iter().zip(&types).map(|(name, ty)| ScopeColumn {
            table: String::new(),
            place: None,
            name: name.clone(),
            ty: *ty,
            hidden: false,
            computed: None,
        });
        self.scopes.push(Scope { columns: columns.collect(), tables: Vec::new() });
        self.blocks.push(Block::default());
        let keys =
            query.order_by.iter().map(|item| self.result_key(item, &types, &origins)).collect::<SqlResult<Vec<_>>>();
        self.blocks.pop();
        self.scopes.pop();
        let rel = sorted(rel, keys?);
        let rel = self.limited(rel, None, &[], query)?;
        Ok(BoundQuery { rel, names, into: None, assign: Vec::new(), origins })
    }

    /// A key is a column of the result: by position, by its name, or as the first block's item was written.
    fn result_key(
        &mut self,
        item: &OrderItem,
        types: &[ExprType],
        origins: &[Option<(String, String)>],
    ) -> SqlResult<SortKey> {
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
            let is_it = |origin: &Option<(String, String)>| {
                origin.as_ref().is_some_and(|(of, known)| names_equal(of, table) && names_equal(known, column))
            };
            if let (Some(index), ExprKind::Column(_)) = (origins.iter().position(is_it), &item.expr.kind) {
                return Ok(SortKey { expr: BoundExpr::column(index, types[index]), descending });
            }
        }
        Ok(SortKey { expr: self.expression(&item.expr)?, descending })
    }
}

/// Number of the error that says that ORDER BY has no meaning in a query.
pub(crate) const ORDER_MEANS_NOTHING: i32 = 1033;

/// A query whose rows have no order of their own: ORDER BY there chooses rows for TOP or OFFSET, or orders FOR XML.
///
/// # Errors
/// 1033
pub(super) fn unordered(query: &Query) -> SqlResult<()> {
    let has_top = matches!(&query.body, QueryBody::Select(select) if select.top.is_some());
    match query.order_by.first() {
        Some(item) if !has_top && query.offset.is_none() && query.for_clause.is_none() => Err(SqlError::new(
            ORDER_MEANS_NOTHING,
            15,
            1,
            "The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.",
        )
        .at(item.expr.line)),
        _ => Ok(()),
    }
}

/// 104
fn not_an_item() -> SqlError {
    SqlError::new(
        104,
        16,
        1,
        "ORDER BY items must appear in the select list if the statement contains a UNION, INTERSECT or EXCEPT operator.",
    )
}
