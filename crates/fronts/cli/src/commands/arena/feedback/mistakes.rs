//! The choice of games for reviews, and of the biggest mistakes in them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use kalah::{Position, Side};
use kalah_arena::{Contestant, FinishedGame, GameScore, Mistake};

/// Returns the games to review, in the order of `games`: of each contestant `max` games, or all if
/// it has fewer. A game counts for both of its contestants, so that a contestant can have more.
pub(super) fn choose_games<'a>(games: &[&'a FinishedGame], max: usize) -> Vec<&'a FinishedGame> {
    let mut by_contestant: BTreeMap<Contestant, Vec<(GameInterest, usize)>> = BTreeMap::new();
    for (place, game) in games.iter().enumerate() {
        let players = game.players();
        for side in Side::ALL {
            let own = by_contestant.entry(players[side]).or_default();
            own.push((GameInterest::new(game, side), place));
        }
    }
    let mut is_chosen = vec![false; games.len()];
    for own in by_contestant.values_mut() {
        own.sort();
        for &(_, place) in own.iter().take(max) {
            is_chosen[place] = true;
        }
    }
    let chosen = games.iter().zip(is_chosen);
    chosen
        .filter_map(|(&game, is_chosen)| is_chosen.then_some(game))
        .collect()
}

/// How much a contestant can learn from a game, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GameInterest {
    LostBySeeds,
    Tied,
    /// Lost by the contestant's fault, which has a place of its own on the page.
    LostByFault,
    Won,
}

impl GameInterest {
    /// Returns the interest for the contestant that began on `side`.
    fn new(game: &FinishedGame, side: Side) -> Self {
        match game.score(side) {
            GameScore::Win => Self::Won,
            GameScore::Tie => Self::Tied,
            GameScore::Loss if game.end.side_at_fault().is_some() => Self::LostByFault,
            GameScore::Loss => Self::LostBySeeds,
        }
    }
}

/// Returns the `max` mistakes that cost the most seeds, the biggest one first. Equal ones keep
/// their order. A move of the same position in several games, of which no game repeats a position,
/// is one mistake with the highest proven cost.
pub(super) fn biggest_mistakes(mut mistakes: Vec<Mistake>, max: usize) -> Vec<Mistake> {
    mistakes.sort_by_key(|mistake| Reverse(mistake.seeds));
    let mut places: HashMap<(Position, String), usize> = HashMap::new();
    let mut distinct: Vec<Mistake> = Vec::new();
    for mistake in mistakes {
        let key = (mistake.position.clone(), mistake.played.clone());
        let place = *places.entry(key).or_insert(distinct.len());
        match distinct.get_mut(place) {
            Some(same) => same.games += mistake.games,
            None => distinct.push(mistake),
        }
    }
    distinct.truncate(max);
    distinct
}

#[cfg(test)]
mod tests {
    use kalah::Rules;
    use kalah_arena::Journal;
    use proptest::prelude::*;

    use super::*;

    fn mistake(seeds: u32, ply: usize, houses: u8, played: &str) -> Mistake {
        Mistake {
            game: "1.1.1".to_owned(),
            games: 1,
            ply,
            position: Position::start(houses, 1, Rules::CS32).expect("a start"),
            played: played.to_owned(),
            better: "B".to_owned(),
            seeds,
            cost: String::new(),
            margins: [const { String::new() }; 2],
            grade: "",
            reasons: String::new(),
        }
    }

    proptest! {
        /// The slow twin takes the biggest mistake that is left, with all equal moves of its
        /// position, again and again.
        #[test]
        fn chosen_mistakes_are_the_biggest(
            moves in prop::collection::vec((0_u32..6, 1_u8..4, 0_usize..2), 0..20),
            max in 0_usize..12,
        ) {
            let all: Vec<Mistake> = (0..)
                .zip(&moves)
                .map(|(ply, &(seeds, houses, played))| {
                    mistake(seeds, ply, houses, ["A", "B"][played])
                })
                .collect();
            let mut left = all.clone();
            let mut expected = Vec::new();
            while expected.len() < max && !left.is_empty() {
                let most = left.iter().map(|mistake| mistake.seeds).max().expect("one is left");
                let first = left.iter().position(|mistake| mistake.seeds == most);
                let biggest = left[first.expect("the maximum is one of them")].clone();
                let is_same = |other: &Mistake| {
                    (&other.position, &other.played) == (&biggest.position, &biggest.played)
                };
                let games = left.iter().filter(|&other| is_same(other)).count();
                left.retain(|other| !is_same(other));
                expected.push(Mistake { games, ..biggest });
            }
            prop_assert_eq!(biggest_mistakes(all, max), expected);
        }
    }

    /// Returns games of three contestants. South wins with a positive margin.
    fn journal(games: &[(usize, usize, i32)]) -> Journal {
        let lines = (1..).zip(games).map(|(pair, (south, north, margin))| {
            let player = |contestant: &usize| {
                format!(
                    r#"{{"contestant":{contestant},"name":"{contestant}","time_control":"1s a move","think_time":{{"moves":0,"total_ms":0,"longest_ms":0}}}}"#
                )
            };
            let (south, north) = (player(south), player(north));
            format!(
                r#"{{"game":"1.{pair}.1","south":{south},"north":{north},"rules":"cs32","position":"2x1","opening_plies":0,"moves":"","ply_times_ms":[],"end":{{"kind":"adjudicated","margin":{margin}}}}}
"#
            )
        });
        let text: String = lines.collect();
        Journal::parse(text.as_bytes()).expect("a valid journal")
    }

    fn chosen_numbers(games: &[(usize, usize, i32)], max: usize) -> Vec<String> {
        let journal = journal(games);
        let games: Vec<&FinishedGame> = journal.games().iter().collect();
        let chosen = choose_games(&games, max);
        chosen.iter().map(|game| game.number_text()).collect()
    }

    #[test]
    fn lost_games_are_reviewed_first() {
        let games = [(0, 1, 2), (1, 0, 2), (0, 1, 0), (0, 1, 2), (2, 0, -2)];
        assert_eq!(chosen_numbers(&games, 0), [""; 0]);
        // Contestant 0 lost game 2, contestant 1 game 1, and contestant 2 game 5.
        assert_eq!(chosen_numbers(&games, 1), ["1.1.1", "1.2.1", "1.5.1"]);
        // The second game of contestant 0 is the tied one, and that of contestant 1 game 4.
        let two = ["1.1.1", "1.2.1", "1.3.1", "1.4.1", "1.5.1"];
        assert_eq!(chosen_numbers(&games, 2), two);
    }

    proptest! {
        #[test]
        fn each_contestant_has_enough_games(
            games in prop::collection::vec((0_usize..3, 1_usize..3, -1_i32..=1), 0..30),
            max in 0_usize..8,
        ) {
            let games: Vec<(usize, usize, i32)> = games
                .into_iter()
                .map(|(south, step, margin)| (south, (south + step) % 3, 2 * margin))
                .collect();
            let journal = journal(&games);
            let all: Vec<&FinishedGame> = journal.games().iter().collect();
            let chosen = choose_games(&all, max);
            prop_assert!(chosen.len() <= 3 * max);
            for contestant in (0..3).map(Contestant) {
                let count = |games: &[&FinishedGame]| {
                    let own = |game: &&&FinishedGame| {
                        let players = game.players();
                        Side::ALL.iter().any(|&side| players[side] == contestant)
                    };
                    games.iter().filter(own).count()
                };
                prop_assert!(count(&chosen) >= count(&all).min(max));
            }
        }
    }
}
