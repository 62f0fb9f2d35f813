//! Commands of the shell that sqlcmd has not: what they do, by the session that there is.
//!
//! What always holds: a command that only asks changes nothing of the session, but for `:plan on`, which says so in the prompt.

mod beside;
mod describe;
mod edit;
mod export;
mod formats;
mod parquet;

pub use beside::Beside;

use std::path::Path;

use super::gathered::{Gathered, Table};
use super::screen::Screen;
use super::script::Dialect;
use super::shell::{Ended, Shell};
use super::target::Listener;

/// What sqlcmd knows.
const HELP: &str = "\
GO [n]              runs what stands before it, n times
:setvar name value  sets a variable for $(name); without value: removes it
:listvar            shows the variables
:r FILE             reads a file as if its lines stood here
:out FILE           results go there; 'stdout' and 'stderr' too
:error FILE         errors go there
:connect HOST       leaves the server for another one; -U, -P, -l, -N
:xml on|off         first columns as they are, one after the other
!! COMMAND          runs a command of this machine
:list               shows what is not run yet
:reset              forgets what is not run yet
:on error exit      stops at the first error; 'ignore' goes on
exit, quit          leave; exit(QUERY) with its last value";

/// What comes before that.
const OWN_HELP: &str = "\
:describe NAME      columns, types, keys, indexes and parameters of an object
:plan STATEMENT     how it would run; 'on' and 'off' for all that comes
:export FILE [STATEMENT]   the last result or a statement's: .csv, .json, .md
:edit               the last batch in $VISUAL or $EDITOR";

/// What a prompt on a terminal has in addition.
const PROMPT_HELP: &str = "\
\\g, \\G              at a line's end: run it; \\G: rows one below the other
:vertical on|off|auto      rows one below the other: always, never, if need be
:timing on|off      times beside counts
Tab                 completes names; Ctrl-R searches the history
Ctrl-V Ctrl-J       another line in this one";

impl Shell {
    /// `:help`
    pub(super) fn help(&mut self) {
        match self.policy.dialect {
            Dialect::Sqlcmd => self.printer.line(HELP),
            Dialect::Millpond => self.printer.line(&format!("{HELP}\n{OWN_HELP}")),
            Dialect::Prompt => self.printer.line(&format!("{HELP}\n{OWN_HELP}\n{PROMPT_HELP}")),
        }
    }

    /// `:timing`, `:vertical`
    pub(super) fn screen_option(&mut self, change: impl FnOnce(&mut Screen)) -> Result<(), Ended> {
        match self.printer.screen() {
            Some(screen) => {
                change(screen);
                Ok(())
            }
            None => self.complain("':timing' and ':vertical' are for results on a terminal"),
        }
    }

    /// `:plan on`
    pub(super) fn plans(&mut self, is_on: bool) -> Result<(), Ended> {
        let text = if is_on { "set showplan_all on" } else { "set showplan_all off" };
        match Gathered::of(self.target.as_mut(), text) {
            Ok(_) => {
                self.shows_plans = is_on;
                Ok(())
            }
            Err(why) => self.complain(&why),
        }
    }

    /// `:plan STATEMENT`
    pub(super) fn plan(&mut self, statement: &str) -> Result<(), Ended> {
        let statement = match self.variables.replace(statement) {
            Ok(statement) => statement,
            Err(missing) => return self.complain(&missing.to_string()),
        };
        let was_on = self.shows_plans;
        self.plans(true)?;
        if !self.shows_plans {
            return Ok(());
        }
        let ran = self.run(&statement);
        if !was_on {
            self.plans(false)?;
        }
        ran
    }

    /// `:describe`
    pub(super) fn describe(&mut self, name: &str) -> Result<(), Ended> {
        let found = self.variables.replace(name).map_err(|missing| missing.to_string());
        match found.and_then(|name| describe::describe(self.target.as_mut(), &name)) {
            Ok(parts) => {
                for (title, table) in parts {
                    self.printer.line(&title);
                    self.show(&table);
                }
                self.printer.flush();
                Ok(())
            }
            Err(why) => self.complain(&why),
        }
    }

    /// A result that no statement of the user's has.
    fn show(&mut self, table: &Table) {
        // What the output does not take is known by the printer itself.
        let _ = self.printer.columns(&table.columns);
        for row in &table.rows {
            let _ = self.printer.row(row);
        }
        self.printer.done(None);
    }

    /// `:edit`
    pub(super) fn edit(&mut self) -> Result<(), Ended> {
        if let Some(disabled) = self.disabled() {
            return disabled;
        }
        if !self.policy.interactive {
            return self.complain("':edit' is for a prompt");
        }
        let begun = self.reader.take();
        let text = if begun.is_empty() { self.last_batch.clone() } else { begun };
        self.printer.flush();
        match edit::edited(&text, self.variables.text("SQLCMDEDITOR")) {
            Ok(text) => {
                self.printer.line(text.trim_end());
                self.printer.flush();
                self.typed(&text)
            }
            Err(why) => self.complain(&why),
        }
    }

    /// `:export`
    pub(super) fn export(&mut self, file: &str, statement: &str) -> Result<(), Ended> {
        let replaced = |text: &str| self.variables.replace(text).map_err(|missing| missing.to_string());
        let texts = replaced(file).and_then(|file| Ok((file, replaced(statement)?)));
        let exported = texts.and_then(|(file, statement)| {
            let path = Path::new(&file);
            if statement.is_empty() {
                let Some(screen) = self.printer.screen() else {
                    return Err("':export' without a statement is for a terminal: name the statement".to_owned());
                };
                export::kept(path, screen.kept().whole()?)
            } else {
                export::statement(path, self.target.as_mut(), &statement, &self.interrupts)
            }
        });
        match exported {
            Ok(count) => {
                let rows = if count == 1 { "row" } else { "rows" };
                self.printer.line(&format!("({count} {rows} in {file})"));
                self.printer.flush();
                Ok(())
            }
            Err(why) => self.complain(&why),
        }
    }
}
