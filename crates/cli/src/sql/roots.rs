//! The authorities that this machine trusts, from the files in which systems keep them.

use std::path::PathBuf;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// Where Debian, Fedora, SUSE, Alpine, FreeBSD and macOS keep them; the first that exists counts.
const BUNDLES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];

/// The authorities; none when there is no such file. `SSL_CERT_FILE` names another one.
pub fn trusted() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let named = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    let bundle = named.or_else(|| BUNDLES.iter().map(PathBuf::from).find(|path| path.exists()));
    if let Some(certificates) = bundle.and_then(|path| CertificateDer::pem_file_iter(path).ok()) {
        roots.add_parsable_certificates(certificates.flatten());
    }
    roots
}
