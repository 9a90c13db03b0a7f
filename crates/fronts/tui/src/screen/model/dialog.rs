//! Dialogs: the state of the menus and forms in front of the board.

use std::path::PathBuf;

use kalah::{BySide, ClockSetting, Position, Rules, SeedCount, Setup, SetupError, Side};
use kalah_engine::LevelNumber;
use kalah_players::{EngineProtocol, GamePlayerSpec, PlayerKind, PlayerSpec, is_terminal_control};
use ratatui::crossterm::event::KeyCode;
use tui_input::{Input, InputRequest};

use crate::game::clock::SUGGESTIONS;
use crate::game::{FileEntry, GameSession};
use crate::screen::keys::UiCommand;
use crate::screen::model::history::HistoryDialog;

/// A dialog, which receives all keys.
#[derive(Clone, Debug)]
pub(crate) enum Dialog {
    Help(HelpDialog),
    Menu(MenuDialog),
    NewGame(NewGameDialog),
    Save(SaveDialog),
    Open(OpenDialog),
    History(HistoryDialog),
}

impl Dialog {
    /// Returns whether the dialog is a menu with `command`.
    pub(crate) fn offers(&self, command: UiCommand) -> bool {
        matches!(self, Self::Menu(menu) if menu.items.contains(&command))
    }
}

/// A text that scrolls.
#[derive(Clone, Debug)]
pub(crate) struct HelpDialog {
    pub(crate) page: HelpPage,
    /// The number of lines above the first visible one.
    pub(crate) scroll: u16,
    /// The dialog that the help was opened from, which opens again.
    pub(crate) return_to: Option<NewGameDialog>,
}

/// A page of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HelpPage {
    Keys,
    Rules,
    /// The keys of the position editor.
    Editor,
}

impl HelpPage {
    /// Returns the page to which Tab turns.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Keys => Self::Rules,
            Self::Rules => Self::Editor,
            Self::Editor => Self::Keys,
        }
    }

    fn previous(self) -> Self {
        self.next().next()
    }
}

impl HelpDialog {
    /// Opens a page.
    pub(crate) fn new(page: HelpPage) -> Self {
        Self {
            page,
            scroll: 0,
            return_to: None,
        }
    }

    /// Opens the rules in front of the dialog for a new game.
    pub(crate) fn rules_for(dialog: NewGameDialog) -> Self {
        Self {
            page: HelpPage::Rules,
            scroll: 0,
            return_to: Some(dialog),
        }
    }

    /// Turns to the next page or to the previous one.
    pub(crate) fn turn_page(&mut self, forward: bool) {
        self.scroll = 0;
        self.page = if forward {
            self.page.next()
        } else {
            self.page.previous()
        };
    }
}

/// A list of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MenuDialog {
    pub(crate) title: &'static str,
    /// The lines above the commands.
    pub(crate) notes: Vec<String>,
    pub(crate) items: Vec<UiCommand>,
    pub(crate) selected: usize,
}

impl MenuDialog {
    pub(crate) fn new(title: &'static str, items: Vec<UiCommand>) -> Self {
        Self {
            title,
            notes: Vec::new(),
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
    /// Whether the name is still the suggested one, which typing replaces.
    pub(crate) is_suggested: bool,
    pub(crate) error: Option<String>,
    /// Whether the screen closes after the game is saved.
    pub(crate) quit_after: bool,
}

/// The maximum length of a file name, in characters.
const MAX_FILE_NAME_LENGTH: usize = 200;

/// The suggested file name.
const DEFAULT_FILE_NAME: &str = "game.kgn";

impl SaveDialog {
    /// Creates the dialog with a suggested name.
    pub(crate) fn new(file_name: Option<&str>, quit_after: bool) -> Self {
        let file_name = file_name.unwrap_or(DEFAULT_FILE_NAME);
        Self {
            file_name: Input::new(file_name.to_owned()),
            is_suggested: true,
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
        if is_terminal_control(character) {
            return;
        }
        if self.is_suggested {
            self.clear();
        }
        let length = self.file_name.value().chars().count();
        if length < MAX_FILE_NAME_LENGTH {
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
            KeyCode::Backspace | KeyCode::Delete if self.is_suggested => return self.clear(),
            KeyCode::Backspace => InputRequest::DeletePrevChar,
            KeyCode::Delete => InputRequest::DeleteNextChar,
            _ => return,
        };
        self.is_suggested = false;
        self.error = None;
        self.file_name.handle(request);
    }

    pub(crate) fn delete_before_cursor(&mut self) {
        self.is_suggested = false;
        self.error = None;
        self.file_name.handle(InputRequest::DeleteFromStart);
    }

    fn clear(&mut self) {
        self.is_suggested = false;
        self.error = None;
        self.file_name.reset();
    }
}

/// A list of folders and record files, or of the games of a file.
#[derive(Clone, Debug)]
pub(crate) struct OpenDialog {
    pub(crate) folder: PathBuf,
    pub(crate) list: OpenList,
    pub(crate) selected: usize,
    pub(crate) error: Option<String>,
}

/// The contents of the list.
#[derive(Clone, Debug)]
pub(crate) enum OpenList {
    /// The list is being read.
    Loading,
    Files(Vec<FileEntry>),
    Games {
        path: PathBuf,
        games: Vec<GameSession>,
    },
}

impl OpenDialog {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            list: OpenList::Loading,
            selected: 0,
            error: None,
        }
    }

    fn length(&self) -> usize {
        match &self.list {
            OpenList::Loading => 0,
            OpenList::Files(entries) => entries.len(),
            OpenList::Games { games, .. } => games.len(),
        }
    }

    /// Moves the selection by this number of items, and stops at both ends.
    pub(crate) fn move_selection(&mut self, offset: isize) {
        let last = self.length().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(offset).min(last);
    }

    /// Selects the next item that begins with a letter.
    pub(crate) fn select_letter(&mut self, letter: char) {
        let OpenList::Files(entries) = &self.list else {
            return;
        };
        let begins = |index: &usize| {
            let name = entries[*index].name.to_lowercase();
            name.starts_with(&letter.to_lowercase().to_string())
        };
        let mut following = (self.selected + 1..entries.len()).chain(0..=self.selected);
        if !entries.is_empty()
            && let Some(index) = following.find(begins)
        {
            self.selected = index;
        }
    }
}

/// The players, rules and board of a new game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewGameDialog {
    pub(crate) specs: BySide<GamePlayerSpec>,
    /// The programs that a side can choose.
    programs: Vec<GamePlayerSpec>,
    /// The text of a player that is being typed.
    pub(crate) typed_player: Option<String>,
    pub(crate) rules: Rules,
    pub(crate) houses: u8,
    pub(crate) seeds: u16,
    pub(crate) clock: Option<ClockSetting>,
    /// An edited start, instead of equal numbers of seeds.
    pub(crate) edited_start: Option<Setup>,
    pub(crate) field: NewGameField,
    /// Whether the number of the field was typed, so that the next digit is appended to it.
    is_typing: bool,
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
    Clock,
    StartGame,
}

impl NewGameField {
    pub(crate) const ALL: [Self; 7] = [
        Self::South,
        Self::North,
        Self::Rules,
        Self::Houses,
        Self::Seeds,
        Self::Clock,
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
            Self::Clock => "Clock",
            Self::StartGame => "Start the game",
        }
    }
}

/// The maximum number of houses of a side.
const MAX_HOUSES: u8 = 26;

/// The maximum length of the text of a player, in characters.
const MAX_PLAYER_LENGTH: usize = 1000;

/// The depth in turns of the minimax player that the dialog offers.
const MINIMAX_DEPTH: u32 = 4;

impl NewGameDialog {
    /// Creates the dialog with the players, the rules and the size of a game that started from
    /// `position`.
    pub(crate) fn new(
        position: &Position,
        specs: BySide<GamePlayerSpec>,
        programs: Vec<GamePlayerSpec>,
        clock: Option<ClockSetting>,
    ) -> Self {
        let houses = position.houses();
        let seeds = position.total().get() / (2 * u16::from(houses));
        Self {
            specs,
            programs,
            typed_player: None,
            rules: position.rules(),
            houses,
            seeds: seeds.clamp(1, max_seeds(houses)),
            clock,
            edited_start: None,
            field: NewGameField::StartGame,
            is_typing: false,
            error: None,
        }
    }

    pub(crate) fn start_position(&self) -> Result<Position, SetupError> {
        match &self.edited_start {
            Some(setup) => setup.clone().position(self.rules),
            None => Position::start(self.houses, self.seeds.into(), self.rules),
        }
    }

    pub(crate) fn move_focus(&mut self, down: bool) {
        let next = cycle_index(self.field.index(), NewGameField::ALL.len(), down);
        self.select(NewGameField::ALL[next]);
    }

    pub(crate) fn select(&mut self, field: NewGameField) {
        self.field = field;
        self.typed_player = None;
        self.is_typing = false;
    }

    /// Handles a typed digit: a digit of a number, or the number of a level with 0 for the
    /// tenth.
    pub(crate) fn type_digit(&mut self, digit: u8) {
        self.error = None;
        let is_continued = self.is_typing;
        self.is_typing = true;
        let number = |value: u16| {
            let typed = u16::from(digit);
            let longer = value.saturating_mul(10).saturating_add(typed);
            if is_continued { longer } else { typed }
        };
        match self.field {
            NewGameField::South => self.choose_level(Side::South, digit),
            NewGameField::North => self.choose_level(Side::North, digit),
            NewGameField::Rules | NewGameField::Clock | NewGameField::StartGame => {
                self.refuse_key(&digit.to_string());
            }
            NewGameField::Houses => {
                self.edited_start = None;
                let houses = number(self.houses.into()).clamp(1, MAX_HOUSES.into());
                self.houses = u8::try_from(houses).unwrap_or(MAX_HOUSES);
                self.seeds = self.seeds.min(max_seeds(self.houses));
            }
            NewGameField::Seeds => {
                self.edited_start = None;
                self.seeds = number(self.seeds).clamp(1, max_seeds(self.houses));
            }
        }
    }

    /// Shows that a key has no meaning for the field.
    pub(crate) fn refuse_key(&mut self, key: &str) {
        let keys = match self.field {
            NewGameField::StartGame => "Enter starts the game.",
            NewGameField::Rules | NewGameField::Clock => "← and → change the field.",
            NewGameField::Houses | NewGameField::Seeds => "← and → and digits change the field.",
            NewGameField::South | NewGameField::North => {
                "← and → and digits change the field; letters begin a player."
            }
        };
        self.error = Some(format!("{key} has no meaning here. {keys}"));
    }

    fn choose_level(&mut self, side: Side, digit: u8) {
        let number = if digit == 0 { 10 } else { usize::from(digit) };
        if let Some(number) = LevelNumber::all().nth(number - 1) {
            let kind = PlayerKind::Level { number };
            let time_limit = None;
            self.specs[side] = PlayerSpec { kind, time_limit }.into();
        }
    }

    /// Sets the field to the next or the previous value.
    pub(crate) fn change_value(&mut self, up: bool) {
        self.error = None;
        self.is_typing = false;
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
                self.edited_start = None;
                let houses = if up { self.houses + 1 } else { self.houses - 1 };
                self.houses = houses.clamp(1, MAX_HOUSES);
                self.seeds = self.seeds.min(max_seeds(self.houses));
            }
            NewGameField::Seeds => {
                self.edited_start = None;
                let seeds = if up { self.seeds + 1 } else { self.seeds - 1 };
                self.seeds = seeds.clamp(1, max_seeds(self.houses));
            }
            NewGameField::Clock => self.change_clock(up),
            NewGameField::StartGame => {}
        }
    }

    fn change_clock(&mut self, up: bool) {
        let mut clocks = vec![None];
        clocks.extend(SUGGESTIONS.map(Some));
        if !clocks.contains(&self.clock) {
            clocks.push(self.clock);
        }
        let index = clocks.iter().position(|&clock| clock == self.clock);
        self.clock = clocks[cycle_index(index.unwrap_or_default(), clocks.len(), up)];
    }

    /// Returns the players that a side can choose, and its own.
    pub(crate) fn players(&self, side: Side) -> Vec<GamePlayerSpec> {
        let spec = |kind| {
            GamePlayerSpec::Local(PlayerSpec {
                kind,
                time_limit: None,
            })
        };
        let mut players = vec![PlayerSpec::HUMAN.into()];
        players.extend(LevelNumber::all().map(|number| spec(PlayerKind::Level { number })));
        players.extend([
            PlayerSpec::SMART.into(),
            spec(PlayerKind::Minimax {
                depth: MINIMAX_DEPTH,
            }),
            spec(PlayerKind::Random),
            spec(PlayerKind::First),
        ]);
        players.extend(self.programs.iter().cloned());
        if !players.contains(&self.specs[side]) {
            players.insert(0, self.specs[side].clone());
        }
        players
    }

    fn change_player(&mut self, side: Side, up: bool) {
        let mut players = self.players(side);
        let index = players.iter().position(|spec| *spec == self.specs[side]);
        let next = cycle_index(index.unwrap_or_default(), players.len(), up);
        self.specs[side] = players.swap_remove(next);
    }

    /// Returns the side whose player the field chooses.
    pub(crate) fn player_side(&self) -> Option<Side> {
        match self.field {
            NewGameField::South => Some(Side::South),
            NewGameField::North => Some(Side::North),
            _ => None,
        }
    }

    /// Adds a character to the text of a player, which it begins on the field of a player. Returns
    /// whether the field takes text.
    pub(crate) fn type_player(&mut self, character: char) -> bool {
        if self.player_side().is_none() {
            return false;
        }
        self.error = None;
        let text = self.typed_player.get_or_insert_default();
        if !is_terminal_control(character) && text.chars().count() < MAX_PLAYER_LENGTH {
            text.push(character);
        }
        true
    }

    /// Removes the last character of the text of a player. Without one, the text ends.
    pub(crate) fn delete_typed(&mut self) {
        self.error = None;
        if let Some(text) = &mut self.typed_player
            && text.pop().is_none()
        {
            self.typed_player = None;
        }
    }

    /// Takes the typed player, whose program speaks one of `protocols`, or shows why it is none.
    /// Returns whether the field can be left: an invalid text stays. A blank text is no player.
    pub(crate) fn take_typed(&mut self, protocols: &[&'static EngineProtocol]) -> bool {
        let (Some(text), Some(side)) = (&self.typed_player, self.player_side()) else {
            return true;
        };
        if !text.trim().is_empty() {
            match GamePlayerSpec::parse(text, protocols) {
                Ok(spec) => self.specs[side] = spec,
                Err(reason) => {
                    self.error = Some(reason.to_string());
                    return false;
                }
            }
        }
        self.typed_player = None;
        self.error = None;
        true
    }
}

/// Returns the maximum number of seeds in each house, so that a position can hold all of them.
fn max_seeds(houses: u8) -> u16 {
    SeedCount::MAX.get() / (2 * u16::from(houses))
}

/// Returns the next or the previous index of a list of `length` elements, in a cycle.
fn cycle_index(index: usize, length: usize, forward: bool) -> usize {
    let step = if forward { 1 } else { length - 1 };
    (index + step) % length
}
