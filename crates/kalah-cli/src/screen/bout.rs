use kalah::{
    ActionError, BySide, Ending, Game, Move, PlayerAction, Ply, Position, Referee, Side,
    Termination,
};
use kalah_players::{PlayerKind, PlayerSpec};

/// A game and those who play it, each by the side on which they began.
#[derive(Clone, Debug)]
pub(crate) struct GameSession {
    referee: Referee,
    specs: BySide<PlayerSpec>,
    names: BySide<String>,
}

impl GameSession {
    pub(crate) fn new(game: Game, specs: BySide<PlayerSpec>, names: BySide<String>) -> Self {
        Self {
            referee: Referee::new(game, BySide::from_fn(|side| is_human(specs[side]))),
            specs,
            names,
        }
    }

    pub(crate) fn referee(&self) -> &Referee {
        &self.referee
    }

    pub(crate) fn game(&self) -> &Game {
        self.referee.game()
    }

    pub(crate) fn position(&self) -> &Position {
        self.referee.position()
    }

    pub(crate) fn ending(&self) -> Option<Ending> {
        self.referee.ending()
    }

    pub(crate) fn specs(&self) -> BySide<PlayerSpec> {
        self.specs
    }

    /// The players' names, by the side on which they began.
    pub(crate) fn names(&self) -> &BySide<String> {
        &self.names
    }

    /// The names by the side on which the players sit after `plies` of the game.
    pub(crate) fn names_after(&self, plies: usize) -> BySide<&str> {
        let mut made = self.game().plies().iter().take(plies);
        let swapped = made.any(|ply| ply.mv == Move::Swap);
        BySide::from_fn(|side| {
            let began = if swapped { side.opponent() } else { side };
            &*self.names[began]
        })
    }

    /// Where the player who began on this side sits now.
    pub(crate) fn current_side(&self, began: Side) -> Side {
        if self.game().is_swapped() {
            began.opponent()
        } else {
            began
        }
    }

    /// Whether people play.
    pub(crate) fn has_human(&self) -> bool {
        Side::ALL.iter().any(|&side| is_human(self.specs[side]))
    }

    /// The side that a person is to answer for.
    pub(crate) fn human_to_move(&self) -> Option<Side> {
        let side = self.referee.side_to_act()?;
        is_human(self.specs[self.game().player_on(side).started_as]).then_some(side)
    }

    /// The program that is to answer, by the side on which it began.
    pub(crate) fn computer_to_move(&self) -> Option<Side> {
        let side = self.referee.side_to_act()?;
        let player = self.game().player_on(side).started_as;
        (!is_human(self.specs[player])).then_some(player)
    }

    /// The side to move chooses.
    pub(crate) fn play(&mut self, answer: PlayerAction) -> Result<&Ply, ActionError> {
        self.referee.apply(answer)?;
        self.game().plies().last().ok_or(ActionError::NoMove)
    }

    /// The person to move, if there is one, gives the game up.
    pub(crate) fn resign_human(&mut self) -> bool {
        self.human_to_move().is_some() && self.resign_side_to_move()
    }

    /// Whoever is to move gives the game up, or did so once.
    pub(crate) fn resign_side_to_move(&mut self) -> bool {
        self.ending().is_none() && self.referee.apply(PlayerAction::Resign).is_ok()
    }

    /// The game is left where it is.
    pub(crate) fn abandon(&mut self) {
        if self.ending().is_none() {
            // Nobody is refused to go.
            let _ = self.referee.apply(PlayerAction::Quit);
        }
    }

    /// Back to where a person was to move, also from the end of the game or while a program thinks.
    pub(crate) fn undo(&mut self) -> Result<(), ActionError> {
        let given_up =
            (self.ending()).is_some_and(|ending| ending.termination == Termination::Resign);
        let mut game = self.game().clone();
        if given_up {
            self.restart_referee(game);
            return Ok(());
        }
        while game.undo().is_some() {
            if self.is_human_to_move(&game) {
                self.restart_referee(game);
                return Ok(());
            }
        }
        Err(ActionError::NothingToUndo)
    }

    /// Forward to where a person was to move, or to the last ply that was taken back.
    pub(crate) fn redo(&mut self) -> Result<(), ActionError> {
        let mut game = self.game().clone();
        if !self.has_human() || game.redo().is_none() {
            return Err(ActionError::NothingToRedo);
        }
        while !self.is_human_to_move(&game) && game.redo().is_some() {}
        self.restart_referee(game);
        Ok(())
    }

    fn restart_referee(&mut self, game: Game) {
        let interactive = BySide::from_fn(|side| is_human(self.specs[side]));
        self.referee = Referee::new(game, interactive);
    }

    fn is_human_to_move(&self, game: &Game) -> bool {
        let side = game.position().to_move();
        let player = if game.is_swapped() {
            side.opponent()
        } else {
            side
        };
        is_human(self.specs[player])
    }
}

fn is_human(spec: PlayerSpec) -> bool {
    spec.kind == PlayerKind::Human
}
