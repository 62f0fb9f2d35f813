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
            "Whether the disk or the load is what differs from the article is asked of the disk alone, with splits of {} and {} pages \
             written for each that is read, in three ways: 100 readers and single pages, 32 on their way; 100 readers and \
             batches of 256 pages, as checkpoints write and a lazy writer that is behind; 20 readers and 16 pages at a time, two \
             side by side, which are requests as many and as large as those of our server with 20 users.",
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

/// What follows from the figures, in sentences that hold whatever they are.
fn verdict(samples: &Samples, server: (Option<Arm>, Option<Arm>)) -> Vec<String> {
    let mut out = Vec::new();
    let gain = |name| samples.effect(name).map(|spread| spread.median);
    let gains: Vec<(Writes, f64, f64)> =
        array::EFFECTS.iter().filter_map(|(name, writes, ratio)| Some((*writes, *ratio, gain(name)?))).collect();
    let distance = |(_, _, gain): &(Writes, f64, f64)| (gain / ARTICLE_GAIN).ln().abs();
    let nearest = gains.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    if let Some((writes, ratio, gain)) = nearest {
        let case = array::case_name(*writes, *ratio, 100);
        let ms = |name| samples.spread(&case, name).map_or_else(|| "?".to_owned(), |spread| short(spread.median));
        out.push(format!(
            "Nearest to the article's {ARTICLE_GAIN} times comes the disk under {} with {} pages written for each that is read: {} times. Without the \
             cache for writes a read then takes {} ms and a write {} ms; the article has 275 and 320.",
            writes.name(),
            short(*ratio),
            short(*gain),
            ms("data_ms_per_read"),
            ms("data_ms_per_write")
        ));
        let is_reached = (0.8..=1.25).contains(&(gain / ARTICLE_GAIN));
        out.push(if is_reached {
            "So the emulated disk can gain what the article's did, and what differs need not be the disk: the load decides. Requests \
             that come many at a time keep the disk's queue of 64 full of writes, so that reads find little to choose from and wait \
             behind them; a cache takes both away."
                .into()
        } else {
            "No load that was tried brings the article's gain: what is left is the disk or its controller.".to_owned()
        });
    }
    if let Some((writes, ratio, gain)) = gains.iter().min_by(|a, b| a.2.total_cmp(&b.2)) {
        out.push(format!(
            "Least comes of {} with {} pages a read: {} times. A drive that sorts what it has makes a page that is written by chance as \
             cheap as one that is read, and then there is less for a cache to save.",
            writes.name(),
            short(*ratio),
            short(*gain)
        ));
    }
    if let (Some(without), Some(with)) = server {
        let needed = without.page_ms_for(ARTICLE_GAIN, with);
        let ratio = needed / without.page_ms;
        let asked = gain("disk_neighbours_0_6").map_or_else(|| "?".to_owned(), short);
        out.push(format!(
            "Our server gains less because its writes cost less to begin with: {} ms of the arm for a page, as neighbours go as one \
             request, where a read costs {}. The disk alone, asked in that way, gains {asked} times with 0.6 pages a read. For \
             {ARTICLE_GAIN} times a page would have to cost {} ms without the cache, {} times as much.",
            short(without.page_ms),
            short(without.read_ms),
            short(needed),
            short(ratio)
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
