//! What threads of the server tell each other: that it stops, and what the Agent is to do.

pub mod agent;
pub mod stop;
