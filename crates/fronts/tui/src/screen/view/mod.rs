//! The view: draws the model and changes nothing.

mod ascii;
mod board;
pub(crate) mod dialog;
pub(crate) mod footer;
pub(crate) mod graph;
pub(crate) mod layout;
pub(crate) mod move_list;
mod score_bar;
mod status;
pub(crate) mod theme;

use kalah::format_count;
use ratatui::Frame;
use ratatui::layout::{Alignment, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Wrap};

use self::layout::min_size;
use self::status::wrapped_height;
use self::theme::{BOLD, DIM};
use crate::app::config::Symbols;
use crate::screen::keys::{KeyBinding, UiCommand};
use crate::screen::model::puzzle::PuzzleExit;
use crate::screen::model::{Model, Pause};

/// Draws the screen.
pub(crate) fn view(model: &Model, frame: &mut Frame) {
    draw_screen(model, frame);
    if model.symbols == Symbols::Ascii {
        ascii::replace_symbols(frame.buffer_mut());
    }
}

fn draw_screen(model: &Model, frame: &mut Frame) {
    let screen = Rect::new(0, 0, model.size.width, model.size.height);
    // The terminal may have shrunk since the last event about its size.
    if screen.intersection(frame.area()) != screen {
        return;
    }
    let Some(layout) = model.layout() else {
        draw_too_small(model, frame, screen);
        return;
    };
    if let Some(area) = layout.title {
        draw_title(model, frame, area);
    }
    board::draw(model, &layout, frame);
    if let Some(area) = layout.score_bar {
        score_bar::draw(model, area, frame);
    }
    status::draw(model, layout.status, frame);
    if let Some(area) = layout.footer {
        footer::draw(model, area, frame);
    }
    if let Some(area) = layout.moves {
        move_list::draw(model, area, frame);
    }
    if let Some(area) = layout.graph {
        graph::draw(model, area, frame);
    }
    if let Some(dialog) = &model.dialog {
        dialog::draw(model, dialog, frame);
    }
}

fn draw_title(model: &Model, frame: &mut Frame, area: Rect) {
    let position = model.session.position();
    let houses = format_count(position.houses().into(), "house");
    let seeds = match &model.editor {
        Some(editor) => editor.total(),
        None => model.viewed_position().total().get().into(),
    };
    let seeds = format_count(seeds.into(), "seed");
    let rules = position.rules();
    let line = Line::from(vec![
        Span::styled("Kalah", BOLD),
        Span::styled(format!("  {houses} a side, {seeds}, rules {rules}"), DIM),
    ]);
    frame.render_widget(line, area);
}

/// Returns the name of a command in the footer and in menus, which depends on its current effect.
fn command_name(model: &Model, binding: &KeyBinding) -> &'static str {
    match binding.command {
        UiCommand::ToggleAutoPlay if model.pause == Pause::Never => "pause between turns",
        UiCommand::Menu if model.editor.is_some() => "back",
        UiCommand::Activate if model.editor.is_some() => "play",
        UiCommand::Activate if model.is_paused() => "next turn",
        UiCommand::Activate if model.pending_move.is_some() => "move now",
        UiCommand::Menu if model.puzzle_exit == PuzzleExit::Quit && model.shows_last_position() => {
            "quit"
        }
        UiCommand::Menu if !model.shows_current_position() => "back",
        UiCommand::Puzzle if model.puzzles.is_some() => "next puzzle",
        UiCommand::PuzzleMenu if model.puzzles.is_some() => "more",
        UiCommand::Resign if model.puzzles.is_some() => "answer",
        _ => binding.name,
    }
}

/// Draws the minimum size of the screen, and how to quit, in as many words as have room.
fn draw_too_small(model: &Model, frame: &mut Frame, area: Rect) {
    let (min_width, min_height) = min_size(model.board_metrics());
    let min_size = format!("{min_width}x{min_height}");
    let houses = model.session.position().houses();
    let quit_key = KeyBinding::for_command(UiCommand::Quit)
        .and_then(|binding| binding.key_name(houses))
        .unwrap_or_default();
    let [long_quit, short_quit] = if model.is_confirming_quit() {
        [
            format!("This game is not saved: {quit_key} again quits without saving."),
            format!("Not saved. {quit_key} quits."),
        ]
    } else {
        [0, 1].map(|_| format!("{quit_key} quits."))
    };
    let size = format!("{}x{}", area.width, area.height);
    let texts = [
        vec![
            Line::styled("Please make the terminal larger.", BOLD),
            Line::from(format!("It has {size}, and this board needs {min_size}.")),
            Line::from(long_quit),
        ],
        vec![
            Line::styled(format!("Enlarge to {min_size}."), BOLD),
            Line::from(short_quit),
        ],
    ];
    let height = |lines: &[Line]| -> usize {
        let heights = lines.iter();
        heights.map(|line| wrapped_height(line, area.width)).sum()
    };
    let shortest = vec![Line::from(min_size)];
    let fitting = { texts.into_iter() }.find(|lines| height(lines) <= usize::from(area.height));
    let text = Text::from(fitting.unwrap_or(shortest));
    let text = Paragraph::new(text)
        .wrap(Wrap { trim: true })
        .alignment(Alignment::Center);
    frame.render_widget(text, area);
}
