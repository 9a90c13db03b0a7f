//! Input of the terminal: keys, the mouse and changes of the size.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use other::InputReader;
#[cfg(unix)]
pub(crate) use unix::InputReader;
