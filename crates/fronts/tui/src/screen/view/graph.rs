//! The graph of the margin during a finished game.

use kalah::Side;
use kalah_engine::MarginEstimate;
use kalah_players::escape_truncated;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::theme::{BOLD, DIM, draw_panel, draw_text, inner_area};
use crate::screen::model::Model;

/// The width of the scale on the left.
const SCALE_WIDTH: u16 = 4;

/// The maximum width of a bar.
const MAX_BAR_WIDTH: u16 = 3;

/// The meaning of the bars.
const LEGEND: &str = " █ proven ░ estimate ";

/// Bars have heights in half lines.
const HALVES_PER_LINE: i32 = 2;

/// Returns the area of the bars.
fn bars_area(panel: Rect) -> Rect {
    let area = inner_area(panel);
    Rect {
        x: area.x + SCALE_WIDTH.min(area.width),
        width: area.width.saturating_sub(SCALE_WIDTH),
        ..area
    }
}

/// Returns the width of a bar for each position, or 0 if there are more positions than columns.
fn bar_width(width: u16, positions: usize) -> u16 {
    let bar_width = usize::from(width) / positions;
    u16::try_from(bar_width)
        .unwrap_or(u16::MAX)
        .min(MAX_BAR_WIDTH)
}

/// Returns the number of plies before the position whose margin column `x` shows.
pub(crate) fn ply_at_column(model: &Model, panel: Rect, x: u16) -> Option<usize> {
    let area = bars_area(panel);
    let x = x.checked_sub(area.x).filter(|&x| x < area.width)?;
    let positions = model.game().plies().len() + 1;
    let plies = match x.checked_div(bar_width(area.width, positions)) {
        Some(bar) => usize::from(bar),
        None => usize::from(x) * positions / usize::from(area.width),
    };
    (plies < positions).then_some(plies)
}

/// Draws the margin of each position for the player who began as South.
pub(super) fn draw(model: &Model, panel: Rect, frame: &mut Frame) {
    let names = model.session.names();
    let name = if names.south == names.north {
        model.session.current_side(Side::South).to_string()
    } else {
        escape_truncated(&names.south)
    };
    let Some(review) = model.finished_review() else {
        draw_panel(frame, panel, format!(" Margin of {name} "), "");
        draw_progress(model, panel, frame);
        return;
    };
    draw_panel(frame, panel, format!(" Margin of {name} "), LEGEND);
    let margins: Vec<MarginEstimate> = (0..)
        .map_while(|plies| review.review().value_after(plies))
        .collect();
    let seeds = margins.iter().map(|margin| margin.expected.seeds().abs());
    let max_seeds = seeds.max().unwrap_or(0).max(1);
    let area = bars_area(panel);
    let zero_line = area.y + area.height / 2;
    let max_height = i32::from((area.height / 2).max(1)) * HALVES_PER_LINE;
    let buffer = frame.buffer_mut();
    draw_scale(inner_area(panel), zero_line, max_seeds, buffer);
    for x in area.x..area.right() {
        buffer.set_string(x, zero_line, "─", DIM);
        let Some(plies) = ply_at_column(model, panel, x) else {
            continue;
        };
        let Some(margin) = margins.get(plies) else {
            continue;
        };
        let bar = Bar {
            x,
            zero_line,
            height: bar_height(margin, max_seeds, max_height),
            is_exact: margin.bounds.is_exact(),
        };
        draw_bar(model, &bar, area, buffer);
        if Some(plies) == model.viewed_game_plies() {
            buffer.set_string(x, zero_line, "┼", BOLD);
        }
    }
}

fn draw_progress(model: &Model, panel: Rect, frame: &mut Frame) {
    let text = model
        .review
        .progress()
        .map_or("no review".to_owned(), |(done, all)| {
            format!("analysed: {done} of {all}")
        });
    frame.render_widget(Line::styled(text, DIM), inner_area(panel));
}

/// Returns the signed height of a bar in half lines. A margin other than 0 has at least one.
fn bar_height(margin: &MarginEstimate, max_seeds: i32, max_height: i32) -> i32 {
    let seeds = margin.expected.seeds();
    let height = (seeds.abs() * max_height + max_seeds / 2) / max_seeds;
    height.max(i32::from(seeds != 0)) * seeds.signum()
}

fn draw_scale(area: Rect, zero_line: u16, max_seeds: i32, buffer: &mut Buffer) {
    let width = usize::from(SCALE_WIDTH) - 1;
    for (y, text) in [
        (area.y, format!("{max_seeds:>+width$}")),
        (zero_line, format!("{:>width$}", 0)),
        (area.bottom() - 1, format!("{:>+width$}", -max_seeds)),
    ] {
        draw_text(&text, DIM, Rect { y, ..area }, buffer);
    }
}

/// A column of the graph.
struct Bar {
    x: u16,
    zero_line: u16,
    /// The signed height in half lines.
    height: i32,
    is_exact: bool,
}

/// Draws a bar: solid for an exact margin, shaded for an estimate.
fn draw_bar(model: &Model, bar: &Bar, area: Rect, buffer: &mut Buffer) {
    let is_positive = bar.height > 0;
    let style = if is_positive {
        model.theme.side_style(Side::South)
    } else {
        model.theme.side_style(Side::North)
    };
    let halves = bar.height.unsigned_abs();
    let lines = u16::try_from(halves.div_ceil(2)).unwrap_or(u16::MAX);
    for line in 1..=lines {
        let y = if is_positive {
            bar.zero_line.checked_sub(line)
        } else {
            bar.zero_line.checked_add(line)
        };
        let Some(y) = y.filter(|y| (area.y..area.bottom()).contains(y)) else {
            continue;
        };
        let is_half = line == lines && halves % 2 == 1;
        let symbol = match (bar.is_exact, is_half, is_positive) {
            (false, ..) => "░",
            (true, false, _) => "█",
            (true, true, true) => "▄",
            (true, true, false) => "▀",
        };
        buffer.set_string(bar.x, y, symbol, style);
    }
}
