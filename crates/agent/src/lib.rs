//! The Agent: runs the jobs of msdb when their schedules are due, and when sessions ask for it.
//!
//! ```text
//!   sp_start_job, sp_stop_job, sp_add_schedule … ──AgentBox──▶ the Agent's thread ──▶ a thread for each job that runs
//!                                       sysschedules ──next──▶      │
//! ```
//! What always holds:
//! - A job runs once at a time: a schedule that is due while it runs is passed over.
//! - Where msdb has no jobs, the Agent asks nothing and wakes for requests alone.
//!
//! It knows msdb's tables by their statements, as any client does. It fires no alerts, and notifies no operators.

mod desk;
mod job;
mod schedule;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chrono::NaiveDateTime;
use millpond_catalog::SchemaId;
use millpond_engine::engine::Engine;
use millpond_engine::signal::agent::{AgentRequest, JobId};
use millpond_storage::contract::DbId;
use parking_lot::Mutex;

use crate::desk::{ask, literal, number, text};
use crate::job::{Cause, Running, now};
use crate::schedule::{AT_START, Schedule};

/// Jobs that run at a time at most; others are refused, and their schedules passed over.
const JOBS_MAX: usize = 64;
/// How long the end waits for the jobs that run.
const JOBS_END_MAX: Duration = Duration::from_secs(10);
/// The longest sleep: the clock of the server may be set.
const SLEEP_MAX: Duration = Duration::from_secs(60);

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
    due: Vec<Due>,
    /// The start of this Agent is noted in msdb.
    is_noted: bool,
}

impl Agent {
    /// Begins to work.
    #[must_use]
    pub fn start(engine: &Arc<Engine>) -> Agent {
        let running = RunningJobs::default();
        engine.agent().set_running(true);
        let mut work =
            Work { engine: Arc::clone(engine), running: Arc::clone(&running), due: Vec::new(), is_noted: false };
        let body = move || {
            work.look();
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
            }
            Some(AgentRequest::Look) => self.look(),
            None => {}
        }
        let at = now(&self.engine);
        let (is_due, later): (Vec<Due>, Vec<Due>) =
            std::mem::take(&mut self.due).into_iter().partition(|due| due.at <= at);
        self.due = later;
        if is_due.is_empty() {
            return;
        }
        for due in is_due {
            self.begin(due.job, None, Cause::Schedule(due.id, due.name));
        }
        self.look();
    }

    /// How long nothing is due.
    fn sleep(&self) -> Duration {
        let Some(first) = self.due.iter().map(|due| due.at).min() else { return SLEEP_MAX };
        (first - now(&self.engine)).to_std().unwrap_or(Duration::ZERO).min(SLEEP_MAX)
    }

    /// Whether msdb has tables of jobs at all.
    fn has_jobs(&self) -> bool {
        let msdb = self.engine.databases().dictionary(DbId::MSDB);
        msdb.is_ok_and(|msdb| msdb.catalog().objects().find(SchemaId::DBO, "sysjobs").is_some())
    }

    /// Reads the schedules, and says in msdb when each is due next.
    fn look(&mut self) {
        if !self.has_jobs() {
            return;
        }
        let is_start = !std::mem::replace(&mut self.is_noted, true);
        if is_start {
            ask(&self.engine, "INSERT dbo.syssessions (agent_start_date) VALUES (getdate())");
        }
        let rows = ask(
            &self.engine,
            "SELECT l.job_id, s.schedule_id, s.name, l.next_run_date, l.next_run_time, s.freq_type, s.freq_interval, s.freq_subday_type, \
             s.freq_subday_interval, s.freq_relative_interval, s.freq_recurrence_factor, s.active_start_date, s.active_end_date, \
             s.active_start_time, s.active_end_time FROM dbo.sysjobschedules AS l JOIN dbo.sysschedules AS s ON s.schedule_id = \
             l.schedule_id JOIN dbo.sysjobs AS j ON j.job_id = l.job_id JOIN dbo.sysjobservers AS v ON v.job_id = l.job_id AND \
             v.server_id = 0 WHERE j.enabled = 1 AND s.enabled = 1",
        );
        let at = now(&self.engine);
        let (mut due, mut at_start, mut changes) = (Vec::new(), Vec::new(), String::new());
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
            due.extend(next.map(|at| Due { at, job, id, name }));
        }
        if !changes.is_empty() {
            ask(&self.engine, &changes);
        }
        self.due = due;
        if is_start {
            at_start.into_iter().for_each(|(job, id, name)| self.begin(job, None, Cause::Schedule(id, name)));
        }
    }

    /// Runs a job in a thread of its own, unless it runs.
    fn begin(&self, job: JobId, step: Option<i32>, cause: Cause) {
        let running = Arc::new(Running::default());
        {
            let all = &mut *self.running.lock();
            if all.contains_key(&job) || all.len() >= JOBS_MAX {
                return;
            }
            all.insert(job, Arc::clone(&running));
        }
        let (engine, all) = (Arc::clone(&self.engine), Arc::clone(&self.running));
        let body = move || {
            let _known = Known { job, all };
            job::run(&engine, job, step, &cause, &running);
        };
        let thread = std::thread::Builder::new().name("job".into()).stack_size(millpond_query::STACK_BYTES).spawn(body);
        if thread.is_err() {
            self.running.lock().remove(&job);
        }
    }
}

/// A job is known to run until this goes.
struct Known {
    job: JobId,
    all: RunningJobs,
}

impl Drop for Known {
    fn drop(&mut self) {
        self.all.lock().remove(&self.job);
    }
}

fn as_number(moment: NaiveDateTime, format: &str) -> i32 {
    moment.format(format).to_string().parse().unwrap_or(0)
}
