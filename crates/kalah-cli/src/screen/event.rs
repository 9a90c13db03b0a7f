use std::path::PathBuf;
use std::time::Duration;

use kalah::{Game, PlayerAction, Position, Side};
use kalah_engine::{Report, Review};
use ratatui::crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::Size;

use crate::{Hint, Saved};

/// Tells a question from all others, so that an answer that nobody waits for any more is known as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(pub(crate) u64);

/// What comes to the screen from outside.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Resized(Size),
    /// So much time has passed since the screen was opened.
    Tick(Duration),
    /// What a program says to the question that it was asked.
    Answered(Ticket, PlayerAction),
    /// What is advised.
    Hinted(Ticket, Option<Hint>),
    /// What is known of the choices by now.
    Weighed(Ticket, Report),
    /// So many positions of the game have been looked into.
    LookingBack(Ticket, usize),
    /// The game was looked back on.
    LookedBack(Ticket, Box<Review>),
    /// What became of a game that was to be saved.
    Saved(PathBuf, Result<Saved, String>),
    /// Whether the file that keeps the game ply by ply has it as it is now.
    Recorded(Result<(), String>),
}

/// What the screen wants done outside of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Asks the program that began on this side.
    Ask {
        ticket: Ticket,
        player: Side,
        position: Position,
    },
    /// The answer under way is wanted at once.
    Hurry,
    /// The answer under way is not wanted any more.
    Dismiss,
    /// Asks what to do.
    Hint(Ticket, Position),
    /// Asks for the margin of every choice.
    Weigh(Ticket, Position),
    /// Nobody waits for hints and margins any more.
    StopWeighing,
    /// Asks what the plies of the game cost.
    LookBack(Ticket, Game),
    /// Nobody waits for that any more.
    StopLookingBack,
    /// The game has changed, or ended.
    Record,
    /// Saves the game.
    Save(PathBuf),
    /// Another game has begun, with players of its own.
    Begin,
    /// Closes the screen.
    Leave,
}
