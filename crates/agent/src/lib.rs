//! The Agent: runs the jobs of msdb when their schedules are due, and when sessions ask for it.
//!
//! ```text
//!   sp_start_job, sp_stop_job, sp_add_schedule … ──AgentBox──▶ the Agent's thread ──▶ a thread for each job that runs
//!                                       sysschedules ──next──▶      │
//!   error log ──AgentBox──▶ alerts of msdb ──────────────────────▶ their jobs, mail to their operators
//! ```
//! What always holds:
//! - A job runs once at a time: a schedule that is due while it runs is passed over. Jobs above those that may run at a time wait.
//! - What is due is begun, whatever else the Agent is asked for meanwhile, and whoever holds locks in msdb.
//! - Where msdb has no jobs, the Agent asks nothing.
//!
//! It knows msdb's tables by their statements, as any client does. It sends no mail itself.

mod alert;
mod desk;
mod job;
mod mail;
mod schedule;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chrono::NaiveDateTime;
use millpond_catalog::SchemaId;
use millpond_engine::engine::Engine;
use millpond_engine::error_log::LogLine;
use millpond_engine::signal::agent::{AgentRequest, JobId};
use millpond_storage::contract::DbId;
use parking_lot::Mutex;

use crate::desk::{Desk, literal, now, number, text};
use crate::job::{Cause, Running};
use crate::schedule::{AT_START, Schedule};

/// Jobs that run at a time at most; others wait.
const JOBS_MAX: usize = 64;
/// How long the end waits for the jobs that run.
const JOBS_END_MAX: Duration = Duration::from_secs(10);
/// The longest sleep: the clock of the server may be set, and what a session has told of in an open transaction is seen later.
const SLEEP_MAX: Duration = Duration::from_secs(60);
/// The sleep after tables that could not be read.
const SLEEP_AFTER_ERROR: Duration = Duration::from_secs(1);
/// Events that wait for msdb at most; what comes above that meets no alert.
const EVENTS_MAX: usize = 1000;
/// Lock timeout of the statements that read and note schedules.
const LOCK_TIMEOUT_MS: u32 = 200;

/// The jobs that run.
type RunningJobs = Arc<Mutex<HashMap<JobId, Arc<Running>>>>;

/// The Agent of an engine; it ends with this, and ends its jobs first.
pub struct Agent {
    engine: Arc<Engine>,
    running: RunningJobs,
    thread: Option<JoinHandle<()>>,
}

/// A job that a schedule makes run.
struct Due {
    at: NaiveDateTime,
    job: JobId,
    id: i32,
    name: String,
}

struct Work {
    engine: Arc<Engine>,
    running: RunningJobs,
    /// For others to end.
    waiting: VecDeque<(JobId, Option<i32>, Cause)>,
    due: Vec<Due>,
    /// What was written to the error log and has not met the alerts yet.
    events: VecDeque<LogLine>,
    desk: Option<Desk>,
    /// The start of this Agent is noted in msdb.
    is_noted: bool,
    has_failed: bool,
}

impl Agent {
    /// Begins to work.
    #[must_use]
    pub fn start(engine: &Arc<Engine>) -> Agent {
        let running = RunningJobs::default();
        engine.agent().set_running(true);
        let of = Arc::downgrade(engine);
        engine.error_log().watch(move |line| {
            // What has no number is no event.
            if let Some(engine) = of.upgrade().filter(|_| line.number != 0) {
                engine.agent().ask(AgentRequest::Event(line.clone()));
            }
        });
        let mut work = Work {
            engine: Arc::clone(engine),
            running: Arc::clone(&running),
            waiting: VecDeque::new(),
            due: Vec::new(),
            events: VecDeque::new(),
            desk: None,
            is_noted: false,
            has_failed: false,
        };
        let body = move || {
            work.look(true);
            while work.engine.agent().is_running() {
                let request = work.engine.agent().take(work.sleep());
                work.handle(request);
            }
        };
        let thread =
            std::thread::Builder::new().name("agent".into()).stack_size(millpond_query::STACK_BYTES).spawn(body);
        if thread.is_err() {
            // There is no thread: jobs cannot be started, and say so.
            engine.agent().set_running(false);
        }
        Agent { engine: Arc::clone(engine), running, thread: thread.ok() }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.engine.agent().set_running(false);
        self.running.lock().values().for_each(|running| running.stop("the server, which stops"));
        let deadline = Instant::now() + JOBS_END_MAX;
        while !self.running.lock().is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Work {
    fn handle(&mut self, request: Option<AgentRequest>) {
        match request {
            Some(AgentRequest::Start { job, step, by }) => self.begin(job, step, Cause::User(by)),
            Some(AgentRequest::Stop { job, by }) => {
                if let Some(running) = self.running.lock().get(&job) {
                    running.stop(&by);
                }
                let before = self.waiting.len();
                self.waiting.retain(|(waiting, ..)| *waiting != job);
                if self.waiting.len() < before {
                    self.engine.agent().release(job);
                }
            }
            Some(AgentRequest::Event(line)) if self.events.len() < EVENTS_MAX => self.events.push_back(line),
            Some(AgentRequest::Event(_)) => {}
            Some(AgentRequest::Look) => self.look(false),
            // What is due now is begun first, and then there is a look in any case.
            None if self.sleep() > Duration::ZERO => self.look(false),
            None => {}
            Some(AgentRequest::Ended) => {
                while self.running.lock().len() < JOBS_MAX {
                    let Some((job, step, cause)) = self.waiting.pop_front() else { break };
                    self.begin(job, step, cause);
                }
            }
        }
        self.meet_alerts();
        let at = now(&self.engine);
        let (is_due, later): (Vec<Due>, Vec<Due>) =
            std::mem::take(&mut self.due).into_iter().partition(|due| due.at <= at);
        self.due = later;
        if is_due.is_empty() {
            return;
        }
        for due in is_due {
            if self.engine.agent().claim(due.job) {
                self.begin(due.job, None, Cause::Schedule(due.id, due.name));
            }
        }
        self.look(false);
    }

    /// What the error log got meets the alerts; what cannot be looked up now is looked up later.
    fn meet_alerts(&mut self) {
        if !self.has_jobs() {
            self.events.clear();
        }
        while let Some(event) = self.events.front() {
            let desk = self.desk.get_or_insert_with(|| Desk::new(&self.engine, LOCK_TIMEOUT_MS));
            let Some(met) = alert::meet(&self.engine, desk, event) else {
                self.has_failed = true;
                return;
            };
            self.events.pop_front();
            for (alert, job) in met {
                let desk = self.desk.get_or_insert_with(|| Desk::new(&self.engine, LOCK_TIMEOUT_MS));
                alert::tell(&self.engine, desk, &alert, job);
                if let Some(job) = job.filter(|job| self.engine.agent().claim(*job)) {
                    self.begin(job, None, Cause::Alert(Box::new(alert)));
                }
            }
        }
    }

    /// How long nothing is due.
    fn sleep(&self) -> Duration {
        let most = if self.has_failed { SLEEP_AFTER_ERROR } else { SLEEP_MAX };
        let Some(first) = self.due.iter().map(|due| due.at).min() else { return most };
        (first - now(&self.engine)).to_std().unwrap_or(Duration::ZERO).min(most)
    }

    /// Whether msdb has tables of jobs at all.
    fn has_jobs(&self) -> bool {
        let msdb = self.engine.databases().dictionary(DbId::MSDB);
        msdb.is_ok_and(|msdb| msdb.catalog().objects().find(SchemaId::DBO, "sysjobs").is_some())
    }

    /// Reads the schedules, and says in msdb when each is due next. `is_start`: the Agent starts, and with it the jobs that want that.
    fn look(&mut self, is_start: bool) {
        if !self.has_jobs() {
            return;
        }
        let desk = self.desk.get_or_insert_with(|| Desk::new(&self.engine, LOCK_TIMEOUT_MS));
        if !self.is_noted {
            let noted = "SET XACT_ABORT ON; BEGIN TRANSACTION;
                INSERT dbo.syssessions (agent_start_date) VALUES (getdate());
                INSERT dbo.sysjobactivity (session_id, job_id) SELECT (SELECT max(session_id) FROM dbo.syssessions), job_id FROM dbo.sysjobs;
                COMMIT TRANSACTION";
            self.is_noted = desk.ask(noted).is_some();
        }
        let rows = desk.ask(
            "SELECT l.job_id, s.schedule_id, s.name, l.next_run_date, l.next_run_time, s.freq_type, s.freq_interval, s.freq_subday_type, \
             s.freq_subday_interval, s.freq_relative_interval, s.freq_recurrence_factor, s.active_start_date, s.active_end_date, \
             s.active_start_time, s.active_end_time FROM dbo.sysjobschedules AS l JOIN dbo.sysschedules AS s ON s.schedule_id = \
             l.schedule_id JOIN dbo.sysjobs AS j ON j.job_id = l.job_id JOIN dbo.sysjobservers AS v ON v.job_id = l.job_id AND \
             v.server_id = 0 WHERE j.enabled = 1 AND s.enabled = 1",
        );
        self.has_failed = rows.is_none();
        // What is known of the schedules holds until they can be read.
        let Some(rows) = rows else { return };
        let at = now(&self.engine);
        let (mut due, mut at_start, mut changes) = (Vec::new(), Vec::new(), String::new());
        let passed: Vec<Due> = std::mem::take(&mut self.due).into_iter().filter(|due| due.at <= at).collect();
        for row in &rows {
            let Some(job) = desk::job(row, 0) else { continue };
            let n = |place: usize| number(row, place);
            let schedule = Schedule {
                freq_type: n(5),
                freq_interval: n(6),
                freq_subday_type: n(7),
                freq_subday_interval: n(8),
                freq_relative_interval: n(9),
                freq_recurrence_factor: n(10),
                active_start_date: n(11),
                active_end_date: n(12),
                active_start_time: n(13),
                active_end_time: n(14),
            };
            let (id, name) = (n(1), text(row, 2));
            if schedule.freq_type == AT_START {
                at_start.push((job, id, name));
                continue;
            }
            let next = schedule.next(at);
            let (date, time) = next.map_or((0, 0), |next| (as_number(next, "%Y%m%d"), as_number(next, "%H%M%S")));
            if (date, time) != (n(3), n(4)) {
                changes.push_str(&format!(
                    "UPDATE dbo.sysjobschedules SET next_run_date = {date}, next_run_time = {time} WHERE job_id = {} AND schedule_id = {id};\n",
                    literal(&job),
                ));
            }
            // Its time has come while the Agent did something else.
            let missed = passed.iter().find(|due| (due.job, due.id) == (job, id));
            due.extend(missed.map(|due| Due { at: due.at, job, id, name: name.clone() }));
            due.extend(next.map(|at| Due { at, job, id, name }));
        }
        if !changes.is_empty() {
            changes.push_str(NOTE_NEXT_RUNS);
            desk.ask(&changes);
        }
        self.due = due;
        if is_start {
            for (job, id, name) in at_start {
                if self.engine.agent().claim(job) {
                    self.begin(job, None, Cause::Schedule(id, name));
                }
            }
        }
    }

    /// Runs a claimed job in a thread of its own, or puts it into the queue when as many run as may.
    fn begin(&mut self, job: JobId, step: Option<i32>, cause: Cause) {
        let running = Arc::new(Running::default());
        {
            let all = &mut *self.running.lock();
            if all.len() >= JOBS_MAX {
                self.waiting.push_back((job, step, cause));
                return;
            }
            all.insert(job, Arc::clone(&running));
        }
        let (engine, all) = (Arc::clone(&self.engine), Arc::clone(&self.running));
        let known = Known { job, all, engine: Arc::clone(&engine) };
        let body = move || {
            let _known = known;
            job::run(&engine, job, step, &cause, &running);
        };
        // Without a thread the job is given up, as it is when its thread ends.
        let _ = std::thread::Builder::new().name("job".into()).stack_size(millpond_query::STACK_BYTES).spawn(body);
    }
}

/// A job is known to run until this goes.
struct Known {
    job: JobId,
    all: RunningJobs,
    engine: Arc<Engine>,
}

impl Drop for Known {
    fn drop(&mut self) {
        self.all.lock().remove(&self.job);
        self.engine.agent().release(self.job);
    }
}

/// When each job runs next, of all its schedules.
const NOTE_NEXT_RUNS: &str = "UPDATE a SET next_scheduled_run_date = (SELECT min(msdb.dbo.agent_datetime(s.next_run_date, s.next_run_time)) FROM \
    dbo.sysjobschedules AS s WHERE s.job_id = a.job_id AND s.next_run_date > 0) FROM dbo.sysjobactivity AS a WHERE a.session_id = \
    (SELECT max(session_id) FROM dbo.syssessions)";

fn as_number(moment: NaiveDateTime, format: &str) -> i32 {
    moment.format(format).to_string().parse().unwrap_or(0)
}
