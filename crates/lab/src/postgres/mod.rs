//! PostgreSQL as a peer: its wire, TPC-C on it, and a server of it for as long as an experiment runs.
//!
//! ```text
//!   PostgresTarget ── what TPC-C wants of a server ─▶ wire ─▶ a server that is given, or a PostgresServer
//! ```
//!
//! What always holds: TPC-C differs from that on Millpond in what is here alone: the wire, and the T-SQL scripts in PostgreSQL's
//! words. A terminal is one connection; a transaction is one request, a prepared statement that calls a plpgsql function.

mod server;
mod wire;

use millpond_tds::rpc::RpcParameter;
use millpond_types::Value;

use crate::link::{Answer, LinkError};
use crate::tpcc::{Kind, Scripts, Session, TargetDatabase};
pub(crate) use server::{PostgresError, PostgresServer};
pub use wire::{Connection, Statement};

const SCRIPTS: Scripts = Scripts {
    schema: include_str!("schema.sql"),
    indexes: include_str!("indexes.sql"),
    procedures: include_str!("procedures.sql"),
    now: "select to_char(clock_timestamp(), 'YYYY-MM-DD\"T\"HH24:MI:SS.MS')",
};

/// The SQLSTATE of an order that rolled back as it was meant to.
const ROLLED_BACK: &str = "TC001";

/// A server, and the name of a database on it.
#[derive(Clone, Copy, Debug)]
pub struct PostgresTarget<'a> {
    /// `host:port`.
    pub server: &'a str,
    /// Login, without a password.
    pub user: &'a str,
    /// The database.
    pub database: &'a str,
}

impl PostgresTarget<'_> {
    /// Runs a text in the database that every server has.
    fn maintain(&self, text: &str) -> Result<Answer, LinkError> {
        Connection::open(self.server, self.user, "postgres")?.query(text)
    }

    fn identifier(&self) -> String {
        format!("\"{}\"", self.database.replace('"', "\"\""))
    }
}

impl TargetDatabase for PostgresTarget<'_> {
    type Session = PostgresSession;

    fn scripts(&self) -> Scripts {
        SCRIPTS
    }

    fn exists(&self) -> Result<bool, LinkError> {
        let name = self.database.replace('\'', "''");
        Ok(self.maintain(&format!("select 1 from pg_database where datname = '{name}'"))?.scalar().is_some())
    }

    fn drop_database(&self) -> Result<(), LinkError> {
        self.maintain(&format!("drop database {}", self.identifier())).map(drop)
    }

    fn create_database(&self) -> Result<(), LinkError> {
        self.maintain(&format!("create database {}", self.identifier())).map(drop)
    }

    fn open(&self) -> Result<PostgresSession, LinkError> {
        let connection = Connection::open(self.server, self.user, self.database)?;
        Ok(PostgresSession { connection, statements: Default::default() })
    }
}

/// A session in a database of TPC-C.
pub struct PostgresSession {
    connection: Connection,
    /// In the order of [`Kind::ALL`]; each is prepared with its first call.
    statements: [Option<Statement>; 5],
}

impl Session for PostgresSession {
    fn batch(&mut self, text: &str) -> Result<Answer, LinkError> {
        self.connection.query(text)
    }

    /// The statements of one message are one transaction.
    fn insert(&mut self, statements: &str) -> Result<(), LinkError> {
        self.connection.query(statements).map(drop)
    }

    fn call(&mut self, kind: Kind, parameters: &[RpcParameter]) -> Result<Answer, LinkError> {
        let slot = &mut self.statements[kind as usize];
        let statement = match slot {
            Some(statement) => statement,
            None => slot.insert(self.connection.prepare(kind.procedure(), &statement(kind, parameters.len()))?),
        };
        let values: Vec<Option<String>> = parameters.iter().map(|parameter| text_of(&parameter.value)).collect();
        match self.connection.execute(statement, &values) {
            Err(LinkError::Foreign { code, .. }) if code == ROLLED_BACK => {
                Ok(Answer { status: Some(1), ..Answer::default() })
            }
            other => other,
        }
    }
}

/// `select * from dbo.f($1,$2)`
fn statement(kind: Kind, parameters: usize) -> String {
    let places: Vec<String> = (1..=parameters).map(|number| format!("${number}")).collect();
    format!("select * from {}({})", kind.procedure(), places.join(","))
}

/// A parameter as PostgreSQL reads it.
///
/// # Panics
/// For types that no transaction asks with.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bit(bit) => Some(u8::from(*bit).to_string()),
        Value::TinyInt(number) => Some(number.to_string()),
        Value::SmallInt(number) => Some(number.to_string()),
        Value::Int(number) => Some(number.to_string()),
        Value::Decimal(number) => Some(number.to_string()),
        Value::Str(text) => Some(text.to_string()),
        other => panic!("a transaction asks with {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use millpond_types::Decimal;

    use super::*;

    #[test]
    fn a_statement_has_a_place_for_each_parameter() {
        assert_eq!(statement(Kind::Delivery, 2), "select * from dbo.tpcc_delivery($1,$2)");
    }

    #[test]
    fn there_is_a_function_for_each_procedure_with_as_many_parameters() {
        for (kind, parameters) in Kind::ALL.into_iter().zip([6, 7, 4, 2, 3]) {
            let head = format!("create function {}(", kind.procedure());
            let declared = SCRIPTS.procedures.split(&head).nth(1).unwrap().split(')').next().unwrap();
            let inputs = declared.split([',', '(']).filter(|one| one.trim_start().starts_with("in_"));
            assert_eq!(inputs.count(), parameters, "{head}");
        }
    }

    #[test]
    fn values_are_texts() {
        assert_eq!(text_of(&Value::Bit(true)).as_deref(), Some("1"));
        assert_eq!(text_of(&Value::Decimal(Decimal::new(12_345, 2).unwrap())).as_deref(), Some("123.45"));
        assert_eq!(text_of(&Value::Null), None);
    }
}
