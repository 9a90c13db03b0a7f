//! JSON of requests and responses: deserialization from JSON objects only, schemas of types of
//! other crates, and patterns of texts in schemas.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::RequestError;

/// Parses the JSON body of a request.
///
/// # Errors
/// [`RequestError::InvalidJson`] and [`RequestError::InvalidRequest`]. A body with both errors is
/// invalid JSON, even if the invalid field comes first.
pub fn parse_request<Q: DeserializeOwned>(body: &[u8]) -> Result<Q, RequestError> {
    if body.trim_ascii().is_empty() {
        return Err(RequestError::InvalidJson("the body is empty".to_owned()));
    }
    match serde_json::from_slice(body) {
        Ok(JsonObject(request)) => Ok(request),
        Err(error) => {
            // Deserialization stops at an invalid field, before it has seen the rest of the text.
            serde_json::from_slice::<IgnoredAny>(body)
                .map_err(|error| RequestError::InvalidJson(error.to_string()))?;
            let message = name_expected_value(&error.to_string());
            Err(RequestError::InvalidRequest(message))
        }
    }
}

/// The expected values of serde's messages that are types of Rust, and their names in JSON.
const EXPECTED_VALUES: [(&str, &str); 5] = [
    ("u64", "a whole number from 0"),
    ("usize", "a whole number from 0"),
    ("i32", "a whole number"),
    ("a sequence", "a list"),
    ("a tuple of size 2", "a list of two values"),
];

/// Rewrites the expected value of a message such as `invalid type: map, expected u64 at line 1
/// column 9`, which serde names by a type of Rust.
fn name_expected_value(message: &str) -> String {
    // A value that is neither a name nor an object, where a name is expected.
    if let Some(location) = message.strip_prefix("expected value at ") {
        return format!("expected a string at {location}");
    }
    // The input that the message quotes stands before the expected value.
    if let Some((found, expected)) = message.rsplit_once(", expected ") {
        for (rust_name, json_name) in EXPECTED_VALUES {
            if let Some(location) = expected.strip_prefix(rust_name)
                && location.starts_with(" at line ")
            {
                return format!("{found}, expected {json_name}{location}");
            }
        }
    }
    message.to_owned()
}

/// A value that deserializes from a JSON object only.
///
/// By default, serde also deserializes a struct from an array of its fields' values. Requests as
/// arrays would break when a field is inserted, and the description of the API knows objects only,
/// so arrays are rejected.
///
/// ```
/// use kalah_api::{JsonObject, PositionRequest};
///
/// let request: JsonObject<PositionRequest> = serde_json::from_str(r#"{"position":"6x4"}"#)?;
/// assert_eq!(request.0.position.as_deref(), Some("6x4"));
/// assert!(serde_json::from_str::<JsonObject<PositionRequest>>(r#"[null, "6x4"]"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonObject<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for JsonObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = JsonObject<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object in braces")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<JsonObject<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(JsonObject)
    }
}

/// Deserializes an array whose elements are JSON objects or `null`.
pub(crate) fn deserialize_optional_objects<'de, D, T>(
    deserializer: D,
) -> Result<Vec<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let objects = Vec::<Option<JsonObject<T>>>::deserialize(deserializer)?;
    let inner = |object: JsonObject<T>| object.0;
    Ok(objects
        .into_iter()
        .map(|object| object.map(inner))
        .collect())
}

/// Deserializes an array whose elements are JSON objects; for `#[serde(deserialize_with)]`.
pub(crate) fn deserialize_objects<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let objects = Vec::<JsonObject<T>>::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|JsonObject(inner)| inner).collect())
}

/// The schema of [`kalah::Side`]: a side of the board.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Side", description = "A side of the board.")]
pub enum SideSchema {
    /// The side at the bottom.
    South,
    /// The side at the top.
    North,
}

/// The schema of [`kalah::BySide`]: a value for each side.
#[derive(JsonSchema)]
#[schemars(inline, description = "A value for each side.")]
pub struct BySideSchema<T> {
    /// The value of South.
    pub south: T,
    /// The value of North.
    pub north: T,
}

/// A house by its letter, or `swap`.
pub const MOVE_PATTERN: &str = "^([A-Za-z]|swap)$";

/// A house by its letter, capital for South's and small for North's, or a store by its side.
pub const PIT_PATTERN: &str = "^([A-Za-z]|south|north)$";

/// A full position.
pub const POSITION_PATTERN: &str = "^<[0-9]+(,[0-9]+)+> [sn]( ply=[12])?$";
