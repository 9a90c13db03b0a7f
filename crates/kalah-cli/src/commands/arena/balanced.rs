use kalah::{Position, Rules};
use kalah_arena::Openings;

use crate::CliError;

/// The openings of a board that are in this program.
struct OpeningList {
    houses: u8,
    seeds: u64,
    rules: Rules,
    text: &'static str,
}

/// A list by the name of its file in `data/openings`.
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

/// All of them; `cargo xtask openings` makes more.
const OPENING_LISTS: &[OpeningList] = &[
    opening_list!(4, 3, CS32, "4x3-cs32"),
    opening_list!(4, 4, CS32, "4x4-cs32"),
    opening_list!(6, 3, CS32, "6x3-cs32"),
    opening_list!(6, 3, STANDARD, "6x3-standard"),
    opening_list!(6, 4, CS32, "6x4-cs32"),
    opening_list!(6, 4, STANDARD, "6x4-standard"),
    opening_list!(6, 5, CS32, "6x5-cs32"),
];

/// The list for games that begin with `start`.
pub(super) fn opening_list_for(start: &Position) -> Result<Openings, CliError> {
    for list in OPENING_LISTS {
        if Position::start(list.houses, list.seeds, list.rules).as_ref() == Ok(start) {
            let openings = list.text.parse();
            return openings
                .map_err(|reason| CliError::Runtime(format!("the list of openings: {reason}")));
        }
    }
    let known: Vec<String> = (OPENING_LISTS.iter())
        .map(|list| format!("{}x{} {}", list.houses, list.seeds, list.rules))
        .collect();
    Err(CliError::Usage(format!(
        "there is no list of openings for {start} under {}: there are lists for {}; others are made by `cargo xtask openings`, and \
         --openings FILE takes them",
        start.rules(),
        known.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kalah::Side;
    use kalah_engine::{Engine, Limits};

    use super::*;

    /// Of each list so many are proven again.
    const SAMPLE: usize = 3;
    /// The most houses of boards whose openings are proven again in the plain test run.
    const FEW_HOUSES: u8 = 4;

    fn start(known: &OpeningList) -> Position {
        Position::start(known.houses, known.seeds, known.rules).expect("a start")
    }

    #[test]
    fn every_list_is_for_its_board_and_proven() {
        for known in OPENING_LISTS {
            let openings = opening_list_for(&start(known)).expect("a list");
            assert_eq!(*openings.start_position(), start(known));
            for opening in openings.as_slice() {
                let plies = opening.plies_text();
                assert!(
                    opening.margin().is_some(),
                    "{}x{} {plies}",
                    known.houses,
                    known.seeds
                );
            }
        }
    }

    /// By an engine for each, which knows nothing of the others.
    fn prove_again(most_houses: u8) -> usize {
        let mut proven = 0;
        for known in OPENING_LISTS
            .iter()
            .filter(|list| list.houses <= most_houses)
        {
            let openings = opening_list_for(&start(known)).expect("a list");
            let step = openings.as_slice().len().div_ceil(SAMPLE);
            for opening in openings.as_slice().iter().step_by(step) {
                let position = opening.game().position();
                proven += 1;
                let mut engine = Engine::new();
                let report = engine.analyse(position, Limits::default(), &|| Duration::ZERO);
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
    fn margins_of_small_openings_come_out_again() {
        assert_eq!(prove_again(FEW_HOUSES), 2 * SAMPLE);
    }

    #[test]
    #[ignore = "slow: cargo xtask ci --all runs it"]
    fn margins_come_out_again() {
        assert_eq!(prove_again(u8::MAX), SAMPLE * OPENING_LISTS.len());
    }
}
