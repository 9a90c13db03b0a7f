//! Errors of TOML in words, without those of the parser.

use kalah::Quoted;
use thiserror::Error;

/// A line of a text is not TOML. The message has no number of the line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{problem}", quote_before(text))]
pub struct TomlSyntaxError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The line, or the key that is given twice; empty if the text ends before its fault.
    pub text: String,
    /// The reason.
    pub problem: TomlProblem,
}

/// The reason why a line is not TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TomlProblem {
    /// A key or a table occurs twice.
    #[error("it is given twice")]
    Duplicate,
    /// The value behind the equals sign is missing, or is a text without quotes.
    #[error("expected a number, true or false, or a text in quotes behind the equals sign")]
    Value,
    /// A key has neither an equals sign nor a value.
    #[error("expected an equals sign and a value behind the key")]
    Equals,
    /// A number has a form that TOML does not know, or is too large.
    #[error("the number is too large, or has not the form of 4 or 4.5")]
    Number,
    /// The text in quotes does not end in its line.
    #[error("the closing quote is missing")]
    Quote,
    /// A text in quotes has a character that is no part of one.
    #[error("a control character is in the quotes")]
    Control,
    /// A backslash in double quotes begins no known character.
    #[error("a backslash in double quotes must be doubled, or the quotes must be single ones")]
    Escape,
    /// A bracket or brace is not closed.
    #[error("the closing `{0}` is missing")]
    Bracket(&'static str),
    /// The line has another form.
    #[error("expected a line such as key = \"text\", key = 4 or [table]")]
    Line,
}

fn quote_before(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{}: ", Quoted::new(text))
    }
}

impl TomlSyntaxError {
    /// Returns the error of the parser about `text` in words.
    ///
    /// ```
    /// use kalah_parse::TomlSyntaxError;
    /// let text = "threads = 4\nrules = standard\n";
    /// let error = text.parse::<toml::Table>().expect_err("no quotes");
    /// let error = TomlSyntaxError::new(text, &error);
    /// assert_eq!(error.line, 2);
    /// assert_eq!(
    ///     error.to_string(),
    ///     "`rules = standard`: expected a number, true or false, or a text in quotes behind the \
    ///      equals sign"
    /// );
    /// ```
    pub fn new(text: &str, error: &toml::de::Error) -> Self {
        let span = error.span().unwrap_or_default();
        let before = text.get(..span.start).unwrap_or_default();
        let line = before.matches('\n').count();
        let problem = TomlProblem::of_message(error.message());
        let quoted = match problem {
            TomlProblem::Duplicate => text.get(span),
            _ => text.lines().nth(line),
        };
        Self {
            line: line + 1,
            text: quoted.unwrap_or_default().trim().to_owned(),
            problem,
        }
    }
}

/// Parts of messages of the parser and their problems. The first part that a message has decides.
const MESSAGES: [(&str, TomlProblem); 15] = [
    ("duplicate key", TomlProblem::Duplicate),
    ("string values must be quoted", TomlProblem::Value),
    ("invalid boolean", TomlProblem::Value),
    ("key with no value", TomlProblem::Equals),
    ("visible characters", TomlProblem::Control),
    ("escaped value", TomlProblem::Escape),
    ("unicode value", TomlProblem::Escape),
    ("string, expected", TomlProblem::Quote),
    ("expected `]`", TomlProblem::Bracket("]")),
    ("expected `}`", TomlProblem::Bracket("}")),
    ("leading zero", TomlProblem::Number),
    ("digits", TomlProblem::Number),
    ("overflow", TomlProblem::Number),
    ("as i128", TomlProblem::Number),
    ("", TomlProblem::Line),
];

impl TomlProblem {
    /// Returns the problem of a message of the parser.
    fn of_message(message: &str) -> Self {
        let mut messages = MESSAGES.iter();
        let known = messages.find(|(part, _)| message.contains(part));
        known.map_or(Self::Line, |&(_, problem)| problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_no_words_of_the_parser() {
        for (text, line, expected) in [
            ("a = 1\na = 2", 2, "`a`: it is given twice"),
            ("\na = x", 2, "`a = x`: expected a number, true"),
            ("a =\n", 1, "`a =`: expected a number, true"),
            (
                "a = True",
                1,
                "`a = True`: expected a number, true or false",
            ),
            ("a = 08", 1, "`a = 08`: the number is too large, or has"),
            ("a = 1_", 1, "`a = 1_`: the number is too large, or has"),
            ("a = 1e", 1, "`a = 1e`: the number is too large, or has"),
            ("a = .5", 1, "`a = .5`: the number is too large, or has"),
            ("a = 0x", 1, "`a = 0x`: the number is too large, or has"),
            (
                "a = 99999999999999999999",
                1,
                "`a = 99999999999999999999`: the number is too large",
            ),
            ("a = 10s", 1, "`a = 10s`: expected a number, true"),
            ("a: 1", 1, "`a: 1`: expected an equals sign and a value"),
            ("a = \"x\n", 1, "`a = \"x`: the closing quote is missing"),
            ("a = 'x", 1, "`a = 'x`: the closing quote is missing"),
            ("a = \"\"\"x\n", 2, "the closing quote is missing"),
            ("a = \"\u{7}\"", 1, "`a = \"\\u{7}\"`: a control character"),
            (
                "a = \"C:\\users\"",
                1,
                "`a = \"C:\\users\"`: a backslash in",
            ),
            ("a = \"\\d\"", 1, "`a = \"\\d\"`: a backslash in"),
            ("[[engine]\n", 1, "`[[engine]`: the closing `]` is missing"),
            ("a = {b = 1", 1, "`a = {b = 1`: the closing `}` is missing"),
            ("a = 1 b = 2", 1, "`a = 1 b = 2`: expected a line such as"),
            ("= 3", 1, "`= 3`: expected a line such as"),
        ] {
            let error = text.parse::<toml::Table>().expect_err(text);
            let error = TomlSyntaxError::new(text, &error);
            assert_eq!(error.line, line, "{text}");
            assert!(error.to_string().starts_with(expected), "{text}: {error}");
        }
    }
}
