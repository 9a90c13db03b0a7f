//! The clocks of the players.

use kalah::{Ending, Termination};

use crate::screen::event::AppEffect;
use crate::screen::model::Model;
use crate::screen::model::dialog::Dialog;

/// Lets the clock of the player to move run, after the first ply, while nothing is animated.
pub(super) fn sync(model: &mut Model) {
    let is_running = !model.game().plies().is_empty()
        && model.animation.is_none()
        && model.deferred_action.is_none()
        && !model.is_paused();
    let side = model.session.referee().side_to_act().filter(|_| is_running);
    let player = side.map(|side| model.game().player_on(side));
    if let Some(clock) = &mut model.clock {
        clock.run(player, model.now);
    }
}

/// Ends the game if the time of a player has run out.
pub(super) fn check(model: &mut Model, effects: &mut Vec<AppEffect>) {
    let clock = model.clock.as_ref();
    if let Some(player) = clock.and_then(|clock| clock.expired_player(model.now)) {
        let loser = model.session.current_side(player.started_as);
        model.cancel_pending(effects);
        model.session.end(Ending {
            termination: Termination::Time,
            winner: Some(loser.opponent()),
            outcome: None,
        });
        model.message = None;
        // A menu has commands of a game that runs.
        model
            .dialog
            .take_if(|dialog| matches!(dialog, Dialog::Menu(_)));
        effects.push(AppEffect::Record);
    }
}
