//! The description of the API, and requests that are generated from it.

mod fuzz_bodies;
mod openapi;
mod schemathesis;
