use std::time::Duration;

use kalah::{BySide, Move, MoveResult, Pit, SowEffect};
use kalah_players::{escape_control, escape_truncated};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Wrap};

use super::super::keys::{KeyBinding, UiCommand};
use super::super::model::{MessageKind, Model, ReviewState};
use super::super::theme::{BOLD, DIM};
use crate::commands::review::{ReviewOutput, format_cost as cost, summary};
use crate::words::format_seeds;
use crate::{EventDescriber, Palette};

/// What turns round while somebody thinks, and how long each of its pictures stays.
const SPINNER_FRAMES: [&str; 4] = ["|", "/", "-", "\\"];
const SPINNER_FRAME_TIME: Duration = Duration::from_millis(200);

/// Who thinks no longer needs no clock.
const MIN_TIMED_THINKING: Duration = Duration::from_secs(1);

/// Whose turn it is, what there is to say about it, and what happened last.
pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame) {
    let told = (model.message.as_ref()).map(|message| {
        let style = match message.kind {
            MessageKind::Info => model.theme.highlight,
            MessageKind::Error => model.theme.error,
        };
        Line::styled(message.text.clone(), style)
    });
    let state = state_line(model);
    let mut lines = Vec::new();
    if area.height == 1 {
        lines.push(told.unwrap_or(state));
    } else {
        lines.push(state);
        lines.extend(told.or_else(|| preview_line(model)));
        lines.extend(last_ply_line(model));
    }
    let text = Paragraph::new(Text::from(lines)).wrap(Wrap { trim: true });
    frame.render_widget(text, area);
}

fn describer(model: &Model) -> EventDescriber<'_> {
    EventDescriber {
        names: model.session.names_after(model.viewed_ply_count()),
        naming: model.naming(),
        palette: Palette::PLAIN,
    }
}

fn state_line(model: &Model) -> Line<'static> {
    let theme = model.theme;
    let words = describer(model);
    if model.viewed_plies.is_some() {
        let (at, plies) = (model.viewed_ply_count(), model.game().plies().len());
        return Line::styled(
            format!("This is after {at} of {plies} plies. End goes back to the game."),
            BOLD,
        );
    }
    if let (Some(_), Some(ply)) = (&model.animation, model.viewed_ply()) {
        let mv = model.naming().describe_move(ply.side, ply.mv);
        return Line::from(vec![
            Span::styled(
                escape_truncated(&words.player_label(ply.side)),
                theme.side_style(ply.side),
            ),
            Span::raw(format!(" sows {mv}")),
        ]);
    }
    if let Some(ending) = model.session.ending() {
        let result = words.describe_result(&ending, model.session.position());
        return Line::styled(format!("{result}. Enter begins another game."), BOLD);
    }
    let side = model.session.position().to_move();
    let who = Span::styled(
        escape_truncated(&words.player_label(side)),
        theme.side_style(side),
    );
    if let Some(thinking) = model.pending_move {
        let took = model.now.saturating_sub(thinking.started_at);
        let mut line = vec![
            who,
            Span::raw(format!(" is thinking {}", spinner_frame(took))),
        ];
        if took >= MIN_TIMED_THINKING {
            let hurry = if model.can_move_now() {
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
    if model.session.human_to_move().is_none() {
        return Line::from(vec![who, Span::raw(" has sown.")]);
    }
    let mut line = vec![who];
    if let Some(asked) = model.pending_hint {
        let took = model.now.saturating_sub(asked.started_at);
        line.push(Span::raw(format!(
            ", a hint is looked for {}",
            spinner_frame(took)
        )));
    } else {
        let asked = if model.is_bonus_turn() {
            ": bonus turn, your house again"
        } else {
            ": your house"
        };
        line.push(Span::raw(asked));
        if model.session.position().can_swap() {
            line.push(Span::raw(", or swap"));
        }
    }
    Line::from(line)
}

fn spinner_frame(took: Duration) -> &'static str {
    let pictures = took.as_millis() / SPINNER_FRAME_TIME.as_millis();
    let picture = usize::try_from(pictures).unwrap_or_default() % SPINNER_FRAMES.len();
    SPINNER_FRAMES[picture]
}

/// What the house under the cursor would do, or what a look back tells.
fn preview_line(model: &Model) -> Option<Line<'static>> {
    if model.animation.is_some() {
        return None;
    }
    if model.session.ending().is_some() {
        return review_line(model);
    }
    model.side_to_input()?;
    let mut position = model.session.position().clone();
    let name = model
        .naming()
        .format_house(position.to_move(), model.cursor);
    let Ok(MoveResult::Sown(sown)) = position.play(Move::Sow(model.cursor)) else {
        return None;
    };
    let mut told = format!("{name}: {}", format_seeds(sown.seeds));
    match sown.effect {
        SowEffect::BonusTurn => told += ", bonus turn",
        SowEffect::Capture(capture) => {
            told += ", captures ";
            told += &format_seeds(capture.seeds);
        }
        SowEffect::TurnPasses => {
            if let Pit::House(owner, house) = sown.last {
                told += ", the last one in ";
                told += &model.naming().format_house(owner, house);
            }
        }
    }
    if sown.is_game_over() {
        told += ", and the game is over";
    }
    Some(Line::styled(told, DIM))
}

/// How well the game was played, or what the next ply of it cost.
fn review_line(model: &Model) -> Option<Line<'static>> {
    let Some(review) = model.finished_review() else {
        return match &model.review {
            ReviewState::Running {
                game,
                positions_done: done,
                ..
            } => Some(Line::styled(
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
    if model.viewed_plies.is_some() {
        let ply = review.plies.get(model.viewed_ply_count())?;
        let mv = naming.format_move(ply.side, ply.mv);
        let (text, style) = if ply.is_mistake() {
            let better = ply.better_moves.iter();
            let better: Vec<String> = better
                .map(|&better| naming.format_move(ply.side, better))
                .collect();
            let cost = cost(ply);
            (
                format!(
                    "Here {mv} gave away {cost}: better {}.",
                    better.join(" or ")
                ),
                model.theme.error,
            )
        } else if ply.cost.is_exact() {
            (format!("Here {mv} was best."), model.theme.highlight)
        } else {
            (
                format!("Here {mv}: not proven to be the best, or not."),
                Style::new(),
            )
        };
        return Some(Line::styled(text, style));
    }
    let ending = model.session.ending()?;
    let mut names = model.session.names().clone();
    if names.south == names.north {
        names = BySide::from_fn(|side| model.session.current_side(side).to_string());
    }
    let reviewed = ReviewOutput::new(model.game().clone(), ending, names, review.clone());
    Some(Line::raw(escape_control(&summary(&reviewed, naming))))
}

/// What happened last.
fn last_ply_line(model: &Model) -> Option<Line<'static>> {
    let ply = model.viewed_ply()?;
    if model.animation.is_some() {
        return None;
    }
    let told = describer(model).describe_played(ply.side, &ply.result);
    Some(Line::raw(escape_control(&told)))
}

/// What there are keys for now, as far as there is room.
pub(super) fn draw_footer(model: &Model, area: Rect, frame: &mut Frame) {
    let houses = model.session.position().houses();
    let mut commands = vec![UiCommand::Help, UiCommand::Menu];
    if model.session.position().can_swap() && model.side_to_input().is_some() {
        commands.push(UiCommand::Swap);
    }
    if model.session.ending().is_some() {
        commands.extend([
            UiCommand::PreviousPly,
            UiCommand::NextMistake,
            UiCommand::NewGame,
            UiCommand::Save,
        ]);
    } else if model.session.has_human() {
        commands.extend([
            UiCommand::Hint,
            UiCommand::Undo,
            UiCommand::Redo,
            UiCommand::ToggleMargins,
            UiCommand::PreviousPly,
        ]);
    } else {
        commands.extend([
            UiCommand::ToggleAutoPlay,
            UiCommand::ToggleMargins,
            UiCommand::PreviousPly,
            UiCommand::NewGame,
        ]);
    }
    commands.push(UiCommand::Quit);
    let mut spans = Vec::new();
    let mut left = usize::from(area.width);
    for command in commands {
        let Some(binding) = KeyBinding::for_command(command) else {
            continue;
        };
        let Some(key) = binding.key_name(houses) else {
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
