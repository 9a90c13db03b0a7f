use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::game::Game;
use crate::moves::{IllegalMove, Move, MoveResult};
use crate::position::Position;
use crate::side::{BySide, Side};
use crate::types::Outcome;

/// Somebody who plays: a program, or a person at a terminal.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Move, Player, Position, Rules};
///
/// /// Sows the house next to its store that it may.
/// struct Nearest;
///
/// impl Player for Nearest {
///     fn name(&self) -> &str {
///         "Nearest"
///     }
///
///     fn choose_move(&mut self, position: &Position, _limit: Duration) -> Option<Move> {
///         position.legal_houses().next_back().map(Move::Sow)
///     }
/// }
///
/// let start = Position::start(6, 4, Rules::CS32)?;
/// let choice = Nearest.choose_move(&start, Duration::from_secs(5)).expect("there are seeds");
/// assert_eq!(choice.text(start.to_move()), "F");
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub trait Player {
    /// What others call it.
    fn name(&self) -> &str;

    /// Whether a person answers, who is asked again after a mistake and may take plies back.
    fn is_interactive(&self) -> bool {
        false
    }

    /// What the side to move should do, to be answered within `limit`; `None` if it cannot move.
    fn choose_move(&mut self, position: &Position, limit: Duration) -> Option<Move>;

    /// What the [`Referee`](crate::Referee) asks: a choice for the game's position, and from a
    /// person also one of the other [`PlayerAction`]s. Programs have no need to write their own.
    fn next_action(&mut self, game: &Game, limit: Duration) -> PlayerAction {
        match self.choose_move(game.position(), limit) {
            Some(choice) => PlayerAction::Move(choice),
            None => PlayerAction::NoMove,
        }
    }
}

/// What a player says when it is asked to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerAction {
    /// Do this.
    Move(Move),
    /// It claims that it cannot move.
    NoMove,
    /// Take back to where a person was to move last. From people only.
    Undo,
    /// Make again what was taken back. From people only.
    Redo,
    /// Give the game up.
    Resign,
    /// Go away and leave the game unfinished.
    Quit,
}

/// Leads a game: says who is to answer, takes the answers, plays what is legal, and knows how the
/// game ended.
///
/// It waits for nobody and calls nobody, so that a page or a server can hand it answers as they
/// arrive; [`Referee::run`] is the loop around it for players that can simply be asked.
///
/// Players are told apart by the side on which they began; a swap exchanges the sides on which they
/// sit, see [`Referee::player_on`].
#[derive(Clone, Debug)]
pub struct Referee {
    game: Game,
    interactive: BySide<bool>,
    ending: Option<Ending>,
}

/// A player in its place, and the time that it has for each answer.
pub struct TimedPlayer<'a> {
    /// Who plays.
    pub player: &'a mut dyn Player,
    /// Time for each answer.
    pub limit: Duration,
}

impl Referee {
    /// Leads `game` on from where it stands. `interactive` says who is a person, by the side on
    /// which each began.
    pub fn new(game: Game, interactive: BySide<bool>) -> Self {
        let mut referee = Self {
            game,
            interactive,
            ending: None,
        };
        referee.finish_if_over();
        referee
    }

    /// The game so far.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// How the game ended, once it has.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// The side whose answer is awaited, `None` once the game has ended.
    pub fn side_to_act(&self) -> Option<Side> {
        match self.ending {
            Some(_) => None,
            None => Some(self.position().to_move()),
        }
    }

    /// The player who sits on `side` now, named by the side on which it began.
    pub fn player_on(&self, side: Side) -> Side {
        if self.game.is_swapped() {
            side.opponent()
        } else {
            side
        }
    }

    /// Whether a person sits on `side` now.
    fn is_interactive(&self, side: Side) -> bool {
        self.interactive[self.player_on(side)]
    }

    /// Takes the answer of the side to move.
    ///
    /// # Errors
    /// Why it is refused; the position is unchanged then. A person may answer again. A program has
    /// lost by [`Termination::Illegal`].
    pub fn apply(&mut self, answer: PlayerAction) -> Result<GameEvent, ActionError> {
        let side = self.side_to_act().ok_or(ActionError::Ended)?;
        let person = self.is_interactive(side);
        let result = match answer {
            PlayerAction::Move(choice) => match self.game.play(choice) {
                Ok(ply) => Ok(GameEvent::Played {
                    side,
                    result: ply.result,
                }),
                Err(reason) => Err(reason.into()),
            },
            PlayerAction::Undo if person => self.undo(),
            PlayerAction::Redo if person => self.redo(),
            PlayerAction::NoMove | PlayerAction::Undo | PlayerAction::Redo => {
                Err(ActionError::NoMove)
            }
            PlayerAction::Resign => Ok(self.finish(Termination::Resign, Some(side.opponent()))),
            PlayerAction::Quit => Ok(self.finish(Termination::Unfinished, None)),
        };
        match &result {
            Err(_) if !person => {
                self.finish(Termination::Illegal, Some(side.opponent()));
            }
            _ => self.finish_if_over(),
        }
        result
    }

    /// Back to where a person was to move, one ply at least.
    fn undo(&mut self) -> Result<GameEvent, ActionError> {
        let mut undone = 0;
        while self.game.undo().is_some() {
            undone += 1;
            if self.is_interactive(self.position().to_move()) {
                return Ok(GameEvent::Undone(undone));
            }
        }
        for _ in 0..undone {
            self.game.redo();
        }
        Err(ActionError::NothingToUndo)
    }

    /// Forward to where a person was to move, or to the last ply taken back.
    fn redo(&mut self) -> Result<GameEvent, ActionError> {
        let mut redone = 0;
        while self.game.redo().is_some() {
            redone += 1;
            if self.is_interactive(self.position().to_move()) {
                break;
            }
        }
        match redone {
            0 => Err(ActionError::NothingToRedo),
            _ => Ok(GameEvent::Redone(redone)),
        }
    }

    fn finish(&mut self, termination: Termination, winner: Option<Side>) -> GameEvent {
        let ending = Ending {
            termination,
            winner,
            outcome: self.game.outcome(),
        };
        self.ending = Some(ending);
        GameEvent::Ended(ending)
    }

    /// Ends the game if the rules say so.
    fn finish_if_over(&mut self) {
        if let (None, Some(outcome)) = (self.ending, self.game.outcome()) {
            self.finish(Termination::Normal, outcome.winner());
        }
    }

    /// Asks the players by turns until the game has ended, and tells `report` of everything that
    /// happens, in order; `players` are given by the side on which they began.
    ///
    /// # Errors
    /// What `report` fails with, which stops the game where it is.
    pub fn run<E>(
        &mut self,
        mut players: BySide<TimedPlayer<'_>>,
        mut report: impl FnMut(&Self, &GameEvent) -> Result<(), E>,
    ) -> Result<Ending, E> {
        loop {
            if let Some(ending) = self.ending {
                report(self, &GameEvent::Ended(ending))?;
                return Ok(ending);
            }
            let side = self.position().to_move();
            report(self, &GameEvent::ToMove(side))?;
            let seat = &mut players[self.player_on(side)];
            let answer = seat.player.next_action(&self.game, seat.limit);
            match self.apply(answer) {
                // Reported once, above.
                Ok(GameEvent::Ended(_)) => {}
                Ok(event) => report(self, &event)?,
                Err(reason) => report(self, &GameEvent::Refused { side, reason })?,
            }
        }
    }
}

/// How a game ended, or was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// In which way.
    pub termination: Termination,
    /// The side that won, as it sat at the end; `None` for a tie and for an unfinished game.
    pub winner: Option<Side>,
    /// The final stores, if the game was played to its end.
    pub outcome: Option<Outcome>,
}

/// What happened in a game, as the loop reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameEvent {
    /// This side is about to be asked.
    ToMove(Side),
    /// Something was played.
    Played {
        /// By which side.
        side: Side,
        /// What it did; the position after it is the game's.
        result: MoveResult,
    },
    /// So many plies were taken back.
    Undone(usize),
    /// So many plies were made again.
    Redone(usize),
    /// An answer was refused, and the same side will be asked again unless the game has ended.
    Refused {
        /// Whose answer.
        side: Side,
        /// Why.
        reason: ActionError,
    },
    /// The game has ended.
    Ended(Ending),
}

/// Why an answer is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ActionError {
    /// The choice is against the rules.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// No choice, while there is one.
    #[error("no choice was made, although there is one")]
    NoMove,
    /// No ply of a person to take back.
    #[error("there is nothing to take back")]
    NothingToUndo,
    /// Nothing was taken back, or something was played since.
    #[error("there is nothing to make again")]
    NothingToRedo,
    /// The game has ended already.
    #[error("the game has ended")]
    Ended,
}

/// The way in which a game came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Termination {
    /// By the rules: everything is swept.
    Normal,
    /// Somebody decided it before the end.
    Adjudicated,
    /// A player resigned.
    Resign,
    /// A player answered what the rules forbid.
    Illegal,
    /// A player was out of time.
    Time,
    /// A player's program ended by itself.
    Crash,
    /// A player's program stopped answering.
    Stall,
    /// A player's program broke the protocol.
    Protocol,
    /// It has not ended.
    Unfinished,
}

impl Termination {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Normal,
        Self::Adjudicated,
        Self::Resign,
        Self::Illegal,
        Self::Time,
        Self::Crash,
        Self::Stall,
        Self::Protocol,
        Self::Unfinished,
    ];

    /// The word in a record's `Termination` tag.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Adjudicated => "adjudicated",
            Self::Resign => "resign",
            Self::Illegal => "illegal",
            Self::Time => "time",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Protocol => "protocol",
            Self::Unfinished => "unfinished",
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that names no [`Termination`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is none of normal, adjudicated, resign, illegal, time, crash, stall, protocol, unfinished"
)]
pub struct ParseTerminationError(pub String);

impl FromStr for Termination {
    type Err = ParseTerminationError;

    fn from_str(word: &str) -> Result<Self, ParseTerminationError> {
        Self::ALL
            .into_iter()
            .find(|termination| termination.as_str() == word)
            .ok_or_else(|| ParseTerminationError(word.to_owned()))
    }
}
