//! Number, sizes and order of tempdb's data files, and how extents are taken from them.

use super::{configure, enlarge, since, stall_s_per_hour, tempdb_data};
use crate::collect::space::folder_of;
use crate::facts::{Facts, File, Growth};
use crate::units::{count, per_hour, percent, size};
use crate::{Advice, Severity, Topic, quote};

/// Waits for allocation pages that are no accident.
const LATCH_WAITS_MIN: i64 = 1_000;
/// A thousandth of the time of one request: below it nothing is to be gained.
const LATCH_S_PER_HOUR_MIN: f64 = 3.6;
/// Files beyond which SQL Server's documentation adds four at a time.
const FILES_AT_ONCE: usize = 8;
/// Bytes from which on writes of tempdb are worth a word: 64 MB.
const WRITTEN_MIN: i64 = 64 << 20;

pub(super) fn all(facts: &Facts) -> Vec<Advice> {
    let files: Vec<&File> = tempdb_data(facts).collect();
    let rules = [contention, sizes, too_many, overflow, forward_only, eager];
    if files.is_empty() { Vec::new() } else { rules.iter().filter_map(|rule| rule(facts, &files)).collect() }
}

/// More files where sessions wait for each other at PFS, GAM and SGAM pages: as many as processors, up to eight, then by four ("tempdb
/// database: optimize performance"). PAGELATCH_UP is waited for at these pages alone. Without such waits more files give nothing: one
/// file against eight was 0.96 of the rows a second, with 47 waits in 7.7 million inserts (docs/figures.md, `benches/tempdb_loop/run
/// files`); on a disk with an arm they cost seeks, as the comments of the article behind docs/lab/ram-drive.md say.
fn contention(facts: &Facts, files: &[&File]) -> Option<Advice> {
    let wait = facts.waits.iter().find(|wait| wait.wait_type == "PAGELATCH_UP");
    let (waits, wait_ms) = wait.map_or((0, 0), |wait| (wait.waits, wait.wait_ms));
    let waited_s_per_hour = per_hour(wait_ms as f64 / 1e3, facts.server.uptime_s);
    let is_seen = waits >= LATCH_WAITS_MIN && waited_s_per_hour >= LATCH_S_PER_HOUR_MIN;
    if !is_seen && facts.allocation_waiters < 2 {
        return None;
    }
    let usual = usize::try_from(facts.server.cpu_count).unwrap_or(1).clamp(1, FILES_AT_ONCE);
    let wanted = if files.len() < usual { usual } else { files.len() + 4 };
    let gain = waited_s_per_hour * (1.0 - files.len() as f64 / wanted as f64);
    let mut statement = String::new();
    // Before 2016 the first eight pages of a table came from mixed extents, all found by SGAM pages (trace flag 1118).
    if (1..13).contains(&facts.server.major_version) && !facts.server.trace_flags.contains(&1118) {
        statement.push_str("DBCC TRACEON (1118, -1); ");
    }
    statement.push_str(&added(files, wanted - files.len()));
    Some(Advice {
        topic: Topic::TempdbFiles,
        severity: Severity::of_gain(gain),
        finding: format!(
            "Sessions wait for each other at tempdb's allocation pages; it has {} data file{} for {} processors.",
            files.len(),
            if files.len() == 1 { "" } else { "s" },
            facts.server.cpu_count
        ),
        evidence: format!(
            "PAGELATCH_UP: {} waits, {:.1} s in an hour, {}; {} requests wait for PFS, GAM or SGAM pages now; {} sessions.",
            count(waits),
            waited_s_per_hour,
            since(facts),
            facts.allocation_waiters,
            count(facts.server.sessions)
        ),
        effect: Some(format!("{wanted} files: about {gain:.1} s less of these waits in an hour.")),
        statement: Some(statement),
        gain_s_per_hour: gain,
    })
}

/// Statements that add files like the largest one.
fn added(files: &[&File], missing: usize) -> String {
    let Some(like) = files.iter().max_by_key(|file| file.size_kb) else { return String::new() };
    let mut numbers = 2..;
    let statements: Vec<String> = (0..missing)
        .filter_map(|_| {
            let is_new = |number: &usize| files.iter().all(|file| file.name != format!("temp{number}"));
            let name = numbers.by_ref().find(is_new).map(|number| format!("temp{number}"))?;
            let path = format!("{}{name}.ndf", folder_of(&like.physical_name));
            Some(format!(
                "ALTER DATABASE tempdb ADD FILE (NAME = {}, FILENAME = {}, SIZE = {} KB, FILEGROWTH = {});",
                quote::name(&name),
                quote::text(&path),
                like.size_kb,
                growth_text(like.growth)
            ))
        })
        .collect();
    statements.join(" ")
}

fn growth_text(growth: Growth) -> String {
    match growth {
        Growth::None => "0".to_owned(),
        Growth::Kb(kb) => format!("{kb} KB"),
        Growth::Percent(percent) => format!("{percent} %"),
    }
}

/// Whether one small file grows where all others do not: it takes what they cannot, and is not meant to be as large. It gets few pages,
/// because files are filled by their free space (the article behind docs/lab/ram-drive.md does so with 1 MB beside three of 200 MB).
fn has_overflow(files: &[&File]) -> bool {
    let (growing, fixed): (Vec<&&File>, Vec<&&File>) = files.iter().partition(|file| file.growth != Growth::None);
    let smallest = fixed.iter().map(|file| file.size_kb).min().unwrap_or_default();
    growing.len() == 1 && !fixed.is_empty() && growing[0].start_kb.unwrap_or(growing[0].size_kb) * 10 <= smallest
}

/// Files of one size, because they are filled in proportion to their free space, so that the largest takes most of the writes ("tempdb
/// database: physical properties"). Files of other tiers are unequal on purpose.
fn sizes(facts: &Facts, files: &[&File]) -> Option<Advice> {
    let first = files.iter().filter_map(|file| file.tier).min();
    let files: Vec<&File> = files.iter().copied().filter(|file| file.tier == first || file.tier.is_none()).collect();
    let (least, most) = (files.iter().map(|it| it.size_kb).min()?, files.iter().map(|it| it.size_kb).max()?);
    let written: i64 = files.iter().map(|file| file.write_bytes).sum();
    if files.len() < 2 || has_overflow(&files) || least * 11 >= most * 10 || written < WRITTEN_MIN {
        return None;
    }
    let largest = files.iter().find(|file| file.size_kb == most)?;
    let share = percent(largest.write_bytes as f64, written as f64);
    let gain = stall_s_per_hour(facts, std::iter::once(*largest))
        * (1.0 - 100.0 / files.len() as f64 / share.max(1.0)).max(0.0);
    let smaller = files.iter().filter(|file| file.size_kb < most);
    let statements: Vec<String> = smaller.map(|file| enlarge(file, most)).collect();
    Some(Advice {
        topic: Topic::TempdbFiles,
        severity: Severity::of_gain(gain),
        finding: "tempdb's data files are of different sizes, and the largest takes most of the writes.".to_owned(),
        evidence: format!(
            "{} files of {} to {}; {} took {share:.0} % of {}, {}.",
            files.len(),
            size(least),
            size(most),
            quote::name(&largest.name),
            size(written / 1024),
            since(facts)
        ),
        effect: Some(format!("Each file takes {:.0} % of the writes.", 100.0 / files.len() as f64)),
        statement: Some(statements.join(" ")),
        gain_s_per_hour: gain,
    })
}

/// Fewer files where there are more than processors and more than eight, and no request waits for allocation pages: each is a file to size
/// and to grow, and an arm has to go to each ("tempdb database: optimize performance"; docs/figures.md, `benches/tempdb_loop/run files`).
fn too_many(facts: &Facts, files: &[&File]) -> Option<Advice> {
    let most = usize::try_from(facts.server.cpu_count).unwrap_or(0).max(FILES_AT_ONCE);
    if files.len() <= most || facts.allocation_waiters > 0 || facts.server.cpu_count == 0 {
        return None;
    }
    let mut surplus: Vec<&&File> = files.iter().filter(|file| file.file_id != 1).collect();
    surplus.sort_by_key(|file| std::cmp::Reverse(file.file_id));
    surplus.truncate(files.len() - most);
    let statements: Vec<String> = surplus
        .iter()
        .map(|file| {
            let name = quote::name(&file.name);
            format!(
                "DBCC SHRINKFILE ({}, EMPTYFILE); ALTER DATABASE tempdb REMOVE FILE {name};",
                quote::text(&file.name)
            )
        })
        .collect();
    Some(Advice {
        topic: Topic::TempdbFiles,
        severity: Severity::Low,
        finding: format!("tempdb has more data files than {most}, and nobody waits for allocation pages."),
        evidence: format!(
            "{} files, {} processors; no request waits for PFS, GAM or SGAM pages.",
            files.len(),
            facts.server.cpu_count
        ),
        effect: Some(format!("{} files less to size, to grow and to go to.", surplus.len())),
        statement: Some(format!("USE tempdb; {}", statements.join(" "))),
        gain_s_per_hour: 0.0,
    })
}

/// A first tier that holds what is used: what flows over goes to a slower one (docs/storage.md, "Tiers"; the emulated SATA disk of
/// docs/lab/ram-drive.md takes 18 ms for a write that memory takes 0.06 ms for).
fn overflow(facts: &Facts, files: &[&File]) -> Option<Advice> {
    let first = files.iter().filter_map(|file| file.tier).min()?;
    let below: Vec<&File> = files.iter().copied().filter(|file| file.tier.is_some_and(|tier| tier > first)).collect();
    let used = |file: &&File| {
        let space = facts.tempdb_space.iter().find(|space| space.file_id == file.file_id);
        space.map_or(0, |space| space.user_objects_kb + space.internal_objects_kb + space.version_store_kb)
    };
    let flowed_kb: i64 = below.iter().map(used).sum();
    let flowed_bytes: i64 = below.iter().map(|file| file.written_for("overflow").max(file.write_bytes)).sum();
    if flowed_bytes < WRITTEN_MIN {
        return None;
    }
    let target = files.iter().filter(|file| file.tier == Some(first)).max_by_key(|file| file.size_kb)?;
    let wanted_kb = target.size_kb + flowed_kb.max(target.size_kb / 2);
    let gain = stall_s_per_hour(facts, below.iter().copied());
    Some(Advice {
        topic: Topic::TempdbFiles,
        severity: Severity::of_gain(gain),
        finding: "The first tier of tempdb's files is too small: work flows over to the next one.".to_owned(),
        evidence: format!(
            "{} were written to files of later tiers, {}, and {} of them are in use; {} has {}.",
            size(flowed_bytes / 1024),
            since(facts),
            size(flowed_kb),
            quote::name(&target.name),
            size(target.size_kb)
        ),
        effect: Some(format!(
            "{} fit into the first tier: up to {gain:.1} s less of waits for files in an hour.",
            size(wanted_kb)
        )),
        statement: Some(enlarge(target, wanted_kb)),
        gain_s_per_hour: gain,
    })
}

/// Freed extents first. With `tempdb forward-only extent search` pages of dropped tables are written as in old versions of SQL Server: 0.19
/// bytes for each byte inserted, and 0.69 of the rows a second (docs/figures.md, `benches/tempdb_loop/run old`); on an emulated disk with
/// ten connections 16.5 against 657 thousand inserts a second, and then memory in place of the disk gives nothing more (docs/lab/ram-drive.md).
fn forward_only(facts: &Facts, files: &[&File]) -> Option<Advice> {
    let written: i64 = files.iter().map(|file| file.written_for("lazy")).sum();
    if !facts.server.is_forward_only_search || written < WRITTEN_MIN {
        return None;
    }
    let gain = per_hour(files.iter().map(|file| file.write_stall_ms).sum::<i64>() as f64 / 1e3, facts.server.uptime_s);
    Some(Advice {
        topic: Topic::TempdbFiles,
        severity: Severity::of_gain(gain).min(Severity::Medium),
        finding: "tempdb takes new extents before freed ones, so pages of dropped tables are written.".to_owned(),
        evidence: format!("'tempdb forward-only extent search' is 1; {} were written to make room, {}.", size(written / 1024), since(facts)),
        effect: Some("Tables that are dropped before memory is short are not written at all: 0 bytes for 0.19 of each byte inserted.".to_owned()),
        statement: Some(configure("tempdb forward-only extent search", 0)),
        gain_s_per_hour: gain,
    })
}

/// Loads into tempdb stay in memory while there is some. With `tempdb eager writes` they are written at once: 1.00 bytes for each byte
/// copied by SELECT INTO, and 0 without (docs/figures.md, `benches/tempdb_loop/run old`; docs/lab/select-into.md).
fn eager(facts: &Facts, files: &[&File]) -> Option<Advice> {
    let written: i64 = files.iter().map(|file| file.written_for("eager")).sum();
    if !facts.server.is_eager_writes || written < WRITTEN_MIN {
        return None;
    }
    let all: i64 = files.iter().map(|file| file.write_bytes).sum();
    let stall_s = files.iter().map(|file| file.write_stall_ms).sum::<i64>() as f64 / 1e3;
    let gain = per_hour(stall_s, facts.server.uptime_s) * (written as f64 / all.max(written) as f64);
    Some(Advice {
        topic: Topic::TempdbFiles,
        severity: Severity::of_gain(gain).min(Severity::Medium),
        finding: "Loads into temporary tables are written at once, though nobody needs them on the disk.".to_owned(),
        evidence: format!(
            "'tempdb eager writes' is 1; {} were written eagerly, {}.",
            size(written / 1024),
            since(facts)
        ),
        effect: Some(format!("{} less to write while memory suffices.", size(written / 1024))),
        statement: Some(configure("tempdb eager writes", 0)),
        gain_s_per_hour: gain,
    })
}
