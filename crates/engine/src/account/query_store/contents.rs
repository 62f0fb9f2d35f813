//! The contents of one store, and how they change: one execution after another, by procedures, by what is written and read.
//!
//! What always holds:
//! - Each query is of a text and settings that are there, each plan of a query, each row of runs of a plan and an interval.
//! - `bytes` is what the entries take, about; each entry adds its part when it comes and takes it back when it goes.
//! - What differs from what the database has is in `dirty` or `gone`.
//!
//! It knows no locks: its caller has it alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::account::query_store::context_settings::ContextSettings;
use crate::account::query_store::entries::{
    Compiled, Execution, ExecutionKind, Interval, RunKey, Runs, ShownPlan, SlotNo, StoredPlan, StoredQuery,
    StoredSettings, StoredText,
};
use crate::account::query_store::measures::Metric;
use crate::account::query_store::options::{CaptureMode, StoreOptions, StoreState};
use crate::account::query_store::records::{self, NUMBERS, Record};

/// Queries that are watched and not kept yet; when there are more, all begin anew.
const CANDIDATES_MAX: usize = 4096;
/// What an entry takes beside its text or document: in memory, and about as much in the database.
const ENTRY_BYTES: u64 = 300;
const RUNS_BYTES: u64 = 900;
const WAIT_BYTES: u64 = 80;
/// What a query that is watched takes.
const CANDIDATE_BYTES: u64 = 64;
/// A text and its plan take this part of the whole at most: others are not let go for them.
const PART_OF_ALL: u64 = 4;
/// A text takes so much for a byte: UTF-8 in memory, UTF-16 in the database.
const TEXT_FACTOR: u64 = 2;

const US_OF_S: i64 = 1_000_000;
const US_OF_HOUR: i64 = 3600 * US_OF_S;
const US_OF_DAY: i64 = 24 * US_OF_HOUR;

/// Places of kinds among the numbers that are given next.
const TEXT: usize = 0;
const SETTINGS: usize = 1;
const QUERY: usize = 2;
const PLAN: usize = 3;
const INTERVAL: usize = 4;
const RUNS: usize = 5;
const WAITS: usize = 6;

/// Under which slot the options are written.
const OPTIONS_SLOT: SlotNo = 0;

/// What makes a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought<'a> {
    pub text: &'a str,
    pub encrypted: bool,
    pub settings: ContextSettings,
    pub object: i32,
}

impl Sought<'_> {
    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.text, self.encrypted, self.settings, self.object).hash(&mut hasher);
        hasher.finish()
    }
}

/// A query that has not run often enough.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    executions: u32,
    cpu_us: u64,
    since_us: i64,
}

/// What a slot is of. In this order they are written: what is named before what names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Options,
    Text(i64),
    Settings(i64),
    Query(i64),
    Plan(i64),
    Interval(i64),
    Runs(RunKey),
}

/// What is to be written.
pub(super) struct Unwritten {
    /// Entries as texts.
    pub records: Vec<(SlotNo, String)>,
    /// Slots of entries that are gone.
    pub gone: Vec<SlotNo>,
}

/// Everything that a store has.
#[derive(Debug)]
pub(crate) struct Contents {
    pub is_on: bool,
    pub options: StoreOptions,
    /// A record could not be read.
    pub is_damaged: bool,
    /// There is no memory for more.
    pub is_short: bool,
    pub texts: BTreeMap<i64, StoredText>,
    pub settings: BTreeMap<i64, StoredSettings>,
    pub queries: BTreeMap<i64, StoredQuery>,
    pub plans: BTreeMap<i64, StoredPlan>,
    pub intervals: BTreeMap<i64, Interval>,
    pub runs: BTreeMap<RunKey, Runs>,
    /// What all entries take, bytes.
    pub bytes: u64,
    /// By text: of those that are shown, and of encrypted ones.
    by_text: [HashMap<Arc<str>, i64>; 2],
    by_settings: HashMap<ContextSettings, i64>,
    by_parts: HashMap<(i64, i64, i32), i64>,
    candidates: HashMap<u64, Candidate>,
    next: [i64; NUMBERS],
    next_slot: SlotNo,
    free_slots: Vec<SlotNo>,
    dirty: BTreeMap<Owner, SlotNo>,
    gone: BTreeSet<SlotNo>,
}

impl Contents {
    /// Nothing.
    pub(super) fn new(is_on: bool, options: StoreOptions) -> Contents {
        Contents {
            is_on,
            options,
            is_damaged: false,
            is_short: false,
            texts: BTreeMap::new(),
            settings: BTreeMap::new(),
            queries: BTreeMap::new(),
            plans: BTreeMap::new(),
            intervals: BTreeMap::new(),
            runs: BTreeMap::new(),
            bytes: 0,
            by_text: Default::default(),
            by_settings: HashMap::new(),
            by_parts: HashMap::new(),
            candidates: HashMap::new(),
            next: [1; NUMBERS],
            next_slot: OPTIONS_SLOT + 1,
            free_slots: Vec::new(),
            dirty: BTreeMap::new(),
            gone: BTreeSet::new(),
        }
    }

    /// What the store is to do.
    pub(crate) fn desired(&self) -> StoreState {
        match (self.is_on, self.options.is_read_write) {
            (false, _) => StoreState::Off,
            (true, false) => StoreState::ReadOnly,
            (true, true) => StoreState::ReadWrite,
        }
    }

    /// What it does, and why it does not capture, as `readonly_reason` says it.
    pub(super) fn actual(&self, is_read_only: bool) -> (StoreState, i32) {
        let desired = self.desired();
        let reason = [
            (is_read_only, 1),
            (self.bytes >= self.most_bytes(), 65_536),
            (self.is_short && self.bytes < self.most_bytes(), 131_072),
        ];
        let reason: i32 = reason.into_iter().filter(|(holds, _)| *holds).map(|(_, bit)| bit).sum();
        match desired {
            StoreState::Off => (StoreState::Off, 0),
            _ if self.is_damaged => (StoreState::Error, 0),
            StoreState::ReadWrite if reason != 0 => (StoreState::ReadOnly, reason),
            known => (known, 0),
        }
    }

    pub(super) fn captures(&self) -> bool {
        self.actual(false).0 == StoreState::ReadWrite
    }

    /// What it takes in memory, with the queries that are watched.
    pub(super) fn memory_bytes(&self) -> u64 {
        self.bytes + self.candidates.len() as u64 * CANDIDATE_BYTES
    }

    fn most_bytes(&self) -> u64 {
        u64::from(self.options.max_mb) << 20
    }

    /// Whether an execution of a query is to be captured. One that is not counts, where few executions are not enough.
    pub(super) fn wants(&mut self, sought: &Sought<'_>, execution: &Execution) -> bool {
        if !self.captures() {
            return false;
        }
        if self.query_of(sought).is_some() {
            return true;
        }
        let Some(policy) = self.options.policy_now() else { return self.options.mode == CaptureMode::All };
        if self.candidates.len() >= CANDIDATES_MAX {
            self.candidates.clear();
        }
        let now_us = execution.ended_us;
        let fresh = Candidate { executions: 0, cpu_us: 0, since_us: now_us };
        let candidate = self.candidates.entry(sought.hash()).or_insert(fresh);
        if now_us.saturating_sub(candidate.since_us) > i64::from(policy.stale_hours) * US_OF_HOUR {
            *candidate = fresh;
        }
        candidate.executions += 1;
        candidate.cpu_us = candidate.cpu_us.saturating_add(execution.values[Metric::Cpu as usize]);
        candidate.executions >= policy.executions || candidate.cpu_us >= u64::from(policy.execution_cpu_ms) * 1000
    }

    fn query_of(&self, sought: &Sought<'_>) -> Option<i64> {
        let text = *self.by_text[usize::from(sought.encrypted)].get(sought.text)?;
        let settings = *self.by_settings.get(&sought.settings)?;
        self.by_parts.get(&(text, settings, sought.object)).copied()
    }

    /// An execution of a plan that is there; false when it is not.
    pub(super) fn add(&mut self, plan: i64, execution: &Execution) -> bool {
        if !self.captures() || !self.plans.contains_key(&plan) {
            return false;
        }
        self.run(plan, execution);
        self.clean_by_size();
        true
    }

    /// An execution of a query that is wanted, by a plan that was made for it; the number of the plan where it is kept.
    pub(super) fn keep(
        &mut self,
        sought: &Sought<'_>,
        shown: ShownPlan,
        compiled: Compiled,
        execution: &Execution,
    ) -> Option<i64> {
        let bytes = text_bytes(sought.text) + plan_bytes(&shown);
        if !self.captures() || bytes > self.most_bytes() / PART_OF_ALL {
            return None;
        }
        self.candidates.remove(&sought.hash());
        let now_us = execution.ended_us;
        let known = self.query_of(sought);
        let query = known.unwrap_or_else(|| self.make_query(sought, now_us));
        let plan = self.plan_of(query, &shown).or_else(|| self.make_plan(query, shown, now_us))?;
        self.note_compiled(query, plan, compiled, now_us);
        self.run(plan, execution);
        self.clean_by_size();
        Some(plan)
    }

    fn make_query(&mut self, sought: &Sought<'_>, now_us: i64) -> i64 {
        let text = self.text_of(sought);
        let settings = self.settings_of(sought.settings);
        let (id, slot) = (self.number(QUERY), self.slot());
        let query = StoredQuery {
            id,
            text,
            settings,
            object: sought.object,
            compiled: Compiled::default(),
            first_compile_us: now_us,
            last_compile_us: now_us,
            last_execution_us: 0,
            compiles: 0,
            cpu_us: 0,
            plans: Vec::new(),
            slot,
        };
        self.bytes += ENTRY_BYTES;
        self.use_text(text);
        self.by_parts.insert((text, settings, sought.object), id);
        self.queries.insert(id, query);
        self.dirty.insert(Owner::Query(id), slot);
        id
    }

    fn use_text(&mut self, id: i64) {
        if let Some(text) = self.texts.get_mut(&id) {
            text.uses += 1;
        }
    }

    fn text_of(&mut self, sought: &Sought<'_>) -> i64 {
        let place = usize::from(sought.encrypted);
        if let Some(known) = self.by_text[place].get(sought.text) {
            return *known;
        }
        let (id, slot, text) = (self.number(TEXT), self.slot(), Arc::<str>::from(sought.text));
        self.bytes += text_bytes(&text);
        self.by_text[place].insert(Arc::clone(&text), id);
        self.texts.insert(id, StoredText { id, text, encrypted: sought.encrypted, uses: 0, slot });
        self.dirty.insert(Owner::Text(id), slot);
        id
    }

    fn settings_of(&mut self, settings: ContextSettings) -> i64 {
        if let Some(known) = self.by_settings.get(&settings) {
            return *known;
        }
        let (id, slot) = (self.number(SETTINGS), self.slot());
        self.bytes += ENTRY_BYTES;
        self.by_settings.insert(settings, id);
        self.settings.insert(id, StoredSettings { id, settings, slot });
        self.dirty.insert(Owner::Settings(id), slot);
        id
    }

    fn plan_of(&self, query: i64, shown: &ShownPlan) -> Option<i64> {
        let plans = &self.queries.get(&query)?.plans;
        plans.iter().copied().find(|id| self.plans.get(id).is_some_and(|plan| plan.shown.hash == shown.hash))
    }

    /// None: the query has as many plans as it may have.
    fn make_plan(&mut self, query: i64, shown: ShownPlan, now_us: i64) -> Option<i64> {
        let most = self.options.max_plans as usize;
        if most > 0 && self.queries.get(&query).is_none_or(|query| query.plans.len() >= most) {
            return None;
        }
        let (id, slot) = (self.number(PLAN), self.slot());
        self.bytes += plan_bytes(&shown);
        self.plans.insert(
            id,
            StoredPlan {
                id,
                query,
                shown,
                forced: false,
                first_compile_us: now_us,
                last_compile_us: now_us,
                last_execution_us: 0,
                compiles: 0,
                slot,
            },
        );
        self.dirty.insert(Owner::Plan(id), slot);
        if let Some(query) = self.queries.get_mut(&query) {
            query.plans.push(id);
        }
        Some(id)
    }

    fn note_compiled(&mut self, query: i64, plan: i64, compiled: Compiled, now_us: i64) {
        if let Some(query) = self.queries.get_mut(&query) {
            (query.compiled, query.last_compile_us) = (compiled, now_us);
            query.compiles += 1;
            self.dirty.insert(Owner::Query(query.id), query.slot);
        }
        if let Some(plan) = self.plans.get_mut(&plan) {
            plan.last_compile_us = now_us;
            plan.compiles += 1;
            self.dirty.insert(Owner::Plan(plan.id), plan.slot);
        }
    }

    fn run(&mut self, plan: i64, execution: &Execution) {
        let now_us = execution.ended_us;
        let interval = self.interval_at(now_us);
        let key = (plan, interval, execution.kind);
        if !self.runs.contains_key(&key) {
            let (id, slot) = (self.number(RUNS), self.slot());
            self.bytes += RUNS_BYTES;
            self.runs.insert(key, Runs::new(id, now_us, slot));
        }
        let (Some(runs), Some(plan)) = (self.runs.get_mut(&key), self.plans.get_mut(&plan)) else { return };
        let (waits, next) = (runs.waits.len(), &mut self.next[WAITS]);
        runs.add(execution, plan.shown.dop, || {
            *next += 1;
            *next - 1
        });
        self.bytes += (runs.waits.len() - waits) as u64 * WAIT_BYTES;
        self.dirty.insert(Owner::Runs(key), runs.slot);
        plan.last_execution_us = plan.last_execution_us.max(now_us);
        if let Some(query) = self.queries.get_mut(&plan.query) {
            query.last_execution_us = query.last_execution_us.max(now_us);
            query.cpu_us = query.cpu_us.saturating_add(execution.values[Metric::Cpu as usize]);
        }
    }

    /// The interval of a time, which begins at a multiple of its length.
    fn interval_at(&mut self, now_us: i64) -> i64 {
        let holds = |known: &&Interval| known.start_us <= now_us && now_us < known.end_us;
        if let Some(known) = self.intervals.values().rev().find(holds) {
            return known.id;
        }
        let length_us = i64::from(self.options.interval_min) * 60 * US_OF_S;
        let aligned_us = now_us.div_euclid(length_us) * length_us;
        // Those of another length stay as they are.
        let before_us = self.intervals.values().map(|known| known.end_us).filter(|end| *end <= now_us).max();
        let after_us = self.intervals.values().map(|known| known.start_us).filter(|start| *start > now_us).min();
        let start_us = before_us.map_or(aligned_us, |before| before.max(aligned_us));
        let end_us = after_us.map_or(aligned_us + length_us, |after| after.min(aligned_us + length_us));
        let (id, slot) = (self.number(INTERVAL), self.slot());
        self.bytes += ENTRY_BYTES;
        self.intervals.insert(id, Interval { id, start_us, end_us, slot });
        self.dirty.insert(Owner::Interval(id), slot);
        id
    }

    fn number(&mut self, kind: usize) -> i64 {
        self.next[kind] += 1;
        self.next[kind] - 1
    }

    fn slot(&mut self) -> SlotNo {
        self.free_slots.pop().unwrap_or_else(|| {
            self.next_slot += 1;
            self.next_slot - 1
        })
    }

    fn give_back(&mut self, owner: Owner, slot: SlotNo, bytes: u64) {
        self.dirty.remove(&owner);
        self.gone.insert(slot);
        self.free_slots.push(slot);
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

/// What goes.
impl Contents {
    /// All entries; the options stay.
    pub(crate) fn clear(&mut self) {
        for query in self.queries.keys().copied().collect::<Vec<_>>() {
            self.remove_query(query);
        }
        for (id, stored) in std::mem::take(&mut self.settings) {
            self.give_back(Owner::Settings(id), stored.slot, ENTRY_BYTES);
        }
        for (id, interval) in std::mem::take(&mut self.intervals) {
            self.give_back(Owner::Interval(id), interval.slot, ENTRY_BYTES);
        }
        self.by_settings.clear();
        self.candidates.clear();
        (self.is_damaged, self.is_short) = (false, false);
    }

    /// A query with its plans and their runs; false when there is none.
    pub(crate) fn remove_query(&mut self, id: i64) -> bool {
        let Some(query) = self.queries.remove(&id) else { return false };
        for plan in &query.plans {
            self.remove_plan(*plan);
        }
        self.by_parts.remove(&(query.text, query.settings, query.object));
        self.give_back(Owner::Query(id), query.slot, ENTRY_BYTES);
        if let Some(text) = self.texts.get_mut(&query.text) {
            text.uses = text.uses.saturating_sub(1);
        }
        if self.texts.get(&query.text).is_some_and(|text| text.uses == 0)
            && let Some(text) = self.texts.remove(&query.text)
        {
            self.by_text[usize::from(text.encrypted)].remove(&text.text);
            self.give_back(Owner::Text(text.id), text.slot, text_bytes(&text.text));
        }
        true
    }

    /// A plan with its runs; false when there is none.
    pub(crate) fn remove_plan(&mut self, id: i64) -> bool {
        let Some(plan) = self.plans.remove(&id) else { return false };
        self.reset_runs(id);
        if let Some(query) = self.queries.get_mut(&plan.query) {
            query.plans.retain(|known| *known != id);
        }
        self.give_back(Owner::Plan(id), plan.slot, plan_bytes(&plan.shown));
        true
    }

    /// The runs of a plan.
    pub(crate) fn reset_runs(&mut self, plan: i64) {
        let all = (plan, i64::MIN, ExecutionKind::Regular)..=(plan, i64::MAX, ExecutionKind::Exception);
        let keys: Vec<RunKey> = self.runs.range(all).map(|(key, _)| *key).collect();
        keys.iter().for_each(|key| self.remove_runs(key));
    }

    fn remove_runs(&mut self, key: &RunKey) {
        if let Some(runs) = self.runs.remove(key) {
            self.give_back(Owner::Runs(*key), runs.slot, RUNS_BYTES + runs.waits.len() as u64 * WAIT_BYTES);
        }
    }

    /// A plan is forced, or is no more; others of the query are then not. Whether both are there.
    pub(crate) fn force(&mut self, query: i64, plan: i64, forced: bool) {
        let Some(known) = self.queries.get(&query) else { return };
        for id in &known.plans {
            if let Some(other) = self.plans.get_mut(id) {
                let is_forced = forced && *id == plan || !forced && *id != plan && other.forced;
                if other.forced != is_forced {
                    other.forced = is_forced;
                    self.dirty.insert(Owner::Plan(*id), other.slot);
                }
            }
        }
    }

    pub(crate) fn is_forced(&self, query: &StoredQuery) -> bool {
        query.plans.iter().any(|id| self.plans.get(id).is_some_and(|plan| plan.forced))
    }

    /// STALE_QUERY_THRESHOLD_DAYS: intervals that ended before, and queries that were neither bound nor run since. Forced plans stay.
    pub(super) fn clean_stale(&mut self, now_us: i64) {
        if self.options.stale_days == 0 || !self.captures() {
            return;
        }
        let before_us = now_us.saturating_sub(i64::from(self.options.stale_days) * US_OF_DAY);
        let old: Vec<i64> =
            self.intervals.values().filter(|known| known.end_us < before_us).map(|known| known.id).collect();
        for id in old {
            let keys: Vec<RunKey> = self.runs.keys().filter(|key| key.1 == id).copied().collect();
            keys.iter().for_each(|key| self.remove_runs(key));
            if let Some(interval) = self.intervals.remove(&id) {
                self.give_back(Owner::Interval(id), interval.slot, ENTRY_BYTES);
            }
        }
        let is_stale = |query: &&StoredQuery| {
            query.last_execution_us.max(query.last_compile_us) < before_us && !self.is_forced(query)
        };
        let stale: Vec<i64> = self.queries.values().filter(is_stale).map(|query| query.id).collect();
        for id in stale {
            self.remove_query(id);
        }
    }

    /// SIZE_BASED_CLEANUP_MODE: from nine tenths on what costs least and ran longest ago goes, down to eight.
    pub(super) fn clean_by_size(&mut self) {
        let most = self.most_bytes();
        if !self.options.cleans_by_size || self.bytes < most / 10 * 9 {
            return;
        }
        self.shrink_to(most / 10 * 8);
    }

    /// Removes queries until no more is taken, or only forced plans are left.
    pub(super) fn shrink_to(&mut self, bytes: u64) {
        let mut order: Vec<(u64, i64, i64)> = self
            .queries
            .values()
            .filter(|query| !self.is_forced(query))
            .map(|query| (query.cpu_us, query.last_execution_us, query.id))
            .collect();
        order.sort_unstable();
        for (.., id) in order {
            if self.bytes <= bytes {
                return;
            }
            self.remove_query(id);
        }
    }
}

/// What is written, and read.
impl Contents {
    /// The options are to be written.
    pub(crate) fn note_options(&mut self) {
        self.dirty.insert(Owner::Options, OPTIONS_SLOT);
    }

    pub(super) fn is_dirty(&self) -> bool {
        !self.dirty.is_empty() || !self.gone.is_empty()
    }

    /// What is to be written, as it is now; the numbers that are given next go with it.
    pub(super) fn take_unwritten(&mut self) -> Unwritten {
        if !self.is_dirty() {
            return Unwritten { records: Vec::new(), gone: Vec::new() };
        }
        self.note_options();
        let dirty = std::mem::take(&mut self.dirty);
        let records: Vec<(SlotNo, String)> =
            dirty.into_iter().filter_map(|(owner, slot)| Some((slot, self.record(owner)?))).collect();
        let mut gone = std::mem::take(&mut self.gone);
        for (slot, _) in &records {
            gone.remove(slot);
        }
        Unwritten { records, gone: gone.into_iter().collect() }
    }

    /// What could not be written is to be written again.
    pub(super) fn not_written(&mut self, unwritten: &Unwritten) {
        let failed: BTreeSet<SlotNo> = unwritten.records.iter().map(|(slot, _)| *slot).collect();
        let owners = std::iter::once((Owner::Options, OPTIONS_SLOT))
            .chain(self.texts.values().map(|entry| (Owner::Text(entry.id), entry.slot)))
            .chain(self.settings.values().map(|entry| (Owner::Settings(entry.id), entry.slot)))
            .chain(self.queries.values().map(|entry| (Owner::Query(entry.id), entry.slot)))
            .chain(self.plans.values().map(|entry| (Owner::Plan(entry.id), entry.slot)))
            .chain(self.intervals.values().map(|entry| (Owner::Interval(entry.id), entry.slot)))
            .chain(self.runs.iter().map(|(key, entry)| (Owner::Runs(*key), entry.slot)));
        let again: Vec<(Owner, SlotNo)> = owners.filter(|(_, slot)| failed.contains(slot)).collect();
        let owned: BTreeSet<SlotNo> = again.iter().map(|(_, slot)| *slot).collect();
        self.dirty.extend(again);
        // One whose entry went meanwhile is gone, whether a part of it was written or not.
        self.gone.extend(failed.difference(&owned));
        let is_owned_anew: BTreeSet<SlotNo> = self.dirty.values().copied().collect();
        self.gone.extend(unwritten.gone.iter().filter(|slot| !is_owned_anew.contains(slot)));
    }

    fn record(&self, owner: Owner) -> Option<String> {
        Some(match owner {
            Owner::Options => records::of_options(&self.options, &self.next),
            Owner::Text(id) => records::of_text(self.texts.get(&id)?),
            Owner::Settings(id) => records::of_settings(self.settings.get(&id)?),
            Owner::Query(id) => records::of_query(self.queries.get(&id)?),
            Owner::Plan(id) => records::of_plan(self.plans.get(&id)?),
            Owner::Interval(id) => records::of_interval(self.intervals.get(&id)?),
            Owner::Runs(key) => records::of_runs(&key, self.runs.get(&key)?),
        })
    }

    /// What was written. A record that means nothing is passed over, and the store says that it is damaged.
    pub(super) fn read(is_on: bool, written: &[(SlotNo, String)]) -> Contents {
        let mut contents = Contents::new(is_on, StoreOptions::default());
        for (slot, text) in written {
            contents.next_slot = contents.next_slot.max(slot + 1);
            match records::read(text, *slot) {
                Some(record) => contents.put(record),
                None => {
                    contents.is_damaged = true;
                    contents.gone.insert(*slot);
                }
            }
        }
        contents.connect();
        let used: BTreeSet<SlotNo> = written.iter().map(|(slot, _)| *slot).collect();
        contents.free_slots.extend((OPTIONS_SLOT + 1..contents.next_slot).filter(|slot| !used.contains(slot)));
        contents
    }

    fn put(&mut self, record: Record) {
        let mut seen = |kind: usize, id: i64| self.next[kind] = self.next[kind].max(id.saturating_add(1));
        match record {
            Record::Options(options, next) => {
                self.options = options;
                (0..NUMBERS).for_each(|kind| seen(kind, next[kind] - 1));
            }
            Record::Text(text) => {
                seen(TEXT, text.id);
                self.texts.insert(text.id, text);
            }
            Record::Settings(stored) => {
                seen(SETTINGS, stored.id);
                self.settings.insert(stored.id, stored);
            }
            Record::Query(query) => {
                seen(QUERY, query.id);
                self.queries.insert(query.id, query);
            }
            Record::Plan(plan) => {
                seen(PLAN, plan.id);
                self.plans.insert(plan.id, plan);
            }
            Record::Interval(interval) => {
                seen(INTERVAL, interval.id);
                self.intervals.insert(interval.id, interval);
            }
            Record::Runs(key, runs) => {
                seen(RUNS, runs.id);
                runs.waits.values().for_each(|(number, _)| seen(WAITS, *number));
                self.runs.insert(key, *runs);
            }
        }
    }

    /// Of what was read, what names something that is not there goes: the server ended while it was written.
    fn connect(&mut self) {
        for text in self.texts.values() {
            self.bytes += text_bytes(&text.text);
            self.by_text[usize::from(text.encrypted)].insert(Arc::clone(&text.text), text.id);
        }
        self.bytes += (self.settings.len() + self.intervals.len()) as u64 * ENTRY_BYTES;
        self.by_settings = self.settings.values().map(|stored| (stored.settings, stored.id)).collect();
        for query in std::mem::take(&mut self.queries).into_values() {
            if self.texts.contains_key(&query.text) && self.settings.contains_key(&query.settings) {
                self.bytes += ENTRY_BYTES;
                self.use_text(query.text);
                self.by_parts.insert((query.text, query.settings, query.object), query.id);
                self.queries.insert(query.id, query);
            } else {
                self.give_back(Owner::Query(query.id), query.slot, 0);
            }
        }
        for plan in std::mem::take(&mut self.plans).into_values() {
            if let Some(query) = self.queries.get_mut(&plan.query) {
                self.bytes += plan_bytes(&plan.shown);
                query.plans.push(plan.id);
                self.plans.insert(plan.id, plan);
            } else {
                self.give_back(Owner::Plan(plan.id), plan.slot, 0);
            }
        }
        for (key, runs) in std::mem::take(&mut self.runs) {
            let (Some(plan), true) = (self.plans.get_mut(&key.0), self.intervals.contains_key(&key.1)) else {
                self.give_back(Owner::Runs(key), runs.slot, 0);
                continue;
            };
            self.bytes += RUNS_BYTES + runs.waits.len() as u64 * WAIT_BYTES;
            plan.last_execution_us = plan.last_execution_us.max(runs.last_us);
            if let Some(query) = self.queries.get_mut(&plan.query) {
                query.last_execution_us = query.last_execution_us.max(runs.last_us);
                query.cpu_us = query.cpu_us.saturating_add(runs.tallies[Metric::Cpu as usize].total);
            }
            self.runs.insert(key, runs);
        }
    }
}

fn text_bytes(text: &str) -> u64 {
    text.len() as u64 * TEXT_FACTOR + ENTRY_BYTES
}

fn plan_bytes(shown: &ShownPlan) -> u64 {
    shown.xml.as_ref().map_or(0, |xml| xml.len() as u64) * TEXT_FACTOR + ENTRY_BYTES
}

#[cfg(test)]
mod tests;
