use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::games::secret_text;

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
pub struct PlayerToken([u8; secret_text::BYTES]);

impl PlayerToken {
    /// A new one.
    ///
    /// # Panics
    /// If the system has no randomness to give.
    pub fn random() -> Self {
        Self(secret_text::random())
    }

    /// The token of a text, `None` if the text is none. What was wrong with it is not told, for a
    /// secret with one character missing is still nearly a secret.
    pub fn parse(text: &str) -> Option<Self> {
        secret_text::decode(text).map(Self)
    }

    /// The text, for the person to whom it belongs.
    pub fn reveal(&self) -> String {
        secret_text::encode(&self.0)
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
}
