use kalah::{Player as _, Position};
use kalah_engine::{Decision, LevelNumber, LevelPlayer};
use kalah_players::{PlayerKind, PlayerSpec};
use serde::{Deserialize, Serialize};

use crate::thinker::ClockFn;
use crate::{Analyst, BoundsView, RequestError, start};

/// What does this opponent do? The question `choose`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChooseRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
    /// `level:1` to `level:10`, or `perfect`.
    pub opponent: String,
    /// What the mistakes of levels follow from: the same seed makes the same ones. 0 if missing.
    #[serde(default)]
    pub seed: u64,
    /// Such as `500ms`; five seconds if missing. Only `perfect` and `level:10` take any.
    pub time: Option<String>,
}

/// What an opponent does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChooseResponse {
    /// Its choice.
    #[serde(rename = "choice")]
    pub mv: String,
    /// What it has proven of the margin of that choice; levels prove nothing.
    #[serde(rename = "proven")]
    pub bounds: Option<BoundsView>,
    /// Whether it has proven that no other choice gains more.
    #[serde(rename = "best")]
    pub is_best: bool,
}

/// Parses an opponent: `level:1` to `level:10`, or `perfect`, which is the player `smart`.
fn parse_opponent(text: &str) -> Result<PlayerSpec, RequestError> {
    if text == "perfect" {
        return Ok(PlayerSpec::SMART);
    }
    text.strip_prefix("level:")
        .and_then(|text| LevelNumber::all().find(|level| level.to_string() == text))
        .map(|number| PlayerSpec {
            kind: PlayerKind::Level { number },
            time_limit: None,
        })
        .ok_or_else(|| RequestError::UnknownOpponent(text.to_owned()))
}

impl ChooseRequest {
    /// What is asked about.
    ///
    /// # Errors
    /// Why there is no such position.
    pub fn position(&self) -> Result<Position, RequestError> {
        start::parse_position(self.rules.as_deref(), self.position.as_deref())
    }

    /// Whether the opponent takes the time that it is given: the others choose at once.
    ///
    /// # Errors
    /// That there is no such opponent.
    pub fn uses_time_limit(&self) -> Result<bool, RequestError> {
        parse_opponent(&self.opponent).map(PlayerSpec::uses_clock)
    }

    /// What the opponent does.
    ///
    /// # Errors
    /// Why there is no such position or opponent or not so much time, or that the game is over.
    pub fn execute(&self, thinker: &mut Analyst) -> Result<ChooseResponse, RequestError> {
        let position = self.position()?;
        let opponent = parse_opponent(&self.opponent)?;
        let time = thinker.resolve_time_limit(self.time.as_deref())?;
        let chosen = match opponent.kind {
            PlayerKind::Level { number } if !opponent.uses_clock() => {
                let clock = ClockFn::clone(thinker.engine_and_clock().1);
                let mut level = LevelPlayer::new("Level", number, self.seed, move || clock());
                let mv = level.choose_move(&position, time);
                mv.map(|mv| Decision {
                    mv,
                    bounds: None,
                    is_best: false,
                })
            }
            // The highest level and `perfect` search under the clock.
            _ => thinker.smart().decide(&position, time),
        };
        let decision = chosen.ok_or(RequestError::GameOver)?;
        Ok(ChooseResponse {
            mv: decision.mv.text(position.to_move()),
            bounds: decision.bounds.map(BoundsView::from),
            is_best: decision.is_best,
        })
    }
}
