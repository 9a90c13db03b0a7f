//! The texts of previews in each language, and the choice of the language.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use kalah::{BySide, Position};

/// A language of the page, as its `web/texts/texts.js` lists them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Language {
    /// The language of requests that accept none of the others.
    #[default]
    English,
    German,
}

/// The quality of a language in `Accept-Language` that names none.
const DEFAULT_QUALITY: f32 = 1.0;

/// The texts of a language. A function takes the names of people or the numbers of a position.
pub(super) struct PreviewTexts {
    /// The invitation to a game by a player with a name.
    pub(super) invitation_by: fn(name: &str) -> String,
    pub(super) invitation: &'static str,
    pub(super) game: fn(players: &str) -> String,
    pub(super) room: fn(name: &str) -> String,
    /// A puzzle with the name of the side to move.
    pub(super) puzzle: fn(side: &str) -> String,
    pub(super) sides: BySide<&'static str>,
    pub(super) position: fn(&Position) -> String,
    pub(super) picture: &'static str,
}

const ENGLISH: PreviewTexts = PreviewTexts {
    invitation_by: |name| format!("{name} invites you to a game of Kalah"),
    invitation: "An invitation to a game of Kalah",
    game: |players| format!("Kalah: {players}"),
    room: |name| format!("Kalah: enter the room {name}"),
    puzzle: |side| format!("A puzzle of Kalah: {side} to move"),
    sides: BySide {
        south: "South",
        north: "North",
    },
    position: |position| {
        format!(
            "{} houses a side, {} seeds, rules {}",
            position.houses(),
            position.total(),
            position.rules()
        )
    },
    picture: "The board",
};

const GERMAN: PreviewTexts = PreviewTexts {
    invitation_by: |name| format!("{name} lädt dich zu einer Partie Kalah ein"),
    invitation: "Eine Einladung zu einer Partie Kalah",
    game: |players| format!("Kalah-Partie: {players}"),
    room: |name| format!("Kalah: Komm in den Raum {name}"),
    puzzle: |side| format!("Eine Aufgabe in Kalah: {side} ist am Zug"),
    sides: BySide {
        south: "Süd",
        north: "Nord",
    },
    position: |position| {
        format!(
            "Mulden je Seite: {}, Samen: {}, Regeln: {}",
            position.houses(),
            position.total(),
            position.rules()
        )
    },
    picture: "Das Brett",
};

impl Language {
    /// All languages, the default first.
    const ALL: [Self; 2] = [Self::English, Self::German];

    /// Returns the code of BCP 47, which addresses have as `?lang=CODE`.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Returns the value of `og:locale`: the language with a country.
    pub(super) fn locale(self) -> &'static str {
        match self {
            Self::English => "en_GB",
            Self::German => "de_DE",
        }
    }

    /// Returns the texts of previews.
    pub(super) fn texts(self) -> &'static PreviewTexts {
        match self {
            Self::English => &ENGLISH,
            Self::German => &GERMAN,
        }
    }

    /// Returns the language with a code such as `de` or `de-AT`.
    fn from_code(code: &str) -> Option<Self> {
        let primary = code.split('-').next().unwrap_or(code);
        Self::ALL
            .into_iter()
            .find(|language| primary.eq_ignore_ascii_case(language.code()))
    }

    /// Returns the language that a query such as `lang=de` names.
    pub(super) fn from_query(query: &str) -> Option<Self> {
        let code = query
            .split('&')
            .find_map(|field| field.strip_prefix("lang="));
        code.and_then(Self::from_code)
    }

    /// Returns the language that a client prefers by `Accept-Language` (RFC 9110, section 12.5.4):
    /// that with the highest quality, and the first of several.
    pub(super) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let values = headers.get_all(ACCEPT_LANGUAGE).into_iter();
        let texts = values.filter_map(|value| value.to_str().ok());
        let mut best = None;
        for (language, quality) in texts.flat_map(|text| text.split(',')).filter_map(accepted) {
            if best.is_none_or(|(_, highest)| quality > highest) {
                best = Some((language, quality));
            }
        }
        best.map(|(language, _)| language)
    }
}

/// Returns the language of a range such as `de-AT;q=0.7`, with its quality; `None` if there are no
/// texts in it, or if the client does not accept it.
fn accepted(range: &str) -> Option<(Language, f32)> {
    let mut parts = range.split(';').map(str::trim);
    let language = Language::from_code(parts.next()?)?;
    let quality = match parts.find_map(|part| part.strip_prefix("q=")) {
        Some(text) => text.parse::<f32>().ok()?,
        None => DEFAULT_QUALITY,
    };
    (quality > 0.0).then_some((language, quality))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use kalah::Rules;

    use super::*;

    /// Returns all texts of a language, with the values that they contain.
    fn all_texts(language: Language) -> Vec<(String, Vec<&'static str>)> {
        let texts = language.texts();
        let position = Position::start(5, 3, Rules::CS32).expect("a start");
        vec![
            ((texts.invitation_by)("Ada"), vec!["Ada"]),
            (texts.invitation.to_owned(), vec![]),
            ((texts.game)("Ada – Bob"), vec!["Ada – Bob"]),
            ((texts.room)("7b"), vec!["7b"]),
            ((texts.puzzle)("Ada"), vec!["Ada"]),
            (texts.sides.south.to_owned(), vec![]),
            (texts.sides.north.to_owned(), vec![]),
            ((texts.position)(&position), vec!["5", "30", "cs32"]),
            (texts.picture.to_owned(), vec![]),
            (language.code().to_owned(), vec![]),
            (language.locale().to_owned(), vec![language.code()]),
        ]
    }

    #[test]
    fn every_language_has_its_own_texts_with_all_values() {
        let [english, german] = Language::ALL.map(all_texts);
        for (english, german) in english.into_iter().zip(german) {
            assert_ne!(english.0, german.0);
            for (text, values) in [english, german] {
                assert!(!text.trim().is_empty());
                for value in values {
                    assert!(text.contains(value), "{text} lacks {value}");
                }
            }
        }
    }

    #[test]
    fn language_follows_the_qualities_of_accept_language() {
        for (header, expected) in [
            ("de", Some(Language::German)),
            ("de-AT,de;q=0.9,en;q=0.8", Some(Language::German)),
            ("en-GB,en;q=0.9,de;q=0.8", Some(Language::English)),
            ("fr, en;q=0.3, DE;q=0.7", Some(Language::German)),
            ("en;q=0.5, de;q=0.5", Some(Language::English)),
            ("de;q=0, en;q=0.1", Some(Language::English)),
            ("de;q=high", None),
            ("fr, *;q=0.5", None),
            ("deutsch", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.append(ACCEPT_LANGUAGE, HeaderValue::from_static(header));
            assert_eq!(Language::from_headers(&headers), expected, "{header}");
        }
        assert_eq!(Language::from_headers(&HeaderMap::new()), None);
    }

    #[test]
    fn language_of_an_address_is_a_known_code() {
        for (query, expected) in [
            ("lang=de", Some(Language::German)),
            ("fbclid=1&lang=en", Some(Language::English)),
            ("lang=fr", None),
            ("language=de", None),
            ("", None),
        ] {
            assert_eq!(Language::from_query(query), expected, "{query}");
        }
    }
}
