//! `millpond.toml`: what no T-SQL statement can set, because it must be known before the first one runs.
//!
//! What always holds: an absent key means its default, an unknown key is an error, and an error names file,
//! line and key. [`TEMPLATE`] is the one source of the documentation; a test reads it back. It knows no sockets and no
//! storage beyond the shape of tempdb's files and of the devices under all files.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use millpond_device::{DeviceProfile, Hierarchy, HierarchyError, Placement};
use millpond_engine::logins::PasswordPolicy;
use millpond_storage::file::growth::PAGES_PER_MB;
use millpond_storage::file::tier::Tier;
use millpond_storage::pool::EvictionPolicy;
use millpond_storage::settings::tempdb::{
    DEFAULT_GROWTH, DEFAULT_PAGES, DeviceKind, GrowthConfig, TempFileConfig, TempdbConfig,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::address;
use crate::address::DEFAULT_PORT;

/// Most connections, by default.
pub const DEFAULT_CONNECTIONS_MAX: usize = 32_767 - 51;

/// A commented `millpond.toml` with all keys and their defaults: prose begins with `# `, a key with `#`.
pub const TEMPLATE: &str = r##"# millpond.toml: what no T-SQL statement can set. Every key is optional; the values shown are the defaults.
# The command line wins over this file, MSSQL_SA_PASSWORD over sa_password.

[server]

# Where the databases, the certificate and the settings live. Without it everything is in memory and gone at the end.
#data_dir = "millpond-data"

# Where data files and logs of new databases lie, and backups, whose place no statement says; absent: in data_dir.
#default_data_dir = "data"
#default_log_dir = "log"
#default_backup_dir = "backup"

# The collation of the server, which its system databases get at the first start and new databases from them; empty: the default.
#collation = ""

# Address and port, or one of them. "0.0.0.0:1433" listens on all networks; that needs a password of your own.
#listen = "127.0.0.1:1433"

# More clients than this are refused with error 17809.
#max_connections = 32716

# Upper bound of memory in MB, whatever 'max server memory' says; 0 = three quarters of the machine.
#max_server_memory_mb = 0

# Which pages leave memory when it is needed for others. "s3-fifo": pages that were read or made and not used again, before
# those in use; "clock": all alike, by their recent uses, as in SQL Server and PostgreSQL.
#eviction_policy = "s3-fifo"

# Whether the Agent runs jobs.
#agent = true

# Whether what the server does is recorded in data_dir: a sample a second, in one file of 34 MB (docs/seeing.md).
#history = true

# The password of sa. Empty: the stored one; when there is none, one is generated and shown once.
#sa_password = ""

[tls]

# "off": no TLS; "offered": the client decides; "required": clients without TLS are refused.
#mode = "offered"

# Certificate chain and key in PEM; empty: a self-signed certificate, made at the first start and kept in data_dir.
#certificate = ""
#key = ""

[http]

# Address and port of the page in a browser, and of /metrics, /healthz and /readyz; empty: none. Beyond loopback it is HTTPS,
# with the certificate of [tls].
#listen = ""

# Names that browsers may call the page by, beside localhost and addresses: those of a proxy in front of it. Beyond loopback any.
#names = []

# Whoever asks for /metrics says it (Authorization: Bearer …). Empty: /metrics is for loopback alone.
#metrics_token = ""

# A folder of experiments' reports (`millpond lab run … --out`) that those who are logged in may read; empty: none.
#reports = ""

[password_policy]

# What CHECK_POLICY and CHECK_EXPIRATION of logins ask for, as a policy of Windows does. Days until a password expires; 0: never.
#max_age_days = 42

# So many wrong passwords one after the other lock a login (error 18486); 0: none do. It is open again after so many minutes
# (0: by ALTER LOGIN … UNLOCK alone), after a start, and the wrong ones are forgotten so many minutes after the last.
#lockout_attempts = 0
#lockout_minutes = 30
#reset_minutes = 30

# Files of tempdb. They hold until ALTER DATABASE changes them, and again when this file is edited. Without any:
# one data file of 8 MB per processor, at most eight, and one log file.
#
# The first data file is the primary one; "ram" files live in this process, "file" files anywhere, so also on /dev/shm.
# tier = 1 is filled first (the default), 2 when all files of tier 1 are full, 3 when those are too; overflow = true is
# another word for 3. A tier that has space again is used again.
#
#[[tempdb.file]]
#name = "tempdev"
#device = "ram"
#size = "200MB"
#max_size = "200MB"
#growth = "0MB"
#
#[[tempdb.file]]
#name = "overflow"
#device = "file"
#path = "tempdb_overflow.ndf"
#size = "8MB"
#max_size = "unlimited"
#growth = "64MB"
#tier = 3
#
#[[tempdb.file]]
#name = "templog"
#log = true
#size = "8MB"
#growth = "10%"

# Emulated devices, for experiments: a file that a [[placement]] puts on one takes the device's time. Models:
#   "file"            the file at its own speed, counted (sys.dm_millpond_volume_io)
#   "ram"             memory, no time at all
#   "disk-10k-sata", "disk-10k-sas"   an arm, turning platters and a queue that the drive sorts
#   "ssd", "pcie-flash", "array"      flash: latency and bandwidth, reads and writes apart; several links
#   "measured"        what `millpond probe --out` has written
#   "stripe", "mirror"                made of others: members = ["sas1", "sas2"]
# `millpond probe NAME` shows what a model does. What is absent has the model's default; other keys are refused.
#
# backing: where the bytes are: "file" (the files themselves) or "ram" (gone with the process).
# clock: "real": a request really takes its time; "virtual": waits are skipped, and all times that the server shows
# contain them; "frozen": the same, and nothing but waits for devices takes time. One for all devices.
# capacity_mb: its size; absent: it grows with its files, and a disk's arm travels over all of it.
#
#[device.sas1]
#model = "disk-10k-sas"
#backing = "file"
#clock = "real"
#rpm = 10000
#seek_ms = 3.8
#track_seek_ms = 0.4
#transfer_mb_s = 100
#command_us = 60
#queue_depth = 64
#
# A controller cache in front of it; what is not for reads holds writes. With a battery a sync need not wait for the
# disk; ignores_sync (without a battery) acknowledges syncs all the same, and a power cut loses what was promised.
#
#[device.sas1.cache]
#size_mb = 512
#read_percent = 25
#battery = true
#ignores_sync = false
#latency_us = 100
#bus_mb_s = 400
#read_ahead_kb = 256
#destage_percent = 50
#
#[device.card]
#model = "pcie-flash"
#read_latency_us = 50
#write_latency_us = 30
#read_mb_s = 700
#write_mb_s = 600
#channels = 25
#links = 1
#link_mb_s = 1000
#
#[device.card2]
#model = "pcie-flash"
#
#[device.pair]
#model = "stripe"
#members = ["card", "card2"]
#stripe_kb = 64
#
# Which files lie on a device: a file, or a directory with all below it, from data_dir on. The first that matches decides.
#
#[[placement]]
#path = "tpcc.mdf"
#device = "sas1"
#
#[[placement]]
#path = "flash"
#device = "pair"
"##;

/// What `millpond.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// `[server]`
    pub server: ServerSection,
    /// `[tls]`
    pub tls: TlsSection,
    /// `[http]`
    pub http: HttpSection,
    /// `[password_policy]`
    pub password_policy: PasswordPolicySection,
    /// `[tempdb]`
    pub tempdb: TempdbSection,
    /// `[device.NAME]`
    pub device: BTreeMap<String, DeviceProfile>,
    /// `[[placement]]`
    pub placement: Vec<Placement>,
}

/// `[server]`
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSection {
    /// Where everything lives; `None`: in memory.
    pub data_dir: Option<PathBuf>,
    /// Where data files of new databases lie, if not there.
    pub default_data_dir: Option<PathBuf>,
    /// The same of their logs.
    pub default_log_dir: Option<PathBuf>,
    /// The same of backups.
    pub default_backup_dir: Option<PathBuf>,
    /// The server's, at its first start; empty: the default.
    pub collation: String,
    /// Address and port, as [`address::parse`] reads them.
    #[serde(deserialize_with = "address_of")]
    pub listen: SocketAddr,
    /// Most connections.
    pub max_connections: usize,
    /// Upper bound of memory; 0 = the default share of the machine.
    pub max_server_memory_mb: u64,
    /// Which pages leave memory when it is needed for others.
    pub eviction_policy: EvictionPolicy,
    /// Whether the Agent runs jobs.
    pub agent: bool,
    /// Whether the history is recorded, where there is a data directory.
    pub history: bool,
    /// Password of sa, or empty.
    pub sa_password: String,
}

impl Default for ServerSection {
    fn default() -> Self {
        Self {
            data_dir: None,
            default_data_dir: None,
            default_log_dir: None,
            default_backup_dir: None,
            collation: String::new(),
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), DEFAULT_PORT),
            max_connections: DEFAULT_CONNECTIONS_MAX,
            max_server_memory_mb: 0,
            eviction_policy: EvictionPolicy::default(),
            agent: true,
            history: true,
            sa_password: String::new(),
        }
    }
}

fn address_of<'de, D: Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    address::parse(&String::deserialize(from)?).map_err(D::Error::custom)
}

/// Whether there is TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TlsMode {
    /// None.
    Off,
    /// The client decides.
    #[default]
    Offered,
    /// Clients without it are refused.
    Required,
}

/// `[tls]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TlsSection {
    /// Certificate chain, PEM; empty: self-signed.
    pub certificate: PathBuf,
    /// Its key, PEM.
    pub key: PathBuf,
    /// Whether there is TLS.
    pub mode: TlsMode,
}

/// `[http]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HttpSection {
    /// Address and port of the page; `None`: there is none.
    #[serde(deserialize_with = "address_or_empty")]
    pub listen: Option<SocketAddr>,
    /// Names that a page on loopback may be called by.
    pub names: Vec<String>,
    /// What those who ask for metrics have to say; empty: nothing, from loopback alone.
    pub metrics_token: String,
    /// The folder of reports; empty: none.
    pub reports: PathBuf,
}

fn address_or_empty<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() { Ok(None) } else { address::parse_page(&text).map(Some).map_err(D::Error::custom) }
}

/// `[password_policy]`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PasswordPolicySection {
    /// Days until a password expires; 0: never.
    pub max_age_days: u32,
    /// Wrong passwords that lock a login; 0: none do.
    pub lockout_attempts: u32,
    /// Minutes that it is locked; 0: until UNLOCK.
    pub lockout_minutes: u32,
    /// Minutes after the last wrong one.
    pub reset_minutes: u32,
}

impl Default for PasswordPolicySection {
    fn default() -> Self {
        let PasswordPolicy { max_age_days, lockout_attempts, lockout_minutes, reset_minutes } =
            PasswordPolicy::default();
        Self { max_age_days, lockout_attempts, lockout_minutes, reset_minutes }
    }
}

impl PasswordPolicySection {
    /// As the engine takes it.
    #[must_use]
    pub fn policy(&self) -> PasswordPolicy {
        let Self { max_age_days, lockout_attempts, lockout_minutes, reset_minutes } = *self;
        PasswordPolicy { max_age_days, lockout_attempts, lockout_minutes, reset_minutes }
    }
}

/// `[tempdb]`
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TempdbSection {
    /// `[[tempdb.file]]`
    pub file: Vec<TempdbFile>,
}

/// `[[tempdb.file]]`
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TempdbFile {
    /// Logical name.
    pub name: String,
    /// Operating system or memory.
    #[serde(default)]
    pub device: DeviceKind,
    /// Where; `None`: in the data directory.
    #[serde(default)]
    pub path: Option<PathBuf>,
    /// SIZE
    #[serde(default)]
    pub size: FileSize,
    /// MAXSIZE
    #[serde(default)]
    pub max_size: MaxSize,
    /// FILEGROWTH
    #[serde(default)]
    pub growth: FileGrowth,
    /// When it gives space; `overflow = true` is another word for the last one.
    #[serde(default, alias = "overflow")]
    pub tier: Tier,
    /// A log file.
    #[serde(default)]
    pub log: bool,
}

/// A size such as "200MB".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct FileSize {
    pages: u32,
}

impl Default for FileSize {
    fn default() -> Self {
        Self { pages: DEFAULT_PAGES }
    }
}

/// A size, or "unlimited".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct MaxSize {
    pages: Option<u32>,
}

/// A size, or a share such as "10%".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct FileGrowth(GrowthConfig);

impl Default for FileGrowth {
    fn default() -> Self {
        Self(DEFAULT_GROWTH.into())
    }
}

/// A size that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// No number, or no unit.
    #[error("'{0}' is no size; write a number and KB, MB, GB or TB, as in \"200MB\"")]
    Form(String),
    /// More than a file can have.
    #[error("'{0}' is more than a file can have (32 TB)")]
    TooLarge(String),
}

fn pages_of(text: &str) -> Result<u32, SizeError> {
    let form = || SizeError::Form(text.to_owned());
    let trimmed = text.trim();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = trimmed.split_at(digits);
    let number: u64 = number.parse().map_err(|_| form())?;
    let kb = match unit.trim().to_ascii_uppercase().as_str() {
        // Nothing has no unit, as in FILEGROWTH = 0.
        "" if number == 0 => 1,
        "KB" => 1,
        "MB" => 1 << 10,
        "GB" => 1 << 20,
        "TB" => 1 << 30,
        _ => return Err(form()),
    };
    let pages = number
        .checked_mul(kb)
        .map(|kb| kb.div_ceil(1024 / u64::from(PAGES_PER_MB)))
        .and_then(|pages| u32::try_from(pages).ok());
    pages.ok_or_else(|| SizeError::TooLarge(text.to_owned()))
}

impl TryFrom<String> for FileSize {
    type Error = SizeError;

    fn try_from(text: String) -> Result<Self, SizeError> {
        Ok(Self { pages: pages_of(&text)? })
    }
}

impl TryFrom<String> for MaxSize {
    type Error = SizeError;

    fn try_from(text: String) -> Result<Self, SizeError> {
        if text.eq_ignore_ascii_case("unlimited") {
            return Ok(Self { pages: None });
        }
        Ok(Self { pages: Some(pages_of(&text)?) })
    }
}

impl TryFrom<String> for FileGrowth {
    type Error = SizeError;

    fn try_from(text: String) -> Result<Self, SizeError> {
        if let Some(percent) = text.trim().strip_suffix('%') {
            let percent = percent.trim().parse();
            let percent = percent.map_err(|_| SizeError::Form(text.clone()))?;
            return Ok(Self(GrowthConfig::Percent(percent)));
        }
        Ok(Self(GrowthConfig::Pages(pages_of(&text)?)))
    }
}

impl TempdbSection {
    /// The files as storage wants them; `None` when the configuration names none.
    #[must_use]
    pub fn to_storage(&self) -> Option<TempdbConfig> {
        let files = self.file.iter().map(|file| TempFileConfig {
            name: file.name.clone(),
            path: file.path.clone(),
            device: file.device,
            size_pages: file.size.pages,
            max_pages: file.max_size.pages,
            growth: file.growth.0,
            tier: file.tier,
            log: file.log,
        });
        (!self.file.is_empty()).then(|| TempdbConfig { files: files.collect() })
    }
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// File.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is wrong.
    #[error("{}, line {line}{}: {reason}", path.display(), key.as_ref().map_or(String::new(), |key| format!(", {key}")))]
    Content {
        /// File.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// Section and key, where the line has one.
        key: Option<String>,
        /// What is wrong.
        reason: String,
    },
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, path)
    }

    /// Reads a text; `path` is for messages.
    ///
    /// # Errors
    /// [`ConfigError::Content`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let config: Config = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start).min(text.len());
            let (line, key) = place(text, at);
            ConfigError::Content { path: path.to_owned(), line, key, reason: error.message().replace('\n', " ") }
        })?;
        config.hierarchy().check().map_err(|error| config_error(&error, text, path))?;
        Ok(config)
    }

    /// The devices, and what lies on them.
    #[must_use]
    pub fn hierarchy(&self) -> Hierarchy {
        Hierarchy { devices: self.device.clone(), placements: self.placement.clone() }
    }
}

/// The error with the line of its key, or of its section where the key is absent.
fn config_error(error: &HierarchyError, text: &str, path: &Path) -> ConfigError {
    let (steps, key, reason) = match error {
        HierarchyError::Device { device, error } => {
            let keys = error.key.split('.').map(PathStep::Key);
            let steps: Vec<PathStep<'_>> =
                [PathStep::Key("device"), PathStep::Key(device)].into_iter().chain(keys).collect();
            (steps, format!("device.{device}.{}", error.key), error.reason.clone())
        }
        HierarchyError::Placement { number, key, reason } => (
            vec![PathStep::Key("placement"), PathStep::Item(*number), PathStep::Key(key)],
            format!("placement.{key}"),
            reason.clone(),
        ),
    };
    let line = text[..offset_of(text, &steps)].matches('\n').count() + 1;
    ConfigError::Content { path: path.to_owned(), line, key: Some(key), reason }
}

/// A step into a document.
#[derive(Clone, Copy)]
enum PathStep<'a> {
    Key(&'a str),
    Item(usize),
}

/// Where the deepest of the steps begins that the text has.
fn offset_of(text: &str, steps: &[PathStep<'_>]) -> usize {
    use toml::de::{DeTable, DeValue};
    let Ok(document) = DeTable::parse(text) else { return 0 };
    let mut offset = 0;
    let root = DeValue::Table(document.into_inner());
    let mut at = &root;
    for step in steps {
        let found = match (step, at) {
            (PathStep::Key(key), DeValue::Table(table)) => table.iter().find(|(name, _)| name.get_ref() == key),
            (PathStep::Item(number), DeValue::Array(items)) => {
                let Some(item) = items.get(*number) else { break };
                (offset, at) = (item.span().start, item.get_ref());
                continue;
            }
            _ => None,
        };
        let Some((name, value)) = found else { break };
        (offset, at) = (name.span().start, value.get_ref());
    }
    offset.min(text.len())
}

/// Line, and section with key, of an offset.
fn place(text: &str, at: usize) -> (usize, Option<String>) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let whole = text.lines().nth(line - 1).unwrap_or("").trim();
    let section = text
        .lines()
        .take(line)
        .filter(|line| line.trim_start().starts_with('['))
        .last()
        .map(|line| line.trim().trim_matches(['[', ']']).to_owned());
    let key = whole.split_once('=').map(|(key, _)| key.trim().to_owned()).filter(|key| !key.is_empty());
    let key = match (section, key) {
        (Some(section), Some(key)) => Some(format!("{section}.{key}")),
        (section, key) => key.or(section),
    };
    (line, key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(text, Path::new("millpond.toml"))
    }

    #[test]
    fn the_template_says_the_defaults() {
        assert_eq!(parse(TEMPLATE).unwrap(), Config::default());
        let all: String = TEMPLATE
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(key) if !key.is_empty() && !key.starts_with(' ') => format!("{key}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let config = parse(&all).unwrap();
        let folder = |name: &str| Some(PathBuf::from(name));
        let default = ServerSection {
            data_dir: folder("millpond-data"),
            default_data_dir: folder("data"),
            default_log_dir: folder("log"),
            default_backup_dir: folder("backup"),
            ..ServerSection::default()
        };
        assert_eq!(config.server, default);
        assert_eq!((config.tls, config.http), (TlsSection::default(), HttpSection::default()));
        assert_eq!(config.tempdb.file.len(), 3);
        let files = config.tempdb.to_storage().unwrap().files;
        assert_eq!(files[0].device, DeviceKind::Ram);
        assert_eq!(files[0].max_pages, Some(200 * PAGES_PER_MB));
        assert_eq!(files[1].max_pages, None);
        assert_eq!(files[1].tier, Tier::LAST);
        assert_eq!(files[2].growth, GrowthConfig::Percent(10));
        assert_eq!(config.device.len(), 4);
        assert_eq!(config.device["sas1"].cache.as_ref().map(|cache| cache.size_mb), Some(512));
        assert_eq!(config.placement[1].device, "pair");
    }

    /// Nonsense in each kind of place, as it is reported.
    #[test]
    fn errors_of_devices_name_line_and_key() {
        let error_text = |text: &str| parse(text).unwrap_err().to_string();
        let cases = [
            (
                "[device.d]\nmodel = \"disk-10k-sas\"\nrpm = 10000\nseek_ms = -4\n",
                "millpond.toml, line 4, device.d.seek_ms: -4 is not between 0 and 1000",
            ),
            (
                "[server]\n\n[device.d]\nmodel = \"ssd\"\n\n[device.d.cache]\nsize_mb = 64\nread_percent = 130\n",
                "millpond.toml, line 8, device.d.cache.read_percent: 130 is not between 0 and 100",
            ),
            (
                "[device.d]\nmodel = \"ssd\"\nrpm = 7200\n",
                "millpond.toml, line 3, device.d.rpm: the model 'ssd' has no such key",
            ),
            (
                "[device.d]\nmodel = \"stripe\"\n",
                "millpond.toml, line 1, device.d.members: a stripe needs two devices or more, \
                 as in members = [\"a\", \"b\"]",
            ),
            (
                "[device.a]\nmodel = \"ssd\"\n[device.d]\nmodel = \"mirror\"\nmembers = [\"a\", \"b\"]\n",
                "millpond.toml, line 5, device.d.members: there is no [device.b]",
            ),
            (
                "[device.a]\nmodel = \"ssd\"\n[[placement]]\npath = \"x\"\ndevice = \"a\"\n\
                 [[placement]]\npath = \"y\"\ndevice = \"b\"\n",
                "millpond.toml, line 8, placement.device: there is no [device.b]",
            ),
            (
                "[device.a]\nmodel = \"ssd\"\nclock = \"frozen\"\n[device.b]\nmodel = \"ssd\"\n",
                "millpond.toml, line 4, device.b.clock: all devices take their time from one clock; \
                 another device has a different one",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(error_text(text), expected);
        }
        let model = error_text("[device.d]\nmodel = \"tape\"\n");
        assert!(model.starts_with("millpond.toml, line 2, device.d.model: unknown variant `tape`"), "{model}");
        let unknown = error_text("[device.d]\nmodel = \"ssd\"\nspeed = 3\n");
        assert!(unknown.starts_with("millpond.toml, line 3, device.d.speed: unknown field"), "{unknown}");
        let missing = error_text("[device.d]\nbacking = \"ram\"\n");
        assert!(missing.contains("missing field `model`"), "{missing}");
    }

    #[test]
    fn a_page_has_an_address_or_none() {
        let listen = |text: &str| parse(&format!("[http]\nlisten = \"{text}\"\n")).map(|config| config.http.listen);
        assert_eq!(listen("").unwrap(), None);
        assert_eq!(listen("127.0.0.1:8433").unwrap(), Some(([127, 0, 0, 1], 8433).into()));
        assert_eq!(listen("9000").unwrap(), Some(([127, 0, 0, 1], 9000).into()));
        let wrong = listen("90000").unwrap_err().to_string();
        assert!(wrong.starts_with("millpond.toml, line 2, http.listen: '90000' is no port"), "{wrong}");
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(pages_of("512KB"), Ok(64));
        assert_eq!(pages_of(" 2 gb "), Ok(2048 * PAGES_PER_MB));
        assert_eq!(pages_of("9KB"), Ok(2));
        assert_eq!(pages_of("0"), Ok(0));
        for wrong in ["", "MB", "10", "00x", "10 XB", "-1MB", "1.5GB"] {
            assert!(matches!(pages_of(wrong), Err(SizeError::Form(_))), "{wrong}");
        }
        for large in ["33TB", "99999999999999999TB", "18446744073709551615KB"] {
            assert!(matches!(pages_of(large), Err(SizeError::TooLarge(_))), "{large}");
        }
    }

    #[test]
    fn a_tier_is_a_number_or_overflow() {
        let tier = |line: &str| {
            let parsed = parse(&format!("[[tempdb.file]]\nname = \"a\"\n{line}\n"));
            parsed.map(|config| config.tempdb.file[0].tier.number()).map_err(|error| error.to_string())
        };
        let numbers = ["", "tier = 1", "tier = 2", "tier = 3", "overflow = true", "overflow = false"].map(tier);
        assert_eq!(numbers, [1, 1, 2, 3, 3, 1].map(Ok));
        let unknown = tier("tier = 4").unwrap_err();
        assert!(unknown.starts_with("millpond.toml, line 3, tempdb.file.tier: 4 is no tier"), "{unknown}");
        assert!(tier("tier = \"fast\"").unwrap_err().contains("a tier: 1, 2 or 3"));
        assert!(tier("tier = 2\noverflow = true").unwrap_err().contains("duplicate field"));
    }

    #[test]
    fn errors_name_file_line_and_key() {
        let error_text = |text: &str| parse(text).unwrap_err().to_string();
        let unknown = error_text("[server]\n\nlisen = \"1.2.3.4:5\"\n");
        assert!(unknown.starts_with("millpond.toml, line 3, server.lisen: unknown field"), "{unknown}");
        let address = error_text("[server]\nlisten = \"here\"\n");
        assert!(address.starts_with("millpond.toml, line 2, server.listen:"), "{address}");
        let size = error_text("[[tempdb.file]]\nname = \"a\"\nsize = \"ten\"\n");
        assert!(size.starts_with("millpond.toml, line 3, tempdb.file.size: 'ten' is no size"), "{size}");
        let policy = error_text("[server]\neviction_policy = \"none\"\n");
        assert!(
            policy.starts_with("millpond.toml, line 2, server.eviction_policy: unknown variant `none`"),
            "{policy}"
        );
        let mode = error_text("[tls]\nmode = \"maybe\"");
        assert!(mode.contains("line 2, tls.mode"), "{mode}");
        let syntax = error_text("[server\n");
        assert!(syntax.starts_with("millpond.toml, line 1"), "{syntax}");
        let missing = error_text("[[tempdb.file]]\nsize = \"8MB\"\n");
        assert!(missing.contains("missing field `name`"), "{missing}");
    }
}
