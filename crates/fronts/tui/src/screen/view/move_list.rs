//! The list of moves, with the accuracy of the players and the biggest mistakes of a finished game
//! below it.

use kalah::record::Turn;
use kalah::{Labels, Move, Side};
use kalah_engine::ReviewedPly;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::theme::{DIM, SELECTED, draw_panel, draw_text, inner_area, text_width};
use crate::screen::model::Model;
use crate::screen::model::review::GameReview;
use crate::screen::model::variation::Variation;
use kalah_text::{lost_percent, ply_symbol, ply_turns};

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
    let game = model.shown_game();
    let notation = model.notation();
    let plies = game.plies();
    let column_width = (width.saturating_sub(NUMBER_WIDTH) / 2).max(1);
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
        text += reviewed_symbol(model, index);
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

/// Returns the review of the shown ply with this index, unless it belongs to a variation.
fn reviewed_ply(model: &Model, index: usize) -> Option<&ReviewedPly> {
    let variation = model.variation.as_ref();
    let is_in_game = variation.is_none_or(|variation| index < variation.branch());
    let review = model.finished_review().filter(|_| is_in_game)?;
    review.review().plies.get(index)
}

/// Returns the symbol of the shown ply with this index: that of its grade, or `!!` if it is
/// beautiful; an empty text for other plies and in a variation.
fn reviewed_symbol(model: &Model, index: usize) -> &'static str {
    let reasons = model.finished_review().map(|review| review.reasons(index));
    reviewed_ply(model, index).map_or("", |ply| ply_symbol(ply, reasons.unwrap_or_default()))
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

/// The areas of the panel.
struct PanelAreas {
    moves: Rect,
    /// The accuracy of the players, if there is room for it.
    accuracy: Option<Rect>,
    /// The biggest mistakes below their heading, if there are any and there is room for them.
    mistakes: Option<Rect>,
}

/// A heading, and a line for each player.
const ACCURACY_HEIGHT: u16 = 3;

/// Divides the panel. The biggest mistakes take precedence over the accuracy.
fn panel_areas(model: &Model, panel: Rect) -> PanelAreas {
    let mut moves = inner_area(panel);
    let mut take = |height: u16| {
        let rest = moves.height.checked_sub(height);
        let rest = rest.filter(|&rest| height > 0 && rest >= MIN_LIST_HEIGHT)?;
        moves.height = rest;
        Some(Rect {
            y: moves.bottom(),
            height,
            ..moves
        })
    };
    let mistakes = model
        .finished_review()
        .map_or(0, |review| review.biggest_mistakes().len());
    let mistakes = match u16::try_from(mistakes).unwrap_or(u16::MAX) {
        0 => None,
        mistakes => take(mistakes.saturating_add(1)),
    };
    let accuracy = match model.finished_review() {
        Some(_) => take(ACCURACY_HEIGHT),
        None => None,
    };
    PanelAreas {
        moves,
        accuracy,
        mistakes,
    }
}

/// A position that the user selects in the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PanelTarget {
    /// The position of the shown game after this number of plies.
    Shown(usize),
    /// The position of the game after this number of plies.
    Game(usize),
}

/// Returns the position that the panel shows for a cell: after a move of the list, or before a
/// mistake.
pub(crate) fn target_at(model: &Model, panel: Rect, at: Position) -> Option<PanelTarget> {
    let areas = panel_areas(model, panel);
    if areas.moves.contains(at) {
        let lines = move_list_lines(model, areas.moves.width);
        let offset = scroll_offset(model, &lines, areas.moves.height);
        let line = lines.get(offset + usize::from(at.y - areas.moves.y))?;
        let x = at.x - areas.moves.x;
        let entry = line.entries.iter().rev().find(|entry| entry.x <= x);
        let entry = entry.or(line.entries.first())?;
        return Some(PanelTarget::Shown(entry.ply_count));
    }
    let mistakes_area = areas.mistakes.filter(|area| area.contains(at))?;
    // The first line is the heading.
    let index = usize::from(at.y - mistakes_area.y).checked_sub(1)?;
    let mistakes = model.finished_review()?.biggest_mistakes();
    mistakes
        .get(index)
        .map(|&(plies, _)| PanelTarget::Game(plies))
}

/// Draws the list of moves, the accuracy and the biggest mistakes.
pub(super) fn draw(model: &Model, panel: Rect, frame: &mut Frame) {
    let plies = model.shown_game().plies().len();
    let title = match (&model.variation, model.viewed_plies) {
        (Some(_), _) => " Variation ".to_owned(),
        (None, _) if model.puzzles.is_some() => " Puzzle ".to_owned(),
        (None, Some(viewed)) => format!(" Moves: {viewed} of {plies} "),
        (None, None) => " Moves ".to_owned(),
    };
    draw_panel(frame, panel, title, "");
    let areas = panel_areas(model, panel);
    let lines = move_list_lines(model, areas.moves.width);
    let offset = scroll_offset(model, &lines, areas.moves.height);
    let viewed = model.viewed_ply_count();
    let branch = model.variation.as_ref().map(Variation::branch);
    let buffer = frame.buffer_mut();
    for (row, line) in areas.moves.rows().zip(lines.iter().skip(offset)) {
        if let Some(number) = line.number {
            let width = usize::from(NUMBER_WIDTH) - 2;
            draw_text(&format!("{number:>width$}."), DIM, row, buffer);
        }
        for entry in &line.entries {
            let mut style = model.theme.side_style(entry.side);
            if branch.is_some_and(|branch| entry.ply_count <= branch) {
                style = DIM;
            }
            let index = entry.ply_count - 1;
            let grade = reviewed_ply(model, index).and_then(ReviewedPly::grade);
            if grade.is_some() {
                style = style.patch(model.theme.error);
            } else if !reviewed_symbol(model, index).is_empty() {
                style = style.patch(model.theme.highlight);
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
    if lines.is_empty() {
        draw_text("no move yet", DIM, areas.moves, buffer);
    }
    let Some(review) = model.finished_review() else {
        return;
    };
    if let Some(area) = areas.accuracy {
        draw_accuracy(model, review, area, buffer);
    }
    if let Some(area) = areas.mistakes {
        draw_biggest_mistakes(model, review, area, buffer);
    }
}

/// Draws the accuracy of each player, by the side on which that player began, and the number of
/// plies on which it rests: those whose cost is proven.
fn draw_accuracy(model: &Model, review: &GameReview, area: Rect, buffer: &mut Buffer) {
    draw_text("Accuracy, proven plies", DIM, area, buffer);
    let review = review.review();
    for (row, side) in area.rows().skip(1).zip(Side::ALL) {
        let accuracy = review.accuracy[side];
        // The percentage is rounded down, so that 100 % means no cost.
        let percent = accuracy.percent().map_or("unknown".to_owned(), |percent| {
            format!("{:.0} %", percent.floor())
        });
        let (plies, all) = (accuracy.plies, accuracy.all_plies());
        let text = format!("{side} {percent}, {plies} of {all}");
        draw_text(&text, model.theme.side_style(side), row, buffer);
    }
}

fn draw_biggest_mistakes(model: &Model, review: &GameReview, area: Rect, buffer: &mut Buffer) {
    draw_text("Biggest mistakes", DIM, area, buffer);
    let turns: Vec<Turn> = ply_turns(model.game()).collect();
    for (row, (plies, ply)) in area.rows().skip(1).zip(review.biggest_mistakes()) {
        let notation = model.notation();
        let mv = notation.format_move(ply.side, ply.mv);
        let better = ply.better_moves.first();
        let better = better.map(|&better| notation.format_move(ply.side, better));
        let mistake = format!(
            "{:>2}. {mv}{} {}, {}",
            turns.get(plies).map_or(0, |turn| turn.number),
            ply_symbol(ply, review.reasons(plies)),
            short_cost(ply),
            better.unwrap_or_default(),
        );
        let sentence = format!("{mistake} best");
        let text = if text_width(&sentence) > row.width {
            mistake
        } else {
            sentence
        };
        let style = if model.variation.is_none() && model.viewed_plies == Some(plies) {
            model.theme.error.patch(SELECTED)
        } else {
            model.theme.error
        };
        draw_text(&text, style, row, buffer);
    }
}

/// Returns the cost of a mistake: `-6` seeds, `at least 2`, or `~23 %` of a point.
fn short_cost(ply: &ReviewedPly) -> String {
    if let (false, Some(percent)) = (ply.is_costly(), lost_percent(ply)) {
        return format!("~{percent} %");
    }
    let seeds = ply.cost.lower.seeds();
    if ply.cost.is_exact() {
        format!("-{seeds}")
    } else {
        format!("at least {seeds}")
    }
}
