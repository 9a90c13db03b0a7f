use std::fmt;

/// A text that fits a line: no control characters, and single blanks, of which none are at its ends. It may be empty.
///
/// ```
/// use kalah_protocols::uki::Remark;
/// assert_eq!(Remark::new(" two\r\n\twords\0").as_str(), "two words");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OneLine(String);

impl OneLine {
    /// A text without what does not fit: other blanks and control characters are blanks.
    pub fn new(text: &str) -> Self {
        let is_blank = |character: char| character.is_whitespace() || character.is_control();
        let words: Vec<&str> = (text.split(is_blank).filter(|word| !word.is_empty())).collect();
        Self(words.join(" "))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OneLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
