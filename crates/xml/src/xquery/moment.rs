//! `xs:date`, `xs:dateTime` and `xs:time`: their texts, and what they are ordered by.

/// Which of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MomentKind {
    /// `2001-05-20`
    Date,
    /// `2001-05-20T10:30:00.5`
    DateTime,
    /// `10:30:00.5`
    Time,
}

/// A date or time. Without zone it is UTC where one with a zone is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Which of the three.
    pub kind: MomentKind,
    /// As it is written.
    pub text: String,
    /// Ticks of 100 ns, UTC, that order it among its kind.
    pub ticks: i128,
}

const TICKS_PER_SECOND: i128 = 10_000_000;
const SECONDS_PER_DAY: i128 = 86_400;

impl Moment {
    /// Reads one.
    #[must_use]
    pub fn parse(kind: MomentKind, text: &str) -> Option<Moment> {
        let text = text.trim_matches(crate::chars::is_space);
        let mut reader = Reader { rest: text };
        let mut ticks = 0;
        if kind != MomentKind::Time {
            ticks += reader.date()? * SECONDS_PER_DAY * TICKS_PER_SECOND;
        }
        if kind == MomentKind::DateTime {
            reader.sign("T")?;
        }
        if kind != MomentKind::Date {
            ticks += reader.time()?;
        }
        ticks -= reader.zone()? * 60 * TICKS_PER_SECOND;
        reader.rest.is_empty().then(|| Moment { kind, text: text.to_owned(), ticks })
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn sign(&mut self, sign: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(sign)?;
        Some(())
    }

    fn number(&mut self, digits: usize) -> Option<i128> {
        let (number, rest) = self.rest.split_at_checked(digits)?;
        self.rest = rest;
        number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok())?
    }

    /// Days from the first day of the year 1 on.
    fn date(&mut self) -> Option<i128> {
        let year = self.number(4)?;
        self.sign("-")?;
        let month = self.number(2)?;
        self.sign("-")?;
        let day = self.number(2)?;
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => return None,
        };
        if year == 0 || !(1..=days).contains(&day) {
            return None;
        }
        // A year that begins in March.
        let (shifted, moved) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let before = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400;
        Some(before + (153 * moved + 2) / 5 + day - 307)
    }

    fn time(&mut self) -> Option<i128> {
        let hour = self.number(2)?;
        self.sign(":")?;
        let minute = self.number(2)?;
        self.sign(":")?;
        let second = self.number(2)?;
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let mut ticks = (hour * 3600 + minute * 60 + second) * TICKS_PER_SECOND;
        if let Some(fraction) = self.rest.strip_prefix('.') {
            let len = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
            if len == 0 {
                return None;
            }
            let digits = format!("{:0<7}", &fraction[..len.min(7)]);
            ticks += digits.parse::<i128>().ok()?;
            self.rest = &fraction[len..];
        }
        Some(ticks)
    }

    /// Minutes of the zone.
    fn zone(&mut self) -> Option<i128> {
        if self.sign("Z").is_some() || self.rest.is_empty() {
            return Some(0);
        }
        let sign = if self.sign("-").is_some() { -1 } else { self.sign("+").map(|()| 1)? };
        let hours = self.number(2)?;
        self.sign(":")?;
        let minutes = self.number(2)?;
        (hours <= 14 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_ordered_in_time() {
        let ticks = |kind, text| Moment::parse(kind, text).map(|moment| moment.ticks);
        assert_eq!(ticks(MomentKind::Date, "0001-01-01"), Some(0));
        assert_eq!(ticks(MomentKind::Date, "1970-01-01"), Some(719_162 * 86_400 * TICKS_PER_SECOND));
        assert_eq!(
            ticks(MomentKind::DateTime, "2001-05-20T10:30:00+02:00"),
            ticks(MomentKind::DateTime, "2001-05-20T08:30:00Z")
        );
        assert_eq!(ticks(MomentKind::Time, "00:00:00.5"), Some(TICKS_PER_SECOND / 2));
        for (kind, bad) in [
            (MomentKind::Date, "2001-02-29"),
            (MomentKind::Date, "2001-13-01"),
            (MomentKind::Date, "01-01-01"),
            (MomentKind::Date, "2001-01-01x"),
            (MomentKind::DateTime, "2001-01-01"),
            (MomentKind::DateTime, "2001-01-01 10:00:00"),
            (MomentKind::Time, "24:00:00"),
            (MomentKind::Time, "10:00:00."),
            (MomentKind::Time, "é0:00:00"),
        ] {
            assert_eq!(ticks(kind, bad), None, "{bad}");
        }
    }
}
