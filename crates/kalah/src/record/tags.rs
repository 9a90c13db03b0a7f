use std::fmt;

use super::TagError;

/// The tag pairs of a record: names and what they say, each name once, in the order of the text.
///
/// A name is letters, digits and underscores of ASCII, in either case; what it says is any text.
///
/// ```
/// use kalah::record::Tags;
/// let mut tags = Tags::new();
/// tags.set("South", "Marge")?;
/// tags.set("Event", "Saturday")?;
/// assert_eq!(tags.get("South"), Some("Marge"));
/// assert_eq!(tags.to_string(), "[Event \"Saturday\"]\n[South \"Marge\"]\n");
/// # Ok::<(), kalah::record::TagError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// The tags that this project knows, in the order in which it writes them.
    pub const KNOWN: [&str; 11] = [
        Self::EVENT,
        Self::SITE,
        Self::DATE,
        Self::ROUND,
        Self::SOUTH,
        Self::NORTH,
        Self::RULES,
        Self::POSITION,
        Self::RESULT,
        Self::TERMINATION,
        Self::WINNER,
    ];
    /// The match or tournament. Free text.
    pub const EVENT: &str = "Event";
    /// Where it was played. Free text.
    pub const SITE: &str = "Site";
    /// When it was played. Free text.
    pub const DATE: &str = "Date";
    /// Which game of the event it was. Free text.
    pub const ROUND: &str = "Round";
    /// Who began as South. Free text.
    pub const SOUTH: &str = "South";
    /// Who began as North. Free text.
    pub const NORTH: &str = "North";
    /// The [`Rules`](crate::Rules).
    pub const RULES: &str = "Rules";
    /// The [`Setup`](crate::Setup) from which the game started.
    pub const POSITION: &str = "Position";
    /// The seeds at the end, or `*`.
    pub const RESULT: &str = "Result";
    /// The [`Termination`](crate::Termination).
    pub const TERMINATION: &str = "Termination";
    /// `South`, `North` or `none`.
    pub const WINNER: &str = "Winner";

    /// No tags.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Tags whose names are known to be right, each there once.
    pub(super) fn from_checked(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a tag says.
    pub fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        Some(value)
    }

    /// Names and what they say, in the order of the text.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> + Clone {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Lets a tag say `value`. One that is there already stays at its place; a new one of
    /// [`Tags::KNOWN`] goes before those that come later in that list and before the unknown ones,
    /// and a new unknown one goes to the end.
    ///
    /// # Errors
    /// If `name` cannot be a name.
    pub fn set(&mut self, name: &str, value: impl Into<String>) -> Result<(), TagError> {
        if !is_tag_name(name) {
            return Err(TagError::InvalidName(name.to_owned()));
        }
        self.set_unchecked(name, value.into());
        Ok(())
    }

    /// [`Tags::set`] with a name that is known to be right.
    pub(super) fn set_unchecked(&mut self, name: &str, value: String) {
        if let Some((_, old)) = self.0.iter_mut().find(|(known, _)| known == name) {
            *old = value;
            return;
        }
        let rank = |name: &str| {
            let known = Self::KNOWN.iter().position(|&known| known == name);
            known.unwrap_or(Self::KNOWN.len())
        };
        let later = self
            .0
            .iter()
            .position(|(other, _)| rank(other) > rank(name));
        let place = later.unwrap_or(self.0.len());
        self.0.insert(place, (name.to_owned(), value));
    }

    /// Takes a tag away and returns what it said.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let place = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(place).1)
    }
}

/// Whether a tag can be called so.
pub(super) fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_tag_name_byte)
}

pub(super) fn is_tag_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The tag section of a record: a line for each tag. In what a tag says, `\"` stands for a quote,
/// `\\` for a backslash, and `\n` and `\r` for the two characters that end lines.
impl fmt::Display for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.iter() {
            write!(f, "[{name} \"")?;
            let mut rest = value;
            while let Some(place) = rest.find(['"', '\\', '\n', '\r']) {
                let (plain, special) = rest.split_at(place);
                f.write_str(plain)?;
                f.write_str(match special.as_bytes()[0] {
                    b'"' => "\\\"",
                    b'\\' => "\\\\",
                    b'\n' => "\\n",
                    _ => "\\r",
                })?;
                rest = &special[1..];
            }
            writeln!(f, "{rest}\"]")?;
        }
        Ok(())
    }
}
