//! The commands about records of games.

pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod json;
pub(crate) mod replay;
pub(crate) mod review;
