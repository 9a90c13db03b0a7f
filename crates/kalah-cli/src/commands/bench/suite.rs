use std::fmt::Write as _;
use std::io::Write;
use std::time::Instant;

use kalah::{Position, Rules};
use kalah_engine::{Engine, Goal, Limits, Report};
use xxhash_rust::xxh3::xxh3_64;

use crate::words::format_count;
use crate::{BenchSuiteArguments, CliError, TypedSetup};

/// Rules and positions, one a line.
const POSITIONS: &str = include_str!("positions.txt");

/// Solves the suite, each position by itself, in one thread: only so are the counts always the same.
pub(super) fn run(arguments: BenchSuiteArguments, output: &mut dyn Write) -> Result<(), CliError> {
    let began = Instant::now();
    let (mut margins, mut nodes, mut count) = (String::new(), 0_u64, 0_u64);
    for line in suite_lines() {
        let position = parse_position(line)?;
        let report = solve(&mut Engine::new(), &position);
        let told = margins_line(&position, &report);
        if arguments.margins {
            write!(output, "{told}")?;
            output.flush()?;
        }
        margins += &told;
        nodes += report.nodes;
        count += 1;
    }
    let seconds = began.elapsed().as_secs_f64();
    writeln!(output, "margins {}", signature(&margins))?;
    writeln!(output, "nodes {nodes}")?;
    let rate = millions_per_second(nodes, seconds);
    writeln!(
        output,
        "{} solved in {seconds:.2} s: {rate} million nodes a second",
        format_count(count, "position")
    )?;
    Ok(())
}

/// The lines of the suite without its comments.
fn suite_lines() -> impl Iterator<Item = &'static str> {
    POSITIONS.lines().filter(|line| !line.starts_with('#'))
}

/// The position of a line, which is a sound one in all of them.
fn parse_position(line: &str) -> Result<Position, CliError> {
    let (rules, position) = line.split_once(' ').unwrap_or((line, ""));
    let wrong = |reason: String| CliError::Runtime(format!("the suite is wrong: {reason}"));
    let rules: Rules = (rules.parse()).map_err(|reason| wrong(format!("{reason}")))?;
    let typed: TypedSetup = (position.parse()).map_err(|reason| wrong(format!("{reason}")))?;
    typed.playable(rules)
}

/// Every margin of a position.
fn solve(engine: &mut Engine, position: &Position) -> Report {
    let began = Instant::now();
    let limits = Limits {
        goal: Goal::AllMargins,
        ..Limits::default()
    };
    engine.analyse(position, limits, &|| began.elapsed())
}

/// A line with the rules, the position, and every choice with its margin.
fn margins_line(position: &Position, report: &Report) -> String {
    let side = position.to_move();
    let mut line = format!("{} {position}", position.rules());
    for &(mv, bounds) in &report.moves {
        // There is always room in a string.
        let _ = write!(line, " {}{}", mv.text(side), bounds.lower);
    }
    line + "\n"
}

/// XXH3 of the lines, in hexadecimal digits.
fn signature(lines: &str) -> String {
    format!("{:016x}", xxh3_64(lines.as_bytes()))
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
fn millions_per_second(nodes: u64, seconds: f64) -> String {
    const MILLION: f64 = 1e6;
    format!("{:.1}", nodes as f64 / seconds / MILLION)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use kalah::{Margin, Move, Side, reference};

    use super::*;

    fn suite() -> impl Iterator<Item = Position> {
        suite_lines().map(|line| {
            parse_position(line).unwrap_or_else(|failure| panic!("{line}: {failure:?}"))
        })
    }

    /// Seeds in the houses of both sides.
    fn in_play(position: &Position) -> u16 {
        Side::ALL
            .iter()
            .map(|&side| position.row_total(side).get())
            .sum()
    }

    /// A choice's margin by looking at every position behind it.
    fn naive_margin(position: &Position, mv: Move) -> Margin {
        let mut next = position.clone();
        next.play(mv).expect("a choice");
        // A swap changes who has the side, and not whose turn it is.
        let same = next.to_move() == position.to_move() && mv != Move::Swap;
        let margin = reference::margin(&next);
        if same { margin } else { -margin }
    }

    #[test]
    fn the_margins_of_the_smaller_positions_are_those_of_the_naive_twin() {
        /// What takes the naive twin less than a second.
        const MOST: [(u8, u16); 4] = [(1, 400), (2, 24), (3, 18), (8, 10)];
        let mut compared = 0;
        for position in suite() {
            let is_small = |&(houses, seeds): &(u8, u16)| {
                position.houses() <= houses && in_play(&position) <= seeds
            };
            if !MOST.iter().any(is_small) {
                continue;
            }
            let report = solve(&mut Engine::new(), &position);
            for &(mv, bounds) in &report.moves {
                assert!(bounds.is_exact(), "{mv:?} in '{position}'");
                let margin = naive_margin(&position, mv);
                assert_eq!(bounds.lower, margin, "{mv:?} in '{position}'");
                compared += 1;
            }
        }
        assert!(compared > 40, "{compared}");
    }

    #[test]
    fn the_margins_of_the_others_do_not_depend_on_tables_memory_and_threads() {
        /// A mebibyte leaves room for the smallest tables, and for few positions.
        const MEMORY: usize = 1 << 20;
        /// Where more are searched, it would take too long.
        const MOST_NODES: u64 = 50_000;
        let threads = NonZeroUsize::new(2).expect("two");
        let mut compared = 0;
        for position in suite() {
            let report = solve(&mut Engine::new(), &position);
            if report.nodes <= MOST_NODES {
                let mut other = Engine::new().with_memory(MEMORY).with_threads(threads);
                let expected = margins_line(&position, &solve(&mut other, &position));
                assert_eq!(margins_line(&position, &report), expected);
                compared += 1;
            }
        }
        assert!(compared > 50, "{compared}");
    }

    #[test]
    fn the_suite_is_of_all_rules_and_ways_to_look_at_houses() {
        let all: Vec<Position> = suite().collect();
        for preset in Rules::PRESETS {
            assert!(all.iter().any(|of| of.rules() == preset.rules));
        }
        assert!(all.iter().any(|of| of.rules().preset().is_none()));
        assert!(all.iter().any(Position::can_swap));
        assert!(all.iter().any(|of| in_play(of) > u8::MAX.into()));
        for houses in [1..=7, 8..=15, 16..=26] {
            assert!(all.iter().any(|of| houses.contains(&of.houses())));
        }
    }

    #[test]
    fn the_signature_is_xxh3() {
        // As others compute XXH3.
        assert_eq!(signature(""), "2d06800538d394c2");
        assert_eq!(signature("abc"), "78af5f94892f3950");
    }
}
