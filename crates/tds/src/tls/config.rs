//! How our client checks certificates.
//!
//! A self-signed certificate is the rule among SQL Servers, so trusting any is offered; the handshake's signatures are
//! checked even then.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

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

/// A rustls configuration for our client; `strict` announces [`ALPN`].
pub fn client_config(
    check: &CertificateCheck,
    strict: bool,
) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()?;
    let mut config = match check {
        CertificateCheck::TrustAny => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(TrustAny { provider }))
            .with_no_client_auth(),
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

/// Accepts every certificate, but only from one who has its key.
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
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
