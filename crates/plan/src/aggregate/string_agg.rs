//! STRING_AGG.
//!
//! ```text
//!   one order for all, or none      rows are sorted below the aggregate ─▶ a text per group, which grows
//!   several orders                  items with their places, held by group and sorted at the end
//! ```
//! J1: what is held of a group is its text alone, unless there are several orders. J2: a state is an item itself: the
//! separator, and the texts so far; states of a group are joined in the order in which they came. J3: groups are put aside
//! as those of other aggregates are; a text without groups is held, and the sort below leaves it most of the memory.

use std::io::Write;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BinaryBuilder, StringArray};
use datafusion::arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::{AggregateUDF, Expr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use millpond_message::error::{SqlError, SqlResult};
use millpond_spill::SpillSortExec;
use millpond_types::collation::Collation;
use millpond_types::sql_type::MaxLen;
use millpond_types::text::page_len;
use millpond_types::{KeyOrder, SqlType, Value, append_key};

use crate::aggregate::accumulate::{GroupState, aggregate, take};
use crate::aggregate::collect::one_state_each;
use crate::expression::convert::{ColumnBuilder, ColumnReader, fits, push_bytes};
use crate::expression::{function, text};
use crate::run::failure;

const NAME: &str = "STRING_AGG";

/// Bytes of a result that is not `(max)`.
const TEXT_BYTES_MAX: usize = 8000;
/// Texts below that grow as they like.
const SHORT_BYTES: usize = 64 << 10;

/// How a key of WITHIN GROUP orders.
pub(crate) struct ItemKey {
    pub(crate) sql: SqlType,
    pub(crate) collation: Collation,
    pub(crate) descending: bool,
}

/// A value of STRING_AGG with its separator and its place: length of the key, key, length of the separator, separator,
/// text. The expressions are text, separator and the keys' values.
pub(crate) fn item(exprs: Vec<Expr>, keys: Vec<ItemKey>) -> Expr {
    function::array_call("string_agg_item", exprs, DataType::Binary, move |args| {
        let (texts, separators) = (text::texts(&args[0])?, text::texts(&args[1])?);
        let readers = args[2..]
            .iter()
            .zip(&keys)
            .map(|(array, key)| ColumnReader::new(array, &key.sql))
            .collect::<SqlResult<Vec<ColumnReader<'_>>>>()?;
        let mut items = BinaryBuilder::new();
        let (mut item, mut place) = (Vec::new(), Vec::new());
        for row in 0..texts.len() {
            if texts.is_null(row) {
                items.append_null();
                continue;
            }
            place.clear();
            for (reader, key) in readers.iter().zip(&keys) {
                let order = if key.descending { KeyOrder::Descending } else { KeyOrder::Ascending };
                append_key(&reader.value(row), key.collation, order, &mut place);
            }
            let separator = if separators.is_null(row) { "" } else { separators.value(row) };
            item.clear();
            append_part(&mut item, &place)?;
            append_part(&mut item, separator.as_bytes())?;
            item.extend_from_slice(texts.value(row).as_bytes());
            push_bytes(&mut items, &item)?;
        }
        Ok(Arc::new(items.finish()) as ArrayRef)
    })
}

fn append_part(to: &mut Vec<u8>, part: &[u8]) -> SqlResult<()> {
    let length = u32::try_from(part.len()).map_err(|_| failure::out_of_memory())?;
    to.extend(length.to_le_bytes());
    to.extend_from_slice(part);
    Ok(())
}

/// The first part and what follows.
fn part(bytes: &[u8]) -> SqlResult<(&[u8], &[u8])> {
    let broken = || failure::internal("a part of STRING_AGG is cut off");
    let (length, rest) = bytes.split_at_checked(4).ok_or_else(broken)?;
    let length = u32::from_le_bytes(length.try_into().map_err(|_| broken())?);
    rest.split_at_checked(length as usize).ok_or_else(broken)
}

fn no_text() -> SqlError {
    failure::internal("STRING_AGG of what is no text")
}

/// 9829
fn check_length(result: &SqlType, text: &[u8]) -> SqlResult<()> {
    let units = |count: fn(&str) -> usize| std::str::from_utf8(text).map(count).map_err(|_| no_text());
    let bytes = match result {
        SqlType::NVarChar { len: MaxLen::Limited(_) } => units(|text| 2 * text.encode_utf16().count())?,
        SqlType::VarChar { len: MaxLen::Limited(_), page } => {
            std::str::from_utf8(text).map(|text| page_len(text, *page)).map_err(|_| no_text())?
        }
        _ => return Ok(()),
    };
    if bytes <= TEXT_BYTES_MAX {
        return Ok(());
    }
    Err(SqlError::of(9829, 1, &[&8000]))
}

/// The plan with sorts that leave room for a text that is made of their rows (J3).
pub(crate) fn with_room(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let over_sort = |plan: Arc<dyn ExecutionPlan>| {
        let joins = |aggregate: &AggregateExec| {
            aggregate.group_expr().is_empty() && aggregate.aggr_expr().iter().any(|call| call.fun().name() == NAME)
        };
        let is_one = plan.downcast_ref::<AggregateExec>().is_some_and(joins);
        Ok(match if is_one { sort_with_room(&plan)? } else { None } {
            Some(changed) => Transformed::yes(changed),
            None => Transformed::no(plan),
        })
    };
    plan.transform_up(over_sort).data()
}

/// The plan with the sort changed that gives its rows, if one does.
fn sort_with_room(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(sort) = plan.downcast_ref::<SpillSortExec>() {
        return Ok(Some(Arc::new(sort.leaving_memory())));
    }
    let [input] = plan.children()[..] else { return Ok(None) };
    let Some(input) = sort_with_room(input)? else { return Ok(None) };
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Arc::clone(plan).replace_children(vec![input], options).map(Some)
}

/// STRING_AGG over items in the order in which they come.
pub(crate) fn joined(result: SqlType) -> Arc<AggregateUDF> {
    aggregate(NAME, result, false, move || {
        Box::new(Joined { result, separator: Box::default(), groups: Vec::new(), text_bytes: 0 })
    })
}

struct Joined {
    result: SqlType,
    /// It is the same for all items: a literal or a variable.
    separator: Box<[u8]>,
    /// The text of each group; none before its first item.
    groups: Vec<Option<Vec<u8>>>,
    text_bytes: usize,
}

/// Calls `put` for each item with its group.
fn items_of(
    items: &ArrayRef,
    group_of: &dyn Fn(usize) -> Option<usize>,
    mut put: impl FnMut(usize, &[u8]) -> SqlResult<()>,
) -> SqlResult<()> {
    let items: &BinaryArray = items.as_binary();
    for row in 0..items.len() {
        if items.is_valid(row)
            && let Some(group) = group_of(row)
        {
            put(group, items.value(row))?;
        }
    }
    Ok(())
}

/// Makes room for more of a text; a long one has an eighth to spare at most.
fn make_room(text: &mut Vec<u8>, more: usize) {
    if text.len() < SHORT_BYTES {
        text.reserve(more);
    } else if text.capacity() - text.len() < more {
        text.reserve_exact(more.max(text.len() / 8));
    }
}

impl Joined {
    fn put(&mut self, group: usize, item: &[u8]) -> SqlResult<()> {
        let (separator, value) = part(part(item)?.1)?;
        if *self.separator != *separator {
            self.separator = separator.into();
        }
        match &mut self.groups[group] {
            Some(text) => {
                self.text_bytes -= text.capacity();
                make_room(text, separator.len() + value.len());
                text.extend_from_slice(separator);
                text.extend_from_slice(value);
                self.text_bytes += text.capacity();
            }
            none => {
                self.text_bytes += value.len();
                *none = Some(value.to_vec());
            }
        }
        Ok(())
    }

    fn taken(&mut self, count: usize) -> Vec<Option<Vec<u8>>> {
        let taken = take(&mut self.groups, count);
        self.text_bytes -= taken.iter().flatten().map(Vec::capacity).sum::<usize>();
        taken
    }
}

impl GroupState for Joined {
    fn resize(&mut self, count: usize) {
        self.groups.resize(count.max(self.groups.len()), None);
    }

    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        items_of(values, group_of, |group, item| self.put(group, item))
    }

    /// One text alone becomes the array's without a copy.
    fn results(&mut self, count: usize) -> SqlResult<ArrayRef> {
        let taken = self.taken(count);
        let is_text: NullBuffer = taken.iter().map(Option::is_some).collect::<Vec<bool>>().into();
        let (mut all, mut lengths) = (Vec::new(), Vec::with_capacity(taken.len()));
        for text in taken {
            let text = text.unwrap_or_default();
            check_length(&self.result, &text)?;
            lengths.push(text.len());
            if all.is_empty() {
                all = text;
            } else {
                fits(all.len(), text.len())?;
                make_room(&mut all, text.len());
                all.extend_from_slice(&text);
            }
        }
        fits(all.len(), 0)?;
        let texts = StringArray::try_new(OffsetBuffer::from_lengths(lengths), Buffer::from_vec(all), Some(is_text));
        Ok(Arc::new(texts.map_err(|_| no_text())?))
    }

    /// J2
    fn state(&mut self, count: usize) -> SqlResult<Vec<ArrayRef>> {
        let taken = self.taken(count);
        let mut begin = Vec::with_capacity(2 * size_of::<u32>() + self.separator.len());
        append_part(&mut begin, &[])?;
        append_part(&mut begin, &self.separator)?;
        let bytes = taken.iter().flatten().map(|text| begin.len() + text.len()).sum();
        fits(bytes, 0)?;
        let mut states = BinaryBuilder::with_capacity(taken.len(), bytes);
        for text in taken {
            let Some(text) = text else {
                states.append_null();
                continue;
            };
            // Bytes written are a part of the next value.
            states.write_all(&begin).and_then(|()| states.write_all(&text)).map_err(|_| no_text())?;
            states.append_value([]);
        }
        Ok(vec![Arc::new(states.finish())])
    }

    fn state_types(&self) -> Vec<DataType> {
        vec![DataType::Binary]
    }

    fn count(&self) -> usize {
        self.groups.len()
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Option<Vec<u8>>>() + self.text_bytes
    }
}

/// STRING_AGG over items with their places.
pub(crate) fn joined_by_place(result: SqlType) -> Arc<AggregateUDF> {
    aggregate(NAME, result, false, move || Box::new(Placed { result, groups: Vec::new(), item_bytes: 0 }))
}

struct Placed {
    result: SqlType,
    /// Items of each group.
    groups: Vec<Vec<Box<[u8]>>>,
    item_bytes: usize,
}

impl Placed {
    fn take(&mut self, count: usize) -> Vec<Vec<Box<[u8]>>> {
        let taken = take(&mut self.groups, count);
        let bytes: usize = taken.iter().flatten().map(|item| item.len() + size_of::<Box<[u8]>>()).sum();
        self.item_bytes = self.item_bytes.saturating_sub(bytes);
        taken
    }

    fn put(&mut self, group: usize, item: &[u8]) {
        self.item_bytes += item.len() + size_of::<Box<[u8]>>();
        self.groups[group].push(item.into());
    }

    fn text_of(&self, mut items: Vec<Box<[u8]>>) -> SqlResult<Value> {
        if items.is_empty() {
            return Ok(Value::Null);
        }
        let mut failed = None;
        items.sort_by(|left, right| match (part(left), part(right)) {
            (Ok((left, _)), Ok((right, _))) => left.cmp(right),
            (Err(error), _) | (_, Err(error)) => {
                failed.get_or_insert(error);
                std::cmp::Ordering::Equal
            }
        });
        failed.map_or(Ok(()), Err)?;
        let mut text = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let (separator, value) = part(part(item)?.1)?;
            if index > 0 {
                text.extend_from_slice(separator);
            }
            text.extend_from_slice(value);
        }
        check_length(&self.result, &text)?;
        let text = String::from_utf8(text).map_err(|_| no_text())?;
        Ok(Value::str(&text))
    }
}

impl GroupState for Placed {
    fn resize(&mut self, count: usize) {
        self.groups.resize(count.max(self.groups.len()), Vec::new());
    }

    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        items_of(values, group_of, |group, item| {
            self.put(group, item);
            Ok(())
        })
    }

    fn results(&mut self, count: usize) -> SqlResult<ArrayRef> {
        let groups = self.take(count);
        let mut results = ColumnBuilder::new(&self.result, groups.len());
        for items in groups {
            results.push(&self.text_of(items)?)?;
        }
        Ok(results.finish())
    }

    fn state(&mut self, count: usize) -> SqlResult<Vec<ArrayRef>> {
        let state_of = |items: &Vec<Box<[u8]>>| {
            let mut state = Vec::new();
            items.iter().try_for_each(|item| append_part(&mut state, item)).map(|()| state)
        };
        one_state_each(self.take(count).iter().map(state_of))
    }

    fn merge(&mut self, states: &[ArrayRef], group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        let states: &BinaryArray = states[0].as_binary();
        for row in 0..states.len() {
            let Some(group) = group_of(row) else { continue };
            let mut rest = states.value(row);
            while !rest.is_empty() {
                let (item, behind) = part(rest)?;
                self.put(group, item);
                rest = behind;
            }
        }
        Ok(())
    }

    fn state_types(&self) -> Vec<DataType> {
        vec![DataType::Binary]
    }

    fn count(&self) -> usize {
        self.groups.len()
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Vec<Box<[u8]>>>() + self.item_bytes
    }
}
