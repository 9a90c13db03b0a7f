use kalah::{BySide, House, Margin, Move, Pit, Side};
use kalah_engine::Bounds;
use kalah_players::escape_truncated;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Widget as _};

use super::super::animation::DisplayedSeeds;
use super::super::layout::{BoardStyle, ScreenLayout};
use super::super::model::{Model, SowingMarks};
use super::super::theme::{BOLD, DIM, SELECTED};

/// What a house looks like.
struct HouseAppearance {
    is_cursor: bool,
    is_playable: bool,
    is_hinted: bool,
    mark: Option<PitMark>,
}

/// What the last sowing did to a pit.
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

/// Names, labels, houses and stores.
pub(super) fn draw(model: &Model, layout: &ScreenLayout, frame: &mut Frame) {
    let (seeds, marks) = model.displayed_board();
    let names = model.session.names_after(model.viewed_ply_count());
    for side in Side::ALL {
        draw_name(model, layout, side, &seeds, names, frame);
        for (index, house) in House::all(model.session.position().houses()).enumerate() {
            let look = house_appearance(model, side, house, marks);
            let count = seeds.house(side, house);
            let buffer = frame.buffer_mut();
            let (Some(&area), Some(&label)) = (
                layout.houses[side].get(index),
                layout.labels[side].get(index),
            ) else {
                continue;
            };
            match layout.board_style {
                BoardStyle::Boxes => draw_box(model, &look, count, area, buffer),
                BoardStyle::Numbers => draw_number(model, &look, count, area, buffer),
            }
            let text = model.naming().format_house(side, house);
            draw_centred(&text, label_style(model, &look, side), label, buffer);
            if let Some(margins) = &layout.margins
                && let Some(&area) = margins[side].get(index)
            {
                draw_margin(model, side, Move::Sow(house), area, buffer);
            }
        }
    }
    if let Some(stores) = layout.stores {
        for side in Side::ALL {
            let mark = marks.mark_at(Pit::Store(side));
            draw_store(model, side, seeds.stores[side], mark, stores[side], frame);
        }
    }
}

fn house_appearance(
    model: &Model,
    side: Side,
    house: House,
    marks: SowingMarks,
) -> HouseAppearance {
    let mv = Move::Sow(house);
    let is_playable =
        model.side_to_input() == Some(side) && model.session.position().check_legal(mv).is_ok();
    let is_chosen = |advised: bool| is_playable && advised;
    HouseAppearance {
        is_cursor: is_chosen(house == model.cursor),
        is_playable,
        is_hinted: is_chosen(model.hinted_move == Some(mv)),
        mark: marks.mark_at(Pit::House(side, house)),
    }
}

fn draw_name(
    model: &Model,
    layout: &ScreenLayout,
    side: Side,
    seeds: &DisplayedSeeds,
    names: BySide<&str>,
    frame: &mut Frame,
) {
    let position = model.viewed_position();
    let mover = match (&model.animation, model.viewed_ply()) {
        (Some(_), Some(ply)) => Some(ply.side),
        _ if position.is_over() || model.session.ending().is_some() => None,
        _ => Some(position.to_move()),
    };
    let sign = if mover == Some(side) { "▶ " } else { "  " };
    let store = match layout.board_style {
        BoardStyle::Boxes => Span::default(),
        BoardStyle::Numbers => {
            let (_, marks) = model.displayed_board();
            let sign = marks.mark_at(Pit::Store(side)).map_or(" ", PitMark::symbol);
            Span::styled(format!("  {}{sign}", seeds.stores[side]), BOLD)
        }
    };
    let sign = Span::styled(sign, model.theme.side_style(side));
    let area = layout.names[side];
    // Whoever has a long name has seeds all the same.
    let room = usize::from(area.width).saturating_sub(sign.width() + store.width());
    let name = Span::raw(format!("{side} ({})", escape_truncated(names[side])));
    let name = truncate(&name, room).patch_style(model.theme.side_style(side));
    let line = Line::from(vec![sign, name, store]).alignment(Alignment::Center);
    frame.render_widget(line, area);
}

/// As much of a text as there is room for.
fn truncate(text: &Span, room: usize) -> Span<'static> {
    if text.width() <= room {
        return Span::raw(text.content.to_string());
    }
    let mut cut = String::new();
    for character in text.content.chars() {
        let longer = format!("{cut}{character}");
        // A place is left for the sign that something is missing.
        if Span::raw(&*longer).width() >= room {
            break;
        }
        cut = longer;
    }
    Span::raw(cut + "…")
}

fn count_style(model: &Model, look: &HouseAppearance, count: u32) -> Style {
    if look.is_cursor {
        BOLD.patch(SELECTED)
    } else if look.is_playable {
        BOLD
    } else if count == 0 {
        DIM
    } else if look.mark == Some(PitMark::Last) && model.animation.is_some() {
        model.theme.highlight.patch(BOLD)
    } else {
        Style::new()
    }
}

fn label_style(model: &Model, look: &HouseAppearance, side: Side) -> Style {
    if look.is_hinted {
        model.theme.hint.add_modifier(Modifier::UNDERLINED)
    } else if look.is_playable {
        model.theme.side_style(side)
    } else {
        DIM
    }
}

fn draw_box(model: &Model, look: &HouseAppearance, count: u32, area: Rect, buffer: &mut Buffer) {
    let border = if look.is_cursor {
        BorderType::Thick
    } else {
        BorderType::Rounded
    };
    let style = if look.is_hinted {
        model.theme.hint
    } else if look.is_cursor || look.mark.is_some() {
        Style::new()
    } else {
        DIM
    };
    Block::bordered()
        .border_type(border)
        .border_style(style)
        .render(area, buffer);
    if let Some(mark) = look.mark {
        draw_mark(mark, area.x + 1, area.y, buffer);
    }
    if look.is_hinted {
        buffer.set_string(area.right() - 2, area.y, "!", model.theme.hint);
    }
    let line = Rect {
        x: area.x + 1,
        y: area.y + area.height / 2,
        width: area.width - 2,
        height: 1,
    };
    draw_centred(
        &count.to_string(),
        count_style(model, look, count),
        line,
        buffer,
    );
}

fn draw_number(model: &Model, look: &HouseAppearance, count: u32, area: Rect, buffer: &mut Buffer) {
    let text = count.to_string();
    let place = draw_centred(&text, count_style(model, look, count), area, buffer);
    if let Some(mark) = look.mark
        && place.right() < area.right()
    {
        draw_mark(mark, place.right(), area.y, buffer);
    }
}

fn draw_mark(mark: PitMark, x: u16, y: u16, buffer: &mut Buffer) {
    buffer.set_string(x, y, mark.symbol(), BOLD);
}

/// Writes a text in the middle of a line, and returns where.
fn draw_centred(text: &str, style: Style, area: Rect, buffer: &mut Buffer) -> Rect {
    let width = u16::try_from(text.chars().count())
        .unwrap_or(u16::MAX)
        .min(area.width);
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        width,
        ..area
    };
    buffer.set_stringn(place.x, place.y, text, usize::from(width), style);
    place
}

fn draw_store(
    model: &Model,
    side: Side,
    count: u32,
    mark: Option<PitMark>,
    area: Rect,
    frame: &mut Frame,
) {
    let buffer = frame.buffer_mut();
    let block = Block::bordered().border_type(BorderType::Rounded);
    block
        .border_style(model.theme.side_style(side))
        .render(area, buffer);
    if let Some(mark) = mark {
        draw_mark(mark, area.x + 1, area.y, buffer);
    }
    let line = Rect {
        x: area.x + 1,
        y: area.y + (area.height - 1) / 2,
        width: area.width - 2,
        height: 1,
    };
    draw_centred(
        &count.to_string(),
        model.theme.side_style(side),
        line,
        buffer,
    );
}

/// What a house is worth to who may sow it.
fn draw_margin(model: &Model, side: Side, mv: Move, area: Rect, buffer: &mut Buffer) {
    let position = model.viewed_position();
    let Some(report) = model
        .shown_analysis()
        .filter(|_| position.to_move() == side)
    else {
        return;
    };
    let Some(bounds) = report.bounds_of(mv) else {
        return;
    };
    let best = report.moves.iter().map(|(_, bounds)| bounds.lower).max();
    let expected = (report.best_move == Some(mv)).then(|| report.expected_margin());
    let text = margin_text(bounds, expected, area.width);
    let style = if bounds.is_exact() && best == Some(bounds.lower) {
        model.theme.highlight.patch(BOLD)
    } else if bounds.is_exact() {
        Style::new()
    } else {
        DIM
    };
    draw_centred(&text, style, area, buffer);
}

/// `+8` if it is proven, `≥+2` or `≤-2` if so much is, `~+4` if that is only expected, and `?` otherwise, in so many
/// columns.
fn margin_text(bounds: Bounds, expected: Option<Margin>, width: u16) -> String {
    let signed = |seeds: i32| format!("{seeds:+}").replace("+0", "0");
    let (lower, upper) = (bounds.lower.seeds(), bounds.upper.seeds());
    let text = if bounds.is_exact() {
        signed(lower)
    } else if lower > 0 {
        format!("≥{}", signed(lower))
    } else if upper < 0 {
        format!("≤{}", signed(upper))
    } else if let Some(expected) = expected {
        format!("~{}", signed(expected.seeds()))
    } else {
        "?".to_owned()
    };
    if text.chars().count() >= usize::from(width) {
        "?".to_owned()
    } else {
        text
    }
}
