//! Invalid requests and the problems that report them.

use kalah_api::{ProblemKind, RequestError, handle_request};
use serde_json::json;

use crate::{engine, try_request};

/// Invalid requests: name, body, and the kind, the status and a part of the detail of the problem.
const PROBLEMS: &[(&str, &str, &str, u16, &str)] = &[
    (
        "move",
        "{",
        "invalid-json",
        400,
        "line 1, column 1: the text ends too early",
    ),
    ("move", " \n", "invalid-json", 400, "the body is empty"),
    ("move", "{}", "invalid-request", 422, "`move` is missing"),
    (
        "move",
        r#"{"move":"A","pit":1}"#,
        "invalid-request",
        422,
        "`pit` is an unknown key, expected one of",
    ),
    (
        "move",
        r#"["cs32","6x4","C"]"#,
        "invalid-request",
        422,
        "expected an object in braces",
    ),
    (
        "puzzle",
        r#"{"theme":"fork"}"#,
        "invalid-request",
        422,
        "`fork` is an unknown value, expected one of `capture`",
    ),
    (
        "check_puzzle",
        r#"{"position":"4x"}"#,
        "invalid-position",
        422,
        "4x",
    ),
    (
        "daily_puzzle",
        "{}",
        "invalid-request",
        422,
        "`day` is missing",
    ),
    (
        "puzzle",
        r#"{"min_rating":799}"#,
        "invalid-rating",
        422,
        "rating `799` is not from 800 to 2400",
    ),
    (
        "puzzle",
        r#"{"max_rating":2401}"#,
        "invalid-rating",
        422,
        "`2401`",
    ),
    (
        "puzzle",
        r#"{"min_rating":2000,"max_rating":900}"#,
        "invalid-rating",
        422,
        "min_rating `2000` is greater than max_rating `900`",
    ),
    (
        "write",
        r#"{"plies":[[null,"C",[]]]}"#,
        "invalid-request",
        422,
        "expected an object in braces",
    ),
    (
        "choose",
        r#"{"opponent":"level:1","seed":"1"}"#,
        "invalid-request",
        422,
        "line 1, column 32: `seed`: expected a whole number from 0 to 18446744073709551615, not the text `1`",
    ),
    (
        "write",
        r#"{"plies":[{"parent":-1,"move":"A"}]}"#,
        "invalid-request",
        422,
        "line 1, column 22: `plies[0].parent`: expected a whole number from 0 to ",
    ),
    (
        "play",
        r#"{"moves":"A, expected u64"}"#,
        "invalid-request",
        422,
        "line 1, column 26: `moves`: expected a list, not the text `A, expected u64`",
    ),
    (
        "analyze",
        r#"{"prove":7}"#,
        "invalid-request",
        422,
        "line 1, column 10: `prove`: expected a text",
    ),
    (
        "guess",
        "{}",
        "unknown-request",
        404,
        "there is no request `guess`",
    ),
    (
        "position",
        r#"{"rules":"oware"}"#,
        "invalid-rules",
        422,
        "no rules are called `oware`",
    ),
    (
        "position",
        r#"{"position":"6y4"}"#,
        "invalid-position",
        422,
        "position `6y4`, character 1: expected a start",
    ),
    (
        "position",
        r#"{"position":"26x2000"}"#,
        "unplayable-position",
        422,
        "position `26x2000`: 104000 seeds are too many",
    ),
    (
        "move",
        r#"{"move":"c"}"#,
        "invalid-move",
        422,
        "`c` is a house of North: South is to move",
    ),
    (
        "move",
        r#"{"move":""}"#,
        "invalid-move",
        422,
        "an empty text is not a house: South's houses are A to F",
    ),
    (
        "move",
        r#"{"move":"G"}"#,
        "invalid-move",
        422,
        "there is no house `G`: South's houses are A to F",
    ),
    (
        "move",
        r#"{"move":"swap"}"#,
        "illegal-move",
        422,
        "move `swap`: sides can be exchanged only",
    ),
    (
        "play",
        r#"{"moves":["A","b","b"]}"#,
        "invalid-move",
        422,
        "ply 3: `b` is a house of North",
    ),
    (
        "analyze",
        r#"{"time":"6s"}"#,
        "too-much-time",
        422,
        "time `6s` is more than the maximum of 5s",
    ),
    (
        "analyze",
        r#"{"time":"soon"}"#,
        "invalid-time",
        422,
        "time `soon`",
    ),
    (
        "choose",
        r#"{"opponent":"level:11"}"#,
        "unknown-opponent",
        422,
        "`level:11` is not an opponent",
    ),
    (
        "choose",
        r#"{"opponent":"level:+1"}"#,
        "unknown-opponent",
        422,
        "`level:+1` is not an opponent",
    ),
    (
        "choose",
        r#"{"position":"<1,2,0,0,0>","opponent":"smart"}"#,
        "illegal-move",
        422,
        "there is no move to choose: the game is over",
    ),
    (
        "write",
        r#"{"plies":[{"parent":0,"move":"A"}]}"#,
        "invalid-game",
        422,
        "ply 0 of the list, counted from 0: its parent `0`",
    ),
    (
        "write",
        r#"{"plies":[{"parent":null,"move":"A"},{"parent":0,"move":"A"}]}"#,
        "invalid-move",
        422,
        "ply 2: `A` is a house of South",
    ),
    (
        "write",
        r#"{"plies":[],"comments":["}"]}"#,
        "invalid-game",
        422,
        "`}`",
    ),
    (
        "write",
        r#"{"plies":[],"termination":"boredom"}"#,
        "invalid-game",
        422,
        "invalid termination `boredom`: expected",
    ),
    (
        "write",
        r#"{"plies":[],"tags":[["a b","c"]]}"#,
        "invalid-game",
        422,
        "`a b`",
    ),
    (
        "review",
        r#"{"moves":["C"],"analyses":[null]}"#,
        "invalid-analysis",
        422,
        "there are 1 analyses of 2 positions",
    ),
    (
        "review",
        r#"{"moves":[],"analyses":[{"margin":0,"lower":-49,"upper":48,"moves":[]}]}"#,
        "invalid-analysis",
        422,
        "the bounds -49 to 48 are not within -48 to 48",
    ),
    (
        "review",
        r#"{"moves":[],"analyses":[{"margin":0,"lower":0,"upper":0,"moves":[
            {"move":"a","lower":0,"upper":0}]}]}"#,
        "invalid-analysis",
        422,
        "analysis 0 of the list, counted from 0: move `a` is not legal",
    ),
    (
        "review",
        r#"{"moves":[],"analyses":[{"margin":0,"lower":-48,"upper":48,"best":"g","moves":[]}]}"#,
        "invalid-analysis",
        422,
        "analysis 0 of the list, counted from 0: move `g` is not legal",
    ),
    // House C gives a bonus turn, after which South is to move.
    (
        "review",
        r#"{"moves":[],"analyses":[{"margin":0,"lower":-48,"upper":48,"moves":[],
            "line":["C","a"]}]}"#,
        "invalid-analysis",
        422,
        "analysis 0 of the list, counted from 0: move `a` is not legal",
    ),
    (
        "review",
        r#"{"moves":["C","a"],"analyses":[]}"#,
        "invalid-move",
        422,
        "ply 2: `a` is a house of North",
    ),
];

#[test]
fn problems_quote_the_invalid_input() {
    for &(name, body, kind, status, detail) in PROBLEMS {
        let error =
            handle_request(name, body.as_bytes(), &mut engine(), &mut |_| {}).expect_err(body);
        let problem = error.details();
        let expected_type = format!("/problems/{kind}");
        assert_eq!(problem.type_uri, expected_type, "{name} {body}: {error}");
        assert_eq!(problem.status, status, "{name} {body}");
        let text = &problem.detail;
        assert!(text.contains(detail), "{name} {body}: {text}");
    }
}

#[test]
fn all_problem_kinds_occur() {
    let tested = |kind: &ProblemKind| PROBLEMS.iter().any(|row| row.2 == kind.name());
    let missing: Vec<_> = (ProblemKind::ALL.iter())
        .filter(|kind| !tested(kind))
        .filter(|kind| {
            !matches!(
                kind,
                ProblemKind::TooManyPlies
                    | ProblemKind::TooManyGames
                    | ProblemKind::EngineHelpOff
                    | ProblemKind::NameTaken
                    | ProblemKind::MemberRemoved
            )
        })
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn detail_is_cut_after_500_characters() {
    let long = "x".repeat(10_000);
    let error = try_request("position", &json!({"position": long})).expect_err("not a position");
    let detail = error.details().detail;
    assert_eq!(detail.chars().count(), 501);
    assert!(detail.ends_with('…'), "{detail}");
}

#[test]
fn play_and_read_reject_more_than_5000_plies() {
    let moves = vec!["A"; 5001];
    let error = try_request("play", &json!({"moves": moves})).expect_err("too many");
    assert_eq!(error, RequestError::TooManyPlies(5000));
    let variations = "( 1. B ) ".repeat(5000);
    let text = format!("1. A {variations}*");
    let error = try_request("read", &json!({"text": text})).expect_err("too many");
    assert_eq!(error, RequestError::TooManyPlies(5000));
}

#[test]
fn read_rejects_more_than_1000_games() {
    // Games with errors count, too.
    let text = format!("{}1. z *", "* ".repeat(999));
    assert!(try_request("read", &json!({"text": text})).is_ok());
    let text = format!("{text} *");
    let error = try_request("read", &json!({"text": text})).expect_err("too many");
    assert_eq!(error, RequestError::TooManyGames(1000));
}
