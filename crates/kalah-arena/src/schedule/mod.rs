//! Who plays whom next, as a function of what is finished.

mod results;
mod swiss;
mod tournament;

pub use results::{Encounter, Leg, Results, Round};
pub use tournament::{PairingSystem, Tournament, UnknownEncounterError};
