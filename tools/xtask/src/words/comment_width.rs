//! The check of the width of comments, which rustfmt does not wrap.

/// The maximum width of a line in columns, that of rustfmt for code.
const MAX_COLUMNS: usize = 100;

/// The beginning of an example in the documentation of the Python package. Its lines cannot be
/// wrapped.
const PYTHON_PROMPT: &str = ">>>";

pub(super) const REASON: &str = "wrap comments at 100 columns";

/// Returns the numbers of the lines of a Rust file that are comments and too wide. Tables,
/// addresses and examples in Python may be wider.
pub(super) fn wide_comments(code: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut is_python = false;
    for (line, number) in code.lines().zip(1..) {
        let comment = line.trim_start().strip_prefix("//");
        let text = comment.map_or("", |text| text.trim_start_matches(['/', '!']).trim());
        is_python = !text.is_empty() && (is_python || text.starts_with(PYTHON_PROMPT));
        let may_be_wide = is_python || text.starts_with('|') || text.contains("://");
        if comment.is_some() && !may_be_wide && line.chars().count() > MAX_COLUMNS {
            lines.push(number);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_prose_in_comments_is_limited() {
        let wide = "a ".repeat(50);
        let code = [
            format!("    /// {wide}"),
            format!("//! | {wide}"),
            format!("// https://example.org {wide}"),
            format!("const TEXT: &str = \"{wide}\";"),
            format!("/// >>> {wide}"),
            format!("/// {wide}"),
            "///".to_owned(),
            format!("/// {wide}"),
        ];
        assert_eq!(wide_comments(&code.join("\n")), [1, 8]);
    }
}
