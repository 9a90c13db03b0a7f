//! Themes of puzzles against definitions that replay every move on the reference.

use kalah::reference::ReferencePosition;
use kalah::{Move, MoveResult, Pit, Position, Rules, Setup, Side, SowEffect, SowResult};
use kalah_engine::{Puzzle, PuzzleGenerator, PuzzleTheme};
use test_tools::sample_or_all;

use crate::naive_margin::move_margin;

/// The themes of a puzzle by their definitions. `margin` returns the least margin of a move.
fn slow_themes(puzzle: &Puzzle, margin: &dyn Fn(Move) -> i32) -> Vec<PuzzleTheme> {
    let side = puzzle.position.to_move();
    let plies = solution(puzzle);
    let own: Vec<&SlowPly> = plies.iter().filter(|ply| ply.is_own).collect();
    let best_other = (puzzle.position.legal_moves())
        .filter(|&mv| mv != puzzle.solution)
        // The first of several.
        .reduce(|best, mv| if margin(mv) > margin(best) { mv } else { best })
        .unwrap();
    let mut themes = Vec::new();
    let mut add = |theme, has_theme: bool| themes.extend(has_theme.then_some(theme));
    add(
        PuzzleTheme::Capture,
        own.iter().any(|ply| ply.captured() > 0),
    );
    let chain = (plies.windows(2)).any(|pair| {
        let [first, second] = pair else {
            unreachable!("windows of two");
        };
        first.is_own && second.is_own && first.is_bonus() && second.is_bonus()
    });
    add(PuzzleTheme::BonusChain, chain);
    add(PuzzleTheme::Starve, own.iter().any(|ply| ply.starves()));
    let other = play(&reference(&puzzle.position), true, best_other);
    let end_of_turn = first_turn(puzzle);
    let saves = !other.is_own_turn_after
        && end_of_turn.is_some_and(|end| threat(&other.after) >= threat(&end.after) + 3);
    add(PuzzleTheme::SaveSeeds, saves);
    let in_houses = [side, side.opponent()]
        .into_iter()
        .flat_map(|owner| puzzle.position.houses_of(owner))
        .map(|seeds| seeds.get())
        .sum::<u16>();
    let houses = u16::from(puzzle.position.houses()) * 2;
    add(PuzzleTheme::LastSeeds, in_houses <= houses);
    add(PuzzleTheme::OnlyMove, margin(best_other) < 0);
    themes
}

struct SlowPly {
    is_own: bool,
    result: MoveResult,
    is_own_turn_after: bool,
    after: ReferencePosition,
}

impl SlowPly {
    fn captured(&self) -> u16 {
        match self.result {
            MoveResult::Sown(SowResult {
                effect: SowEffect::Capture(capture),
                ..
            }) => capture.seeds.get(),
            _ => 0,
        }
    }

    fn is_bonus(&self) -> bool {
        let MoveResult::Sown(sown) = self.result else {
            return false;
        };
        sown.effect == SowEffect::BonusTurn
    }

    /// Whether the sweep at the end finds seeds only in the row of the player who has sowed.
    fn starves(&self) -> bool {
        let MoveResult::Sown(sown) = self.result else {
            return false;
        };
        let rows = sown
            .swept
            .map(|swept| (swept.south.get(), swept.north.get()));
        match (sown.side, rows) {
            (Side::South, Some((own, other))) | (Side::North, Some((other, own))) => {
                own > 0 && other == 0
            }
            (_, None) => false,
        }
    }
}

fn reference(position: &Position) -> ReferencePosition {
    ReferencePosition::from_setup(&Setup::from(position), position.rules()).unwrap()
}

/// The seeds in the houses of a side.
fn row(position: &ReferencePosition, owner: Side) -> u16 {
    (position.pits())
        .filter(|pit| matches!(pit, Pit::House(side, _) if *side == owner))
        .map(|pit| position.seeds(pit))
        .sum()
}

/// Plays a move of the player to move in the puzzle or of the opponent.
fn play(before: &ReferencePosition, is_own: bool, mv: Move) -> SlowPly {
    let mut after = before.clone();
    let result = after.play(mv).unwrap();
    let mut ply = SlowPly {
        is_own,
        result,
        is_own_turn_after: is_own,
        after,
    };
    if mv == Move::Swap || !ply.is_bonus() {
        ply.is_own_turn_after = !is_own;
    }
    ply
}

/// Replays the line of a puzzle.
fn replay(puzzle: &Puzzle) -> Vec<SlowPly> {
    let mut plies: Vec<SlowPly> = Vec::new();
    for &(_, mv) in &puzzle.report.line {
        let ply = match plies.last() {
            None => play(&reference(&puzzle.position), true, mv),
            Some(last) => play(&last.after, last.is_own_turn_after, mv),
        };
        plies.push(ply);
    }
    plies
}

/// The plies to find and the replies, and the plies that end the turn of the last of them.
fn solution(puzzle: &Puzzle) -> Vec<SlowPly> {
    let count = puzzle.solution_plies().len();
    let mut goes_on = true;
    let plies = replay(puzzle).into_iter().enumerate();
    plies
        .take_while(|(index, ply)| {
            let takes = goes_on;
            goes_on = index + 1 < count || ply.is_own_turn_after;
            takes
        })
        .map(|(_, ply)| ply)
        .collect()
}

/// The last ply of the first turn, if the line reaches it.
fn first_turn(puzzle: &Puzzle) -> Option<SlowPly> {
    replay(puzzle)
        .into_iter()
        .find(|ply| !ply.is_own_turn_after)
}

/// The most seeds of the other side that one sowing captures.
fn threat(position: &ReferencePosition) -> u16 {
    let other = position.to_move().opponent();
    let mut most = 0;
    for mv in position.legal_moves() {
        let ply = play(position, true, mv);
        if ply.captured() > 0 {
            // All seeds but the last one come from the opposite house.
            most = most.max(ply.captured() - 1);
            assert!(row(position, other) >= most || row(position, other) == 0);
        }
    }
    most
}

/// Compares the themes of a puzzle, and counts them.
fn compare(puzzle: &Puzzle, margin: &dyn Fn(Move) -> i32, counts: &mut [[u32; 2]; 6]) {
    let themes = puzzle.themes();
    assert_eq!(
        themes,
        slow_themes(puzzle, margin),
        "{} {}",
        puzzle.position.rules(),
        puzzle.position
    );
    for (count, theme) in counts.iter_mut().zip(PuzzleTheme::ALL) {
        count[usize::from(themes.contains(&theme))] += 1;
    }
}

#[test]
fn themes_of_small_boards_follow_from_the_rules_alone() {
    let mut counts = [[0; 2]; 6];
    for preset in Rules::PRESETS {
        for (houses, seeds) in [(3, 2), (4, 2)] {
            let start = Position::start(houses, seeds, preset.rules).unwrap();
            for puzzle in PuzzleGenerator::new(start, 1).take(20) {
                let margin = |mv| move_margin(&puzzle.position, mv).0.seeds();
                compare(&puzzle, &margin, &mut counts);
            }
        }
    }
    for (theme, counts) in PuzzleTheme::ALL.into_iter().zip(counts) {
        assert!(counts.iter().all(|&count| count > 0), "{theme}: {counts:?}");
    }
}

#[test]
fn themes_of_larger_boards_follow_from_the_line_and_the_bounds() {
    let mut counts = [[0; 2]; 6];
    let boards = sample_or_all(
        [(4, 3, 24), (5, 4, 6), (6, 4, 2), (8, 3, 1)],
        [(4, 3, 50), (5, 4, 30), (6, 4, 30), (8, 3, 10)],
    );
    for preset in Rules::PRESETS {
        for (houses, seeds, puzzles) in boards {
            let start = Position::start(houses, seeds, preset.rules).unwrap();
            for puzzle in PuzzleGenerator::new(start, 2).take(puzzles) {
                let margin = |mv| {
                    let bounds = puzzle.report.bounds_of(mv).unwrap();
                    bounds.lower.seeds()
                };
                compare(&puzzle, &margin, &mut counts);
            }
        }
    }
    for (theme, counts) in PuzzleTheme::ALL.into_iter().zip(counts) {
        assert!(counts.iter().all(|&count| count > 0), "{theme}: {counts:?}");
    }
}

#[test]
fn names_of_themes_parse() {
    for theme in PuzzleTheme::ALL {
        assert_eq!(theme.to_string().parse(), Ok(theme));
    }
    let error = "fork".parse::<PuzzleTheme>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`fork` is no theme: expected capture, bonus-chain, starve, save-seeds, last-seeds, \
         only-move"
    );
}
