//! DBCC commands, one family per file.

mod cache;
mod extent_info;
mod perf;
mod trace;

use crate::system_call::DbccDef;

/// All commands.
pub static COMMANDS: &[&DbccDef] = &[
    &cache::DROPCLEANBUFFERS,
    &cache::FREEPROCCACHE,
    &extent_info::EXTENTINFO,
    &perf::SQLPERF,
    &trace::TRACEOFF,
    &trace::TRACEON,
    &trace::TRACESTATUS,
];

/// The command of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static DbccDef> {
    COMMANDS.iter().copied().find(|command| command.name.eq_ignore_ascii_case(name))
}
