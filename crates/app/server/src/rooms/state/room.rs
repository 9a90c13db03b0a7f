//! A room as a state machine without clock, files or network: its members, rounds and games.

use std::collections::{BTreeMap, HashMap, HashSet};

use kalah::{ByPlayer, BySide, Position};
use kalah_api::RequestError;
use kalah_store::{
    FriendClockSetting, GameId, GameRoom, MemberStatus, PlayerName, PlayerToken, RoomCode,
    RoomGameNumber, RoomSettings, RoomState, StoredBye, StoredMember, StoredRoom, StoredRoomGame,
    Timestamp, TokenHash,
};

use crate::games::friend_game::{FriendGame, RoomPlayer};
use crate::rooms::state::pairing::{self, NextRound};
use crate::rooms::state::room_error::RoomCommandError;
use crate::rooms::state::room_game::{GameSnapshot, RoomGame};

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
    pub(super) challenges: BTreeMap<u32, Option<u32>>,
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
    pub(super) fn add_game(
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
            number: (self.settings.format.has_rounds()).then_some(RoomGameNumber {
                round,
                pairing,
                leg,
            }),
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

    pub(super) fn require_open(&self) -> Result<(), RoomCommandError> {
        if self.state.is_closed {
            return Err(RoomCommandError::Closed);
        }
        Ok(())
    }

    pub(super) fn require_active(&self, number: u32) -> Result<(), RoomCommandError> {
        match self.member(number) {
            None => Err(RoomCommandError::NoMember(number)),
            Some(_) if self.is_active(number) => Ok(()),
            Some(_) => Err(RoomCommandError::NotActive(number)),
        }
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
