//! `kalah serve`: the server of the page.

mod crash;
pub(crate) mod page_server;
mod server;
