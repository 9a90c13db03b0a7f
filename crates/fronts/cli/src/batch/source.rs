//! The source of the items of a batch, and the thread that reads it.

use std::sync::mpsc::{Receiver, Sender};
use std::thread;

use crate::error::CliError;

/// An item of a batch: a line, or a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchItem {
    /// The number of the line or of the game in its source, from 1.
    pub(crate) number: u64,
    /// The text of the item in its row: the line, or the names of the players.
    pub(crate) input: String,
    /// The text of the work, or the reason why the item cannot be used.
    pub(crate) text: Result<String, String>,
}

/// The items of a source, up to its first error.
pub(crate) type BatchItems = Box<dyn Iterator<Item = Result<BatchItem, CliError>>>;

/// The kind of the items of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// Lines of text.
    Line,
    /// Games of a record file.
    Game,
}

impl ItemKind {
    /// Returns the name of an item in messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Game => "game",
        }
    }

    /// Returns the column of the number of the item.
    pub(super) const fn number_column(self) -> &'static str {
        match self {
            Self::Line => "input_line",
            Self::Game => "game",
        }
    }

    /// Returns the error about an option of batches in a command for a single item.
    pub(super) fn only_for_batches(self, option: &str) -> CliError {
        CliError::Usage(match self {
            Self::Line => format!(
                "{option} is for many positions: give a file with one in each line, or - for \
                 standard input"
            ),
            Self::Game => format!("{option} is for many games: add --all or --player"),
        })
    }
}

/// A source of items.
pub(crate) trait BatchSource: Send + 'static {
    /// The kind of the items.
    const KIND: ItemKind;

    /// Opens the source.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if it cannot be read.
    fn open(self) -> Result<BatchItems, CliError>;
}

/// Reads an item of `source` for each request on a thread of its own, and passes it to `send`;
/// `Ok(None)` is the end of the source, the last call. The thread ends with it, and when the
/// requests end. No other thread waits for it, because a read of standard input cannot be
/// interrupted.
///
/// # Errors
/// [`CliError::Runtime`] if the thread cannot be started.
pub(super) fn read_on_request<E: Send + 'static>(
    source: impl BatchSource,
    requests: Receiver<()>,
    events: Sender<E>,
    to_event: fn(Result<Option<BatchItem>, CliError>) -> E,
) -> Result<(), CliError> {
    let read = move || {
        let send = |item| events.send(to_event(item)).is_ok();
        let mut items = match source.open() {
            Ok(items) => items,
            Err(error) => {
                send(Err(error));
                return;
            }
        };
        for () in requests {
            let item = items.next().transpose();
            let is_last = !matches!(item, Ok(Some(_)));
            if !send(item) || is_last {
                return;
            }
        }
    };
    let started = thread::Builder::new().name("items".to_owned()).spawn(read);
    let started = started.map(drop);
    started.map_err(|reason| CliError::Runtime(format!("cannot start a thread: {reason}")))
}
