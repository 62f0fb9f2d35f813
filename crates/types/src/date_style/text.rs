//! CONVERT's styles: what each reads of a text.
//!
//! A style without a number (or 0) reads what `parse` reads, in the session's order. Every other one reads dates without
//! separators, dates whose month has a name, and times alone; dates of three numbers it reads in its own layout alone, which
//! is one for `datetime` and `smalldatetime` and another for the newer types ([`LAYOUTS`]). The years of a style with the
//! century have four digits, those of one without it two. Knows no session and no target type beyond these two kinds.

use crate::date_style::DATETIME_STYLE_DEFAULT;
use crate::temporal::Date;
use crate::temporal::parse::{
    DateOrder, DateRules, DateTextError, ParsedDateTime, Parts, Separated, civil, full_year, parse_datetime,
    parse_islamic_datetime, parse_legacy_datetime, parts,
};

/// The style of ISO 8601 with a `Z`.
const UTC_STYLE: i32 = 127;

/// The dates of three numbers that a style reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// None.
    Nothing,
    /// Numbers in an order, the year of as many digits.
    Numbers(DateOrder, usize),
    /// `yyyy-mm-dd`, with hyphens, and a `T` before a time.
    Iso,
}

use DateOrder::{Dmy, Mdy, Ymd};
use Layout::{Iso, Nothing, Numbers};

/// Styles, what they read as `datetime` and `smalldatetime`, and as the newer types. Where the older types have four digits, the
/// year may lead too: month and day then follow in the style's order.
const LAYOUTS: &[(&[i32], Layout, Layout)] = &[
    (&[1, 10], Numbers(Mdy, 2), Numbers(Mdy, 2)),
    (&[2, 11], Numbers(Ymd, 2), Numbers(Ymd, 2)),
    (&[3, 4, 5], Numbers(Dmy, 2), Numbers(Dmy, 2)),
    (&[22], Nothing, Numbers(Mdy, 2)),
    (&[101, 110], Numbers(Mdy, 4), Numbers(Mdy, 4)),
    (&[103, 104, 105], Numbers(Dmy, 4), Numbers(Dmy, 4)),
    (&[20, 21, 102, 111, 120, 121], Numbers(Mdy, 4), Numbers(Ymd, 4)),
    (&[23, 25], Nothing, Numbers(Ymd, 4)),
    (&[126, UTC_STYLE], Iso, Numbers(Ymd, 4)),
    (&[6, 7, 8, 9, 12, 13, 14, 24, 100, 106, 107, 108, 109, 112, 113, 114], Nothing, Nothing),
];

/// Reads a text in a style, as `datetime` and `smalldatetime` do (`is_legacy`) or as the newer types.
///
/// # Errors
/// [`DateTextError`]; `Style` where the text is a date of numbers and the style reads none.
pub fn parse_styled_datetime(
    text: &str,
    style: i32,
    is_legacy: bool,
    rules: DateRules,
) -> Result<ParsedDateTime, DateTextError> {
    let known = LAYOUTS.iter().find(|(styles, _, _)| styles.contains(&style));
    match (style, known) {
        (130 | 131, _) => parse_islamic_datetime(text),
        (_, Some(&(_, layout, _))) if is_legacy => legacy(parts(text, rules.language)?, style, layout, rules),
        (_, Some(&(_, _, layout))) => newer(parts(text, rules.language)?, layout, rules),
        (DATETIME_STYLE_DEFAULT, None) if is_legacy => parse_legacy_datetime(text, rules),
        (DATETIME_STYLE_DEFAULT, None) => parse_datetime(text, rules),
        // No style of the manual's: the text is read in the order of us_english.
        (_, None) => parse_datetime(text, DateRules { order: Mdy, ..rules }),
    }
}

/// `datetime` and `smalldatetime` know a `T` in the styles of ISO 8601 alone, and a `Z` in the one that writes it.
fn legacy(parts: Parts, style: i32, layout: Layout, rules: DateRules) -> Result<ParsedDateTime, DateTextError> {
    if parts.has_z && style != UTC_STYLE {
        return Err(DateTextError::Syntax);
    }
    if parts.has_t && layout != Iso {
        // SQL Server takes the text of a style with the century for a date that is out of range.
        let has_century = matches!(layout, Numbers(_, 4));
        return Err(if has_century { DateTextError::OutOfRange } else { DateTextError::Syntax });
    }
    let Some(separated) = parts.separated else {
        return if style == UTC_STYLE { Err(DateTextError::Syntax) } else { parts.finish(rules, false) };
    };
    if layout == Iso && parts.time.is_some() && !parts.has_t {
        return Err(DateTextError::Syntax);
    }
    let date = date_of(separated, layout, true, rules.cutoff)?;
    Ok(parts.on(date))
}

/// The newer types know an ISO date with its `T` in every style.
fn newer(parts: Parts, layout: Layout, rules: DateRules) -> Result<ParsedDateTime, DateTextError> {
    let Some(separated) = parts.separated else {
        return parts.finish(rules, false);
    };
    let is_iso = parts.has_t && separated.separator == b'-' && separated.numbers[0].digits == 4;
    let layout = if is_iso { Iso } else { layout };
    let date = date_of(separated, layout, false, rules.cutoff)?;
    Ok(parts.on(date))
}

fn date_of(of: Separated, layout: Layout, may_lead: bool, cutoff: u16) -> Result<Date, DateTextError> {
    let leads = of.numbers[0].digits == 4;
    let (order, digits) = match layout {
        Nothing => return Err(DateTextError::Style),
        Iso if of.separator == b'-' && leads => (Ymd, 4),
        Iso => return Err(DateTextError::Syntax),
        Numbers(Mdy, 4) if may_lead && leads => (Ymd, 4),
        Numbers(Dmy, 4) if may_lead && leads => (DateOrder::Ydm, 4),
        Numbers(order, digits) => (order, digits),
    };
    let [year, month, day] = order.year_month_day(of.numbers);
    let is_wide_enough = if digits == 4 { year.digits == 4 } else { year.digits <= 2 };
    if !is_wide_enough || month.digits > 2 || day.digits > 2 {
        return Err(DateTextError::Syntax);
    }
    civil(full_year(year, cutoff)?, month.value, day.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, style: i32, is_legacy: bool) -> Result<(i32, u32, u32), DateTextError> {
        parse_styled_datetime(text, style, is_legacy, DateOrder::Mdy.into()).map(|parsed| parsed.value.date.civil())
    }

    /// One style per line of the manual's table is enough where a line of [`LAYOUTS`] holds several.
    #[test]
    fn a_style_reads_its_own_layout() {
        use DateTextError::{OutOfRange, Style, Syntax};
        for (text, style, older, newer) in [
            ("01/02/99", 1, Ok((1999, 1, 2)), Ok((1999, 1, 2))),
            ("01/02/1999", 1, Err(Syntax), Err(Syntax)),
            ("1999-01-02", 1, Err(Syntax), Err(Syntax)),
            ("99.01.02", 2, Ok((1999, 1, 2)), Ok((1999, 1, 2))),
            ("01/02/1999", 2, Err(Syntax), Err(Syntax)),
            ("01/02/99", 2, Err(OutOfRange), Err(OutOfRange)),
            ("02/01/99", 3, Ok((1999, 1, 2)), Ok((1999, 1, 2))),
            ("02/01/1999", 3, Err(Syntax), Err(Syntax)),
            ("01/02/99", 22, Err(Style), Ok((1999, 1, 2))),
            ("01/02/1999", 101, Ok((1999, 1, 2)), Ok((1999, 1, 2))),
            ("01/02/99", 101, Err(Syntax), Err(Syntax)),
            ("1999.01.02", 101, Ok((1999, 1, 2)), Err(Syntax)),
            ("2003-04-05", 103, Ok((2003, 5, 4)), Err(Syntax)),
            ("2003.04.05", 104, Ok((2003, 5, 4)), Err(Syntax)),
            ("13/05/2026", 103, Ok((2026, 5, 13)), Ok((2026, 5, 13))),
            ("05/13/2026", 103, Err(OutOfRange), Err(OutOfRange)),
            ("2026-05-13", 120, Ok((2026, 5, 13)), Ok((2026, 5, 13))),
            ("05/13/2026", 120, Ok((2026, 5, 13)), Err(Syntax)),
            ("2026-05-13", 23, Err(Style), Ok((2026, 5, 13))),
            ("2026-05-13", 126, Ok((2026, 5, 13)), Ok((2026, 5, 13))),
            ("2026/05/13", 126, Err(Syntax), Ok((2026, 5, 13))),
            ("05/13/2026", 112, Err(Style), Err(Style)),
            ("02/01/1999", 13, Err(Style), Err(Style)),
            ("01/02/1999", 100, Err(Style), Err(Style)),
        ] {
            assert_eq!(read(text, style, true), older, "{text} in {style}, older types");
            assert_eq!(read(text, style, false), newer, "{text} in {style}, newer types");
        }
    }

    #[test]
    fn all_styles_but_127_read_what_has_one_meaning() {
        for style in LAYOUTS.iter().flat_map(|(styles, _, _)| *styles) {
            for (text, expected) in [
                ("19990102", (1999, 1, 2)),
                ("990102", (1999, 1, 2)),
                ("Jan 2 1999", (1999, 1, 2)),
                ("2 Jan 1999 10:00AM", (1999, 1, 2)),
                ("10:20:30", (1900, 1, 1)),
            ] {
                let older = if *style == UTC_STYLE { Err(DateTextError::Syntax) } else { Ok(expected) };
                assert_eq!(read(text, *style, true), older, "{text} in {style}, older types");
                assert_eq!(read(text, *style, false), Ok(expected), "{text} in {style}, newer types");
            }
        }
    }

    #[test]
    fn t_and_z_belong_to_iso_8601() {
        use DateTextError::{OutOfRange, Syntax};
        let day = Ok((1999, 1, 2));
        for (text, style, older) in [
            ("1999-01-02T10:00:00", 0, day),
            ("1999-01-02T10:00:00Z", 0, day),
            ("1999-01-02T10:00:00", 126, day),
            ("1999-01-02T10:00:00Z", 126, Err(Syntax)),
            ("1999-01-02 10:00:00", 126, Err(Syntax)),
            ("1999-01-02T10:00:00Z", 127, day),
            ("1999-01-02T10:00:00", 101, Err(OutOfRange)),
            ("1999-01-02T10:00:00", 1, Err(Syntax)),
            ("1999-01-02T10:00:00", 112, Err(Syntax)),
        ] {
            assert_eq!(read(text, style, true), older, "{text} in {style}, older types");
            assert_eq!(read(text, style, false), day, "{text} in {style}, newer types");
        }
    }
}
