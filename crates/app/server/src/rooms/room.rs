//! A room as a state machine without clock, files or network: its members, challenges, rounds and
//! games.

use std::collections::{BTreeMap, HashMap, HashSet};

use kalah::{ByPlayer, BySide, Margin, PlayerId, Position, Side, Termination};
use kalah_api::RequestError;
use kalah_store::{
    FriendClock, FriendClockSetting, GameId, GameRoom, MemberStatus, PlayerName, PlayerToken,
    RoomCode, RoomFormat, RoomSettings, RoomState, StoredBye, StoredEnding, StoredMember,
    StoredRoom, StoredRoomGame, Timestamp, TokenHash,
};

use crate::games::friend_game::{FriendGame, RoomPlayer};
use crate::rooms::pairing::{self, NextRound};
use crate::rooms::room_error::RoomCommandError;

/// A room.
///
/// It reads no clock and no files: callers pass the time and save the changes. A rejected operation
/// leaves the room unchanged.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    code: RoomCode,
    created: Timestamp,
    settings: RoomSettings,
    start: Position,
    leader: TokenHash,
    state: RoomState,
    /// By number from 1.
    members: Vec<StoredMember>,
    /// The numbers of the members by the hashes of their tokens.
    numbers: HashMap<[u8; TokenHash::BYTES], u32>,
    /// In the order in which they began.
    games: Vec<RoomGame>,
    /// The indices of the games.
    game_indices: HashMap<GameId, usize>,
    byes: Vec<StoredBye>,
    /// The challenges by the numbers of the members who made them: the number of the challenged
    /// member, `None` for all members. They are lost with the process.
    challenges: BTreeMap<u32, Option<u32>>,
}

/// A game of a room: its place, and the values that change while it is played.
#[derive(Clone, Debug)]
pub(crate) struct RoomGame {
    /// The place in the room.
    pub(crate) place: StoredRoomGame,
    /// The values that change.
    pub(crate) snapshot: GameSnapshot,
}

/// The values of a game that change while it is played, as a room shows them.
#[derive(Clone, Debug)]
pub(crate) struct GameSnapshot {
    /// The number of plies.
    pub(crate) plies: usize,
    /// The position.
    pub(crate) position: Position,
    /// Whether the players have exchanged their sides.
    pub(crate) is_swapped: bool,
    /// The clock.
    pub(crate) clock: Option<FriendClock>,
    /// Whether the leader has paused the game.
    pub(crate) is_paused: bool,
    /// The ending, after the end of the game.
    pub(crate) ending: Option<StoredEnding>,
}

/// The owner of a token of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoomRole {
    /// The leader.
    Leader,
    /// The member with this number.
    Member(u32),
}

/// The values that a person or a program enters with.
#[derive(Clone, Debug)]
pub(crate) struct Newcomer {
    /// The name.
    pub(crate) name: PlayerName,
    /// Whether it is a program.
    pub(crate) is_bot: bool,
}

/// A new member, or one who came back.
#[derive(Clone, Debug)]
pub(crate) struct EnteredMember {
    /// The number of the member.
    pub(crate) number: u32,
    /// The member to be saved, if anything has changed.
    pub(crate) changed: Option<StoredMember>,
}

/// New games of a room, to be saved and shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewGames {
    /// The games with their places.
    pub(crate) games: Vec<(StoredRoomGame, FriendGame)>,
    /// The byes of the round.
    pub(crate) byes: Vec<StoredBye>,
}

impl From<&FriendGame> for GameSnapshot {
    fn from(game: &FriendGame) -> Self {
        let state = game.state();
        Self {
            plies: game.game().plies().len(),
            position: game.game().position().clone(),
            is_swapped: game.game().is_swapped(),
            clock: state.clock,
            is_paused: state.is_paused,
            ending: state.ending,
        }
    }
}

impl GameSnapshot {
    /// Returns whether the game has ended without a result.
    pub(crate) fn is_void(&self) -> bool {
        let ending = self.ending;
        ending.is_some_and(|ending| ending.termination == Termination::Unfinished)
    }

    /// Returns the player who won; `None` for a tie, without a result and during the game.
    pub(crate) fn winner(&self) -> Option<PlayerId> {
        let winner = self.ending?.winner?;
        Some(PlayerId::at_side(winner, self.is_swapped))
    }

    /// Returns the margin of the player who began as South, if the game ended by the rules.
    pub(crate) fn margin(&self) -> Option<Margin> {
        let side = PlayerId::new(Side::South).side(self.is_swapped);
        Some(self.position.outcome()?.margin(side))
    }
}

impl Room {
    /// Creates a room whose leader has the token with this hash.
    ///
    /// # Errors
    /// Returns an error if the rules or the start of the settings are invalid.
    pub(crate) fn new(
        code: RoomCode,
        settings: RoomSettings,
        leader: TokenHash,
        now: Timestamp,
    ) -> Result<Self, RequestError> {
        let stored = StoredRoom {
            code,
            created: now,
            settings,
            leader,
            state: RoomState {
                changed_at: now,
                round: 0,
                is_paused: false,
                is_closed: false,
            },
            members: Vec::new(),
            games: Vec::new(),
            byes: Vec::new(),
        };
        Self::from_stored(stored, HashMap::new())
    }

    /// Restores a room from the store, with the snapshots of its games. Games without a snapshot
    /// were deleted.
    ///
    /// # Errors
    /// Returns an error if the rules or the start are invalid.
    pub(crate) fn from_stored(
        stored: StoredRoom,
        mut snapshots: HashMap<GameId, GameSnapshot>,
    ) -> Result<Self, RequestError> {
        let settings = stored.settings;
        let start = kalah_api::parse_position(Some(&settings.rules), Some(&settings.start))?;
        let mut room = Self {
            code: stored.code,
            created: stored.created,
            settings,
            start,
            leader: stored.leader,
            state: stored.state,
            members: Vec::new(),
            numbers: HashMap::new(),
            games: Vec::new(),
            game_indices: HashMap::new(),
            byes: stored.byes,
            challenges: BTreeMap::new(),
        };
        for member in stored.members {
            room.insert_member(member);
        }
        for place in stored.games {
            if let Some(snapshot) = snapshots.remove(&place.game) {
                room.insert_game(RoomGame { place, snapshot });
            }
        }
        Ok(room)
    }

    /// Returns the room in the form of the store, without members and games, which are saved when
    /// they come.
    pub(crate) fn to_stored(&self) -> StoredRoom {
        StoredRoom {
            code: self.code.clone(),
            created: self.created,
            settings: self.settings.clone(),
            leader: self.leader,
            state: self.state,
            members: Vec::new(),
            games: Vec::new(),
            byes: Vec::new(),
        }
    }

    /// Returns the code.
    pub(crate) const fn code(&self) -> &RoomCode {
        &self.code
    }

    /// Returns the time of creation.
    pub(crate) const fn created(&self) -> Timestamp {
        self.created
    }

    /// Returns the values that the creator has chosen.
    pub(crate) const fn settings(&self) -> &RoomSettings {
        &self.settings
    }

    /// Returns the position before the first ply and the opening.
    pub(crate) const fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the values that change, besides members and games.
    pub(crate) const fn state(&self) -> RoomState {
        self.state
    }

    /// Returns the members by number from 1.
    pub(crate) fn members(&self) -> &[StoredMember] {
        &self.members
    }

    /// Returns the member with this number.
    pub(crate) fn member(&self, number: u32) -> Option<&StoredMember> {
        self.members.get(index_of(number)?)
    }

    /// Returns the games in the order in which they began.
    pub(crate) fn games(&self) -> &[RoomGame] {
        &self.games
    }

    /// Returns the game with this id.
    pub(crate) fn game(&self, id: GameId) -> Option<&RoomGame> {
        self.games.get(*self.game_indices.get(&id)?)
    }

    /// Returns the games that have not ended.
    pub(crate) fn running_games(&self) -> impl Iterator<Item = &RoomGame> {
        self.games
            .iter()
            .filter(|game| game.snapshot.ending.is_none())
    }

    /// Returns the byes by round.
    pub(crate) fn byes(&self) -> &[StoredBye] {
        &self.byes
    }

    /// Returns the challenges by the numbers of the members who made them.
    pub(crate) const fn challenges(&self) -> &BTreeMap<u32, Option<u32>> {
        &self.challenges
    }

    /// Returns the role of the owner of a token.
    ///
    /// # Errors
    /// Returns [`RoomCommandError::InvalidToken`] if the token is not of this room, and
    /// [`RoomCommandError::Removed`] for a removed member.
    pub(crate) fn role(&self, token: &PlayerToken) -> Result<RoomRole, RoomCommandError> {
        if self.leader.matches(token) {
            return Ok(RoomRole::Leader);
        }
        // The hash of a guessed token tells nothing about the stored ones.
        let number = self.numbers.get(token.hash().as_bytes());
        let number = *number.ok_or(RoomCommandError::InvalidToken)?;
        match self.member(number).map(|member| member.status) {
            Some(MemberStatus::Removed) => Err(RoomCommandError::Removed),
            _ => Ok(RoomRole::Member(number)),
        }
    }

    /// Returns whether the owner of `token` is a member.
    pub(crate) fn is_member(&self, token: &PlayerToken) -> bool {
        self.numbers.contains_key(token.hash().as_bytes())
    }

    /// Lets the owner of `token` enter, or come back. A member who is in the room keeps its name,
    /// so that a request can be repeated.
    ///
    /// # Errors
    /// Returns the reason of a rejected request.
    pub(crate) fn enter(
        &mut self,
        token: &PlayerToken,
        newcomer: Newcomer,
        now: Timestamp,
    ) -> Result<EnteredMember, RoomCommandError> {
        if let Some(&number) = self.numbers.get(token.hash().as_bytes()) {
            return self.come_back(number, newcomer, now);
        }
        if self.leader.matches(token) {
            return Err(RoomCommandError::LeaderToken);
        }
        self.require_open()?;
        let maximum = self.settings.format.max_members();
        if self.members.len() >= maximum {
            return Err(RoomCommandError::Full { maximum });
        }
        self.check_name(&newcomer.name, None)?;
        let number = number_of(self.members.len());
        let member = StoredMember {
            number,
            name: newcomer.name,
            token: token.hash(),
            entered: now,
            is_bot: newcomer.is_bot,
            status: MemberStatus::Active,
        };
        self.insert_member(member.clone());
        self.state.changed_at = now;
        Ok(EnteredMember {
            number,
            changed: Some(member),
        })
    }

    fn come_back(
        &mut self,
        number: u32,
        newcomer: Newcomer,
        now: Timestamp,
    ) -> Result<EnteredMember, RoomCommandError> {
        let is_closed = self.state.is_closed;
        let status = self.member(number).map(|member| member.status);
        if status == Some(MemberStatus::Left) && !is_closed {
            self.check_name(&newcomer.name, Some(number))?;
        }
        let member = self.member_mut(number)?;
        match member.status {
            MemberStatus::Removed => Err(RoomCommandError::Removed),
            MemberStatus::Left if !is_closed => {
                member.name = newcomer.name;
                member.status = MemberStatus::Active;
                let changed = Some(member.clone());
                self.state.changed_at = now;
                Ok(EnteredMember { number, changed })
            }
            MemberStatus::Active | MemberStatus::Left => Ok(EnteredMember {
                number,
                changed: None,
            }),
        }
    }

    /// Sets the name of a member, and returns the member to be saved.
    ///
    /// # Errors
    /// Returns the reason of a rejected request.
    pub(crate) fn rename(
        &mut self,
        number: u32,
        name: PlayerName,
        now: Timestamp,
    ) -> Result<StoredMember, RoomCommandError> {
        self.check_name(&name, Some(number))?;
        let member = self.member_mut(number)?;
        member.name = name;
        let member = member.clone();
        self.state.changed_at = now;
        Ok(member)
    }

    /// Sets the status of a member who leaves or is removed, and returns the member to be saved.
    /// The challenges of and to the member end.
    ///
    /// # Errors
    /// Returns [`RoomCommandError::NoMember`] if no member has this number.
    pub(crate) fn set_status(
        &mut self,
        number: u32,
        status: MemberStatus,
        now: Timestamp,
    ) -> Result<StoredMember, RoomCommandError> {
        let member = self.member_mut(number)?;
        member.status = status;
        let member = member.clone();
        self.end_challenges(number);
        self.state.changed_at = now;
        Ok(member)
    }

    /// Checks that the room has rounds and can have another one, apart from running games.
    ///
    /// # Errors
    /// Returns the reason why there is no next round.
    pub(crate) fn require_rounds(&self) -> Result<(), RoomCommandError> {
        self.require_open()?;
        if !self.settings.format.has_rounds() {
            return Err(RoomCommandError::NoRounds);
        }
        if self.active_count() < 2 {
            return Err(RoomCommandError::TooFewMembers);
        }
        Ok(())
    }

    /// Returns the number of members who take part.
    pub(crate) fn active_count(&self) -> usize {
        let members = self.members.iter();
        members
            .filter(|member| member.status == MemberStatus::Active)
            .count()
    }

    /// Pairs the members for the next round.
    ///
    /// # Errors
    /// Returns the reason why there is no next round.
    pub(crate) fn start_round(&mut self, now: Timestamp) -> Result<NewGames, RoomCommandError> {
        self.require_rounds()?;
        match pairing::next_round(self) {
            NextRound::Ready => {}
            NextRound::RunningGames => return Err(RoomCommandError::RunningGames),
            NextRound::TooFewMembers => return Err(RoomCommandError::TooFewMembers),
            NextRound::AllMet => return Err(RoomCommandError::AllMet),
        }
        let pairing = pairing::pair(self).ok_or(RoomCommandError::AllMet)?;
        self.state.round = self.state.round.saturating_add(1);
        self.state.is_paused = false;
        self.state.changed_at = now;
        let round = self.state.round;
        let byes = pairing.bye.map(|member| StoredBye { round, member });
        let mut new = NewGames {
            games: Vec::with_capacity(pairing.pairs.len()),
            byes: byes.into_iter().collect(),
        };
        for (number, members) in (1..).zip(pairing.pairs) {
            new.games.push(self.add_game(number, 1, members, now)?);
        }
        self.byes.extend(&new.byes);
        Ok(new)
    }

    /// Adds the second games of all pairings whose first game has ended with a result.
    ///
    /// # Errors
    /// Returns an error if a member of a game does not exist.
    pub(crate) fn start_second_games(
        &mut self,
        now: Timestamp,
    ) -> Result<NewGames, RoomCommandError> {
        let mut new = NewGames::default();
        for first in self.due_second_games() {
            let members = BySide::new(first.north, first.south);
            let game = self.add_game_of_round(first.round, first.pairing, 2, members, now)?;
            new.games.push(game);
            self.state.changed_at = now;
        }
        Ok(new)
    }

    /// Returns the first games of the pairings whose second game is due.
    pub(crate) fn due_second_games(&self) -> Vec<StoredRoomGame> {
        if self.settings.games_per_pairing == 1 || self.state.is_closed {
            return Vec::new();
        }
        let places = self.games.iter().map(|game| game.place);
        let second: HashSet<_> = places
            .filter(|place| place.leg == 2)
            .map(|place| (place.round, place.pairing))
            .collect();
        let is_due = |game: &&RoomGame| {
            let RoomGame { place, snapshot } = game;
            place.leg == 1
                && (place.round == self.state.round || !self.settings.format.has_rounds())
                && snapshot.ending.is_some()
                && !snapshot.is_void()
                && !second.contains(&(place.round, place.pairing))
                && self.is_active(place.south)
                && self.is_active(place.north)
        };
        let due = self.games.iter().filter(is_due);
        due.map(|game| game.place).collect()
    }

    /// Records the challenge of a member, to another member or to all. It replaces the member's
    /// earlier one.
    ///
    /// # Errors
    /// Returns the reason of a rejected challenge.
    pub(crate) fn challenge(&mut self, from: u32, to: Option<u32>) -> Result<(), RoomCommandError> {
        self.require_challenges()?;
        self.require_active(from)?;
        match (to, self.settings.format) {
            (None, RoomFormat::Ladder) => return Err(RoomCommandError::OpenChallengeOnLadder),
            (Some(to), _) if to == from => return Err(RoomCommandError::OwnChallenge),
            (Some(to), format) => {
                self.require_active(to)?;
                if format == RoomFormat::Ladder && !pairing::may_challenge(self, from, to) {
                    return Err(RoomCommandError::LadderDistance);
                }
            }
            (None, _) => {}
        }
        self.require_free(from)?;
        self.challenges.insert(from, to);
        Ok(())
    }

    /// Removes the challenge of a member. Returns whether there was one.
    pub(crate) fn withdraw(&mut self, from: u32) -> bool {
        self.challenges.remove(&from).is_some()
    }

    /// Removes the challenge of `from` to `to`, who declines it.
    ///
    /// # Errors
    /// Returns [`RoomCommandError::NoChallenge`] if there is none.
    pub(crate) fn decline(&mut self, to: u32, from: u32) -> Result<(), RoomCommandError> {
        if self.challenges.get(&from) != Some(&Some(to)) {
            return Err(RoomCommandError::NoChallenge);
        }
        self.challenges.remove(&from);
        Ok(())
    }

    /// Starts the game of a challenge that `to` accepts.
    ///
    /// # Errors
    /// Returns the reason of a rejected request.
    pub(crate) fn accept(
        &mut self,
        to: u32,
        from: u32,
        now: Timestamp,
    ) -> Result<NewGames, RoomCommandError> {
        self.require_challenges()?;
        let challenge = self.challenges.get(&from);
        let is_meant = challenge.is_some_and(|challenged| challenged.is_none_or(|id| id == to));
        if !is_meant || from == to {
            return Err(RoomCommandError::NoChallenge);
        }
        self.require_active(to)?;
        self.require_active(from)?;
        self.require_free(to)?;
        self.require_free(from)?;
        let members = pairing::sides(self, from, to);
        let last = self.games.iter().map(|game| game.place.pairing).max();
        let number = last.unwrap_or(0).saturating_add(1);
        self.end_challenges(from);
        self.challenges.remove(&to);
        self.state.changed_at = now;
        let game = self.add_game(number, 1, members, now)?;
        Ok(NewGames {
            games: vec![game],
            byes: Vec::new(),
        })
    }

    /// Sets whether all games are paused.
    ///
    /// # Errors
    /// Returns [`RoomCommandError::Closed`] in a closed room.
    pub(crate) fn set_paused(
        &mut self,
        is_paused: bool,
        now: Timestamp,
    ) -> Result<(), RoomCommandError> {
        self.require_open()?;
        self.state.is_paused = is_paused;
        self.state.changed_at = now;
        Ok(())
    }

    /// Closes the room: people cannot enter, and no games begin. Those that run go on.
    pub(crate) fn close(&mut self, now: Timestamp) {
        self.state.is_closed = true;
        self.state.changed_at = now;
        self.challenges.clear();
    }

    /// Updates the snapshot of a game. Returns whether the game has ended by it.
    pub(crate) fn update_game(&mut self, id: GameId, snapshot: GameSnapshot) -> bool {
        let index = self.game_indices.get(&id);
        let Some(game) = index.and_then(|&index| self.games.get_mut(index)) else {
            return false;
        };
        if game.snapshot.ending.is_some() {
            // An event from before a decision of the leader.
            return false;
        }
        let has_ended = snapshot.ending.is_some();
        game.snapshot = snapshot;
        has_ended
    }

    /// Records the time of a change.
    pub(crate) fn touch(&mut self, now: Timestamp) {
        self.state.changed_at = now;
    }

    /// Creates a game of the current round.
    fn add_game(
        &mut self,
        pairing: u32,
        leg: u8,
        members: BySide<u32>,
        now: Timestamp,
    ) -> Result<(StoredRoomGame, FriendGame), RoomCommandError> {
        self.add_game_of_round(self.state.round, pairing, leg, members, now)
    }

    fn add_game_of_round(
        &mut self,
        round: u32,
        pairing: u32,
        leg: u8,
        members: BySide<u32>,
        now: Timestamp,
    ) -> Result<(StoredRoomGame, FriendGame), RoomCommandError> {
        let players = ByPlayer::new(
            self.room_player(members.south)?,
            self.room_player(members.north)?,
        );
        let room = GameRoom {
            code: self.code.clone(),
            name: self.settings.name.clone(),
            engine_help: self.settings.engine_help,
            takebacks: self.settings.format.allows_takebacks(),
        };
        let clock = self.settings.clock;
        let clock = clock.map(|clock| FriendClockSetting::Game(ByPlayer::new(clock, clock)));
        let start = pairing::opening(self, round, pairing);
        let mut game = FriendGame::in_room(room, start, clock, &players, now);
        if self.state.is_paused {
            // A new game runs.
            let _ = game.pause(now);
        }
        let place = StoredRoomGame {
            game: game.id(),
            round,
            pairing,
            leg,
            south: members.south,
            north: members.north,
        };
        self.insert_game(RoomGame {
            place,
            snapshot: GameSnapshot::from(&game),
        });
        Ok((place, game))
    }

    fn room_player(&self, number: u32) -> Result<RoomPlayer, RoomCommandError> {
        let member = self
            .member(number)
            .ok_or(RoomCommandError::NoMember(number))?;
        Ok(RoomPlayer {
            name: member.name.clone(),
            token: member.token,
        })
    }

    fn insert_member(&mut self, member: StoredMember) {
        self.numbers.insert(*member.token.as_bytes(), member.number);
        self.members.push(member);
    }

    fn insert_game(&mut self, game: RoomGame) {
        self.game_indices.insert(game.place.game, self.games.len());
        self.games.push(game);
    }

    fn member_mut(&mut self, number: u32) -> Result<&mut StoredMember, RoomCommandError> {
        let member = index_of(number).and_then(|index| self.members.get_mut(index));
        member.ok_or(RoomCommandError::NoMember(number))
    }

    fn is_active(&self, number: u32) -> bool {
        let member = self.member(number);
        member.is_some_and(|member| member.status == MemberStatus::Active)
    }

    /// Removes the challenges of a member and those to the member.
    fn end_challenges(&mut self, number: u32) {
        self.challenges
            .retain(|&from, to| from != number && *to != Some(number));
    }

    fn require_open(&self) -> Result<(), RoomCommandError> {
        if self.state.is_closed {
            return Err(RoomCommandError::Closed);
        }
        Ok(())
    }

    fn require_challenges(&self) -> Result<(), RoomCommandError> {
        self.require_open()?;
        if self.settings.format.has_rounds() {
            return Err(RoomCommandError::NoChallenges);
        }
        if self.state.is_paused {
            return Err(RoomCommandError::Paused);
        }
        Ok(())
    }

    fn require_active(&self, number: u32) -> Result<(), RoomCommandError> {
        match self.member(number) {
            None => Err(RoomCommandError::NoMember(number)),
            Some(_) if self.is_active(number) => Ok(()),
            Some(_) => Err(RoomCommandError::NotActive(number)),
        }
    }

    /// Requires that a member plays no game in this room.
    fn require_free(&self, number: u32) -> Result<(), RoomCommandError> {
        let mut running = self.running_games();
        if running.any(|game| game.place.south == number || game.place.north == number) {
            return Err(RoomCommandError::Playing(number));
        }
        Ok(())
    }

    /// Requires that no member except `own` has this name, in any case, unless the other member has
    /// left.
    fn check_name(&self, name: &PlayerName, own: Option<u32>) -> Result<(), RoomCommandError> {
        let wanted = name.as_str().to_lowercase();
        let is_taken = self.members.iter().any(|member| {
            Some(member.number) != own
                && member.status == MemberStatus::Active
                && member.name.as_str().to_lowercase() == wanted
        });
        if is_taken {
            return Err(RoomCommandError::NameTaken(name.to_string()));
        }
        Ok(())
    }
}

/// Returns the index of the member with this number.
fn index_of(number: u32) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

/// Returns the number of the member with this index.
fn number_of(index: usize) -> u32 {
    u32::try_from(index).map_or(u32::MAX, |index| index.saturating_add(1))
}
