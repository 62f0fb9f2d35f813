//! The options of SET that are on or off: one row each says its name, its bit, what shows it and when it counts.
//!
//! `SET`, `@@OPTIONS`, `SESSIONPROPERTY`, `DBCC USEROPTIONS` and the configuration option `user options` read this table. A
//! new option is a field of [`Settings`], a row here, and the place that heeds it.
//! What always holds: no two rows have one name or one bit (O1).

use crate::run::facts::Settings;

/// When a SET of the option counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// When it runs.
    Running,
    /// When its text is parsed: SET has nothing to do when it runs.
    Parsed,
    /// When it runs outside of a module: a module keeps what it was made with.
    OutsideModules,
    /// Each of these options when that one counts.
    ByParts(&'static [&'static str]),
    /// Never: the option is accepted for scripts that set it, and nothing that it would change exists.
    Never,
}

/// An option that is on or off.
#[derive(Clone, Copy, Debug)]
pub struct SetOption {
    /// As SET names it, upper case.
    pub name: &'static str,
    /// Its bit in `@@OPTIONS` and in the configuration option `user options`; 0: none.
    pub bit: i32,
    /// `DBCC USEROPTIONS` shows it where it is on, in the order of the rows.
    pub is_listed: bool,
    /// `SESSIONPROPERTY` knows it.
    pub is_property: bool,
    /// When it counts.
    pub counts: Counts,
    /// Whether it is on.
    pub get: fn(&Settings) -> bool,
    /// Puts it on or off.
    pub set: fn(&mut Settings, bool),
}

/// A row whose option is the field of that name.
macro_rules! field {
    ($field:ident, $name:literal, $bit:literal) => {
        SetOption {
            name: $name,
            bit: $bit,
            is_listed: $bit != 0,
            is_property: false,
            counts: Counts::Running,
            get: |settings| settings.$field,
            set: |settings, on| settings.$field = on,
        }
    };
}

/// The same for one that `SESSIONPROPERTY` knows too.
macro_rules! property {
    ($field:ident, $name:literal, $bit:literal) => {
        SetOption { is_property: true, ..field!($field, $name, $bit) }
    };
}

const fn ignored(name: &'static str) -> SetOption {
    SetOption {
        name,
        bit: 0,
        is_listed: false,
        is_property: false,
        counts: Counts::Never,
        get: |_| false,
        set: |_, _| {},
    }
}

/// All of them, those that `DBCC USEROPTIONS` shows first and in its order.
pub static SET_OPTIONS: &[SetOption] = &[
    SetOption { counts: Counts::Parsed, ..property!(quoted_identifier, "QUOTED_IDENTIFIER", 256) },
    property!(arithabort, "ARITHABORT", 64),
    // Never both.
    SetOption {
        set: |settings, on| {
            settings.ansi_null_default_on = on;
            settings.ansi_null_default_off &= !on;
        },
        ..field!(ansi_null_default_on, "ANSI_NULL_DFLT_ON", 1024)
    },
    SetOption {
        set: |settings, on| {
            settings.ansi_null_default_off = on;
            settings.ansi_null_default_on &= !on;
        },
        ..field!(ansi_null_default_off, "ANSI_NULL_DFLT_OFF", 2048)
    },
    property!(ansi_warnings, "ANSI_WARNINGS", 8),
    property!(ansi_padding, "ANSI_PADDING", 16),
    SetOption { counts: Counts::OutsideModules, ..property!(ansi_nulls, "ANSI_NULLS", 32) },
    property!(concat_null_yields_null, "CONCAT_NULL_YIELDS_NULL", 4096),
    property!(numeric_roundabort, "NUMERIC_ROUNDABORT", 8192),
    field!(xact_abort, "XACT_ABORT", 16384),
    field!(nocount, "NOCOUNT", 512),
    field!(implicit_transactions, "IMPLICIT_TRANSACTIONS", 2),
    field!(cursor_close_on_commit, "CURSOR_CLOSE_ON_COMMIT", 4),
    SetOption { is_listed: false, ..field!(arithignore, "ARITHIGNORE", 128) },
    field!(statistics_io, "STATISTICS IO", 0),
    field!(statistics_time, "STATISTICS TIME", 0),
    field!(statistics_profile, "STATISTICS PROFILE", 0),
    field!(statistics_xml, "STATISTICS XML", 0),
    field!(noexec, "NOEXEC", 0),
    SetOption { counts: Counts::Parsed, ..field!(parseonly, "PARSEONLY", 0) },
    field!(fmtonly, "FMTONLY", 0),
    field!(forceplan, "FORCEPLAN", 0),
    // There are no remote procedures.
    ignored("REMOTE_PROC_TRANSACTIONS"),
    // No result has the columns of FOR BROWSE.
    ignored("NO_BROWSETABLE"),
    // Constraints are checked when the statement ends.
    ignored("DISABLE_DEF_CNST_CHK"),
    SetOption {
        counts: Counts::ByParts(&ANSI_DEFAULTS),
        get: has_ansi_defaults,
        set: set_ansi_defaults,
        ..ignored("ANSI_DEFAULTS")
    },
];

/// The settings of a new session where the server's `user options` and `two digit year cutoff` are these: what `user
/// options` names is ON beside what is ON anyway.
#[must_use]
pub fn settings_of_server(user_options: i64, year_cutoff: i64) -> Settings {
    let mut settings = Settings::default();
    settings.year_cutoff = u16::try_from(year_cutoff).unwrap_or(settings.year_cutoff);
    let is_named = |option: &&SetOption| option.bit != 0 && user_options & i64::from(option.bit) != 0;
    SET_OPTIONS.iter().filter(is_named).for_each(|option| (option.set)(&mut settings, true));
    settings
}

/// What SET ANSI_DEFAULTS puts on or off.
const ANSI_DEFAULTS: [&str; 7] = [
    "ANSI_NULLS",
    "ANSI_NULL_DFLT_ON",
    "ANSI_PADDING",
    "ANSI_WARNINGS",
    "CURSOR_CLOSE_ON_COMMIT",
    "IMPLICIT_TRANSACTIONS",
    "QUOTED_IDENTIFIER",
];

fn has_ansi_defaults(settings: &Settings) -> bool {
    ANSI_DEFAULTS.iter().all(|name| set_option(name).is_some_and(|option| (option.get)(settings)))
}

fn set_ansi_defaults(settings: &mut Settings, on: bool) {
    ANSI_DEFAULTS.iter().filter_map(|name| set_option(name)).for_each(|option| (option.set)(settings, on));
}

impl SetOption {
    /// Does what a SET of the option does when it runs, in a module or outside of one.
    pub fn run(&self, settings: &mut Settings, on: bool, in_module: bool) {
        match self.counts {
            Counts::Parsed | Counts::Never => {}
            Counts::OutsideModules if in_module => {}
            Counts::Running | Counts::OutsideModules => (self.set)(settings, on),
            Counts::ByParts(parts) => {
                parts.iter().filter_map(|name| set_option(name)).for_each(|part| part.run(settings, on, in_module));
            }
        }
    }
}

/// The option of that name, upper case.
#[must_use]
pub fn set_option(name: &str) -> Option<&'static SetOption> {
    SET_OPTIONS.iter().find(|option| option.name == name)
}

/// The bits of `@@OPTIONS`.
#[must_use]
pub fn options_bits(settings: &Settings) -> i32 {
    SET_OPTIONS.iter().filter(|option| (option.get)(settings)).map(|option| option.bit).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_has_a_name_and_a_bit_of_its_own_and_keeps_what_is_set() {
        let (mut names, mut bits) = (std::collections::HashSet::new(), 0);
        for option in SET_OPTIONS {
            assert!(names.insert(option.name), "{} is there twice (O1)", option.name);
            assert_eq!(bits & option.bit, 0, "{}: another option has its bit (O1)", option.name);
            bits |= option.bit;
            if option.counts == Counts::Never {
                continue;
            }
            let mut settings = Settings::default();
            for on in [true, false, true] {
                (option.set)(&mut settings, on);
                assert_eq!((option.get)(&settings), on, "{}", option.name);
            }
        }
    }

    #[test]
    fn the_bits_of_a_new_session_are_those_of_odbc() {
        assert_eq!(options_bits(&Settings::default()), 5496);
    }
}
