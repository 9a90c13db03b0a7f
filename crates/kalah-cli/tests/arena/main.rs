//! `kalah arena` with engines good and bad, broken off at any moment and gone on with.
#![cfg(unix)]

mod breaking_off;
mod ends;
mod playing;
mod run;
mod watching;
