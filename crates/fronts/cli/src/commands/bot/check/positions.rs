//! The positions in which a program makes a move: those of random games.

use std::time::Duration;

use kalah::{Game, Move, MoveResult, Player as _, Position, Rules, Setup, SowEffect};
use kalah_engine::RandomPlayer;

use super::report::{BotFault, BotReport};

/// The boards of the games: houses a side, and seeds in each. Their number and that of the rules
/// have no common divisor, so that each board meets each rule set.
const BOARDS: [(u8, u64); 9] = [
    (6, 4),
    (3, 2),
    (7, 7),
    (4, 3),
    (1, 2),
    (9, 2),
    (6, 3),
    (2, 5),
    (13, 1),
];

/// Random games, one after the other.
pub(super) struct RandomGames {
    board: Option<Setup>,
    rules: Vec<Rules>,
    seed: u64,
    index: usize,
}

impl RandomGames {
    /// Creates games under `rules`, which are not empty, on `board` or on several boards.
    pub(super) fn new(board: Option<Setup>, rules: Vec<Rules>, seed: u64) -> Self {
        Self {
            board,
            rules,
            seed,
            index: 0,
        }
    }

    /// Returns the next game, played to its end.
    ///
    /// # Errors
    /// Returns the reason why the board cannot be played.
    pub(super) fn next_game(&mut self) -> Result<Game, String> {
        let rules = self.rules[self.index % self.rules.len()];
        let (houses, seeds) = BOARDS[self.index % BOARDS.len()];
        let start = match &self.board {
            Some(setup) => setup.clone().position(rules),
            None => Position::start(houses, seeds, rules),
        };
        let mut game = Game::new(start.map_err(|reason| reason.to_string())?);
        let seed = self.seed.wrapping_add(self.index as u64);
        self.index += 1;
        let mut player = RandomPlayer::new("random", seed);
        while let Some(mv) = player.choose_move(game.position(), Duration::ZERO) {
            if game.play(mv).is_err() {
                break;
            }
        }
        Ok(game)
    }
}

/// Returns the game up to each position of `game`, the first one without plies.
pub(super) fn prefixes(game: &Game) -> impl Iterator<Item = Game> {
    let mut prefix = Game::new(game.start().clone());
    let moves: Vec<Move> = game.plies().iter().map(|ply| ply.mv).collect();
    let mut moves = moves.into_iter();
    let mut is_first = true;
    std::iter::from_fn(move || {
        if is_first {
            is_first = false;
            return Some(prefix.clone());
        }
        prefix.play(moves.next()?).ok()?;
        Some(prefix.clone())
    })
}

/// Returns whether the last position of a game is of a kind.
type IsOfKind = fn(&Game) -> bool;

/// The kinds of positions, each of which is a check.
const KINDS: [(&str, IsOfKind); 7] = [
    ("positions", |_| true),
    ("bonus turns", is_bonus_turn),
    ("captures", |game| has_move(game, captures)),
    ("single moves", |game| {
        game.position().legal_moves().nth(1).is_none()
    }),
    ("last moves", |game| {
        has_move(game, |after| after.position().is_over())
    }),
    ("swept seeds", |game| has_move(game, sweeps)),
    ("swaps", |game| game.position().can_swap()),
];

fn is_bonus_turn(game: &Game) -> bool {
    let effect = game.plies().last().map(|ply| &ply.result);
    matches!(effect, Some(MoveResult::Sown(sowing)) if sowing.effect == SowEffect::BonusTurn)
}

/// Returns whether the game after a legal move has a property.
fn has_move(game: &Game, has_property: impl Fn(&Game) -> bool) -> bool {
    game.position().legal_moves().any(|mv| {
        let mut after = game.clone();
        after.play(mv).is_ok() && has_property(&after)
    })
}

fn captures(after: &Game) -> bool {
    let result = after.plies().last().map(|ply| &ply.result);
    matches!(result, Some(MoveResult::Sown(sowing)) if matches!(sowing.effect, SowEffect::Capture(_)))
}

/// Returns whether the last move has ended the game while seeds were left in the houses.
fn sweeps(after: &Game) -> bool {
    let mut before = after.clone();
    before.undo();
    // A last move without a sweep takes the only seed in play.
    after.position().is_over() && before.position().seeds_in_play().get() > 1
}

/// The numbers of positions of each kind, with the first fault in one.
pub(super) struct PositionResults([(u64, Option<BotFault>); KINDS.len()]);

impl PositionResults {
    pub(super) fn new() -> Self {
        Self(std::array::from_fn(|_| (0, None)))
    }

    /// Adds the result in the last position of `game`.
    pub(super) fn add(&mut self, game: &Game, result: Result<(), &BotFault>) {
        for ((count, first), (_, is_of_kind)) in self.0.iter_mut().zip(KINDS) {
            if is_of_kind(game) {
                *count += 1;
                if let Err(fault) = result {
                    first.get_or_insert_with(|| fault.clone());
                }
            }
        }
    }

    /// Adds a check for each kind that has occurred.
    pub(super) fn report(self, report: &mut BotReport) {
        for ((name, _), (count, fault)) in KINDS.into_iter().zip(self.0) {
            if count > 0 {
                let result = fault.map_or(Ok(()), Err);
                report.add(name, format!("{count}"), result);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_positions_have_every_kind_on_every_board() {
        let rules = Rules::PRESETS.map(|preset| preset.rules).to_vec();
        let mut games = RandomGames::new(None, rules, 1);
        let mut results = PositionResults::new();
        let mut starts = std::collections::BTreeSet::new();
        let mut positions = 0;
        while positions < 1000 {
            let game = games.next_game().expect("a board");
            starts.insert((game.start().houses(), game.start().total().get()));
            for prefix in prefixes(&game).filter(|prefix| !prefix.position().is_over()) {
                results.add(&prefix, Ok(()));
                positions += 1;
            }
        }
        for ((name, _), (count, _)) in KINDS.iter().zip(&results.0) {
            assert!(*count > 0, "{name}");
        }
        assert_eq!(starts.len(), BOARDS.len());
    }

    #[test]
    fn the_same_seed_gives_the_same_games() {
        let games = |seed| {
            let mut games = RandomGames::new(None, vec![Rules::CS32], seed);
            [(); 4].map(|()| games.next_game().expect("a board"))
        };
        assert_eq!(games(3), games(3));
        assert_ne!(games(3), games(4));
    }
}
