//! Stored games as games and as records, checked by the rules.

use std::fmt;

use kalah::record::{Record, TagError, Tags};
use kalah::{Ending, Game, House, IllegalMove, Move, Outcome, PlayerId, Side, Termination};
use thiserror::Error;

use crate::clock::FriendClockSetting;
use crate::model::{StoredEnding, StoredGame};
use crate::name::PlayerName;

/// The reason why a stored game is none by the rules: the database was changed by another program,
/// or is damaged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoredGameError {
    /// The rules, the start or the end of the game are invalid.
    #[error(transparent)]
    Tag(#[from] TagError),
    /// The text of a ply is no move of the side to move.
    #[error("ply {ply}: `{text}` is no move of {to_move}")]
    NotAMove {
        /// The number of the ply, from 1.
        ply: usize,
        /// The text.
        text: String,
        /// The side to move.
        to_move: Side,
    },
    /// A ply is illegal.
    #[error("ply {ply}, `{text}`: {reason}")]
    Illegal {
        /// The number of the ply, from 1.
        ply: usize,
        /// The text.
        text: String,
        /// The reason.
        reason: IllegalMove,
    },
    /// The game is over by the rules and has no ending.
    #[error("the game is over, {0}, but not marked as ended")]
    NotEnded(Outcome),
    /// The winner is not that of the board.
    #[error("the winner is {}, but the board says {outcome}", winner_text(*winner))]
    Winner {
        /// The stored winner.
        winner: Option<Side>,
        /// The final stores.
        outcome: Outcome,
    },
    /// A game without a result has a winner.
    #[error("the game has no result, but the winner {0}")]
    WinnerWithoutResult(Side),
}

fn winner_text(winner: Option<Side>) -> &'static str {
    winner.map_or("none", Side::as_str)
}

/// The tag of a record that has the id of the game.
const GAME_TAG: &str = "Game";

impl StoredGame {
    /// Replays the game by the rules and checks that its end agrees with the board.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn replay(&self) -> Result<Game, StoredGameError> {
        let mut tags = Tags::new();
        tags.set(Tags::RULES, &*self.rules)?;
        tags.set(Tags::POSITION, &*self.start)?;
        let mut game = Game::new(tags.start()?);
        for (ply, text) in (1..).zip(&self.plies) {
            let to_move = game.position().to_move();
            let mv = parse_move(text, to_move).ok_or_else(|| StoredGameError::NotAMove {
                ply,
                text: text.clone(),
                to_move,
            })?;
            game.play(mv).map_err(|reason| StoredGameError::Illegal {
                ply,
                text: text.clone(),
                reason,
            })?;
        }
        check_ending(self.state.ending, game.outcome())?;
        Ok(game)
    }

    /// Returns the game as a record. The tags are those of its players' names, its `Date` in UTC,
    /// the name of its room as `Event`, its rules, start and end, `TimeControl` with the setting of
    /// the clock, and `Game` with the id.
    ///
    /// ```
    /// use kalah::{ByPlayer, Rules, Side, Termination};
    /// use kalah_store::{GameId, GameState, PlayerToken, StoredEnding, StoredGame, Timestamp};
    ///
    /// let created = Timestamp::from_millis(1_772_323_200_000);
    /// let mut state = GameState::new(created, None);
    /// state.names = ByPlayer::new("Marge".parse().ok(), None);
    /// state.ending =
    ///     Some(StoredEnding { termination: Termination::Resign, winner: Some(Side::South) });
    /// let game = StoredGame {
    ///     id: GameId::from([0; 16]),
    ///     created,
    ///     rules: Rules::STANDARD.to_string(),
    ///     start: "6x4".to_owned(),
    ///     spectator_scores: false,
    ///     room: None,
    ///     tokens: ByPlayer::from_fn(|_| PlayerToken::random().hash()),
    ///     plies: vec!["C".to_owned(), "F".to_owned()],
    ///     state,
    /// };
    /// assert_eq!(
    ///     game.to_record()?.to_string(),
    ///     r#"[Date "2026.03.01"]
    /// [South "Marge"]
    /// [Rules "standard"]
    /// [Position "6x4"]
    /// [Result "*"]
    /// [Termination "resign"]
    /// [Winner "South"]
    /// [Game "AAAAAAAAAAAAAAAAAAAAAA"]
    ///
    /// 1. CF *
    /// "#
    /// );
    /// # Ok::<(), kalah_store::StoredGameError>(())
    /// ```
    ///
    /// # Errors
    /// As [`StoredGame::replay`].
    pub fn to_record(&self) -> Result<Record, StoredGameError> {
        self.record_of(&self.replay()?)
    }

    /// Returns the record of the game that [`StoredGame::replay`] has returned.
    ///
    /// # Errors
    /// The end contradicts the board.
    pub fn record_of(&self, game: &Game) -> Result<Record, StoredGameError> {
        let mut record = Record::from_game(game);
        if let Some(date) = self.created.to_system_time().and_then(Tags::date_text) {
            record.set_tag(Tags::DATE, date)?;
        }
        if let Some(room) = &self.room {
            record.set_tag(Tags::EVENT, room.name.as_str())?;
            if let Some(number) = room.number {
                record.set_tag(Tags::ROUND, number.to_string())?;
            }
        }
        let tags = [Tags::SOUTH, Tags::NORTH];
        for (player, tag) in PlayerId::ALL.into_iter().zip(tags) {
            if let Some(name) = &self.state.names[player] {
                record.set_tag(tag, PlayerName::as_str(name))?;
            }
        }
        if let Some(StoredEnding {
            termination,
            winner,
        }) = self.state.ending
        {
            record.set_ending(Ending {
                termination,
                winner,
                outcome: None,
            })?;
        }
        record.set_tag(GAME_TAG, self.id.to_string())?;
        if let Some(clock) = self.state.clock {
            record.set_tag(Tags::TIME_CONTROL, clock.setting().to_string())?;
        }
        Ok(record)
    }
}

/// Parses the move of a side: the letter of a house, or `swap`. The move may be illegal.
fn parse_move(text: &str, side: Side) -> Option<Move> {
    if text == "swap" {
        return Some(Move::Swap);
    }
    let mut letters = text.chars();
    let (owner, house) = House::from_letter(letters.next()?)?;
    (letters.next().is_none() && owner == side).then_some(Move::Sow(house))
}

/// Checks what the tags of a record do not say: that a game is marked as ended, and its winner.
fn check_ending(
    ending: Option<StoredEnding>,
    outcome: Option<Outcome>,
) -> Result<(), StoredGameError> {
    match (ending, outcome) {
        (None, Some(outcome)) => Err(StoredGameError::NotEnded(outcome)),
        (Some(ending), Some(outcome)) if ending.winner != outcome.winner() => {
            Err(StoredGameError::Winner {
                winner: ending.winner,
                outcome,
            })
        }
        (Some(ending), _) if (ending.termination == Termination::Normal) != outcome.is_some() => {
            Err(TagError::TerminationContradicts(ending.termination).into())
        }
        (
            Some(StoredEnding {
                termination: Termination::Unfinished,
                winner: Some(winner),
            }),
            None,
        ) => Err(StoredGameError::WinnerWithoutResult(winner)),
        _ => Ok(()),
    }
}

/// `10m+5s`, `10m+5s for South, 5m for North` with the sides at the start, or `3days a move`.
impl fmt::Display for FriendClockSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [south, north] = PlayerId::ALL;
        match self {
            Self::Game(settings) if settings[south] == settings[north] => {
                write!(f, "{}", settings[south])
            }
            Self::Game(settings) => {
                write!(
                    f,
                    "{} for South, {} for North",
                    settings[south], settings[north]
                )
            }
            Self::Move(setting) => write!(f, "{setting} a move"),
        }
    }
}

#[cfg(test)]
mod tests;
