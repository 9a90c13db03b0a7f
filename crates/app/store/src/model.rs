//! Games as the store keeps them: their states, the writes to the store, ids of games and secret
//! tokens of players.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kalah::{ByPlayer, PlayerId, Side, Termination};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

use crate::clock::{FriendClock, Timestamp};
use crate::name::PlayerName;
use crate::room::{GameRoom, RoomWrite};
use crate::shared::SharedWrite;

/// A game as the store keeps it. Rules, position and moves are text, which later versions can
/// parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// The id.
    pub id: GameId,
    /// The time of creation.
    pub created: Timestamp,
    /// The rules as text.
    pub rules: String,
    /// The position before the first ply, as text.
    pub start: String,
    /// Whether spectators may see scores during the game.
    pub spectator_scores: bool,
    /// The room to which the game belongs.
    pub room: Option<GameRoom>,
    /// The hashes of the players' tokens. That of a free seat belongs to no token.
    pub tokens: ByPlayer<TokenHash>,
    /// The moves of all plies, as text.
    pub plies: Vec<String>,
    /// The state besides the plies.
    pub state: GameState,
}

/// The mutable state of a game besides its plies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameState {
    /// The time of the last change.
    pub changed_at: Timestamp,
    /// The clock, if the game has one.
    pub clock: Option<FriendClock>,
    /// Whether the leader of the room has paused the game.
    pub is_paused: bool,
    /// The players who have joined. The seats of the others are free.
    pub joined: ByPlayer<bool>,
    /// The names that the players gave themselves.
    pub names: ByPlayer<Option<PlayerName>>,
    /// Whether each player lets the game count in the opening statistics of the server. The players
    /// of a room are not asked.
    pub shares: ByPlayer<bool>,
    /// The ending, after the end of the game.
    pub ending: Option<StoredEnding>,
    /// The offer of a takeback since the last ply.
    pub takeback: Option<Offer>,
    /// The number of takebacks that were accepted.
    pub takeback_count: u32,
    /// The last offer of a rematch.
    pub rematch_offer: Option<Offer>,
    /// The rematch, once both players want it.
    pub rematch: Option<GameId>,
}

impl GameState {
    /// Returns the state of a new game.
    pub fn new(created: Timestamp, clock: Option<FriendClock>) -> Self {
        Self {
            changed_at: created,
            clock,
            is_paused: false,
            joined: ByPlayer::new(false, false),
            names: ByPlayer::new(None, None),
            shares: ByPlayer::new(false, false),
            ending: None,
            takeback: None,
            takeback_count: 0,
            rematch_offer: None,
            rematch: None,
        }
    }
}

/// An offer of a player to the other player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The player who made the offer.
    pub by: PlayerId,
    /// Whether the other player has declined it. Otherwise it is open.
    pub is_declined: bool,
}

/// A takeback that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takeback {
    /// The player who made the offer.
    pub by: PlayerId,
    /// The number of plies that are left.
    pub plies_left: usize,
    /// The moves that were taken back, as text.
    pub moves: Vec<String>,
}

/// The ending of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredEnding {
    /// The way the game ended.
    pub termination: Termination,
    /// The side that won, by the sides at the end; `None` for a tie.
    pub winner: Option<Side>,
}

/// A write to the store, applied completely or not at all.
#[derive(Clone, Debug)]
pub enum GameWrite {
    /// Insert a game.
    NewGame(Box<StoredGame>),
    /// Append a ply and update the state.
    Ply {
        /// The id.
        game: GameId,
        /// The number of the ply, counted from 1. The primary key rejects a second ply with the
        /// same number.
        number: usize,
        /// The move as text.
        mv: String,
        /// The state after the ply.
        state: Box<GameState>,
    },
    /// Remove the plies of a takeback, record it and update the state.
    Takeback {
        /// The id.
        game: GameId,
        /// The takeback.
        takeback: Takeback,
        /// The state after the takeback, which counts it.
        state: Box<GameState>,
    },
    /// Give the free seat of a player to the owner of a token, and update the state.
    Join {
        /// The id.
        game: GameId,
        /// The player whose seat it is.
        player: PlayerId,
        /// The hash of the token.
        token: TokenHash,
        /// The new state.
        state: Box<GameState>,
    },
    /// Update the state without a ply.
    State {
        /// The id.
        game: GameId,
        /// The new state.
        state: Box<GameState>,
    },
    /// Insert a rematch and update the state of the first game, which refers to it.
    Rematch {
        /// The id of the first game.
        game: GameId,
        /// The new state of the first game.
        state: Box<GameState>,
        /// The rematch.
        other: Box<StoredGame>,
    },
    /// Change a room.
    Room(RoomWrite),
    /// Change the shared records.
    Shared(SharedWrite),
    /// Delete games.
    Delete(Vec<GameId>),
    /// Record that the server runs at this time.
    Heartbeat(Timestamp),
}

/// The id of a game: 128 random bits, written as 22 characters of base64url.
///
/// The id lets a client watch the game, but not play.
///
/// ```
/// use kalah_store::GameId;
/// let id = GameId::random();
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId([u8; RANDOM_BYTES]);

/// The regular expression of ids and tokens as text.
pub const ID_PATTERN: &str = "^[A-Za-z0-9_-]{22}$";

/// The error of parsing a [`GameId`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a game id, which has 22 letters, digits, `-` and `_`")]
pub struct ParseGameIdError(pub String);

impl GameId {
    /// Creates a random id.
    ///
    /// # Panics
    /// Panics if the operating system provides no randomness.
    pub fn random() -> Self {
        Self(random_bytes())
    }

    /// Returns the bits as bytes.
    pub const fn as_bytes(&self) -> &[u8; RANDOM_BYTES] {
        &self.0
    }
}

impl From<[u8; RANDOM_BYTES]> for GameId {
    fn from(bytes: [u8; RANDOM_BYTES]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&encode_base64url(&self.0))
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameId({self})")
    }
}

impl FromStr for GameId {
    type Err = ParseGameIdError;

    fn from_str(text: &str) -> Result<Self, ParseGameIdError> {
        decode_base64url(text)
            .map(Self)
            .ok_or_else(|| ParseGameIdError(text.to_owned()))
    }
}

/// The secret that lets a player move in a game: 128 random bits, written as 22 characters of
/// base64url.
///
/// It is sent to its player once. It has no `Display`, and its `Debug` hides the bits, so that no
/// log contains it.
///
/// ```
/// use kalah_store::PlayerToken;
/// let token = PlayerToken::random();
/// assert_eq!(format!("{token:?}"), "PlayerToken(..)");
/// assert!(PlayerToken::parse(&token.reveal()).expect("a token").hash().matches(&token));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct PlayerToken([u8; RANDOM_BYTES]);

impl PlayerToken {
    /// Creates a random token.
    ///
    /// # Panics
    /// Panics if the operating system provides no randomness.
    pub fn random() -> Self {
        Self(random_bytes())
    }

    /// Parses a token. The result carries no reason of failure, because an error message could
    /// quote most of a secret.
    pub fn parse(text: &str) -> Option<Self> {
        decode_base64url(text).map(Self)
    }

    /// Returns the text of the token, to be sent to its player.
    pub fn reveal(&self) -> String {
        encode_base64url(&self.0)
    }

    /// Returns the hash to store.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0).into())
    }
}

impl fmt::Debug for PlayerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlayerToken(..)")
    }
}

/// The SHA-256 of a [`PlayerToken`]. A token of 128 random bits cannot be recovered from it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenHash([u8; TokenHash::BYTES]);

impl TokenHash {
    /// The length of a hash in bytes.
    pub const BYTES: usize = 32;

    /// Whether this is the hash of `token`, compared in constant time.
    pub fn matches(&self, token: &PlayerToken) -> bool {
        self.0.ct_eq(&token.hash().0).into()
    }

    /// Returns the bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl From<[u8; TokenHash::BYTES]> for TokenHash {
    fn from(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(..)")
    }
}

/// The size of ids and tokens in bytes: 128 bits cannot be guessed.
const RANDOM_BYTES: usize = 16;

/// The length of ids and tokens in base64url.
const TEXT_LENGTH: usize = 22;

/// Returns random bytes.
///
/// # Panics
/// Panics if the operating system provides no randomness: ids and tokens would be guessable.
fn random_bytes() -> [u8; RANDOM_BYTES] {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).expect("a system with randomness");
    bytes
}

/// Encodes bytes as base64url without padding, which needs no escaping in URLs.
fn encode_base64url(bytes: &[u8; RANDOM_BYTES]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes the output of [`encode_base64url`]; returns `None` for any other text.
fn decode_base64url(text: &str) -> Option<[u8; RANDOM_BYTES]> {
    if text.len() != TEXT_LENGTH {
        return None;
    }
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_matches_only_its_own_token() {
        let (token, other) = (PlayerToken::random(), PlayerToken::random());
        assert!(token.hash().matches(&token));
        assert!(!token.hash().matches(&other));
        assert_eq!(PlayerToken::parse(&token.reveal()), Some(token));
    }

    #[test]
    fn debug_output_hides_tokens() {
        let token = PlayerToken::random();
        let printed = format!("{token:?} {:?} {:#?}", token.hash(), Some(&token));
        assert!(!printed.contains(&token.reveal()));
        assert_eq!(
            format!("{token:?} {:?}", token.hash()),
            "PlayerToken(..) TokenHash(..)"
        );
    }

    #[test]
    fn hash_is_sha_256() {
        // The SHA-256 of 16 zero bytes.
        let zero = PlayerToken::parse("AAAAAAAAAAAAAAAAAAAAAA").expect("sixteen zeros");
        let start = [0x37, 0x47, 0x08, 0xff, 0xf7, 0x71, 0x9d, 0xd5];
        assert_eq!(zero.hash().as_bytes()[..8], start);
    }

    #[test]
    fn only_encoded_text_decodes() {
        let bytes = random_bytes();
        assert_ne!(bytes, random_bytes());
        let text = encode_base64url(&bytes);
        assert_eq!(
            (text.len(), decode_base64url(&text)),
            (TEXT_LENGTH, Some(bytes))
        );
        for text in [
            "",
            "AAAA",
            "AAAAAAAAAAAAAAAAAAAAA=",
            "AAAAAAAAAAAAAAAAAAAAAB",
            "AAAAAAAAAAAAAAAAAAAA+A",
            "ÄÄÄÄÄÄÄÄÄÄÄ",
        ] {
            assert_eq!(decode_base64url(text), None, "{text}");
        }
    }
}
