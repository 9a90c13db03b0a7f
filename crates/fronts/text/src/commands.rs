//! The lines that a person types in plain mode: commands, their keys, and the list of them.

use std::iter;
use std::path::PathBuf;

use kalah::{House, HouseLabelError, Labels, Move, Position, Side};
use kalah_players::escape_truncated;
use thiserror::Error;

use crate::describe::Notation;
use crate::human_player::PromptContext;

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

/// A command with its other words and its description. A word of one letter is a key of the
/// screen.
type CommandHelp = (&'static [&'static str], &'static str);

const UNDO_HELP: CommandHelp = (&["undo", "u"], "undo your last move");
const REDO_HELP: CommandHelp = (&["redo", "r"], "redo the move that was undone");
const HINT_HELP: CommandHelp = (&["hint", "h"], "show the best move that the engine finds");
const SAVE_HELP: CommandHelp = (&["save FILE"], "add the game so far to the games in FILE");
const SWAP_HELP: CommandHelp = (&["swap", "x"], "swap sides");
const RESIGN_HELP: CommandHelp = (&["resign"], "resign the game");
const QUIT_HELP: CommandHelp = (&["quit", "exit", "q"], "leave the game unfinished");
const SHOW_ANSWER_HELP: CommandHelp = (&["resign"], "show the answer");
const QUIT_PUZZLES_HELP: CommandHelp = (&["quit", "exit", "q"], "end the puzzles");
const LIST_HELP: CommandHelp = (&["help", "?"], "show this list");

/// The width of the list of commands without a terminal.
pub(crate) const HELP_WIDTH: usize = 80;

/// The column of the descriptions in the list of commands, behind `  quit, exit, q  `.
const DESCRIPTION_COLUMN: usize = 17;

/// Wraps each line of a text between words.
pub(crate) fn wrap(text: &str, width: usize) -> String {
    let lines = text.lines().map(|line| textwrap::fill(line, width.max(1)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The commands that depend on the prompt.
pub(crate) struct AvailableCommands {
    pub(crate) context: PromptContext,
    pub(crate) has_hints: bool,
    pub(crate) has_saving: bool,
}

impl AvailableCommands {
    /// Returns the legal moves and the commands that work here, with at most `width` columns.
    pub(crate) fn help_text(&self, position: &Position, labels: Labels, width: usize) -> String {
        let moves = Notation::new(position, labels).format_legal_moves(position);
        let columns = if labels == Labels::Letters {
            " (a column number works too)"
        } else {
            ""
        };
        let heading = format!("Type a house to sow, {moves}{columns}, or a command:");
        let commands = match self.context {
            PromptContext::Game => vec![
                Some(UNDO_HELP),
                Some(REDO_HELP),
                self.has_hints.then_some(HINT_HELP),
                self.has_saving.then_some(SAVE_HELP),
                position.can_swap().then_some(SWAP_HELP),
                Some(RESIGN_HELP),
                Some(QUIT_HELP),
            ],
            PromptContext::Puzzle => vec![
                position.can_swap().then_some(SWAP_HELP),
                Some(SHOW_ANSWER_HELP),
                Some(QUIT_PUZZLES_HELP),
            ],
        };
        let commands = commands.into_iter().flatten().chain([LIST_HELP]);
        let lines = commands.map(|command| command_line(command, position.houses(), width));
        let lines = iter::once(wrap(&heading, width)).chain(lines);
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Parses a line and checks that its move is legal. The error is the message that rejects it.
pub(crate) fn parse_command(
    line: &str,
    position: &Position,
    labels: Labels,
) -> Result<InputCommand, String> {
    let command = InputCommand::parse(line, position.to_move(), labels, position.houses())
        .map_err(|error| error.to_string())?;
    if let InputCommand::Move(mv) = command {
        position.check_legal(mv).map_err(|reason| {
            let notation = Notation::new(position, labels);
            let moves = notation.format_legal_moves(position);
            format!("{}: choose {moves}", notation.describe_illegal_move(reason))
        })?;
    }
    Ok(command)
}

/// Parses the label of a house of `side`, or where letters are the labels also the number of its
/// column.
fn parse_house(
    text: &str,
    side: Side,
    labels: Labels,
    houses: u8,
) -> Result<House, HouseLabelError> {
    labels.parse_house(text, side, houses).or_else(|error| {
        let column = Labels::Columns.parse_house(text, side, houses).ok();
        column.filter(|_| labels == Labels::Letters).ok_or(error)
    })
}

/// Returns the command that a key gives on the screen; `None` if a house of a board with this many
/// houses a side has the letter.
fn command_of_key(key: &str, houses: u8) -> Option<&'static str> {
    let command = match key {
        "?" => return Some("help"),
        "u" => "undo",
        "r" => "redo",
        "h" => "hint",
        "x" => "swap",
        "q" => "quit",
        _ => return None,
    };
    let is_house = Labels::Letters
        .parse_house(key, Side::South, houses)
        .is_ok();
    (!is_house).then_some(command)
}

/// Returns the line of a command in the list of commands, with the words that give it on a board
/// with this many houses a side.
fn command_line((words, description): CommandHelp, houses: u8, width: usize) -> String {
    let is_key = |word: &str| word.chars().count() == 1;
    let words: Vec<&str> = (words.iter().copied())
        .filter(|word| !is_key(word) || command_of_key(word, houses).is_some())
        .collect();
    let column = DESCRIPTION_COLUMN - 2;
    let line = format!("{:column$}{description}", words.join(", "));
    // On a narrow terminal, the further lines of a description have room enough.
    let indent = " ".repeat(DESCRIPTION_COLUMN.min(width / 2));
    let options = textwrap::Options::new(width.max(1))
        .initial_indent("  ")
        .subsequent_indent(&indent);
    textwrap::fill(&line, options)
}

impl InputCommand {
    /// Parses `line` on the turn of `side`, on a board of `houses` a side with these labels.
    ///
    /// The case of commands is ignored. The keys of the screen (`u`, `r`, `h`, `x`, `q` and `?`)
    /// give their commands where no house of the board has the letter.
    fn parse(line: &str, side: Side, labels: Labels, houses: u8) -> Result<Self, ParseInputError> {
        let line = line.trim();
        let (word, rest) = match line.split_once(char::is_whitespace) {
            Some((word, rest)) => (word, rest.trim()),
            None => (line, ""),
        };
        let lower_case = word.to_ascii_lowercase();
        let word = command_of_key(&lower_case, houses).unwrap_or(&lower_case);
        let command = match (word, rest) {
            ("", _) => return Err(ParseInputError::Empty),
            ("save", "") => return Err(ParseInputError::MissingFileName),
            ("save", file) => Self::Save(file.into()),
            ("undo", "") => Self::Undo,
            ("redo", "") => Self::Redo,
            ("hint", "") => Self::Hint,
            ("help", "") => Self::Help,
            ("resign", "") => Self::Resign,
            ("swap", "") => Self::Move(Move::Swap),
            ("quit" | "exit", "") => Self::Quit,
            _ => Self::Move(Move::Sow(parse_house(
                &escape_truncated(line),
                side,
                labels,
                houses,
            )?)),
        };
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use kalah::House;

    use super::*;

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
        assert_eq!(parse("1", Labels::Letters), Ok(house(6)));
        assert!(parse("1", Labels::Yale).is_err());
        assert!(parse("a", Labels::Columns).is_err());
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
    fn keys_of_the_screen_are_commands_where_no_house_has_the_letter() {
        for (key, command) in [
            ("u", InputCommand::Undo),
            ("R", InputCommand::Redo),
            ("h", InputCommand::Hint),
            ("x", InputCommand::Move(Move::Swap)),
            ("q", InputCommand::Quit),
            ("exit", InputCommand::Quit),
            ("?", InputCommand::Help),
        ] {
            for labels in Labels::ALL {
                assert_eq!(parse(key, labels), Ok(command.clone()), "{key}");
            }
        }
        let on_a_long_row = |key| InputCommand::parse(key, Side::North, Labels::Letters, 8);
        assert_eq!(on_a_long_row("h"), Ok(house(8)));
        assert_eq!(on_a_long_row("u"), Ok(InputCommand::Undo));
        let with_all_letters = |key| InputCommand::parse(key, Side::North, Labels::Letters, 26);
        assert_eq!(with_all_letters("u"), Ok(house(21)));
        assert_eq!(with_all_letters("?"), Ok(InputCommand::Help));
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
        let error = parse("7", Labels::Letters).unwrap_err();
        let message = "`7` is not a house: North's houses are a to f";
        assert_eq!(error.to_string(), message);
    }
}
