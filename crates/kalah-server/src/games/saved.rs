use kalah::{Side, Termination};

use crate::games::{ByPerson, Clock, GameId, Moment, Person, TokenHash};

/// A game as it is kept: texts where the game's own text forms say it, so that a later version reads
/// them too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Which game.
    pub id: GameId,
    /// When it was made.
    pub created: Moment,
    /// Its rules, as text.
    pub rules: String,
    /// The position before the first ply, as text.
    pub start: String,
    /// What is kept of each person's token.
    pub tokens: ByPerson<TokenHash>,
    /// The choices made, as text, the first one first.
    pub plies: Vec<String>,
    /// What else changes as it is played.
    pub standing: Standing,
}

/// What changes in a game as it is played, apart from its plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// When it changed last.
    pub changed: Moment,
    /// Its clock, if it has one.
    pub clock: Option<Clock>,
    /// Which people have come to it.
    pub came: ByPerson<bool>,
    /// How it ended, once it has.
    pub ended: Option<Ended>,
    /// Who has asked for another game.
    pub rematch_asked: ByPerson<bool>,
    /// The other game, once both have asked for it.
    pub rematch: Option<GameId>,
}

impl Standing {
    /// That of a game to which nobody has come yet.
    pub const fn new(created: Moment, clock: Option<Clock>) -> Self {
        Self {
            changed: created,
            clock,
            came: ByPerson::new(false, false),
            ended: None,
            rematch_asked: ByPerson::new(false, false),
            rematch: None,
        }
    }

    /// The one person who has asked for another game and waits for the other.
    pub fn rematch_offered_by(&self) -> Option<Person> {
        if self.rematch.is_some() {
            return None;
        }
        Person::ALL
            .into_iter()
            .find(|&person| *self.rematch_asked.of(person))
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// In which way.
    pub termination: Termination,
    /// Who won as the people sat at the end; `None` for a tie.
    pub winner: Option<Side>,
}
