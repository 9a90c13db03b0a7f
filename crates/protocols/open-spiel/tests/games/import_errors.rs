//! Errors of an import, and episodes that end early.

use kalah::{Side, Termination};
use kalah_open_spiel::OPEN_SPIEL;

/// A text, the number of its games, and the beginning of its only error.
const ERRORS: [(&str, usize, &str); 12] = [
    (
        "[1,2\n[3]\n",
        1,
        "line 1: the bracket `]` is missing in `[1,2`",
    ),
    (
        "[3, 6, 9]]\n",
        0,
        "line 1: the bracket `[` is missing in `[3, 6, 9]]`",
    ),
    (
        "[1]\n[3, 6, 9]]\n",
        1,
        "line 2: the bracket `[` is missing in `[3, 6, 9]]`",
    ),
    ("{\"steps\":[]}", 0, "line 1: the episode has no steps"),
    (
        "3 6 8\n1 1\n1 8\n",
        2,
        "line 2: ply 2, `1`: it is North's turn",
    ),
    (
        "[3, 6]\n[[1, 8], [3, 3]]\n",
        2,
        "line 2, game 2: ply 2, `3`: house C is empty",
    ),
    (
        "[1, 8]\n[1, 7.5]",
        1,
        "line 2: `7.5` is not an action: expected 1 to 6 for South's houses or 8 to 13 for North's",
    ),
    (
        "[1, 8]\n{\"a\": 1",
        1,
        "line 2: the text ends too early (column 7)",
    ),
    ("[3,6,9,12,1", 0, "line 1: the text ends too early"),
    (
        "[{\"actions\": [1, 8]}, {\"actions\": [99]}, [2, 8]]",
        2,
        "line 1, game 2: `99` is not an action",
    ),
    (
        "1\n8\n\n3\nsay 6\n8\n\n2\n8\n",
        2,
        "line 5: `say 6` in a text of one number a line",
    ),
    (
        "{\"a\": 1}",
        0,
        "line 1: `{\"a\":1}` is neither a list of actions nor an episode with steps",
    ),
];

#[test]
fn an_error_names_its_line_and_spares_the_other_games() {
    for (text, games, error) in ERRORS {
        let imported = OPEN_SPIEL.import(text, None);
        assert_eq!(imported.records.len(), games, "{text}: {imported:?}");
        let errors: Vec<String> = imported.errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].starts_with(error), "{errors:?}");
    }
}

#[test]
fn an_early_ending_is_recorded() {
    let forfeit = "{\"steps\": [[{\"action\": {\"submission\": 1}}, {}]], \"rewards\": [1, -1]}";
    let late = "{\"steps\": [[{\"action\": 1, \"status\": \"TIMEOUT\"}, {}]]}";
    let wrong = "{\"steps\": [[{\"action\": 1}, {}], [{}, {\"action\": {\"submission\": 9}}], \
        [{\"action\": 1}, {}]]}";
    for (text, termination, winner) in [
        (forfeit, Termination::Adjudicated, Some(Side::South)),
        (late, Termination::Time, Some(Side::North)),
        (wrong, Termination::Illegal, Some(Side::North)),
    ] {
        let imported = OPEN_SPIEL.import(text, None);
        assert_eq!(imported.errors, [], "{text}");
        let ending = imported.records[0].ending();
        assert_eq!(
            (ending.termination, ending.winner),
            (termination, winner),
            "{text}"
        );
    }
}

#[test]
fn numbers_that_json_does_not_have_hide_no_game() {
    let text = r#"{"info": {"moveDurations": [0.5, NaN, -Infinity, Infinity],
        "name": "NaN \"-Infinity"}, "actions": [3, 6, 8]}
        {"actions": [1, NaN]}"#;
    let imported = OPEN_SPIEL.import(text, None);
    assert_eq!(imported.records.len(), 1);
    let errors: Vec<String> = imported.errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].starts_with("line 3: `null` is not an action"),
        "{errors:?}"
    );
}
