//! The lines of each dialog.

use kalah::{Ending, FirstPlyRules, Rules, Side, Termination, format_count};
use kalah_engine::PuzzleTheme;
use kalah_players::{GamePlayerSpec, PlayerKind, display_path, escape_control, escape_truncated};
use kalah_text::format_result;
use ratatui::style::Style;

use super::help::HELP_WIDTH;
use super::history::HISTORY_WIDTH;
use super::{BORDER_SIZE, DialogLine};
use crate::game::{GameSession, StartHelp, rating_note};
use crate::screen::keys::{KeyBinding, UiCommand};
use crate::screen::model::Model;
use crate::screen::model::dialog::{
    Dialog, MenuDialog, NewGameDialog, NewGameField, OpenDialog, OpenList, SaveDialog,
};
use crate::screen::model::profile::RatingRequest;
use crate::screen::view::command_name;
use crate::screen::view::theme::{BOLD, DIM, SELECTED, text_width};

/// The widths of the dialogs, including borders.
const MENU_WIDTH: u16 = 34;
/// The room for the longest key of a menu, with the borders, the sign of the selection and a space.
const MENU_KEY_WIDTH: u16 = 12;
/// The corners of a dialog, and the spaces beside its title.
const TITLE_MARGIN: u16 = 4;
const FORM_WIDTH: u16 = 52;
const LIST_WIDTH: u16 = 60;

/// The column of a value in a form, and of a description in the help.
pub(super) const VALUE_COLUMN: u16 = 20;
/// The width inside the borders from which the values of a form stand beside their labels.
pub(super) const MIN_TWO_COLUMNS: u16 = 40;
/// The column of values and descriptions below their labels.
pub(super) const INDENT: u16 = 4;

/// The part of a dialog that a click on a line selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DialogTarget {
    /// An item of a menu or of a list, by its index.
    Item(usize),
    Field(NewGameField),
    /// The sign in front of the value of the selected field.
    PreviousValue(NewGameField),
    /// The action of Enter.
    Confirm,
    /// The action of Esc.
    Cancel,
}

/// The sign in front of the value of the selected field, a button for the previous value.
pub(super) const PREVIOUS_SIGN: &str = "◂";

/// The place of the second texts of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecondColumn {
    At(u16),
    RightAligned,
}

/// The contents of a dialog.
pub(super) struct DialogContent {
    pub(super) title: String,
    /// The width with borders.
    pub(super) width: u16,
    pub(super) second_column: SecondColumn,
    pub(super) lines: Vec<DialogLine>,
    /// The number of last lines that stay visible while the others scroll.
    pub(super) footer: usize,
    /// The target that is selected.
    pub(super) selected: Option<DialogTarget>,
}

impl DialogContent {
    /// Creates the contents. `inner_width` returns the width inside the borders of a dialog of a
    /// width on this screen.
    pub(super) fn new(model: &Model, dialog: &Dialog, inner_width: impl Fn(u16) -> u16) -> Self {
        match dialog {
            Dialog::Help(help) => Self::help(model, help, inner_width(HELP_WIDTH)),
            Dialog::Menu(menu) => Self::menu(model, menu, inner_width),
            Dialog::NewGame(dialog) => Self::new_game(model, dialog, inner_width(FORM_WIDTH)),
            Dialog::Save(dialog) => Self::save(model, dialog, inner_width(FORM_WIDTH)),
            Dialog::Open(dialog) => Self::open(model, dialog, inner_width(LIST_WIDTH)),
            Dialog::History(dialog) => Self::history(model, dialog, inner_width(HISTORY_WIDTH)),
        }
    }

    /// Returns the index of the last line of the selected target.
    pub(super) fn last_selected_line(&self) -> usize {
        let selected = self.selected;
        let index = self
            .lines
            .iter()
            .rposition(|line| selected.is_some() && line.target == selected);
        index.unwrap_or_default()
    }

    fn menu(model: &Model, menu: &MenuDialog, inner_width: impl Fn(u16) -> u16) -> Self {
        let houses = model.session.position().houses();
        let items: Vec<(String, String)> = (menu.items.iter())
            .map(|&command| {
                let binding = KeyBinding::for_command(command);
                let key = binding.and_then(|binding| binding.key_name(houses));
                (menu_name(model, command), key.unwrap_or_default())
            })
            .collect();
        let widths = (items.iter())
            .map(|(name, _)| text_width(name).saturating_add(MENU_KEY_WIDTH))
            .chain([text_width(menu.title).saturating_add(TITLE_MARGIN)])
            .chain((!menu.notes.is_empty()).then_some(LIST_WIDTH));
        let width = widths.max().unwrap_or_default().max(MENU_WIDTH);
        let room = inner_width(width);
        let mut lines = Vec::new();
        let mut title = menu.title.to_owned();
        if text_width(&title) + TITLE_MARGIN > room + BORDER_SIZE {
            // The border of a narrow menu has no room for the title.
            lines.extend(note_lines(&title, BOLD, room));
            title.clear();
        }
        for note in &menu.notes {
            lines.extend(note_lines(note, Style::new(), room));
        }
        if !menu.notes.is_empty() {
            lines.push(DialogLine::default());
        }
        for (index, (name, key)) in items.into_iter().enumerate() {
            let is_selected = index == menu.selected;
            // The key of a long name is left out in a narrow menu, and the name takes several
            // lines.
            let name_room = room.saturating_sub(SIGN_WIDTH);
            let has_key = text_width(&name) + text_width(&key) < name_room;
            let mut sign = selection_sign(is_selected);
            for part in textwrap::wrap(&name, usize::from(name_room).max(1)) {
                lines.push(DialogLine {
                    first: format!("{sign}{part}"),
                    second: if has_key { key.clone() } else { String::new() },
                    style: selection_style(is_selected),
                    target: Some(DialogTarget::Item(index)),
                });
                sign = selection_sign(false);
            }
        }
        Self {
            title,
            width,
            second_column: SecondColumn::RightAligned,
            lines,
            footer: 0,
            selected: Some(DialogTarget::Item(menu.selected)),
        }
    }

    fn new_game(model: &Model, dialog: &NewGameDialog, width: u16) -> Self {
        let is_wide = width >= MIN_TWO_COLUMNS;
        let mut lines = Vec::new();
        for field in NewGameField::ALL {
            let is_selected = field == dialog.field;
            let value = match field {
                NewGameField::South => player_label(&dialog.specs[Side::South]),
                NewGameField::North => player_label(&dialog.specs[Side::North]),
                NewGameField::Rules => dialog.rules.to_string(),
                NewGameField::Seeds if dialog.edited_start.is_some() => "as edited".to_owned(),
                NewGameField::Houses => dialog.houses.to_string(),
                NewGameField::Seeds => dialog.seeds.to_string(),
                NewGameField::Clock => dialog
                    .clock
                    .map_or("none".to_owned(), |clock| clock.to_string()),
                NewGameField::StartGame => String::new(),
            };
            let value = match field {
                NewGameField::StartGame => value,
                _ if is_selected => format!("{PREVIOUS_SIGN} {value} ▸"),
                _ => format!("  {value}"),
            };
            let label = DialogLine {
                first: format!("{}{}", selection_sign(is_selected), field.label()),
                second: String::new(),
                style: selection_style(is_selected),
                target: Some(DialogTarget::Field(field)),
            };
            if is_wide || field == NewGameField::StartGame {
                lines.push(DialogLine {
                    second: value,
                    ..label
                });
            } else {
                let value_line = DialogLine {
                    first: String::new(),
                    second: value,
                    ..label.clone()
                };
                lines.extend([label, value_line]);
            }
        }
        lines.push(DialogLine::default());
        let note_line = lines.len();
        if let Some(text) = &dialog.typed_player {
            // The end of a long text is visible.
            let room = usize::from(width).saturating_sub(1);
            let skipped = text.chars().count().saturating_sub(room);
            let end: String = text.chars().skip(skipped).collect();
            lines.push(DialogLine {
                first: format!("{end}_"),
                style: BOLD,
                ..DialogLine::default()
            });
        }
        let note = match &dialog.error {
            Some(error) => error_lines(model, error, width),
            None if dialog.typed_player.is_some() => note_lines(TYPED_PLAYER_NOTE, DIM, width),
            None if model.is_unsaved() && model.session.ending().is_none() => {
                error_lines(model, "The current game is not saved.", width)
            }
            None => note_lines(&field_note(model, dialog), DIM, width),
        };
        lines.extend(note);
        // The dialog keeps its height while its note changes, as far as the screen has room.
        let max_lines = usize::from(model.size.height.saturating_sub(BORDER_SIZE));
        let height = (note_line + max_note_height(model, dialog, width)).min(max_lines);
        if lines.len() < height {
            lines.resize_with(height, DialogLine::default);
        }
        let footer = lines.len() - note_line;
        Self {
            title: "New game".to_owned(),
            width: FORM_WIDTH,
            second_column: SecondColumn::At(if is_wide { VALUE_COLUMN } else { INDENT }),
            lines,
            footer,
            selected: Some(DialogTarget::Field(dialog.field)),
        }
    }

    fn save(model: &Model, dialog: &SaveDialog, width: u16) -> Self {
        // The file name is drawn in the first line.
        let mut lines = vec![DialogLine::default(), DialogLine::default()];
        if let Some(error) = &dialog.error {
            lines.extend(error_lines(model, error, width));
        }
        let games = model.unsaved_games.len() + usize::from(model.is_unsaved());
        if games > 1 {
            let games = format_count(games as u64, "game");
            lines.extend(note_lines(&format!("Saves {games}."), Style::new(), width));
        }
        lines.extend(action_lines("Enter: save", "Esc: back"));
        Self {
            title: "Save the game to".to_owned(),
            width: FORM_WIDTH,
            second_column: SecondColumn::At(VALUE_COLUMN),
            lines,
            footer: 0,
            selected: None,
        }
    }

    fn open(model: &Model, dialog: &OpenDialog, width: u16) -> Self {
        let items: Vec<(String, String)> = match &dialog.list {
            OpenList::Loading => Vec::new(),
            OpenList::Files(entries) => {
                let entries = entries.iter().map(|entry| {
                    let kind = if entry.is_folder { "folder" } else { "" };
                    (escape_control(&entry.name), kind.to_owned())
                });
                entries.collect()
            }
            OpenList::Games { games, .. } => {
                let games = (1..).zip(games);
                games
                    .map(|(number, game)| game_label(number, game))
                    .collect()
            }
        };
        let mut lines = Vec::new();
        for (index, item) in items.into_iter().enumerate() {
            lines.extend(item_lines(index, index == dialog.selected, item, width));
        }
        if lines.is_empty() && dialog.error.is_none() {
            let text = match dialog.list {
                OpenList::Loading => "Reading ...",
                OpenList::Games { .. } => "This file contains no games.",
                OpenList::Files(_) => "This folder contains no record files (*.kgn).",
            };
            lines.extend(note_lines(text, DIM, width));
        }
        if let Some(error) = &dialog.error {
            lines.extend(error_lines(model, error, width));
        }
        let path = match &dialog.list {
            OpenList::Games { path, .. } => path,
            _ => &dialog.folder,
        };
        Self {
            title: format!("Open: {}", display_path(path)),
            width: LIST_WIDTH,
            second_column: SecondColumn::RightAligned,
            lines,
            footer: 0,
            selected: Some(DialogTarget::Item(dialog.selected)),
        }
    }
}

/// Returns the players of a recorded game with its number in the file, and its length and result.
fn game_label(number: usize, session: &GameSession) -> (String, String) {
    let names = session.names();
    let players = format!(
        "{number}. {} - {}",
        escape_truncated(&names.south),
        escape_truncated(&names.north)
    );
    let unfinished = Ending {
        termination: Termination::Unfinished,
        winner: None,
        outcome: None,
    };
    let ending = session.ending().unwrap_or(unfinished);
    let result = format_result(ending, session.position());
    let plies = format_count(session.game().plies().len() as u64, "ply");
    (players, format!("{plies}, {result}"))
}

fn menu_name(model: &Model, command: UiCommand) -> String {
    let name = match command {
        UiCommand::RestartProgram => "start the program again",
        UiCommand::TakeOver => "play for it yourself",
        UiCommand::SubstituteEngine => "let smart play for it",
        UiCommand::ConfirmResign => "resign",
        UiCommand::SaveAndQuit => "save and quit",
        UiCommand::ConfirmNewGame => "discard and start a new game",
        UiCommand::ConfirmOpen => "discard and open a game",
        UiCommand::ConfirmQuit => "quit without saving",
        UiCommand::NextMistake => "biggest mistakes",
        UiCommand::Puzzle => "next puzzle",
        UiCommand::DailyPuzzle => "puzzle of the day",
        UiCommand::CycleDifficulty => {
            let difficulty = model.user.preferences.difficulty.as_str();
            return format!("Difficulty: {difficulty}");
        }
        UiCommand::CycleTheme => {
            let theme = model.user.choices.theme.map_or("any", PuzzleTheme::name);
            return format!("Theme: {theme}");
        }
        UiCommand::CycleSpeed => return format!("Animation: {}", model.speed.as_str()),
        UiCommand::ToggleMargins if model.margins.is_shown => "hide margins",
        UiCommand::ToggleMargins => "show margins",
        UiCommand::Save => "save game ...",
        _ => {
            let binding = KeyBinding::for_command(command);
            binding.map_or("", |binding| command_name(model, binding))
        }
    };
    capitalize(name)
}

fn capitalize(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// The note about a player that is being typed, below the text.
const TYPED_PLAYER_NOTE: &str =
    "Enter or ↓ takes this player, such as level:3 or cmd='./mybot',proto=uki. Esc: back.";

/// The note about the keys of the dialog for a new game.
const NEW_GAME_NOTE: &str = "Arrows or digits change. Enter starts. Esc: back. ?: rules.";

/// Returns the number of lines of the longest note of the dialog for a new game, errors aside.
fn max_note_height(model: &Model, dialog: &NewGameDialog, width: u16) -> usize {
    let rules = Rules::PRESETS.map(|preset| rules_note(preset.rules));
    let players = dialog.players(Side::South).into_iter();
    let notes = rules
        .into_iter()
        .chain([rules_note(dialog.rules)])
        .chain(new_game_notes(model, dialog))
        .chain(players.map(|spec| player_note(&spec)));
    let heights = notes.map(|note| note_lines(&note, DIM, width).len());
    let typed = 1 + note_lines(TYPED_PLAYER_NOTE, DIM, width).len();
    heights.max().unwrap_or_default().max(typed)
}

/// Returns the note about the keys of the dialog, with a sentence about the rating of the game.
fn new_game_note(model: &Model, dialog: &NewGameDialog) -> String {
    let start = dialog.start_position().ok();
    let start = start.filter(|_| model.user.rating != RatingRequest::Off);
    // Margins stay visible in the next game; other help does not count for it.
    let help = if model.margins.is_shown {
        StartHelp::MarginsVisible
    } else {
        StartHelp::Unused
    };
    let rating = start.and_then(|start| rating_note(&dialog.specs, &start, help));
    let texts = rating.into_iter().chain([NEW_GAME_NOTE.to_owned()]);
    texts.collect::<Vec<_>>().join(" ")
}

/// Returns this note for each player of North that the dialog offers, for all other values as they
/// are.
fn new_game_notes(model: &Model, dialog: &NewGameDialog) -> Vec<String> {
    let with_player = |spec| {
        let mut dialog = dialog.clone();
        dialog.specs.north = spec;
        new_game_note(model, &dialog)
    };
    let players = dialog.players(Side::North).into_iter();
    players.map(with_player).collect()
}

/// Returns a note about the value of the selected field, or about the keys of the dialog.
fn field_note(model: &Model, dialog: &NewGameDialog) -> String {
    match dialog.field {
        NewGameField::South => player_note(&dialog.specs.south),
        NewGameField::North => player_note(&dialog.specs.north),
        NewGameField::Rules => rules_note(dialog.rules),
        _ => new_game_note(model, dialog),
    }
}

/// Returns the phrases of the rules that a player has to know: those about the first plies only if
/// they are special.
fn rules_note(rules: Rules) -> String {
    let usual = FirstPlyRules::NONE.descriptions();
    let phrases: Vec<&str> = (rules.descriptions().into_iter())
        .filter(|phrase| !usual.contains(phrase))
        .collect();
    capitalize(&format!("{}. ?: all rules.", phrases.join("; ")))
}

/// Returns a note about a player, and how another one is typed.
fn player_note(spec: &GamePlayerSpec) -> String {
    let kind = match spec.local().map(|spec| spec.kind) {
        Some(PlayerKind::Human) => "A person at this terminal.".to_owned(),
        Some(PlayerKind::First) => "Always sows the first house that it can.".to_owned(),
        Some(PlayerKind::Random) => "Sows any house by chance.".to_owned(),
        Some(PlayerKind::Minimax { depth }) => {
            format!("Looks {} ahead.", format_count(depth.into(), "turn"))
        }
        Some(PlayerKind::Level { .. }) => {
            "Levels from 1 to 10: 1 is for beginners, 10 plays as well as it can.".to_owned()
        }
        Some(PlayerKind::Smart) => "The engine, which plays as well as it can.".to_owned(),
        None => "A program on this machine.".to_owned(),
    };
    format!("{kind} Letters name a player or a program.")
}

/// Returns the text of a player: `Human`, `Level 1`, `Smart 100ms`, and the name of a program.
fn player_label(spec: &GamePlayerSpec) -> String {
    match spec.local() {
        Some(spec) => capitalize(&spec.to_string().replacen(':', " ", 1)),
        None => escape_truncated(&spec.default_name()),
    }
}

pub(super) fn note_lines(text: &str, style: Style, width: u16) -> Vec<DialogLine> {
    let lines = textwrap::wrap(text, usize::from(width).max(1));
    let lines = lines.into_iter().map(|text| DialogLine {
        first: text.into_owned(),
        style,
        ..DialogLine::default()
    });
    lines.collect()
}

pub(super) fn error_lines(model: &Model, text: &str, width: u16) -> Vec<DialogLine> {
    note_lines(&escape_control(text), model.theme.error, width)
}

/// Returns the lines that confirm and close a dialog, for the mouse and as a note of the keys.
fn action_lines(confirm: &str, cancel: &str) -> [DialogLine; 2] {
    [
        (confirm, DialogTarget::Confirm),
        (cancel, DialogTarget::Cancel),
    ]
    .map(|(text, target)| DialogLine {
        first: text.to_owned(),
        second: String::new(),
        style: DIM,
        target: Some(target),
    })
}

/// Returns the lines of an item of a list with two texts, whose second one has a line of its own in
/// a narrow dialog.
pub(super) fn item_lines(
    index: usize,
    is_selected: bool,
    (first, second): (String, String),
    width: u16,
) -> Vec<DialogLine> {
    let is_wide = text_width(&first) + text_width(&second) + SIGN_WIDTH < width;
    let line = DialogLine {
        first: format!("{}{first}", selection_sign(is_selected)),
        second: String::new(),
        style: selection_style(is_selected),
        target: Some(DialogTarget::Item(index)),
    };
    if is_wide || second.is_empty() {
        return vec![DialogLine { second, ..line }];
    }
    let second_line = DialogLine {
        first: format!("    {second}"),
        ..line.clone()
    };
    vec![line, second_line]
}

fn selection_style(is_selected: bool) -> Style {
    if is_selected { SELECTED } else { Style::new() }
}

/// The width of the sign in front of a line.
const SIGN_WIDTH: u16 = 2;

/// Returns the sign in front of a line.
fn selection_sign(is_selected: bool) -> &'static str {
    if is_selected { "▸ " } else { "  " }
}
