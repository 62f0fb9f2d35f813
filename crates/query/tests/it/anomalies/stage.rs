//! The sessions of a script, each on a thread of its own, one step at a time.
//!
//! ```text
//!   step ─▶ its session ─▶ settle: every session has answered or stands in a queue of the lock manager ─▶ next step
//! ```
//! What always holds: nothing is told by a clock. A session is said to wait when the lock manager has its request in a
//! queue; the steps of a session that waits are held back until it goes on, in the order of the script. What an error
//! left of a transaction ends it: the steps that were to follow in it are left out.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::contract::SessionId;
use millpond_txn::lock::{LockRow, LockStatus, LockWait};

use super::script::{Seen, Step};
use crate::harness::{run, session};

/// When nothing comes to rest the test ends some day rather than never.
const LOOKS_MAX: usize = 20_000;

/// What a session said, and whether its transaction is still there.
struct Answer {
    said: String,
    is_open: bool,
}

/// One session.
struct Actor {
    id: SessionId,
    steps: Sender<String>,
    answers: Receiver<Answer>,
    thread: JoinHandle<()>,
    /// The step that it has not answered.
    doing: Option<Step>,
    /// The wait that was told.
    waits: Option<LockWait>,
    is_over: bool,
}

impl Actor {
    fn new(mut session: Session, opening: &str) -> Actor {
        assert_eq!(run(&mut session, opening), "");
        let id = session.shared().id;
        let (steps, texts) = channel::<String>();
        let (told, answers) = channel();
        let thread = std::thread::spawn(move || {
            for text in texts {
                let said = run(&mut session, &text);
                let is_open = !run(&mut session, "select @@trancount").starts_with("[:int]\n0\n");
                told.send(Answer { said, is_open }).expect("the stage listens");
            }
        });
        Actor { id, steps, answers, thread, doing: None, waits: None, is_over: false }
    }

    fn answer(&self) -> Option<Answer> {
        match self.answers.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => panic!("a session panicked"),
        }
    }
}

/// Whether some of these wait for each other.
fn has_circle(waits: &[LockWait]) -> bool {
    let mut left: Vec<&LockWait> = waits.iter().collect();
    loop {
        let count = left.len();
        let waiting: Vec<SessionId> = left.iter().map(|wait| wait.session).collect();
        left.retain(|wait| wait.blockers.iter().any(|blocker| waiting.contains(blocker)));
        if left.len() == count {
            return count > 0;
        }
    }
}

/// All sessions.
pub(super) struct Stage {
    engine: Arc<Engine>,
    actors: Vec<Actor>,
    held_back: VecDeque<Step>,
    transcript: String,
    seen: Seen,
}

impl Stage {
    /// Sessions 1 to `count`, each after `opening`.
    pub(super) fn new(engine: &Arc<Engine>, count: usize, opening: &str) -> Stage {
        let actors = (0..count).map(|_| Actor::new(session(engine), opening)).collect();
        let (held_back, transcript, seen) = (VecDeque::new(), String::new(), Seen::default());
        Stage { engine: Arc::clone(engine), actors, held_back, transcript, seen }
    }

    /// The next step of the script, with everything that it sets going.
    pub(super) fn act(&mut self, step: &Step) {
        self.held_back.push_back(step.clone());
        let is_idle = |stage: &Stage, step: &Step| stage.actors[step.session - 1].doing.is_none();
        while let Some(at) = self.held_back.iter().position(|step| is_idle(self, step)) {
            let step = self.held_back.remove(at).expect("found there");
            self.begin(step);
        }
    }

    /// What was said and seen. Nobody may be waiting.
    pub(super) fn end(self) -> (String, Seen) {
        assert!(self.held_back.is_empty(), "the script ends while somebody waits:\n{}", self.transcript);
        for (number, actor) in (1..).zip(self.actors) {
            assert!(actor.doing.is_none(), "the script ends while {number} waits:\n{}", self.transcript);
            assert!(actor.is_over, "the script ends in the transaction of {number}:\n{}", self.transcript);
            drop(actor.steps);
            actor.thread.join().expect("no panic");
        }
        (self.transcript, self.seen)
    }

    fn begin(&mut self, step: Step) {
        let actor = &mut self.actors[step.session - 1];
        let _ = write!(self.transcript, "{}: ", step.session);
        if actor.is_over {
            return write_step(&mut self.transcript, &step.text, "left out: the transaction is over");
        }
        actor.steps.send(step.text.clone()).expect("the session listens");
        let first = step.session - 1;
        actor.doing = Some(step);
        let (answers, waits) = self.settle();
        self.tell(first, answers, &waits);
    }

    /// Waits until nobody runs: the answers that came, and who waits for what.
    fn settle(&self) -> (Vec<Option<Answer>>, Vec<LockWait>) {
        let mut answers: Vec<Option<Answer>> = self.actors.iter().map(|_| None).collect();
        let mut before = None;
        for _ in 0..LOOKS_MAX {
            for (actor, answer) in self.actors.iter().zip(&mut answers) {
                if actor.doing.is_some() && answer.is_none() {
                    *answer = actor.answer();
                }
            }
            let busy =
                self.actors.iter().zip(&answers).filter(|(actor, answer)| actor.doing.is_some() && answer.is_none());
            let waits = self.in_queues();
            let calm: Option<Vec<_>> = busy
                .map(|(actor, _)| waits.iter().find(|wait| wait.session == actor.id))
                .map(|wait| wait.map(|wait| (wait.session, wait.resource, wait.mode)))
                .collect();
            // The parts of the report are of different moments. Who waits in two reports that follow each other
            // cannot have been woken between them by somebody who waits in both. The last member of a circle stands
            // in its queue before it searches: somebody of the circle is still to be woken.
            if calm.is_some() && calm == before && !has_circle(&waits) {
                return (answers, waits);
            }
            before = calm;
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("nothing comes to rest:\n{}", self.transcript);
    }

    /// Requests that stand in a queue after the search for a deadlock: the list of those who wait has some that were
    /// granted a lock a moment ago, and the queues have some for whom the search goes on.
    fn in_queues(&self) -> Vec<LockWait> {
        let locks = self.engine.txns().locks();
        let mut waits = locks.waiting();
        let rows = locks.report();
        waits.retain(|wait| {
            let is_it =
                |row: &LockRow| (row.session, row.resource, row.mode) == (wait.session, wait.resource, wait.mode);
            rows.iter().any(|row| row.status != LockStatus::Grant && is_it(row))
        });
        waits
    }

    /// What the session that acted came to, and then the others by their number.
    fn tell(&mut self, first: usize, mut answers: Vec<Option<Answer>>, waits: &[LockWait]) {
        let others = (0..self.actors.len()).filter(|&at| at != first);
        for at in std::iter::once(first).chain(others) {
            let wait = waits.iter().find(|wait| wait.session == self.actors[at].id);
            match (answers[at].take(), wait) {
                (Some(answer), _) => self.tell_answer(at, first, &answer),
                (None, Some(wait)) => self.tell_wait(at, first, wait),
                (None, None) => {}
            }
        }
    }

    fn tell_answer(&mut self, at: usize, first: usize, answer: &Answer) {
        let actor = &mut self.actors[at];
        let step = actor.doing.take().expect("who answers was asked");
        actor.waits = None;
        actor.is_over = !answer.is_open;
        if let Some(name) = &step.name {
            self.seen.note(name, &answer.said);
        }
        if step.commits() && answer.said.is_empty() {
            self.seen.committed.insert(step.session);
        }
        if at != first {
            let _ = write!(self.transcript, "{}: ", at + 1);
        }
        write_step(&mut self.transcript, if at == first { &step.text } else { "goes on" }, &answer.said);
    }

    fn tell_wait(&mut self, at: usize, first: usize, wait: &LockWait) {
        let same = |before: &LockWait| (before.resource, before.mode) == (wait.resource, wait.mode);
        if self.actors[at].waits.as_ref().is_some_and(same) {
            return;
        }
        let mut blockers: Vec<usize> = (1..)
            .zip(&self.actors)
            .filter(|(_, actor)| wait.blockers.contains(&actor.id))
            .map(|(number, _)| number)
            .collect();
        blockers.sort_unstable();
        let blockers = blockers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
        let said = format!("waits for {blockers}: {} of a {}", wait.mode, wait.resource.kind().name());
        self.actors[at].waits = Some(wait.clone());
        let text = match &self.actors[at].doing {
            Some(step) if at == first => step.text.clone(),
            _ => {
                let _ = write!(self.transcript, "{}: ", at + 1);
                "goes on".to_owned()
            }
        };
        write_step(&mut self.transcript, &text, &said);
    }
}

/// A step and below it what was said to it; process numbers are not told.
pub(super) fn write_step(transcript: &mut String, text: &str, said: &str) {
    let _ = writeln!(transcript, "{}", text.split_whitespace().collect::<Vec<_>>().join(" "));
    for line in said.lines() {
        let _ = writeln!(transcript, "   {}", without_process(line));
    }
}

fn without_process(line: &str) -> String {
    let Some((before, after)) = line.split_once("(Process ID ") else { return line.to_owned() };
    let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}(Process ID …{after}")
}
