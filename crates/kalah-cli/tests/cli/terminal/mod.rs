//! `kalah play` on a pseudo-terminal.

mod plain;
mod screen;
