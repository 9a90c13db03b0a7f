//! The state of the screen: a model that only `update` changes and `view` draws.

pub(crate) mod event;
pub(crate) mod keys;
pub(crate) mod model;
#[cfg(test)]
mod tests;
pub(crate) mod update;
pub(crate) mod view;
