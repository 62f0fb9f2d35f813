//! Plans of statements, from a server that runs them or says how it would.
//!
//! What always holds: only results that are plans are kept; messages of the statements go to stderr, and the first error ends the
//! script: what it would have done next may rest on what was not done. For estimated plans SHOWPLAN_XML is set again before
//! each batch: saved scripts often turn it off at their end.

use millpond_message::INFORMATION_MAX;
use millpond_message::sink::{Column, Message, SinkClosed};
use millpond_top::harmless::harmless;
use millpond_tsql::batch::split_script;
use millpond_types::Value;

use crate::sql::{Listener, Target};

/// The name of the only column of a result that is a plan; it is the same in all versions.
const PLAN_COLUMN: &str = "Microsoft SQL Server 2005 XML Showplan";

/// Plans of statements, as documents.
pub struct Plans {
    /// In the order of the statements.
    pub documents: Vec<String>,
    /// The first error, which ended the script.
    pub error: Option<String>,
}

/// The documents of a script's plans.
///
/// # Errors
/// The first error where nothing has a plan before it, or that no statement has one.
pub fn plans(target: &mut dyn Target, script: &str, is_estimated: bool) -> Result<Plans, String> {
    let option = if is_estimated { "SHOWPLAN_XML" } else { "STATISTICS XML" };
    let mut heard = Heard::default();
    let arm = format!("SET {option} ON");
    heard.run(target, &arm)?;
    let mut error = None;
    for batch in split_script(script) {
        let count = batch.count.map_err(|error| format!("line {}: {error}", batch.go_line.unwrap_or(0)))?;
        let mut turns = || -> Result<(), String> {
            for _ in 0..count {
                if is_estimated {
                    heard.run(target, &arm)?;
                }
                heard.run(target, &batch.text)?;
            }
            Ok(())
        };
        error = turns().err();
        if error.is_some() {
            break;
        }
    }
    match error {
        Some(error) if heard.plans.is_empty() => Err(error),
        None if heard.plans.is_empty() => Err("none of the statements has a plan".into()),
        error => Ok(Plans { documents: heard.plans, error }),
    }
}

#[derive(Default)]
struct Heard {
    plans: Vec<String>,
    /// The result that comes is a plan.
    is_plan: bool,
    error: Option<String>,
}

impl Heard {
    fn run(&mut self, target: &mut dyn Target, batch: &str) -> Result<(), String> {
        target.run(batch, self).map_err(|error| error.to_string())?;
        self.error.take().map_or(Ok(()), Err)
    }
}

impl Listener for Heard {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.is_plan = matches!(columns, [column] if &*column.name == PLAN_COLUMN);
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        if let Some(text) = values.first().filter(|_| self.is_plan).and_then(Value::as_str) {
            self.plans.push(text.to_owned());
        }
        Ok(())
    }

    fn message(&mut self, message: &Message, _: &str) {
        let text = harmless(&message.text);
        if message.severity <= INFORMATION_MAX {
            eprintln!("{text}");
        } else if self.error.is_none() {
            self.error = Some(format!("Msg {}, line {}: {text}", message.number, message.line));
        }
    }

    fn done(&mut self, _: Option<u64>) {}
}
