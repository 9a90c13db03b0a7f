//! What the engine calls exact is the margin: against a search without memory, cutoffs or
//! depth, and against published values.

use std::time::Duration;

use kalah::{Margin, Player, Position, Rules, naive};
use kalah_engine::{Certainty, Engine, Limits, Random};

fn exact_margin(engine: &mut Engine, position: &Position) -> Margin {
    let report = engine.analyse(position, Limits::default(), &|| Duration::ZERO);
    assert_eq!(report.certainty, Certainty::Exact, "{position}");
    report.margin
}

#[test]
fn margins_of_whole_games_agree_with_the_naive_twin() {
    /// Boards small enough for a search without memory, with every rule set.
    const BOARDS: [(u8, u64); 6] = [(1, 9), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2)];
    let mut compared = 0;
    for preset in Rules::PRESETS {
        // One engine for all: what it remembers of one board must not spoil another.
        let mut engine = Engine::new();
        for (seed, (houses, seeds)) in (0..).zip(BOARDS) {
            let mut position = Position::start(houses, seeds, preset.rules).unwrap();
            let mut random = Random::new("Random", seed);
            loop {
                assert_eq!(
                    exact_margin(&mut engine, &position),
                    naive::margin(&position),
                    "rules {}, position '{position}'",
                    preset.name
                );
                compared += 1;
                let Some(choice) = random.choose(&position, Duration::ZERO) else {
                    break;
                };
                position.play(choice).unwrap();
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_swap_can_cost_more_than_all_seeds_in_play() {
    // South leads by 40 before ply 1; North takes the lead over by the swap.
    let setup: kalah::Setup = "<2,40,0,1,2,2,1> s ply=1".parse().unwrap();
    let position = setup.position(Rules::MANKALAH).unwrap();
    let margin = exact_margin(&mut Engine::new(), &position);
    assert_eq!(margin, naive::margin(&position));
    assert!(margin < Margin::new(-30), "{margin}");
}

#[test]
fn margins_of_starts_are_the_published_ones() {
    /// Starts with more seeds than this take longer than a test should.
    const MOST_SEEDS: u64 = 32;
    let mut compared = 0;
    let values = include_str!("../../kalah/tests/data/values.csv");
    for line in values.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let rules: Rules = fields[0].parse().unwrap();
        let houses: u8 = fields[1].parse().unwrap();
        let seeds: u64 = fields[2].parse().unwrap();
        if u64::from(houses) * seeds * 2 > MOST_SEEDS {
            continue;
        }
        let start = Position::start(houses, seeds, rules).unwrap();
        let margin = exact_margin(&mut Engine::new(), &start);
        assert_eq!(margin.seeds().to_string(), fields[3], "{line}");
        compared += 1;
    }
    assert!(compared >= 16, "{compared}");
}

#[test]
fn a_line_is_legal_and_leads_to_its_margin() {
    let mut engine = Engine::new();
    let mut position = Position::start(4, 2, Rules::STANDARD).unwrap();
    let report = engine.analyse(&position, Limits::default(), &|| Duration::ZERO);
    let first = position.to_move();
    assert_eq!(
        report.line.first().map(|&(_, choice)| Some(choice)),
        Some(report.choice)
    );
    for (side, choice) in report.line {
        assert_eq!(side, position.to_move());
        position.play(choice).unwrap();
    }
    // What is left of the game, if the line was cut short, is worth as much.
    let rest = exact_margin(&mut engine, &position);
    let rest = if position.to_move() == first {
        rest
    } else {
        -rest
    };
    assert_eq!(rest, report.margin);
}
