//! Tournaments of people in a room: pairings, byes, ladders and standings as plain values.
//!
//! A [`RoomRecord`] holds the people of a room in the order in which they entered, their games and
//! their byes. Everything else is a function of it:
//!
//! - [`swiss_round`] and [`round_robin_round`] pair the next round,
//! - [`Ladder`] orders people by their challenges,
//! - [`Standings`] rank them by points and tie-breaks,
//! - [`Performances`] rate them by the statistics of `kalah-arena`.
//!
//! The people of a room come late, leave and return, unlike the contestants of
//! [`kalah_arena::Tournament`]. The crate reads no clock and no files, and draws random numbers
//! from a seed of its caller alone: a server that restarts computes the same round again from the
//! same record and seed.
//!
//! ```
//! use kalah_arena::GameScore;
//! use kalah_pairing::{GamesPerPairing, PlayedGame, RoomRecord, Standings, swiss_round};
//!
//! let mut record = RoomRecord::new(GamesPerPairing::One);
//! let [ann, ben, eve] = [record.enter(), record.enter(), record.enter()];
//! for round in 0..3 {
//!     let pairing = swiss_round(&record, 7);
//!     for pair in &pairing.pairs {
//!         let score = Some(GameScore::Win);
//!         record.add_game(PlayedGame::new(round, *pair, score))?;
//!     }
//!     record.add_bye(round, pairing.bye.expect("three people"))?;
//! }
//! let standings = Standings::from_record(&record);
//! // Two games and a bye each.
//! assert!(standings.rows().iter().all(|row| row.games.game_count() == 2 && row.byes == 1));
//! # let _ = (ann, ben, eve);
//! # Ok::<(), kalah_pairing::RoomRecordError>(())
//! ```

#![forbid(unsafe_code)]

mod history;
mod ladder;
mod matching;
mod performance;
mod points;
mod record;
mod round_robin;
mod sides;
mod standings;
mod swiss;

pub use ladder::Ladder;
pub use performance::Performances;
pub use points::Points;
pub use record::{
    Entrant, EntrantId, EntrantStatus, GamesPerPairing, PlayedGame, RoomBye, RoomRecord,
    RoomRecordError, RoundPairing,
};
pub use round_robin::round_robin_round;
pub use standings::{Standings, StandingsRow};
pub use swiss::swiss_round;
