//! Output that several commands share.

pub(crate) mod keys;
pub(crate) mod markdown;
pub(crate) mod messages;
pub(crate) mod progress;
