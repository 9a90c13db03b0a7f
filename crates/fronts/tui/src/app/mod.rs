//! The event loop: reads events from the terminal and the workers, updates the model, executes the
//! effects, and draws.

pub(crate) mod config;
mod input;
mod job_control;
pub(crate) mod terminal;
mod workers;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use kalah::Side;
use ratatui::crossterm::event::Event as TerminalEvent;
use ratatui::layout::Size;

use crate::app::config::{AppConfig, FirstGame, TuiError};
use crate::app::input::InputReader;
use crate::app::job_control::{JobControl, JobSignal};
use crate::app::terminal::{Terminal, spawn_exit_watchdog};
use crate::app::workers::{WorkerMessage, WorkerOptions, Workers};
use crate::game::GameSession;
use crate::game::clock::ScreenClock;
use crate::screen::event::{AppEffect, AppEvent};
use crate::screen::model::animation::AnimationSpeed;
use crate::screen::model::profile::RatingRequest;
use crate::screen::model::{MessageKind, Model, Pause};
use crate::screen::update::{dialogs, update};
use crate::screen::view::theme::Theme;
use crate::screen::view::view;
use kalah_text::SaveOutcome;

/// How long the event loop waits for a key: during an animation, while a worker is busy, and
/// otherwise.
const ANIMATION_POLL_TIMEOUT: Duration = Duration::from_millis(30);
const THINKING_POLL_TIMEOUT: Duration = Duration::from_millis(100);
const IDLE_POLL_TIMEOUT: Duration = Duration::from_millis(200);

/// Shows a game until the user quits, and returns it as it is then.
///
/// # Errors
/// [`TuiError::Interrupted`] after a requested shutdown; otherwise if the terminal, a worker
/// thread, the engines or the record of the game fail. The terminal is restored in any case.
pub fn run(config: AppConfig) -> Result<GameSession, TuiError> {
    let engines = (config.engines)(config.session.game()).map_err(TuiError::Engine)?;
    let theme = Theme::from_palette(config.palette);
    let mut model = Model::new(
        config.session.clone(),
        config.labels,
        theme,
        Size::default(),
    );
    model.protocols = config.protocols;
    model.remember_programs();
    let plies = model.game().plies().len();
    let clock = config.clock;
    model.clock = clock.map(|times| ScreenClock::continue_from(times, plies));
    model.symbols = config.symbols;
    if config.opening == FirstGame::NewGameDialog {
        dialogs::open_new_game(&mut model);
    }
    model.user.preferences = config.preferences.clone();
    if config.profile.is_some() {
        model.user.rating = RatingRequest::Open;
        model.user.start_game(model.session.ending().is_some());
    }
    model.user.choices = config.puzzles.clone();
    model.user.progress = config.puzzle_progress;
    model.margins.is_shown = model.user.preferences.shows_margins;
    if !config.is_animated {
        model.speed = AnimationSpeed::Instant;
    } else if let Some(speed) = model.user.preferences.speed {
        model.speed = speed;
    }
    if config.pause_between_turns {
        model.pause = Pause::After(None);
    }
    model.record_path = config.files.recording_path().map(Path::to_owned);
    model.keeps_games = config.files.keeps_games();
    if let Some(notice) = &config.notice {
        model.show_message(MessageKind::Info, notice);
    }
    if !config.warnings.is_empty() {
        dialogs::open_warnings(&mut model, config.warnings.clone());
    }
    let (sender, worker_messages) = channel();
    let workers = Workers::spawn(&model.session, engines, &worker_options(&config), sender)?;
    spawn_exit_watchdog(config.shutdown.clone(), config.force_exit).map_err(TuiError::Thread)?;
    let job_control = JobControl::register()?;
    let input = InputReader::open().map_err(TuiError::from_input)?;
    let terminal = Terminal::open()?;
    model.size = terminal.size()?;
    let mut app = App {
        config,
        model,
        workers,
        worker_messages,
        terminal,
        input,
        job_control,
        should_quit: false,
        started_at: Instant::now(),
    };
    let result = app.event_loop();
    let App {
        mut model,
        config,
        terminal,
        ..
    } = app;
    drop(terminal);
    // The programs of the game end with it.
    config.shutdown.kill_children();
    let clock = model.clock.as_ref().map(ScreenClock::times);
    // The history does not keep a game that the user has only looked at, and has a finished one
    // already, unless the user has deleted it.
    let is_unfinished = model.session.ending().is_none() || model.is_record_stale;
    let is_played = is_unfinished && model.last_saved != Some(model.current_state());
    model.session.abandon();
    let recorded = if model.record_path.is_some() || is_played {
        config.files.record(&model.session, clock)
    } else {
        Ok(())
    };
    result?;
    recorded.map_err(TuiError::Files)?;
    Ok(model.session)
}

fn worker_options(config: &AppConfig) -> WorkerOptions {
    WorkerOptions {
        move_time: config.move_time,
        hint_time: config.hint_time,
        is_time_limited: config.is_time_limited,
        seed: config.seed,
        shutdown: config.shutdown.clone(),
    }
}

/// The running interface.
struct App<'a> {
    config: AppConfig<'a>,
    model: Model,
    workers: Workers,
    worker_messages: Receiver<WorkerMessage>,
    terminal: Terminal,
    input: InputReader,
    job_control: JobControl,
    should_quit: bool,
    started_at: Instant,
}

impl App<'_> {
    fn event_loop(&mut self) -> Result<(), TuiError> {
        self.handle_event(AppEvent::Tick(Duration::ZERO))?;
        match self.config.opening {
            FirstGame::Puzzles => self.handle_event(AppEvent::PuzzleOpened { is_daily: false })?,
            FirstGame::DailyPuzzle => {
                self.handle_event(AppEvent::PuzzleOpened { is_daily: true })?;
            }
            FirstGame::AtOnce | FirstGame::NewGameDialog => {}
        }
        let mut is_changed = true;
        while !self.should_quit {
            if self.config.shutdown.is_requested() {
                return Err(TuiError::Interrupted);
            }
            is_changed |= self.handle_job_control()?;
            if is_changed || self.model.needs_redraw() {
                let model = &self.model;
                self.terminal.draw(|frame| view(model, frame))?;
            }
            is_changed = self.poll_events()?;
            self.handle_event(AppEvent::Tick(self.started_at.elapsed()))?;
        }
        Ok(())
    }

    /// Stops the process if a shell requests it. Returns whether the screen must be redrawn because
    /// the process was stopped.
    fn handle_job_control(&mut self) -> Result<bool, TuiError> {
        let Some(signal) = self.job_control.take_signal() else {
            return Ok(false);
        };
        if signal == JobSignal::Stop {
            self.terminal.suspend();
            self.job_control.stop_process()?;
        }
        self.reopen_screen()?;
        Ok(true)
    }

    /// Stops the job of the process, and draws the screen again when the shell continues it.
    fn suspend(&mut self) -> Result<(), TuiError> {
        self.terminal.suspend();
        self.job_control.stop_job()?;
        self.reopen_screen()
    }

    /// Opens the screen again after other programs have used the terminal.
    fn reopen_screen(&mut self) -> Result<(), TuiError> {
        self.terminal.resume()?;
        let size = self.terminal.size()?;
        self.handle_event(AppEvent::Resized(size))
    }

    /// Waits for events and handles them. Returns whether the screen may have changed.
    fn poll_events(&mut self) -> Result<bool, TuiError> {
        let timeout = if self.model.animation.is_some() {
            ANIMATION_POLL_TIMEOUT
        } else if self.model.is_waiting() || self.model.margins.is_shown {
            THINKING_POLL_TIMEOUT
        } else {
            IDLE_POLL_TIMEOUT
        };
        let needed_redraw = self.model.needs_redraw();
        let mut events = Vec::new();
        let input = self.input.read(timeout);
        for event in input.map_err(TuiError::from_input)? {
            match event {
                TerminalEvent::Key(key) => events.push(AppEvent::Key(key)),
                TerminalEvent::Mouse(mouse) => events.push(AppEvent::Mouse(mouse)),
                TerminalEvent::Paste(text) => events.push(AppEvent::Paste(text)),
                TerminalEvent::Resize(width, height) => {
                    events.push(AppEvent::Resized(Size::new(width, height)));
                }
                _ => {}
            }
        }
        for message in self.worker_messages.try_iter() {
            match message {
                WorkerMessage::Event(event) => events.push(event),
                WorkerMessage::Panicked(reason) => return Err(TuiError::Worker(reason)),
            }
        }
        for side in Side::ALL {
            let lines = self.workers.take_stderr(side);
            if !lines.is_empty() {
                events.push(AppEvent::ProgramPrinted(side, lines));
            }
        }
        let is_changed = needed_redraw || !events.is_empty();
        for event in events {
            self.handle_event(event)?;
        }
        Ok(is_changed)
    }

    fn handle_event(&mut self, event: AppEvent) -> Result<(), TuiError> {
        let mut effects = update(&mut self.model, event);
        while !effects.is_empty() {
            let mut next_effects = Vec::new();
            for effect in effects {
                if let Some(event) = self.run_effect(effect)? {
                    next_effects.extend(update(&mut self.model, event));
                }
            }
            effects = next_effects;
        }
        Ok(())
    }

    /// Executes an effect, and returns the event that follows from it at once, if any.
    fn run_effect(&mut self, effect: AppEffect) -> Result<Option<AppEvent>, TuiError> {
        match effect {
            AppEffect::RequestMove {
                request_id,
                player,
                game,
                clock_time,
            } => {
                self.workers
                    .request_move(request_id, player, game, clock_time);
            }
            AppEffect::ReplacePlayers => self.start_workers()?,
            AppEffect::MoveNow => self.workers.move_now(),
            AppEffect::CancelMove => self.workers.cancel_move(),
            AppEffect::RequestHint(request_id, position) => {
                self.workers.request_hint(request_id, position);
            }
            AppEffect::Analyze(request_id, position) => self.workers.analyze(request_id, position),
            AppEffect::StopAnalysis => self.workers.stop_analysis(),
            AppEffect::Review(request_id, game) => self.workers.review(request_id, game),
            AppEffect::StopReview => self.workers.stop_review(),
            AppEffect::RequestPuzzle(request_id, request) => {
                self.workers.request_puzzle(request_id, request);
            }
            AppEffect::CountPuzzle(step) => {
                if let Some(profile) = &mut self.config.profile {
                    return Ok(Some(match profile.count_puzzle(step) {
                        Ok(progress) => AppEvent::PuzzleCounted(progress),
                        Err(reason) => AppEvent::ProfileFailed(reason.to_string()),
                    }));
                }
            }
            AppEffect::Record => {
                if self.model.record_path.is_some() || self.model.keeps_games {
                    return Ok(Some(AppEvent::Recorded(self.record())));
                }
            }
            AppEffect::Save(path) => return Ok(Some(self.save(path))),
            AppEffect::ChooseFile => {
                return Ok(Some(AppEvent::FolderFound(self.config.files.folder())));
            }
            AppEffect::ListFiles(folder) => {
                let result = self.config.files.list(&folder);
                let result = result.map_err(|reason| reason.to_string());
                return Ok(Some(AppEvent::FilesListed(folder, result)));
            }
            AppEffect::ReadGames(path) => {
                let result = self.config.files.open(&path);
                let result = result.map_err(|reason| reason.to_string());
                return Ok(Some(AppEvent::GamesRead(path, result)));
            }
            AppEffect::StartNewGame => {
                let started = self.config.files.start_new_game(&self.model.session);
                self.start_game()?;
                let started = started.map_err(|reason| reason.to_string());
                return Ok(Some(AppEvent::Recorded(started)));
            }
            AppEffect::StartOpenedGame(kept) => {
                let started = (self.config.files).start_opened_game(&self.model.session, kept);
                self.start_game()?;
                let started = started.map_err(|reason| reason.to_string());
                return Ok(Some(AppEvent::Recorded(started)));
            }
            AppEffect::ListHistory => return Ok(Some(self.list_history())),
            AppEffect::DeleteKept(id) => {
                let deleted = self.config.files.delete_kept(id);
                return Ok(Some(match deleted {
                    Ok(()) => self.list_history(),
                    Err(reason) => AppEvent::HistoryListed(Err(reason.to_string())),
                }));
            }
            AppEffect::SavePreferences => {
                if let Some(profile) = &mut self.config.profile
                    && let Err(reason) = profile.save_preferences(&self.model.user.preferences)
                {
                    return Ok(Some(AppEvent::ProfileFailed(reason.to_string())));
                }
            }
            AppEffect::RateGame => {
                if let Some(profile) = &mut self.config.profile {
                    return Ok(Some(match profile.rate_game(&self.model.session) {
                        Ok(outcome) => AppEvent::GameRated(outcome),
                        Err(reason) => AppEvent::ProfileFailed(reason.to_string()),
                    }));
                }
            }
            AppEffect::Copy(text) => self.terminal.copy_to_clipboard(&text)?,
            AppEffect::Redraw => self.terminal.clear()?,
            AppEffect::Suspend => self.suspend()?,
            AppEffect::Quit => self.should_quit = true,
        }
        Ok(None)
    }

    fn record(&mut self) -> Result<(), String> {
        let clock = self.model.clock.as_ref().map(ScreenClock::times);
        let result = self.config.files.record(&self.model.session, clock);
        result.map_err(|reason| reason.to_string())
    }

    fn list_history(&mut self) -> AppEvent {
        let games = self.config.files.history();
        AppEvent::HistoryListed(games.map_err(|reason| reason.to_string()))
    }

    fn save(&mut self, path: PathBuf) -> AppEvent {
        let (earlier_games, session) = (&self.model.unsaved_games, &self.model.session);
        let result = self.config.files.save(earlier_games, session, &path);
        let mut result = result.map_err(|reason| reason.to_string());
        // The last attempt to record may have failed.
        if let Ok(SaveOutcome::AlreadyRecorded) = result
            && let Err(reason) = self.record()
        {
            result = Err(reason);
        }
        AppEvent::Saved(path, result)
    }

    /// Starts workers for the game and the players of the model.
    fn start_workers(&mut self) -> Result<(), TuiError> {
        let session = &self.model.session;
        let engines = (self.config.engines)(session.game()).map_err(TuiError::Engine)?;
        let options = worker_options(&self.config);
        self.workers = self.workers.respawn(session, engines, &options)?;
        Ok(())
    }

    /// Starts workers for the game of the model, which has replaced the previous one.
    fn start_game(&mut self) -> Result<(), TuiError> {
        // A random player does not repeat its moves of the previous game.
        self.config.seed = self.config.seed.wrapping_add(1);
        self.start_workers()?;
        self.model.record_path = self.config.files.recording_path().map(Path::to_owned);
        // The engines may have printed warnings on standard error.
        Ok(self.terminal.clear()?)
    }
}
