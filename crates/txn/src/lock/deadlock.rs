//! The search for a circle of waits, and what is told about one.
//!
//! A circle comes into being only when a wait begins, so the search begins there, under the one lock of all waits. Who
//! waits keeps its locks, so an edge between two that wait stays while they wait: what is found shard by shard is a
//! circle at one moment.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use millpond_storage::contract::SessionId;

use super::mode::LockMode;
use super::resource::{Resource, ResourceKind};
use super::wait::Waiter;

/// One member of a circle: what it waits for, and what it has that the one before it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadlockMember {
    /// Session.
    pub session: SessionId,
    /// What it waits for.
    pub resource: Resource,
    /// The mode it asks for.
    pub mode: LockMode,
    /// Whether it has the resource in a weaker mode.
    pub is_conversion: bool,
    /// Modes that others have on the resource: session and mode.
    pub owners: Vec<(SessionId, LockMode)>,
    /// How long it has waited.
    pub wait_us: u64,
    /// Bytes of log of its transaction.
    pub log_bytes: u64,
    /// DEADLOCK_PRIORITY, -10 to 10.
    pub priority: i8,
}

/// A circle of waits and who was chosen to end it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadlockReport {
    /// The session whose transaction is rolled back.
    pub victim: SessionId,
    /// The circle; each waits for the next, the last for the first.
    pub members: Vec<DeadlockMember>,
}

impl DeadlockReport {
    /// What the message 1205 calls the resources: `lock`.
    #[must_use]
    pub fn resource_name(&self) -> &'static str {
        "lock"
    }

    /// The deadlock graph in SQL Server's form.
    #[must_use]
    pub fn xml(&self) -> String {
        let mut xml = String::from("<deadlock>\n");
        let _ = writeln!(xml, " <victim-list>\n  <victimProcess id=\"process{}\"/>\n </victim-list>", self.victim);
        xml.push_str(" <process-list>\n");
        for member in &self.members {
            let _ = writeln!(
                xml,
                "  <process id=\"process{0}\" taskpriority=\"{1}\" logused=\"{2}\" waitresource=\"{3}\" waittime=\"{4}\" \
                 lockMode=\"{5}\" spid=\"{0}\" priority=\"{1}\"/>",
                member.session,
                member.priority,
                member.log_bytes,
                member.resource,
                member.wait_us / 1000,
                member.mode
            );
        }
        xml.push_str(" </process-list>\n <resource-list>\n");
        self.members.iter().for_each(|member| resource_xml(&mut xml, member));
        xml.push_str(" </resource-list>\n</deadlock>");
        xml
    }
}

fn resource_xml(xml: &mut String, member: &DeadlockMember) {
    let element = match member.resource.kind() {
        ResourceKind::Key => "keylock",
        ResourceKind::Object => "objectlock",
        ResourceKind::Page => "pagelock",
        ResourceKind::Rid => "ridlock",
        ResourceKind::Hobt => "hobtlock",
        ResourceKind::Database => "databaselock",
        ResourceKind::Application => "applicationlock",
        ResourceKind::Metadata => "metadatalock",
    };
    let (db, entity) = (member.resource.db(), member.resource.entity());
    let mode = member.owners.first().map_or("", |(_, mode)| mode.name());
    let _ =
        writeln!(xml, "  <{element} dbid=\"{db}\" associatedObjectId=\"{entity}\" mode=\"{mode}\">\n   <owner-list>");
    for (session, mode) in &member.owners {
        let _ = writeln!(xml, "    <owner id=\"process{session}\" mode=\"{mode}\"/>");
    }
    let request = if member.is_conversion { "convert" } else { "wait" };
    let _ = writeln!(
        xml,
        "   </owner-list>\n   <waiter-list>\n    <waiter id=\"process{}\" mode=\"{}\" requestType=\"{request}\"/>\n   \
         </waiter-list>\n  </{element}>",
        member.session, member.mode
    );
}

/// In the form of trace flag 1204.
impl fmt::Display for DeadlockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Deadlock encountered .... Printing deadlock information\nWait-for graph")?;
        for (node, member) in self.members.iter().enumerate() {
            writeln!(f, "Node:{}\n{}", node + 1, member.resource)?;
            for (session, mode) in &member.owners {
                writeln!(f, " Grant List: SPID: {session} Mode: {mode}")?;
            }
            writeln!(f, " Requested By: SPID: {} Mode: {}", member.session, member.mode)?;
        }
        write!(f, "Victim Resource Owner: SPID: {}", self.victim)
    }
}

/// The requests that wait, by session.
#[derive(Debug, Default)]
pub(super) struct Graph {
    waits: HashMap<u32, Vec<Arc<Waiter>>>,
}

impl Graph {
    pub(super) fn add(&mut self, waiter: &Arc<Waiter>) {
        self.waits.entry(waiter.owner.group()).or_default().push(Arc::clone(waiter));
    }

    pub(super) fn remove(&mut self, waiter: &Arc<Waiter>) {
        let group = waiter.owner.group();
        if let Some(waits) = self.waits.get_mut(&group) {
            waits.retain(|other| !Arc::ptr_eq(other, waiter));
            if waits.is_empty() {
                self.waits.remove(&group);
            }
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Waiter>> {
        self.waits.values().flatten().filter(|waiter| waiter.is_waiting())
    }

    /// A circle through the session `start`: the request of each member, in order.
    pub(super) fn circle(
        &self,
        start: u32,
        mut blockers: impl FnMut(&Waiter, &mut Vec<u32>),
    ) -> Option<Vec<Arc<Waiter>>> {
        let mut path: Vec<Arc<Waiter>> = Vec::new();
        // (depth in the path, request): a depth first search without recursion.
        let mut open: Vec<(usize, Arc<Waiter>)> = self.requests(start).map(|waiter| (0, waiter)).collect();
        let mut seen = std::collections::HashSet::from([start]);
        let mut next = Vec::new();
        while let Some((depth, waiter)) = open.pop() {
            path.truncate(depth);
            path.push(Arc::clone(&waiter));
            next.clear();
            blockers(&waiter, &mut next);
            if next.contains(&start) {
                return Some(path);
            }
            for group in next.drain(..).filter(|group| seen.insert(*group)) {
                open.extend(self.requests(group).map(|waiter| (depth + 1, waiter)));
            }
        }
        None
    }

    fn requests(&self, group: u32) -> impl Iterator<Item = Arc<Waiter>> + '_ {
        self.waits.get(&group).into_iter().flatten().filter(|waiter| waiter.is_waiting()).cloned()
    }
}
