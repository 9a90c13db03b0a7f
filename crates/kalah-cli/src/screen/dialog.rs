use kalah::{BySide, Position, Rules, SetupError, Side};
use kalah_engine::LevelNumber;
use ratatui::crossterm::event::KeyCode;

use super::keys::Command;
use crate::{PlayerKind, PlayerSpec};

/// What stands before the board and wants an answer first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dialog {
    /// All keys, from this line on.
    Help(u16),
    /// One of several things to do.
    Choose(Choose),
    NewGame(NewGame),
    Save(SaveAs),
}

/// A list of things to do, of which one is picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choose {
    pub(crate) title: String,
    pub(crate) items: Vec<Command>,
    pub(crate) chosen: usize,
}

/// Where a game is to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SaveAs {
    pub(crate) name: String,
    /// How many characters are before the cursor.
    pub(crate) at: usize,
    pub(crate) problem: Option<String>,
    /// Whether the screen is closed then.
    pub(crate) leaves: bool,
}

/// The longest name of a file that can be typed.
const LONGEST_NAME: usize = 200;

impl SaveAs {
    pub(crate) fn new(leaves: bool) -> Self {
        let name = "game.kgn".to_owned();
        Self {
            at: name.chars().count(),
            name,
            problem: None,
            leaves,
        }
    }

    pub(crate) fn push(&mut self, character: char) {
        if !crate::shown::is_unruly(character) && self.name.chars().count() < LONGEST_NAME {
            self.name.insert(self.byte(self.at), character);
            self.at += 1;
            self.problem = None;
        }
    }

    /// A key that is no character.
    pub(crate) fn edit(&mut self, key: KeyCode) {
        let end = self.name.chars().count();
        match key {
            KeyCode::Left => self.at = self.at.saturating_sub(1),
            KeyCode::Right => self.at = end.min(self.at + 1),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = end,
            KeyCode::Backspace if self.at > 0 => {
                self.at -= 1;
                self.name.remove(self.byte(self.at));
            }
            KeyCode::Delete if self.at < end => {
                self.name.remove(self.byte(self.at));
            }
            _ => {}
        }
    }

    /// Takes away all that is before the cursor.
    pub(crate) fn clear(&mut self) {
        self.name.drain(..self.byte(self.at));
        self.at = 0;
    }

    /// Where the character of this number begins, or the end.
    fn byte(&self, at: usize) -> usize {
        let found = self.name.char_indices().nth(at);
        found.map_or(self.name.len(), |(byte, _)| byte)
    }
}

/// What a new game is to be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewGame {
    pub(crate) specs: BySide<PlayerSpec>,
    pub(crate) rules: Rules,
    pub(crate) houses: u8,
    pub(crate) seeds: u16,
    pub(crate) field: Field,
    pub(crate) problem: Option<String>,
}

/// What can be changed about a new game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    South,
    North,
    Rules,
    Houses,
    Seeds,
    Begin,
}

impl Field {
    pub(crate) const ALL: [Self; 6] = [
        Self::South,
        Self::North,
        Self::Rules,
        Self::Houses,
        Self::Seeds,
        Self::Begin,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::South => "South, who begins",
            Self::North => "North",
            Self::Rules => "Rules",
            Self::Houses => "Houses a side",
            Self::Seeds => "Seeds in each",
            Self::Begin => "Begin the game",
        }
    }
}

/// As many seeds in each house as people play with, and some more.
const MOST_SEEDS: u16 = 99;
const MOST_HOUSES: u8 = 26;

/// Turns that minimax looks ahead where it is picked from a list.
const MINIMAX_LEVELS: u32 = 4;

impl NewGame {
    /// The same game once more.
    pub(crate) fn like(position: &Position, specs: BySide<PlayerSpec>) -> Self {
        let houses = position.houses();
        let each = position.total().get() / (2 * u16::from(houses));
        Self {
            specs,
            rules: position.rules(),
            houses,
            seeds: each.clamp(1, MOST_SEEDS),
            field: Field::Begin,
            problem: None,
        }
    }

    pub(crate) fn start(&self) -> Result<Position, SetupError> {
        Position::start(self.houses, self.seeds.into(), self.rules)
    }

    /// The field above or below.
    pub(crate) fn go(&mut self, down: bool) {
        let at = Field::ALL.iter().position(|&field| field == self.field);
        let next = stepped(at.unwrap_or_default(), Field::ALL.len(), down);
        self.field = Field::ALL[next];
    }

    /// The next value of the field, or the one before.
    pub(crate) fn change(&mut self, up: bool) {
        self.problem = None;
        match self.field {
            Field::South => self.change_player(Side::South, up),
            Field::North => self.change_player(Side::North, up),
            Field::Rules => {
                let presets = Rules::PRESETS.map(|preset| preset.rules);
                let at = presets.iter().position(|&rules| rules == self.rules);
                self.rules = at.map_or(presets[0], |at| presets[stepped(at, presets.len(), up)]);
            }
            Field::Houses => {
                let houses = if up { self.houses + 1 } else { self.houses - 1 };
                self.houses = houses.clamp(1, MOST_HOUSES);
            }
            Field::Seeds => {
                let seeds = if up { self.seeds + 1 } else { self.seeds - 1 };
                self.seeds = seeds.clamp(1, MOST_SEEDS);
            }
            Field::Begin => {}
        }
    }

    fn change_player(&mut self, side: Side, up: bool) {
        let mut players = vec![PlayerSpec::HUMAN];
        let of = |kind| PlayerSpec { kind, limit: None };
        players.extend(LevelNumber::all().map(|number| of(PlayerKind::Level { number })));
        players.extend([
            PlayerSpec::SMART,
            of(PlayerKind::Minimax {
                levels: MINIMAX_LEVELS,
            }),
            of(PlayerKind::Random),
            of(PlayerKind::First),
        ]);
        if !players.contains(&self.specs[side]) {
            players.insert(0, self.specs[side]);
        }
        let at = players.iter().position(|&spec| spec == self.specs[side]);
        self.specs[side] = players[stepped(at.unwrap_or_default(), players.len(), up)];
    }
}

/// The next place of so many, or the one before, round and round.
pub(crate) fn stepped(at: usize, places: usize, on: bool) -> usize {
    let step = if on { 1 } else { places - 1 };
    (at + step) % places
}
