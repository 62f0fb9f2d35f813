//! Jobs from outside: made by the procedures of msdb, run by the Agent, looked at in its tables.

use std::sync::Arc;
use std::time::Duration;

use millpond_catalog::run::facts::Login;
use millpond_device::SystemClock;
use millpond_engine::engine::Engine;
use millpond_message::sink::{Message, OnlyMessages};
use millpond_query::session::Session;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_types::Value;

use crate::Agent;
use crate::desk::Answer;

fn engine() -> Arc<Engine> {
    let config =
        InstanceConfig { max_memory_bytes: Some(128 << 20), ..InstanceConfig::new(None, Arc::new(SystemClock::new())) };
    let instance = Instance::open(config).expect("an instance in memory opens");
    millpond_procedures::registry::new_engine(TxnManager::new(instance))
}

/// What errors a text has, as a session of `sa` in msdb.
fn run(engine: &Arc<Engine>, text: &str) -> Vec<i32> {
    let mut session =
        Session::open(engine, Login { login: "sa".into(), ..Login::default() }).expect("a session is free");
    let mut errors = Vec::new();
    let mut sink = OnlyMessages(|message: &Message| {
        if message.severity > 10 {
            errors.push(message.number);
        }
    });
    session.run_batch("USE msdb", &mut sink);
    session.run_batch(text, &mut sink);
    errors
}

fn rows(engine: &Arc<Engine>, text: &str) -> Vec<String> {
    let shown = |value: &Value| match value {
        Value::Str(text) => text.to_string(),
        other => other.as_i64().map_or_else(|| format!("{other:?}"), |number| number.to_string()),
    };
    let shown = |row: &Vec<Value>| row.iter().map(shown).collect::<Vec<_>>().join(" | ");
    // As sa: the Agent's own sessions see msdb alone.
    let mut session =
        Session::open(engine, Login { login: "sa".into(), ..Login::default() }).expect("a session is free");
    let mut answer = Answer::default();
    session.run_batch("USE msdb", &mut answer);
    session.run_batch(text, &mut answer);
    answer.rows.iter().map(shown).collect()
}

/// Until a query of msdb gives these rows; what it gives otherwise when it never does.
fn until(engine: &Arc<Engine>, text: &str, expected: &[&str]) {
    for _ in 0..6000 {
        if rows(engine, text) == expected {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(rows(engine, text), expected, "{text}");
}

fn add(engine: &Arc<Engine>, name: &str, more: &str, steps: &[&str]) {
    let mut text = format!("EXEC dbo.sp_add_job @job_name = N'{name}'{more};\n");
    for (at, command) in steps.iter().enumerate() {
        let action = if at + 1 == steps.len() { 1 } else { 3 };
        text.push_str(&format!(
            "EXEC dbo.sp_add_jobstep @job_name = N'{name}', @step_name = N'step {at}', @database_name = N'tempdb',
             @on_success_action = {action}, @command = N'{}';\n",
            command.replace('\'', "''"),
        ));
    }
    text.push_str(&format!("EXEC dbo.sp_add_jobserver @job_name = N'{name}';"));
    assert_eq!(run(engine, &text), [0; 0], "{text}");
}

const HISTORY: &str = "SELECT step_id, run_status, sql_message_id FROM dbo.sysjobhistory ORDER BY instance_id";

#[test]
fn a_job_runs_its_steps_and_leaves_its_history() {
    let engine = engine();
    let _agent = Agent::start(&engine);
    run(&engine, "CREATE TABLE tempdb.dbo.done (step int, who sysname)");
    let steps = [
        "INSERT dbo.done VALUES (1, SUSER_SNAME())\nGO\nINSERT dbo.done VALUES ($(ESCAPE_NONE(STEPID)), DB_NAME())",
        "PRINT 'two'",
    ];
    add(&engine, "works", "", &steps);
    assert_eq!(run(&engine, "EXEC dbo.sp_start_job N'works'"), [0; 0]);
    until(&engine, HISTORY, &["1 | 1 | 0", "2 | 1 | 0", "0 | 1 | 0"]);
    assert_eq!(rows(&engine, "SELECT step, who FROM tempdb.dbo.done ORDER BY who"), ["1 | sa", "1 | tempdb"]);
    let said = "SELECT message FROM dbo.sysjobhistory WHERE step_id <> 1 ORDER BY step_id";
    let expected = [
        "The job succeeded.  The Job was invoked by User sa.  The last step to run was step 2 (step 1).",
        "Executed as user: sa. two [SQLSTATE 01000] (Message 0).  The step succeeded.",
    ];
    assert_eq!(rows(&engine, said), expected);
    let last = "SELECT last_run_outcome, CASE WHEN last_run_date > 20200101 THEN 1 END FROM dbo.sysjobservers";
    until(&engine, last, &["1 | 1"]);
    until(&engine, "SELECT count(*) FROM dbo.sysjobactivity WHERE stop_execution_date >= start_execution_date", &["1"]);
}

#[test]
fn a_step_that_fails_leads_where_it_says() {
    let engine = engine();
    let _agent = Agent::start(&engine);
    add(&engine, "fails", ", @delete_level = 0", &["SELECT 1/0", "PRINT 'never'"]);
    run(&engine, "EXEC dbo.sp_start_job N'fails'");
    until(&engine, HISTORY, &["1 | 0 | 8134", "0 | 0 | 0"]);
    run(
        &engine,
        "DELETE dbo.sysjobhistory; EXEC dbo.sp_update_jobstep @job_name = N'fails', @step_id = 1, @on_fail_action = 3, @retry_attempts = 1",
    );
    run(&engine, "EXEC dbo.sp_start_job N'fails'");
    until(&engine, HISTORY, &["1 | 2 | 8134", "1 | 0 | 8134", "2 | 1 | 0", "0 | 1 | 0"]);
    // A job that goes when it has failed.
    add(&engine, "goes", ", @delete_level = 2", &["RAISERROR('no', 16, 1)"]);
    run(&engine, "EXEC dbo.sp_start_job N'goes'");
    until(&engine, "SELECT name FROM dbo.sysjobs", &["fails"]);
}

#[test]
fn a_job_that_runs_is_stopped_and_runs_once_at_a_time() {
    let engine = engine();
    let agent = Agent::start(&engine);
    add(&engine, "sleeps", "", &["WAITFOR DELAY '00:10:00'", "PRINT 'never'"]);
    run(&engine, "EXEC dbo.sp_start_job N'sleeps'");
    until(&engine, "SELECT count(*) FROM sys.dm_exec_requests WHERE command = 'WAITFOR'", &["1"]);
    assert_eq!(run(&engine, "EXEC dbo.sp_start_job N'sleeps'"), [22_022]);
    assert_eq!(run(&engine, "EXEC dbo.sp_stop_job N'sleeps'"), [0; 0]);
    until(&engine, "SELECT step_id, run_status FROM dbo.sysjobhistory ORDER BY instance_id", &["1 | 3", "0 | 3"]);
    until(&engine, "SELECT count(*) FROM dbo.sysjobactivity WHERE stop_execution_date IS NULL", &["0"]);
    // One that runs when the Agent ends does not keep it.
    run(&engine, "EXEC dbo.sp_start_job N'sleeps'");
    until(&engine, "SELECT count(*) FROM sys.dm_exec_requests WHERE command = 'WAITFOR'", &["1"]);
    drop(agent);
    assert_eq!(run(&engine, "EXEC dbo.sp_start_job N'sleeps'"), [22_022], "no Agent is running");
}

#[test]
fn a_schedule_makes_a_job_run_again_and_again() {
    let engine = engine();
    let _agent = Agent::start(&engine);
    add(&engine, "often", "", &["PRINT 'tick'"]);
    let schedule =
        "EXEC dbo.sp_add_jobschedule @job_name = N'often', @name = N'each second', @freq_type = 4, @freq_interval = 1,
        @freq_subday_type = 2, @freq_subday_interval = 10;
        UPDATE dbo.sysschedules SET freq_subday_interval = 1;
        EXEC master.dbo.xp_sqlagent_notify N'S', NULL, NULL, NULL, N'U'";
    assert_eq!(run(&engine, schedule), [0; 0]);
    until(&engine, "SELECT TOP (2) run_status FROM dbo.sysjobhistory WHERE step_id = 0", &["1", "1"]);
    let next = "SELECT CASE WHEN next_run_date > 20200101 THEN 1 END FROM dbo.sysjobschedules";
    assert_eq!(rows(&engine, next), ["1"]);
    let said = "SELECT TOP (1) CASE WHEN message LIKE N'%invoked by Schedule % (each second)%' THEN 1 END FROM dbo.sysjobhistory
        WHERE step_id = 0";
    assert_eq!(rows(&engine, said), ["1"]);
    run(&engine, "EXEC dbo.sp_update_job @job_name = N'often', @enabled = 0");
    until(
        &engine,
        "SELECT count(*) FROM dbo.sysjobactivity WHERE start_execution_date IS NOT NULL AND stop_execution_date IS NULL",
        &["0"],
    );
}

#[test]
fn a_step_has_the_rights_of_its_jobs_owner() {
    let engine = engine();
    let _agent = Agent::start(&engine);
    run(
        &engine,
        "USE tempdb; CREATE LOGIN worker WITH PASSWORD = N'Grass-2026!'; CREATE TABLE dbo.secret (v int);
        CREATE TABLE dbo.seen (who sysname); GRANT INSERT ON dbo.seen TO public",
    );
    let steps = ["INSERT dbo.seen VALUES (SUSER_SNAME())", "REVERT; REVERT; SELECT * FROM dbo.secret"];
    add(&engine, "theirs", ", @owner_login_name = N'worker'", &steps);
    run(&engine, "EXEC dbo.sp_start_job N'theirs'");
    until(&engine, HISTORY, &["1 | 1 | 0", "2 | 0 | 229", "0 | 0 | 0"]);
    assert_eq!(rows(&engine, "SELECT who FROM tempdb.dbo.seen"), ["worker"]);
    run(&engine, "DELETE dbo.sysjobhistory; ALTER LOGIN worker DISABLE; EXEC dbo.sp_start_job N'theirs'");
    until(&engine, HISTORY, &["0 | 0 | 0"]);
}

#[test]
fn sessions_that_call_first_at_the_same_time_make_the_tables_once() {
    let engine = engine();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let engine = &engine;
            scope.spawn(move || {
                let text = format!("EXEC dbo.sp_add_job @job_name = N'job {number}'");
                assert_eq!(run(engine, &text), [0; 0]);
            });
        }
    });
    assert_eq!(rows(&engine, "SELECT count(*) FROM dbo.sysjobs"), ["8"]);
}

#[test]
fn jobs_above_those_that_run_at_a_time_wait_and_keep_their_history() {
    let engine = engine();
    let _agent = Agent::start(&engine);
    let jobs = crate::JOBS_MAX + 6;
    run(&engine, "CREATE TABLE tempdb.dbo.gate (open_now int); INSERT tempdb.dbo.gate VALUES (0)");
    let wait = "WHILE (SELECT open_now FROM dbo.gate) = 0 WAITFOR DELAY '00:00:00.05'";
    for job in 0..jobs {
        add(&engine, &format!("j{job}"), "", &[wait]);
    }
    for job in 0..jobs {
        assert_eq!(run(&engine, &format!("EXEC dbo.sp_start_job N'j{job}'")), [0; 0]);
    }
    // The last one waits, and is not asked for a second time.
    let last = jobs - 1;
    assert_eq!(run(&engine, &format!("EXEC dbo.sp_start_job N'j{last}'")), [22_022]);
    run(&engine, "UPDATE tempdb.dbo.gate SET open_now = 1");
    let jobs = jobs.to_string();
    until(&engine, "SELECT count(*) FROM dbo.sysjobhistory WHERE step_id = 0 AND run_status = 1", &[&jobs]);
    assert_eq!(rows(&engine, "SELECT count(*) FROM dbo.sysjobhistory WHERE step_id = 1"), [&*jobs]);
}

#[test]
fn a_trigger_behind_the_history_has_no_rights_of_the_server() {
    let engine = engine();
    let _agent = Agent::start(&engine);
    add(&engine, "harmless", "", &["PRINT 'x'"]);
    run(&engine, "CREATE TABLE dbo.seen (who sysname, is_admin int)");
    run(
        &engine,
        "CREATE TRIGGER dbo.climbs ON dbo.sysjobhistory AFTER INSERT AS INSERT dbo.seen VALUES (USER_NAME(), ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0))",
    );
    run(&engine, "EXEC dbo.sp_start_job N'harmless'");
    until(
        &engine,
        "SELECT DISTINCT who, is_admin FROM dbo.seen WHERE (SELECT count(*) FROM dbo.seen) = 2",
        &["dbo | 0"],
    );
}

#[test]
fn a_session_that_keeps_a_schedule_locked_does_not_keep_others_from_their_jobs() {
    let engine = engine();
    let _agent = Agent::start(&engine);
    let soon = "@freq_type = 4, @freq_interval = 1, @freq_subday_type = 2, @freq_subday_interval = 10";
    add(&engine, "locked", "", &["PRINT 'x'"]);
    run(&engine, &format!("EXEC dbo.sp_add_jobschedule @job_name = N'locked', @name = N's', {soon}"));
    add(&engine, "free", "", &["PRINT 'y'"]);
    let mut other =
        Session::open(&engine, Login { login: "sa".into(), ..Login::default() }).expect("a session is free");
    let mut answer = Answer::default();
    other.run_batch("USE msdb", &mut answer);
    other.run_batch("BEGIN TRAN; UPDATE dbo.sysjobschedules SET next_run_date = next_run_date", &mut answer);
    run(&engine, "EXEC dbo.sp_start_job N'free'");
    let history = "SELECT run_status FROM dbo.sysjobhistory AS h JOIN dbo.sysjobs AS j ON j.job_id = h.job_id WHERE j.name = 'free' AND step_id = 0";
    until(&engine, history, &["1"]);
    other.run_batch("ROLLBACK", &mut answer);
}

const COUNTED: &str =
    "SELECT name, occurrence_count, IIF(last_occurrence_date > 20200101, 1, 0), IIF(last_response_date > 0, 1, 0)
    FROM dbo.sysalerts ORDER BY name";

#[test]
fn alerts_count_what_they_meet_and_start_their_jobs() {
    let engine = engine();
    let _agent = Agent::start(&engine);
    run(&engine, "CREATE TABLE tempdb.dbo.seen (said nvarchar(400)); EXEC sp_addmessage 60001, 16, N'The pond is %s.'");
    let step = "INSERT dbo.seen VALUES (N'$(ESCAPE_SQUOTE(A-ERR)) $(ESCAPE_SQUOTE(A-SEV)) $(ESCAPE_SQUOTE(A-DBN)) $(ESCAPE_SQUOTE(A-MSG))')";
    add(&engine, "answers", "", &[step]);
    let alerts = "EXEC dbo.sp_add_alert @name = N'by number', @message_id = 60001, @job_name = N'answers', @delay_between_responses = 3600;
        EXEC dbo.sp_add_alert @name = N'by severity', @severity = 16;
        EXEC dbo.sp_add_alert @name = N'by word', @severity = 17, @event_description_keyword = N'%lily%';
        EXEC dbo.sp_add_alert @name = N'in master', @severity = 18, @database_name = N'master';
        EXEC dbo.sp_add_alert @name = N'of the server', @message_id = 12818;
        EXEC dbo.sp_add_alert @name = N'off', @severity = 19, @enabled = 0;";
    assert_eq!(run(&engine, alerts), [0; 0]);
    // What is not written to the log is no event; a number goes before a severity; others do not fit.
    run(&engine, "RAISERROR (60001, 16, 1, N'not logged')");
    run(&engine, "RAISERROR (60001, 16, 1, N'full of o''clocks') WITH LOG");
    until(&engine, "SELECT said FROM tempdb.dbo.seen", &["60001 16 msdb The pond is full of o'clocks."]);
    until(&engine, HISTORY, &["1 | 1 | 0", "0 | 1 | 0"]);
    run(&engine, "RAISERROR (60001, 16, 1, N'empty') WITH LOG; RAISERROR (N'any', 16, 1) WITH LOG");
    run(&engine, "RAISERROR (N'a rose', 17, 1) WITH LOG; RAISERROR (N'a lily', 17, 1) WITH LOG");
    run(&engine, "RAISERROR (N'here', 18, 1) WITH LOG");
    run(&engine, "RAISERROR (N'off', 19, 1) WITH LOG");
    run(&engine, "USE master; RAISERROR (N'there', 18, 1) WITH LOG");
    // An error of the server's own that SQL Server always logs.
    run(
        &engine,
        "EXEC sp_configure 'contained database authentication', 1; RECONFIGURE; CREATE DATABASE alone CONTAINMENT = PARTIAL",
    );
    let refused = run(&engine, "EXEC sp_configure 'contained database authentication', 0; RECONFIGURE");
    assert_eq!(refused, [12_818]);
    let expected = [
        "by number | 2 | 1 | 1",
        "by severity | 1 | 1 | 1",
        "by word | 1 | 1 | 1",
        "in master | 1 | 1 | 1",
        "of the server | 1 | 1 | 1",
        "off | 0 | 0 | 0",
    ];
    until(&engine, COUNTED, &expected);
    // The delay of an hour is not over: one run.
    assert_eq!(rows(&engine, HISTORY), ["1 | 1 | 0", "0 | 1 | 0"]);
    let said = "SELECT message FROM dbo.sysjobhistory WHERE step_id = 0";
    let expected =
        "The job succeeded.  The Job was invoked by Alert 1 (by number).  The last step to run was step 1 (step 0).";
    assert_eq!(rows(&engine, said), [expected]);
    let source = "SELECT run_requested_source FROM dbo.sysjobactivity WHERE start_execution_date IS NOT NULL";
    assert_eq!(rows(&engine, source), ["2"]);
}

#[test]
fn operators_are_told_by_mail_of_ends_and_alerts() {
    let engine = engine();
    let _agent = Agent::start(&engine);
    let operators = "EXEC dbo.sp_add_operator @name = N'gardener', @email_address = N'gardener@pond.example';
        EXEC dbo.sp_add_operator @name = N'asleep', @email_address = N'asleep@pond.example', @enabled = 0;";
    assert_eq!(run(&engine, operators), [0; 0]);
    let always = ", @notify_level_email = 3, @notify_email_operator_name = N'gardener'";
    let failed = ", @notify_level_email = 2, @notify_email_operator_name = N'gardener'";
    add(&engine, "always", always, &["PRINT 'done'"]);
    add(&engine, "if it fails", failed, &["PRINT 'done'"]);
    add(&engine, "asleep", ", @notify_level_email = 3, @notify_email_operator_name = N'asleep'", &["PRINT 'done'"]);
    // Without a profile no operator is notified.
    run(&engine, "EXEC dbo.sp_start_job N'always'");
    until(&engine, "SELECT operator_id_emailed FROM dbo.sysjobhistory WHERE step_id = 0", &["0"]);
    let profile = "EXEC dbo.sysmail_add_profile_sp @profile_name = N'agent';
        EXEC dbo.sysmail_add_principalprofile_sp @principal_name = N'public', @profile_name = N'agent', @is_default = 1;
        DELETE dbo.sysjobhistory;";
    assert_eq!(run(&engine, profile), [0; 0]);
    for job in ["always", "if it fails", "asleep"] {
        run(&engine, &format!("EXEC dbo.sp_start_job N'{job}'"));
    }
    let ends =
        "SELECT j.name, h.operator_id_emailed FROM dbo.sysjobhistory AS h JOIN dbo.sysjobs AS j ON j.job_id = h.job_id
        WHERE h.step_id = 0 ORDER BY j.name";
    until(&engine, ends, &["always | 1", "asleep | 0", "if it fails | 0"]);
    let mails = "SELECT recipients, LEFT(subject, 47), IIF(body LIKE N'%STATUS: _Succeeded%The Job was invoked by User sa.%', 1, 0)
        FROM dbo.sysmail_mailitems ORDER BY mailitem_id";
    let of_job = "gardener@pond.example | SQL Server Job System: 'always' completed on \\\\ | 1";
    assert_eq!(rows(&engine, mails), [of_job]);
    assert_eq!(
        rows(&engine, "SELECT IIF(last_email_date > 20200101, 1, 0) FROM dbo.sysoperators ORDER BY id"),
        ["1", "0"]
    );
    let alert = "EXEC dbo.sp_add_alert @name = N'dry', @severity = 21, @notification_message = N'Look after it.', @include_event_description_in = 1;
        EXEC dbo.sp_add_notification @alert_name = N'dry', @operator_name = N'gardener', @notification_method = 1;
        EXEC dbo.sp_add_notification @alert_name = N'dry', @operator_name = N'asleep', @notification_method = 1;";
    assert_eq!(run(&engine, alert), [0; 0]);
    run(&engine, "RAISERROR (N'The pond is dry.', 21, 1) WITH LOG");
    let mails = "SELECT recipients, LEFT(subject, 45), IIF(body LIKE N'%DESCRIPTION:_The pond is dry.%COMMENT:_Look after it.%JOB RUN:_(None)', 1, 0)
        FROM dbo.sysmail_mailitems WHERE mailitem_id > 1";
    until(&engine, mails, &["gardener@pond.example | SQL Server Alert System: 'dry' occurred on \\\\ | 1"]);
}
