//! The names that players give themselves.

use std::fmt;
use std::str::FromStr;

use kalah::Quoted;
use thiserror::Error;

/// The name of a player for other people: 1 to 24 characters without control characters and without
/// characters that change the direction of the text around them.
///
/// ```
/// use kalah_store::PlayerName;
/// let name: PlayerName = " Ann ".parse().expect("a name");
/// assert_eq!(name.as_str(), "Ann");
/// assert!("\u{202e}nnA".parse::<PlayerName>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerName(String);

/// The error of parsing a [`PlayerName`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParsePlayerNameError {
    /// The text has no characters, or too many.
    #[error("{} is not a name: a name has 1 to {} characters", Quoted::literal(.0), PlayerName::MAX_CHARS)]
    Length(String),
    /// All characters of the text are invisible.
    #[error("{} is not a name: it has no visible character", Quoted::literal(.0))]
    Invisible(String),
    /// The text contains a character that is not allowed.
    #[error(
        "{} is not a name: it contains U+{:04X}, a control or formatting character",
        Quoted::literal(.text),
        u32::from(*.character)
    )]
    Character {
        /// The text.
        text: String,
        /// The first character that is not allowed.
        character: char,
    },
}

/// Characters that are invisible alone: joiners and variation selectors, which emoji and some
/// scripts need, and letters and symbols without ink (Hangul fillers, the blank Braille pattern).
fn is_blank(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '\u{34f}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200c}'..='\u{200d}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{ffa0}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

impl PlayerName {
    /// The maximum length in characters (Unicode scalar values).
    pub const MAX_CHARS: usize = 24;

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Parses a name without the white space around it.
impl FromStr for PlayerName {
    type Err = ParsePlayerNameError;

    fn from_str(text: &str) -> Result<Self, ParsePlayerNameError> {
        let name = text.trim();
        if let Some(character) = name.chars().find(|&character| is_forbidden(character)) {
            return Err(ParsePlayerNameError::Character {
                text: text.to_owned(),
                character,
            });
        }
        if name.is_empty() || name.chars().count() > Self::MAX_CHARS {
            return Err(ParsePlayerNameError::Length(text.to_owned()));
        }
        if name.chars().all(is_blank) {
            return Err(ParsePlayerNameError::Invisible(text.to_owned()));
        }
        Ok(Self(name.to_owned()))
    }
}

/// Whether a character controls the text around it: control characters, line separators, marks and
/// overrides of the direction, and invisible characters other than joiners.
fn is_forbidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_trimmed_and_counted_in_characters() {
        let longest = "ä".repeat(PlayerName::MAX_CHARS);
        for (text, name) in [
            ("Ann", "Ann"),
            ("  Ann\t", "Ann"),
            ("O'Neil <b>&amp;", "O'Neil <b>&amp;"),
            ("李小龍", "李小龍"),
            ("\u{1f469}\u{200d}\u{1f52c}", "\u{1f469}\u{200d}\u{1f52c}"),
            (longest.as_str(), longest.as_str()),
        ] {
            assert_eq!(
                text.parse::<PlayerName>().as_ref().map(PlayerName::as_str),
                Ok(name)
            );
        }
    }

    #[test]
    fn invalid_names_are_quoted() {
        let long = "x".repeat(PlayerName::MAX_CHARS + 1);
        let length = "is not a name: a name has 1 to 24 characters";
        let invisible = "is not a name: it has no visible character";
        for (text, message) in [
            ("", format!("`` {length}")),
            (" \u{3000} ", format!("` \\u{{3000}} ` {length}")),
            ("\u{200d}", format!("`\\u{{200d}}` {invisible}")),
            ("\u{3164}", format!("`\u{3164}` {invisible}")),
            ("\u{2800} \u{2800}", format!("`\u{2800} \u{2800}` {invisible}")),
            (&long, format!("`{long}` {length}")),
            (
                "a\nb",
                "`a\\nb` is not a name: it contains U+000A, a control or formatting character"
                    .to_owned(),
            ),
            (
                "\u{202e}nnA",
                "`\\u{202e}nnA` is not a name: it contains U+202E, a control or formatting character"
                    .to_owned(),
            ),
        ] {
            let error = text.parse::<PlayerName>().expect_err(text);
            assert_eq!(error.to_string(), message);
        }
    }
}
