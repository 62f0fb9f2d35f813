//! What the environment and `mssql.conf` ask for: SQL Server's variables and those that its users have asked for.
//!
//! What always holds: the environment wins over `mssql.conf`, `MSSQL_SA_PASSWORD` over `SA_PASSWORD`; a value that makes no
//! sense is an error that names its variable; a variable or key that does nothing here has a note that says so. No note and no
//! error has a password in it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use millpond_server::address::{DEFAULT_PORT, parse_page};
use millpond_server::config::{HttpSection, TlsMode, TlsSection};
use millpond_types::Collation;

use super::Failure;
use super::conf::{self, Conf};

/// Accepted, and why they do nothing.
const WITHOUT_EFFECT: [(&str, &str); 9] = [
    ("ACCEPT_EULA", "no licence asks to be accepted"),
    ("MSSQL_PID", "there are no editions, all that there is is in this one"),
    ("MSSQL_LCID", "messages are in English, and a login has its own language"),
    ("MSSQL_DUMP_DIR", "no dumps are written"),
    ("MSSQL_ENABLE_HADR", "there are no availability groups"),
    ("MSSQL_HADR_ENABLED", "there are no availability groups"),
    ("MSSQL_MASTER_LOG_FILE", "the log of master lies beside its data file"),
    ("MSSQL_TELEMETRY_ENABLED", "nothing is sent to anybody"),
    ("MSSQL_RPC_PORT", "there is no transaction coordinator"),
];
/// Heeded.
const HEEDED: [&str; 20] = [
    "MSSQL_SA_PASSWORD",
    "MSSQL_SA_PASSWORD_FILE",
    "MSSQL_TCP_PORT",
    "MSSQL_IP_ADDRESS",
    "MSSQL_MEMORY_LIMIT_MB",
    "MSSQL_COLLATION",
    "MSSQL_DATA_DIR",
    "MSSQL_LOG_DIR",
    "MSSQL_BACKUP_DIR",
    "MSSQL_MASTER_DATA_FILE",
    "MSSQL_ERROR_LOG_FILE",
    "MSSQL_AGENT_ENABLED",
    "MSSQL_FORCE_ENCRYPTION",
    "MSSQL_TLS_CERT",
    "MSSQL_TLS_KEY",
    "MSSQL_DB",
    "MSSQL_DATABASE",
    "MSSQL_USER",
    "MSSQL_PASSWORD",
    "MSSQL_PASSWORD_FILE",
];
/// Keys of `mssql.conf` that are variables too.
const KEYS: [(&str, &str); 14] = [
    ("network.tcpport", "MSSQL_TCP_PORT"),
    ("network.ipaddress", "MSSQL_IP_ADDRESS"),
    ("network.forceencryption", "MSSQL_FORCE_ENCRYPTION"),
    ("network.tlscert", "MSSQL_TLS_CERT"),
    ("network.tlskey", "MSSQL_TLS_KEY"),
    ("memory.memorylimitmb", "MSSQL_MEMORY_LIMIT_MB"),
    ("sqlagent.enabled", "MSSQL_AGENT_ENABLED"),
    ("filelocation.defaultdatadir", "MSSQL_DATA_DIR"),
    ("filelocation.defaultlogdir", "MSSQL_LOG_DIR"),
    ("filelocation.defaultbackupdir", "MSSQL_BACKUP_DIR"),
    ("filelocation.masterdatafile", "MSSQL_MASTER_DATA_FILE"),
    ("filelocation.errorlogfile", "MSSQL_ERROR_LOG_FILE"),
    ("eula.accepteula", "ACCEPT_EULA"),
    ("telemetry.customerfeedback", "MSSQL_TELEMETRY_ENABLED"),
];
const SCRIPTS: &str = "/docker-entrypoint-initdb.d";
const MEMORY_LIMIT_MIN_MB: u64 = 128;

/// All of it.
#[derive(Clone)]
pub struct Settings {
    /// Of sa.
    pub password: Option<String>,
    /// Where clients come.
    pub listen: SocketAddr,
    /// 0 = of the machine, or of its control group.
    pub memory_limit_mb: u64,
    /// Whether the Agent runs jobs.
    pub agent: bool,
    /// Certificate, and whether there must be encryption.
    pub tls: TlsSection,
    /// Where the instance lives.
    pub data: PathBuf,
    /// Where new databases have their data files, if elsewhere.
    pub data_files: Option<PathBuf>,
    /// Their logs.
    pub log_files: Option<PathBuf>,
    /// Backups whose place is not said.
    pub backups: Option<PathBuf>,
    /// Of a new instance.
    pub collation: Option<String>,
    /// Made at the first start.
    pub database: Option<String>,
    /// Login and password, owner of that database.
    pub user: Option<(String, String)>,
    /// Run at the first start.
    pub scripts: PathBuf,
    /// Of the page in a browser, its metrics and health.
    pub http: HttpSection,
    /// What was asked for and is not.
    pub notes: Vec<String>,
}

/// Variables, then keys of the file.
struct Source<'a> {
    environment: &'a BTreeMap<String, String>,
    conf: Conf,
}

impl Source<'_> {
    /// An empty value is none.
    fn get(&self, name: &str) -> Option<&str> {
        let key = KEYS.iter().find(|(_, variable)| *variable == name).and_then(|(key, _)| self.conf.get(*key));
        self.environment.get(name).or(key).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    fn path(&self, name: &str) -> Result<Option<PathBuf>, Failure> {
        let Some(path) = self.get(name).map(PathBuf::from) else { return Ok(None) };
        if path.is_absolute() {
            Ok(Some(path))
        } else {
            Err(wrong(name, &path.display().to_string(), "a path from / on"))
        }
    }

    fn switch(&self, name: &str) -> Result<bool, Failure> {
        let Some(value) = self.get(name) else { return Ok(false) };
        match value.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "y" | "on" => Ok(true),
            "0" | "false" | "no" | "n" | "off" => Ok(false),
            _ => Err(wrong(name, value, "true or false")),
        }
    }

    /// A secret: untrimmed, or the first line of the file that `NAME_FILE` names.
    fn secret(&self, name: &str) -> Result<Option<String>, Failure> {
        if let Some(value) = self.environment.get(name).filter(|value| !value.is_empty()) {
            return Ok(Some(value.clone()));
        }
        let variable = format!("{name}_FILE");
        let Some(path) = self.get(&variable) else { return Ok(None) };
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure(format!("ERROR: {variable}: cannot read '{path}': {error}")))?;
        Ok(text.lines().next().map(str::to_owned))
    }
}

fn wrong(name: &str, value: &str, wanted: &str) -> Failure {
    Failure(format!("ERROR: {name} is '{value}', which is not {wanted}."))
}

/// The file of the error log.
pub fn error_log(environment: &BTreeMap<String, String>, base: &Path) -> PathBuf {
    let conf = read_conf(base).unwrap_or_default();
    let source = Source { environment, conf };
    source.get("MSSQL_ERROR_LOG_FILE").map_or_else(|| base.join("log/errorlog"), PathBuf::from)
}

fn read_conf(base: &Path) -> Result<Conf, Failure> {
    let path = base.join("mssql.conf");
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(Conf::new()) };
    conf::parse(&text)
        .map_err(|line| Failure(format!("ERROR: {}, line {line}: there is no key = value", path.display())))
}

impl Settings {
    /// Reads all of it.
    ///
    /// # Errors
    /// The variable that makes no sense.
    pub fn read(environment: &BTreeMap<String, String>, base: &Path) -> Result<Settings, Failure> {
        let source = Source { environment, conf: read_conf(base)? };
        let password = match source.secret("MSSQL_SA_PASSWORD")? {
            Some(password) => Some(password),
            None => source.secret("SA_PASSWORD")?,
        };
        let database = source.get("MSSQL_DB").or_else(|| source.get("MSSQL_DATABASE")).map(str::to_owned);
        let mut settings = Settings {
            password,
            listen: SocketAddr::new(address(&source)?, port(&source)?),
            memory_limit_mb: memory_limit(&source)?,
            agent: source.switch("MSSQL_AGENT_ENABLED")?,
            tls: tls(&source)?,
            data: data(&source, base)?,
            data_files: source.path("MSSQL_DATA_DIR")?,
            log_files: source.path("MSSQL_LOG_DIR")?,
            backups: source.path("MSSQL_BACKUP_DIR")?,
            collation: collation(&source)?,
            user: user(&source, database.is_some())?,
            database,
            scripts: environment.get("MILLPOND_INITDB_DIR").map_or(SCRIPTS, String::as_str).into(),
            http: http(&source)?,
            notes: notes(&source),
        };
        if settings.user.is_none() && source.secret("MSSQL_PASSWORD")?.is_some() {
            settings.notes.push("MSSQL_PASSWORD does nothing without MSSQL_USER.".to_owned());
        }
        Ok(settings)
    }
}

fn address(source: &Source<'_>) -> Result<IpAddr, Failure> {
    let name = "MSSQL_IP_ADDRESS";
    let Some(value) = source.get(name) else { return Ok(Ipv4Addr::UNSPECIFIED.into()) };
    value.parse().map_err(|_| wrong(name, value, "an IP address"))
}

fn port(source: &Source<'_>) -> Result<u16, Failure> {
    let name = "MSSQL_TCP_PORT";
    let Some(value) = source.get(name) else { return Ok(DEFAULT_PORT) };
    value.parse().ok().filter(|port| *port > 0).ok_or_else(|| wrong(name, value, "a port from 1 to 65535"))
}

fn memory_limit(source: &Source<'_>) -> Result<u64, Failure> {
    let name = "MSSQL_MEMORY_LIMIT_MB";
    let Some(value) = source.get(name) else { return Ok(0) };
    let limit = value.parse().ok().filter(|megabytes| *megabytes >= MEMORY_LIMIT_MIN_MB);
    limit.ok_or_else(|| wrong(name, value, &format!("a number of megabytes, {MEMORY_LIMIT_MIN_MB} at least")))
}

fn collation(source: &Source<'_>) -> Result<Option<String>, Failure> {
    let name = "MSSQL_COLLATION";
    let Some(value) = source.get(name) else { return Ok(None) };
    match Collation::by_name(value).filter(|collation| !collation.is_unicode_only()) {
        Some(collation) => Ok(Some(collation.name().to_owned())),
        None => Err(wrong(name, value, "a collation that a server can have")),
    }
}

fn tls(source: &Source<'_>) -> Result<TlsSection, Failure> {
    let mode = if source.switch("MSSQL_FORCE_ENCRYPTION")? { TlsMode::Required } else { TlsMode::Offered };
    let file = |name| Ok(source.path(name)?.unwrap_or_default());
    Ok(TlsSection { certificate: file("MSSQL_TLS_CERT")?, key: file("MSSQL_TLS_KEY")?, mode })
}

/// The page is there where its address is said; beyond loopback it speaks TLS.
fn http(source: &Source<'_>) -> Result<HttpSection, Failure> {
    let mut http = HttpSection::default();
    let name = "MILLPOND_HTTP";
    if let Some(value) = source.get(name) {
        http.listen = Some(parse_page(value).map_err(|_| wrong(name, value, "an address and a port, or one of them"))?);
    }
    let names = source.get("MILLPOND_HTTP_NAMES").unwrap_or_default();
    http.names = names.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    http.metrics_token = source.secret("MILLPOND_METRICS_TOKEN")?.unwrap_or_default();
    Ok(http)
}

/// Where master lies, there lies the instance.
fn data(source: &Source<'_>, base: &Path) -> Result<PathBuf, Failure> {
    let master = source.path("MSSQL_MASTER_DATA_FILE")?;
    let folder = master.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    Ok(folder.unwrap_or_else(|| base.join("data")))
}

fn user(source: &Source<'_>, has_database: bool) -> Result<Option<(String, String)>, Failure> {
    let Some(name) = source.get("MSSQL_USER") else { return Ok(None) };
    let Some(password) = source.secret("MSSQL_PASSWORD")? else {
        return Err(Failure::new("ERROR: MSSQL_USER is set, and MSSQL_PASSWORD is not."));
    };
    if !has_database {
        return Err(Failure::new("ERROR: MSSQL_USER is set, and MSSQL_DB, which it is to own, is not."));
    }
    Ok(Some((name.to_owned(), password)))
}

fn notes(source: &Source<'_>) -> Vec<String> {
    let idle = WITHOUT_EFFECT.iter().filter(|(name, _)| source.get(name).is_some());
    let mut notes: Vec<String> = idle.map(|(name, why)| format!("{name} does nothing here: {why}.")).collect();
    let is_known = |name: &str| HEEDED.contains(&name) || WITHOUT_EFFECT.iter().any(|(known, _)| *known == name);
    // Kubernetes gives each container the addresses of services: MSSQL_SERVICE_HOST, MSSQL_PORT_1433_TCP.
    let is_of_service = |name: &str| name.contains("_SERVICE_") || name.starts_with("MSSQL_PORT");
    let unknown = source.environment.keys().filter(|name| name.starts_with("MSSQL_"));
    let unknown = unknown.filter(|name| !is_known(name) && !is_of_service(name));
    notes.extend(unknown.map(|name| format!("{name} is not known and does nothing.")));
    let keys = source.conf.keys().filter(|key| !KEYS.iter().any(|(known, _)| known == &key.as_str()));
    notes.extend(keys.map(|key| format!("mssql.conf: {key} does nothing here.")));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Settings, String> {
        let environment = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Settings::read(&environment, Path::new("/nowhere/mssql")).map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_variables_of_the_image_are_heeded() {
        let settings = read(&[
            ("MSSQL_SA_PASSWORD", "Password1"),
            ("SA_PASSWORD", "other"),
            ("MSSQL_TCP_PORT", "1500"),
            ("MSSQL_IP_ADDRESS", "127.0.0.1"),
            ("MSSQL_MEMORY_LIMIT_MB", "2048"),
            ("MSSQL_AGENT_ENABLED", "true"),
            ("MSSQL_MASTER_DATA_FILE", "/data/master/master.mdf"),
            ("MSSQL_DATA_DIR", "/data/user"),
        ])
        .unwrap();
        assert_eq!(settings.password.as_deref(), Some("Password1"));
        assert_eq!(settings.listen, "127.0.0.1:1500".parse().unwrap());
        assert_eq!((settings.memory_limit_mb, settings.agent), (2048, true));
        assert_eq!(settings.data, Path::new("/data/master"));
        assert_eq!(settings.data_files.as_deref(), Some(Path::new("/data/user")));
        assert_eq!(settings.notes, [""; 0]);
    }

    #[test]
    fn without_any_it_is_as_the_image() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.listen, "0.0.0.0:1433".parse().unwrap());
        assert_eq!(settings.data, Path::new("/nowhere/mssql/data"));
        assert_eq!((settings.password, settings.agent, settings.memory_limit_mb), (None, false, 0));
        assert_eq!(read(&[("SA_PASSWORD", "old name")]).unwrap().password.as_deref(), Some("old name"));
    }

    #[test]
    fn a_page_is_there_where_it_is_asked_for() {
        assert_eq!(read(&[]).unwrap().http.listen, None);
        let pairs =
            [("MILLPOND_HTTP", "*:8433"), ("MILLPOND_HTTP_NAMES", "db.example, db"), ("MILLPOND_METRICS_TOKEN", " t")];
        let settings = read(&pairs).unwrap();
        assert_eq!(settings.http.listen, Some("0.0.0.0:8433".parse().unwrap()));
        assert_eq!(
            (settings.http.names, settings.http.metrics_token.as_str()),
            (vec!["db.example".into(), "db".into()], " t")
        );
        assert_eq!(settings.notes, [""; 0]);
    }

    #[test]
    fn what_does_nothing_is_noted() {
        let pairs = [("ACCEPT_EULA", "Y"), ("MSSQL_PID", "Express"), ("MSSQL_NEW", "1"), ("MSSQL_SERVICE_HOST", "::1")];
        let notes = read(&pairs).unwrap().notes;
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(notes[2].starts_with("MSSQL_NEW is not known"), "{notes:?}");
    }

    #[test]
    fn values_without_sense_are_refused() {
        for (name, value) in [
            ("MSSQL_TCP_PORT", "0"),
            ("MSSQL_TCP_PORT", "70000"),
            ("MSSQL_IP_ADDRESS", "localhost"),
            ("MSSQL_MEMORY_LIMIT_MB", "2g"),
            ("MSSQL_AGENT_ENABLED", "maybe"),
            ("MSSQL_DATA_DIR", "data"),
            ("MILLPOND_HTTP", "everywhere"),
        ] {
            let error = read(&[(name, value)]).err().unwrap();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
        assert!(read(&[("MSSQL_USER", "u")]).err().unwrap().contains("MSSQL_PASSWORD"));
        assert!(read(&[("MSSQL_USER", "u"), ("MSSQL_PASSWORD", "p")]).err().unwrap().contains("MSSQL_DB"));
    }

    #[test]
    fn the_file_has_less_to_say_than_the_environment() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(
            dir.path().join("mssql.conf"),
            "[network]\ntcpport = 1600\nipaddress = 127.0.0.1\n[hadr]\nx = 1\n",
        )
        .unwrap();
        let environment = BTreeMap::from([("MSSQL_TCP_PORT".to_owned(), "1700".to_owned())]);
        let settings = Settings::read(&environment, dir.path()).map_err(|failure| failure.to_string()).unwrap();
        assert_eq!(settings.listen, "127.0.0.1:1700".parse().unwrap());
        assert_eq!(settings.notes, ["mssql.conf: hadr.x does nothing here."]);
    }
}
