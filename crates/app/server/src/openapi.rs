//! The description of the API in the format `OpenAPI`, generated from the types of requests and
//! responses.

mod games;
mod rooms;
mod sharing;

use std::sync::LazyLock;

use kalah_api::{
    AnalyzeRequest, AnalyzeResponse, BodySize, Endpoint, EndpointVisitor, Execution, ProblemKind,
    visit_endpoints,
};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::http::endpoints;
use crate::http::error::ProblemResponse;
use crate::http::network::NetworkResponse;
use crate::http::search_stream::QueuedView;

/// The description as indented JSON, the response to `GET /api/v1/openapi.json`.
pub(crate) static OPENAPI_JSON: LazyLock<String> = LazyLock::new(|| {
    // All keys are strings, so serialization cannot fail.
    let mut text = serde_json::to_string_pretty(&openapi())
        .unwrap_or_else(|error| unreachable!("the description is serializable: {error}"));
    text.push('\n');
    text
});

/// Returns the description in `OpenAPI` 3.1.
pub fn openapi() -> Value {
    let mut schemas = Schemas::new();
    let paths = paths(&mut schemas);
    let responses = error_responses(&mut schemas);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Kalah",
            "version": "1",
            "summary": "Positions, moves, analyses, records and games of Kalah.",
            "description": DESCRIPTION,
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "The server of this file."}],
        "security": [],
        "paths": paths,
        "components": {
            "schemas": schemas.into_definitions(),
            "responses": responses,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of a player in one game.",
                },
            },
        },
    })
}

const DESCRIPTION: &str = "\
The response to a rejected request is a problem document (RFC 9457). Its `type` is the address of an \
explanation, or `about:blank`. An unknown path has status 404, and a method that a path does not \
have 405. An invalid HTTP head, or one with more than 16 KiB or 100 fields, gets status 400 or 431 \
without a document. Bodies have at most 16 KiB; those of `read`, `write`, `review` and `count` have at most \
256 KiB. \
Searches respond with server-sent events, as `analyses` does, if `Accept` contains `text/event-stream`. \
Every response has a number in `X-Request-Id`.";

const ANALYSES_DESCRIPTION: &str = "\
The response consists of server-sent events, whose data are JSON objects: `queued` while the \
analysis waits for an engine, `snapshot` for every result so far, and finally `done` or `problem`. \
A slow client misses snapshots. The analysis stops when the client closes the connection.";

/// Returns the operations of all routes.
fn paths(schemas: &mut Schemas) -> Value {
    let groups = [
        service_paths(schemas),
        request_paths(schemas),
        games::game_paths(schemas),
        games::seat_paths(schemas),
        rooms::room_paths(schemas),
        rooms::leader_paths(schemas),
        sharing::sharing_paths(schemas),
    ];
    let paths = groups.into_iter().filter_map(|group| match group {
        Value::Object(paths) => Some(paths),
        _ => None,
    });
    Value::Object(paths.flatten().collect())
}

/// Returns the operations that describe the server and the API.
fn service_paths(schemas: &mut Schemas) -> Value {
    let kinds: Vec<&str> = ProblemKind::ALL.iter().map(|kind| kind.name()).collect();
    let kind = json!([{
        "name": "kind",
        "in": "path",
        "required": true,
        "description": "The kind of problem: the last part of the `type` of a problem document.",
        "schema": {"type": "string", "enum": kinds},
    }]);
    json!({
        "/healthz": {"get": ApiOperation::new("health", "Reports whether the server accepts requests.")
            .with_text("text/plain", "The server accepts requests.")},
        "/metrics": {"get": ApiOperation::new("metrics", "Returns the metrics for Prometheus.")
            .with_text("application/openmetrics-text", "The metrics.")},
        "/problems/{kind}": {
            "parameters": kind,
            "get": ApiOperation::new("problem", "Explains a kind of problem.")
                .with_text("text/plain", "The title and the explanation.")
                .with_errors(&[("404", "NotFound")]),
        },
        "/api/v1/network": {"get": ApiOperation::new("network", "Returns the addresses of the server in its network.")
            .with_response("200", "The addresses.", &schemas.response::<NetworkResponse>())},
        "/api/v1/openapi.json": {"get": ApiOperation::new("description", "Returns this description.")
            .with_response("200", "An OpenAPI document.", &json!({"type": "object"}))},
    })
}

/// Returns the operations about positions and games, which keep no state.
fn request_paths(schemas: &mut Schemas) -> Value {
    let mut operations = EndpointOperations {
        paths: json!({"/api/v1/analyses": {"get": analyses_operation(schemas)}}),
        schemas,
    };
    visit_endpoints(&mut operations);
    operations.paths
}

/// The operations of endpoints, by path and method.
struct EndpointOperations<'a> {
    paths: Value,
    schemas: &'a mut Schemas,
}

impl EndpointVisitor for EndpointOperations<'_> {
    fn visit<Q: Endpoint>(&mut self) {
        let Some((method, path)) = endpoints::route::<Q>() else {
            return;
        };
        let mut operation = ApiOperation::new(Q::NAME, Q::SUMMARY);
        if !matches!(Q::EXECUTION, Execution::Constant(_)) {
            operation = operation
                .with_errors(&BODY_ERRORS)
                .with_request(&self.schemas.request::<Q>(), &Q::example());
        }
        if Q::BODY_SIZE == BodySize::Large {
            operation = operation.with_errors(&[RECORD_TOO_LARGE]);
        }
        let schema = self.schemas.response::<Q::Response>();
        operation = operation.with_response("200", Q::RESPONSE_SUMMARY, &schema);
        if matches!(
            Q::EXECUTION,
            Execution::Lookup { .. } | Execution::Search { .. }
        ) {
            operation = operation.with_errors(&[("409", "EngineHelpOff")]);
        }
        if matches!(Q::EXECUTION, Execution::Search { .. }) {
            operation = operation.with_events(search_events::<Q::Response>(self.schemas));
        }
        self.paths[path] = json!({method.as_str().to_lowercase(): operation});
    }
}

/// Describes the events of a search with the response `R`.
fn search_events<R: JsonSchema>(schemas: &mut Schemas) -> Value {
    let event = |description: &str, schema: Value| json!({"description": description, "content": {"application/json": {"schema": schema}}});
    json!({
        "queued": event(
            "The search has to wait, or its place has changed.",
            schemas.response::<QueuedView>(),
        ),
        "snapshot": event("The result so far.", schemas.response::<R>()),
        "done": event("The result. The stream ends.", schemas.response::<R>()),
        "problem": event(
            "The search has failed. The stream ends.",
            schemas.response::<ProblemResponse>(),
        ),
    })
}

/// Returns the operation that streams an analysis.
fn analyses_operation(schemas: &mut Schemas) -> Value {
    let mut operation = ApiOperation::new("analyses", "Analyzes, and returns the results so far.")
        .with_description(ANALYSES_DESCRIPTION)
        .with_errors(&[("422", "InvalidQuery"), ("409", "EngineHelpOff")])
        .with_response("200", "Events until the end of the analysis.", &Value::Null)
        .with_events(search_events::<AnalyzeResponse>(schemas));
    operation.0["parameters"] = schemas.query_parameters::<AnalyzeRequest>();
    operation.0
}

/// The errors of every operation: status and name of the response.
const COMMON_ERRORS: [(&str, &str); 7] = [
    ("400", "BadRequest"),
    ("403", "OtherSite"),
    ("415", "EncodedBody"),
    ("421", "UnknownHost"),
    ("429", "TooManyRequests"),
    ("500", "InternalError"),
    ("503", "ShuttingDown"),
];

/// The errors of operations with a request body.
const BODY_ERRORS: [(&str, &str); 5] = [
    ("400", "InvalidJson"),
    ("408", "RequestTimeout"),
    ("413", "BodyTooLarge"),
    ("415", "UnsupportedMediaType"),
    ("422", "InvalidRequest"),
];

/// The error of a body with more than the size limit of records.
const RECORD_TOO_LARGE: (&str, &str) = ("413", "RecordTooLarge");

/// The responses with problem documents: their names and descriptions.
const ERROR_RESPONSES: &[(&str, &str)] = &[
    (
        "BadRequest",
        "The request is not valid HTTP: for example, it does not have exactly one `Host`, or \
             its path is not UTF-8.",
    ),
    (
        "InvalidJson",
        "The body is not JSON, or it is incomplete; or the request does not have exactly one \
             `Host`.",
    ),
    ("NotFound", "There is nothing at this path."),
    ("RequestTimeout", "The body did not arrive in time."),
    ("BodyTooLarge", "The body has more than 16 KiB."),
    ("RecordTooLarge", "The body has more than 256 KiB."),
    (
        "UnsupportedMediaType",
        "The content type of the body is not `application/json`, or the body is encoded.",
    ),
    (
        "EncodedBody",
        "The request has a `Content-Encoding` other than `identity`.",
    ),
    (
        "OtherSite",
        "The request comes from the page of another site, as a browser says in \
             `Sec-Fetch-Site` or `Origin`.",
    ),
    (
        "UnknownHost",
        "The server does not answer for the host of the request. It answers for `localhost`, \
             its own address, and the names that its operator has allowed.",
    ),
    (
        "InvalidRequest",
        "The body is JSON, but it does not fit the request, or its position or move is \
             impossible.",
    ),
    (
        "InvalidQuery",
        "A parameter is unknown, repeated or invalid, or the position is impossible.",
    ),
    (
        "TooManyRequests",
        "Too many requests came from this address, or too many requests, of this address or of \
             all, wait for an engine.",
    ),
    ("InternalError", "The server failed."),
    ("ShuttingDown", "The server is shutting down."),
    (
        "Forbidden",
        "The request has no token, or one without this permission; or it comes from the page \
             of another server.",
    ),
    (
        "Conflict",
        "The game has advanced, or it is over; `state` is its current state.",
    ),
    (
        "GameNotFound",
        "No game has this id, or the game was deleted.",
    ),
    (
        "RoomNotFound",
        "No room has this code, or the room was deleted; or the room has no such member or game.",
    ),
    (
        "RecordNotFound",
        "No record has this id, or it was deleted because it was not opened for long.",
    ),
    (
        "SharingOff",
        "The server keeps no records; or the request comes from the page of another server.",
    ),
    ("SharingFull", "The server keeps as many records as it can."),
    ("RoomConflict", "The state of the room does not allow it."),
    (
        "EngineHelpOff",
        "The position is that of a game that is played from the address of the client in a room \
             without engine help.",
    ),
    (
        "NoWebSocket",
        "The request does not ask for a WebSocket, or it is not valid HTTP.",
    ),
    (
        "UpgradeRequired",
        "The connection cannot become a WebSocket.",
    ),
];

/// Returns the responses with problem documents, by name.
fn error_responses(schemas: &mut Schemas) -> Value {
    let mut responses = Map::new();
    let problem = schemas.response::<ProblemResponse>();
    for &(name, description) in ERROR_RESPONSES {
        let content = json!({"application/problem+json": {"schema": problem}});
        let mut response = json!({"description": description, "content": content});
        if matches!(name, "TooManyRequests" | "ShuttingDown") {
            response["headers"] = json!({
                "Retry-After": {
                    "description": "The time after which to try again, in seconds.",
                    "schema": {"type": "integer", "minimum": 1},
                },
            });
        }
        responses.insert(name.to_owned(), response);
    }
    Value::Object(responses)
}

/// An operation: a method of a path.
struct ApiOperation(Value);

impl ApiOperation {
    fn new(id: &str, summary: &str) -> Self {
        let operation = json!({"operationId": id, "summary": summary, "responses": {}});
        Self(operation).with_errors(&COMMON_ERRORS)
    }

    fn with_description(mut self, description: &str) -> Self {
        self.0["description"] = description.into();
        self
    }

    fn with_security(mut self, security: Value) -> Self {
        self.0["security"] = security;
        self
    }

    fn with_request(mut self, schema: &Value, example: &Value) -> Self {
        let content = json!({"application/json": {"schema": schema, "example": example}});
        self.0["requestBody"] = json!({"required": true, "content": content});
        self
    }

    /// Adds a response with a JSON body, or without a body if `schema` is null.
    fn with_response(mut self, status: &str, description: &str, schema: &Value) -> Self {
        let mut response = json!({"description": description});
        if !schema.is_null() {
            response["content"] = json!({"application/json": {"schema": schema}});
        }
        self.0["responses"][status] = response;
        self
    }

    fn with_text(mut self, content_type: &str, description: &str) -> Self {
        self.0["responses"]["200"] = json!({
            "description": description,
            "content": {content_type: {"schema": {"type": "string"}}},
        });
        self
    }

    /// Adds a stream of these events to the successful response.
    fn with_events(mut self, events: Value) -> Self {
        let names: Vec<_> = events.as_object().into_iter().flat_map(Map::keys).collect();
        let response = &mut self.0["responses"]["200"];
        // The schema is that of each event.
        response["content"]["text/event-stream"]["schema"] = json!({
            "type": "object",
            "properties": {
                "event": {"enum": names},
                "data": {"type": "string", "contentMediaType": "application/json"},
            },
            "required": ["event", "data"],
        });
        response["x-events"] = events;
        self
    }

    fn with_header(mut self, status: &str, name: &str, description: &str, schema: &Value) -> Self {
        let header = json!({"description": description, "schema": schema});
        self.0["responses"][status]["headers"] = json!({name: header});
        self
    }

    /// Adds responses by status and name; a later one replaces an earlier one of the same status.
    fn with_errors(mut self, errors: &[(&str, &str)]) -> Self {
        for (status, name) in errors {
            let reference = format!("#/components/responses/{name}");
            self.0["responses"][*status] = json!({"$ref": reference});
        }
        self
    }
}

impl serde::Serialize for ApiOperation {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The generators of the schemas of requests and responses. A field with a default is optional in a
/// request, but always present in a response.
struct Schemas {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
}

impl Schemas {
    fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Self {
            requests: settings().for_deserialize().into_generator(),
            responses: settings().for_serialize().into_generator(),
        }
    }

    fn request<T: JsonSchema>(&mut self) -> Value {
        self.requests.subschema_for::<T>().to_value()
    }

    /// Returns the fields of a request as parameters of a query.
    fn query_parameters<T: JsonSchema>(&mut self) -> Value {
        let schema = self.requests.root_schema_for::<T>().to_value();
        let properties = schema["properties"].as_object();
        let parameters = properties.into_iter().flatten().map(|(name, schema)| {
            let mut schema = schema.clone();
            let description = schema["description"].take();
            if let Some(fields) = schema.as_object_mut() {
                fields.remove("description");
                // A missing parameter takes the place of `null`.
                if fields.get("type").is_some_and(Value::is_array) {
                    fields.insert("type".to_owned(), "string".into());
                }
            }
            json!({"name": name, "in": "query", "description": description, "schema": schema})
        });
        parameters.collect()
    }

    fn response<T: JsonSchema>(&mut self) -> Value {
        self.responses.subschema_for::<T>().to_value()
    }

    /// Returns the named schemas that the operations refer to.
    ///
    /// # Panics
    /// Panics if a type has different schemas in requests and in responses.
    fn into_definitions(mut self) -> Value {
        let mut definitions = self.requests.take_definitions(true);
        for (name, mut schema) in self.responses.take_definitions(true) {
            if let Ok(schema) = <&mut Schema>::try_from(&mut schema) {
                RecursiveTransform(reject_unknown_properties).transform(schema);
            }
            let earlier = definitions.insert(name.clone(), schema.clone());
            assert!(
                earlier.is_none_or(|earlier| earlier == schema),
                "{name} has two schemas"
            );
        }
        let mut definitions = Value::Object(definitions);
        rewrite_descriptions(&mut definitions);
        definitions
    }
}

/// Closes the schema of an object, so that the tests find properties that it does not describe.
fn reject_unknown_properties(schema: &mut Schema) {
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
}

/// Rewrites descriptions from doc comments: `None` is `null` in JSON, and line breaks are spaces.
fn rewrite_descriptions(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "description" => {
                        *text = text.replace("`None`", "`null`").replace('\n', " ");
                    }
                    _ => rewrite_descriptions(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(rewrite_descriptions),
        _ => {}
    }
}
