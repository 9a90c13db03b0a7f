//! The client with correct and faulty servers, over streams in memory and with a stopped clock.

mod connections;
mod games;
mod peer;
