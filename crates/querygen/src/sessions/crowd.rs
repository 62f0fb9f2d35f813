//! Sessions on threads of their own: the same random changes as in [`super::play`], but at the same time, waiting for each
//! other's locks, with deadlocks, attentions and KILL from other threads.
//!
//! ```text
//!   thread ─▶ steps of a transaction ─▶ engine        at any time, with all others
//!      └────▶ COMMIT under the ledger ─▶ model        one at a time: the order of commits is known
//! ```
//!
//! What always holds: locks are kept until the commit, so the transactions in the order of their commits are a history
//! that the model can play; what a session was refused, or rolled back, is no part of it. A step succeeds or fails as the
//! threads meet: only the end is compared, what was read until then, and that nothing panics, hangs, or breaks a page. A
//! case cannot be played again: a finding has the whole protocol.

mod cursor;
mod looks;
mod temporary;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use millpond_device::chance::Dice;
use millpond_engine::engine::Engine;

use super::model::Model;
use super::play::{Client, Finding, Stage, ready};
use super::setting;
use super::step::{Step, pick_key};
use crate::schema::pick;
use crate::seat::{Answer, Fuse, ask, ask_timed, sit};
use crate::world::Said;

/// Errors that no meeting of sessions explains: a damaged page, a full log that may grow, a plan that was not made, an
/// internal error.
const NEVER: [i32; 15] = [601, 605, 701, 823, 824, 825, 2801, 3314, 8624, 8630, 8646, 8680, 9001, 9002, 8966];

/// Errors of a COMMIT that leave nothing behind: the transaction was doomed, or is gone.
const NOT_COMMITTED: [i32; 6] = [1205, 3902, 3930, 3998, 3960, 3971];

const LEVELS: [&str; 5] = ["read uncommitted", "read committed", "repeatable read", "snapshot", "serializable"];

/// A step that is broken off has run for so many microseconds at most.
const BROKEN_AFTER_US_MAX: u64 = 3000;

/// A protocol shows results of so many rows.
const SHOWN_ROWS_MAX: usize = 2;

/// What to play.
#[derive(Clone, Debug)]
pub struct Crowds {
    /// The first seed; each is a database and its sessions.
    pub seed: u64,
    /// So many cases.
    pub cases: u64,
    /// From so many sessions …
    pub sessions_min: u64,
    /// … to so many.
    pub sessions_max: u64,
    /// Transactions of each session before a restart.
    pub transactions: u64,
    /// Restarts of a case.
    pub rounds: u64,
}

/// What the cases showed.
#[derive(Debug, Default)]
pub struct Account {
    /// Cases that were played.
    pub cases: u64,
    /// Transactions that were committed.
    pub commits: u64,
    /// Steps of these.
    pub steps: u64,
    /// Errors by number.
    pub errors: BTreeMap<i32, u64>,
    /// Findings by class: how many, and the protocol of the first.
    pub found: BTreeMap<String, (u64, String)>,
}

impl Account {
    /// In lines.
    #[must_use]
    pub fn words(&self) -> String {
        let errors: Vec<String> = self.errors.iter().map(|(number, count)| format!("{number}: {count}")).collect();
        let mut out = format!(
            "{} cases, {} commits of {} steps, {} kinds of findings; errors {}",
            self.cases,
            self.commits,
            self.steps,
            self.found.len(),
            errors.join(", ")
        );
        for (class, (count, _)) in &self.found {
            let _ = write!(out, "\nFOUND {count}: {class}");
        }
        out
    }
}

/// What is committed, in the order of the commits.
struct Ledger {
    model: Model,
    /// The model before the first commit of the round and after each.
    versions: Vec<Model>,
    commits: u64,
    steps: u64,
}

impl Ledger {
    fn new(model: Model) -> Ledger {
        Ledger { versions: vec![model.clone()], model, commits: 0, steps: 0 }
    }

    fn commit(&mut self, steps: &[Step]) -> Result<(), Finding> {
        for step in steps {
            self.model.apply(step).map_err(|why| {
                let mut finding = impossible(&why, step);
                if let Step::Look(look) = step {
                    let due: Vec<_> = look.meant.iter().map(|read| self.model.answer(read)).collect();
                    finding.words = format!("{}\nshould be {due:?}", finding.words);
                }
                finding
            })?;
        }
        self.versions.push(self.model.clone());
        self.commits += 1;
        self.steps += steps.len() as u64;
        Ok(())
    }
}

/// What the threads of a round share.
struct Round<'a> {
    engine: &'a Arc<Engine>,
    /// READ COMMITTED reads row versions.
    has_versions: bool,
    /// Values that sequences gave in this round, with the number of the sequence.
    given: Mutex<BTreeSet<(i64, i64)>>,
    ledger: Mutex<Ledger>,
    errors: Mutex<BTreeMap<i32, u64>>,
    protocol: Mutex<Vec<String>>,
    is_over: AtomicBool,
    found: Mutex<Option<Finding>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One thread's session.
struct Actor<'a> {
    round: &'a Round<'a>,
    number: usize,
    dice: Dice,
    client: Client,
    /// What a transaction that reads a snapshot sees.
    snapshot: Option<Model>,
    /// The cursor that the session has.
    held: Option<cursor::Held>,
    /// The temporary table that the session has.
    temporary: temporary::Temporary,
}

/// How a transaction is left without a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Rollback,
    Error,
    Lost,
    Reset,
    Kill,
    Panic,
}

const EXITS: [Exit; 6] = [Exit::Rollback, Exit::Error, Exit::Lost, Exit::Reset, Exit::Kill, Exit::Panic];

impl<'a> Actor<'a> {
    fn new(round: &'a Round<'a>, number: usize, dice: Dice, client: Client) -> Actor<'a> {
        let temporary = temporary::Temporary::default();
        Actor { round, number, dice, client, snapshot: None, held: None, temporary }
    }
}

impl Actor<'_> {
    fn note(&self, text: &str, answer: &Answer) {
        let mut errors = locked(&self.round.errors);
        answer.errors.iter().for_each(|(number, _)| *errors.entry(*number).or_default() += 1);
        drop(errors);
        let (said, broken) = (answer.said(), if answer.broken { " broken off" } else { "" });
        let shown: Vec<&Vec<Vec<String>>> = answer.sets.iter().filter(|set| set.len() <= SHOWN_ROWS_MAX).collect();
        locked(&self.round.protocol)
            .push(format!("-- {}\n{text}\n-->{broken} {:?} {shown:?} {said}", self.number, answer.counts));
    }

    /// A batch; `after` breaks it off. After that the session is gone, or has no transaction.
    fn run(&mut self, text: &str, after: Option<(Duration, bool)>) -> Result<Answer, Finding> {
        let mut session = match self.client.session.take() {
            Some(session) => session,
            None => {
                self.forget_session();
                let mut session = sit(self.round.engine);
                ready(&mut session)?;
                session
            }
        };
        let answer = match after {
            None => ask(&mut session, text, None),
            Some((after, is_killed)) => ask_timed(&mut session, text, after, is_killed),
        };
        self.note(text, &answer);
        if answer.panicked {
            return Err(Finding::new("panic", text));
        }
        if answer.late {
            return Err(Finding::new("no answer", text));
        }
        if let Some((number, said)) = answer.errors.iter().find(|(number, _)| NEVER.contains(number)) {
            return Err(Finding::new(format!("error {number}"), format!("{said}\n{text}")));
        }
        if session.shared().is_killed() {
            drop(session);
            self.forget();
        } else {
            if session.facts().tran_count == 0 {
                self.forget();
            }
            self.client.session = Some(session);
        }
        Ok(answer)
    }

    fn forget(&mut self) {
        self.client.forget();
        self.temporary.forget();
    }

    /// Cursors and temporary tables are gone with their session.
    fn forget_session(&mut self) {
        self.held = None;
        self.temporary = temporary::Temporary::default();
    }

    /// What the session should see now: what is committed, and its own steps.
    fn view(&self) -> Model {
        let committed = locked(&self.round.ledger).model.clone();
        self.over(committed)
    }

    /// What is committed, and the session's own steps.
    fn over(&self, mut committed: Model) -> Model {
        for step in &self.client.own {
            // What is impossible shows at the commit.
            let _ = committed.apply(step);
        }
        committed
    }

    fn begin(&mut self, waits_ms: &[i32]) -> Result<(), Finding> {
        let level = *pick::<&str>(&mut self.dice, &LEVELS);
        let wait_ms = *pick(&mut self.dice, waits_ms);
        let text = format!("set lock_timeout {wait_ms} set transaction isolation level {level} begin transaction");
        let said = self.run(&text, None)?;
        if !said.errors.is_empty() {
            return Err(Finding::new(format!("no transaction: {}", said.error()), said.said()));
        }
        (self.client.is_open, self.client.is_snapshot, self.client.level) = (true, level == "snapshot", level);
        if level == "snapshot" { self.take_snapshot(wait_ms) } else { Ok(()) }
    }

    /// Reads a table while nobody commits, so that it is known what the snapshot holds.
    fn take_snapshot(&mut self, wait_ms: i32) -> Result<(), Finding> {
        self.snapshot = None;
        let round = self.round;
        let ledger = locked(&round.ledger);
        let Some(table) = pick_key(&mut self.dice, &ledger.model.tables) else { return Ok(()) };
        let text =
            format!("set lock_timeout 20 select count(*) as n from {table} where id = 0 set lock_timeout {wait_ms}");
        let said = self.run(&text, None)?;
        if said.errors.is_empty() {
            self.snapshot = Some(ledger.model.clone());
        }
        Ok(())
    }

    /// A step inside the transaction: it is kept when it is known to have succeeded.
    fn step(&mut self) -> Result<(), Finding> {
        let view = self.view();
        let step = match Step::random(&mut self.dice, &view, self.client.is_snapshot) {
            Step::Look(look) => return looks::look(self, look),
            Step::Call { name } => return looks::call(self, &name),
            step => step,
        };
        let after = self
            .dice
            .chance(6)
            .then(|| (Duration::from_micros(self.dice.below(BROKEN_AFTER_US_MAX)), self.dice.chance(40)));
        let said = self.run(&text_of(&step), after)?;
        if said.broken {
            // Whether it was in time is not known: nothing of the transaction is kept.
            return self.leave(Exit::Rollback);
        }
        if let Some(step) = succeeded(step, &said, self.client.is_snapshot) {
            self.note_given(&step)?;
            self.client.own.push(step);
        } else if said.error() != 0 {
            self.after_error()?;
        }
        Ok(())
    }

    /// A doomed transaction is rolled back.
    fn after_error(&mut self) -> Result<(), Finding> {
        let level = if self.client.is_open && !self.client.is_snapshot { self.client.level } else { "" };
        let level = if level.is_empty() { String::new() } else { format!(" set transaction isolation level {level}") };
        self.run(&format!("set xact_abort off{level} if xact_state() = -1 rollback"), None).map(|_| ())
    }

    fn note_given(&self, step: &Step) -> Result<(), Finding> {
        let Step::Next { given: Some(given), .. } = step else { return Ok(()) };
        if locked(&self.round.given).insert(*given) {
            return Ok(());
        }
        Err(Finding::new("a sequence gave a value twice", format!("{step:?}")))
    }

    /// A step that is a transaction by itself. It waits for a moment only, as nobody can commit meanwhile.
    fn alone(&mut self) -> Result<(), Finding> {
        let ready = "set transaction isolation level read committed set lock_timeout 20";
        self.run(ready, None)?;
        self.client.level = "read committed";
        let round = self.round;
        let mut ledger = locked(&round.ledger);
        let step = Step::random(&mut self.dice, &ledger.model, false);
        let mut text = text_of(&step);
        if matches!(step, Step::SelectInto { .. }) {
            text = format!("begin transaction {text} commit");
        }
        let said = self.run(&text, None)?;
        if let Some(mut step) = succeeded(step, &said, false) {
            self.note_given(&step)?;
            if let Step::Look(look) = &mut step {
                look.answer = looks::answer_of(&said);
                look.meant = ledger.model.meaning(&look.by).into_iter().collect();
            }
            ledger.commit(&[step])?;
        }
        drop(ledger);
        if said.error() == 0 { Ok(()) } else { self.after_error() }
    }

    fn commit(&mut self) -> Result<(), Finding> {
        let round = self.round;
        let mut ledger = locked(&round.ledger);
        let own = std::mem::take(&mut self.client.own);
        let temporary = self.temporary.take_own();
        let said = self.run("commit", None)?;
        if said.errors.iter().any(|(number, _)| NOT_COMMITTED.contains(number)) {
            drop(ledger);
            return self.leave(Exit::Rollback);
        }
        if !said.errors.is_empty() {
            return Err(Finding::new(format!("no commit: {}", said.error()), said.said()));
        }
        self.forget();
        self.temporary.keep(&temporary)?;
        ledger.commit(&own)
    }

    fn leave(&mut self, exit: Exit) -> Result<(), Finding> {
        match exit {
            Exit::Rollback => {
                self.run("if @@trancount > 0 rollback", None)?;
            }
            Exit::Error => {
                self.run("set xact_abort on select 1 / 0", None)?;
                self.run("set xact_abort off", None)?;
            }
            Exit::Lost => drop(self.client.session.take()),
            Exit::Reset => {
                if let Some(session) = &mut self.client.session {
                    session
                        .reset(&mut Said::default())
                        .map_err(|error| Finding::new("no reset", format!("{error:?}")))?;
                    ready(session)?;
                }
                self.forget_session();
            }
            Exit::Kill => {
                if let Some(mut session) = self.client.session.take() {
                    session.shared().kill();
                    ask(&mut session, "select count(*) from sys.objects", None);
                }
            }
            Exit::Panic => {
                if let Some(mut session) = self.client.session.take() {
                    ask(&mut session, "select name from sys.schemas", Some((1, Fuse::Panic)));
                }
            }
        }
        self.forget();
        Ok(())
    }

    fn transaction(&mut self) -> Result<(), Finding> {
        match self.dice.below(50) {
            0..9 => return self.alone(),
            9 => return temporary::use_temporary(self),
            10 => return cursor::fetch(self),
            _ => {}
        }
        self.begin(&[-1, -1, 0, 20, 1000])?;
        for _ in 0..1 + self.dice.below(5) {
            if !self.client.is_open || self.round.is_over.load(Relaxed) {
                return Ok(());
            }
            match self.dice.below(18) {
                0 => {
                    self.run("save transaction s", None)?;
                    self.client.saved = self.client.is_open.then_some(self.client.own.len());
                    self.temporary.save(self.client.is_open);
                }
                2..5 => cursor::use_cursor(self)?,
                5 | 6 => temporary::use_temporary(self)?,
                1 => {
                    if let Some(saved) = self.client.saved {
                        let said = self.run("rollback transaction s", None)?;
                        if !said.errors.is_empty() {
                            return Err(Finding::new(format!("no way back: {}", said.error()), said.said()));
                        }
                        self.client.own.truncate(saved);
                        self.temporary.back();
                    }
                }
                _ => self.step()?,
            }
        }
        if !self.client.is_open {
            return Ok(());
        }
        if self.dice.chance(75) {
            return self.commit();
        }
        let exit = *pick(&mut self.dice, &EXITS);
        self.leave(exit)
    }

    /// All its transactions.
    fn play(mut self, transactions: u64) -> Client {
        for _ in 0..transactions {
            if self.round.is_over.load(Relaxed) {
                break;
            }
            let played = self.transaction();
            self.tell(played);
        }
        self.client
    }

    /// A transaction that stays open, when nobody waits for it.
    fn stay_open(mut self) -> Client {
        let begun = self
            .begin(&[0])
            .and_then(|()| self.step())
            .and_then(|()| if self.client.is_open { self.step() } else { Ok(()) });
        self.tell(begun);
        self.client
    }

    fn tell(&self, played: Result<(), Finding>) {
        if let Err(finding) = played {
            self.round.is_over.store(true, Relaxed);
            locked(&self.round.found).get_or_insert(finding);
        }
    }
}

fn impossible(why: &super::model::Refused, step: &Step) -> Finding {
    Finding::new(format!("committed what is impossible: {}", why.0), format!("{step:?}"))
}

/// The statement, and a row behind it that says that it came to its end.
fn text_of(step: &Step) -> String {
    let text = step.sql();
    match step {
        Step::SelectInto { .. } => format!("set xact_abort on {text} set xact_abort off select 'whole'"),
        _ => format!("{text} select 'whole' as whole"),
    }
}

/// The step as it was done, when it was done and changed something.
fn succeeded(mut step: Step, said: &Answer, is_snapshot: bool) -> Option<Step> {
    let (last, before) = said.sets.split_last()?;
    if !said.errors.is_empty() || last.first()?.first()? != "whole" {
        return None;
    }
    if let Step::Insert { id: id @ None, .. } = &mut step {
        *id = before.last().and_then(|set| set.first()?.first()?.parse().ok());
    }
    let is_of_rows = matches!(step, Step::Update { .. } | Step::Delete { .. });
    if let Step::Next { given, .. } = &mut step {
        *given = before.last().and_then(|set| {
            let row = set.first()?;
            Some((row.first()?.parse().ok()?, row.get(1)?.parse().ok()?))
        });
    }
    // A row that was not there when the snapshot was taken is there when the transaction commits.
    (!(is_snapshot && is_of_rows && said.counts.first() == Some(&0))).then_some(step)
}

impl Stage {
    /// A round of all sessions at once, and a restart.
    fn crowd(
        &mut self,
        dice: &mut Dice,
        transactions: u64,
        before: &mut Vec<String>,
        account: &mut Account,
    ) -> Result<(), (Finding, String)> {
        let engine = Arc::clone(self.engine());
        let round = Round {
            engine: &engine,
            has_versions: self.has_versions,
            given: Mutex::default(),
            ledger: Mutex::new(Ledger::new(std::mem::take(&mut self.model))),
            errors: Mutex::default(),
            protocol: Mutex::new(std::mem::take(before)),
            is_over: AtomicBool::new(false),
            found: Mutex::default(),
        };
        let clients = std::mem::take(&mut self.clients);
        self.clients = std::thread::scope(|scope| {
            let seat = |(number, client)| {
                let actor = Actor::new(&round, number, Dice::new(dice.below(u64::MAX)), client);
                scope.spawn(move || actor.play(transactions))
            };
            let threads: Vec<_> = clients.into_iter().enumerate().map(seat).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
        });
        if !round.is_over.load(Relaxed) {
            let open =
                |(number, client)| Actor::new(&round, number, Dice::new(dice.below(u64::MAX)), client).stay_open();
            self.clients = std::mem::take(&mut self.clients).into_iter().enumerate().map(open).collect();
        }
        let Round { ledger, errors, protocol, found, .. } = round;
        drop(engine);
        let ledger = ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        account.commits += ledger.commits;
        account.steps += ledger.steps;
        for (number, count) in errors.into_inner().unwrap_or_else(PoisonError::into_inner) {
            *account.errors.entry(number).or_default() += count;
        }
        self.model = ledger.model;
        *before = protocol.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(finding) = found.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err((finding, before.join("\n")));
        }
        let is_clean = dice.chance(50);
        before.push(if is_clean { "-- all are gone, and a restart".into() } else { "-- a crash".into() });
        self.restart(is_clean).map_err(|finding| (finding, before.join("\n")))
    }
}

impl Crowds {
    /// Plays them; `tell` hears of findings and of progress.
    pub fn run(&self, tell: &mut dyn FnMut(&str)) -> Account {
        let mut account = Account::default();
        for seed in self.seed..self.seed + self.cases {
            if let Err((finding, protocol)) = self.case(seed, &mut account) {
                let script = format!("FOUND {} (seed {seed})\n{protocol}\n=> {}", finding.class, finding.words);
                let entry = account.found.entry(finding.class).or_insert_with(|| {
                    tell(&script);
                    (0, script)
                });
                entry.0 += 1;
            }
            account.cases += 1;
            if account.cases.is_multiple_of(20) {
                tell(&format!("after seed {seed}: {}", account.words()));
            }
        }
        account
    }

    fn case(&self, seed: u64, account: &mut Account) -> Result<(), (Finding, String)> {
        let mut dice = Dice::new(seed);
        let (sessions, options) = setting(&mut dice, self.sessions_min, self.sessions_max);
        let mut stage = Stage::new(sessions, &options).map_err(|finding| (finding, String::new()))?;
        let mut protocol = Vec::new();
        (0..self.rounds).try_for_each(|_| stage.crowd(&mut dice, self.transactions, &mut protocol, account))
    }
}
