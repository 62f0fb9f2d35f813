//! Files on devices that are slower than others that the server has.

use super::{modify, since};
use crate::facts::{Facts, File, TEMPDB, Volume};
use crate::units::{count, per_hour, size};
use crate::{Advice, Severity, Topic, quote};

/// Transfers of a file or device from which on their average says something.
const TRANSFERS_MIN: i64 = 1_000;
/// An average from which on a device is slow: SQL Server's guidance looks at reads and writes of more than 10 to 15 ms.
const SLOW_MS: f64 = 10.0;
/// A device is faster if it takes a third of the time.
const FASTER: f64 = 3.0;
/// Seconds in an hour from which on requests feel it: a hundredth.
const STALL_S_PER_HOUR_MIN: f64 = 36.0;

pub(super) fn all(facts: &Facts) -> Vec<Advice> {
    facts.files.iter().filter_map(|file| slow(facts, file)).collect()
}

/// The average of reads and writes in ms, and how many there were.
fn average(reads_and_writes: impl Iterator<Item = (i64, i64)>) -> (f64, i64) {
    let (transfers, stall_ms) = reads_and_writes.fold((0, 0), |(a, b), (count, ms)| (a + count, b + ms));
    (stall_ms as f64 / transfers.max(1) as f64, transfers)
}

fn of_file(file: &File) -> (f64, i64) {
    average([(file.reads, file.read_stall_ms), (file.writes, file.write_stall_ms)].into_iter())
}

/// What a device takes for a transfer: by a measurement (`millpond probe`), else by its files.
fn of_volume(facts: &Facts, volume: &Volume) -> Option<f64> {
    if let Some(us) = volume.probed_read_us {
        return Some(us / 1e3);
    }
    let files = facts.files.iter().filter(|file| file.volume == volume.name);
    let (ms, transfers) =
        average(files.flat_map(|file| [(file.reads, file.read_stall_ms), (file.writes, file.write_stall_ms)]));
    (transfers >= TRANSFERS_MIN).then_some(ms)
}

/// A busy file on a slow device, where another one is known to be three times as fast and has room. tempdb on a card beside an array with
/// four users had 2.1 times the bandwidth (docs/figures.md, `millpond lab run tempdb-placement`); a tempdb that is waited for 0.035 ms a transfer,
/// as in a comment of the article behind docs/lab/ram-drive.md, gains nothing by any device.
fn slow(facts: &Facts, file: &File) -> Option<Advice> {
    let (ms, transfers) = of_file(file);
    let stalled = per_hour((file.read_stall_ms + file.write_stall_ms) as f64 / 1e3, facts.server.uptime_s);
    if transfers < TRANSFERS_MIN || ms < SLOW_MS || stalled < STALL_S_PER_HOUR_MIN {
        return None;
    }
    let faster = facts
        .volumes
        .iter()
        .filter(|volume| volume.name != file.volume && volume.available_kb.is_none_or(|kb| kb > file.size_kb / 5 * 6))
        .filter_map(|volume| Some((volume, of_volume(facts, volume)?)))
        .filter(|(_, other_ms)| other_ms * FASTER <= ms)
        .min_by(|a, b| a.1.total_cmp(&b.1));
    let whose = format!("{} of {}", quote::name(&file.name), quote::name(&file.database));
    let evidence = format!(
        "{} transfers of {} took {ms:.1} ms each, {stalled:.0} s of waits in an hour, {}.",
        count(transfers),
        size((file.read_bytes + file.write_bytes) / 1024),
        since(facts)
    );
    let Some((volume, other_ms)) = faster else {
        return Some(Advice {
            topic: Topic::Devices,
            severity: Severity::of_gain(stalled),
            finding: format!("{whose} is on a slow device, and no faster one with room for it is known."),
            evidence,
            effect: None,
            statement: None,
            gain_s_per_hour: 0.0,
        });
    };
    let gain = stalled * (1.0 - other_ms / ms);
    let leaf = file.physical_name.rsplit(['/', '\\']).next().unwrap_or_default();
    let path = quote::text(&format!("{}{leaf}", volume.folder));
    let when = if file.database_id == TEMPDB { "from the next start on" } else { "once the file is there" };
    Some(Advice {
        topic: Topic::Devices,
        severity: Severity::of_gain(gain),
        finding: format!("{whose} is on a slow device, and {} is faster.", quote::text(&volume.name)),
        evidence: format!("{evidence} There a transfer takes {other_ms:.1} ms."),
        effect: Some(format!("About {gain:.0} s less of waits in an hour, {when}.")),
        statement: Some(modify(file, &format!("FILENAME = {path}"))),
        gain_s_per_hour: gain,
    })
}
