//! The server: assembles storage and engine once, listens, and carries requests and answers between sockets and sessions.
//!
//! ```text
//!   server ─ accept ─▶ connection ─ handshake ─▶ session
//!                          │ message                ▲
//!                          └──▶ request (a thread) ─┘ ── respond ── chunks ──▶ transport ──▶ socket
//! ```
//!
//! What always holds: a client is bounded in time and memory before its login and in memory after it; whatever it sends,
//! the server goes on. Async ends here: below, everything waits on threads. It knows no pages and no plans.

mod account;
pub mod address;
pub mod assemble;
mod attempts;
mod busy_connection;
pub mod certificate;
pub mod config;
mod connection;
mod entrance;
pub mod error_log_file;
mod handshake;
mod mars;
mod message_input;
pub mod password;
mod recorder;
mod registry;
mod request;
mod respond;
pub mod server;
mod shared;
mod transport;
mod workers;

pub use config::{Config, ConfigError};
pub use entrance::{Entrance, Refusal, Visitor};
pub use server::{Server, StartError, connection_lines, remember_password};
