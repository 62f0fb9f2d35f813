//! A SQL Server-compatible database inside of a Rust program: open a directory or memory, connect, run T-SQL, read typed rows or
//! batches of Arrow.
//!
//! ```text
//!   Instance ──connect──▶ Connection ──Job──▶ a thread of its own ──▶ Session
//!      │                      ▲                      │ Sink
//!      ├──listen──▶ TDS       └── Results ◀─ Events ◀┘   rows in pieces, no more than a few at a time
//!      └──▶ DataFusion (feature): tables and queries as its tables
//! ```
//!
//! What always holds: a statement runs on its connection's thread, which has the stack that deep statements want, and never on
//! the caller's; results come piece by piece, so that a result that nobody reads waits, and one that nobody wants any more is
//! cancelled; an error of a statement has SQL Server's number. The async face needs no runtime of its own and blocks no
//! thread of its caller's; the other one is the same, waited for. It knows no pages, plans or tokens of the wire.
#![doc = include_str!("../README.md")]

#[cfg(feature = "arrow")]
pub mod arrow;
pub mod asynchronous;
mod blocking;
mod connection;
#[cfg(feature = "datafusion")]
pub mod datafusion;
mod error;
mod events;
mod instance;
mod listener;
mod parameter;
mod results;
mod row;
mod shared;
mod worker;

pub use asynchronous::AsyncConnection;
pub use connection::{Connection, ResultSet, Results, Rows, Transaction};
pub use error::{Error, ServerError};
pub use instance::{ConnectOptions, Instance, Options};
pub use listener::{ListenOptions, Listener};
pub use millpond_message::sink::{Column, Message};
/// The types that values have, and values of those that Rust has no type for.
pub use millpond_types::{
    Date, DateTime, DateTime2, DateTimeOffset, Decimal, MaxLen, SmallDateTime, SqlType, Time, Value, Variant,
};
pub use parameter::{Guid, Parameter, ToSql};
pub use results::{Outcome, Output};
pub use row::{ColumnIndex, FromSql, Row};
pub use worker::Canceller;
