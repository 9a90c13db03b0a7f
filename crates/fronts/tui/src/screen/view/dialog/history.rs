//! The lines of the dialog with the games of the history.

use kalah::format_count;
use kalah::record::Tags;
use kalah_players::escape_truncated;
use kalah_text::format_result;

use super::DialogLine;
use super::content::{
    DialogContent, DialogTarget, SecondColumn, error_lines, item_lines, note_lines,
};
use crate::game::{HistoryEntry, RatingOutcome};
use crate::screen::model::Model;
use crate::screen::model::history::HistoryDialog;
use crate::screen::view::status::format_rating_change;
use crate::screen::view::theme::DIM;

/// The width of the dialog, including borders.
pub(super) const HISTORY_WIDTH: u16 = 76;

impl DialogContent {
    /// Creates the contents of a dialog with this width inside its borders.
    pub(super) fn history(model: &Model, dialog: &HistoryDialog, width: u16) -> Self {
        let mut lines = Vec::new();
        for (index, entry) in dialog.games.iter().enumerate() {
            let is_selected = index == dialog.selected;
            let (first, second) = history_label(entry);
            lines.extend(item_lines(index, is_selected, (first, second), width));
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
            lines.extend(match &dialog.error {
                Some(error) => error_lines(model, error, width),
                None => note_lines("There is no game yet.", DIM, width),
            });
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
        Some(ending) => {
            let result = format_result(ending, position);
            match entry.session.rating() {
                Some(RatingOutcome::Changed(change)) => {
                    format!("{result}, {}", format_rating_change(change))
                }
                _ => result,
            }
        }
        None if entry.is_in_use => "in another window".to_owned(),
        None => {
            let plies = format_count(entry.session.game().plies().len() as u64, "ply");
            format!("unfinished, {plies}")
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
