//! The dialog with the games of the history.

use crate::game::HistoryEntry;

/// The games of the history, the newest first.
#[derive(Clone, Debug)]
pub(crate) struct HistoryDialog {
    pub(crate) games: Vec<HistoryEntry>,
    pub(crate) selected: usize,
    /// Whether the dialog asks whether to delete the selected game.
    pub(crate) is_deleting: bool,
    pub(crate) error: Option<String>,
}

impl HistoryDialog {
    pub(crate) fn new(games: Vec<HistoryEntry>) -> Self {
        Self {
            games,
            selected: 0,
            is_deleting: false,
            error: None,
        }
    }

    pub(crate) fn selected_game(&self) -> Option<&HistoryEntry> {
        self.games.get(self.selected)
    }

    /// Moves the selection by this number of games, and stops at both ends.
    pub(crate) fn move_selection(&mut self, offset: isize) {
        let last = self.games.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(offset).min(last);
        self.is_deleting = false;
        self.error = None;
    }

    /// Asks whether to delete the selected game, or says why it cannot be deleted.
    pub(crate) fn ask_to_delete(&mut self) {
        self.error = None;
        match self.selected_game() {
            None => {}
            Some(game) if game.is_in_use => {
                self.error = Some("Another window plays this game.".to_owned());
            }
            Some(game) if game.id.is_none() => {
                let text = "This game was added to the file by hand: delete it there.";
                self.error = Some(text.to_owned());
            }
            Some(_) => self.is_deleting = true,
        }
    }
}
