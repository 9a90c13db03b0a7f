use std::str::FromStr;

use kalah::{ParseSetupError, Position, Rules, Setup};

use crate::CliError;

/// A position as it was typed on a command line, with its text for when it cannot be played.
///
/// ```
/// use kalah::Rules;
/// use kalah_cli::TypedSetup;
/// let typed: TypedSetup = "26x65535".parse()?;
/// let message = typed.playable(Rules::CS32).unwrap_err().message();
/// assert_eq!(
///     message.as_deref(),
///     Some("position `26x65535`: 3407820 seeds are too many: at most 65535 can be played, stores included")
/// );
/// # Ok::<(), kalah::ParseSetupError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedSetup {
    text: String,
    setup: Setup,
}

impl TypedSetup {
    /// The position, if it can be played.
    ///
    /// # Errors
    /// [`CliError::Usage`], with the text and all reasons why it cannot.
    pub fn playable(&self, rules: Rules) -> Result<Position, CliError> {
        let position = self.setup.position(rules);
        position.map_err(|reason| CliError::Usage(format!("position `{}`: {reason}", self.text)))
    }
}

impl FromStr for TypedSetup {
    type Err = ParseSetupError;

    fn from_str(text: &str) -> Result<Self, ParseSetupError> {
        Ok(Self {
            text: text.to_owned(),
            setup: text.parse()?,
        })
    }
}
