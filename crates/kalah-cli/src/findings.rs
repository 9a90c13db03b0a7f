use std::cmp::Reverse;
use std::io::Write;

use indicatif::HumanCount;
use kalah::record::format_plies;
use kalah::{Move, MoveResult, Position, Side};
use kalah_engine::{Bounds, Certainty, Report};
use serde::Serialize;

use crate::words::format_count;
use crate::{CliError, Notation, Palette};

/// What an analysis found, as `kalah analyze` and `kalah solve` tell it.
pub(crate) struct AnalysisOutput<'a> {
    pub(crate) position: &'a Position,
    pub(crate) report: &'a Report,
}

/// The same, for programs.
#[derive(Serialize)]
pub(crate) struct AnalysisJson {
    position: String,
    rules: String,
    side: &'static str,
    /// The least that it can be.
    margin: i32,
    exact: bool,
    best: Option<String>,
    moves: Vec<MoveJson>,
    line: String,
    nodes: u64,
    table_hits: u64,
    seconds: f64,
}

/// A move and what is proven of its margin.
#[derive(Serialize)]
pub(crate) struct MoveJson {
    #[serde(rename = "move")]
    mv: String,
    /// The least that it can be.
    margin: i32,
    lower: i32,
    upper: i32,
    exact: bool,
}

/// Which moves are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveListing {
    All,
    None,
}

impl AnalysisOutput<'_> {
    /// Whether there is nothing left to prove of what is told.
    pub(crate) fn is_exact(&self, moves: MoveListing) -> bool {
        let every = || {
            let mut moves = self.report.moves.iter();
            moves.all(|(_, bounds)| bounds.is_exact())
        };
        self.report.bounds.is_exact() && (moves == MoveListing::None || every())
    }

    /// Whether anything is proven that the stores behind a choice do not tell by themselves.
    pub(crate) fn is_anything_proven(&self) -> bool {
        let Self { position, report } = self;
        let all = i32::from(position.total());
        report.moves.iter().any(|&(mv, bounds)| {
            let mut next = (*position).clone();
            // Who swaps sits on the other side.
            let seat = match next.play(mv) {
                Ok(MoveResult::Sown(_)) => position.to_move(),
                Ok(MoveResult::Swapped) => position.to_move().opponent(),
                Err(_) => return false,
            };
            let rest_behind = |side| all - 2 * i32::from(next.store(side));
            bounds.is_exact()
                || bounds.lower.seeds() > -rest_behind(seat)
                || bounds.upper.seeds() < rest_behind(seat.opponent())
        })
    }

    /// Why a command failed that Ctrl-C has ended before all was proven.
    pub(crate) fn interrupted_message(&self) -> &'static str {
        if self.is_anything_proven() {
            "broken off: this is what is proven so far"
        } else {
            "broken off: nothing is proven yet"
        }
    }

    pub(crate) fn to_json(&self, moves: MoveListing) -> AnalysisJson {
        let Self { position, report } = self;
        let side = position.to_move();
        let moves = match moves {
            MoveListing::All => report.moves.as_slice(),
            MoveListing::None => &[],
        };
        AnalysisJson {
            position: position.to_string(),
            rules: position.rules().to_string(),
            side: side.as_str(),
            margin: report.bounds.lower.seeds(),
            exact: report.bounds.is_exact(),
            best: report.best_move.map(|mv| mv.text(side)),
            moves: moves_json(side, moves),
            line: format_plies(&report.line),
            nodes: report.nodes,
            table_hits: report.table_hits,
            seconds: report.time.as_secs_f64(),
        }
    }

    /// Writes them for people, the best move first.
    pub(crate) fn write(
        &self,
        moves: MoveListing,
        naming: Notation,
        palette: Palette,
        output: &mut dyn Write,
    ) -> Result<(), CliError> {
        let Self { position, report } = self;
        let side = position.to_move();
        let name = palette.name(side, &side.to_string());
        let told = format_bounds(report.bounds);
        let Some(best) = report.best_move else {
            writeln!(output, "The game is over: {} for {name}", report.margin)?;
            return Ok(());
        };
        let expected = match report.certainty {
            Certainty::Exact => String::new(),
            Certainty::Estimate => format!(", looks like {}", report.expected_margin()),
        };
        writeln!(output, "{name} to move: {told}{expected}")?;
        if moves == MoveListing::All {
            for (mv, told) in self.moves_best_first(best) {
                let star = if mv == best { " *" } else { "" };
                let name = naming.format_move(side, mv);
                writeln!(output, "{name}: {}{star}", format_bounds(told))?;
            }
        }
        writeln!(output, "Line: {}", naming.format_line(&report.line))?;
        writeln!(
            output,
            "{} searched, {} looked up in tables, {:.2} s",
            format_count(report.nodes, "position"),
            HumanCount(report.table_hits),
            report.time.as_secs_f64()
        )?;
        Ok(())
    }

    fn moves_best_first(&self, best: Move) -> Vec<(Move, Bounds)> {
        let mut moves = self.report.moves.clone();
        moves.sort_by_key(|(mv, Bounds { lower, upper })| {
            (*mv != best, Reverse(*lower), Reverse(*upper))
        });
        moves
    }
}

/// The moves of a side for programs.
pub(crate) fn moves_json(side: Side, moves: &[(Move, Bounds)]) -> Vec<MoveJson> {
    let moves = moves.iter().map(|&(mv, bounds)| MoveJson {
        mv: mv.text(side),
        margin: bounds.lower.seeds(),
        lower: bounds.lower.seeds(),
        upper: bounds.upper.seeds(),
        exact: bounds.is_exact(),
    });
    moves.collect()
}

/// `+8 exact`, or `from -2 to +8`.
pub(crate) fn format_bounds(bounds: Bounds) -> String {
    let Bounds { lower, upper } = bounds;
    if bounds.is_exact() {
        format!("{lower} exact")
    } else {
        format!("from {lower} to {upper}")
    }
}

#[cfg(test)]
mod tests {
    use kalah::{Margin, Rules, Setup};
    use kalah_engine::{Engine, Goal, Limits};

    use super::*;

    /// What is found of a position with these bounds for its first choice, and no others known.
    fn proves_anything(typed: &str, rules: Rules, (lower, upper): (i32, i32)) -> bool {
        let setup: Setup = typed.parse().expect("a position");
        let position = setup.position(rules).expect("with these rules");
        let limits = Limits {
            goal: Goal::AllMargins,
            ..Limits::default()
        };
        let mut report = Engine::new().analyse(&position, limits, &|| std::time::Duration::ZERO);
        let bounds = Bounds {
            lower: Margin::new(lower),
            upper: Margin::new(upper),
        };
        report.moves.truncate(1);
        for (_, of) in &mut report.moves {
            *of = bounds;
        }
        let findings = AnalysisOutput {
            position: &position,
            report: &report,
        };
        findings.is_anything_proven()
    }

    #[test]
    fn what_the_stores_tell_is_no_proof() {
        let rules = Rules::CS32;
        // The first choice brings no seed to a store of 3x2.
        for (bounds, anything) in [
            ((-12, 12), false),
            ((-10, 12), true),
            ((-12, 10), true),
            ((2, 2), true),
        ] {
            assert_eq!(
                proves_anything("3x2", rules, bounds),
                anything,
                "{bounds:?}"
            );
        }
        // That of 2x2 brings one.
        assert!(!proves_anything("2x2", rules, (-6, 8)));
        assert!(proves_anything("2x2", rules, (-4, 8)));
    }
}
