//! The picture of a position for previews of links, as PNG.

use kalah::{Position, Side};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform,
};

/// The size that messengers show in full, in pixels.
const WIDTH: u16 = 1200;
const HEIGHT: u16 = 630;

/// The space around the board, and between the pits, in pixels.
const MARGIN: f32 = 60.0;
const GAP: f32 = 14.0;

/// The height of the strip with the count of a row, and the height of its digits, in pixels.
const STRIP: f32 = 56.0;
const DIGIT_HEIGHT: f32 = 30.0;

/// The width of a digit and the distance to the next one, in heights.
const DIGIT_WIDTH: f32 = 0.55;
const DIGIT_PITCH: f32 = 0.85;

/// The width of the strokes of digits, in heights.
const STROKE: f32 = 0.15;

/// The width of a number, in distances of columns, at which its digits become smaller.
const NUMBER_SHARE: f32 = 0.9;

/// The radius of the mark of the side to move in pixels, and its greatest share of the distance of
/// columns.
const TURN_RADIUS: f32 = 21.0;
const TURN_SHARE: f32 = 0.38;

/// The width of the rim of the mark of the side to move, in its radii.
const TURN_RIM: f32 = 0.16;

/// The corners of the triangle in the mark, in radii from its centre: those of the symbol `i-turn`
/// in `web/index.html`.
const TURN_TRIANGLE: [(f32, f32); 3] = [(-0.32, -0.52), (0.46, 0.0), (-0.32, 0.52)];

/// The radius of a seed in pixels, and its least share of the pit.
const SEED_RADIUS: f32 = 17.0;
const SEED_SHARE: f32 = 0.16;

/// The most seeds that are drawn in a pit; the count shows the exact number.
const MAX_SEEDS: u16 = 60;

/// Fewer seeds than these lie as close to the centre as these.
const FEW_SEEDS: u16 = 8;

/// The least distance of the centre of a seed from the edge of its pit, in radii of a seed.
const EDGE: f32 = 1.6;

/// The angle between a seed and the next, as in a sunflower.
const GOLDEN_ANGLE: f32 = 2.399_963;

/// Red, green and blue.
type Rgb = [u8; 3];

const PAPER: Rgb = [0xf6, 0xef, 0xe4];
const WOOD: Rgb = [0x93, 0x5a, 0x31];
const HOLLOW: Rgb = [0x4c, 0x2a, 0x12];
const INK: Rgb = [0xff, 0xf1, 0xdc];
/// The colour of the page's marker of the turn.
const ACCENT: Rgb = [0x9a, 0x42, 0x14];
const SEEDS: [Rgb; 4] = [
    [0xf7, 0xd9, 0xa5],
    [0xea, 0xf0, 0xe2],
    [0xf4, 0xc3, 0xa0],
    [0xe6, 0xe9, 0xee],
];

/// The strokes of the digits 0 to 9: polylines in a box of width 1 and height 1.
const DIGITS: [&[&[(f32, f32)]]; 10] = [
    &[&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)]],
    &[&[(0.2, 0.2), (0.6, 0.0), (0.6, 1.0)]],
    &[&[
        (0.0, 0.0),
        (1.0, 0.0),
        (1.0, 0.5),
        (0.0, 0.5),
        (0.0, 1.0),
        (1.0, 1.0),
    ]],
    &[
        &[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)],
        &[(0.2, 0.5), (1.0, 0.5)],
    ],
    &[
        &[(0.0, 0.0), (0.0, 0.5), (1.0, 0.5)],
        &[(1.0, 0.0), (1.0, 1.0)],
    ],
    &[&[
        (1.0, 0.0),
        (0.0, 0.0),
        (0.0, 0.5),
        (1.0, 0.5),
        (1.0, 1.0),
        (0.0, 1.0),
    ]],
    &[&[
        (1.0, 0.0),
        (0.0, 0.0),
        (0.0, 1.0),
        (1.0, 1.0),
        (1.0, 0.5),
        (0.0, 0.5),
    ]],
    &[&[(0.0, 0.0), (1.0, 0.0), (0.4, 1.0)]],
    &[
        &[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)],
        &[(0.0, 0.5), (1.0, 0.5)],
    ],
    &[&[
        (1.0, 0.5),
        (0.0, 0.5),
        (0.0, 0.0),
        (1.0, 0.0),
        (1.0, 1.0),
        (0.0, 1.0),
    ]],
];

/// A box with its left upper corner, in pixels.
#[derive(Clone, Copy)]
struct Area {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
}

/// A pit with its place in the picture.
struct DrawnPit {
    area: Area,
    count: u16,
    /// The vertical centre of the count.
    label: f32,
}

/// The columns of a board: the left store, the houses, and the right store.
#[derive(Clone, Copy)]
struct Columns {
    /// The left edge of the pits of the first column.
    left: f32,
    /// The distance of two columns.
    pitch: f32,
}

impl Columns {
    fn new(houses: u8, board: Area) -> Self {
        Self {
            left: board.x + MARGIN / 2.0 + GAP / 2.0,
            pitch: (board.width - MARGIN) / (f32::from(houses) + 2.0),
        }
    }

    /// Returns the area of a pit in a column.
    fn area(self, column: u8, y: f32, height: f32) -> Area {
        Area {
            x: self.left + f32::from(column) * self.pitch,
            y,
            width: self.pitch - GAP,
            height,
        }
    }
}

/// Returns the picture of a position as PNG, with South's row at the bottom and a mark at the
/// beginning of the row of the side to move; `None` if there is no memory for it.
pub(crate) fn board_png(position: &Position) -> Option<Vec<u8>> {
    let mut picture = Pixmap::new(WIDTH.into(), HEIGHT.into())?;
    picture.fill(color(PAPER));
    let board = Area {
        x: MARGIN / 2.0,
        y: MARGIN / 2.0,
        width: f32::from(WIDTH) - MARGIN,
        height: f32::from(HEIGHT) - MARGIN,
    };
    fill_rounded(&mut picture, board, MARGIN, WOOD);
    let columns = Columns::new(position.houses(), board);
    for pit in pits(position, board, columns) {
        draw_pit(&mut picture, &pit, columns.pitch);
    }
    if !position.is_over() {
        draw_turn(&mut picture, position, board, columns);
    }
    picture.encode_png().ok()
}

/// Returns the vertical centre of the counts of a side, whose strip is at its edge of the board.
fn label_of(side: Side, board: Area) -> f32 {
    match side {
        Side::North => board.y + STRIP / 2.0,
        Side::South => board.y + board.height - STRIP / 2.0,
    }
}

/// Returns all pits of a position.
fn pits(position: &Position, board: Area, columns: Columns) -> Vec<DrawnPit> {
    let houses = position.houses();
    let row_height = (board.height - 2.0 * STRIP - GAP) / 2.0;
    let top = board.y + STRIP;
    let mut pits = Vec::new();
    for side in Side::ALL {
        // North's row runs from right to left.
        let (y, store_column) = match side {
            Side::North => (top, 0),
            Side::South => (top + row_height + GAP, houses + 1),
        };
        for (house, count) in (1..).zip(position.houses_of(side)) {
            let column = match side {
                Side::South => house,
                Side::North => houses + 1 - house,
            };
            pits.push(DrawnPit {
                area: columns.area(column, y, row_height),
                count: count.get(),
                label: label_of(side, board),
            });
        }
        pits.push(DrawnPit {
            area: columns.area(store_column, top, 2.0 * row_height + GAP),
            count: position.store(side).get(),
            label: label_of(side, board),
        });
    }
    pits
}

/// Draws the page's marker of the turn beside the first house of the side to move, in the strip of
/// its counts below or above the store of the other side.
fn draw_turn(picture: &mut Pixmap, position: &Position, board: Area, columns: Columns) {
    let side = position.to_move();
    let column = match side {
        Side::South => 0,
        Side::North => position.houses() + 1,
    };
    let Area { x, width, .. } = columns.area(column, board.y, board.height);
    let (x, y) = (x + width / 2.0, label_of(side, board));
    let radius = TURN_RADIUS.min(columns.pitch * TURN_SHARE);
    for (radius, colour) in [(radius, INK), (radius * (1.0 - TURN_RIM), ACCENT)] {
        if let Some(circle) = PathBuilder::from_circle(x, y, radius) {
            fill(picture, &circle, colour);
        }
    }
    let mut triangle = PathBuilder::new();
    for (index, (across, down)) in TURN_TRIANGLE.into_iter().enumerate() {
        let (x, y) = (x + across * radius, y + down * radius);
        if index == 0 {
            triangle.move_to(x, y);
        } else {
            triangle.line_to(x, y);
        }
    }
    triangle.close();
    if let Some(triangle) = triangle.finish() {
        fill(picture, &triangle, INK);
    }
}

/// Draws a pit with its seeds and its count.
fn draw_pit(picture: &mut Pixmap, pit: &DrawnPit, pitch: f32) {
    let &DrawnPit { area, count, label } = pit;
    let radius = area.width.min(area.height) / 2.0;
    fill_rounded(picture, area, radius, HOLLOW);
    let seed = SEED_RADIUS.min(area.width * SEED_SHARE);
    let drawn = count.min(MAX_SEEDS);
    let (reach_x, reach_y) = (
        area.width / 2.0 - EDGE * seed,
        area.height / 2.0 - EDGE * seed,
    );
    for index in 0..drawn {
        let share = (f32::from(index) + 0.5) / f32::from(drawn.max(FEW_SEEDS));
        let angle = f32::from(index) * GOLDEN_ANGLE;
        let x = area.x + area.width / 2.0 + reach_x * share.sqrt() * angle.cos();
        let y = area.y + area.height / 2.0 + reach_y * share.sqrt() * angle.sin();
        if let Some(circle) = PathBuilder::from_circle(x, y, seed) {
            fill(picture, &circle, SEEDS[usize::from(index) % SEEDS.len()]);
        }
    }
    let centre = (area.x + area.width / 2.0, label);
    draw_number(picture, count, centre, pitch * NUMBER_SHARE);
}

/// Draws a number around a centre, with smaller digits if it is wider than `most` pixels.
fn draw_number(picture: &mut Pixmap, number: u16, (x, y): (f32, f32), most: f32) {
    let text = number.to_string();
    let pitches = text.bytes().skip(1).map(|_| DIGIT_PITCH).sum::<f32>();
    let height = DIGIT_HEIGHT.min(most / (pitches + DIGIT_WIDTH + STROKE));
    let (pitch, width) = (height * DIGIT_PITCH, height * DIGIT_WIDTH);
    let mut left = x - height * f32::midpoint(pitches, DIGIT_WIDTH);
    let top = y - height / 2.0;
    let stroke = Stroke {
        width: height * STROKE,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        ..Stroke::default()
    };
    for digit in text.bytes() {
        for line in DIGITS[usize::from(digit - b'0')] {
            let mut path = PathBuilder::new();
            for (index, &(across, down)) in line.iter().enumerate() {
                let (x, y) = (left + across * width, top + down * height);
                if index == 0 {
                    path.move_to(x, y);
                } else {
                    path.line_to(x, y);
                }
            }
            if let Some(path) = path.finish() {
                picture.stroke_path(&path, &paint(INK), &stroke, Transform::identity(), None);
            }
        }
        left += pitch;
    }
}

fn fill_rounded(picture: &mut Pixmap, area: Area, radius: f32, colour: Rgb) {
    let Area {
        x,
        y,
        width,
        height,
    } = area;
    let (right, bottom) = (x + width, y + height);
    let mut path = PathBuilder::new();
    path.move_to(x + radius, y);
    path.line_to(right - radius, y);
    path.quad_to(right, y, right, y + radius);
    path.line_to(right, bottom - radius);
    path.quad_to(right, bottom, right - radius, bottom);
    path.line_to(x + radius, bottom);
    path.quad_to(x, bottom, x, bottom - radius);
    path.line_to(x, y + radius);
    path.quad_to(x, y, x + radius, y);
    path.close();
    if let Some(path) = path.finish() {
        fill(picture, &path, colour);
    }
}

fn fill(picture: &mut Pixmap, path: &Path, colour: Rgb) {
    let paint = paint(colour);
    picture.fill_path(path, &paint, FillRule::Winding, Transform::identity(), None);
}

fn paint(colour: Rgb) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(color(colour));
    paint
}

fn color([red, green, blue]: Rgb) -> Color {
    Color::from_rgba8(red, green, blue, u8::MAX)
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    /// Returns the number of pixels of a colour.
    fn count(png: &[u8], wanted: Rgb) -> usize {
        let picture = Pixmap::decode_png(png).expect("a PNG");
        let pixels = picture.pixels().iter();
        pixels
            .filter(|pixel| [pixel.red(), pixel.green(), pixel.blue()] == wanted)
            .count()
    }

    #[test]
    fn picture_shows_all_pits_of_every_board() {
        for houses in [1, 6, 15, 26] {
            let position = Position::start(houses, 4, Rules::CS32).expect("a start");
            let png = board_png(&position).expect("memory");
            let pits = usize::from(houses) * 2 + 2;
            for colour in [PAPER, WOOD, HOLLOW, INK] {
                assert!(count(&png, colour) > pits, "{houses} houses, {colour:?}");
            }
        }
    }

    /// Returns whether the picture of a position has the mark of the side to move in its left half
    /// and in its right half.
    fn turn_marks(text: &str) -> [bool; 2] {
        let position = kalah_api::parse_position(None, Some(text)).expect("a position");
        let png = board_png(&position).expect("memory");
        let picture = Pixmap::decode_png(&png).expect("a PNG");
        let half = u32::from(WIDTH) / 2;
        [0..half, half..u32::from(WIDTH)].map(|mut columns| {
            columns.any(|x| {
                (0..u32::from(HEIGHT)).any(|y| {
                    let pixel = picture.pixel(x, y).expect("a pixel of the picture");
                    [pixel.red(), pixel.green(), pixel.blue()] == ACCENT
                })
            })
        })
    }

    #[test]
    fn mark_of_the_turn_is_at_the_beginning_of_the_row_of_the_side_to_move() {
        for (text, marks) in [
            ("6x4", [true, false]),
            ("26x1000", [true, false]),
            ("<2,0,0,4,1,0,3>", [true, false]),
            ("<2,0,0,4,1,0,3> n", [false, true]),
            ("<2,5,3,0,0,0,0>", [false, false]),
        ] {
            assert_eq!(turn_marks(text), marks, "{text}");
        }
    }

    #[test]
    fn numbers_are_as_wide_as_their_columns_at_most() {
        for (number, most) in [(4, 100.0), (48, 35.0), (1000, 35.0), (u16::MAX, 35.0)] {
            let mut picture = Pixmap::new(200, 60).expect("memory");
            draw_number(&mut picture, number, (100.0, 30.0), most);
            let painted = picture.pixels().iter().zip(0_u16..);
            let columns = painted.filter(|(pixel, _)| pixel.alpha() > 0);
            let columns = columns.map(|(_, index)| f32::from(index % 200));
            let (least, greatest) = columns.fold((200.0_f32, 0.0_f32), |(least, greatest), x| {
                (least.min(x), greatest.max(x))
            });
            assert!(least < greatest, "{number}");
            assert!(greatest - least <= most, "{number}: {least} to {greatest}");
        }
    }

    #[test]
    fn picture_depends_on_the_seeds() {
        let pictures = ["6x4", "6x5", "6x6"].map(|text| {
            let position = kalah_api::parse_position(None, Some(text)).expect("a position");
            board_png(&position).expect("memory")
        });
        assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2]);
    }
}
