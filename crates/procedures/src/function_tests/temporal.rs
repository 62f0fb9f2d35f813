//! Dates and times.

use std::sync::Arc;

use super::context::context;
use super::{check, check_errors, run};

#[test]
fn adding_keeps_the_type() {
    check(
        &context(),
        &[
            ("DATEADD(minute, 90, datetime'2024-01-31 23:00:00')", "datetime", "2024-02-01 00:30:00.000"),
            ("DATEADD(month, 1, datetime'2024-01-31')", "datetime", "2024-02-29 00:00:00.000"),
            ("DATEADD(ms, 2, datetime'2024-01-01')", "datetime", "2024-01-01 00:00:00.003"),
            ("DATEADD(day, -1, date'2024-03-01')", "date", "2024-02-29"),
            ("DATEADD(year, 1, date'2024-02-29')", "date", "2025-02-28"),
            ("DATEADD(quarter, 1, date'2024-01-31')", "date", "2024-04-30"),
            ("DATEADD(week, 1, date'2024-01-31')", "date", "2024-02-07"),
            ("DATEADD(hour, 25, smalldatetime'2024-01-01 10:00')", "smalldatetime", "2024-01-02 11:00:00.000"),
            ("DATEADD(hour, 2, time(0)'23:30:00')", "time(0)", "01:30:00"),
            ("DATEADD(day, 1, '2024-01-01')", "datetime", "2024-01-02 00:00:00.000"),
            ("DATEADD(day, 1, 0)", "datetime", "1900-01-02 00:00:00.000"),
            ("DATEADD(day, 1.9, date'2024-01-01')", "date", "2024-01-02"),
            ("DATEADD(day, NULL, date'2024-01-01')", "date", "NULL"),
            ("DATEADD(day, 1, NULL)", "datetime", "NULL"),
            ("DATEADD(nanosecond, 100, datetime2(7)'2024-01-01')", "datetime2(7)", "2024-01-01 00:00:00.0000001"),
        ],
    );
    check_errors(
        &context(),
        &[
            ("DATEADD(year, 9000, datetime'2024-01-01')", 517),
            ("DATEADD(day, bigint'3000000000', datetime'2024-01-01')", 8115),
            ("DATEADD(hour, 1, date'2024-01-01')", 9810),
            ("DATEADD(day, datetime'2024-01-01', datetime'2024-01-01')", 8116),
            ("DATEADD(day, 1, 'tomorrow')", 241),
            ("DATEADD(day, 1, uniqueidentifier'6F9619FF-8B86-D011-B42D-00C04FC964FF')", 8116),
        ],
    );
}

#[test]
fn differences_count_boundaries() {
    check(
        &context(),
        &[
            ("DATEDIFF(year, date'2023-12-31', date'2024-01-01')", "int", "1"),
            ("DATEDIFF(month, date'2024-01-31', date'2024-02-01')", "int", "1"),
            ("DATEDIFF(day, '2024-01-01 23:59', '2024-01-02 00:00')", "int", "1"),
            ("DATEDIFF(day, 0, datetime'2024-01-01')", "int", "45290"),
            ("DATEDIFF(week, date'2024-01-06', date'2024-01-07')", "int", "1"),
            ("DATEDIFF(hour, date'2024-01-01', datetime2(7)'2024-01-02')", "int", "24"),
            ("DATEDIFF(second, time(0)'10:00:00', time(0)'10:01:01')", "int", "61"),
            ("DATEDIFF(minute, datetime'2024-01-01 00:05', datetime'2024-01-01')", "int", "-5"),
            ("DATEDIFF(day, NULL, date'2024-01-01')", "int", "NULL"),
            ("DATEDIFF_BIG(ms, date'2000-01-01', date'2024-01-01')", "bigint", "757382400000"),
        ],
    );
    check_errors(&context(), &[("DATEDIFF(ms, date'2000-01-01', date'2024-01-01')", 535)]);
}

#[test]
fn parts_of_dates() {
    check(
        &context(),
        &[
            ("DATEPART(year, date'2024-07-15')", "int", "2024"),
            ("DATEPART(quarter, date'2024-07-15')", "int", "3"),
            ("DATEPART(dayofyear, date'2024-12-31')", "int", "366"),
            ("DATEPART(weekday, date'2024-07-15')", "int", "2"),
            ("DATEPART(iso_week, date'2021-01-01')", "int", "53"),
            ("DATEPART(week, date'2024-01-07')", "int", "2"),
            ("DATEPART(ms, datetime'2024-01-01 00:00:00.127')", "int", "127"),
            ("DATEPART(hour, '2024-01-01 13:45')", "int", "13"),
            ("DATEPART(year, 0)", "int", "1900"),
            ("DATENAME(month, date'2024-07-15')", "nvarchar(30)", "July"),
            ("DATENAME(weekday, date'2024-07-15')", "nvarchar(30)", "Monday"),
            ("DATENAME(year, date'2024-07-15')", "nvarchar(30)", "2024"),
            ("YEAR('2024-07-15')", "int", "2024"),
            ("MONTH(datetime'2024-07-15 10:00')", "int", "7"),
            ("DAY(date'2024-07-15')", "int", "15"),
            ("YEAR(0)", "int", "1900"),
            ("DAY(NULL)", "int", "NULL"),
        ],
    );
    check_errors(&context(), &[("YEAR('nonsense')", 241), ("DATEPART(hour, date'2024-01-01')", 9810)]);
}

#[test]
fn weeks_begin_where_datefirst_says() {
    let mut ctx = context();
    Arc::make_mut(&mut ctx.facts.settings).datefirst = 1;
    check(
        &ctx,
        &[
            ("DATEPART(weekday, date'2024-07-15')", "int", "1"),
            ("DATETRUNC(week, date'2024-07-17')", "date", "2024-07-15"),
        ],
    );
}

#[test]
fn truncation() {
    check(
        &context(),
        &[
            ("DATETRUNC(year, date'2024-07-15')", "date", "2024-01-01"),
            ("DATETRUNC(quarter, date'2024-08-15')", "date", "2024-07-01"),
            ("DATETRUNC(month, datetime'2024-07-15 10:30')", "datetime", "2024-07-01 00:00:00.000"),
            ("DATETRUNC(week, date'2024-07-17')", "date", "2024-07-14"),
            ("DATETRUNC(iso_week, date'2024-07-14')", "date", "2024-07-08"),
            ("DATETRUNC(day, datetime2(3)'2024-07-15 10:30:01.5')", "datetime2(3)", "2024-07-15 00:00:00.000"),
            ("DATETRUNC(hour, '2021-12-08 11:30:15.1234567')", "datetime2(7)", "2021-12-08 11:00:00.0000000"),
            ("DATETRUNC(ms, datetime2(7)'2021-12-08 11:30:15.1234567')", "datetime2(7)", "2021-12-08 11:30:15.1230000"),
            ("DATETRUNC(minute, time(0)'11:30:15')", "time(0)", "11:30:00"),
            ("DATETRUNC(day, NULL)", "datetime", "NULL"),
        ],
    );
    check_errors(
        &context(),
        &[
            ("DATETRUNC(hour, date'2024-01-01')", 9810),
            ("DATETRUNC(weekday, date'2024-01-01')", 9810),
            ("DATETRUNC(day, time(0)'11:30:15')", 9810),
            ("DATETRUNC(day, 5)", 8116),
        ],
    );
}

#[test]
fn ends_of_months() {
    check(
        &context(),
        &[
            ("EOMONTH(date'2024-02-10')", "date", "2024-02-29"),
            ("EOMONTH('2024-01-31', 1)", "date", "2024-02-29"),
            ("EOMONTH(datetime'2024-01-31 12:00', -2)", "date", "2023-11-30"),
            ("EOMONTH(date'2024-12-01')", "date", "2024-12-31"),
            ("EOMONTH(date'9999-12-01')", "date", "9999-12-31"),
            ("EOMONTH(NULL)", "date", "NULL"),
        ],
    );
    check_errors(
        &context(),
        &[
            ("EOMONTH(date'9999-12-01', 1)", 517),
            ("EOMONTH(date'2024-01-01', -2147483648)", 517),
            ("EOMONTH(date'0001-01-01', -1)", 517),
            ("EOMONTH(5)", 8116),
        ],
    );
}

#[test]
fn construction() {
    check(
        &context(),
        &[
            ("DATEFROMPARTS(2024, 2, 29)", "date", "2024-02-29"),
            ("DATEFROMPARTS(2024, NULL, 29)", "date", "NULL"),
            ("DATETIMEFROMPARTS(2024, 2, 29, 23, 59, 59, 997)", "datetime", "2024-02-29 23:59:59.997"),
            ("SMALLDATETIMEFROMPARTS(2024, 2, 29, 23, 59)", "smalldatetime", "2024-02-29 23:59:00.000"),
            ("DATETIME2FROMPARTS(2024, 2, 29, 23, 59, 59, 5, 1)", "datetime2(7)", "2024-02-29 23:59:59.5000000"),
            ("TIMEFROMPARTS(23, 59, 59, 50, 2)", "time(7)", "23:59:59.5000000"),
            ("TIMEFROMPARTS(23, 59, 59, 0, 0)", "time(7)", "23:59:59.0000000"),
        ],
    );
    check_errors(
        &context(),
        &[
            ("DATEFROMPARTS(2023, 2, 29)", 289),
            ("DATEFROMPARTS(-1, 2, 29)", 289),
            ("DATETIMEFROMPARTS(1700, 2, 2, 0, 0, 0, 0)", 289),
            ("DATETIMEFROMPARTS(2024, 2, 2, 24, 0, 0, 0)", 289),
            ("DATETIMEFROMPARTS(2024, 2, 2, 0, 0, 0, 1000)", 289),
            ("TIMEFROMPARTS(23, 59, 59, 50, 1)", 289),
            ("TIMEFROMPARTS(23, 59, 59, 50, 8)", 1002),
        ],
    );
}

#[test]
fn recognition() {
    check(
        &context(),
        &[
            ("ISDATE('2024-02-29')", "int", "1"),
            ("ISDATE('20240229')", "int", "1"),
            ("ISDATE('2023-02-29')", "int", "0"),
            ("ISDATE('1752-12-31')", "int", "0"),
            ("ISDATE('nonsense')", "int", "0"),
            ("ISDATE('12:30')", "int", "1"),
            ("ISDATE('2024-01-01 00:00:00.1234567')", "int", "0"),
            ("ISDATE('13/01/2024')", "int", "0"),
        ],
    );
    let mut ctx = context();
    Arc::make_mut(&mut ctx.facts.settings).dateformat = *b"dmy";
    check(&ctx, &[("ISDATE('13/01/2024')", "int", "1"), ("ISDATE('01/13/2024')", "int", "0")]);
    check_errors(&context(), &[("ISDATE(date'2024-01-01')", 8116)]);
    // SQL Server says 0, not NULL; the signature would allow NULL here.
    assert_eq!(run(&context(), "ISDATE(NULL)").expect("a value").1, "0");
}

/// One statement has one time.
#[test]
fn the_clock_stands_during_a_statement() {
    let ctx = context();
    let now = run(&ctx, "GETDATE()").expect("a time");
    assert_eq!(now.0, "datetime");
    assert_eq!(now, run(&ctx, "CURRENT_TIMESTAMP").expect("a time"));
    assert!(now.1.as_str() > "2020-01-01", "{}", now.1);
    let precise = run(&ctx, "SYSDATETIME()").expect("a time");
    assert_eq!(precise.0, "datetime2(7)");
    assert_eq!(now.1[..19], precise.1[..19]);
    let utc = run(&ctx, "GETUTCDATE()").expect("a time");
    assert_eq!(utc.1[..19], run(&ctx, "SYSUTCDATETIME()").expect("a time").1[..19]);
}
