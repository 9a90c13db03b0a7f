use kalah::{BySide, Position, Rules, SetupError, Side};
use kalah_engine::LevelNumber;
use kalah_players::{PlayerKind, PlayerSpec};
use ratatui::crossterm::event::KeyCode;

use super::keys::UiCommand;

/// What stands before the board and wants an answer first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dialog {
    /// All keys, from this line on.
    Help(u16),
    /// One of several things to do.
    Menu(MenuDialog),
    NewGame(NewGameDialog),
    Save(SaveDialog),
}

/// A list of things to do, of which one is picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MenuDialog {
    pub(crate) title: String,
    pub(crate) items: Vec<UiCommand>,
    pub(crate) selected: usize,
}

/// Where a game is to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SaveDialog {
    pub(crate) file_name: String,
    /// How many characters are before the cursor.
    pub(crate) cursor: usize,
    pub(crate) error: Option<String>,
    /// Whether the screen is closed then.
    pub(crate) quit_after: bool,
}

/// The longest name of a file that can be typed.
const MAX_FILE_NAME_LENGTH: usize = 200;

impl SaveDialog {
    pub(crate) fn new(quit_after: bool) -> Self {
        let file_name = "game.kgn".to_owned();
        Self {
            cursor: file_name.chars().count(),
            file_name,
            error: None,
            quit_after,
        }
    }

    pub(crate) fn insert(&mut self, character: char) {
        if !kalah_players::is_terminal_control(character)
            && self.file_name.chars().count() < MAX_FILE_NAME_LENGTH
        {
            self.file_name
                .insert(self.byte_offset(self.cursor), character);
            self.cursor += 1;
            self.error = None;
        }
    }

    /// A key that is no character.
    pub(crate) fn handle_key(&mut self, key: KeyCode) {
        let end = self.file_name.chars().count();
        match key {
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = end.min(self.cursor + 1),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = end,
            KeyCode::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.file_name.remove(self.byte_offset(self.cursor));
            }
            KeyCode::Delete if self.cursor < end => {
                self.file_name.remove(self.byte_offset(self.cursor));
            }
            _ => {}
        }
    }

    /// Takes away all that is before the cursor.
    pub(crate) fn delete_before_cursor(&mut self) {
        self.file_name.drain(..self.byte_offset(self.cursor));
        self.cursor = 0;
    }

    /// Where the character of this number begins, or the end.
    fn byte_offset(&self, at: usize) -> usize {
        let found = self.file_name.char_indices().nth(at);
        found.map_or(self.file_name.len(), |(byte, _)| byte)
    }
}

/// What a new game is to be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewGameDialog {
    pub(crate) specs: BySide<PlayerSpec>,
    pub(crate) rules: Rules,
    pub(crate) houses: u8,
    pub(crate) seeds: u16,
    pub(crate) field: NewGameField,
    pub(crate) error: Option<String>,
}

/// What can be changed about a new game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewGameField {
    South,
    North,
    Rules,
    Houses,
    Seeds,
    StartGame,
}

impl NewGameField {
    pub(crate) const ALL: [Self; 6] = [
        Self::South,
        Self::North,
        Self::Rules,
        Self::Houses,
        Self::Seeds,
        Self::StartGame,
    ];

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::South => "South, who begins",
            Self::North => "North",
            Self::Rules => "Rules",
            Self::Houses => "Houses a side",
            Self::Seeds => "Seeds in each",
            Self::StartGame => "Begin the game",
        }
    }
}

/// As many seeds in each house as people play with, and some more.
const MAX_SEEDS: u16 = 99;
const MAX_HOUSES: u8 = 26;

/// Turns that minimax looks ahead where it is picked from a list.
const MINIMAX_DEPTH: u32 = 4;

impl NewGameDialog {
    /// The same game once more.
    pub(crate) fn from_position(position: &Position, specs: BySide<PlayerSpec>) -> Self {
        let houses = position.houses();
        let each = position.total().get() / (2 * u16::from(houses));
        Self {
            specs,
            rules: position.rules(),
            houses,
            seeds: each.clamp(1, MAX_SEEDS),
            field: NewGameField::StartGame,
            error: None,
        }
    }

    pub(crate) fn start_position(&self) -> Result<Position, SetupError> {
        Position::start(self.houses, self.seeds.into(), self.rules)
    }

    /// The field above or below.
    pub(crate) fn move_focus(&mut self, down: bool) {
        let at = NewGameField::ALL
            .iter()
            .position(|&field| field == self.field);
        let next = cycle_index(at.unwrap_or_default(), NewGameField::ALL.len(), down);
        self.field = NewGameField::ALL[next];
    }

    /// The next value of the field, or the one before.
    pub(crate) fn change_value(&mut self, up: bool) {
        self.error = None;
        match self.field {
            NewGameField::South => self.change_player(Side::South, up),
            NewGameField::North => self.change_player(Side::North, up),
            NewGameField::Rules => {
                let presets = Rules::PRESETS.map(|preset| preset.rules);
                let at = presets.iter().position(|&rules| rules == self.rules);
                self.rules =
                    at.map_or(presets[0], |at| presets[cycle_index(at, presets.len(), up)]);
            }
            NewGameField::Houses => {
                let houses = if up { self.houses + 1 } else { self.houses - 1 };
                self.houses = houses.clamp(1, MAX_HOUSES);
            }
            NewGameField::Seeds => {
                let seeds = if up { self.seeds + 1 } else { self.seeds - 1 };
                self.seeds = seeds.clamp(1, MAX_SEEDS);
            }
            NewGameField::StartGame => {}
        }
    }

    fn change_player(&mut self, side: Side, up: bool) {
        let mut players = vec![PlayerSpec::HUMAN];
        let of = |kind| PlayerSpec {
            kind,
            time_limit: None,
        };
        players.extend(LevelNumber::all().map(|number| of(PlayerKind::Level { number })));
        players.extend([
            PlayerSpec::SMART,
            of(PlayerKind::Minimax {
                depth: MINIMAX_DEPTH,
            }),
            of(PlayerKind::Random),
            of(PlayerKind::First),
        ]);
        if !players.contains(&self.specs[side]) {
            players.insert(0, self.specs[side]);
        }
        let at = players.iter().position(|&spec| spec == self.specs[side]);
        self.specs[side] = players[cycle_index(at.unwrap_or_default(), players.len(), up)];
    }
}

/// The next place of so many, or the one before, round and round.
pub(crate) fn cycle_index(at: usize, places: usize, on: bool) -> usize {
    let step = if on { 1 } else { places - 1 };
    (at + step) % places
}
