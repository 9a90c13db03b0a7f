//! Import of the games that other programs have logged.

mod errors;
mod formats;
