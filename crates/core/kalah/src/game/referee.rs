//! Players, the referee that runs a game between them, and how games end.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::game::Game;
use crate::game::move_time::MoveTime;
use crate::message_text::Quoted;
use crate::position::Position;
use crate::side::{BySide, Side};
use crate::types::{IllegalMove, Move, MoveResult, Outcome};

/// A player: a program, or a person at an interface.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Move, Player, Position, Rules};
///
/// /// Sows the legal house nearest to the store.
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
/// let mv = Nearest.choose_move(&start, Duration::from_secs(5)).expect("there are seeds");
/// assert_eq!(mv.text(start.to_move()), "F");
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub trait Player {
    /// Returns the name shown to others.
    fn name(&self) -> &str;

    /// Returns whether the player is a person, who may answer again after an illegal move and may
    /// undo plies.
    fn is_interactive(&self) -> bool {
        false
    }

    /// Returns the move for the side to move, within `limit`; `None` to claim that there is none.
    fn choose_move(&mut self, position: &Position, limit: Duration) -> Option<Move>;

    /// Returns the move like [`Self::choose_move`], within a time of its own or a part of a clock.
    ///
    /// Players that do not manage a clock need not implement it: the target of a clock is their
    /// limit.
    fn choose_move_in(&mut self, position: &Position, time: MoveTime) -> Option<Move> {
        self.choose_move(position, time.planned())
    }

    /// Returns the action that the [`Referee`] requests: a move for the position of `game`, or,
    /// from a person, any other [`PlayerAction`].
    ///
    /// Programs need not implement it.
    fn next_action(&mut self, game: &Game, limit: Duration) -> PlayerAction {
        match self.choose_move(game.position(), limit) {
            Some(mv) => PlayerAction::Move(mv),
            None => PlayerAction::NoMove,
        }
    }
}

/// The action of a player whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerAction {
    /// Make this move.
    Move(Move),
    /// Claim that there is no legal move.
    NoMove,
    /// Undo plies back to the last turn of a person. From people only.
    Undo,
    /// Redo plies that were undone. From people only.
    Redo,
    /// Resign.
    Resign,
    /// Leave the game unfinished.
    Quit,
}

/// The state of a game in progress: whose action is due, which actions are legal, how it ended.
///
/// A referee never waits and never calls a player, so that a page or a server can pass it actions
/// as they arrive. [`Referee::run`] is the loop around it for players that answer at once.
///
/// Players are identified by the sides on which they began. A swap exchanges their sides, see
/// [`Game::player_on`].
#[derive(Clone, Debug)]
pub struct Referee {
    game: Game,
    interactive: BySide<bool>,
    ending: Option<Ending>,
}

/// A player with its time limit.
pub struct TimedPlayer<'a> {
    /// The player.
    pub player: &'a mut dyn Player,
    /// The time for each action.
    pub limit: Duration,
}

impl Referee {
    /// Creates the referee of `game` as it stands. `interactive` tells which players are people, by
    /// the side on which each of them began.
    pub fn new(game: Game, interactive: BySide<bool>) -> Self {
        let mut referee = Self {
            game,
            interactive,
            ending: None,
        };
        referee.finish_if_over();
        referee
    }

    /// Returns the game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// Returns how the game ended, once it has.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Returns the side whose action is due, `None` once the game has ended.
    pub fn side_to_act(&self) -> Option<Side> {
        match self.ending {
            Some(_) => None,
            None => Some(self.position().to_move()),
        }
    }

    /// Replaces the player that began on `started_as`: `is_interactive` tells whether the other one
    /// is a person.
    pub fn set_interactive(&mut self, started_as: Side, is_interactive: bool) {
        self.interactive[started_as] = is_interactive;
    }

    /// Returns whether the player on `side` is a person.
    fn is_interactive(&self, side: Side) -> bool {
        self.interactive[self.game.player_on(side).started_as]
    }

    /// Applies an action of the side to move.
    ///
    /// # Errors
    /// The reason why the action is refused; the position is unchanged then. A person may act
    /// again. A program loses the game by [`Termination::Illegal`].
    pub fn apply(&mut self, action: PlayerAction) -> Result<GameEvent, ActionError> {
        let side = self.side_to_act().ok_or(ActionError::Ended)?;
        let interactive = self.is_interactive(side);
        let result = match action {
            PlayerAction::Move(mv) => match self.game.play(mv) {
                Ok(ply) => Ok(GameEvent::Played {
                    side,
                    result: ply.result,
                }),
                Err(reason) => Err(reason.into()),
            },
            PlayerAction::Undo if interactive => self.undo(),
            PlayerAction::Redo if interactive => self.redo(),
            PlayerAction::NoMove | PlayerAction::Undo | PlayerAction::Redo => {
                Err(ActionError::NoMove)
            }
            PlayerAction::Resign => Ok(self.finish(Termination::Resign, Some(side.opponent()))),
            PlayerAction::Quit => Ok(self.finish(Termination::Unfinished, None)),
        };
        match &result {
            Err(_) if !interactive => {
                self.finish(Termination::Illegal, Some(side.opponent()));
            }
            _ => self.finish_if_over(),
        }
        result
    }

    /// Ends a game that has not ended yet for a reason outside of the rules, such as a player's
    /// time. The winner is a side of the current position.
    ///
    /// ```
    /// use kalah::{BySide, Ending, Game, Position, Referee, Rules, Side, Termination};
    /// let game = Game::new(Position::start(6, 4, Rules::CS32)?);
    /// let mut referee = Referee::new(game, BySide::default());
    /// let lost_on_time = Ending {
    ///     termination: Termination::Time,
    ///     winner: Some(Side::North),
    ///     outcome: None,
    /// };
    /// referee.end(lost_on_time);
    /// assert_eq!(referee.ending(), Some(lost_on_time));
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    pub fn end(&mut self, ending: Ending) {
        self.ending.get_or_insert(ending);
    }

    /// Undoes at least one ply, back to the last turn of a person.
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

    /// Redoes plies up to the next turn of a person, or all of them.
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

    /// Ends the game if it is over by the rules.
    fn finish_if_over(&mut self) {
        if let (None, Some(outcome)) = (self.ending, self.game.outcome()) {
            self.finish(Termination::Normal, outcome.winner());
        }
    }

    /// Requests actions of the players by turns until the game has ended, and passes every event to
    /// `report`, in order. `players` are given by the side on which they began.
    ///
    /// # Errors
    /// The error of `report`, which stops the loop and leaves the game as it is.
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
            let timed = &mut players[self.game.player_on(side).started_as];
            let action = timed.player.next_action(&self.game, timed.limit);
            match self.apply(action) {
                // Reported at the top of the loop.
                Ok(GameEvent::Ended(_)) => {}
                Ok(event) => report(self, &event)?,
                Err(reason) => report(self, &GameEvent::Refused { side, reason })?,
            }
        }
    }
}

/// The end of a game, or its state when it was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The way in which the game ended.
    pub termination: Termination,
    /// The winner, by the side at the end; `None` for a tie and for an unfinished game.
    pub winner: Option<Side>,
    /// The final stores, if the game was played to its end or if an adjudication has given them.
    /// [`Game::outcome`] tells whether the board is over.
    pub outcome: Option<Outcome>,
}

/// An event of a game, as [`Referee`] reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameEvent {
    /// The action of this side is requested next.
    ToMove(Side),
    /// A move was made.
    Played {
        /// The side that made it.
        side: Side,
        /// The result of the move; the game has the position after it.
        result: MoveResult,
    },
    /// This number of plies was undone.
    Undone(usize),
    /// This number of plies was redone.
    Redone(usize),
    /// An action was refused. The same side acts again unless the game has ended.
    Refused {
        /// The side whose action it was.
        side: Side,
        /// The reason.
        reason: ActionError,
    },
    /// The game has ended.
    Ended(Ending),
}

/// The reason why an action is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ActionError {
    /// The move is illegal.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The player made no move although there is a legal one.
    #[error("no move was made although there is a legal one")]
    NoMove,
    /// There is no ply of a person to undo.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// No ply was undone, or a move was made since.
    #[error("there is nothing to redo")]
    NothingToRedo,
    /// The game has ended.
    #[error("the game has ended")]
    Ended,
}

/// The way in which a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Termination {
    /// By the rules.
    Normal,
    /// By a decision before the end, such as a proven margin.
    Adjudicated,
    /// A player resigned.
    Resign,
    /// A player made an illegal move.
    Illegal,
    /// A player exceeded its time.
    Time,
    /// A player's program exited.
    Crash,
    /// A player's program stopped answering.
    Stall,
    /// A player's program broke the protocol.
    Protocol,
    /// The game has not ended.
    Unfinished,
}

impl Termination {
    /// All values.
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

    /// Returns the word in the `Termination` tag of a record.
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

/// A text that is not the word of a [`Termination`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "invalid termination {0}: expected normal, adjudicated, resign, illegal, time, crash, stall, protocol or unfinished"
)]
pub struct ParseTerminationError(pub Quoted);

impl FromStr for Termination {
    type Err = ParseTerminationError;

    fn from_str(word: &str) -> Result<Self, ParseTerminationError> {
        Self::ALL
            .into_iter()
            .find(|termination| termination.as_str() == word)
            .ok_or_else(|| ParseTerminationError(Quoted::new(word)))
    }
}
