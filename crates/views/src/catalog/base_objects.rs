//! What every database has of the server's own: the system base tables of SQL Server, its three service queues and its
//! internal tables. `sys.objects` and `sys.columns` list them before what users made.
//!
//! What always holds: they are names in the catalog and nothing more. No query can read them, as in SQL Server without the
//! dedicated administrator connection, and no name resolves to one of them. Their numbers are SQL Server's, but those of the
//! internal tables without a number in their name.

use millpond_catalog::SystemColumn;
use millpond_types::{MaxLen, SqlType};

const BIGINT: SqlType = SqlType::BigInt;
const DATETIME: SqlType = SqlType::DateTime;
const GUID: SqlType = SqlType::UniqueIdentifier;
const INT: SqlType = SqlType::Int;
const SMALLINT: SqlType = SqlType::SmallInt;
const SYSNAME: SqlType = SqlType::SYSNAME;
const TINYINT: SqlType = SqlType::TinyInt;
const CHAR2: SqlType = SqlType::char(2);

const fn nvarchar(units: u16) -> SqlType {
    SqlType::NVarChar { len: MaxLen::Limited(units) }
}

const fn varbinary(bytes: u16) -> SqlType {
    SqlType::VarBinary { len: MaxLen::Limited(bytes) }
}

/// A column that is never NULL.
const fn col(name: &'static str, sql: SqlType) -> SystemColumn {
    SystemColumn { name, sql, nullable: false }
}

/// A column that may be NULL.
const fn null(name: &'static str, sql: SqlType) -> SystemColumn {
    SystemColumn { name, sql, nullable: true }
}

/// A base table, queue or internal table.
pub struct BaseObject {
    /// `object_id`
    pub id: i32,
    /// Name.
    pub name: &'static str,
    /// `schema_id`
    pub schema_id: i32,
    /// `parent_object_id`
    pub parent: i32,
    /// `type`, without blanks.
    pub kind: &'static str,
    /// Its columns, of the base tables of which they are known.
    pub columns: &'static [SystemColumn],
}

const fn table(id: i32, name: &'static str, columns: &'static [SystemColumn]) -> BaseObject {
    BaseObject { id, name, schema_id: 4, parent: 0, kind: "S", columns }
}

const fn internal(id: i32, name: &'static str) -> BaseObject {
    BaseObject { id, name, schema_id: 4, parent: 0, kind: "IT", columns: &[] }
}

/// All of them.
pub static BASE_OBJECTS: &[BaseObject] = &[
    table(
        3,
        "sysrscols",
        &[
            col("rsid", BIGINT),
            col("rscolid", INT),
            col("hbcolid", INT),
            col("rcmodified", BIGINT),
            col("ti", INT),
            col("cid", INT),
            col("ordkey", SMALLINT),
            col("maxinrowlen", SMALLINT),
            col("status", INT),
            col("offset", INT),
            col("nullbit", INT),
            col("bitpos", SMALLINT),
            null("colguid", varbinary(16)),
            col("ordlock", INT),
        ],
    ),
    table(
        5,
        "sysrowsets",
        &[
            col("rowsetid", BIGINT),
            col("ownertype", TINYINT),
            col("idmajor", INT),
            col("idminor", INT),
            col("numpart", INT),
            col("status", INT),
            col("fgidfs", SMALLINT),
            col("rcrows", BIGINT),
            col("cmprlevel", TINYINT),
            col("fillfact", TINYINT),
            col("maxnullbit", SMALLINT),
            col("maxleaf", INT),
            col("maxint", SMALLINT),
            col("minleaf", SMALLINT),
            col("minint", SMALLINT),
            null("rsguid", varbinary(16)),
            null("lockres", varbinary(8)),
            null("scope_id", INT),
        ],
    ),
    table(6, "sysclones", &[]),
    table(
        7,
        "sysallocunits",
        &[
            col("auid", BIGINT),
            col("type", TINYINT),
            col("ownerid", BIGINT),
            col("status", INT),
            col("fgid", SMALLINT),
            col("pgfirst", SqlType::Binary { len: 6 }),
            col("pgroot", SqlType::Binary { len: 6 }),
            col("pgfirstiam", SqlType::Binary { len: 6 }),
            col("pcused", BIGINT),
            col("pcdata", BIGINT),
            col("pcreserved", BIGINT),
        ],
    ),
    table(8, "sysfiles1", &[]),
    table(9, "sysseobjvalues", &[]),
    table(17, "syspriorities", &[]),
    table(18, "sysdbfrag", &[]),
    table(19, "sysfgfrag", &[]),
    table(
        20,
        "sysdbfiles",
        &[col("dbfragid", INT), col("fileid", INT), col("fileguid", GUID), null("pname", nvarchar(260))],
    ),
    table(21, "syspru", &[]),
    table(22, "sysbrickfiles", &[]),
    table(23, "sysphfg", &[]),
    table(24, "sysprufiles", &[]),
    table(25, "sysftinds", &[]),
    table(27, "sysowners", &[]),
    table(28, "sysdbreg", &[]),
    table(
        29,
        "sysprivs",
        &[
            col("class", TINYINT),
            col("id", INT),
            col("subid", INT),
            col("grantee", INT),
            col("grantor", INT),
            col("type", SqlType::char(4)),
            col("state", SqlType::char(1)),
        ],
    ),
    table(
        34,
        "sysschobjs",
        &[
            col("id", INT),
            col("name", SYSNAME),
            col("nsid", INT),
            col("nsclass", TINYINT),
            col("status", INT),
            col("type", CHAR2),
            col("pid", INT),
            col("pclass", TINYINT),
            col("intprop", INT),
            col("created", DATETIME),
            col("modified", DATETIME),
            col("status2", INT),
        ],
    ),
    table(35, "syscsrowgroups", &[]),
    table(36, "sysextsources", &[]),
    table(37, "sysexttables", &[]),
    table(38, "sysextfileformats", &[]),
    table(40, "sysmultiobjvalues", &[]),
    table(
        41,
        "syscolpars",
        &[
            col("id", INT),
            col("number", SMALLINT),
            col("colid", INT),
            null("name", SYSNAME),
            col("xtype", TINYINT),
            col("utype", INT),
            col("length", SMALLINT),
            col("prec", TINYINT),
            col("scale", TINYINT),
            col("collationid", INT),
            col("status", INT),
            col("maxinrow", SMALLINT),
            col("xmlns", INT),
            col("dflt", INT),
            col("chk", INT),
            null("idtval", varbinary(64)),
        ],
    ),
    table(42, "sysxlgns", &[]),
    table(43, "sysxsrvs", &[]),
    table(
        44,
        "sysnsobjs",
        &[
            col("class", TINYINT),
            col("id", INT),
            col("name", SYSNAME),
            col("nsid", INT),
            col("status", INT),
            col("intprop", INT),
            col("created", DATETIME),
            col("modified", DATETIME),
        ],
    ),
    table(45, "sysusermsgs", &[]),
    table(46, "syscerts", &[]),
    table(47, "sysrmtlgns", &[]),
    table(48, "syslnklgns", &[]),
    table(
        49,
        "sysxprops",
        &[
            col("class", TINYINT),
            col("id", INT),
            col("subid", INT),
            col("name", SYSNAME),
            null("value", SqlType::Variant),
        ],
    ),
    table(
        50,
        "sysscalartypes",
        &[
            col("id", INT),
            col("schid", INT),
            col("name", SYSNAME),
            col("xtype", TINYINT),
            col("length", SMALLINT),
            col("prec", TINYINT),
            col("scale", TINYINT),
            col("collationid", INT),
            col("status", INT),
            col("created", DATETIME),
            col("modified", DATETIME),
            col("dflt", INT),
            col("chk", INT),
        ],
    ),
    table(51, "systypedsubobjs", &[]),
    table(
        54,
        "sysidxstats",
        &[
            col("id", INT),
            col("indid", INT),
            null("name", SYSNAME),
            col("status", INT),
            col("intprop", INT),
            col("fillfact", TINYINT),
            col("type", TINYINT),
            col("tinyprop", TINYINT),
            col("dataspace", INT),
            col("lobds", INT),
            col("rowset", BIGINT),
        ],
    ),
    table(
        55,
        "sysiscols",
        &[
            col("idmajor", INT),
            col("idminor", INT),
            col("subid", INT),
            col("status", INT),
            col("intprop", INT),
            col("tinyprop1", TINYINT),
            col("tinyprop2", TINYINT),
            col("tinyprop3", TINYINT),
        ],
    ),
    table(56, "sysendpts", &[]),
    table(57, "syswebmethods", &[]),
    table(
        58,
        "sysbinobjs",
        &[
            col("class", TINYINT),
            col("id", INT),
            col("nsid", INT),
            col("name", SYSNAME),
            col("status", INT),
            col("type", CHAR2),
            col("intprop", INT),
            col("created", DATETIME),
            col("modified", DATETIME),
        ],
    ),
    table(59, "sysaudacts", &[]),
    table(
        60,
        "sysobjvalues",
        &[
            col("valclass", TINYINT),
            col("objid", INT),
            col("subobjid", INT),
            col("valnum", INT),
            null("value", SqlType::Variant),
            null("imageval", SqlType::VarBinary { len: MaxLen::Max }),
        ],
    ),
    table(62, "syscscolsegments", &[]),
    table(63, "syscsdictionaries", &[]),
    table(
        64,
        "sysclsobjs",
        &[
            col("class", TINYINT),
            col("id", INT),
            col("name", SYSNAME),
            col("status", INT),
            col("type", CHAR2),
            col("intprop", INT),
            col("created", DATETIME),
            col("modified", DATETIME),
        ],
    ),
    table(
        65,
        "sysrowsetrefs",
        &[
            col("class", TINYINT),
            col("objid", INT),
            col("indexid", INT),
            col("rowsetnum", INT),
            col("rowsetid", BIGINT),
            col("status", INT),
        ],
    ),
    table(67, "sysremsvcbinds", &[]),
    table(68, "sysxmitqueue", &[]),
    table(69, "sysrts", &[]),
    table(71, "sysconvgroup", &[]),
    table(72, "sysdesend", &[]),
    table(73, "sysdercv", &[]),
    table(
        74,
        "syssingleobjrefs",
        &[
            col("class", TINYINT),
            col("depid", INT),
            col("depsubid", INT),
            col("indepid", INT),
            col("indepsubid", INT),
            col("status", INT),
        ],
    ),
    table(
        75,
        "sysmultiobjrefs",
        &[
            col("class", TINYINT),
            col("depid", INT),
            col("depsubid", INT),
            col("indepid", INT),
            col("indepsubid", INT),
            col("status", INT),
        ],
    ),
    table(
        78,
        "sysguidrefs",
        &[col("class", TINYINT), col("id", INT), col("subid", INT), col("guid", GUID), col("status", INT)],
    ),
    table(79, "sysfoqueues", &[]),
    table(80, "syschildinsts", &[]),
    table(82, "syscompfragments", &[]),
    table(84, "sysftsemanticsdb", &[]),
    table(85, "sysftstops", &[]),
    table(86, "sysftproperties", &[]),
    table(87, "sysxmitbody", &[]),
    table(89, "sysfos", &[]),
    table(90, "sysqnames", &[col("qid", INT), col("hash", INT), col("nid", INT), col("name", nvarchar(4000))]),
    table(91, "sysxmlcomponent", &[]),
    table(92, "sysxmlfacet", &[]),
    table(93, "sysxmlplacement", &[]),
    table(94, "sysobjkeycrypts", &[]),
    table(95, "sysasymkeys", &[]),
    table(96, "syssqlguides", &[]),
    table(97, "sysbinsubobjs", &[]),
    table(98, "syssoftobjrefs", &[]),
    BaseObject {
        id: 1_977_058_079,
        name: "QueryNotificationErrorsQueue",
        schema_id: 1,
        parent: 0,
        kind: "SQ",
        columns: &[],
    },
    BaseObject { parent: 1_977_058_079, ..internal(1_993_058_136, "queue_messages_1977058079") },
    BaseObject {
        id: 2_009_058_193,
        name: "EventNotificationErrorsQueue",
        schema_id: 1,
        parent: 0,
        kind: "SQ",
        columns: &[],
    },
    BaseObject { parent: 2_009_058_193, ..internal(2_025_058_250, "queue_messages_2009058193") },
    BaseObject { id: 2_041_058_307, name: "ServiceBrokerQueue", schema_id: 1, parent: 0, kind: "SQ", columns: &[] },
    BaseObject { parent: 2_041_058_307, ..internal(2_057_058_364, "queue_messages_2041058307") },
    internal(2_073_058_421, "filestream_tombstone_2073058421"),
    internal(2_089_058_478, "syscommittab"),
    internal(2_105_058_535, "filetable_updates_2105058535"),
    internal(1_600_000_000, "plan_persist_query_text"),
    internal(1_616_000_057, "plan_persist_query"),
    internal(1_632_000_114, "plan_persist_plan"),
    internal(1_648_000_171, "plan_persist_runtime_stats"),
    internal(1_664_000_228, "plan_persist_runtime_stats_interval"),
    internal(1_680_000_285, "plan_persist_context_settings"),
    internal(1_696_000_342, "plan_persist_query_hints"),
    internal(1_712_000_399, "plan_persist_query_template_parameterization"),
    internal(1_728_000_456, "plan_persist_wait_stats"),
    internal(1_744_000_513, "plan_persist_plan_feedback"),
    internal(1_760_000_570, "plan_persist_query_variant"),
    internal(1_776_000_627, "plan_persist_replicas"),
    internal(1_792_000_684, "plan_persist_plan_forcing_locations"),
    internal(1_808_000_741, "sqlagent_jobs"),
    internal(1_824_000_798, "sqlagent_jobsteps"),
    internal(1_840_000_855, "sqlagent_job_history"),
    internal(1_856_000_912, "sqlagent_jobsteps_logs"),
    internal(1_872_000_969, "persistent_version_store"),
    internal(1_888_001_026, "persistent_version_store_long_term"),
];
