use kalah::{Labels, Move, Position, Rules, Setup};

use crate::RequestError;

/// The position where nobody says otherwise.
const DEFAULT_POSITION: &str = "6x4";

/// The position that a question names, `cs32` and 6x4 where it does not.
///
/// # Errors
/// Why there is none.
pub fn parse_position(
    rules: Option<&str>,
    position: Option<&str>,
) -> Result<Position, RequestError> {
    let rules = rules.map_or(Ok(Rules::default()), str::parse)?;
    let text = position.unwrap_or(DEFAULT_POSITION);
    let setup: Setup = text.parse()?;
    setup
        .position(rules)
        .map_err(|reason| RequestError::Unplayable {
            text: text.to_owned(),
            reason,
        })
}

/// The choice of the side to move that a text names: a letter, or `swap`. Whether it is legal is not asked.
///
/// # Errors
/// If the text names none of that side's houses.
pub fn parse_move(text: &str, position: &Position) -> Result<Move, RequestError> {
    if text == "swap" {
        return Ok(Move::Swap);
    }
    let house = Labels::Letters.parse_house(text, position.to_move(), position.houses())?;
    let mv = Move::Sow(house);
    if mv.text(position.to_move()) == text {
        Ok(mv)
    } else {
        // A letter of the other case is a house of the other side.
        Err(RequestError::InvalidMove(
            kalah::HouseLabelError::OtherSide {
                text: kalah::Quoted::new(text),
                side: position.to_move(),
            },
        ))
    }
}
