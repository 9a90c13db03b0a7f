//! Connections of clients, encrypted or not.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// The certificates of authorities by which clients recognize the servers of encrypted connections.
/// Clones share them.
///
/// ```
/// use kalah_net::TlsTrust;
///
/// // The certificates of the system are read with the first encrypted connection.
/// let trust = TlsTrust::system();
/// assert!(TlsTrust::certificates([b"no certificate".as_slice()]).is_err());
/// # drop(trust);
/// ```
#[derive(Clone, Debug)]
pub struct TlsTrust {
    source: CertificateSource,
    config: Arc<OnceLock<Arc<ClientConfig>>>,
}

/// The place of the certificates of authorities.
#[derive(Clone, Debug)]
enum CertificateSource {
    /// The store of the operating system.
    System,
    Given(RootCertStore),
}

/// The error of [`TlsTrust`].
#[derive(Debug, Error)]
pub enum TlsTrustError {
    /// A certificate is invalid.
    #[error("the certificate of an authority is invalid: {0}")]
    InvalidCertificate(rustls::Error),
    /// The operating system has no certificates of authorities.
    #[error("this system has no certificates of authorities for encrypted connections{reason}")]
    NoCertificates {
        /// The first error of reading them, after a colon; empty without an error.
        reason: String,
    },
    /// The cryptography does not support the usual versions of the protocol.
    #[error("encrypted connections are not supported: {0}")]
    Unsupported(rustls::Error),
}

/// A connection to a server, encrypted or not.
#[derive(Debug)]
pub enum ClientStream {
    /// A connection that is not encrypted.
    Plain(TcpStream),
    /// An encrypted connection.
    Encrypted(Box<TlsStream<TcpStream>>),
}

impl TlsTrust {
    /// Trusts the certificates of the operating system, or on Unix those in the file and the folder
    /// of the variables `SSL_CERT_FILE` and `SSL_CERT_DIR`. They are read at the first use.
    pub fn system() -> Self {
        Self::new(CertificateSource::System)
    }

    /// Trusts these certificates alone, in the format DER.
    ///
    /// # Errors
    /// Returns an error if one is invalid.
    pub fn certificates<'a>(
        certificates: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Self, TlsTrustError> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates {
            let added = roots.add(CertificateDer::from_slice(certificate).into_owned());
            added.map_err(TlsTrustError::InvalidCertificate)?;
        }
        Ok(Self::new(CertificateSource::Given(roots)))
    }

    fn new(source: CertificateSource) -> Self {
        Self {
            source,
            config: Arc::default(),
        }
    }

    /// Encrypts a connection to a host, which has to prove that it has this name or address. An
    /// IPv6 address may have brackets.
    ///
    /// # Errors
    /// Returns an error if there are no certificates, the name is invalid, the certificate of the
    /// server is not trusted, or the connection is lost.
    pub async fn encrypt(&self, stream: TcpStream, host: &str) -> io::Result<ClientStream> {
        let config = self.config().map_err(io::Error::other)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let connector = TlsConnector::from(config);
        let stream = connector.connect(name, stream).await?;
        Ok(ClientStream::Encrypted(Box::new(stream)))
    }

    fn config(&self) -> Result<Arc<ClientConfig>, TlsTrustError> {
        if let Some(config) = self.config.get() {
            return Ok(Arc::clone(config));
        }
        let roots = match &self.source {
            CertificateSource::Given(roots) => roots.clone(),
            CertificateSource::System => system_certificates()?,
        };
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsTrustError::Unsupported)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Arc::clone(self.config.get_or_init(|| Arc::new(config))))
    }
}

/// Reads the certificates of the operating system. Invalid ones are left out.
fn system_certificates() -> Result<RootCertStore, TlsTrustError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (valid, _) = roots.add_parsable_certificates(found.certs);
    if valid == 0 {
        let reason = found.errors.first();
        let reason = reason.map(|error| format!(": {error}")).unwrap_or_default();
        return Err(TlsTrustError::NoCertificates { reason });
    }
    Ok(roots)
}

impl AsyncRead for ClientStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use test_tools::tls_proxy::TlsProxy;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Starts a server that sends back what it receives, and returns its address.
    async fn start_echo() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (mut reader, mut writer) = stream.split();
                let _ = tokio::io::copy(&mut reader, &mut writer).await;
            }
        });
        address
    }

    fn trust(certificate: &[u8]) -> TlsTrust {
        TlsTrust::certificates([certificate]).expect("a certificate")
    }

    #[tokio::test]
    async fn bytes_pass_an_encrypted_connection() {
        let proxy = TlsProxy::start(start_echo().await).await;
        let stream = TcpStream::connect(("127.0.0.1", proxy.port)).await;
        let trust = trust(&proxy.certificate);
        let encrypted = trust.encrypt(stream.expect("a server"), "localhost");
        let mut stream = encrypted.await.expect("a trusted server");
        assert!(matches!(stream, ClientStream::Encrypted(_)));
        let sent: Vec<u8> = (0..=u8::MAX).cycle().take(100_000).collect();
        let mut received = vec![0; sent.len()];
        let (mut reader, mut writer) = tokio::io::split(&mut stream);
        let write = async {
            writer.write_all(&sent).await?;
            writer.flush().await
        };
        let (written, read) = tokio::join!(write, reader.read_exact(&mut received));
        written.expect("an open connection");
        read.expect("an open connection");
        assert!(received == sent);
        stream.shutdown().await.expect("an open connection");
    }

    #[tokio::test]
    async fn servers_that_do_not_prove_their_name_are_refused() {
        let upstream = start_echo().await;
        let proxy = TlsProxy::start(upstream).await;
        let other = TlsProxy::start(upstream).await;
        for (name, certificate, port, expected) in [
            ("localhost", &other.certificate, proxy.port, "certificate"),
            (
                "example.org",
                &proxy.certificate,
                proxy.port,
                "not valid for name",
            ),
            (
                "[::1]",
                &proxy.certificate,
                proxy.port,
                "not valid for name",
            ),
            (
                "no name",
                &proxy.certificate,
                proxy.port,
                "invalid dns name",
            ),
            // This server does not encrypt.
            ("localhost", &proxy.certificate, upstream.port(), ""),
        ] {
            let stream = TcpStream::connect(("127.0.0.1", port)).await;
            let trust = trust(certificate);
            let encrypted = trust.encrypt(stream.expect("a server"), name);
            let error = encrypted.await.expect_err(name).to_string();
            assert!(error.contains(expected), "{name}: {error}");
        }
    }
}
