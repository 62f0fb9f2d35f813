//! The server over loopback, seen by our own client.

mod accounts;
mod api_cursors;
mod bulk;
mod client;
mod code_pages;
mod hostile;
mod login;
mod long_batches;
mod many;
mod mars;
mod request;
mod shutdown;
mod tls;
mod utf8;
mod vanish;
mod workers;
