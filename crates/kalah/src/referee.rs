use std::time::Duration;

use crate::{
    ActionError, BySide, Ending, Game, GameEvent, Player, PlayerAction, Position, Side, Termination,
};

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
