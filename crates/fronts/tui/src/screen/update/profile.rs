//! The profile of the user: preferences and the rating.

use kalah::{BySide, Termination};

use crate::game::{NewGameChoices, RatingOutcome};
use crate::screen::event::AppEffect;
use crate::screen::model::Model;
use crate::screen::model::dialog::NewGameDialog;
use crate::screen::model::profile::RatingRequest;

/// Remembers the speed of the animation.
pub(super) fn remember_speed(model: &mut Model, effects: &mut Vec<AppEffect>) {
    model.user.preferences.speed = Some(model.speed);
    effects.push(AppEffect::SavePreferences);
}

/// Remembers whether margins are shown.
pub(super) fn remember_margins(model: &mut Model, effects: &mut Vec<AppEffect>) {
    model.user.preferences.shows_margins = model.margins.is_shown;
    effects.push(AppEffect::SavePreferences);
}

/// Remembers the choices of a new game.
pub(super) fn remember_new_game(
    model: &mut Model,
    dialog: &NewGameDialog,
    effects: &mut Vec<AppEffect>,
) {
    model.user.preferences.new_game = Some(NewGameChoices {
        players: BySide::from_fn(|side| dialog.specs[side].local()),
        rules: dialog.rules,
        houses: dialog.houses,
        seeds: dialog.seeds,
        clock: dialog.clock,
    });
    effects.push(AppEffect::SavePreferences);
}

/// Notes help that the user takes in the current game, and passes a finished game on to be rated,
/// once.
pub(super) fn sync(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let Some(ending) = model.session.ending() else {
        // A report at the start is help, too, although the margins can be hidden before the first
        // ply.
        let sees_margins = model.margins.is_shown
            && (!model.game().plies().is_empty() || model.shown_analysis().is_some());
        let takes_hint = model.hint.is_some() || model.pending_hint.is_some();
        if model.puzzles.is_none() && (sees_margins || takes_hint) {
            model.session.set_helped();
        }
        return;
    };
    let is_finished = ending.termination != Termination::Unfinished;
    if is_finished && model.user.rating == RatingRequest::Open {
        model.user.rating = RatingRequest::Done;
        if model.session.rating().is_none() {
            effects.push(AppEffect::RateGame);
        }
    }
}

/// Shows the change of the rating by the game, which its record gets, too.
pub(super) fn handle_rating(
    model: &mut Model,
    outcome: RatingOutcome,
    effects: &mut Vec<AppEffect>,
) {
    model.session.set_rating(outcome);
    if matches!(outcome, RatingOutcome::Changed(_)) {
        effects.push(AppEffect::Record);
    }
}
