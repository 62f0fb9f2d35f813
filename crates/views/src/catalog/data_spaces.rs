//! Views of filegroups, partition functions and schemes: `sys.data_spaces`, `filegroups`, `partition_functions`,
//! `partition_parameters`, `partition_range_values`, `partition_schemes`, `destination_data_spaces`.

use std::sync::Arc;

use millpond_catalog::Within;
use millpond_catalog::data_space::{DataSpaces as Spaces, PRIMARY};
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::collation::Collation;
use millpond_types::{DateTime, Value};

use crate::columns::{Char, Guid, NVarChar, Sysname, Variant, datetime_of, int, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.data_spaces`.
    struct DataSpaces {
        name: Sysname,
        data_space_id: i32,
        r#type: Char<2>,
        type_desc: Option<NVarChar<60>>,
        is_default: Option<bool>,
        is_system: Option<bool>,
    }
}

/// `sys.data_spaces`: filegroups and partition schemes.
pub static DATA_SPACES: ViewDef = view("sys", "data_spaces", &ViewRows(data_spaces));

row! {
    /// A row of `sys.filegroups`.
    struct Filegroups {
        space: DataSpaces,
        filegroup_guid: Option<Guid>,
        log_filegroup_id: Option<i32>,
        is_read_only: Option<bool>,
        is_autogrow_all_files: Option<bool>,
    }
}

/// `sys.filegroups`
pub static FILEGROUPS: ViewDef = view("sys", "filegroups", &ViewRows(filegroups));

row! {
    /// A row of `sys.partition_functions`.
    struct PartitionFunctions {
        name: Option<Sysname>,
        function_id: Option<i32>,
        r#type: Option<Char<2>>,
        type_desc: Option<NVarChar<60>>,
        fanout: Option<i32>,
        boundary_value_on_right: Option<bool>,
        is_system: Option<bool>,
        create_date: Option<DateTime>,
        modify_date: Option<DateTime>,
    }
}

/// `sys.partition_functions`
pub static PARTITION_FUNCTIONS: ViewDef = view("sys", "partition_functions", &ViewRows(functions));

row! {
    /// A row of `sys.partition_parameters`.
    struct PartitionParameters {
        function_id: Option<i32>,
        parameter_id: Option<i32>,
        system_type_id: Option<u8>,
        max_length: Option<i16>,
        precision: Option<u8>,
        scale: Option<u8>,
        collation_name: Option<Sysname>,
        user_type_id: Option<i32>,
    }
}

/// `sys.partition_parameters`: each function has one.
pub static PARTITION_PARAMETERS: ViewDef = view("sys", "partition_parameters", &ViewRows(parameters));

row! {
    /// A row of `sys.partition_range_values`.
    struct PartitionRangeValues {
        function_id: Option<i32>,
        boundary_id: Option<i32>,
        parameter_id: Option<i32>,
        value: Option<Variant>,
    }
}

/// `sys.partition_range_values`
pub static PARTITION_RANGE_VALUES: ViewDef = view("sys", "partition_range_values", &ViewRows(range_values));

row! {
    /// A row of `sys.partition_schemes`.
    struct PartitionSchemes {
        name: Option<Sysname>,
        data_space_id: Option<i32>,
        r#type: Option<Char<2>>,
        type_desc: Option<NVarChar<60>>,
        is_default: Option<bool>,
        is_system: Option<bool>,
        function_id: Option<i32>,
    }
}

/// `sys.partition_schemes`
pub static PARTITION_SCHEMES: ViewDef = view("sys", "partition_schemes", &ViewRows(schemes));

row! {
    /// A row of `sys.destination_data_spaces`.
    struct DestinationDataSpaces {
        partition_scheme_id: i32,
        destination_id: i32,
        data_space_id: i32,
    }
}

/// `sys.destination_data_spaces`: the filegroup of each partition of each scheme, then the next used one.
pub static DESTINATION_DATA_SPACES: ViewDef = view("sys", "destination_data_spaces", &ViewRows(destinations));

/// Those of a database.
pub(crate) fn spaces_of(ctx: &RunContext, database: Within<'_>) -> SqlResult<Arc<Spaces>> {
    Ok(Arc::clone(inventory::definitions(ctx, database)?.data_spaces()))
}

fn group_rows(spaces: &Spaces) -> impl Iterator<Item = DataSpaces> {
    spaces.filegroups.iter().map(|group| DataSpaces {
        name: text(&group.name),
        data_space_id: group.id,
        r#type: text("FG"),
        type_desc: Some(text("ROWS_FILEGROUP")),
        is_default: Some(group.id == spaces.default_group),
        is_system: Some(false),
    })
}

fn data_spaces(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DataSpaces>> {
    let spaces = spaces_of(ctx, database)?;
    let schemes = spaces.schemes.iter().map(|scheme| DataSpaces {
        name: text(&scheme.name),
        data_space_id: scheme.id,
        r#type: text("PS"),
        type_desc: Some(text("PARTITION_SCHEME")),
        is_default: Some(false),
        is_system: Some(false),
    });
    Ok(group_rows(&spaces).chain(schemes).collect())
}

fn filegroups(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Filegroups>> {
    let spaces = spaces_of(ctx, database)?;
    let in_tempdb = database.database == DbId::TEMPDB;
    let rows = group_rows(&spaces).zip(&spaces.filegroups).map(|(space, group)| Filegroups {
        space,
        filegroup_guid: None,
        log_filegroup_id: None,
        is_read_only: Some(group.is_read_only),
        is_autogrow_all_files: Some(group.grows_all || group.id == PRIMARY && in_tempdb),
    });
    Ok(rows.collect())
}

fn functions(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<PartitionFunctions>> {
    let spaces = spaces_of(ctx, database)?;
    let rows = spaces.functions.iter().map(|function| PartitionFunctions {
        name: Some(text(&function.name)),
        function_id: Some(function.id),
        r#type: Some(text("R")),
        type_desc: Some(text("RANGE")),
        fanout: Some(int(function.partitions() as u32)),
        boundary_value_on_right: Some(function.is_right),
        is_system: Some(false),
        create_date: Some(datetime_of(function.times_us.0)),
        modify_date: Some(datetime_of(function.times_us.1)),
    });
    Ok(rows.collect())
}

fn parameters(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<PartitionParameters>> {
    let spaces = spaces_of(ctx, database)?;
    let rows = spaces.functions.iter().map(|function| {
        let sql = &function.sql;
        let (precision, scale) = sql.precision_scale();
        PartitionParameters {
            function_id: Some(function.id),
            parameter_id: Some(1),
            system_type_id: Some(sql.system_type_id()),
            max_length: Some(inventory::max_length(sql)),
            precision: Some(precision),
            scale: Some(scale),
            collation_name: sql.is_string().then(|| text(Collation::default().name())),
            user_type_id: Some(int(sql.system_type_id())),
        }
    });
    Ok(rows.collect())
}

fn range_values(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<PartitionRangeValues>> {
    let spaces = spaces_of(ctx, database)?;
    let mut rows = Rows::new();
    for function in &spaces.functions {
        rows.extend(function.boundaries.iter().zip(1..).map(|(value, number)| PartitionRangeValues {
            function_id: Some(function.id),
            boundary_id: Some(number),
            parameter_id: Some(1),
            value: (*value != Value::Null).then(|| Variant::of(function.sql, value.clone())),
        }));
    }
    Ok(rows)
}

fn schemes(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<PartitionSchemes>> {
    let spaces = spaces_of(ctx, database)?;
    let rows = spaces.schemes.iter().map(|scheme| PartitionSchemes {
        name: Some(text(&scheme.name)),
        data_space_id: Some(scheme.id),
        r#type: Some(text("PS")),
        type_desc: Some(text("PARTITION_SCHEME")),
        is_default: Some(false),
        is_system: Some(false),
        function_id: Some(scheme.function),
    });
    Ok(rows.collect())
}

fn destinations(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DestinationDataSpaces>> {
    let spaces = spaces_of(ctx, database)?;
    let mut rows = Rows::new();
    for scheme in &spaces.schemes {
        let groups = scheme.groups.iter().copied().chain(scheme.next_used);
        rows.extend(groups.zip(1..).map(|(group, number)| DestinationDataSpaces {
            partition_scheme_id: scheme.id,
            destination_id: number,
            data_space_id: group,
        }));
    }
    Ok(rows)
}
