//! Looking at the game as it was.

use kalah_engine::ReviewedPly;
use ratatui::layout::Position;

use super::super::model::{Kind, LookBack, Model};
use super::super::turns;

/// How many of the worst sowings are told.
pub(crate) const WORST: usize = 5;

impl Model {
    /// Looks at the game after so many plies; from the last on, it is the game as it stands.
    pub(super) fn look(&mut self, plies: Option<usize>) {
        let Some(plies) = plies else {
            return;
        };
        self.message = None;
        self.animation = self
            .animation
            .take()
            .filter(|_| plies >= self.game().plies().len());
        self.looking = Some(plies).filter(|&plies| plies < self.game().plies().len());
    }

    /// What is drawn at a place of the list of moves or of the graph: the game after so many plies.
    pub(super) fn ply_at(&self, at: Position) -> Option<usize> {
        let layout = self.layout()?;
        if let Some(area) = layout.moves.filter(|area| area.contains(at)) {
            return turns::ply_at(self, area, at).or_else(|| turns::worst_at(self, area, at));
        }
        let area = layout.graph.filter(|area| area.contains(at))?;
        turns::ply_of_column(self, area, at.x)
    }

    /// The sowings that cost most, with the plies before them, the dearest first.
    pub(crate) fn worst(&self) -> Vec<(usize, &ReviewedPly)> {
        let Some(review) = self.reviewed() else {
            return Vec::new();
        };
        let mut mistakes: Vec<_> = review
            .mistakes()
            .map(|(number, ply)| (number - 1, ply))
            .collect();
        mistakes.sort_by_key(|(_, ply)| -ply.cost.lower.seeds());
        mistakes.truncate(WORST);
        mistakes
    }

    /// Looks at the position before the next of the worst sowings, round and round.
    pub(super) fn look_at_mistake(&mut self) {
        let worst: Vec<usize> = self.worst().iter().map(|&(plies, _)| plies).collect();
        let next = match worst.iter().position(|&plies| Some(plies) == self.looking) {
            Some(at) => worst.get((at + 1) % worst.len()),
            None => worst.first(),
        };
        if next.is_none() {
            let told = match (&self.review, self.bout.ending()) {
                (LookBack::Done { .. }, Some(_)) => "No sowing is proven to have cost anything.",
                (_, Some(_)) => "The game is still being looked back on.",
                (_, None) => "The worst sowings are told once the game is over.",
            };
            self.tell(Kind::Problem, told);
        }
        self.look(next.copied());
    }
}
