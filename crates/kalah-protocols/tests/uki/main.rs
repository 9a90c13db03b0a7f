//! The engine protocol as text: what is read, what is refused and how, and that what is written reads back.

mod hostile;
mod lines;
mod round_trip;
