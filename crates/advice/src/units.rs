//! Figures as sentences have them.

/// A number with commas between thousands.
pub fn count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0 { format!("-{text}") } else { text }
}

/// KB as KB, MB or GB.
pub(crate) fn size(kb: i64) -> String {
    match kb {
        kb if kb >= 10 << 20 => format!("{} GB", count(kb >> 20)),
        kb if kb >= 10 << 10 => format!("{} MB", count(kb >> 10)),
        kb => format!("{} KB", count(kb)),
    }
}

/// Seconds as they are said.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 2.0 * 86_400.0 => format!("{:.0} days", s / 86_400.0),
        s if s >= 2.0 * 3_600.0 => format!("{:.0} hours", s / 3_600.0),
        s if s >= 120.0 => format!("{:.0} minutes", s / 60.0),
        s => format!("{s:.0} seconds"),
    }
}

/// A part of a whole in percent; 0 of nothing.
pub(crate) fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole * 100.0 } else { 0.0 }
}

/// What happened in so many seconds, by the hour. A server that has just started has no rates: its first minute counts as one.
pub(crate) fn per_hour(amount: f64, seconds: f64) -> f64 {
    amount / seconds.max(60.0) * 3_600.0
}

/// A whole number of MB, rounded up.
pub(crate) fn mb_up(kb: i64) -> i64 {
    (kb.max(0) + 1023) / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!((count(1_234_567), count(-12), count(999)), ("1,234,567".into(), "-12".into(), "999".into()));
        assert_eq!((size(512), size(20 << 10), size(64 << 20)), ("512 KB".into(), "20 MB".into(), "64 GB".into()));
        assert_eq!((duration(59.0), duration(600.0)), ("59 seconds".into(), "10 minutes".into()));
        assert_eq!((percent(1.0, 4.0), percent(1.0, 0.0)), (25.0, 0.0));
        assert_eq!((per_hour(10.0, 7_200.0), mb_up(1025)), (5.0, 2));
    }
}
