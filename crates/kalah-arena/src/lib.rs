//! Matches and tournaments of Kalah players as values.
//!
//! Who plays whom next, how games end, and what the results tell: with no process, socket, clock or thread, and
//! nothing printed. A face plays the games.
//!
//! # What a match tells
//!
//! Games are played in pairs from the same opening, sides exchanged between them. [`Pentanomial`] counts
//! how many pairs brought one of the two players how much; [`Estimate`] says how much stronger it is, and [`Sprt`]
//! when enough has been played to know which of two claims holds. Of any number of contestants [`CrossTable`] holds
//! who has made how much against whom, and [`RatingList`] how strong all are on one scale.
//!
//! # How a tournament goes on
//!
//! A [`Tournament`] says which pairs of games are due, given the [`Results`] so far. Each game that is over is a
//! [`FinishedGame`] with its [`GameEnd`], and a line in a [`Journal`], from which a tournament that was broken off
//! goes on where it was. [`Openings`] say how games begin, and a [`Deck`] of them which comes when.

#![forbid(unsafe_code)]

mod finished_game;
mod game_end;
mod journal;
mod openings;
mod schedule;
mod stats;

pub use finished_game::{FinishedGame, FinishedGameError, ThinkTime};
pub use game_end::{GameEnd, Stores};
pub use journal::{Journal, JournalError, JournalProblem, JournalTail};
pub use openings::{
    Opening, Openings, OpeningsError, OpeningsProblem, PliesError, ShuffledOpenings,
};
pub use schedule::{
    Encounter, Leg, PairingSystem, Results, Round, Tournament, UnknownEncounterError,
};
pub use stats::{
    Anchor, Contestant, CrossTable, Elo, Estimate, GameScore, HeadToHead, Interval, NormalizedElo,
    PairScore, Pentanomial, Rating, RatingEntry, RatingList, ScoreFraction, Sprt, SprtError,
    SprtState, Standing, Superiority, Tally, Verdict,
};

// The code in the document is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/arena-statistics.md")]
struct Documents;
