use std::fmt;
use std::str::FromStr;

use super::words::{Tokens, unexpected};
use super::{Expected, OneLine, ParseUkiError};

/// The name of an option, or one of its values: one word.
///
/// ```
/// use kalah_protocols::uki::OptionName;
/// let name: OptionName = "Threads".parse()?;
/// assert!(name.is("threads"));
/// assert!("two words".parse::<OptionName>().is_err());
/// # Ok::<(), kalah_protocols::uki::MessageError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OptionName(String);

impl OptionName {
    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is this word; large and small letters are alike.
    pub fn matches(&self, word: &str) -> bool {
        self.0.eq_ignore_ascii_case(word)
    }

    pub(super) fn parse(words: &mut Tokens) -> Result<Self, ParseUkiError> {
        words.require(Expected::OptionName)?.parse()
    }
}

impl FromStr for OptionName {
    type Err = ParseUkiError;

    fn from_str(text: &str) -> Result<Self, ParseUkiError> {
        let word = OneLine::new(text);
        if text.is_empty() || word.as_str() != text || text.contains(' ') {
            return Err(unexpected(text, Expected::OptionName));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for OptionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
