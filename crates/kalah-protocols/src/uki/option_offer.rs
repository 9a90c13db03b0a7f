use std::fmt;

use super::words::{Words, put, unexpected};
use super::{Awaited, MessageError, OptionName, Remark};

/// An option that an engine has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OptionOffer {
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
        default: Remark,
    },
    /// `button`: it has no value, something is done when it is set.
    Button,
}

/// What stands behind the type of an option.
#[derive(Default)]
struct Told<'a> {
    default: Option<&'a str>,
    min: Option<i64>,
    max: Option<i64>,
    values: Vec<OptionName>,
}

impl<'a> Told<'a> {
    fn read(mut words: Words<'a>) -> Result<Self, MessageError> {
        let mut read = Self::default();
        while let Some(word) = words.take() {
            match word {
                "default" => {
                    let value = words.require(Awaited::OptionValues)?;
                    put(&mut read.default, value, word)?;
                }
                "min" => put(&mut read.min, words.number(Awaited::Number)?, word)?,
                "max" => put(&mut read.max, words.number(Awaited::Number)?, word)?,
                "var" => read.values.push(OptionName::take(&mut words)?),
                _ => return Err(unexpected(word, Awaited::OptionValues)),
            }
        }
        Ok(read)
    }
}

impl OptionOffer {
    pub(super) fn read(mut words: Words) -> Result<Self, MessageError> {
        words.require_word("name", Awaited::Name)?;
        let name = OptionName::take(&mut words)?;
        words.require_word("type", Awaited::Type)?;
        let kind = words.require(Awaited::OptionType)?;
        let missing = || MessageError::Missing(Awaited::OptionValues);
        let kind = match kind {
            "spin" => {
                let read = Told::read(words)?;
                let default = read.default.ok_or_else(missing)?;
                let default =
                    (default.parse()).map_err(|_| unexpected(default, Awaited::Number))?;
                let min = read.min.ok_or_else(missing)?;
                let max = read.max.ok_or_else(missing)?;
                if !(min..=max).contains(&default) {
                    return Err(unexpected(&default.to_string(), Awaited::Range));
                }
                OptionKind::Spin { default, min, max }
            }
            "check" => {
                let default = Told::read(words)?.default.ok_or_else(missing)?;
                let default = (default.parse()).map_err(|_| unexpected(default, Awaited::Truth))?;
                OptionKind::Check { default }
            }
            "combo" => {
                let read = Told::read(words)?;
                let default: OptionName = read.default.ok_or_else(missing)?.parse()?;
                let values = read.values;
                if !values.contains(&default) {
                    return Err(unexpected(default.as_str(), Awaited::OfferedValue));
                }
                OptionKind::Combo { default, values }
            }
            "string" => {
                words.require_word("default", Awaited::OptionValues)?;
                OptionKind::Text {
                    default: Remark::new(words.rest()),
                }
            }
            "button" => {
                words.end()?;
                OptionKind::Button
            }
            _ => return Err(unexpected(kind, Awaited::OptionType)),
        };
        Ok(Self { name, kind })
    }
}

/// The whole message.
impl fmt::Display for OptionOffer {
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
