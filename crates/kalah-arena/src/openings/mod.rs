//! Openings: how the games of a tournament begin, as text and drawn by lot.

mod deck;
mod error;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use kalah::record::format_plies;
use kalah::{Game, Margin, Move, Position, Rules, Setup, Side};
use rand::SeedableRng as _;
use rand::seq::{IteratorRandom as _, SliceRandom as _};
use rand_pcg::Pcg64Mcg;

use crate::{margins, plies};
pub use deck::ShuffledOpenings;
pub use error::{OpeningsError, OpeningsProblem};

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

/// What begins a comment.
const COMMENT_START: char = '#';

/// A margin that is not proven.
const UNPROVEN: &str = "?";

impl Opening {
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
        if !margins::is_possible(margin, seeds) {
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

    fn new(start: Position, all: Vec<Opening>) -> Result<Self, OpeningsProblem> {
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

/// `rules`, `board`, and a line for each opening; reads back.
impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "rules {}\nboard {}", self.start.rules(), self.start)?;
        for opening in &self.openings {
            match opening.margin {
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
        let mut lines = (1..).zip(text.lines()).filter_map(|(number, line)| {
            let line = line.split(COMMENT_START).next().unwrap_or(line).trim();
            (!line.is_empty()).then_some((number, line))
        });
        let rules = parse_header_line(lines.next(), "rules", |rest| Ok(rest.parse::<Rules>()?))?;
        let start = parse_header_line(lines.next(), "board", |rest| {
            let setup: Setup = rest.parse()?;
            Ok(setup.position(rules)?)
        })?;

        let mut all = Vec::new();
        let mut reached = std::collections::HashMap::new();
        for (number, line) in lines {
            let at = |problem| OpeningsError {
                line: number,
                problem,
            };
            let opening = parse_opening(&start, line).map_err(at)?;
            if opening.game.position().is_over() {
                return Err(at(OpeningsProblem::GameOver));
            }
            let position = opening.game.position().to_string();
            if let Some(before) = reached.insert(position, number) {
                return Err(at(OpeningsProblem::DuplicatePosition { before }));
            }
            all.push(opening);
        }
        let line = text.lines().count().max(1);
        Self::new(start, all).map_err(|problem| OpeningsError { line, problem })
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

/// What `read` makes of the rest of a line that has to begin with `name`.
fn parse_header_line<T>(
    line: Option<(usize, &str)>,
    name: &'static str,
    read: impl FnOnce(&str) -> Result<T, OpeningsProblem>,
) -> Result<T, OpeningsError> {
    let (number, line) = line.unwrap_or((1, ""));
    let problem = match line.strip_prefix(name) {
        Some(rest) if rest.starts_with(char::is_whitespace) => match read(rest.trim()) {
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

/// An opening of a line without its comment, at least one word.
fn parse_opening(start: &Position, line: &str) -> Result<Opening, OpeningsProblem> {
    let (word, plies) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let margin = match word {
        UNPROVEN => None,
        _ => match word.parse() {
            Ok(seeds) => Some(Margin::new(seeds)),
            Err(_) => return Err(OpeningsProblem::InvalidMargin(word.to_owned())),
        },
    };
    let opening = Opening {
        game: plies::parse_game(start, &plies.replace('\t', " "))?,
        margin: None,
    };
    match margin {
        Some(margin) => opening.with_margin(margin),
        None => Ok(opening),
    }
}
