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
    let table = Table::build(variant, seeds, threads.try_into().unwrap(), &mut |_| ControlFlow::Continue(())).unwrap();
    eprintln!("table {:.2} s", began.elapsed().as_secs_f64());
    let mut engine = GoalEngine::new(&position, hash, Some(Arc::new(table)));
    let stop = AtomicBool::new(false);
    let size = JobSize { min_nodes, divisor };
    engine.with_searcher(|searcher| {
        let coordinator = Mutex::new((Coordinator::new(&position, Margin::new(estimate), size), 0, (Margin::new(0), Margin::new(0))));
        let began = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let next = coordinator.lock().unwrap().0.next_job(searcher);
                        let NextJob::Job(job) = next else { break };
                        let result = searcher.search(job.goal.position(), job.goal.target(), job.thresholds, job.max_nodes, &stop);
                        let mut guard = coordinator.lock().unwrap();
                        guard.0.complete(&job, &result);
                        guard.1 += 1;
                        if guard.0.bounds() != guard.2 {
                            guard.2 = guard.0.bounds();
                            println!("{:?} {} jobs, {} nodes, tree {}, {:.1} s", guard.2, guard.1, guard.0.searched(), guard.0.tree().len(), began.elapsed().as_secs_f64());
                        }
                    }
                });
            }
        });
        let (coordinator, jobs, _) = coordinator.into_inner().unwrap();
        println!("{:?}: {jobs} jobs, {} nodes, tree {}, {:.1} s", coordinator.bounds(), coordinator.searched(), coordinator.tree().len(), began.elapsed().as_secs_f64());
    });
}
