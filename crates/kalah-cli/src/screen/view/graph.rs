use kalah::Side;
use kalah_engine::{MarginEstimate, Review};
use kalah_players::escape_truncated;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType};

use super::super::model::{Model, ReviewState};
use super::super::theme::{BOLD, DIM};
use super::super::turns::{SCALE_WIDTH, graph_area, inner_area, ply_at_column};

/// A bar is as high as its margin, in halves of a line.
const HALVES_PER_LINE: i32 = 2;

/// What the game was worth at each of its positions to who began as South.
pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame) {
    let names = model.session.names();
    let name = if names.south == names.north {
        model.session.current_side(Side::South).to_string()
    } else {
        escape_truncated(&names.south)
    };
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(DIM)
        .title(format!(" Margin of {name} "));
    frame.render_widget(block, area);
    let inner = inner_area(area);
    let Some(review) = model.finished_review() else {
        let told = match &model.review {
            ReviewState::Running {
                game,
                positions_done: done,
                ..
            } => {
                format!("looking back: {done} of {}", game.plies().len() + 1)
            }
            _ => "nothing to look back on".to_owned(),
        };
        frame.render_widget(Line::styled(told, DIM), inner);
        return;
    };
    let margins = outlooks(review);
    let most = margins
        .iter()
        .map(|outlook| outlook.expected.seeds().abs())
        .max()
        .unwrap_or(0)
        .max(1);
    let bars = graph_area(area);
    let zero = bars.y + bars.height / 2;
    let reach = i32::from((bars.height / 2).max(1)) * HALVES_PER_LINE;
    let buffer = frame.buffer_mut();
    draw_scale(buffer, inner, zero, most);
    for x in bars.x..bars.right() {
        buffer.set_string(x, zero, "─", DIM);
        let Some(at) = ply_at_column(model, area, x) else {
            continue;
        };
        let Some(outlook) = margins.get(at) else {
            continue;
        };
        let is_shown = at == model.viewed_ply_count();
        draw_bar(
            model,
            buffer,
            (x, zero),
            bars,
            bar_height(outlook, most, reach),
            outlook.bounds.is_exact(),
        );
        if is_shown {
            buffer.set_string(x, zero, "┼", BOLD);
        }
    }
}

/// Of the start and behind each ply, for who began as South.
fn outlooks(review: &Review) -> Vec<MarginEstimate> {
    let plies = review.plies.iter();
    let behind = plies.map(|ply| ply.after.from_south_perspective(ply.player));
    std::iter::once(review.start).chain(behind).collect()
}

/// In halves of a line; what is not zero is seen.
fn bar_height(outlook: &MarginEstimate, most: i32, reach: i32) -> i32 {
    let seeds = outlook.expected.seeds();
    let height = (seeds.abs() * reach + most / 2) / most;
    height.max(i32::from(seeds != 0)) * seeds.signum()
}

fn draw_scale(buffer: &mut Buffer, inner: Rect, zero: u16, most: i32) {
    let width = usize::from(SCALE_WIDTH) - 1;
    for (y, text) in [
        (inner.y, format!("{most:>+width$}")),
        (zero, format!("{:>width$}", 0)),
        (inner.bottom() - 1, format!("{:>+width$}", -most)),
    ] {
        buffer.set_stringn(inner.x, y, text, usize::from(inner.width), DIM);
    }
}

/// Proven margins are solid, and expected ones are not.
fn draw_bar(
    model: &Model,
    buffer: &mut Buffer,
    (x, zero): (u16, u16),
    area: Rect,
    height: i32,
    exact: bool,
) {
    let style: Style = if height > 0 {
        model.theme.side_style(Side::South)
    } else {
        model.theme.side_style(Side::North)
    };
    let halves = height.unsigned_abs();
    let lines = u16::try_from(halves.div_ceil(2)).unwrap_or(u16::MAX);
    for line in 1..=lines {
        let y = if height > 0 {
            zero.checked_sub(line)
        } else {
            zero.checked_add(line)
        };
        let Some(y) = y.filter(|y| (area.y..area.bottom()).contains(y)) else {
            continue;
        };
        let is_half = line == lines && halves % 2 == 1;
        let symbol = match (exact, is_half, height > 0) {
            (false, ..) => "░",
            (true, false, _) => "█",
            (true, true, true) => "▄",
            (true, true, false) => "▀",
        };
        buffer.set_string(x, y, symbol, style);
    }
}
