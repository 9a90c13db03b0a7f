use kalah::{BySide, Side};
use ratatui::style::{Color, Modifier, Style};

use crate::Palette;

/// The colours of the screen: those that the terminal has names for, and of them those that can be read on light
/// and on dark. Nothing is told by colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Theme {
    pub(crate) sides: BySide<Style>,
    pub(crate) highlight: Style,
    pub(crate) error: Style,
    pub(crate) hint: Style,
}

impl Theme {
    /// Weights without colours.
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

    /// With colours where what is written line by line has them.
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

pub(crate) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
pub(crate) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub(crate) const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);
