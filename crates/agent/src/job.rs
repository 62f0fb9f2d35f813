//! One run of a job: its steps, each in a session of the job's owner, and what it leaves in the history.
//!
//! ```text
//!   Start ──▶ step ──succeeds──▶ on_success_action ──▶ next step, another one, or the end
//!               └─fails──▶ again after retry_interval ──▶ on_fail_action ──▶ likewise
//! ```
//! What always holds: a step has the rights of the job's owner, and no way back to the Agent's; the row of a run with step 0 is the
//! last that it writes.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use chrono::NaiveDateTime;
use millpond_builtin::unicode_literal;
use millpond_catalog::run::facts::Login;
use millpond_catalog::security::SecurityContext;
use millpond_engine::engine::Engine;
use millpond_engine::security;
use millpond_engine::session_shared::SessionShared;
use millpond_engine::signal::agent::{AgentRequest, JobId};
use millpond_message::sink::{Message, OnlyMessages};
use millpond_query::session::Session;
use millpond_tsql::batch::split_script;
use millpond_types::Value;
use parking_lot::{Condvar, Mutex};

use crate::alert::Alert;
use crate::desk::{Desk, hex, literal, now, number, text};
use crate::mail;
use crate::tokens::Tokens;

/// Characters that a message of the history has at most.
const MESSAGE_MAX: usize = 4000;
/// Characters of `last_outcome_message` at most.
const OUTCOME_MAX: usize = 1024;
/// How long a job waits for others where it writes its history.
const LOCK_TIMEOUT_MS: u32 = 30_000;
/// Severities above this make a step fail.
const SEVERITY_OF_NOTES: u8 = 10;

/// A run as others see it.
#[derive(Default)]
pub(crate) struct Running {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    /// Who stopped it.
    stopped_by: Option<String>,
    /// That of the step that runs.
    session: Option<Arc<SessionShared>>,
}

impl Running {
    /// Ends it: what runs is cancelled, and no step begins.
    pub(crate) fn stop(&self, by: &str) {
        let state = &mut *self.state.lock();
        state.stopped_by = Some(by.to_owned());
        if let Some(session) = &state.session {
            session.cancel();
        }
        self.wake.notify_all();
    }

    fn is_stopped(&self) -> bool {
        self.state.lock().stopped_by.is_some()
    }

    /// The session of the step that begins; false when it is not to begin any more.
    fn enter(&self, session: Option<Arc<SessionShared>>) -> bool {
        let state = &mut *self.state.lock();
        state.session = session;
        state.stopped_by.is_none()
    }

    /// Waits for another try; false when it is stopped meanwhile.
    fn rest(&self, time: Duration) -> bool {
        let state = &mut self.state.lock();
        self.wake.wait_while_for(state, |state| state.stopped_by.is_none(), time);
        state.stopped_by.is_none()
    }
}

/// How something ended, as `run_status` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Failed = 0,
    Succeeded = 1,
    Retry = 2,
    Stopped = 3,
}

/// Why a job runs, as the history and `sysjobactivity` say it.
#[derive(Clone, Debug)]
pub(crate) enum Cause {
    /// A schedule, by its number and name.
    Schedule(i32, String),
    /// A login.
    User(String),
    /// An alert that was met.
    Alert(Box<Alert>),
}

/// A row of `sysjobsteps`.
struct Step {
    id: i32,
    name: String,
    subsystem: String,
    command: String,
    on_success: (i32, i32),
    on_fail: (i32, i32),
    database: String,
    user: String,
    retries: i32,
    retry_minutes: i32,
}

/// A job that runs.
struct Run<'r> {
    engine: &'r Arc<Engine>,
    job: JobId,
    name: String,
    owner: Option<(String, Arc<SecurityContext>)>,
    running: &'r Running,
    cause: &'r Cause,
    started: NaiveDateTime,
    desk: RefCell<Desk>,
}

/// Runs a job to its end. What it comes to is in the history.
pub(crate) fn run(engine: &Arc<Engine>, job: JobId, first: Option<i32>, cause: &Cause, running: &Running) {
    let id = literal(&job);
    let mut desk = Desk::new(engine, LOCK_TIMEOUT_MS);
    let query = format!("SELECT name, start_step_id, owner_sid, delete_level FROM dbo.sysjobs WHERE job_id = {id}");
    let found = desk.ask(&query).unwrap_or_default();
    // It is gone since.
    let Some(row) = found.first() else { return };
    let (name, delete_level) = (text(row, 0), number(row, 3));
    let owner = match row.get(2) {
        Some(Value::Binary(sid)) => owner_of(engine, sid),
        _ => None,
    };
    let started = now(engine);
    let run = Run { engine, job, name, owner, running, cause, started, desk: RefCell::new(desk) };
    run.note_start();
    let (outcome, said) = run.steps(first.unwrap_or_else(|| number(row, 1)));
    engine.agent().ending(job);
    let emailed = run.tell(outcome, &said).unwrap_or(0);
    run.note_end(outcome, &said, emailed);
    let deletes = match delete_level {
        1 => outcome == Outcome::Succeeded,
        2 => outcome == Outcome::Failed,
        level => level == 3,
    };
    if deletes {
        run.delete();
    }
}

/// The rights of the login that owns a job; none when it is gone or disabled.
fn owner_of(engine: &Engine, sid: &[u8]) -> Option<(String, Arc<SecurityContext>)> {
    let server = security::server(engine, 0).ok()?;
    let login = server.of_sid(sid).filter(|login| !login.is_disabled || login.name.eq_ignore_ascii_case("sa"))?;
    Some((login.name.to_string(), SecurityContext::of_login(login)))
}

impl Run<'_> {
    fn steps(&self, first: i32) -> (Outcome, String) {
        let by = match self.cause {
            Cause::Schedule(id, name) => format!("The Job was invoked by Schedule {id} ({name})."),
            Cause::User(login) => format!("The Job was invoked by User {login}."),
            Cause::Alert(alert) => format!("The Job was invoked by Alert {} ({}).", alert.id, alert.name),
        };
        if self.owner.is_none() {
            let said =
                format!("The job failed.  Unable to determine if the owner of job {} has server access.", self.name);
            return (Outcome::Failed, said);
        }
        let steps = self.read_steps();
        let mut at = steps.iter().position(|step| step.id == first);
        if at.is_none() {
            let said = format!("The job failed.  {by}  The job has no step {first}.");
            return (Outcome::Failed, said);
        }
        let (mut last, mut outcome) = (String::new(), Outcome::Succeeded);
        while let Some(step) = at.and_then(|at| steps.get(at)) {
            let ended = self.step(step);
            last = format!("The last step to run was step {} ({}).", step.id, step.name);
            if ended == Outcome::Stopped {
                let by = self.running.state.lock().stopped_by.clone().unwrap_or_default();
                let said = format!("The job was stopped prior to completion by User {by}.  {last}");
                return (Outcome::Stopped, said);
            }
            let (action, target) = if ended == Outcome::Succeeded { step.on_success } else { step.on_fail };
            at = match action {
                // Both end the job.
                1 | 2 => {
                    outcome = if action == 1 { Outcome::Succeeded } else { Outcome::Failed };
                    None
                }
                4 => {
                    let found = steps.iter().position(|step| step.id == target);
                    outcome = if found.is_none() { Outcome::Failed } else { ended };
                    found
                }
                _ => {
                    outcome = ended;
                    at.map(|at| at + 1)
                }
            };
        }
        let word = if outcome == Outcome::Succeeded { "succeeded" } else { "failed" };
        (outcome, format!("The job {word}.  {by}  {last}"))
    }

    fn read_steps(&self) -> Vec<Step> {
        let rows = self.desk.borrow_mut().ask(
            &format!(
                "SELECT step_id, step_name, subsystem, command, on_success_action, on_success_step_id, on_fail_action, \
                 on_fail_step_id, database_name, database_user_name, retry_attempts, retry_interval FROM dbo.sysjobsteps \
                 WHERE job_id = {} ORDER BY step_id",
                literal(&self.job),
            ),
        );
        let rows = rows.unwrap_or_default();
        let step = |row: &Vec<Value>| Step {
            id: number(row, 0),
            name: text(row, 1),
            subsystem: text(row, 2),
            command: text(row, 3),
            on_success: (number(row, 4), number(row, 5)),
            on_fail: (number(row, 6), number(row, 7)),
            database: text(row, 8),
            user: text(row, 9),
            retries: number(row, 10),
            retry_minutes: number(row, 11),
        };
        rows.iter().map(step).collect()
    }

    /// Runs a step, again where it fails and may.
    fn step(&self, step: &Step) -> Outcome {
        for attempt in 0.. {
            let began = now(self.engine);
            let (succeeded, mut said) = self.attempt(step);
            let outcome = match () {
                () if self.running.is_stopped() => Outcome::Stopped,
                () if succeeded => Outcome::Succeeded,
                () if attempt < step.retries => Outcome::Retry,
                () => Outcome::Failed,
            };
            said.messages.push_str(match outcome {
                Outcome::Succeeded => "  The step succeeded.",
                Outcome::Stopped => "  The step was cancelled (stopped) as the result of a stop job request.",
                _ => "  The step failed.",
            });
            self.note_step(step, outcome, &said, began, attempt);
            let rest = Duration::from_secs(60 * u64::from(step.retry_minutes.max(0).unsigned_abs()));
            if outcome != Outcome::Retry {
                return outcome;
            }
            if !self.running.rest(rest) {
                return Outcome::Stopped;
            }
        }
        unreachable!("a step is not tried for ever")
    }

    /// Runs the command of a step once: whether it had no error.
    fn attempt(&self, step: &Step) -> (bool, Said) {
        let (owner, context) = self.owner.as_ref().expect("a job without an owner runs no step");
        let mut said = Said { messages: format!("Executed as user: {owner}."), ..Said::default() };
        if !step.subsystem.eq_ignore_ascii_case("TSQL") {
            said.messages.push_str(&format!(" The subsystem {} is not there.", step.subsystem));
            return (false, said);
        }
        let database = if step.database.is_empty() { "master" } else { &step.database };
        let program = format!("SQLAgent - TSQL JobStep (Job {} : Step {})", hex(&self.job), step.id);
        let login = Login { login: owner.clone(), program, database: database.to_owned(), ..Login::default() };
        let Ok(mut session) = Session::open_as(self.engine, login, Arc::clone(context)) else {
            said.messages.push_str(" There are too many sessions, or the server stops.");
            return (false, said);
        };
        if self.running.enter(Some(Arc::clone(session.shared()))) {
            self.run_command(step, database, &mut session, &mut said);
        }
        self.running.enter(None);
        (!said.failed && !session.shared().is_killed(), said)
    }

    /// Runs the batches of a command until one fails.
    fn run_command(&self, step: &Step, database: &str, session: &mut Session, said: &mut Said) {
        if let Err(error) = session.use_database(database, &mut OnlyMessages(|_: &Message| ())) {
            return said.take(error.number, error.severity, &error.text);
        }
        let user = &step.user;
        let become_user = format!("EXECUTE AS USER = {} WITH NO REVERT", unicode_literal(user));
        let command = self.tokens(step);
        let scripts = split_script(&command);
        let batches = scripts.iter().flat_map(|batch| {
            std::iter::repeat_n(batch.text.as_str(), batch.count.as_ref().map_or(1, |count| *count as usize))
        });
        let batches = (!user.is_empty()).then_some(become_user.as_str()).into_iter().chain(batches);
        for batch in batches {
            if self.running.is_stopped() || session.shared().is_killed() || said.failed {
                break;
            }
            session.run_batch(batch, &mut OnlyMessages(|message: &Message| said.hear(message)));
        }
    }

    /// The command of a step with its tokens replaced.
    fn tokens(&self, step: &Step) -> String {
        let now = now(self.engine);
        let server = self.engine.machine().to_owned();
        let mut values = vec![
            ("JOBID", hex(&self.job)),
            ("JOBNAME", self.name.clone()),
            ("STEPID", step.id.to_string()),
            ("STEPNAME", step.name.clone()),
            ("STEPCOUNT", "1".to_owned()),
            ("DATE", now.format("%Y%m%d").to_string()),
            ("TIME", now.format("%H%M%S").to_string()),
            ("STRTDT", self.started.format("%Y%m%d").to_string()),
            ("STRTTM", self.started.format("%H%M%S").to_string()),
            ("MACH", server.clone()),
            ("SRVR", server),
            ("INST", String::new()),
        ];
        if let Cause::Alert(alert) = self.cause {
            let event = &alert.event;
            values.extend([
                ("A-DBN", alert.database.clone()),
                ("A-SVR", self.engine.machine().to_owned()),
                ("A-ERR", event.number.to_string()),
                ("A-SEV", event.severity.to_string()),
                ("A-MSG", event.text.clone()),
            ]);
        }
        Tokens { values: &values }.replaced(&step.command)
    }

    fn note_start(&self) {
        let source = match self.cause {
            Cause::Schedule(..) => 1,
            Cause::Alert(_) => 2,
            Cause::User(_) => 4,
        };
        let text = format!(
            "DECLARE @session int = (SELECT max(session_id) FROM dbo.syssessions), @job uniqueidentifier = {};
             IF NOT EXISTS (SELECT * FROM dbo.sysjobactivity WHERE session_id = @session AND job_id = @job)
             INSERT dbo.sysjobactivity (session_id, job_id) VALUES (@session, @job);
             UPDATE dbo.sysjobactivity SET run_requested_date = getdate(), run_requested_source = N'{source}', queued_date = NULL,
             start_execution_date = getdate(), last_executed_step_id = NULL, stop_execution_date = NULL, job_history_id = NULL
             WHERE session_id = @session AND job_id = @job",
            literal(&self.job),
        );
        self.desk.borrow_mut().ask(&text);
    }

    fn note_step(&self, step: &Step, outcome: Outcome, said: &Said, began: NaiveDateTime, attempt: i32) {
        let row = HistoryRow {
            step: step.id,
            name: &step.name,
            error: (said.number, said.severity),
            message: &said.messages,
            outcome,
            began,
            attempt,
            emailed: 0,
        };
        self.note(row, |HistoryRow { step, attempt, .. }, (status, date, time, duration)| {
            format!(
                "UPDATE dbo.sysjobsteps SET last_run_outcome = {status}, last_run_duration = {duration}, last_run_retries = {attempt},
                 last_run_date = {date}, last_run_time = {time} WHERE job_id = @job AND step_id = {step};
                 UPDATE dbo.sysjobactivity SET last_executed_step_id = {step}, last_executed_step_date = getdate() WHERE job_id = @job AND session_id =
                 (SELECT max(session_id) FROM dbo.syssessions)"
            )
        });
    }

    /// Mails to the operator who wants to know of such an end; his number.
    fn tell(&self, outcome: Outcome, said: &str) -> Option<i32> {
        let desk = &mut *self.desk.borrow_mut();
        let rows = desk.ask(&format!(
            "SELECT o.id, o.email_address, j.notify_level_email FROM dbo.sysjobs AS j JOIN dbo.sysoperators AS o ON o.id =
             j.notify_email_operator_id WHERE j.job_id = {} AND o.enabled = 1 AND o.email_address > N''",
            literal(&self.job),
        ));
        let rows = rows?;
        let row = rows.first()?;
        let wants = match number(row, 2) {
            1 => outcome == Outcome::Succeeded,
            2 => outcome == Outcome::Failed,
            level => level == 3,
        };
        if !wants {
            return None;
        }
        let seconds = (now(self.engine) - self.started).num_seconds().max(0);
        let status = match outcome {
            Outcome::Succeeded => "Succeeded",
            Outcome::Stopped => "Cancelled",
            _ => "Failed",
        };
        let subject = format!("SQL Server Job System: '{}' completed on {}", self.name, mail::server(self.engine));
        let body = format!(
            "JOB RUN:\t'{}' was run on {}\r\nDURATION:\t{} hours, {} minutes, {} seconds\r\nSTATUS: \t{status}\r\nMESSAGES:\t{said}",
            self.name,
            self.started.format("%-m/%-d/%Y at %-I:%M:%S %p"),
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
        );
        mail::send(desk, (number(row, 0), &text(row, 1)), &subject, &body).then(|| number(row, 0))
    }

    fn note_end(&self, outcome: Outcome, said: &str, emailed: i32) {
        let row = HistoryRow {
            step: 0,
            name: "(Job outcome)",
            error: (0, 0),
            message: said,
            outcome,
            began: self.started,
            attempt: 0,
            emailed,
        };
        self.note(row, |_, (status, date, time, duration)| {
            format!(
                "UPDATE dbo.sysjobservers SET last_run_outcome = {status}, last_outcome_message = {message}, last_run_date = {date},
                 last_run_time = {time}, last_run_duration = {duration} WHERE job_id = @job AND server_id = 0;
                 UPDATE dbo.sysjobactivity SET stop_execution_date = getdate(), job_history_id = @history WHERE job_id = @job AND
                 session_id = (SELECT max(session_id) FROM dbo.syssessions);
                 DELETE dbo.sysjobhistory WHERE job_id = @job AND instance_id < (SELECT min(instance_id) FROM
                 (SELECT TOP ({HISTORY_OF_JOB_MAX}) instance_id FROM dbo.sysjobhistory WHERE job_id = @job ORDER BY instance_id DESC) AS h);
                 DELETE dbo.sysjobhistory WHERE instance_id < (SELECT min(instance_id) FROM
                 (SELECT TOP ({HISTORY_MAX}) instance_id FROM dbo.sysjobhistory ORDER BY instance_id DESC) AS h)",
                message = unicode_literal(&cut(said, OUTCOME_MAX)),
            )
        });
    }

    /// The job goes after its run, as its `delete_level` wants.
    fn delete(&self) {
        let text = format!(
            "SET XACT_ABORT ON;
             DECLARE @job uniqueidentifier = {};
             BEGIN TRANSACTION;
             DECLARE @schedules TABLE (schedule_id int NOT NULL);
             INSERT @schedules SELECT a.schedule_id FROM dbo.sysjobschedules AS a WHERE a.job_id = @job AND NOT EXISTS
             (SELECT * FROM dbo.sysjobschedules AS b WHERE b.schedule_id = a.schedule_id AND b.job_id <> @job);
             DELETE dbo.sysjobschedules WHERE job_id = @job;
             DELETE dbo.sysschedules WHERE schedule_id IN (SELECT schedule_id FROM @schedules);
             DELETE dbo.sysjobstepslogs WHERE step_uid IN (SELECT step_uid FROM dbo.sysjobsteps WHERE job_id = @job);
             DELETE dbo.sysjobsteps WHERE job_id = @job;
             DELETE dbo.sysjobservers WHERE job_id = @job;
             DELETE dbo.sysjobactivity WHERE job_id = @job;
             DELETE dbo.sysjobhistory WHERE job_id = @job;
             UPDATE dbo.sysalerts SET job_id = '00000000-0000-0000-0000-000000000000' WHERE job_id = @job;
             DELETE dbo.sysjobs WHERE job_id = @job;
             COMMIT TRANSACTION",
            literal(&self.job),
        );
        self.desk.borrow_mut().ask(&text);
        self.engine.agent().ask(AgentRequest::Look);
    }

    /// Writes a row of the history, and what follows from it: of the job `@job` and the row's number `@history`, with the row's
    /// status, date, time and duration.
    fn note(&self, row: HistoryRow<'_>, rest: impl FnOnce(&HistoryRow<'_>, (i32, String, String, i64)) -> String) {
        let (status, duration) = (row.outcome as i32, duration(now(self.engine) - row.began));
        let (date, time) = (row.began.format("%Y%m%d").to_string(), row.began.format("%H%M%S").to_string());
        let text = format!(
            "DECLARE @job uniqueidentifier = {job};
             IF NOT EXISTS (SELECT * FROM dbo.sysjobs WHERE job_id = @job) RETURN;
             INSERT dbo.sysjobhistory (job_id, step_id, step_name, sql_message_id, sql_severity, message, run_status, run_date, run_time,
             run_duration, operator_id_emailed, operator_id_netsent, operator_id_paged, retries_attempted, server) VALUES (@job, {step},
             {name}, {number}, {severity}, {message}, {status}, {date}, {time}, {duration}, {emailed}, 0, 0, {attempt}, @@SERVERNAME);
             SELECT CAST(scope_identity() AS int)",
            job = literal(&self.job),
            step = row.step,
            name = unicode_literal(row.name),
            number = row.error.0,
            severity = row.error.1,
            message = unicode_literal(&cut(row.message, MESSAGE_MAX)),
            attempt = row.attempt,
            emailed = row.emailed,
        );
        let desk = &mut *self.desk.borrow_mut();
        let history = match desk.ask(&text) {
            Some(rows) if rows.is_empty() => return,
            Some(rows) => number(&rows[0], 0).to_string(),
            None => "NULL".to_owned(),
        };
        let job = literal(&self.job);
        let rest = rest(&row, (status, date, time, duration));
        desk.ask(&format!("DECLARE @job uniqueidentifier = {job}, @history int = {history};\n{rest}"));
    }
}

/// A row of `sysjobhistory`.
struct HistoryRow<'r> {
    /// 0 for the job.
    step: i32,
    name: &'r str,
    /// Number and severity.
    error: (i32, u8),
    message: &'r str,
    outcome: Outcome,
    began: NaiveDateTime,
    attempt: i32,
    /// The operator who was notified by e-mail; 0 for none.
    emailed: i32,
}

/// Rows of the history at most, SQL Server's defaults: of a job, and of all jobs.
const HISTORY_OF_JOB_MAX: u32 = 100;
const HISTORY_MAX: u32 = 1000;

/// What a step said.
#[derive(Debug, Default)]
struct Said {
    messages: String,
    /// Of the last error.
    number: i32,
    severity: u8,
    failed: bool,
}

impl Said {
    fn hear(&mut self, message: &Message) {
        // What every change of database and language says is no news.
        if ![5701, 5703].contains(&message.number) {
            self.take(message.number, message.severity, &message.text);
        }
    }

    fn take(&mut self, number: i32, severity: u8, text: &str) {
        let failed = severity > SEVERITY_OF_NOTES;
        if failed {
            (self.number, self.severity, self.failed) = (number, severity, true);
        }
        if self.messages.len() < 2 * MESSAGE_MAX {
            let state = if failed { "42000" } else { "01000" };
            let kind = if failed { "Error" } else { "Message" };
            self.messages.push_str(&format!(" {text} [SQLSTATE {state}] ({kind} {number})."));
        }
    }
}

/// A text of so many characters at most.
fn cut(text: &str, max: usize) -> String {
    let units = |c: char| c.len_utf16();
    let mut room = max;
    text.chars()
        .take_while(|c| {
            room.checked_sub(units(*c)).is_some_and(|rest| {
                room = rest;
                true
            })
        })
        .collect()
}

/// A length of time as `hhmmss`.
fn duration(time: chrono::TimeDelta) -> i64 {
    let seconds = time.num_seconds().max(0);
    seconds / 3600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_whole_characters() {
        assert_eq!(cut("abc", 2), "ab");
        assert_eq!(cut("a😀b", 2), "a");
        assert_eq!(cut("a😀b", 3), "a😀");
    }

    #[test]
    fn lengths_of_time_are_hours_minutes_and_seconds() {
        assert_eq!(duration(chrono::TimeDelta::seconds(3 * 3600 + 25 * 60 + 7)), 32_507);
        assert_eq!(duration(chrono::TimeDelta::seconds(-5)), 0);
    }
}
