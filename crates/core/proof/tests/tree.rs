//! Proof trees that are built by hand: the selection of leaves, implied answers and guides.

use kalah::{Margin, Move, Position, Rules};
use kalah_engine::ProofNumbers;
use kalah_proof::{
    CurrentGoal, MarginProof, NodeId, ProofGoal, ProofGuide, ProofStatement, Selection,
    StoredProof, Tree,
};

/// Returns a tree whose root has the moves of 6x4, the first two of which have these proof
/// numbers. All other moves take much more work. Both moves end the turn.
fn tree(first: f64, second: f64) -> (Tree, NodeId) {
    let start = Position::start(6, 4, Rules::STANDARD).unwrap();
    let mut tree = Tree::default();
    let one = ProofNumbers {
        proof: 1.0,
        disproof: 1.0,
    };
    let root = tree.insert(ProofGoal::new(&start, Margin::new(2)), one);
    let proofs = [first, second, 1e9, 1e9, 1e9, 1e9];
    let children = start.legal_moves().zip(proofs).map(|(mv, proof)| {
        let disproof = proof;
        (mv, ProofNumbers { proof, disproof })
    });
    tree.expand(root, &children.collect::<Vec<_>>());
    (tree, root)
}

/// Returns the move from the root that leads to the leaf of a selection.
fn selected(tree: &Tree, root: NodeId, selection: &Selection) -> Move {
    let mut edges = tree.node(root).edges().iter();
    let edge = edges.find(|edge| edge.child == selection.leaf);
    edge.expect("a child of the root").mv
}

#[test]
fn leaf_that_one_job_can_decide_is_not_shared() {
    let (mut tree, root) = tree(10.0, 500.0);
    let moves: Vec<Move> = tree.node(root).edges().iter().map(|edge| edge.mv).collect();
    let first = tree.select(root);
    assert_eq!(selected(&tree, root, &first), moves[0]);
    let second = tree.select(root);
    assert_eq!(selected(&tree, root, &second), moves[1]);
    for selection in [&first, &second] {
        assert!(!tree.node(selection.leaf).is_shared());
    }
    // The mark of the first job is removed with it, and the other one stays.
    tree.release(&first);
    let third = tree.select(root);
    assert_eq!(selected(&tree, root, &third), moves[0]);
}

#[test]
fn leaf_with_much_work_is_shared() {
    let (mut tree, root) = tree(500.0, 600.0);
    let first = tree.select(root);
    let second = tree.select(root);
    assert_eq!(first.leaf, second.leaf);
    assert!(tree.node(first.leaf).is_shared());
    // Each job counts, so that the third one goes elsewhere.
    assert_ne!(tree.select(root).leaf, first.leaf);
}

#[test]
fn single_job_ends_when_another_leaf_is_more_promising() {
    let (mut tree, root) = tree(10.0, 12.0);
    let alone = tree.select(root);
    // A proof of the child's goal refutes the move.
    let threshold = alone.thresholds.disproof;
    assert!((12.0..20.0).contains(&threshold), "{threshold}");
    tree.release(&alone);
    let again = tree.select(root);
    assert_eq!(
        (again.leaf, again.thresholds),
        (alone.leaf, alone.thresholds)
    );
    // With several jobs, a job searches until its leaf has several times the work.
    let other = tree.select(root);
    assert_ne!(other.leaf, again.leaf);
    let thresholds = other.thresholds;
    assert!(
        thresholds.proof.min(thresholds.disproof) >= 40.0,
        "{thresholds:?}"
    );
}

#[test]
fn answer_of_a_goal_follows_from_other_targets() {
    let start = Position::start(6, 4, Rules::STANDARD).unwrap();
    let goal = |target| ProofGoal::new(&start, Margin::new(target));
    let answers = |tree: &Tree| [-4, -2, 0, 2, 4].map(|target| tree.answer(&goal(target)));
    let mut tree = Tree::default();
    assert_eq!(answers(&tree), [None; 5]);
    let id = tree.insert(goal(-2), ProofNumbers::UNKNOWN);
    tree.set_numbers(id, ProofNumbers::from_result(true));
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(answers(&tree), [yes, yes, None, None, None]);
    let id = tree.insert(goal(2), ProofNumbers::UNKNOWN);
    tree.set_numbers(id, ProofNumbers::from_result(false));
    assert_eq!(answers(&tree), [yes, yes, None, no, no]);
}

#[test]
fn guide_takes_the_move_that_took_the_least_work() {
    let position = Position::start(6, 4, Rules::STANDARD).unwrap();
    let estimate = Margin::new(2);
    let statement = ProofStatement {
        position,
        all_moves: false,
        estimate,
    };
    let goal = MarginProof::new(&statement.position, estimate).next_goal();
    let goal = goal.unwrap();
    let mut tree = Tree::default();
    let root = tree.insert(goal.clone(), ProofNumbers::UNKNOWN);
    let moves: Vec<Move> = goal.position().legal_moves().collect();
    let unknown: Vec<_> = moves
        .iter()
        .map(|&mv| (mv, ProofNumbers::UNKNOWN))
        .collect();
    tree.expand(root, &unknown);
    // Both moves reach the target.
    for (&mv, nodes) in moves.iter().zip([1000, 10]) {
        let child = goal.child(mv);
        let id = tree.find(&child.goal).unwrap();
        tree.add_searched(id, nodes);
        tree.set_numbers(id, ProofNumbers::from_result(child.same_player));
    }
    let proof = StoredProof {
        statement,
        tree,
        runs: Vec::new(),
    };
    let mut guide = ProofGuide::new(&proof, false).tree;
    let root = guide.find(&goal).unwrap();
    let selection = guide.select(root);
    assert_eq!(selected(&guide, root, &selection), moves[1]);
}

#[test]
fn work_left_follows_from_the_complete_part() {
    let left = |complete| {
        let goal = CurrentGoal {
            mv: None,
            target: Margin::new(2),
            expected: true,
            complete,
            nodes: 100,
            line: Vec::new(),
        };
        goal.nodes_left()
    };
    assert_eq!(left(0.01), None);
    assert_eq!(left(0.25), Some(300));
    assert_eq!(left(1.0), Some(0));
}
