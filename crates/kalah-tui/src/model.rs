//! The model: the state that the screen shows, the events that change it, and the effects that an
//! update requests.

use std::path::PathBuf;
use std::time::Duration;

use kalah::{
    Ending, Game, House, Labels, Move, MoveResult, Pit, PlayerAction, Ply, Position, Side,
    SowEffect,
};
use kalah_engine::{Report, Review, ReviewedPly};
use ratatui::crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::{Rect, Size};

use crate::animation::{Animation, AnimationSpeed, DisplayedSeeds};
use crate::dialog::Dialog;
use crate::keys::UiCommand;
use crate::session::{GameSession, SaveOutcome};
use crate::text::{Hint, Notation};
use crate::view::layout::{BoardMetrics, ScreenLayout};
use crate::view::theme::Theme;

/// The maximum number of listed mistakes of a game.
pub(crate) const MAX_LISTED_MISTAKES: usize = 5;

/// The state of the screen.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) session: GameSession,
    pub(crate) labels: Labels,
    pub(crate) theme: Theme,
    pub(crate) size: Size,
    /// The time since the screen was opened.
    pub(crate) now: Duration,
    pub(crate) speed: AnimationSpeed,
    /// The house of the side to move that Enter sows.
    pub(crate) cursor: House,
    /// The number of plies before the viewed position, `None` for the current position.
    pub(crate) viewed_plies: Option<usize>,
    pub(crate) animation: Option<Animation>,
    pub(crate) pending_move: Option<PendingMove>,
    /// The action of a program that arrived during an animation.
    pub(crate) deferred_action: Option<PlayerAction>,
    pub(crate) pause: Pause,
    pub(crate) message: Option<StatusMessage>,
    /// The hint for the current position.
    pub(crate) hinted_move: Option<Move>,
    pub(crate) pending_hint: Option<PendingHint>,
    pub(crate) margins: MarginDisplay,
    pub(crate) review: ReviewState,
    pub(crate) dialog: Option<Dialog>,
    /// The file that records the game after every ply.
    pub(crate) record_path: Option<PathBuf>,
    /// Whether the last attempt to write that file failed.
    pub(crate) is_record_stale: bool,
    /// The game as it was last saved or loaded.
    pub(crate) last_saved: Option<SavedState>,
    /// The time at which the user last cut short an animation or a search.
    pub(crate) hurried_at: Option<Duration>,
    pub(crate) last_request_id: u64,
}

/// The number of a request to a worker. A response to an earlier request is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequestId(pub(crate) u64);

/// A request for a move of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingMove {
    pub(crate) request_id: RequestId,
    pub(crate) started_at: Duration,
}

/// A request for a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingHint {
    pub(crate) request_id: RequestId,
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
    pub(crate) request: Option<(RequestId, Position)>,
    pub(crate) report: Option<Report>,
}

/// The progress of the review of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum ReviewState {
    #[default]
    None,
    Running {
        request_id: RequestId,
        game: Game,
        positions_done: usize,
    },
    Done {
        game: Game,
        review: Box<Review>,
    },
}

/// The pits that the last sowing marks on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SowingMarks {
    pub(crate) origin: Option<Pit>,
    pub(crate) last: Option<Pit>,
    pub(crate) captured: Option<Pit>,
}

/// Input of the screen.
#[derive(Clone, Debug)]
pub(crate) enum AppEvent {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Resized(Size),
    /// The time since the screen was opened.
    Tick(Duration),
    /// A program has answered a request for a move.
    PlayerActed(RequestId, PlayerAction),
    /// The hint, `None` if the game is over.
    HintFound(RequestId, Option<Hint>),
    /// The margins of the moves, as far as they are known.
    Analyzed(RequestId, Report),
    /// The number of positions that the review has analyzed.
    ReviewProgressed(RequestId, usize),
    Reviewed(RequestId, Box<Review>),
    /// The result of saving the game to a file.
    Saved(PathBuf, Result<SaveOutcome, String>),
    /// The result of writing the record of the game.
    Recorded(Result<(), String>),
}

/// Work for the event loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AppEffect {
    /// Requests a move of the program that began on this side.
    RequestMove {
        request_id: RequestId,
        player: Side,
        position: Position,
    },
    /// Makes the program return its best move so far.
    MoveNow,
    /// Cancels the request for a move.
    CancelMove,
    RequestHint(RequestId, Position),
    /// Requests the margins of all moves.
    Analyze(RequestId, Position),
    /// Cancels the request for a hint or for margins.
    StopAnalysis,
    Review(RequestId, Game),
    /// Cancels the request for a review.
    StopReview,
    /// Writes the record of the game, which has changed or ended.
    Record,
    /// Saves the game to a file.
    Save(PathBuf),
    /// Starts workers and records for the new game of the model.
    StartNewGame,
    /// Closes the screen.
    Quit,
}

impl Model {
    pub(crate) fn new(session: GameSession, labels: Labels, theme: Theme, size: Size) -> Self {
        let mut model = Self {
            session,
            labels,
            theme,
            size,
            now: Duration::ZERO,
            speed: AnimationSpeed::default(),
            cursor: House::all(1).next().expect("a row has a first house"),
            viewed_plies: None,
            animation: None,
            pending_move: None,
            deferred_action: None,
            pause: Pause::Never,
            message: None,
            hinted_move: None,
            pending_hint: None,
            margins: MarginDisplay::default(),
            review: ReviewState::None,
            dialog: None,
            record_path: None,
            is_record_stale: false,
            last_saved: None,
            hurried_at: None,
            last_request_id: 0,
        };
        // The caller can load the first state of the game again.
        model.last_saved = Some(model.current_state());
        model.reset_cursor();
        model
    }

    pub(crate) fn next_request_id(&mut self) -> RequestId {
        self.last_request_id += 1;
        RequestId(self.last_request_id)
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
        self.hinted_move = None;
    }

    pub(crate) fn show_message(&mut self, kind: MessageKind, text: impl Into<String>) {
        self.message = Some(StatusMessage {
            text: text.into(),
            kind,
        });
    }

    pub(crate) fn game(&self) -> &Game {
        self.session.game()
    }

    /// Returns the number of plies before the viewed position.
    pub(crate) fn viewed_ply_count(&self) -> usize {
        self.viewed_plies.unwrap_or(self.game().plies().len())
    }

    pub(crate) fn viewed_position(&self) -> &Position {
        self.viewed_ply()
            .map_or(self.game().start(), |ply| &ply.after)
    }

    /// Returns the ply that led to the viewed position.
    pub(crate) fn viewed_ply(&self) -> Option<&Ply> {
        let index = self.viewed_ply_count().checked_sub(1)?;
        self.game().plies().get(index)
    }

    /// Returns the seeds that the screen shows, and the marks of the last sowing.
    pub(crate) fn displayed_board(&self) -> (DisplayedSeeds, SowingMarks) {
        if let (Some(animation), None) = (&self.animation, self.viewed_plies) {
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

    pub(crate) fn notation(&self) -> Notation {
        Notation::new(self.session.position(), self.labels)
    }

    /// Returns the side to move if a person plays it and the screen shows the current position at
    /// rest.
    pub(crate) fn side_to_input(&self) -> Option<Side> {
        let is_busy = self.viewed_plies.is_some()
            || self.animation.is_some()
            || self.deferred_action.is_some();
        self.session.human_to_move().filter(|_| !is_busy)
    }

    /// Returns whether the screen changes without an event.
    pub(crate) fn needs_redraw(&self) -> bool {
        self.animation.is_some() || self.is_waiting()
    }

    /// Returns whether a request with a progress indicator is pending.
    pub(crate) fn is_waiting(&self) -> bool {
        self.pending_move.is_some()
            || self.pending_hint.is_some()
            || matches!(self.review, ReviewState::Running { .. })
    }

    /// Returns whether quitting would lose the game.
    pub(crate) fn is_unsaved(&self) -> bool {
        let is_recorded = self.record_path.is_some() && !self.is_record_stale;
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

    /// Returns whether the last ply gave the side to move a bonus turn.
    pub(crate) fn is_bonus_turn(&self) -> bool {
        let last = self.game().plies().last();
        last.is_some_and(|ply| match ply.result {
            MoveResult::Sown(sowing) => sowing.effect == SowEffect::BonusTurn,
            MoveResult::Swapped => false,
        })
    }

    /// Returns the review of the current game, if it is complete.
    pub(crate) fn finished_review(&self) -> Option<&Review> {
        match &self.review {
            ReviewState::Done { game, review } if game.plies() == self.game().plies() => {
                Some(review)
            }
            _ => None,
        }
    }

    /// Returns the costliest mistakes of the review with the numbers of plies before them, in
    /// decreasing order of cost.
    pub(crate) fn worst_mistakes(&self) -> Vec<(usize, &ReviewedPly)> {
        let Some(review) = self.finished_review() else {
            return Vec::new();
        };
        let mut mistakes: Vec<_> = review
            .costly_plies()
            .map(|(number, ply)| (number - 1, ply))
            .collect();
        mistakes.sort_by_key(|(_, ply)| -ply.cost.lower.seeds());
        mistakes.truncate(MAX_LISTED_MISTAKES);
        mistakes
    }

    /// Returns the report about the viewed position, if margins are shown.
    pub(crate) fn shown_analysis(&self) -> Option<&Report> {
        let (_, position) = self.margins.request.as_ref()?;
        let report = self.margins.report.as_ref()?;
        (self.margins.is_shown && position == self.viewed_position()).then_some(report)
    }

    /// Moves the cursor at the user's request.
    pub(crate) fn set_cursor(&mut self, house: House) {
        self.cursor = house;
        self.hurried_at = None;
        if let Some(pending) = &mut self.pending_hint {
            pending.cursor_moved = true;
        }
    }

    /// Moves the cursor to the legal house nearest to the store, unless its house is legal.
    pub(crate) fn reset_cursor(&mut self) {
        let position = self.session.position();
        let is_legal = position.check_legal(Move::Sow(self.cursor)).is_ok();
        if let Some(house) = position.legal_houses().next_back()
            && !is_legal
        {
            self.cursor = house;
        }
    }

    pub(crate) fn board_metrics(&self) -> BoardMetrics {
        let position = self.session.position();
        BoardMetrics {
            has_margins: self.margins.is_shown,
            has_graph: self.session.ending().is_some(),
            ..BoardMetrics::new(position, self.labels)
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
