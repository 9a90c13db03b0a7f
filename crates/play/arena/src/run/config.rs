//! The configuration of a tournament, which is made from options.

mod tournament_file;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::time::Duration;

use kalah::{Position, Quoted, Rules, Setup, Side};
use kalah_players::{ContestantSpec, EngineProtocol, MemorySize, PlainStart, TimeControl};
use thiserror::Error;

pub(super) use self::tournament_file::TournamentFile;
use super::error::{ConfigError, ConfigFileError, RunError, StartFault};
use super::opening_lists::select_openings;
use super::options::{AdjudicationOption, ArenaOptions, OpeningsOption, SprtParam};
use super::play::{Adjudication, ResignRule};
use crate::finished_game::FinishedGame;
use crate::game_end::GameEnd;
use crate::openings::Openings;
use crate::schedule::{Encounter, Leg, Tournament, TournamentFormat};
use crate::stats::{Contestant, Sprt};

/// The configuration of a tournament, which does not change while it is played.
#[derive(Clone, Debug)]
pub struct ArenaConfig {
    /// The schedule.
    pub tournament: Tournament,
    /// The contestants in their order.
    pub contestants: Vec<ContestantConfig>,
    /// The openings, which also have the start position and the rules.
    pub openings: Openings,
    /// The time control of contestants without one of their own.
    pub time_control: TimeControl,
    /// The tolerated delay of an answer.
    pub grace: Duration,
    /// The positions whose games are adjudicated; `None` to play all games to their end.
    pub adjudication: Option<Adjudication>,
    /// The estimates of both players after which one of them resigns; `None` if none does.
    pub resign: Option<ResignRule>,
    /// The sequential test between two contestants.
    pub sprt: Option<Sprt>,
    /// The memory of each built-in player that searches.
    pub memory: MemorySize,
    /// The contestants that take no part, because they did not start.
    pub skipped: Vec<SkippedContestant>,
    /// Whether the lines of programs are kept, in a log for each game.
    pub has_logs: bool,
    /// The number of games that were finished before logs were kept, those at the start of the
    /// journal.
    pub unlogged_games: usize,
    /// The folder in which the tournament was started, in which its relative commands mean their
    /// programs.
    pub started_in: Option<String>,
    /// The versions of the program that has played the tournament, the first one first.
    pub versions: Vec<String>,
}

/// A contestant of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContestantConfig {
    /// The name, which no other contestant has.
    pub name: String,
    /// The player or program.
    pub spec: ContestantSpec,
    /// The reason why its program does not start, as [`StartFault::reason`] returns it, if all its
    /// games are lost for that.
    pub start_fault: Option<String>,
}

impl ContestantConfig {
    /// Creates a contestant that plays its games.
    pub fn new(name: String, spec: ContestantSpec) -> Self {
        Self {
            name,
            spec,
            start_fault: None,
        }
    }
}

/// Two contestants have the same identifier, which would count the games of one person twice.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the identifier {} is that of {} and of {}",
    Quoted::new(id),
    Quoted::new(first),
    Quoted::new(second)
)]
pub struct DuplicateId {
    /// The identifier.
    pub id: String,
    /// The name of the first contestant.
    pub first: String,
    /// The name of the second contestant.
    pub second: String,
}

impl DuplicateId {
    /// Checks that no two of these contestants have the same identifier.
    ///
    /// # Errors
    /// Returns the first contestant with the identifier of one before it.
    pub(super) fn check<'a>(
        contestants: impl Iterator<Item = &'a ContestantConfig>,
    ) -> Result<(), Self> {
        let mut names: HashMap<&str, &str> = HashMap::new();
        for ContestantConfig { name, spec, .. } in contestants {
            let Some(id) = &spec.id else {
                continue;
            };
            if let Some(first) = names.insert(id, name) {
                return Err(Self {
                    id: id.clone(),
                    first: first.to_owned(),
                    second: name.clone(),
                });
            }
        }
        Ok(())
    }
}

/// A contestant that takes no part in a tournament, because it did not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedContestant {
    /// The contestant.
    pub contestant: ContestantConfig,
    /// The reason, as [`StartFault::reason`] returns it.
    pub reason: String,
}

/// The warning, as a sentence without a full stop.
impl fmt::Display for SkippedContestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.contestant.name;
        write!(f, "{name} takes no part: {}", self.reason)
    }
}

/// The minimum number of contestants, and the number in a sequential test.
const MIN_CONTESTANTS: usize = 2;

/// The rounds by default.
const DEFAULT_ROUNDS: usize = 10;

/// The rounds by default with a sequential test, which usually ends earlier.
const DEFAULT_SPRT_ROUNDS: usize = 5000;

/// The start by default.
const DEFAULT_START: PlainStart = PlainStart {
    houses: 6,
    seeds: 4,
};

/// The seed by default.
const DEFAULT_SEED: u64 = 1;

/// The time for each move by default.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// The tolerated delay by default.
const DEFAULT_GRACE: Duration = Duration::from_millis(50);

/// The memory of a player by default.
const DEFAULT_MEMORY_BYTES: u64 = 64 << 20;

impl ArenaConfig {
    /// Returns the configuration of a tournament whose next games this version of the program
    /// plays.
    #[must_use]
    pub fn played_by(mut self, version: &str) -> Self {
        if self.versions.last().is_none_or(|last| last != version) {
            self.versions.push(version.to_owned());
        }
        self
    }

    /// Returns the configuration of a tournament that keeps logs from now on, after this number of
    /// finished games.
    #[must_use]
    pub fn with_logs_after(mut self, finished_games: usize) -> Self {
        if !self.has_logs {
            self.has_logs = true;
            self.unlogged_games = finished_games;
        }
        self
    }

    /// Creates the configuration from options. Contestants with the same name are numbered.
    ///
    /// # Errors [`RunError::Config`] if the options contradict each other, and other variants if
    /// there are no openings.
    pub fn new(options: &ArenaOptions) -> Result<Self, RunError> {
        let contestants = options.contestants.clone().unwrap_or_default();
        let count = contestants.len();
        if count < MIN_CONTESTANTS {
            return Err(ConfigError::TooFewContestants.into());
        }
        let sprt = match &options.sprt {
            Some(_) if count != MIN_CONTESTANTS => {
                return Err(ConfigError::SprtContestants(count).into());
            }
            Some(params) => Some(SprtParam::build_test(params)?),
            None => None,
        };
        let default_rounds = match sprt {
            Some(_) => DEFAULT_SPRT_ROUNDS,
            None => DEFAULT_ROUNDS,
        };
        let tournament = Tournament::new(
            options.format.unwrap_or(TournamentFormat::RoundRobin),
            count,
            options.rounds.unwrap_or(default_rounds),
            options.seed.unwrap_or(DEFAULT_SEED),
        );
        let rules = options.rules.unwrap_or_else(|| default_rules(&contestants));
        let start = match &options.start {
            Some(setup) => start_position(setup, rules)?,
            None => default_start(&contestants, rules),
        };
        let adjudication = options.adjudication.unwrap_or(AdjudicationOption::Default);
        let time = TimeControl::PerMove(DEFAULT_TIME);
        let memory = || MemorySize::new(DEFAULT_MEMORY_BYTES);
        let needs_plain_start =
            protocols(&contestants).any(|protocol| protocol.plain_start.is_some());
        let default_openings = needs_plain_start.then_some(&OpeningsOption::Start);
        let openings = options.openings.as_ref().or(default_openings);
        let config = Self {
            adjudication: adjudication.resolve(&start)?,
            resign: options.resign,
            openings: select_openings(openings, start, &tournament)?,
            tournament,
            contestants: number_names(contestants),
            time_control: options.time_control.unwrap_or(time),
            grace: options.grace.unwrap_or(DEFAULT_GRACE),
            sprt,
            memory: options.memory.unwrap_or_else(memory),
            skipped: Vec::new(),
            has_logs: false,
            unlogged_games: 0,
            started_in: options.started_in.clone(),
            versions: Vec::new(),
        };
        DuplicateId::check(config.contestants.iter()).map_err(ConfigError::from)?;
        config.check_protocols()?;
        Ok(config)
    }

    /// Moves the contestants with these faults to [`ArenaConfig::skipped`]. The rules, the start
    /// and the openings remain those of all contestants.
    ///
    /// # Errors
    /// [`RunError::Contestants`] with all faults if fewer than two contestants are left, or if the
    /// first one of a gauntlet has a fault.
    pub fn without_broken(mut self, faults: Vec<StartFault>) -> Result<Self, RunError> {
        let is_broken = |contestant: &ContestantConfig| {
            faults.iter().any(|fault| fault.name == contestant.name)
        };
        let is_gauntlet = self.tournament.format == TournamentFormat::Gauntlet;
        let needs_first = is_gauntlet && self.contestants.first().is_some_and(is_broken);
        if needs_first || self.contestants.len() - faults.len() < MIN_CONTESTANTS {
            return Err(RunError::Contestants(faults));
        }
        for fault in &faults {
            let mut contestants = self.contestants.iter();
            if let Some(index) = contestants.position(|it| it.name == fault.name) {
                self.skipped.push(SkippedContestant {
                    contestant: self.contestants.remove(index),
                    reason: fault.reason(),
                });
            }
        }
        self.tournament.contestants = self.contestants.len();
        Ok(self)
    }

    /// Marks the contestants with these faults, which lose all their games by a crash at the start
    /// ([`ArenaConfig::forfeit`]).
    ///
    /// # Errors
    /// [`RunError::Contestants`] with all faults if no contestant is left.
    pub fn with_lost_games(mut self, faults: Vec<StartFault>) -> Result<Self, RunError> {
        if !faults.is_empty() && faults.len() == self.contestants.len() {
            return Err(RunError::Contestants(faults));
        }
        for fault in &faults {
            let mut contestants = self.contestants.iter_mut();
            if let Some(contestant) = contestants.find(|it| it.name == fault.name) {
                contestant.start_fault = Some(fault.reason());
            }
        }
        Ok(self)
    }

    /// Returns the end of a game that is not played because the program of a player does not start;
    /// `None` if both start. Between two such players the one that begins as South loses, which
    /// each of them is in one game of a pair.
    pub fn forfeit(&self, encounter: Encounter, leg: Leg) -> Option<GameEnd> {
        let contestants = encounter.players(leg);
        Side::ALL.into_iter().find_map(|by| {
            let contestant = self.contestants.get(contestants[by].0)?;
            let reason = contestant.start_fault.as_ref()?;
            Some(GameEnd::Crash {
                by,
                status: format!("it did not start: {reason}"),
                stderr_tail: String::new(),
            })
        })
    }

    /// Checks that the protocols of all contestants support the configuration.
    pub(super) fn check_protocols(&self) -> Result<(), ConfigError> {
        let rules = self.start_position().rules();
        for ContestantConfig { name, spec, .. } in &self.contestants {
            let Some(protocol) = spec.protocol() else {
                continue;
            };
            let name = || name.clone();
            if let Some(required) = protocol
                .required_rules
                .filter(|&required| required != rules)
            {
                return Err(ConfigError::UnsupportedRules {
                    name: name(),
                    protocol,
                    required,
                    rules,
                });
            }
            let time_control = spec.time_control.unwrap_or(self.time_control);
            if !protocol.supports_node_limit && matches!(time_control, TimeControl::Nodes(_)) {
                return Err(ConfigError::UnsupportedNodeLimit {
                    name: name(),
                    protocol,
                    time_control,
                });
            }
            if protocol.plain_start.is_some() && !self.begins_at_plain_start() {
                return Err(ConfigError::UnsupportedStart {
                    name: name(),
                    protocol,
                });
            }
        }
        Ok(())
    }

    /// Returns whether all games begin without an opening and with the same number of seeds in each
    /// house, as programs of a protocol with a plain start assume.
    fn begins_at_plain_start(&self) -> bool {
        let start = self.start_position();
        let seeds = start.houses_of(Side::South).first();
        let plain_start = seeds.and_then(|seeds| {
            Position::start(start.houses(), seeds.get().into(), start.rules()).ok()
        });
        let mut openings = self.openings.as_slice().iter();
        plain_start.as_ref() == Some(start)
            && openings.all(|opening| opening.game().plies().is_empty())
    }

    /// Returns the position before any opening.
    pub fn start_position(&self) -> &Position {
        self.openings.start_position()
    }

    /// Returns the name of a contestant, which is empty for an unknown one.
    pub fn name(&self, contestant: Contestant) -> &str {
        let config = self.contestants.get(contestant.0);
        config.map_or("", |config| &config.name)
    }

    /// Returns the time control of a contestant.
    pub fn time_control_of(&self, contestant: Contestant) -> TimeControl {
        let config = self.contestants.get(contestant.0);
        let own = config.and_then(|config| config.spec.time_control);
        own.unwrap_or(self.time_control)
    }

    /// Returns whether a finished game counts: neither contestant has withdrawn.
    pub fn counts(&self, game: &FinishedGame) -> bool {
        self.tournament.counts(&game.encounter)
    }

    /// Returns the number of games that count and that the tournament has unless a sequential test
    /// ends it.
    pub fn planned_games(&self) -> u64 {
        let contestants = self.tournament.active().count() as u64;
        let pairs = match self.tournament.format {
            TournamentFormat::RoundRobin => contestants * (contestants - 1) / 2,
            TournamentFormat::Gauntlet => contestants - 1,
            TournamentFormat::Swiss => contestants / 2,
        };
        self.tournament.rounds as u64 * pairs * Side::ALL.len() as u64
    }

    /// Returns the configuration for workers as text. It has no openings: workers receive the one
    /// of each pair.
    pub fn to_worker_text(&self) -> String {
        TournamentFile::format(&Self {
            openings: self.openings.without_plies(),
            ..self.clone()
        })
    }

    /// Parses [`ArenaConfig::to_worker_text`], whose programs speak some of `protocols`.
    ///
    /// # Errors
    /// If the text is not a configuration of this version.
    pub fn from_worker_text(
        text: &str,
        protocols: &[&'static EngineProtocol],
    ) -> Result<Self, ConfigFileError> {
        TournamentFile::parse(text, protocols).map(|(config, _)| config)
    }

    /// Returns the time that the games of a pair take if both players use as much time as the
    /// contestant with the most, and each game has as many plies as there are seeds; `None` if a
    /// contestant has no clock.
    pub fn max_pair_time(&self) -> Option<Duration> {
        let times = Contestant::all(self.contestants.len())
            .map(|contestant| self.max_game_time(self.time_control_of(contestant)));
        let longest = times.collect::<Option<Vec<_>>>()?.into_iter().max()?;
        Some(longest.saturating_mul(2))
    }

    /// Returns the time of a game in which both players use all the time of this control.
    fn max_game_time(&self, time_control: TimeControl) -> Option<Duration> {
        let plies = u32::from(self.start_position().total());
        match time_control {
            TimeControl::PerMove(time) => {
                Some(time.saturating_add(self.grace).saturating_mul(plies))
            }
            TimeControl::Clock(setting) => {
                let initial = setting.initial().saturating_mul(2);
                Some(initial.saturating_add(setting.increment().saturating_mul(plies)))
            }
            TimeControl::Nodes(_) => None,
        }
    }
}

/// Returns the position that a setup is under `rules`.
pub(super) fn start_position(setup: &Setup, rules: Rules) -> Result<Position, ConfigError> {
    setup.position(rules).map_err(ConfigError::Start)
}

/// Returns the rules by default: those of the first contestant whose protocol supports only one
/// rule set, or else `cs32`.
pub fn default_rules(contestants: &[ContestantSpec]) -> Rules {
    let required = protocols(contestants).find_map(|protocol| protocol.required_rules);
    required.unwrap_or_default()
}

/// Returns the start position by default: the plain start of the first contestant whose protocol
/// supports only one rule set, if it has one, else 6x4.
pub fn default_start(contestants: &[ContestantSpec], rules: Rules) -> Position {
    let plain_start = protocols(contestants)
        .find(|protocol| protocol.required_rules.is_some())
        .and_then(|protocol| protocol.plain_start);
    let PlainStart { houses, seeds } = plain_start.unwrap_or(DEFAULT_START);
    Position::start(houses, seeds, rules)
        .unwrap_or_else(|error| unreachable!("these boards are valid under all rules: {error}"))
}

fn protocols(contestants: &[ContestantSpec]) -> impl Iterator<Item = &'static EngineProtocol> {
    contestants.iter().filter_map(ContestantSpec::protocol)
}

/// Gives each contestant a name of its own: the second `smart` is `smart (2)`.
pub(super) fn number_names(specs: Vec<ContestantSpec>) -> Vec<ContestantConfig> {
    let mut used: HashSet<String> = HashSet::new();
    let mut contestants = Vec::new();
    for spec in specs {
        let plain = spec.name();
        let numbered = (2_u64..).map(|number| format!("{plain} ({number})"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        let name = names.find(|name| !used.contains(name)).unwrap_or(plain);
        used.insert(name.clone());
        contestants.push(ContestantConfig::new(name, spec));
    }
    contestants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered() {
        let specs = ["level:3", "smart,name=level:3 (2)", "level:3", "level:3"];
        let specs = specs.map(|text| ContestantSpec::parse(text, &[]).expect(text));
        let contestants = number_names(specs.into()).into_iter();
        let names: Vec<String> = contestants.map(|contestant| contestant.name).collect();
        assert_eq!(
            names,
            ["level:3", "level:3 (2)", "level:3 (3)", "level:3 (4)"]
        );
    }
}
