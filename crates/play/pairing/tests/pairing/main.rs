//! Tests of pairings, standings and ladders, most of them with simulated tournaments.

mod ladder;
mod performance;
mod record;
mod round_robin;
mod simulation;
mod standings;
mod swiss;
