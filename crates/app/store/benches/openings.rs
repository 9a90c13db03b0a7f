//! The cost of the opening statistics in a database.
//!
//! ```sh
//! cargo bench -p kalah-store --bench openings
//! ```
//!
//! Finished games of random moves are stored twice: without the consent of their players, and with
//! it, so that they count in the statistics. The benchmark prints the time of a game in both
//! databases with their ratio, and the times in which the counts of the start are read and a
//! counted game is deleted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kalah::{ByPlayer, Game, Outcome, Position, Rules, Termination};
use kalah_book::OpeningKey;
use kalah_store::{
    DataFolder, GameId, GameState, GameStore, GameWrite, OpeningScope, PlayerToken, StoredEnding,
    StoredGame, Timestamp,
};
use rand::SeedableRng as _;
use rand::seq::IteratorRandom as _;
use rand_pcg::Pcg64Mcg;
use tempfile::TempDir;
use tokio::task::JoinSet;

/// The number of games of a database.
const GAMES: usize = 100_000;

/// The number of writes that wait at the same time; they share commits.
const CONCURRENT_WRITES: usize = 256;

/// The number of reads, and of deletions.
const REPEATS: usize = 1_000;

/// The seed of the games.
const SEED: u64 = 1;

/// The time of all games.
const TIME: Timestamp = Timestamp::from_millis(1);

fn start() -> Position {
    Position::start(6, 4, Rules::STANDARD).expect("the usual board")
}

/// Returns finished games of random moves, which both players share or not.
fn games(shares: bool) -> Vec<StoredGame> {
    let mut rng = Pcg64Mcg::seed_from_u64(SEED);
    let game = |_| {
        let mut game = Game::new(start());
        while let Some(mv) = game.position().legal_moves().choose(&mut rng) {
            game.play(mv).expect("a legal move");
        }
        let ending = StoredEnding {
            termination: Termination::Normal,
            winner: game.outcome().and_then(Outcome::winner),
        };
        StoredGame {
            id: GameId::random(),
            created: TIME,
            rules: Rules::STANDARD.to_string(),
            start: start().to_string(),
            spectator_scores: true,
            room: None,
            tokens: ByPlayer::from_fn(|_| PlayerToken::random().hash()),
            plies: (game.plies().iter())
                .map(|ply| ply.mv.text(ply.side))
                .collect(),
            state: GameState {
                ending: Some(ending),
                shares: ByPlayer::new(shares, shares),
                ..GameState::new(TIME, None)
            },
        }
    };
    (0..GAMES).map(game).collect()
}

/// Stores games, and returns the time of each.
async fn store_all(store: &Arc<GameStore>, games: Vec<StoredGame>) -> Duration {
    let began = Instant::now();
    let mut writes = JoinSet::new();
    for game in games {
        let store = Arc::clone(store);
        writes.spawn(async move { store.write(GameWrite::NewGame(Box::new(game))).await });
        if writes.len() == CONCURRENT_WRITES {
            let written = writes.join_next().await.expect("a write");
            written.expect("no panic").expect("an open store");
        }
    }
    for written in writes.join_all().await {
        written.expect("an open store");
    }
    each(began, GAMES)
}

/// Returns the time since a moment for each of some operations.
fn each(began: Instant, count: usize) -> Duration {
    began.elapsed() / u32::try_from(count).expect("a number of operations")
}

fn open(folder: &TempDir) -> Arc<GameStore> {
    let folder = DataFolder::new(folder.path());
    Arc::new(GameStore::open(&folder, TIME, Box::new(|_, _| {})).expect("a new database"))
}

#[tokio::main]
async fn main() {
    let folders = [(); 2].map(|()| TempDir::new().expect("a folder"));
    let [plain, counted] = [&folders[0], &folders[1]].map(open);
    let without = store_all(&plain, games(false)).await;
    let shared = games(true);
    let ids: Vec<GameId> = shared.iter().take(REPEATS).map(|game| game.id).collect();
    let with = store_all(&counted, shared).await;
    let ratio = with.as_secs_f64() / without.as_secs_f64();
    println!("a finished game: {without:?}, counted {with:?}, ratio {ratio:.2}");

    let key = OpeningKey::new(&start());
    let began = Instant::now();
    for _ in 0..REPEATS {
        let counts = counted.opening_counts(OpeningScope::Server, key.clone());
        assert_eq!(counts.await.expect("an open store").len(), 6);
    }
    println!("the counts of the start: {:?}", each(began, REPEATS));

    let began = Instant::now();
    let deleted = counted.write(GameWrite::Delete(ids)).await;
    deleted.expect("an open store");
    println!("the deletion of a counted game: {:?}", each(began, REPEATS));
    for store in [plain, counted] {
        store.close().await;
    }
}
