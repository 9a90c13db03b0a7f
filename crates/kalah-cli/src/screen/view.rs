//! What the screen looks like: a function of the model that changes nothing.

mod board;
mod dialog;
mod graph;
mod moves;
mod status;

use ratatui::Frame;
use ratatui::layout::{Alignment, Rect};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Paragraph, Wrap};

use super::keys::{KeyBinding, UiCommand};
use super::layout::min_size;
use super::model::Model;
use super::theme::{BOLD, DIM};

/// Draws the screen.
pub(crate) fn view(model: &Model, frame: &mut Frame) {
    // A terminal can be smaller than it was when it was last heard of.
    let screen = Rect::new(0, 0, model.size.width, model.size.height);
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
    status::draw(model, layout.status, frame);
    if let Some(area) = layout.footer {
        status::draw_footer(model, area, frame);
    }
    if let Some(area) = layout.moves {
        moves::draw(model, area, frame);
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
    let rules = position.rules();
    let line = Line::from(vec![
        ratatui::text::Span::styled("Kalah", BOLD),
        ratatui::text::Span::styled(
            format!(
                "  {} a side, {} seeds, rules {rules}",
                house_count_text(position.houses()),
                position.total()
            ),
            DIM,
        ),
    ]);
    frame.render_widget(line, area);
}

fn house_count_text(number: u8) -> String {
    match number {
        1 => "1 house".to_owned(),
        number => format!("{number} houses"),
    }
}

fn draw_too_small(model: &Model, frame: &mut Frame, area: Rect) {
    let (width, height) = min_size(model.board_metrics());
    let houses = model.session.position().houses();
    let quit = KeyBinding::for_command(UiCommand::Quit).and_then(|quit| quit.key_name(houses));
    let quit = quit.unwrap_or_default();
    let leave = if model.is_confirming_quit() {
        format!("This game is not saved: {quit} again quits all the same.")
    } else {
        format!("{quit} quits.")
    };
    let text = Text::from(vec![
        Line::styled("Please make the terminal larger.", BOLD),
        Line::from(format!(
            "It has {}x{}, and this board needs {width}x{height}.",
            area.width, area.height
        )),
        Line::from(leave),
    ]);
    let text = Paragraph::new(text)
        .wrap(Wrap { trim: true })
        .alignment(Alignment::Center);
    frame.render_widget(text, area);
}
