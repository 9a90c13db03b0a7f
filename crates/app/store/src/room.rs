//! Rooms as the store keeps them: their codes, settings, members and games, and the writes that
//! change them.

use std::fmt;
use std::str::FromStr;

use kalah::{ClockSetting, Quoted};
use thiserror::Error;

use crate::clock::Timestamp;
use crate::model::{GameId, StoredGame, TokenHash};
use crate::name::PlayerName;

/// The code of a room: six letters and digits that are easy to tell apart.
///
/// It is parsed in any case, with spaces and dashes between its characters.
///
/// ```
/// use kalah_store::RoomCode;
/// let code: RoomCode = "abc-de7".parse().expect("a code");
/// assert_eq!(code.to_string(), "ABCDE7");
/// assert!("ABC".parse::<RoomCode>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoomCode(String);

/// The regular expression of room codes as text.
pub const ROOM_CODE_PATTERN: &str = "^([A-HJKMNP-TV-Z2-9]{6}|LOBBY)$";

/// The error of parsing a [`RoomCode`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{} is not the code of a room, which has 6 letters and digits without I, L, O, U, 0 and 1",
    Quoted::literal(.0)
)]
pub struct ParseRoomCodeError(pub String);

impl RoomCode {
    /// The characters of random codes, of which there are 30^6, 729 million. Those that look like
    /// others are missing, and `U` with them, so that fewer codes are words.
    const ALPHABET: &[u8; 30] = b"ABCDEFGHJKMNPQRSTVWXYZ23456789";

    /// The number of characters of a code.
    pub const LENGTH: usize = 6;

    /// The largest multiple of the number of characters that a byte can hold. Larger bytes would
    /// favour the first characters.
    const RANDOM_BYTE_LIMIT: u8 = 240;

    /// The code of the lobby, which is not random.
    const LOBBY: &str = "LOBBY";

    /// Creates a random code.
    ///
    /// # Panics
    /// Panics if the operating system provides no randomness.
    pub fn random() -> Self {
        let alphabet = Self::ALPHABET;
        let mut code = String::with_capacity(Self::LENGTH);
        while code.len() < Self::LENGTH {
            let mut byte = [0];
            getrandom::fill(&mut byte).expect("a system with randomness");
            if byte[0] < Self::RANDOM_BYTE_LIMIT {
                code.push(alphabet[usize::from(byte[0]) % alphabet.len()].into());
            }
        }
        Self(code)
    }

    /// Returns the code of the lobby.
    pub fn lobby() -> Self {
        Self(Self::LOBBY.to_owned())
    }

    /// Returns whether it is the code of the lobby.
    pub fn is_lobby(&self) -> bool {
        self.0 == Self::LOBBY
    }

    /// Returns the code as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RoomCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for RoomCode {
    type Err = ParseRoomCodeError;

    fn from_str(text: &str) -> Result<Self, ParseRoomCodeError> {
        let code: String = text
            .chars()
            .filter(|&character| !matches!(character, ' ' | '-'))
            .map(|character| character.to_ascii_uppercase())
            .collect();
        let is_random =
            code.len() == Self::LENGTH && code.bytes().all(|byte| Self::ALPHABET.contains(&byte));
        if is_random || code == Self::LOBBY {
            Ok(Self(code))
        } else {
            Err(ParseRoomCodeError(text.to_owned()))
        }
    }
}

/// The rule by which the members of a room are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomFormat {
    /// Members challenge each other.
    Free,
    /// In rounds, until each member has met each other one.
    RoundRobin,
    /// In rounds, against members with about as many points.
    Swiss,
    /// Members challenge those who are a few places above them on a ladder.
    Ladder,
}

impl RoomFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Free, Self::RoundRobin, Self::Swiss, Self::Ladder];

    /// Returns the format as a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::RoundRobin => "round-robin",
            Self::Swiss => "swiss",
            Self::Ladder => "ladder",
        }
    }

    /// Returns the format with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == word)
    }

    /// Returns whether the leader starts rounds, in contrast to members who challenge each other.
    pub const fn has_rounds(self) -> bool {
        matches!(self, Self::RoundRobin | Self::Swiss)
    }

    /// Returns the most members of a room, those who have left included. A round robin of more
    /// people has no end.
    pub const fn max_members(self) -> usize {
        match self {
            Self::RoundRobin => 200,
            Self::Free | Self::Swiss | Self::Ladder => 2_000,
        }
    }

    /// Returns whether the players of a game may take back moves: not where places depend on it.
    pub const fn allows_takebacks(self) -> bool {
        matches!(self, Self::Free)
    }
}

/// The values of a room that its creator has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomSettings {
    /// The name, which follows the rules for the names of players.
    pub name: PlayerName,
    /// The rules as text.
    pub rules: String,
    /// The position before the first ply and the opening, as text.
    pub start: String,
    /// The clock of both players.
    pub clock: Option<ClockSetting>,
    /// The rule by which the members are paired.
    pub format: RoomFormat,
    /// The number of games of a pairing, with exchanged sides: 1 or 2.
    pub games_per_pairing: u8,
    /// The number of random plies with which all games of a round begin.
    pub opening_plies: u8,
    /// Whether players may use hints, scores and analyses during their games.
    pub engine_help: bool,
    /// The seed of the random choices of pairings and openings.
    pub seed: u64,
}

/// The values of a room that change, besides its members and games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomState {
    /// The time of the last change.
    pub changed_at: Timestamp,
    /// The number of the current round, 0 before the first.
    pub round: u32,
    /// Whether the leader has paused all games.
    pub is_paused: bool,
    /// Whether the leader has closed the room.
    pub is_closed: bool,
}

/// A room as the store keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRoom {
    /// The code.
    pub code: RoomCode,
    /// The time of creation.
    pub created: Timestamp,
    /// The values that the creator has chosen.
    pub settings: RoomSettings,
    /// The hash of the leader's token. That of the lobby belongs to no token.
    pub leader: TokenHash,
    /// The values that change.
    pub state: RoomState,
    /// The members, by number from 1.
    pub members: Vec<StoredMember>,
    /// The games, by round, pairing and leg.
    pub games: Vec<StoredRoomGame>,
    /// The byes, by round.
    pub byes: Vec<StoredBye>,
}

/// A member of a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMember {
    /// The number in the room, from 1.
    pub number: u32,
    /// The name.
    pub name: PlayerName,
    /// The hash of the member's token, which is also that of the member's games.
    pub token: TokenHash,
    /// The time of the first entry.
    pub entered: Timestamp,
    /// Whether the member is a program, as it said on entry.
    pub is_bot: bool,
    /// Whether the member takes part.
    pub status: MemberStatus,
}

/// Whether a member takes part in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberStatus {
    /// The member takes part.
    Active,
    /// The member has left, and may come back.
    Left,
    /// The leader has removed the member.
    Removed,
}

impl MemberStatus {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Active, Self::Left, Self::Removed];

    /// Returns the status as a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Left => "left",
            Self::Removed => "removed",
        }
    }

    /// Returns the status with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// The place of a game in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRoomGame {
    /// The id of the game.
    pub game: GameId,
    /// The round from 1, or 0 in a room without rounds.
    pub round: u32,
    /// The pairing in the round, or in the room without rounds, from 1.
    pub pairing: u32,
    /// The first or the second game of the pairing: 1 or 2.
    pub leg: u8,
    /// The number of the member who began as South.
    pub south: u32,
    /// The number of the member who began as North.
    pub north: u32,
}

/// The number of a game in a room with rounds.
///
/// # Examples
/// ```
/// use kalah_store::RoomGameNumber;
///
/// let number = RoomGameNumber { round: 3, pairing: 12, leg: 1 };
/// assert_eq!(number.to_string(), "3.12.1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomGameNumber {
    /// The round, from 1.
    pub round: u32,
    /// The pairing in the round, from 1.
    pub pairing: u32,
    /// The first or the second game of the pairing: 1 or 2.
    pub leg: u8,
}

/// Writes the number as the tag `Round` of a record has it, and as tournaments number their games.
impl fmt::Display for RoomGameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            round,
            pairing,
            leg,
        } = self;
        write!(f, "{round}.{pairing}.{leg}")
    }
}

/// A round in which a member has no opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredBye {
    /// The round, from 1.
    pub round: u32,
    /// The number of the member.
    pub member: u32,
}

/// The room of a game, as the game needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRoom {
    /// The code.
    pub code: RoomCode,
    /// The name of the room.
    pub name: PlayerName,
    /// Whether players may use hints, scores and analyses during the game.
    pub engine_help: bool,
    /// Whether players may take back moves.
    pub takebacks: bool,
    /// The number of the game; `None` in a room without rounds.
    pub number: Option<RoomGameNumber>,
}

/// A write that changes a room, applied completely or not at all.
#[derive(Clone, Debug)]
pub enum RoomWrite {
    /// Insert a room.
    NewRoom(Box<StoredRoom>),
    /// Update the state.
    State {
        /// The code.
        room: RoomCode,
        /// The new state.
        state: RoomState,
    },
    /// Insert a member, or update its name and status.
    Member {
        /// The code.
        room: RoomCode,
        /// The state of the room after the change.
        state: RoomState,
        /// The member.
        member: StoredMember,
    },
    /// Insert games with their places in the room, and byes.
    Games {
        /// The code.
        room: RoomCode,
        /// The state of the room after the change.
        state: RoomState,
        /// The games.
        games: Vec<(StoredRoomGame, StoredGame)>,
        /// The byes.
        byes: Vec<StoredBye>,
    },
    /// Delete rooms. Their games remain.
    Delete(Vec<RoomCode>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_codes_parse_and_differ() {
        let codes: std::collections::HashSet<_> = (0..100).map(|_| RoomCode::random()).collect();
        assert!(codes.len() > 95, "{codes:?}");
        for code in codes {
            assert_eq!(code.to_string().parse(), Ok(code.clone()));
            let typed = format!("{} {}", &code.as_str()[..3], &code.as_str()[3..]);
            assert_eq!(typed.to_lowercase().parse(), Ok(code));
        }
    }

    #[test]
    fn other_texts_are_no_codes() {
        for text in [
            "", "ABCDE", "ABCDEFG", "ABCDE0", "ABCDEI", "ÄBCDEF", "ABC.DEF", "lobb",
        ] {
            let error = ParseRoomCodeError(text.to_owned());
            assert_eq!(text.parse::<RoomCode>(), Err(error));
        }
        assert_eq!("lobby".parse(), Ok(RoomCode::lobby()));
    }

    #[test]
    fn words_of_formats_and_statuses_are_unique() {
        for format in RoomFormat::ALL {
            assert_eq!(RoomFormat::from_word(format.as_str()), Some(format));
        }
        for status in MemberStatus::ALL {
            assert_eq!(MemberStatus::from_word(status.as_str()), Some(status));
        }
    }
}
