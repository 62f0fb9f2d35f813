//! Extended events: what a server can report of itself, the sessions that collect it, and the targets that keep it.
//!
//! ```text
//!   site ──wants?──▶ predicate ──true──▶ actions ──▶ Record ──▶ ring_buffer, event_counter, histogram    at once
//!                        │                                 └──▶ queue ──thread──▶ event_file             later
//!                        └─false─▶ nothing was formatted
//! ```
//!
//! [`Events`](events::Events) is what a site asks and tells; [`object`] lists what there is, as `sys.dm_xe_objects` shows it;
//! [`definition`] is what a session is to collect; [`running`] is one that does.
//!
//! What always holds: a site whose event no session collects costs one relaxed load. A predicate is evaluated before a record is
//! made, a record before anything becomes XML. Each session has bounds of memory and counts what it drops; nothing here waits for a
//! file but the thread that writes it, and what reads or stops a session.
//!
//! It lies below the engine and knows no sessions of clients, no statements and no T-SQL: what an event says of its session comes by
//! the trait [`Origin`](record::Origin), and definitions are made by what has read the statement.

pub mod definition;
pub mod events;
pub mod file;
pub mod object;
pub mod predicate;
pub mod read;
pub mod record;
pub mod running;
pub mod value;
