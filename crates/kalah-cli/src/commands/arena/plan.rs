use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use kalah::{Position, Rules, Side};
use kalah_arena::{Contestant, Openings, Sprt, Tournament};
use kalah_protocols::mankalah;

use super::balanced;
use crate::shown::whole_path;
use crate::text_file;
use crate::{
    Adjudication, ArenaArguments, ContestantKind, ContestantProtocol, ContestantSpec, Failure,
    MemorySize, OpeningsChoice, SprtPart, TimeControl,
};

/// All that is settled before a tournament begins.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) tournament: Tournament,
    pub(super) entrants: Vec<Entrant>,
    pub(super) openings: Openings,
    pub(super) control: TimeControl,
    pub(super) grace: Duration,
    pub(super) adjudication: Option<Adjudication>,
    pub(super) sprt: Option<Sprt>,
    pub(super) memory: MemorySize,
}

/// Somebody who takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entrant {
    /// What it is called; nobody else is.
    pub(super) name: String,
    pub(super) spec: ContestantSpec,
}

/// Rounds where nobody says how many, and where a test says when it is enough.
const ROUNDS: usize = 10;
const ROUNDS_OF_TEST: usize = 5000;

/// Plies of openings where nobody says how games begin and there is no list: both sides have been there, or one, so
/// that the other can swap.
const PLIES: usize = 2;
const PLIES_BEFORE_SWAP: usize = 1;

/// A test is between two.
const TWO: usize = 2;

impl Plan {
    /// As the command line asks for it.
    pub(super) fn new(arguments: &ArenaArguments) -> Result<Self, Failure> {
        let entrants = entrants(&arguments.engines);
        if entrants.len() < TWO {
            return Err(Failure::Usage(
                "two engines are needed at least: give --engine twice".to_owned(),
            ));
        }
        let sprt = match &arguments.sprt {
            Some(_) if entrants.len() != TWO => {
                let words = "--sprt is about two engines, no more and no fewer";
                return Err(Failure::Usage(words.to_owned()));
            }
            Some(parts) => Some(SprtPart::test(parts).map_err(Failure::Usage)?),
            None => None,
        };
        let rounds = if sprt.is_some() {
            ROUNDS_OF_TEST
        } else {
            ROUNDS
        };
        let tournament = Tournament {
            format: arguments.tournament.into(),
            contestants: entrants.len(),
            rounds: arguments.rounds.unwrap_or(rounds),
            seed: arguments.seed,
        };
        let start = start(arguments, &entrants)?;
        let mut protocols = entrants.iter().map(|entrant| entrant.spec.protocol());
        let agents = protocols.any(|protocol| protocol == Some(ContestantProtocol::Mankalah));
        let default = agents.then_some(&OpeningsChoice::Start);
        let choice = arguments.openings.as_ref().or(default);
        let adjudication = match arguments.adjudicate {
            _ if arguments.play_out => None,
            None => Adjudication::of_game(start.total()),
            asked => asked,
        };
        let plan = Self {
            openings: openings(choice, start, &tournament)?,
            tournament,
            entrants,
            control: arguments.time,
            grace: arguments.grace.get(),
            adjudication,
            sprt,
            memory: arguments.memory,
        };
        plan.check()?;
        Ok(plan)
    }

    /// Whether all who take part can play under what is settled.
    fn check(&self) -> Result<(), Failure> {
        let rules = self.start().rules();
        for Entrant { name, spec } in &self.entrants {
            let Some(protocol) = spec.protocol() else {
                continue;
            };
            let needed = rules_of(protocol);
            if let Some(needed) = needed.filter(|&needed| needed != rules) {
                return Err(Failure::Usage(format!(
                    "'{name}' speaks {}, which knows only the rules {needed}, and these are {rules}",
                    protocol.word()
                )));
            }
            if protocol != ContestantProtocol::Uki
                && let TimeControl::Nodes(_) = self.control
            {
                return Err(Failure::Usage(format!(
                    "'{name}' speaks {}, in which nobody can be told to search {}: give a time",
                    protocol.word(),
                    self.control
                )));
            }
            if protocol == ContestantProtocol::Mankalah {
                self.check_mankalah(name)?;
            }
        }
        Ok(())
    }

    /// Agents know how a game begins, and are told of nothing before that.
    fn check_mankalah(&self, name: &str) -> Result<(), Failure> {
        let start = self.start();
        let seeds = start.houses_of(Side::South).first();
        let plain = seeds.and_then(|seeds| {
            Position::start(start.houses(), seeds.get().into(), start.rules()).ok()
        });
        let has_openings =
            (self.openings.all().iter()).any(|opening| !opening.game().plies().is_empty());
        if plain.as_ref() == Some(start) && !has_openings {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "'{name}' speaks mankalah, in which games have no openings and begin with as many seeds in all houses: \
             --openings start and --board MxN"
        )))
    }

    /// The position before any opening.
    pub(super) fn start(&self) -> &Position {
        self.openings.board()
    }

    pub(super) fn name(&self, contestant: Contestant) -> &str {
        let entrant = self.entrants.get(contestant.0);
        entrant.map_or("", |entrant| &entrant.name)
    }
}

/// Everybody with a name of its own.
fn entrants(specs: &[ContestantSpec]) -> Vec<Entrant> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut entrants = Vec::new();
    for spec in specs {
        let plain = spec.name();
        let numbered = (2_u64..).map(|number| format!("{plain} ({number})"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        let name = names.find(|name| !taken.contains(name)).unwrap_or(plain);
        taken.insert(name.clone());
        entrants.push(Entrant {
            name,
            spec: spec.clone(),
        });
    }
    entrants
}

/// The only rules that a protocol knows.
fn rules_of(protocol: ContestantProtocol) -> Option<Rules> {
    match protocol {
        ContestantProtocol::Uki => None,
        ContestantProtocol::KgpChild => Some(Rules::STANDARD),
        ContestantProtocol::Mankalah => Some(Rules::MANKALAH),
    }
}

fn start(arguments: &ArenaArguments, entrants: &[Entrant]) -> Result<Position, Failure> {
    let mut protocols = entrants
        .iter()
        .filter_map(|entrant| entrant.spec.protocol());
    let needed = protocols.find_map(rules_of);
    let rules = arguments.rules.or(needed).unwrap_or_default();
    if let Some(board) = &arguments.board {
        return board.playable(rules);
    }
    let (houses, seeds) = if needed == Some(Rules::MANKALAH) {
        (mankalah::HOUSES, mankalah::SEEDS)
    } else {
        (HOUSES, SEEDS)
    };
    Position::start(houses, seeds, rules).map_err(|reason| Failure::Work(reason.to_string()))
}

/// The board where nobody names another.
const HOUSES: u8 = 6;
const SEEDS: u64 = 4;

fn openings(
    choice: Option<&OpeningsChoice>,
    start: Position,
    tournament: &Tournament,
) -> Result<Openings, Failure> {
    let work = |reason: kalah_arena::OpeningsProblem| Failure::Work(reason.to_string());
    let rounds = tournament.rounds;
    Ok(match choice {
        Some(OpeningsChoice::Start) => Openings::start(start).map_err(work)?,
        Some(&OpeningsChoice::Plies(plies)) => Openings::after(start, plies).map_err(work)?,
        Some(OpeningsChoice::Balanced(count)) => {
            let count = count.map_or(rounds, std::num::NonZeroUsize::get);
            balanced::list(&start)?.balanced(count, tournament.seed)
        }
        Some(OpeningsChoice::File(path)) => of_file(path, &start)?,
        None => {
            if let Ok(list) = balanced::list(&start) {
                return Ok(list.balanced(rounds, tournament.seed));
            }
            let plies = if start.rules().swap {
                PLIES_BEFORE_SWAP
            } else {
                PLIES
            };
            // A tiny board may be over so soon.
            let after = Openings::after(start.clone(), plies);
            after.or_else(|_| Openings::start(start)).map_err(work)?
        }
    })
}

/// The openings of a file, which must be those of the board.
fn of_file(path: &Path, start: &Position) -> Result<Openings, Failure> {
    let file = whole_path(path);
    let openings: Openings = (text_file::read(path)?.parse())
        .map_err(|reason| Failure::Work(format!("'{file}': {reason}")))?;
    let there = openings.board();
    if there != start {
        return Err(Failure::Usage(format!(
            "'{file}' has openings for {there}, {}, and the board is {start}, {}: give --board and --rules",
            there.rules(),
            start.rules()
        )));
    }
    Ok(openings)
}

impl Entrant {
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
        let names: Vec<String> = entrants(&specs).into_iter().map(|it| it.name).collect();
        assert_eq!(
            names,
            ["level:3", "level:3 (2)", "level:3 (3)", "level:3 (4)"]
        );
    }
}
