//! Styles of the screen, and drawing that several views share.

use kalah::{BySide, Side};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;
use ratatui::widgets::{Block, BorderType};

use kalah_text::Palette;

pub(crate) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
pub(crate) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub(crate) const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// The colours of the screen: named colours of the terminal that are readable on a light and on a
/// dark background. Colour alone never carries information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Theme {
    pub(crate) sides: BySide<Style>,
    pub(crate) highlight: Style,
    pub(crate) error: Style,
    pub(crate) hint: Style,
}

impl Theme {
    /// Bold text instead of colours.
    pub(crate) const PLAIN: Self = Self {
        sides: BySide::new(BOLD, BOLD),
        highlight: BOLD,
        error: BOLD,
        hint: BOLD,
    };

    pub(crate) const COLOURED: Self = Self {
        sides: BySide::new(BOLD.fg(Color::LightBlue), BOLD.fg(Color::Magenta)),
        highlight: BOLD,
        error: Style::new().fg(Color::Red),
        hint: BOLD,
    };

    /// Returns the plain theme for the plain palette, and the coloured theme otherwise.
    pub(crate) fn from_palette(palette: Palette) -> Self {
        if palette == Palette::PLAIN {
            Self::PLAIN
        } else {
            Self::COLOURED
        }
    }

    pub(crate) fn side_style(&self, side: Side) -> Style {
        self.sides[side]
    }
}

/// Returns the inside of an area with a border.
pub(crate) fn inner_area(area: Rect) -> Rect {
    area.inner(Margin::new(1, 1))
}

/// Draws the border of a panel with its title and a legend, which may be empty.
pub(super) fn draw_panel(frame: &mut Frame, area: Rect, title: String, legend: &'static str) {
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(DIM)
        .title(title)
        .title_bottom(legend);
    frame.render_widget(block, area);
}

/// Draws a text that is cut off at the end of the line that begins in the first cell of `area`.
pub(super) fn draw_text(text: &str, style: Style, area: Rect, buffer: &mut Buffer) {
    buffer.set_stringn(area.x, area.y, text, usize::from(area.width), style);
}

/// Draws a text in the middle of a line, and returns its area.
pub(super) fn draw_centered(text: &str, style: Style, area: Rect, buffer: &mut Buffer) -> Rect {
    let width = u16::try_from(text.chars().count())
        .unwrap_or(u16::MAX)
        .min(area.width);
    let text_area = Rect {
        x: area.x + (area.width - width) / 2,
        width,
        ..area
    };
    draw_text(text, style, text_area, buffer);
    text_area
}

/// Returns the number of columns of a text.
pub(crate) fn text_width(text: &str) -> u16 {
    u16::try_from(Span::raw(text).width()).unwrap_or(u16::MAX)
}

/// Returns the beginning of a text that fits into `width` columns, with `…` if it is cut off.
pub(super) fn truncate(text: &str, width: usize) -> String {
    if Span::raw(text).width() <= width {
        return text.to_owned();
    }
    let mut truncated = String::new();
    for character in text.chars() {
        let longer = format!("{truncated}{character}");
        if Span::raw(&*longer).width() >= width {
            break;
        }
        truncated = longer;
    }
    truncated + "…"
}
