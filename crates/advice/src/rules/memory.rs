//! Memory of the buffer pool, and the buffer pool extension.

use super::{
    STARTED_WITH_LESS, affordable_kb, configure, memory_now_kb, raise_memory, since, stall_s_per_hour, unknown,
};
use crate::facts::{Curve, CurvePoint, Extension, Facts, Volume};
use crate::units::{count, duration, mb_up, per_hour, percent, size};
use crate::{Advice, Severity, Topic, quote};

/// Reads from which on a curve says something.
const READS_MIN: i64 = 1_000;
/// Reads that more memory has to save: a tenth.
const SAVED_PERCENT_MIN: f64 = 10.0;
/// Of what the most memory would save, the part that is enough: more memory for the rest is wasted.
const ENOUGH_PERCENT: f64 = 90.0;

pub(super) fn all(facts: &Facts) -> Vec<Advice> {
    let Some(curve) = &facts.curve else { return without_curve(facts).into_iter().collect() };
    if curve.reads < READS_MIN {
        let evidence = format!("{} pages were read in {}.", count(curve.reads), duration(curve.counted_s));
        let finding =
            "What more memory or an extension would hit is not known yet: nearly nothing was read.".to_owned();
        return vec![unknown(Topic::Memory, finding, evidence)];
    }
    let memory = larger_pool(facts, curve);
    let kept: i64 = memory.as_ref().map_or(0, |(_, hits)| *hits);
    let mut all: Vec<Advice> = memory.into_iter().map(|(advice, _)| advice).collect();
    all.extend(match &facts.extension {
        Some(extension) => write_back(facts, curve, extension).or_else(|| larger_extension(facts, curve, extension)),
        None => new_extension(facts, curve, kept),
    });
    all
}

/// The smallest size that saves nearly as much as the largest one.
fn enough(points: &[CurvePoint]) -> Option<CurvePoint> {
    let most = points.iter().map(|point| point.hits).max()?;
    points.iter().copied().find(|point| percent(point.hits as f64, most as f64) >= ENOUGH_PERCENT)
}

/// Seconds in an hour that reads which are saved were waited for.
fn gain_of(facts: &Facts, curve: &Curve, hits: i64) -> f64 {
    let stall_ms: i64 = facts.files.iter().map(|file| file.read_stall_ms).sum();
    let share = hits as f64 / (curve.reads - curve.extension_hits).max(hits).max(1) as f64;
    per_hour(stall_ms as f64 / 1e3, facts.server.uptime_s) * share.min(1.0)
}

/// As much memory as its ghost hits say (`sys.dm_millpond_cache_curve`): the smallest pool that saves nine tenths of what the largest one
/// that the machine affords would save. That the curve holds is a test: `query/tests/it/advice.rs` applies it and counts reads.
fn larger_pool(facts: &Facts, curve: &Curve) -> Option<(Advice, i64)> {
    let base = curve.memory.first()?;
    let affordable: Vec<CurvePoint> = curve
        .memory
        .iter()
        .copied()
        .filter(|point| point.size_kb > base.size_kb && point.size_kb <= affordable_kb(facts))
        .collect();
    let point = enough(&affordable)?;
    let saved_percent = percent(point.hits as f64, curve.reads as f64);
    if saved_percent < SAVED_PERCENT_MIN {
        return None;
    }
    let gain = gain_of(facts, curve, point.hits);
    let statement = raise_memory(facts, mb_up(point.size_kb));
    let limit = if statement.is_some() { "" } else { STARTED_WITH_LESS };
    let lent = if base.hits > 0 {
        format!(" {} because memory was lent to statements.", count(base.hits))
    } else {
        String::new()
    };
    let advice = Advice {
        topic: Topic::Memory,
        severity: Severity::of_gain(gain),
        finding: format!(
            "Pages that were dropped from memory are read again: the working set is larger than the buffer pool.{limit}"
        ),
        evidence: format!(
            "{} pages were read in {}; {} of them would have been in {} of memory, of now {}.{lent}",
            count(curve.reads),
            duration(curve.counted_s),
            count(point.hits),
            size(point.size_kb),
            size(base.size_kb)
        ),
        effect: Some(format!(
            "{} reads instead of {} for the same work ({saved_percent:.0} % less).",
            count(curve.reads - point.hits),
            count(curve.reads)
        )),
        statement,
        gain_s_per_hour: gain,
    };
    Some((advice, point.hits))
}

/// The extension's size: larger than `max server memory` and at most 32 times as large (docs/storage.md, "Extension").
fn extension_points(facts: &Facts, curve: &Curve) -> Vec<CurvePoint> {
    let memory_kb = memory_now_kb(facts);
    let in_bounds = |point: &CurvePoint| point.size_kb > memory_kb && point.size_kb <= memory_kb.saturating_mul(32);
    let mut points: Vec<CurvePoint> = curve.extension.iter().copied().filter(in_bounds).collect();
    // What memory alone could be doubled by is saved by the smallest extension too.
    if points.is_empty() {
        points.extend(curve.extension.last().copied());
    }
    points
}

/// An extension where memory cannot be had, on a device that is faster than that of the data: with one that keeps changed pages too, updates
/// of a table four times as large as memory took 0.36 seconds a round against 10.7 without, and 0.20 in memory (docs/lab/extension.md); SQL
/// Server's, after Forrards' article, 75 seconds against 149. So memory comes first.
fn new_extension(facts: &Facts, curve: &Curve, kept: i64) -> Option<Advice> {
    let point = enough(&extension_points(facts, curve))?;
    let more = point.hits - kept;
    let saved_percent = percent(more as f64, curve.reads as f64);
    if saved_percent < SAVED_PERCENT_MIN {
        return None;
    }
    let size_mb = mb_up(point.size_kb).max(memory_now_kb(facts) / 1024 + 1);
    let volume = fast_volume(facts, size_mb * 1024);
    let statement = volume.map(|volume| {
        let path = quote::text(&format!("{}millpond.BPE", volume.folder));
        format!("ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = {path}, SIZE = {size_mb} MB);")
    });
    let where_to = match volume {
        Some(volume) => format!(" {} is faster than where the data is.", volume.name),
        None => " Which device is faster than that of the data is not known: `millpond probe` measures it.".to_owned(),
    };
    let gain = gain_of(facts, curve, more);
    Some(Advice {
        topic: Topic::Memory,
        severity: Severity::of_gain(gain),
        finding: format!(
            "Pages that were dropped from memory are read again, more than the machine's memory can keep.{where_to}"
        ),
        evidence: format!(
            "{} pages were read in {}; {} of them would have been in an extension of {}.",
            count(curve.reads),
            duration(curve.counted_s),
            count(point.hits),
            size(point.size_kb)
        ),
        effect: Some(format!(
            "{} reads of data files less ({saved_percent:.0} %); they come from the extension.",
            count(more)
        )),
        statement,
        gain_s_per_hour: gain,
    })
}

/// A device with room that reads at least three times as fast as the files that are read most.
fn fast_volume(facts: &Facts, wanted_kb: i64) -> Option<&Volume> {
    let busiest = facts.files.iter().filter(|file| !file.is_log).max_by_key(|file| file.read_stall_ms)?;
    let now_us = busiest.read_stall_ms as f64 * 1e3 / busiest.reads.max(1) as f64;
    let is_fast = |volume: &&Volume| {
        volume.name != busiest.volume
            && volume.probed_read_us.is_some_and(|us| us * 3.0 <= now_us)
            && volume.available_kb.is_none_or(|kb| kb > wanted_kb)
    };
    facts
        .volumes
        .iter()
        .filter(is_fast)
        .min_by(|a, b| a.probed_read_us.partial_cmp(&b.probed_read_us).unwrap_or(std::cmp::Ordering::Equal))
}

fn hits_at(points: &[CurvePoint], size_kb: i64) -> i64 {
    points.iter().filter(|point| point.size_kb <= size_kb).map(|point| point.hits).max().unwrap_or(0)
}

/// Changed pages may stay in the extension. One that takes clean pages alone wears out under updates: the 20th round of them took 21.5 times
/// as long as the first, and 0.94 with write-back (docs/lab/extension.md; the article saw 3.4).
fn write_back(facts: &Facts, curve: &Curve, extension: &Extension) -> Option<Advice> {
    let possible = hits_at(&curve.extension, extension.size_kb);
    let missed = possible - extension.hits;
    if !facts.server.is_millpond
        || !extension.is_clean_only
        || percent(missed as f64, curve.reads as f64) < SAVED_PERCENT_MIN
    {
        return None;
    }
    let gain = gain_of(facts, curve, missed);
    Some(Advice {
        topic: Topic::Memory,
        severity: Severity::of_gain(gain),
        finding: "Changed pages leave the buffer pool extension, and come back from the data files.".to_owned(),
        evidence: format!(
            "'buffer pool extension mode' is 0; of {} reads {} came from the extension, and its {} would have had {}.",
            count(curve.reads),
            count(extension.hits),
            size(extension.size_kb),
            count(possible)
        ),
        effect: Some(format!("Up to {} reads of data files less for the same work.", count(missed))),
        statement: Some(configure("buffer pool extension mode", 1)),
        gain_s_per_hour: gain,
    })
}

/// A larger extension; the one that there is has to be off while it changes.
fn larger_extension(facts: &Facts, curve: &Curve, extension: &Extension) -> Option<Advice> {
    let point = enough(&extension_points(facts, curve))?;
    let more = point.hits - hits_at(&curve.extension, extension.size_kb).max(extension.hits);
    let saved_percent = percent(more as f64, curve.reads as f64);
    if point.size_kb <= extension.size_kb || saved_percent < SAVED_PERCENT_MIN {
        return None;
    }
    let gain = gain_of(facts, curve, more);
    let path = quote::text(&extension.path);
    Some(Advice {
        topic: Topic::Memory,
        severity: Severity::of_gain(gain),
        finding: "The buffer pool extension is smaller than what is read again.".to_owned(),
        evidence: format!(
            "It has {}; {} more of {} reads would have been in one of {}.",
            size(extension.size_kb),
            count(more),
            count(curve.reads),
            size(point.size_kb)
        ),
        effect: Some(format!("{} reads of data files less ({saved_percent:.0} %).", count(more))),
        statement: Some(format!(
            "ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION OFF; \
             ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = {path}, SIZE = {} MB);",
            mb_up(point.size_kb)
        )),
        gain_s_per_hour: gain,
    })
}

/// SQL Server keeps no ghosts: what is known is how long requests wait for pages of data files, which is the most that memory can save.
/// A hundredth of the time is a reason to look ("sys.dm_os_wait_stats": PAGEIOLATCH).
fn without_curve(facts: &Facts) -> Option<Advice> {
    const WAIT_S_PER_HOUR_MIN: f64 = 36.0;
    let waits = facts.waits.iter().filter(|wait| wait.wait_type.starts_with("PAGEIOLATCH_"));
    let waited = per_hour(waits.map(|wait| wait.wait_ms).sum::<i64>() as f64 / 1e3, facts.server.uptime_s);
    let target_kb = facts.server.memory_target_kb;
    if waited < WAIT_S_PER_HOUR_MIN || target_kb == 0 {
        return None;
    }
    let wanted_mb = affordable_kb(facts) / 1024;
    // A fifth more at least, or it is not worth a change.
    let statement = (wanted_mb * 5 > target_kb / 1024 * 6).then(|| configure("max server memory (MB)", wanted_mb));
    let reads = stall_s_per_hour(facts, facts.files.iter().filter(|file| !file.is_log));
    Some(Advice {
        topic: Topic::Memory,
        severity: Severity::of_gain(waited),
        finding: match statement {
            Some(_) => "Requests wait for pages of data files, and the machine has more memory.".to_owned(),
            None => "Requests wait for pages of data files, and the machine has no more memory: a faster device or an extension would help.".to_owned(),
        },
        evidence: format!(
            "PAGEIOLATCH: {waited:.0} s in an hour, files {reads:.0} s; {} pages asked for, {} read; a page stays {} s; \
             the server aims at {} of {}, {}.",
            count(facts.pool.lookups),
            count(facts.pool.page_reads),
            count(facts.pool.page_life_s),
            size(target_kb),
            size(facts.server.physical_memory_kb),
            since(facts)
        ),
        effect: Some(format!("At most {waited:.0} s less of waits in an hour; how much of it, this server cannot say.")),
        statement,
        gain_s_per_hour: waited,
    })
}
