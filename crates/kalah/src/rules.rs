use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::PitCounts;
use crate::moves::{Capture, SowEffect};
use crate::side::Side;
use crate::types::Pit;

/// When a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EndRule {
    /// When the side to move, at its turn or at a bonus turn, has no seeds in its row.
    Stuck,
    /// When either row is empty, in any position reached or set up.
    Row,
}

/// What a last seed needs, beside falling into an own empty house, to capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CaptureRule {
    /// Seeds in the opposite house.
    Opposite,
    /// Nothing: with an empty opposite house the last seed alone is captured.
    Always,
}

/// The rules of a game, as a value: what the published rule sets differ in.
///
/// Everything else is common to all: see the [crate documentation](crate).
///
/// ```
/// use kalah::Rules;
/// let rules: Rules = "ends=row,capture=opposite,swap=no,first-bonus=yes".parse()?;
/// assert_eq!(rules, Rules::STANDARD);
/// assert_eq!(rules.to_string(), "standard");
/// # Ok::<(), kalah::ParseRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rules {
    /// When the game ends.
    pub ends: EndRule,
    /// What a capture needs.
    pub capture: CaptureRule,
    /// Whether the second player may exchange sides instead of making ply 2. A bonus turn at ply 1
    /// makes ply 2 the first player's, and the occasion is past.
    pub swap: bool,
    /// Whether ply 1 may give a bonus turn.
    pub first_bonus: bool,
}

/// A rule set with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name on command lines and in records.
    pub name: &'static str,
    /// The rules that it names.
    pub rules: Rules,
    /// Where the rule set is played.
    pub played_by: &'static str,
}

impl Rules {
    /// The rules of UCLA's CS 32 assignment, and the default.
    pub const CS32: Self = Self {
        ends: EndRule::Stuck,
        capture: CaptureRule::Opposite,
        swap: false,
        first_bonus: true,
    };
    /// The rules of most programs and of the Kalah Game Protocol.
    pub const STANDARD: Self = Self {
        ends: EndRule::Row,
        ..Self::CS32
    };
    /// The rules under which Kalah was first solved (Irving, Donkers and Uiterwijk 2000).
    pub const EMPTY_CAPTURE: Self = Self {
        capture: CaptureRule::Always,
        ..Self::STANDARD
    };
    /// The rules of Manchester's COMP34120.
    pub const MANKALAH: Self = Self {
        swap: true,
        first_bonus: false,
        ..Self::STANDARD
    };

    /// The named rule sets, the default first.
    pub const PRESETS: [Preset; 4] = [
        Preset {
            name: "cs32",
            rules: Self::CS32,
            played_by: "UCLA CS 32, Ludii, StoneShark",
        },
        Preset {
            name: "standard",
            rules: Self::STANDARD,
            played_by: "Wikipedia, Yale, Kalah Game Protocol, OpenSpiel, CMancala",
        },
        Preset {
            name: "empty-capture",
            rules: Self::EMPTY_CAPTURE,
            played_by: "Irving, Donkers & Uiterwijk 2000",
        },
        Preset {
            name: "mankalah",
            rules: Self::MANKALAH,
            played_by: "Manchester COMP34120",
        },
    ];

    /// Returns the effect of a sowing of `mover` whose last seed has just fallen into `last`.
    ///
    /// `board` is the board right after the sowing, before anything is captured. `first_plies` is
    /// the phase of the game before the sowing.
    ///
    /// ```
    /// use kalah::{Board, FirstPlies, Rules, Side, SowEffect};
    /// let mut board = Board::new(6, 4)?;
    /// let last = board.sow(Side::South, 3).expect("house 3 has seeds");
    /// let effect = Rules::CS32.sow_effect(&board, Side::South, last, FirstPlies::PlyOne);
    /// assert_eq!(effect, SowEffect::BonusTurn);
    /// # Ok::<(), kalah::BoardError>(())
    /// ```
    #[inline]
    pub fn sow_effect(
        self,
        board: &impl PitCounts,
        mover: Side,
        last: Pit<u32>,
        first_plies: FirstPlies,
    ) -> SowEffect<u32, u64> {
        match last {
            Pit::Store(owner)
                if owner == mover && (self.first_bonus || first_plies != FirstPlies::PlyOne) =>
            {
                SowEffect::BonusTurn
            }
            // A house that holds one seed after the sowing was empty just before its last seed.
            Pit::House(owner, house) if owner == mover && board.in_house(owner, house) == 1 => {
                // A house that is not on the board has no seeds, so this is at least 1.
                let from = (board.houses() - house) + 1;
                let opposite = board.in_house(mover.opponent(), from);
                if self.capture == CaptureRule::Always || opposite > 0 {
                    let seeds = opposite.saturating_add(1);
                    SowEffect::Capture(Capture { house, from, seeds })
                } else {
                    SowEffect::TurnPasses
                }
            }
            _ => SowEffect::TurnPasses,
        }
    }

    /// Whether the game is over on `board`, captures done, with `to_move` about to sow.
    pub fn is_over(self, board: &impl PitCounts, to_move: Side) -> bool {
        match self.ends {
            EndRule::Stuck => board.is_row_empty(to_move),
            EndRule::Row => Side::ALL.iter().any(|&side| board.is_row_empty(side)),
        }
    }

    /// The four fields as text, in the order and the words of `key=value`.
    ///
    /// ```
    /// use kalah::Rules;
    /// assert_eq!(Rules::STANDARD.fields()[0], ("ends", "row"));
    /// ```
    pub const fn fields(self) -> [(&'static str, &'static str); 4] {
        const fn yes_no(yes: bool) -> &'static str {
            if yes { "yes" } else { "no" }
        }
        let ends = match self.ends {
            EndRule::Stuck => "stuck",
            EndRule::Row => "row",
        };
        let capture = match self.capture {
            CaptureRule::Opposite => "opposite",
            CaptureRule::Always => "always",
        };
        [
            ("ends", ends),
            ("capture", capture),
            ("swap", yes_no(self.swap)),
            ("first-bonus", yes_no(self.first_bonus)),
        ]
    }

    /// What each of the [`fields`](Self::fields) means to a player, a phrase each in that order.
    ///
    /// ```
    /// use kalah::Rules;
    /// assert_eq!(Rules::CS32.descriptions()[2], "nobody may exchange sides");
    /// ```
    pub const fn descriptions(self) -> [&'static str; 4] {
        [
            match self.ends {
                EndRule::Stuck => "the game ends when the side to move has no seeds in its row",
                EndRule::Row => "the game ends as soon as either row is empty",
            },
            match self.capture {
                CaptureRule::Opposite => "a capture needs seeds in the opposite house",
                CaptureRule::Always => {
                    "a capture needs no seeds in the opposite house: the last seed alone is captured too"
                }
            },
            if self.swap {
                "the second player may exchange sides instead of making ply 2"
            } else {
                "nobody may exchange sides"
            },
            if self.first_bonus {
                "the first sowing may give a bonus turn"
            } else {
                "the first sowing gives no bonus turn"
            },
        ]
    }

    /// The name of these rules, if they are a preset.
    pub fn preset(self) -> Option<&'static Preset> {
        const { &Self::PRESETS }
            .iter()
            .find(|preset| preset.rules == self)
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::CS32
    }
}

/// The preset's name, or `ends=stuck|row,capture=opposite|always,swap=yes|no,first-bonus=yes|no`.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(preset) = self.preset() {
            return f.pad(preset.name);
        }
        for (index, (key, value)) in self.fields().into_iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{key}={value}")?;
        }
        Ok(())
    }
}

/// Why a text names no rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseRulesError {
    /// Neither a preset nor a list of `key=value`.
    #[error(
        "no rules are called `{0}`: the presets are cs32, standard, empty-capture and mankalah, and others are written \
         ends=stuck|row,capture=opposite|always,swap=yes|no,first-bonus=yes|no"
    )]
    UnknownPreset(String),
    /// A key, or a value of a known key, that does not exist.
    #[error(
        "in `{text}`, `{field}` is none of ends=stuck, ends=row, capture=opposite, capture=always, swap=yes, swap=no, \
         first-bonus=yes, first-bonus=no"
    )]
    UnknownField {
        /// The text, or where it begins if it is long.
        text: String,
        /// What stands between two commas in it.
        field: String,
    },
    /// One key given more than once.
    #[error("`{text}` says `{key}=` more than once")]
    Repeated {
        /// The text, or where it begins if it is long.
        text: String,
        /// The key that it repeats.
        key: String,
    },
    /// A key left out.
    #[error("`{text}` does not say `{missing}=`")]
    Missing {
        /// The text, or where it begins if it is long.
        text: String,
        /// The key that it lacks.
        missing: &'static str,
    },
}

/// The most characters of a text that an error quotes: more than any rules take.
const MAX_QUOTED_CHARS: usize = 80;

fn truncate(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A preset's name, or all four fields in any order.
impl FromStr for Rules {
    type Err = ParseRulesError;

    fn from_str(text: &str) -> Result<Self, ParseRulesError> {
        let text = text.trim();
        let shown = || truncate(text);
        if let Some(preset) = Self::PRESETS.iter().find(|preset| preset.name == text) {
            return Ok(preset.rules);
        }
        if !text.contains('=') {
            return Err(ParseRulesError::UnknownPreset(shown()));
        }
        let (mut ends, mut capture, mut swap, mut first_bonus) = (None, None, None, None);
        for field in text.split(',').map(str::trim) {
            let repeated = match field {
                "ends=stuck" => ends.replace(EndRule::Stuck).is_some(),
                "ends=row" => ends.replace(EndRule::Row).is_some(),
                "capture=opposite" => capture.replace(CaptureRule::Opposite).is_some(),
                "capture=always" => capture.replace(CaptureRule::Always).is_some(),
                "swap=yes" => swap.replace(true).is_some(),
                "swap=no" => swap.replace(false).is_some(),
                "first-bonus=yes" => first_bonus.replace(true).is_some(),
                "first-bonus=no" => first_bonus.replace(false).is_some(),
                _ => {
                    return Err(ParseRulesError::UnknownField {
                        text: shown(),
                        field: truncate(field),
                    });
                }
            };
            if repeated {
                let key = field.split('=').next().unwrap_or(field);
                return Err(ParseRulesError::Repeated {
                    text: shown(),
                    key: key.to_owned(),
                });
            }
        }
        let missing = |missing| ParseRulesError::Missing {
            text: shown(),
            missing,
        };
        Ok(Self {
            ends: ends.ok_or_else(|| missing("ends"))?,
            capture: capture.ok_or_else(|| missing("capture"))?,
            swap: swap.ok_or_else(|| missing("swap"))?,
            first_bonus: first_bonus.ok_or_else(|| missing("first-bonus"))?,
        })
    }
}

/// How far a game has come, as far as any rules ask: a swap is legal only at ply 2, and ply 1 may
/// be denied its bonus turn. In text `ply=1` or `ply=2` after the side, and nothing later on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FirstPlies {
    /// Ply 1 is to be made.
    PlyOne,
    /// Ply 2 is to be made.
    PlyTwo,
    /// Both are made, or the rules do not ask.
    Later,
}
