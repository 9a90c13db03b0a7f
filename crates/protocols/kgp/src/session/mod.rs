//! Both ends of a connection as state machines without input and output, and the observer of a
//! client's games.

mod client;
mod observer;
pub(crate) mod possible_ends;
mod server;

pub use client::{Client, ClientAction};
pub use observer::{ObservedResult, SessionEvent, SessionObserver};
pub use server::{DisconnectReason, Session, SessionAction, StateReply};
