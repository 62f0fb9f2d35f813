//! The page over HTTP, of a server that answers by heart: logins, cookies, guards, streams, reports, metrics.

mod browser;
mod requests;
mod server;
