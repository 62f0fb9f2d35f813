//! What threads of the server tell each other: that it stops, what the Agent is to do, where connections are taken.

pub mod agent;
pub mod listeners;
pub mod stop;
