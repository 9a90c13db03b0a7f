//! The layout of the screen: the areas of the board, the status, the move list and the graph.

use kalah::{BySide, House, Labels, Pit, Position as BoardPosition, Side};
use ratatui::layout::{Position, Rect};

use kalah_text::Notation;

/// The sizes of a board that the layout depends on, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoardMetrics {
    /// The number of houses of a side.
    pub(crate) houses: u8,
    /// The width of the largest number of seeds that is possible during the game, so that the
    /// layout never changes.
    pub(crate) digit_width: u16,
    /// The width of the longest label.
    pub(crate) label_width: u16,
    /// Whether each house has a margin.
    pub(crate) has_margins: bool,
    pub(crate) has_graph: bool,
    /// Whether the screen has a bar with the score.
    pub(crate) has_score_bar: bool,
    /// The side whose row is at the bottom.
    pub(crate) bottom: Side,
}

impl BoardMetrics {
    /// Returns the metrics of all positions of a game with `position`.
    pub(crate) fn new(position: &BoardPosition, labels: Labels) -> Self {
        let width = |text: String| u16::try_from(text.len()).unwrap_or(u16::MAX);
        let notation = Notation::new(position, labels);
        let labels = Side::ALL.into_iter().flat_map(|side| {
            let houses = House::all(position.houses());
            houses.map(move |house| width(notation.format_house(side, house)))
        });
        Self {
            houses: position.houses(),
            digit_width: digit_width(position.total().get().into()),
            label_width: labels.max().unwrap_or(1),
            has_margins: false,
            has_graph: false,
            has_score_bar: false,
            bottom: Side::South,
        }
    }
}

/// Returns the width of the largest number of seeds on a board with this many.
pub(crate) fn digit_width(seeds: u32) -> u16 {
    let digits = seeds.checked_ilog10().map_or(1, |digits| digits + 1);
    u16::try_from(digits).unwrap_or(u16::MAX)
}

/// The style of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoardStyle {
    /// Houses are boxes, with the stores at both ends.
    Boxes,
    /// Houses are numbers, with the stores beside the names.
    Numbers,
}

/// The areas of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScreenLayout {
    pub(crate) board_style: BoardStyle,
    pub(crate) title: Option<Rect>,
    /// The lines of the players' names.
    pub(crate) names: BySide<Rect>,
    pub(crate) labels: BySide<Vec<Rect>>,
    pub(crate) houses: BySide<Vec<Rect>>,
    /// The stores, which have areas of their own between boxes only.
    pub(crate) stores: Option<BySide<Rect>>,
    pub(crate) margins: Option<BySide<Vec<Rect>>>,
    pub(crate) score_bar: Option<Rect>,
    pub(crate) status: Rect,
    pub(crate) footer: Option<Rect>,
    pub(crate) moves: Option<Rect>,
    pub(crate) graph: Option<Rect>,
}

/// The minimum width of a box, which is its digits and two borders, and the maximum width.
const MIN_BOX_WIDTH: u16 = 5;
const MAX_BOX_WIDTH: u16 = 25;
/// The width of a box up to which the board takes precedence over a wide panel.
const PREFERRED_BOX_WIDTH: u16 = 13;
/// The minimum height of a box.
const BOX_HEIGHT: u16 = 3;
/// The height of names, labels and boxes of both sides.
const BOXES_HEIGHT: u16 = 2 + 2 + 2 * BOX_HEIGHT;
/// The maximum number of empty lines above the board, and below it.
const MAX_GAP: u16 = 3;
/// The height of names, labels and numbers of both sides.
const NUMBERS_HEIGHT: u16 = 2 + 2 + 2;
/// The height of the margins of both sides.
const MARGINS_HEIGHT: u16 = 2;
/// The maximum width of a house that is a number.
const MAX_NUMBER_WIDTH: u16 = 5;
/// The number of digits that has a space beside it. Longer numbers are rare in houses.
const TYPICAL_DIGITS: u16 = 2;
/// The minimum and the maximum width of the move list and the graph.
const MIN_PANEL_WIDTH: u16 = 24;
const MAX_PANEL_WIDTH: u16 = 46;
/// The width of the status up to which it takes precedence over a wide panel.
const READABLE_WIDTH: u16 = 54;
/// The minimum height of the move list.
const MIN_MOVES_HEIGHT: u16 = 4;
const GRAPH_HEIGHT: u16 = 9;
/// The height of the status: the minimum, the preferred height, and the maximum.
const MIN_STATUS_HEIGHT: u16 = 1;
const STATUS_HEIGHT: u16 = 4;
const MAX_STATUS_HEIGHT: u16 = 6;
/// The minimum width of the screen, for the status.
const MIN_WIDTH: u16 = 20;

/// Returns the minimum width and height of a screen with such a board.
pub(crate) fn min_size(metrics: BoardMetrics) -> (u16, u16) {
    let width = u16::from(metrics.houses) * min_number_width(metrics);
    (width.max(MIN_WIDTH), NUMBERS_HEIGHT + MIN_STATUS_HEIGHT)
}

fn min_box_width(metrics: BoardMetrics) -> u16 {
    MIN_BOX_WIDTH.max(metrics.digit_width + 2)
}

fn min_number_width(metrics: BoardMetrics) -> u16 {
    let digits = metrics.digit_width.min(TYPICAL_DIGITS);
    (digits.max(metrics.label_width) + 1).max(metrics.digit_width)
}

impl ScreenLayout {
    /// Returns the layout of a screen, `None` if it is too small.
    pub(crate) fn new(area: Rect, metrics: BoardMetrics) -> Option<Self> {
        let (min_width, min_height) = min_size(metrics);
        if area.width < min_width || area.height < min_height {
            return None;
        }
        let houses = u16::from(metrics.houses);
        let boxes_width = (houses + 2).saturating_mul(min_box_width(metrics));
        let numbers_width = (houses * min_number_width(metrics)).max(MIN_WIDTH);
        let has_height_for_boxes = area.height > BOXES_HEIGHT + MIN_STATUS_HEIGHT;
        let has_room_for_panel = |width: u16| area.width >= width + MIN_PANEL_WIDTH;
        let (style, has_panel) = if has_height_for_boxes && has_room_for_panel(boxes_width) {
            (BoardStyle::Boxes, true)
        } else if has_height_for_boxes && area.width >= boxes_width {
            (BoardStyle::Boxes, false)
        } else {
            // A board with spaces between the numbers takes precedence over a panel.
            let spaced_width = numbers_width + houses;
            (BoardStyle::Numbers, has_room_for_panel(spaced_width))
        };
        let (min_width, preferred_width) = match style {
            BoardStyle::Boxes => (boxes_width, (houses + 2) * PREFERRED_BOX_WIDTH),
            BoardStyle::Numbers => (
                numbers_width,
                (houses * MAX_NUMBER_WIDTH).max(numbers_width),
            ),
        };
        let panel_width = if has_panel {
            let unused = area
                .width
                .saturating_sub(preferred_width.max(READABLE_WIDTH));
            unused.clamp(MIN_PANEL_WIDTH, MAX_PANEL_WIDTH.min(area.width - min_width))
        } else {
            0
        };
        let column = Rect {
            width: area.width - panel_width,
            ..area
        };
        let mut layout = Self::arrange_column(column, style, metrics, has_panel);
        if has_panel {
            let panel = Rect {
                x: column.right(),
                width: panel_width,
                ..area
            };
            layout.place_moves_and_graph(panel, metrics);
        }
        Some(layout)
    }

    /// Arranges title, board, status and footer from top to bottom, and the move list and the graph
    /// in the lines that remain.
    fn arrange_column(
        area: Rect,
        style: BoardStyle,
        metrics: BoardMetrics,
        has_panel: bool,
    ) -> Self {
        let columns = BoardColumns::new(area, style, metrics);
        let heights = RowHeights::new(area.height, style, columns.width, metrics, has_panel);
        let mut y = area.y;
        let mut rows = |height: u16| {
            let rect = Rect { y, height, ..area };
            y += height;
            rect
        };
        let title = rows(heights.title);
        rows(heights.above);
        let top_name = rows(1);
        let top_margins = rows(heights.margins / 2);
        let top_labels = rows(1);
        let top_houses = rows(heights.house);
        let bottom_houses = rows(heights.house);
        let bottom_labels = rows(1);
        let bottom_margins = rows(heights.margins / 2);
        let bottom_name = rows(1);
        let score_bar = rows(heights.score_bar);
        rows(heights.below);
        let status = rows(heights.status);
        let cells = |bottom: Rect, top: Rect| {
            columns.by_side(columns.left_to_right(bottom), columns.right_to_left(top))
        };
        let mut layout = Self {
            board_style: style,
            title: (heights.title > 0).then_some(title),
            names: columns.by_side(bottom_name, top_name),
            labels: cells(bottom_labels, top_labels),
            houses: cells(bottom_houses, top_houses),
            stores: columns.stores(top_houses.union(bottom_houses)),
            margins: (metrics.has_margins && heights.margins > 0)
                .then(|| cells(bottom_margins, top_margins)),
            score_bar: (metrics.has_score_bar && heights.score_bar > 0).then_some(score_bar),
            status,
            footer: (heights.footer > 0).then_some(Rect {
                y: area.bottom() - 1,
                height: 1,
                ..area
            }),
            moves: None,
            graph: None,
        };
        let rest = Rect {
            y: status.bottom(),
            height: (area.bottom() - heights.footer).saturating_sub(status.bottom()),
            ..area
        };
        if rest.height >= MIN_MOVES_HEIGHT {
            layout.place_moves_and_graph(rest, metrics);
        }
        layout
    }

    /// Divides an area between the move list and the graph.
    fn place_moves_and_graph(&mut self, area: Rect, metrics: BoardMetrics) {
        let has_graph = metrics.has_graph && area.height >= GRAPH_HEIGHT + MIN_MOVES_HEIGHT;
        let graph_height = if has_graph { GRAPH_HEIGHT } else { 0 };
        self.moves = Some(Rect {
            height: area.height - graph_height,
            ..area
        });
        self.graph = has_graph.then_some(Rect {
            y: area.bottom() - graph_height,
            height: graph_height,
            ..area
        });
    }

    /// Returns the pit at a cell.
    pub(crate) fn pit_at(&self, at: Position) -> Option<Pit> {
        let house = self
            .house_at(at)
            .map(|(side, house)| Pit::House(side, house));
        let store = || {
            let stores = self.stores?;
            let side = Side::ALL
                .into_iter()
                .find(|&side| stores[side].contains(at))?;
            Some(Pit::Store(side))
        };
        house.or_else(store)
    }

    /// Returns the house at a cell, which may belong to its label or its margin.
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

/// The heights of the parts of a column, in lines.
struct RowHeights {
    footer: u16,
    status: u16,
    margins: u16,
    score_bar: u16,
    title: u16,
    above: u16,
    below: u16,
    house: u16,
}

impl RowHeights {
    /// Returns the heights. A column with room for the margins beside a status of two lines and the
    /// footer keeps the lines of the margins and of the score bar while they are hidden, so that
    /// the board does not move when they appear.
    fn new(
        height: u16,
        style: BoardStyle,
        column_width: u16,
        metrics: BoardMetrics,
        has_panel: bool,
    ) -> Self {
        let distribute =
            |metrics| Self::distribute(height, style, column_width, metrics, has_panel);
        let whole = distribute(BoardMetrics {
            has_margins: true,
            has_score_bar: true,
            ..metrics
        });
        let has_room = whole.margins > 0 && whole.footer > 0 && whole.status > MIN_STATUS_HEIGHT;
        if has_room { whole } else { distribute(metrics) }
    }

    /// Distributes a column that is high enough for the board, to the most important parts first.
    fn distribute(
        height: u16,
        style: BoardStyle,
        column_width: u16,
        metrics: BoardMetrics,
        has_panel: bool,
    ) -> Self {
        let board = match style {
            BoardStyle::Boxes => BOXES_HEIGHT,
            BoardStyle::Numbers => NUMBERS_HEIGHT,
        };
        let mut spare = height - board - MIN_STATUS_HEIGHT;
        let mut take = |preferred: u16, min: u16| {
            let height = if spare >= min {
                preferred.min(spare)
            } else {
                0
            };
            spare -= height;
            height
        };
        let margins = if metrics.has_margins {
            take(MARGINS_HEIGHT, MARGINS_HEIGHT)
        } else {
            0
        };
        let status = take(1, 1);
        let footer = take(1, 1);
        let status = MIN_STATUS_HEIGHT + status + take(STATUS_HEIGHT - 1 - MIN_STATUS_HEIGHT, 1);
        let score_bar = take(metrics.has_score_bar.into(), 1);
        let title = take(1, 1);
        let above = take(1, 2);
        let below = take(1, 1);
        let house = match style {
            BoardStyle::Boxes => {
                let extra = preferred_box_height(column_width) - BOX_HEIGHT;
                BOX_HEIGHT + take(2 * extra, 2) / 2
            }
            BoardStyle::Numbers => 1,
        };
        // Without a panel, the move list takes the lines that remain.
        let gap = if has_panel {
            take(2 * (MAX_GAP - 1), 2) / 2
        } else {
            0
        };
        let status = status + take(MAX_STATUS_HEIGHT - STATUS_HEIGHT, 1);
        Self {
            footer,
            status,
            margins,
            score_bar,
            title,
            above: above + gap,
            below: below + gap,
            house,
        }
    }
}

/// The width from which a box shows its seeds as dots, if it is high enough.
pub(super) const MIN_DOTS_WIDTH: u16 = 9;

/// Returns the height of a box of this width. A box with dots is a little higher than wide on a
/// terminal, whose cells are twice as high as wide. The height is odd, so that the box has a middle
/// line.
fn preferred_box_height(width: u16) -> u16 {
    if width < MIN_DOTS_WIDTH {
        BOX_HEIGHT
    } else {
        (width * 3 / 5) | 1
    }
}

/// The columns of a board: houses of equal width, between two stores if they are boxes.
struct BoardColumns {
    style: BoardStyle,
    houses: u16,
    /// The left edge of the board.
    left: u16,
    /// The width of a house and of a store.
    width: u16,
    /// The side of the lower row.
    bottom: Side,
}

impl BoardColumns {
    fn new(area: Rect, style: BoardStyle, metrics: BoardMetrics) -> Self {
        let houses = u16::from(metrics.houses);
        let (columns, max_width) = match style {
            BoardStyle::Boxes => (houses + 2, MAX_BOX_WIDTH.max(min_box_width(metrics))),
            BoardStyle::Numbers => (houses, MAX_NUMBER_WIDTH.max(min_number_width(metrics))),
        };
        let width = (area.width / columns).min(max_width);
        Self {
            style,
            houses,
            left: area.x + (area.width - width * columns) / 2,
            width,
            bottom: metrics.bottom,
        }
    }

    /// Assigns what belongs to the lower and to the upper row to the sides of these rows.
    fn by_side<T>(&self, bottom: T, top: T) -> BySide<T> {
        match self.bottom {
            Side::South => BySide::new(bottom, top),
            Side::North => BySide::new(top, bottom),
        }
    }

    /// Returns the areas of the houses in the lines of `row` from left to right, which is the order
    /// of sowing in the lower row.
    fn left_to_right(&self, row: Rect) -> Vec<Rect> {
        let first = match self.style {
            BoardStyle::Boxes => self.left + self.width,
            BoardStyle::Numbers => self.left,
        };
        let cell = |column| Rect {
            x: first + column * self.width,
            width: self.width,
            ..row
        };
        (0..self.houses).map(cell).collect()
    }

    /// Returns these areas from right to left, which is the order of sowing in the upper row.
    fn right_to_left(&self, row: Rect) -> Vec<Rect> {
        let mut cells = self.left_to_right(row);
        cells.reverse();
        cells
    }

    /// Returns the areas of the stores in the lines of `rows`. That of the lower row is on the
    /// right.
    fn stores(&self, rows: Rect) -> Option<BySide<Rect>> {
        let store = |x| Rect {
            x,
            width: self.width,
            ..rows
        };
        let right = self.left + self.width * (self.houses + 1);
        (self.style == BoardStyle::Boxes).then(|| self.by_side(store(right), store(self.left)))
    }
}
