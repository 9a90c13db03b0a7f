//! Positions of a command line: texts, positions of recorded games, and the moves after them.

use std::path::Path;
use std::str::FromStr;

use clap::Args;
use kalah::{Game, Labels, ParseSetupError, ParseSetupReason, Position, Rules, Setup};
use kalah_players::quoted_path;
use kalah_record_files::{FileGame, RecordSource};
use thiserror::Error;

use super::moves::play_moves;
use super::recorded::GameReference;
use super::values::{LabelsOption, STDIN_ARGUMENT, parse_rules};
use crate::batch::{BatchCommand, LineSource};
use crate::config::config;
use crate::error::CliError;

/// A position with its rules and labels.
#[derive(Clone, Debug, Args)]
pub(crate) struct PositionArgs {
    /// The position: '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' in quotes, `MxN` for a start such as 6x4,
    /// or game.kgn#3@17 for that after ply 17 of the third game of a file
    #[arg(value_name = "POS|MxN|GAME")]
    position: PositionSource,
    #[command(flatten)]
    context: PositionContext,
}

impl PositionArgs {
    /// Returns the position under its rules, after the moves of `--line`.
    ///
    /// # Errors
    /// [`CliError::Usage`] if the position is not playable or a move is not legal, and
    /// [`CliError::Runtime`] if the recorded game cannot be read.
    pub(crate) fn to_position(&self) -> Result<Position, CliError> {
        self.context.position(&self.position)
    }

    /// Returns the names of the houses.
    pub(crate) fn labels(&self) -> Labels {
        self.context.labels()
    }
}

/// A position, or many of them, with their rules and labels.
#[derive(Clone, Debug, Args)]
pub(crate) struct PositionsArgs {
    /// The position: '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' in quotes, `MxN` for a start such as 6x4,
    /// or game.kgn#3@17 for that after ply 17 of the third game of a file. Or a file with a
    /// position in each line, or `-` for standard input
    #[arg(value_name = "POS|MxN|GAME|FILE|-")]
    positions: PositionsSource,
    #[command(flatten)]
    pub(crate) context: PositionContext,
}

/// The position of a command, or the lines with its positions.
pub(crate) enum Positions {
    /// One position.
    One(Position),
    /// A position in each line.
    Lines(LineSource),
}

impl PositionsArgs {
    /// Returns the position as [`PositionArgs::to_position`] does, or the source of the lines.
    ///
    /// # Errors
    /// As [`PositionArgs::to_position`].
    pub(crate) fn to_positions(&self) -> Result<Positions, CliError> {
        match &self.positions {
            PositionsSource::One(source) => self.context.position(source).map(Positions::One),
            PositionsSource::Lines(source) => Ok(Positions::Lines(source.clone())),
        }
    }
}

/// The argument of a command that takes one position or many.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PositionsSource {
    One(PositionSource),
    Lines(LineSource),
}

impl FromStr for PositionsSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(source) => Ok(Self::One(source)),
            Err(reason @ ParsePositionError::Recorded(_)) => Err(reason.to_string()),
            Err(_) if text == STDIN_ARGUMENT => Ok(Self::Lines(LineSource::Stdin)),
            Err(_) if is_path(text) => Ok(Self::Lines(LineSource::File(text.into()))),
            Err(reason) if reason.is_unknown_format() => {
                Err(format!("{reason}, or the name of a file"))
            }
            Err(reason) => Err(reason.to_string()),
        }
    }
}

/// Returns whether a text that is no position is a path: of an existing file, or with a separator
/// of folders or an extension.
fn is_path(text: &str) -> bool {
    let path = Path::new(text);
    let looks_like_path = path.extension().is_some() || path.components().count() > 1;
    !text.trim_start().starts_with('<') && (looks_like_path || path.exists())
}

/// The options that complete a position.
#[derive(Clone, Debug, Args)]
pub(crate) struct PositionContext {
    /// Moves after the position, as in a record: "CF a" or "1. CF a 2. B"
    #[arg(long, value_name = "MOVES")]
    line: Option<String>,
    /// The rules: cs32, standard, empty-capture, mankalah, or all four fields as `kalah rules`
    /// explains them [default: cs32, or those of the game]
    #[arg(long, value_name = "PRESET", value_parser = parse_rules)]
    rules: Option<Rules>,
    #[command(flatten)]
    labels: LabelsOption,
}

impl PositionContext {
    /// Returns the position of `source` under its rules, after the moves of `--line`.
    ///
    /// # Errors
    /// As [`PositionArgs::to_position`].
    pub(crate) fn position(&self, source: &PositionSource) -> Result<Position, CliError> {
        let position = source.position(self.rules)?;
        let Some(line) = &self.line else {
            return Ok(position);
        };
        play_moves(position, line).map_err(|reason| CliError::Usage(format!("--line: {reason}")))
    }

    /// Returns the position of a text, or that of a recorded game, that may have moves after it.
    ///
    /// # Errors
    /// A message if the text is no position, the position is not playable, a move is not legal, or
    /// the recorded game cannot be read.
    pub(crate) fn position_of_text(&self, text: &str) -> Result<Position, String> {
        let (position, moves) = if let Some((recorded, moves)) = split_recorded(text)? {
            let position = recorded.position(self.rules);
            let position = position.map_err(|error| error.message().unwrap_or_default());
            (position?, moves)
        } else {
            let (setup, moves) = split_setup(text).map_err(|reason| reason.to_string())?;
            let position = setup.position(self.rules());
            (position.map_err(|reason| reason.to_string())?, moves)
        };
        let line = self.line.as_deref().unwrap_or_default();
        let position = play_moves(position, moves).and_then(|position| play_moves(position, line));
        position.map_err(|reason| reason.to_string())
    }

    /// Adds the options on which the positions of lines depend to a command.
    pub(crate) fn add_to(&self, command: BatchCommand) -> BatchCommand {
        command
            .with_option("--line", self.line.as_ref())
            .with_option("--rules", Some(self.rules()))
    }

    /// Returns the rules of positions that are not those of games.
    fn rules(&self) -> Rules {
        rules_or_default(self.rules)
    }

    /// Returns the names of the houses.
    pub(crate) fn labels(&self) -> Labels {
        self.labels.labels
    }
}

/// Returns the rules of the command line, or else those of the configuration.
fn rules_or_default(rules: Option<Rules>) -> Rules {
    rules.unwrap_or_else(|| config().rules())
}

/// Returns the splits of a text at its spaces into a start and the rest, the longest start first.
fn splits(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let spaces = text.rmatch_indices(char::is_whitespace);
    let ends = [text.len()].into_iter().chain(spaces.map(|(end, _)| end));
    ends.map(|end| text.split_at(end))
}

/// Splits a text into the position of a recorded game at its start and the rest; `None` if it does
/// not begin with one.
///
/// # Errors
/// As [`RecordedPosition::parse`].
fn split_recorded(text: &str) -> Result<Option<(RecordedPosition, &str)>, String> {
    let found = splits(text).find_map(|(start, moves)| {
        let recorded = RecordedPosition::parse(start).ok().flatten()?;
        Some((recorded, moves))
    });
    match found {
        Some(found) => Ok(Some(found)),
        None => RecordedPosition::parse(text).map(|_| None),
    }
}

/// Splits a text into the setup at its start and the rest.
///
/// # Errors
/// The error of the whole text if it does not begin with a setup.
fn split_setup(text: &str) -> Result<(Setup, &str), ParseSetupError> {
    let found = splits(text).find_map(|(start, moves)| Some((parse_setup(start).ok()?, moves)));
    found.map_or_else(|| text.parse().map(|setup| (setup, "")), Ok)
}

/// The signs for `x` in the text of a start.
const TIMES_SIGNS: [char; 2] = ['X', '×'];

/// Parses a position or a start, which may also be typed as `6X4` and `6×4`.
///
/// # Errors
/// The error of the text as typed.
pub(crate) fn parse_setup(text: &str) -> Result<Setup, ParseSetupError> {
    text.parse()
        .or_else(|reason| text.replace(TIMES_SIGNS, "x").parse().map_err(|_| reason))
}

/// A position argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PositionSource {
    /// A position or a start as text.
    Typed(TypedSetup),
    /// A position of a game in a record file.
    Recorded(RecordedPosition),
}

impl PositionSource {
    /// Returns the position under the rules of the command line.
    ///
    /// # Errors
    /// As [`PositionArgs::to_position`].
    fn position(&self, rules: Option<Rules>) -> Result<Position, CliError> {
        match self {
            Self::Typed(setup) => setup.playable(rules_or_default(rules)),
            Self::Recorded(recorded) => recorded.position(rules),
        }
    }
}

impl FromStr for PositionSource {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Self, ParsePositionError> {
        match RecordedPosition::parse(text).map_err(ParsePositionError::Recorded)? {
            Some(recorded) => Ok(Self::Recorded(recorded)),
            None => Ok(Self::Typed(text.parse()?)),
        }
    }
}

/// An error in the text of a position.
#[derive(Debug, Error)]
pub(crate) enum ParsePositionError {
    /// The text is no position and no start.
    #[error(transparent)]
    Typed(#[from] ParseTypedSetupError),
    /// The text after the name of a record file is no game or ply.
    #[error("{0}")]
    Recorded(String),
}

impl ParsePositionError {
    /// Returns whether the text has neither the form of a position nor that of a start, so that
    /// it may be the name of a file.
    fn is_unknown_format(&self) -> bool {
        match self {
            Self::Typed(error) => error.0.reason == ParseSetupReason::UnknownFormat,
            Self::Recorded(_) => false,
        }
    }
}

/// A position of a game in a record file, as `game.kgn#3@17`: the first game and its last position
/// if the text has no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedPosition(GameReference);

impl RecordedPosition {
    /// Parses the path of a record file with a game and a number of plies. Returns `None` for any
    /// other text.
    ///
    /// # Errors
    /// As [`GameReference::parse`].
    fn parse(text: &str) -> Result<Option<Self>, String> {
        let recorded = GameReference::parse(Path::new(text))?;
        let extension = recorded.path.extension();
        let is_record_file = extension.is_some_and(|it| it == kalah_record_files::EXTENSION);
        Ok(is_record_file.then_some(Self(recorded)))
    }

    /// Returns the position.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if there is no such game or ply, and [`CliError::Usage`] if `rules`
    /// are not those of the game.
    fn position(&self, rules: Option<Rules>) -> Result<Position, CliError> {
        let GameReference { path, game, ply } = &self.0;
        let source = RecordSource::open(path)?;
        let selector = game.clone().unwrap_or_default();
        let FileGame { record, number, .. } = kalah_record_files::read_one(source, &selector)?;
        let start = record.start();
        if let Some(rules) = rules.filter(|&rules| rules != start.rules()) {
            let (file, own) = (quoted_path(path), start.rules());
            return Err(CliError::Usage(format!(
                "game {number} of {file} has the rules {own}, not {rules}: leave out --rules"
            )));
        }
        let plies = record.main_line().count();
        let ply = ply.unwrap_or(plies);
        if ply > plies {
            let file = quoted_path(path);
            return Err(CliError::Runtime(format!(
                "game {number} of {file} has no ply {ply}: it ends with ply {plies}"
            )));
        }
        let game = Game::replay(start, record.main_line().take(ply));
        let game = game.map_err(|reason| CliError::Runtime(reason.to_string()))?;
        Ok(game.position().clone())
    }
}

/// The start of games: `--board` or `--position`, with its rules.
#[derive(Clone, Debug, Args)]
pub(crate) struct StartOptions {
    /// The start: M houses a side and N seeds in each house
    #[arg(long, value_name = "MxN", default_value = "6x4", value_parser = parse_board_beside_position)]
    board: TypedSetup,
    /// The position to start from: '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' in quotes, `MxN`, or
    /// game.kgn#3@17 for that after ply 17 of the third game of a file
    #[arg(long, value_name = "POS|MxN|GAME", conflicts_with = "board")]
    position: Option<PositionSource>,
    /// The rules: cs32, standard, empty-capture, mankalah, or all four fields as `kalah rules`
    /// explains them [default: cs32, or those of the game of --position]
    #[arg(long, value_name = "PRESET", value_parser = parse_rules)]
    rules: Option<Rules>,
}

impl StartOptions {
    /// Returns the start under the rules of the command line.
    ///
    /// # Errors
    /// [`CliError::Usage`] if the position is not playable, and [`CliError::Runtime`] if the
    /// recorded game cannot be read.
    pub(crate) fn to_position(&self) -> Result<Position, CliError> {
        match &self.position {
            Some(source) => source.position(self.rules),
            None => self.board.playable(rules_or_default(self.rules)),
        }
    }
}

/// A setup from a command line with its text, which error messages quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypedSetup {
    text: String,
    setup: Setup,
}

impl TypedSetup {
    /// Returns the position under `rules`.
    ///
    /// # Errors
    /// [`CliError::Usage`] with the text and all reasons why it is not a valid position.
    pub(crate) fn playable(&self, rules: Rules) -> Result<Position, CliError> {
        let position = self.setup.position(rules);
        position.map_err(|reason| CliError::Usage(format!("position `{}`: {reason}", self.text)))
    }

    /// Returns the setup, which is a position under `rules`.
    ///
    /// # Errors
    /// As [`Self::playable`].
    pub(crate) fn playable_setup(&self, rules: Rules) -> Result<Setup, CliError> {
        self.playable(rules).map(|_| self.setup.clone())
    }
}

/// An error in the text of a setup. Its message does not quote the text, because that of clap does.
#[derive(Debug, Error)]
#[error("character {}: {}", .0.character, .0.reason)]
pub(crate) struct ParseTypedSetupError(#[from] ParseSetupError);

impl FromStr for TypedSetup {
    type Err = ParseTypedSetupError;

    fn from_str(text: &str) -> Result<Self, ParseTypedSetupError> {
        Ok(Self {
            text: text.to_owned(),
            setup: parse_setup(text)?,
        })
    }
}

/// Parses a start such as `6x4`. A position in angle brackets is an error.
pub(crate) fn parse_board(text: &str) -> Result<TypedSetup, String> {
    if is_position(text) {
        return Err("expected a start such as 6x4, not a position".to_owned());
    }
    text.parse()
        .map_err(|reason: ParseTypedSetupError| reason.to_string())
}

/// Parses a start for a command that also has the option `--position`.
fn parse_board_beside_position(text: &str) -> Result<TypedSetup, String> {
    if is_position(text) {
        return Err("expected a start such as 6x4: use --position for a position".to_owned());
    }
    parse_board(text)
}

/// Returns whether the text begins like a position in angle brackets.
fn is_position(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_of_an_unplayable_setup_quotes_its_text() {
        let setup: TypedSetup = "26x65535".parse().expect("a setup");
        let error = setup.playable(Rules::CS32).expect_err("too many seeds");
        assert_eq!(
            error.message().expect("a message"),
            "position `26x65535`: 3407820 seeds are too many: at most 65535 can be played, stores \
             included"
        );
    }

    #[test]
    fn starts_may_be_typed_with_other_signs() {
        let start: Setup = "6x4".parse().expect("a start");
        for text in ["6X4", "6×4", "6x4"] {
            assert_eq!(parse_setup(text).ok(), Some(start.clone()), "{text}");
            let line = format!("{text} CF a");
            let (setup, moves) = split_setup(&line).expect("a line");
            assert_eq!((setup, moves.trim()), (start.clone(), "CF a"), "{text}");
        }
        let reason = parse_setup("6Xx4").expect_err("no start");
        assert_eq!(reason, "6Xx4".parse::<Setup>().expect_err("no start"));
    }
}
