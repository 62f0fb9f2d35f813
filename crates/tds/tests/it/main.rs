//! The codec from outside: both sides against each other, over bytes, TLS and sockets.

mod alloc;
mod bound;
mod captures;
mod client_server;
mod tls;
mod world;
