//! Quoting untrusted text in error messages.

use std::fmt;

/// A text as an error message shows it: invisible characters are escaped and a long text is cut.
///
/// ```
/// use kalah_protocols::Quoted;
/// assert_eq!(Quoted::new("a\0b").to_string(), "`a\\0b`");
/// let long = Quoted::new(&"x".repeat(1000));
/// assert_eq!(long.to_string().chars().count(), Quoted::MAX_CHARS + "`...`".len());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quoted(String);

impl Quoted {
    /// The maximum number of characters that are shown, counted after escaping.
    pub const MAX_CHARS: usize = 80;

    /// Escapes the text and cuts it to [`Self::MAX_CHARS`] characters.
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

/// Writes the text between backquotes.
impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}
