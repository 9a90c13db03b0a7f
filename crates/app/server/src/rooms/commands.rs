//! The commands of leaders and members, and the requests that contain them.

use kalah::{PlayerId, Side};
use kalah_store::{GameId, ID_PATTERN, ParsePlayerNameError, PlayerName};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::games::friend_game::GameDecision;
use crate::http::error::ProblemResponse;

/// A command of the leader or a member of a room.
#[derive(Clone, Debug)]
pub(crate) enum RoomCommand {
    /// The leader starts the next round.
    StartRound {
        /// Whether running games end without a result.
        void_running: bool,
    },
    /// The leader pauses all games.
    Pause,
    /// The leader lets all games go on.
    Resume,
    /// The leader ends a game.
    EndGame {
        /// The game.
        game: GameId,
        /// The way it ends.
        decision: GameDecision,
    },
    /// The leader gives a member another name.
    Rename {
        /// The number of the member.
        member: u32,
        /// The name.
        name: PlayerName,
    },
    /// The leader removes a member.
    Remove {
        /// The number of the member.
        member: u32,
    },
    /// The leader closes the room.
    Close,
    /// The member leaves.
    Leave,
    /// The member takes another name.
    SetName {
        /// The name.
        name: PlayerName,
    },
    /// The member challenges another one, or all.
    Challenge {
        /// The number of the other member.
        to: Option<u32>,
    },
    /// The member withdraws its challenge.
    WithdrawChallenge,
    /// The member accepts a challenge.
    AcceptChallenge {
        /// The number of the member who made it.
        from: u32,
    },
    /// The member declines a challenge.
    DeclineChallenge {
        /// The number of the member who made it.
        from: u32,
    },
}

/// The body of `POST /api/v1/rooms/{room}/commands`.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "command", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum RoomCommandRequest {
    /// The leader starts the next round.
    StartRound {
        /// Whether running games end without a result. Otherwise there must be none.
        #[serde(default)]
        void_running: bool,
    },
    /// The leader pauses all games: their clocks stop, and moves are refused.
    Pause {},
    /// The leader lets all games go on.
    Resume {},
    /// The leader ends a running game.
    EndGame {
        /// The id of the game.
        #[schemars(regex(pattern = ID_PATTERN))]
        game: String,
        /// The result.
        result: DecidedResult,
    },
    /// The leader gives a member another name, also in running games.
    Rename {
        /// The number of the member.
        member: u32,
        /// The name.
        name: String,
    },
    /// The leader removes a member, whose running game the other member wins.
    Remove {
        /// The number of the member.
        member: u32,
    },
    /// The leader closes the room.
    Close {},
    /// The member leaves, and loses a running game.
    Leave {},
    /// The member takes another name.
    SetName {
        /// The name.
        name: String,
    },
    /// The member challenges another one, or all.
    Challenge {
        /// The number of the other member; null for all.
        to: Option<u32>,
    },
    /// The member withdraws its challenge.
    WithdrawChallenge {},
    /// The member accepts a challenge, and the game begins.
    AcceptChallenge {
        /// The number of the member who made it.
        from: u32,
    },
    /// The member declines a challenge.
    DeclineChallenge {
        /// The number of the member who made it.
        from: u32,
    },
}

/// The result of a game that the leader ends, by the sides on which its members began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DecidedResult {
    /// The member who began as South wins.
    South,
    /// The member who began as North wins.
    North,
    /// A tie.
    Tie,
    /// No result: the game counts nowhere.
    Void,
}

impl From<DecidedResult> for GameDecision {
    fn from(result: DecidedResult) -> Self {
        match result {
            DecidedResult::South => Self::WonBy(PlayerId::new(Side::South)),
            DecidedResult::North => Self::WonBy(PlayerId::new(Side::North)),
            DecidedResult::Tie => Self::Tie,
            DecidedResult::Void => Self::Void,
        }
    }
}

impl RoomCommandRequest {
    /// Parses the texts of the request.
    ///
    /// # Errors
    /// Returns the first invalid value.
    pub(super) fn parse(self) -> Result<RoomCommand, ProblemResponse> {
        Ok(match self {
            Self::StartRound { void_running } => RoomCommand::StartRound { void_running },
            Self::Pause {} => RoomCommand::Pause,
            Self::Resume {} => RoomCommand::Resume,
            Self::EndGame { game, result } => RoomCommand::EndGame {
                game: game
                    .parse::<GameId>()
                    .map_err(|error| ProblemResponse::unprocessable(error.to_string()))?,
                decision: result.into(),
            },
            Self::Rename { member, name } => RoomCommand::Rename {
                member,
                name: parse_member_name(&name)?,
            },
            Self::Remove { member } => RoomCommand::Remove { member },
            Self::Close {} => RoomCommand::Close,
            Self::Leave {} => RoomCommand::Leave,
            Self::SetName { name } => RoomCommand::SetName {
                name: parse_member_name(&name)?,
            },
            Self::Challenge { to } => RoomCommand::Challenge { to },
            Self::WithdrawChallenge {} => RoomCommand::WithdrawChallenge,
            Self::AcceptChallenge { from } => RoomCommand::AcceptChallenge { from },
            Self::DeclineChallenge { from } => RoomCommand::DeclineChallenge { from },
        })
    }
}

/// Parses the name of a member or a room, which all have.
///
/// # Errors
/// Returns the reason why the text is not a name.
pub(super) fn parse_member_name(text: &str) -> Result<PlayerName, ProblemResponse> {
    text.parse()
        .map_err(|error: ParsePlayerNameError| ProblemResponse::unprocessable(error.to_string()))
}
