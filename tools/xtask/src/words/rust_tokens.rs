//! The tokens of Rust code, without comments, strings and characters.

/// A token of Rust code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RustToken<'a> {
    /// A name, a number, or a mark: one character, or one of [`LONG_MARKS`].
    pub(super) text: &'a str,
    /// The line of the token, from 1.
    pub(super) line: usize,
}

/// The marks of more than one character that a check reads as one.
const LONG_MARKS: [&str; 4] = ["..=", "..", "->", "=>"];

/// The beginnings of strings in which a backslash escapes nothing.
const RAW_STRING_STARTS: [&str; 4] = ["r\"", "r#", "br\"", "br#"];

/// Returns the tokens of Rust code.
pub(super) fn rust_tokens(code: &str) -> Vec<RustToken<'_>> {
    let mut tokens: Vec<RustToken<'_>> = Vec::new();
    let (mut rest, mut line) = (code, 1);
    while let Some(first) = rest.chars().next() {
        let (length, is_token) = if let Some(skipped) = skipped_length(rest) {
            (skipped, false)
        } else if is_name_char(first) {
            let end = rest.find(|c| !is_name_char(c));
            (end.unwrap_or(rest.len()), true)
        } else {
            let mark = LONG_MARKS.iter().find(|&&mark| rest.starts_with(mark));
            (mark.map_or(first.len_utf8(), |mark| mark.len()), true)
        };
        let (text, after) = rest.split_at(length);
        if is_token {
            tokens.push(RustToken { text, line });
        }
        line += text.matches('\n').count();
        rest = after;
    }
    tokens
}

/// Returns the length of the space, comment, string or character at the beginning of `code`.
fn skipped_length(code: &str) -> Option<usize> {
    let first = code.chars().next()?;
    if first.is_whitespace() {
        return Some(first.len_utf8());
    }
    if code.starts_with("//") {
        return Some(code.find('\n').unwrap_or(code.len()));
    }
    if code.starts_with("/*") {
        return Some(block_comment_length(code));
    }
    if RAW_STRING_STARTS
        .iter()
        .any(|start| code.starts_with(start))
    {
        let quote = code.find('"')?;
        let hashes = code[..quote].trim_start_matches(['b', 'r']);
        if hashes.bytes().all(|byte| byte == b'#') {
            let end = format!("\"{hashes}");
            let content = quote + 1;
            return Some(
                (code[content..].find(&end)).map_or(code.len(), |at| content + at + end.len()),
            );
        }
    }
    if let Some(text) = code.strip_prefix("b\"").or_else(|| code.strip_prefix('"')) {
        return Some(code.len() - text.len() + quoted_length(text, '"'));
    }
    let text = code
        .strip_prefix("b'")
        .or_else(|| code.strip_prefix('\''))?;
    let mut characters = text.chars();
    // Anything else after an apostrophe is a lifetime, which ends where its name ends.
    let is_character = match characters.next()? {
        '\\' => true,
        _ => characters.next() == Some('\''),
    };
    is_character.then(|| code.len() - text.len() + quoted_length(text, '\''))
}

/// Returns the length of a text up to and including the closing quote.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (index, character) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else if character == quote {
            return index + quote.len_utf8();
        }
    }
    text.len()
}

/// Returns the length of a block comment, which can contain others.
fn block_comment_length(code: &str) -> usize {
    let mut depth = 0_usize;
    let mut index = 0;
    while index < code.len() {
        let rest = &code[index..];
        if rest.starts_with("/*") {
            depth += 1;
            index += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            index += 2;
            if depth == 0 {
                return index;
            }
        } else {
            index += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    code.len()
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_no_tokens() {
        for (code, expected) in [
            ("a..b // c", "a .. b"),
            ("/* a /* b */ c */ d", "d"),
            (r#"f("x\"y", 1)"#, "f ( , 1 )"),
            (r##"g(r#"a "b" c"#, br"\", b"d")"##, "g ( , , )"),
            (r"let q = ['\'', b'x', 'y'];", "let q = [ , , ] ;"),
            (
                "fn f<'a>(x: &'a str) -> u8",
                "fn f < ' a > ( x : & ' a str ) -> u8",
            ),
            ("brand r", "brand r"),
        ] {
            let texts: Vec<&str> = rust_tokens(code).iter().map(|token| token.text).collect();
            assert_eq!(texts.join(" "), expected, "{code}");
        }
    }

    #[test]
    fn lines_count_from_one_through_strings_and_comments() {
        let lines: Vec<usize> = rust_tokens("a\n\"\n\" b /*\n*/ c\n// d\ne")
            .iter()
            .map(|token| token.line)
            .collect();
        assert_eq!(lines, [1, 3, 4, 6]);
    }
}
