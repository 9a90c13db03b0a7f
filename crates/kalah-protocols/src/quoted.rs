use std::fmt;

/// A text as an error shows it: what cannot be seen is escaped, and of a long text only the beginning is kept.
///
/// ```
/// use kalah_protocols::Quoted;
/// assert_eq!(Quoted::new("a\0b").to_string(), "`a\\0b`");
/// let long = Quoted::new(&"x".repeat(1000));
/// assert_eq!(long.to_string().chars().count(), Quoted::MOST_CHARACTERS + "`...`".len());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quoted(String);

impl Quoted {
    /// The most characters of a text that are shown, escapes counted as they are written.
    pub const MAX_CHARS: usize = 80;

    /// The text, or where it begins.
    pub fn new(text: &str) -> Self {
        let mut shown = String::new();
        let mut count = 0;
        for character in text.chars() {
            let escaped = match character {
                '"' | '\'' | '\\' => character.to_string(),
                _ => character.escape_debug().to_string(),
            };
            count += escaped.chars().count();
            if count > Self::MAX_CHARS {
                shown.push_str("...");
                break;
            }
            shown.push_str(&escaped);
        }
        Self(shown)
    }
}

/// Between backquotes.
impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}
