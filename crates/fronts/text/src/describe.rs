//! Descriptions in words: houses and moves, the events of a game, and hints.

use kalah::record::format_plies;
use kalah::{
    ActionError, BySide, Capture, Ending, House, IllegalMove, Labels, Margin, Move, MoveResult,
    Position, SeedCount, Side, SowEffect, SowResult, Termination, format_count,
};
use kalah_engine::{Bounds, Certainty, GameValue, Report};

use crate::analysis::format_win_chance;
use crate::palette::Palette;

/// Describes the events of a game in words.
///
/// ```
/// use kalah::{BySide, House, Labels, MoveResult, Position, Rules, Side};
/// use kalah_text::{EventDescriber, Notation, Palette};
///
/// let mut position = Position::start(6, 4, Rules::CS32)?;
/// let describer = EventDescriber {
///     names: BySide::new("Marge", "Homer"),
///     notation: Notation::new(&position, Labels::Letters),
///     palette: Palette::PLAIN,
/// };
/// let sowing = position.sow(House::new(3).expect("from 1 to 26"))?;
/// assert_eq!(
///     describer.describe_move_result(Side::South, &MoveResult::Sown(sowing)),
///     "South (Marge) sows house C (4 seeds): bonus turn."
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EventDescriber<'a> {
    /// The names of the players by the side on which they are now.
    pub names: BySide<&'a str>,
    /// The names of houses and moves.
    pub notation: Notation,
    /// The colours of names and effects.
    pub palette: Palette,
}

/// The number of seeds that a capture takes if the opposite house is empty.
const EMPTY_CAPTURE_SEEDS: u16 = 1;

impl EventDescriber<'_> {
    /// Returns a side with its player: `South (Marge)`.
    pub fn player_label(&self, side: Side) -> String {
        let (name, side_name) = (self.names[side], side.to_string());
        if name == side_name {
            return self.palette.name(side, name);
        }
        self.palette.name(side, &format!("{side_name} ({name})"))
    }

    /// Describes the result of a move of `side` in one line. After a swap, `names` are those after
    /// the exchange.
    pub fn describe_move_result(&self, side: Side, result: &MoveResult) -> String {
        match result {
            MoveResult::Sown(sowing) => self.describe_sowing(sowing),
            MoveResult::Swapped => self.describe_swap(side),
        }
    }

    /// Describes a swap of `side`, whose player has exchanged sides with the other one.
    fn describe_swap(&self, side: Side) -> String {
        let taken = side.opponent();
        let (player, other) = (self.names[taken], self.names[side]);
        // Equal names do not tell the players apart, nor do the sides that they leave.
        if player == other || player == taken.to_string() || other == side.to_string() {
            let player = self.palette.name(side, &side.to_string());
            return format!(
                "{player} swaps: its player takes {taken}'s row and store, and {taken}'s player \
                 takes {side}'s."
            );
        }
        let label = self.palette.name(side, &format!("{side} ({player})"));
        format!(
            "{label} swaps: {player} takes {taken}'s row and store, and {other} takes {side}'s."
        )
    }

    fn describe_sowing(&self, sowing: &SowResult) -> String {
        let mut line = format!(
            "{} sows house {} ({})",
            self.player_label(sowing.side),
            self.notation.format_house(sowing.side, sowing.house),
            format_seeds(sowing.seeds),
        );
        match sowing.effect {
            SowEffect::TurnPasses => {}
            SowEffect::BonusTurn => {
                line += ": ";
                line += &self.palette.good("bonus turn");
            }
            SowEffect::Capture(capture) => {
                line += ": ";
                line += &self.describe_capture(sowing.side, capture);
            }
        }
        line.push('.');
        if let Some(swept) = &sowing.swept {
            line += " The game is over.";
            for owner in Side::ALL {
                if swept[owner] > SeedCount::ZERO {
                    let seeds = format_seeds(swept[owner]);
                    let sweep = format!(" {owner}'s store takes the {seeds} left in its row.");
                    line += &sweep;
                }
            }
        }
        line
    }

    fn describe_capture(&self, side: Side, capture: Capture) -> String {
        let captures = self
            .palette
            .good(&format!("captures {}", format_seeds(capture.seeds)));
        let own = self.notation.format_house(side, capture.house);
        if capture.seeds.get() == EMPTY_CAPTURE_SEEDS {
            return format!("{captures}, the last one alone, in house {own}");
        }
        let opponent = side.opponent();
        let opposite = self.notation.format_house(opponent, capture.from);
        format!("{captures}, the last one in house {own} and all in {opponent}'s house {opposite}")
    }

    /// Describes why an action is refused.
    pub fn describe_refusal(&self, reason: ActionError) -> String {
        match reason {
            ActionError::Illegal(reason) => self.notation.describe_illegal_move(reason),
            reason => reason.to_string(),
        }
    }

    /// Describes the result of a game: `South (Marge) wins 25-23` with South's seeds first,
    /// `Tie 24-24`, `North (Homer) wins by resignation`, or `Unfinished 3-5`.
    pub fn describe_result(&self, ending: &Ending, position: &Position) -> String {
        format_result_with(*ending, position, |winner| self.player_label(winner))
    }
}

/// Formats the result of a game without names: `North wins by resignation`.
///
/// ```
/// use kalah::{Ending, Position, Rules, Side, Termination};
/// use kalah_text::format_result;
/// let start = Position::start(6, 4, Rules::CS32)?;
/// let ending = Ending {
///     termination: Termination::Crash,
///     winner: Some(Side::South),
///     outcome: None,
/// };
/// assert_eq!(format_result(ending, &start), "South wins by North's crash");
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub fn format_result(ending: Ending, position: &Position) -> String {
    format_result_with(ending, position, |winner| winner.to_string())
}

/// Formats the result of a game with the name that `player` gives the winner.
fn format_result_with(
    ending: Ending,
    position: &Position,
    player: impl FnOnce(Side) -> String,
) -> String {
    let stores = format!(
        "{}-{}",
        position.store(Side::South),
        position.store(Side::North)
    );
    if ending.termination == Termination::Unfinished {
        return format!("Unfinished {stores}");
    }
    let loser = ending.winner.map(Side::opponent);
    let how = termination_phrase(ending.termination, loser).unwrap_or(stores);
    match ending.winner {
        Some(winner) => format!("{} wins {how}", player(winner)),
        None => format!("Tie {how}"),
    }
}

/// The names of houses and moves on boards of a given size, as people read and type them.
///
/// ```
/// use kalah::{Labels, Position, Rules};
/// use kalah_text::Notation;
/// let start = Position::start(3, 2, Rules::CS32)?;
/// assert_eq!(Notation::new(&start, Labels::Yale).format_legal_moves(&start), "S3, S2 or S1");
/// # Ok::<(), kalah::SetupError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notation {
    labels: Labels,
    houses: u8,
}

impl Notation {
    /// Creates the notation of boards of the size of `position`.
    pub fn new(position: &Position, labels: Labels) -> Self {
        Self {
            labels,
            houses: position.houses(),
        }
    }

    /// Formats a house of `side` as its label.
    ///
    /// # Panics
    /// If the board does not have this house.
    pub fn format_house(self, side: Side, house: House) -> String {
        self.labels.label(side, house, self.houses)
    }

    /// Formats the legal moves of `position` as a list: `1, 2, 4 or 6`.
    pub fn format_legal_moves(self, position: &Position) -> String {
        let side = position.to_move();
        let mut names: Vec<String> = position
            .legal_houses()
            .map(|house| self.format_house(side, house))
            .collect();
        // North sows towards lower column numbers. The list is in ascending order for both sides.
        if (self.labels, side) == (Labels::Columns, Side::North) {
            names.reverse();
        }
        if position.can_swap() {
            names.push(self.format_move(side, Move::Swap));
        }
        match names.split_last() {
            None => "none".to_owned(),
            Some((only, [])) => only.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }

    /// Formats a move of `side` as a person types it: a label, or `swap`.
    ///
    /// # Panics
    /// If the move sows a house that the board does not have.
    pub fn format_move(self, side: Side, mv: Move) -> String {
        match mv {
            Move::Sow(house) => self.format_house(side, house),
            Move::Swap => mv.text(side),
        }
    }

    /// Formats `plies`, each with the side that moves, with spaces between turns. The moves of a
    /// turn are joined without a separator for letters, as in a record, and with hyphens for other
    /// labels.
    ///
    /// # Panics
    /// If a move sows a house that the board does not have.
    ///
    /// ```
    /// use kalah::{House, Labels, Move, Position, Rules, Side};
    /// use kalah_text::Notation;
    /// let start = Position::start(6, 4, Rules::CS32)?;
    /// let sow = |side, number| (side, Move::Sow(House::new(number).expect("from 1 to 26")));
    /// let line = [sow(Side::South, 3), sow(Side::South, 6), sow(Side::North, 2)];
    /// assert_eq!(Notation::new(&start, Labels::Columns).format_line(&line), "3-6 5");
    /// assert_eq!(Notation::new(&start, Labels::Letters).format_line(&line), "CF b");
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    pub fn format_line(self, plies: &[(Side, Move)]) -> String {
        if self.labels == Labels::Letters {
            return format_plies(plies);
        }
        let is_same_turn = |ply: &(Side, Move), next: &(Side, Move)| {
            ply.0 == next.0 && ply.1 != Move::Swap && next.1 != Move::Swap
        };
        let turns = plies.chunk_by(is_same_turn).map(|turn| {
            let names = turn.iter().map(|&(side, mv)| self.format_move(side, mv));
            names.collect::<Vec<_>>().join("-")
        });
        turns.collect::<Vec<_>>().join(" ")
    }

    /// Describes a move of `side` in words: `house 3`, or `swap`.
    ///
    /// # Panics
    /// If the move sows a house that the board does not have.
    pub fn describe_move(self, side: Side, mv: Move) -> String {
        match mv {
            Move::Sow(house) => format!("house {}", self.format_house(side, house)),
            Move::Swap => mv.text(side),
        }
    }

    /// Describes why a move is illegal, with the label of the house.
    pub fn describe_illegal_move(self, reason: IllegalMove) -> String {
        match reason {
            IllegalMove::EmptyHouse { side, house } => {
                let label = self.format_house(side, house);
                format!("house {label} is empty")
            }
            reason => reason.to_string(),
        }
    }
}

/// A recommended move with the reason in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The move.
    pub mv: Move,
    /// Its value in words, as a predicate: `wins by 8`.
    pub reason: String,
}

impl Hint {
    /// Returns the best move of the report of `position` with its margin; `None` if the game is
    /// over.
    ///
    /// The reason says `estimate` if the margin is not proven.
    pub fn from_report(position: &Position, report: &Report) -> Option<Self> {
        let mv = report.best_move?;
        let lower = report
            .bounds_of(mv)
            .map_or(Margin::ZERO, |bounds| bounds.lower);
        let margin = report.margin();
        let seeds = margin.seeds().unsigned_abs();
        let reason = match report.certainty {
            Certainty::Estimate if lower > Margin::ZERO => {
                format!("wins by at least {}", lower.seeds())
            }
            Certainty::Estimate => {
                let chance = format_win_chance(report.bounds, report.chances(position));
                format!("scores about {margin}{chance} (estimate)")
            }
            Certainty::Exact if margin > Margin::ZERO => format!("wins by {seeds}"),
            Certainty::Exact if margin < Margin::ZERO => format!("loses by {seeds}"),
            Certainty::Exact => "makes a tie".to_owned(),
        };
        Some(Self { mv, reason })
    }
}

/// Returns the proven result of a move: `wins by 6`, `makes a tie` or `loses`, with the margin only
/// if it is proven.
pub fn describe_bounds(bounds: Bounds) -> String {
    let by = if bounds.is_exact() {
        format!(" by {}", bounds.lower.seeds().abs())
    } else {
        String::new()
    };
    match GameValue::from_bounds(bounds) {
        Some(GameValue::Win) => format!("wins{by}"),
        Some(GameValue::Loss) => format!("loses{by}"),
        Some(GameValue::Tie) => "makes a tie".to_owned(),
        None => "has an open result".to_owned(),
    }
}

/// Returns the phrase that follows `wins` or `lost`; `None` if the game ended by the rules, or has
/// not ended. After `wins`, it names the side whose fault has ended the game: `by North's crash`.
pub(super) fn termination_phrase(termination: Termination, loser: Option<Side>) -> Option<String> {
    let fault = match termination {
        Termination::Normal | Termination::Unfinished => return None,
        Termination::Adjudicated => return Some("by adjudication".to_owned()),
        Termination::Resign => return Some("by resignation".to_owned()),
        Termination::Time => return Some("on time".to_owned()),
        Termination::Illegal => "illegal move",
        Termination::Crash => "crash",
        Termination::Stall => "stall",
        Termination::Protocol => "protocol error",
    };
    Some(match loser {
        Some(loser) => format!("by {loser}'s {fault}"),
        None if fault.starts_with('i') => format!("by an {fault}"),
        None => format!("by a {fault}"),
    })
}

/// Formats a number of seeds with its noun: `1 seed`, `4 seeds`.
pub fn format_seeds(count: SeedCount) -> String {
    format_count(count.get().into(), "seed")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kalah::Rules;
    use kalah_engine::MoveReport;

    use super::*;

    /// Returns the reason of the hint from a report with these values for its only move.
    fn reason(expected: i32, lower: i32, upper: i32) -> String {
        let mv = Move::Sow(House::new(3).expect("from 1 to 26"));
        let bounds = Bounds {
            lower: Margin::new(lower),
            upper: Margin::new(upper),
        };
        let report = Report {
            best_move: Some(mv),
            raw_margin: Margin::new(expected),
            certainty: if bounds.is_exact() {
                Certainty::Exact
            } else {
                Certainty::Estimate
            },
            bounds,
            moves: vec![MoveReport::from_bounds(mv, bounds)],
            depth: 1,
            nodes: 1,
            table_hits: 0,
            hash_fullness: None,
            time: Duration::ZERO,
            line: Vec::new(),
            is_from_book: false,
            table_damage: None,
        };
        let position = Position::start(6, 4, Rules::CS32).expect("a board");
        Hint::from_report(&position, &report)
            .expect("the report has a move")
            .reason
    }

    /// Replaces the chance to win, which depends on the fit of the chances.
    fn without_chance(reason: &str) -> String {
        let Some((start, rest)) = reason.split_once("wins ") else {
            return reason.to_owned();
        };
        match rest.split_once(" % ") {
            Some((percent, end)) => {
                let percent: u8 = percent.parse().expect("a number");
                assert!((1..=99).contains(&percent), "{reason}");
                format!("{start}wins N % {end}")
            }
            None => reason.to_owned(),
        }
    }

    #[test]
    fn hint_claims_a_margin_only_if_it_is_proven() {
        for (expected, lower, upper, text) in [
            (8, 8, 8, "wins by 8"),
            (0, 0, 0, "makes a tie"),
            (-3, -3, -3, "loses by 3"),
            (8, -20, 20, "scores about +8, wins N % (estimate)"),
            (-4, -20, 20, "scores about -4, wins N % (estimate)"),
            (8, 0, 20, "scores about +8, wins N % (estimate)"),
            (8, 2, 20, "wins by at least 2"),
            // A margin has the same parity as its bounds.
            (9, -20, 20, "scores about +8, wins N % (estimate)"),
            (-5, -20, 20, "scores about -4, wins N % (estimate)"),
            (0, -21, 21, "scores about +1, wins N % (estimate)"),
        ] {
            assert_eq!(without_chance(&reason(expected, lower, upper)), text);
        }
    }
}
