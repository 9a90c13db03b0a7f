//! The lines of the dialog with the games of the history.

use kalah::format_count;
use kalah::record::Tags;
use kalah_players::escape_truncated;

use super::DialogLine;
use super::content::{
    DialogContent, DialogTarget, SIGN_WIDTH, SecondColumn, error_lines, note_lines, selection_sign,
    selection_style,
};
use crate::game::{HistoryEntry, RatingOutcome};
use crate::screen::model::Model;
use crate::screen::model::history::HistoryDialog;
use crate::screen::view::status::{format_rating_change, short_result};
use crate::screen::view::theme::{DIM, text_width};

/// The width of the dialog, including borders.
pub(super) const HISTORY_WIDTH: u16 = 76;

impl DialogContent {
    /// Creates the contents of a dialog with this width inside its borders.
    pub(super) fn history(model: &Model, dialog: &HistoryDialog, width: u16) -> Self {
        let mut lines = Vec::new();
        for (index, entry) in dialog.games.iter().enumerate() {
            let is_selected = index == dialog.selected;
            let (first, second) = history_label(entry);
            let is_wide = text_width(&first) + text_width(&second) + SIGN_WIDTH < width;
            let line = DialogLine {
                first: format!("{}{first}", selection_sign(is_selected)),
                second: String::new(),
                style: selection_style(is_selected),
                target: Some(DialogTarget::Item(index)),
            };
            let second = if is_wide {
                vec![DialogLine { second, ..line }]
            } else {
                // A narrow dialog has the result in a line of its own.
                let result = DialogLine {
                    first: format!("    {second}"),
                    ..line.clone()
                };
                vec![line, result]
            };
            lines.extend(second);
            // A question or an error stays in view with its game.
            let question = "Delete this game? Enter: delete. Esc: back.";
            let note = (dialog.error.as_deref()).or(dialog.is_deleting.then_some(question));
            if let Some(note) = note.filter(|_| is_selected) {
                let target = Some(DialogTarget::Item(index));
                let notes = error_lines(model, note, width).into_iter();
                lines.extend(notes.map(|line| DialogLine { target, ..line }));
            }
        }
        if dialog.games.is_empty() {
            lines.extend(note_lines("There is no game yet.", DIM, width));
        }
        Self {
            title: "History: Enter opens, Del deletes".to_owned(),
            width: HISTORY_WIDTH,
            second_column: SecondColumn::RightAligned,
            lines,
            footer: 0,
            selected: Some(DialogTarget::Item(dialog.selected)),
        }
    }
}

/// Returns the date and the players of a kept game, and its board and rules with the result.
fn history_label(entry: &HistoryEntry) -> (String, String) {
    let names = entry.session.names();
    let players = format!(
        "{} {} - {}",
        entry.date,
        escape_truncated(&names.south),
        escape_truncated(&names.north)
    );
    let start = entry.session.game().start();
    let position = entry.session.position();
    let result = match entry.session.ending() {
        Some(ending) => match entry.session.rating() {
            Some(RatingOutcome::Changed(change)) => {
                let rating = format_rating_change(change);
                format!("{}, {rating}", short_result(position, ending))
            }
            _ => short_result(position, ending),
        },
        None if entry.is_in_use => "in another window".to_owned(),
        None => {
            let moves = format_count(entry.session.game().plies().len() as u64, "move");
            format!("unfinished, {moves}")
        }
    };
    let tags = Tags::from_start(start);
    let board = match tags.get(Tags::POSITION) {
        Some(size) if !size.starts_with('<') => size.to_owned(),
        _ => format!("{}, edited", format_count(start.houses().into(), "house")),
    };
    (
        players.trim_start().to_owned(),
        format!("{board} {}, {result}", start.rules()),
    )
}
