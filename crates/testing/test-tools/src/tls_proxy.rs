//! A server of encrypted connections for tests.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// A server of encrypted connections to `localhost`, which passes on their bytes to another server.
#[derive(Debug)]
pub struct TlsProxy {
    /// The port of `localhost`.
    pub port: u16,
    /// The certificate of the authority that clients have to trust, in the format DER.
    pub certificate: Vec<u8>,
}

impl TlsProxy {
    /// Starts a server with a certificate of its own, which ends with the runtime.
    ///
    /// # Panics
    /// If the machine has no free port.
    pub async fn start(upstream: SocketAddr) -> Self {
        let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
        let signed = signed.expect("a certificate");
        let key = PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der());
        let certificate = signed.cert.der().clone();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the usual versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key.into())
            .expect("a certificate with its key");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(pass_on(acceptor.clone(), stream, upstream));
            }
        });
        Self {
            port,
            certificate: certificate.to_vec(),
        }
    }
}

/// Passes on the bytes of a connection. A client that does not trust the certificate ends it.
async fn pass_on(acceptor: TlsAcceptor, stream: TcpStream, upstream: SocketAddr) {
    if let Ok(mut encrypted) = acceptor.accept(stream).await
        && let Ok(mut plain) = TcpStream::connect(upstream).await
    {
        let _ = copy_bidirectional(&mut encrypted, &mut plain).await;
    }
}
