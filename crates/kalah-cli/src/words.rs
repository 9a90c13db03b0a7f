use indicatif::HumanCount;
use kalah::{
    ActionError, BySide, Capture, Ending, MoveResult, Position, SeedCount, Side, SowEffect,
    SowResult, Termination,
};

use crate::{Notation, Palette};

/// Tells in words what happens in a game.
///
/// ```
/// use kalah::{BySide, House, Labels, MoveResult, Position, Rules, Side};
/// use kalah_cli::{EventDescriber, Notation, Palette};
///
/// let mut position = Position::start(6, 4, Rules::CS32)?;
/// let words = EventDescriber {
///     names: BySide::new("Marge", "Homer"),
///     naming: Notation::new(&position, Labels::Columns),
///     palette: Palette::PLAIN,
/// };
/// let sown = position.sow(House::new(3).expect("from 1 to 26"))?;
/// assert_eq!(
///     words.describe_played(Side::South, &MoveResult::Sown(sown)),
///     "South (Marge) sows house 3 (4 seeds): bonus turn."
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EventDescriber<'a> {
    /// The names of those who sit on each side now.
    pub names: BySide<&'a str>,
    /// How houses are named.
    pub naming: Notation,
    /// Colours.
    pub palette: Palette,
}

impl EventDescriber<'_> {
    /// A side and who sits there: `South (Marge)`.
    pub fn player_label(&self, side: Side) -> String {
        let name = self.names[side];
        self.palette.name(side, &format!("{side} ({name})"))
    }

    /// What a choice of `side` did, in one line. After a swap the names are those seated after it.
    pub fn describe_played(&self, side: Side, played: &MoveResult) -> String {
        match played {
            MoveResult::Sown(sown) => self.describe_sowing(sown),
            // Names that are alike tell nobody who sits where.
            MoveResult::Swapped if self.names.south == self.names.north => {
                format!("{side} exchanges sides: whoever was South is North now.")
            }
            MoveResult::Swapped => format!(
                "{} exchanges sides: South is {} now, and North is {}.",
                self.names[side.opponent()],
                self.names.south,
                self.names.north,
            ),
        }
    }

    fn describe_sowing(&self, sown: &SowResult) -> String {
        let mut line = format!(
            "{} sows house {} ({})",
            self.player_label(sown.side),
            self.naming.format_house(sown.side, sown.house),
            format_seeds(sown.seeds),
        );
        match sown.effect {
            SowEffect::TurnPasses => {}
            SowEffect::BonusTurn => {
                line += ": ";
                line += &self.palette.good("bonus turn");
            }
            SowEffect::Capture(capture) => {
                line += ": ";
                line += &self.describe_capture(sown.side, capture);
            }
        }
        line.push('.');
        if let Some(swept) = &sown.swept {
            line += " The game is over.";
            for owner in Side::ALL {
                if swept[owner] > SeedCount::ZERO {
                    let left = format_seeds(swept[owner]);
                    let went = format!(" What is left in {owner}'s row goes to its store: {left}.");
                    line += &went;
                }
            }
        }
        line
    }

    fn describe_capture(&self, side: Side, capture: Capture) -> String {
        let captures = self
            .palette
            .good(&format!("captures {}", format_seeds(capture.seeds)));
        let own = self.naming.format_house(side, capture.house);
        if capture.seeds.get() == LAST_SEED_ALONE {
            return format!("{captures}, the last one alone, in house {own}");
        }
        let other = side.opponent();
        let from = self.naming.format_house(other, capture.from);
        format!("{captures}, the last one in house {own} and all in {other}'s house {from}")
    }

    /// Why an answer is refused.
    pub fn describe_refusal(&self, reason: ActionError) -> String {
        match reason {
            ActionError::Illegal(reason) => self.naming.describe_illegal_move(reason),
            reason => reason.to_string(),
        }
    }

    /// The last line of a game: `South (Marge) wins 25-23`, seeds of South first, `Tie 24-24`,
    /// `North (Homer) wins by resignation`, `Unfinished 3-5`.
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

/// How a game is won that was not played to its end by the rules.
pub(crate) fn termination_phrase(termination: Termination) -> Option<&'static str> {
    Some(match termination {
        Termination::Normal | Termination::Unfinished => return None,
        Termination::Adjudicated => "by adjudication",
        Termination::Resign => "by resignation",
        Termination::Illegal => "by an illegal answer",
        Termination::Time => "on time",
        Termination::Crash => "by a crash",
        Termination::Stall => "by a stall",
        Termination::Protocol => "by a breach of protocol",
    })
}

/// How many seeds a capture takes where the opposite house is empty.
const LAST_SEED_ALONE: u16 = 1;

/// `1 seed`, `4 seeds`.
pub(crate) fn format_seeds(count: SeedCount) -> String {
    format_count(count.get().into(), "seed")
}

/// So many of what is called like this: `1 position`, `1,716 positions`.
pub(crate) fn format_count(count: u64, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {one}{plural}", HumanCount(count))
}
