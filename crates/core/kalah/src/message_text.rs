//! Parts of messages: quotations of text of unknown origin, and counts with their nouns.

use std::fmt;

/// A quotation in an error message: escaped, of bounded length, and printed between backquotes.
///
/// Characters that a terminal would act on or not show are escaped as in a Rust string literal;
/// quotation marks and backslashes are not. A long text is cut and ends with `...`, so that an
/// error about a hostile file neither copies nor prints the whole file.
///
/// ```
/// use kalah::Quoted;
/// assert_eq!(Quoted::new("a\0b").to_string(), "`a\\0b`");
/// let long = Quoted::new(&"x".repeat(1000));
/// assert_eq!(long.to_string().chars().count(), Quoted::MAX_CHARS + "`...`".len());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quoted(String);

impl Quoted {
    /// The maximum number of characters of a quotation, counted after escaping.
    pub const MAX_CHARS: usize = 80;

    /// Quotes `text`, or its first [`Quoted::MAX_CHARS`] characters.
    pub fn new(text: &str) -> Self {
        Self::with_max_chars(text, Self::MAX_CHARS)
    }

    /// Quotes `text`, or its first `max_chars` characters, counted after escaping.
    pub fn with_max_chars(text: &str, max_chars: usize) -> Self {
        let mut quoted = String::new();
        let mut count = 0;
        for character in text.chars() {
            let start = quoted.len();
            match character {
                '"' | '\'' | '\\' => quoted.push(character),
                _ => quoted.extend(character.escape_debug()),
            }
            count += quoted[start..].chars().count();
            if count > max_chars {
                quoted.truncate(start);
                quoted.push_str("...");
                break;
            }
        }
        Self(quoted)
    }

    /// Quotes the first [`Quoted::MAX_CHARS`] characters of `text`, counted before escaping. Also
    /// quotation marks and backslashes are escaped, as in a Rust string literal.
    ///
    /// ```
    /// use kalah::Quoted;
    /// assert_eq!(Quoted::literal("it's\n").to_string(), r"`it\'s\n`");
    /// ```
    pub fn literal(text: &str) -> Self {
        let mut rest = text.chars();
        let begin: String = rest.by_ref().take(Self::MAX_CHARS).collect();
        let mut quoted = begin.escape_debug().to_string();
        if rest.next().is_some() {
            quoted.push_str("...");
        }
        Self(quoted)
    }

    /// Returns the escaped text without the backquotes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The escaped text between backquotes.
impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

/// The ends of nouns and of their plurals.
const IRREGULAR_PLURALS: [(&str, &str); 2] = [("ly", "lies"), ("leaf", "leaves")];

/// Formats `count` with thousands separators and `noun` in the matching number.
///
/// The plural of `noun` is formed with an `s`, that of a noun in `ly` with `lies`, and that of a
/// noun in `leaf` with `leaves`.
///
/// ```
/// use kalah::format_count;
/// assert_eq!(format_count(1, "seed"), "1 seed");
/// assert_eq!(format_count(0, "seed"), "0 seeds");
/// assert_eq!(format_count(2, "ply"), "2 plies");
/// assert_eq!(format_count(2, "open leaf"), "2 open leaves");
/// assert_eq!(format_count(1_234_567, "position"), "1,234,567 positions");
/// ```
pub fn format_count(count: u64, noun: &str) -> String {
    let number = format_number(count);
    if count == 1 {
        return format!("{number} {noun}");
    }
    let mut irregular = IRREGULAR_PLURALS.iter();
    let irregular =
        irregular.find_map(|(singular, plural)| Some((noun.strip_suffix(singular)?, plural)));
    match irregular {
        Some((stem, plural)) => format!("{number} {stem}{plural}"),
        None => format!("{number} {noun}s"),
    }
}

/// The first characters of a cell that make it a formula in a spreadsheet, after which such a
/// program runs the text; and the apostrophe, so that a reader of CSV can remove it again.
const CSV_MARKED_STARTS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

/// Returns a text as a cell of CSV that no spreadsheet takes for a formula: with an apostrophe
/// before it if it begins like one.
///
/// ```
/// assert_eq!(kalah::csv_cell("=1+2"), "'=1+2");
/// assert_eq!(kalah::csv_cell("Ann"), "Ann");
/// ```
pub fn csv_cell(text: &str) -> String {
    if text.starts_with(CSV_MARKED_STARTS) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// Returns a number whose digits are in groups of three.
///
/// ```
/// assert_eq!(kalah::format_number(1_234_567), "1,234,567");
/// ```
pub fn format_number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped_and_quotation_marks_are_not() {
        for (text, quoted) in [
            ("", "``"),
            ("it's \"a\\b\"", "`it's \"a\\b\"`"),
            ("\u{1b}[31m\n\u{200b}", "`\\u{1b}[31m\\n\\u{200b}`"),
            ("日本 ü", "`日本 ü`"),
        ] {
            assert_eq!(Quoted::new(text).to_string(), quoted, "{text:?}");
        }
    }

    #[test]
    fn quoted_input_is_shortened_and_escaped() {
        assert_eq!(Quoted::literal("a\nb").to_string(), r"`a\nb`");
        let long = "x".repeat(Quoted::MAX_CHARS);
        assert_eq!(Quoted::literal(&long).to_string(), format!("`{long}`"));
        let cut = Quoted::literal(&format!("{long}y"));
        assert_eq!(cut.to_string(), format!("`{long}...`"));
    }

    #[test]
    fn a_cut_never_splits_an_escape() {
        let text = "\0".repeat(3);
        assert_eq!(Quoted::with_max_chars(&text, 6).as_str(), "\\0\\0\\0");
        assert_eq!(Quoted::with_max_chars(&text, 5).as_str(), "\\0\\0...");
        assert_eq!(Quoted::with_max_chars(&text, 0).as_str(), "...");
    }
}
