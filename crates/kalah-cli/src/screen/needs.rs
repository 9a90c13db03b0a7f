use kalah::{House, Labels, Position, Side};

use crate::Notation;

/// What a board needs to be drawn, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoardMetrics {
    /// Houses a side.
    pub(crate) houses: u8,
    /// The width of the largest number that there can ever be: a board that fits stays on the screen.
    pub(crate) digit_width: u16,
    /// The width of the longest label.
    pub(crate) label_width: u16,
    /// Whether there is something to write at each house.
    pub(crate) has_margins: bool,
    /// Whether there is a graph.
    pub(crate) has_graph: bool,
}

impl BoardMetrics {
    /// Those of every position of a game on this board.
    pub(crate) fn new(board: &Position, labels: Labels) -> Self {
        let width = |text: String| u16::try_from(text.len()).unwrap_or(u16::MAX);
        let naming = Notation::new(board, labels);
        let labels = Side::ALL.into_iter().flat_map(|side| {
            House::all(board.houses()).map(move |house| width(naming.format_house(side, house)))
        });
        Self {
            houses: board.houses(),
            digit_width: width(board.total().to_string()),
            label_width: labels.max().unwrap_or(1),
            has_margins: false,
            has_graph: false,
        }
    }
}
