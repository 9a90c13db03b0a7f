//! The command of a batch with the options on which its rows depend.

use std::borrow::Cow;
use std::fmt::Display;

use kalah_engine::Limits;

/// A command with the options on which its rows depend, as on a command line:
/// `analyze --rules cs32 --nodes 1000`. Resources such as threads, memory and tables are not among
/// them, because no exact margin depends on these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchCommand {
    text: String,
}

impl BatchCommand {
    /// Returns the command with this name and its options without values, such as
    /// `solve --moves`.
    pub(crate) fn new(name: &str) -> Self {
        Self {
            text: name.to_owned(),
        }
    }

    /// Adds an option if it has a value.
    pub(crate) fn with_option(mut self, option: &str, value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            let value = value.to_string();
            // A value with a zero byte has no form in quotes, and is no argument of a process.
            let quoted = shlex::try_quote(&value).unwrap_or(Cow::Borrowed(&value));
            self.text.extend([" ", option, " ", &quoted]);
        }
        self
    }

    /// Adds the options of the limits of a search.
    pub(crate) fn with_limits(self, limits: Limits) -> Self {
        let lines = (limits.lines > 0).then_some(limits.lines);
        self.with_option("--time", limits.time.map(humantime::format_duration))
            .with_option("--nodes", limits.nodes)
            .with_option("--depth", limits.depth)
            .with_option("--lines", lines)
    }

    /// Returns the text of the command, with quotes around values with spaces.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn text_has_the_options_with_values() {
        let limits = Limits {
            time: Some(Duration::from_millis(1500)),
            nodes: Some(7),
            lines: 3,
            ..Limits::default()
        };
        let command = BatchCommand::new("solve --moves")
            .with_option("--line", Some("CF a"))
            .with_option("--rules", None::<&str>);
        assert_eq!(
            command.with_limits(limits).text(),
            "solve --moves --line 'CF a' --time '1s 500ms' --nodes 7 --lines 3"
        );
    }
}
