//! The profile of the user, which the caller keeps from one start of the screen to the next.

use std::error::Error;

use kalah::{BySide, ClockSetting, Rules};
use kalah_players::PlayerSpec;

use super::puzzles::{PuzzleDifficulty, PuzzleProgress, PuzzleStep};
use super::session::GameSession;
use crate::screen::model::animation::AnimationSpeed;

/// The choices of the user that the screen remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The speed of the animation, `None` if the user has not changed it.
    pub speed: Option<AnimationSpeed>,
    /// Whether margins are shown.
    pub shows_margins: bool,
    /// The difficulty of puzzles.
    pub difficulty: PuzzleDifficulty,
    /// The choices of the last new game.
    pub new_game: Option<NewGameChoices>,
}

/// The choices in the dialog for a new game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGameChoices {
    /// The players by the side on which they begin; `None` for a program, which is not started
    /// without being named again.
    pub players: BySide<Option<PlayerSpec>>,
    /// The rules.
    pub rules: Rules,
    /// The number of houses of a side.
    pub houses: u8,
    /// The number of seeds in each house.
    pub seeds: u16,
    /// The clocks, `None` for a game without clocks.
    pub clock: Option<ClockSetting>,
}

/// The change of the user's rating by a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatingChange {
    /// The rating before the game.
    pub before: i32,
    /// The rating after the game.
    pub after: i32,
}

/// The effect of a finished game on the rating of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatingOutcome {
    /// Games of these players or on this board are not rated.
    NotRated,
    /// The game would be rated, but [help](GameSession::is_helped) was used.
    Helped,
    /// The rating has changed.
    Changed(RatingChange),
}

/// The profile of the user, which the caller keeps.
pub trait Profile {
    /// Remembers the preferences.
    ///
    /// # Errors
    /// If they cannot be written. The screen shows the error and continues.
    fn save_preferences(&mut self, preferences: &Preferences) -> Result<(), Box<dyn Error>>;

    /// Counts a finished game for the rating of the user.
    ///
    /// # Errors
    /// If the rating cannot be read or written. The screen shows the error and continues.
    fn rate_game(&mut self, session: &GameSession) -> Result<RatingOutcome, Box<dyn Error>>;

    /// Counts a step of a puzzle, and returns the progress after it.
    ///
    /// # Errors
    /// If the progress cannot be read or written. The screen shows the error and continues.
    fn count_puzzle(&mut self, step: PuzzleStep) -> Result<PuzzleProgress, Box<dyn Error>>;
}
