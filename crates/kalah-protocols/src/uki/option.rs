//! Options of an engine.

use std::fmt;
use std::str::FromStr;

use super::OneLine;
use super::parse::{Expected, ParseUkiError, Tokens, set_once, unexpected};

/// An option that an engine has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EngineOption {
    /// What it is called.
    pub name: OptionName,
    /// What it can be.
    pub kind: OptionKind,
}

/// What an option can be, and what it is unless somebody sets it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OptionKind {
    /// `spin`: a whole number.
    Spin {
        /// What it is.
        default: i64,
        /// The least.
        min: i64,
        /// The most.
        max: i64,
    },
    /// `check`: `true` or `false`.
    Check {
        /// What it is.
        default: bool,
    },
    /// `combo`: one of some words.
    Combo {
        /// What it is; one of the others.
        default: OptionName,
        /// All that it can be.
        values: Vec<OptionName>,
    },
    /// `string`: any text.
    Text {
        /// What it is.
        default: OneLine,
    },
    /// `button`: it has no value, something is done when it is set.
    Button,
}

/// What stands behind the type of an option.
#[derive(Default)]
struct OptionFields<'a> {
    default: Option<&'a str>,
    min: Option<i64>,
    max: Option<i64>,
    values: Vec<OptionName>,
}

impl<'a> OptionFields<'a> {
    fn parse(mut words: Tokens<'a>) -> Result<Self, ParseUkiError> {
        let mut read = Self::default();
        while let Some(word) = words.next_token() {
            match word {
                "default" => {
                    let value = words.require(Expected::OptionValues)?;
                    set_once(&mut read.default, value, word)?;
                }
                "min" => set_once(&mut read.min, words.parse_number(Expected::Number)?, word)?,
                "max" => set_once(&mut read.max, words.parse_number(Expected::Number)?, word)?,
                "var" => read.values.push(OptionName::parse(&mut words)?),
                _ => return Err(unexpected(word, Expected::OptionValues)),
            }
        }
        Ok(read)
    }
}

impl EngineOption {
    pub(super) fn parse(mut words: Tokens) -> Result<Self, ParseUkiError> {
        words.require_keyword("name", Expected::Name)?;
        let name = OptionName::parse(&mut words)?;
        words.require_keyword("type", Expected::Type)?;
        let kind = words.require(Expected::OptionType)?;
        let missing = || ParseUkiError::Missing(Expected::OptionValues);
        let kind = match kind {
            "spin" => {
                let read = OptionFields::parse(words)?;
                let default = read.default.ok_or_else(missing)?;
                let default =
                    (default.parse()).map_err(|_| unexpected(default, Expected::Number))?;
                let min = read.min.ok_or_else(missing)?;
                let max = read.max.ok_or_else(missing)?;
                if !(min..=max).contains(&default) {
                    return Err(unexpected(&default.to_string(), Expected::Range));
                }
                OptionKind::Spin { default, min, max }
            }
            "check" => {
                let default = OptionFields::parse(words)?.default.ok_or_else(missing)?;
                let default = (default.parse()).map_err(|_| unexpected(default, Expected::Bool))?;
                OptionKind::Check { default }
            }
            "combo" => {
                let read = OptionFields::parse(words)?;
                let default: OptionName = read.default.ok_or_else(missing)?.parse()?;
                let values = read.values;
                if !values.contains(&default) {
                    return Err(unexpected(default.as_str(), Expected::ComboValue));
                }
                OptionKind::Combo { default, values }
            }
            "string" => {
                words.require_keyword("default", Expected::OptionValues)?;
                OptionKind::Text {
                    default: OneLine::new(words.rest()),
                }
            }
            "button" => {
                words.expect_end()?;
                OptionKind::Button
            }
            _ => return Err(unexpected(kind, Expected::OptionType)),
        };
        Ok(Self { name, kind })
    }
}

/// The whole message.
impl fmt::Display for EngineOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Combo { default, values } => {
                write!(f, "combo default {default}")?;
                for value in values {
                    write!(f, " var {value}")?;
                }
                Ok(())
            }
            OptionKind::Text { default } if default.as_str().is_empty() => {
                f.write_str("string default")
            }
            OptionKind::Text { default } => write!(f, "string default {default}"),
            OptionKind::Button => f.write_str("button"),
        }
    }
}

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
