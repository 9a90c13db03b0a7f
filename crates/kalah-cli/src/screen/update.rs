//! What happens to the screen: a function of what it shows and of what comes, without a clock, a terminal and an
//! engine.

mod dialogs;
mod game;
mod looking;

use ratatui::crossterm::event::{KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::dialog::Dialog;
use super::event::{Effect, Event, Ticket};
use super::keys::{Command, command};
use super::model::{Kind, LookBack, Message, Model, Thinking};
use crate::Saved;
use crate::shown::whole_path;

/// Takes what has come, and returns what is to be done outside.
pub(crate) fn update(model: &mut Model, event: Event) -> Vec<Effect> {
    let mut effects = Vec::new();
    match event {
        Event::Key(key) => press(model, key, &mut effects),
        Event::Mouse(mouse) => point(model, mouse, &mut effects),
        Event::Resized(size) => model.size = size,
        Event::Tick(now) => {
            model.now = now;
            if let Some(animation) = &model.animation
                && animation.is_over(now)
            {
                model.finish_animation(&mut effects);
            }
        }
        Event::Answered(ticket, answer) => model.answered(ticket, answer, &mut effects),
        Event::Hinted(ticket, hint) => model.hinted(ticket, hint),
        Event::Weighed(ticket, report) => {
            if (model.margins.asked.as_ref()).is_some_and(|(asked, _)| *asked == ticket) {
                model.margins.report = Some(report);
            }
        }
        Event::LookingBack(ticket, so_far) => {
            if let LookBack::Underway {
                ticket: asked,
                done,
                ..
            } = &mut model.review
                && *asked == ticket
            {
                *done = so_far;
            }
        }
        Event::LookedBack(ticket, review) => {
            if let LookBack::Underway {
                ticket: asked,
                game,
                ..
            } = &model.review
                && *asked == ticket
            {
                let game = game.clone();
                model.review = LookBack::Done { game, review };
            }
        }
        Event::Saved(path, result) => {
            let name = whole_path(&path);
            match result {
                Ok(saved) => {
                    model.saved = Some(model.kept());
                    let told = match saved {
                        Saved::Now => format!("Saved to {name}."),
                        Saved::Already => format!("{name} keeps this game ply by ply anyway."),
                    };
                    model.tell(Kind::Good, told);
                    if let Some(Dialog::Save(save)) = model.dialog.take()
                        && save.leaves
                    {
                        effects.push(Effect::Leave);
                    }
                }
                Err(reason) => {
                    if let Some(Dialog::Save(save)) = &mut model.dialog {
                        save.problem = Some(reason.clone());
                    }
                    // Where there is room for all of it.
                    model.tell(Kind::Problem, reason);
                }
            }
        }
        Event::Recorded(result) => {
            model.is_record_behind = result.is_err();
            if let Err(reason) = result {
                model.tell(Kind::Problem, reason);
            }
        }
    }
    model.settle(&mut effects);
    effects
}

fn press(model: &mut Model, key: KeyEvent, effects: &mut Vec<Effect>) {
    if key.kind == KeyEventKind::Release {
        return;
    }
    let said = command(key, model.bout.position(), model.labels);
    if model.layout().is_none() {
        // Nobody plays on what cannot be seen.
        if said == Some(Command::Quit) {
            dialogs::quit_unseen(model, effects);
        } else if said == Some(Command::Menu) {
            model.dialog = None;
        }
        return;
    }
    if model.dialog.is_some() {
        dialogs::press(model, key, said, effects);
        return;
    }
    if model.animation.is_some() && !skip(model, said, effects) {
        return;
    }
    if let Some(said) = said {
        obey(model, said, effects);
    }
}

/// A key while a sowing is being shown: whether there is more to it than to see that at once.
fn skip(model: &mut Model, said: Option<Command>, effects: &mut Vec<Effect>) -> bool {
    let acts = match said {
        None | Some(Command::Confirm) => false,
        // Whoever waits for a program presses a key to see its sowing at once, and not to sow.
        Some(Command::Sow(_) | Command::Swap) => !model.shown_ply_is_of_program(),
        Some(Command::Hint | Command::Left | Command::Right) => true,
        // What is done to the game or beside it needs no board that rests.
        Some(_) => return true,
    };
    if !acts {
        model.hurried = Some(model.now);
    }
    model.finish_animation(effects);
    acts
}

fn obey(model: &mut Model, said: Command, effects: &mut Vec<Effect>) {
    match said {
        Command::Sow(house) => model.sow(house, effects),
        Command::Swap => model.swap(effects),
        Command::Confirm => model.confirm(effects),
        Command::Left => model.move_cursor(false),
        Command::Right => model.move_cursor(true),
        Command::Undo => model.undo(effects),
        Command::Redo => model.redo(effects),
        Command::Hint => model.ask_hint(effects),
        Command::Margins => {
            model.margins.shown = !model.margins.shown;
            model.message = None;
        }
        Command::Earlier => model.look(model.shown_plies().checked_sub(1)),
        Command::Later => model.look(Some(model.shown_plies() + 1)),
        Command::Start => model.look(Some(0)),
        Command::Now => model.look(Some(usize::MAX)),
        Command::Mistake => model.look_at_mistake(),
        Command::Pace => {
            model.pace = model.pace.next();
            let told = format!("Sowing on the screen: {}.", model.pace.word());
            model.tell(Kind::Good, told);
        }
        Command::PlayOn => model.play_on(),
        Command::Menu if model.looking.is_some() => model.look(Some(usize::MAX)),
        Command::Menu => dialogs::open_menu(model),
        Command::Back => model.dialog = None,
        Command::Help => model.dialog = Some(Dialog::Help(0)),
        Command::New => dialogs::new_game(model),
        Command::ReallyNew => dialogs::open_new_game(model),
        Command::Save => dialogs::open_save(model, false),
        Command::SaveAndQuit => dialogs::open_save(model, true),
        Command::Resign => dialogs::open_resign(model),
        Command::ReallyResign => model.resign(effects),
        Command::Quit => dialogs::quit(model, effects),
        Command::ReallyQuit => effects.push(Effect::Leave),
    }
}

fn point(model: &mut Model, mouse: MouseEvent, effects: &mut Vec<Effect>) {
    let at = Position::new(mouse.column, mouse.row);
    if model.layout().is_none() {
        return;
    }
    if model.dialog.is_some() {
        dialogs::point(model, mouse, effects);
        return;
    }
    match mouse.kind {
        MouseEventKind::ScrollUp => obey(model, Command::Earlier, effects),
        MouseEventKind::ScrollDown => obey(model, Command::Later, effects),
        MouseEventKind::Moved => {
            if let Some(side) = model.chooser()
                && let Some((owner, house)) = house_at(model, at)
                && owner == side
                && model.can_sow(house)
            {
                model.point_at(house);
            }
        }
        MouseEventKind::Down(MouseButton::Left) => {
            if model.animation.is_some() {
                model.finish_animation(effects);
            } else if let Some((owner, house)) = house_at(model, at) {
                model.sow_of(owner, house, effects);
            } else if let Some(plies) = model.ply_at(at) {
                model.look(Some(plies));
            }
        }
        _ => {}
    }
}

fn house_at(model: &Model, at: Position) -> Option<(kalah::Side, kalah::House)> {
    model.layout()?.house_at(at)
}

impl Model {
    pub(super) fn tell(&mut self, kind: Kind, text: impl Into<String>) {
        self.message = Some(Message {
            text: text.into(),
            kind,
        });
    }

    /// Lets everything that works in the background work on what the screen needs now, and nothing else.
    fn settle(&mut self, effects: &mut Vec<Effect>) {
        if self.animation.is_none() {
            self.take_held(effects);
        }
        self.settle_player(effects);
        self.settle_margins(effects);
        self.settle_review(effects);
    }

    fn settle_player(&mut self, effects: &mut Vec<Effect>) {
        let wanted = self.bout.program_to_answer().filter(|_| !self.is_paused());
        match (wanted, self.thinking) {
            (None, Some(_)) => {
                self.thinking = None;
                effects.push(Effect::Dismiss);
            }
            (Some(player), None) if self.held.is_none() => {
                let ticket = self.ticket();
                self.thinking = Some(Thinking {
                    ticket,
                    since: self.now,
                });
                effects.push(Effect::Ask {
                    ticket,
                    player,
                    position: self.bout.position().clone(),
                });
            }
            _ => {}
        }
    }

    fn settle_margins(&mut self, effects: &mut Vec<Effect>) {
        // A program that thinks has the machine for itself, and so has who gives a hint.
        let wanted = self.margins.shown
            && self.thinking.is_none()
            && self.asked_hint.is_none()
            && !self.shown_position().is_over();
        let asked = self.margins.asked.as_ref().map(|(_, position)| position);
        if !wanted {
            if asked.is_some() {
                self.margins.asked = None;
                self.margins.report = None;
                if self.asked_hint.is_none() {
                    effects.push(Effect::StopWeighing);
                }
            }
        } else if asked != Some(self.shown_position()) {
            let position = self.shown_position().clone();
            let ticket = self.ticket();
            effects.push(Effect::Weigh(ticket, position.clone()));
            self.margins.asked = Some((ticket, position));
            self.margins.report = None;
        }
    }

    fn settle_review(&mut self, effects: &mut Vec<Effect>) {
        let over = self.bout.ending().is_some() && !self.game().plies().is_empty();
        let looked = match &self.review {
            LookBack::None => None,
            LookBack::Underway { game, .. } | LookBack::Done { game, .. } => Some(game),
        };
        if over {
            if looked.is_none_or(|game| game.plies() != self.game().plies()) {
                let (ticket, game) = (self.ticket(), self.game().clone());
                effects.push(Effect::LookBack(ticket, game.clone()));
                self.review = LookBack::Underway {
                    ticket,
                    game,
                    done: 0,
                };
            }
        } else if matches!(self.review, LookBack::Underway { .. }) {
            self.review = LookBack::None;
            effects.push(Effect::StopLookingBack);
        }
    }

    pub(super) fn forget_answers(&mut self, effects: &mut Vec<Effect>) {
        self.held = None;
        if self.thinking.take().is_some() {
            effects.push(Effect::Dismiss);
        }
        if self.asked_hint.take().is_some() {
            effects.push(Effect::StopWeighing);
        }
        self.advised = None;
    }

    /// The question that is waited for with this ticket, if it still is.
    pub(super) fn takes_answer(&mut self, ticket: Ticket) -> bool {
        let asked = self.thinking.is_some_and(|asked| asked.ticket == ticket);
        if asked {
            self.thinking = None;
        }
        asked
    }
}
