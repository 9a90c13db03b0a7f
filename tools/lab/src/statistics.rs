//! `cargo lab statistics`: the opening statistics of games between strong computer players, which
//! the page ships.

use std::collections::HashSet;
use std::fs;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Args;
use indicatif::ProgressBar;
use kalah::{Ending, Game, Player as _, Position, Rules, Side, Termination};
use kalah_book::{OpeningFile, OpeningFileStart, OpeningKey, OpeningStatistics, opening_moves};
use kalah_engine::{LevelNumber, LevelPlayer};
use rand::seq::IteratorRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

/// The levels of the players. The highest one reads the clock, so that its games cannot be
/// reproduced.
const LEVELS: [u8; 3] = [7, 8, 9];

/// The most random plies with which a game begins. They do not count.
const MAX_RANDOM_PLIES: usize = 4;

/// The rules of the games.
const RULES: [Rules; 2] = [Rules::STANDARD, Rules::CS32];

/// The board of the games: houses a side, and seeds in each.
const BOARD: (u8, u64) = (6, 4);

/// The arguments of `cargo lab statistics`.
#[derive(Args)]
pub(crate) struct StatisticsArguments {
    /// Games of each rule set
    #[arg(long, value_name = "N", default_value = "4000")]
    games: NonZeroU32,
    /// Seed of the players and the random plies
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u32,
    /// Fewest games of a position that is kept
    #[arg(long, value_name = "N", default_value = "5")]
    min_games: NonZeroU32,
    /// File to write
    #[arg(
        long,
        value_name = "FILE",
        default_value = "web/explorer/openings.json"
    )]
    out: PathBuf,
    /// Fail if the file has another content, instead of writing it
    #[arg(long)]
    check: bool,
}

impl StatisticsArguments {
    /// Returns the command that writes the same file.
    fn command_line(&self) -> String {
        format!(
            "cargo lab statistics --games {} --seed {} --min-games {}",
            self.games, self.seed, self.min_games
        )
    }

    /// Plays the games and returns the text of the file.
    fn file(&self, mut on_game: impl FnMut()) -> anyhow::Result<String> {
        let (houses, seeds) = BOARD;
        let mut starts = Vec::new();
        for rules in RULES {
            let start = Position::start(houses, seeds, rules)?;
            let mut statistics = OpeningStatistics::default();
            for number in 0..self.games.get() {
                count_game(&mut statistics, &start, self.seed, number);
                on_game();
            }
            let min_games = self.min_games.get();
            let kept = reachable(&start, |key| {
                (statistics.get(key)).is_some_and(|it| OpeningStatistics::games_of(it) >= min_games)
            });
            statistics.retain(|key| kept.contains(key));
            starts.push(OpeningFileStart::new(
                format!("{houses}x{seeds}"),
                rules,
                self.games.get(),
                &statistics,
            ));
        }
        let file = OpeningFile {
            format: OpeningFile::FORMAT.to_owned(),
            made_by: self.command_line(),
            min_games: self.min_games.get(),
            starts,
        };
        Ok(serde_json::to_string(&file)? + "\n")
    }
}

/// Writes the statistics, or compares them with those of the file.
pub(crate) fn run(arguments: &StatisticsArguments) -> anyhow::Result<()> {
    let total = u64::from(arguments.games.get()) * RULES.len() as u64;
    let bar = ProgressBar::new(total);
    let text = arguments.file(|| bar.inc(1))?;
    bar.finish_and_clear();
    let path = &arguments.out;
    if arguments.check {
        let found = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        ensure!(
            found == text,
            "{} differs from what the games give",
            path.display()
        );
    } else {
        fs::write(path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Plays a game and counts the moves of its players.
fn count_game(statistics: &mut OpeningStatistics, start: &Position, seed: u32, number: u32) {
    let (game, random_plies) = play_game(start, seed, number);
    let Some(outcome) = game.outcome() else {
        return;
    };
    let ending = Ending {
        termination: Termination::Normal,
        winner: outcome.winner(),
        outcome: Some(outcome),
    };
    let moves = opening_moves(&game, &ending);
    statistics.add(moves.into_iter().skip(random_plies));
}

/// Plays the game of a number to its end. Returns it with the number of its random plies.
fn play_game(start: &Position, seed: u32, number: u32) -> (Game, usize) {
    // The stream of random numbers belongs to this game alone.
    let mut rng = Pcg64Mcg::seed_from_u64(u64::from(seed) << u32::BITS | u64::from(number));
    let mut game = Game::new(start.clone());
    let random_plies = rng.random_range(0..=MAX_RANDOM_PLIES);
    while game.plies().len() < random_plies
        && let Some(mv) = game.position().legal_moves().choose(&mut rng)
    {
        game.play(mv).expect("a legal move");
    }
    let mut players = Side::ALL.map(|side| {
        let level = LEVELS[rng.random_range(0..LEVELS.len())];
        let level = LevelNumber::new(level).expect("a level");
        LevelPlayer::new(side.as_str(), level, rng.random(), || Duration::ZERO)
    });
    while !game.position().is_over() {
        let player = &mut players[usize::from(game.position().to_move() == Side::North)];
        let mv = player.choose_move(game.position(), Duration::MAX);
        game.play(mv.expect("a move in a position that is not over"))
            .expect("players make legal moves");
    }
    (game, random_plies)
}

/// Returns the positions of a set that follow from the random plies at the start, or from another
/// of these positions.
fn reachable(start: &Position, is_member: impl Fn(&OpeningKey) -> bool) -> HashSet<OpeningKey> {
    let mut seen = HashSet::new();
    let mut reached = HashSet::new();
    let mut open = vec![(start.clone(), 0)];
    while let Some((position, plies)) = open.pop() {
        let key = OpeningKey::new(&position);
        let is_new = seen.insert((key.clone(), plies.min(MAX_RANDOM_PLIES + 1)));
        let is_kept = is_member(&key);
        if !is_new || !is_kept && plies >= MAX_RANDOM_PLIES {
            continue;
        }
        if is_kept {
            reached.insert(key);
        }
        for mv in position.legal_moves() {
            let mut after = position.clone();
            after.play(mv).expect("a legal move");
            open.push((after, plies + 1));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use kalah::Setup;
    use test_tools::sample_or_all;

    use super::*;

    fn shipped() -> OpeningFile {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/explorer/openings.json");
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    /// Returns the option `name` of the command that has made the file.
    fn option<T: std::str::FromStr>(file: &OpeningFile, name: &str) -> T {
        let mut words = file.made_by.split(' ').skip_while(|word| *word != name);
        let value = words.nth(1).and_then(|word| word.parse().ok());
        value.unwrap_or_else(|| panic!("{} has no {name}", file.made_by))
    }

    #[test]
    fn positions_of_the_file_are_reachable_and_their_counts_add_up() {
        let file = shipped();
        assert_eq!(file.format, OpeningFile::FORMAT);
        assert_eq!(file.starts.len(), RULES.len());
        for start in &file.starts {
            let rules: Rules = start.rules.parse().unwrap();
            let position = |text: &str| {
                let setup: Setup = text.parse().unwrap();
                setup.position(rules).unwrap()
            };
            let first = position(&start.board);
            let is_in_file = |key: &OpeningKey| start.positions.contains_key(&key.position);
            let reached = reachable(&first, is_in_file);
            assert_eq!(reached.len(), start.positions.len());
            for (text, moves) in &start.positions {
                let before = position(text);
                assert_eq!(&OpeningKey::new(&before).position, text);
                let mut games = 0;
                for (mv, counts) in moves {
                    let is_legal = before
                        .legal_moves()
                        .any(|legal| &legal.text(Side::South) == mv);
                    assert!(is_legal, "{text} {mv}");
                    games += counts.iter().sum::<u32>();
                }
                assert!((file.min_games..=start.games).contains(&games), "{text}");
            }
            assert!(is_in_file(&OpeningKey::new(&first)));
        }
    }

    #[test]
    fn first_games_of_the_command_are_in_the_file() {
        let file = shipped();
        let seed = option(&file, "--seed");
        for start in &file.starts {
            let rules: Rules = start.rules.parse().unwrap();
            let (houses, seeds) = BOARD;
            let first = Position::start(houses, seeds, rules).unwrap();
            let mut statistics = OpeningStatistics::default();
            for number in 0..sample_or_all(6, 100) {
                count_game(&mut statistics, &first, seed, number);
            }
            let mut found = 0;
            for (key, moves) in statistics.positions() {
                let Some(shipped) = start.positions.get(&key.position) else {
                    continue;
                };
                for (mv, counts) in moves {
                    let [wins, ties, losses] = shipped[mv];
                    assert!(
                        counts.wins <= wins && counts.ties <= ties && counts.losses <= losses,
                        "{}: {mv}",
                        key.position
                    );
                    found += 1;
                }
            }
            assert!(found > 0, "no move of the first games is in the file");
        }
    }
}
