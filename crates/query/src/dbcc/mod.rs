//! DBCC commands, one family per file.

use crate::system_call::DbccDef;

/// All commands.
pub static COMMANDS: &[&DbccDef] = &[];

/// The command of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static DbccDef> {
    COMMANDS.iter().copied().find(|command| command.name.eq_ignore_ascii_case(name))
}
