//! The status below the board: the state of the game, a message or a preview, and the analysis.

use std::iter;
use std::time::Duration;

use kalah::{BySide, Move, MoveResult, Pit, Side, SowEffect, format_count};
use kalah_engine::Certainty;
use kalah_players::{escape_control, escape_truncated};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Wrap};
use textwrap::{WordSeparator, WordSplitter, WrapAlgorithm};

use super::theme::{BOLD, DIM};
use crate::game::{HELPED_NOTE, RatedGame, RatingChange, RatingOutcome, StartHelp, rating_note};
use crate::screen::model::profile::RatingRequest;
use crate::screen::model::puzzle::{
    PuzzleAnswer, PuzzleExit, PuzzleMode, PuzzleScore, PuzzleState,
};
use crate::screen::model::review::ReviewState;
use crate::screen::model::{MessageKind, Model, PendingMove};
use kalah_text::{
    EventDescriber, Palette, ReviewOutput, format_cost, format_result, format_seeds,
    format_win_chance, lost_percent, ply_name, ply_symbol, reasons_text, review_summary,
};

/// The frames of the progress indicator, and the time of each.
const SPINNER_FRAMES: [&str; 4] = ["|", "/", "-", "\\"];
const SPINNER_FRAME_TIME: Duration = Duration::from_millis(200);

/// The time after which the status shows how long a program has been thinking.
const MIN_TIMED_THINKING: Duration = Duration::from_secs(1);

/// The length of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    Full,
    /// For small screens.
    Short,
}

/// Draws the state of the game, a message or a preview and, if there is room for all of it, the
/// progress of the analysis or the last ply.
pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame) {
    let height_of = |lines: &[Line]| -> usize {
        let heights = lines.iter().map(|line| wrapped_height(line, area.width));
        heights.sum()
    };
    let fits = |lines: &[Line]| height_of(lines) <= usize::from(area.height);
    let with_second = |detail| {
        let second = message_line(model).or_else(|| preview_line(model, detail));
        iter::once(state_line(model, detail))
            .chain(second)
            .collect::<Vec<_>>()
    };
    // The result of a game with the rating is worth more than the summary of its review.
    let is_result = model.message.is_none() && model.session.ending().is_some();
    let state_alone = is_result.then(|| vec![state_line(model, Detail::Full)]);
    let alternatives = iter::once(with_second(Detail::Full))
        .chain(state_alone)
        .chain(rated_puzzle_text(model).map(|text| {
            let second = message_line(model).or_else(|| preview_line(model, Detail::Short));
            let first = Line::styled(text, BOLD);
            iter::once(first).chain(second).collect()
        }))
        .chain(iter::once(with_second(Detail::Short)));
    let mut lines = { alternatives }
        .find(|lines| fits(lines))
        .unwrap_or_else(|| vec![message_line(model).unwrap_or_else(|| only_line(model))]);
    let rating = rating_line(model);
    let (margins_warning, rating) = if is_unrated_by_margins(model) {
        (rating, None)
    } else {
        (None, rating)
    };
    let expected = expected_line(model).or_else(|| last_ply_line(model));
    let program = program_line(model).into_iter();
    let reasons = reasons_line(model).into_iter();
    for line in program
        .chain(reasons)
        .chain(margins_warning)
        .chain(expected)
        .chain(analysis_line(model))
        .chain(rating)
    {
        lines.push(line);
        if !fits(&lines) {
            lines.pop();
        }
    }
    let text = Paragraph::new(Text::from(lines)).wrap(Wrap { trim: true });
    frame.render_widget(text, area);
}

fn message_line(model: &Model) -> Option<Line<'static>> {
    let message = model.message.as_ref()?;
    let style = match message.kind {
        MessageKind::Info => model.theme.highlight,
        MessageKind::Error => model.theme.error,
    };
    Some(Line::styled(message.text.clone(), style))
}

/// Returns the state of the game for a status of one line.
fn only_line(model: &Model) -> Line<'static> {
    match &model.editor {
        // The board shows the side to move.
        Some(editor) => {
            let seeds = format_count(editor.total().into(), "seed");
            Line::styled(format!("{seeds}. ?: keys"), BOLD)
        }
        None => state_line(model, Detail::Short),
    }
}

/// Returns the last line of a program's standard error.
fn program_line(model: &Model) -> Option<Line<'static>> {
    if !model.shows_current_position() || model.editor.is_some() {
        return None;
    }
    let line = model.last_program_line()?;
    Some(Line::styled(line, DIM))
}

/// Returns the number of rows of a wrapped line.
pub(super) fn wrapped_height(line: &Line, width: u16) -> usize {
    // Like `Wrap`, which breaks lines at spaces only.
    let options = textwrap::Options::new(width.into())
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(&line.to_string(), options).len()
}

/// The number of plies of the expected line that the status shows.
const MAX_EXPECTED_PLIES: usize = 12;

/// Returns the line of best play that the analysis expects, with its margin.
fn expected_line(model: &Model) -> Option<Line<'static>> {
    let report = model.shown_analysis()?;
    let plies = &report.line[..report.line.len().min(MAX_EXPECTED_PLIES)];
    if plies.is_empty() {
        return None;
    }
    let rest = if plies.len() < report.line.len() {
        " …"
    } else {
        ""
    };
    let position = model.viewed_position();
    let side = position.to_move();
    let (margin, line) = (report.margin(), model.notation().format_line(plies));
    let text = match report.certainty {
        Certainty::Exact => format!("Best: {line}{rest} ({side} {margin}, proven)"),
        Certainty::Estimate => {
            let chance = format_win_chance(report.bounds, report.chances(position));
            format!("Best: {line}{rest} ({side} about {margin}{chance})")
        }
    };
    Some(Line::raw(text))
}

/// Returns the progress of the analysis whose margins are shown.
fn analysis_line(model: &Model) -> Option<Line<'static>> {
    if model.margins.is_shown && model.pending_move.is_some() {
        return Some(Line::styled(
            "The margins wait for the program's move.",
            DIM,
        ));
    }
    let report = model.shown_analysis()?;
    let all = report.moves.len();
    let proven = (report.moves.iter()).filter(|candidate| candidate.bounds.is_exact());
    let proven = proven.count();
    let moves = format_count(u64::try_from(all).unwrap_or(u64::MAX), "move");
    let is_proven_without_search = report.depth == 0 && proven == all;
    let text = if report.is_from_book {
        format!("{proven} of {moves} proven, from the opening book")
    } else if is_proven_without_search && report.table_hits > 0 {
        format!("{proven} of {moves} proven, from the endgame table")
    } else if is_proven_without_search {
        format!("{proven} of {moves} proven, without a search")
    } else if proven > 0 && report.table_hits > 0 {
        format!(
            "Depth {}, {proven} of {moves} proven with the endgame table",
            report.depth
        )
    } else {
        format!(
            "Depth {}, {proven} of {moves} proven, {}/s",
            report.depth,
            format_count(report.nodes_per_second(), "position"),
        )
    };
    Some(Line::styled(text, DIM))
}

fn describer(model: &Model) -> EventDescriber<'_> {
    EventDescriber {
        names: model.viewed_names(),
        notation: model.notation(),
        palette: Palette::PLAIN,
    }
}

fn player_span(model: &Model, side: Side, detail: Detail) -> Span<'static> {
    let label = match detail {
        Detail::Full => escape_truncated(&describer(model).player_label(side)),
        Detail::Short => side.to_string(),
    };
    Span::styled(label, model.theme.side_style(side))
}

fn state_line(model: &Model, detail: Detail) -> Line<'static> {
    let end_key = if detail == Detail::Short || model.shows_current_position() {
        ""
    } else if model.variation.is_some() {
        " Esc: back."
    } else {
        " End: current position."
    };
    if let Some(editor) = &model.editor {
        let seeds = format_count(editor.total().into(), "seed");
        let text = match detail {
            Detail::Full => format!(
                "Position editor: {} to move, {seeds}. Enter: play from here. Esc: cancel.",
                editor.to_move
            ),
            Detail::Short => format!("{} to move, {seeds}", editor.to_move),
        };
        return Line::styled(text, BOLD);
    }
    if let (None, Some(viewed)) = (&model.variation, model.viewed_plies) {
        let text = match viewed {
            0 if model.puzzles.is_some() => "The position of the puzzle.".to_owned(),
            0 => "Start of the game.".to_owned(),
            viewed => format!("After {}.", viewed_ply_name(model, viewed)),
        };
        return Line::styled(text + end_key, BOLD);
    }
    if let (Some(_), Some(ply)) = (model.shown_animation(), model.viewed_ply()) {
        let mv = model.notation().describe_move(ply.side, ply.mv);
        return Line::from(vec![
            player_span(model, ply.side, detail),
            Span::raw(format!(" sows {mv}")),
        ]);
    }
    if let Some(pending) = model
        .pending_hint
        .as_ref()
        .filter(|_| model.editor.is_none())
    {
        let elapsed = model.now.saturating_sub(pending.started_at);
        return Line::styled(
            format!("Looking for a hint {}", spinner_frame(elapsed)),
            BOLD,
        );
    }
    if let Some(variation) = &model.variation {
        let text = match model.viewed_plies {
            Some(0) => format!("Variation: start of the game.{end_key}"),
            Some(viewed) => {
                format!(
                    "Variation: after {}.{end_key}",
                    viewed_ply_name(model, viewed)
                )
            }
            None if variation.game().position().is_over() => {
                format!("Variation: the game is over.{end_key}")
            }
            None => {
                let side = variation.game().position().to_move();
                format!("Variation: {side} to move.{end_key}")
            }
        };
        return Line::styled(text, BOLD);
    }
    if let Some(mode) = &model.puzzles {
        return Line::styled(puzzle_text(model, mode, detail), BOLD);
    }
    if let Some(ending) = model.session.ending() {
        let result = describer(model).describe_result(&ending, model.session.position());
        let text = match detail {
            Detail::Full => {
                let rating = rating_text(model).unwrap_or_default();
                format!("{result}. {rating}Enter: next game.")
            }
            Detail::Short => format_result(ending, model.session.position()),
        };
        return Line::styled(text, BOLD);
    }
    let player = player_span(model, model.session.position().to_move(), detail);
    if let Some(pending) = model.pending_move {
        return Line::from(vec![player, Span::raw(thinking_text(model, pending))]);
    }
    if model.current_fault().is_some() {
        return Line::from(vec![player, Span::raw(" has failed. Enter: choices.")]);
    }
    if model.is_paused() {
        return Line::from(vec![player, Span::raw(" is next. Enter: next turn.")]);
    }
    if model.session.human_to_move().is_none() {
        return Line::from(vec![player, Span::raw(" has sown.")]);
    }
    let prompt = if model.is_bonus_turn() {
        ": bonus turn, your house again"
    } else {
        ": your house"
    };
    let mut line = vec![player, Span::raw(prompt)];
    if model.session.position().can_swap() {
        line.push(Span::raw(", or swap"));
    }
    Line::from(line)
}

/// Returns the name of the last one of this number of plies of the shown game: `5. CF`.
fn viewed_ply_name(model: &Model, plies: usize) -> String {
    let index = plies.saturating_sub(1);
    ply_name(model.shown_game(), index, model.notation()).unwrap_or_default()
}

/// Returns the effect of the game on the rating of the user, with a space behind it.
fn rating_text(model: &Model) -> Option<String> {
    match model.session.rating()? {
        RatingOutcome::NotRated => None,
        RatingOutcome::Helped => Some(format!("{HELPED_NOTE} ")),
        RatingOutcome::Changed(change) => {
            Some(format!("Your rating: {}. ", format_rating_change(change)))
        }
    }
}

/// Returns a line before the first ply about the rating of the game.
fn rating_line(model: &Model) -> Option<Line<'static>> {
    let is_announced = model.user.rating == RatingRequest::Open
        && model.game().plies().is_empty()
        && model.shows_current_position()
        && model.puzzles.is_none()
        && model.editor.is_none();
    let note = rating_note(
        model.session.specs(),
        model.game().start(),
        model.start_help(),
    );
    Some(Line::styled(note.filter(|_| is_announced)?, DIM))
}

/// Returns whether the game is not rated because margins are visible, which the status says before
/// the analysis.
fn is_unrated_by_margins(model: &Model) -> bool {
    let game = RatedGame::new(model.session.specs(), model.game().start());
    game.is_ok() && model.start_help() == StartHelp::MarginsVisible
}

/// Formats a rating with its change: `1012 (+12)`.
pub(super) fn format_rating_change(change: RatingChange) -> String {
    let RatingChange { before, after } = change;
    format!("{after} ({:+})", after - before)
}

/// Returns the task of the puzzle or, once the answer is known, the score.
fn puzzle_text(model: &Model, mode: &PuzzleMode, detail: Detail) -> String {
    let PuzzleScore {
        tried,
        solved,
        streak,
    } = mode.score;
    match &mode.puzzle {
        PuzzleState::Generating(_) => {
            format!("Looking for a puzzle {}", spinner_frame(model.now))
        }
        PuzzleState::NotFound => {
            let back = match model.puzzle_exit {
                PuzzleExit::Quit => "quit",
                PuzzleExit::Game => "back to the game",
            };
            format!("No puzzle was found on this board. Esc: {back}.")
        }
        PuzzleState::Posed(posed) if posed.answer == PuzzleAnswer::Open => match detail {
            Detail::Full => {
                let day = match mode.day {
                    Some(_) => format!("Puzzle of the day, {}. ", posed.puzzle.position.rules()),
                    None => String::new(),
                };
                format!(
                    "{day}{} (rating {}, yours {})",
                    posed.task(),
                    posed.puzzle.rating,
                    model.user.progress.rating
                )
            }
            Detail::Short => posed.short_task(),
        },
        PuzzleState::Posed(_) if detail == Detail::Short => "Enter: next puzzle".to_owned(),
        PuzzleState::Posed(_) => {
            let rating = model.user.progress.rating;
            let change = mode.change.unwrap_or_default();
            format!(
                "Solved {solved} of {tried}, streak {streak}. Your rating: {rating} ({change:+}). \
                 Enter: next puzzle."
            )
        }
    }
}

/// Returns the task of the puzzle with the ratings or, once the answer is known, the change of the
/// rating, for small screens.
fn rated_puzzle_text(model: &Model) -> Option<String> {
    let mode = model.puzzles.as_ref().filter(|_| {
        model.shows_last_position() && model.animation.is_none() && model.pending_hint.is_none()
    })?;
    let posed = mode.posed()?;
    let own = model.user.progress.rating;
    Some(match posed.answer {
        PuzzleAnswer::Open => {
            let (task, rating) = (posed.short_task(), posed.puzzle.rating);
            format!("{task} ({rating}, yours {own})")
        }
        PuzzleAnswer::Solved | PuzzleAnswer::Shown => {
            let change = mode.change.unwrap_or_default();
            format!("Rating {own} ({change:+}). Enter: next puzzle.")
        }
    })
}

fn thinking_text(model: &Model, pending: PendingMove) -> String {
    let elapsed = model.now.saturating_sub(pending.started_at);
    let spinner = spinner_frame(elapsed);
    if elapsed < MIN_TIMED_THINKING {
        return format!(" is thinking {spinner}");
    }
    let move_now = if model.can_move_now() {
        "  Enter: move now"
    } else {
        ""
    };
    format!(" is thinking {spinner} {} s{move_now}", elapsed.as_secs())
}

fn spinner_frame(elapsed: Duration) -> &'static str {
    let frames = elapsed.as_millis() / SPINNER_FRAME_TIME.as_millis();
    let index = usize::try_from(frames).unwrap_or_default() % SPINNER_FRAMES.len();
    SPINNER_FRAMES[index]
}

/// Returns the result of sowing the house under the cursor, or a line about the review.
fn preview_line(model: &Model, detail: Detail) -> Option<Line<'static>> {
    if let Some(editor) = &model.editor {
        let text = editor.setup().to_string();
        let text = match detail {
            Detail::Full => text,
            Detail::Short => "Enter: play. Esc: back. ?: all keys.".to_owned(),
        };
        return Some(Line::styled(text, DIM));
    }
    if model.animation.is_some() {
        return None;
    }
    if model.session.ending().is_some()
        && model.puzzles.is_none()
        && (model.variation.is_none() || model.viewed_plies.is_some())
    {
        return review_line(model).filter(|_| detail == Detail::Full);
    }
    model.side_to_input()?;
    let mut position = model.viewed_position().clone();
    let notation = model.notation();
    let name = notation.format_house(position.to_move(), model.cursor);
    let Ok(MoveResult::Sown(sowing)) = position.play(Move::Sow(model.cursor)) else {
        return None;
    };
    let mut text = format!("{name}: {}", format_seeds(sowing.seeds));
    match sowing.effect {
        SowEffect::BonusTurn => text += ", bonus turn",
        SowEffect::Capture(capture) => {
            text += ", captures ";
            text += &format_seeds(capture.seeds);
        }
        SowEffect::TurnPasses => {
            if let Pit::House(owner, house) = sowing.last
                && detail == Detail::Full
            {
                text += ", the last one in ";
                text += &notation.format_house(owner, house);
            }
        }
    }
    if sowing.is_game_over() {
        text += ", and the game is over";
    }
    Some(Line::styled(text, DIM))
}

/// Returns the summary of the review, the cost of the ply after the viewed position, or the
/// progress of the review.
fn review_line(model: &Model) -> Option<Line<'static>> {
    let Some(review) = model.finished_review() else {
        let is_running = matches!(model.review, ReviewState::Running { .. });
        return is_running.then(|| Line::styled(model.review.progress_text(), DIM));
    };
    let notation = model.notation();
    if model.viewed_plies.is_some() {
        let index = model.viewed_game_plies()?;
        let ply = review.review().plies.get(index)?;
        let mv = notation.format_move(ply.side, ply.mv);
        let symbol = ply_symbol(ply, review.reasons(index));
        let (text, style) = if ply.is_opening_ply {
            let text = format!("{mv} is a move of the opening of the tournament, without a grade.");
            (text, DIM)
        } else if ply.has_cost() {
            let better_moves = ply.better_moves.iter();
            let better_moves: Vec<String> = better_moves
                .map(|&better| notation.format_move(ply.side, better))
                .collect();
            let (cost, better) = (format_cost(ply), better_moves.join(" or "));
            let text = format!("{mv}{symbol} cost {cost}. Better: {better}.");
            (text, model.theme.error)
        } else if ply.cost.is_exact() {
            (format!("{mv}{symbol} cost nothing."), model.theme.highlight)
        } else {
            let chance = lost_percent(ply);
            let chance = chance.map(|percent| format!(", about {percent} % of a point"));
            let text = format!(
                "{mv}: its cost is not proven{}.",
                chance.unwrap_or_default()
            );
            (text, Style::new())
        };
        return Some(Line::styled(text, style));
    }
    let ending = model.session.ending()?;
    let mut names = model.session.names().clone();
    if names.south == names.north {
        names = BySide::from_fn(|side| model.session.current_side(side).to_string());
    }
    let reviewed = ReviewOutput::new(model.game().clone(), ending, names, review.review().clone());
    let summary = review_summary(&reviewed, notation);
    Some(Line::raw(escape_control(&summary)))
}

/// Returns the reasons of the ply after the viewed position, where the status shows its cost.
fn reasons_line(model: &Model) -> Option<Line<'static>> {
    let is_shown = model.message.is_none() && model.session.ending().is_some();
    let index = model.viewed_plies.and(model.viewed_game_plies())?;
    let review = model.finished_review().filter(|_| is_shown)?;
    let ply = review.review().plies.get(index)?;
    reasons_text(review.reasons(index), ply, model.notation()).map(Line::raw)
}

fn last_ply_line(model: &Model) -> Option<Line<'static>> {
    if model.editor.is_some() {
        let text = "Arrows: pit. Digits, + and -: seeds. Delete: empty board. Tab: side to move.";
        return Some(Line::styled(text, DIM));
    }
    let ply = model.viewed_ply()?;
    if model.animation.is_some() {
        return None;
    }
    let text = describer(model).describe_move_result(ply.side, &ply.result);
    Some(Line::raw(escape_control(&text)))
}
