//! Targets, each with its parameters.

use super::maps::SYNC_MODE;
use super::{FieldType, Named, Package};

/// A target by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetName {
    /// The last events, in memory.
    RingBuffer,
    /// Files.
    EventFile,
    /// How often each event came.
    EventCounter,
    /// How often each value of a field or an action came.
    Histogram,
}

/// A target.
#[derive(Debug)]
pub struct TargetDef {
    /// Which.
    pub target: TargetName,
    /// Its name, and the one that it had in SQL Server 2008.
    pub name: &'static str,
    /// See `name`.
    pub old_name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// Its parameters.
    pub parameters: &'static [ParameterDef],
}

/// A parameter of a target.
#[derive(Debug)]
pub struct ParameterDef {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: FieldType,
    /// It must be said.
    pub is_mandatory: bool,
    /// What it says.
    pub description: &'static str,
}

impl TargetDef {
    /// The parameter of that name, in any case.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&'static ParameterDef> {
        self.parameters.iter().find(|parameter| parameter.name.eq_ignore_ascii_case(name))
    }
}

const fn p(name: &'static str, ty: FieldType, description: &'static str) -> ParameterDef {
    ParameterDef { name, ty, is_mandatory: false, description }
}

const fn must(name: &'static str, description: &'static str) -> ParameterDef {
    ParameterDef { name, ty: FieldType::Text, is_mandatory: true, description }
}

/// All of them.
pub static TARGETS: [TargetDef; 4] = [
    TargetDef {
        target: TargetName::RingBuffer,
        name: "ring_buffer",
        old_name: "ring_buffer",
        description: "Keeps the last events in memory",
        parameters: &[
            p("max_memory", FieldType::UInt32, "Memory of the events, kilobytes; 0: 4096"),
            p("max_events_limit", FieldType::UInt32, "Events that are kept; 0: as many as the memory holds"),
        ],
    },
    TargetDef {
        target: TargetName::EventFile,
        name: "event_file",
        old_name: "asynchronous_file_target",
        description: "Writes events into files",
        parameters: &[
            must("filename", "Path of the files; a time and .xel are added to it"),
            p("max_file_size", FieldType::UInt64, "Size of a file, megabytes; 0: as large as the disk lets it be"),
            p("max_rollover_files", FieldType::UInt32, "Files that are kept; 0: all"),
            p("increment", FieldType::UInt64, "Has no effect: files grow by what is written"),
            p("metadatafile", FieldType::Text, "Has no effect: files say themselves what is in them"),
        ],
    },
    TargetDef {
        target: TargetName::EventCounter,
        name: "event_counter",
        old_name: "synchronous_event_counter",
        description: "Counts events",
        parameters: &[],
    },
    TargetDef {
        target: TargetName::Histogram,
        name: "histogram",
        old_name: "asynchronous_bucketizer",
        description: "Counts events by a field or an action of theirs",
        parameters: &[
            must("source", "The field, or the action with its package"),
            p("source_type", FieldType::Map(&SYNC_MODE), "0: source is a field; 1: an action"),
            p("slots", FieldType::UInt32, "Values that are counted apart, raised to a power of two"),
            p("filtering_event_name", FieldType::Text, "The event that is counted"),
        ],
    },
];

/// The target that a name means.
#[must_use]
pub fn find_target(name: Named<'_>) -> Option<&'static TargetDef> {
    let means = |def: &&TargetDef| [def.name, def.old_name].iter().any(|known| name.means(Package::Package0, known));
    TARGETS.iter().find(means)
}
