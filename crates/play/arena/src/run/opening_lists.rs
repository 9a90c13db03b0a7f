//! The openings of a tournament: the opening lists of this crate, and the choice among them, files,
//! and all or random openings of some plies.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use kalah::{FirstPlyRules, Position, Rules};

use super::error::{ConfigError, RunError};
use super::options::OpeningsOption;
use crate::openings::Openings;
use crate::schedule::Tournament;

/// An opening list in `data/openings`.
struct OpeningList {
    houses: u8,
    seeds: u64,
    rules: Rules,
    text: &'static str,
}

/// Creates an [`OpeningList`] from the name of its file.
macro_rules! opening_list {
    ($houses:literal, $seeds:literal, $rules:ident, $name:literal) => {
        OpeningList {
            houses: $houses,
            seeds: $seeds,
            rules: Rules::$rules,
            text: include_str!(concat!("../../../../../data/openings/", $name, ".txt")),
        }
    };
}

/// All lists. `cargo lab openings` makes further ones.
const OPENING_LISTS: &[OpeningList] = &[
    opening_list!(4, 3, CS32, "4x3-cs32"),
    opening_list!(4, 4, CS32, "4x4-cs32"),
    opening_list!(6, 3, CS32, "6x3-cs32"),
    opening_list!(6, 3, STANDARD, "6x3-standard"),
    opening_list!(6, 4, CS32, "6x4-cs32"),
    opening_list!(6, 4, STANDARD, "6x4-standard"),
    opening_list!(6, 5, CS32, "6x5-cs32"),
];

/// The plies of openings by default, if there is no list: one of each side.
const DEFAULT_OPENING_PLIES: usize = 2;

/// The plies of openings by default under rules with a swap: the second player may swap afterwards.
const DEFAULT_OPENING_PLIES_WITH_SWAP: usize = 1;

/// The maximum number of random openings. A tournament with more rounds uses them again.
const MAX_RANDOM_OPENINGS: usize = 10_000;

/// Returns the openings that an option chooses for games that begin at `start`; without an option,
/// those of [`ArenaOptions::openings`](crate::ArenaOptions::openings).
///
/// # Errors
/// If there are no such openings.
pub(super) fn select_openings(
    option: Option<&OpeningsOption>,
    start: Position,
    tournament: &Tournament,
) -> Result<Openings, RunError> {
    let (rounds, seed) = (tournament.rounds, tournament.seed);
    Ok(match option {
        Some(OpeningsOption::Start) => Openings::from_start(start)?,
        Some(&OpeningsOption::Plies(plies)) => Openings::enumerate(start, plies)?,
        Some(&OpeningsOption::Random(plies)) => {
            Openings::random(start, plies, rounds.min(MAX_RANDOM_OPENINGS), seed)?
        }
        Some(OpeningsOption::Balanced(count)) => {
            let list = find_opening_list(&start).ok_or_else(|| no_opening_list(&start))?;
            let openings = list.openings();
            let available = openings.as_slice().len();
            if let Some(count) = count.filter(|count| count.get() > available) {
                return Err(RunError::Config(ConfigError::OpeningListTooShort {
                    list: list.name(),
                    available,
                    requested: count.get(),
                }));
            }
            openings.balanced(count.map_or(rounds, NonZeroUsize::get), seed)
        }
        Some(OpeningsOption::File(path)) => read_openings(path, &start)?,
        None => match find_opening_list(&start) {
            Some(list) => list.openings().balanced(rounds, seed),
            None => enumerate_default(start)?,
        },
    })
}

/// Returns the opening list for games that begin at `start`.
fn find_opening_list(start: &Position) -> Option<&'static OpeningList> {
    OPENING_LISTS
        .iter()
        .find(|list| Position::start(list.houses, list.seeds, list.rules).as_ref() == Ok(start))
}

impl OpeningList {
    /// Returns the board and the rules, such as `6x4 cs32`.
    fn name(&self) -> String {
        format!("{}x{} {}", self.houses, self.seeds, self.rules)
    }

    fn openings(&self) -> Openings {
        let openings = self.text.parse();
        openings.unwrap_or_else(|error| unreachable!("a test parses all lists: {error}"))
    }
}

fn no_opening_list(start: &Position) -> ConfigError {
    let lists = OPENING_LISTS.iter();
    ConfigError::NoOpeningList {
        start: describe_start(start),
        lists: lists.map(OpeningList::name).collect(),
    }
}

/// Returns the text of a start position with its rules.
fn describe_start(start: &Position) -> String {
    format!("{start}, {}", start.rules())
}

/// Returns the default openings of a board without a list.
fn enumerate_default(start: Position) -> Result<Openings, RunError> {
    // A bonus turn at ply 1 adds a ply of the same player, not a decision about sides.
    let FirstPlyRules {
        swap,
        first_bonus: _,
    } = start.rules().first_ply_rules;
    let plies = if swap {
        DEFAULT_OPENING_PLIES_WITH_SWAP
    } else {
        DEFAULT_OPENING_PLIES
    };
    // On a tiny board all games can be over after these plies.
    let openings = Openings::enumerate(start.clone(), plies);
    Ok(openings.or_else(|_| Openings::from_start(start))?)
}

/// Reads a file with openings for games that begin at `start`.
fn read_openings(path: &Path, start: &Position) -> Result<Openings, RunError> {
    let bytes = fs::read(path).map_err(|reason| RunError::Io {
        action: "read",
        path: path.to_owned(),
        reason,
    })?;
    let text = kalah_files::decode_text(bytes).map_err(|reason| RunError::NotText {
        path: path.to_owned(),
        reason,
    })?;
    let openings: Openings = text.parse().map_err(|reason| RunError::OpeningsFile {
        path: path.to_owned(),
        reason,
    })?;
    if openings.start_position() != start {
        return Err(RunError::Config(ConfigError::OpeningsBoard {
            path: path.to_owned(),
            openings: describe_start(openings.start_position()),
            start: describe_start(start),
        }));
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kalah::Side;
    use kalah_engine::{Engine, Limits};

    use super::*;
    use crate::schedule::TournamentFormat;

    /// The number of openings of each list that are proven again.
    const SAMPLE: usize = 3;
    /// The maximum number of houses of boards whose openings the plain test run proves again.
    const FEW_HOUSES: u8 = 4;

    fn start(list: &OpeningList) -> Position {
        Position::start(list.houses, list.seeds, list.rules).expect("a valid start")
    }

    #[test]
    fn every_list_has_its_board_and_proven_margins() {
        for list in OPENING_LISTS {
            let openings = find_opening_list(&start(list)).expect("a list").openings();
            assert_eq!(*openings.start_position(), start(list));
            for opening in openings.as_slice() {
                let plies = opening.plies_text();
                assert!(
                    opening.margin().is_some(),
                    "{}x{} {plies}",
                    list.houses,
                    list.seeds
                );
            }
        }
    }

    #[test]
    fn random_openings_are_as_many_as_the_rounds_on_a_board_of_any_size() {
        let start = Position::start(14, 3, Rules::CS32).expect("a valid start");
        let select = |seed| {
            let tournament = Tournament::new(TournamentFormat::RoundRobin, 2, 50, seed);
            let option = Some(&OpeningsOption::Random(6));
            select_openings(option, start.clone(), &tournament).expect("openings")
        };
        let openings = select(1);
        assert_eq!(openings.as_slice().len(), 50);
        for opening in openings.as_slice() {
            assert_eq!(opening.game().plies().len(), 6);
        }
        assert_eq!(openings, select(1));
        assert_ne!(openings, select(2));
    }

    /// Proves a sample of the openings on boards up to `max_houses` with an engine for each, and
    /// returns their number.
    fn prove_sample(max_houses: u8) -> usize {
        let mut proven = 0;
        for list in OPENING_LISTS
            .iter()
            .filter(|list| list.houses <= max_houses)
        {
            let openings = find_opening_list(&start(list)).expect("a list").openings();
            let step = openings.as_slice().len().div_ceil(SAMPLE);
            for opening in openings.as_slice().iter().step_by(step) {
                let position = opening.game().position();
                proven += 1;
                let mut engine = Engine::new();
                let report = engine.analyze(position, Limits::default(), &|| Duration::ZERO);
                let margin = match position.to_move() {
                    Side::South => report.bounds.lower,
                    Side::North => -report.bounds.lower,
                };
                assert!(report.bounds.is_exact(), "{position}");
                assert_eq!(opening.margin(), Some(margin), "{position}");
            }
        }
        proven
    }

    #[test]
    fn file_in_another_encoding_has_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("openings.txt");
        std::fs::write(&path, b"rules cs32\n# f\xfcr 3x2\n").expect("a writable folder");
        let start = Position::start(3, 2, Rules::CS32).expect("a start");
        let error = read_openings(&path, &start).expect_err("Latin-1");
        let expected = "openings.txt' is not UTF-8 text: line 2, byte 15 of the file; save it as \
                        UTF-8";
        assert!(error.to_string().ends_with(expected), "{error}");
    }

    #[test]
    fn engine_proves_the_margins_of_small_openings() {
        assert_eq!(prove_sample(FEW_HOUSES), 2 * SAMPLE);
    }

    #[test]
    #[ignore = "slow: cargo xtask ci --slow runs it"]
    fn engine_proves_the_margins_of_all_lists() {
        assert_eq!(prove_sample(u8::MAX), SAMPLE * OPENING_LISTS.len());
    }
}
