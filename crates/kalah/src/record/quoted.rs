use std::fmt;

/// A text in an error message: control characters escaped, and cut where it is long, because what
/// is wrong with a file may be all of it.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl Quoted<'_> {
    /// The most characters that are shown.
    const LONGEST: usize = 400;
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, character) in self.0.chars().enumerate() {
            if index == Self::LONGEST {
                return f.write_str("...");
            }
            if character.is_control() {
                character.escape_default().fmt(f)?;
            } else {
                fmt::Write::write_char(f, character)?;
            }
        }
        Ok(())
    }
}
