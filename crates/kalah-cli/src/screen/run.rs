use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use kalah::record::Record;
use kalah::{BySide, Game, Labels, Termination};
use ratatui::crossterm::event::{self, Event as TerminalEvent};
use ratatui::layout::Size;

use super::animation::Pace;
use super::bout::Bout;
use super::event::{Effect, Event};
use super::job_control::{JobControl, Wish};
use super::minds::{Minds, Told};
use super::model::{Model, Pause};
use super::terminal::{Terminal, end_if_stuck};
use super::theme::Theme;
use super::update::update;
use crate::interrupt::Interrupt;
use crate::saves::Saves;
use crate::{Engines, Failure, Palette, PlayerSpec, Recorder, Saved};

/// What a screen is opened with.
pub(crate) struct Opening<'a> {
    pub(crate) record: Record,
    pub(crate) specs: BySide<PlayerSpec>,
    pub(crate) names: BySide<String>,
    pub(crate) labels: Labels,
    pub(crate) palette: Palette,
    pub(crate) recorder: Option<Recorder>,
    /// What is needed to think about a game.
    pub(crate) engines: &'a dyn Fn(&Game) -> Result<Engines, Failure>,
    /// The record of another game of these players.
    pub(crate) record_of: &'a dyn Fn(&Bout) -> Result<Record, Failure>,
    /// The time of the players for an answer, where they have none of their own.
    pub(crate) time: Duration,
    pub(crate) hint_limit: Duration,
    pub(crate) seed: u64,
    pub(crate) animated: bool,
    pub(crate) pauses: bool,
}

/// How it was left.
pub(crate) struct Closing {
    pub(crate) bout: Bout,
    /// The file that keeps the game.
    pub(crate) recorded: Option<PathBuf>,
}

/// How long a terminal is listened to before the screen moves on: while seeds fall, while somebody thinks, and
/// while nothing happens at all.
const FALLING: Duration = Duration::from_millis(30);
const THINKING: Duration = Duration::from_millis(100);
const RESTING: Duration = Duration::from_millis(200);

/// Events that are taken before the screen is drawn again.
const MOST_AT_ONCE: usize = 256;

/// Shows a game until the person leaves it.
pub(crate) fn run(opening: Opening) -> Result<Closing, Failure> {
    let interrupt = Interrupt::listen();
    let game = opening.record.game();
    let engines = (opening.engines)(&game)?;
    let mut bout = Bout::new(game, opening.specs, opening.names.clone());
    if opening.record.ending().termination == Termination::Resign {
        bout.give_up();
    }
    let theme = Theme::of(opening.palette);
    let mut model = Model::new(bout, opening.labels, theme, Size::default());
    if !opening.animated {
        model.pace = Pace::None;
    }
    if opening.pauses {
        model.pause = Pause::After(None);
    }
    let kept_in = opening.recorder.as_ref().map(Recorder::path);
    model.recorded = kept_in.map(Path::to_owned);
    let (tell, told) = channel();
    let minds = Minds::new(&model.bout, engines, &opening, tell)?;
    let saves = Saves::new(opening.record.clone(), model.recorded.clone());
    end_if_stuck(interrupt.clone())?;
    let jobs = JobControl::listen()?;
    let terminal = Terminal::open()?;
    model.size = terminal.size()?;
    let mut table = Table {
        opening,
        model,
        minds,
        saves,
        told,
        terminal,
        jobs,
        leaves: false,
        began: Instant::now(),
    };
    let played = table.play(&interrupt);
    let Table {
        mut model,
        mut opening,
        terminal,
        ..
    } = table;
    drop(terminal);
    model.bout.leave();
    let written = match &mut opening.recorder {
        Some(recorder) => recorder
            .write(model.bout.game(), model.bout.ending())
            .map_err(Failure::from),
        None => Ok(()),
    };
    played?;
    written?;
    Ok(Closing {
        bout: model.bout,
        recorded: model.recorded,
    })
}

/// Where the person sits.
struct Table<'a> {
    opening: Opening<'a>,
    model: Model,
    minds: Minds,
    saves: Saves,
    told: Receiver<Told>,
    terminal: Terminal,
    jobs: JobControl,
    leaves: bool,
    began: Instant,
}

impl Table<'_> {
    fn play(&mut self, interrupt: &Interrupt) -> Result<(), Failure> {
        self.take(Event::Tick(Duration::ZERO))?;
        let mut changed = true;
        while !self.leaves {
            if interrupt.came() {
                return Err(Failure::Interrupted(
                    "broken off: the game was left where it was".to_owned(),
                ));
            }
            changed |= self.heed_shell()?;
            if changed || self.model.moves_by_itself() {
                self.terminal.draw(&self.model)?;
            }
            changed = self.listen()?;
            self.take(Event::Tick(self.began.elapsed()))?;
        }
        Ok(())
    }

    /// Stops if a shell wants it, and says whether everything is to be drawn anew because it goes on.
    fn heed_shell(&mut self) -> Result<bool, Failure> {
        let Some(wish) = self.jobs.wish() else {
            return Ok(false);
        };
        if wish == Wish::Stop {
            self.terminal.leave();
            self.jobs.stop()?;
        }
        self.terminal.take_again()?;
        let size = self.terminal.size()?;
        self.take(Event::Resized(size))?;
        Ok(true)
    }

    /// Waits a little for what comes, and says whether anything did.
    fn listen(&mut self) -> Result<bool, Failure> {
        let mut wait = if self.model.animation.is_some() {
            FALLING
        } else if self.model.is_waiting() || self.model.margins.shown {
            THINKING
        } else {
            RESTING
        };
        let was_moving = self.model.moves_by_itself();
        let mut events = Vec::new();
        while events.len() < MOST_AT_ONCE && self.terminal.hears(wait).map_err(Failure::Input)? {
            wait = Duration::ZERO;
            match event::read().map_err(Failure::Input)? {
                TerminalEvent::Key(key) => events.push(Event::Key(key)),
                TerminalEvent::Mouse(mouse) => events.push(Event::Mouse(mouse)),
                TerminalEvent::Resize(width, height) => {
                    events.push(Event::Resized(Size::new(width, height)));
                }
                _ => {}
            }
        }
        for told in self.told.try_iter() {
            match told {
                Told::Event(event) => events.push(event),
                Told::Failed(reason) => {
                    let reason = format!("what thinks about the game has failed: {reason}");
                    return Err(Failure::Work(reason));
                }
            }
        }
        let changed = was_moving || !events.is_empty();
        for event in events {
            self.take(event)?;
        }
        Ok(changed)
    }

    fn take(&mut self, event: Event) -> Result<(), Failure> {
        let mut effects = update(&mut self.model, event);
        while !effects.is_empty() {
            let mut more = Vec::new();
            for effect in effects {
                if let Some(event) = self.carry_out(effect)? {
                    more.extend(update(&mut self.model, event));
                }
            }
            effects = more;
        }
        Ok(())
    }

    /// Does what the screen wants done, and returns what there is to say of it at once.
    fn carry_out(&mut self, effect: Effect) -> Result<Option<Event>, Failure> {
        match effect {
            Effect::Ask {
                ticket,
                player,
                position,
            } => self.minds.ask(ticket, player, position),
            Effect::Hurry => self.minds.hurry(),
            Effect::Dismiss => self.minds.dismiss(),
            Effect::Hint(ticket, position) => self.minds.hint(ticket, position),
            Effect::Weigh(ticket, position) => self.minds.weigh(ticket, position),
            Effect::StopWeighing => self.minds.stop_weighing(),
            Effect::LookBack(ticket, game) => self.minds.look_back(ticket, game),
            Effect::StopLookingBack => self.minds.stop_looking_back(),
            Effect::Record => return Ok(self.record()),
            Effect::Save(path) => {
                let saved = self.save(&path);
                return Ok(Some(Event::Saved(path, saved)));
            }
            Effect::Begin => self.begin()?,
            Effect::Leave => self.leaves = true,
        }
        Ok(None)
    }

    fn record(&mut self) -> Option<Event> {
        let recorder = self.opening.recorder.as_mut()?;
        let bout = &self.model.bout;
        let written = recorder.write(bout.game(), bout.ending());
        Some(Event::Recorded(
            written.map_err(|reason| reason.to_string()),
        ))
    }

    fn save(&mut self, path: &Path) -> Result<Saved, String> {
        let bout = &self.model.bout;
        let saved = self.saves.save(bout.game(), bout.ending(), path);
        let saved = saved.map_err(|reason| reason.to_string())?;
        // A file that keeps the game anyway may have failed to.
        if saved == Saved::Already
            && let Some(Event::Recorded(result)) = self.record()
        {
            result?;
        }
        Ok(saved)
    }

    /// Another game begins, which is recorded where the one before was.
    fn begin(&mut self) -> Result<(), Failure> {
        let bout = &self.model.bout;
        let record = (self.opening.record_of)(bout)?;
        if let Some(recorder) = &mut self.opening.recorder {
            *recorder = Recorder::append(recorder.path(), record.clone())?;
        }
        self.saves = Saves::new(record, self.model.recorded.clone());
        let engines = (self.opening.engines)(bout.game())?;
        // So that chance does not play the same game again.
        self.opening.seed = self.opening.seed.wrapping_add(1);
        self.minds = self.minds.of_other_game(bout, engines, &self.opening)?;
        // Something may have been said of tables on standard error.
        Ok(self.terminal.clear()?)
    }
}
