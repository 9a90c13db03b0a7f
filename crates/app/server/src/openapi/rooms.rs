//! The operations of rooms.

use kalah_store::ROOM_CODE_PATTERN;
use serde_json::{Value, json};

use crate::device_codes::{DeviceCodeRequest, DeviceCodeResponse};
use crate::games::routes::EmptyRequest;
use crate::openapi::games::EXAMPLE_TOKEN;
use crate::openapi::{ApiOperation, BODY_ERRORS, Schemas};
use crate::openings::{OpeningCountsRequest, OpeningCountsResponse};
use crate::rooms::commands::RoomCommandRequest;
use crate::rooms::leader_device::LeaderResponse;
use crate::rooms::messages::RoomStateView;
use crate::rooms::new_room::{NewRoomRequest, NewRoomResponse};
use crate::rooms::results::ResultsFormat;
use crate::rooms::routes::{CommandResponse, EnterRequest, EnterResponse};
use crate::rooms::state::standings::StandingsView;

const LIVE_DESCRIPTION: &str = "\
The client begins with `{\"type\":\"hello\",\"token\"?,\"leader\"?,\"boards\"?}` and continues with \
`{\"type\":\"ping\"}`. The server sends `{\"type\":\"state\",\"state\"}`, then \
`{\"type\":\"update\",\"revision\",\"standings_revision\",\"room\"?,\"members\"?,\"games\"?,\
\"challenges\"?}` with the changes, at most twice a second, and `{\"type\":\"pong\"}` and \
`{\"type\":\"problem\",\"problem\"}`.";

/// The errors of operations on a room.
const ROOM_ERRORS: [(&str, &str); 2] = [("403", "Forbidden"), ("404", "RoomNotFound")];

/// Returns the operations of rooms.
pub(super) fn room_paths(schemas: &mut Schemas) -> Value {
    let room = room_parameter();
    json!({
        "/api/v1/rooms": {"post": ApiOperation::new("create_room", "Creates a room.")
            .with_errors(&BODY_ERRORS)
            .with_errors(&[("503", "ShuttingDown")])
            .with_request(
                &schemas.request::<NewRoomRequest>(),
                &json!({"name": "Class 7b", "format": "swiss"}),
            )
            .with_response("201", "The room.", &schemas.response::<NewRoomResponse>())
            .with_header("201", "Location", "The address of the room.", &json!({"type": "string"}))},
        "/api/v1/rooms/{room}": {
            "parameters": room,
            "get": ApiOperation::new("room", "Returns the state of a room.")
                .with_security(json!([{}, {"token": []}]))
                .with_errors(&ROOM_ERRORS)
                .with_response("200", "The state.", &schemas.response::<RoomStateView>()),
        },
        "/api/v1/rooms/{room}/enter": {
            "parameters": room,
            "post": ApiOperation::new("enter_room", "Enters a room. A repeated request succeeds.")
                .with_errors(&BODY_ERRORS)
                .with_errors(&ROOM_ERRORS)
                .with_errors(&[("409", "RoomConflict")])
                .with_request(
                    &schemas.request::<EnterRequest>(),
                    &json!({"token": EXAMPLE_TOKEN, "name": "Bob"}),
                )
                .with_response("200", "The member.", &schemas.response::<EnterResponse>()),
        },
        "/api/v1/rooms/{room}/commands": {
            "parameters": room,
            "post": ApiOperation::new(
                "room_command",
                "Executes a command of the leader or of a member.",
            )
            .with_security(json!([{"token": []}]))
            .with_errors(&BODY_ERRORS)
            .with_errors(&ROOM_ERRORS)
            .with_errors(&[("409", "RoomConflict")])
            .with_request(
                &schemas.request::<RoomCommandRequest>(),
                &json!({"command": "start-round", "void_running": false}),
            )
            .with_response("200", "It is executed.", &schemas.response::<CommandResponse>()),
        },
        "/api/v1/rooms/{room}/standings": {
            "parameters": room,
            "get": ApiOperation::new("standings", "Returns the standings of a room.")
                .with_security(json!([{}, {"token": []}]))
                .with_errors(&ROOM_ERRORS)
                .with_response("200", "The standings.", &schemas.response::<StandingsView>()),
        },
        "/api/v1/rooms/{room}/openings": {
            "parameters": room,
            "post": ApiOperation::new(
                "room_openings",
                "Returns how often the finished games of a room have a position, and with which results.",
            )
            .with_security(json!([{}, {"token": []}]))
            .with_errors(&BODY_ERRORS)
            .with_errors(&ROOM_ERRORS)
            .with_errors(&[("409", "EngineHelpOff")])
            .with_request(
                &schemas.request::<OpeningCountsRequest>(),
                &json!({"rules": "standard", "position": "6x4"}),
            )
            .with_response("200", "The games.", &schemas.response::<OpeningCountsResponse>()),
        },
        "/api/v1/rooms/{room}/results": {
            "parameters": room,
            "get": results_operation(),
        },
        "/api/v1/rooms/{room}/live": {
            "parameters": room,
            "get": ApiOperation::new("room_live", "Opens a WebSocket to follow a room.")
                .with_description(LIVE_DESCRIPTION)
                .with_errors(&ROOM_ERRORS)
                .with_errors(&[("400", "NoWebSocket"), ("426", "UpgradeRequired")])
                .with_response("101", "The WebSocket begins.", &Value::Null),
        },
    })
}

/// Returns the operations with which a leader goes on with another device.
pub(super) fn leader_paths(schemas: &mut Schemas) -> Value {
    let room = room_parameter();
    json!({
        "/api/v1/rooms/{room}/leader-code": {
            "parameters": room,
            "post": ApiOperation::new(
                "create_leader_code",
                "Creates a code with which another device of the leader gets the leader's token.",
            )
            .with_security(json!([{"token": []}]))
            .with_errors(&BODY_ERRORS)
            .with_errors(&ROOM_ERRORS)
            .with_request(&schemas.request::<EmptyRequest>(), &json!({}))
            .with_response("200", "The code.", &schemas.response::<DeviceCodeResponse>()),
        },
        "/api/v1/rooms/{room}/leader": {
            "parameters": room,
            "post": ApiOperation::new(
                "take_leader_token",
                "Returns the leader's token that a code gives away, once.",
            )
            .with_errors(&BODY_ERRORS)
            .with_errors(&ROOM_ERRORS)
            .with_request(
                &schemas.request::<DeviceCodeRequest>(),
                &json!({"code": EXAMPLE_TOKEN}),
            )
            .with_response("200", "The token.", &schemas.response::<LeaderResponse>()),
        },
    })
}

fn results_operation() -> Value {
    let names = ResultsFormat::ALL.map(ResultsFormat::names);
    let words: Vec<_> = names.iter().map(|(word, ..)| word).collect();
    let mut operation = ApiOperation::new("results", "Returns the results of a room as a file.")
        .with_errors(&ROOM_ERRORS)
        .with_errors(&[("422", "InvalidQuery")]);
    operation.0["parameters"] = json!([{
        "name": "format",
        "in": "query",
        "required": true,
        "description": "All as JSON, the standings or the games as a table, the games as records, \
                        or a report.",
        "schema": {"type": "string", "enum": words},
    }]);
    let mut content = json!({});
    for (.., content_type) in names {
        let media_type = content_type.split(';').next().unwrap_or_default();
        let is_json = media_type == "application/json";
        let schema = if is_json { "object" } else { "string" };
        content[media_type] = json!({"schema": {"type": schema}});
    }
    operation.0["responses"]["200"] = json!({
        "description": "The file.",
        "content": content,
        "headers": {
            "Content-Disposition": {
                "description": "The name of the file.",
                "schema": {"type": "string"},
            },
        },
    });
    operation.0
}

/// Returns the parameter of paths of one room.
fn room_parameter() -> Value {
    json!([{
        "name": "room",
        "in": "path",
        "required": true,
        "description": "The code of the room, in any case, with or without spaces and dashes.",
        "schema": {"type": "string", "pattern": ROOM_CODE_PATTERN},
    }])
}
