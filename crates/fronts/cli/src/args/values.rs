//! Options and values that several commands share, and their parsers: rules, labels, the folder of
//! tables, players and numbers.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::{Labels, ParseRulesError, Rules, TimeLimit};
use kalah_players::{GamePlayerSpec, PlayerSpec};
use kalah_protocols::ENGINE_PROTOCOLS;

/// The maximum number of threads: more than all but the largest machines have.
pub(crate) const MAX_THREADS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// The argument that stands for standard input.
pub(crate) const STDIN_ARGUMENT: &str = "-";

/// The option `--rules`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RulesOption {
    /// The rules: cs32, standard, empty-capture, mankalah, or all four fields as `kalah rules`
    /// explains them
    #[arg(long, value_name = "PRESET", default_value_t = Rules::CS32, value_parser = parse_rules)]
    pub(crate) rules: Rules,
}

/// The option `--labels`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LabelsOption {
    /// Names of the houses: letters run in sowing order (A.. South, a.. North), columns are CS 32's
    /// numbers from left to right, yale counts from the store (S1, N1)
    #[arg(long, value_name = "LABELS", default_value_t, value_parser = labels_parser(),
        ignore_case = true)]
    pub(crate) labels: Labels,
}

/// The option `--dir`.
#[derive(Clone, Debug, Args)]
pub(crate) struct TableFolderOption {
    /// The folder of the tables [default: `tables` in the user's data folder of this program]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
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

/// Parses a time that a search or a player has, which is more than zero. clap quotes the input
/// itself.
///
/// # Errors
/// If the text is not a time, is zero, or more than a day.
pub(crate) fn parse_positive_time(text: &str) -> Result<TimeLimit, String> {
    match text.parse::<TimeLimit>() {
        Ok(limit) if limit.get().is_zero() => {
            Err("expected a duration of more than zero, such as 50ms, 5s or 1m 30s".to_owned())
        }
        result => result.map_err(|error| error.to_string()),
    }
}

/// Parses rules, in capital or small letters.
///
/// # Errors
/// The error of the text as typed.
pub(crate) fn parse_rules(text: &str) -> Result<Rules, ParseRulesError> {
    text.parse()
        .or_else(|reason| text.to_lowercase().parse().map_err(|_| reason))
}

/// Returns a parser of the values of `--labels`, which it lists in the help.
pub(crate) fn labels_parser() -> impl TypedValueParser<Value = Labels> {
    PossibleValuesParser::new(Labels::ALL.map(Labels::name))
        .try_map(|word| word.to_lowercase().parse::<Labels>())
}

/// Parses a person, a built-in player or a program.
pub(crate) fn parse_game_player(text: &str) -> Result<GamePlayerSpec, String> {
    GamePlayerSpec::parse(text, ENGINE_PROTOCOLS).map_err(|reason| reason.to_string())
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
    }

    #[test]
    fn rules_may_have_capital_letters() {
        assert_eq!(parse_rules("CS32").ok(), Some(Rules::CS32));
        assert_eq!(
            parse_rules(" Empty-Capture").ok(),
            Some(Rules::EMPTY_CAPTURE)
        );
        let reason = parse_rules("Chess").expect_err("unknown").to_string();
        assert!(reason.contains("`Chess`"), "{reason}");
    }

    #[test]
    fn program_player_can_have_a_time_but_is_no_person() {
        assert!(parse_program_player("smart:1s").is_ok());
        assert!(parse_program_player("human").is_err());
    }
}
