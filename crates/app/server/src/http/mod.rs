//! HTTP: extractors, routes, handlers, middleware, static files and errors.

pub(crate) mod bearer_token;
pub(crate) mod endpoints;
pub(crate) mod error;
pub(crate) mod extract;
pub(crate) mod live_socket;
pub(crate) mod middleware;
pub(crate) mod network;
pub(crate) mod origin;
pub(crate) mod rate_limit;
mod route_list;
pub(crate) mod routes;
pub(crate) mod search_stream;
pub(crate) mod static_files;
