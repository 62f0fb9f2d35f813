//! Statements to the server itself: DBCC, CHECKPOINT, ALTER DATABASE, RECONFIGURE, SHUTDOWN, KILL.

use millpond_tsql::ast::{AlterDatabase, Expr, ExprKind, FileGrowth, FileLimit, FileSpec, Statement};
use millpond_types::{SqlType, Value};

use super::batch::BatchRun;
use crate::dbcc;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::system_call::{CallArg, SystemCall};

impl BatchRun<'_> {
    pub(super) fn dbcc(&mut self, statement: &Statement, command: &str, args: &[Expr], options: &[String]) -> SqlResult<()> {
        let def = dbcc::find(command).ok_or_else(|| {
            SqlError::new(2526, 16, 3, format!("Incorrect DBCC statement. Check the documentation for the correct DBCC syntax and options. ({command})"))
        })?;
        let mut values = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            values.push(self.dbcc_arg(statement, index, arg)?);
        }
        let mut call =
            SystemCall { ctx: &self.ctx, args: values, options: options.to_vec(), sink: self.sink, outputs: Vec::new() };
        (def.run)(&mut call)?;
        if !options.iter().any(|option| option == "NO_INFOMSGS") {
            self.inform(
                2528,
                "DBCC execution completed. If DBCC printed error messages, contact your system administrator.",
            );
        }
        self.done_quietly(0);
        Ok(())
    }

    /// A bare word (`LOGSPACE`, `CLEAR`, a name) is a text.
    fn dbcc_arg(&mut self, statement: &Statement, index: usize, arg: &Expr) -> SqlResult<CallArg> {
        if let ExprKind::Column(name) = &arg.kind {
            let word = name.parts.join(".");
            let sql = SqlType::NVarChar { len: millpond_types::MaxLen::Max };
            return Ok(CallArg { name: None, value: Some(Value::str(&word)), sql, output: false });
        }
        let part = u8::try_from(index).map_err(|_| message::syntax_near(","))?;
        let code = self.bound(statement, part, |binder, ctx| {
            let expr = binder.expression(arg)?;
            Ok(super::code::Code::Scalar(super::control::scalar_of(expr, 0, ctx)))
        })?;
        let value = self.value(&code)?;
        let super::code::Code::Scalar(scalar) = &*code else { unreachable!("bound above") };
        Ok(CallArg { name: None, value: Some(value), sql: scalar.expr.ty.sql, output: false })
    }

    pub(super) fn checkpoint(&mut self, statement: &Statement, seconds: Option<&Expr>) -> SqlResult<()> {
        if let Some(seconds) = seconds {
            let value = self.scalar(statement, 0, seconds, Some(SqlType::Int))?;
            if !matches!(value, Value::Int(seconds) if seconds > 0) {
                return Err(SqlError::new(8102, 16, 1, "CHECKPOINT takes a positive number of seconds."));
            }
        }
        let ask = self.ctx.ask_other();
        self.ctx.engine.instance().checkpoint(&ask, self.ctx.facts.database).map_err(|error| message::of_pool(&error))?;
        self.done_quietly(0);
        Ok(())
    }

    pub(super) fn reconfigure(&mut self, with_override: bool) -> SqlResult<()> {
        self.ctx.engine.instance().reconfigure(with_override).map_err(|error| message::of_settings(&error))?;
        self.done_quietly(0);
        Ok(())
    }

    pub(super) fn shutdown(&mut self, nowait: bool) -> SqlResult<()> {
        let engine = &self.ctx.engine;
        if !nowait {
            // Statements that run are waited for by whoever stops the server; databases are written now.
            let ask = self.ctx.ask_other();
            for database in engine.instance().databases() {
                engine.instance().checkpoint(&ask, database.id).map_err(|error| message::of_pool(&error))?;
            }
        }
        self.inform(6006, "Server shut down by request from login ".to_owned() + &self.ctx.facts.login.login + ".");
        self.ctx.engine.request_stop();
        Ok(())
    }

    pub(super) fn kill(&mut self, statement: &Statement, expr: &Expr) -> SqlResult<()> {
        let value = self.scalar(statement, 0, expr, Some(SqlType::Int))?;
        let Value::Int(id) = value else {
            return Err(message::syntax_near("KILL"));
        };
        if id == i32::from(self.ctx.facts.session) {
            return Err(SqlError::new(6104, 16, 1, "Cannot use KILL to kill your own process."));
        }
        let session = u16::try_from(id).ok().and_then(|id| self.ctx.engine.session(id));
        let session = session.ok_or_else(|| SqlError::new(6106, 16, 2, format!("Process ID {id} is not an active process ID.")))?;
        session.kill();
        self.done_quietly(0);
        Ok(())
    }

    pub(super) fn alter_database(&mut self, database: &str, action: &AlterDatabase) -> SqlResult<()> {
        let id = if database.eq_ignore_ascii_case("CURRENT") {
            self.ctx.facts.database
        } else {
            self.ctx.engine.database_id(database).ok_or_else(|| {
                SqlError::new(5011, 14, 5, format!("User does not have permission to alter database '{database}', the database does not exist, or the database is not in a state that allows access checks."))
            })?
        };
        let instance = self.ctx.engine.instance();
        let ask = self.ctx.ask_other();
        let outcome = match action {
            AlterDatabase::AddFile { files, log } => {
                let mut outcome = Ok(());
                for file in files {
                    check_spec(file)?;
                    outcome = outcome.and_then(|()| instance.add_file(&ask, id, &file_change(file, *log)));
                }
                outcome.map(|()| Vec::new())
            }
            AlterDatabase::ModifyFile(file) => {
                check_spec(file)?;
                instance.modify_file(&ask, id, &file_change(file, false)).map(|note| modified_notes(&note))
            }
            AlterDatabase::RemoveFile(name) => instance
                .remove_file(&ask, id, name)
                .map(|()| vec![(5044, format!("The file '{name}' has been removed."))]),
            AlterDatabase::Set(words) => return self.alter_set(id, words),
            AlterDatabase::Other(words) => return Err(message::missing(&format!("ALTER DATABASE {words}"))),
        };
        for (number, text) in outcome.map_err(|error| message::of_alter_file(&error))? {
            self.inform(number, text);
        }
        self.done_quietly(0);
        Ok(())
    }

    fn alter_set(&mut self, id: millpond_storage::contract::DbId, words: &str) -> SqlResult<()> {
        if id == millpond_storage::contract::DbId::TEMPDB {
            let option = words.split_whitespace().next().unwrap_or("");
            return Err(SqlError::new(5058, 16, 1, format!("Option '{option}' cannot be set in database 'tempdb'.")));
        }
        Err(message::missing(&format!("ALTER DATABASE … SET {words}")))
    }
}

/// Options written twice or unknown.
fn check_spec(file: &FileSpec) -> SqlResult<()> {
    match &file.duplicate {
        Some(option) => Err(SqlError::new(
            1039,
            16,
            1,
            format!("Option '{option}' is specified more than once."),
        )),
        None => Ok(()),
    }
}

fn modified_notes(note: &millpond_storage::alter::Modified) -> Vec<(i32, String)> {
    use millpond_storage::alter::Modified;
    match note {
        Modified::AtOnce => Vec::new(),
        Modified::Renamed { new_name } => vec![(5021, format!("The file name '{new_name}' has been set."))],
        Modified::AtNextStart { name } => vec![(
            5018,
            format!(
                "The file \"{name}\" has been modified in the system catalog. The new path will be used the next time the database is started."
            ),
        )],
    }
}

fn file_change(file: &FileSpec, log: bool) -> millpond_storage::alter::FileChange {
    use millpond_storage::alter::{FileChange, Growth, Limit};
    FileChange {
        name: file.name.clone(),
        new_name: file.new_name.clone(),
        path: file.file_name.clone(),
        size_kb: file.size_kb,
        max_size: file.max_size.map(|limit| match limit {
            FileLimit::Unlimited => Limit::Unlimited,
            FileLimit::Kb(kb) => Limit::Kb(kb),
        }),
        growth: file.growth.map(|growth| match growth {
            FileGrowth::Kb(kb) => Growth::Kb(kb),
            FileGrowth::Percent(percent) => Growth::Percent(percent),
        }),
        offline: file.offline,
        log,
    }
}
