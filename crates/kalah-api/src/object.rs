use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// What is read from an object, in braces, and from nothing else: left alone, serde takes a list of the fields' values,
/// too.
///
/// ```
/// use kalah_api::{Object, PositionQuestion};
///
/// let asked: Object<PositionQuestion> = serde_json::from_str(r#"{"position":"6x4"}"#)?;
/// assert_eq!(asked.0.position.as_deref(), Some("6x4"));
/// assert!(serde_json::from_str::<Object<PositionQuestion>>(r#"[null, "6x4"]"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FromMap(PhantomData))
    }
}

struct FromMap<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for FromMap<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object in braces")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

/// A list of such objects.
pub(crate) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let objects = Vec::<Object<T>>::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|Object(inner)| inner).collect())
}
