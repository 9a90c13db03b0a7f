//! ASCII characters instead of the symbols of the screen, for terminals that do not use UTF-8.

use ratatui::buffer::Buffer;

/// The symbols that the screen draws, and their replacements of one character.
const REPLACEMENTS: [(&str, &str); 36] = [
    ("─", "-"),
    ("━", "="),
    ("═", "="),
    ("│", "|"),
    ("┃", "#"),
    ("║", "|"),
    ("╭", "+"),
    ("╮", "+"),
    ("╰", "+"),
    ("╯", "+"),
    ("┏", "#"),
    ("┓", "#"),
    ("┗", "#"),
    ("┛", "#"),
    ("╔", "+"),
    ("╗", "+"),
    ("╚", "+"),
    ("╝", "+"),
    ("┼", "+"),
    ("▶", ">"),
    ("▸", ">"),
    ("◂", "<"),
    ("←", "<"),
    ("→", ">"),
    ("↑", "^"),
    ("↓", "v"),
    ("○", "o"),
    ("●", "@"),
    ("×", "x"),
    ("•", "o"),
    ("█", "#"),
    ("▄", "#"),
    ("▀", "#"),
    ("░", ":"),
    ("…", "~"),
    ("≤", "<"),
];

/// The replacement of other characters, such as those of names.
const UNKNOWN: &str = "?";

/// Replaces all symbols that are not ASCII.
pub(super) fn replace_symbols(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if cell.symbol().is_ascii() {
            continue;
        }
        let mut replacements = REPLACEMENTS.iter();
        let replacement = replacements.find(|(symbol, _)| *symbol == cell.symbol());
        cell.set_symbol(replacement.map_or(UNKNOWN, |(_, replacement)| replacement));
    }
}
