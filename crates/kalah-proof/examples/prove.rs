//! Proves the exact margin of a start with a proof store, and goes on with a store that exists:
//!
//! ```sh
//! cargo run --release -p kalah-proof --example prove -- 6x4 standard 6x4.proof
//! ```
#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::env;
use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;

use kalah::{Margin, Rules, Setup, Side};
use kalah_engine::GoalEngine;
use kalah_proof::{Coordinator, JobSize, ProofStore, ProofTask, Tree, prove};
use kalah_tables::{Table, Variant};

const HASH_BYTES: usize = 256 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [start, rules, path] = &arguments[..] else {
        return Err("expected a start, rules and the path of a store".into());
    };
    let position = start.parse::<Setup>()?.position(rules.parse::<Rules>()?)?;
    let task = ProofTask {
        position: position.clone(),
        all_moves: true,
        estimate: Margin::new(0),
    };
    let path = Path::new(path);
    let (mut store, task, tree) = if path.exists() {
        ProofStore::open(path)?
    } else {
        (ProofStore::create(path, &task)?, task, Tree::default())
    };

    let threads = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let table_seeds = u8::try_from(position.seeds_in_play().get() * 2 / 5)?;
    let observer = &mut |_| ControlFlow::Continue(());
    let variant = Variant::from_position(&position);
    let table = Table::build(variant, table_seeds, threads, observer)?;
    let mut engine = GoalEngine::new(&position, HASH_BYTES, Some(Arc::new(table)));

    let mut coordinator = Coordinator::new(task, tree, JobSize::default());
    println!("{} goals in the store", coordinator.tree().len());
    let stop_flag = AtomicBool::new(false);
    let display = |coordinator: &Coordinator| {
        let (lower, upper) = coordinator.bounds();
        let (nodes, goals) = (coordinator.searched(), coordinator.tree().len());
        println!("margin {lower} to {upper}, {nodes} nodes, {goals} goals");
    };
    prove(
        &mut coordinator,
        &mut store,
        &mut engine,
        threads,
        &stop_flag,
        &display,
    )?;
    for (mv, (margin, _)) in coordinator.move_bounds() {
        println!("{} {margin}", mv.text(Side::South));
    }
    Ok(())
}
