//! Advice from what a server did: rules over facts.
//!
//! ```text
//!   views of a server ──Source──▶ collect ──▶ Facts ──▶ rules, a file a family ──▶ Advice, by expected effect
//! ```
//!
//! A rule speaks where there is evidence: figures of this server, of which it says how many and since when. What it expects is a
//! figure too, made of the evidence by a formula in its file; where SQL Server's documentation or a measurement of ours stands
//! behind the rule, its comment names it. What cannot be known yet is an advice of severity [`Severity::Unknown`] without a statement.
//!
//! What always holds: nothing here runs anything or reads a clock; the same facts give the same advice in the same order. Names in
//! statements are quoted ([`quote`]). It knows no connection: who calls it has one, and implements [`source::Source`].

pub mod collect;
pub mod facts;
pub mod quote;
mod rules;
pub mod source;
pub mod units;

use crate::facts::Facts;

/// What an advice is about; also what one may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Number, sizes and order of tempdb's files.
    TempdbFiles,
    /// Files that grew, or will not.
    Growth,
    /// The buffer pool and its extension.
    Memory,
    /// Transaction logs.
    Log,
    /// Indexes that are missing or unused.
    Indexes,
    /// Files on slow devices.
    Devices,
    /// Memory grants and spills.
    Grants,
}

impl Topic {
    /// All of them.
    pub const ALL: [Topic; 7] =
        [Topic::TempdbFiles, Topic::Growth, Topic::Memory, Topic::Log, Topic::Indexes, Topic::Devices, Topic::Grants];

    /// Its name in results and options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Topic::TempdbFiles => "tempdb files",
            Topic::Growth => "growth",
            Topic::Memory => "memory",
            Topic::Log => "log",
            Topic::Indexes => "indexes",
            Topic::Devices => "devices",
            Topic::Grants => "grants",
        }
    }

    /// The topic of a name, in any case; a hyphen or an underscore stands for the blank.
    #[must_use]
    pub fn of(name: &str) -> Option<Topic> {
        let name = name.trim().replace(['-', '_'], " ");
        Topic::ALL.into_iter().find(|topic| topic.name().eq_ignore_ascii_case(&name))
    }
}

/// How much is expected of an advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Statements fail, or wait for more than a tenth of the time.
    High,
    /// They wait for more than a hundredth of it.
    Medium,
    /// Less, or by an unknown amount.
    Low,
    /// There is no evidence yet, and this is what it would take.
    Unknown,
}

impl Severity {
    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::High => "high",
            Severity::Medium => "medium",
            Severity::Low => "low",
            Severity::Unknown => "unknown",
        }
    }

    /// By the seconds that requests would wait less in an hour.
    #[must_use]
    pub fn of_gain(gain_s_per_hour: f64) -> Severity {
        match gain_s_per_hour {
            gain if gain >= 360.0 => Severity::High,
            gain if gain >= 36.0 => Severity::Medium,
            _ => Severity::Low,
        }
    }
}

/// One advice.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// What it is about.
    pub topic: Topic,
    /// How much is expected of it.
    pub severity: Severity,
    /// What is the matter, in a sentence.
    pub finding: String,
    /// The figures that say so.
    pub evidence: String,
    /// What is expected of the statement, in figures; `None` where nothing is known.
    pub effect: Option<String>,
    /// T-SQL that does it, which is never run by itself; `None` where a person has to decide something first.
    pub statement: Option<String>,
    /// Seconds that all requests together would wait less in an hour, estimated; 0 where that is not known. It orders advice.
    pub gain_s_per_hour: f64,
}

/// What the facts say, of all topics or of one: most effect first, then what is not known.
#[must_use]
pub fn advise(facts: &Facts, topic: Option<Topic>) -> Vec<Advice> {
    let mut all = rules::all(facts);
    all.retain(|advice| topic.is_none_or(|topic| advice.topic == topic));
    all.sort_by(|a, b| {
        let by_gain = b.gain_s_per_hour.total_cmp(&a.gain_s_per_hour);
        a.severity.cmp(&b.severity).then(by_gain).then(a.topic.cmp(&b.topic)).then_with(|| a.finding.cmp(&b.finding))
    });
    all
}
