//! A format of logs.

use std::fmt;

use kalah::{Rules, strip_byte_order_mark};

use crate::games::ImportedGames;

/// A format in which other programs log games. Two formats are equal if they have the same name.
#[derive(Clone, Copy, Debug)]
pub struct ImportFormat {
    /// The name of the format on the command line.
    pub name: &'static str,
    /// The rules of the programs that write the format.
    pub default_rules: Rules,
    /// Returns whether a text can have the format.
    pub recognize: fn(&str) -> bool,
    /// Imports the games of a text that are played by the rules. The errors have any order.
    pub import_games: fn(&str, Rules) -> ImportedGames,
}

impl ImportFormat {
    /// Returns the only one of some formats that a text can have, or `None` if it can have several
    /// or none.
    pub fn detect(formats: &[&'static Self], text: &str) -> Option<&'static Self> {
        let text = strip_byte_order_mark(text);
        let mut formats = formats.iter().filter(|format| (format.recognize)(text));
        let format = formats.next()?;
        formats.next().is_none().then_some(format)
    }

    /// Imports the games of a text. Without `rules`, the default rules of the format apply.
    pub fn import(&self, text: &str, rules: Option<Rules>) -> ImportedGames {
        let rules = rules.unwrap_or(self.default_rules);
        let mut imported = (self.import_games)(strip_byte_order_mark(text), rules);
        imported.errors.sort_by_key(|error| error.line);
        imported
    }
}

impl PartialEq for ImportFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ImportFormat {}

impl fmt::Display for ImportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
