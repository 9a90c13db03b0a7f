//! The pages of the help: the keys, the rules, and the keys of the position editor.

use kalah::Labels;
use kalah_text::rules_lines;

use super::DialogLine;
use super::content::{DialogContent, INDENT, MIN_TWO_COLUMNS, SecondColumn, VALUE_COLUMN};
use crate::screen::keys::{BINDINGS, KeyBinding, UiCommand};
use crate::screen::model::Model;
use crate::screen::model::dialog::{HelpDialog, HelpPage};

/// The width of the help, including borders.
pub(super) const HELP_WIDTH: u16 = 76;

/// The commands that the list of keys leaves out: that of menus, and those of the editor, which has
/// a page of its own.
const ELSEWHERE: [UiCommand; 3] = [
    UiCommand::CloseMenu,
    UiCommand::ChangeSide,
    UiCommand::ClearBoard,
];

impl DialogContent {
    /// Creates the contents of a help with this width inside its borders.
    pub(super) fn help(model: &Model, help: &HelpDialog, width: u16) -> Self {
        let houses = model.session.position().houses();
        let (lines, second_column) = match help.page {
            HelpPage::Keys => key_lines(help_lines(houses, model.labels), width),
            HelpPage::Editor => key_lines(editor_lines(houses), width),
            HelpPage::Rules => {
                let lines = rules_lines(usize::from(width).max(1)).into_iter();
                let lines = lines.map(|first| DialogLine {
                    first,
                    ..DialogLine::default()
                });
                (lines.collect(), VALUE_COLUMN)
            }
        };
        let next = page_name(help.page.next()).to_lowercase();
        Self {
            title: format!("{}, Tab: {next}", page_name(help.page)),
            width: HELP_WIDTH,
            second_column: SecondColumn::At(second_column),
            lines,
            footer: 0,
            selected: None,
        }
    }
}

fn page_name(page: HelpPage) -> &'static str {
    match page {
        HelpPage::Keys => "Keys",
        HelpPage::Rules => "Rules",
        HelpPage::Editor => "Editor",
    }
}

/// Returns the lines of keys with their descriptions, and the column of the descriptions.
fn key_lines(
    bindings: impl IntoIterator<Item = (String, &'static str)>,
    width: u16,
) -> (Vec<DialogLine>, u16) {
    let is_wide = width >= MIN_TWO_COLUMNS;
    let column = if is_wide { VALUE_COLUMN } else { INDENT };
    let text_width = usize::from(width.saturating_sub(column)).max(1);
    let mut lines = Vec::new();
    for (keys, description) in bindings {
        let mut keys = Some(keys);
        if !is_wide {
            lines.push(DialogLine {
                first: keys.take().unwrap_or_default(),
                ..DialogLine::default()
            });
        }
        for text in textwrap::wrap(description, text_width) {
            lines.push(DialogLine {
                first: keys.take().unwrap_or_default(),
                second: text.into_owned(),
                ..DialogLine::default()
            });
        }
    }
    (lines, column)
}

/// Returns the keys and their descriptions for a board with this number of houses of a side.
pub(crate) fn help_lines(houses: u8, labels: Labels) -> Vec<(String, &'static str)> {
    let row = match houses {
        1 => "A".to_owned(),
        houses => format!("A-{}", char::from(b'A' + houses.saturating_sub(1).min(25))),
    };
    let digits = match labels {
        Labels::Columns | Labels::Yale => "sow the house with that number",
        Labels::Letters => "sow the house in that column",
    };
    let mut lines = vec![
        (
            row,
            "sow that house of the side to move; in an earlier position, try another move",
        ),
        ("1-9".to_owned(), digits),
        (
            "mouse".to_owned(),
            "click a house, a move, the graph or a key below; right: menu",
        ),
        (
            "+8 ~+4 *".to_owned(),
            "margins: proven, estimate, best move",
        ),
        ("?! ? ??".to_owned(), "grades: inaccuracy, mistake, blunder"),
    ];
    let bindings = BINDINGS
        .iter()
        .filter(|binding| !ELSEWHERE.contains(&binding.command));
    lines.extend(bindings.map(|binding| (binding.key_names(houses), binding.description)));
    lines
}

/// Returns the keys of the position editor and their descriptions, likewise.
pub(crate) fn editor_lines(houses: u8) -> Vec<(String, &'static str)> {
    let mut lines: Vec<(String, &'static str)> = [
        ("← → ↑ ↓ Home End", "select a pit"),
        ("0-9 Backspace", "type the number of its seeds"),
        ("+ Space -", "add a seed to the pit, or take one away"),
        ("mouse", "left: add a seed to a pit; right: take one away"),
        ("Delete", "take all seeds away"),
        ("Tab", "change the side to move"),
        (
            "paste",
            "replace the position by one that is pasted as text",
        ),
        ("Y", "copy the position as text to the clipboard"),
        ("Enter", "start a game from the position"),
        ("Esc", "leave the editor"),
    ]
    .map(|(keys, description)| (keys.to_owned(), description))
    .to_vec();
    let general = [
        UiCommand::Flip,
        UiCommand::Help,
        UiCommand::Redraw,
        UiCommand::Suspend,
        UiCommand::Quit,
    ];
    let bindings = general.into_iter().filter_map(KeyBinding::for_command);
    lines.extend(bindings.map(|binding| (binding.key_names(houses), binding.description)));
    lines
}
