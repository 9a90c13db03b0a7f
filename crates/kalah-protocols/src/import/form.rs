use std::fmt;
use std::str::FromStr;

use kalah::Rules;
use thiserror::Error;

use super::{kgp, mankalah, open_spiel, without_mark};

/// A way in which others write games down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// What a client or a server of KGP logs.
    Kgp,
    /// What an engine or an agent of `ManKalah` logs.
    Mankalah,
    /// Actions of `OpenSpiel`, as numbers or as JSON, and Kaggle's episodes.
    OpenSpiel,
}

/// A word that names no [`Form`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is none of kgp, mankalah, openspiel")]
pub struct ParseFormError(pub String);

impl Form {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Kgp, Self::Mankalah, Self::OpenSpiel];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Kgp => "kgp",
            Self::Mankalah => "mankalah",
            Self::OpenSpiel => "openspiel",
        }
    }

    /// The rules by which its games are played where nobody says otherwise.
    pub const fn rules(self) -> Rules {
        match self {
            Self::Kgp | Self::OpenSpiel => Rules::STANDARD,
            Self::Mankalah => Rules::MANKALAH,
        }
    }

    /// The only form that a text can have; `None` if it could have several, or has none.
    ///
    /// ```
    /// use kalah_protocols::import::Form;
    /// assert_eq!(Form::guess("< 8 state <2,0,0,1,1,1,1>"), Some(Form::Kgp));
    /// assert_eq!(Form::guess("MOVE;3"), Some(Form::Mankalah));
    /// assert_eq!(Form::guess("[1, 8]"), Some(Form::OpenSpiel));
    /// assert_eq!(Form::guess("1. CF a *"), None);
    /// ```
    pub fn guess(text: &str) -> Option<Self> {
        let text = without_mark(text);
        let mut forms = Self::ALL.into_iter().filter(|form| match form {
            Self::Kgp => kgp::is_one(text),
            Self::Mankalah => mankalah::is_one(text),
            Self::OpenSpiel => open_spiel::is_one(text),
        });
        let form = forms.next()?;
        forms.next().is_none().then_some(form)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Form {
    type Err = ParseFormError;

    fn from_str(word: &str) -> Result<Self, ParseFormError> {
        let form = Self::ALL.into_iter().find(|form| form.word() == word);
        form.ok_or_else(|| ParseFormError(word.to_owned()))
    }
}
