use std::path::PathBuf;
use std::time::Duration;

use kalah::{
    Ending, Game, House, Labels, Move, MoveResult, Pit, PlayerAction, Ply, Position, Side,
    SowEffect as Sowing,
};
use kalah_engine::{Report, Review};
use ratatui::layout::{Rect, Size};

use super::animation::{Animation, DisplayedSeeds, Pace};
use super::bout::GameSession;
use super::dialog::Dialog;
use super::event::RequestId;
use super::keys::UiCommand;
use super::layout::ScreenLayout;
use super::needs::BoardMetrics;
use super::theme::Theme;
use crate::Notation;

/// All that the screen shows.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) session: GameSession,
    pub(crate) labels: Labels,
    pub(crate) theme: Theme,
    pub(crate) size: Size,
    /// Since the screen was opened.
    pub(crate) now: Duration,
    pub(crate) pace: Pace,
    /// The house of the side to move that Enter sows.
    pub(crate) cursor: House,
    /// After how many plies the game is looked at, if it is not as it stands.
    pub(crate) viewed_plies: Option<usize>,
    pub(crate) animation: Option<Animation>,
    pub(crate) pending_move: Option<PendingMove>,
    /// What a program has answered while a sowing is still being shown.
    pub(crate) deferred_action: Option<PlayerAction>,
    /// Two programs wait with this turn until they are told to go on.
    pub(crate) pause: Pause,
    pub(crate) message: Option<StatusMessage>,
    /// What is advised in the position that stands.
    pub(crate) hinted_move: Option<Move>,
    /// The question for advice that is under way.
    pub(crate) pending_hint: Option<PendingHint>,
    pub(crate) margins: MarginDisplay,
    pub(crate) review: ReviewState,
    pub(crate) dialog: Option<Dialog>,
    /// The file that keeps the game ply by ply.
    pub(crate) record_path: Option<PathBuf>,
    /// Whether that file has not taken the game as it is.
    pub(crate) is_record_stale: bool,
    /// The game as it was saved last, or found.
    pub(crate) last_saved: Option<SavedState>,
    /// When somebody has last hurried what is shown or thought.
    pub(crate) hurried_at: Option<Duration>,
    pub(crate) last_request_id: u64,
}

/// A program that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingMove {
    pub(crate) request_id: RequestId,
    pub(crate) started_at: Duration,
}

/// A question for advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingHint {
    pub(crate) request_id: RequestId,
    pub(crate) started_at: Duration,
    /// Whether the cursor has been moved since.
    pub(crate) cursor_moved: bool,
}

/// What a file keeps of a game: its plies, and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SavedState {
    plies: Vec<Ply>,
    ending: Option<Ending>,
}

/// Whether two programs wait between their turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// They do not.
    Never,
    /// They do, before a turn of a side other than this one.
    After(Option<Side>),
}

/// Something to be told that is no event of the game.
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

/// The margins of the choices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MarginDisplay {
    /// Whether they are wanted.
    pub(crate) is_shown: bool,
    /// The position that is being looked into, or was.
    pub(crate) request: Option<(RequestId, Position)>,
    pub(crate) report: Option<Report>,
}

/// How far the game was looked back on.
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

/// What a ply has left on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SowingMarks {
    pub(crate) origin: Option<Pit>,
    pub(crate) last: Option<Pit>,
    pub(crate) captured: Option<Pit>,
}

impl Model {
    pub(crate) fn new(bout: GameSession, labels: Labels, theme: Theme, size: Size) -> Self {
        let mut model = Self {
            session: bout,
            labels,
            theme,
            size,
            now: Duration::ZERO,
            pace: Pace::default(),
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
        // What is there at first can be found again.
        model.last_saved = Some(model.current_state());
        model.reset_cursor();
        model
    }

    pub(crate) fn next_request_id(&mut self) -> RequestId {
        self.last_request_id += 1;
        RequestId(self.last_request_id)
    }

    pub(crate) fn game(&self) -> &Game {
        self.session.game()
    }

    /// How many plies have been made in the position that is looked at.
    pub(crate) fn viewed_ply_count(&self) -> usize {
        self.viewed_plies.unwrap_or(self.game().plies().len())
    }

    /// The position that is looked at.
    pub(crate) fn viewed_position(&self) -> &Position {
        self.viewed_ply()
            .map_or(self.game().start(), |ply| &ply.after)
    }

    /// The ply that has led to it.
    pub(crate) fn viewed_ply(&self) -> Option<&Ply> {
        let index = self.viewed_ply_count().checked_sub(1)?;
        self.game().plies().get(index)
    }

    /// The seeds that are drawn, and what is marked of the last sowing.
    pub(crate) fn displayed_board(&self) -> (DisplayedSeeds, SowingMarks) {
        if let (Some(animation), None) = (&self.animation, self.viewed_plies) {
            let (seeds, last) = animation.frame_at(self.now);
            let from = self.viewed_ply().and_then(origin_pit);
            let marks = SowingMarks {
                origin: from,
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

    pub(crate) fn naming(&self) -> Notation {
        Notation::new(self.session.position(), self.labels)
    }

    /// The side of a person who may choose now: nothing else is shown or going on.
    pub(crate) fn side_to_input(&self) -> Option<Side> {
        let busy = self.viewed_plies.is_some()
            || self.animation.is_some()
            || self.deferred_action.is_some();
        self.session.human_to_move().filter(|_| !busy)
    }

    /// Whether something on the screen changes by itself.
    pub(crate) fn needs_redraw(&self) -> bool {
        self.animation.is_some() || self.is_waiting()
    }

    /// Whether an answer is waited for that takes time.
    pub(crate) fn is_waiting(&self) -> bool {
        self.pending_move.is_some()
            || self.pending_hint.is_some()
            || matches!(self.review, ReviewState::Running { .. })
    }

    /// Whether the game would be lost.
    pub(crate) fn is_unsaved(&self) -> bool {
        let is_recorded = self.record_path.is_some() && !self.is_record_stale;
        !is_recorded
            && !self.game().plies().is_empty()
            && self.last_saved != Some(self.current_state())
    }

    /// Whether it is asked whether the game may be lost by leaving.
    pub(crate) fn is_confirming_quit(&self) -> bool {
        matches!(&self.dialog, Some(Dialog::Menu(choose)) if choose.items.contains(&UiCommand::ConfirmQuit))
    }

    /// What a file keeps of the game as it is.
    pub(crate) fn current_state(&self) -> SavedState {
        SavedState {
            plies: self.game().plies().to_vec(),
            ending: self.session.ending(),
        }
    }

    /// Whether two programs wait to be told to go on.
    pub(crate) fn is_paused(&self) -> bool {
        match (self.pause, self.session.referee().side_to_act()) {
            (Pause::After(Some(last)), Some(side)) => !self.session.has_human() && side != last,
            _ => false,
        }
    }

    /// The review of the game as it stands.
    pub(crate) fn finished_review(&self) -> Option<&Review> {
        match &self.review {
            ReviewState::Done { game, review } if game.plies() == self.game().plies() => {
                Some(review)
            }
            _ => None,
        }
    }

    /// The report about the position that is looked at.
    pub(crate) fn shown_analysis(&self) -> Option<&Report> {
        let (_, position) = self.margins.request.as_ref()?;
        let report = self.margins.report.as_ref()?;
        (self.margins.is_shown && position == self.viewed_position()).then_some(report)
    }

    /// Puts the cursor where somebody points.
    pub(crate) fn set_cursor(&mut self, house: House) {
        self.cursor = house;
        self.hurried_at = None;
        if let Some(asked) = &mut self.pending_hint {
            asked.cursor_moved = true;
        }
    }

    /// Puts the cursor on a house that can be sown, the nearest to the store.
    pub(crate) fn reset_cursor(&mut self) {
        let position = self.session.position();
        let stays = position.check_legal(Move::Sow(self.cursor)).is_ok();
        if let Some(house) = position.legal_houses().next_back()
            && !stays
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

    /// Where everything is on the screen, unless that is too small.
    pub(crate) fn layout(&self) -> Option<ScreenLayout> {
        let area = Rect::new(0, 0, self.size.width, self.size.height);
        ScreenLayout::new(area, self.board_metrics())
    }
}

impl SowingMarks {
    fn from_ply(ply: &Ply) -> Self {
        let MoveResult::Sown(sown) = ply.result else {
            return Self::default();
        };
        Self {
            origin: origin_pit(ply),
            last: Some(sown.last),
            captured: match sown.effect {
                Sowing::Capture(capture) => Some(Pit::House(sown.side.opponent(), capture.from)),
                Sowing::TurnPasses | Sowing::BonusTurn => None,
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
