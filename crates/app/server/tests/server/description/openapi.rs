//! Checks of responses against the description of the API.

use std::collections::{BTreeSet, HashMap};
use std::sync::{LazyLock, Mutex};

use jsonschema::Validator;
use kalah_server::{ServerConfig, ServerLimits};
use serde_json::{Value, json};

use crate::common::{TestServer, config};

/// The description of the API.
static DESCRIPTION: LazyLock<Value> = LazyLock::new(kalah_server::openapi);

/// Returns the methods, in capitals, and paths of all operations.
fn operations() -> BTreeSet<(String, String)> {
    let paths = DESCRIPTION["paths"].as_object().expect("paths");
    let operations = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods");
        methods
            .keys()
            .filter(|&method| method != "parameters")
            .map(move |method| (method.to_uppercase(), path.clone()))
    });
    operations.collect()
}

/// Returns the described response of an operation for a status, or the response of an unknown path.
fn described_response(method: &str, path: &str, status: u16) -> Value {
    let no_operation = json!({"$ref": "#/components/responses/NotFound"});
    let paths = DESCRIPTION["paths"].as_object().expect("paths");
    let operation = paths
        .iter()
        .find(|(template, _)| matches_template(template, path))
        .map(|(_, methods)| &methods[method.to_lowercase()])
        .filter(|operation| operation.is_object());
    let response = match operation {
        Some(operation) => operation["responses"][status.to_string()].clone(),
        None => no_operation,
    };
    assert!(
        response.is_object(),
        "{method} {path} is answered with {status}, which the description does not have"
    );
    match response["$ref"].as_str() {
        Some(reference) => DESCRIPTION
            .pointer(reference.trim_start_matches('#'))
            .unwrap_or_else(|| panic!("{reference} leads nowhere"))
            .clone(),
        None => response,
    }
}

/// Returns whether a path matches a template such as `/problems/{kind}`.
fn matches_template(template: &str, path: &str) -> bool {
    let (mut parts, mut template_parts) = (path.split('/'), template.split('/'));
    loop {
        match (parts.next(), template_parts.next()) {
            (None, None) => return true,
            (Some(part), Some(template_parts))
                if part == template_parts || template_parts.starts_with('{') => {}
            _ => return false,
        }
    }
}

/// Checks a response against the description.
pub(crate) fn check(method: &str, path: &str, status: u16, content_type: &str, body: &[u8]) {
    let response = described_response(method, path, status);
    let essence = content_type.split(';').next().unwrap_or_default();
    let schema = &response["content"][essence]["schema"];
    assert!(
        schema.is_object(),
        "{method} {path}: {status} is {content_type:?}, which the description does not have"
    );
    if !essence.ends_with("json") {
        return;
    }
    let value: Value = serde_json::from_slice(body).expect("JSON");
    check_value(&format!("{method} {path}"), schema, &value);
}

/// Checks the data of an event of `GET /api/v1/analyses` against the description.
pub(crate) fn check_event(name: &str, data: &Value) {
    check_event_of("GET", "/api/v1/analyses", name, data);
}

/// Checks the data of an event of an operation against the description.
pub(crate) fn check_event_of(method: &str, path: &str, name: &str, data: &Value) {
    let response = described_response(method, path, 200);
    let schema = &response["x-events"][name]["content"]["application/json"]["schema"];
    assert!(
        schema.is_object(),
        "the description does not have the event {name}"
    );
    check_value(name, schema, data);
}

fn check_value(name: &str, schema: &Value, value: &Value) {
    let mut validators = VALIDATORS.lock().expect("no test panicked here");
    let validator = validators
        .entry(schema.to_string())
        .or_insert_with(|| validator(schema));
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    drop(validators);
    assert!(errors.is_empty(), "{name}: {value}: {errors:?}");
}

static VALIDATORS: LazyLock<Mutex<HashMap<String, Validator>>> = LazyLock::new(Mutex::default);

fn validator(schema: &Value) -> Validator {
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [schema],
        "components": DESCRIPTION["components"],
    });
    jsonschema::validator_for(&whole).expect("a schema")
}

#[tokio::test]
async fn openapi_json_matches_the_types() {
    let server = TestServer::with_defaults().await;
    let response = server.get("/api/v1/openapi.json").await;
    assert_eq!(response.header("content-type"), "application/json");
    assert_eq!(response.json, *DESCRIPTION);
}

#[test]
fn routes_match_the_description() {
    let routes: BTreeSet<_> = kalah_server::routes().into_iter().collect();
    assert_eq!(routes, operations());
}

#[test]
fn schemas_and_examples_are_valid() {
    let schemas = DESCRIPTION["components"]["schemas"]
        .as_object()
        .expect("schemas");
    for name in schemas.keys() {
        validator(&json!({"$ref": format!("#/components/schemas/{name}")}));
    }
    for (method, path) in operations() {
        let operation = &DESCRIPTION["paths"][&path][method.to_lowercase()];
        let content = &operation["requestBody"]["content"]["application/json"];
        if content.is_object() {
            let validator = validator(&content["schema"]);
            assert!(validator.is_valid(&content["example"]), "{path}");
        }
    }
}

#[tokio::test]
async fn examples_of_requests_are_accepted() {
    let server = TestServer::start(&ServerConfig {
        share: true,
        ..config(ServerLimits::default())
    })
    .await;
    let record = &DESCRIPTION["components"]["schemas"]["ReadRequest"]["properties"]["text"];
    let mut requests = vec![("read".to_owned(), json!({"text": record["examples"][0]}))];
    for (_, path) in operations() {
        let content = &DESCRIPTION["paths"][&path]["post"]["requestBody"]["content"];
        let example = &content["application/json"]["example"];
        if let Some(name) = path.strip_prefix("/api/v1/")
            && !name.contains('{')
            && example.is_object()
        {
            requests.push((name.to_owned(), example.clone()));
        }
    }
    for (name, body) in requests {
        let response = server.post(&name, &body).await;
        let is_success = (200..300).contains(&response.status);
        assert!(is_success, "{name} {body}: {}", response.text());
    }
}

/// Returns the described names of problem types.
pub(crate) fn described_problem_types() -> Vec<String> {
    let kinds = &DESCRIPTION["paths"]["/problems/{kind}"]["parameters"][0]["schema"]["enum"];
    serde_json::from_value(kinds.clone()).expect("a list of names")
}
