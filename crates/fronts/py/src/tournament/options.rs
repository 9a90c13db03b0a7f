//! The options of a tournament as arguments.

use std::env;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use kalah::{Rules, Setup, TimeLimit};
use kalah_arena::{
    Adjudication, AdjudicationOption, OpeningsOption, ResignRule, SprtParam, Tournament,
    TournamentFormat,
};
use kalah_players::{ContestantSpec, ParseContestantSpecError, TimeControl};
use kalah_protocols::ENGINE_PROTOCOLS;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments;
use crate::errors::{Error, KalahError};
use crate::games::position::{PyPosition, position_from_py};
use crate::games::values::rules_from_py;

/// Parses the text of an option. The error names the option.
fn parse<T: FromStr<Err: Display>>(value: &Bound<'_, PyAny>, name: &'static str) -> PyResult<T> {
    parse_with(value, name, str::parse)
}

/// Parses the text of an option with `parse_text`. The error names the option.
fn parse_with<T, E: Display>(
    value: &Bound<'_, PyAny>,
    name: &'static str,
    parse_text: impl FnOnce(&str) -> Result<T, E>,
) -> PyResult<T> {
    let text = arguments::only_text(value, name)?;
    parse_text(&text).map_err(|error| KalahError::new_err(format!("{name}: {error}")))
}

/// Returns the current folder as text, if it has such a form.
pub(super) fn current_folder_text() -> Option<String> {
    env::current_dir().ok()?.to_str().map(str::to_owned)
}

/// Returns the contestants of an iterable of texts. A relative folder of a program becomes
/// absolute, so that workers and later calls in other folders mean the same one.
///
/// # Errors
/// `TypeError` for another value or an item that is no text, such as a player of this process, and
/// `KalahError` for a text that is no contestant.
pub(super) fn contestants(value: &Bound<'_, PyAny>) -> PyResult<Vec<ContestantSpec>> {
    let expected = "an iterable of texts such as level:3 or cmd=./mybot";
    if value.is_instance_of::<PyString>() {
        return Err(arguments::type_error(value, "contestants", expected));
    }
    let items = value.try_iter();
    let items = items.map_err(|_| arguments::type_error(value, "contestants", expected))?;
    let contestant = |item: PyResult<Bound<'_, PyAny>>| {
        let item = item?;
        if item.is_instance_of::<PyString>() {
            return parse_with(&item, "contestants", |text| {
                let spec = ContestantSpec::parse(text, ENGINE_PROTOCOLS)?;
                Ok::<_, ParseContestantSpecError>(match env::current_dir() {
                    Ok(folder) => spec.with_absolute_folder(&folder),
                    // Without a current folder, the folder that was given remains.
                    Err(_) => spec,
                })
            });
        }
        Err(PyTypeError::new_err(format!(
            "contestants: expected texts such as level:3 or cmd=./mybot, from which workers start \
             their players, not an object of class {}",
            item.get_type().name()?
        )))
    };
    items.map(contestant).collect()
}

/// Returns the format of a text such as `swiss`.
pub(super) fn format(value: &Bound<'_, PyAny>) -> PyResult<TournamentFormat> {
    parse(value, "format")
}

/// Returns the number of rounds.
pub(super) fn rounds(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    arguments::integer_in(value, "rounds", 1, Tournament::MAX_ROUNDS)
}

/// Returns the start and the rules. A `Position` has both.
pub(super) fn start(
    start: Option<&Bound<'_, PyAny>>,
    rules: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Option<Setup>, Option<Rules>)> {
    let Some(start) = start else {
        return Ok((None, rules.map(rules_from_py).transpose()?));
    };
    let parse = |text: &str| text.parse::<Setup>().map_err(Error::from);
    if start.is_instance_of::<PyPosition>() {
        let position = position_from_py(start, rules)?;
        let setup = parse(&position.to_string())?;
        return Ok((Some(setup), Some(position.rules())));
    }
    let Some(text) = arguments::text(start, "start")? else {
        return Err(arguments::type_error(start, "start", "Position or str"));
    };
    Ok((Some(parse(&text)?), rules.map(rules_from_py).transpose()?))
}

/// Returns the openings of a text such as `plies:2` or of the path of a file.
pub(super) fn openings(value: &Bound<'_, PyAny>) -> PyResult<OpeningsOption> {
    if value.is_instance_of::<PyString>() {
        return parse(value, "openings");
    }
    Ok(OpeningsOption::File(arguments::path(value, "openings")?))
}

/// Returns the time control of a text such as `10s+0.1s`.
pub(super) fn time_control(value: &Bound<'_, PyAny>) -> PyResult<TimeControl> {
    parse(value, "time")
}

/// Returns the tolerated delay of an answer, in seconds, as a `timedelta`, or as a text such as
/// `50ms`.
pub(super) fn grace(value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    if value.is_instance_of::<PyString>() {
        return Ok(parse::<TimeLimit>(value, "grace")?.get());
    }
    arguments::seconds(value, "grace")
}

/// Returns the adjudication of positions with a number of seeds; 0 plays all games to their end.
pub(super) fn adjudication(value: &Bound<'_, PyAny>) -> PyResult<AdjudicationOption> {
    let max_seeds = arguments::integer_in(value, "adjudicate", 0, Adjudication::MAX_SEEDS)?;
    Ok(match max_seeds {
        0 => AdjudicationOption::Never,
        max_seeds => AdjudicationOption::Custom(Adjudication { max_seeds }),
    })
}

/// Returns the rule of a text such as `seeds=30,moves=4`.
pub(super) fn resign(value: &Bound<'_, PyAny>) -> PyResult<ResignRule> {
    parse(value, "resign")
}

/// Returns the parameters of a sequential test from the numbers of Elo under both hypotheses and
/// the error rates.
pub(super) fn sprt([elo0, elo1, alpha, beta]: [f64; 4]) -> Vec<SprtParam> {
    vec![
        SprtParam::Elo0(elo0),
        SprtParam::Elo1(elo1),
        SprtParam::Alpha(alpha),
        SprtParam::Beta(beta),
    ]
}
