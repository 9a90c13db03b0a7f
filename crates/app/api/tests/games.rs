//! Conversion of games with variations from records to lists of plies and back.

use kalah::{Move, Position, Rules, Setup};
use kalah_api::{
    GameView, MoveResultView, PlyInput, PlyView, ReadErrorView, ReadRequest, ReadResponse,
    WriteRequest,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn read(text: &str) -> ReadResponse {
    let text = text.to_owned();
    ReadRequest { text }.execute().expect("few games")
}

/// Returns the only game of a text.
fn read_game(text: &str) -> GameView {
    let mut read = read(text);
    assert_eq!((read.games.len(), &read.errors[..]), (1, &[][..]), "{text}");
    read.games.remove(0)
}

/// Returns the parent, the move and the comments of each ply.
fn plies(game: &GameView) -> Vec<(Option<usize>, &str, Vec<&str>)> {
    (game.plies.iter())
        .map(|ply| {
            let comments = ply.comments.iter().map(String::as_str).collect();
            (ply.parent, ply.result.mv.as_str(), comments)
        })
        .collect()
}

/// Returns the request that writes a game.
fn write_request(game: &GameView) -> WriteRequest {
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
fn variations_share_their_common_plies() {
    let text =
        "{ before } 1. C { bonus } F { why } ( { instead } 1. CE a ) ( 1. A ( 1. B ) b ) 1... a *";
    let game = read_game(text);
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

/// Texts of three games, and the location and the message of the error of the second.
const TEXTS_WITH_A_BAD_GAME: &[(&str, usize, usize, &str)] = &[
    (
        "1. A a *\n1. C C *\n1. B b *\n",
        2,
        6,
        "turn 1: sowing `C`: house C is empty",
    ),
    (
        "1. A a *\n\n1. C C *\n\n1. B b *\n",
        3,
        6,
        "turn 1: sowing `C`: house C is empty",
    ),
    (
        "1. A a * 1. C 25-23 1. B b *",
        1,
        15,
        "the result `25-23` contradicts the board: the game was neither played to its end nor adjudicated",
    ),
    (
        "[Event \"1\"]\n\n1. A a\n\n[Event \"2\"]\n\n1. ?\n\n[Event \"3\"]\n\n1. B b\n",
        7,
        4,
        "unexpected character `?`",
    ),
    (
        "[Event \"1\"]\n\n1. A a *\n\n[Event 2]\n\n*\n\n[Event \"3\"]\n\n1. B b *\n",
        5,
        8,
        "expected the value of a tag in quotes, found `2`",
    ),
    (
        "1. A a *\n\n1. A { no end\n\n[Event \"3\"]\n\n1. B b *\n",
        3,
        6,
        "this comment is not closed: it lacks `}`",
    ),
];

#[test]
fn error_belongs_to_one_game() {
    for &(text, line, column, message) in TEXTS_WITH_A_BAD_GAME {
        let read = read(text);
        let games: Vec<_> = (read.games.iter())
            .map(|game| game.plies[1].result.mv.as_str())
            .collect();
        assert_eq!(games, ["a", "b"], "{text}");
        let error = ReadErrorView {
            game: 2,
            line,
            column,
            message: message.to_owned(),
        };
        assert_eq!(read.errors, [error], "{text}");
    }
}

#[test]
fn resignation_survives_a_round_trip() {
    let resigned =
        read_game("[South \"Marge\"]\n[Termination \"resign\"]\n[Winner \"North\"]\n\n1. CF *");
    let text = write_request(&resigned).execute().expect("a game").text;
    let expected = r#"[South "Marge"]
[Rules "cs32"]
[Position "6x4"]
[Result "*"]
[Termination "resign"]
[Winner "North"]

1. CF *
"#;
    assert_eq!(text, expected);
}

#[test]
fn result_of_an_adjudication_survives_a_round_trip() {
    let adjudicated = read_game(
        "[Result \"27-21\"]\n[Termination \"adjudicated\"]\n[Winner \"South\"]\n\n1. CF 27-21",
    );
    let mut request = write_request(&adjudicated);
    let text = request.execute().expect("a game").text;
    let expected = r#"[Rules "cs32"]
[Position "6x4"]
[Result "27-21"]
[Termination "adjudicated"]
[Winner "South"]

1. CF 27-21
"#;
    assert_eq!(text, expected);
    request.winner = Some(kalah::Side::North);
    let error = request.execute().expect_err("a contradiction");
    assert_eq!(
        error.to_string(),
        "the tag Winner says `North`, but the seeds are 27-21"
    );
    // A game that goes on after the adjudication has no result.
    request.termination = None;
    let text = request.execute().expect("a game").text;
    assert!(
        text.contains("[Result \"*\"]\n[Termination \"unfinished\"]"),
        "{text}"
    );
}

#[test]
fn variation_of_the_second_move_of_a_turn_is_written_with_the_whole_turn() {
    let written = write_request(&read_game("1. CF ( 1. CE a ) a *"))
        .execute()
        .expect("a game");
    assert!(
        written.text.ends_with("\n\n1. CF ( 1. CE a ) 1... a *\n"),
        "{}",
        written.text
    );
}

/// Generates games with variations.
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
        build_game(&start, &picks)
    })
}

/// Builds a game with up to one ply for each of `picks`: its parent is the last ply if the first
/// part is positive, otherwise the second part selects the parent; the third part selects the move.
fn build_game(start: &Position, picks: &[(u8, Index, Index)]) -> GameView {
    let mut after: Vec<Position> = Vec::new();
    let mut plies: Vec<PlyView> = Vec::new();
    for (kind, parent_index, move_index) in picks {
        let last = plies.len().checked_sub(1);
        let parent = if *kind > 0 {
            last
        } else {
            parent_index.index(plies.len() + 1).checked_sub(1)
        };
        let mut position = parent.map_or(start, |parent| &after[parent]).clone();
        let moves: Vec<Move> = position.legal_moves().collect();
        if moves.is_empty() {
            continue;
        }
        let mv = moves[move_index.index(moves.len())];
        let result = MoveResultView::play(&mut position, mv).expect("it is legal");
        let is_known = |ply: &PlyView| ply.parent == parent && ply.result.mv == result.mv;
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
            result,
            comments,
        });
        after.push(position);
    }
    let mut last_ply = None;
    while let Some(next) = plies.iter().position(|ply| ply.parent == last_ply) {
        last_ply = Some(next);
    }
    let is_over = last_ply.is_some_and(|ply| after[ply].is_over());
    GameView {
        tags: Vec::new(),
        start: start.into(),
        comments: Vec::new(),
        plies,
        termination: if is_over { "normal" } else { "unfinished" }.to_owned(),
        winner: None,
    }
}

/// Returns, in sorted order, for each ply: the moves from the start, the comments, and whether it
/// is the first ply with its parent.
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
    fn written_games_read_back_with_the_same_plies(written in games()) {
        let text = write_request(&written).execute().expect("a game").text;
        let read = read_game(&text);
        prop_assert_eq!(&read.start, &written.start);
        prop_assert_eq!(&read.termination, &written.termination);
        prop_assert_eq!(paths(&read), paths(&written), "{}", text);
        prop_assert_eq!(write_request(&read).execute().expect("a game").text, text);
    }

    #[test]
    fn any_list_of_plies_is_written_or_rejected(
        plies in prop::collection::vec((prop::option::of(0..6_usize), "[A-Fa-f]|swap"), 0..8)
    ) {
        let plies = plies
            .into_iter()
            .map(|(parent, mv)| PlyInput { parent, mv, comments: Vec::new() });
        let request = WriteRequest { plies: plies.collect(), ..write_request(&read_game("*")) };
        if let Ok(response) = request.execute() {
            read_game(&response.text);
        }
    }
}
