//! `sys.dm_millpond_history_state`: whether the history is recorded, what it costs, and what is in it.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_history::ring::{FILE_BYTES, FILE_NAME, Range};
use millpond_message::error::SqlResult;
use millpond_types::DateTime2;

use super::{reader, time, unreadable};
use crate::columns::{NVarChar, big, maybe, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_millpond_history_state`.
    struct DmMillpondHistoryState {
        physical_name: Option<NVarChar<260>>,
        is_recording: bool,
        reason: Option<NVarChar<512>>,
        samples_taken: i64,
        sampling_cpu_us: i64,
        size_bytes: i64,
        samples_kept: i64,
        samples_damaged: i64,
        oldest_time_utc: Option<DateTime2>,
        newest_time_utc: Option<DateTime2>,
    }
}

/// `sys.dm_millpond_history_state`: `samples_taken` and `sampling_cpu_us` are since the start, one a second.
pub static DM_MILLPOND_HISTORY_STATE: ViewDef = view("sys", "dm_millpond_history_state", &ViewRows(state));

fn state(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmMillpondHistoryState>> {
    let recording = ctx.engine.recording.report();
    let path = ctx.engine.instance().data_dir().map(|dir| dir.join(FILE_NAME).display().to_string());
    let mut row = DmMillpondHistoryState {
        physical_name: maybe(path.as_deref()),
        is_recording: recording.is_recording,
        reason: maybe(recording.reason.as_deref()),
        samples_taken: big(recording.samples),
        sampling_cpu_us: big(recording.cpu_us),
        size_bytes: 0,
        samples_kept: 0,
        samples_damaged: 0,
        oldest_time_utc: None,
        newest_time_utc: None,
    };
    match reader(ctx) {
        Ok(Some(mut reader)) => {
            let (mut oldest_us, mut newest_us) = (i64::MAX, i64::MIN);
            let health = reader.each(Range::default(), true, |_, slot| {
                (oldest_us, newest_us) = (oldest_us.min(slot.begin_us()), newest_us.max(slot.end_us()));
            });
            let health = health.map_err(|error| unreadable(&error))?;
            row.size_bytes = big(FILE_BYTES);
            row.samples_kept = big(health.samples);
            row.samples_damaged = big(health.damaged);
            row.oldest_time_utc = (health.samples > 0).then(|| time(oldest_us));
            row.newest_time_utc = (health.samples > 0).then(|| time(newest_us));
        }
        Ok(None) => {}
        // Of a file that cannot be read the reason is its state.
        Err(error) => row.reason = Some(text(&error.text)),
    }
    Ok(Rows::one(row))
}
