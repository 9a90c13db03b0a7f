//! Looking at the game as it was.

use kalah_engine::ReviewedPly;
use ratatui::layout::Position;

use super::super::model::{MessageKind, Model, ReviewState};
use super::super::turns;

/// How many of the worst sowings are told.
pub(crate) const MAX_MISTAKES: usize = 5;

impl Model {
    /// Looks at the game after so many plies; from the last on, it is the game as it stands.
    pub(super) fn view_position_after(&mut self, plies: Option<usize>) {
        let Some(plies) = plies else {
            return;
        };
        self.message = None;
        self.animation = self
            .animation
            .take()
            .filter(|_| plies >= self.game().plies().len());
        self.viewed_plies = Some(plies).filter(|&plies| plies < self.game().plies().len());
    }

    /// What is drawn at a place of the list of moves or of the graph: the game after so many plies.
    pub(super) fn ply_at(&self, at: Position) -> Option<usize> {
        let layout = self.layout()?;
        if let Some(area) = layout.moves.filter(|area| area.contains(at)) {
            return turns::ply_at(self, area, at).or_else(|| turns::mistake_at(self, area, at));
        }
        let area = layout.graph.filter(|area| area.contains(at))?;
        turns::ply_at_column(self, area, at.x)
    }

    /// The sowings that cost most, with the plies before them, the dearest first.
    pub(crate) fn worst_mistakes(&self) -> Vec<(usize, &ReviewedPly)> {
        let Some(review) = self.finished_review() else {
            return Vec::new();
        };
        let mut mistakes: Vec<_> = review
            .mistakes()
            .map(|(number, ply)| (number - 1, ply))
            .collect();
        mistakes.sort_by_key(|(_, ply)| -ply.cost.lower.seeds());
        mistakes.truncate(MAX_MISTAKES);
        mistakes
    }

    /// Looks at the position before the next of the worst sowings, round and round.
    pub(super) fn view_next_mistake(&mut self) {
        let worst: Vec<usize> = self
            .worst_mistakes()
            .iter()
            .map(|&(plies, _)| plies)
            .collect();
        let next = match worst
            .iter()
            .position(|&plies| Some(plies) == self.viewed_plies)
        {
            Some(at) => worst.get((at + 1) % worst.len()),
            None => worst.first(),
        };
        if next.is_none() {
            let told = match (&self.review, self.session.ending()) {
                (ReviewState::Done { .. }, Some(_)) => "No sowing is proven to have cost anything.",
                (_, Some(_)) => "The game is still being looked back on.",
                (_, None) => "The worst sowings are told once the game is over.",
            };
            self.show_message(MessageKind::Error, told);
        }
        self.view_position_after(next.copied());
    }
}
