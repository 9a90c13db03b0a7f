//! The play of logged actions.

use kalah::{Game, Move, Rules};
use kalah_import::{ImportReason, play, validate};
use serde_json::Value;

use super::error::OpenSpielError;
use crate::action::{self, Action};

/// Parses an action and plays it.
pub(super) fn play_action(game: &mut Game, text: &str) -> Result<(), ImportReason> {
    let action = text.parse().ok().and_then(Action::from_field);
    let Action { side, house } = action.ok_or_else(|| OpenSpielError::Action(text.to_owned()))?;
    let to_move = game.position().to_move();
    if to_move != side && !game.position().is_over() {
        return Err(ImportReason::WrongSide {
            ply: game.plies().len() + 1,
            text: text.to_owned(),
            to_move,
        });
    }
    play(game, Move::Sow(house), text)
}

/// Creates a game of `OpenSpiel`.
pub(super) fn new_game(rules: Rules) -> Result<Game, ImportReason> {
    validate(&action::start(), rules).map(Game::new)
}

/// Returns the text of a value, without the quotes of a string.
pub(super) fn unquoted(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
