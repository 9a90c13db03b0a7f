//! Openings, the plies with which the games of a tournament begin: enumeration, random generation,
//! selection by margin, shuffling, and the text form.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use kalah::record::{Record, RecordError, RecordProblem, format_plies};
use kalah::{
    Game, Margin, Move, Outcome, ParseRulesError, ParseSetupError, Position, Rules, SeedCount,
    Setup, SetupError, Side, strip_byte_order_mark,
};
use rand::SeedableRng as _;
use rand::seq::{IteratorRandom as _, SliceRandom as _};
use rand_pcg::Pcg64Mcg;
use thiserror::Error;

/// The plies that are played before the players are asked for moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    game: Game,
    margin: Option<Margin>,
}

/// A non-empty list of openings from one start position. No game is over after its opening, and no
/// two openings lead to the same position.
///
/// The text form has a line for each opening, with the proven margin for South under perfect play,
/// or `?`:
///
/// ```
/// use kalah::Margin;
/// use kalah_arena::Openings;
/// let text = "\
/// ## One ply of each side.
/// rules standard
/// board 6x4
/// +4 A a
/// -2 B e
/// ?  CF b
/// ";
/// # let text = text.replace("##", "#");
/// let openings: Openings = text.parse()?;
/// assert_eq!(openings.as_slice().len(), 3);
/// assert_eq!(openings.as_slice()[1].margin(), Some(Margin::new(-2)));
/// assert_eq!(openings.as_slice()[2].game().plies().len(), 3);
/// // The opening with the smallest margin.
/// assert_eq!(
///     openings.balanced(1, 7).to_string(),
///     "rules standard\nboard <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s\n-2 B e\n"
/// );
/// # Ok::<(), kalah_arena::OpeningsError>(())
/// ```
///
/// # Grammar
///
/// Words are separated by spaces or tabs, and everything from `#` to the end of a line is a
/// comment.
///
/// ```text
/// file    = { empty } "rules" rules { empty } "board" position { empty }
///           opening { opening | empty }
/// opening = margin { plies }
/// margin  = ( "+" | "-" ) digits | "0" | "?"
/// ```
///
/// `rules` and `position` are the text forms of [`Rules`] and [`Setup`], and `plies` are the moves
/// of a record without numbers. An opening without plies is the start position itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openings {
    start: Position,
    openings: Arc<[Opening]>,
}

/// The number of consecutive random games without a new position after which generation stops.
const MAX_FRUITLESS_DRAWS: usize = 1000;

impl Opening {
    /// Creates the opening with the plies of `game`, without a proven margin.
    fn from_game(game: Game) -> Self {
        Self { game, margin: None }
    }

    /// Parses the plies of an opening from `start`, as [`Opening::plies_text`] returns them,
    /// without a proven margin.
    ///
    /// # Errors
    /// If the plies are illegal, or the game is over after them.
    #[cfg(feature = "run")]
    pub(crate) fn parse(start: &Position, plies: &str) -> Result<Self, OpeningsProblem> {
        let opening = Self::from_game(parse_plies(start, plies)?);
        if opening.game.position().is_over() {
            return Err(OpeningsProblem::GameOver);
        }
        Ok(opening)
    }

    /// Returns the game with the opening's plies.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the margin for South under perfect play, stores included, if it is proven.
    pub fn margin(&self) -> Option<Margin> {
        self.margin
    }

    /// Returns the plies as text.
    pub fn plies_text(&self) -> String {
        let plies = self.game.plies().iter();
        let moves: Vec<(Side, Move)> = plies.map(|ply| (ply.side, ply.mv)).collect();
        format_plies(&moves)
    }

    /// Sets the proven margin.
    ///
    /// # Errors
    /// If no game with this number of seeds can end with this margin.
    pub fn with_margin(self, margin: Margin) -> Result<Self, OpeningsProblem> {
        let seeds = self.game.start().total();
        if Outcome::from_margin(margin, seeds).is_none() {
            return Err(OpeningsProblem::Margin { margin, seeds });
        }
        Ok(Self {
            margin: Some(margin),
            ..self
        })
    }
}

impl Openings {
    /// Returns the start position as the only opening.
    ///
    /// # Errors
    /// If the game is over there.
    pub fn from_start(start: Position) -> Result<Self, OpeningsProblem> {
        let opening = Opening::from_game(Game::new(start.clone()));
        Self::new(start, vec![opening])
    }

    /// Returns an opening for each position after exactly `plies` plies in which the game is not
    /// over, with the first line of moves in move order that leads to it, and without margins.
    ///
    /// On a board of six houses the number of positions grows about fivefold with each ply.
    ///
    /// # Errors
    /// If there are no such positions.
    ///
    /// ```
    /// use kalah::{Position, Rules};
    /// use kalah_arena::Openings;
    /// let openings = Openings::enumerate(Position::start(6, 4, Rules::STANDARD)?, 2)?;
    /// // Five first moves have six replies each, and C, a bonus turn, is followed by five moves.
    /// assert_eq!(openings.as_slice().len(), 35);
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
                    let mut child = game.clone();
                    if child.play(mv).is_ok()
                        && !child.position().is_over()
                        && reached.insert(child.position().to_string())
                    {
                        next.push(child);
                    }
                }
            }
            games = next;
        }
        Self::new(start, games.into_iter().map(Opening::from_game).collect())
    }

    /// Returns `count` openings of exactly `plies` random plies to different positions in which the
    /// game is not over, without margins. There are fewer if 1000 consecutive random games reach no
    /// new position.
    ///
    /// # Errors
    /// If no opening is found.
    ///
    /// ```
    /// use kalah::{Position, Rules};
    /// use kalah_arena::Openings;
    /// let start = Position::start(6, 6, Rules::STANDARD)?;
    /// let openings = Openings::random(start, 12, 20, 7)?;
    /// assert_eq!(openings.as_slice().len(), 20);
    /// assert!(openings.as_slice().iter().all(|opening| opening.game().plies().len() == 12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn random(
        start: Position,
        plies: usize,
        count: usize,
        seed: u64,
    ) -> Result<Self, OpeningsProblem> {
        Self::random_until(start, plies, count, seed, || false)
    }

    /// Returns the openings of [`random`](Self::random) that are found before `is_stopped`, which
    /// is called before each random game, returns true.
    ///
    /// # Errors
    /// If no opening is found.
    ///
    /// ```
    /// use kalah::{Position, Rules};
    /// use kalah_arena::Openings;
    /// let start = Position::start(6, 6, Rules::STANDARD)?;
    /// let mut games = 0;
    /// let is_stopped = || {
    ///     games += 1;
    ///     games > 5
    /// };
    /// assert_eq!(Openings::random_until(start, 12, 20, 7, is_stopped)?.as_slice().len(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn random_until(
        start: Position,
        plies: usize,
        count: usize,
        seed: u64,
        mut is_stopped: impl FnMut() -> bool,
    ) -> Result<Self, OpeningsProblem> {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut reached = HashSet::new();
        let mut openings = Vec::new();
        let mut fruitless_draws = 0;
        while openings.len() < count && fruitless_draws < MAX_FRUITLESS_DRAWS && !is_stopped() {
            let game = random_game(&start, plies, &mut rng)
                .filter(|game| reached.insert(game.position().to_string()));
            match game {
                Some(game) => {
                    fruitless_draws = 0;
                    openings.push(Opening::from_game(game));
                }
                None => fruitless_draws += 1,
            }
        }
        Self::new(start, openings)
    }

    /// Creates a list of openings that begin at `start` and lead to different positions.
    fn new(start: Position, openings: Vec<Opening>) -> Result<Self, OpeningsProblem> {
        if openings.is_empty() {
            return Err(OpeningsProblem::Empty);
        }
        let mut positions = openings.iter().map(|opening| opening.game.position());
        if positions.any(Position::is_over) {
            return Err(OpeningsProblem::GameOver);
        }
        Ok(Self {
            start,
            openings: openings.into(),
        })
    }

    /// Returns the position before all openings.
    pub fn start_position(&self) -> &Position {
        &self.start
    }

    /// Returns the openings, at least one.
    pub fn as_slice(&self) -> &[Opening] {
        &self.openings
    }

    /// Sets the margins that `prove` returns for the positions after the openings, in their order.
    /// Openings without a proven margin are removed.
    ///
    /// # Errors
    /// If a margin is impossible, or if no opening remains.
    pub fn with_proven_margins(
        self,
        mut prove: impl FnMut(&Position) -> Option<Margin>,
    ) -> Result<Self, OpeningsProblem> {
        let mut openings = Vec::new();
        for opening in self.as_slice() {
            if let Some(margin) = prove(opening.game.position()) {
                openings.push(opening.clone().with_margin(margin)?);
            }
        }
        Self::new(self.start, openings)
    }

    /// Returns up to `count` openings, at least one, whose margins are nearest to zero. Openings
    /// without a proven margin come last, and the seed decides among equal ones.
    #[must_use]
    pub fn balanced(&self, count: usize, seed: u64) -> Self {
        let mut openings = self.openings.to_vec();
        openings.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
        openings.sort_by_key(|opening| {
            let distance = opening.margin.map(|margin| margin.seeds().unsigned_abs());
            (distance.is_none(), distance)
        });
        openings.truncate(count.max(1));
        Self {
            start: self.start.clone(),
            openings: openings.into(),
        }
    }

    /// Returns the start position as the only opening.
    #[cfg(feature = "run")]
    pub(crate) fn without_plies(&self) -> Self {
        let opening = Opening::from_game(Game::new(self.start.clone()));
        Self {
            start: self.start.clone(),
            openings: [opening].into(),
        }
    }

    /// Returns an endless random sequence of the openings.
    pub fn shuffled(&self, seed: u64) -> ShuffledOpenings {
        ShuffledOpenings::new(Arc::clone(&self.openings), seed)
    }
}

/// Returns a game of `plies` random plies, `None` if it is over by then.
fn random_game(start: &Position, plies: usize, rng: &mut Pcg64Mcg) -> Option<Game> {
    let mut game = Game::new(start.clone());
    for _ in 0..plies {
        let mv = game.position().legal_moves().choose(rng)?;
        game.play(mv).ok()?;
    }
    (!game.position().is_over()).then_some(game)
}

/// An endless random sequence of openings, which depends on the seed only. It consists of random
/// permutations of all openings, so that each one occurs once before any is repeated.
///
/// ```
/// use kalah_arena::Openings;
/// let openings: Openings = "rules cs32\nboard 6x4\n? A\n? B\n? D\n".parse()?;
/// let mut shuffled = openings.shuffled(3);
/// let mut plies: Vec<_> = (0..3).map(|index| shuffled.get(index).plies_text()).collect();
/// assert_eq!(shuffled.get(0).plies_text(), plies[0]);
/// plies.sort();
/// assert_eq!(plies, ["A", "B", "D"]);
/// # Ok::<(), kalah_arena::OpeningsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShuffledOpenings {
    openings: Arc<[Opening]>,
    rng: Pcg64Mcg,
    /// The permutations generated so far, concatenated.
    order: Vec<usize>,
}

impl ShuffledOpenings {
    fn new(openings: Arc<[Opening]>, seed: u64) -> Self {
        Self {
            openings,
            rng: Pcg64Mcg::seed_from_u64(seed),
            order: Vec::new(),
        }
    }

    /// Returns the opening with this index, from 0, such as
    /// [`Encounter::opening_index`](crate::Encounter::opening_index). Equal indices return equal
    /// openings.
    pub fn get(&mut self, index: usize) -> &Opening {
        while self.order.len() <= index {
            let mut permutation: Vec<usize> = (0..self.openings.len()).collect();
            permutation.shuffle(&mut self.rng);
            self.order.extend(permutation);
        }
        &self.openings[self.order[index]]
    }
}

/// An error in the text form of [`Openings`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct OpeningsError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The reason.
    pub problem: OpeningsProblem,
}

/// A reason why openings are rejected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningsProblem {
    /// A header line is missing.
    #[error("expected the line `{name} ...`, found `{}`", .found.escape_debug())]
    MissingLine {
        /// The first word of the expected line.
        name: &'static str,
        /// The line in its place.
        found: String,
    },
    /// Invalid rules.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// Invalid text of the start position.
    #[error(transparent)]
    Setup(#[from] ParseSetupError),
    /// A start position that the rules reject.
    #[error("invalid board: {0}")]
    Position(#[from] SetupError),
    /// The first word of an opening is not a margin.
    #[error(
        "invalid margin `{}`: expected seeds such as +2, 0 or -1, or ? if unproven",
        .0.escape_debug()
    )]
    InvalidMargin(String),
    /// A margin that no game with this number of seeds can have.
    #[error("a game of {seeds} seeds cannot end with a margin of {margin}")]
    Margin {
        /// The margin.
        margin: Margin,
        /// The number of seeds in the game.
        seeds: SeedCount,
    },
    /// Invalid or illegal plies.
    #[error(transparent)]
    Plies(#[from] PliesError),
    /// The game is over after the opening.
    #[error("the game is over after the opening")]
    GameOver,
    /// Two openings lead to the same position.
    #[error("this opening leads to the same position as line {first_line}")]
    DuplicatePosition {
        /// The line of the first opening that leads there.
        first_line: usize,
    },
    /// There are no openings.
    #[error("there are no openings")]
    Empty,
}

/// An error in the text of a line of plies.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PliesError {
    /// A character that is neither a letter nor a space.
    #[error(
        "unexpected `{}` among moves: expected letters of houses and the word swap",
        .0.escape_debug()
    )]
    Character(char),
    /// A ply that the rules forbid, or a letter of the wrong side.
    #[error(transparent)]
    Illegal(Box<RecordProblem>),
}

/// The character that begins a comment.
const COMMENT_START: char = '#';

/// The placeholder for a margin that is not proven.
const UNPROVEN: &str = "?";

/// The text form, which parses to equal openings.
impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.start_position();
        writeln!(f, "rules {}\nboard {start}", start.rules())?;
        for opening in self.as_slice() {
            match opening.margin() {
                Some(margin) => write!(f, "{margin}")?,
                None => f.write_str(UNPROVEN)?,
            }
            let plies = opening.plies_text();
            if plies.is_empty() {
                writeln!(f)?;
            } else {
                writeln!(f, " {plies}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for Openings {
    type Err = OpeningsError;

    fn from_str(text: &str) -> Result<Self, OpeningsError> {
        let text = strip_byte_order_mark(text);
        let mut lines = (1..).zip(text.lines()).filter_map(|(number, line)| {
            let line = line.split(COMMENT_START).next().unwrap_or(line).trim();
            (!line.is_empty()).then_some((number, line))
        });
        let rules = parse_header_line(lines.next(), "rules", |rest| Ok(rest.parse::<Rules>()?))?;
        let start = parse_header_line(lines.next(), "board", |rest| {
            let setup: Setup = rest.parse()?;
            Ok(setup.position(rules)?)
        })?;

        let mut openings = Vec::new();
        let mut lines_by_position = HashMap::new();
        for (number, line) in lines {
            let error = |problem| OpeningsError {
                line: number,
                problem,
            };
            let opening = parse_opening(&start, line).map_err(error)?;
            if opening.game().position().is_over() {
                return Err(error(OpeningsProblem::GameOver));
            }
            let position = opening.game().position().to_string();
            if let Some(first_line) = lines_by_position.insert(position, number) {
                return Err(error(OpeningsProblem::DuplicatePosition { first_line }));
            }
            openings.push(opening);
        }
        let last_line = text.lines().count().max(1);
        Self::new(start, openings).map_err(|problem| OpeningsError {
            line: last_line,
            problem,
        })
    }
}

/// Parses a line that must begin with `name`, passing its rest to `parse`.
fn parse_header_line<T>(
    line: Option<(usize, &str)>,
    name: &'static str,
    parse: impl FnOnce(&str) -> Result<T, OpeningsProblem>,
) -> Result<T, OpeningsError> {
    let (number, line) = line.unwrap_or((1, ""));
    let problem = match line.strip_prefix(name) {
        Some(rest) if rest.starts_with(char::is_whitespace) => match parse(rest.trim()) {
            Ok(value) => return Ok(value),
            Err(problem) => problem,
        },
        _ => OpeningsProblem::MissingLine {
            name,
            found: line.to_owned(),
        },
    };
    Err(OpeningsError {
        line: number,
        problem,
    })
}

/// Parses a line without its comment, which has at least one word.
fn parse_opening(start: &Position, line: &str) -> Result<Opening, OpeningsProblem> {
    let (word, plies) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let margin = match word {
        UNPROVEN => None,
        _ => match word.parse() {
            Ok(seeds) => Some(Margin::new(seeds)),
            Err(_) => return Err(OpeningsProblem::InvalidMargin(word.to_owned())),
        },
    };
    let opening = Opening::from_game(parse_plies(start, &plies.replace('\t', " "))?);
    match margin {
        Some(margin) => opening.with_margin(margin),
        None => Ok(opening),
    }
}

/// Parses plies in the form of [`format_plies`] and plays them from `start`.
pub(crate) fn parse_plies(start: &Position, plies: &str) -> Result<Game, PliesError> {
    let mut characters = plies.chars();
    if let Some(invalid) = characters.find(|&c| c != ' ' && !c.is_ascii_alphabetic()) {
        return Err(PliesError::Character(invalid));
    }
    let rules = start.rules();
    let text = format!("[Rules \"{rules}\"]\n[Position \"{start}\"]\n\n{plies} *");
    // The place in this temporary text means nothing to the caller.
    let record: Record = text
        .parse()
        .map_err(|RecordError { problem, .. }| PliesError::Illegal(Box::new(problem)))?;
    Ok(record.game())
}
