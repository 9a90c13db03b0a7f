//! The profile of the user, which the caller keeps from one start of the screen to the next.

use std::error::Error;

use kalah::record::Tags;
use kalah::{BySide, ClockSetting, Position, Rules, Side};
use kalah_engine::LevelNumber;
use kalah_players::{GamePlayerSpec, PlayerKind, PlayerSpec};
use thiserror::Error;

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

/// The board on which the strengths of the levels that ratings rest on are measured.
const RATED_BOARD: &str = "6x4";

/// The rules under which they are measured.
const MEASURED_RULES: Rules = Rules::CS32;

/// The sentence about a game in which [help](GameSession::is_helped) was used.
pub(crate) const HELPED_NOTE: &str = "Not rated: hints, margins or undo were used.";

/// A game of a person against a level that changes the rating of the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatedGame {
    /// The side on which the person begins.
    pub person: Side,
    /// The level of the opponent.
    pub level: LevelNumber,
    /// Whether the strength of the level is measured under the rules of the game.
    pub is_measured: bool,
}

/// The reason why a game is not rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UnratedReason {
    /// No person plays.
    #[error("no person plays")]
    NoPerson,
    /// The opponent of the person is no level.
    #[error("only games against level:1 to level:10 are")]
    Opponent,
    /// The game is on another board, or begins with another position.
    #[error("levels are measured from the start of {RATED_BOARD} alone")]
    Board,
}

impl RatedGame {
    /// Returns how a game of these players from `start` is rated if no help is used.
    ///
    /// # Errors
    /// The reason why it is not rated.
    pub fn new(specs: &BySide<GamePlayerSpec>, start: &Position) -> Result<Self, UnratedReason> {
        let mut sides = Side::ALL.into_iter();
        let person = sides
            .find(|&side| specs[side].is_human())
            .ok_or(UnratedReason::NoPerson)?;
        let opponent = specs[person.opponent()].local().map(|spec| spec.kind);
        let Some(PlayerKind::Level { number }) = opponent else {
            return Err(UnratedReason::Opponent);
        };
        if Tags::from_start(start).get(Tags::POSITION) != Some(RATED_BOARD) {
            return Err(UnratedReason::Board);
        }
        Ok(Self {
            person,
            level: number,
            is_measured: start.rules() == MEASURED_RULES,
        })
    }
}

/// The help of a person in a game before its first ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartHelp {
    /// No help was used.
    Unused,
    /// The margins are visible, or will be when the game begins.
    MarginsVisible,
    /// [Help](GameSession::is_helped) was used.
    Used,
}

/// Returns a sentence about the rating of a game of these players from `start`, for a person before
/// the game; `None` if no person plays.
pub fn rating_note(
    specs: &BySide<GamePlayerSpec>,
    start: &Position,
    help: StartHelp,
) -> Option<String> {
    match RatedGame::new(specs, start) {
        Ok(_) if help == StartHelp::MarginsVisible => {
            Some("Not rated: margins are visible.".to_owned())
        }
        Ok(_) if help == StartHelp::Used => Some(HELPED_NOTE.to_owned()),
        Ok(game) if game.is_measured => Some("This game is rated.".to_owned()),
        Ok(_) => Some(format!(
            "This game is rated by strengths under {MEASURED_RULES}."
        )),
        Err(UnratedReason::NoPerson) => None,
        Err(reason) => Some(format!("Not rated: {reason}.")),
    }
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
