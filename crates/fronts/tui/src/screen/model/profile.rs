//! The profile of the user, as far as the screen needs it.

use crate::game::{Preferences, PuzzleChoices, PuzzleProgress};

/// The preferences of the user, and the rating of the current game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserState {
    /// The choices that are remembered for the next start.
    pub(crate) preferences: Preferences,
    pub(crate) rating: RatingRequest,
    /// The puzzles that the user asks for.
    pub(crate) choices: PuzzleChoices,
    /// The progress in puzzles.
    pub(crate) progress: PuzzleProgress,
}

/// Whether the current game is passed on to be rated when it is finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RatingRequest {
    /// Nothing is remembered of the user.
    #[default]
    Off,
    /// The game is not finished.
    Open,
    /// The game was passed on, or was finished before the screen showed it.
    Done,
}

impl UserState {
    /// Follows another game, which is finished already or not.
    pub(crate) fn start_game(&mut self, is_finished: bool) {
        self.rating = match self.rating {
            RatingRequest::Off => RatingRequest::Off,
            _ if is_finished => RatingRequest::Done,
            _ => RatingRequest::Open,
        };
    }
}
