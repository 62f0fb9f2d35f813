//! The settings of a session that make another query of the same text: `sys.query_context_settings`.
//!
//! What always holds: two sessions for which a text means the same have the same settings here.

use millpond_catalog::run::facts::{SessionFacts, Settings};

/// Those of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContextSettings {
    /// SET options ([`option_bits`]).
    pub set_options: i32,
    /// Number of the language.
    pub language: i16,
    /// [`date_format`]
    pub date_format: i16,
    /// DATEFIRST
    pub date_first: u8,
    /// The default schema of its user.
    pub schema: i32,
}

impl ContextSettings {
    /// Of a session.
    #[must_use]
    pub fn of(facts: &SessionFacts) -> ContextSettings {
        let settings = &facts.settings;
        ContextSettings {
            set_options: option_bits(settings),
            language: i16::from(settings.language.number()),
            date_format: date_format(settings.dateformat),
            date_first: settings.datefirst,
            schema: facts.default_schema.0,
        }
    }
}

/// The SET options as the attribute `set_options` of a plan has them.
#[must_use]
pub fn option_bits(settings: &Settings) -> i32 {
    let bits = [
        (settings.ansi_padding, 1),
        (settings.concat_null_yields_null, 8),
        (settings.ansi_warnings, 16),
        (settings.ansi_nulls, 32),
        (settings.quoted_identifier, 64),
        (settings.ansi_null_default_on, 128),
        (settings.ansi_null_default_off, 256),
        (settings.arithabort, 4096),
        (settings.numeric_roundabort, 8192),
    ];
    bits.into_iter().filter(|(on, _)| *on).map(|(_, bit)| bit).sum()
}

/// DATEFORMAT by its number; `mdy` is 1.
#[must_use]
pub fn date_format(order: [u8; 3]) -> i16 {
    let orders = [b"mdy", b"dmy", b"ymd", b"ydm", b"myd", b"dym"];
    (1..).zip(orders).find(|(_, known)| **known == order).map_or(1, |(number, _)| number)
}
