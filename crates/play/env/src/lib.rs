//! Many games of Kalah at once, as an environment for reinforcement learning.
//!
//! A [`VectorEnv`] plays any number of games from one start under one rule set, which make one ply
//! each at a call. It writes observations, rewards, masks of legal actions and exact gains from
//! endgame tables into buffers of the caller, for instance those of `NumPy` arrays.
//!
//! Boards with up to 7 houses a side and 255 seeds have one word a side, and a sowing adds two
//! words from a table. Larger boards are [`Position`](kalah::Position)s.
//!
//! The crate prints nothing and reads no clock. All random numbers follow from a seed.

#![forbid(unsafe_code)]

mod env;
mod error;
mod games;
mod observations;
mod options;
mod packed;
mod parts;
mod position_games;
mod random;

pub use env::VectorEnv;
pub use error::{GainsError, LengthError, ObservationsError, SetPositionError, StepError};
pub use observations::{CountType, Observations};
pub use options::{GameStart, OptionsError, PositionProblem, VectorEnvOptions};
