//! Answers of goals by the search of the checker.

use std::sync::atomic::AtomicBool;

use kalah::{FirstPlies, Rules};

use crate::certificate::Certificate;
use crate::goal::{Goal, seeds_in_play};
use crate::search::{CheckSearch, NoAnswer, SearchTables};

/// Creates the tables for searches of the goals of a certificate, which take at most about `bytes`.
pub(crate) fn search_tables(certificate: &Certificate, bytes: usize) -> SearchTables {
    let statement = certificate.statement();
    let houses = statement.position().rows.south.len();
    // A search begins after the first plies: see `decide_with`.
    let rules = statement.rules().house_rules;
    SearchTables::new(rules, houses, max_seeds(certificate), bytes)
}

/// Returns the most seeds in the houses of any position of a certificate.
pub(crate) fn max_seeds(certificate: &Certificate) -> u32 {
    let goals = certificate.goals().keys().map(Goal::position);
    let positions = goals.chain([certificate.statement().position()]);
    let most = positions.map(seeds_in_play).max().unwrap_or_default();
    u32::try_from(most).unwrap_or_default()
}

/// Returns the answer of a goal and the nodes that the search has visited.
pub(crate) fn decide(
    goal: &Goal,
    rules: Rules,
    tables: &SearchTables,
    max_nodes: u64,
    stop_flag: &AtomicBool,
) -> (Result<bool, NoAnswer>, u64) {
    let mut search = CheckSearch::new(tables, max_nodes, stop_flag);
    let answer = decide_with(goal, rules, &mut search);
    (answer, search.nodes())
}

/// Positions at ply 1 or 2, in which a swap or the first bonus turn matters, are resolved by the
/// naive rules, and later ones by the search.
fn decide_with(goal: &Goal, rules: Rules, search: &mut CheckSearch<'_>) -> Result<bool, NoAnswer> {
    if let Some(answer) = goal.trivial_answer(rules) {
        return Ok(answer);
    }
    if goal.position().first_plies == FirstPlies::Later {
        return search.reaches(goal.position(), goal.target());
    }
    for child in goal.children(rules) {
        if child.convert(decide_with(&child.goal, rules, search)?) {
            return Ok(true);
        }
    }
    Ok(false)
}
