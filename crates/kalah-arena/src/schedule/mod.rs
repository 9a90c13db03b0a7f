//! Schedules of tournaments as functions of the results so far.

mod results;
mod swiss;
mod tournament;

pub use results::{Encounter, Leg, Results, Round};
pub use tournament::{PairingSystem, Tournament, UnknownEncounterError};
