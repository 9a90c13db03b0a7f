use std::fmt::{self, Write as _};

/// A text in an error message: what cannot be seen is escaped, and it is cut where it is long,
/// because what is wrong with a file may be all of it.
pub(super) struct EscapedText<'a>(pub(super) &'a str);

impl EscapedText<'_> {
    /// The most characters that are shown.
    const MAX_CHARS: usize = 400;
}

impl fmt::Display for EscapedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, character) in self.0.chars().enumerate() {
            if index == Self::MAX_CHARS {
                return f.write_str("...");
            }
            match character {
                '"' | '\'' | '\\' => f.write_char(character)?,
                _ => character.escape_debug().fmt(f)?,
            }
        }
        Ok(())
    }
}
