//! Output that several commands share.

pub(crate) mod messages;
pub(crate) mod progress;
