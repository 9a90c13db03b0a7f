//! A game as a screen full: what is shown is a [`Model`](model::Model), which changes by
//! [`update`](update::update) alone and is drawn by [`view`](view::view) alone; [`run`] is the loop around both.

mod animation;
mod bout;
mod dialog;
mod event;
mod job_control;
mod keys;
mod layout;
mod minds;
mod model;
mod needs;
mod popup;
mod run;
mod terminal;
#[cfg(test)]
mod tests;
mod theme;
mod turns;
mod update;
mod view;
mod worker;

pub(crate) use bout::GameSession;
pub(crate) use run::{AppConfig, AppResult, run};
