//! Dialogs: their frame in front of the board, with lines that scroll and that the mouse selects.

mod content;
mod help;
mod history;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear, Paragraph, Widget as _};
use tui_input::Input;

pub(crate) use self::content::DialogTarget;
use self::content::{DialogContent, PREVIOUS_SIGN, SecondColumn};
#[cfg(test)]
pub(crate) use self::help::help_lines;
use super::theme::{BOLD, SELECTED, draw_text, inner_area, text_width, truncate};
use crate::screen::model::Model;
use crate::screen::model::dialog::Dialog;

/// Two borders.
const BORDER_SIZE: u16 = 2;

/// A line of a dialog.
#[derive(Clone, Debug, Default)]
struct DialogLine {
    first: String,
    second: String,
    style: Style,
    /// The part of the dialog that a click on the line selects.
    target: Option<DialogTarget>,
}

/// The place of a cell of the screen while a dialog is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DialogHit {
    /// A cell beside the dialog.
    Outside,
    /// A cell of the dialog without a function.
    Inside,
    Target(DialogTarget),
}

/// A dialog with its place on the screen.
struct PlacedDialog {
    content: DialogContent,
    /// The area with its border.
    area: Rect,
    /// The index of the first visible line.
    first_line: usize,
    /// The number of rows for the lines that scroll, above those of the footer.
    scrolled_rows: usize,
}

/// The least number of rows for the lines that scroll.
const MIN_SCROLLED_ROWS: usize = 3;

impl PlacedDialog {
    fn new(model: &Model, dialog: &Dialog) -> Self {
        let inner_width = |width: u16| width.min(model.size.width).saturating_sub(BORDER_SIZE);
        let content = DialogContent::new(model, dialog, inner_width);
        let lines = u16::try_from(content.lines.len()).unwrap_or(u16::MAX);
        let width = content.width.min(model.size.width);
        let height = lines.saturating_add(BORDER_SIZE).min(model.size.height);
        let area = Rect {
            x: (model.size.width - width) / 2,
            y: (model.size.height - height) / 2,
            width,
            height,
        };
        let visible = usize::from(height.saturating_sub(BORDER_SIZE));
        let max_footer = visible.saturating_sub(MIN_SCROLLED_ROWS);
        let scrolled_rows = visible - content.footer.min(max_footer);
        let mut placed = Self {
            content,
            area,
            first_line: 0,
            scrolled_rows,
        };
        placed.first_line = match dialog {
            Dialog::Help(help) => usize::from(help.scroll).min(placed.max_first_line()),
            _ => (placed.content.last_selected_line() + 1).saturating_sub(scrolled_rows),
        };
        placed
    }

    /// The number of lines that scroll.
    fn scrolled_lines(&self) -> usize {
        self.content.lines.len() - self.content.footer
    }

    /// Returns the first visible line of a dialog that is scrolled to its end.
    fn max_first_line(&self) -> usize {
        self.scrolled_lines().saturating_sub(self.scrolled_rows)
    }

    /// Returns the line in a row inside the borders.
    fn line(&self, row: usize) -> Option<&DialogLine> {
        let scrolled = self.scrolled_lines();
        if row < self.scrolled_rows {
            let lines = self.content.lines.get(..scrolled)?;
            lines.get(self.first_line + row)
        } else {
            self.content.lines.get(scrolled + row - self.scrolled_rows)
        }
    }
}

/// Returns the first visible line of a dialog that is scrolled to its end.
pub(crate) fn max_scroll(model: &Model) -> u16 {
    let Some(dialog) = &model.dialog else {
        return 0;
    };
    let max_first = PlacedDialog::new(model, dialog).max_first_line();
    u16::try_from(max_first).unwrap_or(u16::MAX)
}

/// Returns the place of a cell.
pub(crate) fn hit_at(model: &Model, dialog: &Dialog, at: Position) -> DialogHit {
    let placed = PlacedDialog::new(model, dialog);
    let inner = inner_area(placed.area);
    if !placed.area.contains(at) {
        return DialogHit::Outside;
    }
    let line = inner
        .contains(at)
        .then(|| placed.line(usize::from(at.y - inner.y)))
        .flatten();
    let Some((target, line)) = line.and_then(|line| Some((line.target?, line))) else {
        return DialogHit::Inside;
    };
    DialogHit::Target(match (target, placed.content.second_column) {
        (DialogTarget::Field(field), SecondColumn::At(column))
            if line.second.starts_with(PREVIOUS_SIGN) && at.x == inner.x + column =>
        {
            DialogTarget::PreviousValue(field)
        }
        _ => target,
    })
}

/// Draws a dialog.
pub(super) fn draw(model: &Model, dialog: &Dialog, frame: &mut Frame) {
    let placed = PlacedDialog::new(model, dialog);
    let (content, area, first_line) = (&placed.content, placed.area, placed.first_line);
    let inner = inner_area(area);
    let has_more_below = first_line < placed.max_first_line();
    // The title has room beside the corners and its spaces.
    let title = truncate(&content.title, usize::from(area.width.saturating_sub(4)));
    let mut block = Block::bordered().border_type(BorderType::Double);
    if !title.is_empty() {
        block = block.title(format!(" {title} "));
    }
    if first_line > 0 {
        block = block.title(Line::from(" ↑ more ").right_aligned());
    }
    if has_more_below {
        block = block.title_bottom(" ↓ more ");
    }
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    let buffer = frame.buffer_mut();
    for (index, row) in inner.rows().enumerate() {
        if let Some(line) = placed.line(index) {
            draw_line(line, content.second_column, row, buffer);
        }
    }
    if let Dialog::Save(dialog) = dialog {
        draw_file_name(&dialog.file_name, dialog.is_suggested, inner, buffer);
    }
}

fn draw_line(line: &DialogLine, second_column: SecondColumn, row: Rect, buffer: &mut Buffer) {
    buffer.set_style(row, line.style);
    let mut first = row;
    if second_column == SecondColumn::RightAligned && !line.second.is_empty() {
        // A space separates the texts.
        let width = text_width(&line.second).saturating_add(1);
        first.width = first.width.saturating_sub(width);
    }
    let text = truncate(&line.first, first.width.into());
    draw_text(&text, line.style, first, buffer);
    let x = match second_column {
        SecondColumn::At(x) => x,
        SecondColumn::RightAligned => row.width.saturating_sub(text_width(&line.second)),
    };
    let column = Rect {
        x: row.x + x,
        width: row.width.saturating_sub(x),
        ..row
    };
    if !column.is_empty() && !line.second.is_empty() {
        draw_text(&line.second, line.style, column, buffer);
    }
}

/// Draws the file name in the first line of `area`, scrolled so that the cursor is visible. A
/// suggested name, which typing replaces, is drawn as selected.
fn draw_file_name(file_name: &Input, is_suggested: bool, area: Rect, buffer: &mut Buffer) {
    let row = Rect { height: 1, ..area }.intersection(area);
    let scroll = file_name.visual_scroll(usize::from(row.width).saturating_sub(1));
    let column = file_name.visual_cursor().saturating_sub(scroll);
    let [scroll, column] = [scroll, column].map(|width| u16::try_from(width).unwrap_or(u16::MAX));
    let style = if is_suggested {
        BOLD.patch(SELECTED)
    } else {
        BOLD
    };
    Paragraph::new(Line::styled(file_name.value(), style))
        .scroll((0, scroll))
        .render(row, buffer);
    let cursor = Rect {
        x: row.x.saturating_add(column),
        width: 1,
        ..row
    };
    buffer.set_style(cursor.intersection(row), SELECTED);
}
