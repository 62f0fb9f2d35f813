//! ALTER DATABASE SCOPED CONFIGURATION: the options by number, and what a database has of them.
//!
//! Of most of them a database keeps what was said and shows it; MAXDOP, VERBOSE_TRUNCATION_WARNINGS and LAST_QUERY_PLAN_STATS are
//! heeded.
//! <https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-database-scoped-configurations-transact-sql>

use std::collections::BTreeMap;

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// ON or OFF; 1 or 0 in the view.
    Switch,
    /// A number up to this one.
    Number(i64),
    /// One of these words.
    Word(&'static [&'static str]),
}

/// An option.
#[derive(Debug)]
pub struct ScopedOption {
    /// Number, as the view has it.
    pub id: i32,
    /// Name.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// What it is where nothing was said.
    pub default: &'static str,
}

const fn option(id: i32, name: &'static str, takes: Takes, default: &'static str) -> ScopedOption {
    ScopedOption { id, name, takes, default }
}

use Takes::{Number, Switch, Word};

/// LAST_QUERY_PLAN_STATS
const LAST_QUERY_PLAN_STATS: i32 = 24;
/// MAXDOP
pub const MAXDOP: i32 = 1;
/// VERBOSE_TRUNCATION_WARNINGS
pub const VERBOSE_TRUNCATION_WARNINGS: i32 = 23;

/// All of them, by number.
#[rustfmt::skip]
pub static OPTIONS: &[ScopedOption] = &[
    option(MAXDOP, "MAXDOP", Number(32_767), "0"),
    option(2, "LEGACY_CARDINALITY_ESTIMATION", Switch, "0"),
    option(3, "PARAMETER_SNIFFING", Switch, "1"),
    option(4, "QUERY_OPTIMIZER_HOTFIXES", Switch, "0"),
    option(6, "IDENTITY_CACHE", Switch, "1"),
    option(7, "INTERLEAVED_EXECUTION_TVF", Switch, "1"),
    option(8, "BATCH_MODE_MEMORY_GRANT_FEEDBACK", Switch, "1"),
    option(9, "BATCH_MODE_ADAPTIVE_JOINS", Switch, "1"),
    option(10, "TSQL_SCALAR_UDF_INLINING", Switch, "1"),
    option(11, "ELEVATE_ONLINE", Word(&["OFF", "WHEN_SUPPORTED", "FAIL_UNSUPPORTED"]), "OFF"),
    option(12, "ELEVATE_RESUMABLE", Word(&["OFF", "WHEN_SUPPORTED", "FAIL_UNSUPPORTED"]), "OFF"),
    option(13, "OPTIMIZE_FOR_AD_HOC_WORKLOADS", Switch, "0"),
    option(14, "XTP_PROCEDURE_EXECUTION_STATISTICS", Switch, "0"),
    option(15, "XTP_QUERY_EXECUTION_STATISTICS", Switch, "0"),
    option(16, "ROW_MODE_MEMORY_GRANT_FEEDBACK", Switch, "1"),
    option(17, "ISOLATE_SECURITY_POLICY_CARDINALITY", Switch, "0"),
    option(18, "BATCH_MODE_ON_ROWSTORE", Switch, "1"),
    option(19, "DEFERRED_COMPILATION_TV", Switch, "1"),
    option(20, "ACCELERATED_PLAN_FORCING", Switch, "1"),
    option(21, "GLOBAL_TEMPORARY_TABLE_AUTO_DROP", Switch, "1"),
    option(22, "LIGHTWEIGHT_QUERY_PROFILING", Switch, "1"),
    option(VERBOSE_TRUNCATION_WARNINGS, "VERBOSE_TRUNCATION_WARNINGS", Switch, "1"),
    option(LAST_QUERY_PLAN_STATS, "LAST_QUERY_PLAN_STATS", Switch, "0"),
    option(25, "PAUSED_RESUMABLE_INDEX_ABORT_DURATION_MINUTES", Number(71_582), "1440"),
    option(27, "EXEC_QUERY_STATS_FOR_SCALAR_FUNCTIONS", Switch, "1"),
    option(28, "PARAMETER_SENSITIVE_PLAN_OPTIMIZATION", Switch, "1"),
    option(29, "ASYNC_STATS_UPDATE_WAIT_AT_LOW_PRIORITY", Switch, "0"),
    option(31, "CE_FEEDBACK", Switch, "1"),
    option(33, "MEMORY_GRANT_FEEDBACK_PERSISTENCE", Switch, "1"),
    option(34, "MEMORY_GRANT_FEEDBACK_PERCENTILE_GRANT", Switch, "1"),
    option(35, "OPTIMIZED_PLAN_FORCING", Switch, "1"),
    option(37, "DOP_FEEDBACK", Switch, "0"),
    option(39, "FORCE_SHOWPLAN_RUNTIME_PARAMETER_COLLECTION", Switch, "0"),
];

impl ScopedOption {
    /// The option of a name in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static ScopedOption> {
        OPTIONS.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// A value as it is kept; none for one that the option does not take.
    #[must_use]
    pub fn kept(&self, said: &str) -> Option<String> {
        let is = |word: &str| said.eq_ignore_ascii_case(word);
        match self.takes {
            Switch if is("ON") => Some("1".to_owned()),
            Switch if is("OFF") => Some("0".to_owned()),
            Switch => None,
            Number(most) => {
                said.parse::<i64>().ok().filter(|number| (0..=most).contains(number)).map(|n| n.to_string())
            }
            Word(words) => words.iter().find(|word| is(word)).map(|word| (*word).to_owned()),
        }
    }
}

/// What was said of an option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopedValue {
    /// For the database; none: the default.
    pub value: Option<String>,
    /// FOR SECONDARY; none: as the database itself.
    pub for_secondary: Option<String>,
}

/// The options that were set for a database, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopedConfiguration(pub BTreeMap<i32, ScopedValue>);

impl ScopedConfiguration {
    /// The value that counts.
    #[must_use]
    pub fn value(&self, option: &'static ScopedOption) -> &str {
        self.0.get(&option.id).and_then(|said| said.value.as_deref()).unwrap_or(option.default)
    }

    /// MAXDOP; 0: the server's.
    #[must_use]
    pub fn max_degree(&self) -> u32 {
        self.0.get(&MAXDOP).and_then(|said| said.value.as_ref()?.parse().ok()).unwrap_or(0)
    }

    /// Whether plans are shown with what their last executions took.
    #[must_use]
    pub fn keeps_last_plans(&self) -> bool {
        self.0.get(&LAST_QUERY_PLAN_STATS).is_some_and(|said| said.value.as_deref() == Some("1"))
    }

    /// Whether the message of a text that is too long says where.
    #[must_use]
    pub fn tells_truncated(&self) -> bool {
        self.0.get(&VERBOSE_TRUNCATION_WARNINGS).is_none_or(|said| said.value.as_deref() != Some("0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_default_is_a_value_that_the_option_keeps() {
        for option in OPTIONS {
            let said = match (option.takes, option.default) {
                (Switch, "0") => "off",
                (Switch, _) => "on",
                (_, default) => default,
            };
            assert_eq!(option.kept(said).as_deref(), Some(option.default), "{}", option.name);
            assert_eq!(option.kept("perhaps"), None, "{}", option.name);
        }
        assert!(OPTIONS.windows(2).all(|pair| pair[0].id < pair[1].id));
    }
}
