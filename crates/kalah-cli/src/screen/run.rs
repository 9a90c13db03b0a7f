use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use kalah::record::Record;
use kalah::{BySide, Game, Labels, Termination};
use kalah_players::{EngineFactory, PlayerSpec, Shutdown};
use ratatui::crossterm::event::{self, Event as TerminalEvent};
use ratatui::layout::Size;

use super::animation::Pace;
use super::bout::GameSession;
use super::event::{AppEffect, AppEvent};
use super::job_control::{JobControl, JobSignal};
use super::minds::{WorkerMessage, Workers};
use super::model::{Model, Pause};
use super::terminal::{Terminal, spawn_exit_watchdog};
use super::theme::Theme;
use super::update::update;
use crate::interrupt;
use crate::saves::SaveFiles;
use crate::{CliError, Palette, Recorder, SaveOutcome};

/// What a screen is opened with.
pub(crate) struct AppConfig<'a> {
    pub(crate) record: Record,
    pub(crate) specs: BySide<PlayerSpec>,
    pub(crate) names: BySide<String>,
    pub(crate) labels: Labels,
    pub(crate) palette: Palette,
    pub(crate) recorder: Option<Recorder>,
    /// What is needed to think about a game.
    pub(crate) engines: &'a dyn Fn(&Game) -> Result<EngineFactory, CliError>,
    /// The record of another game of these players.
    pub(crate) new_record: &'a dyn Fn(&GameSession) -> Result<Record, CliError>,
    /// The time of the players for an answer, where they have none of their own.
    pub(crate) move_time: Duration,
    pub(crate) hint_time: Duration,
    pub(crate) seed: u64,
    pub(crate) is_animated: bool,
    pub(crate) pause_between_turns: bool,
}

/// How it was left.
pub(crate) struct AppResult {
    pub(crate) session: GameSession,
    /// The file that keeps the game.
    pub(crate) record_path: Option<PathBuf>,
}

/// How long a terminal is listened to before the screen moves on: while seeds fall, while somebody thinks, and
/// while nothing happens at all.
const ANIMATION_POLL_TIMEOUT: Duration = Duration::from_millis(30);
const THINKING_POLL_TIMEOUT: Duration = Duration::from_millis(100);
const IDLE_POLL_TIMEOUT: Duration = Duration::from_millis(200);

/// Events that are taken before the screen is drawn again.
const MAX_EVENTS_PER_FRAME: usize = 256;

/// Shows a game until the person leaves it.
pub(crate) fn run(opening: AppConfig) -> Result<AppResult, CliError> {
    let interrupt = interrupt::listen();
    let game = opening.record.game();
    let engines = (opening.engines)(&game)?;
    let mut bout = GameSession::new(game, opening.specs, opening.names.clone());
    if opening.record.ending().termination == Termination::Resign {
        bout.resign_side_to_move();
    }
    let theme = Theme::from_palette(opening.palette);
    let mut model = Model::new(bout, opening.labels, theme, Size::default());
    if !opening.is_animated {
        model.pace = Pace::Instant;
    }
    if opening.pause_between_turns {
        model.pause = Pause::After(None);
    }
    let kept_in = opening.recorder.as_ref().map(Recorder::path);
    model.record_path = kept_in.map(Path::to_owned);
    let (tell, told) = channel();
    let minds = Workers::new(&model.session, engines, &opening, tell)?;
    let saves = SaveFiles::new(opening.record.clone(), model.record_path.clone());
    spawn_exit_watchdog(interrupt.clone())?;
    let jobs = JobControl::register()?;
    let terminal = Terminal::open()?;
    model.size = terminal.size()?;
    let mut table = App {
        config: opening,
        model,
        workers: minds,
        save_files: saves,
        worker_messages: told,
        terminal,
        job_control: jobs,
        should_quit: false,
        started_at: Instant::now(),
    };
    let played = table.event_loop(&interrupt);
    let App {
        mut model,
        config: mut opening,
        terminal,
        ..
    } = table;
    drop(terminal);
    model.session.abandon();
    let written = match &mut opening.recorder {
        Some(recorder) => recorder
            .write(model.session.game(), model.session.ending())
            .map_err(CliError::from),
        None => Ok(()),
    };
    played?;
    written?;
    Ok(AppResult {
        session: model.session,
        record_path: model.record_path,
    })
}

/// Where the person sits.
struct App<'a> {
    config: AppConfig<'a>,
    model: Model,
    workers: Workers,
    save_files: SaveFiles,
    worker_messages: Receiver<WorkerMessage>,
    terminal: Terminal,
    job_control: JobControl,
    should_quit: bool,
    started_at: Instant,
}

impl App<'_> {
    fn event_loop(&mut self, interrupt: &Shutdown) -> Result<(), CliError> {
        self.handle_event(AppEvent::Tick(Duration::ZERO))?;
        let mut changed = true;
        while !self.should_quit {
            if interrupt.is_requested() {
                return Err(CliError::Interrupted(
                    "broken off: the game was left where it was".to_owned(),
                ));
            }
            changed |= self.handle_job_control()?;
            if changed || self.model.needs_redraw() {
                self.terminal.draw(&self.model)?;
            }
            changed = self.poll_events()?;
            self.handle_event(AppEvent::Tick(self.started_at.elapsed()))?;
        }
        Ok(())
    }

    /// Stops if a shell wants it, and says whether everything is to be drawn anew because it goes on.
    fn handle_job_control(&mut self) -> Result<bool, CliError> {
        let Some(wish) = self.job_control.take_signal() else {
            return Ok(false);
        };
        if wish == JobSignal::Stop {
            self.terminal.suspend();
            self.job_control.suspend()?;
        }
        self.terminal.resume()?;
        let size = self.terminal.size()?;
        self.handle_event(AppEvent::Resized(size))?;
        Ok(true)
    }

    /// Waits a little for what comes, and says whether anything did.
    fn poll_events(&mut self) -> Result<bool, CliError> {
        let mut wait = if self.model.animation.is_some() {
            ANIMATION_POLL_TIMEOUT
        } else if self.model.is_waiting() || self.model.margins.is_shown {
            THINKING_POLL_TIMEOUT
        } else {
            IDLE_POLL_TIMEOUT
        };
        let was_moving = self.model.needs_redraw();
        let mut events = Vec::new();
        while events.len() < MAX_EVENTS_PER_FRAME
            && self.terminal.poll(wait).map_err(CliError::Input)?
        {
            wait = Duration::ZERO;
            match event::read().map_err(CliError::Input)? {
                TerminalEvent::Key(key) => events.push(AppEvent::Key(key)),
                TerminalEvent::Mouse(mouse) => events.push(AppEvent::Mouse(mouse)),
                TerminalEvent::Resize(width, height) => {
                    events.push(AppEvent::Resized(Size::new(width, height)));
                }
                _ => {}
            }
        }
        for told in self.worker_messages.try_iter() {
            match told {
                WorkerMessage::Event(event) => events.push(event),
                WorkerMessage::Failed(reason) => {
                    let reason = format!("what thinks about the game has failed: {reason}");
                    return Err(CliError::Runtime(reason));
                }
            }
        }
        let changed = was_moving || !events.is_empty();
        for event in events {
            self.handle_event(event)?;
        }
        Ok(changed)
    }

    fn handle_event(&mut self, event: AppEvent) -> Result<(), CliError> {
        let mut effects = update(&mut self.model, event);
        while !effects.is_empty() {
            let mut more = Vec::new();
            for effect in effects {
                if let Some(event) = self.run_effect(effect)? {
                    more.extend(update(&mut self.model, event));
                }
            }
            effects = more;
        }
        Ok(())
    }

    /// Does what the screen wants done, and returns what there is to say of it at once.
    fn run_effect(&mut self, effect: AppEffect) -> Result<Option<AppEvent>, CliError> {
        match effect {
            AppEffect::RequestMove {
                request_id: ticket,
                player,
                position,
            } => self.workers.request_move(ticket, player, position),
            AppEffect::MoveNow => self.workers.move_now(),
            AppEffect::CancelMove => self.workers.cancel_move(),
            AppEffect::RequestHint(ticket, position) => self.workers.request_hint(ticket, position),
            AppEffect::Analyze(ticket, position) => self.workers.analyze(ticket, position),
            AppEffect::StopAnalysis => self.workers.stop_analysis(),
            AppEffect::Review(ticket, game) => self.workers.review(ticket, game),
            AppEffect::StopReview => self.workers.stop_review(),
            AppEffect::Record => return Ok(self.write_record()),
            AppEffect::Save(path) => {
                let saved = self.save(&path);
                return Ok(Some(AppEvent::Saved(path, saved)));
            }
            AppEffect::StartNewGame => self.start_new_game()?,
            AppEffect::Quit => self.should_quit = true,
        }
        Ok(None)
    }

    fn write_record(&mut self) -> Option<AppEvent> {
        let recorder = self.config.recorder.as_mut()?;
        let bout = &self.model.session;
        let written = recorder.write(bout.game(), bout.ending());
        Some(AppEvent::Recorded(
            written.map_err(|reason| reason.to_string()),
        ))
    }

    fn save(&mut self, path: &Path) -> Result<SaveOutcome, String> {
        let bout = &self.model.session;
        let saved = self.save_files.save(bout.game(), bout.ending(), path);
        let saved = saved.map_err(|reason| reason.to_string())?;
        // A file that keeps the game anyway may have failed to.
        if saved == SaveOutcome::AlreadyRecorded
            && let Some(AppEvent::Recorded(result)) = self.write_record()
        {
            result?;
        }
        Ok(saved)
    }

    /// Another game begins, which is recorded where the one before was.
    fn start_new_game(&mut self) -> Result<(), CliError> {
        let bout = &self.model.session;
        let record = (self.config.new_record)(bout)?;
        if let Some(recorder) = &mut self.config.recorder {
            *recorder = Recorder::append(recorder.path(), record.clone())?;
        }
        self.save_files = SaveFiles::new(record, self.model.record_path.clone());
        let engines = (self.config.engines)(bout.game())?;
        // So that chance does not play the same game again.
        self.config.seed = self.config.seed.wrapping_add(1);
        self.workers = self.workers.for_new_game(bout, engines, &self.config)?;
        // Something may have been said of tables on standard error.
        Ok(self.terminal.clear()?)
    }
}
