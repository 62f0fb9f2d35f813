//! The deadlock graph: what `xml_deadlock_report` shows of a deadlock, and what trace flags 1204 and 1222 write to the error log.
//!
//! The lock manager knows who waits for what; who they are, which statement of which text they run and what the objects are called
//! is looked up here, while all of them still wait (D5 of `txn/src/lock/deadlock.rs`).
//!
//! What always holds: a text in which a password may be written is not shown, and none is longer than `TEXT_MAX` characters. It
//! does not know the table of a row without an index (its page would have to be read), nor the modules that called the one that runs.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::ObjectId;
use millpond_catalog::trees::ids_of_hobt;
use millpond_engine::account::running_statement::{SQL_HANDLE, handle_bytes};
use millpond_engine::engine::Engine;
use millpond_engine::event_session::deep;
use millpond_engine::session_shared::SessionShared;
use millpond_events::object::EventId;
use millpond_storage::contract::{DbId, SessionId};
use millpond_txn::lock::{DeadlockMember, DeadlockReport, ResourceKind};
use millpond_txn::{Isolation, TransactionRow};
use millpond_xml::chars::is_xml_char;
use millpond_xml::write::{escape_attribute, escape_text};

use crate::columns::iso_text;

/// Characters of a text that are shown.
const TEXT_MAX: usize = 1024;
/// The trace flag that writes deadlocks by resource.
const BY_RESOURCE: i32 = 1204;
/// The trace flag that writes them by process.
const BY_PROCESS: i32 = 1222;

/// From now on sessions of events are told of each deadlock, with its graph.
pub fn listen(engine: &Arc<Engine>) {
    let listening = Arc::downgrade(engine);
    engine.txns().locks().listen_to_deadlocks(move |report| {
        if let Some(engine) = listening.upgrade() {
            note(&engine, report);
        }
    });
}

fn note(engine: &Engine, report: &DeadlockReport) {
    let flags = engine.trace_flags();
    let is_wanted = engine.events.wants_any(&[EventId::DeadlockReport, EventId::LockDeadlock]);
    if !is_wanted && !flags.contains(&BY_RESOURCE) && !flags.contains(&BY_PROCESS) {
        return;
    }
    let graph = graph(engine, report);
    if flags.contains(&BY_RESOURCE) {
        report.to_string().lines().for_each(|line| engine.log_text(0, line.to_owned()));
    }
    if flags.contains(&BY_PROCESS) {
        lines(&graph).for_each(|line| engine.log_text(0, line));
    }
    deep::deadlock(engine, report, &graph);
}

/// The graph as the error log has it: a line for each element, with its attributes.
fn lines(graph: &str) -> impl Iterator<Item = String> {
    let shown = graph.lines().filter(|line| !line.trim_start().starts_with("</"));
    shown.map(|line| line.replace("/>", "").replace(['<', '>', '"'], ""))
}

/// An element that is being written: `<name a="1"`.
struct Tag<'a>(&'a mut String);

impl<'a> Tag<'a> {
    fn open(out: &'a mut String, indent: &str, name: &str) -> Tag<'a> {
        let _ = write!(out, "{indent}<{name}");
        Tag(out)
    }

    fn with(self, name: &str, value: impl std::fmt::Display) -> Tag<'a> {
        let _ = write!(self.0, " {name}=\"");
        escape_attribute(&first_characters(&value.to_string()), self.0);
        self.0.push('"');
        self
    }
}

/// A process's name in the graph.
fn process(session: SessionId) -> String {
    format!("process{:x}", session.0)
}

fn graph(engine: &Engine, report: &DeadlockReport) -> String {
    let mut out = String::from("<deadlock>\n <victim-list>\n");
    Tag::open(&mut out, "  ", "victimProcess").with("id", process(report.victim));
    out.push_str("/>\n </victim-list>\n <process-list>\n");
    let transactions = engine.txns().transactions();
    report.members.iter().for_each(|member| write_process(engine, &mut out, member, &transactions));
    out.push_str(" </process-list>\n <resource-list>\n");
    report.members.iter().for_each(|member| write_resource(engine, &mut out, member));
    out.push_str(" </resource-list>\n</deadlock>");
    out
}

fn write_process(engine: &Engine, out: &mut String, member: &DeadlockMember, transactions: &[TransactionRow]) {
    let open = transactions.iter().find(|open| open.session == member.session);
    let id = open.map_or(0, TransactionRow::id);
    let session = engine.session(member.session.0);
    let tag = Tag::open(out, "  ", "process")
        .with("id", process(member.session))
        .with("taskpriority", member.priority)
        .with("logused", member.log_bytes)
        .with("waitresource", member.resource)
        .with("waittime", member.wait_us / 1000)
        .with("ownerId", id);
    let Some(session) = session else {
        tag.with("lockMode", member.mode).with("spid", member.session).0.push_str("/>\n");
        return;
    };
    let status = session.status.lock().clone();
    let local_us = engine.now_us().1;
    let begun_us = open.and_then(|open| open.begun_us);
    let begun_ago_us = begun_us.map_or(0, |us| engine.clock_us().saturating_sub(us).cast_signed());
    let database = engine.database_name(status.database).unwrap_or_default();
    let settings = &status.settings;
    let isolation = match settings.isolation() {
        Isolation::ReadUncommitted => "read uncommitted (1)",
        Isolation::ReadCommitted => "read committed (2)",
        Isolation::RepeatableRead => "repeatable read (3)",
        Isolation::Serializable => "serializable (4)",
        Isolation::Snapshot => "snapshot (5)",
    };
    let tag = tag
        .with("transactionname", session.transaction_name.lock())
        .with("lasttranstarted", iso_text(local_us - begun_ago_us))
        .with("lockMode", member.mode)
        .with("status", "suspended")
        .with("spid", member.session)
        .with("sbid", 0)
        .with("ecid", 0)
        .with("priority", member.priority)
        .with("trancount", session.tran_count.load(Relaxed))
        .with("lastbatchstarted", iso_text(status.last_start_us))
        .with("lastbatchcompleted", iso_text(status.last_end_us))
        .with("clientapp", &session.login.program)
        .with("hostname", &session.login.host)
        .with("hostpid", session.login.host_process_id)
        .with("loginname", &status.acting.login_name)
        .with("isolationlevel", isolation)
        .with("xactid", id)
        .with("currentdb", status.database)
        .with("currentdbname", database)
        // -1, to wait for ever, is the largest number of 32 bits.
        .with("lockTimeout", settings.lock_timeout.cast_unsigned());
    tag.0.push_str(">\n   <executionStack>\n");
    write_frame(engine, out, &session);
    out.push_str("   </executionStack>\n   <inputbuf>");
    if let Some(text) = status.shown_text() {
        escape_text(&first_characters(text), out);
    }
    out.push_str("</inputbuf>\n  </process>\n");
}

/// The statement that waits, with its text.
fn write_frame(engine: &Engine, out: &mut String, session: &SessionShared) {
    let Some((text, start, end)) = session.statement.now() else { return };
    let (from, to) = text.offsets(start, end);
    let line = 1 + text.text.get(..start as usize).map_or(0, |before| before.matches('\n').count());
    let name = match text.object {
        0 => "adhoc".to_owned(),
        id => object_name(engine, DbId(text.database), ObjectId(id)).unwrap_or_else(|| "unknown".to_owned()),
    };
    let handle: String = handle_bytes(SQL_HANDLE, text.id).iter().map(|byte| format!("{byte:02x}")).collect();
    Tag::open(out, "    ", "frame")
        .with("procname", name)
        .with("line", line)
        .with("stmtstart", from)
        .with("stmtend", to)
        .with("sqlhandle", format_args!("0x{handle}"))
        .0
        .push('>');
    let statement = text.text.get(start as usize..end as usize).unwrap_or_default();
    escape_text(&first_characters(statement), out);
    out.push_str("</frame>\n");
}

fn write_resource(engine: &Engine, out: &mut String, member: &DeadlockMember) {
    let resource = member.resource;
    let mode = member.owners.first().map_or(member.mode, |(_, mode)| *mode);
    let described = resource.waiting_description(mode);
    let mut words = described.split(' ');
    let element = words.next().unwrap_or("lock");
    let mut tag = Tag::open(out, "  ", element).with("id", format_args!("lock{:x}", resource.entity()));
    for (name, value) in words.filter_map(|word| word.split_once('=')) {
        tag = tag.with(name, value);
    }
    let (object, index) = match resource.kind() {
        ResourceKind::Object => (Some(resource.entity()), None),
        ResourceKind::Key | ResourceKind::Hobt => {
            let ids = ids_of_hobt(resource.entity());
            (Some(u64::from(ids.object_id)), Some(ids.index_id))
        }
        _ => (None, None),
    };
    let object = object.and_then(|id| i32::try_from(id).ok()).map(ObjectId);
    if let Some(name) = object.and_then(|id| object_name(engine, resource.db(), id)) {
        tag = tag.with("objectname", name);
    }
    if let Some(name) = object.zip(index).and_then(|(id, index)| index_name(engine, resource.db(), id, index)) {
        tag = tag.with("indexname", name);
    }
    tag.0.push_str(">\n   <owner-list>\n");
    for (session, mode) in &member.owners {
        Tag::open(out, "    ", "owner").with("id", process(*session)).with("mode", mode).0.push_str("/>\n");
    }
    out.push_str("   </owner-list>\n   <waiter-list>\n");
    let request = if member.is_conversion { "convert" } else { "wait" };
    Tag::open(out, "    ", "waiter")
        .with("id", process(member.session))
        .with("mode", member.mode)
        .with("requestType", request)
        .0
        .push_str("/>\n");
    let _ = writeln!(out, "   </waiter-list>\n  </{element}>");
}

/// `database.schema.object`, where the definitions are open: who waits may hold what it takes to open them.
fn object_name(engine: &Engine, database: DbId, id: ObjectId) -> Option<String> {
    let dictionary = engine.databases().known(database)?;
    let objects = dictionary.catalog().objects();
    let object = objects.get(id)?;
    Some(format!("{}.{}.{}", engine.database_name(database)?, object.schema().name, object.name()))
}

fn index_name(engine: &Engine, database: DbId, table: ObjectId, index: u16) -> Option<String> {
    let dictionary = engine.databases().known(database)?;
    let objects = dictionary.catalog().objects();
    let (def, _) = objects.table(table)?;
    def.indexes.iter().find(|known| known.id == index).map(|known| known.name.clone())
}

/// What XML can have of a text; any login writes some of the names and texts here.
fn first_characters(text: &str) -> String {
    text.chars().filter(|c| is_xml_char(*c)).take(TEXT_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_without_characters_that_xml_has_not() {
        let mut out = String::new();
        Tag::open(&mut out, "", "process").with("transactionname", "a\u{1}<b\u{fffe}\"");
        assert_eq!(out, "<process transactionname=\"a&lt;b&quot;\"");
    }
}
