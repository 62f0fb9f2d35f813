//! Numbers as people read them.
//!
//! What always holds: three digits count, whatever the size; nothing is lost of a number's order of magnitude.

/// A number with three digits that count: `0`, `2.7`, `149`, `1.5k`, `3.2M`.
#[must_use]
pub fn short(value: f64) -> String {
    let size = value.abs();
    let (value, unit) = match size {
        _ if size >= 999.5e6 => (value / 1e9, "G"),
        _ if size >= 999.5e3 => (value / 1e6, "M"),
        _ if size >= 9995.0 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let digits = match value.abs() {
        size if size >= 99.95 || size == 0.0 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let said: Vec<String> =
            [0.0, 2.7, 0.125, 149.0, 9994.0, 12_345.0, 3_200_000.0, -1.5, 100.0, 5e9].map(short).to_vec();
        assert_eq!(said, ["0", "2.7", "0.125", "149", "9994", "12.3k", "3.2M", "-1.5", "100", "5G"]);
    }
}
