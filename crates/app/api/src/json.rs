//! JSON of requests and responses: deserialization from JSON objects only, schemas of types of
//! other crates, and patterns of texts in schemas.

use std::fmt;
use std::marker::PhantomData;

use kalah_parse::parse_json;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};

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
    match parse_json(body) {
        Ok(JsonObject(request)) => Ok(request),
        Err(error) if error.is_syntax() => Err(RequestError::InvalidJson(error.to_string())),
        Err(error) => Err(RequestError::InvalidRequest(error.to_string())),
    }
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
