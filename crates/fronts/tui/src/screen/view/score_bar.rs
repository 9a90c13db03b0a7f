//! The bar below the board that shows which side is ahead.

use kalah::Side;
use kalah_engine::MarginEstimate;
use kalah_text::format_win_chance;
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
    let value = value.from_south_perspective(side);
    let margin = value.expected;
    let label = score_label(side, value);
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

/// Returns the value of a position for `side` in words: `South +8` or `South ~+6, wins 79 %`.
fn score_label(side: Side, value: MarginEstimate) -> String {
    let MarginEstimate {
        expected,
        bounds,
        chances,
    } = value;
    if bounds.is_exact() {
        return format!("{side} {expected} ");
    }
    let chance = format_win_chance(bounds, chances);
    format!("{side} ~{expected}{chance} ")
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
        let value = MarginEstimate::from_report(position, report);
        return Some(value.from_south_perspective(position.to_move()));
    }
    model.reviewed_value()
}

#[cfg(test)]
mod tests {
    use kalah::Margin;
    use kalah_engine::{Bounds, ResultChances};

    use super::*;

    #[test]
    fn label_has_the_chance_to_win_unless_the_result_is_proven() {
        let label = |lower, upper| {
            let value = MarginEstimate {
                expected: Margin::new(6),
                bounds: Bounds {
                    lower: Margin::new(lower),
                    upper: Margin::new(upper),
                },
                chances: ResultChances::new(794, 26, 180),
            };
            score_label(Side::South, value)
        };
        assert_eq!(label(-4, 8), "South ~+6, wins 79 % ");
        assert_eq!(label(2, 8), "South ~+6 ");
        assert_eq!(label(6, 6), "South +6 ");
    }

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
