//! Picks one text of a group: the first, the least or the greatest under a collation.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, StringBuilder};
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::AggregateUDF;
use millpond_types::SqlType;
use millpond_types::collation::{self, Collation};
use millpond_types::sql_type::MaxLen;

use super::accumulate::{GroupState, aggregate};
use super::convert::push_text;
use super::text::texts;
use crate::error::SqlResult;

/// Which text of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// Any; in fact the first that came.
    First,
    /// MIN
    Least,
    /// MAX
    Greatest,
}

/// The aggregate that picks.
pub(super) fn pick(pick: Pick, collation: Collation) -> Arc<AggregateUDF> {
    // The length is of no interest: all texts are the same kind of array.
    let text = SqlType::NVarChar { len: MaxLen::Max };
    aggregate("pick", text, false, move || Box::new(Picked { pick, collation, held: Vec::new(), text_bytes: 0 }))
}

struct Picked {
    pick: Pick,
    collation: Collation,
    held: Vec<Option<Box<str>>>,
    text_bytes: usize,
}

impl Picked {
    fn offer(&mut self, group: usize, text: &str) {
        let held = &mut self.held[group];
        let better = match held {
            None => true,
            Some(held) => match self.pick {
                Pick::First => false,
                Pick::Least => collation::compare(text, held, self.collation).is_lt(),
                Pick::Greatest => collation::compare(text, held, self.collation).is_gt(),
            },
        };
        if better {
            self.text_bytes += text.len();
            self.text_bytes -= held.as_ref().map_or(0, |held| held.len());
            *held = Some(Box::from(text));
        }
    }

    fn take(&mut self, count: usize) -> SqlResult<ArrayRef> {
        let rest = self.held.split_off(count.min(self.held.len()));
        let mut picked = StringBuilder::with_capacity(self.held.len(), self.text_bytes);
        for text in std::mem::replace(&mut self.held, rest) {
            match text {
                Some(text) => {
                    self.text_bytes -= text.len();
                    push_text(&mut picked, &text)?;
                }
                None => picked.append_null(),
            }
        }
        Ok(Arc::new(picked.finish()))
    }
}

impl GroupState for Picked {
    fn resize(&mut self, count: usize) {
        self.held.resize(count.max(self.held.len()), None);
    }

    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        let values = texts(values)?;
        for row in 0..values.len() {
            if values.is_valid(row)
                && let Some(group) = group_of(row)
            {
                self.offer(group, values.value(row));
            }
        }
        Ok(())
    }

    fn results(&mut self, count: usize) -> SqlResult<ArrayRef> {
        self.take(count)
    }

    fn state(&mut self, count: usize) -> SqlResult<Vec<ArrayRef>> {
        Ok(vec![self.take(count)?])
    }

    fn merge(&mut self, states: &[ArrayRef], group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        self.update(&states[0], group_of)
    }

    fn state_types(&self) -> Vec<DataType> {
        vec![DataType::Utf8]
    }

    fn count(&self) -> usize {
        self.held.len()
    }

    fn bytes(&self) -> usize {
        self.held.capacity() * size_of::<Option<Box<str>>>() + self.text_bytes
    }
}
