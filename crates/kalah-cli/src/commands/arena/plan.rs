use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use kalah::{Position, Rules, Side};
use kalah_arena::{Contestant, Openings, Sprt, Tournament};
use kalah_players::{
    ContestantKind, ContestantSpec, EngineProtocol, MemorySize, TimeControl, display_path,
};
use kalah_protocols::mankalah;

use super::balanced;
use crate::text_file;
use crate::{Adjudication, ArenaArguments, CliError, OpeningsOption, SprtParam};

/// All that is settled before a tournament begins.
#[derive(Clone, Debug)]
pub(super) struct ArenaConfig {
    pub(super) tournament: Tournament,
    pub(super) contestants: Vec<ContestantConfig>,
    pub(super) openings: Openings,
    pub(super) time_control: TimeControl,
    pub(super) grace: Duration,
    pub(super) adjudication: Option<Adjudication>,
    pub(super) sprt: Option<Sprt>,
    pub(super) memory: MemorySize,
}

/// Somebody who takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContestantConfig {
    /// What it is called; nobody else is.
    pub(super) name: String,
    pub(super) spec: ContestantSpec,
}

/// Rounds where nobody says how many, and where a test says when it is enough.
const DEFAULT_ROUNDS: usize = 10;
const DEFAULT_SPRT_ROUNDS: usize = 5000;

/// Plies of openings where nobody says how games begin and there is no list: both sides have been there, or one, so
/// that the other can swap.
const DEFAULT_OPENING_PLIES: usize = 2;
const DEFAULT_OPENING_PLIES_WITH_SWAP: usize = 1;

/// A test is between two.
const MIN_CONTESTANTS: usize = 2;

impl ArenaConfig {
    /// As the command line asks for it.
    pub(super) fn new(arguments: &ArenaArguments) -> Result<Self, CliError> {
        let entrants = named_contestants(&arguments.engines);
        if entrants.len() < MIN_CONTESTANTS {
            return Err(CliError::Usage(
                "two engines are needed at least: give --engine twice".to_owned(),
            ));
        }
        let sprt = match &arguments.sprt {
            Some(_) if entrants.len() != MIN_CONTESTANTS => {
                let words = "--sprt is about two engines, no more and no fewer";
                return Err(CliError::Usage(words.to_owned()));
            }
            Some(parts) => Some(SprtParam::build_test(parts).map_err(CliError::Usage)?),
            None => None,
        };
        let rounds = if sprt.is_some() {
            DEFAULT_SPRT_ROUNDS
        } else {
            DEFAULT_ROUNDS
        };
        let tournament = Tournament {
            format: arguments.tournament.into(),
            contestants: entrants.len(),
            rounds: arguments.rounds.unwrap_or(rounds),
            seed: arguments.seed,
        };
        let start = start_position(arguments, &entrants)?;
        let mut protocols = entrants.iter().map(|entrant| entrant.spec.protocol());
        let agents = protocols.any(|protocol| protocol == Some(EngineProtocol::Mankalah));
        let default = agents.then_some(&OpeningsOption::Start);
        let mv = arguments.openings.as_ref().or(default);
        let adjudication = match arguments.adjudicate {
            _ if arguments.play_out => None,
            None => Adjudication::default_for(start.total()),
            asked => asked,
        };
        let plan = Self {
            openings: openings(mv, start, &tournament)?,
            tournament,
            contestants: entrants,
            time_control: arguments.time,
            grace: arguments.grace.get(),
            adjudication,
            sprt,
            memory: arguments.memory,
        };
        plan.validate()?;
        Ok(plan)
    }

    /// Whether all who take part can play under what is settled.
    fn validate(&self) -> Result<(), CliError> {
        let rules = self.start_position().rules();
        for ContestantConfig { name, spec } in &self.contestants {
            let Some(protocol) = spec.protocol() else {
                continue;
            };
            let needed = required_rules(protocol);
            if let Some(needed) = needed.filter(|&needed| needed != rules) {
                return Err(CliError::Usage(format!(
                    "'{name}' speaks {}, which knows only the rules {needed}, and these are {rules}",
                    protocol.as_str()
                )));
            }
            if protocol != EngineProtocol::Uki
                && let TimeControl::Nodes(_) = self.time_control
            {
                return Err(CliError::Usage(format!(
                    "'{name}' speaks {}, in which nobody can be told to search {}: give a time",
                    protocol.as_str(),
                    self.time_control
                )));
            }
            if protocol == EngineProtocol::Mankalah {
                self.validate_mankalah(name)?;
            }
        }
        Ok(())
    }

    /// Agents know how a game begins, and are told of nothing before that.
    fn validate_mankalah(&self, name: &str) -> Result<(), CliError> {
        let start = self.start_position();
        let seeds = start.houses_of(Side::South).first();
        let plain = seeds.and_then(|seeds| {
            Position::start(start.houses(), seeds.get().into(), start.rules()).ok()
        });
        let has_openings =
            (self.openings.as_slice().iter()).any(|opening| !opening.game().plies().is_empty());
        if plain.as_ref() == Some(start) && !has_openings {
            return Ok(());
        }
        Err(CliError::Usage(format!(
            "'{name}' speaks mankalah, in which games have no openings and begin with as many seeds in all houses: \
             --openings start and --board MxN"
        )))
    }

    /// The position before any opening.
    pub(super) fn start_position(&self) -> &Position {
        self.openings.start_position()
    }

    pub(super) fn name(&self, contestant: Contestant) -> &str {
        let entrant = self.contestants.get(contestant.0);
        entrant.map_or("", |entrant| &entrant.name)
    }
}

/// Everybody with a name of its own.
fn named_contestants(specs: &[ContestantSpec]) -> Vec<ContestantConfig> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut entrants = Vec::new();
    for spec in specs {
        let plain = spec.name();
        let numbered = (2_u64..).map(|number| format!("{plain} ({number})"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        let name = names.find(|name| !taken.contains(name)).unwrap_or(plain);
        taken.insert(name.clone());
        entrants.push(ContestantConfig {
            name,
            spec: spec.clone(),
        });
    }
    entrants
}

/// The only rules that a protocol knows.
fn required_rules(protocol: EngineProtocol) -> Option<Rules> {
    match protocol {
        EngineProtocol::Uki => None,
        EngineProtocol::KgpChild => Some(Rules::STANDARD),
        EngineProtocol::Mankalah => Some(Rules::MANKALAH),
    }
}

fn start_position(
    arguments: &ArenaArguments,
    entrants: &[ContestantConfig],
) -> Result<Position, CliError> {
    let mut protocols = entrants
        .iter()
        .filter_map(|entrant| entrant.spec.protocol());
    let needed = protocols.find_map(required_rules);
    let rules = arguments.rules.or(needed).unwrap_or_default();
    if let Some(board) = &arguments.board {
        return board.playable(rules);
    }
    let (houses, seeds) = if needed == Some(Rules::MANKALAH) {
        (mankalah::HOUSES, mankalah::SEEDS)
    } else {
        (DEFAULT_HOUSES, DEFAULT_SEEDS)
    };
    Position::start(houses, seeds, rules).map_err(|reason| CliError::Runtime(reason.to_string()))
}

/// The board where nobody names another.
const DEFAULT_HOUSES: u8 = 6;
const DEFAULT_SEEDS: u64 = 4;

fn openings(
    mv: Option<&OpeningsOption>,
    start: Position,
    tournament: &Tournament,
) -> Result<Openings, CliError> {
    let work = |reason: kalah_arena::OpeningsProblem| CliError::Runtime(reason.to_string());
    let rounds = tournament.rounds;
    Ok(match mv {
        Some(OpeningsOption::Start) => Openings::from_start(start).map_err(work)?,
        Some(&OpeningsOption::Plies(plies)) => Openings::enumerate(start, plies).map_err(work)?,
        Some(OpeningsOption::Balanced(count)) => {
            let count = count.map_or(rounds, std::num::NonZeroUsize::get);
            balanced::opening_list_for(&start)?.balanced(count, tournament.seed)
        }
        Some(OpeningsOption::File(path)) => openings_from_file(path, &start)?,
        None => {
            if let Ok(list) = balanced::opening_list_for(&start) {
                return Ok(list.balanced(rounds, tournament.seed));
            }
            let plies = if start.rules().swap {
                DEFAULT_OPENING_PLIES_WITH_SWAP
            } else {
                DEFAULT_OPENING_PLIES
            };
            // A tiny board may be over so soon.
            let after = Openings::enumerate(start.clone(), plies);
            after
                .or_else(|_| Openings::from_start(start))
                .map_err(work)?
        }
    })
}

/// The openings of a file, which must be those of the board.
fn openings_from_file(path: &Path, start: &Position) -> Result<Openings, CliError> {
    let file = display_path(path);
    let openings: Openings = (text_file::read(path)?.parse())
        .map_err(|reason| CliError::Runtime(format!("'{file}': {reason}")))?;
    let there = openings.start_position();
    if there != start {
        return Err(CliError::Usage(format!(
            "'{file}' has openings for {there}, {}, and the board is {start}, {}: give --board and --rules",
            there.rules(),
            start.rules()
        )));
    }
    Ok(openings)
}

impl ContestantConfig {
    /// Whether it is a program that has to be started.
    pub(super) fn is_program(&self) -> bool {
        matches!(self.spec.kind, ContestantKind::Program(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_a_name_of_its_own() {
        let specs = ["level:3", "smart,name=level:3 (2)", "level:3", "level:3"];
        let specs = specs.map(|text| text.parse().expect(text));
        let names: Vec<String> = named_contestants(&specs)
            .into_iter()
            .map(|it| it.name)
            .collect();
        assert_eq!(
            names,
            ["level:3", "level:3 (2)", "level:3 (3)", "level:3 (4)"]
        );
    }
}
