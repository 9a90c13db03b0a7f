//! Books against a slow definition: every position by the rules of `kalah`, and every gain by a
//! plain minimax search.

use std::collections::{HashMap, HashSet};

use kalah::{FirstPlies, Gain, House, Position, Rules, Setup, Side};
use kalah_book::{Book, BookError, BookJournal, BookJournalError, BookPositions, BookStart};
use proptest::prelude::*;

/// The rows of a position, that of the side to move first.
type OwnAndOther = [Vec<u64>; 2];

fn rows(position: &Position) -> OwnAndOther {
    let mover = position.to_move();
    [mover, mover.opponent()].map(|side| {
        let houses = position.houses_of(side).iter();
        houses.map(|seeds| u64::from(seeds.get())).collect()
    })
}

fn start_position(start: BookStart) -> Position {
    let mut setup = Setup::start(start.houses, start.seeds);
    setup.first_plies = FirstPlies::Later;
    setup.position(start.rules).unwrap()
}

fn children(position: &Position) -> Vec<(House, Position)> {
    let houses = position.legal_houses();
    let children = houses.map(|house| {
        let mut next = position.clone();
        next.sow(house).unwrap();
        (house, next)
    });
    children.collect()
}

/// Returns the margin of `side` in seeds with best play of both sides, by the gains of rows that
/// are known already.
fn slow_gain(position: &Position, known: &mut HashMap<OwnAndOther, i32>) -> i32 {
    if position.is_over() {
        return 0;
    }
    let key = rows(position);
    if let Some(&gain) = known.get(&key) {
        return gain;
    }
    let mover = position.to_move();
    let lead = |position: &Position, side: Side| {
        let store = |side| i32::from(position.store(side).get());
        store(side) - store(side.opponent())
    };
    let gains = children(position).into_iter().map(|(_, next)| {
        let sign = if next.to_move() == mover { 1 } else { -1 };
        let banked = lead(&next, mover) - lead(position, mover);
        banked + sign * slow_gain(&next, known)
    });
    let best = gains.max().unwrap();
    known.insert(key, best);
    best
}

/// Returns the positions that `start` reaches with each number of plies, without repetitions.
fn slow_layers(start: BookStart) -> Vec<Vec<Position>> {
    let first = start_position(start);
    let mut seen = HashSet::from([rows(&first)]);
    let mut layers = vec![vec![first]];
    for _ in 0..start.plies {
        let mut layer = Vec::new();
        for position in layers.last().unwrap() {
            for (_, next) in children(position).into_iter().rev() {
                if !next.is_over() && seen.insert(rows(&next)) {
                    layer.push(next);
                }
            }
        }
        layers.push(layer);
    }
    layers
}

/// Returns the book of a small start, whose leaves are solved by the slow search.
fn book(start: BookStart, known: &mut HashMap<OwnAndOther, i32>) -> Result<Book, BookError> {
    let positions = BookPositions::new(start)?;
    let gains = positions.leaves().map(|leaf| slow_gain(&leaf, known));
    let gains: Vec<_> = gains.map(Gain::new).collect();
    Book::new(positions, &gains)
}

fn starts() -> impl Strategy<Value = BookStart> {
    (1..=3_u8, 1..=2_u64, 0..Rules::PRESETS.len(), 0..=6_u32).prop_map(
        |(houses, seeds, preset, plies)| BookStart {
            houses,
            seeds,
            rules: Rules::PRESETS[preset].rules,
            plies,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_position_has_the_gain_of_a_slow_search(start in starts()) {
        let mut known = HashMap::new();
        let layers = slow_layers(start);
        let positions = BookPositions::new(start).unwrap();
        let leaves: Vec<_> = positions.leaves().map(|leaf| rows(&leaf)).collect();
        let slow_leaves: Vec<_> = layers.last().unwrap().iter().map(rows).collect();
        prop_assert_eq!(leaves, slow_leaves);
        prop_assert_eq!(positions.len(), layers.iter().map(Vec::len).sum::<usize>());

        let book = book(start, &mut known).unwrap();
        let parsed = Book::parse(&book.to_bytes()).unwrap();
        prop_assert_eq!(parsed.start(), start);
        for (plies, position) in layers.iter().enumerate().flat_map(|(plies, layer)| {
            layer.iter().map(move |position| (plies, position))
        }) {
            let gain = Some(Gain::new(slow_gain(position, &mut known)));
            prop_assert_eq!(book.gain(position), gain, "{}", position);
            prop_assert_eq!(parsed.gain(position), gain, "{}", position);
            let moves = position.legal_houses().map(|house| book.sowing_gain(position, house));
            let moves: Vec<_> = moves.collect();
            if plies < layers.len() - 1 {
                prop_assert_eq!(moves.into_iter().max().unwrap(), gain, "{}", position);
            } else {
                prop_assert!(moves.into_iter().flatten().all(|known| Some(known) <= gain));
            }
        }
    }

    #[test]
    fn any_bytes_are_a_book_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Book::parse(&bytes).is_err());
        let mut named = b"kalah-book 1\n".to_vec();
        named.extend(&bytes);
        prop_assert!(Book::parse(&named).is_err());
    }
}

const START: BookStart = BookStart {
    houses: 3,
    seeds: 2,
    rules: Rules::STANDARD,
    plies: 2,
};

#[test]
fn the_book_of_other_rules_or_another_board_has_no_gain() {
    let book = book(START, &mut HashMap::new()).unwrap();
    let start = start_position(START);
    assert!(book.gain(&start).is_some());
    for other in [
        start_position(BookStart {
            rules: Rules::CS32,
            ..START
        }),
        start_position(BookStart { houses: 2, ..START }),
        start_position(BookStart { seeds: 3, ..START }),
        Position::start(3, 2, Rules::MANKALAH).unwrap(),
    ] {
        assert_eq!(book.gain(&other), None, "'{other}'");
    }
    let mankalah = start_position(BookStart {
        rules: Rules::MANKALAH,
        ..START
    });
    assert_eq!(book.gain(&mankalah), book.gain(&start));
}

#[test]
fn a_file_is_refused_wherever_it_is_cut_or_changed() {
    let bytes = book(START, &mut HashMap::new()).unwrap().to_bytes();
    for length in 0..bytes.len() {
        assert!(Book::parse(&bytes[..length]).is_err(), "{length} bytes");
    }
    for index in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[index] ^= 1;
        assert!(Book::parse(&changed).is_err(), "byte {index}");
    }
}

#[test]
fn starts_without_a_book_are_refused() {
    let error = |houses, seeds, plies| {
        let start = BookStart {
            houses,
            seeds,
            plies,
            ..START
        };
        BookPositions::new(start).err().unwrap().to_string()
    };
    assert_eq!(
        error(16, 1, 1),
        "16x1 is too large for a book: at most 15 houses a side and 255 seeds in all"
    );
    assert_eq!(
        error(6, 22, 1),
        "6x22 is too large for a book: at most 15 houses a side and 255 seeds in all"
    );
    assert_eq!(error(6, 0, 1), "6x0 is over at the start");
    assert_eq!(
        error(27, 1, 1),
        "27 houses a side are too many: at most 26 can be played"
    );
}

#[test]
fn leaves_have_gains_that_are_possible() {
    let new = |gains: &[i32]| {
        let gains: Vec<_> = gains.iter().copied().map(Gain::new).collect();
        let start = BookStart { plies: 0, ..START };
        Book::new(BookPositions::new(start).unwrap(), &gains).map(|_| ())
    };
    assert_eq!(new(&[2]), Ok(()));
    assert_eq!(new(&[]).unwrap_err().to_string(), "0 gains for 1 leaf");
    for gain in [-14, -13, 1, 14] {
        assert_eq!(
            new(&[gain]).unwrap_err().to_string(),
            format!("leaf 0 cannot gain {gain}: it has 12 seeds in play")
        );
    }
}

#[test]
fn journals_of_other_books_and_damaged_ones_are_refused() {
    let parse =
        |text: &str| BookJournal::parse(text, START, 9).map(|journal| journal.complete_bytes());
    let start = BookJournal::start_line(START);
    let line = BookJournal::leaf_line(3, Gain::new(2));
    assert_eq!(
        parse(&format!("{start}{line}{{\"leaf")),
        Ok(start.len() + line.len())
    );
    assert_eq!(
        parse(&format!("{start}{line}{line}")),
        Ok(start.len() + 2 * line.len())
    );
    assert_eq!(parse(""), Err(BookJournalError::NoStart));
    assert_eq!(parse(&line), Err(BookJournalError::NoStart));
    let other = BookJournal::start_line(BookStart { plies: 3, ..START });
    assert_eq!(
        parse(&other).unwrap_err().to_string(),
        "the build is that of the book `board=3x2 rules=standard plies=3`, not of \
         `board=3x2 rules=standard plies=2`"
    );
    let changed = line.replace("\"gain\":2", "\"gain\":4");
    assert_eq!(
        parse(&format!("{start}{changed}")),
        Err(BookJournalError::Damaged { line: 2 })
    );
    let contradicting = BookJournal::leaf_line(3, Gain::new(4));
    assert_eq!(
        parse(&format!("{start}{line}{contradicting}")),
        Err(BookJournalError::WrongLeaf { line: 3, leaf: 3 })
    );
    let beyond = BookJournal::leaf_line(9, Gain::new(4));
    assert_eq!(
        parse(&format!("{start}{beyond}")),
        Err(BookJournalError::WrongLeaf { line: 2, leaf: 9 })
    );
}
