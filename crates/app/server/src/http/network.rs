//! The addresses of the server in its network, for the links that a page on the same machine shows.

use axum::Extension;
use axum::extract::State;
use kalah_net::network_addresses;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::extract::JsonResponse;
use crate::http::middleware::ConnectionAddrs;
use crate::http::rate_limit::ClientIpSource;
use crate::state::SharedState;

/// The response of `GET /api/v1/network`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NetworkResponse {
    /// The addresses at which other machines of the network reach the page; null for a client on
    /// another machine, whose own address of the page is one of them.
    addresses: Option<Vec<String>>,
}

/// `GET /api/v1/network`
pub(crate) async fn network(
    State(server): State<SharedState>,
    Extension(ends): Extension<ConnectionAddrs>,
) -> JsonResponse<NetworkResponse> {
    // Behind a proxy the public address is that of the proxy.
    let is_direct = server.client_ip_source == ClientIpSource::Connection;
    let is_local = is_direct && ends.peer.ip().to_canonical().is_loopback();
    let addresses = is_local.then(|| {
        let addresses = network_addresses(server.address).into_iter();
        addresses
            .map(|address| format!("http://{address}/"))
            .collect()
    });
    JsonResponse(NetworkResponse { addresses })
}
