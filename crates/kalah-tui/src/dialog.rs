//! Dialogs: the state of the menus and forms in front of the board.

use kalah::{BySide, Position, Rules, SetupError, Side};
use kalah_engine::LevelNumber;
use kalah_players::{PlayerKind, PlayerSpec, is_terminal_control};
use ratatui::crossterm::event::KeyCode;
use tui_input::{Input, InputRequest};

use crate::keys::UiCommand;

/// A dialog, which receives all keys.
#[derive(Clone, Debug)]
pub(crate) enum Dialog {
    /// The list of keys, scrolled down by this number of lines.
    Help(u16),
    Menu(MenuDialog),
    NewGame(NewGameDialog),
    Save(SaveDialog),
}

impl Dialog {
    /// Returns whether the dialog is a menu with `command`.
    pub(crate) fn offers(&self, command: UiCommand) -> bool {
        matches!(self, Self::Menu(menu) if menu.items.contains(&command))
    }
}

/// A list of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MenuDialog {
    pub(crate) title: &'static str,
    pub(crate) items: Vec<UiCommand>,
    pub(crate) selected: usize,
}

impl MenuDialog {
    pub(crate) fn new(title: &'static str, items: Vec<UiCommand>) -> Self {
        Self {
            title,
            items,
            selected: 0,
        }
    }

    pub(crate) fn move_selection(&mut self, down: bool) {
        self.selected = cycle_index(self.selected, self.items.len(), down);
    }
}

/// The name of a file to which the game is saved.
#[derive(Clone, Debug)]
pub(crate) struct SaveDialog {
    pub(crate) file_name: Input,
    pub(crate) error: Option<String>,
    /// Whether the screen closes after the game is saved.
    pub(crate) quit_after: bool,
}

/// The maximum length of a file name, in characters.
const MAX_FILE_NAME_LENGTH: usize = 200;

/// The suggested file name.
const DEFAULT_FILE_NAME: &str = "game.kgn";

impl SaveDialog {
    pub(crate) fn new(quit_after: bool) -> Self {
        Self {
            file_name: Input::new(DEFAULT_FILE_NAME.to_owned()),
            error: None,
            quit_after,
        }
    }

    /// Returns the file name, `None` if it is empty.
    pub(crate) fn path(&self) -> Option<&str> {
        let name = self.file_name.value().trim();
        (!name.is_empty()).then_some(name)
    }

    pub(crate) fn insert(&mut self, character: char) {
        let length = self.file_name.value().chars().count();
        if !is_terminal_control(character) && length < MAX_FILE_NAME_LENGTH {
            self.file_name.handle(InputRequest::InsertChar(character));
            self.error = None;
        }
    }

    /// Handles a key that inserts no character.
    pub(crate) fn handle_key(&mut self, key: KeyCode) {
        let request = match key {
            KeyCode::Left => InputRequest::GoToPrevChar,
            KeyCode::Right => InputRequest::GoToNextChar,
            KeyCode::Home => InputRequest::GoToStart,
            KeyCode::End => InputRequest::GoToEnd,
            KeyCode::Backspace => InputRequest::DeletePrevChar,
            KeyCode::Delete => InputRequest::DeleteNextChar,
            _ => return,
        };
        self.file_name.handle(request);
    }

    pub(crate) fn delete_before_cursor(&mut self) {
        self.file_name.handle(InputRequest::DeleteFromStart);
    }
}

/// The players, rules and board of a new game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewGameDialog {
    pub(crate) specs: BySide<PlayerSpec>,
    pub(crate) rules: Rules,
    pub(crate) houses: u8,
    pub(crate) seeds: u16,
    pub(crate) field: NewGameField,
    pub(crate) error: Option<String>,
}

/// A line of the dialog for a new game.
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

    /// Returns the line of the field in the dialog, from 0.
    pub(crate) fn index(self) -> usize {
        let index = Self::ALL.iter().position(|&field| field == self);
        index.expect("ALL has every field")
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::South => "South (begins)",
            Self::North => "North",
            Self::Rules => "Rules",
            Self::Houses => "Houses a side",
            Self::Seeds => "Seeds in each",
            Self::StartGame => "Start the game",
        }
    }
}

/// The maximum number of seeds in each house that the dialog offers.
const MAX_SEEDS: u16 = 99;
/// The maximum number of houses of a side.
const MAX_HOUSES: u8 = 26;

/// The depth in turns of the minimax player that the dialog offers.
const MINIMAX_DEPTH: u32 = 4;

impl NewGameDialog {
    /// Creates the dialog with the players, the rules and the size of a game that started from
    /// `position`.
    pub(crate) fn from_position(position: &Position, specs: BySide<PlayerSpec>) -> Self {
        let houses = position.houses();
        let seeds = position.total().get() / (2 * u16::from(houses));
        Self {
            specs,
            rules: position.rules(),
            houses,
            seeds: seeds.clamp(1, MAX_SEEDS),
            field: NewGameField::StartGame,
            error: None,
        }
    }

    pub(crate) fn start_position(&self) -> Result<Position, SetupError> {
        Position::start(self.houses, self.seeds.into(), self.rules)
    }

    pub(crate) fn move_focus(&mut self, down: bool) {
        let next = cycle_index(self.field.index(), NewGameField::ALL.len(), down);
        self.field = NewGameField::ALL[next];
    }

    /// Sets the field to the next or the previous value.
    pub(crate) fn change_value(&mut self, up: bool) {
        self.error = None;
        match self.field {
            NewGameField::South => self.change_player(Side::South, up),
            NewGameField::North => self.change_player(Side::North, up),
            NewGameField::Rules => {
                let presets = Rules::PRESETS.map(|preset| preset.rules);
                let index = presets.iter().position(|&rules| rules == self.rules);
                self.rules = index.map_or(presets[0], |index| {
                    presets[cycle_index(index, presets.len(), up)]
                });
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
        let spec = |kind| PlayerSpec {
            kind,
            time_limit: None,
        };
        let mut players = vec![PlayerSpec::HUMAN];
        players.extend(LevelNumber::all().map(|number| spec(PlayerKind::Level { number })));
        players.extend([
            PlayerSpec::SMART,
            spec(PlayerKind::Minimax {
                depth: MINIMAX_DEPTH,
            }),
            spec(PlayerKind::Random),
            spec(PlayerKind::First),
        ]);
        if !players.contains(&self.specs[side]) {
            players.insert(0, self.specs[side]);
        }
        let index = players.iter().position(|&spec| spec == self.specs[side]);
        self.specs[side] = players[cycle_index(index.unwrap_or_default(), players.len(), up)];
    }
}

/// Returns the next or the previous index of a list of `length` elements, in a cycle.
fn cycle_index(index: usize, length: usize, forward: bool) -> usize {
    let step = if forward { 1 } else { length - 1 };
    (index + step) % length
}
