//! The server's certificate: from files that the configuration names, or a self-signed one of its own.
//!
//! What always holds: the key that is written has mode 0600 from its first byte on. The self-signed certificate is made
//! once per data directory, so that a client may pin it: where a file of it is damaged or missing, the start says so, and
//! makes no other one. Without a data directory it lives as long as the process.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_tds::tls::{TlsCover, server_config};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{Connection, ServerConfig, ServerConnection};

use crate::config::{TlsMode, TlsSection};

/// The self-signed certificate in the data directory.
const CERTIFICATE_NAME: &str = "tls_certificate.pem";
/// Its key.
const KEY_NAME: &str = "tls_key.pem";

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
    /// A file of the self-signed one is not what it was.
    #[error(
        "TLS: {}: {reason}; put it back, or delete both {CERTIFICATE_NAME} and {KEY_NAME} for a new certificate, which clients that trust the old one have to be given",
        path.display()
    )]
    SelfSigned {
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
        let (certificate, key, own) = match (given(&section.certificate), given(&section.key), data_dir) {
            (true, true, _) => (section.certificate.clone(), section.key.clone(), None),
            (false, false, Some(dir)) => (dir.join(CERTIFICATE_NAME), dir.join(KEY_NAME), Some(dir)),
            (false, false, None) => return in_memory().map(Some),
            _ => return Err(CertificateError::Half),
        };
        if let Some(dir) = own {
            settle_own(dir)?;
        }
        let (chain, secret) = read(&certificate, &key, own.is_some())?;
        // That the two belong together is found out here.
        let unfit = |error: rustls::Error| {
            of_file(&key, format!("no key of {}: {error}", certificate.display()), own.is_some())
        };
        let in_prelogin = server_config(chain.clone(), secret.clone_key(), false).map_err(unfit)?;
        let strict = server_config(chain, secret, true).map_err(unfit)?;
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

impl Certificate {
    /// The same for other protocols over TLS, as HTTP's.
    #[must_use]
    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.in_prelogin)
    }
}

type ChainAndKey = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn of_file(path: &Path, reason: String, is_own: bool) -> CertificateError {
    let path = path.to_owned();
    if is_own { CertificateError::SelfSigned { path, reason } } else { CertificateError::File { path, reason } }
}

fn read(certificate: &Path, key: &Path, is_own: bool) -> Result<ChainAndKey, CertificateError> {
    let wrong = |path: &Path, reason: String| of_file(path, reason, is_own);
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(certificate, error.to_string()))?;
    if chain.is_empty() {
        return Err(wrong(certificate, "there is no certificate in it".into()));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    Ok((chain, key))
}

/// For a server without a data directory.
fn in_memory() -> Result<Certificate, CertificateError> {
    let made = make()?;
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let chain = vec![made.cert.der().clone()];
    let in_prelogin = server_config(chain.clone(), key.clone_key(), false)?;
    let strict = server_config(chain, key, true)?;
    Ok(Certificate { in_prelogin: Arc::new(in_prelogin), strict: Arc::new(strict) })
}

/// Sees to a certificate and a key in the directory. Both are written beside and renamed, the key last: a new key that is
/// still there is what a start has left that was cut off.
fn settle_own(dir: &Path) -> Result<(), CertificateError> {
    let (certificate, key) = (dir.join(CERTIFICATE_NAME), dir.join(KEY_NAME));
    let (new_certificate, new_key) = (certificate.with_extension("pem.new"), key.with_extension("pem.new"));
    match (certificate.exists(), key.exists()) {
        (true, true) => return Ok(()),
        (false, true) => return Err(of_file(&certificate, "the file is missing".into(), true)),
        (true, false) if !new_key.exists() => return Err(of_file(&key, "the file is missing".into(), true)),
        (_, false) => {}
    }
    let made = make()?;
    write(&new_key, &made.signing_key.serialize_pem(), 0o600)?;
    write(&new_certificate, &made.cert.pem(), 0o640)?;
    for (from, to) in [(&new_certificate, &certificate), (&new_key, &key)] {
        std::fs::rename(from, to)
            .map_err(|error| CertificateError::File { path: to.to_owned(), reason: error.to_string() })?;
    }
    Ok(())
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
        let of = || {
            settle_own(dir.path()).unwrap();
            read(&dir.path().join(CERTIFICATE_NAME), &dir.path().join(KEY_NAME), true).unwrap().0
        };
        assert_eq!(of(), of());
        let key = std::fs::metadata(dir.path().join(KEY_NAME)).unwrap();
        assert_eq!(key.permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
        assert!(Certificate::load(&TlsSection::default(), None).unwrap().is_some());
        let section = TlsSection::default();
        assert!(Certificate::load(&section, Some(dir.path())).unwrap().is_some());
    }

    #[test]
    fn a_damaged_or_missing_file_of_the_own_one_is_named_and_no_other_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let load = || Certificate::load(&TlsSection::default(), Some(dir.path()));
        let contents = || [CERTIFICATE_NAME, KEY_NAME].map(|name| std::fs::read(dir.path().join(name)).ok());
        assert!(load().is_ok());
        let sound = contents();
        for name in [CERTIFICATE_NAME, KEY_NAME] {
            let path = dir.path().join(name);
            let text = std::fs::read(&path).unwrap();
            let mut flipped = text.clone();
            flipped[60] = b'!';
            for damaged in [Some(Vec::new()), Some(text[..text.len() / 2].to_vec()), Some(flipped), None] {
                match &damaged {
                    Some(bytes) => std::fs::write(&path, bytes).unwrap(),
                    None => std::fs::remove_file(&path).unwrap(),
                }
                let left = contents();
                let error_text = load().err().expect("damaged").to_string();
                assert!(error_text.contains(name) && error_text.contains("delete both"), "{error_text}");
                assert!(contents() == left, "nothing is written");
                std::fs::write(&path, &text).unwrap();
            }
        }
        assert!(contents() == sound && load().is_ok());
        // A start that was cut off before the key had its name.
        std::fs::rename(dir.path().join(KEY_NAME), dir.path().join("tls_key.pem.new")).unwrap();
        assert!(load().is_ok());
    }

    #[test]
    fn bad_files_are_named() {
        let section = |certificate: &str, key: &str| TlsSection {
            certificate: certificate.into(),
            key: key.into(),
            mode: TlsMode::Offered,
        };
        let error_text = |section: TlsSection| Certificate::load(&section, None).err().unwrap().to_string();
        assert!(error_text(section("/nowhere/cert.pem", "/nowhere/key.pem")).contains("/nowhere/cert.pem"));
        assert!(error_text(section("/nowhere/cert.pem", "")).contains("go together"));
        let off = TlsSection { mode: TlsMode::Off, ..TlsSection::default() };
        assert!(Certificate::load(&off, None).unwrap().is_none());
    }
}
