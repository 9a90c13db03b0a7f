//! Rule sets: when a game ends, what a sowing leads to, and their text.

pub(crate) mod variant;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::PitCounts;
use crate::message_text::Quoted;
use crate::side::Side;
use crate::types::{Capture, Pit, SowEffect};

/// The condition that ends a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EndRule {
    /// The side to move, at its turn or at a bonus turn, has no seeds in its row.
    Stuck,
    /// Either row is empty, in any position reached or set up.
    Row,
}

/// The condition for a capture, in addition to a last seed in an own house that was empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CaptureRule {
    /// The opposite house has seeds.
    Opposite,
    /// None: with an empty opposite house the last seed alone is captured.
    Always,
}

/// The rules on which the value of the houses depends: they hold in every ply.
///
/// Whatever depends on the rules alone (a key, a name, a comparison, a board of its own) names each
/// field of this type and of [`FirstPlyRules`], so that the compiler finds it when a field is
/// added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HouseRules {
    /// The condition that ends a game.
    pub ends: EndRule,
    /// The condition for a capture.
    pub capture: CaptureRule,
}

/// The rules for the first two plies alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FirstPlyRules {
    /// Whether the second player may exchange sides instead of making ply 2. After a bonus turn at
    /// ply 1 the first player makes ply 2, and no swap is possible any more.
    pub swap: bool,
    /// Whether ply 1 may give a bonus turn.
    pub first_bonus: bool,
}

/// The rules of a game: the four respects in which published rule sets differ.
///
/// All other rules are common to all of them, see the [crate documentation](crate).
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
    /// The rules of every ply.
    pub house_rules: HouseRules,
    /// The rules of the first two plies.
    pub first_ply_rules: FirstPlyRules,
}

/// A rule set with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name on command lines, in JSON and in records.
    pub name: &'static str,
    /// The rules with this name.
    pub rules: Rules,
    /// Programs and publications that use the rule set.
    pub played_by: &'static str,
}

impl HouseRules {
    /// Returns the effect of a sowing of `mover`, after the first plies, whose last seed has just
    /// fallen into `last`.
    ///
    /// `board` is the board right after the sowing, before anything is captured.
    #[inline]
    pub fn sow_effect(
        self,
        board: &impl PitCounts,
        mover: Side,
        last: Pit<u32>,
    ) -> SowEffect<u32, u64> {
        // A game ends after the effect of a sowing.
        let Self { capture, ends: _ } = self;
        match last {
            Pit::Store(owner) if owner == mover => SowEffect::BonusTurn,
            // A house that holds one seed after the sowing was empty before its last seed.
            Pit::House(owner, house) if owner == mover && board.in_house(owner, house) == 1 => {
                // A house that is not on the board has no seeds, so this is at least 1.
                let from = (board.houses() - house) + 1;
                let opposite = board.in_house(mover.opponent(), from);
                if capture == CaptureRule::Always || opposite > 0 {
                    let seeds = opposite.saturating_add(1);
                    SowEffect::Capture(Capture { house, from, seeds })
                } else {
                    SowEffect::TurnPasses
                }
            }
            _ => SowEffect::TurnPasses,
        }
    }

    /// Returns whether the game is over on `board`, after captures, with `to_move` to sow.
    pub fn is_over(self, board: &impl PitCounts, to_move: Side) -> bool {
        // Captures are made before.
        let Self { ends, capture: _ } = self;
        match ends {
            EndRule::Stuck => board.is_row_empty(to_move),
            EndRule::Row => Side::ALL.iter().any(|&side| board.is_row_empty(side)),
        }
    }

    /// Returns the fields as pairs of key and value, in the order of the text form of [`Rules`].
    pub const fn fields(self) -> [(&'static str, &'static str); 2] {
        let Self { ends, capture } = self;
        let ends = match ends {
            EndRule::Stuck => "stuck",
            EndRule::Row => "row",
        };
        let capture = match capture {
            CaptureRule::Opposite => "opposite",
            CaptureRule::Always => "always",
        };
        [("ends", ends), ("capture", capture)]
    }

    /// Returns a phrase for players about each of the [`fields`](Self::fields), in that order.
    pub const fn descriptions(self) -> [&'static str; 2] {
        let Self { ends, capture } = self;
        [
            match ends {
                EndRule::Stuck => "the game ends when the side to move has no seeds in its row",
                EndRule::Row => "the game ends as soon as either row is empty",
            },
            match capture {
                CaptureRule::Opposite => "a capture needs seeds in the opposite house",
                CaptureRule::Always => {
                    "a capture needs no seeds in the opposite house: the last seed alone is captured too"
                }
            },
        ]
    }
}

impl FirstPlyRules {
    /// No special rule: the first plies are like all others.
    pub const NONE: Self = Self {
        swap: false,
        first_bonus: true,
    };

    /// Returns `first_plies` as far as these rules depend on it: ply 1 if it gives no bonus turn or
    /// a swap may follow, ply 2 if there is a swap.
    pub fn relevant(self, first_plies: FirstPlies) -> FirstPlies {
        let Self { swap, first_bonus } = self;
        match first_plies {
            FirstPlies::PlyOne if swap || !first_bonus => FirstPlies::PlyOne,
            FirstPlies::PlyTwo if swap => FirstPlies::PlyTwo,
            FirstPlies::PlyOne | FirstPlies::PlyTwo | FirstPlies::Later => FirstPlies::Later,
        }
    }

    /// Returns the fields as pairs of key and value, in the order of the text form of [`Rules`].
    pub const fn fields(self) -> [(&'static str, &'static str); 2] {
        const fn yes_no(yes: bool) -> &'static str {
            if yes { "yes" } else { "no" }
        }
        let Self { swap, first_bonus } = self;
        [("swap", yes_no(swap)), ("first-bonus", yes_no(first_bonus))]
    }

    /// Returns a phrase for players about each of the [`fields`](Self::fields), in that order.
    pub const fn descriptions(self) -> [&'static str; 2] {
        let Self { swap, first_bonus } = self;
        [
            if swap {
                "the second player may exchange sides instead of making ply 2"
            } else {
                "no swap"
            },
            if first_bonus {
                "the first sowing may give a bonus turn"
            } else {
                "the first sowing gives no bonus turn"
            },
        ]
    }
}

impl Rules {
    /// The rules of UCLA's CS 32 assignment; the default.
    pub const CS32: Self = Self {
        house_rules: HouseRules {
            ends: EndRule::Stuck,
            capture: CaptureRule::Opposite,
        },
        first_ply_rules: FirstPlyRules::NONE,
    };
    /// The rules of most programs and of the Kalah Game Protocol.
    pub const STANDARD: Self = Self {
        house_rules: HouseRules {
            ends: EndRule::Row,
            capture: CaptureRule::Opposite,
        },
        first_ply_rules: FirstPlyRules::NONE,
    };
    /// The rules under which Kalah was first solved (Irving, Donkers and Uiterwijk 2000).
    pub const EMPTY_CAPTURE: Self = Self {
        house_rules: HouseRules {
            ends: EndRule::Row,
            capture: CaptureRule::Always,
        },
        first_ply_rules: FirstPlyRules::NONE,
    };
    /// The rules of Manchester's COMP34120.
    pub const MANKALAH: Self = Self {
        house_rules: HouseRules {
            ends: EndRule::Row,
            capture: CaptureRule::Opposite,
        },
        first_ply_rules: FirstPlyRules {
            swap: true,
            first_bonus: false,
        },
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
        let Self {
            house_rules,
            // A swap is a move of its own.
            first_ply_rules:
                FirstPlyRules {
                    first_bonus,
                    swap: _,
                },
        } = self;
        match house_rules.sow_effect(board, mover, last) {
            SowEffect::BonusTurn if first_plies == FirstPlies::PlyOne && !first_bonus => {
                SowEffect::TurnPasses
            }
            effect => effect,
        }
    }

    /// Returns whether the game is over on `board`, after captures, with `to_move` to sow.
    pub fn is_over(self, board: &impl PitCounts, to_move: Side) -> bool {
        let Self {
            house_rules,
            // A swap at ply 2 does not keep a game alive.
            first_ply_rules:
                FirstPlyRules {
                    swap: _,
                    first_bonus: _,
                },
        } = self;
        house_rules.is_over(board, to_move)
    }

    /// Returns the four fields as pairs of key and value, in the order of the text form.
    ///
    /// ```
    /// use kalah::Rules;
    /// assert_eq!(Rules::STANDARD.fields()[0], ("ends", "row"));
    /// ```
    pub const fn fields(self) -> [(&'static str, &'static str); 4] {
        let Self {
            house_rules,
            first_ply_rules,
        } = self;
        let [ends, capture] = house_rules.fields();
        let [swap, first_bonus] = first_ply_rules.fields();
        [ends, capture, swap, first_bonus]
    }

    /// Returns a phrase for players about each of the [`fields`](Self::fields), in that order.
    ///
    /// ```
    /// use kalah::Rules;
    /// assert_eq!(Rules::CS32.descriptions()[2], "no swap");
    /// ```
    pub const fn descriptions(self) -> [&'static str; 4] {
        let Self {
            house_rules,
            first_ply_rules,
        } = self;
        let [ends, capture] = house_rules.descriptions();
        let [swap, first_bonus] = first_ply_rules.descriptions();
        [ends, capture, swap, first_bonus]
    }

    /// Returns the preset with these rules, if there is one.
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

/// The reason why a text is not a rule set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseRulesError {
    /// Neither a preset nor a list of `key=value`.
    #[error(
        "no rules are called {0}: the presets are cs32, standard, empty-capture and mankalah, and others are written \
         ends=stuck|row,capture=opposite|always,swap=yes|no,first-bonus=yes|no"
    )]
    UnknownPreset(Quoted),
    /// An unknown key, or an unknown value of a known key.
    #[error(
        "unknown field {field} in {text}: expected ends=stuck, ends=row, capture=opposite, capture=always, swap=yes, \
         swap=no, first-bonus=yes or first-bonus=no"
    )]
    UnknownField {
        /// The whole text.
        text: Quoted,
        /// The part between two commas.
        field: Quoted,
    },
    /// A key occurs more than once.
    #[error("`{key}=` occurs more than once in {text}")]
    Repeated {
        /// The whole text.
        text: Quoted,
        /// The repeated key.
        key: &'static str,
    },
    /// A key does not occur.
    #[error("`{missing}=` is missing in {text}")]
    Missing {
        /// The whole text.
        text: Quoted,
        /// The missing key.
        missing: &'static str,
    },
}

/// A preset's name, or all four fields in any order.
impl FromStr for Rules {
    type Err = ParseRulesError;

    fn from_str(text: &str) -> Result<Self, ParseRulesError> {
        let text = text.trim();
        if let Some(preset) = Self::PRESETS.iter().find(|preset| preset.name == text) {
            return Ok(preset.rules);
        }
        if !text.contains('=') {
            return Err(ParseRulesError::UnknownPreset(Quoted::new(text)));
        }
        let (mut ends, mut capture, mut swap, mut first_bonus) = (None, None, None, None);
        for field in text.split(',').map(str::trim) {
            let (key, repeated) = match field {
                "ends=stuck" => ("ends", ends.replace(EndRule::Stuck).is_some()),
                "ends=row" => ("ends", ends.replace(EndRule::Row).is_some()),
                "capture=opposite" => ("capture", capture.replace(CaptureRule::Opposite).is_some()),
                "capture=always" => ("capture", capture.replace(CaptureRule::Always).is_some()),
                "swap=yes" => ("swap", swap.replace(true).is_some()),
                "swap=no" => ("swap", swap.replace(false).is_some()),
                "first-bonus=yes" => ("first-bonus", first_bonus.replace(true).is_some()),
                "first-bonus=no" => ("first-bonus", first_bonus.replace(false).is_some()),
                _ => {
                    return Err(ParseRulesError::UnknownField {
                        text: Quoted::new(text),
                        field: Quoted::new(field),
                    });
                }
            };
            if repeated {
                return Err(ParseRulesError::Repeated {
                    text: Quoted::new(text),
                    key,
                });
            }
        }
        let missing = |missing| ParseRulesError::Missing {
            text: Quoted::new(text),
            missing,
        };
        Ok(Self {
            house_rules: HouseRules {
                ends: ends.ok_or_else(|| missing("ends"))?,
                capture: capture.ok_or_else(|| missing("capture"))?,
            },
            first_ply_rules: FirstPlyRules {
                swap: swap.ok_or_else(|| missing("swap"))?,
                first_bonus: first_bonus.ok_or_else(|| missing("first-bonus"))?,
            },
        })
    }
}

/// The phase of a game, as far as rules depend on it: a swap is legal only at ply 2, and ply 1 may
/// give no bonus turn.
///
/// In text it is `ply=1` or `ply=2` after the side, and nothing for later plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FirstPlies {
    /// The next ply is ply 1.
    PlyOne,
    /// The next ply is ply 2.
    PlyTwo,
    /// The next ply is a later one, or the rules treat all plies alike.
    Later,
}
