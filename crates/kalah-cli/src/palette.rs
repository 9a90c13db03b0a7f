use anstyle::{AnsiColor, Color, Style};
use kalah::{BySide, Side};

/// The colours and weights of everything that is drawn; the same words come out without them.
///
/// ```
/// use kalah::Side;
/// use kalah_cli::Palette;
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
    /// No styles at all.
    pub const PLAIN: Self = Self {
        names: BySide::new(Style::new(), Style::new()),
        label: Style::new(),
        empty: Style::new(),
        playable: Style::new(),
        store: Style::new(),
        good: Style::new(),
        problem: Style::new(),
    };

    /// Colours that can be read on a dark and on a light background.
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

    /// Colours, if standard output is a terminal that has them and `NO_COLOR` is unset.
    pub fn for_stdout() -> Self {
        match anstream::AutoStream::choice(&std::io::stdout()) {
            anstream::ColorChoice::Never => Self::PLAIN,
            _ => Self::COLOURED,
        }
    }

    /// What belongs to a side: its name and its words.
    pub fn name(&self, side: Side, text: &str) -> String {
        paint(self.names[side], text)
    }

    /// The label of a house on the board.
    pub fn label(&self, text: &str) -> String {
        paint(self.label, text)
    }

    /// The seeds of an empty house.
    pub fn empty(&self, text: &str) -> String {
        paint(self.empty, text)
    }

    /// The seeds of a house that may be sown now.
    pub fn playable(&self, text: &str) -> String {
        paint(self.playable, text)
    }

    /// The seeds of a store.
    pub fn store(&self, text: &str) -> String {
        paint(self.store, text)
    }

    /// A bonus turn, a capture.
    pub fn good(&self, text: &str) -> String {
        paint(self.good, text)
    }

    /// Something that is refused.
    pub fn problem(&self, text: &str) -> String {
        paint(self.problem, text)
    }
}

fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
