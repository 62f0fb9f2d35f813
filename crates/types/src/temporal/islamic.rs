//! The tabular Islamic calendar (Hijri), as styles 130 and 131 of CONVERT write and read it: 30 years of 354 days with 11
//! leap days, months of 30 and 29 days in turn.

use crate::temporal::Date;

/// Names of its months, as style 130 writes them.
pub(crate) const ISLAMIC_MONTHS: [&str; 12] = [
    "محرم",
    "صفر",
    "ربيع الاول",
    "ربيع الثاني",
    "جمادى الاولى",
    "جمادى الثانية",
    "رجب",
    "شعبان",
    "رمضان",
    "شوال",
    "ذو القعدة",
    "ذو الحجة",
];

/// 622-07-15 of the Julian calendar, in days since 0001-01-01.
const ISLAMIC_EPOCH_DAYS: i32 = 227_013;

/// Year, month and day of the tabular Islamic calendar; dates before its first day count backwards.
pub(crate) fn islamic(date: Date) -> (i32, u32, u32) {
    const DAYS_PER_CYCLE: i32 = 10_631;
    const YEARS_PER_CYCLE: i32 = 30;
    let days = date.days - ISLAMIC_EPOCH_DAYS;
    let year = (YEARS_PER_CYCLE * days + 10_646).div_euclid(DAYS_PER_CYCLE);
    let day_of_year = days - days_before_islamic_year(year);
    // Months have 30 and 29 days in turn: 29.5 on average.
    let month = ((day_of_year * 2 + 59) / 59).min(12);
    let days_before_month = (59 * (month - 1) + 1) / 2;
    (year, month as u32, (day_of_year - days_before_month) as u32 + 1)
}

/// The date of a day of the tabular Islamic calendar; `None` where there is no such day.
pub(super) fn date_of_islamic(year: i32, month: u32, day: u32) -> Option<Date> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=30).contains(&day) {
        return None;
    }
    let days_before_month = (59 * (month as i32 - 1) + 1) / 2;
    let days = ISLAMIC_EPOCH_DAYS + days_before_islamic_year(year) + days_before_month + day as i32 - 1;
    // The last day of a short month is none.
    Date::from_days(days).filter(|date| islamic(*date) == (year, month, day))
}

/// 354 days a year and 11 leap days in 30 years.
fn days_before_islamic_year(year: i32) -> i32 {
    (year - 1) * 354 + (3 + 11 * year).div_euclid(30)
}
