//! What a round takes by where its pages are, and what it would take at full scale on paper.
//!
//! ```text
//!   seconds of a round = n · (c + e · s + (1 − m − e) · d)
//!   n updates   c: in memory   s: a page from the SSD   d: a page from the disk, and a changed one back
//!   m, e: shares of the table in memory and in the extension
//! ```
//!
//! What always holds: c, s and d come from three cases (all in memory, all on the SSD, nothing but the disk); the others are
//! predicted from them and from where their pages were at the end. The error beside each says how far to trust it.

use super::{Size, Tiers, Work, case_name};
use crate::experiment::Scale;
use crate::experiment::case::Samples;
use crate::experiment::outcome::Section;
use crate::plot::short;

/// Seconds of one update by where its page is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Times {
    memory_s: f64,
    ssd_s: f64,
    disk_s: f64,
}

/// Shares of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shares {
    memory: f64,
    extension: f64,
}

/// What a case came to: medians.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Known {
    /// Of the last round, to which the shares belong.
    seconds: f64,
    shares: Shares,
}

fn known(samples: &Samples, tiers: Tiers, work: Work) -> Option<Known> {
    let figure = |name| samples.spread(&case_name(tiers, work), name).map(|spread| spread.median);
    let memory = figure("memory_percent")? / 100.0;
    // Where the whole table is on the SSD, what is not in memory comes from there as from an extension.
    let on_ssd = if tiers == Tiers::Ssd { 1.0 - memory } else { figure("extension_percent")? / 100.0 };
    let shares = Shares { memory, extension: on_ssd };
    Some(Known { seconds: figure("last_seconds")?, shares })
}

impl Times {
    /// Of the three cases that decide, for rounds of so many updates.
    fn of(memory: Known, ssd: Known, none: Known, updates: f64) -> Times {
        let memory_s = memory.seconds / updates;
        let of_miss = |case: Known| (case.seconds / updates - memory_s).max(0.0) / (1.0 - case.shares.memory).max(1e-9);
        Times { memory_s, ssd_s: of_miss(ssd), disk_s: of_miss(none) }
    }

    /// A round of so many updates.
    fn round_s(self, shares: Shares, updates: f64) -> f64 {
        let from_disk = (1.0 - shares.memory - shares.extension).max(0.0);
        updates * (self.memory_s + shares.extension * self.ssd_s + from_disk * self.disk_s)
    }
}

/// Cases, and whether they say what the times are; the others are predicted.
const CASES: [(Tiers, Work, bool); 8] = [
    (Tiers::InMemory, Work::Updates, true),
    (Tiers::Ssd, Work::Updates, true),
    (Tiers::None, Work::Updates, true),
    (Tiers::Clean, Work::Updates, false),
    (Tiers::WriteBack, Work::Updates, false),
    (Tiers::WriteBack, Work::AfterRestart, false),
    (Tiers::Clean, Work::Mix, false),
    (Tiers::WriteBack, Work::Mix, false),
];

/// The model with its errors; nothing where one of the three cases is missing.
pub(super) fn sections(scale: Scale, samples: &Samples) -> Vec<Section> {
    let size = Size::of(scale);
    let updates = f64::from(size.updates);
    let of = |tiers| known(samples, tiers, Work::Updates);
    let (Some(memory), Some(ssd), Some(none)) = (of(Tiers::InMemory), of(Tiers::Ssd), of(Tiers::None)) else {
        return Vec::new();
    };
    let times = Times::of(memory, ssd, none, updates);
    let full = f64::from(Size::of(Scale::Full).updates);
    let heading =
        ["last round of", "in memory", "on the SSD", "formula", "measured", "error", "10,000 updates", "the article"];
    let mut table = vec![heading.map(str::to_owned).to_vec()];
    for (tiers, work, is_given) in CASES {
        if let Some(case) = known(samples, tiers, work) {
            table.push(row(times, tiers, work, is_given, case, (updates, full)));
        }
    }
    let [memory_ms, ssd_ms, disk_ms] = [times.memory_s, times.ssd_s, times.disk_s].map(|seconds| short(1e3 * seconds));
    vec![Section {
        heading: "On paper at full scale".into(),
        texts: vec![
            format!(
                "An update takes c = {memory_ms} ms in memory, s = {ssd_ms} ms more for a page from the SSD and d = {disk_ms} ms more for one \
                 from the disk, a changed one that goes back included. These come from the first three rows; the others are \
                 predicted from them and from where their pages are after the last round, and the error says how well."
            ),
            "At full scale the table, the memory and the extension grow together, so that shares stay; the emulated disk is as large as \
             its files, so that d stays too. The column of 10,000 updates is the article's number of them."
                .into(),
            "Rows with 80 % reads are too dear by the formula: a read writes no log, and what is read alone need not go back."
                .into(),
        ],
        formulas: vec!["seconds of a round = n · (c + e · s + (1 − m − e) · d)".into()],
        table,
    }]
}

fn row(
    times: Times,
    tiers: Tiers,
    work: Work,
    is_given: bool,
    case: Known,
    (updates, full): (f64, f64),
) -> Vec<String> {
    let predicted = times.round_s(case.shares, updates);
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let error = if is_given { "given".into() } else { percent_off(predicted, case.seconds) };
    let article = tiers.article_seconds().filter(|_| work == Work::Updates);
    vec![
        case_name(tiers, work),
        percent(case.shares.memory),
        percent(case.shares.extension),
        format!("{} s", short(predicted)),
        format!("{} s", short(case.seconds)),
        error,
        format!("{} s", short(times.round_s(case.shares, full))),
        article.map_or_else(|| "–".into(), |(_, settled)| format!("{} s", short(settled))),
    ]
}

/// `+5 %`: how far a prediction is from what was measured.
pub(in crate::experiment) fn percent_off(predicted: f64, measured: f64) -> String {
    // Nothing below 0 is nothing: adding 0 takes its sign away.
    format!("{:+.0} %", (100.0 * (predicted / measured - 1.0)).round() + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::case::{Case, Repetition};

    fn case(tiers: Tiers, work: Work, seconds: f64, memory: f64, extension: f64) -> Case {
        Case::new(case_name(tiers, work))
            .with("last_seconds", seconds)
            .with("memory_percent", memory)
            .with("extension_percent", extension)
    }

    /// Times of 1, 2 and 20 ms, put together as the formula has it, come out again; what keeps to it has no error.
    #[test]
    fn what_keeps_to_the_formula_has_no_error() {
        let n = f64::from(Size::of(Scale::Quick).updates) / 1e3;
        let cases = vec![
            case(Tiers::InMemory, Work::Updates, n, 100.0, 0.0),
            case(Tiers::Ssd, Work::Updates, n * (1.0 + 0.8 * 2.0), 20.0, 0.0),
            case(Tiers::None, Work::Updates, n * (1.0 + 0.9 * 20.0), 10.0, 0.0),
            case(Tiers::Clean, Work::Updates, n * (1.0 + 0.5 * 2.0 + 0.4 * 20.0), 10.0, 50.0),
            case(Tiers::WriteBack, Work::Updates, n * 3.0, 20.0, 80.0),
        ];
        let samples = Samples::new(vec![Repetition { cases, ..Repetition::default() }]);
        let section = sections(Scale::Quick, &samples).remove(0);
        assert!(
            section.texts[0].contains("c = 1 ms in memory, s = 2 ms more") && section.texts[0].contains("d = 20 ms"),
            "{}",
            section.texts[0]
        );
        for row in &section.table[1..=4] {
            assert_eq!(row[3], row[4], "by the formula and measured: {row:?}");
        }
        let errors: Vec<&str> = section.table[1..].iter().map(|row| row[5].as_str()).collect();
        assert_eq!(errors, ["given", "given", "given", "+0 %", "-13 %"], "2.6 n by the formula, 3 n measured");
        assert_eq!(section.table[3][6..], ["190 s", "149 s"]);
        assert!(sections(Scale::Quick, &Samples::new(vec![Repetition::default()])).is_empty());
    }
}
