//! Plans without operators: some columns or expressions over the rows of one leaf that pass its predicate, perhaps only
//! the first of them.
//!
//! They are the most frequent plans, and DataFusion would plan for a hundred microseconds and build arrays of one row to
//! say the same. Rows of a table are gathered page by page and handed on when the page is free again (R1), since the
//! receiver may take its time or change the table.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_builtin::eval::{self, Rows};
use millpond_catalog::TableDef;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_engine::account::profile::{OperatorAccount, Profile};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_types::Value;
use millpond_types::row::RowLayout;

use crate::operator::top::row_count;
use crate::run::cell::ROWS_PER_CHECK;
use crate::run::failure::planned;
use crate::run::measure::{Measured, Time, timed};
use crate::scan::filter::{RecordFilter, RecordRow};
use crate::scan::leaf::{Leaf, Origin};
use crate::scan::narrow;
use crate::scan::partial;
use crate::scan::partial::Pending;
use crate::scan::record::Locator;
use crate::scan::tree_rows::TreeRows;
use millpond_access::heap;
use millpond_seek::Access;

/// The receiver of rows.
pub(crate) type OnRow<'a> = &'a mut dyn FnMut(&[Value]) -> ControlFlow<()>;

/// A plan without operators.
pub(crate) struct RowPlan {
    pub(crate) leaf: Arc<Leaf>,
    /// TOP: how many rows at most; sees the outer row alone.
    pub(crate) top: Option<BoundExpr>,
    /// Whether the rows are handed on in the order of the index that leads to them.
    pub(crate) ordered: bool,
    /// Over the leaf's columns, followed by the outer row.
    pub(crate) exprs: Vec<BoundExpr>,
    /// The stored column that an expression merely passes on.
    pub(crate) passed_on: Vec<Option<usize>>,
    /// Columns of the leaf that the other expressions read.
    pub(crate) columns: Vec<usize>,
    /// Its account in a statement whose operators are measured.
    pub(crate) measured: Measured<Arc<OperatorAccount>>,
}

impl RowPlan {
    pub(crate) fn new(leaf: Leaf, top: Option<BoundExpr>, exprs: Vec<BoundExpr>) -> RowPlan {
        let stored = match &leaf.origin {
            Origin::Table { def, .. } => def.columns.len(),
            _ => 0,
        };
        let mut columns = Vec::new();
        let mut passed_on = Vec::with_capacity(exprs.len());
        for expr in &exprs {
            if let Kind::Column(column) = expr.kind
                && column < stored
            {
                passed_on.push(Some(column));
                continue;
            }
            passed_on.push(None);
            expr.visit(&mut |node| match node.kind {
                Kind::Column(column) if column < leaf.types.len() && !columns.contains(&column) => columns.push(column),
                _ => {}
            });
        }
        let wanted = passed_on.iter().flatten().chain(&columns).copied().collect();
        let leaf = Arc::new(narrow::of_index(&leaf, wanted).unwrap_or(leaf));
        RowPlan { leaf, top, ordered: false, exprs, passed_on, columns, measured: Measured::default() }
    }

    pub(crate) fn describe(&self) -> String {
        format!("RowPlan: {} columns of {:?}\n", self.exprs.len(), self.leaf)
    }

    /// Runs and keeps account. What the receiver does with a row takes no time of the plan's.
    pub(crate) fn run_measured(
        &self,
        context: &RunContext,
        profile: &Arc<Profile>,
        on_row: OnRow<'_>,
    ) -> SqlResult<()> {
        let account = planned(self.measured.of(profile, || Ok(Arc::default())))?;
        let (time, receiver) = (&**context.engine.instance(), OperatorAccount::default());
        account.begin(time.now_us());
        let result = timed(&account, time, || {
            self.run(context, &mut |row| {
                account.add_rows(1, time.now_us());
                timed(&receiver, time, || on_row(row))
            })
        });
        account.close(time.now_us());
        result
    }

    pub(crate) fn run(&self, context: &RunContext, on_row: OnRow<'_>) -> SqlResult<()> {
        let limit = match &self.top {
            Some(top) => row_count(self.leaf.over_outer(top, context)?.as_i64())?,
            None => u64::MAX,
        };
        match &self.leaf.origin {
            _ if limit == 0 => Ok(()),
            Origin::Table { binding, def, .. } => self.run_table(context, *binding, def, limit, on_row),
            _ => self.run_rows(context, limit, on_row),
        }
    }

    fn run_table(
        &self,
        context: &RunContext,
        binding: usize,
        def: &Arc<TableDef>,
        mut limit: u64,
        on_row: OnRow<'_>,
    ) -> SqlResult<()> {
        let table = context
            .tables
            .get(binding)
            .ok_or_else(|| crate::run::failure::internal("a table of the plan is not bound"))?;
        let width = def.columns.len();
        let filter = self.leaf.filter(context);
        let mut row = self.leaf.record_row(width);
        if let Some(access) = &self.leaf.access {
            return self.run_trees(context, binding, def, access, limit, on_row);
        }
        let mut scan = heap::scan::open(table.rows.heap());
        let ask = context.ask(binding);
        // The page's rows, one after the other (R1).
        let mut page: Vec<Value> = Vec::new();
        let mut count = 0;
        let mut pending = Pending::default();
        loop {
            let mut failed = None;
            let mut take = |locator: Locator<'_>, record: &[u8]| match pending.puts_off(&def.layout, locator, record)? {
                true => Ok(false),
                false => self.take(context, &def.layout, filter.as_ref(), &mut row, locator, record, &mut page),
            };
            let more = scan.next_page(&ask, &mut |rid, record| match take(Locator::Rid(rid), record) {
                Ok(passed) => {
                    count += usize::from(passed);
                    limit -= u64::from(passed);
                    if limit == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                }
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            });
            let place = Place { schema: "", object: &def.name, database: "tempdb" };
            let more = more.map_err(|error| message::of_access(error, place))?;
            if hand_on(&page, count, self.exprs.len(), on_row).is_break() {
                return Ok(());
            }
            if let Some(error) = failed {
                return Err(error);
            }
            page.clear();
            if self.hand_on_pending(context, binding, &mut pending, &mut limit, on_row)?.is_break() {
                return Ok(());
            }
            if !more || limit == 0 {
                return Ok(());
            }
            count = 0;
        }
    }

    /// Hands on the rows of a page that have values beyond their records.
    fn hand_on_pending(
        &self,
        context: &RunContext,
        binding: usize,
        pending: &mut Pending,
        limit: &mut u64,
        on_row: OnRow<'_>,
    ) -> SqlResult<ControlFlow<()>> {
        if pending.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let def = &context.tables[binding].def;
        let large = partial::large_of(context, binding);
        let filter = self.leaf.filter(context);
        let mut row = self.leaf.record_row(def.columns.len());
        let mut page: Vec<Value> = Vec::new();
        let wanted = |column: usize| self.columns.contains(&column) || self.passed_on.contains(&Some(column));
        while !pending.is_empty() && *limit > 0 {
            page.clear();
            let mut take = |row: &mut RecordRow, locator: Locator<'_>, record: &[u8]| {
                self.take(context, &def.layout, None, row, locator, record, &mut page).map(|_| ())
            };
            if !pending.take_next(context, &large, filter.as_ref(), &mut row, &wanted, &mut take)? {
                continue;
            }
            *limit -= 1;
            if hand_on(&page, 1, self.exprs.len(), on_row).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Rows of a table in trees, each handed on as it is found: they are copies already.
    fn run_trees(
        &self,
        context: &RunContext,
        binding: usize,
        def: &Arc<TableDef>,
        access: &Access,
        mut limit: u64,
        on_row: OnRow<'_>,
    ) -> SqlResult<()> {
        let filter = self.leaf.filter(context);
        let mut row = self.leaf.record_row(def.columns.len());
        let layout = access.layout(def);
        if access.covers {
            row.places = Some((0..def.columns.len()).map(|column| access.place(def, column)).collect());
        }
        let mut rows = TreeRows::open(context, binding, access, &row.values)?;
        if self.top.is_some() {
            rows.begin_with_few();
        }
        let mut page: Vec<Value> = Vec::new();
        let mut over = false;
        let mut pending = Pending::default();
        while !over {
            let more = rows.next_page(context, &mut |key, record| {
                page.clear();
                let locator = Locator::Key(key);
                if pending.puts_off(layout, locator, record)? {
                    if !self.ordered {
                        return Ok(ControlFlow::Continue(()));
                    }
                    let flow = self.hand_on_pending(context, binding, &mut pending, &mut limit, on_row)?;
                    over = flow.is_break() || limit == 0;
                    return Ok(if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
                }
                if !self.take(context, layout, filter.as_ref(), &mut row, locator, record, &mut page)? {
                    return Ok(ControlFlow::Continue(()));
                }
                limit -= 1;
                let flow = hand_on(&page, 1, self.exprs.len(), on_row);
                over = flow.is_break() || limit == 0;
                Ok(if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
            let is_stopped = over;
            over |= !more;
            if !is_stopped {
                over |= self.hand_on_pending(context, binding, &mut pending, &mut limit, on_row)?.is_break();
            }
        }
        Ok(())
    }

    /// Adds a record's row to the page if it passes.
    #[expect(clippy::too_many_arguments, reason = "the parts of a scan in progress, borrowed one by one")]
    fn take(
        &self,
        context: &RunContext,
        layout: &RowLayout,
        filter: Option<&RecordFilter>,
        row: &mut RecordRow,
        locator: Locator<'_>,
        record: &[u8],
        page: &mut Vec<Value>,
    ) -> SqlResult<bool> {
        if let Some(filter) = filter
            && !filter.passes(context, layout, locator, record, row)?
        {
            return Ok(false);
        }
        for &column in &self.columns {
            row.read(layout, locator, record, column)?;
        }
        for (expr, passed_on) in self.exprs.iter().zip(&self.passed_on) {
            match passed_on {
                Some(column) => match layout.column(record, row.place(*column)) {
                    Ok(value) => page.push(value),
                    Err(error) => return Err(message::of_row(error)),
                },
                None => page.push(eval::eval(expr, context, Rows::of(&row.values))?),
            }
        }
        Ok(true)
    }

    fn run_rows(&self, context: &RunContext, mut limit: u64, on_row: OnRow<'_>) -> SqlResult<()> {
        let filter = self.leaf.filter(context);
        let mut result = Vec::with_capacity(self.exprs.len());
        let mut rows = self.leaf.rows(context)?;
        let mut index = 0;
        while let Some(mut row) = rows.next(context)? {
            index += 1;
            if index % ROWS_PER_CHECK == 0 && context.task.is_cancelled() {
                return Err(message::cancelled());
            }
            row.resize(self.leaf.types.len(), Value::Null);
            if let Some(outer) = &self.leaf.outer {
                outer.append_to(&mut row);
            }
            if let Some(filter) = &filter
                && !filter.passes_row(context, &row)?
            {
                continue;
            }
            result.clear();
            for expr in &self.exprs {
                result.push(eval::eval(expr, context, Rows::of(&row))?);
            }
            limit -= 1;
            if on_row(&result).is_break() || limit == 0 {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Hands on `count` rows of `width` values.
fn hand_on(page: &[Value], count: usize, width: usize, on_row: OnRow<'_>) -> ControlFlow<()> {
    for index in 0..count {
        on_row(&page[index * width..][..width])?;
    }
    ControlFlow::Continue(())
}
