//! Random schemas and statements for Millpond, and oracles: rules by which a wrong answer shows although the right one
//! is not known.
//!
//! ```text
//!   seed ─▶ make ─▶ Case: schema, parts of statements, rule
//!                     │ oracle, dml: compose, ask, compare         lab: engines with the same tables
//!                     ▼
//!                 Finding ─▶ reduce: drop rows, columns, clauses, operands while it stays ─▶ script
//! ```
//!
//! Models: SQLancer (Rigger and Su: *Testing Database Engines via Pivoted Query Synthesis*, OSDI 2020; *Detecting
//! Optimization Bugs … via Non-Optimizing Reference Engine Construction*, ESEC/FSE 2020; *Finding Bugs in Database
//! Systems via Query Partitioning*, OOPSLA 2020) for the rules [`case::Rule::Where`], [`case::Rule::Aggregate`],
//! [`case::Rule::Having`], [`case::Rule::Counted`] and [`case::Rule::Pivot`]; [`case::Rule::Named`] is for what all
//! roads share, the binder; Jiang and Su's *Detecting Logic Bugs
//! in Database Engines via Equivalent Expression Transformation* (OSDI 2024) for the roads that rewrite a query; SQLsmith
//! (Seltenreich) for productions that know what is in scope. What is different here: a pivot's condition is
//! evaluated by the engine over one row, not by a second evaluator; answers of several engines, tables and spellings are
//! compared; DML is compared with a SELECT; and a case is a tree that reduces itself ([`node`]).
//!
//! What always holds: the same seed makes the same case; a case names no value whose result depends on chance, time or
//! the order of rows; errors that depend on which row a plan looks at are no findings.

pub mod campaign;
pub mod case;
pub mod change;
pub mod dml;
pub mod expr;
pub mod history;
pub mod lab;
pub mod make;
pub mod node;
pub mod oracle;
pub mod portable;
pub mod reduce;
pub mod schema;
pub mod seat;
pub mod select;
pub mod sessions;
pub mod world;
