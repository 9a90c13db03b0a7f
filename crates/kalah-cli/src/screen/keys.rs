use kalah::{House, Labels, Position, Side};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What somebody wants who presses a key or picks a line of a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Sow(House),
    Swap,
    Confirm,
    Left,
    Right,
    Undo,
    Redo,
    Hint,
    Margins,
    Earlier,
    Later,
    Start,
    Now,
    Mistake,
    Help,
    Menu,
    Back,
    New,
    ReallyNew,
    Save,
    Pace,
    PlayOn,
    Resign,
    ReallyResign,
    Quit,
    SaveAndQuit,
    ReallyQuit,
}

/// A command and the keys that give it.
pub(crate) struct Binding {
    pub(crate) command: Command,
    /// What works where it names no house of the board.
    letter: Option<char>,
    /// What works on every board; the first one is told.
    keys: &'static [Key],
    /// For the line at the foot of the screen and for menus.
    pub(crate) name: &'static str,
    /// For the list of all keys.
    pub(crate) explained: &'static str,
}

/// A key that is no letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Control(char),
    Char(char),
    Code(KeyCode),
}

impl Key {
    fn is(self, event: KeyEvent) -> bool {
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
    command: Command,
    letter: Option<char>,
    keys: &'static [Key],
    name: &'static str,
    explained: &'static str,
) -> Binding {
    Binding {
        command,
        letter,
        keys,
        name,
        explained,
    }
}

/// All that keys do beside naming a house.
pub(crate) const BINDINGS: [Binding; 22] = [
    binding(
        Command::Left,
        None,
        &[Key::Code(KeyCode::Left)],
        "left",
        "choose a house",
    ),
    binding(
        Command::Right,
        None,
        &[Key::Code(KeyCode::Right)],
        "right",
        "choose a house",
    ),
    binding(
        Command::Confirm,
        None,
        &[Key::Code(KeyCode::Enter), Key::Char(' ')],
        "sow",
        "sow it; a program that thinks answers at once",
    ),
    binding(
        Command::Swap,
        Some('x'),
        &[Key::Code(KeyCode::F(4))],
        "swap",
        "exchange sides, where the rules have it",
    ),
    binding(
        Command::Undo,
        Some('u'),
        &[Key::Control('z'), Key::Code(KeyCode::Backspace)],
        "undo",
        "take back to your last decision",
    ),
    binding(
        Command::Redo,
        Some('r'),
        &[Key::Control('y')],
        "redo",
        "make again what was taken back",
    ),
    binding(
        Command::Hint,
        Some('h'),
        &[Key::Code(KeyCode::F(2)), Key::Code(KeyCode::Tab)],
        "hint",
        "ask the engine what to do",
    ),
    binding(
        Command::Margins,
        Some('m'),
        &[Key::Code(KeyCode::F(3)), Key::Char('=')],
        "margins",
        "what each house is worth, or not",
    ),
    binding(
        Command::Earlier,
        None,
        &[Key::Code(KeyCode::Up), Key::Code(KeyCode::PageUp)],
        "earlier",
        "look at the game a ply earlier",
    ),
    binding(
        Command::Later,
        None,
        &[Key::Code(KeyCode::Down), Key::Code(KeyCode::PageDown)],
        "later",
        "a ply later",
    ),
    binding(
        Command::Start,
        None,
        &[Key::Code(KeyCode::Home)],
        "start",
        "look at the start",
    ),
    binding(
        Command::Now,
        None,
        &[Key::Code(KeyCode::End)],
        "now",
        "back to the position now",
    ),
    binding(
        Command::Mistake,
        Some('w'),
        &[Key::Code(KeyCode::F(6))],
        "worst",
        "the next of the worst sowings of a finished game",
    ),
    binding(
        Command::New,
        Some('n'),
        &[Key::Control('n'), Key::Code(KeyCode::F(5))],
        "new game",
        "players, rules and board of a new game",
    ),
    binding(
        Command::Save,
        Some('s'),
        &[Key::Control('s')],
        "save",
        "add the game to a file",
    ),
    binding(
        Command::Pace,
        Some('p'),
        &[Key::Code(KeyCode::F(7))],
        "pace",
        "how fast seeds are sown on the screen",
    ),
    binding(
        Command::PlayOn,
        Some('g'),
        &[Key::Code(KeyCode::F(8))],
        "go on",
        "two programs go on without waiting, or wait again",
    ),
    binding(
        Command::Resign,
        None,
        &[Key::Code(KeyCode::F(9))],
        "resign",
        "give the game up",
    ),
    binding(
        Command::Help,
        None,
        &[Key::Char('?'), Key::Code(KeyCode::F(1))],
        "help",
        "this list",
    ),
    binding(
        Command::Menu,
        None,
        &[Key::Code(KeyCode::Esc), Key::Code(KeyCode::F(10))],
        "menu",
        "all of this as a menu; back from wherever you are",
    ),
    binding(
        Command::Quit,
        Some('q'),
        &[Key::Control('q'), Key::Control('c')],
        "quit",
        "leave the game",
    ),
    binding(
        Command::Back,
        None,
        &[],
        "go on playing",
        "back to the game",
    ),
];

impl Binding {
    /// The binding of a command that has one.
    pub(crate) fn of(command: Command) -> Option<&'static Self> {
        BINDINGS.iter().find(|binding| binding.command == command)
    }

    /// The key to tell of on a board of so many houses a side.
    pub(crate) fn key(&self, houses: u8) -> Option<String> {
        let free = self.letter.filter(|&letter| !names_house(letter, houses));
        free.map(|letter| letter.to_ascii_uppercase().to_string())
            .or_else(|| self.keys.first().map(|key| key.name()))
    }

    /// All keys on such a board.
    pub(crate) fn all_keys(&self, houses: u8) -> String {
        let free = self.letter.filter(|&letter| !names_house(letter, houses));
        let letter = free.map(|letter| letter.to_ascii_uppercase().to_string());
        let names = letter
            .into_iter()
            .chain(self.keys.iter().map(|key| key.name()));
        names.collect::<Vec<_>>().join(" ")
    }
}

fn names_house(letter: char, houses: u8) -> bool {
    House::from_letter(letter).is_some_and(|(_, house)| house.number() <= houses)
}

/// What a key says in a game that stands so. Letters are houses first.
pub(crate) fn command(event: KeyEvent, position: &Position, labels: Labels) -> Option<Command> {
    let plain = !event
        .modifiers
        .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let houses = position.houses();
    if let KeyCode::Char(character) = event.code
        && plain
    {
        if let Some((_, house)) = House::from_letter(character)
            && house.number() <= houses
        {
            return Some(Command::Sow(house));
        }
        if character.is_ascii_digit() {
            return numbered(character, position, labels).map(Command::Sow);
        }
        let letter = Some(character.to_ascii_lowercase());
        if let Some(binding) = BINDINGS.iter().find(|binding| binding.letter == letter) {
            return Some(binding.command);
        }
    }
    let mut bindings = BINDINGS.iter();
    bindings
        .find(|binding| binding.keys.iter().any(|key| key.is(event)))
        .map(|binding| binding.command)
}

/// The house that a digit names: as it is drawn where houses are drawn with numbers, or else by columns.
fn numbered(digit: char, position: &Position, labels: Labels) -> Option<House> {
    let side = position.to_move();
    let (labels, text) = match (labels, side) {
        (Labels::Yale, Side::South) => (labels, format!("S{digit}")),
        (Labels::Yale, Side::North) => (labels, format!("N{digit}")),
        (Labels::Columns | Labels::Letters, _) => (Labels::Columns, digit.to_string()),
    };
    labels.parse_house(&text, side, position.houses()).ok()
}
