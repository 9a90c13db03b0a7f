//! `cargo network samples`: positions of games of the engine against itself, with their expected
//! gains, from which the evaluation network learns.

mod game;
mod sample;

use std::fs;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use anyhow::Context as _;
use clap::Args;
use indicatif::ProgressBar;
use kalah_engine::Network;
use kalah_files::PendingFile;

use game::GameSettings;
pub(crate) use game::{play, random_move, south_lead};

/// The arguments of `cargo network samples`.
#[derive(Args)]
pub(crate) struct SamplesArguments {
    /// The folder of the samples, one file for each thousand games: files that are complete are
    /// kept, so that the same command goes on after an interruption
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Games to play, in thousands
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) kilogames: u64,
    /// Nodes of the search of each position
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) nodes: u64,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The network of the static evaluation [default: that of the program]
    #[arg(long, value_name = "FILE")]
    pub(crate) network: Option<PathBuf>,
    /// Threads, at most 256 [default: those of the machine]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
}

/// The games of a file.
const GAMES_PER_FILE: u64 = 1000;

/// Writes the files that are missing.
pub(crate) fn run(arguments: &SamplesArguments) -> anyhow::Result<()> {
    let folder = &arguments.out;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let settings = GameSettings {
        network: Arc::new(read_network(arguments.network.as_deref())?),
        nodes: arguments.nodes,
        seed: arguments.seed,
    };
    let next = AtomicU64::new(0);
    let bar = ProgressBar::new(arguments.kilogames * GAMES_PER_FILE);
    let work = || -> anyhow::Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= arguments.kilogames {
                return Ok(());
            }
            let path = folder.join(format!("games-{number:05}.samples"));
            if path.exists() {
                bar.inc(GAMES_PER_FILE);
                continue;
            }
            write_file(&path, number, &settings, &bar)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    };
    let threads = arguments.threads.map_or_else(all_threads, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("no worker panics"))
    })?;
    bar.finish_and_clear();
    Ok(())
}

/// Returns the number of threads of the machine.
pub(crate) fn all_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn read_network(path: Option<&Path>) -> anyhow::Result<Network> {
    let Some(path) = path else {
        return Ok(Network::embedded());
    };
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Network::parse(&bytes).with_context(|| path.display().to_string())
}

/// Plays the games of a file and writes their samples.
fn write_file(
    path: &Path,
    number: u64,
    settings: &GameSettings,
    bar: &ProgressBar,
) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    for game in number * GAMES_PER_FILE..(number + 1) * GAMES_PER_FILE {
        for sample in settings.play(game) {
            sample.encode(&mut bytes);
        }
        bar.inc(1);
    }
    let pending = PendingFile::beside(path)?;
    pending.file().write_all(&bytes)?;
    pending.replace_target()?;
    Ok(())
}
