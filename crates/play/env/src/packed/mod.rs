//! Games on packed boards: up to 7 houses a side and 255 seeds.

mod games;

pub(crate) use games::{PackedGames, SharedGameData};
