//! Openings: text form, enumeration, selection by margin, and shuffling.

use std::collections::HashSet;

use kalah::{Margin, Position, Rules, SeedCount};
use kalah_arena::{Openings, OpeningsProblem};
use proptest::prelude::*;

fn start() -> Position {
    Position::start(4, 3, Rules::STANDARD).expect("a start")
}

#[test]
fn text_with_comments_and_tabs_is_parsed() {
    let text = "# four houses\n\nrules\tstandard # as Wikipedia\n board 4x3\n\n0\tA a\n-2  C\ta # a win for North\n? B\n0\n";
    let openings: Openings = text.parse().expect("openings");
    let lines: Vec<_> = (openings.as_slice().iter())
        .map(|opening| (opening.margin().map(Margin::seeds), opening.plies_text()))
        .collect();
    let line = |margin, plies: &str| (margin, plies.to_owned());
    assert_eq!(
        lines,
        [
            line(Some(0), "A a"),
            line(Some(-2), "C a"),
            line(None, "B"),
            line(Some(0), "")
        ]
    );
    assert_eq!(openings.start_position(), &start());
}

#[test]
fn errors_name_the_line_and_the_reason() {
    for (text, message) in [
        ("", "line 1: expected the line `rules ...`, found ``"),
        (
            "rulesstandard\n",
            "line 1: expected the line `rules ...`, found `rulesstandard`",
        ),
        (
            "rules standard\n\n0 A\n",
            "line 3: expected the line `board ...`, found `0 A`",
        ),
        (
            "rules standard\nboard 4x3\n",
            "line 2: there are no openings",
        ),
        (
            "rules standard\nboard <4,0,0,0,0,0,0,1,1,1,1> s\n?\n",
            "line 3: the game is over after the opening",
        ),
        (
            "rules standard\nboard 4x3\n1 A\n",
            "line 3: a game of 24 seeds cannot end with a margin of +1",
        ),
        (
            "rules standard\nboard 4x3\n+26 A\n",
            "line 3: a game of 24 seeds cannot end with a margin of +26",
        ),
        (
            "rules standard\nboard 4x3\n-2147483648 A\n",
            "line 3: a game of 24 seeds cannot end with a margin of -2147483648",
        ),
        (
            "rules standard\nboard 4x3\nA a\n",
            "line 3: invalid margin `A`: expected seeds such as +2, 0 or -1, or ? if unproven",
        ),
        (
            "rules standard\nboard 4x3\n? {A}\n",
            "line 3: unexpected `{` among moves: expected letters of houses and the word swap",
        ),
        (
            "rules standard\nboard 4x3\n? A\n? C\n0 A\n",
            "line 5: this opening leads to the same position as line 3",
        ),
    ] {
        let error = text.parse::<Openings>().expect_err("an error");
        assert_eq!(error.to_string(), message, "{text}");
    }
    // These messages come from the crate kalah.
    for (text, part) in [
        ("rules chess\n", "chess"),
        ("rules cs32\nboard 0x4\n", "0x4"),
        ("rules cs32\nboard 6x9999\n", "too many"),
        ("rules cs32\nboard 4x3\n0 a\n", "`a`"),
    ] {
        let error = text.parse::<Openings>().expect_err("an error").to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn enumeration_contains_each_position_once() {
    for plies in 0..5 {
        let openings = Openings::enumerate(start(), plies).expect("there are some");
        let reached: HashSet<_> = openings
            .as_slice()
            .iter()
            .map(|opening| opening.game().position().to_string())
            .collect();
        assert_eq!(reached.len(), openings.as_slice().len());
        assert!(
            openings
                .as_slice()
                .iter()
                .all(|opening| opening.game().plies().len() == plies)
        );
        // Brute force: the positions after all lines of moves, with repetitions.
        let mut positions = vec![start()];
        for _ in 0..plies {
            positions = (positions.iter())
                .flat_map(|position| {
                    position.legal_moves().map(|mv| {
                        let mut child = position.clone();
                        child.play(mv).expect("legal");
                        child
                    })
                })
                .collect();
        }
        let expected: HashSet<_> = (positions.iter())
            .filter(|position| !position.is_over())
            .map(ToString::to_string)
            .collect();
        assert_eq!(reached, expected);
    }
    // Every game of six seeds is shorter.
    let small = Position::start(3, 1, Rules::STANDARD).expect("a start");
    assert_eq!(Openings::enumerate(small, 30), Err(OpeningsProblem::Empty));
}

#[test]
fn balanced_selects_the_smallest_margins() {
    let openings = Openings::enumerate(start(), 3).expect("there are some");
    let mut seeds = (-12..=12).cycle().map(|half| 2 * half);
    let openings = openings
        .with_proven_margins(|_| seeds.next().map(Margin::new))
        .expect("possible margins");
    let mut margins: Vec<_> = openings
        .as_slice()
        .iter()
        .map(|opening| opening.margin().expect("proven").seeds().abs())
        .collect();
    margins.sort_unstable();
    for count in [1, 5, margins.len(), margins.len() + 9] {
        let balanced = openings.balanced(count, 1);
        let selected: Vec<_> = balanced
            .as_slice()
            .iter()
            .map(|opening| opening.margin().expect("proven").seeds().abs())
            .collect();
        assert_eq!(selected, margins[..count.min(margins.len())]);
    }
    // The seed decides among equal margins.
    assert_eq!(openings.balanced(5, 1), openings.balanced(5, 1));
    assert_ne!(openings.balanced(5, 1), openings.balanced(5, 2));
}

#[test]
fn unproven_openings_are_removed_or_last() {
    let openings = Openings::enumerate(start(), 1).expect("there are some");
    assert_eq!(
        openings.clone().with_proven_margins(|_| None),
        Err(OpeningsProblem::Empty)
    );
    let odd = openings
        .clone()
        .with_proven_margins(|_| Some(Margin::new(3)));
    assert_eq!(
        odd,
        Err(OpeningsProblem::Margin {
            margin: Margin::new(3),
            seeds: SeedCount::from(24)
        })
    );
    let text = "rules standard\nboard 4x3\n? A\n-24 B\n";
    let openings: Openings = text.parse().expect("openings");
    assert_eq!(openings.balanced(1, 0).as_slice()[0].plies_text(), "B");
}

proptest! {
    #[test]
    fn text_round_trips(plies in 0_usize..5, seed in any::<u64>(), count in 1_usize..50) {
        for rules in [Rules::CS32, Rules::MANKALAH] {
            let start = Position::start(3, 2, rules).expect("a start");
            let Ok(openings) = Openings::enumerate(start, plies) else { continue };
            let mut half = -6;
            let openings = openings.with_proven_margins(|_| { half = (half + 7) % 6; Some(Margin::new(2 * half)) }).expect("possible margins");
            let openings = openings.balanced(count, seed);
            prop_assert_eq!(openings.to_string().parse::<Openings>(), Ok(openings));
        }
    }

    #[test]
    fn shuffled_contains_all_openings_before_any_repeats(seed in any::<u64>(), index in 0_usize..200) {
        let openings = Openings::enumerate(start(), 2).expect("there are some");
        let count = openings.as_slice().len();
        let mut shuffled = openings.shuffled(seed);
        let plies = shuffled.get(index).plies_text();
        for cycle in 0..3 {
            let distinct: HashSet<_> = (cycle * count..(cycle + 1) * count)
                .map(|index| shuffled.get(index).plies_text())
                .collect();
            prop_assert_eq!(distinct.len(), count);
        }
        prop_assert_eq!(openings.shuffled(seed).get(index).plies_text(), plies);
    }

    #[test]
    fn parsed_openings_are_never_empty(text in "(rules standard\nboard 4x3\n)?\\PC{0,60}") {
        if let Ok(openings) = text.parse::<Openings>() {
            prop_assert!(!openings.as_slice().is_empty());
        }
    }
}
