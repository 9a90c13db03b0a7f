//! Tests of pairings, standings and ladders, most of them with simulated tournaments.

mod round_robin;
mod simulation;
mod swiss;
