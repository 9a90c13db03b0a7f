//! Sentences about the events of a game: moves, refused actions, results.

use kalah::{
    ActionError, BySide, Capture, Ending, MoveResult, Position, SeedCount, Side, SowEffect,
    SowResult, Termination, format_count,
};

use crate::text::notation::Notation;
use crate::text::palette::Palette;

/// Describes the events of a game in words.
///
/// ```
/// use kalah::{BySide, House, Labels, MoveResult, Position, Rules, Side};
/// use kalah_tui::{EventDescriber, Notation, Palette};
///
/// let mut position = Position::start(6, 4, Rules::CS32)?;
/// let describer = EventDescriber {
///     names: BySide::new("Marge", "Homer"),
///     notation: Notation::new(&position, Labels::Columns),
///     palette: Palette::PLAIN,
/// };
/// let sowing = position.sow(House::new(3).expect("from 1 to 26"))?;
/// assert_eq!(
///     describer.describe_move_result(Side::South, &MoveResult::Sown(sowing)),
///     "South (Marge) sows house 3 (4 seeds): bonus turn."
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
        let name = self.names[side];
        self.palette.name(side, &format!("{side} ({name})"))
    }

    /// Describes the result of a move of `side` in one line. After a swap, `names` are those after
    /// the exchange.
    pub fn describe_move_result(&self, side: Side, result: &MoveResult) -> String {
        match result {
            MoveResult::Sown(sowing) => self.describe_sowing(sowing),
            // Equal names do not show the exchange.
            MoveResult::Swapped if self.names.south == self.names.north => {
                format!("{side} exchanges sides: South's player is North now.")
            }
            MoveResult::Swapped => format!(
                "{} exchanges sides: South is {} now, and North is {}.",
                self.names[side.opponent()],
                self.names.south,
                self.names.north,
            ),
        }
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
        let stores = format!(
            "{}-{}",
            position.store(Side::South),
            position.store(Side::North)
        );
        if ending.termination == Termination::Unfinished {
            return format!("Unfinished {stores}");
        }
        let how = termination_phrase(ending.termination).map_or(stores, str::to_owned);
        match ending.winner {
            Some(winner) => format!("{} wins {how}", self.player_label(winner)),
            None => format!("Tie {how}"),
        }
    }
}

/// Returns the phrase that follows `wins` or `lost`; `None` if the game ended by the rules, or has
/// not ended.
pub(crate) fn termination_phrase(termination: Termination) -> Option<&'static str> {
    Some(match termination {
        Termination::Normal | Termination::Unfinished => return None,
        Termination::Adjudicated => "by adjudication",
        Termination::Resign => "by resignation",
        Termination::Illegal => "by an illegal move",
        Termination::Time => "on time",
        Termination::Crash => "by a crash",
        Termination::Stall => "by a stall",
        Termination::Protocol => "by a protocol error",
    })
}

/// Formats a number of seeds with its noun: `1 seed`, `4 seeds`.
pub(crate) fn format_seeds(count: SeedCount) -> String {
    format_count(count.get().into(), "seed")
}
