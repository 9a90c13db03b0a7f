//! The options of an engine: names, types, defaults and ranges.

use std::fmt;
use std::str::FromStr;

use crate::parse::{Expected, OneLine, ParseUkiError, Tokens, set_once, unexpected};

/// The name of an option, or a value of a combo option: one word.
///
/// ```
/// use kalah_uki::OptionName;
/// let name: OptionName = "Threads".parse()?;
/// assert!(name.matches("threads"));
/// assert!("two words".parse::<OptionName>().is_err());
/// # Ok::<(), kalah_uki::ParseUkiError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OptionName(String);

impl OptionName {
    /// Returns the word.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the names are equal, ignoring ASCII case.
    pub fn matches(&self, word: &str) -> bool {
        self.0.eq_ignore_ascii_case(word)
    }

    pub(crate) fn parse(tokens: &mut Tokens) -> Result<Self, ParseUkiError> {
        tokens.require(Expected::OptionName)?.parse()
    }
}

impl FromStr for OptionName {
    type Err = ParseUkiError;

    fn from_str(text: &str) -> Result<Self, ParseUkiError> {
        let line = OneLine::new(text);
        if text.is_empty() || line.as_str() != text || text.contains(' ') {
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

/// The declaration of an option by an engine: the message `option`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EngineOption {
    /// The name.
    pub name: OptionName,
    /// The type with the default value.
    pub kind: OptionKind,
}

/// The type of an option, with its default value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OptionKind {
    /// `spin`: a whole number.
    Spin {
        /// The default.
        default: i64,
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// `check`: `true` or `false`.
    Check {
        /// The default.
        default: bool,
    },
    /// `combo`: one of several words.
    Combo {
        /// The default, which is one of `values`.
        default: OptionName,
        /// All values.
        values: Vec<OptionName>,
    },
    /// `string`: any text.
    Text {
        /// The default.
        default: OneLine,
    },
    /// `button`: an action without a value, which runs when the option is set.
    Button,
}

/// The fields behind the type of an option.
#[derive(Default)]
struct OptionFields<'a> {
    default: Option<&'a str>,
    min: Option<i64>,
    max: Option<i64>,
    values: Vec<OptionName>,
}

impl<'a> OptionFields<'a> {
    fn parse(mut tokens: Tokens<'a>) -> Result<Self, ParseUkiError> {
        let mut fields = Self::default();
        while let Some(keyword) = tokens.next_token() {
            match keyword {
                "default" => {
                    let value = tokens.require(Expected::OptionValues)?;
                    set_once(&mut fields.default, value, keyword)?;
                }
                "min" => {
                    let min = tokens.parse_number(Expected::Number)?;
                    set_once(&mut fields.min, min, keyword)?;
                }
                "max" => {
                    let max = tokens.parse_number(Expected::Number)?;
                    set_once(&mut fields.max, max, keyword)?;
                }
                "var" => fields.values.push(OptionName::parse(&mut tokens)?),
                _ => return Err(unexpected(keyword, Expected::OptionValues)),
            }
        }
        Ok(fields)
    }
}

impl EngineOption {
    /// Parses the words behind `option`.
    pub(crate) fn parse(mut tokens: Tokens) -> Result<Self, ParseUkiError> {
        tokens.require_keyword("name", Expected::Name)?;
        let name = OptionName::parse(&mut tokens)?;
        tokens.require_keyword("type", Expected::Type)?;
        let kind = tokens.require(Expected::OptionType)?;
        let missing = || ParseUkiError::Missing(Expected::OptionValues);
        let kind = match kind {
            "spin" => {
                let fields = OptionFields::parse(tokens)?;
                let default = fields.default.ok_or_else(missing)?;
                let default =
                    (default.parse()).map_err(|_| unexpected(default, Expected::Number))?;
                let min = fields.min.ok_or_else(missing)?;
                let max = fields.max.ok_or_else(missing)?;
                if !(min..=max).contains(&default) {
                    return Err(unexpected(&default.to_string(), Expected::Range));
                }
                OptionKind::Spin { default, min, max }
            }
            "check" => {
                let default = OptionFields::parse(tokens)?.default.ok_or_else(missing)?;
                let default = (default.parse()).map_err(|_| unexpected(default, Expected::Bool))?;
                OptionKind::Check { default }
            }
            "combo" => {
                let fields = OptionFields::parse(tokens)?;
                let default: OptionName = fields.default.ok_or_else(missing)?.parse()?;
                let values = fields.values;
                if !values.contains(&default) {
                    return Err(unexpected(default.as_str(), Expected::ComboValue));
                }
                OptionKind::Combo { default, values }
            }
            "string" => {
                tokens.require_keyword("default", Expected::OptionValues)?;
                OptionKind::Text {
                    default: OneLine::new(tokens.rest()),
                }
            }
            "button" => OptionKind::Button,
            _ => return Err(unexpected(kind, Expected::OptionType)),
        };
        Ok(Self { name, kind })
    }
}

/// Writes the whole message.
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
