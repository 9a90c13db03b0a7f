//! Arbitrary texts in all formats.

use kalah_protocols::{IMPORT_FORMATS, detect_import_format};
use proptest::prelude::*;

/// Checks for every format that the records of a text can be written and parsed again.
fn assert_records_are_valid(text: &str) {
    detect_import_format(text);
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
