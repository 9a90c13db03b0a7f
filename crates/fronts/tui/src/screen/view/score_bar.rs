//! The bar below the board that shows which side is ahead.

use kalah_engine::MarginEstimate;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::theme::DIM;
use crate::screen::model::Model;

/// The margin in seeds that fills the bar.
const FULL_MARGIN: i32 = 24;

/// Draws the margin of the viewed position: its number, and a bar that the side at the bottom fills
/// from the left, half of it for a tie.
pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame) {
    let Some(value) = south_value(model) else {
        return;
    };
    let side = model.bottom_side();
    let margin = value.from_south_perspective(side).expected;
    let approximate = if value.bounds.is_exact() { "" } else { "~" };
    let label = format!("{side} {approximate}{margin} ");
    let width = area
        .width
        .saturating_sub(u16::try_from(label.len()).unwrap_or(u16::MAX));
    let filled = filled_cells(margin.seeds(), width);
    let bar = |symbol: &str, cells: u16| symbol.repeat(cells.into());
    let line = Line::from(vec![
        Span::styled(label, model.theme.side_style(side)),
        Span::styled(bar("█", filled), model.theme.side_style(side)),
        Span::styled(bar("░", width - filled), DIM),
    ]);
    frame.render_widget(line, area);
}

/// Returns how many of `width` cells a margin fills.
fn filled_cells(margin: i32, width: u16) -> u16 {
    let share = margin.clamp(-FULL_MARGIN, FULL_MARGIN) + FULL_MARGIN;
    let cells = i32::from(width) * share / (2 * FULL_MARGIN);
    u16::try_from(cells).unwrap_or_default()
}

/// Returns the value of the viewed position for South: from the analysis, or else from the review.
fn south_value(model: &Model) -> Option<MarginEstimate> {
    let position = model.viewed_position();
    if let Some(report) = model.shown_analysis() {
        let value = MarginEstimate {
            expected: report.margin(),
            bounds: report.bounds,
        };
        return Some(value.from_south_perspective(position.to_move()));
    }
    model.reviewed_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_fills_half_of_the_bar() {
        assert_eq!(filled_cells(0, 40), 20);
        assert_eq!(filled_cells(6, 40), 25);
        assert_eq!(filled_cells(-6, 40), 15);
        assert_eq!(filled_cells(48, 40), 40);
        assert_eq!(filled_cells(-100, 40), 0);
        assert_eq!(filled_cells(5, 0), 0);
    }
}
