//! A game between two people, as a state machine without clock, files or network.

use kalah::{Game, MoveResult, Ply, Position, Side, Termination};
use thiserror::Error;

use crate::games::clock::{ClockSetting, GameClock, Timestamp};
use crate::games::ids::{ByPlayer, GameId, PlayerId, PlayerToken, TokenHash};
use crate::games::model::{GameState, StoredEnding, StoredGame};

/// A game between two people: the game, the hashes of the players' tokens, the clock, the ending
/// and requests for a rematch.
///
/// It reads no clock and no files: callers pass the time and save the changes. A rejected operation
/// leaves the game unchanged.
#[derive(Clone, Debug)]
pub struct FriendGame {
    id: GameId,
    created: Timestamp,
    game: Game,
    tokens: ByPlayer<TokenHash>,
    state: GameState,
}

/// The reason why a game rejects a command.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CommandError {
    /// The token belongs to neither player.
    #[error("the token moves nothing in this game")]
    InvalidToken,
    /// The command needs a token, and the client is a spectator.
    #[error("who looks on moves nothing: that takes the token of a side")]
    MissingToken,
    /// Another ply was played first, or the client's state is outdated.
    #[error("ply {requested} is not the one to be made: that is ply {expected}")]
    WrongPly {
        /// The ply of the command.
        requested: usize,
        /// The next ply of the game.
        expected: usize,
    },
    /// The other player is to move.
    #[error("it is {to_move}'s turn")]
    NotYourTurn {
        /// The side to move.
        to_move: Side,
    },
    /// The game has ended.
    #[error("the game has ended")]
    GameEnded,
    /// A rematch is possible only after the end.
    #[error("the game has not ended yet")]
    GameNotEnded,
    /// The move is invalid or illegal.
    #[error(transparent)]
    InvalidMove(#[from] kalah_api::RequestError),
}

/// The result of a move that was not rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayOutcome {
    /// The move was played.
    Played,
    /// The same player played the same move as this ply before. Nothing changed.
    Repeated,
}

/// The result of a request for a rematch.
#[derive(Clone, Debug)]
pub enum RematchOutcome {
    /// The other player has not requested it yet.
    Offered,
    /// The player requested it before. Nothing changed.
    Repeated,
    /// Both players requested it. This is the new game.
    Created(Box<FriendGame>),
}

/// The error of restoring a stored game that is invalid.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(transparent)]
pub struct DamagedGameError(pub Box<kalah_api::RequestError>);

impl From<kalah_api::RequestError> for DamagedGameError {
    fn from(problem: kalah_api::RequestError) -> Self {
        Self(Box::new(problem))
    }
}

impl FriendGame {
    /// Creates a game from the position `start`.
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

    /// Restores a game from the store.
    ///
    /// # Errors
    /// Returns an error if the rules, the position or a ply is invalid.
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

    /// Returns the game in the form of the store.
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

    /// Returns the id.
    pub const fn id(&self) -> GameId {
        self.id
    }

    /// Returns the game with its plies.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the state besides the plies.
    pub const fn state(&self) -> &GameState {
        &self.state
    }

    /// Returns the moves of all plies as text.
    pub fn moves(&self) -> Vec<String> {
        let plies = self.game.plies().iter();
        plies.map(|ply| ply.mv.text(ply.side)).collect()
    }

    /// Returns the last ply.
    pub fn last_ply(&self) -> Option<&Ply> {
        self.game.plies().last()
    }

    /// Returns the player with this token.
    ///
    /// # Errors
    /// Returns [`CommandError::InvalidToken`] if neither player has it.
    pub fn player(&self, token: &PlayerToken) -> Result<PlayerId, CommandError> {
        // Compare both tokens, so that the time does not depend on which one matches.
        let fits = ByPlayer::from_fn(|person| self.tokens.get(person).matches(token));
        let mut people = PlayerId::ALL.into_iter();
        people
            .find(|&person| *fits.get(person))
            .ok_or(CommandError::InvalidToken)
    }

    /// Returns the player to move, or `None` after the end.
    pub fn player_to_move(&self) -> Option<PlayerId> {
        let side = self.game.position().to_move();
        let open = self.state.ending.is_none();
        open.then(|| PlayerId::at_side(side, self.game.is_swapped()))
    }

    /// Ends the game if the player to move has no time left. Returns true if it did.
    pub fn check_clock(&mut self, now: Timestamp) -> bool {
        let clock = self.state.clock;
        let Some(loser) = self
            .player_to_move()
            .filter(|_| clock.is_some_and(|clock| clock.has_expired(now)))
        else {
            return false;
        };
        self.finish_won_by(Termination::Time, loser.other(), now);
        true
    }

    /// Marks a player as joined. The clock starts when both players have joined. Returns true if
    /// the player had not joined before.
    pub fn join(&mut self, person: PlayerId, now: Timestamp) -> bool {
        let came = self.state.joined.get_mut(person);
        if *came || self.state.ending.is_some() {
            return false;
        }
        *came = true;
        self.state.changed_at = now;
        self.start_clock_turn(now);
        true
    }

    /// Plays `mv` as ply `number`, counted from 1.
    ///
    /// # Errors
    /// Returns the reason of a rejected move.
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
        *self.state.joined.get_mut(person) = true;
        self.state.changed_at = now;
        self.start_clock_turn(now);
        self.check_end(now);
        Ok(PlayOutcome::Played)
    }

    /// Whether `player` played `mv` as ply `number`.
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

    /// Resigns for `player`, who need not be to move.
    ///
    /// # Errors
    /// Returns [`CommandError::GameEnded`] if the game has ended.
    pub fn resign(&mut self, person: PlayerId, now: Timestamp) -> Result<(), CommandError> {
        if self.state.ending.is_some() {
            return Err(CommandError::GameEnded);
        }
        self.finish_won_by(Termination::Resign, person.other(), now);
        Ok(())
    }

    /// Requests a rematch with exchanged sides. It is created when both players have requested it,
    /// and both keep their tokens.
    ///
    /// # Errors
    /// Returns [`CommandError::GameNotEnded`] before the end of the game.
    pub fn request_rematch(
        &mut self,
        person: PlayerId,
        now: Timestamp,
    ) -> Result<RematchOutcome, CommandError> {
        if self.state.ending.is_none() {
            return Err(CommandError::GameNotEnded);
        }
        let asked = self.state.rematch_requested.get_mut(person);
        if *asked {
            return Ok(RematchOutcome::Repeated);
        }
        *asked = true;
        self.state.changed_at = now;
        if !self.state.rematch_requested.get(person.other()) {
            return Ok(RematchOutcome::Offered);
        }
        let clock = self.state.clock.map(|clock| clock.setting());
        let tokens = ByPlayer::from_fn(|person| *self.tokens.get(person.other()));
        let other = Self::new(self.game.start().clone(), clock, tokens, now);
        self.state.rematch = Some(other.id);
        Ok(RematchOutcome::Created(Box::new(other)))
    }

    /// Starts the time of the player to move, if both players have joined.
    fn start_clock_turn(&mut self, now: Timestamp) {
        let both = self.state.joined == ByPlayer::new(true, true);
        if let (true, Some(person)) = (both, self.player_to_move())
            && let Some(clock) = &mut self.state.clock
        {
            clock.start_turn(person, now);
        }
    }

    /// Ends the game if it is over by the rules.
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

/// Plays a move given as text. The game is unchanged after an error.
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
        // A swap passes the turn, but the same side is to move.
        assert_eq!(game.play(NORTH, 2, "swap", at(40)), Ok(PlayOutcome::Played));
        assert_eq!(
            (left(&game, SOUTH, at(50)), left(&game, NORTH, at(50))),
            (50, 55)
        );
        assert_eq!(game.player_to_move(), Some(SOUTH));
        assert!(!game.check_clock(at(99)));
        assert!(game.check_clock(at(100)));
        let ended = game.state().ending.expect("an end");
        // The player who started as South has lost, and plays North after the swap.
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
