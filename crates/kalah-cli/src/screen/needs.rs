use kalah::{House, Labels, Position, Side};

use crate::Naming;

/// What a board needs to be drawn, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Houses a side.
    pub(crate) houses: u8,
    /// The width of the largest number that there can ever be: a board that fits stays on the screen.
    pub(crate) digits: u16,
    /// The width of the longest label.
    pub(crate) label: u16,
    /// Whether there is something to write at each house.
    pub(crate) margins: bool,
    /// Whether there is a graph.
    pub(crate) graph: bool,
}

impl Needs {
    /// Those of every position of a game on this board.
    pub(crate) fn of(board: &Position, labels: Labels) -> Self {
        let width = |text: String| u16::try_from(text.len()).unwrap_or(u16::MAX);
        let naming = Naming::of(board, labels);
        let labels = Side::ALL.into_iter().flat_map(|side| {
            House::all(board.houses()).map(move |house| width(naming.house(side, house)))
        });
        Self {
            houses: board.houses(),
            digits: width(board.total().to_string()),
            label: labels.max().unwrap_or(1),
            margins: false,
            graph: false,
        }
    }
}
