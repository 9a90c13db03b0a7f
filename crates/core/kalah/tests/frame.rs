//! Yale's board structure: pits, neighbours, labels and the printed board.

use std::collections::HashSet;

use kalah::{BoardFrame, House, PitFrame, PitLabel, Side};

/// Sizes at which a label becomes longer, sizes around them, and the largest size of the
/// assignment.
const SIZES: [u32; 12] = [1, 2, 3, 6, 9, 10, 11, 26, 99, 100, 1000, 10_000];

fn frame(houses: u32) -> BoardFrame {
    BoardFrame::new(houses).unwrap()
}

fn pit(frame: BoardFrame, label: &str) -> PitFrame {
    frame.pit_by_label(label.parse().unwrap()).unwrap()
}

#[test]
fn the_next_pit_is_nearer_to_the_store() {
    for (from, to) in [
        ("N3", "N2"),
        ("S1", "S0"),
        ("S0", "N6"),
        ("N1", "N0"),
        ("N0", "S6"),
    ] {
        assert_eq!(pit(frame(6), from).next(), pit(frame(6), to), "{from}");
    }
}

#[test]
fn houses_have_an_opposite_and_stores_have_none() {
    for (house, opposite) in [("N3", "S4"), ("S4", "N3"), ("N1", "S6"), ("N6", "S1")] {
        assert_eq!(
            pit(frame(6), house).opposite(),
            Some(pit(frame(6), opposite)),
            "{house}"
        );
    }
    assert_eq!(pit(frame(6), "S0").opposite(), None);
    assert_eq!(pit(frame(6), "N0").opposite(), None);
}

#[test]
fn a_walk_around_visits_every_pit_once() {
    for houses in SIZES {
        let board = frame(houses);
        let ends = [0, 1, houses / 2, houses];
        let starts = ends
            .into_iter()
            .flat_map(|number| Side::ALL.map(|owner| board.pit(owner, number).unwrap()));
        for start in starts {
            let walk: Vec<PitFrame> = start.around().collect();
            assert_eq!(walk.len(), 2 * houses as usize + 2, "{start} of {houses}");
            assert_eq!(walk[0], start);
            assert_eq!(walk[walk.len() - 1].next(), start, "{start} of {houses}");
            let different: HashSet<PitFrame> = walk.iter().copied().collect();
            assert_eq!(different.len(), walk.len(), "{start} of {houses}");
        }
        let all: Vec<PitFrame> = board.pits().collect();
        assert_eq!(all.len(), 2 * houses as usize + 2);
        assert_eq!(all[0], board.pit(Side::South, houses).unwrap());
        assert_eq!(all.last(), board.pit(Side::North, 0).as_ref());
    }
}

#[test]
fn every_pit_is_found_by_number_and_by_label() {
    for houses in SIZES {
        let board = frame(houses);
        assert_eq!(board.houses(), houses);
        for pit in board.pits() {
            assert_eq!(board.pit(pit.owner(), pit.number()), Some(pit));
            assert_eq!(board.pit_by_label(pit.label()), Some(pit));
            assert_eq!(pit.label().to_string().parse(), Ok(pit.label()));
            assert_eq!(pit.is_store(), pit.number() == 0);
            assert_eq!(pit.opposite().is_none(), pit.is_store(), "{pit}");
            if let Some(opposite) = pit.opposite() {
                assert_ne!(opposite.owner(), pit.owner());
                assert_eq!(opposite.number() + pit.number(), houses + 1, "{pit}");
                assert_eq!(opposite.opposite(), Some(pit));
            }
        }
        for owner in Side::ALL {
            assert_eq!(board.pit(owner, houses + 1), None);
            assert_eq!(board.pit(owner, u32::MAX), None);
        }
    }
}

#[test]
fn distances_and_opposites_agree_with_house() {
    for houses in 1..=House::MAX {
        let board = frame(houses.into());
        for house in House::all(houses) {
            let at = |house: House| u32::from(house.distance(houses).unwrap());
            let pit = board.pit(Side::South, at(house)).unwrap();
            let opposite = board.pit(Side::North, at(house.opposite(houses).unwrap()));
            assert_eq!(pit.opposite(), opposite, "house {house} of {houses}");
        }
    }
}

#[test]
fn frames_of_any_size_but_zero_exist() {
    assert_eq!(BoardFrame::new(0), None);
    let huge = frame(u32::MAX);
    let farthest = huge.pit(Side::North, u32::MAX).unwrap();
    assert_eq!(pit(huge, "S0").next(), farthest);
    assert_eq!(farthest.opposite(), Some(pit(huge, "S1")));
    assert_eq!(pit(huge, "S4294967295").opposite(), Some(pit(huge, "N1")));
    assert_eq!(huge.pits().nth(2), Some(pit(huge, "S4294967293")));
}

#[test]
fn pits_are_printed_with_their_neighbours() {
    for (label, printed) in [
        ("N3", "North 3, label N3, next N2, opposite S4"),
        ("S1", "South 1, label S1, next S0, opposite N6"),
        ("S0", "South 0, label S0, next N6, no opposite"),
        ("N0", "North 0, label N0, next S6, no opposite"),
    ] {
        assert_eq!(pit(frame(6), label).to_string(), printed);
        assert!(printed.starts_with(&pit(frame(6), label).owner().to_string()));
    }
}

#[test]
fn invalid_labels_are_refused() {
    for text in [
        "",
        "N",
        "S",
        "3",
        "n3",
        "X3",
        "N-1",
        "N+1",
        "N 1",
        " N1",
        "N1 ",
        "N1a",
        "N４",
        "ÑN1",
        "NS1",
        "N4294967296",
        "S1.0",
    ] {
        let error = text.parse::<PitLabel>().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "invalid label `{text}`: expected N or S and a number up to 4294967295, such as N3 or S0"
            )
        );
    }
    assert_eq!("N4294967295".parse::<PitLabel>().unwrap().number, u32::MAX);
    assert_eq!("S007".parse::<PitLabel>().unwrap().to_string(), "S7");
}

#[test]
fn small_boards_are_printed_in_three_lines() {
    let six = "     N1   N2   N3   N4   N5   N6\n\
               N0                                 S0\n     \
               S6   S5   S4   S3   S2   S1";
    assert_eq!(frame(6).to_string(), six);
    let one = "     N1\nN0        S0\n     S1";
    assert_eq!(frame(1).to_string(), one);
    let ten = frame(10).to_string();
    assert_eq!(
        ten.lines().next(),
        Some("      N1    N2    N3    N4    N5    N6    N7    N8    N9    N10")
    );
    assert_eq!(
        ten.lines().last(),
        Some("      S10   S9    S8    S7    S6    S5    S4    S3    S2    S1")
    );
}

#[test]
fn printed_labels_are_aligned_at_every_size() {
    for houses in SIZES {
        let board = frame(houses);
        let printed = board.to_string();
        let lines: Vec<&str> = printed.lines().collect();
        let [north, middle, south] = lines[..] else {
            panic!("{} lines for {houses} houses", lines.len());
        };
        let columns = |line: &str| -> Vec<(usize, PitLabel)> {
            line.split_inclusive(' ')
                .scan(0, |column, word| {
                    let start = *column;
                    *column += word.len();
                    Some((start, word.trim_end()))
                })
                .filter(|(_, word)| !word.is_empty())
                .map(|(column, word)| (column, word.parse().unwrap()))
                .collect()
        };
        let (north, south) = (columns(north), columns(south));
        assert_eq!(north.len(), houses as usize);
        assert_eq!(south.len(), houses as usize);
        for (number, (above, below)) in (1..).zip(north.iter().zip(&south)) {
            assert_eq!(above.0, below.0, "column {number} of {houses}");
            let pit = board.pit(Side::North, number).unwrap();
            assert_eq!(above.1, pit.label());
            assert_eq!(below.1, pit.opposite().unwrap().label());
        }
        let stores = columns(middle);
        let labels: Vec<String> = stores.iter().map(|(_, label)| label.to_string()).collect();
        assert_eq!(labels, ["N0", "S0"]);
        assert!(stores[0].0 < north[0].0 && stores[1].0 > north[north.len() - 1].0);
        assert!(!printed.contains(" \n") && !printed.ends_with([' ', '\n']));
    }
}
