//! Comparison of options with an existing tournament, which is begun or resumed by the same call.

use std::path::Path;
use std::time::Duration;

use kalah_players::{EngineProtocol, MemorySize};

use super::config::{ArenaConfig, number_names, start_position};
use super::error::{ConfigError, RunError};
use super::opening_lists::select_openings;
use super::options::{ArenaOptions, SprtParam};
use super::run_dir::RunDir;
use crate::finished_game::FinishedGame;
use crate::schedule::Tournament;

impl RunDir {
    /// Opens the folder of a tournament, or creates it with the given options. Returns its
    /// configuration and its finished games, as [`RunDir::resume`] does. A tournament without a
    /// finished game, as one whose programs did not start, is replaced if it has other options. The
    /// programs of an existing tournament speak some of `protocols`.
    ///
    /// # Errors
    /// If the tournament has another option than a given one, or in the cases of
    /// [`RunDir::resume`], [`RunDir::create`] and [`ArenaConfig::new`].
    pub fn open_or_create(
        path: &Path,
        options: &ArenaOptions,
        protocols: &[&'static EngineProtocol],
    ) -> Result<(Self, ArenaConfig, Vec<FinishedGame>), RunError> {
        let new_config = || match &options.contestants {
            Some(_) => ArenaConfig::new(options).map(Some),
            None => Ok(None),
        };
        let (run_dir, config, games) = match Self::resume(path, protocols) {
            Err(missing @ (RunError::NotFound(_) | RunError::NoFolder(_))) => {
                let config = new_config()?.ok_or(missing)?;
                return Ok((Self::create(path, &config)?, config, Vec::new()));
            }
            resumed => resumed?,
        };
        match options.check_config(path, &config) {
            Ok(()) => Ok((run_dir, config, games)),
            Err(RunError::OtherOption { .. } | RunError::OtherOpenings(_))
                if games.is_empty()
                    && let Some(config) = new_config()? =>
            {
                Ok((run_dir.replace_config(&config)?, config, games))
            }
            Err(difference) => Err(difference),
        }
    }
}

impl ArenaOptions {
    /// Checks that the configuration of an existing tournament has the given options.
    fn check_config(&self, path: &Path, config: &ArenaConfig) -> Result<(), RunError> {
        let schedule = self.schedule_differences(config)?;
        let games = self.game_differences(config)?;
        if let Some(difference) = schedule.into_iter().chain(games).flatten().next() {
            return Err(RunError::OtherOption {
                path: path.to_owned(),
                option: difference.option,
                stored: difference.stored,
                given: difference.given,
            });
        }
        if self.openings.is_some() {
            let start = config.start_position().clone();
            let given = select_openings(self.openings.as_ref(), start, &config.tournament)?;
            if given != config.openings {
                return Err(RunError::OtherOpenings(path.to_owned()));
            }
        }
        Ok(())
    }

    /// Compares the options that decide which games are played.
    fn schedule_differences(
        &self,
        config: &ArenaConfig,
    ) -> Result<[Option<Difference>; 5], ConfigError> {
        let contestants = self.contestants.clone().map(number_names);
        let sprt = match &self.sprt {
            Some(params) => Some(Some(SprtParam::build_test(params)?)),
            None => None,
        };
        let Tournament {
            format,
            rounds,
            seed,
            ..
        } = &config.tournament;
        Ok([
            difference("contestants", contestants, &config.contestants, |all| {
                let specs = all.iter().map(|contestant| contestant.spec.to_string());
                specs.collect::<Vec<_>>().join("; ")
            }),
            difference("format", self.format, format, |format| {
                format.as_str().to_owned()
            }),
            difference("rounds", self.rounds, rounds, ToString::to_string),
            difference("seed", self.seed, seed, ToString::to_string),
            difference("sprt", sprt, &config.sprt, |sprt| match sprt {
                Some(sprt) => format!(
                    "elo0={} elo1={} alpha={} beta={}",
                    sprt.elo0(),
                    sprt.elo1(),
                    sprt.alpha(),
                    sprt.beta()
                ),
                None => "no test".to_owned(),
            }),
        ])
    }

    /// Compares the options that decide how a game is played.
    fn game_differences(
        &self,
        config: &ArenaConfig,
    ) -> Result<[Option<Difference>; 7], ConfigError> {
        let start = config.start_position();
        let given_start = match &self.start {
            Some(setup) => Some(start_position(setup, self.rules.unwrap_or(start.rules()))?),
            None => None,
        };
        let given_adjudication = self.adjudication.map(|option| option.resolve(start));
        let given_adjudication = given_adjudication.transpose()?;
        Ok([
            difference("rules", self.rules, &start.rules(), ToString::to_string),
            difference("start", given_start, start, ToString::to_string),
            difference(
                "time",
                self.time_control,
                &config.time_control,
                ToString::to_string,
            ),
            difference("grace", stored_grace(self.grace), &config.grace, |grace| {
                format!("{grace:?}")
            }),
            difference(
                "adjudicate",
                given_adjudication,
                &config.adjudication,
                |adjudication| adjudication.map_or(0, |it| it.max_seeds).to_string(),
            ),
            difference("resign", self.resign.map(Some), &config.resign, |rule| {
                rule.map_or("none".to_owned(), |rule| rule.to_string())
            }),
            difference(
                "memory",
                stored_memory(self.memory),
                &config.memory,
                ToString::to_string,
            ),
        ])
    }
}

/// An option that an existing tournament has with another value.
struct Difference {
    option: &'static str,
    stored: String,
    given: String,
}

/// Returns the difference between a given and a stored value.
fn difference<T: PartialEq>(
    option: &'static str,
    given: Option<T>,
    stored: &T,
    text: impl Fn(&T) -> String,
) -> Option<Difference> {
    let given = given.filter(|given| given != stored)?;
    Some(Difference {
        option,
        stored: text(stored),
        given: text(&given),
    })
}

/// Returns a delay as the file of a tournament has it, in whole milliseconds.
fn stored_grace(grace: Option<Duration>) -> Option<Duration> {
    let milliseconds = u64::try_from(grace?.as_millis());
    Some(Duration::from_millis(milliseconds.unwrap_or(u64::MAX)))
}

/// Returns an amount of memory as the file of a tournament has it, which is rounded.
fn stored_memory(memory: Option<MemorySize>) -> Option<MemorySize> {
    memory?.to_string().parse().ok()
}
