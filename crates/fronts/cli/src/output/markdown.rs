//! Markdown as text for a terminal.

use termimad::MadSkin;

/// Lays out `markdown` in lines of at most `width` columns, with control sequences for its styles.
/// Lines of code are not wrapped where they fit, and wider tables become lists.
pub(crate) fn format_markdown(markdown: &str, width: usize) -> String {
    let markdown = with_narrow_tables(&join_paragraphs(markdown), width);
    let text = MadSkin::default().text(&markdown, Some(width)).to_string();
    let lines = text.lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

/// The first characters of a line that does not continue the paragraph before it: a heading, the
/// row of a table, a code fence, and an item of a list.
const BLOCK_STARTS: [&str; 5] = ["#", "|", CODE_FENCE, "- ", "* "];
const CODE_FENCE: &str = "```";

/// Joins the lines of each paragraph and of each item of a list, which the terminal wraps.
fn join_paragraphs(markdown: &str) -> String {
    let mut joined = String::new();
    let (mut is_code, mut can_continue) = (false, false);
    for line in markdown.lines() {
        let text = line.trim_start();
        let is_fence = text.starts_with(CODE_FENCE);
        let starts_block = is_code
            || text.is_empty()
            || BLOCK_STARTS.iter().any(|start| text.starts_with(start))
            || is_numbered(text);
        if can_continue && !starts_block {
            joined.push(' ');
            joined.push_str(text);
        } else {
            joined.push('\n');
            joined.push_str(line);
        }
        is_code ^= is_fence;
        can_continue = !is_code && !is_fence && !text.is_empty() && !text.starts_with(['#', '|']);
    }
    joined.trim_start().to_owned()
}

/// Returns whether a line is an item of a numbered list, such as `1. item`.
fn is_numbered(line: &str) -> bool {
    let number = line.split_once(". ").map(|(number, _)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Replaces the tables of `markdown` that are wider than `width` columns by lists: an item for each
/// row, with the heads of its cells.
fn with_narrow_tables(markdown: &str, width: usize) -> String {
    let lines: Vec<&str> = markdown.lines().collect();
    let is_row = |line: &&str| line.starts_with('|');
    let blocks = lines.chunk_by(|one, next| is_row(one) == is_row(next));
    let blocks = blocks.map(|block| {
        let is_wide = block.iter().any(|line| line.chars().count() > width);
        match block {
            [head, _, rows @ ..] if is_row(head) && is_wide => list_of_rows(head, rows),
            lines => lines.join("\n"),
        }
    });
    blocks.collect::<Vec<_>>().join("\n")
}

fn list_of_rows(head: &str, rows: &[&str]) -> String {
    let cells = |row: &str| -> Vec<String> {
        let cells = row.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    let heads = cells(head);
    let items = rows.iter().map(|row| {
        let cells = cells(row);
        let named = heads
            .iter()
            .zip(&cells)
            .filter(|(_, cell)| !cell.is_empty());
        let texts = named.map(|(head, cell)| match head.as_str() {
            "" => cell.clone(),
            head => format!("{head}: {cell}"),
        });
        format!("* {}", texts.collect::<Vec<_>>().join("; "))
    });
    items.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_paragraphs_and_items_are_joined() {
        let markdown =
            "# Title\n\nOne\ntwo\n\n- a\n  b\n- c\n1. d\n| x |\n| y |\n```sh\na\nb\n```\ne\nf";
        let joined = "# Title\n\nOne two\n\n- a b\n- c\n1. d\n| x |\n| y |\n```sh\na\nb\n```\ne f";
        assert_eq!(join_paragraphs(markdown), joined);
    }

    #[test]
    fn wide_tables_become_lists() {
        let markdown = "x\n| a | b | |\n| --- | --- | --- |\n| 1 | two | 3 |\n| 4 | | |\ny";
        assert_eq!(with_narrow_tables(markdown, 20), markdown);
        let list = "x\n* a: 1; b: two; 3\n* a: 4\ny";
        assert_eq!(with_narrow_tables(markdown, 10), list);
    }
}
