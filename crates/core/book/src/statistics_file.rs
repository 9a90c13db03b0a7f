//! The file of opening statistics that the page ships.

use std::collections::BTreeMap;

use kalah::Rules;
use serde::{Deserialize, Serialize};

use crate::statistics::{OpeningKey, OpeningResults, OpeningStatistics};

/// Opening statistics of games between computer players as JSON. The page reads the same text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningFile {
    /// [`Self::FORMAT`].
    pub format: String,
    /// The command that writes the same file.
    pub made_by: String,
    /// The fewest games of a position in the file.
    pub min_games: u32,
    /// The statistics of each start.
    pub starts: Vec<OpeningFileStart>,
}

/// The statistics of the games from a start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningFileStart {
    /// The start, such as `6x4`.
    pub board: String,
    /// The rules as text.
    pub rules: String,
    /// The number of games.
    pub games: u32,
    /// The wins, ties and losses of the player of each move, by the position and the move as
    /// [`OpeningKey`] and [`OpeningMove`](crate::OpeningMove) have them.
    pub positions: BTreeMap<String, BTreeMap<String, [u32; 3]>>,
}

impl OpeningFile {
    /// The name and the version of the format.
    pub const FORMAT: &str = "kalah-openings 1";
}

impl OpeningFileStart {
    /// Returns the part of statistics with these rules.
    pub fn new(board: String, rules: Rules, games: u32, statistics: &OpeningStatistics) -> Self {
        let rules = rules.to_string();
        let positions = (statistics.positions())
            .filter(|(key, _)| key.rules == rules)
            .map(|(OpeningKey { position, .. }, counts)| {
                let moves = counts.iter().map(|(mv, counts)| {
                    let OpeningResults { wins, ties, losses } = *counts;
                    (mv.clone(), [wins, ties, losses])
                });
                (position.clone(), moves.collect())
            });
        Self {
            positions: positions.collect(),
            board,
            rules,
            games,
        }
    }
}
