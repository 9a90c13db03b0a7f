//! Options and values that several commands share, and their parsers: positions, rules, labels, the
//! folder of tables, players and numbers.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::{Labels, ParseSetupError, Position, Rules, Setup};
use kalah_players::PlayerSpec;
use thiserror::Error;

use crate::error::CliError;

/// The maximum number of threads: more than all but the largest machines have.
pub(crate) const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// A position with its rules and labels.
#[derive(Clone, Debug, Args)]
pub(crate) struct PositionArgs {
    /// The position: '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' in quotes, or `MxN` for a start such as
    /// 6x4
    #[arg(value_name = "POS|MxN")]
    position: TypedSetup,
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    pub(crate) labels: LabelsOption,
}

impl PositionArgs {
    /// Returns the position under the rules of the command line.
    ///
    /// # Errors
    /// [`CliError::Usage`] if the position is not playable.
    pub(crate) fn to_position(&self) -> Result<Position, CliError> {
        self.position.playable(self.rules.rules)
    }
}

/// The start of games: `--board` or `--position`, with its rules.
#[derive(Clone, Debug, Args)]
pub(crate) struct StartOptions {
    /// The start: M houses a side and N seeds in each house
    #[arg(long, value_name = "MxN", default_value = "6x4", value_parser = parse_board_beside_position)]
    board: TypedSetup,
    /// The position to start from: '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s' in quotes, or `MxN`
    #[arg(long, value_name = "POS|MxN", conflicts_with = "board")]
    position: Option<TypedSetup>,
    #[command(flatten)]
    rules: RulesOption,
}

impl StartOptions {
    /// Returns the start under the rules of the command line.
    ///
    /// # Errors
    /// [`CliError::Usage`] if the position is not playable.
    pub(crate) fn to_position(&self) -> Result<Position, CliError> {
        let setup = self.position.as_ref().unwrap_or(&self.board);
        setup.playable(self.rules.rules)
    }
}

/// The option `--rules`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RulesOption {
    /// The rules: cs32, standard, empty-capture, mankalah, or all four fields as `kalah rules`
    /// explains them
    #[arg(long, value_name = "PRESET", default_value_t = Rules::CS32)]
    pub(crate) rules: Rules,
}

/// The option `--labels`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LabelsOption {
    /// Names of the houses: letters run in sowing order (A.. South, a.. North), columns are CS 32's
    /// numbers from left to right, yale counts from the store (S1, N1)
    #[arg(long, value_name = "LABELS", default_value_t, value_parser = labels_parser())]
    pub(crate) labels: Labels,
}

/// The option `--dir`.
#[derive(Clone, Debug, Args)]
pub(crate) struct TableFolderOption {
    /// The folder of the tables [default: `tables` in the user's data folder of this program]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
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
            setup: text.parse()?,
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

/// Returns a parser of whole numbers from `min` to `max`.
pub(crate) fn whole_number_parser<N>(min: N, max: N) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + PartialOrd + Display + Copy,
{
    move |text| match text.parse() {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(format!("expected a whole number from {min} to {max}")),
    }
}

/// Parses the number of a game in a file; the first game is number 1.
pub(crate) fn parse_game_number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("games are numbered from 1".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// Returns a parser of the values of `--labels`, which it lists in the help.
pub(crate) fn labels_parser() -> impl TypedValueParser<Value = Labels> {
    PossibleValuesParser::new(Labels::ALL.map(Labels::name)).try_map(|word| word.parse::<Labels>())
}

/// Parses a player other than `human`.
pub(crate) fn parse_program_player(text: &str) -> Result<PlayerSpec, String> {
    PlayerSpec::parse_program(text).map_err(|reason| reason.to_string())
}

/// Returns `seed`, or a random seed if it is `None`.
pub(crate) fn seed_or_random(seed: Option<u64>) -> u64 {
    seed.unwrap_or_else(|| getrandom::u64().expect("the system has a source of random numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsers_refuse_values_outside_their_range() {
        let number = whole_number_parser(1_u8, 7);
        assert_eq!(number("7"), Ok(7));
        for text in ["0", "8", "x", ""] {
            assert_eq!(
                number(text),
                Err("expected a whole number from 1 to 7".to_owned())
            );
        }
        assert_eq!(parse_game_number("1"), Ok(1));
        assert!(parse_game_number("0").is_err());
        assert!(parse_board("6x4").is_ok());
        assert!(parse_board("<1,0,0,1,1> s").is_err());
    }

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
    fn program_player_can_have_a_time_but_is_no_person() {
        assert!(parse_program_player("smart:1s").is_ok());
        assert!(parse_program_player("human").is_err());
    }
}
