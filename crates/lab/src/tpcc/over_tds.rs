//! TPC-C on a server that speaks T-SQL over TDS: the procedures of examples/tpcc, called by name or prepared.

use clap::ValueEnum;
use millpond_tds::rpc::RpcParameter;
use millpond_types::Value;

use super::target::{Scripts, Session, TargetDatabase};
use super::transaction::Kind;
use crate::link::{Answer, Link, LinkError, Target};
use crate::parameter::{int_or_null, output};

pub(crate) const SCRIPTS: Scripts = Scripts {
    schema: include_str!("../../../../examples/tpcc/schema.sql"),
    indexes: include_str!("../../../../examples/tpcc/indexes.sql"),
    procedures: include_str!("../../../../examples/tpcc/procedures.sql"),
    now: "select convert(varchar(23), sysdatetime(), 126)",
};

/// How procedures are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallMode {
    /// By name: one RPC.
    Rpc,
    /// As a prepared statement: sp_prepexec once, then sp_execute.
    Prepared,
}

/// A server and a database on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TdsTarget<'a> {
    pub(crate) target: &'a Target,
    pub(crate) database: &'a str,
    pub(crate) mode: CallMode,
}

impl<'a> TdsTarget<'a> {
    /// Its procedures are called by name.
    pub(crate) fn by_name(target: &'a Target, database: &'a str) -> TdsTarget<'a> {
        TdsTarget { target, database, mode: CallMode::Rpc }
    }
}

impl TargetDatabase for TdsTarget<'_> {
    type Session = TdsSession;

    fn scripts(&self) -> Scripts {
        SCRIPTS
    }

    fn exists(&self) -> Result<bool, LinkError> {
        let question = format!("select db_id(N'{}')", self.database.replace('\'', "''"));
        let answer = Link::open(self.target, "")?.batch(&question)?;
        Ok(answer.scalar().is_some_and(|id| !id.is_null()))
    }

    fn drop_database(&self) -> Result<(), LinkError> {
        Link::open(self.target, "")?.batch(&format!("drop database [{}]", self.database)).map(drop)
    }

    fn create_database(&self) -> Result<(), LinkError> {
        Link::open(self.target, "")?.batch(&format!("create database [{}]", self.database)).map(drop)
    }

    fn open(&self) -> Result<TdsSession, LinkError> {
        Ok(TdsSession { link: Link::open(self.target, self.database)?, mode: self.mode, handles: [None; 5] })
    }
}

/// A session that procedures are called on.
#[derive(Debug)]
pub(crate) struct TdsSession {
    link: Link,
    mode: CallMode,
    /// Of prepared statements, in the order of [`Kind::ALL`].
    handles: [Option<i32>; 5],
}

impl Session for TdsSession {
    fn batch(&mut self, text: &str) -> Result<Answer, LinkError> {
        self.link.batch(text)
    }

    fn insert(&mut self, statements: &str) -> Result<(), LinkError> {
        self.link.transaction(statements)
    }

    fn call(&mut self, kind: Kind, parameters: &[RpcParameter]) -> Result<Answer, LinkError> {
        match self.mode {
            CallMode::Rpc => self.link.call(kind.procedure(), parameters.to_vec()),
            CallMode::Prepared => self.call_prepared(kind, parameters),
        }
    }
}

impl TdsSession {
    fn call_prepared(&mut self, kind: Kind, parameters: &[RpcParameter]) -> Result<Answer, LinkError> {
        let mut values = vec![output(int_or_null("@status", None))];
        values.extend_from_slice(parameters);
        let mut answer = match self.handles[kind as usize] {
            Some(handle) => self.link.execute(handle, values)?,
            None => {
                let declarations = format!("@status int output,{}", kind.declarations());
                let (handle, answer) = self.link.prepare_and_execute(&declarations, &statement(kind), values)?;
                self.handles[kind as usize] = Some(handle);
                answer
            }
        };
        if let Some(Value::Int(status)) = answer.outputs.first() {
            answer.status = Some(*status);
        }
        Ok(answer)
    }
}

/// `EXEC @status = dbo.p @a, @b`
fn statement(kind: Kind) -> String {
    let names = kind.declarations().split(",@").map(|one| one.trim_start_matches('@').split(' ').next().unwrap_or(""));
    let names: Vec<String> = names.map(|name| format!("@{name}")).collect();
    format!("exec @status = {} {}", kind.procedure(), names.join(","))
}

#[cfg(test)]
mod tests {
    use millpond_tsql::batch::split_script;
    use millpond_tsql::{ParseOptions, parse_batch};

    use super::*;

    #[test]
    fn prepared_statements_name_all_parameters() {
        assert_eq!(statement(Kind::Delivery), "exec @status = dbo.tpcc_delivery @w_id,@carrier_id");
        for kind in Kind::ALL {
            let text = statement(kind);
            assert_eq!(text.matches('@').count(), 1 + kind.declarations().matches('@').count(), "{text}");
        }
    }

    #[test]
    fn the_scripts_are_t_sql() {
        let Scripts { schema, indexes, procedures, now } = SCRIPTS;
        for (name, script) in [("schema", schema), ("indexes", indexes), ("procedures", procedures), ("now", now)] {
            let batches = split_script(script);
            assert!(!batches.is_empty());
            for batch in batches {
                parse_batch(&batch.text, ParseOptions { quoted_identifier: true })
                    .unwrap_or_else(|error| panic!("{name}.sql from line {}: {error}", batch.first_line));
            }
        }
    }

    /// The declarations of the calls and the script of procedures say the same.
    #[test]
    fn declarations_are_those_of_the_script() {
        for kind in Kind::ALL {
            let head = format!("create procedure {}\n", kind.procedure());
            let rest = SCRIPTS.procedures.split(&head).nth(1).unwrap().split("\nas\n").next().unwrap();
            let declared: Vec<&str> = rest.lines().map(str::trim).collect();
            assert_eq!(declared.join("").replace(", ", ","), kind.declarations());
        }
    }
}
