//! A server that listens, asked over real connections. Every answer is held to the description of the API.

mod asked;
mod description;
mod ending;
mod fuzzed;
mod games;
mod limited;
mod made_up;
mod page;
mod refused;
mod running;
mod thought;

#[path = "../time/mod.rs"]
mod time;
