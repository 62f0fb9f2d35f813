//! DBCC commands, one family per file.

mod cache;
mod extent_info;
mod help;
mod identity;
mod log;
mod maintenance;
mod memory_status;
mod page;
mod perf;
mod sessions;
mod show_contig;
mod show_statistics;
mod shrink;
mod trace;
mod user_options;

use millpond_engine::system_call::DbccDef;

/// All commands.
pub static COMMANDS: &[&DbccDef] = &[
    &cache::DROPCLEANBUFFERS,
    &cache::FLUSHAUTHCACHE,
    &cache::FREEPROCCACHE,
    &cache::FREESESSIONCACHE,
    &cache::FREESYSTEMCACHE,
    &cache::PROCCACHE,
    &extent_info::EXTENTINFO,
    &help::HELP,
    &identity::CHECKIDENT,
    &log::LOGINFO,
    &log::OPENTRAN,
    &maintenance::CLEANTABLE,
    &maintenance::DBREINDEX,
    &maintenance::UPDATEUSAGE,
    &memory_status::MEMORYSTATUS,
    &page::IND,
    &page::PAGE,
    &perf::SQLPERF,
    &sessions::INPUTBUFFER,
    &show_contig::SHOWCONTIG,
    &show_statistics::SHOW_STATISTICS,
    &shrink::SHRINKDATABASE,
    &shrink::SHRINKFILE,
    &trace::TRACEOFF,
    &trace::TRACEON,
    &trace::TRACESTATUS,
    &user_options::USEROPTIONS,
];

/// The command of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static DbccDef> {
    COMMANDS.iter().copied().find(|command| command.name.eq_ignore_ascii_case(name))
}
