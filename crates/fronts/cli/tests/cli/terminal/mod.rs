//! `kalah play` on a pseudo-terminal.

mod emulator;
mod history;
mod plain;
mod profile;
mod programs;
mod screen;
mod screen_commands;
