use indicatif::HumanCount;
use kalah::{
    ActionError, BySide, Capture, Ending, MoveResult, Position, SeedCount, Side, SowEffect,
    SowResult, Termination,
};

use crate::{Naming, Palette};

/// Tells in words what happens in a game.
///
/// ```
/// use kalah::{BySide, House, Labels, Played, Position, Rules, Side};
/// use kalah_cli::{Naming, Palette, Words};
///
/// let mut position = Position::start(6, 4, Rules::CS32)?;
/// let words = Words {
///     seated: BySide::new("Marge", "Homer"),
///     naming: Naming::of(&position, Labels::Columns),
///     palette: Palette::PLAIN,
/// };
/// let sown = position.sow(House::new(3).expect("from 1 to 26"))?;
/// assert_eq!(
///     words.played(Side::South, &Played::Sown(sown)),
///     "South (Marge) sows house 3 (4 seeds): bonus turn."
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// The names of those who sit on each side now.
    pub seated: BySide<&'a str>,
    /// How houses are named.
    pub naming: Naming,
    /// Colours.
    pub palette: Palette,
}

impl Words<'_> {
    /// A side and who sits there: `South (Marge)`.
    pub fn who(&self, side: Side) -> String {
        let name = self.seated[side];
        self.palette.name(side, &format!("{side} ({name})"))
    }

    /// What a choice of `side` did, in one line. After a swap the names are those seated after it.
    pub fn played(&self, side: Side, played: &MoveResult) -> String {
        match played {
            MoveResult::Sown(sown) => self.sown(sown),
            // Names that are alike tell nobody who sits where.
            MoveResult::Swapped if self.seated.south == self.seated.north => {
                format!("{side} exchanges sides: whoever was South is North now.")
            }
            MoveResult::Swapped => format!(
                "{} exchanges sides: South is {} now, and North is {}.",
                self.seated[side.opponent()],
                self.seated.south,
                self.seated.north,
            ),
        }
    }

    fn sown(&self, sown: &SowResult) -> String {
        let mut line = format!(
            "{} sows house {} ({})",
            self.who(sown.side),
            self.naming.house(sown.side, sown.house),
            seeds(sown.seeds),
        );
        match sown.effect {
            SowEffect::TurnPasses => {}
            SowEffect::BonusTurn => {
                line += ": ";
                line += &self.palette.good("bonus turn");
            }
            SowEffect::Capture(capture) => {
                line += ": ";
                line += &self.captured(sown.side, capture);
            }
        }
        line.push('.');
        if let Some(swept) = &sown.swept {
            line += " The game is over.";
            for owner in Side::ALL {
                if swept[owner] > SeedCount::ZERO {
                    let left = seeds(swept[owner]);
                    let went = format!(" What is left in {owner}'s row goes to its store: {left}.");
                    line += &went;
                }
            }
        }
        line
    }

    fn captured(&self, side: Side, capture: Capture) -> String {
        let captures = self
            .palette
            .good(&format!("captures {}", seeds(capture.seeds)));
        let own = self.naming.house(side, capture.house);
        if capture.seeds.get() == LAST_SEED_ALONE {
            return format!("{captures}, the last one alone, in house {own}");
        }
        let other = side.opponent();
        let from = self.naming.house(other, capture.from);
        format!("{captures}, the last one in house {own} and all in {other}'s house {from}")
    }

    /// Why an answer is refused.
    pub fn refused(&self, reason: ActionError) -> String {
        match reason {
            ActionError::Illegal(reason) => self.naming.illegal(reason),
            reason => reason.to_string(),
        }
    }

    /// The last line of a game: `South (Marge) wins 25-23`, seeds of South first, `Tie 24-24`,
    /// `North (Homer) wins by resignation`, `Unfinished 3-5`.
    pub fn result(&self, ending: &Ending, position: &Position) -> String {
        let stores = format!(
            "{}-{}",
            position.store(Side::South),
            position.store(Side::North)
        );
        if ending.termination == Termination::Unfinished {
            return format!("Unfinished {stores}");
        }
        let how = manner(ending.termination).map_or(stores, str::to_owned);
        match ending.winner {
            Some(winner) => format!("{} wins {how}", self.who(winner)),
            None => format!("Tie {how}"),
        }
    }
}

/// How a game is won that was not played to its end by the rules.
pub(crate) fn manner(termination: Termination) -> Option<&'static str> {
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
pub(crate) fn seeds(count: SeedCount) -> String {
    counted(count.get().into(), "seed")
}

/// So many of what is called like this: `1 position`, `1,716 positions`.
pub(crate) fn counted(count: u64, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {one}{plural}", HumanCount(count))
}
