//! What the sessions of a server waited for.

use millpond_types::Value;

use super::numbers;
use crate::failure::{Doing, LabError};
use crate::link::Link;

/// Waits of the server's own threads for work: no session waits for them.
const IDLE: [&str; 5] =
    ["LAZYWRITER_SLEEP", "LOGMGR_QUEUE", "CHECKPOINT_QUEUE", "DIRTY_PAGE_POLL", "SLEEP_BPOOL_FLUSH"];

/// Waits of one type, in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wait {
    pub(super) name: String,
    pub(super) ms: f64,
    /// Of them those for a processor, after what was waited for had come.
    pub(super) signal_ms: f64,
}

/// What was waited so far, by type.
pub(super) fn waits(link: &mut Link) -> Result<Vec<Wait>, LabError> {
    let names = "select wait_type from sys.dm_os_wait_stats order by wait_type";
    let answer = link.batch(names).doing(names)?;
    let names = answer.tables.first().map_or(&[][..], |table| &table.rows[..]);
    let times = "select cast(wait_time_ms as float), cast(signal_wait_time_ms as float) from sys.dm_os_wait_stats \
         order by wait_type";
    let times = numbers(link, times)?;
    let wait = |(name, times): (&Vec<Value>, Vec<f64>)| Wait {
        name: name[0].as_str().unwrap_or_default().to_owned(),
        ms: times[0],
        signal_ms: times[1],
    };
    Ok(names.iter().zip(times).map(wait).collect())
}

/// What the waits of sessions grew by, the largest first.
pub(super) fn grown(before: &[Wait], after: Vec<Wait>) -> Vec<Wait> {
    let since = |wait: Wait| match before.iter().find(|known| known.name == wait.name) {
        Some(base) => Wait { ms: wait.ms - base.ms, signal_ms: wait.signal_ms - base.signal_ms, ..wait },
        None => wait,
    };
    let mut grown: Vec<Wait> = after.into_iter().map(since).collect();
    grown.retain(|wait| wait.ms > 0.0 && !IDLE.contains(&wait.name.as_str()));
    grown.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    grown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_reported_by_their_growth() {
        let wait = |(name, ms): (&str, f64)| Wait { name: name.to_owned(), ms, signal_ms: ms / 2.0 };
        let before = [("A", 10.0), ("B", 5.0), ("LAZYWRITER_SLEEP", 0.0)].map(wait);
        let after = [("A", 11.0), ("B", 5.0), ("C", 7.0), ("LAZYWRITER_SLEEP", 60.0)].map(wait);
        assert_eq!(grown(&before, after.to_vec()), [("C", 7.0), ("A", 1.0)].map(wait));
    }
}
