//! A game and its players.

use std::time::Duration;

use kalah::record::PlyTimes;
use kalah::{
    ActionError, BySide, Ending, Game, Move, PlayerAction, PlayerId, Ply, Position, Referee, Side,
};
use kalah_players::GamePlayerSpec;

use super::profile::RatingOutcome;

/// A game and its two players. Specs and names are indexed by the side on which a player began.
#[derive(Clone, Debug)]
pub struct GameSession {
    referee: Referee,
    specs: BySide<GamePlayerSpec>,
    names: BySide<String>,
    /// Whether a person has used help.
    is_helped: bool,
    /// The change of the rating by the game, once it is finished and counted.
    rating: Option<RatingOutcome>,
    /// The known times of the plies; there can be fewer than plies.
    ply_times: Vec<PlyTimes>,
    /// The number of plies of the opening of a tournament; there can be fewer after an undo.
    opening_plies: usize,
}

impl GameSession {
    /// Combines a game with its players, by the side on which they began.
    pub fn new(game: Game, specs: BySide<GamePlayerSpec>, names: BySide<String>) -> Self {
        Self {
            referee: Referee::new(game, BySide::from_fn(|side| specs[side].is_human())),
            specs,
            names,
            is_helped: false,
            rating: None,
            ply_times: Vec::new(),
            opening_plies: 0,
        }
    }

    /// Returns whether a person has used help: a hint, margins or an undo. Such a game is not
    /// rated, nor is one from a file.
    pub fn is_helped(&self) -> bool {
        self.is_helped
    }

    /// Notes that a person has used help, or that the game is from a file.
    pub fn set_helped(&mut self) {
        self.is_helped = true;
    }

    /// Returns the effect of the game on the rating, once it is finished and counted.
    pub fn rating(&self) -> Option<RatingOutcome> {
        self.rating
    }

    /// Notes the effect of the game on the rating.
    pub fn set_rating(&mut self, rating: RatingOutcome) {
        self.rating = Some(rating);
    }

    /// Returns the known times of the plies, those of the first plies first. There can be fewer
    /// than plies.
    pub fn ply_times(&self) -> &[PlyTimes] {
        &self.ply_times
    }

    /// Sets the times of the plies, as a record has them.
    pub fn set_ply_times(&mut self, times: Vec<PlyTimes>) {
        self.ply_times = times;
    }

    /// Returns the number of plies at the begin of the game that a tournament made, and no player.
    pub fn opening_plies(&self) -> usize {
        self.opening_plies.min(self.game().plies().len())
    }

    /// Sets the number of plies of the opening of a tournament, as a record has it.
    pub fn set_opening_plies(&mut self, count: usize) {
        self.opening_plies = count;
    }

    /// Notes the time that the player of the last ply has left after it, in whole milliseconds.
    pub(crate) fn note_clock(&mut self, left: Duration) {
        let left = Duration::from_millis(u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
        let plies = self.game().plies().len();
        self.ply_times.resize(plies, PlyTimes::default());
        if let Some(last) = self.ply_times.last_mut() {
            last.clock = Some(left);
        }
    }

    /// Ends a game that is not over, as a record of it says: on time, by a crash, or by
    /// resignation. The winner is a side at the end of the game.
    pub fn end(&mut self, ending: Ending) {
        self.referee.end(ending);
    }

    /// Returns the referee of the game.
    pub fn referee(&self) -> &Referee {
        &self.referee
    }

    /// Returns the game.
    pub fn game(&self) -> &Game {
        self.referee.game()
    }

    /// Returns the position after the last ply.
    pub fn position(&self) -> &Position {
        self.referee.position()
    }

    /// Returns the ending of the game, if it is over.
    pub fn ending(&self) -> Option<Ending> {
        self.referee.ending()
    }

    /// Returns the specs of the players, by the side on which they began.
    pub fn specs(&self) -> &BySide<GamePlayerSpec> {
        &self.specs
    }

    /// Replaces the player that began on the side `started_as`, who has the default name.
    pub(crate) fn replace_player(&mut self, started_as: Side, spec: GamePlayerSpec) {
        self.names[started_as] = spec.default_name();
        self.referee.set_interactive(started_as, spec.is_human());
        self.specs[started_as] = spec;
    }

    /// Returns the names of the players, by the side on which they began.
    pub fn names(&self) -> &BySide<String> {
        &self.names
    }

    /// Returns the names by the side of the players after `plies`, which begin at the start.
    pub(crate) fn names_after(&self, plies: &[Ply]) -> BySide<&str> {
        let is_swapped = plies.iter().any(|ply| ply.mv == Move::Swap);
        BySide::from_fn(|side| {
            let player = PlayerId::at_side(side, is_swapped);
            &*self.names[player.started_as]
        })
    }

    /// Returns the current side of the player who began on `started_as`.
    pub(crate) fn current_side(&self, started_as: Side) -> Side {
        PlayerId::new(started_as).side(self.game().is_swapped())
    }

    /// Returns whether a person plays.
    pub(crate) fn has_human(&self) -> bool {
        Side::ALL.iter().any(|&side| self.specs[side].is_human())
    }

    /// Returns the side to move if a person plays it.
    pub(crate) fn human_to_move(&self) -> Option<Side> {
        let side = self.referee.side_to_act()?;
        self.is_human_on(side, self.game()).then_some(side)
    }

    /// Returns the program to move, by the side on which it began.
    pub(crate) fn computer_to_move(&self) -> Option<Side> {
        let side = self.referee.side_to_act()?;
        let player = self.game().player_on(side).started_as;
        (!self.specs[player].is_human()).then_some(player)
    }

    /// Performs an action of the side to move, and returns its ply.
    ///
    /// # Errors
    /// If the referee rejects the action, or if it is not a move.
    pub(crate) fn play(&mut self, action: PlayerAction) -> Result<&Ply, ActionError> {
        let before = self.game().plies().len();
        self.referee.apply(action)?;
        // A ply that a player makes instead of one of the opening ends it.
        self.opening_plies = self.opening_plies.min(before);
        self.game().plies().last().ok_or(ActionError::NoMove)
    }

    /// Resigns the game for the person to move. Returns whether there is one.
    pub(crate) fn resign_human(&mut self) -> bool {
        self.human_to_move().is_some() && self.resign_side_to_move()
    }

    /// Resigns the game for the side to move, if the game is not over. Returns whether it was not.
    fn resign_side_to_move(&mut self) -> bool {
        self.ending().is_none() && self.referee.apply(PlayerAction::Resign).is_ok()
    }

    /// Ends the game as unfinished, if it is not over.
    pub(crate) fn abandon(&mut self) {
        if self.ending().is_none() {
            // The referee never rejects this action.
            let _ = self.referee.apply(PlayerAction::Quit);
        }
    }

    /// Undoes the end of a game that was not over by the rules, or all plies since the last
    /// decision of a person.
    ///
    /// # Errors
    /// [`ActionError::NothingToUndo`] if no person has moved.
    pub(crate) fn undo(&mut self) -> Result<(), ActionError> {
        let mut game = self.game().clone();
        // A resignation, or a loss on time.
        let is_ended_early = self.ending().is_some() && game.outcome().is_none();
        if is_ended_early {
            self.restart_referee(game);
            return Ok(());
        }
        while game.undo().is_some() {
            if self.is_human_on(game.position().to_move(), &game) {
                self.restart_referee(game);
                return Ok(());
            }
        }
        Err(ActionError::NothingToUndo)
    }

    /// Plays the undone plies again, up to the next decision of a person.
    ///
    /// # Errors
    /// [`ActionError::NothingToRedo`] if there is no undone ply.
    pub(crate) fn redo(&mut self) -> Result<(), ActionError> {
        let mut game = self.game().clone();
        if !self.has_human() || game.redo().is_none() {
            return Err(ActionError::NothingToRedo);
        }
        while !self.is_human_on(game.position().to_move(), &game) && game.redo().is_some() {}
        self.restart_referee(game);
        Ok(())
    }

    /// Goes on with the game after an undo or a redo.
    fn restart_referee(&mut self, game: Game) {
        self.is_helped = true;
        // Plies that are made again take no time.
        self.ply_times.truncate(game.plies().len());
        let interactive = BySide::from_fn(|side| self.specs[side].is_human());
        self.referee = Referee::new(game, interactive);
    }

    fn is_human_on(&self, side: Side, game: &Game) -> bool {
        self.specs[game.player_on(side).started_as].is_human()
    }
}
