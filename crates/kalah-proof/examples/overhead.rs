//! Compares jobs with one search.
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use kalah::*;
use kalah_engine::*;
use kalah_proof::*;
use kalah_tables::{Table, Variant};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let start: Setup = args[1].parse().unwrap();
    let rules: Rules = args[2].parse().unwrap();
    let threads: usize = args[3].parse().unwrap();
    let seeds: u8 = args[4].parse().unwrap();
    let min_nodes: u64 = args[5].parse().unwrap();
    let divisor: u64 = args[6].parse().unwrap();
    let hash: usize = args[7].parse::<usize>().unwrap() << 20;
    let estimate: i32 = args[8].parse().unwrap();
    let position = start.position(rules).unwrap();
    let began = Instant::now();
    let variant = Variant::from_position(&position);
    let table = Table::build(variant, seeds, threads.try_into().unwrap(), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    eprintln!("table {:.2} s", began.elapsed().as_secs_f64());
    let mut engine = GoalEngine::new(&position, hash, Some(Arc::new(table)));
    let stop = AtomicBool::new(false);
    let size = JobSize { min_nodes, divisor };
    let path = std::path::Path::new(&args[9]);
    let task = ProofTask {
        position: position.clone(),
        all_moves: args.len() > 10,
        estimate: Margin::new(estimate),
    };
    let (mut store, tree) = if path.exists() {
        let (store, stored, tree) = ProofStore::open(path).unwrap();
        assert_eq!(stored, task);
        (store, tree)
    } else {
        (ProofStore::create(path, &task).unwrap(), Tree::default())
    };
    println!(
        "loaded {} goals in {:.2} s",
        tree.len(),
        began.elapsed().as_secs_f64()
    );
    let mut coordinator = Coordinator::new(task, tree, size);
    let began = Instant::now();
    let state = Mutex::new((0, coordinator.bounds()));
    let observer = |coordinator: &Coordinator| {
        let mut state = state.lock().unwrap();
        state.0 += 1;
        if coordinator.bounds() != state.1 || state.0 % 1000 == 0 {
            state.1 = coordinator.bounds();
            println!(
                "{:?} {} jobs, {} nodes, tree {}, {:.1} s",
                state.1,
                state.0,
                coordinator.searched(),
                coordinator.tree().len(),
                began.elapsed().as_secs_f64()
            );
        }
    };
    prove(
        &mut coordinator,
        &mut store,
        &mut engine,
        threads.try_into().unwrap(),
        &stop,
        &observer,
    )
    .unwrap();
    println!(
        "{:?}: {} jobs, {} nodes, tree {}, {:.1} s",
        coordinator.bounds(),
        state.lock().unwrap().0,
        coordinator.searched(),
        coordinator.tree().len(),
        began.elapsed().as_secs_f64()
    );
    println!("{:?}", coordinator.move_bounds());
}
