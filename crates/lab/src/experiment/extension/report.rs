//! What the rounds came to: the table, its plots, and sentences with the article's figures beside ours.
//!
//! What always holds: the article's seconds, which are for 10,000 updates, are scaled to the updates of a round. Knows
//! nothing of how rounds were measured.

use super::{Measured, Round, Size, TEXT_BYTES, Tiers, Work, case_name};
use crate::experiment::ExperimentContext;
use crate::experiment::outcome::{Case, Outcome};
use crate::plot::{Axis, Chart, Figures, Series};

pub(super) fn outcome(context: &ExperimentContext<'_>, size: Size, measured: &[Measured]) -> Outcome {
    // The article's figures are for 10,000 updates.
    let share = f64::from(size.updates) / 10_000.0;
    let pages = f64::from(size.pages());
    let case = |m: &Measured| {
        let (first, last) = (m.rounds[0], m.rounds[m.rounds.len() - 1]);
        let article = m.tiers.article_seconds().filter(|_| m.work == Work::Updates);
        Case::new(case_name(m.tiers, m.work))
            .with("first_seconds", first.seconds)
            .with("seconds", mean(&m.rounds))
            .with("last_seconds", last.seconds)
            .with("article_first_seconds", article.map(|(first, _)| first * share))
            .with("article_seconds", article.map(|(_, settled)| settled * share))
            .with("memory_percent", 100.0 * last.memory_pages / pages)
            .with("extension_percent", 100.0 * last.extension_pages / pages)
    };
    let updates = || measured.iter().filter(|m| m.work == Work::Updates);
    Outcome {
        name: "extension",
        title: "Updates with a buffer pool extension",
        setup: setup(size),
        command: context.command("extension"),
        cases: measured.iter().map(case).collect(),
        charts: vec![
            lines("Seconds per round of updates", Axis::logarithmic("seconds"), updates(), |round| round.seconds),
            lines("The table in the extension", Axis::new("% of its pages"), updates(), |round| {
                100.0 * round.extension_pages / pages
            }),
            lines("The table in memory", Axis::new("% of its pages"), updates(), |round| {
                100.0 * round.memory_pages / pages
            }),
        ],
        findings: findings(measured),
    }
}

fn setup(size: Size) -> Vec<String> {
    let Size { rows, updates, rounds, memory_mb, extension_mb, .. } = size;
    vec![
        format!(
            "A table of {rows} rows of {TEXT_BYTES} bytes by key; {rounds} rounds of {updates} updates of one random \
             row each, every one its own transaction. Memory is {memory_mb} MB but in the first case, the extension \
             {extension_mb} MB. Automatic checkpoints are off."
        ),
        "The disk is an emulated SATA disk of 10,000 revolutions a minute, the extension and the log are on an emulated \
         SSD. Seconds are of the server's clock, which passes over the time that a device would take; computing takes as \
         long as it takes here. The article's figures are scaled to the number of updates."
            .into(),
    ]
}

fn lines<'a>(
    title: &str,
    y: Axis,
    measured: impl Iterator<Item = &'a Measured>,
    value: impl Fn(&Round) -> f64,
) -> Chart {
    let line = |m: &Measured| Series {
        name: m.tiers.name().into(),
        values: m.rounds.iter().enumerate().map(|(number, round)| ((number + 1) as f64, value(round))).collect(),
    };
    Chart {
        title: title.into(),
        y,
        figures: Figures::Lines { x: Axis::new("round"), lines: measured.map(line).collect() },
    }
}

fn mean(rounds: &[Round]) -> f64 {
    rounds.iter().map(|round| round.seconds).sum::<f64>() / rounds.len() as f64
}

fn findings(measured: &[Measured]) -> Vec<String> {
    let of = |tiers, work| measured.iter().find(|m| (m.tiers, m.work) == (tiers, work));
    let seconds = |tiers, work| of(tiers, work).map_or(f64::NAN, |m| mean(&m.rounds));
    let end = |tiers| {
        of(tiers, Work::Updates)
            .map_or((f64::NAN, f64::NAN), |m| (m.rounds[0].seconds, m.rounds[m.rounds.len() - 1].seconds))
    };
    let (clean, write_back) = (end(Tiers::Clean), end(Tiers::WriteBack));
    let ssd = seconds(Tiers::Ssd, Work::Updates);
    vec![
        format!(
            "Clean pages only: the last round takes {:.1} times as long as the first (the article: {:.1} times).",
            clean.1 / clean.0,
            75.0 / 22.0
        ),
        format!(
            "Write-back: the first round takes {:.2} times, the last one {:.2} times as long as with everything on the SSD.",
            write_back.0 / ssd,
            write_back.1 / ssd
        ),
        format!(
            "Write-back: after a restart the first round takes {:.2} times as long as the last one before it.",
            seconds(Tiers::WriteBack, Work::AfterRestart) / write_back.1
        ),
        format!(
            "A scan with half of the table in the extension is {:.2} times as fast as without an extension.",
            seconds(Tiers::None, Work::Scan) / seconds(Tiers::WriteBack, Work::Scan)
        ),
        format!(
            "80 % reads: without an extension {:.1}, with clean pages {:.1}, with write-back {:.1} seconds a round.",
            seconds(Tiers::None, Work::Mix),
            seconds(Tiers::Clean, Work::Mix),
            seconds(Tiers::WriteBack, Work::Mix)
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(tiers: Tiers, work: Work, seconds: [f64; 2]) -> Measured {
        let round = |seconds| Round { seconds, memory_pages: 8.0, extension_pages: 75.0 };
        Measured { tiers, work, rounds: seconds.map(round).to_vec() }
    }

    #[test]
    fn findings_follow_from_first_and_last_rounds() {
        let all = [
            measured(Tiers::Ssd, Work::Updates, [2.0, 2.0]),
            measured(Tiers::Clean, Work::Updates, [2.0, 7.0]),
            measured(Tiers::WriteBack, Work::Updates, [2.2, 2.4]),
            measured(Tiers::WriteBack, Work::AfterRestart, [1.2, 1.2]),
            measured(Tiers::None, Work::Scan, [4.0, 4.0]),
            measured(Tiers::WriteBack, Work::Scan, [2.0, 2.0]),
            measured(Tiers::None, Work::Mix, [9.0, 9.0]),
            measured(Tiers::Clean, Work::Mix, [4.0, 6.0]),
            measured(Tiers::WriteBack, Work::Mix, [1.0, 2.0]),
        ];
        let said = findings(&all);
        assert!(said[0].contains("3.5 times as long as the first (the article: 3.4 times)"), "{}", said[0]);
        assert!(said[1].contains("1.10 times, the last one 1.20 times"), "{}", said[1]);
        assert!(said[2].contains("0.50 times"), "{}", said[2]);
        assert!(said[3].contains("2.00 times as fast"), "{}", said[3]);
        assert!(said[4].contains("without an extension 9.0, with clean pages 5.0, with write-back 1.5"), "{}", said[4]);
    }
}
