use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::games::secret_text;

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
pub struct GameId([u8; secret_text::BYTES]);

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
        Self(secret_text::random())
    }

    /// The same bits as bytes.
    pub const fn as_bytes(&self) -> &[u8; secret_text::BYTES] {
        &self.0
    }
}

impl From<[u8; secret_text::BYTES]> for GameId {
    fn from(bytes: [u8; secret_text::BYTES]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&secret_text::encode(&self.0))
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
        secret_text::decode(text)
            .map(Self)
            .ok_or_else(|| ParseGameIdError(text.to_owned()))
    }
}
