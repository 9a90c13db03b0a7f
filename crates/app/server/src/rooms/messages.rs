//! JSON that the server and its clients exchange about rooms.

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use kalah::{BySide, PlayerId, Side};
use kalah_api::{BySideSchema, POSITION_PATTERN, PositionView, SideSchema};
use kalah_store::{
    ID_PATTERN, MemberStatus, ROOM_CODE_PATTERN, RoomFormat, StoredMember, Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::games::messages::{ClockTimesView, ClockView};
use crate::rooms::state::pairing::{self, NextRound};
use crate::rooms::state::room::Room;
use crate::rooms::state::room_game::RoomGame;

/// The state of a room, without secrets.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct RoomStateView {
    /// The values of the room itself.
    #[serde(flatten)]
    pub(crate) head: RoomHeadView,
    /// All members, in the order of their numbers.
    pub(crate) members: Vec<MemberView>,
    /// The games of the current round; in a room without rounds, those that run and the last that
    /// ended.
    pub(crate) games: Vec<RoomGameView>,
    /// The byes of the current round.
    pub(crate) byes: Vec<ByeView>,
    /// The open challenges.
    pub(crate) challenges: Vec<ChallengeView>,
    /// A number that changes with the standings.
    pub(crate) standings_revision: u64,
    /// The role of the client.
    pub(crate) you: RoleView,
}

/// The values of a room besides its members and games.
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the JSON")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct RoomHeadView {
    /// The code.
    #[schemars(regex(pattern = ROOM_CODE_PATTERN))]
    pub(crate) code: String,
    /// The name.
    pub(crate) name: String,
    /// Whether it is the lobby of the server, which has no leader.
    pub(crate) is_lobby: bool,
    /// The rules as text.
    pub(crate) rules: String,
    /// The position before the first ply and the opening, as text.
    #[schemars(regex(pattern = POSITION_PATTERN))]
    pub(crate) start: String,
    /// The clock of both players, if the games have one.
    pub(crate) clock: Option<ClockTimesView>,
    /// The rule by which the members are paired.
    pub(crate) format: RoomFormatView,
    /// The number of games of a pairing.
    #[schemars(range(min = 1, max = 2))]
    pub(crate) games_per_pairing: u8,
    /// The number of random plies with which all games of a round begin.
    pub(crate) opening_plies: u8,
    /// Whether players may use hints, scores and analyses during their games.
    pub(crate) engine_help: bool,
    /// The number of the current round, 0 before the first.
    pub(crate) round: u32,
    /// Whether the leader has paused all games.
    pub(crate) paused: bool,
    /// Whether the leader has closed the room.
    pub(crate) closed: bool,
    /// Whether the next round can begin; `None` in a room without rounds.
    pub(crate) next_round: Option<NextRoundView>,
    /// A number that grows with each change of the room.
    pub(crate) revision: u64,
}

/// The rule by which the members of a room are paired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RoomFormatView {
    /// Members challenge each other.
    #[default]
    Free,
    /// In rounds, until each member has met each other one.
    RoundRobin,
    /// In rounds, against members with about as many points.
    Swiss,
    /// Members challenge those who are a few places above them on a ladder.
    Ladder,
}

/// Whether the next round can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NextRoundView {
    /// The leader can start it.
    Ready,
    /// Games of this round have not ended.
    RunningGames,
    /// Fewer than two members are in the room.
    TooFewMembers,
    /// All members have met each other in a round robin.
    AllMet,
}

/// A member of a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct MemberView {
    /// The number in the room, from 1.
    #[schemars(range(min = 1))]
    pub(crate) number: u32,
    /// The name.
    pub(crate) name: String,
    /// Whether the member is a program.
    pub(crate) bot: bool,
    /// Whether the member takes part.
    pub(crate) status: MemberStatusView,
    /// Whether the member has a live connection to the room.
    pub(crate) connected: bool,
}

/// Whether a member takes part in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MemberStatusView {
    /// The member takes part.
    Active,
    /// The member has left, and may come back.
    Left,
    /// The leader has removed the member.
    Removed,
}

/// A game of a room. Members are named by the sides on which they began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct RoomGameView {
    /// The id.
    #[schemars(regex(pattern = ID_PATTERN))]
    pub(crate) game: String,
    /// The round from 1, or 0 in a room without rounds.
    pub(crate) round: u32,
    /// The pairing in the round, or in the room without rounds, from 1.
    pub(crate) pairing: u32,
    /// The first or the second game of the pairing.
    #[schemars(range(min = 1, max = 2))]
    pub(crate) leg: u8,
    /// The number of the member who began as South.
    pub(crate) south: u32,
    /// The number of the member who began as North.
    pub(crate) north: u32,
    /// The number of plies.
    pub(crate) plies: usize,
    /// The side to move; `None` after the end.
    #[schemars(with = "Option<SideSchema>")]
    pub(crate) to_move: Option<Side>,
    /// Whether the members have exchanged their sides.
    pub(crate) swapped: bool,
    /// The position.
    pub(crate) position: PositionView,
    /// The clock, if the game has one.
    pub(crate) clock: Option<ClockView>,
    /// Whether the leader has paused the game.
    pub(crate) paused: bool,
    /// The ending, after the end of the game.
    pub(crate) ending: Option<RoomGameEndingView>,
}

/// The ending of a game in a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct RoomGameEndingView {
    /// The value of the record tag; `unfinished` for a game that was voided.
    pub(crate) termination: String,
    /// The member who won, by the side on which the member began; `None` without a result.
    pub(crate) winner: Option<ResultView>,
    /// The seeds in the stores, by the sides on which the members began.
    #[schemars(with = "BySideSchema<u32>")]
    pub(crate) seeds: BySide<u32>,
}

/// The result of a game by the sides on which its members began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResultView {
    /// The member who began as South won.
    South,
    /// The member who began as North won.
    North,
    /// The game is a tie.
    Tie,
}

/// A round in which a member has no opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ByeView {
    /// The round.
    pub(crate) round: u32,
    /// The number of the member.
    pub(crate) member: u32,
}

/// An open challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ChallengeView {
    /// The number of the member who made it.
    pub(crate) from: u32,
    /// The number of the challenged member; `None` for all members.
    pub(crate) to: Option<u32>,
}

/// The role of a client in a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct RoleView {
    /// The number of the member who receives this.
    pub(crate) member: Option<u32>,
    /// Whether the leader receives this.
    pub(crate) leader: bool,
}

/// A message of a client over WebSocket. It has no `Debug`, because `Hello` contains tokens.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum RoomClientMessage {
    /// Identifies the client. It is the first message of every connection.
    Hello {
        /// The token of a member.
        token: Option<String>,
        /// The token of the leader.
        leader: Option<String>,
        /// Whether the client shows the boards of all games.
        #[serde(default)]
        boards: bool,
    },
    /// Ask for a `pong`, because the client wants to know whether the connection is alive.
    Ping {},
}

/// A change of a room. Absent values have not changed.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename = "update")]
pub(crate) struct RoomUpdateView {
    /// A number that grows with each change of the room.
    pub(crate) revision: u64,
    /// A number that changes with the standings.
    pub(crate) standings_revision: u64,
    /// The values of the room itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) room: Option<RoomHeadView>,
    /// The members that have changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) members: Vec<MemberView>,
    /// The games that have changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) games: Vec<RoomGameView>,
    /// All open challenges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) challenges: Option<Vec<ChallengeView>>,
}

/// The number of ended games that a room without rounds shows.
const SHOWN_ENDED_GAMES: usize = 30;

impl From<RoomFormat> for RoomFormatView {
    fn from(format: RoomFormat) -> Self {
        match format {
            RoomFormat::Free => Self::Free,
            RoomFormat::RoundRobin => Self::RoundRobin,
            RoomFormat::Swiss => Self::Swiss,
            RoomFormat::Ladder => Self::Ladder,
        }
    }
}

impl From<RoomFormatView> for RoomFormat {
    fn from(format: RoomFormatView) -> Self {
        match format {
            RoomFormatView::Free => Self::Free,
            RoomFormatView::RoundRobin => Self::RoundRobin,
            RoomFormatView::Swiss => Self::Swiss,
            RoomFormatView::Ladder => Self::Ladder,
        }
    }
}

impl From<NextRound> for NextRoundView {
    fn from(next: NextRound) -> Self {
        match next {
            NextRound::Ready => Self::Ready,
            NextRound::RunningGames => Self::RunningGames,
            NextRound::TooFewMembers => Self::TooFewMembers,
            NextRound::AllMet => Self::AllMet,
        }
    }
}

impl From<MemberStatus> for MemberStatusView {
    fn from(status: MemberStatus) -> Self {
        match status {
            MemberStatus::Active => Self::Active,
            MemberStatus::Left => Self::Left,
            MemberStatus::Removed => Self::Removed,
        }
    }
}

impl RoomHeadView {
    /// Returns the values of a room.
    pub(crate) fn new(room: &Room, revision: u64) -> Self {
        let (settings, state) = (room.settings(), room.state());
        let has_next_round = settings.format.has_rounds() && !state.is_closed;
        Self {
            code: room.code().to_string(),
            name: settings.name.to_string(),
            is_lobby: room.code().is_lobby(),
            rules: settings.rules.clone(),
            start: settings.start.clone(),
            clock: settings.clock.map(ClockTimesView::from),
            format: settings.format.into(),
            games_per_pairing: settings.games_per_pairing,
            opening_plies: settings.opening_plies,
            engine_help: settings.engine_help,
            round: state.round,
            paused: state.is_paused,
            closed: state.is_closed,
            next_round: has_next_round.then(|| pairing::next_round(room).into()),
            revision,
        }
    }
}

impl MemberView {
    /// Returns a member, who is connected or not.
    pub(crate) fn new(member: &StoredMember, connected: bool) -> Self {
        Self {
            number: member.number,
            name: member.name.to_string(),
            bot: member.is_bot,
            status: member.status.into(),
            connected,
        }
    }
}

impl RoomGameView {
    /// Returns a game at `now`.
    pub(crate) fn new(game: &RoomGame, now: Timestamp) -> Self {
        let RoomGame { place, snapshot } = game;
        let position = &snapshot.position;
        let is_swapped = snapshot.is_swapped;
        let seeds = |side| {
            let side = PlayerId::new(side).side(is_swapped);
            u32::from(position.store(side))
        };
        let winner = |ending_without_winner| match snapshot.winner() {
            None => ending_without_winner,
            Some(player) if player.started_as == Side::South => ResultView::South,
            Some(_) => ResultView::North,
        };
        Self {
            game: place.game.to_string(),
            round: place.round,
            pairing: place.pairing,
            leg: place.leg,
            south: place.south,
            north: place.north,
            plies: snapshot.plies,
            to_move: snapshot.ending.is_none().then(|| position.to_move()),
            swapped: is_swapped,
            position: PositionView::from(position),
            clock: (snapshot.clock.as_ref()).map(|clock| ClockView::new(clock, is_swapped, now)),
            paused: snapshot.is_paused,
            ending: snapshot.ending.map(|ending| RoomGameEndingView {
                termination: ending.termination.as_str().to_owned(),
                winner: (!snapshot.is_void()).then(|| winner(ResultView::Tie)),
                seeds: BySide::from_fn(seeds),
            }),
        }
    }
}

impl RoomStateView {
    /// Returns the state of a room at `now` for a client without a role. `is_connected` tells
    /// whether the member with a number is connected.
    pub(crate) fn new(
        room: &Room,
        revisions: Revisions,
        is_connected: impl Fn(u32) -> bool,
        now: Timestamp,
    ) -> Self {
        let round = room.state().round;
        let members = room.members().iter().filter(|member| {
            // The lobby has no end, and shows those who are there.
            !room.code().is_lobby() || member.status == MemberStatus::Active
        });
        Self {
            head: RoomHeadView::new(room, revisions.room),
            members: members
                .map(|member| MemberView::new(member, is_connected(member.number)))
                .collect(),
            games: shown_games(room)
                .map(|game| RoomGameView::new(game, now))
                .collect(),
            byes: room
                .byes()
                .iter()
                .filter(|bye| bye.round == round)
                .map(|bye| ByeView {
                    round: bye.round,
                    member: bye.member,
                })
                .collect(),
            challenges: challenges(room),
            standings_revision: revisions.standings,
            you: RoleView::default(),
        }
    }
}

/// The numbers of the present state of a room and of its standings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Revisions {
    /// Grows with each change of the room.
    pub(crate) room: u64,
    /// Changes with the standings.
    pub(crate) standings: u64,
}

/// Returns the games that the state of a room contains.
fn shown_games(room: &Room) -> Box<dyn Iterator<Item = &RoomGame> + '_> {
    let games = room.games().iter();
    if room.settings().format.has_rounds() {
        let round = room.state().round;
        return Box::new(games.filter(move |game| game.place.round == round));
    }
    let is_ended = |game: &&RoomGame| game.snapshot.ending.is_some();
    let ended = games.clone().filter(is_ended).count();
    let skipped = ended.saturating_sub(SHOWN_ENDED_GAMES);
    let ended = games.filter(is_ended).skip(skipped);
    Box::new(room.running_games().chain(ended))
}

/// Returns the open challenges of a room.
pub(crate) fn challenges(room: &Room) -> Vec<ChallengeView> {
    let challenges = room.challenges().iter();
    challenges
        .map(|(&from, &to)| ChallengeView { from, to })
        .collect()
}

/// Returns the part of the message with the state of a room that is the same for all clients. The
/// other part follows it: [`state_message_end`].
pub(crate) fn state_message_start(state: &RoomStateView) -> Bytes {
    const NO_ROLE: &str = r#""you":{"member":null,"leader":false}}"#;
    let state = to_text(state);
    let start = state.strip_suffix(NO_ROLE);
    let start = start.expect("the state ends with the role of no client");
    format!(r#"{{"type":"state","state":{start}"#).into()
}

/// Returns the end of the message with the state of a room for a client with a role.
pub(crate) fn state_message_end(role: RoleView) -> Bytes {
    let role = to_text(&role);
    format!(r#""you":{role}}}}}"#).into()
}

/// Returns a message as JSON.
pub(crate) fn to_text(message: &impl Serialize) -> Utf8Bytes {
    let text = serde_json::to_string(message);
    text.expect("strings, numbers and lists of them can always be written")
        .into()
}
