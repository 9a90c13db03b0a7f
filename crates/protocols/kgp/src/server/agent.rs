//! The agents of a server: their identity, and the texts that they show.

use std::fmt::{self, Write as _};

use kalah_players::escape_truncated;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The identity of an agent, by which its games are added up over its connections and over the
/// processes that use the same folder of records.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AgentKey {
    /// A player of the server, by its spec.
    Builtin(String),
    /// A client with an `auth:token`, by [`TokenSalt::hash`].
    Token(String),
    /// A client without a token, by the name that is shown.
    Name(String),
    /// A client with neither, by the number of its connection.
    Client(u64),
}

/// An agent and its texts, which have at most 60 characters and no control characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgentProfile {
    pub(crate) key: AgentKey,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) authors: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
}

impl AgentProfile {
    /// Returns the profile of an agent with texts that may be of any kind.
    pub(crate) fn new(
        key: AgentKey,
        name: &str,
        authors: Option<&str>,
        description: Option<&str>,
    ) -> Self {
        Self {
            key,
            name: escape_truncated(name),
            authors: authors.map(escape_truncated),
            description: description.map(escape_truncated),
        }
    }
}

/// The size of a salt in bytes: 128 bits cannot be guessed.
const SALT_BYTES: usize = 16;

/// A secret with which tokens are hashed, so that no file contains them, and a hash tells nothing
/// without the secret.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenSalt([u8; SALT_BYTES]);

impl TokenSalt {
    /// Creates a random salt.
    ///
    /// # Panics
    /// Panics if the operating system provides no randomness.
    pub(crate) fn random() -> Self {
        let mut bytes = [0; SALT_BYTES];
        getrandom::fill(&mut bytes).expect("a system with randomness");
        Self(bytes)
    }

    /// Returns the SHA-256 of the salt and a token in hexadecimal digits.
    pub(crate) fn hash(self, token: &str) -> String {
        let digest = Sha256::new()
            .chain_update(self.0)
            .chain_update(token)
            .finalize();
        digest.iter().fold(String::new(), |mut text, byte| {
            // A string accepts all text.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl fmt::Debug for TokenSalt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSalt(..)")
    }
}
