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

use super::keys::{Binding, Command};
use super::layout::least_size;
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
        too_small(model, frame, screen);
        return;
    };
    if let Some(area) = layout.title {
        title(model, frame, area);
    }
    board::draw(model, &layout, frame);
    status::draw(model, layout.status, frame);
    if let Some(area) = layout.foot {
        status::foot(model, area, frame);
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

fn title(model: &Model, frame: &mut Frame, area: Rect) {
    let position = model.bout.position();
    let rules = position.rules();
    let line = Line::from(vec![
        ratatui::text::Span::styled("Kalah", BOLD),
        ratatui::text::Span::styled(
            format!(
                "  {} a side, {} seeds, rules {rules}",
                houses(position.houses()),
                position.total()
            ),
            DIM,
        ),
    ]);
    frame.render_widget(line, area);
}

fn houses(number: u8) -> String {
    match number {
        1 => "1 house".to_owned(),
        number => format!("{number} houses"),
    }
}

fn too_small(model: &Model, frame: &mut Frame, area: Rect) {
    let (width, height) = least_size(model.needs());
    let houses = model.bout.position().houses();
    let quit = Binding::of(Command::Quit).and_then(|quit| quit.key(houses));
    let quit = quit.unwrap_or_default();
    let leave = if model.asks_to_quit() {
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
