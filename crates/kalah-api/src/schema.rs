//! JSON schemas of types of other crates, and patterns of texts in schemas.

use schemars::JsonSchema;

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
