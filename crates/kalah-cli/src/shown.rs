/// What is left of a longer text when it is quoted.
const MOST_QUOTED_CHARACTERS: usize = 60;

/// A text that somebody typed or handed over, without the control characters that could rule a
/// terminal.
pub(crate) fn tame(text: &str) -> String {
    let mut tame = String::new();
    for character in text.chars() {
        if character.is_control() {
            tame.extend(character.escape_default());
        } else {
            tame.push(character);
        }
    }
    tame
}

/// A [`tame`] text, no longer than is needed to recognise it.
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(MOST_QUOTED_CHARACTERS) {
        Some((end, _)) => tame(&text[..end]) + "…",
        None => tame(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_harmless_is_shown_as_it_is() {
        assert_eq!(shown("Zoë's \"3\""), "Zoë's \"3\"");
    }

    #[test]
    fn control_characters_and_length_are_tamed() {
        assert_eq!(shown("\u{1b}[2J\n"), "\\u{1b}[2J\\n");
        let long = shown(&"é".repeat(MOST_QUOTED_CHARACTERS + 1));
        assert_eq!(long.chars().count(), MOST_QUOTED_CHARACTERS + 1);
        assert!(long.ends_with("é…"));
    }
}
