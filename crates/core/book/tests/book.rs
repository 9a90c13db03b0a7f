//! Books against a slow definition: every position by the rules of `kalah`, and every gain by a
//! plain minimax search.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use kalah::{FirstPlies, Gain, House, Margin, Move, MoveResult, Position, Rules, Setup, Side};
use kalah_book::{
    Book, BookBuild, BookBuildError, BookError, BookJournal, BookJournalError, BookPositions,
    BookSet, BookStart,
};
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

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
    Position::start(start.houses, start.seeds, start.rules).unwrap()
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

/// Returns the gain of the side to move by a slow search; `known` has the gains that are known
/// already.
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

/// Returns the positions that `start` reaches with each number of plies, without repetitions, and
/// those at the end whose next ply has rules of its own. These are in no layer.
fn slow_layers(start: BookStart) -> (Vec<Vec<Position>>, Vec<Position>) {
    let mut seen = HashSet::new();
    let (mut layers, mut first_plies) = (Vec::new(), Vec::new());
    let mut reached = vec![start_position(start)];
    for ply in 0..=start.plies {
        let mut layer: Vec<Position> = Vec::new();
        first_plies = Vec::new();
        for position in reached {
            if position.first_plies() != FirstPlies::Later {
                first_plies.push(position);
            } else if !position.is_over() && seen.insert(rows(&position)) {
                layer.push(position);
            }
        }
        reached = Vec::new();
        for position in first_plies
            .iter()
            .chain(&layer)
            .filter(|_| ply < start.plies)
        {
            reached.extend(children(position).into_iter().rev().map(|(_, next)| next));
            let mut swapped = position.clone();
            reached.extend(swapped.play(Move::Swap).is_ok().then_some(swapped));
        }
        layers.push(layer);
    }
    (layers, first_plies)
}

/// Returns the book of a small start, whose leaves are solved by the slow search.
fn book(start: BookStart, known: &mut HashMap<OwnAndOther, i32>) -> Result<Book, BookError> {
    let positions = BookPositions::new(start)?;
    let gains = positions.leaves().map(|leaf| slow_gain(&leaf, known));
    let gains: Vec<_> = gains.map(Gain::new).collect();
    Book::new(positions, &gains)
}

fn starts() -> impl Strategy<Value = BookStart> {
    let presets = Rules::PRESETS;
    (1..=3_u8, 1..=2_u64, 0..presets.len(), 0..=6_u32).prop_map(
        move |(houses, seeds, preset, plies)| BookStart {
            houses,
            seeds,
            rules: presets[preset].rules,
            plies,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_position_has_the_gain_of_a_slow_search(start in starts()) {
        let mut known = HashMap::new();
        let (layers, first_plies) = slow_layers(start);
        let positions = match BookPositions::new(start) {
            Ok(positions) if first_plies.is_empty() => positions,
            other => {
                let error = other.map(|_| ()).unwrap_err();
                prop_assert_eq!(error, BookError::TooFewPlies(start));
                return Ok(());
            }
        };
        let leaves: Vec<_> = positions.leaves().map(|leaf| rows(&leaf)).collect();
        let slow_leaves: Vec<_> = layers.last().unwrap().iter().map(rows).collect();
        prop_assert_eq!(leaves, slow_leaves);
        prop_assert_eq!(positions.position_count(), layers.iter().map(Vec::len).sum::<usize>());

        let book = book(start, &mut known).unwrap();
        let parsed = Book::parse(&book.to_bytes()).unwrap();
        prop_assert_eq!(parsed.start(), start);
        let first = start_position(start);
        prop_assert_eq!(book.start_margin().seeds(), slow_margin(&first, &mut known));
        let has = |position: &Position| {
            let mut all = layers.iter().flatten();
            position.is_over() || all.any(|other| rows(other) == rows(position))
        };
        for (plies, position) in (layers.iter().enumerate())
            .flat_map(|(plies, layer)| layer.iter().map(move |position| (plies, position)))
            .chain([(0, &first)])
        {
            let gain = Some(position.gain(Margin::new(slow_margin(position, &mut known))));
            prop_assert_eq!(book.gain(position), gain, "{}", position);
            prop_assert_eq!(parsed.gain(position), gain, "{}", position);
            let mut best = None;
            for mv in position.legal_moves() {
                let mut next = position.clone();
                next.play(mv).unwrap();
                let move_gain = book.move_gain(position, mv);
                let is_later = next.first_plies() == FirstPlies::Later;
                prop_assert_eq!(move_gain.is_some(), !is_later || has(&next), "{}", next);
                prop_assert!(move_gain <= gain);
                best = best.max(move_gain);
            }
            if plies < layers.len() - 1 {
                prop_assert_eq!(best, gain, "{}", position);
            }
        }
    }

    #[test]
    fn any_bytes_are_a_book_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Book::parse(&bytes).is_err());
        prop_assert!(Book::parse(&sealed(&[b"kalah-book 1\n", &bytes])).is_err());
        let start = format!("kalah-book 1\n{START}\n");
        prop_assert!(Book::parse(&sealed(&[start.as_bytes(), &bytes])).is_err());
    }
}

/// Returns the bytes with the checksum of a file.
fn sealed(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = parts.concat();
    let checksum = xxh3_64(&bytes).to_le_bytes();
    bytes.extend(checksum);
    bytes
}

fn compressed(shares: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(shares).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn files_with_wrong_contents_are_refused() {
    let leaves = BookPositions::new(START).unwrap().leaf_count();
    let right = compressed(&vec![3; leaves]);
    let error = |start: &str, gains: &[u8]| {
        let text = format!("kalah-book 1\n{start}\n");
        let parsed = Book::parse(&sealed(&[text.as_bytes(), gains]));
        parsed.map_or_else(|reason| reason.to_string(), |_| "a book".to_owned())
    };
    let start = START.to_string();
    assert_eq!(error(&start, &right), "a book");
    assert_eq!(error(&start, &compressed(&vec![3; leaves + 1])), {
        let (found, expected) = (leaves + 1, leaves);
        format!("{found} gains for {expected} leaves")
    });
    assert_eq!(
        error(&start, &compressed(&[3])),
        format!("1 gain for {leaves} leaves")
    );
    assert_eq!(
        error(&start, &compressed(&vec![13; leaves])),
        "leaf 0 cannot gain 16: it has 10 seeds in play"
    );
    let damaged = "the compressed gains are damaged";
    assert_eq!(error(&start, &right[..right.len() - 1]), damaged);
    assert_eq!(error(&start, b"no zlib stream"), damaged);
    assert_eq!(error(&start, &[&right[..], b"more"].concat()), damaged);
    for line in [
        "",
        "board=3x2",
        "board=3x2 rules=standard plies=+2",
        "board=3x2 rules=standard plies=02",
        "board=03x2 rules=standard plies=2",
        "board=3x2 rules=none plies=2",
        "board=<3,0,0,2,2,2,2,2,2> s rules=standard plies=2",
        "board=300x1 rules=standard plies=2",
    ] {
        let expected = format!(
            "the second line `{line}` does not name a start as `board=6x4 rules=standard \
             plies=4` does"
        );
        assert_eq!(error(line, &right), expected);
    }
    assert_eq!(
        error("board=3x2 rules=standard plies=100", &right),
        "100 plies are too many for a book: at most 99"
    );
    assert_eq!(
        error("board=15x8 rules=standard plies=99", &right),
        "15x8 reaches more than a million positions within 99 plies"
    );
    assert_eq!(
        error("board=3x2 rules=mankalah plies=1", &right),
        "a book of `mankalah` needs more than 1 ply: the first plies have rules of their own"
    );
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
    // The same position after the first plies of a game under rules with a swap.
    let later: Setup = "<3,0,0,2,2,2,2,2,2> s".parse().unwrap();
    let later = later.position(Rules::MANKALAH).unwrap();
    assert_eq!(book.gain(&later), book.gain(&start));
}

/// Returns the margin for the player to move, where the first plies may have rules of their own.
fn slow_margin(position: &Position, known: &mut HashMap<OwnAndOther, i32>) -> i32 {
    if position.first_plies() == FirstPlies::Later {
        return position
            .margin(Gain::new(slow_gain(position, known)))
            .seeds();
    }
    let margins = position.legal_moves().map(|mv| {
        let mut next = position.clone();
        let is_swap = next.play(mv).unwrap() == MoveResult::Swapped;
        let is_same_player = next.to_move() == position.to_move() && !is_swap;
        let margin = slow_margin(&next, known);
        if is_same_player { margin } else { -margin }
    });
    margins.max().unwrap()
}

/// A sowing into the own store, which gives no bonus turn at ply 1, leads to a position that no
/// game under `standard` reaches.
#[test]
fn a_set_knows_swaps_as_far_as_its_books_reach() {
    let (mut known, mut swaps) = (0, 0);
    for (houses, seeds) in [(2, 2), (3, 1), (3, 2), (4, 1), (4, 2), (5, 1)] {
        let standard = BookStart {
            houses,
            seeds,
            ..START
        };
        let rules = Rules::MANKALAH;
        let mut slow = HashMap::new();
        let books = BookSet::default().with_book(book(standard, &mut slow).unwrap());
        let start = Position::start(houses, seeds, rules).unwrap();
        for first in start.legal_moves() {
            let mut next = start.clone();
            next.play(first).unwrap();
            if let Some(gain) = books.gain(&next) {
                assert_eq!(
                    next.margin(gain).seeds(),
                    slow_margin(&next, &mut slow),
                    "{next}"
                );
                assert!(books.move_gain(&start, first).is_some(), "{next}");
                known += 1;
                swaps += u32::from(books.best_move(&next) == Some(Move::Swap));
            }
        }
        assert_eq!((books.gain(&start), books.best_move(&start)), (None, None));
        let books = books.with_book(book(BookStart { rules, ..standard }, &mut slow).unwrap());
        let gain = books.gain(&start).unwrap();
        assert_eq!(start.margin(gain).seeds(), slow_margin(&start, &mut slow));
        assert!(books.best_move(&start).is_some());
    }
    assert!(known > 0 && swaps > 0, "{known} positions, {swaps} swaps");
}

#[test]
fn a_set_has_the_books_of_several_starts() {
    let other = BookStart { houses: 2, ..START };
    let new_book = |start| book(start, &mut HashMap::new()).unwrap();
    let books = BookSet::default().with_book(new_book(START));
    assert_eq!(books.gain(&start_position(other)), None);
    let books = books.with_book(new_book(other));
    for start in [START, other] {
        let position = start_position(start);
        assert_eq!(books.gain(&position), new_book(start).gain(&position));
    }
    assert_eq!(books.starts().collect::<Vec<_>>(), [other, START]);
    // A game with more seeds that has the houses of the start.
    let richer: Setup = "<3,5,5,2,2,2,2,2,2> s".parse().unwrap();
    assert_eq!(books.gain(&richer.position(Rules::STANDARD).unwrap()), None);
}

/// The margins of starts are those of `data/values.csv`, which has none under `mankalah`: that of
/// 6x4 is -2, as `kalah solve 6x4 --rules mankalah --book none` finds by a search.
#[test]
fn embedded_books_have_the_proven_margins() {
    let books = BookSet::embedded();
    for start in books.starts() {
        let position = start_position(start);
        let gain = books.gain(&position).unwrap_or_else(|| panic!("{start}"));
        let best = books
            .best_move(&position)
            .unwrap_or_else(|| panic!("{start}"));
        assert_eq!(books.move_gain(&position, best), Some(gain), "{start}");
        let BookStart {
            houses,
            seeds,
            rules,
            ..
        } = start;
        let row = format!("\n{rules},{houses},{seeds},{},", gain.seeds());
        if rules == Rules::MANKALAH {
            assert_eq!((houses, seeds, gain.seeds()), (6, 4, -2));
        } else {
            assert!(VALUES.contains(&row), "{row:?}");
        }
    }
}

const VALUES: &str = include_str!("../../../../data/values.csv");

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
        "16x1 is too large for a book, which has at most 15 houses a side, and 255 seeds in all"
    );
    assert_eq!(
        error(6, 22, 1),
        "6x22 is too large for a book, which has at most 15 houses a side, and 255 seeds in all"
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
    let parse = |text: &str| {
        BookJournal::parse(text.as_bytes(), START, 9).map(|journal| journal.complete_bytes())
    };
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
    for length in 0..start.len() {
        assert_eq!(parse(&start[..length]), Ok(0));
    }
    assert_eq!(parse("no start"), Err(BookJournalError::NoStart));
    let not_text = [start.as_bytes(), b"\xff\n"].concat();
    let parsed = BookJournal::parse(&not_text, START, 9).map(|_| ());
    assert_eq!(parsed, Err(BookJournalError::Damaged { line: 2 }));
    let cut = [start.as_bytes(), b"\xff\0"].concat();
    let parsed = BookJournal::parse(&cut, START, 9).unwrap();
    assert_eq!(parsed.complete_bytes(), start.len());
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

#[test]
fn builds_refuse_impossible_gains_and_keep_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("3x2.build");
    let mut build = BookBuild::open(&path, START).unwrap();
    let leaves = build.positions().leaf_count();
    build.add(&[(1, Gain::new(2))]).unwrap();
    let stored = std::fs::read(&path).unwrap();
    for (leaf, gain, reason) in [
        (
            0,
            1,
            "leaf 0 cannot gain 1: it has 10 seeds in play".to_owned(),
        ),
        (
            leaves,
            0,
            format!("there is no leaf {leaves}: {leaves} leaves from number 0 on"),
        ),
    ] {
        let refused = build.add(&[(2, Gain::new(4)), (leaf, Gain::new(gain))]);
        assert_eq!(refused.unwrap_err().to_string(), reason);
    }
    assert_eq!(std::fs::read(&path).unwrap(), stored);
    assert_eq!(build.known_count(), 1);
    assert!(!build.unknown_leaves().any(|leaf| leaf == 1));
    let second = BookBuild::open(&path, START).map(|_| ());
    assert!(matches!(second, Err(BookBuildError::Lock { .. })));
    drop(build);
    let build = BookBuild::open(&path, START).unwrap();
    assert_eq!(build.unknown_leaves().count(), leaves - 1);
    let incomplete = build.into_book().map(|_| ()).unwrap_err();
    assert_eq!(
        incomplete.to_string(),
        format!("1 gain for {leaves} leaves")
    );
    let impossible = BookJournal::leaf_line(0, Gain::new(1));
    std::fs::write(&path, BookJournal::start_line(START) + &impossible).unwrap();
    let refused = BookBuild::open(&path, START).map(|_| ()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "wrong results in '{}': leaf 0 cannot gain 1: it has 10 seeds in play",
            path.display()
        )
    );
}
