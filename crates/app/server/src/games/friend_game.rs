//! A game between two people, as a state machine without clock, files or network.

use kalah::{ByPlayer, Game, MoveResult, PlayerId, Ply, Position, Setup, Side, Termination};
use kalah_store::{
    FriendClock, FriendClockSetting, GameId, GameRoom, GameState, PlayerName, PlayerToken,
    StoredEnding, StoredGame, Takeback, Timestamp, TokenHash,
};
use thiserror::Error;

use crate::games::command_error::CommandError;
use crate::games::offer::{self, OfferAction, OfferEffect};

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
    spectator_scores: bool,
    room: Option<GameRoom>,
    tokens: ByPlayer<TokenHash>,
    state: GameState,
}

/// A player of a game in a room.
#[derive(Clone, Debug)]
pub(crate) struct RoomPlayer {
    /// The name.
    pub(crate) name: PlayerName,
    /// The hash of the token.
    pub(crate) token: TokenHash,
}

/// The choices of the creator of a game.
#[derive(Clone, Debug)]
pub(crate) struct FriendGameOptions {
    /// The position before the first ply.
    pub(crate) start: Position,
    /// The clock.
    pub(crate) clock: Option<FriendClockSetting>,
    /// Whether spectators may see scores during the game.
    pub(crate) spectator_scores: bool,
    /// Whether the creator lets the game count in the opening statistics of the server.
    pub(crate) shares: bool,
}

/// A decision of the leader of a room about a running game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GameDecision {
    /// The player wins.
    WonBy(PlayerId),
    /// The game is a tie.
    Tie,
    /// The game has no result.
    Void,
}

/// The result of joining a game that was not rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JoinOutcome {
    /// This player's seat was free and is taken.
    Joined(PlayerId),
    /// This player has the token already. Nothing changed.
    Repeated(PlayerId),
}

/// The result of a move that was not rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlayOutcome {
    /// The move was played.
    Played,
    /// The same player played the same move as this ply before. Nothing changed.
    Repeated,
}

/// The result of an action on the offer of a takeback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TakebackOutcome {
    /// The offer has changed.
    Changed,
    /// The action repeats an earlier one. Nothing has changed.
    Repeated,
    /// The plies were taken back.
    TakenBack(Takeback),
}

/// The result of an action on the offer of a rematch.
#[derive(Clone, Debug)]
pub(crate) enum RematchOutcome {
    /// The offer has changed.
    Changed,
    /// The action repeats an earlier one. Nothing has changed.
    Repeated,
    /// Both players want it. This is the new game.
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
    /// Creates a game in which the player `creator` has the token with this hash. The seat of the
    /// other player is free.
    pub(crate) fn new(
        options: FriendGameOptions,
        creator: PlayerId,
        token: TokenHash,
        now: Timestamp,
    ) -> Self {
        let shares = options.shares;
        // The token of the free seat is discarded.
        let mut tokens = ByPlayer::from_fn(|_| PlayerToken::random().hash());
        tokens[creator] = token;
        let mut game = Self::with_tokens(options, tokens, now);
        game.state.joined[creator] = true;
        game.state.shares[creator] = shares;
        game
    }

    /// Creates a game of two members of a room, whose clock starts as in other games when both
    /// players have joined.
    pub(crate) fn in_room(
        room: GameRoom,
        start: Position,
        clock: Option<FriendClockSetting>,
        players: &ByPlayer<RoomPlayer>,
        now: Timestamp,
    ) -> Self {
        let options = FriendGameOptions {
            start,
            clock,
            spectator_scores: room.engine_help,
            shares: false,
        };
        let tokens = ByPlayer::from_fn(|player| players[player].token);
        let mut game = Self::with_tokens(options, tokens, now);
        game.room = Some(room);
        game.state.joined = ByPlayer::new(true, true);
        game.state.names = ByPlayer::from_fn(|player| Some(players[player].name.clone()));
        game.run_clock(now);
        game
    }

    /// Creates a game whose players have tokens with these hashes. Both seats are free.
    fn with_tokens(
        options: FriendGameOptions,
        tokens: ByPlayer<TokenHash>,
        now: Timestamp,
    ) -> Self {
        let clock = options.clock.map(FriendClock::new);
        let mut game = Self {
            id: GameId::random(),
            created: now,
            game: Game::new(options.start),
            spectator_scores: options.spectator_scores,
            room: None,
            tokens,
            state: GameState::new(now, clock),
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
            spectator_scores: stored.spectator_scores,
            room: stored.room.clone(),
            tokens: stored.tokens,
            state: stored.state.clone(),
        })
    }

    /// Returns the game in the form of the store.
    pub(crate) fn to_stored(&self) -> StoredGame {
        StoredGame {
            id: self.id,
            created: self.created,
            rules: self.game.start().rules().to_string(),
            start: self.game.start().to_string(),
            spectator_scores: self.spectator_scores,
            room: self.room.clone(),
            tokens: self.tokens,
            plies: self.moves(),
            state: self.state.clone(),
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

    /// Returns whether spectators may see scores during the game.
    pub(crate) const fn spectator_scores(&self) -> bool {
        self.spectator_scores
    }

    /// Returns the room to which the game belongs.
    pub(crate) const fn room(&self) -> Option<&GameRoom> {
        self.room.as_ref()
    }

    /// Returns the hash of the token of a player.
    pub(crate) fn token_hash(&self, player: PlayerId) -> TokenHash {
        self.tokens[player]
    }

    /// Returns the player whose seat is free.
    pub(crate) fn free_seat(&self) -> Option<PlayerId> {
        let mut players = PlayerId::ALL.into_iter();
        players.find(|&player| !self.state.joined[player])
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

    /// Ends the game if the player to move has no time left. If it was the time for the player's
    /// first move, the game has no result, except in a room, whose members agreed to play. Returns
    /// true if it did.
    pub(crate) fn check_clock(&mut self, now: Timestamp) -> bool {
        let clock = self.state.clock.filter(|clock| clock.has_expired(now));
        let Some(running) = clock.and_then(|clock| clock.running()) else {
            return false;
        };
        if running.is_first_move && self.room.is_none() {
            self.finish(Termination::Unfinished, None, now);
        } else {
            self.finish_won_by(Termination::Time, running.player.opponent(), now);
        }
        true
    }

    /// Gives the free seat to the owner of `token`. If the game has a clock, the player to move has
    /// the time for a first move, also a creator who has moved before and may be away.
    ///
    /// # Errors
    /// Returns the reason of a rejected request.
    pub(crate) fn join(
        &mut self,
        token: &PlayerToken,
        name: Option<PlayerName>,
        now: Timestamp,
    ) -> Result<JoinOutcome, CommandError> {
        if let Ok(player) = self.player(token) {
            return Ok(JoinOutcome::Repeated(player));
        }
        if self.state.ending.is_some() {
            return Err(CommandError::GameEnded);
        }
        let player = self.free_seat().ok_or(CommandError::NoFreeSeat)?;
        self.tokens[player] = token.hash();
        self.state.joined[player] = true;
        self.state.names[player] = name;
        self.state.changed_at = now;
        if let (Some(to_move), Some(clock)) = (self.player_to_move(), &mut self.state.clock) {
            clock.await_first_move(to_move, now);
        }
        Ok(JoinOutcome::Joined(player))
    }

    /// Records whether a player who has joined lets the game count in the opening statistics of the
    /// server.
    pub(crate) fn set_shares(&mut self, player: PlayerId, shares: bool) {
        self.state.shares[player] = shares;
    }

    /// Sets the name of a player. Returns true if it is another name.
    pub(crate) fn set_name(
        &mut self,
        player: PlayerId,
        name: Option<PlayerName>,
        now: Timestamp,
    ) -> bool {
        if self.state.names[player] == name {
            return false;
        }
        self.state.names[player] = name;
        self.state.changed_at = now;
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
        if self.state.is_paused {
            return Err(CommandError::Paused);
        }
        play_text(&mut self.game, mv)?;
        self.state.takeback = None;
        self.state.changed_at = now;
        let next = self.game.player_on(self.game.position().to_move());
        if let Some(clock) = &mut self.state.clock {
            clock.complete_ply(next, now);
        }
        self.run_clock(now);
        self.check_end(now);
        Ok(PlayOutcome::Played)
    }

    /// Returns whether `player` played `mv` as ply `number`.
    fn has_played(&self, player: PlayerId, number: usize, mv: &str) -> bool {
        let index = number.checked_sub(1);
        let Some(ply) = index.and_then(|index| self.game.plies().get(index)) else {
            return false;
        };
        self.player_of(number - 1) == Some(player) && ply.mv.text(ply.side) == mv
    }

    /// Returns the player who made the ply with this index.
    fn player_of(&self, index: usize) -> Option<PlayerId> {
        let ply = self.game.plies().get(index)?;
        let before = self.game.plies().iter().take(index);
        let swapped = before
            .into_iter()
            .any(|ply| ply.result == MoveResult::Swapped);
        Some(PlayerId::at_side(ply.side, swapped))
    }

    /// Returns the number of plies before the last ply of `player`, which a takeback leaves.
    pub(crate) fn plies_before_last_of(&self, player: PlayerId) -> Option<usize> {
        (0..self.game.plies().len())
            .rev()
            .find(|&index| self.player_of(index) == Some(player))
    }

    /// Acts on the offer to take back the last ply of the player who makes it, and all plies after
    /// it. The next ply and the end of the game end the offer. The clocks keep their times: the
    /// time of the player to move runs on, and no increment is added.
    ///
    /// # Errors
    /// Returns the reason of a rejected action.
    pub(crate) fn take_back(
        &mut self,
        player: PlayerId,
        action: OfferAction,
        now: Timestamp,
    ) -> Result<TakebackOutcome, CommandError> {
        if self.state.ending.is_some() {
            return Err(CommandError::GameEnded);
        }
        if self.room.as_ref().is_some_and(|room| !room.takebacks) {
            return Err(CommandError::NoTakebacks);
        }
        let open = self.state.takeback.filter(|offer| !offer.is_declined);
        if action == OfferAction::Offer {
            if self.plies_before_last_of(player).is_none() {
                return Err(CommandError::NoMoveToTakeBack);
            }
            // The offers of the two players take back different plies.
            if open.is_some_and(|offer| offer.by != player) {
                return Err(CommandError::OtherOfferOpen);
            }
        }
        let effect = offer::act(&mut self.state.takeback, player, action)?;
        if effect == OfferEffect::Repeated {
            return Ok(TakebackOutcome::Repeated);
        }
        self.state.changed_at = now;
        if effect == OfferEffect::Changed {
            return Ok(TakebackOutcome::Changed);
        }
        let by = player.opponent();
        let plies_left = self
            .plies_before_last_of(by)
            .ok_or(CommandError::NoMoveToTakeBack)?;
        let moves = self.moves().split_off(plies_left);
        for _ in &moves {
            self.game.undo();
        }
        self.state.takeback = None;
        self.state.takeback_count += 1;
        self.run_clock(now);
        Ok(TakebackOutcome::TakenBack(Takeback {
            by,
            plies_left,
            moves,
        }))
    }

    /// Resigns for `player`, who need not be to move. While a seat is free, the game ends without a
    /// result.
    ///
    /// # Errors
    /// Returns [`CommandError::GameEnded`] if the game has ended.
    pub(crate) fn resign(&mut self, player: PlayerId, now: Timestamp) -> Result<(), CommandError> {
        if self.state.ending.is_some() {
            return Err(CommandError::GameEnded);
        }
        if self.free_seat().is_some() {
            self.finish(Termination::Unfinished, None, now);
        } else {
            self.finish_won_by(Termination::Resign, player.opponent(), now);
        }
        Ok(())
    }

    /// Acts on the offer of a rematch with exchanged sides. It is created when the other player
    /// accepts the offer or makes the same, and both keep their tokens.
    ///
    /// # Errors
    /// Returns the reason of a rejected action.
    pub(crate) fn rematch(
        &mut self,
        player: PlayerId,
        action: OfferAction,
        now: Timestamp,
    ) -> Result<RematchOutcome, CommandError> {
        if self.state.ending.is_none() {
            return Err(CommandError::GameNotEnded);
        }
        if self.room.is_some() {
            return Err(CommandError::NoRematch);
        }
        if self.free_seat().is_some() {
            return Err(CommandError::NoOtherPlayer);
        }
        if self.state.rematch.is_some() {
            return match action {
                OfferAction::Offer | OfferAction::Accept => Ok(RematchOutcome::Repeated),
                OfferAction::Decline | OfferAction::Withdraw => Err(CommandError::NoOffer),
            };
        }
        let effect = offer::act(&mut self.state.rematch_offer, player, action)?;
        if effect == OfferEffect::Repeated {
            return Ok(RematchOutcome::Repeated);
        }
        self.state.changed_at = now;
        if effect == OfferEffect::Changed {
            return Ok(RematchOutcome::Changed);
        }
        let rematch = self.new_rematch(now);
        self.state.rematch = Some(rematch.id);
        Ok(RematchOutcome::Created(Box::new(rematch)))
    }

    /// Stops the clock and refuses moves, until [`Self::resume`].
    ///
    /// # Errors
    /// Returns [`CommandError::GameEnded`] if the game has ended.
    pub(crate) fn pause(&mut self, now: Timestamp) -> Result<(), CommandError> {
        self.require_running()?;
        self.state.is_paused = true;
        self.state.changed_at = now;
        if let Some(clock) = &mut self.state.clock {
            clock.stop(now);
        }
        Ok(())
    }

    /// Starts the clock again. A player without a move has the whole time for a first move.
    ///
    /// # Errors
    /// Returns [`CommandError::GameEnded`] if the game has ended.
    pub(crate) fn resume(&mut self, now: Timestamp) -> Result<(), CommandError> {
        self.require_running()?;
        self.state.is_paused = false;
        self.state.changed_at = now;
        self.run_clock(now);
        Ok(())
    }

    /// Ends the game by a decision of the leader of its room.
    ///
    /// # Errors
    /// Returns [`CommandError::GameEnded`] if the game has ended.
    pub(crate) fn decide(
        &mut self,
        decision: GameDecision,
        now: Timestamp,
    ) -> Result<(), CommandError> {
        self.require_running()?;
        match decision {
            GameDecision::WonBy(player) => {
                self.finish_won_by(Termination::Adjudicated, player, now);
            }
            GameDecision::Tie => self.finish(Termination::Adjudicated, None, now),
            GameDecision::Void => self.finish(Termination::Unfinished, None, now),
        }
        Ok(())
    }

    fn require_running(&self) -> Result<(), CommandError> {
        match self.state.ending {
            None => Ok(()),
            Some(_) => Err(CommandError::GameEnded),
        }
    }

    /// Returns a new game of the same players on exchanged sides.
    fn new_rematch(&self, now: Timestamp) -> Self {
        let clock = self.state.clock.map(|clock| clock.setting().exchanged());
        let options = FriendGameOptions {
            start: start_of_rematch(self.game.start()),
            clock,
            spectator_scores: self.spectator_scores,
            shares: false,
        };
        let tokens = ByPlayer::from_fn(|player| self.tokens[player.opponent()]);
        let mut rematch = Self::with_tokens(options, tokens, now);
        rematch.state.joined = ByPlayer::new(true, true);
        rematch.state.shares = ByPlayer::from_fn(|player| self.state.shares[player.opponent()]);
        rematch.state.names =
            ByPlayer::from_fn(|player| self.state.names[player.opponent()].clone());
        rematch.run_clock(now);
        rematch
    }

    /// Starts the time of the player to move if both players have joined and the game is not
    /// paused: the time for the player's first move, or that on the player's clock.
    fn run_clock(&mut self, now: Timestamp) {
        let is_stopped = self.free_seat().is_some() || self.state.is_paused;
        let Some(player) = self.player_to_move().filter(|_| !is_stopped) else {
            return;
        };
        let is_first_move = self.plies_before_last_of(player).is_none();
        if let Some(clock) = &mut self.state.clock {
            if is_first_move {
                clock.await_first_move(player, now);
            } else {
                clock.run(player, now);
            }
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
        let ending = StoredEnding {
            termination,
            winner,
        };
        self.state.finish(ending, now);
    }
}

/// Returns the start of a rematch on exchanged sides. Seeds that a player has ahead of an even
/// board stay with the player; any other position is played again as it is.
fn start_of_rematch(start: &Position) -> Position {
    let mut setup = Setup::from(start);
    let mut houses = Side::ALL.iter().flat_map(|&side| &setup.rows[side]);
    let first = houses.next();
    if houses.all(|seeds| Some(seeds) == first) {
        setup.stores = setup.stores.swapped();
    }
    let exchanged = setup.position(start.rules());
    exchanged.unwrap_or_else(|_| start.clone())
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
mod tests;
