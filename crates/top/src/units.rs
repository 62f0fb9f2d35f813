//! Numbers as people read them on a screen: few digits, units where they are.
//!
//! What always holds: the same number has the same text on every machine; what is not finite is 0.

pub use millpond_advice::units::count as whole;

/// With one digit after the point below 100, whole above; `0` where nothing is.
pub fn amount(number: f64) -> String {
    if !number.is_finite() || number == 0.0 {
        "0".to_owned()
    } else if number.abs() < 0.05 {
        "0.0".to_owned()
    } else if number.abs() < 99.95 {
        format!("{number:.1}")
    } else {
        whole(number.round() as i64)
    }
}

/// A share of 0 to 1 as percent.
pub fn percent(share: f64) -> String {
    let share = if share.is_finite() { share } else { 0.0 };
    format!("{:.0} %", share * 100.0)
}

/// Kilobytes as megabytes of 1,024 of them.
pub fn mb_of_kb(kb: i64) -> String {
    amount(kb as f64 / 1024.0)
}

/// Pages of 8 KB as megabytes.
pub fn mb_of_pages(pages: i64) -> String {
    amount(pages as f64 / 128.0)
}

/// Bytes as megabytes of 1,048,576 of them.
pub fn mb_of_bytes(bytes: i64) -> String {
    amount(bytes as f64 / 1_048_576.0)
}

/// A time: `12 ms`, `4.2 s`, `3:07`, `2:00:09`, `5d 01:02`.
pub fn time_ms(ms: i64) -> String {
    let ms = ms.max(0);
    let seconds = ms / 1000;
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match seconds {
        0 => format!("{ms} ms"),
        1..60 => format!("{}.{} s", seconds, ms % 1000 / 100),
        60..3600 => format!("{minutes}:{:02}", seconds % 60),
        3600..86_400 => format!("{hours}:{:02}:{:02}", minutes % 60, seconds % 60),
        _ => format!("{}d {:02}:{:02}", hours / 24, hours % 24, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let wholes = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (-1_234_567, "-1,234,567"),
            (i64::MIN, "-9,223,372,036,854,775,808"),
        ];
        wholes.iter().for_each(|(number, text)| assert_eq!(whole(*number), *text));
        for (number, text) in [
            (0.0, "0"),
            (0.01, "0.0"),
            (3.25, "3.2"),
            (99.94, "99.9"),
            (99.96, "100"),
            (12_345.6, "12,346"),
            (f64::NAN, "0"),
            (f64::INFINITY, "0"),
        ] {
            assert_eq!(amount(number), text);
        }
        assert_eq!((percent(0.876), percent(f64::NAN)), ("88 %".into(), "0 %".into()));
        assert_eq!(
            (mb_of_kb(1536), mb_of_pages(448), mb_of_bytes(8_388_608)),
            ("1.5".into(), "3.5".into(), "8.0".into())
        );
    }

    #[test]
    fn times_are_short() {
        for (ms, text) in [
            (-5, "0 ms"),
            (12, "12 ms"),
            (4290, "4.2 s"),
            (187_000, "3:07"),
            (7_209_000, "2:00:09"),
            (435_720_000, "5d 01:02"),
        ] {
            assert_eq!(time_ms(ms), text);
        }
    }
}
