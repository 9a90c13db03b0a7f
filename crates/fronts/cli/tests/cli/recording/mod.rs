//! Record files of `kalah play`.

mod files;
mod players;
mod saving;
