//! The request for a new room, and its response.

use kalah::Quoted;
use kalah_api::{JsonObject, RequestError};
use kalah_store::{ID_PATTERN, ROOM_CODE_PATTERN, RoomSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::games::new_game::ClockRequest;
use crate::http::error::ProblemResponse;
use crate::rooms::commands::parse_member_name;
use crate::rooms::messages::{RoomFormatView, RoomStateView};
use crate::rooms::state::pairing::has_openings;

/// The most random plies of openings.
const MAX_OPENING_PLIES: u8 = 6;

/// The body of `POST /api/v1/rooms`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRoomRequest {
    /// The name: 1 to 24 characters without control and formatting characters.
    #[schemars(example = &"Class 7b")]
    name: String,
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    rules: Option<String>,
    /// The position; `6x4` by default.
    #[schemars(example = &"6x4")]
    position: Option<String>,
    /// The clock of both players; none by default.
    #[schemars(with = "Option<ClockRequest>")]
    clock: Option<JsonObject<ClockRequest>>,
    /// The rule by which the members are paired; `free` by default.
    #[serde(default)]
    format: RoomFormatView,
    /// The number of games of a pairing, with exchanged sides; 1 by default.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 2))]
    games_per_pairing: u8,
    /// The number of random plies with which all games of a round begin, at most 6; none by
    /// default. Only with two games of a pairing, because such a beginning may favour a side.
    #[serde(default)]
    #[schemars(range(min = 0, max = MAX_OPENING_PLIES))]
    opening_plies: u8,
    /// Whether players may use hints, scores and analyses during their games.
    #[serde(default)]
    engine_help: bool,
}

/// The response of `POST /api/v1/rooms`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NewRoomResponse {
    /// The code of the room.
    #[schemars(regex(pattern = ROOM_CODE_PATTERN))]
    pub(super) code: String,
    /// The token of the leader.
    #[schemars(regex(pattern = ID_PATTERN))]
    pub(super) leader_token: String,
    /// The state of the room.
    pub(super) state: RoomStateView,
}

const fn one() -> u8 {
    1
}

impl NewRoomRequest {
    /// Returns the settings of the room. `seed` is that of its random choices.
    ///
    /// # Errors
    /// Returns the first invalid field.
    pub(super) fn settings(self, seed: u64) -> Result<RoomSettings, ProblemResponse> {
        let start = kalah_api::parse_position(self.rules.as_deref(), self.position.as_deref())?;
        if start.is_over() {
            let typed = self.position.unwrap_or_default();
            return Err(RequestError::StartIsOver(typed).into());
        }
        if !(1..=2).contains(&self.games_per_pairing) {
            return Err(not_allowed(
                "a pairing has one game or two",
                self.games_per_pairing,
            ));
        }
        if self.opening_plies > MAX_OPENING_PLIES {
            let reason = format!("an opening has at most {MAX_OPENING_PLIES} random plies");
            return Err(not_allowed(&reason, self.opening_plies));
        }
        if self.opening_plies > 0 && self.games_per_pairing == 1 {
            return Err(ProblemResponse::unprocessable(
                "`opening_plies` needs two games of a pairing, because an opening may favour a side",
            ));
        }
        if !has_openings(&start, self.opening_plies) {
            return Err(not_allowed(
                "games on this board are over after this number of random plies",
                self.opening_plies,
            ));
        }
        let clock = self.clock.map(|JsonObject(clock)| clock.parse());
        Ok(RoomSettings {
            name: parse_member_name(&self.name)?,
            rules: start.rules().to_string(),
            start: start.to_string(),
            clock: clock.transpose()?,
            format: self.format.into(),
            games_per_pairing: self.games_per_pairing,
            opening_plies: self.opening_plies,
            engine_help: self.engine_help,
            seed,
        })
    }
}

fn not_allowed(reason: &str, number: u8) -> ProblemResponse {
    let number = number.to_string();
    ProblemResponse::unprocessable(format!("{reason}, not {}", Quoted::literal(&number)))
}
