//! Reads a certificate and its key.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{Error as PemError, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{Error as RustlsError, ServerConfig};

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file cannot be read or holds no PEM.
    #[error("{}: {source}", .path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: PemError,
    },
    /// The file holds no certificate.
    #[error("{}: there is no certificate in it", .0.display())]
    NoCertificate(PathBuf),
    /// Certificate and key do not go together, or are of a kind that is not known.
    #[error("the certificate and the key cannot be used: {0}")]
    Unusable(#[from] RustlsError),
}

/// Reads a chain of certificates and its key, both PEM.
pub fn read_tls(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let refuse = |path: &Path| {
        let path = path.to_owned();
        move |source| TlsError::Pem { path, source }
    };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(certificate).map_err(refuse(certificate))?.collect();
    let chain = chain.map_err(refuse(certificate))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(certificate.to_owned()));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(refuse(key))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
