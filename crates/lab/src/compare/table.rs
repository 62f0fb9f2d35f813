//! What was compared, as lines for people and as JSON.
//!
//! What always holds: beside verdicts stands what they cannot say: how many would be chance, and what so few repetitions can
//! tell.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{ALPHA, Compared, Row, Verdict};
use crate::experiment::outcome::aligned;
use crate::plot::short;
use crate::spread::Spread;
use crate::statistics::least_p;

/// One experiment.
pub(super) fn text(compared: &Compared) -> String {
    let Compared { before, after, rows, missing } = compared;
    let mut out = format!("{} at scale {}\n\n", before.experiment, before.scale);
    for (name, record) in [("A", before), ("B", after)] {
        let _ = writeln!(
            out,
            "{name}  {}: {} repetitions of {} on {}",
            record.path, record.repetitions, record.version, record.processor
        );
    }
    if before.processor != after.processor {
        out.push_str("The machines differ: ratios within each are comparable, times and rates are not.\n");
    }
    let heading = ["case", "figure", "A", "B", "B : A", "p", "verdict"].map(str::to_owned).to_vec();
    let grid: Vec<Vec<String>> = std::iter::once(heading).chain(rows.iter().map(cells)).collect();
    let _ = write!(out, "\n{}\n", aligned(&grid, false));
    for sentence in missing.iter().cloned().chain(cautions(compared)) {
        let _ = writeln!(out, "{sentence}.");
    }
    out
}

fn cells(row: &Row) -> Vec<String> {
    let ratio = row.ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}"));
    let p = if row.p < 0.001 { "< 0.001".to_owned() } else { format!("{:.3}", row.p) };
    vec![
        row.case.clone(),
        row.figure.replace('_', " "),
        row.before.to_string(),
        row.after.to_string(),
        ratio,
        p,
        row.verdict.name().to_owned(),
    ]
}

/// What is to be known with the verdicts.
fn cautions(compared: &Compared) -> Vec<String> {
    let (n, m) = (compared.before.repetitions, compared.after.repetitions);
    let (least, count) = (least_p(n, m), compared.rows.len());
    let mut out = Vec::new();
    if least > ALPHA {
        out.push(format!(
            "With {n} and {m} repetitions the least p is {}, so nothing is significant at {ALPHA}: 'apart' means that all values \
             of one lie beyond all of the other; four repetitions of each can tell more (--repetitions 4)",
            short(least)
        ));
    } else {
        let chance = count as f64 * ALPHA;
        out.push(format!(
            "p is of Mann and Whitney's test, both ways; of {count} figures {} would differ at {ALPHA} by chance alone",
            short(chance)
        ));
    }
    out
}

/// All of it for programs.
pub(super) fn json(all: &[Compared]) -> Value {
    let spread = |spread: Spread| json!({ "median": spread.median, "low": spread.low, "high": spread.high });
    let row = |row: &Row| {
        json!({
            "case": row.case, "figure": row.figure, "a": spread(row.before), "b": spread(row.after), "ratio": row.ratio,
            "u": row.u, "p": row.p, "verdict": word(row.verdict),
        })
    };
    let one = |compared: &Compared| {
        json!({
            "experiment": compared.before.experiment,
            "scale": compared.before.scale,
            "repetitions": { "a": compared.before.repetitions, "b": compared.after.repetitions },
            "least_p": least_p(compared.before.repetitions, compared.after.repetitions),
            "figures": compared.rows.iter().map(row).collect::<Vec<_>>(),
            "missing": compared.missing,
        })
    };
    Value::Array(all.iter().map(one).collect())
}

/// A verdict as programs read it.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Equal => "equal",
        Verdict::Differs => "differs",
        Verdict::Apart => "apart",
        Verdict::NotSeen => "not_seen",
    }
}

#[cfg(test)]
mod tests {
    use super::super::compare;
    use super::super::tests::record_of;
    use super::*;

    fn compared(a: &[f64], b: &[f64]) -> Compared {
        compare(record_of("x", "disk", "write_mb", a), record_of("x", "disk", "write_mb", b)).unwrap()
    }

    #[test]
    fn a_table_says_what_three_repetitions_can_tell() {
        let text = text(&compared(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "x at scale quick");
        assert_eq!(lines[2], "A  x.result.json: 3 repetitions of millpond 0.1.0 on one");
        assert_eq!(lines[5], "case  figure    A         B         B : A  p      verdict");
        assert_eq!(lines[6], "disk  write mb  2 (1..3)  5 (4..6)  2.500  0.100  apart, too few to tell");
        assert!(
            text.contains("With 3 and 3 repetitions the least p is 0.1, so nothing is significant at 0.05"),
            "{text}"
        );
    }

    #[test]
    fn many_repetitions_say_how_many_are_chance() {
        let text = text(&compared(&[1.0, 2.0, 3.0, 3.5], &[4.0, 5.0, 6.0, 7.0]));
        assert!(text.contains("0.029  differs"), "{text}");
        assert!(text.contains("of 1 figures 0.05 would differ at 0.05 by chance alone"), "{text}");
    }

    #[test]
    fn json_has_the_same() {
        let value = json(&[compared(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0])]);
        let figure = &value[0]["figures"][0];
        assert_eq!(figure["a"], json!({"median": 2.0, "low": 1.0, "high": 3.0}));
        assert_eq!((&figure["ratio"], &figure["verdict"]), (&json!(2.5), &json!("apart")));
        assert!((figure["p"].as_f64().unwrap() - 0.1).abs() < 1e-12 && value[0]["missing"] == json!([]));
    }
}
