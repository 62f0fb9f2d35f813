//! CREATE and ALTER SEQUENCE. A changed definition has a counter of its own, so that a rollback finds the old one as it
//! was and no session that draws numbers waits for a row that a transaction has locked.

use std::sync::Arc;

use millpond_catalog::{CatalogObject, ObjectId, SequenceDef, SequenceState};
use millpond_engine::settled;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_names::declared::declared_scalar;
use millpond_tsql::ast::{ObjectName, Sequence, SequenceBound, SequenceCache};
use millpond_types::SqlType;
use parking_lot::Mutex;

use crate::exec::batch::BatchRun;
use crate::exec::ddl::objects;
use crate::exec::ddl::objects::of_current_database;
use millpond_rights::new_object::NewObject;

/// CACHE where nothing is said.
const CACHE_DEFAULT: u32 = 50;

pub(in crate::exec) fn sequence(run: &mut BatchRun<'_>, sequence: &Sequence) -> SqlResult<()> {
    of_current_database(&sequence.name, if sequence.alter { "ALTER" } else { "CREATE" }, "sequence")?;
    if sequence.alter { alter_sequence(run, sequence) } else { create_sequence(run, sequence) }
}

fn create_sequence(run: &mut BatchRun<'_>, sequence: &Sequence) -> SqlResult<()> {
    if sequence.restart.is_some() {
        return Err(SqlError::of(11_709, 1, &[]));
    }
    let last = sequence.name.last().clone();
    objects::defining(run, &last, |run| {
        let home = objects::home_of(run, &sequence.name, NewObject::Sequence)?;
        let declared =
            sequence.data_type.as_ref().map(|written| declared_scalar(&run.ctx, None, written)).transpose()?;
        // A table's type is none of numbers.
        let sql = declared.map_or(SqlType::BigInt, |sql| sql.unwrap_or(SqlType::Variant));
        let (least, most) = bounds(&sql)?;
        let increment = narrow(sequence.increment.unwrap_or(1), &sequence.name)?;
        let min = bound(sequence.min_value, least, &sequence.name)?;
        let max = bound(sequence.max_value, most, &sequence.name)?;
        let first = if increment > 0 { min } else { max };
        let start = sequence.start.map_or(Ok(first), |start| narrow(start, &sequence.name))?;
        let id = home.dictionary.catalog().next_object_id();
        objects::lock_new(run, &home.dictionary, id, &last)?;
        let state = SequenceState { first: start, last: None, reserved: None };
        let def = SequenceDef {
            id,
            schema: home.schema,
            name: last.clone(),
            sql,
            start,
            increment,
            min,
            max,
            cycle: sequence.cycle.unwrap_or(false),
            cache: cache(sequence.cache, CACHE_DEFAULT),
            counter: id,
            state: Arc::new(Mutex::new(state)),
        };
        check(&def, (least, most), &sequence.name)?;
        if !(min..=max).contains(&start) {
            return Err(start_out_of_range(&sequence.name));
        }
        store_sequence(run, &home.dictionary, def)
    })
}

fn alter_sequence(run: &mut BatchRun<'_>, sequence: &Sequence) -> SqlResult<()> {
    match (&sequence.data_type, sequence.start) {
        (Some(_), _) => return Err(SqlError::of(11_711, 1, &[&"AS"])),
        (_, Some(_)) => return Err(SqlError::of(11_710, 1, &[&"START WITH"])),
        _ => {}
    }
    let last = sequence.name.last().clone();
    objects::defining(run, &last, |run| {
        let dictionary = settled::dictionary_of(&run.ctx, &sequence.name)?;
        let old = loop {
            let Some(CatalogObject::Sequence(def)) = settled::find_object(&run.ctx, &sequence.name)? else {
                return Err(message::invalid_object(&sequence.name.shown()));
            };
            objects::lock_new(run, &dictionary, def.id, &last)?;
            // Another may have changed or dropped it while this one waited.
            match settled::find_object(&run.ctx, &sequence.name)? {
                Some(CatalogObject::Sequence(now)) if now.id == def.id => break now,
                _ => {}
            }
        };
        let def = altered(&old, sequence, ObjectId(-dictionary.catalog().next_object_id().0))?;
        store_sequence(run, &dictionary, def)
    })
}

fn store_sequence(
    run: &mut BatchRun<'_>,
    dictionary: &millpond_catalog::dictionary::Dictionary,
    def: SequenceDef,
) -> SqlResult<()> {
    run.ctx.engine.databases().on_own_account(|io| dictionary.new_counter(io, def.counter))?;
    let times = objects::times_now(run);
    objects::with_io(run, |io| dictionary.put_sequence(io, &Arc::new(def), times))
}

/// The sequence as ALTER makes it.
fn altered(old: &SequenceDef, sequence: &Sequence, counter: ObjectId) -> SqlResult<SequenceDef> {
    let name = &sequence.name;
    let (least, most) = bounds(&old.sql)?;
    let mut state = SequenceState { reserved: None, ..*old.state.lock() };
    let or_old = |written: Option<SequenceBound>, old: i64, of_type: i64| match written {
        None => Ok(old),
        written => bound(written, of_type, name),
    };
    if let Some(restart) = sequence.restart {
        let first = restart.map_or(Ok(old.start), |first| narrow(first, name))?;
        state = SequenceState { first, last: None, reserved: None };
    }
    let def = SequenceDef {
        id: old.id,
        schema: old.schema.clone(),
        name: old.name.clone(),
        sql: old.sql,
        start: old.start,
        increment: sequence.increment.map_or(Ok(old.increment), |increment| narrow(increment, name))?,
        min: or_old(sequence.min_value, old.min, least)?,
        max: or_old(sequence.max_value, old.max, most)?,
        cycle: sequence.cycle.unwrap_or(old.cycle),
        cache: cache(sequence.cache, old.cache),
        counter,
        state: Arc::new(Mutex::new(state)),
    };
    check(&def, (least, most), name)?;
    let current = state.last.unwrap_or(state.first);
    if !(def.min..=def.max).contains(&current) {
        if sequence.restart.is_some() {
            return Err(start_out_of_range(name));
        }
        return Err(SqlError::of(11_704, 1, &[&current, &name.shown()]));
    }
    Ok(def)
}

fn narrow(value: i128, name: &ObjectName) -> SqlResult<i64> {
    i64::try_from(value).map_err(|_| start_out_of_range(name))
}

fn bound(written: Option<SequenceBound>, of_type: i64, name: &ObjectName) -> SqlResult<i64> {
    match written {
        Some(SequenceBound::Value(value)) => narrow(value, name),
        _ => Ok(of_type),
    }
}

fn cache(written: Option<SequenceCache>, otherwise: u32) -> u32 {
    match written {
        Some(SequenceCache::Size(size)) => size,
        Some(SequenceCache::None) => 0,
        Some(SequenceCache::Default) => CACHE_DEFAULT,
        None => otherwise,
    }
}

/// 11700, 11701, 11705, 11703
fn check(def: &SequenceDef, (least, most): (i64, i64), name: &ObjectName) -> SqlResult<()> {
    let shown = name.shown();
    if def.increment == 0 {
        return Err(SqlError::of(11_700, 1, &[&shown]));
    }
    if def.min >= def.max {
        return Err(SqlError::of(11_705, 1, &[&shown]));
    }
    if def.min < least || def.max > most {
        return Err(start_out_of_range(name));
    }
    if def.increment.unsigned_abs() > def.max.abs_diff(def.min) {
        return Err(SqlError::of(11_701, 1, &[&shown]));
    }
    Ok(())
}

/// Least and greatest value of a sequence's type.
fn bounds(sql: &SqlType) -> SqlResult<(i64, i64)> {
    Ok(match sql {
        SqlType::TinyInt => (0, 255),
        SqlType::SmallInt => (i64::from(i16::MIN), i64::from(i16::MAX)),
        SqlType::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
        SqlType::BigInt => (i64::MIN, i64::MAX),
        SqlType::Decimal { precision, scale: 0, .. } if *precision <= 18 => {
            let most = 10_i64.pow(u32::from(*precision)) - 1;
            (-most, most)
        }
        _ => {
            return Err(SqlError::of(11702, 2, &[]));
        }
    })
}

/// 11703
fn start_out_of_range(name: &ObjectName) -> SqlError {
    SqlError::of(11703, 1, &[&name.shown()])
}
