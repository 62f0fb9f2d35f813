//! What the server does in sum, now and over the last days.
//!
//! What always holds: the figures are those of `millpond_history`, in its order and by its names; there is no other list of them. Times
//! are of UTC, by the names of their columns: what is compared over days has no hour twice.

pub(crate) mod history;
pub(crate) mod now;
pub(crate) mod parts;
pub(crate) mod state;

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_engine::context::RunContext;
use millpond_history::ring::{FILE_NAME, Range, Reader, RingError};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{DateTime2, Value};

const TICKS_PER_US: i64 = 10;

/// A time of UTC, microseconds since 1970; none for NULL.
fn utc_us(value: Option<&Value>) -> Option<i64> {
    match value {
        Some(Value::DateTime2(at)) => {
            let since_1970 = at.total_ticks() - datetime2_of_unix_us(0).total_ticks();
            Some(since_1970.div_euclid(TICKS_PER_US))
        }
        _ => None,
    }
}

/// The arguments of a function over the history: a range, and the seconds of an interval.
fn asked(args: &[Value]) -> (Range, Option<u64>) {
    let range = Range { from_us: utc_us(args.first()), to_us: utc_us(args.get(1)) };
    let step_s = args.get(2).and_then(Value::as_i64).and_then(|step_s| u64::try_from(step_s).ok());
    (range, step_s.filter(|step_s| *step_s > 0))
}

/// The history of this server; none where nothing is, or was, recorded.
fn reader(ctx: &RunContext) -> SqlResult<Option<Reader>> {
    let Some(dir) = ctx.engine.instance().data_dir() else { return Ok(None) };
    Reader::open(&dir.join(FILE_NAME)).map_err(|error| unreadable(&error))
}

/// 49910
fn unreadable(error: &RingError) -> SqlError {
    SqlError::of(49_910, 1, &[error])
}

fn time(us: i64) -> DateTime2 {
    datetime2_of_unix_us(us)
}
