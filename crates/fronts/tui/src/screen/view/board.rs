//! The board: names, labels, houses, stores and margins.

use kalah::{BySide, House, Move, Pit, Side};
use kalah_engine::MoveReport;
use kalah_players::escape_truncated;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Widget as _};

use super::layout::{BoardStyle, MIN_DOTS_WIDTH, ScreenLayout};
use super::theme::{BOLD, DIM, SELECTED, draw_centered, inner_area, text_width, truncate};
use crate::game::clock::format_clock;
use crate::screen::model::animation::DisplayedSeeds;
use crate::screen::model::{Model, SowingMarks};

/// The appearance of a house.
struct HouseAppearance {
    is_cursor: bool,
    is_playable: bool,
    is_hinted: bool,
    mark: Option<PitMark>,
}

/// The role of a pit in the last sowing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PitMark {
    Origin,
    Last,
    Captured,
}

impl PitMark {
    fn symbol(self) -> &'static str {
        match self {
            Self::Origin => "○",
            Self::Last => "●",
            Self::Captured => "×",
        }
    }
}

impl SowingMarks {
    fn mark_at(self, pit: Pit) -> Option<PitMark> {
        if self.last == Some(pit) {
            Some(PitMark::Last)
        } else if self.captured == Some(pit) {
            Some(PitMark::Captured)
        } else if self.origin == Some(pit) {
            Some(PitMark::Origin)
        } else {
            None
        }
    }
}

/// Draws the board of the viewed position or of the animation.
pub(super) fn draw(model: &Model, layout: &ScreenLayout, frame: &mut Frame) {
    let (seeds, marks) = model.displayed_board();
    let notation = model.notation();
    let names = model.viewed_names();
    for side in Side::ALL {
        draw_name(model, layout, side, (&seeds, marks), names, frame);
        let houses = House::all(model.session.position().houses());
        let buffer = frame.buffer_mut();
        for (index, house) in houses.enumerate() {
            let (Some(&area), Some(&label)) = (
                layout.houses[side].get(index),
                layout.labels[side].get(index),
            ) else {
                continue;
            };
            let appearance = house_appearance(model, side, house, marks);
            let count = seeds.house(side, house);
            match layout.board_style {
                BoardStyle::Boxes => draw_house(model, &appearance, count, area, buffer),
                BoardStyle::Numbers => draw_number(model, &appearance, count, area, buffer),
            }
            let margin_area = layout.margins.as_ref();
            let margin_area = margin_area.and_then(|margins| margins[side].get(index).copied());
            let margin = margin_of(model, side, house, margin_area.unwrap_or(label).width);
            let name = notation.format_house(side, house);
            let name = (name, label_style(model, &appearance, side));
            let (text, style) = match (margin_area, &margin) {
                // A low screen has no lines for margins: they stand in place of the labels.
                (None, Some(margin)) if !appearance.is_hinted => margin,
                _ => &name,
            };
            draw_centered(text, *style, label, buffer);
            if let (Some(area), Some((text, style))) = (margin_area, margin) {
                draw_centered(&text, style, area, buffer);
            }
        }
    }
    if let Some(stores) = layout.stores {
        for side in Side::ALL {
            let mark = marks.mark_at(Pit::Store(side));
            let has_dots = layout.houses[side]
                .first()
                .is_some_and(|&house| has_dots(house));
            draw_store(
                model,
                side,
                seeds.stores[side],
                mark,
                stores[side],
                has_dots,
                frame,
            );
        }
    }
}

fn house_appearance(
    model: &Model,
    side: Side,
    house: House,
    marks: SowingMarks,
) -> HouseAppearance {
    let pit = Pit::House(side, house);
    if let Some(editor) = &model.editor {
        return HouseAppearance {
            is_cursor: editor.cursor == pit,
            is_playable: true,
            is_hinted: false,
            mark: None,
        };
    }
    let mv = Move::Sow(house);
    let is_playable =
        model.side_to_input() == Some(side) && model.viewed_position().check_legal(mv).is_ok();
    HouseAppearance {
        is_cursor: is_playable && house == model.cursor,
        is_playable,
        is_hinted: is_playable && model.hint.as_ref().is_some_and(|(_, hinted)| *hinted == mv),
        mark: marks.mark_at(pit),
    }
}

/// Draws the line of a player: a sign for the side to move, the name, and the store if it has no
/// box.
fn draw_name(
    model: &Model,
    layout: &ScreenLayout,
    side: Side,
    (seeds, marks): (&DisplayedSeeds, SowingMarks),
    names: BySide<&str>,
    frame: &mut Frame,
) {
    let position = model.viewed_position();
    let has_ended = model.session.ending().is_some() && model.shows_current_position();
    let moving_side = match (model.shown_animation(), model.viewed_ply()) {
        _ if model.editor.is_some() => model.editor.as_ref().map(|editor| editor.to_move),
        (Some(_), Some(ply)) => Some(ply.side),
        _ if position.is_over() || has_ended => None,
        _ => Some(position.to_move()),
    };
    let style = model.theme.side_style(side);
    let sign = if moving_side == Some(side) {
        "▶ "
    } else {
        "  "
    };
    let sign = Span::styled(sign, style);
    let store = match layout.board_style {
        BoardStyle::Boxes => Span::default(),
        BoardStyle::Numbers => {
            let mark = marks.mark_at(Pit::Store(side)).map_or(" ", PitMark::symbol);
            let style = if is_edited_store(model, side) {
                BOLD.patch(SELECTED)
            } else {
                BOLD
            };
            Span::styled(format!("  {}{mark}", seeds.stores[side]), style)
        }
    };
    let clock = Span::styled(clock_text(model, side), BOLD);
    let area = layout.names[side];
    // A long name is truncated, so that the seeds of the store stay visible.
    let width =
        usize::from(area.width).saturating_sub(sign.width() + clock.width() + store.width());
    let name = escape_truncated(names[side]);
    let label = format!("{side} ({name})");
    // On a small screen, the labels of the houses show the side.
    let label = if usize::from(text_width(&label)) > width {
        name
    } else {
        label
    };
    let name = Span::styled(truncate(&label, width), style);
    let line = Line::from(vec![sign, name, clock, store]).alignment(Alignment::Center);
    frame.render_widget(line, area);
}

/// Returns the time left of the player who is on `side` in the current position.
fn clock_text(model: &Model, side: Side) -> String {
    let clock = model.clock.as_ref();
    let clock = clock.filter(|_| model.puzzles.is_none() && model.editor.is_none());
    clock.map_or_else(String::new, |clock| {
        let player = model.game().player_on(side);
        format!("  {}", format_clock(clock.remaining(player, model.now)))
    })
}

fn count_style(model: &Model, appearance: &HouseAppearance, count: u32) -> Style {
    if appearance.is_cursor {
        BOLD.patch(SELECTED)
    } else if appearance.is_playable {
        BOLD
    } else if count == 0 {
        DIM
    } else if appearance.mark == Some(PitMark::Last) && model.animation.is_some() {
        model.theme.highlight.patch(BOLD)
    } else {
        Style::new()
    }
}

fn label_style(model: &Model, appearance: &HouseAppearance, side: Side) -> Style {
    if appearance.is_hinted {
        model.theme.hint.add_modifier(Modifier::UNDERLINED)
    } else if appearance.is_playable {
        model.theme.side_style(side)
    } else {
        DIM
    }
}

fn draw_house(
    model: &Model,
    appearance: &HouseAppearance,
    count: u32,
    area: Rect,
    buffer: &mut Buffer,
) {
    let border = if appearance.is_cursor {
        BorderType::Thick
    } else {
        BorderType::Rounded
    };
    let style = if appearance.is_hinted {
        model.theme.hint
    } else if appearance.is_cursor || appearance.mark.is_some() {
        Style::new()
    } else {
        DIM
    };
    Block::bordered()
        .border_type(border)
        .border_style(style)
        .render(area, buffer);
    if let Some(mark) = appearance.mark {
        draw_mark(mark, area.x + 1, area.y, buffer);
    }
    if appearance.is_hinted {
        buffer.set_string(area.right() - 2, area.y, "!", model.theme.hint);
    }
    let style = count_style(model, appearance, count);
    draw_contents(count, style, inner_area(area), has_dots(area), buffer);
}

/// The minimum height of a house whose seeds are drawn as dots, with its border.
const MIN_DOTS_HEIGHT: u16 = 4;

/// Returns whether the seeds of a house of this size are drawn as dots, too.
fn has_dots(house: Rect) -> bool {
    house.width >= MIN_DOTS_WIDTH && house.height >= MIN_DOTS_HEIGHT
}

/// Draws the number of seeds in the middle of a pit or, with dots, in its last line below them.
fn draw_contents(count: u32, style: Style, area: Rect, has_dots: bool, buffer: &mut Buffer) {
    let number_line = if has_dots {
        area.height - 1
    } else {
        (area.height - 1) / 2
    };
    let number = Rect {
        y: area.y + number_line,
        height: 1,
        ..area
    };
    draw_centered(&count.to_string(), style, number, buffer);
    if has_dots {
        let dots = Rect {
            height: number_line,
            ..area
        };
        for (line, text) in dot_lines(count, dots.width, dots.height) {
            let line = Rect {
                y: dots.y + line,
                height: 1,
                ..dots
            };
            draw_centered(
                &text,
                style.remove_modifier(Modifier::REVERSED),
                line,
                buffer,
            );
        }
    }
}

const DOT: &str = "•";

/// Arranges dots in lines of an area, each with its index, in the middle of the area. More seeds
/// than fit fill the area.
fn dot_lines(seeds: u32, width: u16, height: u16) -> Vec<(u16, String)> {
    let (width, height) = (u32::from(width), u32::from(height));
    // Dots have spaces between them if there is room for all.
    let spaced_width = width.div_ceil(2);
    // A cell is twice as high as wide, so that dots with spaces form squares of equal numbers.
    let (separator, per_line, dots_per_height) = if seeds <= spaced_width * height {
        (" ", spaced_width, 1)
    } else {
        ("", width, 2)
    };
    let seeds = seeds.min(per_line * height);
    if seeds == 0 {
        return Vec::new();
    }
    let square = (1..=height).take_while(|lines| dots_per_height * lines * lines <= seeds);
    let lines = square.last().unwrap_or(1).max(seeds.div_ceil(per_line));
    let first = (height - lines) / 2;
    let line_seeds = (0..lines).map(|line| seeds * (line + 1) / lines - seeds * line / lines);
    line_seeds
        .zip(first..)
        .map(|(seeds, line)| {
            let dots = vec![DOT; usize::try_from(seeds).unwrap_or_default()];
            (
                u16::try_from(line).unwrap_or(u16::MAX),
                dots.join(separator),
            )
        })
        .collect()
}

fn draw_number(
    model: &Model,
    appearance: &HouseAppearance,
    count: u32,
    area: Rect,
    buffer: &mut Buffer,
) {
    let style = count_style(model, appearance, count);
    let number = draw_centered(&count.to_string(), style, area, buffer);
    if let Some(mark) = appearance.mark
        && number.right() < area.right()
    {
        draw_mark(mark, number.right(), area.y, buffer);
    }
}

fn draw_mark(mark: PitMark, x: u16, y: u16, buffer: &mut Buffer) {
    buffer.set_string(x, y, mark.symbol(), BOLD);
}

fn draw_store(
    model: &Model,
    side: Side,
    count: u32,
    mark: Option<PitMark>,
    area: Rect,
    has_dots: bool,
    frame: &mut Frame,
) {
    let style = model.theme.side_style(side);
    let buffer = frame.buffer_mut();
    let is_cursor = is_edited_store(model, side);
    let border = if is_cursor {
        BorderType::Thick
    } else {
        BorderType::Rounded
    };
    Block::bordered()
        .border_type(border)
        .border_style(style)
        .render(area, buffer);
    if let Some(mark) = mark {
        draw_mark(mark, area.x + 1, area.y, buffer);
    }
    draw_contents(count, style, inner_area(area), has_dots, buffer);
}

/// Returns whether the position editor changes the store of a side.
fn is_edited_store(model: &Model, side: Side) -> bool {
    let editor = model.editor.as_ref();
    editor.is_some_and(|editor| editor.cursor == Pit::Store(side))
}

/// Returns the margin of sowing a house of the side to move for this number of columns, if margins
/// are shown.
fn margin_of(model: &Model, side: Side, house: House, width: u16) -> Option<(String, Style)> {
    let mv = Move::Sow(house);
    let position = model.viewed_position();
    let report = model
        .shown_analysis()
        .filter(|_| position.to_move() == side)?;
    let candidate = report.move_report(mv)?;
    let bounds = candidate.bounds;
    let best = (report.moves.iter())
        .map(|candidate| candidate.bounds.lower)
        .max();
    let is_best = report.best_move == Some(mv) || bounds.is_exact() && best == Some(bounds.lower);
    let text = score_text(candidate, is_best, width);
    let style = if is_best {
        model.theme.highlight.patch(BOLD)
    } else if bounds.is_exact() {
        Style::new()
    } else {
        DIM
    };
    Some((text, style))
}

/// The sign of the best move.
const BEST_SIGN: &str = "*";

/// Returns the score of a move as text: `+8` if it is proven, `~+4` for an estimate, and `*+8` for
/// the best move. Signs are left out if they do not fit into `width` columns.
fn score_text(candidate: &MoveReport, is_best: bool, width: u16) -> String {
    let score = candidate.estimate.to_string();
    let unsigned = score.trim_start_matches('+');
    let approximate = if candidate.bounds.is_exact() { "" } else { "~" };
    let best = if is_best { BEST_SIGN } else { "" };
    // A `~` separates an estimate from its neighbour.
    let fits = |text: &String| {
        let length = text.chars().count();
        length < usize::from(width) || length == usize::from(width) && text.starts_with('~')
    };
    [
        format!("{best}{approximate}{score}"),
        format!("{best}{approximate}{unsigned}"),
        format!("{approximate}{unsigned}"),
    ]
    .into_iter()
    .find(fits)
    .unwrap_or_else(|| unsigned.to_owned())
}
