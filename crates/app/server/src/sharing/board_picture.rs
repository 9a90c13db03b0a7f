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

/// The width of the strokes of digits, in pixels.
const STROKE: f32 = 4.5;

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

/// Returns the picture of a position as PNG, with South's row at the bottom; `None` if there is no
/// memory for it.
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
    for (area, count, label) in pits(position, board) {
        draw_pit(&mut picture, area, count, label);
    }
    picture.encode_png().ok()
}

/// Returns the area of each pit, its seeds, and the vertical centre of its count.
fn pits(position: &Position, board: Area) -> Vec<(Area, u16, f32)> {
    let houses = position.houses();
    let pitch = (board.width - MARGIN) / (f32::from(houses) + 2.0);
    let row_height = (board.height - 2.0 * STRIP - GAP) / 2.0;
    let left = board.x + MARGIN / 2.0 + GAP / 2.0;
    let top = board.y + STRIP;
    let label = |side: Side| match side {
        Side::North => board.y + STRIP / 2.0,
        Side::South => board.y + board.height - STRIP / 2.0,
    };
    let area = |column: u8, y: f32, height: f32| Area {
        x: left + f32::from(column) * pitch,
        y,
        width: pitch - GAP,
        height,
    };
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
            pits.push((area(column, y, row_height), count.get(), label(side)));
        }
        let store = area(store_column, top, 2.0 * row_height + GAP);
        pits.push((store, position.store(side).get(), label(side)));
    }
    pits
}

/// Draws a pit with its seeds and its count.
fn draw_pit(picture: &mut Pixmap, area: Area, count: u16, label: f32) {
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
    draw_number(picture, count, area.x + area.width / 2.0, label);
}

/// Draws a number around a centre.
fn draw_number(picture: &mut Pixmap, number: u16, x: f32, y: f32) {
    let text = number.to_string();
    let pitch = DIGIT_HEIGHT * DIGIT_PITCH;
    let width = DIGIT_HEIGHT * DIGIT_WIDTH;
    let gaps = text.bytes().skip(1).map(|_| pitch).sum::<f32>();
    let mut left = x - f32::midpoint(gaps, width);
    let top = y - DIGIT_HEIGHT / 2.0;
    let stroke = Stroke {
        width: STROKE,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        ..Stroke::default()
    };
    for digit in text.bytes() {
        for line in DIGITS[usize::from(digit - b'0')] {
            let mut path = PathBuilder::new();
            for (index, &(across, down)) in line.iter().enumerate() {
                let (x, y) = (left + across * width, top + down * DIGIT_HEIGHT);
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

    #[test]
    fn picture_depends_on_the_seeds() {
        let pictures = ["6x4", "6x5", "6x6"].map(|text| {
            let position = kalah_api::parse_position(None, Some(text)).expect("a position");
            board_png(&position).expect("memory")
        });
        assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2]);
    }
}
