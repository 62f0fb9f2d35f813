//! Configurations of rustls that suit TDS, and how our client checks certificates.
//!
//! In-prelogin TLS is TLS 1.2 only, as with SQL Server. In TLS 1.3 the client speaks last in the handshake, and drivers
//! get that wrong inside PRELOGIN packets: Microsoft's ODBC driver sends its last flight unwrapped, the JDBC driver
//! holds it back. Strict mode has TLS 1.3 too.
//!
//! A self-signed certificate is the rule among SQL Servers, so trusting any is offered; the handshake's signatures are
//! checked even then.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, ServerConfig, SignatureScheme, SupportedProtocolVersion,
};

/// Name of the protocol that strict mode negotiates in TLS.
pub const ALPN: &[u8] = b"tds/8.0";

/// Which certificates a client accepts.
#[derive(Clone, Debug)]
pub enum CertificateCheck {
    /// Any: `trustServerCertificate`.
    TrustAny,
    /// Those that these authorities signed for the server's name.
    Roots(Arc<RootCertStore>),
}

/// Versions of TLS, newest first; the reason stands above.
fn versions(strict: bool) -> &'static [&'static SupportedProtocolVersion] {
    static STRICT: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];
    static IN_PRELOGIN: [&SupportedProtocolVersion; 1] = [&TLS12];
    if strict { &STRICT } else { &IN_PRELOGIN }
}

/// A rustls configuration for a server; one for strict mode, another for TLS inside PRELOGIN packets.
pub fn server_config(
    certificates: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    strict: bool,
) -> Result<ServerConfig, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions(strict))?
        .with_no_client_auth()
        .with_single_cert(certificates, key)?;
    if strict {
        config.alpn_protocols = vec![ALPN.to_vec()];
    }
    Ok(config)
}

/// A rustls configuration for our client; `strict` announces [`ALPN`].
pub fn client_config(check: &CertificateCheck, strict: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone()).with_protocol_versions(versions(strict))?;
    let mut config = match check {
        CertificateCheck::TrustAny => {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(TrustAny { provider })).with_no_client_auth()
        }
        CertificateCheck::Roots(roots) => {
            let verifier = WebPkiServerVerifier::builder_with_provider(roots.clone(), provider)
                .build()
                .map_err(|error| rustls::Error::General(error.to_string()))?;
            builder.with_webpki_verifier(verifier).with_no_client_auth()
        }
    };
    if strict {
        config.alpn_protocols = vec![ALPN.to_vec()];
    }
    Ok(config)
}

/// Accepts every certificate, but only from a server that has its key.
#[derive(Debug)]
struct TrustAny {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for TrustAny {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
