//! Keys: the commands of the interface and the keys that give them.

use kalah::{House, Labels, Position, Side};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A command of the user, given by a key or in a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UiCommand {
    Sow(House),
    Swap,
    /// Does the most likely action: sows, continues a pause, or ends a search.
    Activate,
    Left,
    Right,
    Undo,
    Redo,
    Hint,
    ToggleMargins,
    PreviousPly,
    NextPly,
    ViewStart,
    ViewCurrent,
    NextMistake,
    Help,
    Menu,
    CloseMenu,
    NewGame,
    ConfirmNewGame,
    /// Shows a puzzle, or the next one.
    Puzzle,
    DailyPuzzle,
    /// Opens the choices for puzzles.
    PuzzleMenu,
    CycleDifficulty,
    CycleTheme,
    Open,
    ConfirmOpen,
    /// Lists the games that were kept.
    History,
    Save,
    CycleSpeed,
    /// Shows the board from the other side.
    Flip,
    /// Edits the shown position.
    EditPosition,
    /// Changes the side to move in the position editor.
    ChangeSide,
    /// Takes all seeds away in the position editor.
    ClearBoard,
    /// Copies the shown position to the clipboard.
    CopyPosition,
    /// Draws the whole screen again.
    Redraw,
    /// Stops the process, so that the shell continues.
    Suspend,
    /// Turns the pauses between the turns of two programs on or off.
    ToggleAutoPlay,
    /// Starts a program again that has failed.
    RestartProgram,
    /// Lets the user play for a program that has failed.
    TakeOver,
    /// Lets the engine play for a program that has failed.
    SubstituteEngine,
    Resign,
    ConfirmResign,
    Quit,
    SaveAndQuit,
    ConfirmQuit,
}

/// The keys of a command, and its texts.
pub(crate) struct KeyBinding {
    pub(crate) command: UiCommand,
    /// A letter, which gives the command if it names no house of the board.
    letter: Option<char>,
    /// Keys that give the command on every board. The first one is shown in menus.
    keys: &'static [BoundKey],
    /// The text in the footer and in menus.
    pub(crate) name: &'static str,
    /// The text in the help.
    pub(crate) description: &'static str,
}

/// A key of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundKey {
    Control(char),
    Char(char),
    Code(KeyCode),
}

impl BoundKey {
    fn matches(self, event: KeyEvent) -> bool {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        match (self, event.code) {
            (Self::Control(one), KeyCode::Char(other)) => {
                control && one == other.to_ascii_lowercase()
            }
            (Self::Char(one), KeyCode::Char(other)) => !control && one == other,
            (Self::Code(one), other) => one == other,
            _ => false,
        }
    }

    fn name(self) -> String {
        match self {
            Self::Control(letter) => format!("Ctrl-{}", letter.to_ascii_uppercase()),
            Self::Char(' ') => "Space".to_owned(),
            Self::Char(character) => character.to_string(),
            Self::Code(KeyCode::F(number)) => format!("F{number}"),
            Self::Code(KeyCode::PageUp) => "PgUp".to_owned(),
            Self::Code(KeyCode::PageDown) => "PgDn".to_owned(),
            Self::Code(KeyCode::Left) => "←".to_owned(),
            Self::Code(KeyCode::Right) => "→".to_owned(),
            Self::Code(KeyCode::Up) => "↑".to_owned(),
            Self::Code(KeyCode::Down) => "↓".to_owned(),
            Self::Code(code) => code.to_string(),
        }
    }
}

const fn binding(
    command: UiCommand,
    letter: Option<char>,
    keys: &'static [BoundKey],
    name: &'static str,
    description: &'static str,
) -> KeyBinding {
    KeyBinding {
        command,
        letter,
        keys,
        name,
        description,
    }
}

/// All bindings, in the order of the help. Keys that sow a house have none.
pub(crate) const BINDINGS: [KeyBinding; 33] = [
    binding(
        UiCommand::Left,
        None,
        &[BoundKey::Code(KeyCode::Left)],
        "left",
        "select a house further left",
    ),
    binding(
        UiCommand::Right,
        None,
        &[BoundKey::Code(KeyCode::Right)],
        "right",
        "select a house further right",
    ),
    binding(
        UiCommand::Activate,
        None,
        &[BoundKey::Code(KeyCode::Enter), BoundKey::Char(' ')],
        "sow",
        "sow the selected house; let a thinking program move now",
    ),
    binding(
        UiCommand::Swap,
        Some('x'),
        &[BoundKey::Code(KeyCode::F(4))],
        "swap",
        "swap sides, if the rules allow it",
    ),
    binding(
        UiCommand::Undo,
        Some('u'),
        &[BoundKey::Code(KeyCode::Backspace)],
        "undo",
        "undo your last move",
    ),
    binding(
        UiCommand::Redo,
        Some('r'),
        &[BoundKey::Control('y')],
        "redo",
        "redo the undone moves",
    ),
    binding(
        UiCommand::Hint,
        Some('h'),
        &[BoundKey::Code(KeyCode::F(2)), BoundKey::Code(KeyCode::Tab)],
        "hint",
        "show the best move that the engine finds",
    ),
    binding(
        UiCommand::ToggleMargins,
        Some('m'),
        &[BoundKey::Code(KeyCode::F(3)), BoundKey::Char('=')],
        "margins",
        "show or hide the margin of each house",
    ),
    binding(
        UiCommand::PreviousPly,
        None,
        &[BoundKey::Code(KeyCode::Up), BoundKey::Code(KeyCode::PageUp)],
        "earlier",
        "show the previous ply",
    ),
    binding(
        UiCommand::NextPly,
        None,
        &[
            BoundKey::Code(KeyCode::Down),
            BoundKey::Code(KeyCode::PageDown),
        ],
        "later",
        "show the next ply",
    ),
    binding(
        UiCommand::ViewStart,
        None,
        &[BoundKey::Code(KeyCode::Home)],
        "start",
        "show the start",
    ),
    binding(
        UiCommand::ViewCurrent,
        None,
        &[BoundKey::Code(KeyCode::End)],
        "now",
        "show the current position",
    ),
    binding(
        UiCommand::NextMistake,
        Some('w'),
        &[BoundKey::Code(KeyCode::F(6))],
        "mistakes",
        "show the next mistake of a finished game",
    ),
    binding(
        UiCommand::NewGame,
        Some('n'),
        &[BoundKey::Control('n'), BoundKey::Code(KeyCode::F(5))],
        "new game",
        "start a new game",
    ),
    binding(
        UiCommand::Puzzle,
        Some('t'),
        &[BoundKey::Control('t')],
        "puzzles",
        "solve a puzzle on this board; the next puzzle",
    ),
    binding(
        UiCommand::PuzzleMenu,
        None,
        &[BoundKey::Control('p')],
        "puzzles ...",
        "choose puzzles: that of the day, difficulty and theme",
    ),
    binding(
        UiCommand::Open,
        Some('o'),
        &[BoundKey::Control('o')],
        "open game ...",
        "open a recorded game from a file",
    ),
    binding(
        UiCommand::History,
        Some('l'),
        &[BoundKey::Control('g')],
        "history ...",
        "list the games that were kept: review, continue or delete one",
    ),
    binding(
        UiCommand::Save,
        Some('s'),
        &[BoundKey::Control('s')],
        "save",
        "save the game to a file",
    ),
    binding(
        UiCommand::CycleSpeed,
        Some('p'),
        &[BoundKey::Code(KeyCode::F(7))],
        "speed",
        "change the animation speed",
    ),
    binding(
        UiCommand::Flip,
        Some('v'),
        &[BoundKey::Control('v')],
        "flip the board",
        "show the board from the other side",
    ),
    binding(
        UiCommand::EditPosition,
        Some('i'),
        &[BoundKey::Control('e')],
        "edit position ...",
        "edit the shown position, and start a game from it",
    ),
    binding(
        UiCommand::ChangeSide,
        None,
        &[BoundKey::Code(KeyCode::Tab)],
        "side",
        "in the position editor: change the side to move",
    ),
    binding(
        UiCommand::ClearBoard,
        None,
        &[BoundKey::Code(KeyCode::Delete)],
        "empty board",
        "in the position editor: take all seeds away",
    ),
    binding(
        UiCommand::CopyPosition,
        Some('y'),
        &[BoundKey::Control('k')],
        "copy position",
        "copy the shown position to the clipboard",
    ),
    binding(
        UiCommand::ToggleAutoPlay,
        Some('g'),
        &[BoundKey::Code(KeyCode::F(8))],
        "autoplay",
        "in a game of two programs: pause after each turn, or not",
    ),
    binding(
        UiCommand::Resign,
        None,
        &[BoundKey::Code(KeyCode::F(9))],
        "resign",
        "resign the game; show the answer of a puzzle",
    ),
    binding(
        UiCommand::Help,
        None,
        &[BoundKey::Char('?'), BoundKey::Code(KeyCode::F(1))],
        "help",
        "this list",
    ),
    binding(
        UiCommand::Menu,
        None,
        &[BoundKey::Code(KeyCode::Esc), BoundKey::Code(KeyCode::F(10))],
        "menu",
        "open the menu; close a dialog or an earlier position",
    ),
    binding(
        UiCommand::Redraw,
        None,
        &[BoundKey::Control('l')],
        "redraw",
        "draw the screen again",
    ),
    binding(
        UiCommand::Suspend,
        None,
        &[BoundKey::Control('z')],
        "suspend",
        "return to the shell until fg",
    ),
    binding(
        UiCommand::Quit,
        Some('q'),
        &[BoundKey::Control('q'), BoundKey::Control('c')],
        "quit",
        "quit",
    ),
    binding(UiCommand::CloseMenu, None, &[], "back", "close the menu"),
];

impl KeyBinding {
    /// Returns the binding of a command that has one.
    pub(crate) fn for_command(command: UiCommand) -> Option<&'static Self> {
        BINDINGS.iter().find(|binding| binding.command == command)
    }

    /// Returns the key to show on a board with this number of houses of a side.
    pub(crate) fn key_name(&self, houses: u8) -> Option<String> {
        self.letter_name(houses)
            .or_else(|| self.keys.first().map(|key| key.name()))
    }

    /// Returns all keys on such a board, separated by spaces.
    pub(crate) fn key_names(&self, houses: u8) -> String {
        let keys = self.keys.iter().map(|key| key.name());
        let names = self.letter_name(houses).into_iter().chain(keys);
        names.collect::<Vec<_>>().join(" ")
    }

    fn letter_name(&self, houses: u8) -> Option<String> {
        let letter = self.letter.filter(|&letter| !names_house(letter, houses))?;
        Some(letter.to_ascii_uppercase().to_string())
    }
}

fn names_house(letter: char, houses: u8) -> bool {
    House::from_letter(letter).is_some_and(|(_, house)| house.number() <= houses)
}

/// Returns the command of a key. A letter or a digit that names a house of the board sows it.
pub(crate) fn command_for_key(
    event: KeyEvent,
    position: &Position,
    labels: Labels,
    bottom: Side,
) -> Option<UiCommand> {
    let is_plain = !event
        .modifiers
        .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let houses = position.houses();
    if let KeyCode::Char(character) = event.code
        && is_plain
    {
        if let Some((_, house)) = House::from_letter(character)
            && house.number() <= houses
        {
            return Some(UiCommand::Sow(house));
        }
        if character.is_ascii_digit() {
            return house_for_digit(character, position, labels, bottom).map(UiCommand::Sow);
        }
        let letter = Some(character.to_ascii_lowercase());
        if let Some(binding) = BINDINGS.iter().find(|binding| binding.letter == letter) {
            return Some(binding.command);
        }
    }
    let mut bindings = BINDINGS.iter();
    bindings
        .find(|binding| binding.keys.iter().any(|key| key.matches(event)))
        .map(|binding| binding.command)
}

/// Returns the house of the side to move with a digit: its number where houses are labelled with
/// numbers, and its column as the board is drawn otherwise.
fn house_for_digit(
    digit: char,
    position: &Position,
    labels: Labels,
    bottom: Side,
) -> Option<House> {
    let side = position.to_move();
    let (labels, text) = match (labels, side) {
        (Labels::Yale, Side::South) => (labels, format!("S{digit}")),
        (Labels::Yale, Side::North) => (labels, format!("N{digit}")),
        (Labels::Columns, _) => (labels, digit.to_string()),
        (Labels::Letters, _) => {
            let houses = position.houses();
            let column =
                House::new(digit.to_digit(10)?).filter(|house| house.number() <= houses)?;
            return if side == bottom {
                Some(column)
            } else {
                column.opposite(houses)
            };
        }
    };
    labels.parse_house(&text, side, position.houses()).ok()
}

/// Returns the name of a key with its modifiers.
pub(crate) fn describe_key(key: KeyEvent) -> String {
    let name = match key.code {
        KeyCode::Char(character) => BoundKey::Char(character).name(),
        code => BoundKey::Code(code).name(),
    };
    let modifier = if key.modifiers.contains(KeyModifiers::CONTROL) {
        "Ctrl-"
    } else if key.modifiers.contains(KeyModifiers::ALT) {
        "Alt-"
    } else {
        ""
    };
    format!("{modifier}{name}")
}
