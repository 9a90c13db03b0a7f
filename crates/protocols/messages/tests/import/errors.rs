//! Errors, forfeits, and arbitrary texts.

use kalah::{Side, Termination};
use kalah_import::ImportFormat;
use kalah_protocols::import::{IMPORT_FORMATS, KGP, MANKALAH, OPEN_SPIEL, detect};
use proptest::prelude::*;

/// A format, a text, the number of its games, and the beginning of its only error.
const ERRORS: [(&ImportFormat, &str, usize, &str); 16] = [
    (
        &OPEN_SPIEL,
        "[1,2\n[3]\n",
        1,
        "line 1: the bracket `]` is missing in `[1,2`",
    ),
    (
        &OPEN_SPIEL,
        "[3, 6, 9]]\n",
        0,
        "line 1: the bracket `[` is missing in `[3, 6, 9]]`",
    ),
    (
        &OPEN_SPIEL,
        "[1]\n[3, 6, 9]]\n",
        1,
        "line 2: the bracket `[` is missing in `[3, 6, 9]]`",
    ),
    (
        &OPEN_SPIEL,
        "{\"steps\":[]}",
        0,
        "line 1: the episode has no steps",
    ),
    (
        &OPEN_SPIEL,
        "3 6 8\n1 1\n1 8\n",
        2,
        "line 2: ply 2, `1`: it is North's turn",
    ),
    (
        &OPEN_SPIEL,
        "[3, 6]\n[[1, 8], [3, 3]]\n",
        2,
        "line 2, game 2: ply 2, `3`: house C is empty",
    ),
    (
        &OPEN_SPIEL,
        "[1, 8]\n[1, 7.5]",
        1,
        "line 2: `7.5` is not an action: expected 1 to 6 for South's houses or 8 to 13 for North's",
    ),
    (
        &OPEN_SPIEL,
        "[1, 8]\n{\"a\": 1",
        1,
        "line 2: invalid JSON: EOF while parsing an object at line 2 column 7",
    ),
    (
        &OPEN_SPIEL,
        "[3,6,9,12,1",
        0,
        "line 1: invalid JSON: EOF while parsing a list",
    ),
    (
        &OPEN_SPIEL,
        "[{\"actions\": [1, 8]}, {\"actions\": [99]}, [2, 8]]",
        2,
        "line 1, game 2: `99` is not an action",
    ),
    (
        &OPEN_SPIEL,
        "1\n8\n\n3\nsay 6\n8\n\n2\n8\n",
        2,
        "line 5: `say 6` in a text of one number a line",
    ),
    (
        &OPEN_SPIEL,
        "{\"a\": 1}",
        0,
        "line 1: `{\"a\":1}` is neither a list of actions nor an episode with steps",
    ),
    (
        &MANKALAH,
        "START;South\nMOVE;1\nSTART;South\nMOVE;8\nMOVE;1\n",
        1,
        "line 5: ply 1, `MOVE;8`: ",
    ),
    (
        &MANKALAH,
        "START;South\nCHANGE;1;7,7,7,7,7,7,7,0,1,8,8,8,8,8,8,1;OPP\nCHANGE;1;1,1,1,1;OPP",
        0,
        "line 2: ply 1, `CHANGE;1;7,7,7,7,7,7,7,0,1,8,8,8,8,8,8,1;OPP`: by the rules the board \
         after it is 7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1; are these the right rules?",
    ),
    (
        &MANKALAH,
        "MOVE;3\n",
        0,
        "line 1: `MOVE;3` comes before the start of a game",
    ),
    (
        &KGP,
        "8 state <2,0,0,1,1,1,1>\n9@8 move 2\n9@8 yield\n10 state <2,0,0,1,1,1>\n",
        1,
        "line 4: `10 state <2,0,0,1,1,1>`: `<2,0,0,1,1,1>` is no board: expected 6 numbers",
    ),
];

#[test]
fn an_error_names_its_line_and_spares_the_other_games() {
    for (format, text, games, error) in ERRORS {
        let imported = format.import(text, None);
        assert_eq!(imported.records.len(), games, "{text}: {imported:?}");
        let errors: Vec<String> = imported.errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].starts_with(error), "{errors:?}");
    }
}

#[test]
fn an_early_ending_is_recorded() {
    let illegal = "8 state <2,0,0,1,1,1,1>\n9@8 move 1\n9@8 yield\n\
                   12 state <2,0,0,0,2,1,1>\n13@12 move 1\n@12 stop\n";
    let decided = "8 state <2,2,0,0,1,1,0>\n9@8 move 2\n9@8 yield\n";
    let refused =
        "START;South\nMOVE;1\nCHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;OPP\nMOVE;9\nEND\n";
    let forfeit = "{\"steps\": [[{\"action\": {\"submission\": 1}}, {}]], \"rewards\": [1, -1]}";
    let late = "{\"steps\": [[{\"action\": 1, \"status\": \"TIMEOUT\"}, {}]]}";
    let wrong = "{\"steps\": [[{\"action\": 1}, {}], [{}, {\"action\": {\"submission\": 9}}], \
        [{\"action\": 1}, {}]]}";
    for (format, text, termination, winner) in [
        (&KGP, decided, Termination::Normal, Some(Side::South)),
        (&MANKALAH, refused, Termination::Illegal, Some(Side::South)),
        (
            &OPEN_SPIEL,
            forfeit,
            Termination::Adjudicated,
            Some(Side::South),
        ),
        (&OPEN_SPIEL, late, Termination::Time, Some(Side::North)),
        (&OPEN_SPIEL, wrong, Termination::Illegal, Some(Side::North)),
    ] {
        let imported = format.import(text, None);
        assert_eq!(imported.errors, [], "{text}");
        let ending = imported.records[0].ending();
        assert_eq!(
            (ending.termination, ending.winner),
            (termination, winner),
            "{text}"
        );
    }
    let imported = KGP.import(illegal, None);
    let ending = imported.records.last().expect("a game").ending();
    assert_eq!(ending.termination, Termination::Illegal, "{imported:?}");
}

/// Checks for every format that the records of a text can be written and parsed again.
fn assert_records_are_valid(text: &str) {
    detect(text);
    for format in IMPORT_FORMATS {
        for record in format.import(text, None).records {
            assert_eq!(record.to_string().parse(), Ok(record.clone()));
        }
    }
}

#[test]
fn searches_and_nesting_are_limited() {
    let one_house = "8 state <1,0,0,30000,30000>\n10 state <1,29999,0,15000,15000>\n".repeat(3);
    let gap = "8 state <12,0,0,12,12,12,12,12,12,12,12,12,12,12,12,\
               12,12,12,12,12,12,12,12,12,12,12,12>\n\
               9@8 move 3\n@8 stop\n\
               10 state <12,40,40,8,8,8,8,8,8,8,9,9,9,9,9,9,8,8,8,8,8,9,9,9,9,9,9,9>\n";
    let deep = "[".repeat(100_000);
    let words = "8 ".repeat(100_000);
    for text in [&*one_house, gap, &deep, &words] {
        assert_records_are_valid(text);
    }
}

/// Parts of texts in all formats.
const FRAGMENTS: [&str; 44] = [
    "START;South\n",
    "START;North\n",
    "MOVE;1\n",
    "MOVE;7\n",
    "SWAP\n",
    "END\n",
    "MOVE;",
    "CHANGE;1;",
    "CHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;OPP\n",
    "CHANGE;SWAP;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;YOU\n",
    "CHANGE;2;0,0,0,0;YOU\n",
    "CHANGE;1;18446744073709551615,1,1,1;YOU\n",
    "8 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>\n",
    "8 state <1,0,0,9,9>\n",
    "10 state <6,65000,0,4,4,4,4,4,4,4,4,4,4,4,4>\n",
    "8 state <26,0,0",
    "9@8 move 3\n",
    "9@8 move 6\n",
    "9@8 move 27\n",
    "9@8 yield\n",
    "@8 stop\n",
    "1 set info:name \"x\"\n",
    "(a) > ",
    "[",
    "]",
    "{\"actions\":",
    "}",
    ",",
    "1 ",
    "8 ",
    "13\n",
    "14\n",
    "\n",
    "[State]\n",
    "[Meta]\n",
    "\"",
    "{\"steps\": [[{\"action\": {\"submission\": 3}}]]}\n",
    "{\"steps\": [[{\"action\": null, \"status\": \"ERROR\"}, {\"status\": \"ERROR\"}]]}\n",
    "{\"steps\": [[1, []], {}], \"statuses\": [\"TIMEOUT\", 1], \"rewards\": [1, 0]}\n",
    "{\"steps\": [[{\"info\": {\"actionApplied\": 3}}, {\"observation\": {\"currentPlayer\": 1}}], []]}\n",
    "{\"steps\": [], \"info\": {\"actionHistory\": [\"3\", 6, null]}, \"rewards\": [0, 1]}\n",
    "0xc01 > 2 kgp 1 0 1\n",
    "0xc01 < 1 set auth:token \"a\"\n",
    "a > ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn arbitrary_texts_are_imported_or_refused(text in "\\PC{0,200}") {
        assert_records_are_valid(&text);
    }

    #[test]
    fn fragments_of_all_formats_are_imported_or_refused(
        fragments in prop::collection::vec(prop::sample::select(&FRAGMENTS[..]), 0..40),
    ) {
        assert_records_are_valid(&fragments.concat());
    }
}
