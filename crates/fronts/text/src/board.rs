//! A position as text for people.

use std::fmt;

use kalah::{BySide, House, Labels, Position, SeedCount, Side};
use unicode_width::UnicodeWidthStr as _;

use crate::palette::Palette;

/// Draws a position as lines of text, without a line break at the end.
///
/// [`Labels::Letters`] and [`Labels::Columns`] give the layout of CS 32, with North's row above and
/// its store on the left; [`Labels::Yale`] gives Yale's. Columns are aligned for all seed counts.
///
/// ```
/// use kalah::{BySide, Labels, Position, Rules};
/// use kalah_text::BoardDrawing;
///
/// let start = Position::start(3, 2, Rules::CS32)?;
/// let drawing = BoardDrawing::new(&start).names(BySide::new("Marge", "Homer"));
/// assert_eq!(drawing.to_string(), [
///     "          Homer",
///     "        c   b   a",
///     "        2   2   2",
///     "   0                 0",
///     "        2   2   2",
///     "        A   B   C",
///     "        > Marge",
/// ].join("\n"));
/// let drawing = BoardDrawing::new(&start).labels(Labels::Yale);
/// assert_eq!(drawing.to_string(), [
///     "        N1   N2   N3",
///     "        [2]  [2]  [2]",
///     "N0 [0]                 [0] S0",
///     "        [2]  [2]  [2]",
///     "        S3   S2   S1",
/// ].join("\n"));
/// # Ok::<(), kalah::SetupError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BoardDrawing<'a> {
    position: &'a Position,
    labels: Labels,
    names: Option<BySide<&'a str>>,
    palette: Palette,
}

/// A part of a line.
struct TextSpan {
    column: usize,
    /// The width on the terminal. Style sequences in `text` have no width.
    width: usize,
    text: String,
}

/// The columns of the houses and the line of the stores.
struct DrawingLayout {
    /// The column of the leftmost house.
    first_house_column: usize,
    /// The distance from the column of a house to that of the next.
    pitch: usize,
    align: Align,
    store_line: TextLine,
}

/// The alignment of texts at the column of a house.
#[derive(Clone, Copy)]
enum Align {
    /// Texts begin at the column.
    Left,
    /// Texts end at the column.
    Right,
}

/// One line of a drawing, from left to right.
#[derive(Default)]
struct TextLine(Vec<TextSpan>);

/// The label and the seeds of a house.
struct HouseText {
    label: String,
    seeds: String,
    kind: HouseKind,
}

/// The kinds of houses that have styles of their own.
#[derive(Clone, Copy)]
enum HouseKind {
    Empty,
    Playable,
    Normal,
}

/// The number of spaces before North's store, as CS 32 draws it.
const INDENT: usize = 3;
/// The distance from a store to the houses beside it, as CS 32 draws it.
const STORE_GAP: usize = 4;
/// The distance between the ends of neighbouring houses with one digit, as CS 32 draws them.
const MIN_PITCH: usize = 4;
/// The minimum number of spaces between two houses.
const HOUSE_GAP: usize = 2;
/// The mark before the name of the side to move.
const TO_MOVE_MARK: &str = "> ";

impl<'a> BoardDrawing<'a> {
    /// Creates a drawing of `position` with letters, without names or styles.
    pub fn new(position: &'a Position) -> Self {
        Self {
            position,
            labels: Labels::default(),
            names: None,
            palette: Palette::PLAIN,
        }
    }

    /// Sets the labels of the houses, and with them the layout.
    #[must_use]
    pub fn labels(self, labels: Labels) -> Self {
        Self { labels, ..self }
    }

    /// Adds the names of the players by the side on which they are now. The name of the side to
    /// move has a mark.
    #[must_use]
    pub fn names(self, names: BySide<&'a str>) -> Self {
        Self {
            names: Some(names),
            ..self
        }
    }

    /// Sets the styles.
    #[must_use]
    pub fn palette(self, palette: Palette) -> Self {
        Self { palette, ..self }
    }

    /// Returns the houses of a side from left to right.
    fn house_texts(&self, side: Side) -> Vec<HouseText> {
        let position = self.position;
        let is_to_move = self.is_to_move(side);
        let mut houses: Vec<HouseText> = House::all(position.houses())
            .map(|house| {
                let seeds = position.seeds(side, house);
                HouseText {
                    label: self.labels.label(side, house, position.houses()),
                    kind: match seeds.get() {
                        0 => HouseKind::Empty,
                        _ if is_to_move => HouseKind::Playable,
                        _ => HouseKind::Normal,
                    },
                    seeds: match self.labels {
                        Labels::Yale => bracketed(seeds),
                        Labels::Columns | Labels::Letters => seeds.to_string(),
                    },
                }
            })
            .collect();
        if side == Side::North {
            houses.reverse();
        }
        houses
    }

    fn is_to_move(&self, side: Side) -> bool {
        !self.position.is_over() && self.position.to_move() == side
    }

    fn styled_seeds(&self, house: &HouseText) -> String {
        match house.kind {
            HouseKind::Empty => self.palette.empty(&house.seeds),
            HouseKind::Playable => self.palette.playable(&house.seeds),
            HouseKind::Normal => house.seeds.clone(),
        }
    }

    /// Returns the line with the name of a side, centred at column `centre`.
    fn name_line(&self, side: Side, centre: usize) -> Option<TextLine> {
        let name = self.names.as_ref()?[side];
        let width = name.width();
        let first = centre.saturating_sub(width / 2).max(TO_MOVE_MARK.len());
        let mark = if self.is_to_move(side) {
            TO_MOVE_MARK
        } else {
            ""
        };
        let mut line = TextLine::default();
        line.push(
            first - mark.len(),
            mark.len() + width,
            self.palette.name(side, &format!("{mark}{name}")),
        );
        Some(line)
    }

    /// Returns the layout of CS 32: right-aligned seed counts and stores without labels.
    fn cs32_layout(&self, widest: usize) -> DrawingLayout {
        let stores = BySide::from_fn(|side| self.position.store(side).to_string());
        let store_width = stores.south.len().max(stores.north.len());
        let first = INDENT + store_width + STORE_GAP;
        let pitch = MIN_PITCH.max(widest + HOUSE_GAP);
        let last_end = first + 1 + usize::from(self.position.houses() - 1) * pitch;

        let mut store_line = TextLine::default();
        let store = |side: Side| self.palette.store(&stores[side]);
        let north = INDENT + store_width - stores.north.len();
        store_line.push(north, stores.north.len(), store(Side::North));
        let south = last_end + STORE_GAP;
        store_line.push(south, stores.south.len(), store(Side::South));
        DrawingLayout {
            first_house_column: first,
            pitch,
            align: Align::Right,
            store_line,
        }
    }

    /// Returns the layout of Yale: left-aligned seed counts in brackets and stores with labels.
    fn yale_layout(&self, widest: usize) -> DrawingLayout {
        const NORTH: &str = "N0 ";
        const SOUTH: &str = " S0";
        let stores = BySide::from_fn(|side| bracketed(self.position.store(side)));
        let first = NORTH.len() + stores.north.len() + HOUSE_GAP;
        let pitch = widest + HOUSE_GAP;
        let after_last = first + usize::from(self.position.houses()) * pitch;

        let mut store_line = TextLine::default();
        let store = |side: Side| self.palette.store(&stores[side]);
        store_line.push(0, NORTH.len(), self.palette.label(NORTH));
        store_line.push(NORTH.len(), stores.north.len(), store(Side::North));
        store_line.push(after_last, stores.south.len(), store(Side::South));
        let label = after_last + stores.south.len();
        store_line.push(label, SOUTH.len(), self.palette.label(SOUTH));
        DrawingLayout {
            first_house_column: first,
            pitch,
            align: Align::Left,
            store_line,
        }
    }
}

fn bracketed(seeds: SeedCount) -> String {
    format!("[{seeds}]")
}

impl DrawingLayout {
    /// Returns the column where `text` of the house at `index` from the left begins.
    fn column(&self, index: usize, text: &str) -> usize {
        let first = self.first_house_column + index * self.pitch;
        match self.align {
            Align::Left => first,
            Align::Right => (first + 1).saturating_sub(text.len()),
        }
    }
}

impl TextLine {
    /// Adds a text that begins at `column`, or right after the text before it if that ends later.
    fn push(&mut self, column: usize, width: usize, text: String) {
        self.0.push(TextSpan {
            column,
            width,
            text,
        });
    }
}

impl fmt::Display for TextLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut end = 0;
        for span in &self.0 {
            let gap = span.column.saturating_sub(end);
            write!(f, "{:gap$}{}", "", span.text)?;
            end += gap + span.width;
        }
        Ok(())
    }
}

impl fmt::Display for BoardDrawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = BySide::from_fn(|side| self.house_texts(side));
        let widest = rows.south.iter().chain(&rows.north);
        let widest = widest.map(|house| house.label.len().max(house.seeds.len()));
        let widest = widest.max().unwrap_or(0);
        let layout = match self.labels {
            Labels::Columns | Labels::Letters => self.cs32_layout(widest),
            Labels::Yale => self.yale_layout(widest),
        };
        let line =
            |side: Side, plain: fn(&HouseText) -> &str, styled: &dyn Fn(&HouseText) -> String| {
                let mut line = TextLine::default();
                for (index, house) in rows[side].iter().enumerate() {
                    let text = plain(house);
                    line.push(layout.column(index, text), text.len(), styled(house));
                }
                line
            };
        let labels = |side| {
            line(side, |house| &house.label, &|house| {
                self.palette.label(&house.label)
            })
        };
        let seeds = |side| {
            line(side, |house| &house.seeds, &|house| {
                self.styled_seeds(house)
            })
        };
        let centre = layout.first_house_column + layout.pitch * (rows.south.len() - 1) / 2;

        if let Some(name) = self.name_line(Side::North, centre) {
            writeln!(f, "{name}")?;
        }
        writeln!(f, "{}", labels(Side::North))?;
        writeln!(f, "{}", seeds(Side::North))?;
        writeln!(f, "{}", layout.store_line)?;
        writeln!(f, "{}", seeds(Side::South))?;
        write!(f, "{}", labels(Side::South))?;
        if let Some(name) = self.name_line(Side::South, centre) {
            write!(f, "\n{name}")?;
        }
        Ok(())
    }
}
