//! `sys.dm_millpond_history(@from, @to, @step_s)`: what the server did, by intervals.
//!
//! What always holds: a total is what it grew in the interval, a level its average; both are NULL where nothing was recorded. NULL as
//! a bound is all that there is, NULL as a step one that suits. The growth of a span does not depend on the step.

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_history::each_figure;
use millpond_history::figure::Figure;
use millpond_history::series::{self, Interval};
use millpond_message::error::SqlResult;
use millpond_types::{DateTime2, Value};

use super::{asked, reader, time, unreadable};
use crate::columns::{big, int};
use crate::row::{Rows, row, table_function};

const US_PER_S: f64 = 1e6;

/// The types of columns by the kinds of figures.
#[expect(non_camel_case_types, reason = "the names are those of kinds in the list of figures")]
mod kinds {
    pub(super) type total = Option<i64>;
    pub(super) type level = Option<f64>;
}

macro_rules! value {
    (total, $interval:expr, $figure:expr) => {
        $interval.total($figure).map(big)
    };
    (level, $interval:expr, $figure:expr) => {
        $interval.level($figure)
    };
}

macro_rules! history {
    ($($(#[$doc:meta])* $kind:ident $name:ident,)*) => {
        row! {
            /// A row of `sys.dm_millpond_history`.
            struct DmMillpondHistory {
                begin_time_utc: DateTime2,
                end_time_utc: DateTime2,
                covered_s: f64,
                down_s: f64,
                starts: i32,
                crashes: i32,
                $($(#[$doc])* $name: kinds::$kind,)*
            }
        }

        fn row_of(interval: &Interval) -> DmMillpondHistory {
            DmMillpondHistory {
                begin_time_utc: time(interval.begin_us),
                end_time_utc: time(interval.end_us),
                covered_s: interval.covered_us as f64 / US_PER_S,
                down_s: interval.down_us as f64 / US_PER_S,
                starts: int(interval.starts),
                crashes: int(interval.crashes),
                $($name: value!($kind, interval, Figure::$name),)*
            }
        }
    };
}

each_figure!(history);

/// `sys.dm_millpond_history(@from, @to, @step_s)`
pub static DM_MILLPOND_HISTORY: TableFunctionDef = table_function!(
    "sys",
    "dm_millpond_history",
    [DateTime2, DateTime2, i32],
    optional 0,
    DmMillpondHistory,
    rows
);

fn rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmMillpondHistory>> {
    let Some(mut reader) = reader(ctx)? else { return Ok(Rows::new()) };
    let (range, step_s) = asked(args);
    let series = series::read(&mut reader, range, step_s).map_err(|error| unreadable(&error))?;
    Ok(series.intervals.iter().map(row_of).collect())
}
