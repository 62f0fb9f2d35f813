//! Servers and their endpoints: `sys.servers`, `sysservers`, `sys.endpoints`, `sys.tcp_endpoints`. There is this one server; linked ones
//! are refused by name.

use millpond_catalog::Within;
use millpond_catalog::run::Run;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{DateTime, DateTimeOffset};

use crate::columns::{Char, NVarChar, Sysname, datetime_of, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.servers`.
    struct Servers {
        server_id: i32,
        name: Sysname,
        product: Sysname,
        provider: Sysname,
        data_source: Option<NVarChar<4000>>,
        location: Option<NVarChar<4000>>,
        provider_string: Option<NVarChar<4000>>,
        catalog: Option<Sysname>,
        connect_timeout: Option<i32>,
        query_timeout: Option<i32>,
        is_linked: bool,
        is_remote_login_enabled: bool,
        is_rpc_out_enabled: bool,
        is_data_access_enabled: bool,
        is_collation_compatible: bool,
        uses_remote_collation: bool,
        collation_name: Option<Sysname>,
        lazy_schema_validation: bool,
        is_system: bool,
        is_publisher: bool,
        is_subscriber: Option<bool>,
        is_distributor: Option<bool>,
        is_nonsql_subscriber: Option<bool>,
        is_remote_proc_transaction_promotion_enabled: Option<bool>,
        modify_date: DateTime,
        is_rda_server: Option<bool>,
    }
}

/// `sys.servers`
pub static SERVERS: ViewDef = view("sys", "servers", &ViewRows(servers));

row! {
    /// A row of `sys.dm_server_services`.
    struct DmServerServices {
        servicename: NVarChar<256>,
        startup_type: Option<i32>,
        startup_type_desc: NVarChar<256>,
        status: Option<i32>,
        status_desc: NVarChar<256>,
        process_id: Option<i32>,
        last_startup_time: Option<DateTimeOffset>,
        service_account: NVarChar<256>,
        filename: NVarChar<256>,
        is_clustered: NVarChar<1>,
        cluster_nodename: Option<NVarChar<256>>,
        instant_file_initialization_enabled: NVarChar<1>,
    }
}

/// `sys.dm_server_services`: this one; it was started by hand as far as it knows.
pub static DM_SERVER_SERVICES: ViewDef = view("sys", "dm_server_services", &ViewRows(services));

fn services(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmServerServices>> {
    let start = ctx.engine.instance().start_time();
    let offset_min = (start.local_us() - start.utc_us) / 60_000_000;
    let utc = millpond_catalog::clock::datetime2_of_unix_us(start.utc_us);
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default();
    Ok(Rows::one(DmServerServices {
        servicename: text("SQL Server (MSSQLSERVER)"),
        startup_type: Some(3),
        startup_type_desc: text("Manual"),
        status: Some(4),
        status_desc: text("Running"),
        process_id: Some(i32::try_from(std::process::id()).unwrap_or(i32::MAX)),
        last_startup_time: DateTimeOffset::from_utc(utc, i16::try_from(offset_min).unwrap_or(0)),
        service_account: text(""),
        filename: text(&program),
        is_clustered: text("N"),
        cluster_nodename: None,
        instant_file_initialization_enabled: text("Y"),
    }))
}

row! {
    /// A row of `sysservers`.
    struct Sysservers {
        srvid: Option<i16>,
        srvstatus: Option<i16>,
        srvname: Sysname,
        srvproduct: Sysname,
        providername: Sysname,
        datasource: Option<NVarChar<4000>>,
        location: Option<NVarChar<4000>>,
        providerstring: Option<NVarChar<4000>>,
        schemadate: DateTime,
        topologyx: Option<i32>,
        topologyy: Option<i32>,
        catalog: Option<Sysname>,
        srvcollation: Option<Sysname>,
        connecttimeout: Option<i32>,
        querytimeout: Option<i32>,
        srvnetname: Option<Char<30>>,
        isremote: Option<bool>,
        rpc: bool,
        r#pub: bool,
        sub: Option<bool>,
        dist: Option<bool>,
        dpub: Option<bool>,
        rpcout: bool,
        dataaccess: bool,
        collationcompatible: bool,
        system: bool,
        useremotecollation: bool,
        lazyschemavalidation: bool,
        collation: Option<Sysname>,
        nonsqlsub: Option<bool>,
    }
}

/// `sysservers`
pub static SYSSERVERS: ViewDef = view("sys", "sysservers", &ViewRows(old_servers));

row! {
    /// A row of `sys.endpoints`.
    struct Endpoints {
        name: Sysname,
        endpoint_id: i32,
        principal_id: i32,
        protocol: u8,
        protocol_desc: Option<NVarChar<60>>,
        r#type: u8,
        type_desc: Option<NVarChar<60>>,
        state: Option<u8>,
        state_desc: Option<NVarChar<60>>,
        is_admin_endpoint: bool,
    }
}

/// `sys.endpoints`
pub static ENDPOINTS: ViewDef = view("sys", "endpoints", &ViewRows(|_, _| Ok(Rows::one(endpoint()))));

row! {
    /// A row of `sys.tcp_endpoints`.
    struct TcpEndpoints {
        endpoint: Endpoints,
        port: i32,
        is_dynamic_port: bool,
        ip_address: Option<NVarChar<45>>,
    }
}

/// `sys.tcp_endpoints`: the port is 0, as that of the default endpoint of SQL Server is; where the server listens its log says.
pub static TCP_ENDPOINTS: ViewDef = view(
    "sys",
    "tcp_endpoints",
    &ViewRows(|_, _| {
        Ok(Rows::one(TcpEndpoints { endpoint: endpoint(), port: 0, is_dynamic_port: false, ip_address: None }))
    }),
);

/// What the server is to itself.
const PRODUCT: &str = "SQL Server";
const PROVIDER: &str = "SQLNCLI";

fn servers(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<Servers>> {
    let name = ctx.catalog().server().server_name();
    Ok(Rows::one(Servers {
        server_id: 0,
        name: text(&name),
        product: text(PRODUCT),
        provider: text(PROVIDER),
        data_source: Some(text(&name)),
        location: None,
        provider_string: None,
        catalog: None,
        connect_timeout: Some(0),
        query_timeout: Some(0),
        is_linked: false,
        is_remote_login_enabled: true,
        is_rpc_out_enabled: true,
        is_data_access_enabled: false,
        is_collation_compatible: false,
        uses_remote_collation: true,
        collation_name: None,
        lazy_schema_validation: false,
        is_system: false,
        is_publisher: false,
        is_subscriber: Some(false),
        is_distributor: Some(false),
        is_nonsql_subscriber: Some(false),
        is_remote_proc_transaction_promotion_enabled: Some(false),
        modify_date: started(ctx),
        is_rda_server: Some(false),
    }))
}

/// Bits of `srvstatus`: RPC, RPC out, uses the remote collation.
const STATUS: i16 = 1 | 64 | 1024;

fn old_servers(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<Sysservers>> {
    let name = ctx.catalog().server().server_name();
    Ok(Rows::one(Sysservers {
        srvid: Some(0),
        srvstatus: Some(STATUS),
        srvname: text(&name),
        srvproduct: text(PRODUCT),
        providername: text(PROVIDER),
        datasource: Some(text(&name)),
        location: None,
        providerstring: None,
        schemadate: started(ctx),
        topologyx: Some(0),
        topologyy: Some(0),
        catalog: None,
        srvcollation: None,
        connecttimeout: Some(0),
        querytimeout: Some(0),
        srvnetname: Some(text(&format!("{name:<30.30}"))),
        isremote: Some(true),
        rpc: true,
        r#pub: false,
        sub: Some(false),
        dist: Some(false),
        dpub: Some(false),
        rpcout: true,
        dataaccess: false,
        collationcompatible: false,
        system: false,
        useremotecollation: true,
        lazyschemavalidation: false,
        collation: None,
        nonsqlsub: Some(false),
    }))
}

/// The server names itself when it starts.
fn started(ctx: &RunContext) -> DateTime {
    datetime_of(ctx.engine.instance().start_time().local_us())
}

fn endpoint() -> Endpoints {
    Endpoints {
        name: text("TSQL Default TCP"),
        endpoint_id: 4,
        principal_id: 1,
        protocol: 2,
        protocol_desc: Some(text("TCP")),
        r#type: 2,
        type_desc: Some(text("TSQL")),
        state: Some(0),
        state_desc: Some(text("STARTED")),
        is_admin_endpoint: false,
    }
}
