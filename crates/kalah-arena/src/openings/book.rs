//! Openings: how the games of a tournament begin, as text and drawn by lot.

use std::collections::HashSet;

use kalah::record::{Record, RecordError, RecordProblem, format_plies};
use kalah::{
    Game, Margin, Move, ParseRulesError, ParseSetupError, Position, SeedCount, SetupError, Side,
};
use rand::SeedableRng as _;
use rand::seq::{IteratorRandom as _, SliceRandom as _};
use rand_pcg::Pcg64Mcg;
use thiserror::Error;

/// How a game begins: the plies that are made before the players are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    game: Game,
    margin: Option<Margin>,
}

/// Openings from one start under one set of rules, at least one. No game is over after its opening, and no two lead
/// to the same position.
///
/// As text, a line each, with the margin that South makes from there if neither player errs; `?` where it is not
/// proven:
///
/// ```
/// use kalah::Margin;
/// use kalah_arena::Openings;
/// let text = "\
/// ## Of both sides one ply.
/// rules standard
/// board 6x4
/// +4 A a
/// -2 B e
/// ?  CF b
/// ";
/// # let text = text.replace("##", "#");
/// let openings: Openings = text.parse()?;
/// assert_eq!(openings.all().len(), 3);
/// assert_eq!(openings.all()[1].margin(), Some(Margin::new(-2)));
/// assert_eq!(openings.all()[2].game().plies().len(), 3);
/// // The one that is nearest to even.
/// assert_eq!(openings.balanced(1, 7).to_string(), "rules standard\nboard <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s\n-2 B e\n");
/// # Ok::<(), kalah_arena::OpeningsError>(())
/// ```
///
/// # Grammar
///
/// Words are parted by spaces or tabs, and everything from `#` to the end of a line is a comment.
///
/// ```text
/// file    = { empty } "rules" rules { empty } "board" position { empty } opening { opening | empty }
/// opening = margin { plies }
/// margin  = ( "+" | "-" ) digits | "0" | "?"
/// ```
///
/// `rules` and `position` are as [`Rules`] and [`Setup`] are written, plies as in a record without numbers. An
/// opening without plies is the start itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openings {
    start: Position,
    openings: Vec<Opening>,
}

/// So many draws in a row that bring nothing new are enough.
const MAX_FRUITLESS_DRAWS: usize = 1000;

impl Opening {
    /// The opening with the plies of `game`, without a proven margin.
    pub(super) fn from_game(game: Game) -> Self {
        Self { game, margin: None }
    }

    /// The game in which its plies are made.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The margin that the player who begins as South makes from there, stores included, if it is proven.
    pub fn margin(&self) -> Option<Margin> {
        self.margin
    }

    /// Its plies as text.
    pub fn plies_text(&self) -> String {
        let plies = self.game.plies().iter();
        let moves: Vec<(Side, Move)> = plies.map(|ply| (ply.side, ply.mv)).collect();
        format_plies(&moves)
    }

    /// Adds what is proven of it.
    ///
    /// # Errors
    /// If no play can lead to that margin, as there are too few seeds or one left over.
    pub fn with_margin(self, margin: Margin) -> Result<Self, OpeningsProblem> {
        let seeds = self.game.start().total();
        if !is_possible(margin, seeds) {
            return Err(OpeningsProblem::Margin { margin, seeds });
        }
        Ok(Self {
            margin: Some(margin),
            ..self
        })
    }
}

impl Openings {
    /// The start itself as the only opening.
    ///
    /// # Errors
    /// If the game is over there.
    pub fn from_start(start: Position) -> Result<Self, OpeningsProblem> {
        let opening = Opening {
            game: Game::new(start.clone()),
            margin: None,
        };
        Self::new(start, vec![opening])
    }

    /// All positions after exactly so many plies in which the game is not over, each by one of the ways that lead
    /// there, the first in the order of choices; margins are not known.
    ///
    /// Their number grows about fivefold with each ply on a board of six houses.
    ///
    /// # Errors
    /// If there are none.
    ///
    /// ```
    /// use kalah::{Position, Rules};
    /// use kalah_arena::Openings;
    /// let after = Openings::after(Position::start(6, 4, Rules::STANDARD)?, 2)?;
    /// // Five sowings have six answers, and that of C has five.
    /// assert_eq!(after.all().len(), 35);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn enumerate(start: Position, plies: usize) -> Result<Self, OpeningsProblem> {
        let mut games = vec![Game::new(start.clone())];
        for _ in 0..plies {
            let mut reached = HashSet::new();
            let mut next = Vec::new();
            for game in games {
                let moves: Vec<Move> = game.position().legal_moves().collect();
                for mv in moves {
                    let mut longer = game.clone();
                    if longer.play(mv).is_ok()
                        && !longer.position().is_over()
                        && reached.insert(longer.position().to_string())
                    {
                        next.push(longer);
                    }
                }
            }
            games = next;
        }
        let openings = games.into_iter().map(|game| Opening { game, margin: None });
        let all = openings.collect();
        Self::new(start, all)
    }

    /// So many different positions after exactly so many plies in which the game is not over, each by plies drawn by
    /// lot from those that there are; fewer if a thousand draws in a row bring nothing new. Margins are not known.
    ///
    /// # Errors
    /// If none is found.
    ///
    /// ```
    /// use kalah::{Position, Rules};
    /// use kalah_arena::Openings;
    /// let start = Position::start(6, 6, Rules::STANDARD)?;
    /// let drawn = Openings::drawn(start, 12, 20, 7)?;
    /// assert_eq!(drawn.all().len(), 20);
    /// assert!(drawn.all().iter().all(|opening| opening.game().plies().len() == 12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn random(
        start: Position,
        plies: usize,
        count: usize,
        seed: u64,
    ) -> Result<Self, OpeningsProblem> {
        let mut generator = Pcg64Mcg::seed_from_u64(seed);
        let mut reached = HashSet::new();
        let mut all = Vec::new();
        let mut in_vain = 0;
        while all.len() < count && in_vain < MAX_FRUITLESS_DRAWS {
            let game = random_game(&start, plies, &mut generator)
                .filter(|game| reached.insert(game.position().to_string()));
            match game {
                Some(game) => {
                    in_vain = 0;
                    all.push(Opening { game, margin: None });
                }
                None => in_vain += 1,
            }
        }
        Self::new(start, all)
    }

    pub(super) fn new(start: Position, all: Vec<Opening>) -> Result<Self, OpeningsProblem> {
        if all.is_empty() {
            return Err(OpeningsProblem::Empty);
        }
        if all.iter().any(|opening| opening.game.position().is_over()) {
            return Err(OpeningsProblem::GameOver);
        }
        Ok(Self {
            start,
            openings: all,
        })
    }

    /// The position before any opening.
    pub fn start_position(&self) -> &Position {
        &self.start
    }

    /// The openings, at least one, in their order.
    pub fn as_slice(&self) -> &[Opening] {
        &self.openings
    }

    /// Adds what is proven of them, in their order. What `prove` tells no margin of is left out.
    ///
    /// # Errors
    /// If a margin cannot be, or none is left.
    pub fn with_proven_margins(
        self,
        mut prove: impl FnMut(&Position) -> Option<Margin>,
    ) -> Result<Self, OpeningsProblem> {
        let mut all = Vec::new();
        for opening in self.openings {
            if let Some(margin) = prove(opening.game.position()) {
                all.push(opening.with_margin(margin)?);
            }
        }
        Self::new(self.start, all)
    }

    /// So many of them, or all if there are fewer, whose margins are nearest to zero; among equals the seed
    /// decides. Those without a proven margin come last.
    #[must_use]
    pub fn balanced(&self, count: usize, seed: u64) -> Self {
        let mut all = self.openings.clone();
        all.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
        all.sort_by_key(|opening| {
            let seeds = opening.margin.map(|margin| margin.seeds().unsigned_abs());
            (seeds.is_none(), seeds)
        });
        all.truncate(count.max(1));
        Self {
            start: self.start.clone(),
            openings: all,
        }
    }

    /// All of them by lot, see [`Deck`].
    pub fn shuffled(&self, seed: u64) -> ShuffledOpenings<'_> {
        ShuffledOpenings::new(self, seed)
    }
}

/// A game of so many plies by lot, `None` if it is over by then.
fn random_game(start: &Position, plies: usize, generator: &mut Pcg64Mcg) -> Option<Game> {
    let mut game = Game::new(start.clone());
    for _ in 0..plies {
        let mv = game.position().legal_moves().choose(generator)?;
        game.play(mv).ok()?;
    }
    (!game.position().is_over()).then_some(game)
}

/// Openings by lot: each comes once before any comes again, then they are shuffled anew. Equal seeds deal equally.
///
/// ```
/// use kalah_arena::Openings;
/// let openings: Openings = "rules cs32\nboard 6x4\n? A\n? B\n? D\n".parse()?;
/// let mut deck = openings.deck(3);
/// let mut dealt: Vec<_> = (0..3).map(|number| deck.get(number).plies()).collect();
/// assert_eq!(deck.get(0).plies(), dealt[0]);
/// dealt.sort();
/// assert_eq!(dealt, ["A", "B", "D"]);
/// # Ok::<(), kalah_arena::OpeningsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShuffledOpenings<'a> {
    openings: &'a Openings,
    rng: Pcg64Mcg,
    /// What has been dealt so far, whole decks of it.
    order: Vec<usize>,
}

impl<'a> ShuffledOpenings<'a> {
    fn new(openings: &'a Openings, seed: u64) -> Self {
        Self {
            openings,
            rng: Pcg64Mcg::seed_from_u64(seed),
            order: Vec::new(),
        }
    }

    /// The opening of that number, from 0: always the same, see [`Encounter::opening`](crate::Encounter::opening).
    pub fn get(&mut self, number: usize) -> &'a Opening {
        let all = self.openings.as_slice();
        while self.order.len() <= number {
            let mut deck: Vec<usize> = (0..all.len()).collect();
            deck.shuffle(&mut self.rng);
            self.order.extend(deck);
        }
        &all[self.order[number]]
    }
}

/// What is wrong with openings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningsProblem {
    /// A line that has to be there.
    #[error("expected the line `{name} ...`, found `{}`", .found.escape_debug())]
    MissingLine {
        /// How the line begins.
        name: &'static str,
        /// What is there instead.
        found: String,
    },
    /// No rules.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// No setup.
    #[error(transparent)]
    Setup(#[from] ParseSetupError),
    /// No position.
    #[error("the board cannot be played: {0}")]
    Position(#[from] SetupError),
    /// A first word that is no margin.
    #[error("`{}` is no margin in seeds, such as +2, 0 or -1, nor ? for one that is not proven", .0.escape_debug())]
    InvalidMargin(String),
    /// A margin that no game can have.
    #[error("no game of {seeds} seeds ends with a margin of {margin}")]
    Margin {
        /// The margin.
        margin: Margin,
        /// Seeds in the game.
        seeds: SeedCount,
    },
    /// Plies that cannot be made.
    #[error(transparent)]
    Plies(#[from] PliesError),
    /// Nothing is left to play.
    #[error("the game is over after the opening")]
    GameOver,
    /// A position that is there already.
    #[error("this leads to the position of line {before}")]
    DuplicatePosition {
        /// The line that leads there too.
        before: usize,
    },
    /// Nothing at all.
    #[error("there are no openings")]
    Empty,
}

/// Why a text is no line of plies.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PliesError {
    /// Something other than houses and swaps.
    #[error("`{}` cannot stand among plies: expected letters of houses and the word swap", .0.escape_debug())]
    Character(char),
    /// A ply that the rules forbid, or a letter of the wrong side.
    #[error(transparent)]
    Illegal(Box<RecordProblem>),
}

/// The game in which the plies of a text are made from `start`, in the form of [`kalah::record::line_text`].
pub(crate) fn parse_game(start: &Position, plies: &str) -> Result<Game, PliesError> {
    if let Some(other) = (plies.chars()).find(|&it| it != ' ' && !it.is_ascii_alphabetic()) {
        return Err(PliesError::Character(other));
    }
    let rules = start.rules();
    let text = format!("[Rules \"{rules}\"]\n[Position \"{start}\"]\n\n{plies} *");
    // Where in that text is of no use to anybody.
    let record: Record = text
        .parse()
        .map_err(|RecordError { problem, .. }| PliesError::Illegal(Box::new(problem)))?;
    Ok(record.game())
}

/// Whether a game of so many seeds can end with that margin: with no more than all of them, and if their number is odd
/// with an odd one.
pub(crate) fn is_possible(margin: Margin, seeds: SeedCount) -> bool {
    let (all, apart) = (u32::from(seeds), margin.seeds().unsigned_abs());
    apart <= all && apart % 2 == all % 2
}
