//! Questions as they come, in JSON, and what they are answered.

use std::time::Duration;

use kalah_api::{Analyst, RequestError, handle_request};
use kalah_engine::Engine;
use serde_json::{Value, json};

/// No time passes: what a thinker finds depends on the question alone.
fn thinker() -> Analyst {
    Analyst::new(Engine::new(), Duration::from_secs(5), || Duration::ZERO)
}

fn asked(name: &str, body: &Value) -> Result<Value, RequestError> {
    let text = handle_request(name, body.to_string().as_bytes(), &mut thinker())?;
    Ok(serde_json::from_str(&text).expect("an answer is JSON"))
}

fn answered(name: &str, body: &Value) -> Value {
    asked(name, body).unwrap_or_else(|problem| panic!("{name} {body}: {problem}"))
}

#[test]
fn a_position_is_told_whole() {
    assert_eq!(
        answered(
            "position",
            &json!({"rules": "standard", "position": "<3,1,0,2,0,2,2,2,3> n"})
        ),
        json!({
            "rules": "standard", "position": "<3,1,0,2,0,2,2,2,3> n", "houses": 3, "side": "north",
            "stores": {"south": 1, "north": 0}, "rows": {"south": [2, 0, 2], "north": [2, 2, 3]},
            "choices": ["a", "b", "c"], "over": false,
        })
    );
    assert_eq!(
        answered("position", &json!({}))["position"],
        "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s"
    );
}

#[test]
fn a_sowing_is_told_seed_by_seed() {
    let capture = answered(
        "sow",
        &json!({"position": "<3,0,0,1,0,2,1,2,0> s", "choice": "A"}),
    );
    assert_eq!(capture["path"], json!(["B"]));
    assert_eq!(capture["effect"], "capture");
    assert_eq!(
        capture["capture"],
        json!({"house": "B", "from": "b", "seeds": 3})
    );
    assert_eq!(capture["after"]["position"], "<3,3,0,0,0,2,1,0,0> n");

    let end = answered(
        "sow",
        &json!({"position": "<3,0,0,0,0,1,1,2,0> s", "choice": "C"}),
    );
    assert_eq!(end["path"], json!(["south"]));
    assert_eq!(end["effect"], "bonus-turn");
    assert_eq!(end["swept"], json!({"south": 0, "north": 3}));
    assert_eq!(end["after"]["over"], true);
}

#[test]
fn a_long_path_is_cut_short_and_its_seeds_are_counted() {
    let sown = answered(
        "sow",
        &json!({"position": "<1,0,0,65535,0> s", "choice": "A"}),
    );
    assert_eq!(sown["seeds"], 65535);
    assert_eq!(sown["path"].as_array().map(Vec::len), Some(200));
}

#[test]
fn a_line_is_played_at_once_with_its_swap() {
    let line = json!({"rules": "mankalah", "choices": ["C", "swap", "b"]});
    let played = answered("play", &line);
    assert_eq!(played["start"]["choices"].as_array().map(Vec::len), Some(6));
    let plies = played["plies"].as_array().expect("plies");
    assert_eq!(plies[0]["effect"], "turn-passes");
    assert_eq!(plies[1]["swapped"], true);
    assert_eq!(plies[1]["effect"], Value::Null);
    assert_eq!(plies[2]["side"], "north");
}

#[test]
fn what_is_proven_is_told_as_proven() {
    let found = answered("analyse", &json!({"rules": "standard", "position": "4x3"}));
    assert_eq!(
        (&found["exact"], &found["margin"]),
        (&json!(true), &found["lower"])
    );
    let all = |worth: &Value| worth["exact"] == true;
    assert!(
        found["moves"].as_array().expect("moves").iter().all(all),
        "{found}"
    );
    assert_eq!(found["line"][0], found["best"]);

    let perfect = json!({"rules": "standard", "position": "4x3", "opponent": "perfect"});
    let chosen = answered("choose", &perfect);
    assert_eq!(chosen["proven"]["lower"], found["margin"]);
    assert_eq!(chosen["proven"]["exact"], true);
}

#[test]
fn levels_answer_with_something_legal() {
    for number in 1..=9 {
        let question =
            json!({"position": "6x4", "opponent": format!("level:{number}"), "seed": number});
        let chosen = answered("choose", &question);
        let letter = chosen["choice"].as_str().expect("a choice");
        assert!(("A"..="F").contains(&letter), "{chosen}");
        assert_eq!(chosen["proven"], Value::Null);
        assert_eq!(answered("choose", &question), chosen);
    }
}

#[test]
fn every_preset_is_explained() {
    let presets = answered("rules", &json!(null));
    let names = presets.as_array().expect("a list").iter();
    let names: Vec<_> = names.map(|preset| &preset["name"]).collect();
    assert_eq!(names, ["cs32", "standard", "empty-capture", "mankalah"]);
    assert_eq!(presets[0]["default"], true);
    assert_eq!(presets[3]["swap"], true);
    assert_eq!(
        presets[0]["sentence"],
        "The game ends when the side to move has no seeds in its row; a capture needs seeds in the opposite house."
    );
}

/// Questions, and the kind, the status and a part of the detail of what they are told.
const PROBLEMS: &[(&str, &str, &str, u16, &str)] = &[
    ("sow", "{", "no-json", 400, "EOF"),
    (
        "sow",
        "{}",
        "not-the-question",
        422,
        "missing field `choice`",
    ),
    (
        "sow",
        r#"{"choice":"A","pit":1}"#,
        "not-the-question",
        422,
        "unknown field `pit`",
    ),
    (
        "sow",
        r#"["cs32","6x4","C"]"#,
        "not-the-question",
        422,
        "expected an object in braces",
    ),
    (
        "write",
        r#"{"plies":[[null,"C",[]]]}"#,
        "not-the-question",
        422,
        "expected an object in braces",
    ),
    (
        "guess",
        "{}",
        "no-such-question",
        404,
        "there is no question `guess`",
    ),
    (
        "position",
        r#"{"rules":"oware"}"#,
        "rules",
        422,
        "no rules are called `oware`",
    ),
    (
        "position",
        r#"{"position":"6y4"}"#,
        "position",
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
        "sow",
        r#"{"choice":"c"}"#,
        "choice",
        422,
        "`c` is a house of North: South is to move",
    ),
    (
        "sow",
        r#"{"choice":"G"}"#,
        "choice",
        422,
        "there is no house `G`: South's houses are A to F",
    ),
    (
        "sow",
        r#"{"choice":"swap"}"#,
        "illegal-choice",
        422,
        "move `swap`: sides can be exchanged only",
    ),
    (
        "play",
        r#"{"choices":["A","b","b"]}"#,
        "choice",
        422,
        "ply 3: `b` is a house of North",
    ),
    (
        "analyse",
        r#"{"time":"6s"}"#,
        "too-much-time",
        422,
        "time `6s` is more than the 5s",
    ),
    (
        "analyse",
        r#"{"time":"soon"}"#,
        "time",
        422,
        "time `soon` is not a duration",
    ),
    (
        "choose",
        r#"{"opponent":"level:11"}"#,
        "opponent",
        422,
        "`level:11` is no opponent",
    ),
    (
        "choose",
        r#"{"opponent":"level:+1"}"#,
        "opponent",
        422,
        "`level:+1` is no opponent",
    ),
    (
        "choose",
        r#"{"position":"<1,2,0,0,0>","opponent":"perfect"}"#,
        "illegal-choice",
        422,
        "there is nothing to choose: the game is over",
    ),
    (
        "read",
        r#"{"text":"1. C x"}"#,
        "record",
        422,
        "line 1, column 6",
    ),
    (
        "write",
        r#"{"plies":[{"parent":0,"choice":"A"}]}"#,
        "game",
        422,
        "ply 0 of the list names `0`",
    ),
    (
        "write",
        r#"{"plies":[{"parent":null,"choice":"A"},{"parent":0,"choice":"A"}]}"#,
        "choice",
        422,
        "ply 2: `A` is a house of South",
    ),
    (
        "write",
        r#"{"plies":[],"comments":["}"]}"#,
        "game",
        422,
        "`}`",
    ),
    (
        "write",
        r#"{"plies":[],"termination":"boredom"}"#,
        "game",
        422,
        "termination `boredom`",
    ),
    (
        "write",
        r#"{"plies":[],"tags":[["a b","c"]]}"#,
        "game",
        422,
        "`a b`",
    ),
];

#[test]
fn what_cannot_be_answered_is_told_with_what_was_asked() {
    for &(name, body, kind, status, detail) in PROBLEMS {
        let problem = handle_request(name, body.as_bytes(), &mut thinker()).expect_err(body);
        let document = problem.details();
        assert_eq!(
            document.type_uri,
            format!("/problems/{kind}"),
            "{name} {body}: {problem}"
        );
        assert_eq!(document.status, status, "{name} {body}");
        assert!(
            document.detail.contains(detail),
            "{name} {body}: {}",
            document.detail
        );
    }
}

#[test]
fn a_detail_quotes_no_more_than_a_person_reads() {
    let long = "x".repeat(10_000);
    let problem = asked("position", &json!({"position": long})).expect_err("no position");
    assert_eq!(problem.details().detail.chars().count(), 501);
}

#[test]
fn more_plies_than_are_answered_at_once_are_refused() {
    let many = vec!["A"; 5001];
    let problem = asked("play", &json!({"choices": many})).expect_err("too many");
    assert_eq!(problem, RequestError::TooManyPlies(5000));
    let text = "( 1. B ) ".repeat(5000);
    let problem = asked("read", &json!({"text": format!("1. A {text}*")})).expect_err("too many");
    assert_eq!(problem, RequestError::TooManyPlies(5000));
}
