use kalah::{Game, MoveResult, Ply, Position, Side, Termination};
use thiserror::Error;

use crate::games::{
    ByPerson, Clock, ClockSetting, Ended, GameId, Moment, Person, Saved, Standing, Token, TokenHash,
};

/// A game between two people who are not in one room: the game itself, whose token moves which row,
/// the clock, how it ended, and whether they want another one.
///
/// It reads no clock and no file: whoever leads it tells it the time and keeps what changed. An
/// operation that is refused leaves it as it was.
#[derive(Clone, Debug)]
pub struct FriendGame {
    id: GameId,
    created: Moment,
    game: Game,
    tokens: ByPerson<TokenHash>,
    standing: Standing,
}

/// Why something is not done in a game.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Refused {
    /// The token is neither person's.
    #[error("the token moves nothing in this game")]
    Token,
    /// There is no token: who asks looks on.
    #[error("who looks on moves nothing: that takes the token of a side")]
    NoToken,
    /// Somebody was quicker, or the sowing was made for another state of the game.
    #[error("ply {asked} is not the one to be made: that is ply {awaited}")]
    LatePly {
        /// The ply that was to be made.
        asked: usize,
        /// The one that can be made.
        awaited: usize,
    },
    /// The other person is to answer.
    #[error("it is {to_move}'s turn")]
    NotYourTurn {
        /// Whose turn it is.
        to_move: Side,
    },
    /// Nothing can be changed any more.
    #[error("the game has ended")]
    Ended,
    /// Another game can be asked for only after this one.
    #[error("the game has not ended yet")]
    NotEnded,
    /// The choice is none, or against the rules.
    #[error(transparent)]
    Choice(#[from] kalah_api::Problem),
}

/// What came of a sowing that was not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sowing {
    /// It was made.
    Made,
    /// The same person made the same choice as this ply before: nothing has changed.
    Repeated,
}

/// What came of asking for another game.
#[derive(Clone, Debug)]
pub enum Rematch {
    /// The other person has still to ask for it too.
    Offered,
    /// It was asked for before: nothing has changed.
    Repeated,
    /// Both want it: this is the game.
    Made(Box<FriendGame>),
}

/// Why what was kept is no game.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(transparent)]
pub struct DamagedGameError(pub Box<kalah_api::Problem>);

impl From<kalah_api::Problem> for DamagedGameError {
    fn from(problem: kalah_api::Problem) -> Self {
        Self(Box::new(problem))
    }
}

impl FriendGame {
    /// A new game from `start`, and the tokens of its people.
    pub fn new(
        start: Position,
        clock: Option<ClockSetting>,
        tokens: ByPerson<TokenHash>,
        now: Moment,
    ) -> Self {
        let mut game = Self {
            id: GameId::random(),
            created: now,
            game: Game::new(start),
            tokens,
            standing: Standing::new(now, clock.map(Clock::new)),
        };
        game.note_end(now);
        game
    }

    /// The game that was kept.
    ///
    /// # Errors
    /// Why it is none.
    pub fn from_saved(saved: &Saved) -> Result<Self, DamagedGameError> {
        let start = kalah_api::position(Some(&saved.rules), Some(&saved.start))?;
        let mut game = Game::new(start);
        for (ply, text) in (1..).zip(&saved.plies) {
            play(&mut game, text).map_err(|problem| kalah_api::Problem::AtPly {
                ply,
                problem: Box::new(problem),
            })?;
        }
        Ok(Self {
            id: saved.id,
            created: saved.created,
            game,
            tokens: saved.tokens,
            standing: saved.standing,
        })
    }

    /// What is to be kept of it.
    pub fn to_saved(&self) -> Saved {
        Saved {
            id: self.id,
            created: self.created,
            rules: self.game.start().rules().to_string(),
            start: self.game.start().to_string(),
            tokens: self.tokens,
            plies: self.choices(),
            standing: self.standing,
        }
    }

    /// Which game.
    pub const fn id(&self) -> GameId {
        self.id
    }

    /// The game itself.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// What else changes as it is played.
    pub const fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The choices made, as text, the first one first.
    pub fn choices(&self) -> Vec<String> {
        let plies = self.game.plies().iter();
        plies.map(|ply| ply.mv.text(ply.side)).collect()
    }

    /// The last ply, if there is one.
    pub fn last_ply(&self) -> Option<&Ply> {
        self.game.plies().last()
    }

    /// Whose token it is.
    ///
    /// # Errors
    /// [`Refused::Token`] if it is nobody's.
    pub fn person(&self, token: &Token) -> Result<Person, Refused> {
        // Both are looked at, whichever fits.
        let fits = ByPerson::from_fn(|person| self.tokens.of(person).is_of(token));
        let mut people = Person::ALL.into_iter();
        people
            .find(|&person| *fits.of(person))
            .ok_or(Refused::Token)
    }

    /// Who is to answer; `None` once the game has ended.
    pub fn to_answer(&self) -> Option<Person> {
        let side = self.game.position().to_move();
        let open = self.standing.ended.is_none();
        open.then(|| Person::seated(side, self.game.is_swapped()))
    }

    /// Ends the game if the time of the person who is to answer is over. Says whether it did.
    pub fn note_time(&mut self, now: Moment) -> bool {
        let clock = self.standing.clock;
        let Some(loser) = self
            .to_answer()
            .filter(|_| clock.is_some_and(|clock| clock.has_run_out(now)))
        else {
            return false;
        };
        self.end(Termination::Time, loser.other(), now);
        true
    }

    /// Notes that a person has come to the game. The clock begins to run when both have. Says whether
    /// that is news.
    pub fn come(&mut self, person: Person, now: Moment) -> bool {
        let came = self.standing.came.of_mut(person);
        if *came || self.standing.ended.is_some() {
            return false;
        }
        *came = true;
        self.standing.changed = now;
        self.run_clock(now);
        true
    }

    /// Makes `choice` as ply `number`, counted from 1.
    ///
    /// # Errors
    /// Why it is not made.
    pub fn sow(
        &mut self,
        person: Person,
        number: usize,
        choice: &str,
        now: Moment,
    ) -> Result<Sowing, Refused> {
        let awaited = self.game.plies().len() + 1;
        if self.has_made(person, number, choice) {
            return Ok(Sowing::Repeated);
        }
        let to_answer = self.to_answer().ok_or(Refused::Ended)?;
        if number != awaited {
            return Err(Refused::LatePly {
                asked: number,
                awaited,
            });
        }
        let to_move = self.game.position().to_move();
        if person != to_answer {
            return Err(Refused::NotYourTurn { to_move });
        }
        play(&mut self.game, choice)?;
        *self.standing.came.of_mut(person) = true;
        self.standing.changed = now;
        self.run_clock(now);
        self.note_end(now);
        Ok(Sowing::Made)
    }

    /// Whether `person` made `choice` as ply `number`.
    fn has_made(&self, person: Person, number: usize, choice: &str) -> bool {
        let index = number.checked_sub(1);
        let Some(ply) = index.and_then(|index| self.game.plies().get(index)) else {
            return false;
        };
        let before = self.game.plies().iter().take(number - 1);
        let swapped = before
            .into_iter()
            .any(|ply| ply.result == MoveResult::Swapped);
        Person::seated(ply.side, swapped) == person && ply.mv.text(ply.side) == choice
    }

    /// Gives the game up for `person`, whoever is to move.
    ///
    /// # Errors
    /// [`Refused::Ended`] if there is nothing to give up.
    pub fn resign(&mut self, person: Person, now: Moment) -> Result<(), Refused> {
        if self.standing.ended.is_some() {
            return Err(Refused::Ended);
        }
        self.end(Termination::Resign, person.other(), now);
        Ok(())
    }

    /// Asks for another game with the sides exchanged, for `person`. Both must; the tokens of this
    /// game move the same people's rows in the other.
    ///
    /// # Errors
    /// [`Refused::NotEnded`] while this one can be played.
    pub fn rematch(&mut self, person: Person, now: Moment) -> Result<Rematch, Refused> {
        if self.standing.ended.is_none() {
            return Err(Refused::NotEnded);
        }
        let asked = self.standing.rematch_asked.of_mut(person);
        if *asked {
            return Ok(Rematch::Repeated);
        }
        *asked = true;
        self.standing.changed = now;
        if !self.standing.rematch_asked.of(person.other()) {
            return Ok(Rematch::Offered);
        }
        let clock = self.standing.clock.map(|clock| clock.setting());
        let tokens = ByPerson::from_fn(|person| *self.tokens.of(person.other()));
        let other = Self::new(self.game.start().clone(), clock, tokens, now);
        self.standing.rematch = Some(other.id);
        Ok(Rematch::Made(Box::new(other)))
    }

    /// Lets the clock run for who is to answer, if both people have come.
    fn run_clock(&mut self, now: Moment) {
        let both = self.standing.came == ByPerson::new(true, true);
        if let (true, Some(person)) = (both, self.to_answer())
            && let Some(clock) = &mut self.standing.clock
        {
            clock.turn(person, now);
        }
    }

    /// Ends the game if the rules say so.
    fn note_end(&mut self, now: Moment) {
        if let Some(outcome) = self.game.outcome() {
            self.end_with(Termination::Normal, outcome.winner(), now);
        }
    }

    fn end(&mut self, termination: Termination, winner: Person, now: Moment) {
        let winner = winner.seat(self.game.is_swapped());
        self.end_with(termination, Some(winner), now);
    }

    fn end_with(&mut self, termination: Termination, winner: Option<Side>, now: Moment) {
        self.standing.ended = Some(Ended {
            termination,
            winner,
        });
        self.standing.changed = now;
        if let Some(clock) = &mut self.standing.clock {
            clock.stop(now);
        }
    }
}

/// Makes the choice that a text names; the game is unchanged if that cannot be.
fn play(game: &mut Game, text: &str) -> Result<(), kalah_api::Problem> {
    let choice = kalah_api::choice(text, game.position())?;
    match game.play(choice) {
        Ok(_) => Ok(()),
        Err(reason) => Err(kalah_api::Problem::Illegal {
            choice: text.to_owned(),
            reason,
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kalah::Rules;

    use super::*;

    const SOUTH: Person = Person::ALL[0];
    const NORTH: Person = Person::ALL[1];

    fn at(seconds: i64) -> Moment {
        Moment::from_millis(seconds * 1000)
    }

    fn game() -> FriendGame {
        let start = Position::start(6, 4, Rules::MANKALAH).expect("a start");
        let setting = ClockSetting::new(Duration::from_mins(1), Duration::from_secs(5));
        let tokens = ByPerson::from_fn(|_| Token::random().hash());
        FriendGame::new(start, setting.ok(), tokens, at(0))
    }

    fn left(game: &FriendGame, person: Person, now: Moment) -> u64 {
        let clock = game.standing().clock.expect("a clock");
        clock.left(person, now).as_secs()
    }

    #[test]
    fn a_clock_goes_with_its_person_and_stands_until_both_have_come() {
        let mut game = game();
        assert!(game.come(SOUTH, at(10)));
        assert!(!game.come(SOUTH, at(11)));
        assert_eq!(game.sow(SOUTH, 1, "A", at(20)), Ok(Sowing::Made));
        assert_eq!(
            (left(&game, SOUTH, at(30)), left(&game, NORTH, at(30))),
            (60, 60)
        );
        assert!(game.come(NORTH, at(30)));
        assert_eq!(
            (left(&game, SOUTH, at(40)), left(&game, NORTH, at(40))),
            (60, 50)
        );
        // A swap is a turn too, and leaves the other person to move on the same side.
        assert_eq!(game.sow(NORTH, 2, "swap", at(40)), Ok(Sowing::Made));
        assert_eq!(
            (left(&game, SOUTH, at(50)), left(&game, NORTH, at(50))),
            (50, 55)
        );
        assert_eq!(game.to_answer(), Some(SOUTH));
        assert!(!game.note_time(at(99)));
        assert!(game.note_time(at(100)));
        let ended = game.standing().ended.expect("an end");
        // Who began as South has lost, and sits North.
        assert_eq!(
            (ended.termination, ended.winner),
            (Termination::Time, Some(Side::South))
        );
        assert!(!game.note_time(at(101)));
    }

    #[test]
    fn a_refused_operation_changes_nothing() {
        let mut game = game();
        game.sow(SOUTH, 1, "C", at(1)).expect("a legal choice");
        let before = game.to_saved();
        for (person, ply, choice) in [
            (SOUTH, 2, "a"),
            (NORTH, 1, "C"),
            (NORTH, 2, "A"),
            (NORTH, 2, "g"),
            (NORTH, 3, "a"),
            (NORTH, 0, "a"),
            (NORTH, usize::MAX, "a"),
            (NORTH, 2, ""),
        ] {
            let refused = game.sow(person, ply, choice, at(2));
            assert!(refused.is_err(), "{choice} as ply {ply}");
        }
        assert_eq!(game.rematch(NORTH, at(2)).err(), Some(Refused::NotEnded));
        assert!(!game.note_time(at(1_000_000)));
        assert_eq!(game.to_saved(), before);
        let stranger = Token::random();
        assert_eq!(game.person(&stranger), Err(Refused::Token));
    }

    #[test]
    fn what_was_kept_and_is_no_game_is_told() {
        let good = game().to_saved();
        assert!(FriendGame::from_saved(&good).is_ok());
        let with = |change: fn(&mut Saved)| {
            let mut saved = good.clone();
            change(&mut saved);
            FriendGame::from_saved(&saved)
                .expect_err("damaged")
                .to_string()
        };
        for (told, expected) in [
            (with(|saved| saved.rules = "chess".to_owned()), "chess"),
            (with(|saved| saved.start = "6y4".to_owned()), "6y4"),
            (
                with(|saved| saved.start = "6x9999".to_owned()),
                "119988 seeds",
            ),
            (with(|saved| saved.plies = vec!["AB".to_owned()]), "`AB`"),
            (with(|saved| saved.plies = vec!["A".to_owned(); 3]), "ply 2"),
        ] {
            assert!(told.contains(expected), "{told}");
        }
    }
}
