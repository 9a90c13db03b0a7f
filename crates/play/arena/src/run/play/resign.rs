//! Resignations: a game ends when both players estimate that the same one of them loses by many
//! seeds.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use kalah::{ByPlayer, Margin, PlayerId};

use crate::game_end::GameEnd;
use crate::run::error::ParseArenaOptionError;

/// The estimates of both players after which one of them resigns.
///
/// ```
/// use kalah_arena::ResignRule;
/// let rule: ResignRule = "seeds=30,moves=4".parse()?;
/// assert_eq!((rule.seeds.get(), rule.moves.get()), (30, 4));
/// assert_eq!("seeds=30".parse::<ResignRule>()?.to_string(), "seeds=30,moves=3");
/// # Ok::<(), kalah_arena::ParseArenaOptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResignRule {
    /// The least number of seeds by which the player loses.
    pub seeds: NonZeroU32,
    /// The number of last moves of each player with such an estimate.
    pub moves: NonZeroU32,
}

/// The default of [`ResignRule::moves`].
const DEFAULT_MOVES: NonZeroU32 = NonZeroU32::new(3).unwrap();

const SEEDS_KEY: &str = "seeds=";
const MOVES_KEY: &str = "moves=";

/// Parses `seeds=N` or `seeds=N,moves=M`.
impl FromStr for ResignRule {
    type Err = ParseArenaOptionError;

    fn from_str(text: &str) -> Result<Self, ParseArenaOptionError> {
        let number = |text: &str, key| text.strip_prefix(key)?.parse().ok();
        let parse = || {
            let (seeds, moves) = match text.split_once(',') {
                Some((seeds, moves)) => (seeds, number(moves, MOVES_KEY)?),
                None => (text, DEFAULT_MOVES),
            };
            let seeds = number(seeds, SEEDS_KEY)?;
            Some(Self { seeds, moves })
        };
        parse().ok_or_else(|| ParseArenaOptionError::InvalidResignRule(text.to_owned()))
    }
}

impl fmt::Display for ResignRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seeds, moves } = self;
        write!(f, "{SEEDS_KEY}{seeds},{MOVES_KEY}{moves}")
    }
}

/// The estimates of the players of a game.
pub(super) struct PlayerEstimates {
    rule: ResignRule,
    /// The player that loses by the last estimate, if it is by enough seeds.
    loser: Option<PlayerId>,
    /// The last moves of each player whose estimates say so.
    moves: ByPlayer<u32>,
    /// The seeds of the last estimate of each player.
    seeds: ByPlayer<u32>,
}

impl PlayerEstimates {
    /// Returns the state at the start of a game.
    pub(super) fn new(rule: ResignRule) -> Self {
        Self {
            rule,
            loser: None,
            moves: ByPlayer::default(),
            seeds: ByPlayer::default(),
        }
    }

    /// Adds the estimate with which `player` has chosen a move: its own margin at the end of the
    /// game.
    pub(super) fn add(&mut self, player: PlayerId, margin: Margin) {
        let margin = margin.seeds();
        let loser = (margin.unsigned_abs() >= self.rule.seeds.get()).then(|| {
            if margin < 0 {
                player
            } else {
                player.opponent()
            }
        });
        if loser != self.loser {
            (self.loser, self.moves) = (loser, ByPlayer::default());
        }
        self.moves[player] += u32::from(loser.is_some());
        self.seeds[player] = margin.unsigned_abs();
    }

    /// Returns the end of the game, if a player resigns now.
    pub(super) fn resignation(&self) -> Option<GameEnd> {
        let loser = self.loser?;
        let agree = PlayerId::ALL
            .iter()
            .all(|&player| self.moves[player] >= self.rule.moves.get());
        let seeds = PlayerId::ALL.map(|player| self.seeds[player]);
        agree.then(|| GameEnd::Resignation {
            by: loser.started_as,
            seeds: seeds[0].min(seeds[1]),
        })
    }
}

#[cfg(test)]
mod tests {
    use kalah::Side;

    use super::*;

    const SOUTH: PlayerId = PlayerId::ALL[0];
    const NORTH: PlayerId = PlayerId::ALL[1];

    /// Returns the end after the estimates, each the player's own margin.
    fn end(estimates: &[(PlayerId, i32)]) -> Option<GameEnd> {
        let rule = "seeds=10,moves=2".parse().expect("a rule");
        let mut state = PlayerEstimates::new(rule);
        for (index, &(player, margin)) in estimates.iter().enumerate() {
            assert_eq!(state.resignation(), None, "before estimate {index}");
            state.add(player, Margin::new(margin));
        }
        state.resignation()
    }

    #[test]
    fn player_resigns_when_both_agree_for_enough_moves() {
        let resigned = |by, seeds| Some(GameEnd::Resignation { by, seeds });
        let agreed = [(SOUTH, -10), (NORTH, 14), (SOUTH, -12), (NORTH, 11)];
        assert_eq!(end(&agreed), resigned(Side::South, 11));
        // South has made a bonus turn.
        let bonus = [
            (SOUTH, 20),
            (SOUTH, 21),
            (SOUTH, 22),
            (NORTH, -30),
            (NORTH, -9),
        ];
        assert_eq!(end(&bonus), None);
        assert_eq!(
            end(&[&bonus[..4], &[(NORTH, -31)]].concat()),
            resigned(Side::North, 22)
        );
    }

    #[test]
    fn disagreement_starts_the_count_again() {
        for between in [(NORTH, 9), (NORTH, -14), (SOUTH, 10)] {
            let estimates = [
                (SOUTH, -10),
                (NORTH, 14),
                between,
                (SOUTH, -12),
                (NORTH, 11),
            ];
            assert_eq!(end(&estimates), None, "{between:?}");
        }
    }

    #[test]
    fn invalid_rules_are_rejected() {
        for text in [
            "",
            "30",
            "seeds=",
            "seeds=0",
            "seeds=5,moves=0",
            "moves=3",
            "seeds=5,",
        ] {
            let error = text.parse::<ResignRule>().expect_err(text).to_string();
            assert!(
                error.contains("expected seeds=N or seeds=N,moves=M"),
                "{error}"
            );
        }
    }
}
