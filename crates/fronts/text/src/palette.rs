//! Colours and weights of text on a terminal.

use anstyle::{AnsiColor, Color, Style};
use kalah::{BySide, Side};

/// The styles of boards and messages. The text is the same with any palette.
///
/// ```
/// use kalah::Side;
/// use kalah_text::Palette;
/// assert_eq!(Palette::PLAIN.name(Side::South, "Marge"), "Marge");
/// assert_eq!(Palette::COLOURED.name(Side::South, "Marge"), "\u{1b}[1m\u{1b}[36mMarge\u{1b}[0m");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    names: BySide<Style>,
    label: Style,
    empty: Style,
    playable: Style,
    store: Style,
    good: Style,
    problem: Style,
}

const fn foreground(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

impl Palette {
    /// No styles.
    pub const PLAIN: Self = Self {
        names: BySide::new(Style::new(), Style::new()),
        label: Style::new(),
        empty: Style::new(),
        playable: Style::new(),
        store: Style::new(),
        good: Style::new(),
        problem: Style::new(),
    };

    /// Colours that are legible on dark and light backgrounds.
    pub const COLOURED: Self = Self {
        names: BySide::new(
            foreground(AnsiColor::Cyan).bold(),
            foreground(AnsiColor::Magenta).bold(),
        ),
        label: Style::new().dimmed(),
        empty: Style::new().dimmed(),
        playable: Style::new().bold(),
        store: foreground(AnsiColor::Green).bold(),
        good: foreground(AnsiColor::Green),
        problem: foreground(AnsiColor::Red),
    };

    /// Returns [`Self::COLOURED`] if standard output is a terminal with colours and `NO_COLOR` is
    /// unset, else [`Self::PLAIN`].
    pub fn for_stdout() -> Self {
        match anstream::AutoStream::choice(&std::io::stdout()) {
            anstream::ColorChoice::Never => Self::PLAIN,
            _ => Self::COLOURED,
        }
    }

    /// Styles the name of a side or of its player.
    pub fn name(&self, side: Side, text: &str) -> String {
        paint(self.names[side], text)
    }

    /// Styles the label of a house on the board.
    pub fn label(&self, text: &str) -> String {
        paint(self.label, text)
    }

    /// Styles the seeds of an empty house.
    pub fn empty(&self, text: &str) -> String {
        paint(self.empty, text)
    }

    /// Styles the seeds of a house that is legal to sow.
    pub fn playable(&self, text: &str) -> String {
        paint(self.playable, text)
    }

    /// Styles the seeds of a store.
    pub fn store(&self, text: &str) -> String {
        paint(self.store, text)
    }

    /// Styles a success: a bonus turn, a capture, a solution.
    pub fn good(&self, text: &str) -> String {
        paint(self.good, text)
    }

    /// Styles a refusal or a mistake.
    pub fn problem(&self, text: &str) -> String {
        paint(self.problem, text)
    }
}

fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
