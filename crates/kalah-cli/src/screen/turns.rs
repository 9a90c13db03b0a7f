//! The list of moves and the graph as places on the screen: what stands where, for who draws and for who points.

use kalah::record::Turn;
use kalah::{Labels, Side};
use ratatui::layout::{Position, Rect};

use super::model::Model;

/// A ply in the list of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MoveListEntry {
    pub(crate) side: Side,
    /// How many plies have been made after it.
    pub(crate) ply_count: usize,
    pub(crate) x: u16,
    pub(crate) text: String,
}

/// A line of the list of moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MoveListLine {
    /// At the first line of a turn of the side that began.
    pub(crate) number: Option<u32>,
    pub(crate) entries: Vec<MoveListEntry>,
}

/// The width of the numbers of turns.
pub(crate) const NUMBER_WIDTH: u16 = 5;

/// The list of moves in so many columns: who began on the left, and the other on the right.
pub(crate) fn move_list_lines(model: &Model, width: u16) -> Vec<MoveListLine> {
    let game = model.game();
    let naming = model.naming();
    let column = (width.saturating_sub(NUMBER_WIDTH) / 2).max(1);
    let first = game.start().to_move();
    let mut turn = Turn {
        number: 1,
        side: first,
    };
    let mut lines: Vec<MoveListLine> = Vec::new();
    // The first line of the number, and the last line of each side's column.
    let mut top = 0;
    let plies = game.plies();
    let worst: Vec<usize> = model
        .worst_mistakes()
        .iter()
        .map(|&(plies, _)| plies + 1)
        .collect();
    let turns = plies.chunk_by(|one, next| one.side == next.side && !is_swap(one));
    let mut made = 0;
    for plies in turns {
        if made > 0 {
            turn = next_turn(turn, first);
        }
        if turn.side == first || made == 0 {
            top = lines.len();
            lines.push(MoveListLine {
                number: Some(turn.number),
                entries: Vec::new(),
            });
        }
        let left = if turn.side == first {
            NUMBER_WIDTH
        } else {
            NUMBER_WIDTH + column
        };
        let (mut at, mut x) = (top, left);
        for (index, ply) in plies.iter().enumerate() {
            made += 1;
            let mut text = naming.format_move(ply.side, ply.mv);
            if worst.contains(&made) {
                text.push('?');
            }
            if model.labels != Labels::Letters && index + 1 < plies.len() {
                text.push('-');
            }
            let wide = u16::try_from(text.len()).unwrap_or(u16::MAX);
            // A space stays between the columns.
            if x > left && x + wide >= left + column {
                at += 1;
                x = left;
            }
            if at == lines.len() {
                lines.push(MoveListLine::default());
            }
            lines[at].entries.push(MoveListEntry {
                side: ply.side,
                ply_count: made,
                x,
                text,
            });
            x += wide;
        }
    }
    lines
}

fn is_swap(ply: &kalah::Ply) -> bool {
    ply.mv == kalah::Move::Swap
}

/// The next turn, with numbers that go up with turns of the side that began.
fn next_turn(turn: Turn, first: Side) -> Turn {
    let side = turn.side.opponent();
    let number = if side == first {
        turn.number + 1
    } else {
        turn.number
    };
    Turn { number, side }
}

/// The lines that are seen of the list in a place so high: from the one on with the ply that is looked at.
pub(crate) fn scroll_offset(model: &Model, lines: &[MoveListLine], height: u16) -> usize {
    let plies = model.viewed_ply_count();
    let at = lines
        .iter()
        .position(|line| line.entries.iter().any(|entry| entry.ply_count == plies))
        .unwrap_or_default();
    let height = usize::from(height);
    let last = lines.len().saturating_sub(height);
    at.saturating_sub(height / 2).min(last)
}

/// The inside of a place with a border.
pub(crate) fn inner_area(area: Rect) -> Rect {
    area.inner(ratatui::layout::Margin::new(1, 1))
}

/// The list of moves is left so many lines at least, and the worst sowings are told below it.
const MIN_LIST_HEIGHT: u16 = 4;

/// Where the list of moves is in `area`, and the worst sowings, if there is room for them.
pub(crate) fn list_areas(model: &Model, area: Rect) -> (Rect, Option<Rect>) {
    let area = inner_area(area);
    let worst = u16::try_from(model.worst_mistakes().len()).unwrap_or(u16::MAX);
    let Some(height) = area
        .height
        .checked_sub(worst.saturating_add(1))
        .filter(|&height| worst > 0 && height >= MIN_LIST_HEIGHT)
    else {
        return (area, None);
    };
    let below = Rect {
        y: area.y + height,
        height: area.height - height,
        ..area
    };
    (Rect { height, ..area }, Some(below))
}

/// The worst sowing that stands at a place of the list in `area`, as the number of plies before it.
pub(crate) fn mistake_at(model: &Model, area: Rect, at: Position) -> Option<usize> {
    let (_, below) = list_areas(model, area);
    let below = below.filter(|below| below.contains(at))?;
    let line = usize::from(at.y - below.y).checked_sub(1)?;
    model.worst_mistakes().get(line).map(|&(plies, _)| plies)
}

/// The ply that stands at a place of the list in `area`, as the number of plies made after it.
pub(crate) fn ply_at(model: &Model, area: Rect, at: Position) -> Option<usize> {
    let (area, _) = list_areas(model, area);
    if !area.contains(at) {
        return None;
    }
    let lines = move_list_lines(model, area.width);
    let from = scroll_offset(model, &lines, area.height);
    let line = lines.get(from + usize::from(at.y - area.y))?;
    let x = at.x - area.x;
    let entry = line.entries.iter().rev().find(|entry| entry.x <= x);
    entry.or(line.entries.first()).map(|entry| entry.ply_count)
}

/// The ply that a column of the graph in `area` is about, as the number of plies made.
pub(crate) fn ply_at_column(model: &Model, area: Rect, x: u16) -> Option<usize> {
    let area = graph_area(area);
    let x = x.checked_sub(area.x).filter(|&x| x < area.width)?;
    let positions = model.game().plies().len() + 1;
    let at = match x.checked_div(bar_width(area.width, positions)) {
        Some(bar) => usize::from(bar),
        None => usize::from(x) * positions / usize::from(area.width),
    };
    (at < positions).then_some(at)
}

/// The numbers beside the graph.
pub(crate) const SCALE_WIDTH: u16 = 4;

/// Where the bars are.
pub(crate) fn graph_area(area: Rect) -> Rect {
    let area = inner_area(area);
    Rect {
        x: area.x + SCALE_WIDTH.min(area.width),
        width: area.width.saturating_sub(SCALE_WIDTH),
        ..area
    }
}

/// The widest bar.
const MAX_BAR_WIDTH: u16 = 3;

/// The width of a bar where there is one for every position; 0 where there are too many.
pub(crate) fn bar_width(width: u16, positions: usize) -> u16 {
    let each = usize::from(width) / positions;
    u16::try_from(each).unwrap_or(u16::MAX).min(MAX_BAR_WIDTH)
}
