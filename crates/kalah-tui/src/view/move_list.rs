//! The list of moves, with the worst mistakes of a finished game below it.

use kalah::{Labels, Move, Side, format_count};
use kalah_engine::ReviewedPly;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::theme::{DIM, SELECTED, draw_panel, draw_text, inner_area};
use crate::model::Model;
use crate::text::review::ply_turns;

/// The width of the numbers of turns.
const NUMBER_WIDTH: u16 = 5;

/// The minimum height of the list. Without room for it, the mistakes below it are not shown.
const MIN_LIST_HEIGHT: u16 = 4;

/// A ply in the list of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MoveListEntry {
    side: Side,
    /// The number of plies up to and including this one.
    ply_count: usize,
    x: u16,
    text: String,
}

/// A line of the list of moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct MoveListLine {
    /// The number of the turns on the first line of South's and North's turns with one number.
    number: Option<u32>,
    entries: Vec<MoveListEntry>,
}

/// Lays out the moves in two columns, South on the left and North on the right, with the numbers of
/// the record.
fn move_list_lines(model: &Model, width: u16) -> Vec<MoveListLine> {
    let game = model.game();
    let notation = model.notation();
    let plies = game.plies();
    let column_width = (width.saturating_sub(NUMBER_WIDTH) / 2).max(1);
    let mistakes: Vec<usize> = mistake_ply_counts(model);
    let mut lines: Vec<MoveListLine> = Vec::new();
    // The first line of the current number, and the next cell of the current turn.
    let (mut first_line, mut line_index, mut x) = (0, 0, 0);
    let mut previous = None;
    for (index, (ply, turn)) in plies.iter().zip(ply_turns(game)).enumerate() {
        let left = match turn.side {
            Side::South => NUMBER_WIDTH,
            Side::North => NUMBER_WIDTH + column_width,
        };
        if previous.is_none_or(|(number, _)| number != turn.number) {
            first_line = lines.len();
            lines.push(MoveListLine {
                number: Some(turn.number),
                entries: Vec::new(),
            });
        }
        if previous != Some((turn.number, turn.side)) {
            (line_index, x) = (first_line, left);
        }
        previous = Some((turn.number, turn.side));

        let ply_count = index + 1;
        let mut text = notation.format_move(ply.side, ply.mv);
        if mistakes.contains(&ply_count) {
            text.push('?');
        }
        let is_followed = plies
            .get(ply_count)
            .is_some_and(|next| next.side == ply.side);
        if is_followed && model.labels != Labels::Letters && ply.mv != Move::Swap {
            text.push('-');
        }
        let text_width = u16::try_from(text.len()).unwrap_or(u16::MAX);
        // A space separates the columns, and a swap ends its line.
        let is_after_swap = index > 0 && plies[index - 1].mv == Move::Swap;
        if x > left && (x + text_width >= left + column_width || is_after_swap) {
            line_index += 1;
            x = left;
        }
        if line_index == lines.len() {
            lines.push(MoveListLine::default());
        }
        lines[line_index].entries.push(MoveListEntry {
            side: ply.side,
            ply_count,
            x,
            text,
        });
        x += text_width;
    }
    lines
}

/// Returns the numbers of plies up to and including each of the worst mistakes.
fn mistake_ply_counts(model: &Model) -> Vec<usize> {
    let mistakes = model.worst_mistakes();
    mistakes.iter().map(|(plies, _)| plies + 1).collect()
}

/// Returns the first visible line, so that the viewed ply is visible.
fn scroll_offset(model: &Model, lines: &[MoveListLine], height: u16) -> usize {
    let viewed = model.viewed_ply_count();
    let has_viewed = |line: &MoveListLine| {
        let mut entries = line.entries.iter();
        entries.any(|entry| entry.ply_count == viewed)
    };
    let index = lines.iter().position(has_viewed).unwrap_or_default();
    let height = usize::from(height);
    let max_offset = lines.len().saturating_sub(height);
    index.saturating_sub(height / 2).min(max_offset)
}

/// Returns the areas of the list and of the worst mistakes, if there is room for them.
fn list_areas(model: &Model, panel: Rect) -> (Rect, Option<Rect>) {
    let area = inner_area(panel);
    let mistakes = u16::try_from(model.worst_mistakes().len()).unwrap_or(u16::MAX);
    let Some(height) = area
        .height
        .checked_sub(mistakes.saturating_add(1))
        .filter(|&height| mistakes > 0 && height >= MIN_LIST_HEIGHT)
    else {
        return (area, None);
    };
    let mistakes_area = Rect {
        y: area.y + height,
        height: area.height - height,
        ..area
    };
    (Rect { height, ..area }, Some(mistakes_area))
}

/// Returns the number of plies before the position that the panel shows for a cell: after a move of
/// the list, or before a mistake.
pub(crate) fn ply_at(model: &Model, panel: Rect, at: Position) -> Option<usize> {
    let (area, mistakes_area) = list_areas(model, panel);
    if area.contains(at) {
        let lines = move_list_lines(model, area.width);
        let offset = scroll_offset(model, &lines, area.height);
        let line = lines.get(offset + usize::from(at.y - area.y))?;
        let x = at.x - area.x;
        let entry = line.entries.iter().rev().find(|entry| entry.x <= x);
        return entry.or(line.entries.first()).map(|entry| entry.ply_count);
    }
    let mistakes_area = mistakes_area.filter(|area| area.contains(at))?;
    // The first line is the heading.
    let index = usize::from(at.y - mistakes_area.y).checked_sub(1)?;
    model.worst_mistakes().get(index).map(|&(plies, _)| plies)
}

/// Draws the list of moves and the worst mistakes.
pub(super) fn draw(model: &Model, panel: Rect, frame: &mut Frame) {
    let plies = model.game().plies().len();
    let title = match model.viewed_plies {
        Some(viewed) => format!(" Moves: ply {viewed} of {plies} "),
        None => " Moves ".to_owned(),
    };
    draw_panel(frame, panel, title);
    let (area, mistakes_area) = list_areas(model, panel);
    let lines = move_list_lines(model, area.width);
    let offset = scroll_offset(model, &lines, area.height);
    let mistakes = mistake_ply_counts(model);
    let viewed = model.viewed_ply_count();
    let buffer = frame.buffer_mut();
    for (row, line) in area.rows().zip(lines.iter().skip(offset)) {
        if let Some(number) = line.number {
            let width = usize::from(NUMBER_WIDTH) - 2;
            draw_text(&format!("{number:>width$}."), DIM, row, buffer);
        }
        for entry in &line.entries {
            let mut style = model.theme.side_style(entry.side);
            if mistakes.contains(&entry.ply_count) {
                style = style.patch(model.theme.error);
            }
            if entry.ply_count == viewed {
                style = style.patch(SELECTED);
            }
            let x = entry.x.min(row.width);
            let entry_area = Rect {
                x: row.x + x,
                width: row.width - x,
                ..row
            };
            draw_text(&entry.text, style, entry_area, buffer);
        }
    }
    if let Some(area) = mistakes_area {
        draw_worst_mistakes(model, area, buffer);
    }
    if lines.is_empty() {
        draw_text("no move yet", DIM, area, buffer);
    }
}

fn draw_worst_mistakes(model: &Model, area: Rect, buffer: &mut Buffer) {
    draw_text("Worst moves", DIM, area, buffer);
    for (row, (plies, ply)) in area.rows().skip(1).zip(model.worst_mistakes()) {
        let mv = model.notation().format_move(ply.side, ply.mv);
        let text = format!(" {mv} cost {}", short_cost(ply));
        let style = if model.viewed_plies == Some(plies) {
            model.theme.error.patch(SELECTED)
        } else {
            model.theme.error
        };
        draw_text(&text, style, row, buffer);
    }
}

/// Returns the cost of a mistake, short enough for the narrowest list: `6 seeds`, `≥2 seeds`.
fn short_cost(ply: &ReviewedPly) -> String {
    let sign = if ply.cost.is_exact() { "" } else { "≥" };
    let least = ply.cost.lower.seeds().unsigned_abs();
    format!("{sign}{}", format_count(least.into(), "seed"))
}
