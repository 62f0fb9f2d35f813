//! `sys.database_scoped_configurations`: what ALTER DATABASE SCOPED CONFIGURATION has set in the current database.

use millpond_catalog::scoped_configuration::{OPTIONS, ScopedConfiguration, ScopedOption, Takes};
use millpond_catalog::system_view::ViewDef;
use millpond_types::{MaxLen, SqlType, Value};

use crate::columns::{NVarChar, Variant, text};
use crate::row::{ViewRows, row, view};

row! {
    /// A row of `sys.database_scoped_configurations`.
    struct Configuration {
        configuration_id: i32,
        name: NVarChar<60>,
        value: Option<Variant>,
        value_for_secondary: Option<Variant>,
        is_value_default: bool,
    }
}

/// `sys.database_scoped_configurations`
pub static DATABASE_SCOPED_CONFIGURATIONS: ViewDef = view(
    "sys",
    "database_scoped_configurations",
    &ViewRows(|ctx, database| {
        let dictionary = ctx.engine.databases().dictionary(database.database)?;
        let scoped = &dictionary.catalog().objects().scoped;
        Ok(OPTIONS.iter().map(|option| of(option, scoped)).collect())
    }),
);

fn of(option: &'static ScopedOption, scoped: &ScopedConfiguration) -> Configuration {
    let shown = |kept: &str| {
        let (base, value) = match option.takes {
            Takes::Word(_) => (SqlType::NVarChar { len: MaxLen::Limited(60) }, Value::str(kept)),
            Takes::Switch | Takes::Number(_) => (SqlType::Int, kept.parse().map_or(Value::Null, Value::Int)),
        };
        Variant::of(base, value)
    };
    let value = scoped.value(option);
    let for_secondary = scoped.0.get(&option.id).and_then(|said| said.for_secondary.as_deref());
    Configuration {
        configuration_id: option.id,
        name: text(option.name),
        value: Some(shown(value)),
        value_for_secondary: for_secondary.map(shown),
        is_value_default: value == option.default,
    }
}
