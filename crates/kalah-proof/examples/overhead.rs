//! Compares jobs with one search.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
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
    let min_budget: u64 = args[5].parse().unwrap();
    let divisor: u64 = args[6].parse().unwrap();
    let hash: usize = args[7].parse::<usize>().unwrap() << 20;
    let targets: Vec<i32> = args[8].split(',').map(|t| t.parse().unwrap()).collect();
    let factor: f64 = args.get(9).map_or(1.5, |f| f.parse().unwrap());
    *JOB_FACTOR.lock().unwrap() = factor;
    let epsilon: f64 = args.get(10).map_or(f64::INFINITY, |f| f.parse().unwrap());
    let position = start.position(rules).unwrap();
    let began = Instant::now();
    let table = Table::build(Variant::from_position(&position), seeds, threads.try_into().unwrap(), &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    eprintln!("table {:.2} s", began.elapsed().as_secs_f64());
    let mut engine = GoalEngine::new(&position, hash, Some(Arc::new(table)));
    let stop = AtomicBool::new(false);
    engine.with_searcher(|searcher| {
        let mut total_all = 0;
        for &target in &targets {
            let goal = ProofGoal::new(&position, Margin::new(target));
            let tree = Mutex::new(Tree::default());
            let root = tree.lock().unwrap().insert(goal, ProofNumbers { proof: 1.0, disproof: 1.0 });
            let total = AtomicU64::new(0);
            let jobs = AtomicU64::new(0);
            let early = AtomicU64::new(0);
            let began = Instant::now();
            let _cv = Condvar::new();
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        loop {
                            let (path, leaf, goal, budget, thresholds) = {
                                let mut tree = tree.lock().unwrap();
                                if tree.node(root).numbers.result().is_some() { return; }
                                let mut selected = tree.select(root, epsilon);
                                while tree.node(selected.1).jobs_count() > 1 {
                                    // expand the leaf that is being searched
                                    let goal = tree.node(selected.1).goal.clone();
                                    let result = searcher.search(goal.position(), goal.target(), ProofNumbers::INFINITE, 0, &stop);
                                    tree.unmark(&selected.0, selected.1);
                                    match result.answer {
                                        Some(a) => tree.solve(selected.1, a),
                                        None => tree.expand(selected.1, &result.children),
                                    }
                                    early.fetch_add(1, Ordering::Relaxed);
                                    if tree.node(root).numbers.result().is_some() { return; }
                                    selected = tree.select(root, epsilon);
                                }
                                let goal = tree.node(selected.1).goal.clone();
                                let budget = min_budget.max(total.load(Ordering::Relaxed) / divisor);
                                (selected.0, selected.1, goal, budget, selected.2)
                            };
                            let result = searcher.search(goal.position(), goal.target(), if epsilon.is_finite() { thresholds } else { ProofNumbers::INFINITE }, budget, &stop);
                            total.fetch_add(result.nodes, Ordering::Relaxed);
                            jobs.fetch_add(1, Ordering::Relaxed);
                            let mut tree = tree.lock().unwrap();
                            tree.unmark(&path, leaf);
                            tree.add_searched(leaf, result.nodes);
                            match result.answer {
                                Some(answer) => tree.solve(leaf, answer),
                                None if tree.node(leaf).searched >= budget => tree.expand(leaf, &result.children),
                                None => {
                                    let mut numbers = ProofNumbers::DISPROVEN;
                                    for (_, child) in &result.children {
                                        numbers.proof = numbers.proof.min(child.proof);
                                        numbers.disproof += child.disproof;
                                    }
                                    tree.set_numbers(leaf, numbers);
                                }
                            }
                        }
                    });
                }
            });
            let tree = tree.into_inner().unwrap();
            total_all += total.load(Ordering::Relaxed);
            println!("target {target}: {:?}, {} nodes, {} jobs, {} early, tree {}, {:.2} s", tree.node(root).numbers.result(), total.load(Ordering::Relaxed), jobs.load(Ordering::Relaxed), early.load(Ordering::Relaxed), tree.len(), began.elapsed().as_secs_f64());
        }
        println!("total {total_all}, {:.2} s", began.elapsed().as_secs_f64());
    });
}
