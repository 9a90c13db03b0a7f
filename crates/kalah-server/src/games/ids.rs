//! Identifiers of games and players, and the secret tokens of players.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kalah::{BySide, Side};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

/// Which game: 128 random bits, as 22 characters of base64url in text.
///
/// Whoever knows it may watch the game, and no more.
///
/// ```
/// use kalah_server::games::GameId;
/// let id = GameId::random();
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId([u8; RANDOM_BYTES]);

/// A text that names no game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not the name of a game, which has 22 letters, digits, `-` and `_`")]
pub struct ParseGameIdError(pub String);

impl GameId {
    /// One that no other game has.
    ///
    /// # Panics
    /// If the system has no randomness to give.
    pub fn random() -> Self {
        Self(random_bytes())
    }

    /// The same bits as bytes.
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

/// The right to move for one person in one game: 128 random bits, as 22 characters of base64url in
/// text.
///
/// It is shown to its person once. Nothing prints it by accident: it has no `Display`, and its
/// `Debug` does not tell.
///
/// ```
/// use kalah_server::games::PlayerToken;
/// let token = PlayerToken::random();
/// assert_eq!(format!("{token:?}"), "PlayerToken(..)");
/// assert!(PlayerToken::parse(&token.reveal()).expect("what was written").hash().matches(&token));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct PlayerToken([u8; RANDOM_BYTES]);

impl PlayerToken {
    /// A new one.
    ///
    /// # Panics
    /// If the system has no randomness to give.
    pub fn random() -> Self {
        Self(random_bytes())
    }

    /// The token of a text, `None` if the text is none. What was wrong with it is not told, for a
    /// secret with one character missing is still nearly a secret.
    pub fn parse(text: &str) -> Option<Self> {
        decode_base64url(text).map(Self)
    }

    /// The text, for the person to whom it belongs.
    pub fn reveal(&self) -> String {
        encode_base64url(&self.0)
    }

    /// What is kept of it.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0).into())
    }
}

impl fmt::Debug for PlayerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlayerToken(..)")
    }
}

/// What is kept of a [`PlayerToken`]: its SHA-256. The token cannot be told from it, having 128 random
/// bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenHash([u8; TokenHash::BYTES]);

impl TokenHash {
    /// How long it is.
    pub const BYTES: usize = 32;

    /// Whether it is this token's, found in a time that does not depend on either.
    pub fn matches(&self, token: &PlayerToken) -> bool {
        self.0.ct_eq(&token.hash().0).into()
    }

    /// The same as bytes.
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

/// One of the two people of a game, named by the side on which they began.
///
/// Where they sit changes with a swap; who they are, their token and their clock do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId {
    /// Where they sat when the game began.
    pub started_as: Side,
}

impl PlayerId {
    /// Both, the one that began as South first.
    pub const ALL: [Self; 2] = [Self::new(Side::South), Self::new(Side::North)];

    /// The person who began on `side`.
    pub const fn new(started_as: Side) -> Self {
        Self { started_as }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        Self::new(self.started_as.opponent())
    }

    /// Where they sit in a game in which the people have exchanged seats, or have not.
    pub const fn side(self, swapped: bool) -> Side {
        if swapped {
            self.started_as.opponent()
        } else {
            self.started_as
        }
    }

    /// Who sits on `side` in a game in which the people have exchanged seats, or have not.
    pub const fn at_side(side: Side, swapped: bool) -> Self {
        if swapped {
            Self::new(side.opponent())
        } else {
            Self::new(side)
        }
    }
}

/// One value for each person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByPlayer<T>(BySide<T>);

impl<T> ByPlayer<T> {
    /// The value of who began as South, then of who began as North.
    pub const fn new(south: T, north: T) -> Self {
        Self(BySide::new(south, north))
    }

    /// What `make` returns for each person.
    pub fn from_fn(mut make: impl FnMut(PlayerId) -> T) -> Self {
        Self(BySide::from_fn(|side| make(PlayerId::new(side))))
    }

    /// The person's value.
    pub fn get(&self, person: PlayerId) -> &T {
        &self.0[person.started_as]
    }

    /// The person's value, to change.
    pub fn get_mut(&mut self, person: PlayerId) -> &mut T {
        &mut self.0[person.started_as]
    }
}

impl<T: Copy> ByPlayer<T> {
    /// The values by where the people sit in a game in which they have exchanged seats, or have not.
    pub fn by_side(&self, swapped: bool) -> BySide<T> {
        if swapped { self.0.swapped() } else { self.0 }
    }
}

/// Bytes of an identity or a secret: 128 bits, which nobody guesses.
const RANDOM_BYTES: usize = 16;

/// Characters of the same as text.
const TEXT_LENGTH: usize = 22;

/// New random bytes.
///
/// # Panics
/// If the system has no randomness to give: then no game can be made that is safe from others.
fn random_bytes() -> [u8; RANDOM_BYTES] {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).expect("a system with randomness");
    bytes
}

/// The bytes as text that can stand in an address: base64url without padding.
fn encode_base64url(bytes: &[u8; RANDOM_BYTES]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of a text made by [`write`], `None` for any other text.
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
    fn a_token_opens_its_own_lock_only() {
        let (token, other) = (PlayerToken::random(), PlayerToken::random());
        assert!(token.hash().matches(&token));
        assert!(!token.hash().matches(&other));
        assert_eq!(PlayerToken::parse(&token.reveal()), Some(token));
    }

    #[test]
    fn nothing_prints_a_token() {
        let token = PlayerToken::random();
        let printed = format!("{token:?} {:?} {:#?}", token.hash(), Some(&token));
        assert!(!printed.contains(&token.reveal()));
        assert_eq!(
            format!("{token:?} {:?}", token.hash()),
            "PlayerToken(..) TokenHash(..)"
        );
    }

    #[test]
    fn what_is_kept_is_sha_256() {
        // The digest of sixteen zero bytes.
        let zero = PlayerToken::parse("AAAAAAAAAAAAAAAAAAAAAA").expect("sixteen zeros");
        let start = [0x37, 0x47, 0x08, 0xff, 0xf7, 0x71, 0x9d, 0xd5];
        assert_eq!(zero.hash().as_bytes()[..8], start);
    }

    #[test]
    fn what_is_written_reads_back_and_nothing_else_does() {
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
