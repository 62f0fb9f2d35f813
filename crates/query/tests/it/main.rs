//! The engine through its front door: SQL text in, what a client would see out.

mod golden;
mod harness;
