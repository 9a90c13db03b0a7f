use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, BorderType};

use super::super::model::Model;
use super::super::theme::{DIM, SELECTED};
use super::super::turns::{NUMBER_WIDTH, list_areas, move_list_lines, scroll_offset};
use crate::commands::review::format_cost as cost;

/// The list of moves, and after the game the worst of them.
pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame) {
    let plies = model.game().plies().len();
    let title = match model.viewed_plies {
        Some(looking) => format!(" Moves: ply {looking} of {plies} "),
        None => " Moves ".to_owned(),
    };
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(DIM)
        .title(title);
    frame.render_widget(block, area);
    let (inner, below) = list_areas(model, area);
    let lines = move_list_lines(model, inner.width);
    let from = scroll_offset(model, &lines, inner.height);
    let worst: Vec<usize> = model
        .worst_mistakes()
        .iter()
        .map(|&(plies, _)| plies + 1)
        .collect();
    let shown = model.viewed_ply_count();
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
            let mut style = model.theme.side_style(entry.side);
            if worst.contains(&entry.ply_count) {
                style = style.patch(model.theme.error);
            }
            if entry.ply_count == shown {
                style = style.patch(SELECTED);
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
    if let Some(below) = below {
        draw_worst_mistakes(model, below, buffer);
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

/// The sowings that cost most, the dearest first.
fn draw_worst_mistakes(model: &Model, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    buffer.set_stringn(area.x, area.y, "Worst sowings", width, DIM);
    for (y, (plies, ply)) in (area.y + 1..area.bottom()).zip(model.worst_mistakes()) {
        let mv = model.naming().format_move(ply.side, ply.mv);
        let text = format!(" {mv} gave away {}", cost(ply));
        let style = if model.viewed_plies == Some(plies) {
            model.theme.error.patch(SELECTED)
        } else {
            model.theme.error
        };
        buffer.set_stringn(area.x, y, text, width, style);
    }
}
