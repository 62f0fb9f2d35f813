//! Alerts: which of them an error of the server's log meets, and what that leaves in msdb.
//!
//! ```text
//!   error log ──AgentRequest::Event──▶ sysalerts: by number before severity, of a database before of all
//!                                          │ counted; where its delay is over: its job, mail to its operators
//! ```
//! What always holds: an alert that is met is counted, whether it answers or not; between two answers of one lies its delay.
//!
//! It does not start jobs itself, and knows no alerts on counters of performance.

use millpond_builtin::unicode_literal;
use millpond_engine::engine::Engine;
use millpond_engine::error_log::LogLine;
use millpond_engine::signal::agent::JobId;

use crate::desk::{self, Desk, now, number, text};
use crate::mail;

/// Why an alert's job runs.
#[derive(Clone, Debug)]
pub(crate) struct Alert {
    pub(crate) id: i32,
    pub(crate) name: String,
    /// What it met.
    pub(crate) event: LogLine,
    /// The database that the event is of.
    pub(crate) database: String,
}

/// An event meets the alerts: those that answer, each with its job if it has one. None when msdb could not be asked.
pub(crate) fn meet(engine: &Engine, desk: &mut Desk, event: &LogLine) -> Option<Vec<(Alert, Option<JobId>)>> {
    let database = engine.database_name(event.database).unwrap_or_default();
    let said = unicode_literal(&event.text);
    // A second is the least that columns of dates and times tell apart.
    let rows = desk.ask(&format!(
        "SET XACT_ABORT ON;
         DECLARE @now datetime = getdate();
         DECLARE @date int = CONVERT(char(8), @now, 112), @time int = REPLACE(CONVERT(char(8), @now, 108), ':', '');
         DECLARE @met TABLE (id int NOT NULL, rank int NOT NULL, answers bit NOT NULL);
         INSERT @met SELECT id, CASE message_id WHEN 0 THEN 2 ELSE 0 END + CASE WHEN database_name IS NULL THEN 1 ELSE 0 END,
         CASE WHEN delay_between_responses = 0 OR last_response_date = 0 OR DATEDIFF_BIG(second,
         msdb.dbo.agent_datetime(last_response_date, last_response_time), @now) >= delay_between_responses THEN 1 ELSE 0 END
         FROM dbo.sysalerts WHERE enabled = 1 AND performance_condition IS NULL AND (message_id = {number} OR message_id = 0 AND
         severity = {severity} AND severity > 0) AND (database_name IS NULL OR database_name = {database}) AND
         (event_description_keyword IS NULL OR {said} LIKE event_description_keyword);
         DELETE @met WHERE rank > (SELECT min(rank) FROM @met);
         BEGIN TRANSACTION;
         UPDATE a SET occurrence_count += 1, last_occurrence_date = @date, last_occurrence_time = @time,
         last_response_date = CASE m.answers WHEN 1 THEN @date ELSE last_response_date END,
         last_response_time = CASE m.answers WHEN 1 THEN @time ELSE last_response_time END
         FROM dbo.sysalerts AS a JOIN @met AS m ON m.id = a.id;
         COMMIT TRANSACTION;
         SELECT a.id, a.name, NULLIF(a.job_id, '00000000-0000-0000-0000-000000000000') FROM dbo.sysalerts AS a JOIN @met AS m ON m.id = a.id
         WHERE m.answers = 1 ORDER BY a.id",
        number = event.number,
        severity = event.severity,
        database = unicode_literal(&database),
    ))?;
    let alert = |row: &Vec<_>| {
        let alert = Alert { id: number(row, 0), name: text(row, 1), event: event.clone(), database: database.clone() };
        (alert, desk::job(row, 2))
    };
    Some(rows.iter().map(alert).collect())
}

/// Mails to the operators of an alert; `job` is the one that it starts.
pub(crate) fn tell(engine: &Engine, desk: &mut Desk, alert: &Alert, job: Option<JobId>) {
    let rows = desk.ask(&format!(
        "SELECT o.id, o.email_address, a.notification_message, a.include_event_description & 1, (SELECT j.name FROM dbo.sysjobs AS j
         WHERE j.job_id = a.job_id) FROM dbo.sysalerts AS a JOIN dbo.sysnotifications AS n ON n.alert_id = a.id JOIN dbo.sysoperators AS o
         ON o.id = n.operator_id WHERE a.id = {} AND n.notification_method & 1 = 1 AND o.enabled = 1 AND o.email_address > N''",
        alert.id
    ));
    let or_none = |text: String| if text.is_empty() { "(None)".to_owned() } else { text };
    for row in rows.unwrap_or_default() {
        let description = if number(&row, 3) == 1 { alert.event.text.clone() } else { String::new() };
        let job = job.map_or_else(String::new, |_| text(&row, 4));
        let body = format!(
            "DATE/TIME:\t{}\r\n\r\nDESCRIPTION:\t{}\r\n\r\nCOMMENT:\t{}\r\n\r\nJOB RUN:\t{}",
            now(engine).format("%-m/%-d/%Y %-I:%M:%S %p"),
            or_none(description),
            or_none(text(&row, 2)),
            or_none(job),
        );
        let subject = format!("SQL Server Alert System: '{}' occurred on {}", alert.name, mail::server(engine));
        mail::send(desk, (number(&row, 0), &text(&row, 1)), &subject, &body);
    }
}
