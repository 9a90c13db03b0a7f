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
struct TextSpan {
    column: usize,
    width: usize,
    text: String,
}

/// Where everything stands.
struct DrawingLayout {
    /// The column of the leftmost house.
    first_house_column: usize,
    /// From one house to the next.
    pitch: usize,
    align: Align,
    /// The line of the stores.
    store_line: TextLine,
}

/// What the column of a house says of its texts.
#[derive(Clone, Copy)]
enum Align {
    /// They begin there.
    Left,
    /// They end there.
    Right,
}

/// One line of a drawing, from left to right.
#[derive(Default)]
struct TextLine(Vec<TextSpan>);

/// Seeds and label of a house.
struct HouseText {
    label: String,
    seeds: String,
    kind: HouseKind,
}

/// How a house is painted.
#[derive(Clone, Copy)]
enum HouseKind {
    Empty,
    Playable,
    Normal,
}

/// CS 32's look: what stands before North's store.
const INDENT: usize = 3;
/// CS 32's look: between a store and the houses beside it.
const STORE_GAP: usize = 4;
/// CS 32's look: from the end of one house to the end of the next, where counts have one digit.
const MIN_PITCH: usize = 4;
/// Spaces that two houses always have between them.
const HOUSE_GAP: usize = 2;
/// What marks the name of the side to move.
const TO_MOVE_MARK: &str = "> ";

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
    fn house_texts(&self, side: Side) -> Vec<HouseText> {
        let position = self.position;
        let to_move = !position.is_over() && position.to_move() == side;
        let mut cells: Vec<HouseText> = House::all(position.houses())
            .map(|house| {
                let seeds = position.seeds(side, house);
                HouseText {
                    label: self.labels.label(side, house, position.houses()),
                    kind: match seeds.get() {
                        0 => HouseKind::Empty,
                        _ if to_move => HouseKind::Playable,
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
            cells.reverse();
        }
        cells
    }

    fn styled_seeds(&self, cell: &HouseText) -> String {
        match cell.kind {
            HouseKind::Empty => self.palette.empty(&cell.seeds),
            HouseKind::Playable => self.palette.playable(&cell.seeds),
            HouseKind::Normal => cell.seeds.clone(),
        }
    }

    /// The name of a side, its middle at column `centre`.
    fn name_line(&self, side: Side, centre: usize) -> Option<TextLine> {
        let name = self.names.as_ref()?[side];
        let width = name.chars().count();
        let first = centre.saturating_sub(width / 2).max(TO_MOVE_MARK.len());
        let marked = !self.position.is_over() && self.position.to_move() == side;
        let mark = if marked { TO_MOVE_MARK } else { "" };
        let mut line = TextLine::default();
        line.push(
            first - mark.len(),
            mark.len() + width,
            self.palette.name(side, &format!("{mark}{name}")),
        );
        Some(line)
    }

    /// CS 32's look: counts end below each other, the stores stand free.
    fn cs32_layout(&self, widest: usize) -> DrawingLayout {
        let stores = BySide::from_fn(|side| self.position.store(side).to_string());
        let store_width = stores.south.len().max(stores.north.len());
        let first = INDENT + store_width + STORE_GAP;
        let pitch = MIN_PITCH.max(widest + HOUSE_GAP);
        let last_end = first + 1 + usize::from(self.position.houses() - 1) * pitch;

        let mut middle = TextLine::default();
        let store = |side: Side| self.palette.store(&stores[side]);
        let north = INDENT + store_width - stores.north.len();
        middle.push(north, stores.north.len(), store(Side::North));
        let south = last_end + STORE_GAP;
        middle.push(south, stores.south.len(), store(Side::South));
        DrawingLayout {
            first_house_column: first,
            pitch,
            align: Align::Right,
            store_line: middle,
        }
    }

    /// Yale's look: counts in brackets that begin below each other, the stores labelled.
    fn yale_layout(&self, widest: usize) -> DrawingLayout {
        const NORTH: &str = "N0 ";
        const SOUTH: &str = " S0";
        let stores = BySide::from_fn(|side| bracketed(self.position.store(side)));
        let first = NORTH.len() + stores.north.len() + HOUSE_GAP;
        let pitch = widest + HOUSE_GAP;
        let after_last = first + usize::from(self.position.houses()) * pitch;

        let mut middle = TextLine::default();
        let store = |side: Side| self.palette.store(&stores[side]);
        middle.push(0, NORTH.len(), self.palette.label(NORTH));
        middle.push(NORTH.len(), stores.north.len(), store(Side::North));
        middle.push(after_last, stores.south.len(), store(Side::South));
        let label = after_last + stores.south.len();
        middle.push(label, SOUTH.len(), self.palette.label(SOUTH));
        DrawingLayout {
            first_house_column: first,
            pitch,
            align: Align::Left,
            store_line: middle,
        }
    }
}

fn bracketed(seeds: SeedCount) -> String {
    format!("[{seeds}]")
}

impl DrawingLayout {
    /// Where the text of the house at `index` from the left begins.
    fn column(&self, index: usize, text: &str) -> usize {
        let first = self.first_house_column + index * self.pitch;
        match self.align {
            Align::Left => first,
            Align::Right => (first + 1).saturating_sub(text.len()),
        }
    }
}

impl TextLine {
    /// Adds a piece that begins at `column`, or at once if the line is there already.
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
        let rows = BySide::from_fn(|side| self.house_texts(side));
        let widest = rows.south.iter().chain(&rows.north);
        let widest = widest.map(|cell| cell.label.len().max(cell.seeds.len()));
        let widest = widest.max().unwrap_or(0);
        let layout = match self.labels {
            Labels::Columns | Labels::Letters => self.cs32_layout(widest),
            Labels::Yale => self.yale_layout(widest),
        };
        let line =
            |side: Side, plain: fn(&HouseText) -> &str, styled: &dyn Fn(&HouseText) -> String| {
                let mut line = TextLine::default();
                for (index, cell) in rows[side].iter().enumerate() {
                    let text = plain(cell);
                    line.push(layout.column(index, text), text.len(), styled(cell));
                }
                line
            };
        let labels = |side| {
            line(side, |cell| &cell.label, &|cell| {
                self.palette.label(&cell.label)
            })
        };
        let seeds = |side| line(side, |cell| &cell.seeds, &|cell| self.styled_seeds(cell));
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
