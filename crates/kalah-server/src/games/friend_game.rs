use kalah::{Game, MoveResult, Ply, Position, Side, Termination};
use thiserror::Error;

use crate::games::{
    ByPlayer, ClockSetting, GameClock, GameId, GameState, PlayerId, PlayerToken, StoredEnding,
    StoredGame, Timestamp, TokenHash,
};

/// A game between two people who are not in one room: the game itself, whose token moves which row,
/// the clock, how it ended, and whether they want another one.
///
/// It reads no clock and no file: whoever leads it tells it the time and keeps what changed. An
/// operation that is refused leaves it as it was.
#[derive(Clone, Debug)]
pub struct FriendGame {
    id: GameId,
    created: Timestamp,
    game: Game,
    tokens: ByPlayer<TokenHash>,
    state: GameState,
}

/// Why something is not done in a game.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CommandError {
    /// The token is neither person's.
    #[error("the token moves nothing in this game")]
    InvalidToken,
    /// There is no token: who asks looks on.
    #[error("who looks on moves nothing: that takes the token of a side")]
    MissingToken,
    /// Somebody was quicker, or the sowing was made for another state of the game.
    #[error("ply {requested} is not the one to be made: that is ply {expected}")]
    WrongPly {
        /// The ply that was to be made.
        requested: usize,
        /// The one that can be made.
        expected: usize,
    },
    /// The other person is to answer.
    #[error("it is {to_move}'s turn")]
    NotYourTurn {
        /// Whose turn it is.
        to_move: Side,
    },
    /// Nothing can be changed any more.
    #[error("the game has ended")]
    GameEnded,
    /// Another game can be asked for only after this one.
    #[error("the game has not ended yet")]
    GameNotEnded,
    /// The choice is none, or against the rules.
    #[error(transparent)]
    InvalidMove(#[from] kalah_api::RequestError),
}

/// What came of a sowing that was not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayOutcome {
    /// It was made.
    Played,
    /// The same person made the same choice as this ply before: nothing has changed.
    Repeated,
}

/// What came of asking for another game.
#[derive(Clone, Debug)]
pub enum RematchOutcome {
    /// The other person has still to ask for it too.
    Offered,
    /// It was asked for before: nothing has changed.
    Repeated,
    /// Both want it: this is the game.
    Created(Box<FriendGame>),
}

/// Why what was kept is no game.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(transparent)]
pub struct DamagedGameError(pub Box<kalah_api::RequestError>);

impl From<kalah_api::RequestError> for DamagedGameError {
    fn from(problem: kalah_api::RequestError) -> Self {
        Self(Box::new(problem))
    }
}

impl FriendGame {
    /// A new game from `start`, and the tokens of its people.
    pub fn new(
        start: Position,
        clock: Option<ClockSetting>,
        tokens: ByPlayer<TokenHash>,
        now: Timestamp,
    ) -> Self {
        let mut game = Self {
            id: GameId::random(),
            created: now,
            game: Game::new(start),
            tokens,
            state: GameState::new(now, clock.map(GameClock::new)),
        };
        game.check_end(now);
        game
    }

    /// The game that was kept.
    ///
    /// # Errors
    /// Why it is none.
    pub fn from_stored(saved: &StoredGame) -> Result<Self, DamagedGameError> {
        let start = kalah_api::parse_position(Some(&saved.rules), Some(&saved.start))?;
        let mut game = Game::new(start);
        for (ply, text) in (1..).zip(&saved.plies) {
            play_text(&mut game, text).map_err(|problem| kalah_api::RequestError::AtPly {
                ply,
                problem: Box::new(problem),
            })?;
        }
        Ok(Self {
            id: saved.id,
            created: saved.created,
            game,
            tokens: saved.tokens,
            state: saved.state,
        })
    }

    /// What is to be kept of it.
    pub fn to_stored(&self) -> StoredGame {
        StoredGame {
            id: self.id,
            created: self.created,
            rules: self.game.start().rules().to_string(),
            start: self.game.start().to_string(),
            tokens: self.tokens,
            plies: self.moves(),
            state: self.state,
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
    pub const fn state(&self) -> &GameState {
        &self.state
    }

    /// The choices made, as text, the first one first.
    pub fn moves(&self) -> Vec<String> {
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
    /// [`CommandError::PlayerToken`] if it is nobody's.
    pub fn player(&self, token: &PlayerToken) -> Result<PlayerId, CommandError> {
        // Both are looked at, whichever fits.
        let fits = ByPlayer::from_fn(|person| self.tokens[person].matches(token));
        let mut people = PlayerId::ALL.into_iter();
        people
            .find(|&person| fits[person])
            .ok_or(CommandError::InvalidToken)
    }

    /// Who is to answer; `None` once the game has ended.
    pub fn player_to_move(&self) -> Option<PlayerId> {
        let side = self.game.position().to_move();
        let open = self.state.ending.is_none();
        open.then(|| PlayerId::at_side(side, self.game.is_swapped()))
    }

    /// Ends the game if the time of the person who is to answer is over. Says whether it did.
    pub fn check_clock(&mut self, now: Timestamp) -> bool {
        let clock = self.state.clock;
        let Some(loser) = self
            .player_to_move()
            .filter(|_| clock.is_some_and(|clock| clock.has_expired(now)))
        else {
            return false;
        };
        self.finish_won_by(Termination::Time, loser.opponent(), now);
        true
    }

    /// Notes that a person has come to the game. The clock begins to run when both have. Says whether
    /// that is news.
    pub fn join(&mut self, person: PlayerId, now: Timestamp) -> bool {
        let came = &mut self.state.joined[person];
        if *came || self.state.ending.is_some() {
            return false;
        }
        *came = true;
        self.state.changed_at = now;
        self.start_clock_turn(now);
        true
    }

    /// Makes `choice` as ply `number`, counted from 1.
    ///
    /// # Errors
    /// Why it is not made.
    pub fn play(
        &mut self,
        person: PlayerId,
        number: usize,
        mv: &str,
        now: Timestamp,
    ) -> Result<PlayOutcome, CommandError> {
        let awaited = self.game.plies().len() + 1;
        if self.has_played(person, number, mv) {
            return Ok(PlayOutcome::Repeated);
        }
        let to_answer = self.player_to_move().ok_or(CommandError::GameEnded)?;
        if number != awaited {
            return Err(CommandError::WrongPly {
                requested: number,
                expected: awaited,
            });
        }
        let to_move = self.game.position().to_move();
        if person != to_answer {
            return Err(CommandError::NotYourTurn { to_move });
        }
        play_text(&mut self.game, mv)?;
        self.state.joined[person] = true;
        self.state.changed_at = now;
        self.start_clock_turn(now);
        self.check_end(now);
        Ok(PlayOutcome::Played)
    }

    /// Whether `person` made `choice` as ply `number`.
    fn has_played(&self, person: PlayerId, number: usize, mv: &str) -> bool {
        let index = number.checked_sub(1);
        let Some(ply) = index.and_then(|index| self.game.plies().get(index)) else {
            return false;
        };
        let before = self.game.plies().iter().take(number - 1);
        let swapped = before
            .into_iter()
            .any(|ply| ply.result == MoveResult::Swapped);
        PlayerId::at_side(ply.side, swapped) == person && ply.mv.text(ply.side) == mv
    }

    /// Gives the game up for `person`, whoever is to move.
    ///
    /// # Errors
    /// [`CommandError::StoredEnding`] if there is nothing to give up.
    pub fn resign(&mut self, person: PlayerId, now: Timestamp) -> Result<(), CommandError> {
        if self.state.ending.is_some() {
            return Err(CommandError::GameEnded);
        }
        self.finish_won_by(Termination::Resign, person.opponent(), now);
        Ok(())
    }

    /// Asks for another game with the sides exchanged, for `person`. Both must; the tokens of this
    /// game move the same people's rows in the other.
    ///
    /// # Errors
    /// [`CommandError::GameNotEnded`] while this one can be played.
    pub fn request_rematch(
        &mut self,
        person: PlayerId,
        now: Timestamp,
    ) -> Result<RematchOutcome, CommandError> {
        if self.state.ending.is_none() {
            return Err(CommandError::GameNotEnded);
        }
        let asked = &mut self.state.rematch_requested[person];
        if *asked {
            return Ok(RematchOutcome::Repeated);
        }
        *asked = true;
        self.state.changed_at = now;
        if !self.state.rematch_requested[person.opponent()] {
            return Ok(RematchOutcome::Offered);
        }
        let clock = self.state.clock.map(|clock| clock.setting());
        let tokens = ByPlayer::from_fn(|person| self.tokens[person.opponent()]);
        let other = Self::new(self.game.start().clone(), clock, tokens, now);
        self.state.rematch = Some(other.id);
        Ok(RematchOutcome::Created(Box::new(other)))
    }

    /// Lets the clock run for who is to answer, if both people have come.
    fn start_clock_turn(&mut self, now: Timestamp) {
        let both = self.state.joined == ByPlayer::new(true, true);
        if let (true, Some(person)) = (both, self.player_to_move())
            && let Some(clock) = &mut self.state.clock
        {
            clock.start_turn(person, now);
        }
    }

    /// Ends the game if the rules say so.
    fn check_end(&mut self, now: Timestamp) {
        if let Some(outcome) = self.game.outcome() {
            self.finish(Termination::Normal, outcome.winner(), now);
        }
    }

    fn finish_won_by(&mut self, termination: Termination, winner: PlayerId, now: Timestamp) {
        let winner = winner.side(self.game.is_swapped());
        self.finish(termination, Some(winner), now);
    }

    fn finish(&mut self, termination: Termination, winner: Option<Side>, now: Timestamp) {
        self.state.ending = Some(StoredEnding {
            termination,
            winner,
        });
        self.state.changed_at = now;
        if let Some(clock) = &mut self.state.clock {
            clock.stop(now);
        }
    }
}

/// Makes the choice that a text names; the game is unchanged if that cannot be.
fn play_text(game: &mut Game, text: &str) -> Result<(), kalah_api::RequestError> {
    let mv = kalah_api::parse_move(text, game.position())?;
    match game.play(mv) {
        Ok(_) => Ok(()),
        Err(reason) => Err(kalah_api::RequestError::IllegalMove {
            mv: text.to_owned(),
            reason,
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kalah::Rules;

    use super::*;

    const SOUTH: PlayerId = PlayerId::ALL[0];
    const NORTH: PlayerId = PlayerId::ALL[1];

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn game() -> FriendGame {
        let start = Position::start(6, 4, Rules::MANKALAH).expect("a start");
        let setting = ClockSetting::new(Duration::from_mins(1), Duration::from_secs(5));
        let tokens = ByPlayer::from_fn(|_| PlayerToken::random().hash());
        FriendGame::new(start, setting.ok(), tokens, at(0))
    }

    fn left(game: &FriendGame, person: PlayerId, now: Timestamp) -> u64 {
        let clock = game.state().clock.expect("a clock");
        clock.remaining(person, now).as_secs()
    }

    #[test]
    fn a_clock_goes_with_its_person_and_stands_until_both_have_come() {
        let mut game = game();
        assert!(game.join(SOUTH, at(10)));
        assert!(!game.join(SOUTH, at(11)));
        assert_eq!(game.play(SOUTH, 1, "A", at(20)), Ok(PlayOutcome::Played));
        assert_eq!(
            (left(&game, SOUTH, at(30)), left(&game, NORTH, at(30))),
            (60, 60)
        );
        assert!(game.join(NORTH, at(30)));
        assert_eq!(
            (left(&game, SOUTH, at(40)), left(&game, NORTH, at(40))),
            (60, 50)
        );
        // A swap is a turn too, and leaves the other person to move on the same side.
        assert_eq!(game.play(NORTH, 2, "swap", at(40)), Ok(PlayOutcome::Played));
        assert_eq!(
            (left(&game, SOUTH, at(50)), left(&game, NORTH, at(50))),
            (50, 55)
        );
        assert_eq!(game.player_to_move(), Some(SOUTH));
        assert!(!game.check_clock(at(99)));
        assert!(game.check_clock(at(100)));
        let ended = game.state().ending.expect("an end");
        // Who began as South has lost, and sits North.
        assert_eq!(
            (ended.termination, ended.winner),
            (Termination::Time, Some(Side::South))
        );
        assert!(!game.check_clock(at(101)));
    }

    #[test]
    fn a_refused_operation_changes_nothing() {
        let mut game = game();
        game.play(SOUTH, 1, "C", at(1)).expect("a legal choice");
        let before = game.to_stored();
        for (person, ply, mv) in [
            (SOUTH, 2, "a"),
            (NORTH, 1, "C"),
            (NORTH, 2, "A"),
            (NORTH, 2, "g"),
            (NORTH, 3, "a"),
            (NORTH, 0, "a"),
            (NORTH, usize::MAX, "a"),
            (NORTH, 2, ""),
        ] {
            let refused = game.play(person, ply, mv, at(2));
            assert!(refused.is_err(), "{mv} as ply {ply}");
        }
        assert_eq!(
            game.request_rematch(NORTH, at(2)).err(),
            Some(CommandError::GameNotEnded)
        );
        assert!(!game.check_clock(at(1_000_000)));
        assert_eq!(game.to_stored(), before);
        let stranger = PlayerToken::random();
        assert_eq!(game.player(&stranger), Err(CommandError::InvalidToken));
    }

    #[test]
    fn what_was_kept_and_is_no_game_is_told() {
        let good = game().to_stored();
        assert!(FriendGame::from_stored(&good).is_ok());
        let with = |change: fn(&mut StoredGame)| {
            let mut saved = good.clone();
            change(&mut saved);
            FriendGame::from_stored(&saved)
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
