//! A game between two people, as a state machine without clock, files or network.

use kalah::{ByPlayer, Game, MoveResult, PlayerId, Ply, Position, Side, Termination};
use kalah_store::{
    ClockSetting, GameClock, GameId, GameState, PlayerToken, StoredEnding, StoredGame, Timestamp,
    TokenHash,
};
use thiserror::Error;

/// A game between two people: the game, the hashes of the players' tokens, the clock, the ending
/// and requests for a rematch.
///
/// It reads no clock and no files: callers pass the time and save the changes. A rejected operation
/// leaves the game unchanged.
#[derive(Clone, Debug)]
pub(crate) struct FriendGame {
    id: GameId,
    created: Timestamp,
    game: Game,
    tokens: ByPlayer<TokenHash>,
    state: GameState,
}

/// The reason why a game rejects a command.
#[derive(Clone, Debug, PartialEq, Error)]
pub(crate) enum CommandError {
    /// The token belongs to neither player.
    #[error("the token belongs to neither player of this game")]
    InvalidToken,
    /// The command needs a token, and the client is a spectator.
    #[error("only players may do this: the request has no token")]
    MissingToken,
    /// Another ply was played first, or the client's state is outdated.
    #[error("ply {requested} is out of order: expected ply {expected}")]
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
pub(crate) enum PlayOutcome {
    /// The move was played.
    Played,
    /// The same player played the same move as this ply before. Nothing changed.
    Repeated,
}

/// The result of a request for a rematch.
#[derive(Clone, Debug)]
pub(crate) enum RematchOutcome {
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
pub(crate) struct DamagedGameError(Box<kalah_api::RequestError>);

impl From<kalah_api::RequestError> for DamagedGameError {
    fn from(problem: kalah_api::RequestError) -> Self {
        Self(Box::new(problem))
    }
}

impl FriendGame {
    /// Creates a game from the position `start`.
    pub(crate) fn new(
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
    pub(crate) fn from_stored(stored: &StoredGame) -> Result<Self, DamagedGameError> {
        let start = kalah_api::parse_position(Some(&stored.rules), Some(&stored.start))?;
        let mut game = Game::new(start);
        for (ply, text) in (1..).zip(&stored.plies) {
            play_text(&mut game, text).map_err(|problem| kalah_api::RequestError::AtPly {
                ply,
                problem: Box::new(problem),
            })?;
        }
        Ok(Self {
            id: stored.id,
            created: stored.created,
            game,
            tokens: stored.tokens,
            state: stored.state,
        })
    }

    /// Returns the game in the form of the store.
    pub(crate) fn to_stored(&self) -> StoredGame {
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
    pub(crate) const fn id(&self) -> GameId {
        self.id
    }

    /// Returns the game with its plies.
    pub(crate) const fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the state besides the plies.
    pub(crate) const fn state(&self) -> &GameState {
        &self.state
    }

    /// Returns the moves of all plies as text.
    pub(crate) fn moves(&self) -> Vec<String> {
        let plies = self.game.plies().iter();
        plies.map(|ply| ply.mv.text(ply.side)).collect()
    }

    /// Returns the last ply.
    pub(crate) fn last_ply(&self) -> Option<&Ply> {
        self.game.plies().last()
    }

    /// Returns the player with this token.
    ///
    /// # Errors
    /// Returns [`CommandError::InvalidToken`] if neither player has it.
    pub(crate) fn player(&self, token: &PlayerToken) -> Result<PlayerId, CommandError> {
        // Compare both tokens, so that the time does not depend on which one matches.
        let matches = ByPlayer::from_fn(|player| self.tokens[player].matches(token));
        let mut players = PlayerId::ALL.into_iter();
        players
            .find(|&player| matches[player])
            .ok_or(CommandError::InvalidToken)
    }

    /// Returns the player to move, or `None` after the end.
    pub(crate) fn player_to_move(&self) -> Option<PlayerId> {
        let side = self.game.position().to_move();
        let is_running = self.state.ending.is_none();
        is_running.then(|| PlayerId::at_side(side, self.game.is_swapped()))
    }

    /// Ends the game if the player to move has no time left. Returns true if it did.
    pub(crate) fn check_clock(&mut self, now: Timestamp) -> bool {
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

    /// Marks a player as joined. The clock starts when both players have joined. Returns true if
    /// the player had not joined before.
    pub(crate) fn join(&mut self, player: PlayerId, now: Timestamp) -> bool {
        let joined = &mut self.state.joined[player];
        if *joined || self.state.ending.is_some() {
            return false;
        }
        *joined = true;
        self.state.changed_at = now;
        self.start_clock_turn(now);
        true
    }

    /// Plays `mv` as ply `number`, counted from 1.
    ///
    /// # Errors
    /// Returns the reason of a rejected move.
    pub(crate) fn play(
        &mut self,
        player: PlayerId,
        number: usize,
        mv: &str,
        now: Timestamp,
    ) -> Result<PlayOutcome, CommandError> {
        let expected = self.game.plies().len() + 1;
        if self.has_played(player, number, mv) {
            return Ok(PlayOutcome::Repeated);
        }
        let player_to_move = self.player_to_move().ok_or(CommandError::GameEnded)?;
        if number != expected {
            return Err(CommandError::WrongPly {
                requested: number,
                expected,
            });
        }
        let to_move = self.game.position().to_move();
        if player != player_to_move {
            return Err(CommandError::NotYourTurn { to_move });
        }
        play_text(&mut self.game, mv)?;
        self.state.joined[player] = true;
        self.state.changed_at = now;
        self.start_clock_turn(now);
        self.check_end(now);
        Ok(PlayOutcome::Played)
    }

    /// Returns whether `player` played `mv` as ply `number`.
    fn has_played(&self, player: PlayerId, number: usize, mv: &str) -> bool {
        let index = number.checked_sub(1);
        let Some(ply) = index.and_then(|index| self.game.plies().get(index)) else {
            return false;
        };
        let before = self.game.plies().iter().take(number - 1);
        let swapped = before
            .into_iter()
            .any(|ply| ply.result == MoveResult::Swapped);
        PlayerId::at_side(ply.side, swapped) == player && ply.mv.text(ply.side) == mv
    }

    /// Resigns for `player`, who need not be to move.
    ///
    /// # Errors
    /// Returns [`CommandError::GameEnded`] if the game has ended.
    pub(crate) fn resign(&mut self, player: PlayerId, now: Timestamp) -> Result<(), CommandError> {
        if self.state.ending.is_some() {
            return Err(CommandError::GameEnded);
        }
        self.finish_won_by(Termination::Resign, player.opponent(), now);
        Ok(())
    }

    /// Requests a rematch with exchanged sides. It is created when both players have requested it,
    /// and both keep their tokens.
    ///
    /// # Errors
    /// Returns [`CommandError::GameNotEnded`] before the end of the game.
    pub(crate) fn request_rematch(
        &mut self,
        player: PlayerId,
        now: Timestamp,
    ) -> Result<RematchOutcome, CommandError> {
        if self.state.ending.is_none() {
            return Err(CommandError::GameNotEnded);
        }
        let requested = &mut self.state.rematch_requested[player];
        if *requested {
            return Ok(RematchOutcome::Repeated);
        }
        *requested = true;
        self.state.changed_at = now;
        if !self.state.rematch_requested[player.opponent()] {
            return Ok(RematchOutcome::Offered);
        }
        let clock = self.state.clock.map(|clock| clock.setting());
        let tokens = ByPlayer::from_fn(|player| self.tokens[player.opponent()]);
        let rematch = Self::new(self.game.start().clone(), clock, tokens, now);
        self.state.rematch = Some(rematch.id);
        Ok(RematchOutcome::Created(Box::new(rematch)))
    }

    /// Starts the time of the player to move, if both players have joined.
    fn start_clock_turn(&mut self, now: Timestamp) {
        let both_joined = self.state.joined == ByPlayer::new(true, true);
        if let (true, Some(player)) = (both_joined, self.player_to_move())
            && let Some(clock) = &mut self.state.clock
        {
            clock.start_turn(player, now);
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

    fn remaining(game: &FriendGame, player: PlayerId, now: Timestamp) -> u64 {
        let clock = game.state().clock.expect("a clock");
        clock.remaining(player, now).as_secs()
    }

    #[test]
    fn clock_follows_its_player_and_starts_when_both_have_joined() {
        let mut game = game();
        assert!(game.join(SOUTH, at(10)));
        assert!(!game.join(SOUTH, at(11)));
        assert_eq!(game.play(SOUTH, 1, "A", at(20)), Ok(PlayOutcome::Played));
        assert_eq!(
            (
                remaining(&game, SOUTH, at(30)),
                remaining(&game, NORTH, at(30))
            ),
            (60, 60)
        );
        assert!(game.join(NORTH, at(30)));
        assert_eq!(
            (
                remaining(&game, SOUTH, at(40)),
                remaining(&game, NORTH, at(40))
            ),
            (60, 50)
        );
        // A swap passes the turn, but the same side is to move.
        assert_eq!(game.play(NORTH, 2, "swap", at(40)), Ok(PlayOutcome::Played));
        assert_eq!(
            (
                remaining(&game, SOUTH, at(50)),
                remaining(&game, NORTH, at(50))
            ),
            (50, 55)
        );
        assert_eq!(game.player_to_move(), Some(SOUTH));
        assert!(!game.check_clock(at(99)));
        assert!(game.check_clock(at(100)));
        let ending = game.state().ending.expect("an end");
        // The player who started as South has lost, and plays North after the swap.
        assert_eq!(
            (ending.termination, ending.winner),
            (Termination::Time, Some(Side::South))
        );
        assert!(!game.check_clock(at(101)));
    }

    #[test]
    fn rejected_operation_changes_nothing() {
        let mut game = game();
        game.play(SOUTH, 1, "C", at(1)).expect("a legal move");
        let before = game.to_stored();
        for (player, ply, mv) in [
            (SOUTH, 2, "a"),
            (NORTH, 1, "C"),
            (NORTH, 2, "A"),
            (NORTH, 2, "g"),
            (NORTH, 3, "a"),
            (NORTH, 0, "a"),
            (NORTH, usize::MAX, "a"),
            (NORTH, 2, ""),
        ] {
            let result = game.play(player, ply, mv, at(2));
            assert!(result.is_err(), "{mv} as ply {ply}");
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
    fn stored_game_is_restored() {
        let mut game = game();
        for (ply, (player, mv)) in (1..).zip([(SOUTH, "C"), (NORTH, "swap"), (SOUTH, "a")]) {
            let outcome = game.play(player, ply, mv, at(10));
            assert_eq!(outcome, Ok(PlayOutcome::Played), "{mv}");
        }
        game.resign(NORTH, at(11)).expect("the game goes on");
        let restored = FriendGame::from_stored(&game.to_stored()).expect("a game");
        assert_eq!(
            (restored.game(), restored.state()),
            (game.game(), game.state())
        );
        assert_eq!(restored.to_stored(), game.to_stored());
        assert_eq!(restored.player_to_move(), None);
    }

    #[test]
    fn invalid_stored_games_are_rejected() {
        let good = game().to_stored();
        assert!(FriendGame::from_stored(&good).is_ok());
        let with = |change: fn(&mut StoredGame)| {
            let mut stored = good.clone();
            change(&mut stored);
            FriendGame::from_stored(&stored)
                .expect_err("damaged")
                .to_string()
        };
        for (message, expected) in [
            (with(|stored| stored.rules = "chess".to_owned()), "chess"),
            (with(|stored| stored.start = "6y4".to_owned()), "6y4"),
            (
                with(|stored| stored.start = "6x9999".to_owned()),
                "119988 seeds",
            ),
            (with(|stored| stored.plies = vec!["AB".to_owned()]), "`AB`"),
            (
                with(|stored| stored.plies = vec!["A".to_owned(); 3]),
                "ply 2",
            ),
        ] {
            assert!(message.contains(expected), "{message}");
        }
    }
}
