//! Certificates: a statement, and the goals from which it follows.

use std::collections::HashMap;
use std::fmt;

use indexmap::IndexMap;
use kalah::reference::ReferencePosition;
use kalah::{FirstPlies, Margin, Move, Rules, Setup};

use crate::goal::{Goal, lead_of, margin_range, play};

/// The difference between two neighbouring margins of a position: all of them are even, or all odd.
const MARGIN_STEP: i32 = 2;

/// The position and the rules that a proof is about.
#[derive(Clone, Debug)]
pub struct Statement {
    position: ReferencePosition,
    setup: Setup,
    rules: Rules,
    all_moves: bool,
}

/// Bounds of a margin of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginBounds {
    /// The margin is at least this.
    pub lower: Margin,
    /// The margin is at most this.
    pub upper: Margin,
}

/// The margins that a proof states, for the side to move in its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// The bounds of the margin of the position.
    pub position: MarginBounds,
    /// Those of each legal move, if the proof is about all moves.
    pub moves: Vec<(Move, MarginBounds)>,
}

/// The evidence for the answer of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The answer follows from other goals of the certificate.
    Moves,
    /// A search has given the answer.
    Search,
    /// The goals of all moves are in the certificate, and the answer follows from them or from a
    /// search.
    MovesOrSearch,
}

/// A goal of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateEntry {
    /// Whether the goal is reached; `None` if that is open.
    pub answer: Option<bool>,
    /// The evidence.
    pub evidence: Evidence,
}

/// The extreme targets of the goals of a position with an answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Targets {
    /// The highest target that is reached.
    pub(crate) highest_yes: Option<i32>,
    /// The lowest target that is not reached.
    pub(crate) lowest_no: Option<i32>,
}

/// A statement and goals with their answers.
#[derive(Clone, Debug)]
pub struct Certificate {
    statement: Statement,
    goals: IndexMap<Goal, CertificateEntry>,
    targets: HashMap<Setup, Targets>,
    /// The margins that the certificate itself states.
    stated: Option<Claims>,
}

impl Statement {
    /// Creates the statement about a position, or also about all of its moves. `None` if the setup
    /// is not a valid position.
    pub fn new(setup: &Setup, rules: Rules, all_moves: bool) -> Option<Self> {
        Some(Self {
            position: ReferencePosition::from_setup(setup, rules)?,
            setup: setup.clone(),
            rules,
            all_moves,
        })
    }

    /// The position.
    pub fn position(&self) -> &Setup {
        &self.setup
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Whether the proof is about the margins of all moves.
    pub fn all_moves(&self) -> bool {
        self.all_moves
    }

    /// Returns the moves with a claim, each with the position after it and whether the player of
    /// the statement is to move in that.
    fn moves(&self) -> Vec<(Move, ReferencePosition, bool)> {
        if !self.all_moves {
            return Vec::new();
        }
        let moves = self.position.legal_moves().into_iter();
        moves
            .filter_map(|mv| {
                let (after, same_player) = play(&self.position, mv)?;
                Some((mv, after, same_player))
            })
            .collect()
    }
}

impl MarginBounds {
    /// Whether the bounds are equal.
    pub fn is_exact(self) -> bool {
        self.lower == self.upper
    }

    /// Returns whether these bounds are at least as narrow as `other`.
    pub(crate) fn imply(self, other: Self) -> bool {
        self.lower >= other.lower && self.upper <= other.upper
    }

    /// Returns the bounds of the margin of the other player.
    fn opposite(self) -> Self {
        Self {
            lower: -self.upper,
            upper: -self.lower,
        }
    }
}

/// `+8 exact` or `from +2 to +8`.
impl fmt::Display for MarginBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lower, upper } = self;
        if self.is_exact() {
            write!(f, "{lower} exact")
        } else {
            write!(f, "from {lower} to {upper}")
        }
    }
}

impl Targets {
    pub(crate) fn add(&mut self, target: i32, answer: bool) {
        if answer {
            self.highest_yes = Some(self.highest_yes.map_or(target, |known| known.max(target)));
        } else {
            self.lowest_no = Some(self.lowest_no.map_or(target, |known| known.min(target)));
        }
    }

    /// Returns the answer to a target: a player that reaches a margin also reaches every lower one.
    pub(crate) fn answer(self, target: i32) -> Option<bool> {
        if self.highest_yes.is_some_and(|yes| yes >= target) {
            Some(true)
        } else if self.lowest_no.is_some_and(|no| no <= target) {
            Some(false)
        } else {
            None
        }
    }
}

impl Certificate {
    /// Creates a certificate without goals.
    pub(crate) fn new(statement: Statement, stated: Option<Claims>) -> Self {
        Self {
            statement,
            goals: IndexMap::new(),
            targets: HashMap::new(),
            stated,
        }
    }

    /// Adds a goal after the others. Returns whether it is new.
    pub(crate) fn insert(&mut self, goal: Goal, entry: CertificateEntry) -> bool {
        if let Some(answer) = entry.answer {
            let targets = self.targets.entry(goal.position().clone());
            targets.or_default().add(goal.target(), answer);
        }
        self.goals.insert(goal, entry).is_none()
    }

    /// The statement.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// The goals, in the order of the file.
    pub fn goals(&self) -> &IndexMap<Goal, CertificateEntry> {
        &self.goals
    }

    /// The margins that the certificate itself states; a proof store states none.
    pub fn stated_claims(&self) -> Option<&Claims> {
        self.stated.as_ref()
    }

    pub(crate) fn set_stated_claims(&mut self, claims: Claims) {
        self.stated = Some(claims);
    }

    /// Returns the targets of the goals of a position with an answer.
    pub(crate) fn targets(&self, position: &Setup) -> Targets {
        self.targets.get(position).copied().unwrap_or_default()
    }

    /// Returns the answer of a goal that is trivial, in the certificate, or follows from another
    /// goal of its position.
    pub(crate) fn answer(&self, goal: &Goal) -> Option<bool> {
        let trivial = goal.trivial_answer(self.statement.rules);
        trivial.or_else(|| self.targets(goal.position()).answer(goal.target()))
    }

    /// Returns the margins that follow from the answers of the goals.
    pub fn claims(&self) -> Claims {
        let moves = self.statement.moves().into_iter();
        let moves = moves.map(|(mv, after, same_player)| {
            let bounds = self.bounds(&after);
            (
                mv,
                if same_player {
                    bounds
                } else {
                    bounds.opposite()
                },
            )
        });
        Claims {
            position: self.bounds(&self.statement.position),
            moves: moves.collect(),
        }
    }

    /// Returns the bounds of the margin of a position that follow from the answers of its goals.
    fn bounds(&self, position: &ReferencePosition) -> MarginBounds {
        let (lower, upper) = margin_range(position);
        let Targets {
            highest_yes,
            lowest_no,
        } = self.targets(Goal::new(position, 0).position());
        // The targets of goals with empty stores are gains.
        let lead = match position.first_plies() {
            FirstPlies::Later => lead_of(position),
            FirstPlies::PlyOne | FirstPlies::PlyTwo => 0,
        };
        let lower = highest_yes.map_or(lower, |yes| lower.max(yes + lead));
        let upper = lowest_no.map_or(upper, |no| upper.min(no - MARGIN_STEP + lead));
        MarginBounds {
            lower: Margin::new(lower),
            upper: Margin::new(upper),
        }
    }

    /// Returns the goals from which the claims follow, with their answers: for each position of the
    /// statement the highest target that is reached and the lowest that is not.
    pub(crate) fn claim_goals(&self) -> Vec<(Goal, bool)> {
        let mut goals = Vec::new();
        let after = self.statement.moves().into_iter();
        let positions = after.map(|(_, position, _)| position);
        for position in [self.statement.position.clone()]
            .into_iter()
            .chain(positions)
        {
            let key = Goal::new(&position, 0);
            let targets = self.targets(key.position());
            let extremes = [(targets.highest_yes, true), (targets.lowest_no, false)];
            for (target, answer) in extremes {
                let goal = target.map(|target| key.with_target(target));
                goals.extend(goal.map(|goal| (goal, answer)));
            }
        }
        goals
    }
}
