use serde::{Deserialize, Serialize};

use crate::{GameView, PositionView, Problem, SownView, start};

/// What do these choices do, one after another? The question `play`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayQuestion {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
    /// Houses or `swap`, at most [`GameView::MOST_PLIES`].
    pub choices: Vec<String>,
}

/// A line that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// The position before it.
    pub start: PositionView,
    /// Its plies.
    pub plies: Vec<SownView>,
}

impl PlayQuestion {
    /// The line.
    ///
    /// # Errors
    /// Why there is no such position, or which choice cannot be made and why.
    pub fn answer(&self) -> Result<Played, Problem> {
        let mut position = start::position(self.rules.as_deref(), self.position.as_deref())?;
        if self.choices.len() > GameView::MOST_PLIES {
            return Err(Problem::TooManyPlies(GameView::MOST_PLIES));
        }
        let start = PositionView::from(&position);
        let mut plies = Vec::new();
        for (ply, text) in (1..).zip(&self.choices) {
            let sown = start::choice(text, &position)
                .and_then(|choice| SownView::play(&mut position, choice));
            plies.push(sown.map_err(|problem| Problem::AtPly {
                ply,
                problem: Box::new(problem),
            })?);
        }
        Ok(Played { start, plies })
    }
}
