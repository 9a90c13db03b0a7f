//! The form in which an engine receives games: their moves, or the current position.

use kalah::Game;
use kalah_players::MAX_LINE_BYTES;

use crate::message::HostMessage;
use crate::option::{EngineOption, OptionKind};

/// The form in which an engine receives games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionForm {
    /// The start and the moves.
    #[default]
    Moves,
    /// The current position alone, so that an engine needs no rules.
    Now,
}

/// The option whose value is a [`PositionForm`]. The host obeys it, whether the engine declares it
/// or not.
const POSITION_OPTION: &str = "Position";

impl PositionForm {
    /// The values of the option.
    pub(crate) const MOVES: &str = "moves";
    pub(crate) const NOW: &str = "now";

    /// Returns the form that a value of the option `Position` names.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            Self::MOVES => Some(Self::Moves),
            Self::NOW => Some(Self::Now),
            _ => None,
        }
    }

    /// Returns the form that an engine asks for with the default of its option `Position`; `None`
    /// if the option is another one.
    pub fn declared_by(option: &EngineOption) -> Option<Self> {
        match &option.kind {
            OptionKind::Combo { default, .. } if is_position_option(option.name.as_str()) => {
                Self::from_word(default.as_str())
            }
            _ => None,
        }
    }

    /// Returns the line that sends `game` to an engine. It leaves out the plies for
    /// [`PositionForm::Now`], and those of a game that does not fit into a line of
    /// [`MAX_LINE_BYTES`].
    pub fn position_line(self, game: &Game) -> String {
        if self == Self::Now {
            // The literal also of a start, so that an engine reads a single form.
            let position = game.position();
            return format!("position {position} rules {}", position.rules());
        }
        let line = HostMessage::Position(Box::new(game.clone())).to_string();
        if line.len() <= MAX_LINE_BYTES {
            return line;
        }
        let without_plies = Game::new(game.position().clone());
        HostMessage::Position(Box::new(without_plies)).to_string()
    }
}

/// Returns whether a name is that of the option for a [`PositionForm`].
pub fn is_position_option(name: &str) -> bool {
    name.eq_ignore_ascii_case(POSITION_OPTION)
}

#[cfg(test)]
mod tests {
    use kalah::{House, Move, Position, Rules};

    use super::*;

    /// A multiplier that spreads the plies over the legal houses, which makes the game long.
    const LARGE_PRIME: usize = 7919;

    /// The number of plies between two checks. Parsing a long game takes a while.
    const CHECK_INTERVAL: usize = 500;

    #[test]
    fn current_position_is_sent_without_moves() {
        let mut game = Game::new(Position::start(3, 2, Rules::MANKALAH).expect("a start"));
        let line = PositionForm::Now.position_line(&game);
        assert!(
            line.starts_with("position <3,0,0,2,2,2,2,2,2> s "),
            "{line}"
        );
        game.play(Move::Sow(House::new(1).expect("a house")))
            .expect("a legal move");
        for (form, line) in [
            (
                PositionForm::Moves,
                "position startpos 3x2 rules mankalah moves A",
            ),
            (
                PositionForm::Now,
                "position <3,0,0,0,3,3,2,2,2> n ply=2 rules mankalah",
            ),
        ] {
            assert_eq!(form.position_line(&game), line);
            let Ok(HostMessage::Position(parsed)) = line.parse() else {
                panic!("{line}")
            };
            assert_eq!(parsed.position(), game.position());
        }
    }

    #[test]
    fn position_command_leaves_out_the_plies_of_a_game_that_exceeds_a_line() {
        let start = Position::start(26, 1200, Rules::CS32).expect("a valid start");
        let mut game = Game::new(start);
        let mut is_complete = true;
        loop {
            let houses: Vec<House> = game.position().legal_houses().collect();
            let lot = game.plies().len() * LARGE_PRIME;
            let Some(&house) = houses.get(lot % houses.len().max(1)) else {
                break;
            };
            game.play(Move::Sow(house)).expect("a legal move");
            if !game.plies().len().is_multiple_of(CHECK_INTERVAL) {
                continue;
            }
            let line = PositionForm::Moves.position_line(&game);
            assert!(line.len() <= MAX_LINE_BYTES);
            let Ok(HostMessage::Position(parsed)) = line.parse() else {
                panic!("{line}")
            };
            assert_eq!(parsed.position(), game.position());
            is_complete = *parsed == game;
        }
        assert!(!is_complete, "{} plies are too few", game.plies().len());
    }
}
