//! The model: the state that the screen shows.

pub(crate) mod animation;
pub(crate) mod dialog;
pub(crate) mod history;
pub(crate) mod position_editor;
pub(crate) mod profile;
pub(crate) mod program;
pub(crate) mod puzzle;
pub(crate) mod review;
pub(crate) mod variation;

use std::path::PathBuf;
use std::time::Duration;

use kalah::{
    ActionError, BySide, Ending, Game, House, Labels, Move, MoveResult, Pit, PlayerAction,
    PlayerId, Ply, Position, Side, SowEffect,
};
use kalah_engine::{MarginEstimate, Report};
use kalah_players::{EngineProtocol, GamePlayerSpec, PlayerKind};
use ratatui::layout::{Rect, Size};

use crate::app::config::Symbols;
use crate::game::clock::ScreenClock;
use crate::game::{GameSession, StartHelp};
use crate::screen::event::{AppEffect, WorkerRequestId};
use crate::screen::keys::UiCommand;
use crate::screen::model::animation::{Animation, AnimationSpeed, DisplayedSeeds};
use crate::screen::model::dialog::Dialog;
use crate::screen::model::position_editor::PositionEditor;
use crate::screen::model::profile::UserState;
use crate::screen::model::program::{ProgramFault, ProgramOutput};
use crate::screen::model::puzzle::{PuzzleExit, PuzzleMode, PuzzleState};
use crate::screen::model::review::{GameReview, ReviewState};
use crate::screen::model::variation::Variation;
use crate::screen::view::layout::{BoardMetrics, ScreenLayout, digit_width};
use crate::screen::view::theme::Theme;
use kalah_text::Notation;

/// The state of the screen.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) session: GameSession,
    pub(crate) labels: Labels,
    pub(crate) theme: Theme,
    pub(crate) symbols: Symbols,
    pub(crate) size: Size,
    /// The time since the screen was opened.
    pub(crate) now: Duration,
    pub(crate) speed: AnimationSpeed,
    /// Whether North sits at the bottom of the board.
    pub(crate) is_flipped: bool,
    /// The house of the side to move that Enter sows.
    pub(crate) cursor: House,
    /// The position that the user edits on the board.
    pub(crate) editor: Option<PositionEditor>,
    /// The puzzles that the board shows instead of the game.
    pub(crate) puzzles: Option<PuzzleMode>,
    pub(crate) puzzle_exit: PuzzleExit,
    /// The variation that the board shows instead of the game or of the puzzle.
    pub(crate) variation: Option<Variation>,
    /// The number of plies of the shown game before the viewed position, `None` for its last
    /// position.
    pub(crate) viewed_plies: Option<usize>,
    pub(crate) animation: Option<Animation>,
    pub(crate) pending_move: Option<PendingMove>,
    /// The action of a program that arrived during an animation.
    pub(crate) deferred_action: Option<PlayerAction>,
    /// The protocols of programs that play.
    pub(crate) protocols: &'static [&'static EngineProtocol],
    /// The programs that have played, which the dialog for a new game offers.
    pub(crate) programs: Vec<GamePlayerSpec>,
    /// The standard error of the programs of this game, by the side on which they began.
    pub(crate) program_output: BySide<ProgramOutput>,
    /// The failure of a program, after which the user decides how the game goes on.
    pub(crate) fault: Option<ProgramFault>,
    pub(crate) pause: Pause,
    pub(crate) clock: Option<ScreenClock>,
    pub(crate) message: Option<StatusMessage>,
    /// The hint, with the position that it belongs to.
    pub(crate) hint: Option<(Position, Move)>,
    pub(crate) pending_hint: Option<PendingHint>,
    pub(crate) margins: MarginDisplay,
    pub(crate) review: ReviewState,
    pub(crate) dialog: Option<Dialog>,
    /// The file that records the game after every ply.
    pub(crate) record_path: Option<PathBuf>,
    /// Whether the history keeps games without such a file.
    pub(crate) keeps_games: bool,
    /// Whether the last attempt to write the game to the file or to the history failed.
    pub(crate) is_record_stale: bool,
    pub(crate) user: UserState,
    /// The game as it was last saved or loaded.
    pub(crate) last_saved: Option<SavedState>,
    /// The file to which a game was last saved.
    pub(crate) save_path: Option<PathBuf>,
    /// Finished games that were followed by another one before they were saved. They are saved with
    /// the current game.
    pub(crate) unsaved_games: Vec<GameSession>,
    /// The time at which the user last cut short an animation or a search.
    pub(crate) hurried_at: Option<Duration>,
    pub(crate) last_request_id: u64,
}

/// A request for a move of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingMove {
    pub(crate) request_id: WorkerRequestId,
    pub(crate) started_at: Duration,
}

/// A request for a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PendingHint {
    pub(crate) request_id: WorkerRequestId,
    pub(crate) position: Position,
    pub(crate) started_at: Duration,
    /// Whether the user has moved the cursor since the request.
    pub(crate) cursor_moved: bool,
}

/// The contents of a saved game.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SavedState {
    plies: Vec<Ply>,
    ending: Option<Ending>,
}

/// Whether a game between two programs pauses between turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    Never,
    /// The game pauses when the turn passes from this side to the other; `None` before the first
    /// ply.
    After(Option<Side>),
}

/// A message that is not an event of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatusMessage {
    pub(crate) text: String,
    pub(crate) kind: MessageKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    Info,
    Error,
}

/// The margins of the legal moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MarginDisplay {
    pub(crate) is_shown: bool,
    /// The last request, and the position that it analyzes.
    pub(crate) request: Option<(WorkerRequestId, Position)>,
    /// The last report to show, with its position.
    pub(crate) report: Option<(Position, Report)>,
}

/// The pits that the last sowing marks on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SowingMarks {
    pub(crate) origin: Option<Pit>,
    pub(crate) last: Option<Pit>,
    pub(crate) captured: Option<Pit>,
}

impl Model {
    pub(crate) fn new(session: GameSession, labels: Labels, theme: Theme, size: Size) -> Self {
        let mut model = Self {
            session,
            labels,
            theme,
            symbols: Symbols::default(),
            size,
            now: Duration::ZERO,
            speed: AnimationSpeed::default(),
            is_flipped: false,
            cursor: House::all(1).next().expect("a row has a first house"),
            editor: None,
            puzzles: None,
            puzzle_exit: PuzzleExit::Game,
            variation: None,
            viewed_plies: None,
            animation: None,
            pending_move: None,
            deferred_action: None,
            protocols: &[],
            programs: Vec::new(),
            program_output: BySide::default(),
            fault: None,
            pause: Pause::Never,
            clock: None,
            message: None,
            hint: None,
            pending_hint: None,
            margins: MarginDisplay::default(),
            review: ReviewState::None,
            dialog: None,
            record_path: None,
            keeps_games: false,
            user: UserState::default(),
            is_record_stale: false,
            last_saved: None,
            save_path: None,
            unsaved_games: Vec::new(),
            hurried_at: None,
            last_request_id: 0,
        };
        // The caller can load the first state of the game again.
        model.last_saved = Some(model.current_state());
        model.reset_cursor();
        model
    }

    pub(crate) fn next_request_id(&mut self) -> WorkerRequestId {
        self.last_request_id += 1;
        WorkerRequestId(self.last_request_id)
    }

    /// Cancels the requests for the current position, which is about to change.
    pub(crate) fn cancel_pending(&mut self, effects: &mut Vec<AppEffect>) {
        self.deferred_action = None;
        if self.pending_move.take().is_some() {
            effects.push(AppEffect::CancelMove);
        }
        if self.pending_hint.take().is_some() {
            effects.push(AppEffect::StopAnalysis);
        }
        self.hint = None;
    }

    pub(crate) fn show_message(&mut self, kind: MessageKind, text: impl Into<String>) {
        self.message = Some(StatusMessage {
            text: text.into(),
            kind,
        });
    }

    /// Shows why an action of the user was refused.
    pub(crate) fn show_action_error(&mut self, error: ActionError) {
        let mut text = match error {
            ActionError::Illegal(reason) => self.notation().describe_illegal_move(reason),
            error => error.to_string(),
        };
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        self.show_message(MessageKind::Error, format!("{text}."));
    }

    /// Copies a text to the clipboard.
    pub(crate) fn copy(&mut self, text: String, effects: &mut Vec<AppEffect>) {
        self.show_message(MessageKind::Info, format!("Copied {text}"));
        effects.push(AppEffect::Copy(text));
    }

    pub(crate) fn game(&self) -> &Game {
        self.session.game()
    }

    /// Returns the game of the session or of the puzzle, from which variations branch off.
    pub(crate) fn base_game(&self) -> &Game {
        match self.puzzles.as_ref().and_then(PuzzleMode::posed) {
            Some(posed) => &posed.game,
            None => self.game(),
        }
    }

    /// Returns the game whose positions the board shows: a variation, or the base game.
    pub(crate) fn shown_game(&self) -> &Game {
        match &self.variation {
            Some(variation) => variation.game(),
            None => self.base_game(),
        }
    }

    /// Returns whether the board shows the last position of the base game.
    pub(crate) fn shows_last_position(&self) -> bool {
        self.variation.is_none() && self.viewed_plies.is_none()
    }

    /// Returns whether the board shows the current position of the game of the session.
    pub(crate) fn shows_current_position(&self) -> bool {
        self.shows_last_position() && self.puzzles.is_none()
    }

    /// Returns to the last position of the base game.
    pub(crate) fn close_variation(&mut self) {
        self.variation = None;
        self.viewed_plies = None;
        self.animation = None;
    }

    /// Returns the number of plies before the viewed position.
    pub(crate) fn viewed_ply_count(&self) -> usize {
        self.viewed_plies.unwrap_or(self.shown_game().plies().len())
    }

    pub(crate) fn viewed_position(&self) -> &Position {
        self.viewed_ply()
            .map_or(self.shown_game().start(), |ply| &ply.after)
    }

    /// Returns the ply that led to the viewed position.
    pub(crate) fn viewed_ply(&self) -> Option<&Ply> {
        let index = self.viewed_ply_count().checked_sub(1)?;
        self.shown_game().plies().get(index)
    }

    /// Returns the names of the players by their sides in the viewed position.
    pub(crate) fn viewed_names(&self) -> BySide<&str> {
        if let Some(posed) = self.puzzles.as_ref().and_then(PuzzleMode::posed) {
            let plies = &self.shown_game().plies()[..self.viewed_ply_count()];
            let is_swapped = plies.iter().any(|ply| ply.mv == Move::Swap);
            let solver = PlayerId::new(posed.puzzle.position.to_move()).side(is_swapped);
            return BySide::from_fn(|side| if side == solver { "You" } else { "Opponent" });
        }
        let plies = &self.shown_game().plies()[..self.viewed_ply_count()];
        self.session.names_after(plies)
    }

    /// Returns the seeds that the screen shows, and the marks of the last sowing.
    pub(crate) fn displayed_board(&self) -> (DisplayedSeeds, SowingMarks) {
        if let Some(editor) = &self.editor {
            return (editor.seeds().clone(), SowingMarks::default());
        }
        if let Some(animation) = self.shown_animation() {
            let (seeds, last) = animation.frame_at(self.now);
            let marks = SowingMarks {
                origin: self.viewed_ply().and_then(origin_pit),
                last: Some(last),
                captured: None,
            };
            return (seeds, marks);
        }
        let marks = self
            .viewed_ply()
            .map(SowingMarks::from_ply)
            .unwrap_or_default();
        (DisplayedSeeds::from_position(self.viewed_position()), marks)
    }

    /// Returns the animation, if it belongs to the viewed position.
    pub(crate) fn shown_animation(&self) -> Option<&Animation> {
        let animation = self.animation.as_ref();
        animation.filter(|_| self.viewed_plies.is_none())
    }

    pub(crate) fn notation(&self) -> Notation {
        Notation::new(self.session.position(), self.labels)
    }

    /// Returns the side to move if the user moves for it: in the current position of the game a
    /// person's side, and in earlier positions and variations either side.
    pub(crate) fn side_to_input(&self) -> Option<Side> {
        if self.editor.is_some() || self.animation.is_some() {
            return None;
        }
        if !self.shows_last_position() {
            let position = self.viewed_position();
            return (!position.is_over()).then(|| position.to_move());
        }
        if let Some(mode) = &self.puzzles {
            return mode
                .is_open()
                .then(|| self.base_game().position().to_move());
        }
        let human = self.session.human_to_move();
        human.filter(|_| self.deferred_action.is_none())
    }

    /// Returns whether the screen changes without an event.
    pub(crate) fn needs_redraw(&self) -> bool {
        let is_clock_running = self.clock.as_ref().is_some_and(ScreenClock::is_running);
        self.animation.is_some() || self.is_waiting() || is_clock_running
    }

    /// Returns whether a request with a progress indicator is pending.
    pub(crate) fn is_waiting(&self) -> bool {
        self.pending_move.is_some()
            || self.pending_hint.is_some()
            || matches!(
                self.puzzles,
                Some(PuzzleMode {
                    puzzle: PuzzleState::Generating(_),
                    ..
                })
            )
            || matches!(self.review, ReviewState::Running { .. })
    }

    /// Returns whether the program to move searches, so that it can be made to move at once.
    pub(crate) fn can_move_now(&self) -> bool {
        self.session.computer_to_move().is_some_and(|player| {
            let spec = self.session.specs()[player].local();
            spec.is_some_and(|spec| {
                spec.uses_clock() || matches!(spec.kind, PlayerKind::Minimax { .. })
            })
        })
    }

    /// Returns whether quitting would lose a game.
    pub(crate) fn has_unsaved_games(&self) -> bool {
        self.is_unsaved() || !self.unsaved_games.is_empty()
    }

    /// Returns whether the current game is not saved.
    pub(crate) fn is_unsaved(&self) -> bool {
        let is_recorded = (self.record_path.is_some() || self.keeps_games) && !self.is_record_stale;
        !is_recorded
            && !self.game().plies().is_empty()
            && self.last_saved != Some(self.current_state())
    }

    /// Returns whether the dialog asks whether to quit without saving.
    pub(crate) fn is_confirming_quit(&self) -> bool {
        let dialog = self.dialog.as_ref();
        dialog.is_some_and(|dialog| dialog.offers(UiCommand::ConfirmQuit))
    }

    /// Returns the state that a file saves.
    pub(crate) fn current_state(&self) -> SavedState {
        SavedState {
            plies: self.game().plies().to_vec(),
            ending: self.session.ending(),
        }
    }

    /// Returns whether a game between two programs waits for a key.
    pub(crate) fn is_paused(&self) -> bool {
        match (self.pause, self.session.referee().side_to_act()) {
            (Pause::After(Some(last)), Some(side)) => !self.session.has_human() && side != last,
            _ => false,
        }
    }

    /// Returns the side whose row is at the bottom of the board.
    pub(crate) fn bottom_side(&self) -> Side {
        if self.is_flipped {
            Side::North
        } else {
            Side::South
        }
    }

    /// Returns whether the ply before the viewed position gave the side to move a bonus turn.
    pub(crate) fn is_bonus_turn(&self) -> bool {
        let last = self.viewed_ply();
        last.is_some_and(|ply| match ply.result {
            MoveResult::Sown(sowing) => sowing.effect == SowEffect::BonusTurn,
            MoveResult::Swapped => false,
        })
    }

    /// Returns the review of the current game, if it is complete and the game is shown.
    pub(crate) fn finished_review(&self) -> Option<&GameReview> {
        match &self.review {
            ReviewState::Done(review)
                if self.puzzles.is_none() && self.review.plies() == Some(self.game().plies()) =>
            {
                Some(review)
            }
            _ => None,
        }
    }

    /// Returns the number of plies before the viewed position, if it is a position of the game.
    pub(crate) fn viewed_game_plies(&self) -> Option<usize> {
        let viewed = self.viewed_ply_count();
        let variation = self.variation.as_ref();
        let is_in_game = self.puzzles.is_none()
            && variation.is_none_or(|variation| viewed <= variation.branch());
        is_in_game.then_some(viewed)
    }

    /// Returns the value of the viewed position for South, if the review of the game has it.
    pub(crate) fn reviewed_value(&self) -> Option<MarginEstimate> {
        let plies = self.viewed_game_plies()?;
        let value = self.finished_review()?.review().value_after(plies)?;
        // The review has the values for the player who began as South.
        let earlier = &self.game().plies()[..plies];
        let is_swapped = earlier.iter().any(|ply| ply.mv == Move::Swap);
        let side = PlayerId::new(Side::South).side(is_swapped);
        Some(value.from_south_perspective(side))
    }

    /// Returns the report about the viewed position, if margins are shown.
    pub(crate) fn shown_analysis(&self) -> Option<&Report> {
        let (position, report) = self.margins.report.as_ref()?;
        let is_shown = self.margins.is_shown && self.editor.is_none();
        (is_shown && position == self.viewed_position()).then_some(report)
    }

    /// Returns the help in the current game before its first ply.
    pub(crate) fn start_help(&self) -> StartHelp {
        if self.margins.is_shown {
            StartHelp::MarginsVisible
        } else if self.session.is_helped() {
            StartHelp::Used
        } else {
            StartHelp::Unused
        }
    }

    /// Moves the cursor at the user's request. A message belongs to the house that it has left.
    pub(crate) fn set_cursor(&mut self, house: House) {
        if self.cursor != house {
            self.message = None;
        }
        self.cursor = house;
        self.hurried_at = None;
        if let Some(pending) = &mut self.pending_hint {
            pending.cursor_moved = true;
        }
    }

    /// Moves the cursor to the legal house nearest to the store, unless its house is legal.
    pub(crate) fn reset_cursor(&mut self) {
        let position = self.viewed_position();
        let is_legal = position.check_legal(Move::Sow(self.cursor)).is_ok();
        let nearest = position.legal_houses().next_back();
        if let Some(house) = nearest.filter(|_| !is_legal) {
            self.cursor = house;
        }
    }

    pub(crate) fn board_metrics(&self) -> BoardMetrics {
        let metrics = BoardMetrics::new(self.session.position(), self.labels);
        if let Some(editor) = &self.editor {
            let digit_width = metrics.digit_width.max(digit_width(editor.total()));
            return BoardMetrics {
                digit_width,
                bottom: self.bottom_side(),
                ..metrics
            };
        }
        BoardMetrics {
            has_margins: self.margins.is_shown,
            has_graph: self.puzzles.is_none() && self.session.ending().is_some(),
            has_score_bar: self.margins.is_shown || self.session.ending().is_some(),
            bottom: self.bottom_side(),
            ..metrics
        }
    }

    /// Returns the layout of the screen, `None` if the screen is too small.
    pub(crate) fn layout(&self) -> Option<ScreenLayout> {
        let area = Rect::new(0, 0, self.size.width, self.size.height);
        ScreenLayout::new(area, self.board_metrics())
    }
}

impl SowingMarks {
    fn from_ply(ply: &Ply) -> Self {
        let MoveResult::Sown(sowing) = ply.result else {
            return Self::default();
        };
        Self {
            origin: origin_pit(ply),
            last: Some(sowing.last),
            captured: match sowing.effect {
                SowEffect::Capture(capture) => {
                    Some(Pit::House(sowing.side.opponent(), capture.from))
                }
                SowEffect::TurnPasses | SowEffect::BonusTurn => None,
            },
        }
    }
}

fn origin_pit(ply: &Ply) -> Option<Pit> {
    match ply.mv {
        Move::Sow(house) => Some(Pit::House(ply.side, house)),
        Move::Swap => None,
    }
}
