//! Text of unknown origin without the characters that control a terminal.

use std::path::Path;

/// What is left of a longer text when it is quoted.
const MAX_QUOTED_CHARACTERS: usize = 60;

/// Whether a character could rule a terminal: it controls it, or turns the direction of the text
/// around it.
pub fn is_terminal_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// A text that somebody typed or handed over, without the characters that could rule a terminal.
pub fn escape_control(text: &str) -> String {
    let mut tame = String::new();
    for character in text.chars() {
        if is_terminal_control(character) {
            tame.extend(character.escape_default());
        } else {
            tame.push(character);
        }
    }
    tame
}

/// A [`tame`] text, no longer than is needed to recognise it.
pub fn escape_truncated(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARACTERS) {
        Some((end, _)) => escape_control(&text[..end]) + "…",
        None => escape_control(text),
    }
}

/// A whole path as a [`tame`] text: one that is cut cannot be found.
pub fn display_path(path: &Path) -> String {
    escape_control(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_harmless_is_shown_as_it_is() {
        assert_eq!(escape_truncated("Zoë's \"3\""), "Zoë's \"3\"");
    }

    #[test]
    fn paths_are_whole() {
        let path = "tables/".repeat(MAX_QUOTED_CHARACTERS) + "\u{1b}";
        let told = "tables/".repeat(MAX_QUOTED_CHARACTERS) + "\\u{1b}";
        assert_eq!(display_path(Path::new(&path)), told);
    }

    #[test]
    fn control_characters_and_length_are_tamed() {
        assert_eq!(escape_truncated("\u{1b}[2J\n"), "\\u{1b}[2J\\n");
        assert_eq!(
            escape_truncated("a\u{202e}b\u{2066}c\u{200f}"),
            "a\\u{202e}b\\u{2066}c\\u{200f}"
        );
        let long = escape_truncated(&"é".repeat(MAX_QUOTED_CHARACTERS + 1));
        assert_eq!(long.chars().count(), MAX_QUOTED_CHARACTERS + 1);
        assert!(long.ends_with("é…"));
    }
}
