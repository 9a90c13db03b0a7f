//! Rules, positions, games and their records.

pub(crate) mod game;
pub(crate) mod position;
pub(crate) mod record_files;
pub(crate) mod values;
