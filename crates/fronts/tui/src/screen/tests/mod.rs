//! Tests of the model, the update function and the view, without a terminal and without workers.

mod dialogs;
mod history;
mod playing;
mod profile;
mod programs;
mod puzzles;
mod requests;
mod snapshots;
mod variations;

use std::time::Duration;

use kalah::{BySide, Game, House, Labels, Move, PlayerAction, Position, Rules, Side};
use kalah_players::GamePlayerSpec;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Size;

use crate::game::GameSession;
use crate::screen::event::{AppEffect, AppEvent, WorkerRequestId};
use crate::screen::model::Model;
use crate::screen::model::animation::AnimationSpeed;
use crate::screen::update::update;
use crate::screen::view::theme::Theme;
use crate::screen::view::view;

/// A model and all effects of its updates.
struct TestScreen {
    model: Model,
    effects: Vec<AppEffect>,
}

/// Parses a player that is no program.
fn spec(text: &str) -> GamePlayerSpec {
    GamePlayerSpec::parse(text, &[]).expect("a player")
}

fn house(number: u32) -> House {
    House::new(number).expect("from 1 to 26")
}

/// Parses a position: a literal or `MxN`.
fn position(text: &str, rules: Rules) -> Position {
    let setup: kalah::Setup = text.parse().expect("a setup");
    setup.position(rules).expect("a position")
}

impl TestScreen {
    /// Starts a game of Marge against Homer from a position, on a screen of 80x24 cells.
    fn new(text: &str, rules: Rules, south: &str, north: &str) -> Self {
        let game = Game::new(position(text, rules));
        let names = BySide::new("Marge".to_owned(), "Homer".to_owned());
        let session = GameSession::new(game, BySide::new(spec(south), spec(north)), names);
        let mut model = Model::new(session, Labels::Letters, Theme::PLAIN, Size::new(80, 24));
        model.speed = AnimationSpeed::Instant;
        let mut screen = Self {
            model,
            effects: Vec::new(),
        };
        screen.handle(AppEvent::Tick(Duration::ZERO));
        screen
    }

    fn handle(&mut self, event: AppEvent) {
        self.effects.extend(update(&mut self.model, event));
    }

    /// Presses keys by their names, such as `C`, `Enter`, `^z` or `F2`.
    fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.handle(AppEvent::Key(key_named(key)));
        }
    }

    fn click(&mut self, x: u16, y: u16) {
        self.handle(AppEvent::Mouse(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: x,
            row: y,
            modifiers: KeyModifiers::NONE,
        }));
    }

    /// Sows the first house with seeds in every turn until the game is over.
    fn play_to_the_end(&mut self) {
        loop {
            let house = self.model.session.position().legal_houses().next();
            let Some(house) = house else {
                return;
            };
            self.press(&Move::Sow(house).text(Side::South));
        }
    }

    /// Returns the number of the last request for a move.
    fn last_request_id(&self) -> Option<WorkerRequestId> {
        self.effects.iter().rev().find_map(|effect| match effect {
            AppEffect::RequestMove { request_id, .. } => Some(*request_id),
            _ => None,
        })
    }

    /// Answers the last request for a move with a house.
    fn computer_sows(&mut self, number: u32) {
        let request_id = self.last_request_id().expect("a request");
        let action = PlayerAction::Move(Move::Sow(house(number)));
        self.handle(AppEvent::PlayerActed(request_id, action));
    }

    /// Answers the last effect, a request for margins.
    fn answer_margins(&mut self) {
        let Some(AppEffect::Analyze(request_id, position)) = self.effects.last().cloned() else {
            panic!("no request for margins");
        };
        self.handle(AppEvent::Analyzed(request_id, report(&position)));
    }

    /// Returns the moves of the game, separated by spaces.
    fn moves(&self) -> String {
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
            .expect("a drawn frame");
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
        "Tab" => KeyCode::Tab,
        "BackTab" => KeyCode::BackTab,
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

/// Analyzes a position for so short a time that only margins of small boards are proven.
fn report(position: &Position) -> kalah_engine::Report {
    let limits = kalah_engine::Limits {
        nodes: Some(200_000),
        goal: kalah_engine::AnalysisGoal::AllMargins,
        ..kalah_engine::Limits::default()
    };
    kalah_engine::Engine::new()
        .with_memory(8 << 20)
        .analyze(position, limits, &|| Duration::ZERO)
}

/// Analyzes the start of a game and the position after each ply.
fn reports(
    game: &Game,
    analyze: impl Fn(&Position) -> kalah_engine::Report,
) -> Vec<kalah_engine::Report> {
    let after_plies = game.plies().iter().map(|ply| &ply.after);
    std::iter::once(game.start())
        .chain(after_plies)
        .map(analyze)
        .collect()
}

fn to_move(screen: &TestScreen) -> Side {
    screen.model.session.position().to_move()
}
