use std::time::Duration;

use kalah::{BySide, Move, MoveResult, Pit, SowEffect};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Wrap};

use super::super::keys::{Binding, Command};
use super::super::model::{Kind, LookBack, Model};
use super::super::theme::{BOLD, DIM};
use crate::commands::review::{Reviewed, seeds as cost, summary};
use crate::shown::{shown, tame};
use crate::words::seeds;
use crate::{Palette, Words};

/// What turns round while somebody thinks, and how long each of its pictures stays.
const SPINNER: [&str; 4] = ["|", "/", "-", "\\"];
const SPINNER_PICTURE: Duration = Duration::from_millis(200);

/// Who thinks no longer needs no clock.
const SHORT_THOUGHT: Duration = Duration::from_secs(1);

/// Whose turn it is, what there is to say about it, and what happened last.
pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame) {
    let told = (model.message.as_ref()).map(|message| {
        let style = match message.kind {
            Kind::Good => model.theme.good,
            Kind::Problem => model.theme.problem,
        };
        Line::styled(message.text.clone(), style)
    });
    let state = state(model);
    let mut lines = Vec::new();
    if area.height == 1 {
        lines.push(told.unwrap_or(state));
    } else {
        lines.push(state);
        lines.extend(told.or_else(|| remark(model)));
        lines.extend(last(model));
    }
    let text = Paragraph::new(Text::from(lines)).wrap(Wrap { trim: true });
    frame.render_widget(text, area);
}

fn words(model: &Model) -> Words<'_> {
    Words {
        seated: model.bout.seated_after(model.shown_plies()),
        naming: model.naming(),
        palette: Palette::PLAIN,
    }
}

fn state(model: &Model) -> Line<'static> {
    let theme = model.theme;
    let words = words(model);
    if model.looking.is_some() {
        let (at, plies) = (model.shown_plies(), model.game().plies().len());
        return Line::styled(
            format!("This is after {at} of {plies} plies. End goes back to the game."),
            BOLD,
        );
    }
    if let (Some(_), Some(ply)) = (&model.animation, model.shown_ply()) {
        let choice = model.naming().told(ply.side, ply.mv);
        return Line::from(vec![
            Span::styled(shown(&words.who(ply.side)), theme.side(ply.side)),
            Span::raw(format!(" sows {choice}")),
        ]);
    }
    if let Some(ending) = model.bout.ending() {
        let result = words.result(&ending, model.bout.position());
        return Line::styled(format!("{result}. Enter begins another game."), BOLD);
    }
    let side = model.bout.position().to_move();
    let who = Span::styled(shown(&words.who(side)), theme.side(side));
    if let Some(thinking) = model.thinking {
        let took = model.now.saturating_sub(thinking.since);
        let mut line = vec![who, Span::raw(format!(" is thinking {}", spinner(took)))];
        if took >= SHORT_THOUGHT {
            let hurry = if model.keeps_time() {
                "  Enter: answer now"
            } else {
                ""
            };
            line.push(Span::raw(format!(" {} s{hurry}", took.as_secs())));
        }
        return Line::from(line);
    }
    if model.is_paused() {
        return Line::from(vec![who, Span::raw(" is next. Enter goes on.")]);
    }
    if model.bout.person_to_answer().is_none() {
        return Line::from(vec![who, Span::raw(" has sown.")]);
    }
    let mut line = vec![who];
    if let Some(asked) = model.asked_hint {
        let took = model.now.saturating_sub(asked.since);
        line.push(Span::raw(format!(
            ", a hint is looked for {}",
            spinner(took)
        )));
    } else {
        let asked = if model.is_bonus_turn() {
            ": bonus turn, your house again"
        } else {
            ": your house"
        };
        line.push(Span::raw(asked));
        if model.bout.position().can_swap() {
            line.push(Span::raw(", or swap"));
        }
    }
    Line::from(line)
}

fn spinner(took: Duration) -> &'static str {
    let pictures = took.as_millis() / SPINNER_PICTURE.as_millis();
    let picture = usize::try_from(pictures).unwrap_or_default() % SPINNER.len();
    SPINNER[picture]
}

/// What the house under the cursor would do, or what a look back tells.
fn remark(model: &Model) -> Option<Line<'static>> {
    if model.animation.is_some() {
        return None;
    }
    if model.bout.ending().is_some() {
        return looked_back(model);
    }
    model.chooser()?;
    let mut position = model.bout.position().clone();
    let name = model.naming().house(position.to_move(), model.cursor);
    let Ok(MoveResult::Sown(sown)) = position.play(Move::Sow(model.cursor)) else {
        return None;
    };
    let mut told = format!("{name}: {}", seeds(sown.seeds));
    match sown.effect {
        SowEffect::BonusTurn => told += ", bonus turn",
        SowEffect::Capture(capture) => {
            told += ", captures ";
            told += &seeds(capture.seeds);
        }
        SowEffect::TurnPasses => {
            if let Pit::House(owner, house) = sown.last {
                told += ", the last one in ";
                told += &model.naming().house(owner, house);
            }
        }
    }
    if sown.is_game_over() {
        told += ", and the game is over";
    }
    Some(Line::styled(told, DIM))
}

/// How well the game was played, or what the next ply of it cost.
fn looked_back(model: &Model) -> Option<Line<'static>> {
    let Some(review) = model.reviewed() else {
        return match &model.review {
            LookBack::Underway { game, done, .. } => Some(Line::styled(
                format!(
                    "Looking back: position {done} of {}",
                    game.plies().len() + 1
                ),
                DIM,
            )),
            _ => None,
        };
    };
    let naming = model.naming();
    if model.looking.is_some() {
        let ply = review.plies.get(model.shown_plies())?;
        let choice = naming.choice(ply.side, ply.mv);
        let (text, style) = if ply.is_mistake() {
            let better = ply.better_moves.iter();
            let better: Vec<String> = better
                .map(|&better| naming.choice(ply.side, better))
                .collect();
            let cost = cost(ply);
            (
                format!(
                    "Here {choice} gave away {cost}: better {}.",
                    better.join(" or ")
                ),
                model.theme.problem,
            )
        } else if ply.cost.is_exact() {
            (format!("Here {choice} was best."), model.theme.good)
        } else {
            (
                format!("Here {choice}: not proven to be the best, or not."),
                Style::new(),
            )
        };
        return Some(Line::styled(text, style));
    }
    let ending = model.bout.ending()?;
    let mut names = model.bout.names().clone();
    if names.south == names.north {
        names = BySide::from_fn(|side| model.bout.seat(side).to_string());
    }
    let reviewed = Reviewed::new(model.game().clone(), ending, names, review.clone());
    Some(Line::raw(tame(&summary(&reviewed, naming))))
}

/// What happened last.
fn last(model: &Model) -> Option<Line<'static>> {
    let ply = model.shown_ply()?;
    if model.animation.is_some() {
        return None;
    }
    let told = words(model).played(ply.side, &ply.result);
    Some(Line::raw(tame(&told)))
}

/// What there are keys for now, as far as there is room.
pub(super) fn foot(model: &Model, area: Rect, frame: &mut Frame) {
    let houses = model.bout.position().houses();
    let mut commands = vec![Command::Help, Command::Menu];
    if model.bout.position().can_swap() && model.chooser().is_some() {
        commands.push(Command::Swap);
    }
    if model.bout.ending().is_some() {
        commands.extend([
            Command::Earlier,
            Command::Mistake,
            Command::New,
            Command::Save,
        ]);
    } else if model.bout.has_person() {
        commands.extend([
            Command::Hint,
            Command::Undo,
            Command::Redo,
            Command::Margins,
            Command::Earlier,
        ]);
    } else {
        commands.extend([
            Command::PlayOn,
            Command::Margins,
            Command::Earlier,
            Command::New,
        ]);
    }
    commands.push(Command::Quit);
    let mut spans = Vec::new();
    let mut left = usize::from(area.width);
    for command in commands {
        let Some(binding) = Binding::of(command) else {
            continue;
        };
        let Some(key) = binding.key(houses) else {
            continue;
        };
        let name = format!(" {}  ", binding.name);
        let width = key.chars().count() + name.chars().count();
        // The spaces at the end may be cut.
        if width > left + 2 {
            break;
        }
        left = left.saturating_sub(width);
        spans.push(Span::styled(key, BOLD));
        spans.push(Span::styled(name, DIM));
    }
    frame.render_widget(Line::from(spans), area);
}

impl Model {
    /// Whether the side to move has sown just before.
    fn is_bonus_turn(&self) -> bool {
        let last = self.game().plies().last();
        last.is_some_and(|ply| match ply.result {
            MoveResult::Sown(sown) => sown.effect == SowEffect::BonusTurn,
            MoveResult::Swapped => false,
        })
    }
}
