use std::fmt;

use kalah::{BySide, House, Labels, Position, SeedCount, Side};

use crate::Palette;

/// A position as people see it: text with no line break at its end.
///
/// [`Labels::Columns`] and [`Labels::Letters`] are drawn as CS 32 draws, North above and its store
/// on the left; [`Labels::Yale`] as Yale does. All columns stay aligned, whatever the counts.
///
/// ```
/// use kalah::{BySide, Labels, Position, Rules};
/// use kalah_cli::Drawing;
///
/// let start = Position::start(3, 2, Rules::CS32)?;
/// let drawing = Drawing::new(&start).names(BySide::new("Marge", "Homer"));
/// assert_eq!(drawing.to_string(), [
///     "          Homer",
///     "        1   2   3",
///     "        2   2   2",
///     "   0                 0",
///     "        2   2   2",
///     "        1   2   3",
///     "        > Marge",
/// ].join("\n"));
/// let drawing = Drawing::new(&start).labels(Labels::Yale);
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
pub struct Drawing<'a> {
    position: &'a Position,
    labels: Labels,
    names: Option<BySide<&'a str>>,
    palette: Palette,
}

/// A piece of a line: where it begins, how wide it is, and its text with styles.
struct Piece {
    column: usize,
    width: usize,
    text: String,
}

/// Where everything stands.
struct Layout {
    /// The column of the leftmost house.
    first: usize,
    /// From one house to the next.
    pitch: usize,
    align: Align,
    /// The line of the stores.
    middle: Line,
}

/// What the column of a house says of its texts.
#[derive(Clone, Copy)]
enum Align {
    /// They begin there.
    Starts,
    /// They end there.
    Ends,
}

/// One line of a drawing, from left to right.
#[derive(Default)]
struct Line(Vec<Piece>);

/// Seeds and label of a house.
struct Cell {
    label: String,
    seeds: String,
    kind: Kind,
}

/// How a house is painted.
#[derive(Clone, Copy)]
enum Kind {
    Empty,
    Playable,
    Waiting,
}

/// CS 32's look: what stands before North's store.
const INDENT: usize = 3;
/// CS 32's look: between a store and the houses beside it.
const STORE_GAP: usize = 4;
/// CS 32's look: from the end of one house to the end of the next, where counts have one digit.
const NARROWEST_PITCH: usize = 4;
/// Spaces that two houses always have between them.
const HOUSE_GAP: usize = 2;
/// What marks the name of the side to move.
const MARK: &str = "> ";

impl<'a> Drawing<'a> {
    /// The position with column numbers, without names or colours.
    pub fn new(position: &'a Position) -> Self {
        Self {
            position,
            labels: Labels::Columns,
            names: None,
            palette: Palette::PLAIN,
        }
    }

    /// With houses labelled so.
    #[must_use]
    pub fn labels(self, labels: Labels) -> Self {
        Self { labels, ..self }
    }

    /// With the names of those who sit on each side, and a mark before the one to move.
    #[must_use]
    pub fn names(self, names: BySide<&'a str>) -> Self {
        Self {
            names: Some(names),
            ..self
        }
    }

    /// With colours.
    #[must_use]
    pub fn palette(self, palette: Palette) -> Self {
        Self { palette, ..self }
    }

    /// The houses of a side from left to right as they are drawn.
    fn cells(&self, side: Side) -> Vec<Cell> {
        let position = self.position;
        let to_move = !position.is_over() && position.to_move() == side;
        let mut cells: Vec<Cell> = House::all(position.houses())
            .map(|house| {
                let seeds = position.seeds(side, house);
                Cell {
                    label: self.labels.label(side, house, position.houses()),
                    kind: match seeds.get() {
                        0 => Kind::Empty,
                        _ if to_move => Kind::Playable,
                        _ => Kind::Waiting,
                    },
                    seeds: match self.labels {
                        Labels::Yale => bracketed(seeds),
                        Labels::Columns | Labels::Letters => seeds.to_string(),
                    },
                }
            })
            .collect();
        if side == Side::North {
            cells.reverse();
        }
        cells
    }

    fn seeds(&self, cell: &Cell) -> String {
        match cell.kind {
            Kind::Empty => self.palette.empty(&cell.seeds),
            Kind::Playable => self.palette.playable(&cell.seeds),
            Kind::Waiting => cell.seeds.clone(),
        }
    }

    /// The name of a side, its middle at column `centre`.
    fn name_line(&self, side: Side, centre: usize) -> Option<Line> {
        let name = self.names.as_ref()?[side];
        let width = name.chars().count();
        let first = centre.saturating_sub(width / 2).max(MARK.len());
        let marked = !self.position.is_over() && self.position.to_move() == side;
        let mark = if marked { MARK } else { "" };
        let mut line = Line::default();
        line.put(
            first - mark.len(),
            mark.len() + width,
            self.palette.name(side, &format!("{mark}{name}")),
        );
        Some(line)
    }

    /// CS 32's look: counts end below each other, the stores stand free.
    fn assignment_look(&self, widest: usize) -> Layout {
        let stores = BySide::from_fn(|side| self.position.store(side).to_string());
        let store_width = stores.south.len().max(stores.north.len());
        let first = INDENT + store_width + STORE_GAP;
        let pitch = NARROWEST_PITCH.max(widest + HOUSE_GAP);
        let last_end = first + 1 + usize::from(self.position.houses() - 1) * pitch;

        let mut middle = Line::default();
        let store = |side: Side| self.palette.store(&stores[side]);
        let north = INDENT + store_width - stores.north.len();
        middle.put(north, stores.north.len(), store(Side::North));
        let south = last_end + STORE_GAP;
        middle.put(south, stores.south.len(), store(Side::South));
        Layout {
            first,
            pitch,
            align: Align::Ends,
            middle,
        }
    }

    /// Yale's look: counts in brackets that begin below each other, the stores labelled.
    fn yale_look(&self, widest: usize) -> Layout {
        const NORTH: &str = "N0 ";
        const SOUTH: &str = " S0";
        let stores = BySide::from_fn(|side| bracketed(self.position.store(side)));
        let first = NORTH.len() + stores.north.len() + HOUSE_GAP;
        let pitch = widest + HOUSE_GAP;
        let after_last = first + usize::from(self.position.houses()) * pitch;

        let mut middle = Line::default();
        let store = |side: Side| self.palette.store(&stores[side]);
        middle.put(0, NORTH.len(), self.palette.label(NORTH));
        middle.put(NORTH.len(), stores.north.len(), store(Side::North));
        middle.put(after_last, stores.south.len(), store(Side::South));
        let label = after_last + stores.south.len();
        middle.put(label, SOUTH.len(), self.palette.label(SOUTH));
        Layout {
            first,
            pitch,
            align: Align::Starts,
            middle,
        }
    }
}

fn bracketed(seeds: SeedCount) -> String {
    format!("[{seeds}]")
}

impl Layout {
    /// Where the text of the house at `index` from the left begins.
    fn column(&self, index: usize, text: &str) -> usize {
        let first = self.first + index * self.pitch;
        match self.align {
            Align::Starts => first,
            Align::Ends => (first + 1).saturating_sub(text.len()),
        }
    }
}

impl Line {
    /// Adds a piece that begins at `column`, or at once if the line is there already.
    fn put(&mut self, column: usize, width: usize, text: String) {
        self.0.push(Piece {
            column,
            width,
            text,
        });
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut at = 0;
        for piece in &self.0 {
            let gap = piece.column.saturating_sub(at);
            write!(f, "{:gap$}{}", "", piece.text)?;
            at += gap + piece.width;
        }
        Ok(())
    }
}

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = BySide::from_fn(|side| self.cells(side));
        let widest = rows.south.iter().chain(&rows.north);
        let widest = widest.map(|cell| cell.label.len().max(cell.seeds.len()));
        let widest = widest.max().unwrap_or(0);
        let layout = match self.labels {
            Labels::Columns | Labels::Letters => self.assignment_look(widest),
            Labels::Yale => self.yale_look(widest),
        };
        let line = |side: Side, plain: fn(&Cell) -> &str, styled: &dyn Fn(&Cell) -> String| {
            let mut line = Line::default();
            for (index, cell) in rows[side].iter().enumerate() {
                let text = plain(cell);
                line.put(layout.column(index, text), text.len(), styled(cell));
            }
            line
        };
        let labels = |side| {
            line(side, |cell| &cell.label, &|cell| {
                self.palette.label(&cell.label)
            })
        };
        let seeds = |side| line(side, |cell| &cell.seeds, &|cell| self.seeds(cell));
        let centre = layout.first + layout.pitch * (rows.south.len() - 1) / 2;

        if let Some(name) = self.name_line(Side::North, centre) {
            writeln!(f, "{name}")?;
        }
        writeln!(f, "{}", labels(Side::North))?;
        writeln!(f, "{}", seeds(Side::North))?;
        writeln!(f, "{}", layout.middle)?;
        writeln!(f, "{}", seeds(Side::South))?;
        write!(f, "{}", labels(Side::South))?;
        if let Some(name) = self.name_line(Side::South, centre) {
            write!(f, "\n{name}")?;
        }
        Ok(())
    }
}
