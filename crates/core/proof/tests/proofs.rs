//! Proofs against the naive reference, interrupted and resumed.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kalah::{Margin, Move, Position, Rules, Side, reference};
use kalah_engine::{Bounds, GoalEngine, GoalResult};
use kalah_proof::{
    Coordinator, JobSize, LocalRun, NextJob, ProofGoal, ProofGuide, ProofStatement, ProofStore,
    ProofStoreError, StoreDamage, StoredProof, Tree, prove,
};
use rusqlite::Connection;

const HASH_BYTES: usize = 4 << 20;

/// Jobs of a few nodes, so that small proofs have many.
const SMALL: JobSize = JobSize {
    min_nodes: 20,
    divisor: 1000,
};

fn statement(houses: u8, seeds: u64, rules: Rules) -> ProofStatement {
    ProofStatement {
        position: Position::start(houses, seeds, rules).unwrap(),
        all_moves: true,
        estimate: Margin::new(0),
    }
}

/// Goes on with a proof until `jobs` jobs are finished, or to its end.
fn prove_jobs(path: &Path, statement: &ProofStatement, jobs: u64, threads: usize) -> Coordinator {
    let (position, all_moves) = (&statement.position, statement.all_moves);
    let estimate = || Some(statement.estimate);
    let opened = ProofStore::open_or_create(path, position, all_moves, None, estimate);
    let (mut store, proof) = opened.unwrap();
    assert_eq!(&proof.statement, statement);
    let mut coordinator = Coordinator::new(proof.statement, proof.tree, SMALL);
    let mut engine = GoalEngine::new(&statement.position, HASH_BYTES, None);
    let (stop_flag, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let observer = |_: &Coordinator| {
        if done.fetch_add(1, Ordering::Relaxed) + 1 >= jobs {
            stop_flag.store(true, Ordering::Relaxed);
        }
    };
    let threads = NonZeroUsize::new(threads).unwrap();
    let run = LocalRun {
        threads,
        stop_flag: &stop_flag,
        clock: &|| Duration::from_secs(1),
        observer: &observer,
    };
    prove(&mut coordinator, &mut store, &mut engine, run).unwrap();
    coordinator
}

/// Returns the margin of each move by the naive reference.
fn naive_margins(position: &Position) -> Vec<(Move, Margin)> {
    let margin = |mv| {
        let mut after = position.clone();
        after.play(mv).unwrap();
        let margin = reference::margin(&after);
        if is_same_player(position.to_move(), mv, &after) {
            margin
        } else {
            -margin
        }
    };
    position.legal_moves().map(|mv| (mv, margin(mv))).collect()
}

/// Returns whether the player that made a move for `side` also moves after it.
fn is_same_player(side: Side, mv: Move, after: &Position) -> bool {
    after.to_move() == side && mv != Move::Swap
}

fn assert_naive(coordinator: &Coordinator) {
    let position = &coordinator.statement().position;
    let bounds = |margin| Bounds {
        lower: margin,
        upper: margin,
    };
    let margin = reference::margin(position);
    assert_eq!(coordinator.bounds(), bounds(margin), "'{position}'");
    let exact = naive_margins(position).into_iter();
    let exact: Vec<_> = exact.map(|(mv, margin)| (mv, bounds(margin))).collect();
    assert!(coordinator.is_finished(), "'{position}'");
    assert_eq!(coordinator.move_bounds(), exact, "'{position}'");
    assert_best_play(position, &coordinator.status().line);
}

/// Compares the margin after each move of a line with that before it.
fn assert_best_play(position: &Position, line: &[(Side, Move)]) {
    assert!(!line.is_empty(), "'{position}'");
    let (mut after, mut margin) = (position.clone(), reference::margin(position));
    for &(side, mv) in line {
        assert_eq!(after.to_move(), side, "'{position}'");
        after.play(mv).unwrap();
        if !is_same_player(side, mv, &after) {
            margin = -margin;
        }
        assert_eq!(reference::margin(&after), margin, "'{position}', '{after}'");
    }
}

#[test]
fn proofs_have_the_naive_margins() {
    for preset in Rules::PRESETS {
        for (houses, seeds) in [(1, 3), (2, 2), (2, 4), (3, 2), (3, 3)] {
            for threads in [1, 3] {
                let folder = tempfile::tempdir().unwrap();
                let statement = statement(houses, seeds, preset.rules);
                let path = folder.path().join("proof");
                assert_naive(&prove_jobs(&path, &statement, u64::MAX, threads));
            }
        }
    }
}

/// Repeats the proof of `position` at `earlier` with its guide, with one thread and in runs of 100
/// jobs.
fn repeat(earlier: &Path, position: &Position) -> Coordinator {
    let path = earlier.with_extension("repetition");
    let created = ProofStore::open_or_create(&path, position, true, Some(earlier), || None);
    let StoredProof { statement, .. } = created.unwrap().1;
    loop {
        let coordinator = prove_jobs(&path, &statement, 100, 1);
        if coordinator.is_finished() {
            return coordinator;
        }
    }
}

#[test]
fn guided_proof_has_the_naive_margins_with_fewer_nodes() {
    let (mut nodes, mut guided_nodes) = (0, 0);
    for preset in Rules::PRESETS {
        for (houses, seeds) in [(1, 3), (2, 4), (3, 2), (3, 3)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("proof");
            let statement = statement(houses, seeds, preset.rules);
            let proven = prove_jobs(&path, &statement, u64::MAX, 1);
            let guided = repeat(&path, &statement.position);
            assert_naive(&guided);
            assert_eq!(guided.statement().estimate, proven.bounds().lower);
            nodes += proven.nodes();
            guided_nodes += guided.nodes();
        }
    }
    assert!(guided_nodes < nodes, "{guided_nodes} of {nodes}");
}

/// Returns whether an answer of a tree contradicts the naive reference.
fn has_wrong_answers(tree: &Tree) -> bool {
    tree.ids().any(|id| {
        let goal = tree.goal(id);
        let is_reached = reference::margin(goal.position()) >= goal.target();
        tree.node(id).answer() == Some(!is_reached)
    })
}

/// Completes a proof in memory, with one thread. `change` changes the result of each job.
fn prove_in_memory(coordinator: &mut Coordinator, change: impl Fn(&mut GoalResult)) {
    let mut engine = GoalEngine::new(&coordinator.statement().position, HASH_BYTES, None);
    engine.with_searcher(|searcher| {
        while let NextJob::Job(job) = coordinator.next_job(searcher) {
            let (position, target) = (job.goal.position(), job.goal.target());
            let mut result = searcher.search(position, target, job.thresholds, job.max_nodes, &[]);
            change(&mut result);
            coordinator.complete(&job, &result);
        }
    });
}

/// An earlier proof with wrong results leads to other goals, but not to other answers.
#[test]
fn wrong_guide_does_not_change_the_margins() {
    for preset in Rules::PRESETS {
        let statement = statement(3, 3, preset.rules);
        let mut wrong = Coordinator::new(statement.clone(), Tree::default(), SMALL);
        prove_in_memory(&mut wrong, |result| {
            result.answer = result.answer.map(|answer| !answer);
        });
        assert!(has_wrong_answers(wrong.tree()), "{}", preset.name);
        let wrong = StoredProof {
            statement: statement.clone(),
            tree: wrong.tree().clone(),
            runs: Vec::new(),
        };
        let ProofGuide { estimate, tree } = ProofGuide::new(&wrong, true);
        assert!(!has_wrong_answers(&tree), "{}", preset.name);
        let statement = ProofStatement {
            estimate,
            ..statement
        };
        let mut guided = Coordinator::new(statement, tree, SMALL);
        prove_in_memory(&mut guided, |_| {});
        assert_naive(&guided);
    }
}

#[test]
fn guide_of_an_interrupted_proof_has_its_estimate() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let statement = statement(3, 3, Rules::STANDARD);
    prove_jobs(&path, &statement, 3, 1);
    let guide = ProofGuide::read(&path, &statement.position, true).unwrap();
    assert_eq!(guide.estimate, statement.estimate);
    let other = Position::start(3, 3, Rules::CS32).unwrap();
    let error = ProofGuide::read(&path, &other, true).unwrap_err();
    assert!(
        matches!(error, ProofStoreError::OtherPosition { .. }),
        "{error}"
    );
    let new = folder.path().join("new");
    let opened = ProofStore::open_or_create(&new, &other, true, Some(&path), || None);
    let error = opened.err().unwrap();
    assert!(
        matches!(error, ProofStoreError::OtherPosition { .. }),
        "{error}"
    );
    assert!(!new.exists());
}

#[test]
fn guide_has_the_moves_of_goals_that_a_search_did_not_decide() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let statement = statement(3, 3, Rules::STANDARD);
    let margin = prove_jobs(&path, &statement, u64::MAX, 1).bounds().lower;
    let proof = ProofStore::read(&path).unwrap();
    let guide = ProofGuide::new(&proof, false).tree;
    // The next target is missed: its answer depends on all moves.
    let target = Margin::new(margin.seeds() + 2);
    let goal = ProofGoal::new(&statement.position, target);
    let is_leaf = |tree: &Tree| tree.node(tree.find(&goal).unwrap()).is_leaf();
    assert!(!is_leaf(&proof.tree));
    assert!(!is_leaf(&guide));
}

#[test]
fn guide_has_goals_of_moves_only_for_a_proof_of_all_moves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    prove_jobs(&path, &statement(3, 3, Rules::STANDARD), u64::MAX, 1);
    let proof = ProofStore::read(&path).unwrap();
    let goals = |all_moves| ProofGuide::new(&proof, all_moves).tree.len();
    assert!(goals(false) < goals(true));
}

#[test]
fn interrupted_proof_goes_on_without_a_loss() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let statement = statement(3, 3, Rules::STANDARD);
    let (mut runs, mut searched) = (0, 0);
    loop {
        let coordinator = prove_jobs(&path, &statement, 3, 2);
        assert!(coordinator.nodes() >= searched);
        searched = coordinator.nodes();
        runs += 1;
        if coordinator.is_finished() {
            assert_naive(&coordinator);
            break;
        }
    }
    assert!(runs > 10, "{runs}");
    let (store, proof) = ProofStore::open(&path).unwrap();
    assert_eq!(
        (store.runs().unwrap(), proof.runs.len()),
        (proof.runs, runs)
    );
    drop(store);
    // A complete proof has no jobs.
    assert_eq!(prove_jobs(&path, &statement, u64::MAX, 1).nodes(), searched);
}

#[test]
fn store_can_be_read_but_not_written_by_two() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let statement = statement(2, 2, Rules::CS32);
    let store = ProofStore::create(&path, &statement).unwrap();
    let proof = ProofStore::read(&path).unwrap();
    assert_eq!((proof.statement, proof.tree.len()), (statement.clone(), 0));
    assert_eq!(store.runs().unwrap(), []);
    let holder = ProofStore::holder(&path).unwrap();
    assert!(holder.starts_with(&format!("process {}", std::process::id())));
    let error = ProofStore::open(&path).err().unwrap().to_string();
    let process = format!("is in use by process {}", std::process::id());
    assert!(error.contains(&process), "{error}");
    drop(store);
    assert_eq!(ProofStore::holder(&path), None);
    assert!(ProofStore::open(&path).is_ok());
    let error = ProofStore::create(&path, &statement).err().unwrap();
    assert!(matches!(error, ProofStoreError::Exists(_)), "{error}");
}

#[test]
fn store_is_in_use_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("proof"), folder.path().join("link"));
    let store = ProofStore::create(&path, &statement(2, 2, Rules::CS32)).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&path, &link).unwrap();
    #[cfg(windows)]
    std::os::windows::fs::symlink_file(&path, &link).unwrap();
    assert_eq!(ProofStore::holder(&link), ProofStore::holder(&path));
    let error = ProofStore::open(&link).err().unwrap();
    assert!(matches!(error, ProofStoreError::InUse { .. }), "{error}");
    drop(store);
    drop(ProofStore::open(&link).unwrap());
    // Neither name has a lock or a journal any more.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn store_is_extended_to_all_moves_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let position = statement(2, 2, Rules::CS32).position;
    for (all_moves, stored) in [(false, false), (false, false), (true, true), (false, true)] {
        let estimate = || Some(Margin::new(0));
        let opened = ProofStore::open_or_create(&path, &position, all_moves, None, estimate);
        let (store, proof) = opened.unwrap();
        assert_eq!(proof.statement.all_moves, stored);
        drop(store);
        assert_eq!(ProofStore::read(&path).unwrap().statement.all_moves, stored);
    }
}

#[test]
fn store_that_cannot_be_locked_names_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let error_at = |path: &Path| {
        let created = ProofStore::create(path, &statement(2, 2, Rules::CS32));
        created.err().unwrap()
    };
    let error = error_at(&folder.path().join("absent").join("proof"));
    assert!(matches!(error, ProofStoreError::NoFolder { .. }), "{error}");
    // A folder has the name of the lock file.
    std::fs::create_dir(folder.path().join("proof.lock")).unwrap();
    let error = error_at(&folder.path().join("proof"));
    assert!(matches!(error, ProofStoreError::Lock { .. }), "{error}");
}

#[test]
fn stopped_estimate_creates_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let position = statement(2, 2, Rules::CS32).position;
    let opened = ProofStore::open_or_create(&path, &position, false, None, || None);
    let error = opened.err().unwrap();
    assert!(matches!(error, ProofStoreError::EstimateStopped), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Returns the error of a store after a change of its database.
fn error_after(change: &str) -> ProofStoreError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    prove_jobs(&path, &statement(3, 2, Rules::STANDARD), u64::MAX, 1);
    Connection::open(&path)
        .unwrap()
        .execute_batch(change)
        .unwrap();
    ProofStore::read(&path).err().unwrap()
}

#[test]
fn damaged_stores_are_refused() {
    let damage = |change: &str| match error_after(change) {
        ProofStoreError::Damaged { damage, .. } => damage,
        error => panic!("{error}"),
    };
    assert_eq!(damage("DELETE FROM proof"), StoreDamage::NoStatement);
    assert!(matches!(
        damage("UPDATE proof SET rules = 'chess'"),
        StoreDamage::Rules(_)
    ));
    assert!(matches!(
        damage("UPDATE proof SET position = 'x'"),
        StoreDamage::Position(_)
    ));
    assert!(matches!(
        damage("UPDATE goals SET position = 'x' WHERE id = 1"),
        StoreDamage::Position(_)
    ));
    assert!(matches!(
        damage("UPDATE goals SET target = target + 1 WHERE id = 1"),
        StoreDamage::Goal { .. }
    ));
    assert_eq!(
        damage("DELETE FROM goals WHERE id = 1"),
        StoreDamage::Number {
            expected: 1,
            found: 2
        }
    );
    for (proof, disproof) in [("0", "1"), ("1", "-5"), ("1", "9e999"), ("NULL", "1")] {
        let change = format!(
            "UPDATE goals SET answer = NULL, expanded = 0, proof = {proof}, disproof = {disproof}
             WHERE id = (SELECT max(id) FROM goals)"
        );
        assert!(matches!(damage(&change), StoreDamage::Numbers { .. }));
    }
    for change in [
        "UPDATE goals SET answer = 1 - answer WHERE id = 0",
        // The answers of these goals follow from those below them.
        "UPDATE goals SET answer = 1 - answer WHERE id = 0;
         UPDATE goals SET answer = NULL WHERE expanded = 1 AND id > 0",
    ] {
        assert!(matches!(damage(change), StoreDamage::Contradiction { .. }));
    }
    for number in [2_147_483_647, -2_147_483_648, i64::MAX] {
        assert!(matches!(
            damage(&format!("UPDATE goals SET target = {number} WHERE id = 1")),
            StoreDamage::Goal { target, .. } if target == number
        ));
        let estimate = damage(&format!("UPDATE proof SET estimate = {number}"));
        assert_eq!(estimate, StoreDamage::Estimate(number));
    }
    let last = "DELETE FROM goals WHERE id = (SELECT max(id) FROM goals)";
    assert!(matches!(damage(last), StoreDamage::MissingChild { .. }));
    assert!(matches!(
        error_after("PRAGMA user_version = 2"),
        ProofStoreError::Version { found: 2, .. }
    ));
    assert!(matches!(
        error_after("PRAGMA application_id = 1"),
        ProofStoreError::NotAStore(_)
    ));
}

#[test]
fn numbers_of_expanded_goals_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    prove_jobs(&path, &statement(3, 3, Rules::STANDARD), 10, 1);
    let expected = ProofStore::read(&path).unwrap().tree;
    let is_open = |id| expected.node(id).answer().is_none() && !expected.node(id).is_leaf();
    assert!(expected.ids().any(is_open));
    for (proof, disproof) in [("0", "1"), ("1", "0"), ("-5", "1"), ("9e999", "NULL")] {
        let change = format!(
            "UPDATE goals SET proof = {proof}, disproof = {disproof}
             WHERE expanded = 1 AND answer IS NULL"
        );
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(&change).unwrap();
        let tree = ProofStore::read(&path).unwrap().tree;
        for id in expected.ids() {
            assert_eq!(tree.node(id).numbers, expected.node(id).numbers, "{change}");
        }
    }
}

#[test]
fn finished_goal_has_its_answer_whatever_its_row_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    prove_jobs(&path, &statement(3, 2, Rules::STANDARD), 1, 1);
    Connection::open(&path)
        .unwrap()
        .execute_batch(
            "INSERT INTO goals
             SELECT max(id) + 1, '<3,0,0,0,0,0,0,0,0> s', 0, NULL, 1, NULL, NULL, 0 FROM goals",
        )
        .unwrap();
    let tree = ProofStore::read(&path).unwrap().tree;
    let id = tree.ids().last().unwrap();
    assert!(tree.goal(id).position().is_over());
    assert_eq!(tree.node(id).answer(), Some(true));
}

#[test]
fn files_that_are_no_stores_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    assert!(matches!(
        ProofStore::read(&path),
        Err(ProofStoreError::NotFound(_))
    ));
    assert!(matches!(
        ProofStore::open(&path),
        Err(ProofStoreError::NotFound(_))
    ));
    for content in [&b""[..], b"no database", &[0; 5000]] {
        std::fs::write(&path, content).unwrap();
        assert!(
            matches!(ProofStore::read(&path), Err(ProofStoreError::NotAStore(_))),
            "{content:?}"
        );
    }
}
