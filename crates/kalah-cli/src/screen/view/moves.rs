use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, BorderType};

use super::super::model::Model;
use super::super::theme::{CHOSEN, DIM};
use super::super::turns::{NUMBER_WIDTH, inside, list, scroll};

/// The list of moves, and after the game the worst of them.
pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame) {
    let plies = model.game().plies().len();
    let title = match model.looking {
        Some(looking) => format!(" Moves: ply {looking} of {plies} "),
        None => " Moves ".to_owned(),
    };
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(DIM)
        .title(title);
    frame.render_widget(block, area);
    let inner = inside(area);
    let lines = list(model, inner.width);
    let from = scroll(model, &lines, inner.height);
    let worst: Vec<usize> = model.worst().iter().map(|&(plies, _)| plies + 1).collect();
    let shown = model.shown_plies();
    let buffer = frame.buffer_mut();
    for (y, line) in (inner.y..inner.bottom()).zip(&lines[from.min(lines.len())..]) {
        if let Some(number) = line.number {
            let width = usize::from(NUMBER_WIDTH) - 2;
            buffer.set_stringn(
                inner.x,
                y,
                format!("{number:>width$}."),
                usize::from(inner.width),
                DIM,
            );
        }
        for entry in &line.entries {
            let mut style = model.theme.side(entry.side);
            if worst.contains(&entry.plies) {
                style = style.patch(model.theme.problem);
            }
            if entry.plies == shown {
                style = style.patch(CHOSEN);
            }
            let room = inner.width.saturating_sub(entry.x);
            buffer.set_stringn(
                inner.x + entry.x.min(inner.width),
                y,
                &entry.text,
                usize::from(room),
                style,
            );
        }
    }
    if lines.is_empty() {
        buffer.set_stringn(
            inner.x,
            inner.y,
            "no sowing yet",
            usize::from(inner.width),
            DIM,
        );
    }
}
