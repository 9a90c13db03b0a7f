//! Opening statistics: how often each move was played in the first plies of games, and with which
//! result.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use kalah::{Ending, Game, MoveResult, PlayerId, Position, Setup, Side, Termination};
use serde::{Deserialize, Serialize};

/// The number of plies of a game that count. Each sowing of a turn is a ply.
pub const OPENING_PLIES: usize = 12;

/// A position as opening statistics name it: the rules, and the position turned so that South is to
/// move. Games reach it by different moves, and either player can be to move.
///
/// The stores belong to it, because the result of a game depends on them.
///
/// ```
/// use kalah::{Position, Rules, Setup};
/// use kalah_book::OpeningKey;
///
/// let setup: Setup = "<2,1,0,1,2,3,1> n".parse()?;
/// let key = OpeningKey::new(&setup.position(Rules::CS32)?);
/// assert_eq!((&*key.rules, &*key.position), ("cs32", "<2,0,1,3,1,1,2> s"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpeningKey {
    /// The rules as text.
    pub rules: String,
    /// The position as text, with South to move.
    pub position: String,
}

impl OpeningKey {
    /// Returns the key of a position.
    pub fn new(position: &Position) -> Self {
        let mut setup = Setup::from(position);
        if setup.to_move == Side::North {
            std::mem::swap(&mut setup.rows.south, &mut setup.rows.north);
            std::mem::swap(&mut setup.stores.south, &mut setup.stores.north);
            setup.to_move = Side::South;
        }
        Self {
            rules: position.rules().to_string(),
            position: setup.to_string(),
        }
    }
}

/// The number of games with each result, from the view of the player of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningResults {
    /// Games that the player won.
    pub wins: u32,
    /// Games without a winner.
    pub ties: u32,
    /// Games that the player lost.
    pub losses: u32,
}

impl OpeningResults {
    /// Returns the number of games.
    pub fn games(self) -> u32 {
        self.wins
            .saturating_add(self.ties)
            .saturating_add(self.losses)
    }

    /// Returns the counts of one game. `winner` is `None` for a tie.
    fn of_game(player: PlayerId, winner: Option<PlayerId>) -> Self {
        let mut counts = Self::default();
        match winner {
            None => counts.ties = 1,
            Some(winner) if winner == player => counts.wins = 1,
            Some(_) => counts.losses = 1,
        }
        counts
    }
}

impl AddAssign for OpeningResults {
    fn add_assign(&mut self, other: Self) {
        self.wins = self.wins.saturating_add(other.wins);
        self.ties = self.ties.saturating_add(other.ties);
        self.losses = self.losses.saturating_add(other.losses);
    }
}

/// A move in an opening of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningMove {
    /// The position before the move.
    pub key: OpeningKey,
    /// The move as text of South: the capital letter of a house, or `swap`.
    pub mv: String,
    /// The result of the game for the player of the move, as the counts of one game.
    pub result: OpeningResults,
}

/// Returns the moves of the first [`OPENING_PLIES`] plies of a game. A game without a result, which
/// is unfinished or void, has none. A position occurs once in a game, because no game repeats one.
///
/// ```
/// use kalah::{Ending, Game, House, Move, Position, Rules, Side, Termination};
/// use kalah_book::opening_moves;
///
/// let mut game = Game::new(Position::start(6, 4, Rules::STANDARD)?);
/// for house in [3, 6] {
///     game.play(Move::Sow(House::new(house).expect("a house"))).expect("a legal move");
/// }
/// let ending =
///     Ending { termination: Termination::Resign, winner: Some(Side::North), outcome: None };
/// let moves = opening_moves(&game, &ending);
/// assert_eq!((moves.len(), &*moves[1].mv, moves[1].result.losses), (2, "F", 1));
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub fn opening_moves(game: &Game, ending: &Ending) -> Vec<OpeningMove> {
    if ending.termination == Termination::Unfinished {
        return Vec::new();
    }
    let winner = ending.winner.map(|side| game.player_on(side));
    let mut before = game.start();
    let mut is_swapped = false;
    let mut moves = Vec::new();
    for ply in game.plies().iter().take(OPENING_PLIES) {
        let player = PlayerId::at_side(ply.side, is_swapped);
        is_swapped ^= ply.result == MoveResult::Swapped;
        moves.push(OpeningMove {
            key: OpeningKey::new(before),
            mv: ply.mv.text(Side::South),
            result: OpeningResults::of_game(player, winner),
        });
        before = &ply.after;
    }
    moves
}

/// The counts of each move of a position, by the text of [`OpeningMove::mv`].
pub type MoveCounts = BTreeMap<String, OpeningResults>;

/// Counts of the moves in the openings of games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpeningStatistics {
    positions: BTreeMap<OpeningKey, MoveCounts>,
}

impl OpeningStatistics {
    /// Counts moves.
    pub fn add(&mut self, moves: impl IntoIterator<Item = OpeningMove>) {
        for OpeningMove { key, mv, result } in moves {
            let counts = self.positions.entry(key).or_default();
            *counts.entry(mv).or_default() += result;
        }
    }

    /// Returns the positions with the counts of their moves, by key.
    pub fn positions(&self) -> impl Iterator<Item = (&OpeningKey, &MoveCounts)> {
        self.positions.iter()
    }

    /// Returns the counts of the moves of a position.
    pub fn get(&self, key: &OpeningKey) -> Option<&MoveCounts> {
        self.positions.get(key)
    }

    /// Returns the number of games with a position and a counted move in it.
    pub fn games_of(counts: &MoveCounts) -> u32 {
        counts.values().map(|counts| counts.games()).sum()
    }

    /// Keeps the positions for which `is_kept` returns true.
    pub fn retain(&mut self, is_kept: impl Fn(&OpeningKey) -> bool) {
        self.positions.retain(|key, _| is_kept(key));
    }
}

/// Returns the move of the side to move that has the text of South's in statistics.
pub fn own_text(mv: &str, side: Side) -> String {
    match (mv, side) {
        ("swap", _) | (_, Side::South) => mv.to_owned(),
        (_, Side::North) => mv.to_ascii_lowercase(),
    }
}
