//! Tables of aligned text that fit a width.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr};

/// A table of text.
pub(super) struct TextTable {
    /// The cells of each row. Missing ones are empty.
    pub(super) rows: Vec<Vec<String>>,
    /// The number of columns at the left whose cells are aligned to the left. Those of the other
    /// columns are aligned to the right.
    pub(super) left_columns: usize,
    /// The column whose cells are shortened if nothing else can be left out.
    pub(super) name_column: usize,
    /// The columns that are left out, one group after the other, until the table fits.
    pub(super) optional: Vec<Vec<usize>>,
}

/// The text between two columns.
const GAP: &str = "  ";

/// The character in the place of the rest of a name.
const ELLIPSIS: char = '…';

/// The minimum width of a shortened name.
const MIN_NAME_WIDTH: usize = 8;

impl TextTable {
    /// Returns the lines of the table, which fit `width` if that is possible by leaving out
    /// columns and shortening names.
    pub(super) fn to_text(&self, width: Option<usize>) -> String {
        let max_width = width.unwrap_or(usize::MAX);
        let mut hidden: Vec<usize> = Vec::new();
        let mut text = self.align(&self.rows, &hidden);
        for group in &self.optional {
            if text_width(&text) <= max_width {
                return text;
            }
            hidden.extend(group);
            text = self.align(&self.rows, &hidden);
        }
        let excess = text_width(&text).saturating_sub(max_width);
        if excess == 0 {
            return text;
        }
        let names = self.rows.iter().filter_map(|row| row.get(self.name_column));
        let longest = names.map(|name| name.width()).max().unwrap_or_default();
        let name_width = longest.saturating_sub(excess).max(MIN_NAME_WIDTH);
        let mut rows = self.rows.clone();
        for row in &mut rows {
            if let Some(name) = row.get_mut(self.name_column) {
                *name = shorten(name, name_width);
            }
        }
        self.align(&rows, &hidden)
    }

    /// Pads the cells of all columns except the hidden ones to the width of their column on a
    /// screen.
    fn align(&self, rows: &[Vec<String>], hidden: &[usize]) -> String {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| cell.width()).max().unwrap_or_default()
            })
            .collect();
        let mut text = String::new();
        for row in rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if hidden.contains(&column) {
                    continue;
                }
                if column > 0 {
                    line.push_str(GAP);
                }
                let padding = " ".repeat(width.saturating_sub(cell.width()));
                let parts = if column < self.left_columns {
                    [cell, &padding]
                } else {
                    [&padding, cell]
                };
                line.extend(parts.map(String::as_str));
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

fn text_width(text: &str) -> usize {
    let lines = text.lines();
    lines.map(UnicodeWidthStr::width).max().unwrap_or_default()
}

/// Returns the beginning of a longer text with an ellipsis, at most `width` columns wide.
fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut left = width.saturating_sub(1);
    for character in text.chars() {
        let Some(rest) = left.checked_sub(character.width().unwrap_or_default()) else {
            break;
        };
        left = rest;
        short.push(character);
    }
    short.push(ELLIPSIS);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> TextTable {
        let rows = rows.iter();
        TextTable {
            rows: rows
                .map(|row| row.iter().map(|&cell| cell.to_owned()).collect())
                .collect(),
            left_columns: 2,
            name_column: 1,
            optional: vec![vec![3, 4], vec![2]],
        }
    }

    #[test]
    fn columns_are_aligned_by_the_width_on_a_screen() {
        let table = table(&[&["1.", "日本語", "9"], &["2.", "Zoe\u{308}", "10"]]);
        assert_eq!(
            table.to_text(None),
            "1.  日本語   9\n2.  Zoe\u{308}     10\n"
        );
    }

    #[test]
    fn narrow_tables_leave_out_columns_and_shorten_names() {
        let table = table(&[
            &["1.", "a-student@uni.example", "+15", "-", "24"],
            &["2.", "日本語日本語日本語日本", "-9", "12", "-"],
        ]);
        let text = |width| table.to_text(Some(width));
        assert_eq!(text(39), table.to_text(None));
        assert_eq!(
            text(38),
            "1.  a-student@uni.example   +15\n2.  日本語日本語日本語日本   -9\n"
        );
        assert_eq!(
            text(30),
            "1.  a-student@uni.example\n2.  日本語日本語日本語日本\n"
        );
        assert_eq!(text(15), "1.  a-student@…\n2.  日本語日本…\n");
        for width in 12..60 {
            assert!(text_width(&text(width)) <= width, "{width}");
        }
    }
}
