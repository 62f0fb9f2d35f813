//! What a request does, in the words of `sys.dm_exec_requests.command` and `sp_who2`.
//!
//! What always holds: the word is of the statement that began last, also of one inside of a procedure. Definitions of modules,
//! principals and the like are called by what they begin with; SQL Server's pages name few of the words.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use millpond_tsql::ast::{DefinitionVerb, Module, ModuleKind, PermissionVerb, QueryBody, StatementKind};

macro_rules! commands {
    ($($name:ident $words:literal,)*) => {
        /// A command.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Command {
            $(#[doc = $words] $name,)*
        }

        const ALL: &[(Command, &str)] = &[$((Command::$name, $words),)*];
    };
}

commands! {
    Select "SELECT",
    SelectInto "SELECT INTO",
    Insert "INSERT",
    Update "UPDATE",
    Delete "DELETE",
    Merge "MERGE",
    BulkInsert "BULK INSERT",
    Truncate "TRUNCATE TABLE",
    CreateTable "CREATE TABLE",
    AlterTable "ALTER TABLE",
    DropTable "DROP TABLE",
    CreateIndex "CREATE INDEX",
    AlterIndex "ALTER INDEX",
    DropIndex "DROP INDEX",
    CreateStatistics "CREATE STATISTICS",
    UpdateStatistics "UPDATE STATISTICS",
    CreateSchema "CREATE SCHEMA",
    CreateView "CREATE VIEW",
    AlterView "ALTER VIEW",
    CreateProcedure "CREATE PROCEDURE",
    AlterProcedure "ALTER PROCEDURE",
    CreateFunction "CREATE FUNCTION",
    AlterFunction "ALTER FUNCTION",
    CreateTrigger "CREATE TRIGGER",
    AlterTrigger "ALTER TRIGGER",
    CreateType "CREATE TYPE",
    Drop "DROP",
    Grant "GRANT",
    Deny "DENY",
    Revoke "REVOKE",
    CreateDatabase "CREATE DATABASE",
    AlterDatabase "ALTER DATABASE",
    BackupDatabase "BACKUP DATABASE",
    BackupLog "BACKUP LOG",
    Restore "RESTORE DATABASE",
    Begin "BEGIN TRANSACTION",
    Commit "COMMIT TRANSACTION",
    Rollback "ROLLBACK TRANSACTION",
    Fetch "FETCH",
    Conditional "CONDITIONAL",
    Set "SET",
    Waitfor "WAITFOR",
    Dbcc "DBCC",
    Execute "EXECUTE",
    Checkpoint "CHECKPOINT",
    Print "PRINT",
    Kill "KILL",
}

impl Command {
    /// Of a statement; what has no word here is a SELECT, as what comes before the first statement is.
    #[inline(always)]
    #[must_use]
    pub fn of(kind: &StatementKind) -> Command {
        use StatementKind as S;
        match kind {
            S::Insert(_) => Command::Insert,
            S::Update(_) => Command::Update,
            S::Delete(_) => Command::Delete,
            S::Merge(_) => Command::Merge,
            S::InsertBulk(_) | S::BulkInsert(_) => Command::BulkInsert,
            S::Truncate { .. } => Command::Truncate,
            S::CreateTable { .. } | S::DeclareTable { .. } => Command::CreateTable,
            S::AlterTable(_) => Command::AlterTable,
            S::DropTable { .. } => Command::DropTable,
            S::CreateIndex(_) => Command::CreateIndex,
            S::AlterIndex(_) => Command::AlterIndex,
            S::DropIndex { .. } => Command::DropIndex,
            S::CreateStatistics(_) => Command::CreateStatistics,
            S::UpdateStatistics(_) => Command::UpdateStatistics,
            S::CreateSchema { .. } => Command::CreateSchema,
            S::Module(module) => Command::of_module(module),
            S::CreateType(_) => Command::CreateType,
            S::Drop(_) => Command::Drop,
            S::Permission(permission) => match permission.verb {
                PermissionVerb::Grant => Command::Grant,
                PermissionVerb::Deny => Command::Deny,
                PermissionVerb::Revoke => Command::Revoke,
            },
            S::CreateDatabase(_) => Command::CreateDatabase,
            S::AlterDatabase { .. } | S::ScopedConfiguration(_) => Command::AlterDatabase,
            S::Backup(backup) if backup.log => Command::BackupLog,
            S::Backup(_) => Command::BackupDatabase,
            S::Restore(_) => Command::Restore,
            S::BeginTransaction { .. } => Command::Begin,
            S::Commit { .. } => Command::Commit,
            S::Rollback(_) => Command::Rollback,
            S::Fetch(_) => Command::Fetch,
            S::If { .. } | S::While { .. } => Command::Conditional,
            S::SetVariable(_) | S::SetOption(_) | S::Declare(_) => Command::Set,
            S::WaitForDelay(_) | S::WaitForTime(_) => Command::Waitfor,
            S::Dbcc { .. } => Command::Dbcc,
            S::Execute(_) | S::ExecuteText(_) => Command::Execute,
            S::Checkpoint(_) => Command::Checkpoint,
            S::Print(_) => Command::Print,
            S::Kill(_) => Command::Kill,
            S::Select(select) => match &select.query.body {
                QueryBody::Select(block) if block.into.is_some() => Command::SelectInto,
                _ => Command::Select,
            },
            _ => Command::Select,
        }
    }

    #[cold]
    fn of_module(module: &Module) -> Command {
        let is_new = module.verb != DefinitionVerb::Alter;
        match (&module.kind, is_new) {
            (ModuleKind::View(_), true) => Command::CreateView,
            (ModuleKind::View(_), false) => Command::AlterView,
            (ModuleKind::Procedure { .. }, true) => Command::CreateProcedure,
            (ModuleKind::Procedure { .. }, false) => Command::AlterProcedure,
            (ModuleKind::Function { .. }, true) => Command::CreateFunction,
            (ModuleKind::Function { .. }, false) => Command::AlterFunction,
            (ModuleKind::Trigger { .. }, true) => Command::CreateTrigger,
            (ModuleKind::Trigger { .. }, false) => Command::AlterTrigger,
        }
    }
}

/// The command of a session's statement that began last.
#[derive(Debug, Default)]
pub struct RunningCommand(AtomicU8);

impl RunningCommand {
    /// A statement begins.
    #[inline(always)]
    pub fn begin(&self, command: Command) {
        self.0.store(command as u8, Relaxed);
    }

    /// Its words, in capitals.
    #[must_use]
    pub fn words(&self) -> &'static str {
        ALL[usize::from(self.0.load(Relaxed))].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_told_by_its_own_words() {
        for (at, (command, words)) in ALL.iter().enumerate() {
            assert_eq!(*command as usize, at);
            let running = RunningCommand::default();
            running.begin(*command);
            assert_eq!(running.words(), *words);
        }
    }
}
