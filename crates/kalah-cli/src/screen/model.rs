use std::path::PathBuf;
use std::time::Duration;

use kalah::{
    Ending, Game, House, Labels, Move, MoveResult, Pit, PlayerAction, Ply, Position, Side,
    SowEffect as Sowing,
};
use kalah_engine::{Report, Review};
use ratatui::layout::{Rect, Size};

use super::animation::{Animation, Pace, Seeds};
use super::bout::Bout;
use super::dialog::Dialog;
use super::event::Ticket;
use super::keys::Command;
use super::layout::Layout;
use super::needs::Needs;
use super::theme::Theme;
use crate::Naming;

/// All that the screen shows.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) bout: Bout,
    pub(crate) labels: Labels,
    pub(crate) theme: Theme,
    pub(crate) size: Size,
    /// Since the screen was opened.
    pub(crate) now: Duration,
    pub(crate) pace: Pace,
    /// The house of the side to move that Enter sows.
    pub(crate) cursor: House,
    /// After how many plies the game is looked at, if it is not as it stands.
    pub(crate) looking: Option<usize>,
    pub(crate) animation: Option<Animation>,
    pub(crate) thinking: Option<Thinking>,
    /// What a program has answered while a sowing is still being shown.
    pub(crate) held: Option<PlayerAction>,
    /// Two programs wait with this turn until they are told to go on.
    pub(crate) pause: Pause,
    pub(crate) message: Option<Message>,
    /// What is advised in the position that stands.
    pub(crate) advised: Option<Move>,
    /// The question for advice that is under way.
    pub(crate) asked_hint: Option<AskedHint>,
    pub(crate) margins: Margins,
    pub(crate) review: LookBack,
    pub(crate) dialog: Option<Dialog>,
    /// The file that keeps the game ply by ply.
    pub(crate) recorded: Option<PathBuf>,
    /// Whether that file has not taken the game as it is.
    pub(crate) is_record_behind: bool,
    /// The game as it was saved last, or found.
    pub(crate) saved: Option<Kept>,
    /// When somebody has last hurried what is shown or thought.
    pub(crate) hurried: Option<Duration>,
    pub(crate) tickets: u64,
}

/// A program that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thinking {
    pub(crate) ticket: Ticket,
    pub(crate) since: Duration,
}

/// A question for advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedHint {
    pub(crate) ticket: Ticket,
    pub(crate) since: Duration,
    /// Whether the cursor has been moved since.
    pub(crate) is_pointed: bool,
}

/// What a file keeps of a game: its plies, and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kept {
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
pub(crate) struct Message {
    pub(crate) text: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Good,
    Problem,
}

/// The margins of the choices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Margins {
    /// Whether they are wanted.
    pub(crate) shown: bool,
    /// The position that is being looked into, or was.
    pub(crate) asked: Option<(Ticket, Position)>,
    pub(crate) report: Option<Report>,
}

/// How far the game was looked back on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum LookBack {
    #[default]
    None,
    Underway {
        ticket: Ticket,
        game: Game,
        done: usize,
    },
    Done {
        game: Game,
        review: Box<Review>,
    },
}

/// What a ply has left on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) from: Option<Pit>,
    pub(crate) last: Option<Pit>,
    pub(crate) captured: Option<Pit>,
}

impl Model {
    pub(crate) fn new(bout: Bout, labels: Labels, theme: Theme, size: Size) -> Self {
        let mut model = Self {
            bout,
            labels,
            theme,
            size,
            now: Duration::ZERO,
            pace: Pace::default(),
            cursor: House::all(1).next().expect("a row has a first house"),
            looking: None,
            animation: None,
            thinking: None,
            held: None,
            pause: Pause::Never,
            message: None,
            advised: None,
            asked_hint: None,
            margins: Margins::default(),
            review: LookBack::None,
            dialog: None,
            recorded: None,
            is_record_behind: false,
            saved: None,
            hurried: None,
            tickets: 0,
        };
        // What is there at first can be found again.
        model.saved = Some(model.kept());
        model.place_cursor();
        model
    }

    pub(crate) fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    pub(crate) fn game(&self) -> &Game {
        self.bout.game()
    }

    /// How many plies have been made in the position that is looked at.
    pub(crate) fn shown_plies(&self) -> usize {
        self.looking.unwrap_or(self.game().plies().len())
    }

    /// The position that is looked at.
    pub(crate) fn shown_position(&self) -> &Position {
        self.shown_ply()
            .map_or(self.game().start(), |ply| &ply.after)
    }

    /// The ply that has led to it.
    pub(crate) fn shown_ply(&self) -> Option<&Ply> {
        let index = self.shown_plies().checked_sub(1)?;
        self.game().plies().get(index)
    }

    /// The seeds that are drawn, and what is marked of the last sowing.
    pub(crate) fn board(&self) -> (Seeds, Marks) {
        if let (Some(animation), None) = (&self.animation, self.looking) {
            let (seeds, last) = animation.at(self.now);
            let from = self.shown_ply().and_then(sown_from);
            let marks = Marks {
                from,
                last: Some(last),
                captured: None,
            };
            return (seeds, marks);
        }
        let marks = self.shown_ply().map(Marks::of).unwrap_or_default();
        (Seeds::of(self.shown_position()), marks)
    }

    pub(crate) fn naming(&self) -> Naming {
        Naming::of(self.bout.position(), self.labels)
    }

    /// The side of a person who may choose now: nothing else is shown or going on.
    pub(crate) fn chooser(&self) -> Option<Side> {
        let busy = self.looking.is_some() || self.animation.is_some() || self.held.is_some();
        self.bout.person_to_answer().filter(|_| !busy)
    }

    /// Whether something on the screen changes by itself.
    pub(crate) fn moves_by_itself(&self) -> bool {
        self.animation.is_some() || self.is_waiting()
    }

    /// Whether an answer is waited for that takes time.
    pub(crate) fn is_waiting(&self) -> bool {
        self.thinking.is_some()
            || self.asked_hint.is_some()
            || matches!(self.review, LookBack::Underway { .. })
    }

    /// Whether the game would be lost.
    pub(crate) fn is_unsaved(&self) -> bool {
        let is_recorded = self.recorded.is_some() && !self.is_record_behind;
        !is_recorded && !self.game().plies().is_empty() && self.saved != Some(self.kept())
    }

    /// Whether it is asked whether the game may be lost by leaving.
    pub(crate) fn asks_to_quit(&self) -> bool {
        matches!(&self.dialog, Some(Dialog::Choose(choose)) if choose.items.contains(&Command::ReallyQuit))
    }

    /// What a file keeps of the game as it is.
    pub(crate) fn kept(&self) -> Kept {
        Kept {
            plies: self.game().plies().to_vec(),
            ending: self.bout.ending(),
        }
    }

    /// Whether two programs wait to be told to go on.
    pub(crate) fn is_paused(&self) -> bool {
        match (self.pause, self.bout.referee().side_to_act()) {
            (Pause::After(Some(last)), Some(side)) => !self.bout.has_person() && side != last,
            _ => false,
        }
    }

    /// The review of the game as it stands.
    pub(crate) fn reviewed(&self) -> Option<&Review> {
        match &self.review {
            LookBack::Done { game, review } if game.plies() == self.game().plies() => Some(review),
            _ => None,
        }
    }

    /// The report about the position that is looked at.
    pub(crate) fn weighed(&self) -> Option<&Report> {
        let (_, position) = self.margins.asked.as_ref()?;
        let report = self.margins.report.as_ref()?;
        (self.margins.shown && position == self.shown_position()).then_some(report)
    }

    /// Puts the cursor where somebody points.
    pub(crate) fn point_at(&mut self, house: House) {
        self.cursor = house;
        self.hurried = None;
        if let Some(asked) = &mut self.asked_hint {
            asked.is_pointed = true;
        }
    }

    /// Puts the cursor on a house that can be sown, the nearest to the store.
    pub(crate) fn place_cursor(&mut self) {
        let position = self.bout.position();
        let stays = position.check_legal(Move::Sow(self.cursor)).is_ok();
        if let Some(house) = position.legal_houses().next_back()
            && !stays
        {
            self.cursor = house;
        }
    }

    pub(crate) fn needs(&self) -> Needs {
        let position = self.bout.position();
        Needs {
            margins: self.margins.shown,
            graph: self.bout.ending().is_some(),
            ..Needs::of(position, self.labels)
        }
    }

    /// Where everything is on the screen, unless that is too small.
    pub(crate) fn layout(&self) -> Option<Layout> {
        let area = Rect::new(0, 0, self.size.width, self.size.height);
        Layout::of(area, self.needs())
    }
}

impl Marks {
    fn of(ply: &Ply) -> Self {
        let MoveResult::Sown(sown) = ply.result else {
            return Self::default();
        };
        Self {
            from: sown_from(ply),
            last: Some(sown.last),
            captured: match sown.effect {
                Sowing::Capture(capture) => Some(Pit::House(sown.side.opponent(), capture.from)),
                Sowing::TurnPasses | Sowing::BonusTurn => None,
            },
        }
    }
}

fn sown_from(ply: &Ply) -> Option<Pit> {
    match ply.mv {
        Move::Sow(house) => Some(Pit::House(ply.side, house)),
        Move::Swap => None,
    }
}
