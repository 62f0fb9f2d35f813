//! The page of a server in a browser: the screens of `millpond top`, live, a viewer of plans, reports of experiments, and what
//! monitors ask for: metrics, health, readiness.
//!
//! ```text
//!  TcpListener ─ cover (TLS) ─▶ connection ─▶ router ─┬▶ login ─▶ sessions ─▶ watcher: a thread with the login's own Source
//!                                                     ├▶ live: watcher's samples as server-sent events
//!                                                     ├▶ plan_tree, reports, assets
//!                                                     └▶ metrics, readiness: the server's own Source, asked once a second at most
//! ```
//!
//! What always holds: nothing of the server is given out without a login, but metrics to whom the options let, and two words of
//! health; what a login sees is what its own session may see. Numbers and the verdict are `top`'s, so that page and terminal
//! say the same. Sessions, connections, bodies and what is kept of samples are bounded. It knows no SQL Server but by `top`'s
//! `Source`, and no TLS: its caller has both.

mod answer;
pub mod assets;
mod events;
mod form;
mod history;
pub mod host;
mod login;
mod measure;
pub mod metrics;
mod options;
pub mod plan_page;
pub mod plan_tree;
mod reports;
mod request;
mod router;
mod serve;
mod sessions;
mod watcher;

pub use host::{Attempt, Cover, Host, Later, Stream};
pub use options::Options;
pub use serve::{Page, StartError};
