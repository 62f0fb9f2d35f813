//! Functions over dates and times. The clock is read once per statement; parts of dates are computed by `types`.
//!
//! A text where a date is wanted is `datetime` in DATEADD, `datetimeoffset(7)` in DATEPART and DATENAME, and
//! `datetime2(7)` elsewhere, but `datetime` beside a number in DATEDIFF; a number is `datetime`, days since 1900. DATEFIRST and DATEFORMAT come from the session.
//! The last argument of TIMEFROMPARTS, DATETIME2FROMPARTS and DATETIMEOFFSETFROMPARTS is the scale of their result
//! ([`of_scale`]).

use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::function_def::Eval;
use millpond_catalog::run::Run;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::of_eval;
use millpond_types::date_functions::{date_add, date_diff, date_diff_big, date_name, date_part, eomonth};
use millpond_types::temporal::parse_legacy_datetime;
use millpond_types::{
    Date, DatePart, DateTime, DateTime2, DateTimeOffset, EvalError, SmallDateTime, SqlType, Time, Value,
};

use crate::args::{int, invalid_argument, nvarchar, strict, text, text_type};
use crate::define::{fixed, of_date_part, pure, strict_eval};
use crate::{FunctionDef, Signature};

const DATETIME2: SqlType = SqlType::DateTime2 { scale: 7 };
const TIME: SqlType = SqlType::Time { scale: 7 };

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    fixed(
        "CURRENT_DATE",
        (0, 0),
        |_| strict(vec![], SqlType::Date),
        |ctx, _, _, _| Ok(Value::Date(ctx.now_local().date)),
    ),
    fixed("GETDATE", (0, 0), |_| strict(vec![], SqlType::DateTime), NOW),
    fixed("CURRENT_TIMESTAMP", (0, 0), |_| strict(vec![], SqlType::DateTime), NOW),
    fixed("GETUTCDATE", (0, 0), |_| strict(vec![], SqlType::DateTime), |ctx, _, _, _| Ok(datetime(ctx.now_utc()))),
    fixed("SYSDATETIME", (0, 0), |_| strict(vec![], DATETIME2), |ctx, _, _, _| Ok(Value::DateTime2(ctx.now_local()))),
    fixed("SYSUTCDATETIME", (0, 0), |_| strict(vec![], DATETIME2), |ctx, _, _, _| Ok(Value::DateTime2(ctx.now_utc()))),
    of_date_part(pure("DATEADD", (3, 3), bind_dateadd, strict_eval!(dateadd))),
    of_date_part(pure(
        "DATEDIFF",
        (3, 3),
        |types| bind_datediff(types, SqlType::Int, "datediff"),
        strict_eval!(|args, _, _| date_diff(part(&args[0]), &args[1], &args[2]).map_err(of_eval)),
    )),
    of_date_part(pure(
        "DATEDIFF_BIG",
        (3, 3),
        |types| bind_datediff(types, SqlType::BigInt, "datediff_big"),
        strict_eval!(|args, _, _| date_diff_big(part(&args[0]), &args[1], &args[2]).map_err(of_eval)),
    )),
    of_date_part(fixed(
        "DATEPART",
        (2, 2),
        |types| strict(vec![SqlType::Int, zoned_type(types[1], "datepart")?], SqlType::Int),
        |ctx, args, _, _| datepart(ctx, args),
    )),
    of_date_part(fixed(
        "DATENAME",
        (2, 2),
        |types| strict(vec![SqlType::Int, zoned_type(types[1], "datename")?], nvarchar(30)),
        |ctx, args, _, _| datename(ctx, args),
    )),
    of_date_part(fixed("DATETRUNC", (2, 2), bind_datetrunc, datetrunc)),
    of_date_part(pure("DATE_BUCKET", (3, 4), bind_date_bucket, strict_eval!(date_bucket))),
    pure("YEAR", (1, 1), |types| one_part(types, "year"), strict_eval!(|args, _, _| fixed_part(DatePart::Year, args))),
    pure(
        "MONTH",
        (1, 1),
        |types| one_part(types, "month"),
        strict_eval!(|args, _, _| fixed_part(DatePart::Month, args)),
    ),
    pure("DAY", (1, 1), |types| one_part(types, "day"), strict_eval!(|args, _, _| fixed_part(DatePart::Day, args))),
    pure("EOMONTH", (1, 2), bind_eomonth, |_, args, _, _| end_of_month(args)),
    pure(
        "DATEFROMPARTS",
        (3, 3),
        |_| strict(vec![SqlType::Int; 3], SqlType::Date),
        strict_eval!(|args, _, _| constructed(date_of(args).map(Value::Date), "date")),
    ),
    pure(
        "DATETIMEFROMPARTS",
        (7, 7),
        |_| strict(vec![SqlType::Int; 7], SqlType::DateTime),
        strict_eval!(datetime_from_parts),
    ),
    pure(
        "SMALLDATETIMEFROMPARTS",
        (5, 5),
        |_| strict(vec![SqlType::Int; 5], SqlType::SmallDateTime),
        strict_eval!(smalldatetime_from_parts),
    ),
    pure(
        "DATETIME2FROMPARTS",
        (8, 8),
        |_| strict(vec![SqlType::Int; 8], DATETIME2),
        strict_eval!(datetime2_from_parts),
    ),
    pure(
        "DATETIMEOFFSETFROMPARTS",
        (10, 10),
        |_| strict(vec![SqlType::Int; 10], SqlType::DateTimeOffset { scale: 7 }),
        strict_eval!(datetimeoffset_from_parts),
    ),
    pure("TIMEFROMPARTS", (5, 5), |_| strict(vec![SqlType::Int; 5], TIME), strict_eval!(time_from_parts)),
    fixed("ISDATE", (1, 1), bind_isdate, isdate),
];

const NOW: Eval = |ctx, _, _, _| Ok(datetime(ctx.now_local()));

/// NULL only where the clock stands before 1753.
fn datetime(value: DateTime2) -> Value {
    DateTime::from_datetime2(value).map_or(Value::Null, Value::DateTime)
}

/// The parts by their number in a bound call.
const PARTS: [DatePart; 15] = [
    DatePart::Year,
    DatePart::Quarter,
    DatePart::Month,
    DatePart::DayOfYear,
    DatePart::Day,
    DatePart::Week,
    DatePart::Weekday,
    DatePart::Hour,
    DatePart::Minute,
    DatePart::Second,
    DatePart::Millisecond,
    DatePart::Microsecond,
    DatePart::Nanosecond,
    DatePart::TzOffset,
    DatePart::IsoWeek,
];

/// Every part stands at its own number.
const _: () = {
    let mut i = 0;
    while i < PARTS.len() {
        assert!(PARTS[i] as usize == i);
        i += 1;
    }
};

fn part(value: &Value) -> DatePart {
    usize::try_from(int(value)).ok().and_then(|index| PARTS.get(index).copied()).expect("the binder gave a date part")
}

/// The type that an argument is converted to where a date is wanted.
fn date_type(given: Option<SqlType>, position: usize, function: &str) -> SqlResult<SqlType> {
    match given {
        None => Ok(SqlType::DateTime),
        Some(ty) if ty.is_temporal() => Ok(ty),
        Some(ty) if ty.is_string() => Ok(DATETIME2),
        Some(ty) if ty.is_numeric() => Ok(SqlType::DateTime),
        Some(_) => Err(invalid_argument(given, position, function)),
    }
}

/// The type for DATEPART and DATENAME: the zone of a text is one of its parts.
fn zoned_type(given: Option<SqlType>, function: &str) -> SqlResult<SqlType> {
    match given {
        Some(text) if text.is_string() => Ok(SqlType::DateTimeOffset { scale: 7 }),
        other => date_type(other, 2, function),
    }
}

fn bind_dateadd(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let date = match types[2] {
        Some(text) if text.is_string() => SqlType::DateTime,
        other => date_type(other, 3, "dateadd")?,
    };
    match types[1] {
        Some(count) if count.is_temporal() || count.is_string() || count == SqlType::UniqueIdentifier => {
            Err(invalid_argument(types[1], 2, "dateadd"))
        }
        _ => strict(vec![SqlType::Int, SqlType::Int, date], date),
    }
}

fn bind_datediff(types: &[Option<SqlType>], result: SqlType, function: &str) -> SqlResult<Signature> {
    let is_number = |given: Option<SqlType>| given.is_none_or(|ty| ty.is_numeric());
    let of = |at: usize, other: usize| match types[at] {
        Some(bytes) if bytes.is_binary() => Ok(SqlType::DateTime),
        // Beside a number, which is a `datetime`, a text is one too.
        Some(text) if text.is_string() && is_number(types[other]) => Ok(SqlType::DateTime),
        given => date_type(given, at + 1, function),
    };
    strict(vec![SqlType::Int, of(1, 2)?, of(2, 1)?], result)
}

fn bind_datetrunc(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let date = match types[1] {
        Some(number) if number.is_numeric() => {
            return Err(invalid_argument(types[1], 2, "datetrunc"));
        }
        other => date_type(other, 2, "datetrunc")?,
    };
    strict(vec![SqlType::Int, date], date)
}

fn bind_date_bucket(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    let date = match types[2] {
        Some(other) if !other.is_temporal() => return Err(invalid_argument(types[2], 3, "date_bucket")),
        other => date_type(other, 3, "date_bucket")?,
    };
    let params = [SqlType::Int, SqlType::BigInt, date, date];
    strict(params[..types.len()].to_vec(), date)
}

fn one_part(types: &[Option<SqlType>], function: &str) -> SqlResult<Signature> {
    strict(vec![date_type(types[0], 1, function)?], SqlType::Int)
}

fn bind_eomonth(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    match types[0] {
        Some(ty) if !ty.is_string() && (!ty.is_temporal() || matches!(ty, SqlType::Time { .. })) => {
            Err(invalid_argument(types[0], 1, "eomonth"))
        }
        _ => strict([SqlType::Date, SqlType::Int][..types.len()].to_vec(), SqlType::Date),
    }
}

fn bind_isdate(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    match types[0] {
        Some(SqlType::Date | SqlType::Time { .. } | SqlType::DateTime2 { .. }) => {
            Err(invalid_argument(types[0], 1, "isdate"))
        }
        other => strict(vec![text_type(other)], SqlType::Int),
    }
}

fn dateadd(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    date_add(part(&args[0]), int(&args[1]), &args[2]).map_err(of_eval)
}

fn datepart(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    if args[1].is_null() {
        return Ok(Value::Null);
    }
    date_part(part(&args[0]), &args[1], ctx.facts().settings.datefirst).map_err(of_eval)
}

fn datename(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    if args[1].is_null() {
        return Ok(Value::Null);
    }
    let settings = &ctx.facts().settings;
    date_name(part(&args[0]), &args[1], settings.datefirst, settings.language).map_err(of_eval)
}

fn fixed_part(part: DatePart, args: &[Value]) -> SqlResult<Value> {
    date_part(part, &args[0], millpond_types::temporal::DATE_FIRST_DEFAULT).map_err(of_eval)
}

/// A value's day and time of day; a `time` is of no day.
fn date_and_time(value: &Value) -> (Option<Date>, Time) {
    match *value {
        Value::Date(date) => (Some(date), Time { ticks: 0 }),
        Value::Time(time) => (None, time),
        Value::DateTime2(both) => (Some(both.date), both.time),
        Value::DateTime(datetime) => both_of(datetime.to_datetime2()),
        Value::SmallDateTime(datetime) => both_of(datetime.to_datetime2()),
        _ => unreachable!("bound as a date or time"),
    }
}

fn both_of(both: DateTime2) -> (Option<Date>, Time) {
    (Some(both.date), both.time)
}

fn datetrunc(ctx: &dyn Run, args: &[Value], params: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    if args[1].is_null() {
        return Ok(Value::Null);
    }
    let part = part(&args[0]);
    let unsupported = || {
        of_eval(EvalError::DatePartUnsupported {
            part: part.name(),
            function: "datetrunc",
            type_name: params[1].name(),
        })
    };
    if fraction_digits(part) > params[1].precision_scale().1 {
        return Err(unsupported());
    }
    if let Value::DateTimeOffset(date) = args[1] {
        return at_offset(date, args, params, |args| datetrunc(ctx, args, params, &params[1]));
    }
    let (date, time) = date_and_time(&args[1]);
    let cut = match time_unit_ticks(part) {
        Some(unit) if !matches!(args[1], Value::Date(_)) => (date, Time { ticks: time.ticks - time.ticks % unit }),
        Some(_) => return Err(unsupported()),
        None => {
            let date = date.ok_or_else(unsupported)?;
            let first = first_day(part, date, ctx.facts().settings.datefirst).ok_or_else(unsupported)?;
            (Some(Date::from_days(first).ok_or_else(|| date_overflow(params[1].name()))?), Time { ticks: 0 })
        }
    };
    rebuilt(cut, &args[1]).ok_or_else(|| date_overflow(params[1].name()))
}

/// The digits of a second that a value must have to be cut at a part.
fn fraction_digits(part: DatePart) -> u8 {
    match part {
        DatePart::Millisecond => 3,
        DatePart::Microsecond => 6,
        _ => 0,
    }
}

/// The beginning of the bucket that holds a date; buckets are so many parts wide and one begins at the origin.
fn date_bucket(args: &[Value], params: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    if let Value::DateTimeOffset(date) = args[2] {
        return at_offset(date, args, params, |args| date_bucket(args, params, &params[2]));
    }
    let (part, width, date) = (part(&args[0]), int(&args[1]), &args[2]);
    let timed = matches!(part, DatePart::Hour | DatePart::Minute | DatePart::Second | DatePart::Millisecond);
    let dated = matches!(part, DatePart::Year | DatePart::Quarter | DatePart::Month | DatePart::Week | DatePart::Day);
    let fits = match date {
        Value::Date(_) => dated,
        Value::Time(_) => timed,
        _ => dated || timed,
    };
    if !fits {
        return Err(of_eval(EvalError::DatePartUnsupported {
            part: part.name(),
            function: "date_bucket",
            type_name: params[2].name(),
        }));
    }
    if width <= 0 {
        return Err(SqlError::of(9834, 1, &[]));
    }
    let origin = match args.get(3) {
        Some(origin) => origin.clone(),
        None => {
            let first = Date::from_civil(1900, 1, 1).ok_or_else(|| date_overflow(params[2].name()))?;
            let midnight = (Some(first), Time { ticks: 0 });
            rebuilt(midnight, date).ok_or_else(|| date_overflow(params[2].name()))?
        }
    };
    let overflow = || date_overflow(params[2].name());
    let (from, to) = (full_datetime(&origin), full_datetime(date));
    match part {
        DatePart::Year => month_bucket((from, to), width.checked_mul(12)),
        DatePart::Quarter => month_bucket((from, to), width.checked_mul(3)),
        DatePart::Month => month_bucket((from, to), Some(width)),
        _ => tick_bucket((from, to), i128::from(width) * i128::from(unit_ticks(part))),
    }
    .and_then(|start| rebuilt((Some(start.date), start.time), date))
    .ok_or_else(overflow)
}

/// A day and its time; a `time` is of 1900-01-01.
fn full_datetime(value: &Value) -> DateTime2 {
    let (date, time) = date_and_time(value);
    DateTime2 { date: date.unwrap_or(Date::DEFAULT), time }
}

/// Ticks of a bucket's unit, all of one length.
fn unit_ticks(part: DatePart) -> u64 {
    match part {
        DatePart::Week => 7 * Time::TICKS_PER_DAY,
        DatePart::Day => Time::TICKS_PER_DAY,
        shorter => time_unit_ticks(shorter).unwrap_or(1),
    }
}

/// The beginning of the bucket of so many ticks that holds `to`, one beginning at `from`.
fn tick_bucket((from, to): (DateTime2, DateTime2), width_ticks: i128) -> Option<DateTime2> {
    let (origin, at) = (i128::from(from.total_ticks()), i128::from(to.total_ticks()));
    let start = origin + (at - origin).div_euclid(width_ticks) * width_ticks;
    DateTime2::from_total_ticks(i64::try_from(start).ok()?)
}

/// The same in months: a bucket begins on the origin's day of a month, or on the month's last day.
fn month_bucket((from, to): (DateTime2, DateTime2), width: Option<i64>) -> Option<DateTime2> {
    let width = width?;
    let month_of = |datetime: DateTime2| {
        let (year, month, _) = datetime.date.civil();
        i64::from(year) * 12 + i64::from(month)
    };
    let start_of = |bucket: i64| match date_add(DatePart::Month, bucket.checked_mul(width)?, &Value::DateTime2(from)) {
        Ok(Value::DateTime2(start)) => Some(start),
        _ => None,
    };
    let bucket = (month_of(to) - month_of(from)).div_euclid(width);
    // The bucket of this month may begin later in it.
    match start_of(bucket) {
        Some(start) if start <= to => Some(start),
        _ => start_of(bucket - 1),
    }
}

/// What `compute` makes of the local times, at the offset of `date`.
fn at_offset(
    date: DateTimeOffset,
    args: &[Value],
    params: &[SqlType],
    compute: impl FnOnce(&[Value]) -> SqlResult<Value>,
) -> SqlResult<Value> {
    let local = |arg: &Value| match arg {
        Value::DateTimeOffset(date) => Value::DateTime2(date.local()),
        other => other.clone(),
    };
    let locals: Vec<Value> = args.iter().map(local).collect();
    let Value::DateTime2(computed) = compute(&locals)? else { unreachable!("of the type of the date") };
    let overflow = || date_overflow(params.last().map_or("datetimeoffset", SqlType::name));
    DateTimeOffset::from_local(computed, date.offset_minutes).map(Value::DateTimeOffset).ok_or_else(overflow)
}

/// Ticks of a part of the day.
fn time_unit_ticks(part: DatePart) -> Option<u64> {
    match part {
        DatePart::Hour => Some(36_000_000_000),
        DatePart::Minute => Some(600_000_000),
        DatePart::Second => Some(10_000_000),
        DatePart::Millisecond => Some(10_000),
        DatePart::Microsecond => Some(10),
        _ => None,
    }
}

/// The day (since 0001-01-01) on which the part of this date begins.
fn first_day(part: DatePart, date: Date, date_first: u8) -> Option<i32> {
    let (year, month, _) = date.civil();
    let start = |month| Date::from_civil(year, month, 1).map(|first| first.days);
    // 0001-01-01 was a Monday, day 1 of DATEFIRST's count.
    let since = |first_weekday: u8| (date.days - (i32::from(first_weekday) - 1)).rem_euclid(7);
    match part {
        DatePart::Year => start(1),
        DatePart::Quarter => start((month - 1) / 3 * 3 + 1),
        DatePart::Month => start(month),
        DatePart::DayOfYear | DatePart::Day => Some(date.days),
        DatePart::Week => Some(date.days - since(date_first)),
        DatePart::IsoWeek => Some(date.days - since(1)),
        _ => None,
    }
}

/// The date and time as a value of the same type as `like`.
fn rebuilt((date, time): (Option<Date>, Time), like: &Value) -> Option<Value> {
    let both = DateTime2 { date: date.unwrap_or_default(), time };
    match like {
        Value::Date(_) => Some(Value::Date(both.date)),
        Value::Time(_) => Some(Value::Time(time)),
        Value::DateTime(_) => DateTime::from_datetime2(both).map(Value::DateTime),
        Value::SmallDateTime(_) => SmallDateTime::from_datetime2(both).map(Value::SmallDateTime),
        _ => Some(Value::DateTime2(both)),
    }
}

fn date_overflow(type_name: &'static str) -> SqlError {
    of_eval(EvalError::DateAddOverflow { type_name })
}

/// The last day of the month, some months away.
/// NULL months are none.
fn end_of_month(args: &[Value]) -> SqlResult<Value> {
    let Value::Date(date) = args[0] else { return Ok(Value::Null) };
    let months = args.get(1).filter(|months| !months.is_null());
    let last = eomonth(date, months.map_or(0, int));
    last.map(Value::Date).ok_or_else(|| date_overflow("date"))
}

/// 289: parts that make no value.
fn constructed(value: Option<Value>, type_name: &str) -> SqlResult<Value> {
    value.ok_or_else(|| SqlError::of(289, 1, &[&type_name]))
}

/// A part as a number that is not negative.
fn number(value: &Value) -> Option<u32> {
    u32::try_from(int(value)).ok()
}

fn date_of(parts: &[Value]) -> Option<Date> {
    Date::from_civil(i32::try_from(number(&parts[0])?).ok()?, number(&parts[1])?, number(&parts[2])?)
}

fn datetime_from_parts(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let build = || {
        let milliseconds = number(&args[6]).filter(|ms| *ms < 1000)?;
        let time = Time::from_hms(number(&args[3])?, number(&args[4])?, number(&args[5])?, milliseconds * 1_000_000)?;
        DateTime::from_datetime2(DateTime2 { date: date_of(args)?, time }).map(Value::DateTime)
    };
    constructed(build(), "datetime")
}

fn smalldatetime_from_parts(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let build = || {
        let time = Time::from_hms(number(&args[3])?, number(&args[4])?, 0, 0)?;
        SmallDateTime::from_datetime2(DateTime2 { date: date_of(args)?, time }).map(Value::SmallDateTime)
    };
    constructed(build(), "smalldatetime")
}

fn datetime2_from_parts(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    check_precision(&args[7])?;
    let build = || Some(Value::DateTime2(DateTime2 { date: date_of(args)?, time: time_of(&args[3..])? }));
    constructed(build(), "datetime2")
}

fn datetimeoffset_from_parts(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    check_precision(&args[9])?;
    let build = || {
        // The fraction's scale stands after the offset.
        let time = time_of(&[args[3].clone(), args[4].clone(), args[5].clone(), args[6].clone(), args[9].clone()])?;
        let (hours, minutes) = (int(&args[7]), int(&args[8]));
        let have_one_sign = hours.signum() * minutes.signum() >= 0;
        let offset = hours.checked_mul(60)?.checked_add(minutes).and_then(|offset| i16::try_from(offset).ok());
        let offset = offset.filter(|offset| have_one_sign && minutes.abs() < 60 && offset.abs() <= 14 * 60)?;
        DateTimeOffset::from_local(DateTime2 { date: date_of(args)?, time }, offset).map(Value::DateTimeOffset)
    };
    constructed(build(), "datetimeoffset")
}

/// The type of a call whose last argument says the scale.
///
/// # Errors
/// 10760 for a scale that is no integer constant, 1002 for one above 7.
pub(crate) fn of_scale(args: &[BoundExpr], result: SqlType) -> SqlResult<SqlType> {
    let constant = match args.last().map(|arg| &arg.kind) {
        Some(Kind::Literal(value @ Value::Int(_))) => value,
        _ => {
            return Err(SqlError::of(10_760, 1, &[&result.name()]));
        }
    };
    check_precision(constant)?;
    let scale = int(constant) as u8;
    Ok(match result {
        SqlType::Time { .. } => SqlType::Time { scale },
        SqlType::DateTime2 { .. } => SqlType::DateTime2 { scale },
        _ => SqlType::DateTimeOffset { scale },
    })
}

fn time_from_parts(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    check_precision(&args[4])?;
    constructed(time_of(args).map(Value::Time), "time")
}

/// 1002 where the precision is none of 0 to 7.
fn check_precision(precision: &Value) -> SqlResult<()> {
    if (0..=7).contains(&int(precision)) {
        return Ok(());
    }
    Err(SqlError::of(1002, 1, &[&int(precision)]))
}

/// Hour, minute, second, fraction, precision: the fraction counts in units of 10^-precision seconds.
fn time_of(parts: &[Value]) -> Option<Time> {
    let (fraction, precision) = (number(&parts[3])?, number(&parts[4])?);
    if fraction >= 10u32.pow(precision) {
        return None;
    }
    let nanoseconds = fraction * 10u32.pow(9 - precision);
    Time::from_hms(number(&parts[0])?, number(&parts[1])?, number(&parts[2])?, nanoseconds)
}

/// Whether the text is a `datetime` in the session's DATEFORMAT.
fn isdate(ctx: &dyn Run, args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    // An empty text becomes a date where it is converted, and is none.
    if args[0].is_null() || text(&args[0]).trim().is_empty() {
        return Ok(Value::Int(0));
    }
    // What `datetime` itself does not read: more digits than milliseconds, a zone, a year before 1753.
    let read = parse_legacy_datetime(text(&args[0]), ctx.cast_rules().dates());
    let is_date = read.is_ok_and(|read| {
        read.fraction_digits <= 3 && read.offset_minutes.is_none() && DateTime::from_datetime2(read.value).is_some()
    });
    Ok(Value::Int(i32::from(is_date)))
}
