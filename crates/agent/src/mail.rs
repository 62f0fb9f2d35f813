//! Notifications of operators by Database Mail.
//!
//! What always holds: a mail goes into msdb's queue by `sp_send_dbmail`, with the default profile of dbo or of everybody, and where
//! there is none it is not written; a mail that fails fails alone.

use millpond_builtin::unicode_literal;
use millpond_engine::engine::Engine;

use crate::desk::Desk;

/// Characters of a subject at most.
const SUBJECT_MAX: usize = 255;

/// The server as mails call it.
pub(crate) fn server(engine: &Engine) -> String {
    format!("\\\\{}.", engine.machine())
}

/// A mail to an operator, by number and address; whether it is in the queue.
pub(crate) fn send(desk: &mut Desk, (operator, address): (i32, &str), subject: &str, body: &str) -> bool {
    let subject: String = subject.chars().take(SUBJECT_MAX).collect();
    let rows = desk.ask(&format!(
        "DECLARE @failed int = 1;
         IF OBJECT_ID(N'dbo.sysmail_principalprofile', N'U') IS NOT NULL
         IF EXISTS (SELECT * FROM dbo.sysmail_principalprofile WHERE is_default = 1 AND principal_sid IN (0x00, 0x01))
         EXEC @failed = dbo.sp_send_dbmail @recipients = {}, @subject = {}, @body = {};
         IF @failed = 0 UPDATE dbo.sysoperators SET last_email_date = CONVERT(char(8), getdate(), 112),
         last_email_time = REPLACE(CONVERT(char(8), getdate(), 108), ':', '') WHERE id = {operator};
         SELECT @failed",
        unicode_literal(address),
        unicode_literal(&subject),
        unicode_literal(body),
    ));
    rows.is_some_and(|rows| rows.first().is_some_and(|row| row.first().and_then(|value| value.as_i64()) == Some(0)))
}
