//! `kalah arena`: tournaments of correct and faulty engines.

mod endings;
mod interruption;
mod logs;
mod output;
mod reading;
mod runner;
mod tournaments;
