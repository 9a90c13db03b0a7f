//! The sentences about events of a game.

use kalah::{BySide, Ending, House, Labels, Move, Position, Rules, Setup, Side, Termination};
use kalah_text::{EventDescriber, Notation, Palette};

fn position(setup: &str, rules: Rules) -> Position {
    let setup: Setup = setup.parse().expect("a setup");
    setup.position(rules).expect("a position")
}

fn describer(position: &Position, labels: Labels) -> EventDescriber<'static> {
    EventDescriber {
        names: BySide::new("Marge", "Homer"),
        notation: Notation::new(position, labels),
        palette: Palette::PLAIN,
    }
}

/// Sows the house and returns the description.
fn describe_sowing(setup: &str, rules: Rules, labels: Labels, house: u32) -> String {
    let mut position = position(setup, rules);
    let describer = describer(&position, labels);
    let side = position.to_move();
    let house = House::new(house).expect("from 1 to 26");
    let result = position.play(Move::Sow(house)).expect("legal");
    describer.describe_move_result(side, &result)
}

#[test]
fn sowings_are_described_with_their_effects() {
    let (columns, letters, yale) = (Labels::Columns, Labels::Letters, Labels::Yale);
    for (setup, rules, labels, house, expected) in [
        (
            "6x4",
            Rules::CS32,
            columns,
            1,
            "South (Marge) sows house 1 (4 seeds).",
        ),
        (
            "6x4",
            Rules::CS32,
            letters,
            3,
            "South (Marge) sows house C (4 seeds): bonus turn.",
        ),
        (
            "<3,0,0,1,0,2,0,3,1> s",
            Rules::CS32,
            letters,
            1,
            "South (Marge) sows house A (1 seed): captures 4 seeds, \
             the last one in house B and all in North's house b.",
        ),
        (
            "<3,0,0,1,0,2,5,3,0> n",
            Rules::CS32,
            yale,
            2,
            "North (Homer) sows house N2 (3 seeds).",
        ),
        (
            "<3,0,0,1,0,2,1,0,1> n",
            Rules::EMPTY_CAPTURE,
            columns,
            1,
            "North (Homer) sows house 3 (1 seed): captures 1 seed, the last one alone, in house 2.",
        ),
        (
            "<3,0,0,0,0,1,2,1,0> s",
            Rules::STANDARD,
            columns,
            3,
            "South (Marge) sows house 3 (1 seed): bonus turn. The game is over. \
             North's store takes the 3 seeds left in its row.",
        ),
        (
            "<2,0,0,1,1,0,1> n",
            Rules::STANDARD,
            columns,
            2,
            "North (Homer) sows house 1 (1 seed): bonus turn. The game is over. \
             South's store takes the 2 seeds left in its row.",
        ),
    ] {
        assert_eq!(
            describe_sowing(setup, rules, labels, house),
            expected,
            "{setup} {rules}"
        );
    }
}

#[test]
fn results_are_described_with_winner_and_reason() {
    let end = position("<2,3,5,0,0,0,0> s", Rules::CS32);
    let unfinished = position("<2,3,5,1,0,0,1> s", Rules::CS32);
    let tie = position("<2,5,5,0,0,0,0> s", Rules::CS32);
    for (position, termination, winner, expected) in [
        (
            &end,
            Termination::Normal,
            Some(Side::North),
            "North (Homer) wins 3-5",
        ),
        (&tie, Termination::Normal, None, "Tie 5-5"),
        (&unfinished, Termination::Unfinished, None, "Unfinished 3-5"),
        (
            &unfinished,
            Termination::Resign,
            Some(Side::South),
            "South (Marge) wins by resignation",
        ),
        (
            &unfinished,
            Termination::Adjudicated,
            None,
            "Tie by adjudication",
        ),
        (
            &unfinished,
            Termination::Time,
            Some(Side::North),
            "North (Homer) wins on time",
        ),
        (
            &unfinished,
            Termination::Illegal,
            Some(Side::North),
            "North (Homer) wins by South's illegal move",
        ),
    ] {
        let ending = Ending {
            termination,
            winner,
            outcome: position.outcome(),
        };
        let describer = describer(position, Labels::Columns);
        assert_eq!(describer.describe_result(&ending, position), expected);
    }
}
