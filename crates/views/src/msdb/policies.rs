//! Policy-Based Management: policies, their conditions, categories and evaluations.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{DateTime, SqlType, Value};

use crate::catalog::nothing::nothing;
use crate::columns::{Guid, NVarChar, NVarCharMax, Sysname, Variant, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `dbo.syspolicy_configuration`.
    struct SyspolicyConfiguration {
        name: Sysname,
        current_value: Option<Variant>,
    }
}

/// `dbo.syspolicy_configuration`: policies are off, and keep no history.
pub(super) static SYSPOLICY_CONFIGURATION: ViewDef = view("dbo", "syspolicy_configuration", &ViewRows(configuration));

fn configuration(_ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<SyspolicyConfiguration>> {
    let row = |name| SyspolicyConfiguration {
        name: text(name),
        current_value: Some(Variant::of(SqlType::Int, Value::Int(0))),
    };
    Ok(["Enabled", "HistoryRetentionInDays", "LogOnSuccess"].map(row).into_iter().collect())
}

nothing! {
    in "dbo":
    SYSPOLICY_CONDITIONS SyspolicyConditions "syspolicy_conditions" { condition_id: i32, name: Sysname,
        date_created: DateTime, description: NVarCharMax, created_by: Sysname, modified_by: Sysname,
        date_modified: DateTime, is_name_condition: i16, facet: NVarCharMax, expression: NVarCharMax,
        obj_name: Sysname, }
    SYSPOLICY_POLICIES SyspolicyPolicies "syspolicy_policies" { policy_id: i32, name: Sysname, condition_id: i32,
        root_condition_id: i32, date_created: DateTime, execution_mode: i32, policy_category: i32,
        schedule_uid: Guid, description: NVarCharMax, help_text: NVarChar<4000>, help_link: NVarChar<2083>,
        object_set_id: i32, is_enabled: bool, job_id: Guid, created_by: Sysname, modified_by: Sysname,
        date_modified: DateTime, }
    SYSPOLICY_POLICY_CATEGORIES SyspolicyPolicyCategories "syspolicy_policy_categories" { policy_category_id: i32,
        name: Sysname, mandate_database_subscriptions: bool, }
    SYSPOLICY_POLICY_CATEGORY_SUBSCRIPTIONS SyspolicyPolicyCategorySubscriptions "syspolicy_policy_category_subscriptions" {
        policy_category_subscription_id: i32, target_type: Sysname, target_object: Sysname, policy_category_id: i32,
        }
    SYSPOLICY_POLICY_EXECUTION_HISTORY SyspolicyPolicyExecutionHistory "syspolicy_policy_execution_history" {
        history_id: i64, policy_id: i32, start_date: DateTime, end_date: DateTime, result: bool,
        exception_message: NVarCharMax, exception: NVarCharMax, }
    SYSPOLICY_POLICY_EXECUTION_HISTORY_DETAILS SyspolicyPolicyExecutionHistoryDetails "syspolicy_policy_execution_history_details" {
        detail_id: i64, history_id: i64, target_query_expression: NVarCharMax, execution_date: DateTime,
        result: bool, result_detail: NVarCharMax, exception_message: NVarCharMax, exception: NVarCharMax, }
    SYSPOLICY_SYSTEM_HEALTH_STATE SyspolicySystemHealthState "syspolicy_system_health_state" { health_state_id: i64,
        policy_id: i32, last_run_date: DateTime, target_query_expression_with_id: NVarChar<400>,
        target_query_expression: NVarCharMax, result: bool, }
}
