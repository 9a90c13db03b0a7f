//! Tables of games.

use std::io::{self, Write};

use textwrap::core::display_width;

/// A table that is written while its rows arrive. The first rows determine the widths of the
/// columns, so that a table of any length needs a limited memory.
pub(super) struct GameTable<const COLUMNS: usize> {
    head: [&'static str; COLUMNS],
    /// The rows that are not written yet.
    rows: Vec<[String; COLUMNS]>,
    /// The widths of the columns, once the head is written.
    widths: Option<[usize; COLUMNS]>,
}

/// The number of rows that determine the widths of a table.
const MAX_WAITING_ROWS: usize = 1000;
/// The space between two columns.
const COLUMN_GAP: usize = 2;

impl<const COLUMNS: usize> GameTable<COLUMNS> {
    /// Creates a table with the names of its columns.
    pub(super) const fn new(head: [&'static str; COLUMNS]) -> Self {
        Self {
            head,
            rows: Vec::new(),
            widths: None,
        }
    }

    /// Adds a row, and writes it if the widths of the columns are known.
    ///
    /// # Errors
    /// The error of the output.
    pub(super) fn add(&mut self, row: [String; COLUMNS], output: &mut dyn Write) -> io::Result<()> {
        self.rows.push(row);
        if self.widths.is_some() || self.rows.len() == MAX_WAITING_ROWS {
            self.flush(output)?;
        }
        Ok(())
    }

    /// Writes the rows that are not written yet.
    ///
    /// # Errors
    /// The error of the output.
    pub(super) fn flush(&mut self, output: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let widths = match self.widths {
            Some(widths) => widths,
            None => self.write_head(output)?,
        };
        self.widths = Some(widths);
        for row in self.rows.drain(..) {
            write_row(&row, &widths, output)?;
        }
        Ok(())
    }

    /// Writes the head, and returns the widths of the columns.
    fn write_head(&self, output: &mut dyn Write) -> io::Result<[usize; COLUMNS]> {
        let head = self.head.map(str::to_owned);
        let widths = std::array::from_fn(|column| {
            let cells = self.rows.iter().chain([&head]).map(|row| &row[column]);
            cells.map(|cell| display_width(cell)).max().unwrap_or(0)
        });
        write_row(&head, &widths, output)?;
        Ok(widths)
    }
}

fn write_row(row: &[String], widths: &[usize], output: &mut dyn Write) -> io::Result<()> {
    let mut line = String::new();
    for (cell, width) in row.iter().zip(widths) {
        line += cell;
        let missing = width.saturating_sub(display_width(cell));
        line += &" ".repeat(missing + COLUMN_GAP);
    }
    writeln!(output, "{}", line.trim_end())
}
