//! What a cache for writes can gain, by what reads and writes cost the arm.
//!
//! ```text
//!   time of the arm for a transaction = r · (1 − h) · t_r + w · t_w        gain = without / with
//! ```
//!
//! What always holds: the formula knows what the arm was measured to need for a read and for a page written, no more; where it
//! misses what was measured, something else than the arm had a part in it.

use super::array::{self, RATIOS, READ_PERCENTS, Writes};
use super::case_name as split_case;
use crate::experiment::case::Samples;
use crate::experiment::extension::percent_off;
use crate::experiment::outcome::Section;
use crate::plot::short;

/// What the article's chart shows, by eye.
const ARTICLE_GAIN: f64 = 2.0;

/// What a transaction asks of the arm.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Arm {
    /// Reads and pages written for each.
    reads: f64,
    pages: f64,
    /// Share of the reads that the cache answers.
    hits: f64,
    read_ms: f64,
    page_ms: f64,
}

impl Arm {
    /// Time of the arm for a transaction.
    fn ms(self) -> f64 {
        self.reads * (1.0 - self.hits) * self.read_ms + self.pages * self.page_ms
    }

    /// What a page written without a cache would have to cost, so that `with` is so many times as fast.
    fn page_ms_for(self, gain: f64, with: Arm) -> f64 {
        (gain * with.ms() - self.reads * (1.0 - self.hits) * self.read_ms) / self.pages
    }
}

/// Of a server's run; `None` where something was not counted.
fn of_server(samples: &Samples, read_percent: u32, users: u32) -> Option<Arm> {
    let case = split_case(read_percent, users);
    let figure = |name| samples.spread(&case, name).map(|spread| spread.median);
    let (seconds, reads) = (figure("seconds")?, figure("data_reads")?);
    let hits = figure("cache_read_hits_percent").unwrap_or(0.0) / 100.0;
    let transactions = reads / figure("data_reads_per_transaction")?;
    let through = figure("data_writes")? * figure("data_kb_per_write")? / 8.0;
    let destaged = figure("cache_pages_destaged").unwrap_or(0.0);
    let written = if destaged > 0.0 { destaged } else { through };
    let busy_ms = |name| figure(name).map(|percent| percent / 100.0 * seconds * 1e3);
    Some(Arm {
        reads: reads / transactions,
        pages: written / transactions,
        hits,
        read_ms: busy_ms("arm_busy_with_reads_percent")? / (reads * (1.0 - hits)),
        page_ms: busy_ms("arm_busy_with_writes_percent")? / written,
    })
}

/// Of the disk alone; a transaction is a read there.
fn of_disk(samples: &Samples, writes: Writes, ratio: f64, read_percent: u32) -> Option<Arm> {
    let case = array::case_name(writes, ratio, read_percent);
    let figure = |name| samples.spread(&case, name).map(|spread| spread.median);
    Some(Arm {
        reads: 1.0,
        pages: ratio,
        hits: figure("cache_read_hits_percent")? / 100.0,
        read_ms: figure("arm_ms_per_read")?,
        page_ms: figure("arm_ms_per_page_written")?,
    })
}

pub(super) fn sections(samples: &Samples, users: u32) -> Vec<Section> {
    let heading = [
        "",
        "pages written a read",
        "arm: ms a read",
        "arm: ms a page written",
        "read hits",
        "gain by the formula",
        "gain measured",
        "error",
    ];
    let mut table = vec![heading.map(str::to_owned).to_vec()];
    let server = (of_server(samples, 100, users), of_server(samples, 0, users));
    let server_gain = samples.effect("writes_100_over_reads").map(|spread| spread.median);
    if let (Some(without), Some(with)) = server {
        table.extend(rows(&format!("the server, {users} users"), without, with, server_gain));
    }
    for (effect, writes, ratio) in array::EFFECTS {
        let pair = (of_disk(samples, writes, ratio, 100), of_disk(samples, writes, ratio, 0));
        if let (Some(without), Some(with)) = pair {
            let name = format!("the disk alone, {}", writes.name());
            table.extend(rows(&name, without, with, samples.effect(effect).map(|spread| spread.median)));
        }
    }
    let mut texts = vec![
        format!(
            "Whether the disk or the load is what differs from the article is asked of the disk alone, with 100 readers and a \
             writer, splits of {} and {} pages written for each that is read: once the writer writes single pages, 32 on their way, \
             as SQL Server's lazy writer of that time did, and once 256 in order of place, as ours does.",
            READ_PERCENTS.map(|percent| format!("{percent}/{}", 100 - percent)).join(", "),
            RATIOS.map(short).join(" and ")
        ),
        "The gain is what all of the cache for writes brings against all of it for reads. The table has two rows each: all for \
         reads, then all for writes."
            .into(),
    ];
    texts.extend(verdict(samples, server));
    let formulas = vec![
        "arm(split) = r · (1 − h) · t_r + w · t_w      time of the arm for a transaction".into(),
        "gain       = arm(all for reads) / arm(all for writes)".into(),
        "r, w: pages read and written a transaction; h: share of reads that the cache answers;".into(),
        "t_r, t_w: time of the arm for a read that it does not answer, and for a page written".into(),
    ];
    vec![Section { heading: "The disk, or what is asked of it?".into(), texts, formulas, table }]
}

/// Two rows: all for reads, and all for writes with what it gains.
fn rows(name: &str, without: Arm, with: Arm, measured: Option<f64>) -> [Vec<String>; 2] {
    let cells = |split: &str, arm: Arm| {
        let figures = [arm.pages / arm.reads, arm.read_ms, arm.page_ms].map(short);
        let [ratio, read_ms, page_ms] = figures;
        vec![format!("{name}, {split}"), ratio, read_ms, page_ms, format!("{:.1} %", 100.0 * arm.hits)]
    };
    let predicted = without.ms() / with.ms();
    let last = match measured {
        Some(gain) => [short(predicted), short(gain), percent_off(predicted, gain)],
        None => [short(predicted), "–".into(), "–".into()],
    };
    let (mut first, mut second) = (cells("all for reads", without), cells("all for writes", with));
    first.extend(["", "", ""].map(str::to_owned));
    second.extend(last);
    [first, second]
}

/// What follows: of the figures, in sentences that hold whatever they are.
fn verdict(samples: &Samples, server: (Option<Arm>, Option<Arm>)) -> Vec<String> {
    let gain = |name| samples.effect(name).map(|spread| spread.median);
    let mut out = Vec::new();
    if let (Some(single), Some(batches)) = (gain("disk_single_1"), gain("disk_batches_1")) {
        let share = if single > 1.0 { 100.0 * (batches - 1.0) / (single - 1.0) } else { f64::NAN };
        out.push(format!(
            "On the same disk, with a page written for each that is read, the cache brings {} times the reads when pages are written \
             one by one and {} times when they come in batches: {} % of the gain is left where the server sorts and the drive has \
             many requests to choose from. That part of the difference is the load, not the disk.",
            short(single),
            short(batches),
            short(share)
        ));
        let said = if single >= 0.9 * ARTICLE_GAIN { "reaches" } else { "does not reach" };
        out.push(format!(
            "With single pages the emulated disk {said} the article's {ARTICLE_GAIN} times: {}.",
            if single >= 0.9 * ARTICLE_GAIN {
                "it needs no other disk to be explained"
            } else {
                "what is left is the disk, or something that neither has: its drives may have sorted less than ours, whose queue \
                 of 64 makes a page that comes through as cheap as a read; and its log, at 28 ms a write without a cache, may \
                 have held up commits, which ours does not"
            }
        ));
    }
    if let (Some(without), Some(with)) = server {
        let needed = without.page_ms_for(ARTICLE_GAIN, with);
        out.push(format!(
            "For {ARTICLE_GAIN} times the server would have to write {} times as dearly without the cache: {} ms of the arm for a page \
             instead of {}; a read costs {}.",
            short(needed / without.page_ms),
            short(needed),
            short(without.page_ms),
            short(without.read_ms)
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::case::{Case, Repetition};

    const WITHOUT: Arm = Arm { reads: 8.0, pages: 5.0, hits: 0.0, read_ms: 2.0, page_ms: 2.0 };
    const WITH: Arm = Arm { reads: 8.0, pages: 5.0, hits: 0.25, read_ms: 2.0, page_ms: 0.2 };

    #[test]
    fn the_arm_has_time_for_reads_that_miss_and_for_pages() {
        assert_eq!((WITHOUT.ms(), WITH.ms()), (26.0, 13.0));
        assert_eq!(WITHOUT.page_ms_for(2.0, WITH), 2.0, "it is twice as fast as it is");
        assert_eq!(WITHOUT.page_ms_for(3.0, WITH), 4.6);
        let [first, second] = rows("it", WITHOUT, WITH, Some(1.6));
        assert_eq!(first, ["it, all for reads", "0.625", "2", "2", "0.0 %", "", "", ""]);
        assert_eq!(second, ["it, all for writes", "0.625", "2", "0.2", "25.0 %", "2", "1.6", "+25 %"]);
    }

    #[test]
    fn a_run_is_read_back_as_the_arm_that_made_it() {
        // Ten seconds, 100 transactions of 8 reads and 5 pages, with the times above.
        let case = Case::new(split_case(0, 20))
            .with("seconds", 10.0)
            .with("data_reads", 800.0)
            .with("data_reads_per_transaction", 8.0)
            .with("data_writes", 250.0)
            .with("data_kb_per_write", 16.0)
            .with("cache_pages_destaged", 500.0)
            .with("cache_read_hits_percent", 25.0)
            .with("arm_busy_with_reads_percent", 12.0)
            .with("arm_busy_with_writes_percent", 1.0);
        let samples = Samples::new(vec![Repetition { cases: vec![case], ..Repetition::default() }]);
        let found = of_server(&samples, 0, 20).unwrap();
        for (found, wanted) in [
            (found.reads, WITH.reads),
            (found.pages, WITH.pages),
            (found.hits, WITH.hits),
            (found.read_ms, WITH.read_ms),
            (found.page_ms, WITH.page_ms),
        ] {
            assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
        }
        assert_eq!(of_server(&samples, 100, 20), None);
    }
}
