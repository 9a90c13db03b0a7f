//! The commands that a person types when prompted for an action.

use std::path::PathBuf;

use kalah::{HouseLabelError, Labels, Move, Side};
use kalah_players::escape_truncated;
use thiserror::Error;

/// A line that a person types when prompted for an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InputCommand {
    /// The label of a house, or `swap`.
    Move(Move),
    Undo,
    Redo,
    Hint,
    Help,
    /// Save the game so far to this file.
    Save(PathBuf),
    Resign,
    Quit,
}

/// The reason why a line is not a command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ParseInputError {
    #[error("the line is empty")]
    Empty,
    #[error("`save` needs a file name: save FILE")]
    MissingFileName,
    #[error(transparent)]
    InvalidHouse(#[from] HouseLabelError),
}

impl InputCommand {
    /// Parses `line` on the turn of `side`, on a board of `houses` a side with these labels.
    ///
    /// The case of commands is ignored. No command is a single letter, because each letter can be
    /// the label of a house.
    pub(crate) fn parse(
        line: &str,
        side: Side,
        labels: Labels,
        houses: u8,
    ) -> Result<Self, ParseInputError> {
        let line = line.trim();
        let (word, rest) = match line.split_once(char::is_whitespace) {
            Some((word, rest)) => (word, rest.trim()),
            None => (line, ""),
        };
        let command = match (word.to_ascii_lowercase().as_str(), rest) {
            ("", _) => return Err(ParseInputError::Empty),
            ("save", "") => return Err(ParseInputError::MissingFileName),
            ("save", file) => Self::Save(file.into()),
            ("undo", "") => Self::Undo,
            ("redo", "") => Self::Redo,
            ("hint", "") => Self::Hint,
            ("help", "") => Self::Help,
            ("resign", "") => Self::Resign,
            ("swap", "") => Self::Move(Move::Swap),
            ("quit", "") => Self::Quit,
            _ => Self::Move(Move::Sow(labels.parse_house(
                &escape_truncated(line),
                side,
                houses,
            )?)),
        };
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kalah::House;

    fn parse(line: &str, labels: Labels) -> Result<InputCommand, ParseInputError> {
        InputCommand::parse(line, Side::North, labels, 6)
    }

    fn house(number: u32) -> InputCommand {
        InputCommand::Move(Move::Sow(House::new(number).expect("from 1 to 26")))
    }

    #[test]
    fn houses_are_parsed_by_their_labels() {
        assert_eq!(parse(" 1 ", Labels::Columns), Ok(house(6)));
        assert_eq!(parse("a", Labels::Letters), Ok(house(1)));
        assert_eq!(parse("A", Labels::Letters), Ok(house(1)));
        assert_eq!(parse("n1", Labels::Yale), Ok(house(6)));
    }

    #[test]
    fn commands_are_parsed_in_upper_and_lower_case() {
        for (line, command) in [
            ("undo", InputCommand::Undo),
            ("Redo", InputCommand::Redo),
            ("HINT", InputCommand::Hint),
            (" help ", InputCommand::Help),
            ("resign", InputCommand::Resign),
            ("quit", InputCommand::Quit),
            ("swap", InputCommand::Move(Move::Swap)),
            (
                "save  my game.kgn ",
                InputCommand::Save("my game.kgn".into()),
            ),
        ] {
            for labels in Labels::ALL {
                assert_eq!(parse(line, labels), Ok(command.clone()), "{line}");
            }
        }
    }

    #[test]
    fn other_lines_are_rejected_with_a_message_of_one_line() {
        for (line, message) in [
            ("", "the line is empty"),
            ("save", "`save` needs a file name: save FILE"),
            ("7", "there is no house `7`: North's houses are 1 to 6"),
            ("0", "there is no house `0`: North's houses are 1 to 6"),
            (
                "undo 3",
                "`undo 3` is not a house: North's houses are 1 to 6",
            ),
            ("-1", "`-1` is not a house: North's houses are 1 to 6"),
            ("3 4", "`3 4` is not a house: North's houses are 1 to 6"),
            (
                "\u{1b}[A",
                "`\\u{1b}[A` is not a house: North's houses are 1 to 6",
            ),
        ] {
            let error = parse(line, Labels::Columns).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
