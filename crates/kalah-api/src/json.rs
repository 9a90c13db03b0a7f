use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::RequestError;

/// The question that a text in JSON asks.
///
/// # Errors
/// [`Problem::InvalidJson`] and [`Problem::InvalidRequest`].
pub fn parse_request<Q: DeserializeOwned>(body: &[u8]) -> Result<Q, RequestError> {
    match serde_json::from_slice(body) {
        Ok(JsonObject(question)) => Ok(question),
        Err(error) => {
            // Something may be wrong before the place where it ceases to be JSON.
            serde_json::from_slice::<IgnoredAny>(body)
                .map_err(|error| RequestError::from_json_error(&error))?;
            Err(RequestError::from_json_error(&error))
        }
    }
}

/// What is read from an object, in braces, and from nothing else: left alone, serde takes a list of the fields' values,
/// too.
///
/// ```
/// use kalah_api::{JsonObject, PositionRequest};
///
/// let asked: JsonObject<PositionRequest> = serde_json::from_str(r#"{"position":"6x4"}"#)?;
/// assert_eq!(asked.0.position.as_deref(), Some("6x4"));
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

/// A list of such objects.
pub(crate) fn deserialize_objects<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let objects = Vec::<JsonObject<T>>::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|JsonObject(inner)| inner).collect())
}
