//! The names that `OPTION (USE HINT ('…'))` takes, in upper case. It does not know what any of them does.

/// What `USE HINT` takes.
const NAMED: [&str; 27] = [
    "ABORT_QUERY_EXECUTION",
    "ASSUME_FULL_INDEPENDENCE_FOR_FILTER_ESTIMATES",
    "ASSUME_JOIN_PREDICATE_DEPENDS_ON_FILTERS",
    "ASSUME_MIN_SELECTIVITY_FOR_FILTER_ESTIMATES",
    "ASSUME_PARTIAL_CORRELATION_FOR_FILTER_ESTIMATES",
    "DISABLE_BATCH_MODE_ADAPTIVE_JOINS",
    "DISABLE_BATCH_MODE_MEMORY_GRANT_FEEDBACK",
    "DISABLE_CE_FEEDBACK",
    "DISABLE_DEFERRED_COMPILATION_TV",
    "DISABLE_DOP_FEEDBACK",
    "DISABLE_INTERLEAVED_EXECUTION_TVF",
    "DISABLE_MEMORY_GRANT_FEEDBACK_PERSISTENCE",
    "DISABLE_OPTIMIZED_NESTED_LOOP",
    "DISABLE_OPTIMIZED_PLAN_FORCING",
    "DISABLE_OPTIMIZER_ROWGOAL",
    "DISABLE_PARAMETER_SENSITIVE_PLAN",
    "DISABLE_PARAMETER_SENSITIVE_PLAN_OPTIMIZATION",
    "DISABLE_PARAMETER_SNIFFING",
    "DISABLE_RESULT_SET_CACHE",
    "DISABLE_ROW_MODE_MEMORY_GRANT_FEEDBACK",
    "DISABLE_TSQL_SCALAR_UDF_INLINING",
    "DISALLOW_BATCH_MODE",
    "ENABLE_HIST_AMENDMENT_FOR_ASC_KEYS",
    "ENABLE_QUERY_OPTIMIZER_HOTFIXES",
    "FORCE_DEFAULT_CARDINALITY_ESTIMATION",
    "FORCE_LEGACY_CARDINALITY_ESTIMATION",
    "QUERY_PLAN_PROFILE",
];
/// With one of these after it.
const OF_LEVEL: &str = "QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_";
/// The levels.
const LEVELS: [&str; 8] = ["100", "110", "120", "130", "140", "150", "160", "170"];

/// Whether `USE HINT` takes a name.
#[must_use]
pub fn is_known(name: &str) -> bool {
    let is_level = name.strip_prefix(OF_LEVEL).is_some_and(|level| LEVELS.contains(&level));
    is_level || NAMED.contains(&name)
}

/// All names, in no order.
pub fn all() -> impl Iterator<Item = String> {
    let levels = LEVELS.iter().map(|level| format!("{OF_LEVEL}{level}"));
    NAMED.iter().map(|name| (*name).to_owned()).chain(levels)
}
