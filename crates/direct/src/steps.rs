//! Rows of tables by their indexes: one table after the other, each for the row of those before it.
//!
//! All tables' columns have their places in one row; a step fills its own. Only columns that are read are decoded,
//! the others stay NULL. Predicates are evaluated as soon as their columns are there.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_builtin::eval::{Rows, is_true};
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::run::Run;
use millpond_catalog::{KeyBounds, TableDef};
use millpond_engine::account::profile::OperatorAccount;
use millpond_engine::context::RunContext;
use millpond_engine::stored::{Entries, Found, StoredTable, place_of};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_seek::{Access, Keys};
use millpond_types::Value;

use crate::OnRow;
use crate::facets::Facet;
use crate::given::{Given, with_each};

/// A join of tables by their indexes, or one table.
pub(crate) struct Join {
    /// Columns of the row.
    pub width: usize,
    /// Queries that are asked first; their places are after the columns of the tables.
    pub given: Vec<Given>,
    /// Predicates without columns.
    pub constants: Vec<BoundExpr>,
    pub steps: Vec<TableStep>,
}

/// One table.
pub struct TableStep {
    /// Of the statement's tables.
    pub binding: usize,
    /// Its definition.
    pub def: Arc<TableDef>,
    /// Place of its first column in the row.
    pub first: usize,
    /// Whether the locator is wanted, in the place after the columns.
    pub with_locator: bool,
    /// The way to its rows.
    pub access: Access,
    /// Columns that are read: position in the record that the access gives, place in the row.
    pub places: Vec<(usize, usize)>,
    /// What is asked of large values that are not read for it.
    pub facets: Vec<Facet>,
    /// Rows that are read and locked at first; each time twice as many. One where TOP may stop it at once.
    pub first_rows: usize,
    /// Over the whole row.
    pub filters: Vec<BoundExpr>,
}

/// The receiver of a step's rows: sees the whole row, may change what lies after the step's own columns.
pub type Visit<'a> = &'a mut dyn FnMut(&mut Vec<Value>) -> SqlResult<ControlFlow<()>>;

impl Join {
    /// The only table.
    pub fn single(&self) -> Option<&TableStep> {
        match &self.steps[..] {
            [step] if self.constants.is_empty() && self.given.is_empty() => Some(step),
            _ => None,
        }
    }

    /// Parts that have accounts of their own: those of what is given, then the tables.
    pub fn parts(&self) -> usize {
        self.given_parts() + self.steps.len()
    }

    fn given_parts(&self) -> usize {
        self.given.iter().map(|given| given.query.parts()).sum()
    }

    pub fn run(&self, ctx: &RunContext, accounts: &[OperatorAccount], on_row: OnRow<'_>) -> SqlResult<()> {
        for predicate in &self.constants {
            if !is_true(predicate, ctx, Rows::NONE)? {
                return Ok(());
            }
        }
        let mut row = vec![Value::Null; self.width];
        let (mut own, accounts) = accounts.split_at(self.given_parts().min(accounts.len()));
        let mut given = Vec::with_capacity(self.given.len());
        for one in &self.given {
            let (its, others) = own.split_at(one.query.parts().min(own.len()));
            given.push((one.place, one.values(ctx, its)?));
            own = others;
        }
        with_each(&given, &mut row, &mut |row| descend(&self.steps, accounts, ctx, row, &mut |row| on_row(row)))
            .map(|_| ())
    }
}

/// `accounts` are those of the steps, or none.
fn descend(
    steps: &[TableStep],
    accounts: &[OperatorAccount],
    ctx: &RunContext,
    row: &mut Vec<Value>,
    on_row: Visit<'_>,
) -> SqlResult<ControlFlow<()>> {
    let Some((step, below)) = steps.split_first() else { return on_row(row) };
    let Some((account, others)) = accounts.split_first() else {
        return step.visit(ctx, row, &mut |row| descend(below, &[], ctx, row, on_row));
    };
    account.begin(ctx.engine.clock_us());
    let done = step.visit(ctx, row, &mut |row| {
        account.add_rows(1, ctx.engine.clock_us());
        descend(below, others, ctx, row, on_row)
    });
    account.close(ctx.engine.clock_us());
    done
}

impl TableStep {
    /// The rows of the step that pass, for the row as far as it is filled.
    pub fn visit(&self, ctx: &RunContext, row: &mut Vec<Value>, on_row: Visit<'_>) -> SqlResult<ControlFlow<()>> {
        let table = StoredTable::open(ctx, self.binding);
        match self.access.keys(&self.def, ctx, row)? {
            Keys::None => Ok(ControlFlow::Continue(())),
            Keys::Key(key) => {
                let mut found = Found::default();
                if !table.get(self.access.index, self.access.covers, &key, &mut found)? {
                    return Ok(ControlFlow::Continue(()));
                }
                self.take(ctx, &table, row, &found, on_row)
            }
            Keys::Ranges(ranges) => self.visit_ranges(ctx, &table, ranges, row, on_row),
        }
    }

    fn visit_ranges(
        &self,
        ctx: &RunContext,
        table: &StoredTable<'_>,
        ranges: Vec<KeyBounds>,
        row: &mut Vec<Value>,
        on_row: Visit<'_>,
    ) -> SqlResult<ControlFlow<()>> {
        let (mut entries, mut found) = (Entries::default(), Found::default());
        let ordered: Box<dyn Iterator<Item = _>> =
            if self.access.backward { Box::new(ranges.into_iter().rev()) } else { Box::new(ranges.into_iter()) };
        for range in ordered {
            let mut scan = table.scan(self.access.index, range, self.access.backward);
            let mut most = self.first_rows;
            loop {
                let more = entries.fill(&mut scan, &ctx.ask(self.binding), most);
                most = most.saturating_mul(2);
                let more = more.map_err(|error| message::of_txn(error, place_of(&self.def)))?;
                for entry in entries.iter() {
                    if table.found(self.access.index, self.access.covers, entry, &mut found)?
                        && self.take(ctx, table, row, &found, on_row)?.is_break()
                    {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                if !more {
                    break;
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A row found: into its place, past the filters, on.
    pub(crate) fn take(
        &self,
        ctx: &RunContext,
        table: &StoredTable<'_>,
        row: &mut Vec<Value>,
        found: &Found,
        on_row: Visit<'_>,
    ) -> SqlResult<ControlFlow<()>> {
        if self.with_locator && self.access.covers && !table.may_take(self.access.index, &found.locator)? {
            return Ok(ControlFlow::Continue(()));
        }
        let layout = if self.access.covers { &self.def.indexes[self.access.index].layout } else { &self.def.layout };
        let mut space = Vec::new();
        let mut record = &found.record[..];
        if layout.may_overflow() {
            let large = table.large(self.access.index, self.access.covers);
            for facet in &self.facets {
                row[facet.place] = facet.value(ctx, &large, record)?;
            }
            record = large.whole(record, &|column| self.places.iter().any(|(read, _)| *read == column), &mut space)?;
        }
        for &(column, place) in &self.places {
            row[place] = layout.column(record, column).map_err(message::of_row)?;
        }
        if !space.is_empty() {
            self.places.iter().try_for_each(|(_, place)| ctx.charge(&row[*place]))?;
        }
        if self.with_locator {
            row[self.first + self.def.columns.len()] = Value::binary(&found.locator);
        }
        for filter in &self.filters {
            if !is_true(filter, ctx, Rows::of(row))? {
                return Ok(ControlFlow::Continue(()));
            }
        }
        on_row(row)
    }
}
