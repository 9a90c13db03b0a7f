//! Requests and their responses as JSON.

mod problems;

use std::collections::BTreeSet;
use std::time::Duration;

use kalah_api::{
    Endpoint, EndpointVisitor, RequestEngine, RequestError, endpoint_names, handle_request,
    visit_endpoints,
};
use kalah_engine::Engine;
use serde_json::{Value, json};

/// Returns an engine whose clock stands still, so that responses depend on the request alone.
fn engine() -> RequestEngine {
    RequestEngine::new(Engine::new(), Duration::from_secs(5), || Duration::ZERO)
}

fn try_request(name: &str, body: &Value) -> Result<Value, RequestError> {
    let text = handle_request(
        name,
        body.to_string().as_bytes(),
        &mut engine(),
        &mut |_| {},
    )?;
    Ok(serde_json::from_str(&text).expect("a response is JSON"))
}

fn request(name: &str, body: &Value) -> Value {
    try_request(name, body).unwrap_or_else(|error| panic!("{name} {body}: {error}"))
}

#[test]
fn example_of_every_endpoint_is_accepted() {
    struct ExampleChecker;

    impl EndpointVisitor for ExampleChecker {
        fn visit<Q: Endpoint>(&mut self) {
            request(Q::NAME, &Q::example());
        }
    }

    visit_endpoints(&mut ExampleChecker);
}

#[test]
fn endpoints_have_different_names() {
    let names = endpoint_names();
    let different: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
}

#[test]
fn position_response_has_all_fields() {
    assert_eq!(
        request(
            "position",
            &json!({"rules": "standard", "position": "<3,1,0,2,0,2,2,2,3> n"})
        ),
        json!({
            "rules": "standard", "position": "<3,1,0,2,0,2,2,2,3> n", "houses": 3, "to_move": "north",
            "stores": {"south": 1, "north": 0}, "rows": {"south": [2, 0, 2], "north": [2, 2, 3]},
            "legal_moves": ["a", "b", "c"], "is_over": false,
        })
    );
    assert_eq!(
        request("position", &json!({}))["position"],
        "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s"
    );
}

#[test]
fn move_response_has_path_effect_capture_and_sweep() {
    let capture = request(
        "move",
        &json!({"position": "<3,0,0,1,0,2,1,2,0> s", "move": "A"}),
    );
    assert_eq!(capture["path"], json!(["B"]));
    assert_eq!(capture["effect"], "capture");
    assert_eq!(
        capture["capture"],
        json!({"house": "B", "from": "b", "seeds": 3})
    );
    assert_eq!(capture["after"]["position"], "<3,3,0,0,0,2,1,0,0> n");

    let end = request(
        "move",
        &json!({"position": "<3,0,0,0,0,1,1,2,0> s", "move": "C"}),
    );
    assert_eq!(end["path"], json!(["south"]));
    assert_eq!(end["effect"], "bonus-turn");
    assert_eq!(end["swept"], json!({"south": 0, "north": 3}));
    assert_eq!(end["after"]["is_over"], true);
}

#[test]
fn path_is_limited_to_200_pits() {
    let result = request(
        "move",
        &json!({"position": "<1,0,0,65535,0> s", "move": "A"}),
    );
    assert_eq!(result["seeds"], 65535);
    assert_eq!(result["path"].as_array().map(Vec::len), Some(200));
}

#[test]
fn play_makes_several_moves_and_a_swap() {
    let body = json!({"rules": "mankalah", "moves": ["C", "swap", "b"]});
    let played = request("play", &body);
    assert_eq!(
        played["start"]["legal_moves"].as_array().map(Vec::len),
        Some(6)
    );
    let plies = played["plies"].as_array().expect("plies");
    assert_eq!(plies[0]["effect"], "turn-passes");
    assert_eq!(plies[1]["is_swap"], true);
    assert_eq!(plies[1]["effect"], Value::Null);
    assert_eq!(plies[2]["side"], "north");
}

#[test]
fn analyze_and_smart_prove_the_same_margin() {
    let body = json!({"rules": "standard", "position": "4x3"});
    let analysis = request("analyze", &body);
    assert_eq!(analysis["exact"], true);
    assert_eq!(analysis["margin"], analysis["lower"]);
    let moves = analysis["moves"].as_array().expect("moves");
    assert!(moves.iter().all(|mv| mv["exact"] == true), "{analysis}");
    assert_eq!(
        analysis["chances"],
        json!({"win": 1000, "tie": 0, "loss": 0})
    );
    assert!(
        moves.iter().any(|mv| mv["chances"]["loss"] == 1000),
        "{analysis}"
    );
    assert_eq!(analysis["line"][0], analysis["best"]);

    let body = json!({"rules": "standard", "position": "4x3", "opponent": "smart"});
    let chosen = request("choose", &body);
    assert_eq!(chosen["bounds"]["lower"], analysis["margin"]);
    assert_eq!(chosen["bounds"]["exact"], true);
}

#[test]
fn levels_choose_legal_moves_that_depend_on_the_seed_alone() {
    for number in 1..=9 {
        let opponent = format!("level:{number}");
        let body = json!({"position": "6x4", "opponent": opponent, "seed": number});
        let chosen = request("choose", &body);
        let letter = chosen["move"].as_str().expect("a move");
        assert!(("A"..="F").contains(&letter), "{chosen}");
        assert_eq!(chosen["bounds"], Value::Null);
        assert_eq!(request("choose", &body), chosen);
    }
}

#[test]
fn prepare_builds_one_table_within_the_memory_limit() {
    let seeds = |memory: usize| {
        let engine = Engine::new().with_memory(memory);
        let mut engine = RequestEngine::new(engine, Duration::MAX, || Duration::ZERO);
        let body = br#"{"position":"5x3"}"#;
        let first = handle_request("prepare", body, &mut engine, &mut |_| {});
        let second = handle_request("prepare", body, &mut engine, &mut |_| {});
        assert_eq!(first, second);
        first
    };
    assert_eq!(seeds(64 << 20), Ok(r#"{"seeds":15}"#.to_owned()));
    assert_eq!(seeds(20 << 20), Ok(r#"{"seeds":13}"#.to_owned()));
    assert_eq!(seeds(0), Ok(r#"{"seeds":0}"#.to_owned()));
}

#[test]
fn rules_lists_all_presets_with_the_default_first() {
    let presets = request("rules", &json!(null));
    let names = presets.as_array().expect("a list").iter();
    let names: Vec<_> = names.map(|preset| &preset["name"]).collect();
    assert_eq!(names, ["cs32", "standard", "empty-capture", "mankalah"]);
    assert_eq!(presets[0]["default"], true);
    assert_eq!(presets[3]["swap"], true);
    assert_eq!(
        presets[0]["summary"],
        "The game ends when the side to move has no seeds in its row; a capture needs seeds in the \
         opposite house."
    );
}

/// Removes the other fields of every object in a list.
fn keep_fields(objects: &mut Value, fields: &[&str]) {
    for object in objects.as_array_mut().expect("a list") {
        let object = object.as_object_mut().expect("an object");
        object.retain(|key, _| fields.contains(&&**key));
    }
}

#[test]
fn puzzle_has_its_solution_and_the_bounds_of_all_moves() {
    let body = json!({"position": "4x3", "seed": 7});
    let puzzle = request("puzzle", &body)["puzzle"].take();
    assert_eq!(request("puzzle", &body)["puzzle"], puzzle);
    assert_ne!(
        request("puzzle", &json!({"position": "4x3", "seed": 8}))["puzzle"],
        puzzle
    );
    assert_eq!(puzzle["line"][0], puzzle["solution"]);
    let mut analysis = request("analyze", &json!({"position": puzzle["position"]}));
    keep_fields(&mut analysis["moves"], &["move", "lower", "upper", "exact"]);
    assert_eq!(analysis["moves"], puzzle["moves"]);
    assert_eq!(analysis["best"], puzzle["solution"]);
    assert_eq!(analysis["to_move"], puzzle["to_move"]);
    for key in ["margin", "lower", "upper", "exact"] {
        assert_eq!(analysis[key], puzzle[key], "{key}");
    }
    let line = json!({"position": puzzle["position"], "moves": puzzle["line"]});
    let plies = request("play", &line)["plies"].take();
    let last = plies.as_array().and_then(|plies| plies.last());
    assert_eq!(last.expect("a ply")["after"]["is_over"], true);
}

#[test]
fn puzzle_is_null_if_the_games_of_the_seed_have_none() {
    for body in [json!({"position": "1x1"}), json!({"position": "26x1000"})] {
        assert_eq!(request("puzzle", &body), json!({"puzzle": null}), "{body}");
    }
    let many = json!({"position": "3x2", "min_moves": 255});
    assert_eq!(request("puzzle", &many), json!({"puzzle": null}));
    let rated = json!({"position": "4x3", "min_rating": 1200, "max_rating": 1500});
    let rating = request("puzzle", &rated)["puzzle"]["rating"].as_u64();
    assert!((1200..=1500).contains(&rating.expect("a puzzle")));
}

#[test]
fn check_of_a_position_returns_the_puzzle_or_the_reason() {
    let body = json!({"position": "4x3", "seed": 7, "theme": "bonus-chain", "min_moves": 2});
    let puzzle = request("puzzle", &body)["puzzle"].take();
    let themes = puzzle["themes"].as_array().expect("a list");
    assert!(themes.contains(&json!("bonus-chain")), "{themes:?}");
    assert!(puzzle["to_find"].as_array().expect("a list").len() >= 2);
    let position = json!({"rules": puzzle["rules"], "position": puzzle["position"]});
    assert_eq!(
        request("check_puzzle", &position),
        json!({"puzzle": puzzle, "reason": null})
    );
    for (position, reason) in [
        ("<3,9,9,0,0,0,0,0,0> s", "game-over"),
        ("2x2", "too-few-moves"),
        ("12x12", "not-proven"),
        ("4x3", "no-unique-move"),
    ] {
        assert_eq!(
            request("check_puzzle", &json!({"position": position})),
            json!({"puzzle": null, "reason": reason}),
            "{position}"
        );
    }
}

#[test]
fn puzzle_of_a_day_is_the_same_for_all_clients() {
    let puzzle = request("daily_puzzle", &json!({"day": 20_787}))["puzzle"].take();
    assert_eq!(puzzle["rules"], "standard");
    let rating = puzzle["rating"].as_u64().expect("a puzzle");
    assert!((800..=1000).contains(&rating), "a Monday: {rating}");
    let position = json!({"rules": "standard", "position": puzzle["position"]});
    assert_eq!(request("check_puzzle", &position)["puzzle"], puzzle);
}

/// Returns the part of an analysis that a review needs.
fn analysis_input(rules: &str, position: &Value) -> Value {
    let mut analysis = request("analyze", &json!({"rules": rules, "position": position}));
    let fields =
        ["margin", "lower", "upper", "moves"].map(|key| (key.to_owned(), analysis[key].take()));
    let mut input = Value::Object(fields.into_iter().collect());
    keep_fields(&mut input["moves"], &["move", "lower", "upper"]);
    input
}

/// Returns the review of a game of `mankalah`, with the analyses that `keep` selects.
fn review(position: &str, moves: &[&str], keep: impl Fn(usize) -> bool) -> Value {
    let line = json!({"rules": "mankalah", "position": position, "moves": moves});
    let played = request("play", &line);
    let plies = played["plies"].as_array().expect("plies").iter();
    let analyses = std::iter::once(&played["start"])
        .chain(plies.map(|ply| &ply["after"]))
        .enumerate()
        .map(|(index, position)| {
            if keep(index) {
                analysis_input("mankalah", &position["position"])
            } else {
                Value::Null
            }
        });
    let mut body = line;
    body["analyses"] = analyses.collect();
    request("review", &body)
}

#[test]
fn review_has_the_cost_of_each_ply_and_the_accuracy() {
    let review = review("3x2", &["A", "swap", "b"], |_| true);
    assert_eq!(review["unproven"], 0);
    let ply = |index: usize| &review["plies"][index];
    let player = |index: usize| &ply(index)["player"];
    assert_eq!(
        [player(0), player(1), player(2)],
        ["south", "north", "south"]
    );
    for index in 0..3 {
        let (before, after) = (&ply(index)["before"], &ply(index)["after"]);
        let sign = if player(index) == "south" { 1 } else { -1 };
        let margin = |margin: &Value| margin["margin"].as_i64().expect("a margin") * sign;
        assert_eq!(
            ply(index)["cost"]["lower"],
            margin(before) - margin(after),
            "{review}"
        );
        let is_mistake = ply(index)["cost"]["lower"] != 0;
        assert_eq!(
            ply(index)["better_moves"] != json!([]),
            is_mistake,
            "{review}"
        );
    }
    assert_eq!(review["start_margin"], ply(0)["before"]);
    assert_eq!(review["accuracy"]["south"]["plies"], 2);
    assert_eq!(review["accuracy"]["north"]["plies"], 1);
}

#[test]
fn review_has_reasons_accuracies_by_phase_and_levels() {
    let analysis = request("analyze", &json!({"position": "3x2"}));
    let review = |line: &Value| {
        let mut input = analysis.clone();
        keep_fields(&mut input["moves"], &["move", "lower", "upper"]);
        let fields = ["margin", "lower", "upper", "best", "moves"];
        let fields = fields.map(|key| (key.to_owned(), input[key].take()));
        let mut input = Value::Object(fields.into_iter().collect());
        input["line"] = line.clone();
        let body = json!({"position": "3x2", "moves": ["A"], "analyses": [input, null]});
        request("review", &body)
    };
    // House B gives a bonus turn, with which its line goes on.
    assert_eq!(analysis["line"][0], "B");
    for line in [&analysis["line"], &Value::Null] {
        let reviewed = review(line);
        let reasons = reviewed["plies"][0]["reasons"].as_array().expect("reasons");
        let missed = json!({
            "kind": "missed-bonus-turn",
            "house": "B",
            "other_house": null,
            "seeds": null,
            "turns": null,
        });
        assert!(reasons.contains(&missed), "{reviewed}");
        assert_eq!(reviewed["phases"]["south"]["opening"]["plies"], 1);
        assert_eq!(reviewed["phases"]["south"]["endgame"]["plies"], 0);
        assert_eq!(reviewed["levels"], json!({"south": null, "north": null}));
    }
}

#[test]
fn review_grades_no_ply_of_an_opening() {
    let start = analysis_input("cs32", &json!("3x2"));
    let reviewed = |opening_plies: Value| {
        let body = json!({
            "position": "3x2",
            "moves": ["A"],
            "analyses": [start, null],
            "opening_plies": opening_plies,
        });
        request("review", &body)
    };
    for plies in [json!(1), json!(9)] {
        let review = reviewed(plies);
        assert_eq!(review["opening_plies"], 1);
        assert_eq!(review["plies"][0]["grade"], Value::Null);
        assert_eq!(review["accuracy"]["south"]["plies"], 0);
    }
    for plies in [json!(0), Value::Null] {
        let review = reviewed(plies);
        assert_eq!(review["opening_plies"], 0);
        assert_eq!(review["plies"][0]["grade"], "blunder");
    }
}

fn grade_counts(inaccuracy: u32, mistake: u32, blunder: u32) -> Value {
    json!({"inaccuracy": inaccuracy, "mistake": mistake, "blunder": blunder})
}

#[test]
fn review_has_the_grade_of_each_ply_and_counts_the_grades() {
    // The margins of houses A, B and C. The game plays house A.
    let grades = |margins: [i32; 3]| {
        let bounds = |mv: &str, margin: i32| json!({"move": mv, "lower": margin, "upper": margin});
        let [a, b, c] = margins;
        let moves = [bounds("A", a), bounds("B", b), bounds("C", c)];
        let best = a.max(b).max(c);
        let start = json!({"margin": best, "lower": best, "upper": best, "moves": moves});
        let review = request(
            "review",
            &json!({"position": "3x4", "moves": ["A"], "analyses": [start, null]}),
        );
        assert_eq!(review["grades"]["north"], grade_counts(0, 0, 0));
        (
            review["plies"][0]["grade"].clone(),
            review["grades"]["south"].clone(),
        )
    };
    assert_eq!(grades([8, 8, -4]), (Value::Null, grade_counts(0, 0, 0)));
    assert_eq!(
        grades([8, 12, -4]),
        (json!("inaccuracy"), grade_counts(1, 0, 0))
    );
    assert_eq!(
        grades([0, 4, -4]),
        (json!("mistake"), grade_counts(0, 1, 0))
    );
    assert_eq!(
        grades([-2, 2, 0]),
        (json!("blunder"), grade_counts(0, 0, 1))
    );
}

#[test]
fn review_has_the_lost_chance_of_a_ply_whose_results_are_not_proven() {
    let open = |margin: i32, best: Value| json!({"margin": margin, "lower": -48, "upper": 48, "best": best, "moves": []});
    let request_with = |start: Value, end: Value| {
        let body = json!({"position": "6x4", "moves": ["A"], "analyses": [start, end]});
        request("review", &body)
    };
    // North is to move after the ply.
    let review = request_with(open(8, json!("C")), open(8, Value::Null));
    let ply = &review["plies"][0];
    let points = |margin: &Value| {
        let chances = &margin["chances"];
        let chance = |key: &str| chances[key].as_u64().expect("a chance");
        assert_eq!(chance("win") + chance("tie") + chance("loss"), 1000);
        chance("win") + chance("tie") / 2
    };
    let lost = points(&ply["before"]) - points(&ply["after"]);
    assert!(lost > 300, "{review}");
    assert_eq!(ply["lost_chance"], lost);
    assert_eq!(
        (&ply["grade"], &ply["better_moves"]),
        (&json!("blunder"), &json!(["C"]))
    );
    assert_eq!(review["grades"]["south"], grade_counts(0, 0, 1));
    let unknown = request_with(open(8, json!("C")), Value::Null);
    let ply = &unknown["plies"][0];
    assert_eq!(
        (&ply["lost_chance"], &ply["grade"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn review_without_analyzes_has_no_margins() {
    let review = review("3x2", &["A", "c"], |_| false);
    assert_eq!(review["start_margin"], Value::Null);
    assert_eq!(review["unproven"], 2);
    for ply in review["plies"].as_array().expect("plies") {
        assert_eq!(
            (&ply["before"], &ply["after"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(
            ply["cost"],
            json!({"lower": 0, "upper": 24, "exact": false})
        );
    }
    assert_eq!(review["accuracy"]["south"]["percent"], Value::Null);
}

#[test]
fn review_has_only_the_margins_of_analyzed_positions() {
    for analyzed in 0..=3_usize {
        let is_analyzed = |index| index == analyzed;
        let analyses = [(); 4].map(|()| Value::Null);
        let moves = ["A", "a", "B"];
        let mut body = json!({"position": "6x4", "moves": moves, "analyses": analyses});
        body["analyses"][analyzed] = json!({"margin": 0, "lower": -48, "upper": 48, "moves": []});
        let review = request("review", &body);
        let has_margin = |margin: &Value| *margin != Value::Null;
        assert_eq!(has_margin(&review["start_margin"]), is_analyzed(0));
        let plies = review["plies"].as_array().expect("plies");
        for (index, ply) in plies.iter().enumerate() {
            assert_eq!(has_margin(&ply["before"]), is_analyzed(index), "{review}");
            assert_eq!(
                has_margin(&ply["after"]),
                is_analyzed(index + 1),
                "{review}"
            );
        }
    }
}

#[test]
fn review_takes_the_margin_of_a_move_from_the_analysis_before_it() {
    let review = review("3x2", &["A", "c"], |index| index == 0);
    assert_eq!(review["plies"][0]["cost"]["exact"], true);
    assert_eq!(review["plies"][0]["after"]["exact"], true);
    assert_eq!(review["plies"][1]["after"], Value::Null);
}

#[test]
fn endpoints_have_names_of_their_own() {
    let mut names = kalah_api::endpoint_names();
    for name in ["analyze", "play", "review", "read"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
