//! The rows of a table one by one, each asked for when it is wanted: what a cursor does that keeps no rows.
//!
//! ```text
//!   Before ──▶ key of a row ⇄ key of a row ──▶ After          keys are those of the entries of one index
//! ```
//! What always holds: a row comes after those whose keys in the index are less, whatever has become of the row that the
//! walk stands on. It is what is there when it is asked for: rows that came meanwhile are among them, those that are gone are not.

use std::ops::{Bound, ControlFlow};

use millpond_builtin::eval::{Rows, is_true};
use millpond_catalog::KeyBounds;
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::Rel;
use millpond_engine::context::RunContext;
use millpond_engine::stored::{Entries, Found, StoredTable, place_of};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_seek::{Guide, Keys, common};
use millpond_types::Value;

use crate::build;
use crate::stage::{Flow, Stage};
use crate::steps::{Join, TableStep};

/// The way of a walk.
pub struct Walk {
    step: TableStep,
    /// Projections and filters.
    stages: Vec<Stage>,
    /// Predicates without columns.
    constants: Vec<BoundExpr>,
    /// Columns of the row before the stages.
    width: usize,
}

/// Where a walk stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stand {
    /// Before the first row.
    #[default]
    Before,
    /// On the row of this key of the index.
    At(Vec<u8>),
    /// After the last one.
    After,
}

/// Takes a row with its key.
type OnRow<'a> = &'a mut dyn FnMut(&[u8], &[Value]) -> ControlFlow<()>;

impl Walk {
    /// The walk over the rows of a relation that is no more than some of one table's, in the order of an index if they are to
    /// have one.
    pub fn of(rel: &Rel, ctx: &RunContext) -> Option<Walk> {
        let (Join { mut steps, constants, width, .. }, stages) = build::walk(rel, &Guide::of(ctx))?;
        let step = steps.pop()?;
        Some(Walk { step, stages, constants, width })
    }

    /// The binding of its table.
    pub fn binding(&self) -> usize {
        self.step.binding
    }

    /// Goes `by` rows on, or back where it is negative, and gives the row there; none where there are not so many, and it
    /// stands beyond them then. By no rows: the row on which it stands as it is now; none where that is gone, or has another
    /// key, and it stands where it stood.
    ///
    /// # Errors
    /// Those of reading and of evaluation; it stands where it stood.
    pub fn go(&self, ctx: &RunContext, stand: &mut Stand, by: i64) -> SqlResult<Option<Vec<Value>>> {
        if by == 0 {
            return self.here(ctx, stand);
        }
        let (is_on, mut left) = (by > 0, by.unsigned_abs());
        let mut reached = None;
        let is_over = *stand == if is_on { Stand::After } else { Stand::Before };
        if !is_over {
            let backward = self.step.access.backward == is_on;
            self.visit(ctx, &beyond(stand, backward), backward, &mut |key, row| {
                left -= 1;
                if left > 0 {
                    return ControlFlow::Continue(());
                }
                reached = Some((key.to_vec(), row.to_vec()));
                ControlFlow::Break(())
            })?;
        }
        let (now, row) = match reached {
            Some((key, row)) => (Stand::At(key), Some(row)),
            None => (if is_on { Stand::After } else { Stand::Before }, None),
        };
        *stand = now;
        Ok(row)
    }

    /// The row on which it stands.
    fn here(&self, ctx: &RunContext, stand: &Stand) -> SqlResult<Option<Vec<Value>>> {
        let Stand::At(key) = stand else { return Ok(None) };
        let mut found = None;
        let part = (Bound::Included(key.clone()), Bound::Included(key.clone()));
        self.visit(ctx, &part, false, &mut |_, row| {
            found = Some(row.to_vec());
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// The rows whose keys lie in a part of the index, forwards or backwards in it.
    fn visit(&self, ctx: &RunContext, part: &KeyBounds, backward: bool, on_row: OnRow<'_>) -> SqlResult<()> {
        for predicate in &self.constants {
            if !is_true(predicate, ctx, Rows::NONE)? {
                return Ok(());
            }
        }
        let access = &self.step.access;
        let mut row = vec![Value::Null; self.width];
        let ranges = match access.keys(&self.step.def, ctx, &row)? {
            Keys::None => return Ok(()),
            Keys::Key(key) => vec![(Bound::Included(key.clone()), Bound::Included(key))],
            Keys::Ranges(ranges) => ranges,
        };
        let mut rest: Vec<KeyBounds> = ranges.into_iter().filter_map(|range| common(&range, part)).collect();
        if backward {
            rest.reverse();
        }
        let table = StoredTable::open(ctx, self.step.binding);
        let (mut entries, mut found) = (Entries::default(), Found::default());
        let mut flow = Flow::open(&self.stages, &[], ctx)?;
        for range in rest {
            let mut scan = table.scan(access.index, range, backward);
            let mut most = 1;
            loop {
                let more = entries.fill(&mut scan, &ctx.ask(self.step.binding), most);
                let more = more.map_err(|error| message::of_txn(error, place_of(&self.step.def)))?;
                most = most.saturating_mul(2);
                for entry in entries.iter() {
                    let mut pass = |row: &mut Vec<Value>| flow.pass(ctx, row, &mut |row| Ok(on_row(entry.key, row)));
                    if table.found(access.index, access.covers, entry, &mut found)?
                        && self.step.take(ctx, &table, &mut row, &found, &mut pass)?.is_break()
                    {
                        return Ok(());
                    }
                }
                if !more {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// What lies before the walk, which goes to greater keys, or to less ones where it goes `backward`.
fn beyond(stand: &Stand, backward: bool) -> KeyBounds {
    let Stand::At(key) = stand else { return (Bound::Unbounded, Bound::Unbounded) };
    let here = Bound::Excluded(key.clone());
    if backward { (Bound::Unbounded, here) } else { (here, Bound::Unbounded) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_before_a_walk_ends_or_begins_at_its_key() {
        let at = |key: u8| Stand::At(vec![key]);
        let rest_of = |range: KeyBounds, stand: &Stand, backward| common(&range, &beyond(stand, backward));
        let within = |low: u8, high: u8| (Bound::Included(vec![low]), Bound::Excluded(vec![high]));
        assert_eq!(rest_of(within(2, 8), &Stand::Before, false), Some(within(2, 8)));
        assert_eq!(rest_of(within(2, 8), &at(5), false), Some((Bound::Excluded(vec![5]), Bound::Excluded(vec![8]))));
        assert_eq!(rest_of(within(2, 8), &at(5), true), Some((Bound::Included(vec![2]), Bound::Excluded(vec![5]))));
        assert_eq!(rest_of(within(2, 8), &at(9), false), None);
        assert_eq!(rest_of(within(2, 8), &at(9), true), Some(within(2, 8)));
        assert_eq!(rest_of(within(2, 8), &at(1), false), Some(within(2, 8)));
        assert_eq!(rest_of(within(2, 8), &at(2), true), None);
        let open = (Bound::Unbounded, Bound::Unbounded);
        assert_eq!(rest_of(open.clone(), &at(5), false), Some((Bound::Excluded(vec![5]), Bound::Unbounded)));
        assert_eq!(rest_of(open, &at(5), true), Some((Bound::Unbounded, Bound::Excluded(vec![5]))));
    }
}
