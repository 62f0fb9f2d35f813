//! The identity of the server and properties of things by name: @@VERSION, SERVERPROPERTY, DATABASEPROPERTYEX,
//! COLLATIONPROPERTY, CONNECTIONPROPERTY, SESSIONPROPERTY.
//!
//! Clients refuse servers whose version they do not know, so the product numbers are those of SQL Server 2022; the name
//! of this server follows in @@VERSION. The properties are `sql_variant`; the base type of each is the documented one.

use std::net::SocketAddr;
use std::path::MAIN_SEPARATOR;

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::run::Run;
use millpond_catalog::run::set_option::set_option;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_storage::database::options::{DatabaseFlag, DatabaseFlag as F, PageVerify};
use millpond_types::{Collation, DateTime, SqlType, Value, Variant};

use crate::FunctionDef;
use crate::args::{SYSNAME, nullable, nvarchar, strict, text, varchar};
use crate::define::{Bind, fixed, pure, strict_eval, strict_eval_in};
use crate::facts::{as_variant, flag, variant_of};

const MAJOR: i32 = 16;
const MINOR: i32 = 0;
const BUILD: i32 = 1000;
/// Major, minor, build, revision.
pub const PRODUCT_VERSION: &str = "16.0.1000.6";
/// Name of the edition.
pub const EDITION: &str = "Developer Edition (64-bit)";
/// The number that belongs to [`EDITION`].
const EDITION_ID: i64 = -2_117_995_310;
/// What Standard, Enterprise and Developer share: 3 is Enterprise.
const ENGINE_EDITION: i32 = 3;
/// Internal version of databases of this product version.
const DATABASE_VERSION: i32 = 957;

const NAME: Bind = |_| strict(vec![], SYSNAME);
const PROPERTY: Bind = |types| nullable(vec![SYSNAME; types.len()], SqlType::Variant);
const ROW_VERSION: Bind = |_| strict(vec![], SqlType::Binary { len: 8 });
const PROPERTY_INT: Bind = |types| nullable(vec![SYSNAME; types.len()], SqlType::Int);

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    fixed("@@VERSION", (0, 0), |_| strict(vec![], nvarchar(300)), |_, _, _, _| Ok(Value::from(version()))),
    fixed(
        "@@MICROSOFTVERSION",
        (0, 0),
        |_| strict(vec![], SqlType::Int),
        |_, _, _, _| Ok(Value::Int(MAJOR << 24 | MINOR << 16 | BUILD)),
    ),
    fixed("@@SERVERNAME", (0, 0), NAME, |ctx, _, _, _| Ok(Value::from(ctx.catalog().server().server_name()))),
    fixed("@@SERVICENAME", (0, 0), NAME, |ctx, _, _, _| Ok(Value::str(ctx.catalog().server().service_name()))),
    fixed("@@DBTS", (0, 0), ROW_VERSION, |ctx, _, _, _| {
        Ok(Value::binary(&ctx.catalog().last_row_version(ctx.facts().database)?.to_be_bytes()))
    }),
    fixed("MIN_ACTIVE_ROWVERSION", (0, 0), ROW_VERSION, |ctx, _, _, _| {
        Ok(Value::binary(&ctx.catalog().least_active_row_version(ctx.facts().database)?.to_be_bytes()))
    }),
    fixed("SERVERPROPERTY", (1, 1), PROPERTY, strict_eval_in!(server_property)),
    fixed("DATABASEPROPERTYEX", (2, 2), PROPERTY, strict_eval_in!(database_property)),
    fixed("CONNECTIONPROPERTY", (1, 1), PROPERTY, strict_eval_in!(connection_property)),
    fixed("SESSIONPROPERTY", (1, 1), PROPERTY, strict_eval_in!(session_property)),
    // There are no assemblies and no full-text service, and of what is not there SQL Server says NULL too.
    fixed("ASSEMBLYPROPERTY", (2, 2), PROPERTY, |_, _, _, _| Ok(Value::Null)),
    fixed("FULLTEXTCATALOGPROPERTY", (2, 2), PROPERTY_INT, |_, _, _, _| Ok(Value::Null)),
    fixed("FULLTEXTSERVICEPROPERTY", (1, 1), PROPERTY_INT, strict_eval!(fulltext_property)),
    pure("COLLATIONPROPERTY", (2, 2), PROPERTY, strict_eval!(collation_property)),
];

/// The text of @@VERSION; clients read its first line.
fn version() -> String {
    format!(
        "Microsoft SQL Server 2022 compatible - {PRODUCT_VERSION} (X64) - Millpond {}\n\t{EDITION} on {} <{}>\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}

fn number(n: impl Into<i32>) -> Value {
    Value::Int(n.into())
}

fn fulltext_property(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let is_installed = text(&args[0]).eq_ignore_ascii_case("IsFulltextInstalled");
    Ok(if is_installed { Value::Int(0) } else { Value::Null })
}

fn server_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let server = ctx.catalog().server();
    // Clients put the names of files behind it.
    let folder = |dir: &Option<String>| {
        let dir = dir.as_deref()?;
        Some(format!("{}{}", dir.trim_end_matches(MAIN_SEPARATOR), MAIN_SEPARATOR))
    };
    // That of the server is that of master.
    let collation = || ctx.catalog().database(DbId::MASTER).map_or_else(Collation::default, |master| master.collation);
    let value = match text(&args[0]).trim_end_matches(' ').to_ascii_lowercase().as_str() {
        "productversion" => Value::str(PRODUCT_VERSION),
        "productmajorversion" => Value::from(MAJOR.to_string()),
        "productminorversion" => Value::from(MINOR.to_string()),
        "productbuild" => Value::from(BUILD.to_string()),
        "productlevel" => Value::str("RTM"),
        "resourceversion" => Value::from(format!("{MAJOR}.{MINOR:02}.{BUILD}")),
        // What system objects there are belongs to the program; the instance has them since its first start.
        "resourcelastupdatedatetime" => {
            let made = ctx.catalog().database(DbId::MASTER).map(|master| master.created_us);
            let at = |us| DateTime::from_datetime2(datetime2_of_unix_us(us)).map(Value::DateTime);
            made.and_then(at).unwrap_or(Value::Null)
        }
        "edition" => Value::str(EDITION),
        "editionid" => Value::BigInt(EDITION_ID),
        "engineedition" => number(ENGINE_EDITION),
        "servername" => Value::from(server.server_name()),
        "machinename" | "computernamephysicalnetbios" => Value::from(server.machine),
        "instancename" => server.instance.into(),
        "processid" => number(ctx.catalog().process_id().cast_signed()),
        "pathseparator" => Value::from(MAIN_SEPARATOR.to_string()),
        "instancedefaultdatapath" => folder(&server.data_dir).into(),
        "instancedefaultlogpath" => folder(&server.log_dir).into(),
        "instancedefaultbackuppath" => folder(&server.backup_dir).into(),
        "collation" => Value::str(collation().name()),
        "collationid" if collation() == Collation::default() => number(872_468_488),
        "comparisonstyle" => number(comparison_style(collation())),
        "lcid" => number(collation().lcid().cast_signed()),
        "sqlcharset" => Value::TinyInt(1),
        "sqlcharsetname" => Value::str("iso_1"),
        "sqlsortorder" => Value::TinyInt(52),
        "sqlsortordername" => Value::str("nocase_iso"),
        "isxtpsupported" => number(1),
        "licensetype" => Value::str("DISABLED"),
        "isclustered"
        | "ishadrenabled"
        | "isintegratedsecurityonly"
        | "issingleuser"
        | "isfulltextinstalled"
        | "isadvancedanalyticsinstalled"
        | "ispolybaseinstalled"
        | "isbigdatacluster"
        | "islocaldb"
        | "isserversuspendedforsnapshotbackup"
        | "suspendeddatabasecount"
        | "istempdbmetadatamemoryoptimized"
        | "isexternalauthenticationonly"
        | "filestreamconfiguredlevel"
        | "filestreameffectivelevel" => number(0),
        _ => Value::Null,
    };
    Ok(as_variant(ctx, value))
}

fn database_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let id = ctx.catalog().database_id(text(&args[0]));
    let Some(database) = id.and_then(|id| ctx.catalog().database(id)) else {
        return Ok(Value::Null);
    };
    let option = |option| flag(database.options.is_on(option));
    let value = match text(&args[1]).trim_end_matches(' ').to_ascii_lowercase().as_str() {
        "collation" => Value::str(database.collation.name()),
        "comparisonstyle" => number(comparison_style(database.collation)),
        "lcid" => number(database.collation.lcid().cast_signed()),
        "sqlsortorder" => Value::TinyInt(database.collation.sort_id()),
        "recovery" => Value::str(database.recovery),
        "status" => Value::str(database.status),
        "useraccess" => Value::str(database.user_access),
        "updateability" => {
            Value::str(if database.options.is_on(DatabaseFlag::ReadOnly) { "READ_ONLY" } else { "READ_WRITE" })
        }
        "version" => number(DATABASE_VERSION),
        "isautoclose" => option(F::AutoClose),
        "isautoshrink" => option(F::AutoShrink),
        "isautocreatestatistics" => option(F::AutoCreateStatistics),
        "isautoupdatestatistics" => option(F::AutoUpdateStatistics),
        "isansinulldefault" => option(F::AnsiNullDefault),
        "isansinullsenabled" => option(F::AnsiNulls),
        "isansipaddingenabled" => option(F::AnsiPadding),
        "isansiwarningsenabled" => option(F::AnsiWarnings),
        "isarithmeticabortenabled" => option(F::ArithAbort),
        "isclosecursorsoncommitenabled" => option(F::CursorCloseOnCommit),
        "isquotedidentifiersenabled" => option(F::QuotedIdentifier),
        "isnullconcat" => option(F::ConcatNullYieldsNull),
        "isnumericroundabortenabled" => option(F::NumericRoundAbort),
        "isrecursivetriggersenabled" => option(F::RecursiveTriggers),
        "islocalcursorsdefault" => option(F::CursorDefaultLocal),
        "isparameterizationforced" => option(F::ParameterizationForced),
        "istornpagedetectionenabled" => flag(database.options.page_verify == PageVerify::TornPageDetection),
        "isclone" => option(F::Clone),
        "isverifiedclone" => option(F::VerifiedClone),
        "isautocreatestatisticsincremental" => option(F::AutoCreateStatisticsIncremental),
        "ismemoryoptimizedelevatetosnapshotenabled" => option(F::MemoryOptimizedElevateToSnapshot),
        "lastgoodcheckdbtime" => {
            let checked = database.last_good_check_us.map(datetime2_of_unix_us).and_then(DateTime::from_datetime2);
            Value::DateTime(checked.unwrap_or_default())
        }
        "isinstandby" | "isfulltextenabled" | "ispublished" | "issubscribed" | "ismergepublished"
        | "issyncwithbackup" => number(0),
        _ => Value::Null,
    };
    Ok(as_variant(ctx, value))
}

fn connection_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let login = &ctx.facts().login;
    let remote = !login.client_address.is_empty();
    let local = |of: fn(SocketAddr) -> Value| login.local.map_or(Value::Null, of);
    let (base, value) = match text(&args[0]).trim_end_matches(' ').to_ascii_lowercase().as_str() {
        "net_transport" | "physical_net_transport" => (nvarchar(40), if remote { "TCP" } else { "Shared memory" }),
        "protocol_type" => (nvarchar(40), "TSQL"),
        "auth_scheme" => (nvarchar(40), "SQL"),
        "local_net_address" => {
            return Ok(variant_of(ctx, varchar(48), local(|end| Value::from(end.ip().to_canonical().to_string()))));
        }
        "local_tcp_port" => return Ok(as_variant(ctx, local(|end| Value::Int(end.port().into())))),
        "client_net_address" if remote => (varchar(48), login.client_address.as_str()),
        "client_net_address" => (varchar(48), "<local machine>"),
        _ => return Ok(Value::Null),
    };
    Ok(variant_of(ctx, base, Value::str(value)))
}

fn session_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let name = text(&args[0]).trim_end_matches(' ').to_ascii_uppercase();
    let Some(option) = set_option(&name).filter(|option| option.is_property) else { return Ok(Value::Null) };
    let on = (option.get)(&ctx.facts().settings);
    Ok(as_variant(ctx, flag(on)))
}

fn collation_property(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let Some(collation) = Collation::by_name(text(&args[0])) else { return Ok(Value::Null) };
    let property = match text(&args[1]).trim_end_matches(' ').to_ascii_lowercase().as_str() {
        "codepage" => collation.page_number(),
        "lcid" => collation.lcid().cast_signed(),
        "comparisonstyle" => comparison_style(collation),
        "version" => collation.version().into(),
        _ => return Ok(Value::Null),
    };
    Ok(Variant::new(SqlType::Int, collation, Value::Int(property)).map_or(Value::Null, Value::from))
}

/// What a collation ignores, by the bits of Windows.
fn comparison_style(collation: Collation) -> i32 {
    let ignores = [
        (collation.is_case_sensitive(), 1),
        (collation.is_accent_sensitive(), 2),
        (collation.is_kana_sensitive(), 65_536),
        (collation.is_width_sensitive(), 131_072),
    ];
    ignores.iter().filter_map(|(counts, bit)| (!counts).then_some(bit)).sum()
}
