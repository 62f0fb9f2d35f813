//! The server's certificate: from files that the configuration names, or a self-signed one of its own.
//!
//! What always holds: the key that is written has mode 0600 from its first byte on. The self-signed certificate is made
//! once per data directory, so that a client may pin it. Without a data directory it lives as long as the process.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_tds::tls::{TlsCover, server_config};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{Connection, ServerConfig, ServerConnection};

use crate::config::{TlsMode, TlsSection};

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read, or is no PEM.
    #[error("TLS: {}: {reason}", path.display())]
    File {
        /// File.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Only one of the two was given.
    #[error("TLS: 'certificate' and 'key' go together")]
    Half,
    /// The self-signed one cannot be made.
    #[error("TLS: cannot make a certificate: {0}")]
    Make(#[from] rcgen::Error),
    /// Certificate and key do not belong together, or are of a kind that rustls does not know.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// What connections need for TLS: one configuration for TLS inside PRELOGIN, one for strict mode.
pub struct Certificate {
    in_prelogin: Arc<ServerConfig>,
    strict: Arc<ServerConfig>,
}

impl Certificate {
    /// The certificate of a configuration; `None` when TLS is off.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn load(section: &TlsSection, data_dir: Option<&Path>) -> Result<Option<Self>, CertificateError> {
        if section.mode == TlsMode::Off {
            return Ok(None);
        }
        let given = |path: &Path| !path.as_os_str().is_empty();
        let (chain, key) = match (given(&section.certificate), given(&section.key)) {
            (true, true) => read(&section.certificate, &section.key)?,
            (false, false) => self_signed(data_dir)?,
            _ => return Err(CertificateError::Half),
        };
        let in_prelogin = server_config(chain.clone(), key.clone_key(), false)?;
        let strict = server_config(chain, key, true)?;
        Ok(Some(Self { in_prelogin: Arc::new(in_prelogin), strict: Arc::new(strict) }))
    }

    /// A new server side of a handshake.
    ///
    /// # Errors
    /// Those of rustls.
    pub fn connection(&self, cover: TlsCover) -> Result<Connection, rustls::Error> {
        let config = match cover {
            TlsCover::Strict => &self.strict,
            TlsCover::Full | TlsCover::LoginOnly => &self.in_prelogin,
        };
        Ok(Connection::Server(ServerConnection::new(Arc::clone(config))?))
    }
}

type ChainAndKey = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn read(certificate: &Path, key: &Path) -> Result<ChainAndKey, CertificateError> {
    let wrong = |path: &Path, reason: String| CertificateError::File { path: path.to_owned(), reason };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(certificate, error.to_string()))?;
    if chain.is_empty() {
        return Err(wrong(certificate, "there is no certificate in it".into()));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    Ok((chain, key))
}

fn self_signed(data_dir: Option<&Path>) -> Result<ChainAndKey, CertificateError> {
    let Some(dir) = data_dir else {
        let made = make()?;
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        return Ok((vec![made.cert.der().clone()], key));
    };
    let (certificate, key) = (dir.join("tls_certificate.pem"), dir.join("tls_key.pem"));
    if !(certificate.exists() && key.exists()) {
        let made = make()?;
        write(&key, &made.signing_key.serialize_pem(), 0o600)?;
        write(&certificate, &made.cert.pem(), 0o644)?;
    }
    read(&certificate, &key)
}

fn make() -> Result<rcgen::CertifiedKey<rcgen::KeyPair>, rcgen::Error> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".into(), "::1".into()];
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let machine = machine.trim();
    if !machine.is_empty() && machine.is_ascii() {
        names.push(machine.to_owned());
    }
    rcgen::generate_simple_self_signed(names)
}

fn write(path: &Path, text: &str, mode: u32) -> Result<(), CertificateError> {
    use std::os::unix::fs::OpenOptionsExt;
    // Left over from a start that was cut off; its mode may be another.
    let _ = std::fs::remove_file(path);
    let mut options = std::fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(mode).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .map_err(|error| CertificateError::File { path: path.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_self_signed_one_is_made_once_and_its_key_is_secret() {
        let dir = tempfile::tempdir().unwrap();
        let (first, _) = self_signed(Some(dir.path())).unwrap();
        let (second, _) = self_signed(Some(dir.path())).unwrap();
        assert_eq!(first, second);
        let key = std::fs::metadata(dir.path().join("tls_key.pem")).unwrap();
        assert_eq!(key.permissions().mode() & 0o777, 0o600);
        let (other, _) = self_signed(None).unwrap();
        assert_ne!(first, other);
        let section = TlsSection::default();
        assert!(Certificate::load(&section, Some(dir.path())).unwrap().is_some());
    }

    #[test]
    fn bad_files_are_named() {
        let section = |certificate: &str, key: &str| TlsSection {
            certificate: certificate.into(),
            key: key.into(),
            mode: TlsMode::Offered,
        };
        let told = |section: TlsSection| Certificate::load(&section, None).err().unwrap().to_string();
        assert!(told(section("/nowhere/cert.pem", "/nowhere/key.pem")).contains("/nowhere/cert.pem"));
        assert!(told(section("/nowhere/cert.pem", "")).contains("go together"));
        let off = TlsSection { mode: TlsMode::Off, ..TlsSection::default() };
        assert!(Certificate::load(&off, None).unwrap().is_none());
    }
}
