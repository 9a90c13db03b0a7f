//! The operations of games between friends.

use kalah_store::ID_PATTERN;
use serde_json::{Value, json};

use crate::device_codes::{DeviceCodeRequest, DeviceCodeResponse};
use crate::games::messages::GameStateView;
use crate::games::new_game::{NewGameRequest, NewGameResponse};
use crate::games::routes::{EmptyRequest, NameRequest, OfferRequest, PlayMoveRequest};
use crate::games::seats::{JoinRequest, SeatResponse};
use crate::games::summaries::{SummariesRequest, SummariesResponse};
use crate::openapi::{ApiOperation, BODY_ERRORS, Schemas};
use crate::openings::{OpeningCountsRequest, OpeningCountsResponse};

const LIVE_DESCRIPTION: &str = "\
The client begins with `{\"type\":\"hello\",\"token\"?,\"since\"?}` and continues with \
`{\"type\":\"move\",\"ply\",\"move\"}`, `{\"type\":\"name\",\"name\"}`, `{\"type\":\"resign\"}`, \
`{\"type\":\"ping\"}`, `{\"type\":\"phrase\",\"phrase\"}`, \
`{\"type\":\"takeback\",\"action\"}` and `{\"type\":\"rematch\",\"action\"}`. The server sends `{\"type\":\"state\",\"state\"}`, `{\"type\":\"move\",\"ply\",\"result\",\"clock\"?}`, \
`{\"type\":\"pong\",\"plies\"?,\"clock\"?}`, `{\"type\":\"phrase\",\"side\",\"phrase\"}` and `{\"type\":\"problem\",\"problem\",\"ply\"?}`.";

/// The errors of operations on a game.
const GAME_ERRORS: [(&str, &str); 2] = [("403", "Forbidden"), ("404", "GameNotFound")];

/// A token in an example of a request.
pub(super) const EXAMPLE_TOKEN: &str = "AAAAAAAAAAAAAAAAAAAAAA";

/// Returns the operations of games between friends.
pub(super) fn game_paths(schemas: &mut Schemas) -> Value {
    let game = game_parameter();
    let token = json!([{"token": []}]);
    json!({
        "/api/v1/games": {"post": ApiOperation::new("create_game", "Creates a game between friends.")
            .with_errors(&BODY_ERRORS)
            .with_request(
                &schemas.request::<NewGameRequest>(),
                &json!({"side": "random", "clock": {"initial": "10m", "increment": "5s"}}),
            )
            .with_response("201", "The game.", &schemas.response::<NewGameResponse>())
            .with_header("201", "Location", "The address of the game.", &json!({"type": "string"}))},
        "/api/v1/games/{game}": {
            "parameters": game,
            "get": ApiOperation::new("game", "Returns the state of a game to a player or a spectator.")
                .with_security(json!([{}, {"token": []}]))
                .with_errors(&GAME_ERRORS)
                .with_response("200", "The state.", &schemas.response::<GameStateView>()),
        },
        "/api/v1/openings": {
            "post": ApiOperation::new(
                "openings",
                "Returns how often the finished games that both players share have a position, and with \
                 which results. A position with fewer than 3 games has none.",
            )
            .with_errors(&BODY_ERRORS)
            .with_errors(&[("409", "EngineHelpOff")])
            .with_request(
                &schemas.request::<OpeningCountsRequest>(),
                &json!({"rules": "standard", "position": "6x4"}),
            )
            .with_response("200", "The games.", &schemas.response::<OpeningCountsResponse>()),
        },
        "/api/v1/games/summaries": {
            "post": ApiOperation::new("summaries", "Returns summaries of the games of a player.")
                .with_errors(&BODY_ERRORS)
                .with_request(&schemas.request::<SummariesRequest>(), &json!({"games": []}))
                .with_response(
                    "200",
                    "The summaries, in the order of the request.",
                    &schemas.response::<SummariesResponse>(),
                ),
        },
        "/api/v1/games/{game}/plies": {
            "parameters": game,
            "post": game_command(schemas, "play_move", "Makes a move. A repeated request succeeds.")
                .with_security(token.clone())
                .with_request(
                    &schemas.request::<PlayMoveRequest>(),
                    &json!({"ply": 1, "move": "C"}),
                ),
        },
        "/api/v1/games/{game}/name": {
            "parameters": game,
            "post": game_command(schemas, "set_name", "Sets the name of the player.")
                .with_security(token.clone())
                .with_request(&schemas.request::<NameRequest>(), &json!({"name": "Ann"})),
        },
        "/api/v1/games/{game}/resign": {
            "parameters": game,
            "post": game_command(schemas, "resign", "Resigns the game.")
                .with_security(token.clone())
                .with_request(&schemas.request::<EmptyRequest>(), &json!({})),
        },
        "/api/v1/games/{game}/takeback": {
            "parameters": game,
            "post": game_command(
                schemas,
                "takeback",
                "Acts on the offer to take back the last ply of the player who makes the offer, and \
                 all plies after it. The offer ends with the next ply.",
            )
            .with_security(token.clone())
            .with_request(&schemas.request::<OfferRequest>(), &json!({"action": "offer"})),
        },
        "/api/v1/games/{game}/rematch": {
            "parameters": game,
            "post": game_command(
                schemas,
                "rematch",
                "Acts on the offer of another game with exchanged sides. It starts when the other \
                 player accepts the offer, and the tokens stay the same.",
            )
            .with_security(token)
            .with_request(&schemas.request::<OfferRequest>(), &json!({"action": "offer"})),
        },
        "/api/v1/games/{game}/live": {
            "parameters": game,
            "get": ApiOperation::new("live", "Opens a WebSocket to play or watch a game.")
                .with_description(LIVE_DESCRIPTION)
                .with_errors(&GAME_ERRORS)
                .with_errors(&[("400", "NoWebSocket"), ("426", "UpgradeRequired")])
                .with_response("101", "The WebSocket begins.", &Value::Null),
        },
    })
}

/// Returns the operations on the seats of a game.
pub(super) fn seat_paths(schemas: &mut Schemas) -> Value {
    let game = game_parameter();
    json!({
        "/api/v1/games/{game}/join": {
            "parameters": game,
            "post": game_command(schemas, "join", "Takes the free seat. A repeated request succeeds.")
                .with_request(
                    &schemas.request::<JoinRequest>(),
                    &json!({"token": EXAMPLE_TOKEN, "name": "Bob"}),
                ),
        },
        "/api/v1/games/{game}/seat-code": {
            "parameters": game,
            "post": ApiOperation::new(
                "create_seat_code",
                "Creates a code with which another device of the player gets the player's token.",
            )
            .with_security(json!([{"token": []}]))
            .with_errors(&BODY_ERRORS)
            .with_errors(&GAME_ERRORS)
            .with_request(&schemas.request::<EmptyRequest>(), &json!({}))
            .with_response("200", "The code.", &schemas.response::<DeviceCodeResponse>()),
        },
        "/api/v1/games/{game}/seat": {
            "parameters": game,
            "post": ApiOperation::new("take_seat", "Returns the token that a code gives away, once.")
                .with_errors(&BODY_ERRORS)
                .with_errors(&GAME_ERRORS)
                .with_request(
                    &schemas.request::<DeviceCodeRequest>(),
                    &json!({"code": EXAMPLE_TOKEN}),
                )
                .with_response("200", "The token.", &schemas.response::<SeatResponse>()),
        },
    })
}

/// Returns the parameter of paths of one game.
fn game_parameter() -> Value {
    json!([{
        "name": "game",
        "in": "path",
        "required": true,
        "description": "The id of the game: 128 random bits.",
        "schema": {"type": "string", "pattern": ID_PATTERN},
    }])
}

fn game_command(schemas: &mut Schemas, id: &str, summary: &str) -> ApiOperation {
    ApiOperation::new(id, summary)
        .with_errors(&BODY_ERRORS)
        .with_errors(&GAME_ERRORS)
        .with_errors(&[("409", "Conflict"), ("400", "InvalidJson")])
        .with_response(
            "200",
            "The state after the request.",
            &schemas.response::<GameStateView>(),
        )
}
