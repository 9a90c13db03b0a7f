//! Codes with which a person goes on with another device: as the player of a game, or as the leader
//! of a room.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kalah_store::{ID_PATTERN, PlayerToken, Timestamp, TokenHash};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The time in which a code has to be used.
const CODE_LIFETIME: Duration = Duration::from_mins(15);

/// The most codes at the same time. Beyond, the oldest are forgotten.
const MAX_CODES: usize = 10_000;

/// The response of requests that create a code.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DeviceCodeResponse {
    /// The code, which gives the token of the request to one other client.
    #[schemars(regex(pattern = ID_PATTERN))]
    code: String,
    /// The time in which the code has to be used, in seconds.
    expires_in_s: u64,
}

/// The body of requests that use a code. It has no `Debug`, because it contains one.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeviceCodeRequest {
    /// The code.
    #[schemars(regex(pattern = ID_PATTERN))]
    pub(crate) code: String,
}

/// A secret that gives a token to another device, once: 128 random bits.
#[derive(Debug)]
pub(crate) struct DeviceCode(PlayerToken);

/// The codes that give a token to another device of its owner, once. `T` names the game or the room
/// of the token. They are in memory only, because tokens are nowhere else on the server.
#[derive(Debug)]
pub(crate) struct DeviceCodes<T>(Mutex<HashMap<[u8; TokenHash::BYTES], CodedToken<T>>>);

/// A token that a code gives away.
#[derive(Debug)]
struct CodedToken<T> {
    /// The game or the room of the token.
    subject: T,
    token: PlayerToken,
    expiry: Timestamp,
}

impl DeviceCode {
    /// Returns the code with this text; `None` if no code has it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        PlayerToken::parse(text).map(Self)
    }
}

impl From<DeviceCode> for DeviceCodeResponse {
    fn from(DeviceCode(code): DeviceCode) -> Self {
        Self {
            code: code.reveal(),
            expires_in_s: CODE_LIFETIME.as_secs(),
        }
    }
}

impl<T> Default for DeviceCodes<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: PartialEq> DeviceCodes<T> {
    /// Creates a code for a token, which replaces an earlier one.
    pub(crate) fn create(&self, subject: T, token: PlayerToken, now: Timestamp) -> DeviceCode {
        let code = DeviceCode(PlayerToken::random());
        let entry = CodedToken {
            subject,
            token,
            expiry: now.saturating_add(CODE_LIFETIME),
        };
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|_, other| {
            let is_same = other.subject == entry.subject && other.token == entry.token;
            other.expiry > now && !is_same
        });
        if codes.len() >= MAX_CODES {
            let oldest = codes.iter().min_by_key(|(_, other)| other.expiry);
            if let Some(oldest) = oldest.map(|(&code, _)| code) {
                codes.remove(&oldest);
            }
        }
        codes.insert(*code.0.hash().as_bytes(), entry);
        code
    }

    /// Returns the token that a code of this game or room gives away, and forgets the code.
    pub(crate) fn take(
        &self,
        subject: &T,
        code: &DeviceCode,
        now: Timestamp,
    ) -> Option<PlayerToken> {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let code = code.0.hash();
        let known = codes.get(code.as_bytes());
        known.filter(|coded| coded.subject == *subject)?;
        let entry = codes.remove(code.as_bytes())?;
        (entry.expiry > now).then_some(entry.token)
    }
}

#[cfg(test)]
mod tests {
    use kalah_store::GameId;

    use super::*;

    #[test]
    fn code_gives_its_token_once_in_its_game_and_in_time() {
        let codes = DeviceCodes::default();
        let at = Timestamp::from_millis;
        let (game, token) = (GameId::random(), PlayerToken::random());
        let code = codes.create(game, token.clone(), at(0));
        assert_eq!(codes.take(&GameId::random(), &code, at(1)), None);
        assert_eq!(
            codes.take(&game, &DeviceCode(PlayerToken::random()), at(1)),
            None
        );
        assert_eq!(codes.take(&game, &code, at(1)), Some(token.clone()));
        assert_eq!(codes.take(&game, &code, at(1)), None);
        let late = codes.create(game, token, at(0));
        assert_eq!(
            codes.take(&game, &late, at(0).saturating_add(CODE_LIFETIME)),
            None
        );
    }

    #[test]
    fn code_replaces_the_earlier_one_of_its_token() {
        let codes = DeviceCodes::default();
        let at = Timestamp::from_millis;
        let (game, token) = (GameId::random(), PlayerToken::random());
        let first = codes.create(game, token.clone(), at(0));
        let other = codes.create(game, PlayerToken::random(), at(0));
        let second = codes.create(game, token.clone(), at(0));
        assert_eq!(codes.take(&game, &first, at(1)), None);
        assert_eq!(codes.take(&game, &second, at(1)), Some(token));
        assert!(codes.take(&game, &other, at(1)).is_some());
    }

    #[test]
    fn oldest_codes_are_forgotten() {
        let codes = DeviceCodes::default();
        let at = Timestamp::from_millis;
        let game = GameId::random();
        let times = (0..).take(MAX_CODES + 1);
        let all: Vec<_> = times
            .map(|time| codes.create(game, PlayerToken::random(), at(time)))
            .collect();
        let now = at(i64::try_from(MAX_CODES).expect("a small number"));
        assert_eq!(codes.take(&game, &all[0], now), None);
        assert!(codes.take(&game, &all[1], now).is_some());
    }
}
