//! The description of the API, and requests that are generated from it.

mod fuzz_bodies;
pub(crate) mod openapi;
mod schemathesis;
