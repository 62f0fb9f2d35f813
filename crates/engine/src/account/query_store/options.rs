//! The options of a Query Store, as ALTER DATABASE … SET QUERY_STORE says them, and as text.
//!
//! What always holds: an option that is not understood, or stands twice, changes nothing. Whether the store is on is the database's
//! flag; these say how it is when it is on.

use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{NamedOption, OptionValue, whole_number};

/// What a store does, or is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum StoreState {
    /// Nothing; what it has is kept.
    Off = 0,
    /// It shows what it has.
    ReadOnly = 1,
    /// It captures.
    ReadWrite = 2,
    /// What it has cannot be read.
    Error = 3,
}

impl StoreState {
    /// As views show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StoreState::Off => "OFF",
            StoreState::ReadOnly => "READ_ONLY",
            StoreState::ReadWrite => "READ_WRITE",
            StoreState::Error => "ERROR",
        }
    }
}

/// QUERY_CAPTURE_MODE
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CaptureMode {
    /// Every query.
    All = 1,
    /// Those that ran often or long.
    Auto = 2,
    /// No new ones.
    None = 3,
    /// Those of QUERY_CAPTURE_POLICY.
    Custom = 4,
}

impl CaptureMode {
    const ALL: [CaptureMode; 4] = [CaptureMode::All, CaptureMode::Auto, CaptureMode::None, CaptureMode::Custom];

    /// As it is said and shown.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CaptureMode::All => "ALL",
            CaptureMode::Auto => "AUTO",
            CaptureMode::None => "NONE",
            CaptureMode::Custom => "CUSTOM",
        }
    }
}

/// QUERY_CAPTURE_POLICY: a query is kept when one of the first three is reached within the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturePolicy {
    /// EXECUTION_COUNT
    pub executions: u32,
    /// TOTAL_COMPILE_CPU_TIME_MS, milliseconds.
    pub compile_cpu_ms: u32,
    /// TOTAL_EXECUTION_CPU_TIME_MS, milliseconds.
    pub execution_cpu_ms: u32,
    /// STALE_CAPTURE_POLICY_THRESHOLD, hours.
    pub stale_hours: u32,
}

/// All options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// OPERATION_MODE: READ_WRITE, else READ_ONLY.
    pub is_read_write: bool,
    /// DATA_FLUSH_INTERVAL_SECONDS
    pub flush_s: u32,
    /// INTERVAL_LENGTH_MINUTES
    pub interval_min: u32,
    /// MAX_STORAGE_SIZE_MB
    pub max_mb: u32,
    /// STALE_QUERY_THRESHOLD_DAYS; 0: for ever.
    pub stale_days: u32,
    /// MAX_PLANS_PER_QUERY; 0: any number.
    pub max_plans: u32,
    /// QUERY_CAPTURE_MODE
    pub mode: CaptureMode,
    /// QUERY_CAPTURE_POLICY
    pub policy: CapturePolicy,
    /// SIZE_BASED_CLEANUP_MODE = AUTO
    pub cleans_by_size: bool,
    /// WAIT_STATS_CAPTURE_MODE = ON
    pub captures_waits: bool,
}

/// What SQL Server takes for AUTO, and for CUSTOM where nothing is said.
const POLICY: CapturePolicy =
    CapturePolicy { executions: 30, compile_cpu_ms: 1000, execution_cpu_ms: 100, stale_hours: 24 };
/// Lengths of intervals, minutes.
const INTERVALS_MIN: [u32; 7] = [1, 5, 10, 15, 30, 60, 1440];
const FLUSH_LEAST_S: u32 = 60;
const MAX_MB_MOST: u32 = 10_240;
const STALE_HOURS_MOST: u32 = 7 * 24;

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            is_read_write: true,
            flush_s: 900,
            interval_min: 60,
            max_mb: 1000,
            stale_days: 30,
            max_plans: 200,
            mode: CaptureMode::Auto,
            policy: POLICY,
            cleans_by_size: true,
            captures_waits: true,
        }
    }
}

impl StoreOptions {
    /// The policy that holds in its mode; none where the mode asks nothing.
    #[must_use]
    pub fn policy_now(&self) -> Option<CapturePolicy> {
        match self.mode {
            CaptureMode::Auto => Some(POLICY),
            CaptureMode::Custom => Some(self.policy),
            CaptureMode::All | CaptureMode::None => None,
        }
    }

    /// As a line of numbers, which [`StoreOptions::read`] reads.
    #[must_use]
    pub(super) fn text(&self) -> String {
        let StoreOptions { is_read_write, flush_s, interval_min, max_mb, stale_days, max_plans, .. } = *self;
        let CapturePolicy { executions, compile_cpu_ms, execution_cpu_ms, stale_hours } = self.policy;
        let numbers = [
            u32::from(is_read_write),
            flush_s,
            interval_min,
            max_mb,
            stale_days,
            max_plans,
            self.mode as u32,
            executions,
            compile_cpu_ms,
            execution_cpu_ms,
            stale_hours,
            u32::from(self.cleans_by_size),
            u32::from(self.captures_waits),
        ];
        numbers.map(|number| number.to_string()).join(" ")
    }

    /// The inverse of [`StoreOptions::text`].
    pub(super) fn read(text: &str) -> Option<StoreOptions> {
        let mut numbers = text.split(' ').map(|number| number.parse::<u32>().ok());
        let mut next = || numbers.next().flatten();
        Some(StoreOptions {
            is_read_write: next()? != 0,
            flush_s: next()?,
            interval_min: next().filter(|minutes| INTERVALS_MIN.contains(minutes))?,
            max_mb: next()?,
            stale_days: next()?,
            max_plans: next()?,
            mode: next().and_then(|mode| CaptureMode::ALL.into_iter().find(|known| *known as u32 == mode))?,
            policy: CapturePolicy {
                executions: next()?,
                compile_cpu_ms: next()?,
                execution_cpu_ms: next()?,
                stale_hours: next()?,
            },
            cleans_by_size: next()? != 0,
            captures_waits: next()? != 0,
        })
    }
}

/// CLEAR: everything goes; the documentation's ALL says no more.
#[must_use]
pub fn is_clear(option: &NamedOption) -> bool {
    option.is("CLEAR") || option.is("CLEAR ALL")
}

/// Whether the store is on after SET QUERY_STORE, and its options.
///
/// # Errors
/// 5058 for a value that is none, 102 for an option that there is not, 12401 for one that stands twice; 153, 12432, 12445, 12452 and
/// 12453 for values out of bounds.
pub fn changed(was_on: bool, known: StoreOptions, option: &NamedOption) -> SqlResult<(bool, StoreOptions)> {
    let (mut on, mut options) = (was_on, known);
    match &option.value {
        OptionValue::On => (on, options.is_read_write) = (true, true),
        OptionValue::Off => on = false,
        OptionValue::None if !option.details.is_empty() => {}
        _ if is_clear(option) => return Ok((on, options)),
        _ => return Err(SqlError::of(5058, 1, &[&option.name, &" to that value"])),
    }
    check_once("QUERY_STORE", &option.details)?;
    for detail in &option.details {
        change_one(&mut options, &mut on, detail)?;
    }
    Ok((on && !matches!(option.value, OptionValue::Off), options))
}

fn check_once(of: &str, details: &[NamedOption]) -> SqlResult<()> {
    let is_twice = |(place, one): &(usize, &NamedOption)| details[..*place].iter().any(|other| other.name == one.name);
    match details.iter().enumerate().find(is_twice) {
        Some((_, twice)) => Err(SqlError::of(12_401, 2, &[&of, &twice.name])),
        None => Ok(()),
    }
}

fn change_one(options: &mut StoreOptions, on: &mut bool, detail: &NamedOption) -> SqlResult<()> {
    let wrong = || message::syntax_near(&detail.name);
    let word = |words: [&str; 2]| words.iter().position(|word| detail.is(word)).ok_or_else(wrong);
    match detail.name.as_str() {
        "OPERATION_MODE" => {
            options.is_read_write = word(["READ_ONLY", "READ_WRITE"])? == 1;
            *on = true;
        }
        // OFF (FORCED): no query that is captured now is waited for in any case.
        "FORCED" => {}
        "CLEANUP_POLICY" => {
            let [days] = detail.details.as_slice() else { return Err(wrong()) };
            if days.name != "STALE_QUERY_THRESHOLD_DAYS" {
                return Err(message::syntax_near(&days.name));
            }
            options.stale_days = number(days)?;
        }
        "DATA_FLUSH_INTERVAL_SECONDS" => {
            options.flush_s = at_least(number(detail)?, FLUSH_LEAST_S, "flush_interval_seconds")?;
        }
        "INTERVAL_LENGTH_MINUTES" => {
            let minutes = number(detail)?;
            if !INTERVALS_MIN.contains(&minutes) {
                return Err(SqlError::of(12_432, 1, &[]));
            }
            options.interval_min = minutes;
        }
        "MAX_STORAGE_SIZE_MB" => {
            let mb = at_least(number(detail)?, 1, "max_storage_size_mb")?;
            if mb > MAX_MB_MOST {
                return Err(SqlError::of(12_445, 1, &[&mb, &MAX_MB_MOST]));
            }
            options.max_mb = mb;
        }
        "MAX_PLANS_PER_QUERY" => options.max_plans = number(detail)?,
        "SIZE_BASED_CLEANUP_MODE" => options.cleans_by_size = word(["OFF", "AUTO"])? == 1,
        "WAIT_STATS_CAPTURE_MODE" => options.captures_waits = word(["OFF", "ON"])? == 1,
        "QUERY_CAPTURE_MODE" => {
            let mode = CaptureMode::ALL.into_iter().find(|mode| detail.is(mode.name()));
            options.mode = mode.ok_or_else(wrong)?;
        }
        "QUERY_CAPTURE_POLICY" => {
            check_once("QUERY_CAPTURE_POLICY", &detail.details)?;
            detail.details.iter().try_for_each(|one| change_policy(&mut options.policy, one))?;
        }
        _ => return Err(wrong()),
    }
    Ok(())
}

fn change_policy(policy: &mut CapturePolicy, detail: &NamedOption) -> SqlResult<()> {
    let (place, name) = match detail.name.as_str() {
        "STALE_CAPTURE_POLICY_THRESHOLD" => {
            policy.stale_hours = hours(detail)?;
            return Ok(());
        }
        "EXECUTION_COUNT" => (&mut policy.executions, "execution_count"),
        "TOTAL_COMPILE_CPU_TIME_MS" => (&mut policy.compile_cpu_ms, "total_compile_cpu_time_ms"),
        "TOTAL_EXECUTION_CPU_TIME_MS" => (&mut policy.execution_cpu_ms, "total_execution_cpu_time_ms"),
        other => return Err(message::syntax_near(other)),
    };
    let value = number(detail)?;
    if value == 0 {
        return Err(SqlError::of(12_452, 1, &[&value, &"query_capture_policy", &name, &1, &i32::MAX]));
    }
    *place = value;
    Ok(())
}

/// `n [HOURS | DAYS]`; hours where no word stands.
fn hours(detail: &NamedOption) -> SqlResult<u32> {
    let wrong = || {
        SqlError::of(12_453, 1, &[&"query_capture_policy", &"stale_capture_policy_threshold", &1, &"hour", &7, &"days"])
    };
    let hours = match &detail.value {
        OptionValue::Quantity { amount, unit } => {
            let each = match unit.as_str() {
                "HOUR" | "HOURS" => 1,
                "DAY" | "DAYS" => 24,
                other => return Err(message::syntax_near(other)),
            };
            whole_number(amount).and_then(|amount| amount.checked_mul(each))
        }
        OptionValue::Constant(amount) => whole_number(amount),
        _ => None,
    };
    let hours = hours.and_then(|hours| u32::try_from(hours).ok());
    hours.filter(|hours| (1..=STALE_HOURS_MOST).contains(hours)).ok_or_else(wrong)
}

fn number(detail: &NamedOption) -> SqlResult<u32> {
    let value = match &detail.value {
        OptionValue::Constant(expr) => whole_number(expr),
        _ => None,
    };
    let value = value.and_then(|value| i32::try_from(value).ok()).and_then(|value| u32::try_from(value).ok());
    value.ok_or_else(|| message::syntax_near(&detail.name))
}

/// 153, with the name that the view of options has.
fn at_least(value: u32, least: u32, name: &str) -> SqlResult<u32> {
    if value >= least { Ok(value) } else { Err(SqlError::of(153, 5, &[&name, &"ALTER DATABASE"])) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_back_and_nonsense_does_not() {
        let options = StoreOptions {
            is_read_write: false,
            mode: CaptureMode::Custom,
            interval_min: 1440,
            captures_waits: false,
            ..StoreOptions::default()
        };
        assert_eq!(StoreOptions::read(&options.text()), Some(options));
        for nonsense in ["", "1", "1 2 3 4 5 6 7 8 9 10 11 12 13", "x"] {
            assert_eq!(StoreOptions::read(nonsense), None, "{nonsense}");
        }
    }
}
