//! `kalah engine`, spoken to over its pipes.

mod example;
mod hostile;
mod limits;
mod speaker;
mod transcript;
