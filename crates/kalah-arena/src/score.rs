use serde::{Deserialize, Serialize};

/// What a game brought one of its players, told of that player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameScore {
    /// Nothing.
    Loss,
    /// Half a point.
    Draw,
    /// A point.
    Win,
}

/// What two games from one opening, sides exchanged between them, brought one of the two players.
///
/// The first player's advantage is in both games, once for each, so that it leaves the sum alone: a pair is what
/// statistics count, not a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairScore {
    /// Both games lost.
    Nothing,
    /// A loss and a draw.
    Half,
    /// A win and a loss, or two draws.
    One,
    /// A win and a draw.
    OneAndHalf,
    /// Both games won.
    Two,
}

impl GameScore {
    /// All of them, the worst first.
    pub const ALL: [Self; 3] = [Self::Loss, Self::Draw, Self::Win];

    /// The same game, told of the other player.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// The points in halves: 0, 1 or 2.
    pub const fn half_points(self) -> u8 {
        match self {
            Self::Loss => 0,
            Self::Draw => 1,
            Self::Win => 2,
        }
    }
}

impl PairScore {
    /// All of them, the worst first.
    pub const ALL: [Self; 5] = [
        Self::Nothing,
        Self::Half,
        Self::One,
        Self::OneAndHalf,
        Self::Two,
    ];

    /// The score of two games, both told of the same player.
    ///
    /// ```
    /// use kalah_arena::{GameScore, PairScore};
    /// assert_eq!(PairScore::of(GameScore::Win, GameScore::Draw), PairScore::OneAndHalf);
    /// assert_eq!(PairScore::of(GameScore::Win, GameScore::Loss), PairScore::One);
    /// ```
    pub const fn from_games(one: GameScore, other: GameScore) -> Self {
        match one.half_points() + other.half_points() {
            0 => Self::Nothing,
            1 => Self::Half,
            2 => Self::One,
            3 => Self::OneAndHalf,
            _ => Self::Two,
        }
    }

    /// The same pair, told of the other player.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        match self {
            Self::Nothing => Self::Two,
            Self::Half => Self::OneAndHalf,
            Self::One => Self::One,
            Self::OneAndHalf => Self::Half,
            Self::Two => Self::Nothing,
        }
    }

    /// The points in halves, from 0 to 4.
    pub const fn half_points(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Half => 1,
            Self::One => 2,
            Self::OneAndHalf => 3,
            Self::Two => 4,
        }
    }

    /// The share of the two points: 0, 1/4, 1/2, 3/4 or 1.
    pub(crate) fn share(self) -> f64 {
        f64::from(self.half_points()) / 4.0
    }

    /// Where it stands in [`PairScore::ALL`].
    pub(crate) fn index(self) -> usize {
        usize::from(self.half_points())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_players_share_what_there_is() {
        for one in GameScore::ALL {
            assert_eq!(one.half_points() + one.mirrored().half_points(), 2);
            for other in GameScore::ALL {
                let pair = PairScore::from_games(one, other);
                assert_eq!(pair.half_points(), one.half_points() + other.half_points());
                let mirrored = PairScore::from_games(one.mirrored(), other.mirrored());
                assert_eq!(pair.mirrored(), mirrored);
                assert_eq!(PairScore::ALL[pair.index()], pair);
            }
        }
    }
}
