use kalah::{Position, Rules};
use kalah_arena::Openings;

use crate::Failure;

/// The openings of a board that are in this program.
struct List {
    houses: u8,
    seeds: u64,
    rules: Rules,
    text: &'static str,
}

/// All of them; `cargo xtask openings` makes more.
const LISTS: &[List] = &[List {
    houses: 4,
    seeds: 3,
    rules: Rules::CS32,
    text: include_str!("../../../../../data/openings/4x3-cs32.txt"),
}];

/// The list for games that begin with `start`.
pub(super) fn list(start: &Position) -> Result<Openings, Failure> {
    for list in LISTS {
        if Position::start(list.houses, list.seeds, list.rules).as_ref() == Ok(start) {
            let openings = list.text.parse();
            return openings
                .map_err(|reason| Failure::Work(format!("the list of openings: {reason}")));
        }
    }
    let known: Vec<String> = (LISTS.iter())
        .map(|list| format!("{}x{} {}", list.houses, list.seeds, list.rules))
        .collect();
    Err(Failure::Usage(format!(
        "there is no list of openings for {start} under {}: there are lists for {}; others are made by `cargo xtask openings`, and \
         --openings FILE takes them",
        start.rules(),
        known.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_for_its_board_and_proven() {
        for known in LISTS {
            let start = Position::start(known.houses, known.seeds, known.rules).expect("a start");
            let openings = list(&start).expect("a list");
            assert_eq!(*openings.board(), start);
            for opening in openings.all() {
                assert!(
                    opening.margin().is_some(),
                    "{} {}",
                    known.houses,
                    opening.plies()
                );
            }
        }
    }
}
