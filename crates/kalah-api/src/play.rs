use serde::{Deserialize, Serialize};

use crate::{GameView, MoveResultView, PositionView, RequestError, start};

/// What do these choices do, one after another? The question `play`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
    /// Houses or `swap`, at most [`GameView::MAX_PLIES`].
    #[serde(rename = "choices")]
    pub moves: Vec<String>,
}

/// A line that was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayResponse {
    /// The position before it.
    pub start: PositionView,
    /// Its plies.
    pub plies: Vec<MoveResultView>,
}

impl PlayRequest {
    /// The line.
    ///
    /// # Errors
    /// Why there is no such position, or which choice cannot be made and why.
    pub fn execute(&self) -> Result<PlayResponse, RequestError> {
        let mut position = start::parse_position(self.rules.as_deref(), self.position.as_deref())?;
        if self.moves.len() > GameView::MAX_PLIES {
            return Err(RequestError::TooManyPlies(GameView::MAX_PLIES));
        }
        let start = PositionView::from(&position);
        let mut plies = Vec::new();
        for (ply, text) in (1..).zip(&self.moves) {
            let sown = start::parse_move(text, &position)
                .and_then(|mv| MoveResultView::play(&mut position, mv));
            plies.push(sown.map_err(|problem| RequestError::AtPly {
                ply,
                problem: Box::new(problem),
            })?);
        }
        Ok(PlayResponse { start, plies })
    }
}
