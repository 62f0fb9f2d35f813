//! `-p`: what a batch took, as sqlcmd prints it.

use std::time::Duration;

/// Size of packets, batches, milliseconds: in words, or between colons for programs.
pub fn of_batch(packet_bytes: i64, took: Duration, with_colons: bool) -> String {
    let ms = took.as_millis().max(1);
    let per_second = 1000.0 / ms as f64;
    if with_colons {
        return format!("\n{packet_bytes}:1:{ms}:{ms}.00:{per_second:.4}");
    }
    format!(
        "\nNetwork packet size (bytes): {packet_bytes}\n1 xact[s]:\nClock Time (ms.): total {ms:>9}  avg {:.1} ({per_second:.1} xacts per sec.)",
        ms as f64
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_words_and_between_colons() {
        let took = Duration::from_millis(2);
        assert_eq!(of_batch(4096, took, true), "\n4096:1:2:2.00:500.0000");
        assert!(of_batch(4096, took, false).ends_with("total         2  avg 2.0 (500.0 xacts per sec.)"));
    }
}
