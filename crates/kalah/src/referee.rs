use std::time::Duration;

use crate::{Answer, BySide, Ending, Event, Game, Player, Position, Refusal, Side, Termination};

/// Leads a game: says who is to answer, takes the answers, plays what is legal, and knows how the
/// game ended.
///
/// It waits for nobody and calls nobody, so that a page or a server can hand it answers as they
/// arrive; [`Referee::run`] is the loop around it for players that can simply be asked.
///
/// Players are told apart by the side on which they began; a swap exchanges the sides on which they
/// sit, see [`Referee::seated`].
#[derive(Clone, Debug)]
pub struct Referee {
    game: Game,
    interactive: BySide<bool>,
    ending: Option<Ending>,
}

/// A player in its place, and the time that it has for each answer.
pub struct Seat<'a> {
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
        referee.note_end();
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
    pub fn to_answer(&self) -> Option<Side> {
        match self.ending {
            Some(_) => None,
            None => Some(self.position().to_move()),
        }
    }

    /// The player who sits on `side` now, named by the side on which it began.
    pub fn seated(&self, side: Side) -> Side {
        if self.game.is_swapped() {
            side.opponent()
        } else {
            side
        }
    }

    /// Whether a person sits on `side` now.
    fn is_interactive(&self, side: Side) -> bool {
        self.interactive[self.seated(side)]
    }

    /// Takes the answer of the side to move.
    ///
    /// # Errors
    /// Why it is refused; the position is unchanged then. A person may answer again. A program has
    /// lost by [`Termination::Illegal`].
    pub fn answer(&mut self, answer: Answer) -> Result<Event, Refusal> {
        let side = self.to_answer().ok_or(Refusal::Ended)?;
        let person = self.is_interactive(side);
        let result = match answer {
            Answer::Choice(choice) => match self.game.play(choice) {
                Ok(ply) => Ok(Event::Played {
                    side,
                    played: ply.played,
                }),
                Err(reason) => Err(reason.into()),
            },
            Answer::Undo if person => self.undo(),
            Answer::Redo if person => self.redo(),
            Answer::None | Answer::Undo | Answer::Redo => Err(Refusal::NoChoice),
            Answer::Resign => Ok(self.end(Termination::Resign, Some(side.opponent()))),
            Answer::Leave => Ok(self.end(Termination::Unfinished, None)),
        };
        match &result {
            Err(_) if !person => {
                self.end(Termination::Illegal, Some(side.opponent()));
            }
            _ => self.note_end(),
        }
        result
    }

    /// Back to where a person was to move, one ply at least.
    fn undo(&mut self) -> Result<Event, Refusal> {
        let mut undone = 0;
        while self.game.undo().is_some() {
            undone += 1;
            if self.is_interactive(self.position().to_move()) {
                return Ok(Event::Undone(undone));
            }
        }
        for _ in 0..undone {
            self.game.redo();
        }
        Err(Refusal::NothingToUndo)
    }

    /// Forward to where a person was to move, or to the last ply taken back.
    fn redo(&mut self) -> Result<Event, Refusal> {
        let mut redone = 0;
        while self.game.redo().is_some() {
            redone += 1;
            if self.is_interactive(self.position().to_move()) {
                break;
            }
        }
        match redone {
            0 => Err(Refusal::NothingToRedo),
            _ => Ok(Event::Redone(redone)),
        }
    }

    fn end(&mut self, termination: Termination, winner: Option<Side>) -> Event {
        let ending = Ending {
            termination,
            winner,
            outcome: self.game.outcome(),
        };
        self.ending = Some(ending);
        Event::Ended(ending)
    }

    /// Ends the game if the rules say so.
    fn note_end(&mut self) {
        if let (None, Some(outcome)) = (self.ending, self.game.outcome()) {
            self.end(Termination::Normal, outcome.winner());
        }
    }

    /// Asks the players by turns until the game has ended, and tells `report` of everything that
    /// happens, in order; `players` are given by the side on which they began.
    ///
    /// # Errors
    /// What `report` fails with, which stops the game where it is.
    pub fn run<E>(
        &mut self,
        mut players: BySide<Seat<'_>>,
        mut report: impl FnMut(&Self, &Event) -> Result<(), E>,
    ) -> Result<Ending, E> {
        loop {
            if let Some(ending) = self.ending {
                report(self, &Event::Ended(ending))?;
                return Ok(ending);
            }
            let side = self.position().to_move();
            report(self, &Event::ToMove(side))?;
            let seat = &mut players[self.seated(side)];
            let answer = seat.player.answer(&self.game, seat.limit);
            match self.answer(answer) {
                // Reported once, above.
                Ok(Event::Ended(_)) => {}
                Ok(event) => report(self, &event)?,
                Err(reason) => report(self, &Event::Refused { side, reason })?,
            }
        }
    }
}
