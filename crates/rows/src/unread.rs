//! Values beyond its record that a change of a row does not read: the record keeps their pointers, or they change in a part
//! (`UPDATE … SET column.WRITE(…)`), at the cost of that part.
//!
//! What always holds:
//! - U1: a value is left unread only where nothing that the statement does asks for it ([`read_columns`], decided when it
//!   is bound). In the row an empty value stands for it, which is not NULL.
//! - U2: a part begins and ends where characters do. Where it does not, the value is read as a whole, and what
//!   [`builtin::text::write`] makes of it is stored.
//!
//! [`builtin::text::write`]: millpond_builtin::text::write

use millpond_bind::{BoundChange, Change};
use millpond_builtin::eval::{Rows, eval};
use millpond_builtin::text::write::{self, ReplacedRange};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::large::{Large, OldValues, Part, all};
use millpond_catalog::run::Run;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_txn::SessionWork;
use millpond_types::row::{VALUE_BYTES_MAX, value_to_bytes};
use millpond_types::{LobPointer, SqlType, Value};

/// What becomes of a value that was not read.
enum Outcome {
    /// The column gets another one.
    Replaced,
    PartChanged(Part),
}

/// The values of one row that were not read.
#[derive(Default)]
pub struct Unread<'a> {
    large: Option<Large<'a>>,
    columns: Vec<(usize, LobPointer)>,
    outcomes: Vec<(usize, Outcome)>,
}

impl<'a> Unread<'a> {
    /// Decodes a record to a row; what lies beyond it is read only in the columns `reads`.
    pub fn of_record(
        large: &Large<'a>,
        record: &[u8],
        reads: Option<&[bool]>,
        row: &mut Vec<Value>,
    ) -> SqlResult<Unread<'a>> {
        let mut space = Vec::new();
        let Some(reads) = reads.filter(|_| large.layout.may_overflow()) else {
            let record = large.whole(record, &all, &mut space)?;
            large.layout.decode(record, row).map_err(message::of_row)?;
            return Ok(Unread::default());
        };
        let mut columns = large.pointers(record)?;
        columns.retain(|(column, _)| !reads[*column]);
        let record = large.whole(record, &|column| reads[column], &mut space)?;
        large.layout.decode(record, row).map_err(message::of_row)?;
        for (column, _) in &columns {
            row[*column] = stand_in(&large.layout.types()[*column]);
        }
        Ok(Unread { large: Some(*large), columns, outcomes: Vec::new() })
    }

    /// Whether everything was read.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The row's column gets a value; true when that is done here.
    pub fn store(
        &mut self,
        ctx: &RunContext,
        (column, value): (usize, &BoundExpr),
        input: &[Value],
        new: &mut [Value],
    ) -> SqlResult<bool> {
        let Some((_, pointer)) = self.columns.iter().find(|(unread, _)| *unread == column) else { return Ok(false) };
        let (Some(large), Some([_, with, offset, length])) = (self.large, written(value)) else {
            self.outcomes.push((column, Outcome::Replaced));
            return Ok(false);
        };
        let with = eval(with, ctx, Rows::of(input))?;
        let (offset, length) = (eval(offset, ctx, Rows::of(input))?, eval(length, ctx, Rows::of(input))?);
        let sql = &large.layout.types()[column];
        let outcome = match part_of(&large, sql, *pointer, &with, &offset, &length)? {
            Some(part) => Outcome::PartChanged(part),
            None => {
                let args = [read_whole(&large, sql, *pointer)?, with, offset, length];
                new[column] = ctx.hold(write::write(ctx.watch(), &args, sql))?;
                Outcome::Replaced
            }
        };
        self.outcomes.push((column, outcome));
        Ok(true)
    }

    /// Before the row's record is made: values that stay are fixed, those that change in a part are changed.
    pub fn settle(&self, large: &Large<'_>, work: &mut SessionWork, before: &mut OldValues<'_>) -> SqlResult<()> {
        for (column, _) in &self.columns {
            match self.outcomes.iter().find(|(decided, _)| decided == column) {
                None => before.fix(*column),
                Some((_, Outcome::Replaced)) => {}
                Some((_, Outcome::PartChanged(part))) => large.change_part(work, before, *column, part)?,
            }
        }
        Ok(())
    }
}

/// The arguments of a value that is `column.WRITE(…)`: old value, value, offset, length.
fn written(value: &BoundExpr) -> Option<&[BoundExpr; 4]> {
    match &value.kind {
        Kind::Function(def, args) if std::ptr::eq(*def, &raw const write::WRITE) => args[..].try_into().ok(),
        _ => None,
    }
}

/// The empty value: it is not NULL, and is what a value becomes that a change leaves nothing of.
fn stand_in(sql: &SqlType) -> Value {
    match sql {
        SqlType::VarBinary { .. } => Value::binary(&[]),
        _ => Value::str(""),
    }
}

fn read_whole(large: &Large<'_>, sql: &SqlType, pointer: LobPointer) -> SqlResult<Value> {
    let bytes = usize::try_from(pointer.len_bytes()).unwrap_or(usize::MAX);
    if bytes > VALUE_BYTES_MAX {
        return Err(message::out_of_memory());
    }
    let mut stored = vec![0; bytes];
    large.read_at(pointer, 0, &mut stored)?;
    millpond_types::row::value_from_bytes(sql, &stored).map_err(message::of_row)
}

/// The part of a stored value that WRITE replaces; none where it does not begin and end with characters (U2).
fn part_of(
    large: &Large<'_>,
    sql: &SqlType,
    pointer: LobPointer,
    with: &Value,
    offset: &Value,
    length: &Value,
) -> SqlResult<Option<Part>> {
    let unit = if sql.is_unicode() { 2 } else { 1 };
    let total = usize::try_from(pointer.len_bytes() / unit).unwrap_or(usize::MAX);
    let place = ReplacedRange::of(offset, length, total, !with.is_null())?;
    for at in [place.start, place.end] {
        if at > 0 && at < total && !begins_character(large, sql, pointer, at as u64 * unit)? {
            return Ok(None);
        }
    }
    let mut bytes = Vec::new();
    if !with.is_null() {
        value_to_bytes(sql, with, &mut bytes).map_err(message::of_row)?;
    }
    Ok(Some(Part { range: place.start as u64 * unit..place.end as u64 * unit, bytes }))
}

/// Whether a character begins at a byte inside a stored value.
fn begins_character(large: &Large<'_>, sql: &SqlType, pointer: LobPointer, at: u64) -> SqlResult<bool> {
    if sql.is_unicode() {
        let mut unit = [0; 2];
        large.read_at(pointer, at, &mut unit)?;
        return Ok(!(0xDC00..0xE000).contains(&u16::from_le_bytes(unit)));
    }
    if sql.is_utf8() {
        let mut byte = [0];
        large.read_at(pointer, at, &mut byte)?;
        return Ok(byte[0] & 0xC0 != 0x80);
    }
    // In the midst of a text the first byte of two cannot be distinguished from the second.
    Ok(!sql.is_multi_byte())
}

/// Columns of the target whose old values an UPDATE or DELETE reads (U1); none where it is to read them all.
pub fn read_columns(bound: &BoundChange, predicates: &[BoundExpr]) -> Option<Box<[bool]>> {
    let def = &bound.def;
    if !def.layout.may_overflow() || def.in_memory || bound.check.is_some() {
        return None;
    }
    let width = def.columns.len();
    let mut reads = vec![false; width];
    let mut mark = |expr: &BoundExpr, first: usize| {
        expr.visit(&mut |node| {
            if let Kind::Column(column) = node.kind
                && let Some(column) = column.checked_sub(first)
                && column < width
            {
                reads[column] = true;
            }
        });
    };
    predicates.iter().for_each(|predicate| mark(predicate, bound.first));
    if let Change::Update { columns, values, assign, .. } = &bound.change {
        for (column, value) in columns.iter().zip(values) {
            let is_own = |old: &BoundExpr| matches!(old.kind, Kind::Column(at) if at == bound.first + column);
            match written(value) {
                Some([old, args @ ..]) if is_own(old) => args.iter().for_each(|arg| mark(arg, bound.first)),
                _ => mark(value, bound.first),
            }
        }
        for item in assign {
            mark(&item.value, if item.column.is_some() { 0 } else { bound.first });
        }
    }
    for item in bound.output.iter().flat_map(|output| &output.items) {
        [0, width, 2 * width + bound.first].into_iter().for_each(|first| mark(item, first));
    }
    if let Change::Update { checks, .. } = &bound.change {
        checks.iter().for_each(|place| mark(&def.checks[*place].expr, 0));
    }
    for index in &def.indexes {
        index.filter.iter().for_each(|(_, filter)| mark(filter, 0));
    }
    for (index, column) in def.columns.iter().enumerate() {
        if let Some(computed) = &column.computed {
            mark(&computed.expr, 0);
            mark(&BoundExpr::column(index, column.ty), 0);
        }
    }
    for index in &def.indexes {
        index.key.iter().for_each(|key| reads[key.column] = true);
        if !index.holds_rows() {
            index.stored.iter().for_each(|column| reads[*column] = true);
        }
    }
    def.foreign_keys.iter().flat_map(|key| &key.columns).for_each(|column| reads[*column] = true);
    def.columns.iter().zip(&mut reads).for_each(|(column, reads)| *reads |= column.trims);
    Some(reads.into())
}
