//! Sessions in front of one engine, one batch at a time, and the model beside them.
//!
//! What always holds: no session waits (lock time-out 0), so that the same acts give the same answers; the model holds what is
//! committed, each session's own steps lie over it. What another's open transaction has made, changed or taken away gives
//! no answer but 1222 and its kin: no step succeeds by it, and none is refused for it.

use std::path::Path;
use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use super::act::{Act, Road};
use super::look;
use super::model::Model;
use super::read::Read;
use super::step::{Ids, Step};
use crate::seat::{Answer, Fuse, ask, close, open, sit};
use crate::world::Said;

/// Errors by which one session makes way for another, and what follows from them.
pub const MAKES_WAY: [i32; 12] = [1205, 1222, 3960, 3961, 3951, 3952, 3964, 3988, 3989, 3998, 4937, 12829];

/// What is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Findings of one class are the same.
    pub class: String,
    /// All that is known.
    pub words: String,
}

impl Finding {
    pub(super) fn new(class: impl Into<String>, words: impl Into<String>) -> Finding {
        Finding { class: class.into(), words: words.into() }
    }
}

/// A session and what it has done since it began its transaction.
#[derive(Default)]
pub struct Client {
    pub(super) session: Option<Session>,
    pub(super) own: Vec<Step>,
    pub(super) saved: Option<usize>,
    /// A transaction is open.
    pub is_open: bool,
    /// It reads a snapshot.
    pub is_snapshot: bool,
    /// Its isolation level.
    pub level: &'static str,
}

impl Client {
    pub(super) fn forget(&mut self) {
        (self.is_open, self.saved) = (false, None);
        self.own.clear();
    }

    /// A savepoint is there.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        self.saved.is_some()
    }
}

/// The engine, its sessions, and the model.
pub struct Stage {
    folder: tempfile::TempDir,
    /// `None` between an end and a start: only one engine at a time holds a folder.
    engine: Option<Arc<Engine>>,
    pub(super) clients: Vec<Client>,
    pub(super) model: Model,
    /// READ COMMITTED reads row versions.
    pub(super) has_versions: bool,
    /// Batches that changed something.
    pub done: u64,
    /// Batches that were refused.
    pub refused: u64,
    /// Of these, for something that another's open transaction has.
    pub made_way: u64,
    /// Transactions that were committed.
    pub commits: u64,
}

/// What a case begins with.
pub fn make(engine: &Arc<Engine>, options: &str) -> Result<(), Finding> {
    let mut one = sit(engine);
    for text in ["create database shop", options] {
        let said = ask(&mut one, text, None);
        if !said.errors.is_empty() {
            return Err(Finding::new("no database", said.said()));
        }
    }
    Ok(())
}

impl Stage {
    /// A new engine with an empty database and so many sessions.
    ///
    /// # Errors
    /// The database cannot be made.
    ///
    /// # Panics
    /// When there is no folder for temporary files.
    pub fn new(sessions: usize, options: &str) -> Result<Stage, Finding> {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let engine = open(Some(folder.path()));
        make(&engine, options)?;
        let clients = (0..sessions).map(|_| Client::default()).collect();
        Ok(Stage {
            folder,
            engine: Some(engine),
            clients,
            model: Model::default(),
            has_versions: options.ends_with("read_committed_snapshot on"),
            done: 0,
            refused: 0,
            made_way: 0,
            commits: 0,
        })
    }

    pub(super) fn engine(&self) -> &Arc<Engine> {
        self.engine.as_ref().expect("an engine that ended starts again at once")
    }

    /// A session.
    #[must_use]
    pub fn client(&self, who: usize) -> &Client {
        &self.clients[who]
    }

    /// What a session should see: what is committed, and its own steps.
    #[must_use]
    pub fn view(&self, who: usize) -> Model {
        let mut view = self.model.clone();
        for step in &self.clients[who].own {
            // What is impossible shows at the commit.
            let _ = view.apply(step);
        }
        view
    }

    fn run(&mut self, who: usize, text: &str, fuse: Option<(u64, Fuse)>) -> Result<Answer, Finding> {
        let mut session = match self.clients[who].session.take() {
            Some(session) => session,
            None => {
                let mut session = sit(self.engine());
                ready(&mut session)?;
                session
            }
        };
        let answer = ask(&mut session, text, fuse);
        if answer.panicked {
            return Err(Finding::new("panic", text));
        }
        if answer.late {
            return Err(Finding::new("no answer", text));
        }
        let broken = answer.broken.then_some(fuse).flatten().map(|(_, fuse)| fuse);
        if !matches!(broken, Some(Fuse::Panic | Fuse::Kill)) {
            if session.facts().tran_count == 0 && self.clients[who].is_open {
                self.clients[who].forget();
            }
            self.clients[who].session = Some(session);
        } else {
            drop(session);
            self.clients[who].forget();
        }
        Ok(answer)
    }

    /// Does an act.
    ///
    /// # Errors
    /// The finding, when the engine and the model do not agree.
    pub fn act(&mut self, act: &Act) -> Result<(), Finding> {
        match act {
            Act::Begin { who, level } => self.begin(*who, level),
            Act::Do { who, step } => self.step(*who, step),
            Act::Save { who } => {
                if self.clients[*who].is_open {
                    self.run(*who, "save transaction s", None)?;
                    self.clients[*who].saved = Some(self.clients[*who].own.len());
                }
                Ok(())
            }
            Act::Back { who } => self.back(*who),
            Act::Commit { who } => self.commit(*who),
            Act::Leave { who, road } => self.leave(*who, *road),
            Act::Broken { who, steps, at, fuse, road } => self.broken(*who, steps, (*at, *fuse), *road),
            Act::Restart { clean } => self.restart(*clean),
        }
    }

    fn begin(&mut self, who: usize, level: &'static str) -> Result<(), Finding> {
        if self.clients[who].is_open {
            return Ok(());
        }
        let said = self.run(who, &format!("set transaction isolation level {level} begin transaction"), None)?;
        if !said.errors.is_empty() {
            return Err(Finding::new(format!("no transaction: {}", said.error()), said.said()));
        }
        let client = &mut self.clients[who];
        (client.is_open, client.is_snapshot, client.level) = (true, level == "snapshot", level);
        Ok(())
    }

    fn back(&mut self, who: usize) -> Result<(), Finding> {
        let Some(saved) = self.clients[who].saved.filter(|_| self.clients[who].is_open) else { return Ok(()) };
        let said = self.run(who, "rollback transaction s", None)?;
        if !said.errors.is_empty() {
            return Err(Finding::new(format!("no way back: {}", said.error()), said.said()));
        }
        self.clients[who].own.truncate(saved);
        Ok(())
    }

    fn commit(&mut self, who: usize) -> Result<(), Finding> {
        if !self.clients[who].is_open {
            return Ok(());
        }
        let own = std::mem::take(&mut self.clients[who].own);
        let said = self.run(who, "commit set transaction isolation level read committed", None)?;
        self.clients[who].forget();
        self.clients[who].is_snapshot = false;
        if !said.errors.is_empty() {
            return Err(Finding::new(format!("no commit: {}", said.error()), said.said()));
        }
        self.commits += 1;
        for step in own {
            self.note(&step)?;
        }
        Ok(())
    }

    fn note(&mut self, step: &Step) -> Result<(), Finding> {
        let refused = |why: super::definition::Refused| {
            Finding::new("committed what is impossible", format!("{}: {step:?}", why.0))
        };
        self.model.apply(step).map_err(refused)
    }

    fn step(&mut self, who: usize, step: &Step) -> Result<(), Finding> {
        let (is_open, is_snapshot) =
            (self.clients[who].is_open, self.clients[who].is_open && self.clients[who].is_snapshot);
        let mut view = self.view(who);
        let before = view.clone();
        let mut text = step.sql();
        if matches!(step, Step::SelectInto { .. }) {
            let (begin, end) = if is_open { ("", "") } else { ("begin transaction", "commit") };
            text = format!("set xact_abort on {begin} {text} {end} set xact_abort off");
        }
        if matches!(step, Step::Look(_)) && !is_snapshot {
            let level = if is_open { self.clients[who].level } else { "read committed" };
            text =
                format!("set transaction isolation level serializable {text} set transaction isolation level {level}");
        }
        let said = self.run(who, &text, None)?;
        if matches!(step, Step::Look(_)) && !said.errors.is_empty() && !is_snapshot && self.clients[who].is_open {
            let level = self.clients[who].level;
            self.run(who, &format!("set transaction isolation level {level}"), None)?;
        }
        if matches!(step, Step::SelectInto { .. }) && !said.errors.is_empty() {
            // The batch has ended before that.
            self.run(who, "set xact_abort off", None)?;
        }
        let mut step = step.clone();
        if let Step::Insert { id: id @ None, .. } = &mut step {
            *id = said.sets.last().and_then(|set| set.first()?.first()?.parse().ok());
        }
        let mut step = as_it_was(step, &said, &before);
        if let Step::Look(look) = &mut step
            && is_snapshot
        {
            look.answer = None;
        }
        let should = view.apply(&step);
        if !said.errors.is_empty() {
            self.refused += 1;
            let makes_way = said.errors.iter().any(|(number, _)| MAKES_WAY.contains(number));
            self.made_way += u64::from(makes_way);
            return if makes_way
                || is_snapshot
                || should.is_err()
                || is_refusable(&step, &said, &before)
                || matches!(step, Step::Insert { id: None, .. }) && self.is_odd(&step, &before)
            {
                Ok(())
            } else {
                Err(Finding::new(format!("refused: {}", said.error()), format!("{}\n{text}", said.said())))
            };
        }
        let count = said.counts.first().copied();
        if is_snapshot {
            if matches!(step, Step::Update { .. } | Step::Delete { .. }) && count == Some(0) {
                return Ok(());
            }
        } else if let Err(why) = should {
            return Err(Finding::new(format!("accepted: {}", why.0), text));
        } else if let Some((table, ids)) = touched(&step) {
            let wanted = before.tables.get(table).map_or(0, |table| table.rows.range(ids.range()).count() as u64);
            if count != Some(wanted) {
                return Err(Finding::new("another number of rows", format!("{count:?}, not {wanted}\n{text}")));
            }
        }
        self.done += 1;
        if matches!(&step, Step::Look(look) if look.meant.iter().any(Read::is_of_types)) {
            // It was right when it was asked; a type may be another one at the commit.
            return Ok(());
        }
        if is_open {
            self.clients[who].own.push(step)
        } else {
            self.note(&step)?
        }
        Ok(())
    }

    /// Whether an insert that got no number would be refused with any.
    fn is_odd(&self, step: &Step, view: &Model) -> bool {
        let mut step = step.clone();
        if let Step::Insert { id, .. } = &mut step {
            *id = Some(i64::MAX);
        }
        view.clone().apply(&step).is_err()
    }

    fn leave(&mut self, who: usize, road: Road) -> Result<(), Finding> {
        let client = &self.clients[who];
        if client.session.is_none() {
            return Ok(());
        }
        match road {
            Road::Rollback if !client.is_open => {}
            Road::Rollback => {
                self.run(who, "rollback", None)?;
            }
            Road::Error if !client.is_open => {}
            Road::Error => {
                self.run(who, "set xact_abort on select 1 / 0", None)?;
                self.run(who, "set xact_abort off", None)?;
            }
            Road::Lost => drop(self.clients[who].session.take()),
            Road::Reset => {
                if let Some(session) = &mut self.clients[who].session {
                    session
                        .reset(&mut Said::default())
                        .map_err(|error| Finding::new("no reset", format!("{error:?}")))?;
                    ready(session)?;
                }
            }
            Road::Kill => {
                if let Some(session) = &mut self.clients[who].session.take() {
                    session.shared().kill();
                    ask(session, "select count(*) from sys.objects", None);
                }
            }
            Road::Panic => {
                self.run(who, "select name from sys.schemas", Some((1, Fuse::Panic)))?;
            }
            Road::Attention => return self.attention(who),
        }
        let client = &mut self.clients[who];
        client.forget();
        client.is_snapshot = false;
        Ok(())
    }

    /// An attention ends what runs; what was done before stays in the transaction.
    fn attention(&mut self, who: usize) -> Result<(), Finding> {
        let text = "raiserror ('now', 0, 1) with nowait waitfor delay '00:10:00'";
        let was_open = self.clients[who].is_open;
        let said = self.run(who, text, Some((0, Fuse::Cancel)))?;
        if !said.broken || was_open && !self.clients[who].is_open {
            return Err(Finding::new("an attention ended a transaction", said.said()));
        }
        Ok(())
    }

    /// Steps in one batch that is broken off; then the session leaves.
    fn broken(&mut self, who: usize, steps: &[Step], fuse: (u64, Fuse), road: Road) -> Result<(), Finding> {
        self.begin(who, "read committed")?;
        let mut view = self.view(who);
        let mut texts = Vec::new();
        for step in steps {
            texts.push(step.sql_with_output(&view.tables));
            let _ = view.apply(step);
        }
        self.run(who, &texts.join(" print 'next' "), Some(fuse))?;
        let road = if road == Road::Attention { Road::Rollback } else { road };
        self.leave(who, road)
    }

    /// What the database says is what the model says, and its pages are sound.
    fn check(&self, when: &str) -> Result<(), Finding> {
        let mut one = sit(self.engine());
        ready(&mut one)?;
        compare(&mut one, &self.model, when)
    }

    /// All sessions are gone, and the engine starts again: in order, or from its files as they lie there now.
    pub(super) fn restart(&mut self, clean: bool) -> Result<(), Finding> {
        if clean {
            for who in 0..self.clients.len() {
                self.leave(who, Road::Lost)?;
            }
            self.check("before a restart")?;
            close(self.engine(), true).map_err(|why| Finding::new("no end", why))?;
        } else {
            let copy = tempfile::tempdir().map_err(|why| Finding::new("no folder", why.to_string()))?;
            copy_folder(self.folder.path(), copy.path()).map_err(|why| Finding::new("no copy", why.to_string()))?;
            for who in 0..self.clients.len() {
                self.leave(who, Road::Lost)?;
            }
            self.check("with all sessions gone")?;
            close(self.engine(), false).map_err(|why| Finding::new("no end", why))?;
            self.folder = copy;
        }
        let folder = self.folder.path().to_owned();
        drop(self.engine.take());
        let opened = std::panic::catch_unwind(|| open(Some(&folder)));
        self.engine = Some(opened.map_err(|_| Finding::new("no start", "the engine does not open"))?);
        self.check(if clean { "after a restart" } else { "after a crash" })
    }
}

/// The step with what it gave and what it meant.
fn as_it_was(mut step: Step, said: &Answer, before: &Model) -> Step {
    match &mut step {
        Step::Call { name } => {
            let change = before.modules.get(name).and_then(|module| module.change.clone());
            return change.map_or(step, |change| *change);
        }
        Step::Look(look) => {
            look.answer = said.sets.last().cloned();
            look.meant = before.meaning(&look.by).into_iter().collect();
        }
        Step::Next { given, .. } => {
            let numbers: Vec<i64> = said.sets.iter().flatten().flatten().filter_map(|cell| cell.parse().ok()).collect();
            *given = <[i64; 2]>::try_from(numbers).ok().map(|[number, value]| (number, value));
        }
        _ => {}
    }
    step
}

/// Whether a statement that the model would do may be refused, as the model does not know all rules.
fn is_refusable(step: &Step, said: &Answer, before: &Model) -> bool {
    match step {
        // A circle of cascades, several ways to one table, a column without NULL or default.
        Step::AddForeign { .. } => said.errors.iter().any(|(number, _)| [1761, 1762, 1785].contains(number)),
        Step::CreateModule { module, .. } | Step::AlterModule { module, .. } => {
            module.read.as_ref().is_some_and(|read| before.answer(read).is_err())
                || module.change.as_ref().is_some_and(|change| before.clone().apply(change).is_err())
        }
        Step::Look(look) => look.meant.iter().all(|read| before.answer(read).is_err()),
        _ => false,
    }
}

/// The table and the rows that a change is about.
fn touched(step: &Step) -> Option<(&String, Ids)> {
    match step {
        Step::Update { table, ids, .. } | Step::Delete { table, ids } => Some((table, *ids)),
        _ => None,
    }
}

/// Brings a new session where the others are.
pub(super) fn ready(session: &mut Session) -> Result<(), Finding> {
    let said = ask(session, "use shop set lock_timeout 0", None);
    if said.errors.is_empty() { Ok(()) } else { Err(Finding::new("no session", said.said())) }
}

/// Compares a database, in which no session works, with a model.
///
/// # Errors
/// The finding.
pub fn compare(one: &mut Session, model: &Model, when: &str) -> Result<(), Finding> {
    let differences = look::difference(&look::expected(model), &look::answered(one, model));
    if let Some(first) = differences.first() {
        let kind = first.split('|').next().unwrap_or_default();
        return Err(Finding::new(format!("{kind} {when}"), differences.join("\n")));
    }
    let said = ask(one, "dbcc checkdb with no_infomsgs", None);
    if !said.errors.is_empty() || !said.sets.is_empty() || said.panicked {
        return Err(Finding::new(format!("CHECKDB {when}"), said.said()));
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            std::fs::create_dir_all(&target)?;
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
