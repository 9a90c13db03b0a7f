//! Games with variations, from records and back.

use kalah::{Move, Position, Rules, Setup};
use kalah_api::{GameView, PlyInput, PlyView, ReadRequest, RequestError, WriteRequest};
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn read(text: &str) -> Result<Vec<GameView>, RequestError> {
    let text = text.to_owned();
    ReadRequest { text }.execute().map(|games| games.games)
}

/// The only game of a text.
fn game(text: &str) -> GameView {
    let mut games = read(text).unwrap_or_else(|problem| panic!("{text}: {problem}"));
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0)
}

/// Choices with the places of those before them, and what is said of them.
fn plies(game: &GameView) -> Vec<(Option<usize>, &str, Vec<&str>)> {
    (game.plies.iter())
        .map(|ply| {
            let comments = ply.comments.iter().map(String::as_str).collect();
            (ply.parent, ply.result.mv.as_str(), comments)
        })
        .collect()
}

/// What writes the game again as it was read.
fn question(game: &GameView) -> WriteRequest {
    WriteRequest {
        rules: Some(game.start.rules.clone()),
        position: Some(game.start.position.clone()),
        tags: game.tags.clone(),
        comments: game.comments.clone(),
        plies: (game.plies.iter())
            .map(|ply| PlyInput {
                parent: ply.parent,
                mv: ply.result.mv.clone(),
                comments: ply.comments.clone(),
            })
            .collect(),
        termination: Some(game.termination.clone()),
        winner: game.winner,
    }
}

#[test]
fn variations_share_what_they_have_in_common() {
    let text =
        "{ before } 1. C { bonus } F { why } ( { instead } 1. CE a ) ( 1. A ( 1. B ) b ) 1... a *";
    let game = game(text);
    assert_eq!(game.comments, ["before"]);
    assert_eq!(
        plies(&game),
        [
            (None, "C", vec!["bonus", "instead"]),
            (Some(0), "F", vec!["why"]),
            (Some(0), "E", vec![]),
            (Some(2), "a", vec![]),
            (None, "A", vec![]),
            (None, "B", vec![]),
            (Some(4), "b", vec![]),
            (Some(1), "a", vec![]),
        ]
    );
    assert_eq!(
        (game.termination.as_str(), game.winner),
        ("unfinished", None)
    );
}

#[test]
fn a_game_that_was_resigned_stays_so() {
    let resigned =
        game("[South \"Marge\"]\n[Termination \"resign\"]\n[Winner \"North\"]\n\n1. CF *");
    let text = question(&resigned).execute().expect("a game").text;
    assert_eq!(
        text,
        "[South \"Marge\"]\n[Rules \"cs32\"]\n[Position \"6x4\"]\n[Result \"*\"]\n[Termination \"resign\"]\n\
         [Winner \"North\"]\n\n1. CF *\n"
    );
}

#[test]
fn a_variation_of_a_turns_second_sowing_is_written_from_the_turns_beginning() {
    let written = question(&game("1. CF ( 1. CE a ) a *"))
        .execute()
        .expect("a game");
    assert!(
        written.text.ends_with("\n\n1. CF ( 1. CE a ) 1... a *\n"),
        "{}",
        written.text
    );
}

/// A game whose plies each follow some earlier one.
fn games() -> impl Strategy<Value = GameView> {
    let starts = select(vec!["6x4", "3x2", "<4,0,0,1,0,3,2,2,0,4,1> n", "2x9"]);
    let rules = select(vec![
        Rules::CS32,
        Rules::STANDARD,
        Rules::EMPTY_CAPTURE,
        Rules::MANKALAH,
    ]);
    let picks = prop::collection::vec((0..4_u8, any::<Index>(), any::<Index>()), 0..40);
    (starts, rules, picks).prop_map(|(start, rules, picks)| {
        let setup: Setup = start.parse().expect("a position");
        let start = setup.position(rules).expect("playable");
        tree(&start, &picks)
    })
}

/// Three times of four the line goes on where it is; else it branches off anywhere.
fn tree(start: &Position, picks: &[(u8, Index, Index)]) -> GameView {
    let mut after: Vec<Position> = Vec::new();
    let mut plies: Vec<PlyView> = Vec::new();
    for (kind, from, which) in picks {
        let last = plies.len().checked_sub(1);
        let parent = if *kind > 0 {
            last
        } else {
            from.index(plies.len() + 1).checked_sub(1)
        };
        let mut position = parent.map_or(start, |parent| &after[parent]).clone();
        let moves: Vec<Move> = position.legal_moves().collect();
        if moves.is_empty() {
            continue;
        }
        let mv = moves[which.index(moves.len())];
        let sown = kalah_api::MoveResultView::play(&mut position, mv).expect("it is legal");
        let is_known = |ply: &PlyView| ply.parent == parent && ply.result.mv == sown.mv;
        if plies.iter().any(is_known) {
            continue;
        }
        let comments = if *kind == 1 {
            vec![format!("ply {}", plies.len())]
        } else {
            Vec::new()
        };
        plies.push(PlyView {
            parent,
            result: sown,
            comments,
        });
        after.push(position);
    }
    let over = plies.first().is_some_and(|_| {
        let mut at = 0;
        while let Some(next) = plies.iter().position(|ply| ply.parent == Some(at)) {
            at = next;
        }
        after[at].is_over()
    });
    let mut read = read("*").expect("a game").remove(0);
    read.tags.clear();
    read.start = start.into();
    read.plies = plies;
    (if over { "normal" } else { "unfinished" }).clone_into(&mut read.termination);
    read.winner = None;
    read
}

/// The plies as paths of choices from the start, in an order of their own, with what is said of them; and which of
/// those that follow the same ply come first.
fn paths(game: &GameView) -> Vec<(Vec<String>, Vec<String>, bool)> {
    let path = |mut ply: usize| {
        let mut path = vec![game.plies[ply].result.mv.clone()];
        while let Some(parent) = game.plies[ply].parent {
            path.push(game.plies[parent].result.mv.clone());
            ply = parent;
        }
        path.reverse();
        path
    };
    let is_first = |ply: usize| {
        let same = |other: &&PlyView| other.parent == game.plies[ply].parent;
        game.plies
            .iter()
            .find(same)
            .is_some_and(|first| *first == game.plies[ply])
    };
    let mut paths: Vec<_> = (0..game.plies.len())
        .map(|ply| (path(ply), game.plies[ply].comments.clone(), is_first(ply)))
        .collect();
    paths.sort();
    paths
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_written_reads_back_to_the_same_tree(tree in games()) {
        let text = question(&tree).execute().expect("a game").text;
        let back = game(&text);
        prop_assert_eq!(&back.start, &tree.start);
        prop_assert_eq!(&back.termination, &tree.termination);
        prop_assert_eq!(paths(&back), paths(&tree), "{}", text);
        prop_assert_eq!(question(&back).execute().expect("a game").text, text);
    }

    #[test]
    fn any_list_of_plies_is_written_or_refused(plies in prop::collection::vec((prop::option::of(0..6_usize), "[A-Fa-f]|swap"), 0..8)) {
        let plies = plies.into_iter().map(|(parent, mv)| PlyInput { parent, mv, comments: Vec::new() });
        let question = WriteRequest { plies: plies.collect(), ..question(&game("*")) };
        if let Ok(written) = question.execute() {
            game(&written.text);
        }
    }
}
