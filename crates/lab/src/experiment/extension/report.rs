//! What the rounds came to: the table, its plots, and the article's figures beside ours.
//!
//! What always holds: the article's seconds, which are for 10,000 updates, are scaled to the updates of a round. Knows
//! nothing of how rounds were measured.

use super::{Measured, Round, Size, TEXT_BYTES, Tiers, Work, case_name};
use crate::experiment::Scale;
use crate::experiment::article::{Article, Comparison, Theirs};
use crate::experiment::case::{Case, Repetition, Samples};
use crate::experiment::outcome::Page;
use crate::plot::{Axis, Chart, Figures, Series};

pub(super) fn repetition(size: Size, measured: &[Measured]) -> Repetition {
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
    Repetition {
        cases: measured.iter().map(case).collect(),
        charts: vec![
            lines("Seconds per round of updates", Axis::by_range("seconds"), updates(), |round| round.seconds),
            lines("The table in the extension", Axis::new("% of its pages"), updates(), |round| {
                100.0 * round.extension_pages / pages
            }),
            lines("The table in memory", Axis::new("% of its pages"), updates(), |round| {
                100.0 * round.memory_pages / pages
            }),
        ],
        effects: effects(measured),
    }
}

/// Ratios within one repetition. Of rounds that settle the last quarter counts, as the article counts those after the first
/// few.
fn effects(measured: &[Measured]) -> Vec<(&'static str, f64)> {
    let of = |tiers, work| measured.iter().find(|m| (m.tiers, m.work) == (tiers, work));
    let seconds = |tiers, work| of(tiers, work).map_or(f64::NAN, |m| mean(&m.rounds));
    let updates = |tiers| seconds(tiers, Work::Updates);
    let first = |tiers| of(tiers, Work::Updates).map_or(f64::NAN, |m| m.rounds[0].seconds);
    let settled = |tiers| of(tiers, Work::Updates).map_or(f64::NAN, |m| settled(&m.rounds));
    let last = |tiers| of(tiers, Work::Updates).map_or(f64::NAN, |m| m.rounds[m.rounds.len() - 1].seconds);
    vec![
        ("none_over_memory", updates(Tiers::None) / updates(Tiers::InMemory)),
        ("ssd_over_memory", updates(Tiers::Ssd) / updates(Tiers::InMemory)),
        ("none_over_clean_first", updates(Tiers::None) / first(Tiers::Clean)),
        ("none_over_clean_settled", updates(Tiers::None) / settled(Tiers::Clean)),
        ("clean_settled_over_first", settled(Tiers::Clean) / first(Tiers::Clean)),
        ("none_over_write_back", updates(Tiers::None) / updates(Tiers::WriteBack)),
        ("write_back_first_over_ssd", first(Tiers::WriteBack) / updates(Tiers::Ssd)),
        ("write_back_last_over_ssd", last(Tiers::WriteBack) / updates(Tiers::Ssd)),
        ("restart_over_last", seconds(Tiers::WriteBack, Work::AfterRestart) / last(Tiers::WriteBack)),
        ("scan_none_over_write_back", seconds(Tiers::None, Work::Scan) / seconds(Tiers::WriteBack, Work::Scan)),
        ("mix_none_over_clean", seconds(Tiers::None, Work::Mix) / seconds(Tiers::Clean, Work::Mix)),
        ("mix_none_over_write_back", seconds(Tiers::None, Work::Mix) / seconds(Tiers::WriteBack, Work::Mix)),
    ]
}

pub(in crate::experiment) fn page(scale: Scale, samples: &Samples) -> Page {
    let clean = |name| samples.spread(&case_name(Tiers::Clean, Work::Updates), name);
    let none = |name| samples.spread(&case_name(Tiers::None, Work::Updates), name);
    let effect = |what: &str, article: f64, name: &str| Comparison::effect(what, article, samples.effect(name));
    Page {
        title: "Updates with a buffer pool extension",
        article: Some(Article {
            author: "Forrards",
            title: "Buffer Pool Extension in SQL Server 2014 part 4: benchmark testing for update operations",
            year: "of SQL Server 2014, dated 2023 on its page",
            address: None,
        }),
        comparisons: vec![
            effect("time, disk with little memory : all in memory", 149.0 / 2.7, "none_over_memory"),
            effect("time, all on the SSD : all in memory", 7.0 / 2.7, "ssd_over_memory"),
            effect("gain of an extension of clean pages, first round", 149.0 / 22.0, "none_over_clean_first"),
            effect("gain of the same, settled", 149.0 / 75.0, "none_over_clean_settled"),
            effect("time, settled : first round, clean pages", 75.0 / 22.0, "clean_settled_over_first"),
            Comparison::unnumbered(
                "gain of an extension of changed pages too",
                Theirs::Words("SQL Server has none"),
                "×",
                samples.effect("none_over_write_back"),
            ),
            Comparison::absolute("of the table in the extension at the end, clean pages", "%", 75.0, clean("extension_percent")),
            Comparison::absolute("of the table in memory, without an extension", "%", 8.0, none("memory_percent")),
        ],
        differs: "the article has 10,000 updates on a table of about a gigabyte, 256 MB of memory, a real disk and an SSD that it does \
                  not name, in a virtual machine; here the devices are emulated, and at quick scale the table, the memory and the \
                  updates are an eighth. Computing is not scaled, so that ratios to the case in memory depend on the processor; \
                  its disk takes 15 ms an update, more than an arm of 10,000 rpm needs for a page and for one that is evicted."
            .into(),
        setup: setup(Size::of(scale)),
        findings: findings(samples),
        sections: super::model::sections(scale, samples),
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
    let point = |(number, round): (usize, &Round)| ((number + 1) as f64, value(round).into());
    let line =
        |m: &Measured| Series { name: m.tiers.name().into(), values: m.rounds.iter().enumerate().map(point).collect() };
    let lines = measured.map(line).collect();
    Chart { title: title.into(), y, figures: Figures::Lines { x: Axis::new("round of updates"), lines } }
}

fn mean(rounds: &[Round]) -> f64 {
    rounds.iter().map(|round| round.seconds).sum::<f64>() / rounds.len() as f64
}

/// Mean of the last quarter of the rounds.
fn settled(rounds: &[Round]) -> f64 {
    mean(&rounds[rounds.len() - rounds.len().div_ceil(4)..])
}

fn findings(samples: &Samples) -> Vec<String> {
    let said = |name| samples.said(name);
    vec![
        format!(
            "Clean pages only: settled rounds take {} times as long as the first (the article: {:.1} times).",
            said("clean_settled_over_first"),
            75.0 / 22.0
        ),
        format!(
            "Write-back: the first round takes {} times, the last one {} times as long as with everything on the SSD.",
            said("write_back_first_over_ssd"),
            said("write_back_last_over_ssd")
        ),
        format!(
            "Write-back: after a restart the first round takes {} times as long as the last one before it.",
            said("restart_over_last")
        ),
        format!(
            "A scan with half of the table in the extension is {} times as fast as without an extension.",
            said("scan_none_over_write_back")
        ),
        format!(
            "80 % reads: clean pages are {} times, write-back is {} times as fast as no extension.",
            said("mix_none_over_clean"),
            said("mix_none_over_write_back")
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
    fn effects_follow_from_first_and_last_rounds() {
        let all = [
            measured(Tiers::Ssd, Work::Updates, [2.0, 2.0]),
            measured(Tiers::Clean, Work::Updates, [2.0, 7.0]),
            measured(Tiers::WriteBack, Work::Updates, [2.2, 2.4]),
            measured(Tiers::WriteBack, Work::AfterRestart, [1.2, 1.2]),
            measured(Tiers::None, Work::Updates, [21.0, 21.0]),
            measured(Tiers::None, Work::Scan, [4.0, 4.0]),
            measured(Tiers::WriteBack, Work::Scan, [2.0, 2.0]),
            measured(Tiers::None, Work::Mix, [9.0, 9.0]),
            measured(Tiers::Clean, Work::Mix, [4.0, 5.0]),
            measured(Tiers::WriteBack, Work::Mix, [1.0, 2.0]),
        ];
        let effects = effects(&all);
        let value = |name| effects.iter().find(|(known, _)| *known == name).unwrap().1;
        for (name, wanted) in [
            ("clean_settled_over_first", 3.5),
            ("none_over_clean_first", 10.5),
            ("none_over_clean_settled", 3.0),
            ("write_back_first_over_ssd", 1.1),
            ("write_back_last_over_ssd", 1.2),
            ("restart_over_last", 0.5),
            ("scan_none_over_write_back", 2.0),
            ("mix_none_over_clean", 2.0),
            ("mix_none_over_write_back", 6.0),
        ] {
            assert!((value(name) - wanted).abs() < 1e-9, "{name}: {}", value(name));
        }
        assert!(value("none_over_memory").is_nan(), "what was not measured has no ratio");
    }
}
