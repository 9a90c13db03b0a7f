use kalah::{BySide, House, Side};
use ratatui::layout::{Position, Rect};

use super::needs::BoardMetrics;

/// How a board is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoardStyle {
    /// Houses are boxes, and stores stand at the ends.
    Boxes,
    /// Houses are numbers, and stores stand beside the names.
    Numbers,
}

/// Where everything is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScreenLayout {
    pub(crate) board_style: BoardStyle,
    pub(crate) title: Option<Rect>,
    /// The lines with the players' names.
    pub(crate) names: BySide<Rect>,
    pub(crate) labels: BySide<Vec<Rect>>,
    pub(crate) houses: BySide<Vec<Rect>>,
    /// Only between boxes.
    pub(crate) stores: Option<BySide<Rect>>,
    pub(crate) margins: Option<BySide<Vec<Rect>>>,
    pub(crate) status: Rect,
    pub(crate) footer: Option<Rect>,
    pub(crate) moves: Option<Rect>,
    pub(crate) graph: Option<Rect>,
}

/// The width of a house drawn as a box, at least, which is two more than its digits, and at most.
const MIN_BOX_WIDTH: u16 = 5;
const MAX_BOX_WIDTH: u16 = 13;
const BOX_HEIGHT: u16 = 3;
/// Where boxes are so wide at least, they are higher if there is room.
const WIDE_BOX_WIDTH: u16 = 11;
const WIDE_BOX_HEIGHT: u16 = 5;
/// Names, labels and boxes of both sides.
const BOXES_HEIGHT: u16 = 2 + 2 + 2 * BOX_HEIGHT;
/// The most lines between the board and what is above it and below it.
const MAX_GAP: u16 = 3;
/// Names, labels and numbers of both sides.
const NUMBERS_HEIGHT: u16 = 2 + 2 + 2;
/// Two lines on which margins are written.
const MARGINS_HEIGHT: u16 = 2;
/// A house drawn as a number, at most; it has a space beside it, unless it has more seeds than houses have.
const MAX_NUMBER_WIDTH: u16 = 5;
const TYPICAL_DIGITS: u16 = 2;
/// The narrowest list of moves, and the widest.
const MIN_PANEL_WIDTH: u16 = 24;
const MAX_PANEL_WIDTH: u16 = 46;
/// What is told below a small board is read at ease in so many columns.
const READABLE_WIDTH: u16 = 54;
/// The lowest list of moves and graph.
const MIN_MOVES_HEIGHT: u16 = 4;
const GRAPH_HEIGHT: u16 = 9;
/// The lines in which is told what happens: as many as matter, and as many as there can be.
const STATUS_HEIGHT: u16 = 4;
const MAX_STATUS_HEIGHT: u16 = 6;
const MIN_STATUS_HEIGHT: u16 = 1;
/// Nothing can be told in fewer columns.
const MIN_WIDTH: u16 = 20;

/// The smallest screen on which such a board can be drawn: columns and lines.
pub(crate) fn min_size(needs: BoardMetrics) -> (u16, u16) {
    let width = u16::from(needs.houses) * min_number_width(needs);
    (width.max(MIN_WIDTH), NUMBERS_HEIGHT + MIN_STATUS_HEIGHT)
}

fn min_box_width(needs: BoardMetrics) -> u16 {
    MIN_BOX_WIDTH.max(needs.digit_width + 2)
}

fn min_number_width(needs: BoardMetrics) -> u16 {
    let usual = needs.digit_width.min(TYPICAL_DIGITS);
    (usual.max(needs.label_width) + 1).max(needs.digit_width)
}

impl ScreenLayout {
    /// The layout of a screen; `None` if it is too small.
    pub(crate) fn new(area: Rect, needs: BoardMetrics) -> Option<Self> {
        let (least_width, least_height) = min_size(needs);
        if area.width < least_width || area.height < least_height {
            return None;
        }
        let houses = u16::from(needs.houses);
        let boxes = houses + 2;
        let boxes_width = boxes.saturating_mul(min_box_width(needs));
        let numbers_width = (houses * min_number_width(needs)).max(MIN_WIDTH);
        let tall = area.height > BOXES_HEIGHT + MIN_STATUS_HEIGHT;
        let beside = |width: u16| area.width >= width + MIN_PANEL_WIDTH;
        let (form, panel) = if tall && beside(boxes_width) {
            (BoardStyle::Boxes, true)
        } else if tall && area.width >= boxes_width {
            (BoardStyle::Boxes, false)
        } else {
            // Rather a board that can be read at ease than moves beside it.
            (BoardStyle::Numbers, beside(numbers_width + houses))
        };
        let least = match form {
            BoardStyle::Boxes => boxes_width,
            BoardStyle::Numbers => numbers_width,
        };
        let most = match form {
            BoardStyle::Boxes => (houses + 2) * MAX_BOX_WIDTH,
            BoardStyle::Numbers => (houses * MAX_NUMBER_WIDTH).max(least),
        };
        let most = most.max(READABLE_WIDTH);
        let panel_width = if panel {
            let left = area.width - least;
            (area.width.saturating_sub(most)).clamp(MIN_PANEL_WIDTH, MAX_PANEL_WIDTH.min(left))
        } else {
            0
        };
        let column = Rect {
            width: area.width - panel_width,
            ..area
        };
        let mut layout = Self::arrange_column(column, form, needs, panel);
        if panel {
            let panel = Rect {
                x: column.right(),
                width: panel_width,
                ..area
            };
            layout.place_moves_and_graph(panel, needs);
        }
        Some(layout)
    }

    /// Title, board, status and keys, one below the other; what is left below is for the moves.
    fn arrange_column(
        area: Rect,
        form: BoardStyle,
        needs: BoardMetrics,
        moves_beside: bool,
    ) -> Self {
        let (columns, stores) = board_columns(area, form, needs);
        let is_wide = columns
            .first()
            .is_some_and(|&(_, width)| width >= WIDE_BOX_WIDTH);
        let RowHeights {
            footer: foot,
            status,
            margins,
            title,
            above,
            below,
            house: house_height,
        } = RowHeights::distribute(area.height, form, is_wide, needs.has_margins, moves_beside);
        let mut y = area.y;
        let mut line = |height: u16| {
            let rect = Rect { y, height, ..area };
            y += height;
            rect
        };
        let title = (title > 0).then(|| line(1));
        line(above);
        let north_name = line(1);
        let north_margins = line(margins / 2);
        let north_labels = line(1);
        let north_row = line(house_height);
        let south_row = line(house_height);
        let south_labels = line(1);
        let south_margins = line(margins / 2);
        let south_name = line(1);
        line(below);
        let status = line(status);
        let cells = |side: Side, row: Rect| {
            (0..needs.houses)
                .map(|index| {
                    let column = match side {
                        Side::South => index,
                        Side::North => needs.houses - 1 - index,
                    };
                    let (x, width) = columns[usize::from(column)];
                    Rect { x, width, ..row }
                })
                .collect::<Vec<_>>()
        };
        let store = |(x, width): (u16, u16)| Rect {
            x,
            width,
            y: north_row.y,
            height: 2 * house_height,
        };
        let mut layout = Self {
            board_style: form,
            title,
            names: BySide::new(south_name, north_name),
            labels: BySide::new(
                cells(Side::South, south_labels),
                cells(Side::North, north_labels),
            ),
            houses: BySide::new(cells(Side::South, south_row), cells(Side::North, north_row)),
            stores: stores.map(|[west, east]| BySide::new(store(east), store(west))),
            margins: (margins > 0).then(|| {
                BySide::new(
                    cells(Side::South, south_margins),
                    cells(Side::North, north_margins),
                )
            }),
            status,
            footer: (foot > 0).then_some(Rect {
                y: area.bottom() - 1,
                height: 1,
                ..area
            }),
            moves: None,
            graph: None,
        };
        let rest = Rect {
            y: status.bottom(),
            height: (area.bottom() - foot).saturating_sub(status.bottom()),
            ..area
        };
        if rest.height >= MIN_MOVES_HEIGHT {
            layout.place_moves_and_graph(rest, needs);
        }
        layout
    }

    /// Shares out a place between the moves and the graph.
    fn place_moves_and_graph(&mut self, area: Rect, needs: BoardMetrics) {
        let graph = needs.has_graph && area.height >= GRAPH_HEIGHT + MIN_MOVES_HEIGHT;
        let height = if graph { GRAPH_HEIGHT } else { 0 };
        self.moves = Some(Rect {
            height: area.height - height,
            ..area
        });
        self.graph = graph.then_some(Rect {
            y: area.bottom() - height,
            height,
            ..area
        });
    }

    /// The house that is drawn there, with its label and its margin.
    pub(crate) fn house_at(&self, at: Position) -> Option<(Side, House)> {
        Side::ALL.into_iter().find_map(|side| {
            let margins = self
                .margins
                .as_ref()
                .map_or(&[][..], |margins| &margins[side]);
            let index = [&*self.houses[side], &*self.labels[side], margins]
                .iter()
                .find_map(|cells| cells.iter().position(|cell| cell.contains(at)))?;
            let number = u32::try_from(index).ok()? + 1;
            Some((side, House::new(number)?))
        })
    }
}

/// How many lines everything has of a column.
struct RowHeights {
    footer: u16,
    status: u16,
    margins: u16,
    title: u16,
    above: u16,
    below: u16,
    house: u16,
}

impl RowHeights {
    /// Shares out a column that is high enough for the board: what matters more comes first.
    fn distribute(
        height: u16,
        form: BoardStyle,
        is_wide: bool,
        with_margins: bool,
        moves_beside: bool,
    ) -> Self {
        let board = match form {
            BoardStyle::Boxes => BOXES_HEIGHT,
            BoardStyle::Numbers => NUMBERS_HEIGHT,
        };
        let mut spare = height - board - MIN_STATUS_HEIGHT;
        let mut take = |wanted: u16, least: u16| {
            let taken = if spare >= least { wanted.min(spare) } else { 0 };
            spare -= taken;
            taken
        };
        let margins = if with_margins {
            take(MARGINS_HEIGHT, MARGINS_HEIGHT)
        } else {
            0
        };
        let footer = take(1, 1);
        let status = MIN_STATUS_HEIGHT + take(STATUS_HEIGHT - MIN_STATUS_HEIGHT, 1);
        let title = take(1, 1);
        let above = take(1, 2);
        let below = take(1, 1);
        let house = match form {
            BoardStyle::Boxes if is_wide => {
                let higher = WIDE_BOX_HEIGHT - BOX_HEIGHT;
                BOX_HEIGHT + take(2 * higher, 2 * higher) / 2
            }
            BoardStyle::Boxes => BOX_HEIGHT,
            BoardStyle::Numbers => 1,
        };
        // What is left below is for the moves, if they are not beside the board.
        let gap = if moves_beside {
            take(2 * (MAX_GAP - 1), 2) / 2
        } else {
            0
        };
        let status = status + take(MAX_STATUS_HEIGHT - STATUS_HEIGHT, 1);
        Self {
            footer,
            status,
            margins,
            title,
            above: above + gap,
            below: below + gap,
            house,
        }
    }
}

/// The left edge and the width of each house from left to right, and of the stores to the left and right.
type BoardColumns = (Vec<(u16, u16)>, Option<[(u16, u16); 2]>);

fn board_columns(area: Rect, form: BoardStyle, needs: BoardMetrics) -> BoardColumns {
    let houses = u16::from(needs.houses);
    let pits = match form {
        BoardStyle::Boxes => houses + 2,
        BoardStyle::Numbers => houses,
    };
    let most = match form {
        BoardStyle::Boxes => MAX_BOX_WIDTH.max(min_box_width(needs)),
        BoardStyle::Numbers => MAX_NUMBER_WIDTH.max(min_number_width(needs)),
    };
    let width = (area.width / pits).min(most);
    let left = area.x + (area.width - width * pits) / 2;
    let stores = match form {
        BoardStyle::Boxes => Some([(left, width), (left + width * (pits - 1), width)]),
        BoardStyle::Numbers => None,
    };
    let first = match form {
        BoardStyle::Boxes => left + width,
        BoardStyle::Numbers => left,
    };
    let columns = (0..houses).map(|index| (first + index * width, width));
    (columns.collect(), stores)
}
