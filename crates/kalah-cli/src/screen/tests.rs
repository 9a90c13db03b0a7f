//! The screen without a terminal: what keys and answers do to it, and what it looks like.

mod asked;
mod careful;
mod played;
mod random;
mod seen;

use std::time::Duration;

use kalah::{BySide, Game, House, Labels, Move, PlayerAction, Position, Rules, Side};
use kalah_players::PlayerSpec;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Size;

use super::animation::Pace;
use super::bout::GameSession;
use super::event::{AppEffect, AppEvent, RequestId};
use super::model::Model;
use super::theme::Theme;
use super::update::update;
use super::view::view;

/// A screen and all that it has wanted done.
struct Played {
    model: Model,
    effects: Vec<AppEffect>,
}

fn spec(text: &str) -> PlayerSpec {
    text.parse().expect("a player")
}

fn house(number: u32) -> House {
    House::new(number).expect("from 1 to 26")
}

/// A position, as a literal or `MxN`.
fn position(text: &str, rules: Rules) -> Position {
    let setup: kalah::Setup = text.parse().expect("a setup");
    setup.position(rules).expect("a position")
}

impl Played {
    fn new(text: &str, rules: Rules, south: &str, north: &str) -> Self {
        let game = Game::new(position(text, rules));
        let names = BySide::new("Marge".to_owned(), "Homer".to_owned());
        let bout = GameSession::new(game, BySide::new(spec(south), spec(north)), names);
        let mut model = Model::new(bout, Labels::Letters, Theme::PLAIN, Size::new(80, 24));
        model.pace = Pace::Instant;
        let mut played = Self {
            model,
            effects: Vec::new(),
        };
        played.take(AppEvent::Tick(Duration::ZERO));
        played
    }

    fn take(&mut self, event: AppEvent) {
        self.effects.extend(update(&mut self.model, event));
    }

    /// Presses keys by their names, such as `C`, `Enter`, `^z` or `F2`.
    fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.take(AppEvent::Key(key_named(key)));
        }
    }

    fn click(&mut self, x: u16, y: u16) {
        self.take(AppEvent::Mouse(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: x,
            row: y,
            modifiers: KeyModifiers::NONE,
        }));
    }

    /// Each person sows the first house that has seeds, until the game is over.
    fn sow_to_the_end(&mut self) {
        loop {
            let first = self.model.session.position().legal_houses().next();
            let Some(house) = first else {
                break;
            };
            self.press(&Move::Sow(house).text(Side::South));
        }
    }

    /// The ticket of the program that was asked last.
    fn asked(&self) -> Option<RequestId> {
        self.effects.iter().rev().find_map(|effect| match effect {
            AppEffect::RequestMove {
                request_id: ticket, ..
            } => Some(*ticket),
            _ => None,
        })
    }

    /// The program that was asked last answers with a house.
    fn answers(&mut self, number: u32) {
        let ticket = self.asked().expect("somebody was asked");
        let answer = PlayerAction::Move(Move::Sow(house(number)));
        self.take(AppEvent::PlayerActed(ticket, answer));
    }

    /// The sowings so far.
    fn line(&self) -> String {
        let plies = self.model.game().plies().iter();
        plies
            .map(|ply| ply.mv.text(ply.side))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn message(&self) -> &str {
        self.model
            .message
            .as_ref()
            .map_or("", |message| &message.text)
    }

    fn picture(&self) -> String {
        let Size { width, height } = self.model.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
        terminal
            .draw(|frame| view(&self.model, frame))
            .expect("it is drawn");
        let buffer = terminal.backend().buffer();
        let lines = buffer.content().chunks(usize::from(width.max(1)));
        let lines = lines.map(|line| {
            let text: String = line.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_end().to_owned() + "\n"
        });
        lines.collect()
    }
}

fn key_named(name: &str) -> KeyEvent {
    if let Some(letter) = name.strip_prefix('^').and_then(|rest| rest.chars().next()) {
        return KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
    }
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "Delete" => KeyCode::Delete,
        "Backspace" => KeyCode::Backspace,
        "Space" => KeyCode::Char(' '),
        "F2" => KeyCode::F(2),
        "F3" => KeyCode::F(3),
        "F4" => KeyCode::F(4),
        "F5" => KeyCode::F(5),
        "F9" => KeyCode::F(9),
        name => KeyCode::Char(name.chars().next().expect("a key")),
    };
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// The margins of all choices of a position, as far as they are found in no time: proven on small boards.
fn report(position: &Position) -> kalah_engine::Report {
    let limits = kalah_engine::Limits {
        nodes: Some(200_000),
        goal: kalah_engine::Goal::AllMargins,
        ..kalah_engine::Limits::default()
    };
    kalah_engine::Engine::new()
        .with_memory(8 << 20)
        .analyse(position, limits, &|| Duration::ZERO)
}

/// The side whose turn it is.
fn to_move(played: &Played) -> Side {
    played.model.session.position().to_move()
}
