//! Results of an analysis as text.

use std::cmp::Reverse;

use kalah::{Move, MoveResult, Position, Side, format_count, format_number};
use kalah_engine::{Bounds, Certainty, GameValue, MoveReport, Report, ResultChances};
use kalah_players::escape_control;

use crate::describe::Notation;
use crate::palette::Palette;

/// The result of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisOutput<'a> {
    /// The position.
    pub position: &'a Position,
    /// The report of its analysis.
    pub report: &'a Report,
    /// Whether bounds were read from a file that nothing has checked. No margin is exact then.
    pub is_conditional: bool,
}

/// The moves that the output lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveListing {
    /// All moves.
    All,
    /// No moves.
    None,
}

impl AnalysisOutput<'_> {
    /// Returns whether the margin is proven, and with [`MoveListing::All`] those of all moves.
    pub fn is_exact(&self, listing: MoveListing) -> bool {
        let report = self.report;
        let are_moves_exact = || {
            report
                .moves
                .iter()
                .all(|candidate| candidate.bounds.is_exact())
        };
        report.bounds.is_exact() && (listing == MoveListing::None || are_moves_exact())
    }

    /// Returns whether the bounds of any move are tighter than those that follow from the stores
    /// after the move.
    pub fn is_anything_proven(&self) -> bool {
        let Self {
            position, report, ..
        } = self;
        let total = i32::from(position.total());
        report.moves.iter().any(|&MoveReport { mv, bounds, .. }| {
            let mut next = (*position).clone();
            // After a swap, the player of the side to move has the other side.
            let own_side = match next.play(mv) {
                Ok(MoveResult::Sown(_)) => position.to_move(),
                Ok(MoveResult::Swapped) => position.to_move().opponent(),
                Err(_) => return false,
            };
            // A player with `store` seeds loses by at most the margin at which the opponent has all
            // other seeds.
            let max_loss = |side| total - 2 * i32::from(next.store(side));
            bounds.is_exact()
                || bounds.lower.seeds() > -max_loss(own_side)
                || bounds.upper.seeds() < max_loss(own_side.opponent())
        })
    }

    /// Returns the message of a command that Ctrl-C has stopped before all was proven.
    pub fn interrupted_message(&self) -> &'static str {
        if self.is_anything_proven() {
            "interrupted: the bounds are those proven so far"
        } else {
            "interrupted: no margin is proven"
        }
    }

    /// Returns the result as lines of text, the best move first.
    pub fn to_text(&self, listing: MoveListing, notation: Notation, palette: Palette) -> String {
        let Self {
            position,
            report,
            is_conditional,
        } = *self;
        let side = position.to_move();
        let name = palette.name(side, &side.to_string());
        let bounds = format_unchecked(report.bounds, is_conditional);
        let Some(best) = report.best_move else {
            return format!("The game is over: {} for {name}\n", report.margin());
        };
        let expected = match report.certainty {
            Certainty::Exact => String::new(),
            Certainty::Estimate => {
                let chance = format_win_chance(report.bounds, report.chances(position));
                format!(", estimated {}{chance}", report.margin())
            }
        };
        let note = opening_note(position).map(str::to_owned);
        let mut lines: Vec<String> = note.into_iter().collect();
        lines.push(format!("{name} to move: {bounds}{expected}"));
        let moves = self.moves_best_first(best);
        if listing == MoveListing::All {
            lines.extend(moves.iter().map(|candidate| {
                let star = if candidate.mv == best { " *" } else { "" };
                let name = notation.format_move(side, candidate.mv);
                let score = format_score(position, candidate, is_conditional);
                format!("{name}: {score}{star}")
            }));
        }
        let others = moves.iter().filter(|candidate| candidate.mv != best);
        let others = others.map(|candidate| &candidate.line);
        let pvs = [&report.line]
            .into_iter()
            .chain(others.filter(|line| !line.is_empty()));
        lines.extend(pvs.map(|line| format!("Line: {}", notation.format_line(line))));
        lines.push(format_work(report));
        if let Some(damage) = &report.table_damage {
            let damage = escape_control(&damage.to_string());
            lines.push(format!("A table was not used: {damage}"));
        }
        lines.join("\n") + "\n"
    }

    /// Returns the moves in the order of their scores.
    fn moves_best_first(&self, best: Move) -> Vec<&MoveReport> {
        let mut moves: Vec<_> = self.report.moves.iter().collect();
        moves.sort_by_key(|candidate| {
            let Bounds { lower, upper } = candidate.bounds;
            let score = (candidate.estimate, lower, upper);
            (candidate.mv != best, Reverse(score))
        });
        moves
    }
}

/// Returns how the margins were found, and in which time.
fn format_work(report: &Report) -> String {
    let seconds = report.time.as_secs_f64();
    if report.is_from_book {
        return format!("From the opening book, {seconds:.2} s");
    }
    format!(
        "{} searched, {} looked up in tables, {seconds:.2} s",
        format_count(report.nodes, "position"),
        format_number(report.table_hits)
    )
}

/// The line about a position that comes after the opening.
const AFTER_OPENING: &str = "After the opening: without `ply=1` or `ply=2` the position comes after the first two plies, for \
     which the rules differ";

/// Returns a line about a position that comes after the first plies, if the rules treat these
/// differently: its margin can differ from that of the start with the same seeds. A finished game
/// has none, because its margin depends on the stores alone.
pub fn opening_note(position: &Position) -> Option<&'static str> {
    (position.is_after_first_plies() && !position.is_over()).then_some(AFTER_OPENING)
}

/// Returns a line for each move with its bounds, the best one first. A star marks it if its margin
/// equals that of the position. The bounds are proven on the condition that the answers of
/// `conditional_leaves` are right.
pub fn move_lines(
    position: Bounds,
    moves: impl IntoIterator<Item = (Move, Bounds)>,
    conditional_leaves: usize,
    side: Side,
    notation: Notation,
) -> Vec<String> {
    let mut moves: Vec<_> = moves.into_iter().collect();
    moves.sort_by_key(|&(_, Bounds { lower, upper })| Reverse((lower, upper)));
    let mut is_first = true;
    let line = |(mv, bounds): (Move, Bounds)| {
        let is_best = std::mem::take(&mut is_first) && bounds.is_exact() && bounds == position;
        let star = if is_best { " *" } else { "" };
        let name = notation.format_move(side, mv);
        let bounds = format_unchecked(bounds, conditional_leaves > 0);
        format!("{name}: {bounds}{star}")
    };
    moves.into_iter().map(line).collect()
}

/// Returns `+8 exact`, or `+8, conditional` if these bounds are, or `from -2 to +8`.
fn format_unchecked(bounds: Bounds, is_conditional: bool) -> String {
    if is_conditional && bounds.is_exact() {
        format!("{}, conditional", bounds.lower)
    } else {
        format_bounds(bounds)
    }
}

/// Returns `+8 exact`, or `~+6, wins 79 %, depth 12, from -2 to +8`.
fn format_score(position: &Position, candidate: &MoveReport, is_conditional: bool) -> String {
    let MoveReport {
        bounds,
        estimate,
        depth,
        ..
    } = candidate;
    if bounds.is_exact() {
        return format_unchecked(*bounds, is_conditional);
    }
    let chance = format_win_chance(*bounds, Some(candidate.chances(position)));
    let bounds = format_bounds(*bounds);
    format!("~{estimate}{chance}, depth {depth}, {bounds}")
}

/// Returns `, wins 79 %`, which follows an estimated margin, and nothing if the bounds prove the
/// result or the chances are unknown.
pub fn format_win_chance(bounds: Bounds, chances: Option<ResultChances>) -> String {
    match (GameValue::from_bounds(bounds), chances) {
        (None, Some(chances)) => format!(", wins {} %", chances.win_percent()),
        _ => String::new(),
    }
}

/// Returns `+8 exact`, or `from -2 to +8`.
pub fn format_bounds(bounds: Bounds) -> String {
    let Bounds { lower, upper } = bounds;
    if bounds.is_exact() {
        format!("{lower} exact")
    } else {
        format!("from {lower} to {upper}")
    }
}

/// Returns `+8, conditional on 2 leaves` for bounds that are proven on the condition that the
/// answers of this many leaves are right, and without such leaves the text of [`format_bounds`].
pub fn format_conditional_bounds(bounds: Bounds, leaves: usize) -> String {
    let text = if leaves > 0 && bounds.is_exact() {
        bounds.lower.to_string()
    } else {
        format_bounds(bounds)
    };
    match leaves {
        0 => text,
        leaves => format!(
            "{text}, conditional on {}",
            format_count(leaves as u64, "leaf")
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kalah::{Labels, Margin, Rules, Setup};
    use kalah_engine::{AnalysisGoal, Engine, Limits};

    use super::*;

    /// Returns whether a report proves anything that has these bounds for the first move of a
    /// position and no other moves.
    fn proves_anything(position: &str, rules: Rules, (lower, upper): (i32, i32)) -> bool {
        let setup: Setup = position.parse().expect("a position");
        let position = setup.position(rules).expect("a playable position");
        let limits = Limits {
            goal: AnalysisGoal::AllMargins,
            ..Limits::default()
        };
        let mut report = Engine::new().analyze(&position, limits, &|| Duration::ZERO);
        report.moves.truncate(1);
        report.moves[0].bounds = Bounds {
            lower: Margin::new(lower),
            upper: Margin::new(upper),
        };
        let analysis = AnalysisOutput {
            position: &position,
            report: &report,
            is_conditional: false,
        };
        analysis.is_anything_proven()
    }

    #[test]
    fn estimates_have_the_chance_to_win_until_the_result_is_proven() {
        let position = Position::start(8, 8, Rules::STANDARD).expect("a board");
        let limits = Limits {
            nodes: Some(2_000),
            ..Limits::default()
        };
        let report = Engine::new().analyze(&position, limits, &|| Duration::ZERO);
        let percent = report.chances(&position).expect("a search").win_percent();
        let output = AnalysisOutput {
            position: &position,
            report: &report,
            is_conditional: false,
        };
        let notation = Notation::new(&position, Labels::Letters);
        let text = output.to_text(MoveListing::All, notation, Palette::PLAIN);
        let (margin, chance) = (report.margin(), format!("wins {percent} %"));
        assert!(
            text.contains(&format!(", estimated {margin}, {chance}\n")),
            "{text}"
        );
        assert!(
            text.contains(&format!(": ~{margin}, {chance}, depth ")),
            "{text}"
        );
        let bounds = Bounds {
            lower: Margin::new(2),
            ..report.bounds
        };
        assert_eq!(format_win_chance(bounds, report.chances(&position)), "");
        assert_eq!(format_win_chance(report.bounds, None), "");
    }

    #[test]
    fn bounds_that_follow_from_the_stores_are_not_proven_by_the_search() {
        // The first move of 3x2 adds no seed to a store.
        for (bounds, expected) in [
            ((-12, 12), false),
            ((-10, 12), true),
            ((-12, 10), true),
            ((2, 2), true),
        ] {
            let proven = proves_anything("3x2", Rules::CS32, bounds);
            assert_eq!(proven, expected, "{bounds:?}");
        }
        // The first move of 2x2 adds one.
        assert!(!proves_anything("2x2", Rules::CS32, (-6, 8)));
        assert!(proves_anything("2x2", Rules::CS32, (-4, 8)));
    }
}
