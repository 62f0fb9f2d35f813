//! What statements are called, for messages about one that cannot be run.

use super::event_session::EventSessionAction;
use super::object::{BoundBody, DefinitionVerb};
use super::security::{PermissionVerb, PrincipalKind};
use super::statement::{Module, ModuleKind, StatementKind};
use super::table::IndexStructure;

impl StatementKind {
    /// The words that a statement begins with: `CREATE INDEX`, `ALTER TABLE`, `MERGE`.
    pub fn title(&self) -> String {
        use StatementKind::*;
        let words = match self {
            Block(_) => "BEGIN",
            If { .. } => "IF",
            While { .. } => "WHILE",
            Atomic { .. } => "BEGIN ATOMIC",
            Break => "BREAK",
            Continue => "CONTINUE",
            Return(_) => "RETURN",
            Goto(_) | Label(_) => "GOTO",
            TryCatch { .. } => "BEGIN TRY",
            WaitForDelay(_) | WaitForTime(_) => "WAITFOR",
            Print(_) => "PRINT",
            RaiseError { .. } => "RAISERROR",
            Throw(_) => "THROW",
            Declare(_) | DeclareTable { .. } => "DECLARE",
            SetVariable(_) | SetOption(_) => "SET",
            Select(_) => "SELECT",
            Insert(_) => "INSERT",
            Update(_) => "UPDATE",
            Delete(_) => "DELETE",
            Merge(_) => "MERGE",
            InsertBulk(_) => "INSERT BULK",
            BulkInsert(_) => "BULK INSERT",
            Truncate { .. } => "TRUNCATE TABLE",
            _ => return self.title_of_definition(),
        };
        words.to_owned()
    }

    fn title_of_definition(&self) -> String {
        use StatementKind::*;
        let words = match self {
            CreateTable { .. } => "CREATE TABLE",
            DropTable { .. } => "DROP TABLE",
            AlterTable(_) => "ALTER TABLE",
            CreateIndex(create) if create.index.structure == IndexStructure::ColumnStore => "CREATE COLUMNSTORE INDEX",
            CreateIndex(_) => "CREATE INDEX",
            AlterIndex(_) => "ALTER INDEX",
            DropIndex { .. } => "DROP INDEX",
            CreateStatistics(_) => "CREATE STATISTICS",
            UpdateStatistics(_) => "UPDATE STATISTICS",
            CreateSchema { .. } => "CREATE SCHEMA",
            AlterSchema { .. } => "ALTER SCHEMA",
            AlterAuthorization { .. } => "ALTER AUTHORIZATION",
            Module(module) => return title_of_module(module),
            Sequence(sequence) => return verb_title(sequence.alter, "SEQUENCE"),
            Partition(partition) => partition.title(),
            CreateType(_) => "CREATE TYPE",
            CreateBound(create) if matches!(create.body, BoundBody::Default(_)) => "CREATE DEFAULT",
            CreateBound(_) => "CREATE RULE",
            CreateSynonym { .. } => "CREATE SYNONYM",
            Drop(drop) => return format!("DROP {}", drop.kind.words()),
            TriggerSwitch(switch) if switch.enable => "ENABLE TRIGGER",
            TriggerSwitch(_) => "DISABLE TRIGGER",
            Principal(principal) => return verb_title(principal.alter, principal.kind.words()),
            Permission(permission) => permission.verb.word(),
            CreateDatabase(_) => "CREATE DATABASE",
            AlterDatabase { .. } => "ALTER DATABASE",
            ScopedConfiguration(_) => "ALTER DATABASE SCOPED CONFIGURATION",
            _ => return self.title_of_session(),
        };
        words.to_owned()
    }

    fn title_of_session(&self) -> String {
        use StatementKind::*;
        let words = match self {
            ExecuteAs(_) => "EXECUTE AS",
            Revert(_) => "REVERT",
            SetUser(_) => "SETUSER",
            DeclareCursor(_) | SetCursor { .. } => "DECLARE CURSOR",
            OpenCursor(_) => "OPEN",
            Fetch(_) => "FETCH",
            CloseCursor(_) => "CLOSE",
            DeallocateCursor(_) => "DEALLOCATE",
            Use(_) => "USE",
            BeginTransaction { .. } => "BEGIN TRANSACTION",
            Commit { .. } => "COMMIT",
            Rollback(_) => "ROLLBACK",
            Save(_) => "SAVE TRANSACTION",
            Execute(_) | ExecuteText(_) => "EXECUTE",
            Dbcc { command, .. } => return format!("DBCC {command}"),
            Checkpoint(_) => "CHECKPOINT",
            Backup(backup) if backup.log => "BACKUP LOG",
            Backup(_) => "BACKUP DATABASE",
            Restore(_) => "RESTORE",
            WorkloadGroup(group) => return verb_title(group.alter, "WORKLOAD GROUP"),
            ResourcePool(pool) if pool.external => return verb_title(pool.alter, "EXTERNAL RESOURCE POOL"),
            ResourcePool(pool) => return verb_title(pool.alter, "RESOURCE POOL"),
            ResourceGovernor(_) => "ALTER RESOURCE GOVERNOR",
            EventSession(session) => match session.action {
                EventSessionAction::Create { .. } => "CREATE EVENT SESSION",
                EventSessionAction::Alter { .. } | EventSessionAction::State(_) => "ALTER EVENT SESSION",
                EventSessionAction::Drop => "DROP EVENT SESSION",
            },
            ServerConfiguration(_) => "ALTER SERVER CONFIGURATION",
            Reconfigure { .. } => "RECONFIGURE",
            Shutdown { .. } => "SHUTDOWN",
            Kill(_) => "KILL",
            Unsupported(words) => return words.clone(),
            _ => "This statement",
        };
        words.to_owned()
    }
}

fn title_of_module(module: &Module) -> String {
    let verb = match module.verb {
        DefinitionVerb::Alter => "ALTER",
        DefinitionVerb::Create | DefinitionVerb::CreateOrAlter => "CREATE",
    };
    let kind = match module.kind {
        ModuleKind::View(_) => "VIEW",
        ModuleKind::Procedure { .. } => "PROCEDURE",
        ModuleKind::Function { .. } => "FUNCTION",
        ModuleKind::Trigger { .. } => "TRIGGER",
    };
    format!("{verb} {kind}")
}

fn verb_title(alter: bool, words: &str) -> String {
    format!("{} {words}", if alter { "ALTER" } else { "CREATE" })
}

impl PermissionVerb {
    /// The word itself.
    pub fn word(self) -> &'static str {
        match self {
            PermissionVerb::Grant => "GRANT",
            PermissionVerb::Deny => "DENY",
            PermissionVerb::Revoke => "REVOKE",
        }
    }
}

impl PrincipalKind {
    /// The words after CREATE or ALTER.
    pub fn words(self) -> &'static str {
        match self {
            PrincipalKind::User => "USER",
            PrincipalKind::Login => "LOGIN",
            PrincipalKind::Role => "ROLE",
            PrincipalKind::ServerRole => "SERVER ROLE",
            PrincipalKind::ApplicationRole => "APPLICATION ROLE",
        }
    }
}
