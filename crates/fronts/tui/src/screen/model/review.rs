//! The review of the game on the screen.

use std::cmp::Reverse;

use kalah::{Game, Ply};
use kalah_engine::{Commentary, Reason, Report, Review, ReviewedPly};

use crate::screen::event::WorkerRequestId;

/// The maximum number of listed mistakes of a game.
const MAX_LISTED_MISTAKES: usize = 5;

/// The progress of the review of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum ReviewState {
    #[default]
    None,
    Running {
        request_id: WorkerRequestId,
        game: Game,
        positions_done: usize,
    },
    Done(Box<GameReview>),
}

impl ReviewState {
    /// Returns the progress of the review: `Still analysing: 22 of 35`.
    pub(crate) fn progress_text(&self) -> String {
        match self.progress() {
            Some((done, all)) => format!("Still analysing: {done} of {all}"),
            None => "There is no review.".to_owned(),
        }
    }

    /// Returns the number of analyzed positions and of all positions, while the review runs.
    pub(crate) fn progress(&self) -> Option<(usize, usize)> {
        match self {
            Self::Running {
                game,
                positions_done,
                ..
            } => Some((*positions_done, game.plies().len() + 1)),
            Self::None | Self::Done(_) => None,
        }
    }

    /// Returns the plies of the game that is or was reviewed.
    pub(crate) fn plies(&self) -> Option<&[Ply]> {
        match self {
            Self::None => None,
            Self::Running { game, .. } => Some(game.plies()),
            Self::Done(review) => Some(review.game.plies()),
        }
    }
}

/// A complete review with the analyses of all positions of its game.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GameReview {
    game: Game,
    /// The report about the start and about the position after each ply.
    reports: Vec<Report>,
    /// The number of plies of the opening of a tournament.
    opening_plies: usize,
    review: Review,
    commentary: Commentary,
}

impl GameReview {
    /// Reviews a game with the reports about its start and about the position after each ply. The
    /// first `opening_plies` are those of the opening of a tournament.
    pub(crate) fn new(game: Game, reports: Vec<Report>, opening_plies: usize) -> Self {
        let review = Review::from_reports(&game, &reports).with_opening_plies(opening_plies);
        let commentary = Commentary::new(&game, &reports, &review);
        Self {
            game,
            reports,
            opening_plies,
            review,
            commentary,
        }
    }

    pub(crate) fn review(&self) -> &Review {
        &self.review
    }

    /// Returns the reasons why the ply with this index is bad or good.
    pub(crate) fn reasons(&self, index: usize) -> &[Reason] {
        self.commentary
            .reasons
            .get(index)
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the report about the position after this number of plies.
    pub(crate) fn report_after(&self, plies: usize) -> Option<&Report> {
        self.reports.get(plies)
    }

    /// Replaces the report about the position after this number of plies if another one proves
    /// more, so that the review agrees with what the board shows.
    pub(crate) fn improve(&mut self, plies: usize, report: &Report) {
        if let Some(own) = self.reports.get_mut(plies)
            && proves_more(report, own)
        {
            *own = report.clone();
            self.review = Review::from_reports(&self.game, &self.reports)
                .with_opening_plies(self.opening_plies);
            self.commentary = Commentary::new(&self.game, &self.reports, &self.review);
        }
    }

    /// Returns the biggest mistakes with the numbers of plies before them: moves that cost seeds or
    /// a chance, the worst grade first, and the highest cost first within a grade.
    pub(crate) fn biggest_mistakes(&self) -> Vec<(usize, &ReviewedPly)> {
        let plies = self.review.plies.iter().enumerate();
        let mut mistakes: Vec<_> = plies.filter(|(_, ply)| ply.has_cost()).collect();
        mistakes.sort_by_key(|(_, ply)| Reverse(ply.severity()));
        mistakes.truncate(MAX_LISTED_MISTAKES);
        mistakes
    }
}

/// Returns whether a report about a position proves the margins of more moves than another one, or
/// of as many, and the margin of the position with tighter bounds.
pub(crate) fn proves_more(report: &Report, other: &Report) -> bool {
    let proven = |report: &Report| {
        let exact = report.moves.iter().filter(|mv| mv.bounds.is_exact());
        let width = report.bounds.upper.seeds() - report.bounds.lower.seeds();
        (exact.count(), Reverse(width))
    };
    proven(report) > proven(other)
}
