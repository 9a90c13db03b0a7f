//! The engine protocol as text: messages, errors, round trips and arbitrary lines.

mod arbitrary;
mod lines;
mod round_trip;
